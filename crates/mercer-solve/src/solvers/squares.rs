//! What the solvers of the squared loss share: whether a problem is theirs, its active rows, and what an answer is worth,
//!
//! ```text
//! P − D = (1/2n) Σ w_i·(f_i + b − y_i + α_i/C_i)² ,
//! ```
//!
//! the Fenchel–Young residuals of ½r² (`docs/maths.md` §3.2).

use mercer_linalg::Budget;

use super::portions::dot;
use crate::certify::{best_offset, relative_gap};
use crate::loss::{Loss, Quadratic};
use crate::{Footprint, Objective, Penalty, Problem, Progress, Run, Solution, SolveError, Status};

/// Whether a loss is ½(f−y)², by its conjugate.
pub(super) fn is_squared(loss: &dyn Loss) -> bool {
    let (low, high) = loss.domain(0.0);
    loss.quadratic(0.0) == Some(Quadratic { linear: 0.0, kink: 0.0, curvature: 1.0 })
        && low == f64::NEG_INFINITY
        && high == f64::INFINITY
}

/// The loss of a risk with the squared penalty; an error that names another solver otherwise.
pub(super) fn risk<'a>(solver: &'static str, problem: &Problem<'a>) -> Result<&'a dyn Loss, SolveError> {
    let unsuited = |reason: &str| SolveError::Unsuited { solver, reason: reason.to_owned() };
    if problem.penalty() == Penalty::Norm {
        return Err(unsuited(
            "its penalty is the squared norm; use penalty = squared, or leave the solver open",
        ));
    }
    match problem.objective() {
        Objective::Risk(loss) => Ok(loss),
        _ => Err(unsuited("it minimises a regularised risk; smo solves margin, nu and one-class problems")),
    }
}

/// An error unless the problem is a ridge regression.
pub(super) fn check(solver: &'static str, problem: &Problem<'_>) -> Result<(), SolveError> {
    if is_squared(risk(solver, problem)?) {
        return Ok(());
    }
    let reason = "it solves the squared loss alone; newton solves smooth losses, smo the others".to_owned();
    Err(SolveError::Unsuited { solver, reason })
}

/// What so many matrices take; an error unless it fits the budget.
pub(super) fn afford(
    solver: &'static str,
    rows: usize,
    bytes_each: u128,
    budget: Budget,
    instead: &str,
) -> Result<Footprint, SolveError> {
    let footprint = Footprint::whole(rows, bytes_each);
    let needed = footprint.bytes;
    if budget.allows(needed) {
        return Ok(footprint);
    }
    let (budget, instead) = (budget.bytes(), instead.to_owned());
    Err(SolveError::OverBudget { solver, rows, needed, budget, instead })
}

/// Rows that can have a coefficient: those of weight zero, or of a λ beyond all numbers, cannot.
pub(super) fn active(problem: &Problem<'_>) -> Vec<usize> {
    (0..problem.len()).filter(|&i| problem.bound(i).recip().is_finite()).collect()
}

/// P and P − D, from the scores without offset of the active rows.
pub(super) fn worth(
    problem: &Problem<'_>,
    rows: &[usize],
    alpha: &[f64],
    scores: &[f64],
    bias: f64,
) -> (f64, f64) {
    let n = problem.len() as f64;
    let (mut risk, mut gap) = (0.0, 0.0);
    for (k, &i) in rows.iter().enumerate() {
        let error = scores[k] + bias - problem.y()[i];
        let off = error + alpha[k] / problem.bound(i);
        risk += 0.5 * problem.weight(i) * error * error;
        gap += 0.5 * problem.weight(i) * off * off;
    }
    (risk / n + 0.5 * problem.lambda() * dot(alpha, scores), gap / n)
}

/// Whether a gap is what was asked for; an objective of zero is met to 1e-14 of what f = 0 costs.
pub(super) fn suffices(problem: &Problem<'_>, run: &Run<'_>, primal: f64, gap: f64) -> bool {
    let row =
        |i: usize| problem.loss().map_or(0.0, |loss| problem.weight(i) * loss.value(problem.y()[i], 0.0));
    let scale = (0..problem.len()).map(row).sum::<f64>() / problem.len() as f64;
    run.tolerance().gap.is_none_or(|wanted| relative_gap(gap, primal, primal - gap, scale) <= wanted)
}

/// The coefficients of active rows put in their places and made to sum to zero where they must.
pub(super) fn finish(
    problem: &Problem<'_>,
    run: &mut Run<'_>,
    rows: &[usize],
    (mut alpha, bias, scores): (Vec<f64>, f64, Vec<f64>),
    (status, iterations): (Option<Status>, u64),
) -> Solution {
    if problem.offset() && !rows.is_empty() {
        let mean = alpha.iter().sum::<f64>() / rows.len() as f64;
        alpha.iter_mut().for_each(|a| *a -= mean);
    }
    let (primal, gap) = worth(problem, rows, &alpha, &scores, bias);
    let met = if suffices(problem, run, primal, gap) { Status::Solved } else { Status::Stalled };
    let (primal, dual) = (Some(primal), Some(primal - gap));
    run.report(Progress { iteration: iterations, primal, dual, support: rows.len(), ..Progress::default() });
    let mut all = vec![0.0; problem.len()];
    rows.iter().zip(&alpha).for_each(|(&i, &a)| all[i] = a);
    let mut solution = run.solution(all, bias, status.unwrap_or(met), iterations);
    solution.scores = (rows.len() == problem.len()).then_some(scores);
    solution
}

/// What comes back when there was no time for anything: the start, or zero.
pub(super) fn unfinished(
    problem: &Problem<'_>,
    start: Option<&Solution>,
    run: &Run<'_>,
    status: Status,
) -> Solution {
    let start = start.filter(|start| start.alpha.len() == problem.len());
    let (alpha, bias) =
        start.map_or_else(|| (vec![0.0; problem.len()], 0.0), |start| (start.alpha.clone(), start.bias));
    let mut solution = run.solution(alpha, bias, status, 0);
    solution.scores = start.map_or_else(|| Some(vec![0.0; problem.len()]), |start| start.scores.clone());
    solution
}

/// f = 0 with its best offset: the answer where no row can have a coefficient.
pub(super) fn nothing(problem: &Problem<'_>, run: &Run<'_>, loss: &dyn Loss) -> Solution {
    let zero = vec![0.0; problem.len()];
    let bias = if problem.offset() { best_offset(problem, loss, &zero) } else { 0.0 };
    let mut solution = run.solution(zero.clone(), bias, Status::Solved, 0);
    solution.scores = Some(zero);
    solution
}
