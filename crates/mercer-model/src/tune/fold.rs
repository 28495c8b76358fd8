//! One kernel and one split: what machines of several strengths, learned on the training part, say of the test part.
//!
//! Whatever is fitted — scaling, words such as `median`, maps — is fitted on the training part. Where the dual is solved by
//! blocks the entries are computed once, each strength begins with the solution of the one before, and the scores of all
//! of them are made from one pass over the kernel values (`docs/maths.md` §6).

use mercer_gram::{Lazy, Precision};
use mercer_points::{Column, Points, Split};
use mercer_solve::{Penalty, Regularization};

use crate::ballot::Ballot;
use crate::fit::{check, prepare};
use crate::machines::{Path, Posed, along};
use crate::target::{Goal, goal, row_weights};
use crate::{Learner, ModelError, Outcome, Setting, Spec, Training, fit};

/// What is said of the rows of a test part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    /// Classes in the numbering of all rows, or numbers.
    pub(super) outcome: Outcome,
    /// The score of the second of two classes.
    pub(super) scores: Option<Vec<f64>>,
    /// The probability of each class in the numbering of all rows, rows × classes.
    pub(super) probabilities: Option<Vec<f64>>,
}

/// Rows of a training set.
pub(crate) struct Rows {
    table: mercer_points::Table,
    target: Column,
    weights: Option<Vec<f64>>,
}

impl Rows {
    pub(crate) fn of(training: &Training<'_>, target: &Column, rows: &[usize]) -> Self {
        Self {
            table: training.table.select(rows),
            target: Column { name: target.name.clone(), data: target.data.select(rows) },
            weights: training.weights.map(|weights| rows.iter().map(|&i| weights[i]).collect()),
        }
    }

    /// They as a training set, with all else as in the whole.
    pub(crate) fn training<'a>(&'a self, whole: &Training<'a>) -> Training<'a> {
        Training {
            table: &self.table,
            target: Some(&self.target),
            others: &[],
            weights: self.weights.as_deref(),
            ..*whole
        }
    }
}

