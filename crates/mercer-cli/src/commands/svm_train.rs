//! `mercer svm-train`: a LIBSVM model of a LIBSVM file, by the letters of LIBSVM's command.
//!
//! The five problems are posed as everywhere here and solved to the violation `-e`. LIBSVM's ν-SVC and one-class SVM
//! have coefficients up to 1, where those of Mercer go up to 1/n and 1/(νn): the violation is scaled alike.

use std::fmt::Write;

use anyhow::bail;
use mercer::kernel::Registry;
use mercer::model::libsvm::{General, LibsvmKernel, LibsvmModel, SvmType};
use mercer::model::{ClassWeights, Learner, Machine, Model, Multiclass, Setting, Spec, Training, fit};
use mercer::points::{Column, ColumnData, Points, Strata, folds};
use mercer::solve::loss::LossSpec;
use mercer::solve::{Regularization, Status, Tolerance};

use super::svm_data::{Rows, squared};
use super::svm_predict::{correct, labels, predict};
use crate::args::{SvmTrain, TrainOptions};
use crate::output::{Answer, note, print};
use crate::watch::{self, Onlooker, Telling};

pub(crate) fn run(arguments: &SvmTrain) -> anyhow::Result<Answer> {
    let mut options = arguments.options()?;
    let rows = Rows::read(&options.data)?;
    options.kernel = with_default_gamma(options.kernel, rows.dimension());
    let mut said = String::new();
    let solved = match options.folds {
        Some(count) => cross_validate(&options, &rows, count, &mut said)?,
        None => {
            let (model, text) = train(&options, &rows, &mut said)?;
            text.write(&options.model)?;
            solved(&model)
        }
    };
    if !options.quiet {
        print(&said)?;
    }
    Ok(if solved { Answer::Yes } else { Answer::No })
}

/// γ = 1/number of features where none was given.
fn with_default_gamma(kernel: LibsvmKernel, dimension: usize) -> LibsvmKernel {
    let or = |gamma: f64| if gamma == 0.0 { 1.0 / dimension.max(1) as f64 } else { gamma };
    match kernel {
        LibsvmKernel::Linear => LibsvmKernel::Linear,
        LibsvmKernel::Rbf { gamma } => LibsvmKernel::Rbf { gamma: or(gamma) },
        LibsvmKernel::Sigmoid { gamma, coef0 } => LibsvmKernel::Sigmoid { gamma: or(gamma), coef0 },
        LibsvmKernel::Polynomial { degree, gamma, coef0 } => {
            LibsvmKernel::Polynomial { degree, gamma: or(gamma), coef0 }
        }
    }
}

/// A fitted model, its text in LIBSVM's order of classes, and what LIBSVM says meanwhile.
fn train(options: &TrainOptions, rows: &Rows, said: &mut String) -> anyhow::Result<(Model, LibsvmModel)> {
    let order = if options.svm_type.has_classes() { class_order(&rows.labels)? } else { Vec::new() };
    let target = Column { name: "label".to_owned(), data: ColumnData::Numbers(rows.labels.clone()) };
    let training = Training {
        table: &rows.table,
        target: (options.svm_type != SvmType::OneClass).then_some(&target),
        others: &[],
        weights: None,
        registry: &Registry::new(),
        source: &options.data,
    };
    // Ctrl-C ends the optimisation, not the command: what was found so far is written.
    watch::listen();
    let onlooker = Onlooker::new(Telling::Nothing);
    let setting = Setting { watch: &onlooker, ..Setting::default() };
    let model = fit(&specification(options, rows, &order)?, &training, &setting)?;
    let mut text = LibsvmModel::of(&model)?;
    if let Some(ordered) = text.ordered(&order) {
        text = ordered;
    }
    said.push_str(&report(options, rows, &model, &text)?);
    Ok((model, text))
}

fn solved(model: &Model) -> bool {
    let all = model.machines().iter().all(|machine| machine.status == Status::Solved);
    if !all {
        note("note: the violation did not come down to -e");
    }
    all
}

