//! smartcore: LASVM, which passes over the rows twice, for classes; SMO for numbers.

use std::collections::HashMap;

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::svm::Kernels;
use smartcore::svm::svc::{MultiClassSVC, SVC, SVCParameters};
use smartcore::svm::svr::{SVR, SVRParameters};

use crate::arrays::{Problem, Solution};
use crate::measure::{Measured, measure};
use crate::{Failure, Settings};

/// What the library writes of a model: support vectors and their coefficients.
#[derive(Deserialize)]
struct Written {
    instances: Vec<Vec<f64>>,
    w: Vec<f64>,
}

/// Any number of classes, or numbers.
pub(crate) fn run(problem: &Problem, settings: &Settings) -> Result<Measured, Failure> {
    let (x, x_test) = (dense(&problem.x)?, dense(&problem.x_test)?);
    let kernel = Kernels::rbf().with_gamma(settings.gamma);
    if let Some(epsilon) = settings.epsilon {
        let parameters = SVRParameters::default()
            .with_eps(epsilon)
            .with_c(settings.c)
            .with_tol(settings.tolerance)
            .with_kernel(kernel);
        return measure(
            || Ok(SVR::fit(&x, &problem.y, &parameters)?),
            |model| Ok(model.predict(&x_test)?),
            |model| solution(model, problem, None),
        );
    }
    let y: Vec<i32> = problem.y.iter().map(|&class| class as i32).collect();
    let parameters = SVCParameters::default()
        .with_c(settings.c)
        .with_tol(settings.tolerance)
        .with_kernel(kernel)
        .with_seed(Some(0));
    let classes = problem.classes();
    if classes.len() > 2 {
        return measure(
            || Ok(MultiClassSVC::fit(&x, &y, &parameters)?),
            |model| Ok(model.predict(&x_test)?),
            |_| Err("smartcore keeps the coefficients of several classes to itself".to_owned()),
        );
    }
    measure(
        || Ok(SVC::fit(&x, &y, &parameters)?),
        |model| Ok(model.predict(&x_test)?),
        |model| solution(model, problem, classes.last().copied()),
    )
}

fn dense(rows: &Array2<f64>) -> Result<DenseMatrix<f64>, Failure> {
    Ok(DenseMatrix::new(rows.nrows(), rows.ncols(), rows.iter().copied().collect(), false)?)
}

/// The library keeps vectors and not the numbers of their rows, so rows are found by what is in them. Rows that are
/// the same are told apart by their class; coefficients of the class `positive` are above zero.
fn solution(model: &impl Serialize, problem: &Problem, positive: Option<f64>) -> Result<Solution, String> {
    let model = serde_json::to_value(model).map_err(|error| error.to_string())?;
    let Written { instances, w } = serde_json::from_value(model).map_err(|error| error.to_string())?;
    let mut rows: HashMap<(Vec<u64>, bool), Vec<usize>> = HashMap::new();
    for (row, (x, &y)) in problem.x.rows().into_iter().zip(&problem.y).enumerate() {
        rows.entry((bits(x), positive == Some(y))).or_default().push(row);
    }
    let mut support = Vec::new();
    let mut coefficients = Vec::new();
    for (vector, weight) in instances.iter().zip(w).filter(|(_, weight)| *weight != 0.0) {
        let same = rows
            .get_mut(&(bits(vector), positive.is_some() && weight > 0.0))
            .ok_or("a support vector is no row")?;
        if positive.is_none() && same.len() > 1 {
            return Err("rows with different numbers are the same".to_owned());
        }
        support.push(same.pop().ok_or("a support vector is there twice")?);
        coefficients.push(weight);
    }
    let counts = vec![support.len()];
    Ok(Solution { support, coefficients: vec![coefficients], counts })
}

/// A row as a key; zero has one sign only.
fn bits<'a>(row: impl IntoIterator<Item = &'a f64>) -> Vec<u64> {
    row.into_iter().map(|value| (value + 0.0).to_bits()).collect()
}