/// What machines of these strengths say of the test part; `classes` are those of all rows.
pub(super) fn said(
    spec: &Spec,
    strengths: &[Regularization],
    (training, target): (&Training<'_>, &Column),
    classes: &[String],
    split: &Split,
    setting: &Setting<'_>,
) -> Result<Vec<Said>, ModelError> {
    let rows = Rows::of(training, target, &split.train);
    let part = rows.training(training);
    let test = training.table.select(&split.test);
    let is_plain = spec.penalty == Penalty::Squared && spec.probabilities.is_none();
    if spec.learner == Learner::Smo && is_plain && !spec.kernel.uses("precomputed") {
        return together(spec, strengths, &part, classes, &test, setting);
    }
    strengths
        .iter()
        .map(|&regularization| alone(spec, regularization, &part, classes, &test, setting))
        .collect()
}

/// One model after the other.
fn alone(
    spec: &Spec,
    regularization: Regularization,
    part: &Training<'_>,
    classes: &[String],
    test: &mercer_points::Table,
    setting: &Setting<'_>,
) -> Result<Said, ModelError> {
    let model = fit(&Spec { regularization, ..spec.clone() }, part, setting)?;
    let prediction = model.predict(test)?;
    let places = places(model.classes(), classes);
    let probabilities = match spec.probabilities {
        Some(_) if !model.curves().is_empty() => {
            Some(spread(&prediction.probabilities(&model)?, &places, classes.len()))
        }
        _ => None,
    };
    let scores = (prediction.machines == 1).then_some(prediction.scores);
    let outcome = match prediction.outcome {
        Outcome::Classes(found) => Outcome::Classes(found.into_iter().map(|code| places[code]).collect()),
        other => other,
    };
    Ok(Said { outcome, scores, probabilities })
}

/// Probabilities of the classes of a part as those of all classes.
fn spread(found: &[f64], places: &[usize], classes: usize) -> Vec<f64> {
    let row = |own: &[f64]| {
        let mut row = vec![0.0; classes];
        for (&place, &chance) in places.iter().zip(own) {
            row[place] = chance;
        }
        row
    };
    found.chunks_exact(places.len().max(1)).flat_map(row).collect()
}

/// Up to so many training rows scores are made in double precision: they are cheap there.
const DOUBLE: usize = 1000;

/// Coefficients of machines that are applied together, at most.
const TOGETHER: usize = 1 << 24;

/// All strengths on the same entries.
fn together(
    spec: &Spec,
    strengths: &[Regularization],
    part: &Training<'_>,
    classes: &[String],
    test: &mercer_points::Table,
    setting: &Setting<'_>,
) -> Result<Vec<Said>, ModelError> {
    let rows = part.table.len();
    let loss = check(spec)?;
    let goal = goal(spec, loss, (part.target, &[]), rows)?;
    let weights = row_weights(spec, &goal, part.weights, rows)?;
    let (schema, preprocessing) = prepare(spec, part)?;
    let table = preprocessing.apply(&schema, part.table)?;
    let precision = if rows <= DOUBLE { Precision::Double } else { Precision::Single };
    let gram = Lazy::with(&spec.kernel, &table, part.registry)?.in_precision(precision);
    let posed =
        Posed { spec, loss, goal: &goal, weights: weights.as_deref(), gram: &gram, features: None, setting };
    // From weak to strong: a coefficient at its bound is mostly there again when the bound has moved out.
    let mut order: Vec<usize> = (0..strengths.len()).collect();
    let lambdas: Vec<f64> =
        strengths.iter().map(|strength| strength.lambda(rows)).collect::<Result<_, _>>()?;
    order.sort_by(|&a, &b| lambdas[b].total_cmp(&lambdas[a]).then(a.cmp(&b)));
    let ordered: Vec<Regularization> = order.iter().map(|&k| strengths[k]).collect();
    let paths = along(&posed, &ordered)?;
    let ready = gram.plan().ready(&preprocessing.apply(&schema, test)?)?;
    let places = match &goal {
        Goal::Classes(names, _) => places(names, classes),
        _ => Vec::new(),
    };
    let mut all: Vec<Option<Said>> = vec![None; strengths.len()];
    let some = (TOGETHER / (paths.len() * rows).max(1)).max(1);
    for (which, places_of) in order.chunks(some).zip((0..order.len()).step_by(some)) {
        let at = places_of..places_of + which.len();
        let vectors: Vec<f64> = at
            .clone()
            .flat_map(|k| paths.iter().flat_map(move |path| path.solved[k].0.iter().copied()))
            .collect();
        let mut out = vec![0.0; test.len() * which.len() * paths.len()];
        gram.cross_apply(&ready, &vectors, &mut out);
        let each = out.chunks_exact((test.len() * paths.len()).max(1));
        for ((&strength, k), scores) in which.iter().zip(at).zip(each) {
            all[strength] = Some(of_scores(&goal, &paths, k, &places, scores, test.len()));
        }
    }
    Ok(all.into_iter().flatten().collect())
}

/// Where the classes of a part are among those of all rows.
fn places(names: &[String], classes: &[String]) -> Vec<usize> {
    names.iter().map(|name| classes.iter().position(|class| class == name).unwrap_or(usize::MAX)).collect()
}

/// What scores without offsets, machine after machine, say.
fn of_scores(goal: &Goal, paths: &[Path], k: usize, places: &[usize], scores: &[f64], rows: usize) -> Said {
    let score = |machine: usize, row: usize| scores[machine * rows + row] + paths[machine].solved[k].1;
    let first: Vec<f64> = (0..rows).map(|row| score(0, row)).collect();
    let Goal::Classes(names, _) = goal else {
        return Said { outcome: Outcome::Numbers(first), scores: None, probabilities: None };
    };
    let between = paths.iter().map(|path| path.between).collect();
    let ballot = Ballot { classes: names.len(), between };
    let class = |row: usize| {
        let own: Vec<f64> = (0..paths.len()).map(|machine| score(machine, row)).collect();
        places[ballot.winner(&own)]
    };
    let outcome = Outcome::Classes((0..rows).map(class).collect());
    Said { outcome, scores: (paths.len() == 1).then_some(first), probabilities: None }
}

/// The classes of all rows and of each; none for numbers.
pub(super) fn truth(spec: &Spec, target: &Column, rows: usize) -> Result<Goal, ModelError> {
    goal(spec, check(spec)?, (Some(target), &[]), rows)
}
