//! One kernel and one split: what machines of several strengths, learned on the training part, say of the test part.
//!
//! Whatever is fitted — scaling, words such as `median`, maps — is fitted on the training part. Where the dual is solved by
//! blocks the entries are computed once and each strength begins with the solution of the one before; ridge regression
//! of all strengths is made from one reduction of the Gram matrix. The scores of all of them are then made from one pass
//! over the kernel values (`docs/maths.md` §6).

use std::ops::Range;

use mercer_gram::{Gram, Lazy, Precision, Segment, Squares};
use mercer_kernel::Ready;
use mercer_points::{Column, Points, Split};
use mercer_solve::{Penalty, Regularization, Status};

use crate::ballot::Ballot;
use crate::fit::check;
use crate::ground::Ground;
use crate::machines::{Path, Posed, along};
use crate::metrics::{Answers, Metric};
use crate::rows::Rows;
use crate::target::{Goal, goal};
use crate::{Between, Learner, ModelError, Outcome, Setting, Spec, Training, fit};

/// What is said of the rows of a test part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    /// Classes in the numbering of all rows, or numbers.
    pub(super) outcome: Outcome,
    /// The score of the second of two classes.
    pub(super) scores: Option<Vec<f64>>,
    /// Whether every machine was solved to the tolerance.
    pub(super) is_solved: bool,
    /// The probability of each class in the numbering of all rows, rows × classes.
    pub(super) probabilities: Option<Vec<f64>>,
}

