//! Which problems a first-order method takes, and where it starts.

use mercer_gram::Gram;

use crate::loss::{Loss, Quadratic, Target};
use crate::{Features, Objective, Penalty, Problem, Solution, SolveError};

/// The refusal of a problem; the reason says what solves it.
pub(in crate::solvers) fn unsuited(solver: &'static str, reason: impl Into<String>) -> SolveError {
    SolveError::Unsuited { solver, reason: reason.into() }
}

/// The loss of a risk with the squared penalty; anything else is refused.
pub(in crate::solvers) fn risk<'a>(
    solver: &'static str,
    problem: &Problem<'a>,
) -> Result<&'a dyn Loss, SolveError> {
    if problem.penalty() == Penalty::Norm {
        return Err(unsuited(solver, "the penalty is the norm itself; take the squared penalty"));
    }
    problem.loss().ok_or_else(|| {
        let instead = match problem.objective() {
            Objective::Separation => "it minimises a risk; a perceptron separates",
            Objective::HardMargin => "it minimises a risk; the hard margin has solvers of its own",
            _ => "it minimises a risk; problems with nu are solved by SMO",
        };
        unsuited(solver, instead)
    })
}

/// Whether this is a problem of separation; anything else is refused.
pub(in crate::solvers) fn separation(solver: &'static str, problem: &Problem<'_>) -> Result<(), SolveError> {
    match problem.objective() {
        Objective::Separation => Ok(()),
        Objective::Risk(loss) if loss.target() == Target::Numbers => {
            Err(unsuited(solver, "a perceptron learns labels, not numbers; gradient minimises any risk"))
        }
        _ => {
            Err(unsuited(solver, "a perceptron minimises nothing, it separates; gradient minimises any risk"))
        }
    }
}

/// Whether features belong to a problem: one row each.
pub(in crate::solvers) fn check_features(
    problem: &Problem<'_>,
    features: &Features,
) -> Result<(), SolveError> {
    if features.len() == problem.len() {
        return Ok(());
    }
    Err(SolveError::Shape { what: "rows of features", expected: problem.len(), found: features.len() })
}

/// Whether a loss is the hinge: a convex loss is known by its conjugate.
pub(in crate::solvers) fn is_hinge(loss: &dyn Loss) -> bool {
    loss.target() == Target::Labels
        && loss.quadratic(1.0) == Some(Quadratic { linear: 1.0, kink: 0.0, curvature: 0.0 })
        && loss.domain(1.0) == (-1.0, 0.0)
}

/// Whether a loss is the squared loss.
pub(in crate::solvers) fn is_squared(loss: &dyn Loss) -> bool {
    loss.quadratic(2.0) == Some(Quadratic { linear: 2.0, kink: 0.0, curvature: 1.0 })
        && loss.domain(2.0) == (f64::NEG_INFINITY, f64::INFINITY)
}

/// Coefficients and offset to start from: those of an earlier solution, or zero. A row of weight 0 has none.
pub(in crate::solvers) fn starting_point(
    problem: &Problem<'_>,
    start: Option<&Solution>,
) -> Result<(Vec<f64>, f64), SolveError> {
    let n = problem.len();
    let Some(start) = start else { return Ok((vec![0.0; n], 0.0)) };
    if start.alpha.len() != n {
        return Err(SolveError::Shape {
            what: "starting coefficients",
            expected: n,
            found: start.alpha.len(),
        });
    }
    let usable = |i: usize| problem.weight(i) > 0.0 && start.alpha[i].is_finite();
    let alpha = (0..n).map(|i| if usable(i) { start.alpha[i] } else { 0.0 }).collect();
    let bias = if problem.offset() && start.bias.is_finite() { start.bias } else { 0.0 };
    Ok((alpha, bias))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::LOSSES;

    #[test]
    fn hinge_and_squared_are_known_by_their_conjugates_and_nothing_else_is_taken_for_them() {
        for info in &LOSSES {
            let loss = info.name.parse::<crate::loss::LossSpec>().unwrap().build().unwrap();
            assert_eq!(is_hinge(loss.as_ref()), info.name == "hinge", "{}", info.name);
            assert_eq!(is_squared(loss.as_ref()), info.name == "squared", "{}", info.name);
        }
    }
}