fn specification(options: &TrainOptions, rows: &Rows, order: &[i32]) -> anyhow::Result<Spec> {
    let learner = match options.svm_type {
        SvmType::CSvc => Learner::Smo,
        SvmType::NuSvc => Learner::NuSvc,
        SvmType::OneClass => Learner::OneClass,
        SvmType::EpsilonSvr => Learner::Svr,
        SvmType::NuSvr => Learner::NuSvr,
    };
    let mut spec = Spec::new(options.kernel.expression()?, learner);
    let (n, nu) = (rows.labels.len() as f64, options.nu);
    spec.nu = nu;
    spec.regularization = Regularization::C(options.cost);
    spec.multiclass = Multiclass::OneVsOne;
    let unit = match options.svm_type {
        SvmType::NuSvc => 1.0 / n,
        SvmType::OneClass => 1.0 / (nu * n),
        _ => 1.0,
    };
    spec.tolerance = Tolerance { gap: None, violation: Some(options.tolerance * unit) };
    match options.svm_type {
        SvmType::EpsilonSvr => spec.loss = Some(LossSpec::EpsilonInsensitive { epsilon: options.epsilon }),
        SvmType::CSvc if !options.weights.is_empty() => {
            let named = order.iter().map(|&label| (label.to_string(), weight(options, label)));
            spec.class_weights = ClassWeights::Given(named.collect());
        }
        _ => {}
    }
    for (label, _) in options.weights.iter().filter(|(label, _)| !order.contains(label)) {
        note(&format!("note: -w{label}: there is no class {label}"));
    }
    Ok(spec)
}

/// What C is multiplied by for a class; weights that are given twice multiply.
fn weight(options: &TrainOptions, label: i32) -> f64 {
    options.weights.iter().filter(|(of, _)| *of == label).map(|(_, weight)| weight).product()
}

/// The classes by first appearance, but +1 before −1.
fn class_order(labels: &[f64]) -> anyhow::Result<Vec<i32>> {
    let mut order = Vec::new();
    for (i, &label) in labels.iter().enumerate() {
        let whole = label as i32;
        if f64::from(whole) != label {
            bail!("row {}: the label {label} is not a whole number; -s 3 and -s 4 predict numbers", i + 1);
        }
        if !order.contains(&whole) {
            order.push(whole);
        }
    }
    if order == [-1, 1] {
        order.reverse();
    }
    Ok(order)
}

/// ‖f‖² of a machine, whose coefficients are those of its certificate, divided by ρ for ν-SVC.
fn norm2(svm_type: SvmType, machine: &Machine) -> anyhow::Result<f64> {
    let Some(certificate) = &machine.certificate else { bail!("a machine was fitted without a certificate") };
    let unit = if svm_type == SvmType::NuSvc { machine.level.unwrap_or(1.0) } else { 1.0 };
    Ok((certificate.norm / unit).powi(2))
}

/// What LIBSVM prints while it trains.
fn report(options: &TrainOptions, rows: &Rows, model: &Model, text: &LibsvmModel) -> anyhow::Result<String> {
    let mut said = String::new();
    let k = text.class_count();
    let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
    for ((i, j), &rho) in pairs.zip(&text.rho) {
        let at = machine_of(model, text, i, j);
        let machine = &model.machines()[at];
        let norm2 = norm2(options.svm_type, machine)?;
        let of_pair =
            |label: &f64| [i, j].iter().any(|&c| text.labels.get(c).is_some_and(|l| f64::from(*l) == *label));
        let share = match text.labels.len() {
            0 => rows.labels.len(),
            _ => rows.labels.iter().filter(|label| of_pair(label)).count(),
        };
        let solution = Solution { options, rows, model, machine, norm2, share };
        let weights = [i, j].map(|class| text.labels.get(class).map_or(1.0, |&label| weight(options, label)));
        said += &solution.lines(weights, rho);
    }
    if !text.labels.is_empty() {
        writeln!(said, "Total nSV = {}", text.vectors.len())?;
    }
    Ok(said)
}

/// Which machine of the model decides between two classes of the text.
fn machine_of(model: &Model, text: &LibsvmModel, i: usize, j: usize) -> usize {
    let class = |i: usize| text.labels.get(i).map(ToString::to_string);
    let is_pair = |machine: &Machine| {
        machine.pair().is_none_or(|(a, b)| {
            let names = [Some(&model.classes()[a]), Some(&model.classes()[b])];
            names.contains(&class(i).as_ref()) && names.contains(&class(j).as_ref())
        })
    };
    model.machines().iter().position(is_pair).unwrap_or(0)
}