/// What machines of these strengths say of the test part; `classes` are those of all rows.
pub(super) fn said(
    spec: &Spec,
    strengths: &[Regularization],
    (training, target): (&Training<'_>, &Column),
    classes: &[String],
    split: &Split,
    setting: &Setting<'_>,
    squares: &Squares,
) -> Result<Vec<Said>, ModelError> {
    let rows = Rows::of(training.table, target, training.weights, &split.train);
    let part = rows.training(training);
    let test = training.table.select(&split.test);
    let is_shared = is_dual(spec) || super::ridge::suits(spec, part.weights);
    if is_shared
        && spec.penalty == Penalty::Squared
        && spec.probabilities.is_none()
        && let Some(said) = together(spec, strengths, &part, classes, &test, setting, squares)?
    {
        return Ok(said);
    }
    if spec.kernel.uses("precomputed") {
        // A model numbers the rows of its own matrix, which is another one for each part.
        return Err(ModelError::Spec(format!(
            "a search on a precomputed matrix shares its entries, which smo, svr, quantile and cholesky do without \
             --probabilities, and {} does not",
            spec.learner
        )));
    }
    strengths
        .iter()
        .map(|&regularization| alone(spec, regularization, &part, classes, &test, setting))
        .collect()
}

/// Whether the dual is solved by blocks, whatever the learner is called.
fn is_dual(spec: &Spec) -> bool {
    matches!(spec.learner, Learner::Smo | Learner::Svr | Learner::Quantile)
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
    let probabilities = if model.has_probabilities() {
        Some(spread(&prediction.probabilities(&model)?, &places, classes.len()))
    } else {
        None
    };
    let scores = match prediction.machines {
        1 => Some(prediction.scores),
        2 if model.is_softmax() => {
            Some(prediction.scores.as_chunks::<2>().0.iter().map(|[a, b]| b - a).collect())
        }
        _ => None,
    };
    let outcome = match prediction.outcome {
        Outcome::Classes(found) => Outcome::Classes(found.into_iter().map(|code| places[code]).collect()),
        other => other,
    };
    let is_solved = model.machines().iter().all(|machine| machine.status == Status::Solved);
    Ok(Said { outcome, scores, probabilities, is_solved })
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

/// Up to so many training rows scores of machines that are solved to 1e-3 are made in double precision: they are cheap
/// there.
const DOUBLE: usize = 1000;

/// Gaps from which on single precision has enough digits.
const COARSE: f64 = 1e-4;

/// Coefficients of machines that are applied together, at most.
const TOGETHER: usize = 1 << 24;

/// All strengths on the same entries; none where they do not serve.
fn together(
    spec: &Spec,
    strengths: &[Regularization],
    part: &Training<'_>,
    classes: &[String],
    test: &mercer_points::Table,
    setting: &Setting<'_>,
    squares: &Squares,
) -> Result<Option<Vec<Said>>, ModelError> {
    let rows = part.table.len();
    let ground = Ground::of(spec, part)?;
    let is_dual = is_dual(spec);
    let is_coarse = spec.tolerance.gap.is_none_or(|gap| gap >= COARSE);
    let precision = if rows > DOUBLE && is_dual && is_coarse { Precision::Single } else { Precision::Double };
    let gram = ground.gram_in(precision, spec, part)?;
    let (loss, goal, weights) = (ground.loss, &ground.goal, ground.weights.as_deref());
    let posed = Posed { spec, loss, goal, weights, gram: &gram, features: None, setting };
    // From weak to strong: a coefficient at its bound is mostly there again when the bound has moved out.
    let mut order: Vec<usize> = (0..strengths.len()).collect();
    let lambdas: Vec<f64> =
        strengths.iter().map(|strength| strength.lambda(rows)).collect::<Result<_, _>>()?;
    order.sort_by(|&a, &b| lambdas[b].total_cmp(&lambdas[a]).then(a.cmp(&b)));
    let ordered: Vec<Regularization> = order.iter().map(|&k| strengths[k]).collect();
    let paths = if is_dual {
        Some(along(&posed, &ordered, squares)?)
    } else {
        super::ridge::along(&posed, &ordered)?
    };
    let Some(paths) = paths else { return Ok(None) };
    let ready = gram.plan().ready(&ground.preprocessing.apply(&ground.schema, test)?)?;
    let mut said = answers(&gram, &ready, goal, &paths, classes).into_iter();
    let mut all: Vec<Option<Said>> = vec![None; strengths.len()];
    order.iter().for_each(|&strength| all[strength] = said.next());
    Ok(Some(all.into_iter().flatten().collect()))
}

/// What the machines of a path say of rows, strength after strength; `classes` are those of the answers.
pub(super) fn answers(
    gram: &Lazy,
    rows: &Ready,
    goal: &Goal,
    paths: &[Path],
    classes: &[String],
) -> Vec<Said> {
    let places = match goal {
        Goal::Classes(names, _) => places(names, classes),
        _ => Vec::new(),
    };
    let strengths = paths.first().map_or(0, |path| path.solved.len());
    let some = (TOGETHER / (paths.len() * gram.len()).max(1)).max(1);
    let mut all = Vec::with_capacity(strengths);
    for first in (0..strengths).step_by(some) {
        let which = first..strengths.min(first + some);
        let (order, segments) = segments(goal, paths, which.clone());
        let mut out = vec![0.0; rows.len() * which.len() * paths.len()];
        if segments.len() == 1 && order.len() == gram.len() {
            gram.cross_segments(rows, &segments, gram.precision(), &mut out);
        } else if !order.is_empty() {
            gram.part(&order).cross_segments(rows, &segments, gram.precision(), &mut out);
        }
        let each = out.chunks_exact((rows.len() * paths.len()).max(1));
        all.extend(which.zip(each).map(|(k, scores)| of_scores(goal, paths, k, &places, scores, rows.len())));
    }
    all
}

/// Rows that have coefficients, class by class, and the machines that each class has coefficients in: of pairs of classes
/// that is a small part of all, and many rows have none at any strength.
fn segments(goal: &Goal, paths: &[Path], which: Range<usize>) -> (Vec<usize>, Vec<Segment>) {
    let mut is_used = vec![false; paths.first().map_or(0, |path| path.solved[which.start].0.len())];
    for (alpha, _) in paths.iter().flat_map(|path| &path.solved[which.clone()]) {
        is_used.iter_mut().zip(alpha).for_each(|(is_used, a)| *is_used |= *a != 0.0);
    }
    let mut order: Vec<usize> = (0..is_used.len()).filter(|&row| is_used[row]).collect();
    let is_pair = |path: &Path| matches!(path.between, Some(Between::Pair(..)));
    let labels = match goal {
        Goal::Classes(_, labels) if paths.iter().all(is_pair) => Some(labels),
        _ => None,
    };
    let class = |row: usize| labels.map_or(0, |labels| labels[row]);
    order.sort_by_key(|&row| class(row));
    let (mut all, mut first) = (Vec::new(), 0);
    for points in order.chunk_by(|&i, &j| class(i) == class(j)) {
        let own = class(points[0]);
        let mut segment =
            Segment { columns: first..first + points.len(), outputs: Vec::new(), weights: Vec::new() };
        for (strength, k) in which.clone().enumerate() {
            for (machine, path) in paths.iter().enumerate() {
                if matches!(path.between, Some(Between::Pair(a, b)) if labels.is_some() && a != own && b != own)
                {
                    continue;
                }
                segment.outputs.push(strength * paths.len() + machine);
                segment.weights.extend(points.iter().map(|&row| path.solved[k].0[row]));
            }
        }
        first += points.len();
        all.push(segment);
    }
    (order, all)
}

/// Where the classes of a part are among those of all rows.
fn places(names: &[String], classes: &[String]) -> Vec<usize> {
    names.iter().map(|name| classes.iter().position(|class| class == name).unwrap_or(usize::MAX)).collect()
}

/// What scores without offsets, machine after machine, say.
fn of_scores(goal: &Goal, paths: &[Path], k: usize, places: &[usize], scores: &[f64], rows: usize) -> Said {
    let score = |machine: usize, row: usize| scores[machine * rows + row] + paths[machine].solved[k].1;
    let first: Vec<f64> = (0..rows).map(|row| score(0, row)).collect();
    let is_solved = paths.iter().all(|path| path.status[k] == Status::Solved);
    let Goal::Classes(names, _) = goal else {
        return Said { outcome: Outcome::Numbers(first), scores: None, probabilities: None, is_solved };
    };
    let between = paths.iter().map(|path| path.between).collect();
    let ballot = Ballot { classes: names.len(), between };
    let class = |row: usize| {
        let own: Vec<f64> = (0..paths.len()).map(|machine| score(machine, row)).collect();
        places[ballot.winner(&own)]
    };
    let outcome = Outcome::Classes((0..rows).map(class).collect());
    Said { outcome, scores: (paths.len() == 1).then_some(first), probabilities: None, is_solved }
}

/// The classes of all rows and of each; none for numbers.
pub(super) fn truth(spec: &Spec, target: &Column, rows: usize) -> Result<Goal, ModelError> {
    goal(spec, check(spec)?, (Some(target), &[]), rows)
}

/// The metric of what was said of some of the rows.
pub(super) fn measured(
    metric: Metric,
    goal: &Goal,
    weights: Option<&[f64]>,
    said: &Said,
    rows: &[usize],
) -> Result<f64, ModelError> {
    let weights: Option<Vec<f64>> = weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
    let (codes, numbers): (Vec<usize>, Vec<f64>) = match goal {
        Goal::Classes(_, codes) => (rows.iter().map(|&row| codes[row]).collect(), Vec::new()),
        Goal::Numbers(targets) => (Vec::new(), rows.iter().map(|&row| targets[0][row]).collect()),
        Goal::Nothing => (Vec::new(), Vec::new()),
    };
    let answers = match (goal, &said.outcome) {
        (Goal::Classes(names, _), Outcome::Classes(found)) => Answers {
            classes: Some(found),
            scores: said.scores.as_deref(),
            probabilities: said.probabilities.as_deref(),
            ..Answers::of_classes(&codes, names.len())
        },
        (_, Outcome::Numbers(found)) => Answers { numbers: Some(found), ..Answers::of_numbers(&numbers) },
        _ => return Err(ModelError::Spec("novelty detection has no target to be judged by".to_owned())),
    };
    metric.of(&Answers { weights: weights.as_deref(), ..answers })
}
