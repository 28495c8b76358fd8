//! P and D of the coefficients a solver has, from the scores it keeps: its own rule for stopping.

use crate::certify::{best_offset, dot, project, relative_gap, violation};
use crate::loss::Loss;
use crate::{Problem, Run, Status, Tolerance};

/// Primal and dual value of one α.
#[derive(Debug, Clone, Copy)]
pub(in crate::solvers) struct Bounds {
    /// P at the best offset.
    pub(in crate::solvers) primal: f64,
    /// D at the nearest feasible point.
    pub(in crate::solvers) dual: f64,
    relative_gap: f64,
    violation: Option<f64>,
}

impl Bounds {
    /// P − D.
    pub(in crate::solvers) fn gap(&self) -> f64 {
        self.primal - self.dual
    }

    /// Whether what was asked for is reached; never so where nothing was asked.
    pub(in crate::solvers) fn meet(&self, tolerance: &Tolerance) -> bool {
        let gap = tolerance.gap.is_none_or(|gap| self.relative_gap <= gap);
        let violation = tolerance.violation.is_none_or(|limit| self.violation.is_some_and(|v| v <= limit));
        gap && violation && (tolerance.gap.is_some() || tolerance.violation.is_some())
    }
}

/// (1/n) Σ w_i ℓ(y_i, f_i+b) + (λ/2)‖f‖².
pub(in crate::solvers) fn primal(
    problem: &Problem<'_>,
    loss: &dyn Loss,
    scores: &[f64],
    bias: f64,
    norm2: f64,
) -> f64 {
    let value = |(i, score): (usize, &f64)| match problem.weight(i) {
        0.0 => 0.0,
        weight => weight * loss.value(problem.y()[i], score + bias),
    };
    let risk: f64 = scores.iter().enumerate().map(value).sum();
    risk / problem.len() as f64 + 0.5 * problem.lambda() * norm2
}

/// A product with K, and why it was broken off if it was.
pub(in crate::solvers) type Product<'a> = dyn Fn(&[f64], &mut [f64], &mut Run<'_>) -> Option<Status> + 'a;

/// P and D of α with its scores Kα. A product is made only where α has to be moved into the dual domain.
pub(in crate::solvers) fn bounds(
    problem: &Problem<'_>,
    loss: &dyn Loss,
    (alpha, scores): (&[f64], &[f64]),
    product: &Product<'_>,
    run: &mut Run<'_>,
) -> Result<Bounds, Status> {
    let n = problem.len();
    let norm2 = dot(alpha, scores);
    let bias = if problem.offset() { best_offset(problem, loss, scores) } else { 0.0 };
    let feasible = project(problem, loss, alpha);
    let feasible_norm2 = if feasible != alpha {
        let mut products = vec![0.0; n];
        if let Some(status) = product(&feasible, &mut products, run) {
            return Err(status);
        }
        dot(&feasible, &products)
    } else {
        norm2
    };
    let conjugate = |i: usize| match problem.bound(i) {
        0.0 => 0.0,
        bound => problem.weight(i) * loss.conjugate(problem.y()[i], -feasible[i] / bound),
    };
    let value = primal(problem, loss, scores, bias, norm2);
    let dual = -(0..n).map(conjugate).sum::<f64>() / n as f64 - 0.5 * problem.lambda() * feasible_norm2;
    let at_zero = primal(problem, loss, &vec![0.0; n], 0.0, 0.0);
    let wanted = run.tolerance().violation.is_some();
    Ok(Bounds {
        primal: value,
        dual,
        relative_gap: relative_gap((value - dual).max(0.0), value, dual, at_zero),
        violation: wanted.then(|| violation(problem, loss, alpha, scores, bias)),
    })
}
