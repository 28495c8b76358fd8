//! Leave-one-out in closed form: for the squared loss what a machine says of a row that it was not shown follows from the
//! machine that was shown all of them, for every strength from one decomposition (`docs/maths.md` §4.9, §6).

use mercer_gram::Precision;
use mercer_points::Column;
use mercer_solve::loss::LossSpec;
use mercer_solve::solvers::EigenRidge;
use mercer_solve::{Penalty, Regularization, Run};

use super::fold::Said;
use crate::fit::check;
use crate::ground::Ground;
use crate::metrics::Metric;
use crate::rows::Rows;
use crate::target::Goal;
use crate::{Learner, ModelError, Outcome, Setting, Spec, Training};

/// What machines of these strengths say of each of the rows when it alone is left out.
pub(super) fn left_out(
    spec: &Spec,
    strengths: &[Regularization],
    (training, target): (&Training<'_>, &Column),
    rows: &[usize],
    setting: &Setting<'_>,
) -> Result<Vec<Said>, ModelError> {
    let loss = check(spec)?;
    if loss != Some(LossSpec::Squared) || spec.learner == Learner::Lms || spec.penalty != Penalty::Squared {
        let said = loss.map_or_else(|| spec.learner.to_string(), |loss| format!("the loss {loss}"));
        return Err(ModelError::Spec(format!(
            "leave-one-out is in closed form for the squared loss and its squared penalty alone, which cholesky and ls-svm \
             solve; for {said} judge by folds (--folds 10)"
        )));
    }
    let part = Rows::of(training.table, target, training.weights, rows);
    let part = part.training(training);
    let ground = Ground::of(spec, &part)?;
    if ground.weights.as_ref().is_some_and(|weights| weights.iter().any(|&weight| weight != 1.0)) {
        return Err(ModelError::Spec(
            "leave-one-out takes rows that all count alike; with weights judge by folds (--folds 10)"
                .to_owned(),
        ));
    }
    let y: Vec<f64> = match &ground.goal {
        Goal::Numbers(targets) => targets[0].clone(),
        Goal::Classes(names, codes) if names.len() == 2 => {
            codes.iter().map(|&code| if code == 1 { 1.0 } else { -1.0 }).collect()
        }
        _ => {
            return Err(ModelError::Spec(
                "leave-one-out takes numbers or two classes; of more classes judge by folds (--folds 10)"
                    .to_owned(),
            ));
        }
    };
    let gram = ground.gram_in(Precision::Double, spec, &part)?;
    let mut run = Run::new(setting.watch, setting.limits, spec.tolerance);
    let ridge = EigenRidge::watched(&gram, setting.budget, &mut run)?;
    let say = |&strength: &Regularization| {
        let lambda = strength.lambda(rows.len())?;
        let missed = match &ridge {
            // What a stopped search has found is not asked for.
            None => y.clone(),
            Some(ridge) if spec.offset => ridge.leave_one_out_with_offset(&y, lambda)?,
            Some(ridge) => ridge.leave_one_out(&y, lambda)?,
        };
        Ok(of_scores(&ground.goal, y.iter().zip(missed).map(|(y, missed)| y - missed).collect()))
    };
    strengths.iter().map(say).collect()
}

fn of_scores(goal: &Goal, scores: Vec<f64>) -> Said {
    match goal {
        Goal::Classes(..) => {
            let outcome = Outcome::Classes(scores.iter().map(|&score| usize::from(score > 0.0)).collect());
            Said { outcome, scores: Some(scores), probabilities: None, is_solved: true }
        }
        _ => Said { outcome: Outcome::Numbers(scores), scores: None, probabilities: None, is_solved: true },
    }
}

/// The standard error of a metric that is a mean over rows, or the root of one, from what each row adds to it; none of
/// others.
pub(super) fn row_error(metric: Metric, goal: &Goal, said: &Said, rows: &[usize]) -> Option<f64> {
    let losses: Vec<f64> = match (metric, goal, &said.outcome) {
        (Metric::Accuracy, Goal::Classes(_, codes), Outcome::Classes(found)) => {
            let right = |(&row, &found): (&usize, &usize)| f64::from(u8::from(codes[row] == found));
            rows.iter().zip(found).map(right).collect()
        }
        (Metric::Rmse | Metric::Mae, Goal::Numbers(targets), Outcome::Numbers(found)) => {
            let off = |(&row, found): (&usize, &f64)| (found - targets[0][row]).abs();
            let errors = rows.iter().zip(found).map(off);
            if metric == Metric::Rmse { errors.map(|e| e * e).collect() } else { errors.collect() }
        }
        _ => return None,
    };
    let n = losses.len() as f64;
    let mean = losses.iter().sum::<f64>() / n;
    let squares: f64 = losses.iter().map(|loss| (loss - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    // The slope of the root at the mean.
    let error = if metric == Metric::Rmse { error / (2.0 * mean.sqrt()) } else { error };
    error.is_finite().then_some(error)
}