/// One machine, for the lines about it.
struct Solution<'a> {
    options: &'a TrainOptions,
    rows: &'a Rows,
    model: &'a Model,
    machine: &'a Machine,
    norm2: f64,
    /// Rows that it was trained on.
    share: usize,
}

impl Solution<'_> {
    /// The lines of `svm-train`; objectives and bounds are in LIBSVM's units.
    fn lines(&self, weights: [f64; 2], rho: f64) -> String {
        let (options, alphas) = (self.options, &self.machine.coefficients);
        let n = self.share as f64;
        let level = self.machine.level.unwrap_or(0.0);
        let sum: f64 = alphas.values().iter().map(|alpha| alpha.abs()).sum();
        let fit: f64 = alphas.used().map(|(at, alpha)| alpha * self.rows.labels[self.model.rows()[at]]).sum();
        let half = 0.5 * self.norm2;
        let (first, objective, bounds) = match options.svm_type {
            SvmType::CSvc => {
                let first = (weights[0] == weights[1])
                    .then(|| format!("nu = {:.6}\n", sum / (options.cost * weights[0] * n)));
                (first.unwrap_or_default(), half - sum, weights.map(|weight| weight * options.cost))
            }
            SvmType::NuSvc => {
                let cost = 1.0 / (n * level);
                (format!("C = {cost:.6}\n"), half, [cost; 2])
            }
            SvmType::OneClass => {
                let scale = options.nu * n;
                (String::new(), half * scale * scale, [1.0 / scale; 2])
            }
            SvmType::EpsilonSvr => {
                let first = format!("nu = {:.6}\n", sum / (options.cost * n));
                (first, half + options.epsilon * sum - fit, [options.cost; 2])
            }
            SvmType::NuSvr => (format!("epsilon = {level:.6}\n"), half - fit, [options.cost; 2]),
        };
        let positive = self.positive();
        let bound = |alpha: f64| bounds[usize::from((alpha > 0.0) != positive)] * (1.0 - 1e-12);
        let support = alphas.used().len();
        let at_bound = alphas.values().iter().filter(|&&alpha| alpha.abs() >= bound(alpha)).count();
        format!(
            "optimization finished, #iter = {}\n{first}obj = {objective:.6}, rho = {rho:.6}\n\
             nSV = {support}, nBSV = {at_bound}\n",
            self.machine.iterations
        )
    }

    /// Whether the machine is positive for the class that is first in LIBSVM's order.
    fn positive(&self) -> bool {
        if !self.options.svm_type.has_classes() {
            return true;
        }
        let classes = self.model.classes();
        let (positive, other) = self.machine.pair().unwrap_or((1, 0));
        let place = |class: usize| {
            let order = class_order(&self.rows.labels).unwrap_or_default();
            order.iter().position(|label| label.to_string() == classes[class])
        };
        place(positive) < place(other)
    }
}

/// Predicts every row by a model of the other folds; whether all were solved.
fn cross_validate(
    options: &TrainOptions,
    rows: &Rows,
    count: usize,
    said: &mut String,
) -> anyhow::Result<bool> {
    let n = rows.labels.len();
    if count > n {
        note(&format!("note: -v {count}: there are {n} rows, so there are {n} folds"));
    }
    let strata = if options.svm_type.has_classes() && count < n {
        Strata::of(&ColumnData::Numbers(rows.labels.clone()))
    } else {
        Strata::none(n)
    };
    let mut predicted = vec![String::new(); n];
    let mut all = true;
    for split in folds(&strata, count.min(n), 0)? {
        let (model, _) = train(options, &rows.select(&split.train), said)?;
        all &= solved(&model);
        for (&row, label) in
            split.test.iter().zip(labels(&model, &predict(&model, &rows.select(&split.test))?))
        {
            predicted[row] = label;
        }
    }
    if matches!(options.svm_type, SvmType::EpsilonSvr | SvmType::NuSvr) {
        let values: Vec<f64> = predicted.iter().filter_map(|value| value.parse().ok()).collect();
        said.push_str(&squared("Cross Validation ", &rows.labels, &values, ""));
    } else {
        let share = 100.0 * correct(&rows.labels, &predicted) as f64 / n as f64;
        writeln!(said, "Cross Validation Accuracy = {}%", General::short(share))?;
    }
    Ok(all)
}
