//! Scores of rows that were left out, fold by fold, and the curves that are fitted to them.
//!
//! A fold is a fit like any other, without its rows: whatever is learned, such as scaling, is learned without them.

use std::time::Instant;

use mercer_points::{Column, ColumnData, Points, Split, Strata, Table, folds};
use mercer_solve::Status;

use super::{Calibration, Curve, Held};
use crate::rows::Rows;
use crate::target::Goal;
use crate::{Between, ModelError, Multiclass, Setting, Spec, Training, fit};

/// Folds, as far as the smallest class has rows for them.
const FOLDS: usize = 5;

/// An error where there are no classes, or where none has rows enough to leave one out.
pub(crate) fn check(
    spec: &Spec,
    table: &Table,
    goal: &Goal,
    weights: Option<&[f64]>,
) -> Result<(), ModelError> {
    let is_square = table.columns().iter().any(|column| matches!(column.data, ColumnData::Indices(_)));
    let Goal::Classes(names, codes) = goal else {
        return Err(ModelError::Spec(format!("probabilities are of classes, and {} has none", spec.learner)));
    };
    if spec.multiclass == Multiclass::Softmax {
        return Err(ModelError::Spec(format!(
            "softmax has probabilities of its own, fitted to all rows at once; leave probabilities = {} out",
            spec.probabilities.map_or_else(String::new, |how| how.to_string())
        )));
    }
    if spec.kernel.uses("precomputed") && !is_square {
        return Err(ModelError::Spec(
            "probabilities are fitted to rows that are left out, which columns of kernel values do not allow; give the whole \
             square matrix, or the kernel itself"
                .to_owned(),
        ));
    }
    let counts = counts(&weighted(codes.len(), weights), codes, names.len());
    if let Some(class) = counts.iter().position(|&count| count == 0) {
        return Err(ModelError::Target(format!(
            "the class '{}' has no row with weight, and so no probabilities; leave its rows out, or fit without probabilities",
            names[class]
        )));
    }
    if counts.iter().all(|&count| count < 2) {
        return Err(ModelError::Target(
            "probabilities are fitted to rows that are left out, and no class has two rows with weight; add rows, or fit \
             without probabilities"
                .to_owned(),
        ));
    }
    Ok(())
}

/// Rows of each class.
fn counts(rows: &[usize], codes: &[usize], classes: usize) -> Vec<usize> {
    let mut counts = vec![0; classes];
    rows.iter().for_each(|&row| counts[codes[row]] += 1);
    counts
}

/// A curve for each machine, and the kernel entries that it took; none where the work was stopped.
pub(crate) fn curves(
    (spec, how): (&Spec, Calibration),
    (training, target): (&Training<'_>, &Column),
    goal: &Goal,
    weights: Option<&[f64]>,
    (setting, started): (&Setting<'_>, Instant),
) -> Result<Option<(Vec<Curve>, u64)>, ModelError> {
    let Goal::Classes(names, codes) = goal else { return Ok(None) };
    let rows = weighted(codes.len(), weights);
    let counts = counts(&rows, codes, names.len());
    // The only row of a class cannot be left out: machines that have seen it say what its score is.
    let (rows, only): (Vec<usize>, Vec<usize>) = rows.into_iter().partition(|&row| counts[codes[row]] > 1);
    let strata: Strata = rows.iter().map(|&row| codes[row]).collect();
    let least = counts.iter().copied().filter(|&count| count > 1).min().unwrap_or(FOLDS);
    let splits =
        folds(&strata, FOLDS.min(least), spec.seed).map_err(|error| ModelError::Spec(error.to_string()))?;
    let plain = Spec { probabilities: None, ..spec.clone() };
    let mut entries = 0;
    let mut held: Vec<Vec<Held>> = Vec::new();
    for (number, Split { train, test }) in splits.into_iter().enumerate() {
        let [mut train, mut test] =
            [train, test].map(|part| part.iter().map(|&k| rows[k]).collect::<Vec<_>>());
        train.extend(&only);
        train.sort_unstable();
        if number == 0 {
            test.extend(&only);
        }
        if setting.is_over(started) {
            return Ok(None);
        }
        let part = Rows::of(training.table, target, training.weights, &train);
        let model = fit(&plain, &part.training(training), &setting.rest(started))?;
        // A machine that was stopped is not what it would have been.
        let is_stopped = |status: Status| matches!(status, Status::Stopped | Status::TimeLimit);
        if model.machines().iter().any(|machine| is_stopped(machine.status)) {
            return Ok(None);
        }
        entries += model.provenance().entries;
        let found = model.predict(&training.table.select(&test))?;
        held.resize_with(found.machines, Vec::new);
        for (at, (machine, held)) in model.machines().iter().zip(&mut held).enumerate() {
            for (place, &row) in test.iter().enumerate() {
                let Some(is_first) = is_first(machine.between, codes[row]) else { continue };
                let weight = weights.map_or(1.0, |weights| weights[row]);
                held.push(Held { score: found.score(place, at), is_first, weight });
            }
        }
    }
    Ok(Some((held.iter().map(|held| Curve::fitted(how, held)).collect(), entries)))
}

/// Whether a row of a class is of the machine's first class; none where it is of no class of the machine's.
fn is_first(between: Option<Between>, class: usize) -> Option<bool> {
    match between {
        None => Some(class == 1),
        Some(Between::Rest(first) | Between::Softmax(first)) => Some(class == first),
        Some(Between::Pair(first, second)) => (class == first || class == second).then_some(class == first),
    }
}

/// A row of weight 0 is the same as none.
fn weighted(rows: usize, weights: Option<&[f64]>) -> Vec<usize> {
    (0..rows).filter(|&row| weights.is_none_or(|weights| weights[row] > 0.0)).collect()
}
