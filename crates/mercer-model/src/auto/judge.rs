//! What a model is worth on rows that it has not seen.

use mercer_points::ColumnData;

use super::Worry;
use crate::metrics::{Answers, Interval, Metric, interval};
use crate::rows::Rows;
use crate::target::codes;
use crate::tune::Trial;
use crate::{Model, ModelError, Outcome};

/// Metrics of a model on rows that it has not seen, the asked one first, and that one of a constant answer.
pub(super) fn judge(
    model: &Model,
    part: &Rows,
    rows: &Rows,
    metric: Metric,
    seed: u64,
) -> Result<(Vec<(Metric, Interval)>, f64), ModelError> {
    const LEVEL: f64 = 0.95;
    const DRAWS: usize = 1000;
    let prediction = model.predict(&rows.table)?;
    let count = prediction.len();
    let weights = rows.weights.as_deref();
    match &prediction.outcome {
        Outcome::Classes(found) => {
            let truth = codes(model.classes(), &rows.target)?;
            let known = codes(model.classes(), &part.target)?;
            let classes = model.classes().len();
            let often = (0..classes)
                .max_by_key(|&class| (known.iter().filter(|&&k| k == class).count(), classes - class));
            let constant = vec![often.unwrap_or(0); count];
            let zeros = vec![0.0; count];
            let answers = Answers { weights, ..Answers::of_classes(&truth, classes) };
            let scores = (prediction.machines == 1).then_some(&prediction.scores[..]);
            let said = Answers { classes: Some(found), scores, ..answers };
            let naive = Answers { classes: Some(&constant), scores: Some(&zeros), ..answers };
            let mut also = vec![Metric::Accuracy, Metric::BalancedAccuracy];
            also.extend(scores.map(|_| Metric::Auc));
            Ok((all_of(metric, &also, &said, LEVEL, DRAWS, seed)?, metric.of(&naive)?))
        }
        Outcome::Numbers(found) => {
            let (ColumnData::Numbers(truth), ColumnData::Numbers(known)) =
                (&rows.target.data, &part.target.data)
            else {
                return Err(ModelError::Target(format!(
                    "the target '{}' holds no numbers",
                    rows.target.name
                )));
            };
            let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
            let constant = vec![mean; count];
            let answers = Answers { weights, ..Answers::of_numbers(truth) };
            let said = Answers { numbers: Some(found), ..answers };
            let naive = Answers { numbers: Some(&constant), ..answers };
            let also = [Metric::Rmse, Metric::Mae, Metric::R2];
            Ok((all_of(metric, &also, &said, LEVEL, DRAWS, seed)?, metric.of(&naive)?))
        }
        Outcome::Inside(_) => Err(ModelError::Spec("novelty has no target to be judged by".to_owned())),
    }
}

/// One metric, which must be had, and others where they are defined.
fn all_of(
    metric: Metric,
    also: &[Metric],
    answers: &Answers<'_>,
    level: f64,
    draws: usize,
    seed: u64,
) -> Result<Vec<(Metric, Interval)>, ModelError> {
    let of = |metric: Metric| {
        let found = interval(metric, answers, level, draws, seed)?;
        Ok::<_, ModelError>(if metric == Metric::Accuracy { of_share(found, answers) } else { found })
    };
    let mut all = vec![(metric, of(metric)?)];
    for &other in also.iter().filter(|&&other| other != metric) {
        all.extend(of(other).ok().map(|found| (other, found)));
    }
    Ok(all)
}

/// The interval of a share by Wilson's formula: where all rows are right, no draw of them has one that is wrong, and the
/// bootstrap would be sure of what it cannot know.
fn of_share(found: Interval, answers: &Answers<'_>) -> Interval {
    const Z: f64 = 1.959_963_984_540_054;
    let rows = match answers.weights {
        None => answers.rows() as f64,
        Some(weights) => {
            let squares: f64 = weights.iter().map(|w| w * w).sum();
            weights.iter().sum::<f64>().powi(2) / squares
        }
    };
    let (share, part) = (found.value, Z * Z / rows);
    let middle = (share + part / 2.0) / (1.0 + part);
    let half = (share * (1.0 - share) * part + part * part / 4.0).sqrt() / (1.0 + part);
    Interval { low: (middle - half).max(0.0), high: (middle + half).min(1.0), ..found }
}

/// What the scores give reason to look at.
pub(super) fn of_scores(
    metric: Metric,
    scores: &[(Metric, Interval)],
    naive: f64,
    chosen: &Trial,
    trained_on: usize,
    judged: usize,
) -> Vec<Worry> {
    let (_, found) = scores[0];
    let sign = metric.sign();
    let mut worries = Vec::new();
    if sign * found.value <= sign * naive {
        worries.push(Worry::NoBetter);
    }
    let (folds, wide) = (chosen.mean(), found.high - found.low);
    // With far fewer rows in the folds the difference is what more rows teach.
    let is_alike = 3 * chosen.rows >= 2 * trained_on;
    if is_alike && (folds < found.low - wide / 2.0 || folds > found.high + wide / 2.0) {
        worries.push(Worry::Apart { folds, held_out: found.value });
    }
    if judged < 50 {
        worries.push(Worry::Few { rows: judged });
    }
    worries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_right_is_not_certainty() {
        let truth = vec![1; 30];
        let answers = Answers { classes: Some(&truth), ..Answers::of_classes(&truth, 2) };
        let found = of_share(interval(Metric::Accuracy, &answers, 0.95, 100, 0).unwrap(), &answers);
        // Wilson 1927: n/(n + z²).
        assert!(
            (found.low - 30.0 / (30.0 + 3.841_458_820_694_124)).abs() < 1e-12 && found.high > 1.0 - 1e-12
        );
    }
}
