//! The kernels that are tried, as templates around what the training rows suggest.

use mercer_kernel::{KernelExpr, Plan, Registry};
use mercer_points::{ColumnData, Points, Table};

use crate::fit::prepare;
use crate::{Learner, ModelError, Scaling, Spec, Training};

/// Kernels of one kind, with the values of their parameter and of C or μ that are tried.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Family {
    /// The kernel with `?` where its parameter goes.
    pub(super) shape: String,
    /// Values of the parameter; none where it has none.
    pub(super) values: Vec<f64>,
    /// Strengths.
    pub(super) strengths: Vec<f64>,
}

/// Strengths that are tried first: C of classes, μ of squares.
const STRENGTHS: [f64; 5] = [0.1, 1.0, 10.0, 100.0, 1000.0];
const RIDGES: [f64; 6] = [1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0];

impl Family {
    fn new(shape: &str, values: &[f64], learner: Learner) -> Self {
        let strengths = match learner {
            Learner::Cholesky => RIDGES.to_vec(),
            _ => STRENGTHS.to_vec(),
        };
        Self { shape: shape.to_owned(), values: values.iter().copied().map(rounded).collect(), strengths }
    }

    /// The template in the kernel language.
    pub(super) fn template(&self) -> String {
        let values: Vec<String> = self.values.iter().map(f64::to_string).collect();
        self.shape.replace('?', &values.join("|"))
    }

    /// The kernel of a value.
    pub(super) fn at(&self, value: Option<f64>) -> Result<KernelExpr, ModelError> {
        let value = value.map_or_else(String::new, |value| value.to_string());
        Ok(self.shape.replace('?', &value).parse()?)
    }

    /// The same around a kernel and a strength: by a quarter of a decade and a half, or on by twice that at an end.
    pub(super) fn around(&self, kernel: &KernelExpr, strength: f64) -> Result<Self, ModelError> {
        let mut place = None;
        for (at, &value) in self.values.iter().enumerate() {
            if self.at(Some(value))? == *kernel {
                place = Some(at);
            }
        }
        let values = match place {
            // Lengths of substrings are whole numbers, and all of them were tried.
            Some(at) if self.shape.contains("k=?") => vec![self.values[at]],
            Some(at) => beside(&self.values, at, 0.25),
            None => Vec::new(),
        };
        let at = self.strengths.iter().position(|&s| s == strength).unwrap_or(0);
        Ok(Self { shape: self.shape.clone(), values, strengths: beside(&self.strengths, at, 0.5) })
    }
}

/// A value and its neighbours on both sides; a value at an end has them where the list has not been.
fn beside(values: &[f64], at: usize, decades: f64) -> Vec<f64> {
    let (value, step) = (values[at], 10_f64.powf(decades));
    if at == 0 {
        vec![value / (step * step), value / step, value, value * step]
    } else if at + 1 == values.len() {
        vec![value / step, value, value * step, value * step * step]
    } else {
        vec![value / step, value, value * step]
    }
    .into_iter()
    .map(rounded)
    .collect()
}

/// To four digits: what is shown is what is used.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// The kernels to try, and of the first family the usual one.
pub(super) fn families(
    training: &Training<'_>,
    spec: &Spec,
) -> Result<(Vec<Family>, KernelExpr), ModelError> {
    let table = training.table;
    let has = |of: fn(&ColumnData) -> bool| table.columns().iter().any(|column| of(&column.data));
    let numbers = has(|data| data.is_numeric() || matches!(data, ColumnData::Categories(_)));
    let texts = has(|data| matches!(data, ColumnData::Texts(_)));
    let family = |shape: &str, values: &[f64]| Family::new(shape, values, spec.learner);
    let lengths = [2.0, 3.0, 4.0, 5.0];
    let mut all = Vec::new();
    if numbers {
        let gamma = suggested(training, spec)?;
        let decades =
            |from: f64, middle: f64| (0..7).map(move |k| middle * 10_f64.powf(from + 0.5 * f64::from(k)));
        // The distance at which the usual kernel has fallen to exp(-1/2).
        let scale = (0.5 / gamma).sqrt();
        let rbf = family("rbf(gamma=?)", &decades(-1.5, gamma).collect::<Vec<_>>());
        let exponential = family("exponential(scale=?)", &decades(-0.5, scale).take(4).collect::<Vec<_>>());
        let usual = rbf.at(rbf.values.get(3).copied())?;
        all.extend([rbf, exponential, family("linear", &[])]);
        if texts {
            let shape = format!("rbf(gamma={}) + normalize(spectrum(k=?))", rounded(gamma));
            all.push(family(&shape, &lengths));
        }
        return Ok((all, usual));
    }
    if texts {
        let spectrum = family("normalize(spectrum(k=?))", &lengths);
        let usual = spectrum.at(Some(3.0))?;
        return Ok((vec![spectrum], usual));
    }
    Err(ModelError::Data("there is no column of numbers, names or texts to learn from".to_owned()))
}

/// Whether columns are scaled: all that are numbers, unless some are sparse.
pub(super) fn scaling(table: &Table) -> Scaling {
    let sparse = table.columns().iter().any(|column| matches!(column.data, ColumnData::Sparse(_)));
    if sparse { Scaling::None } else { Scaling::Standardize }
}

/// γ = 1/(d·var) of the prepared rows.
fn suggested(training: &Training<'_>, spec: &Spec) -> Result<f64, ModelError> {
    resolved("rbf(gamma=scale)", training, spec)
}

/// The ratio of the 90 % to the 10 % quantile of distances; none where there is no distance.
pub(super) fn contrast(training: &Training<'_>, spec: &Spec) -> Option<f64> {
    let near = resolved("rbf(gamma=q10)", training, spec).ok()?;
    let far = resolved("rbf(gamma=q90)", training, spec).ok()?;
    Some((near / far).sqrt()).filter(|ratio| ratio.is_finite())
}

/// The number that the word of a kernel becomes on prepared rows.
fn resolved(kernel: &str, training: &Training<'_>, spec: &Spec) -> Result<f64, ModelError> {
    const ENOUGH: usize = 2000;
    let kernel: KernelExpr = kernel.parse()?;
    let spec = Spec { kernel: kernel.clone(), ..spec.clone() };
    let (schema, preprocessing) = prepare(&spec, training)?;
    let rows = training.table.len();
    // Evenly over the rows: a column that is sorted is still seen whole.
    let step = rows.div_ceil(ENOUGH).max(1);
    let some: Vec<usize> = (0..rows).step_by(step).collect();
    let table = preprocessing.apply(&schema, &training.table.select(&some))?;
    let plan = Plan::compile(&kernel, &table, &Registry::new())?;
    plan.resolved()
        .first()
        .copied()
        .filter(|gamma| gamma.is_finite() && *gamma > 0.0)
        .ok_or_else(|| ModelError::Data("all rows are equal in the columns of numbers and names".to_owned()))
}
