//! The certificate of a regularised risk: P − D is a sum of Fenchel–Young residuals, one for each row.

use std::time::Instant;

use super::{Basis, Certificate, Claim, Convexity, KktClass, RowReport, best_offset, dot, products, project};
use crate::Problem;
use crate::loss::{Loss, Target, within};

pub(super) fn certify(
    problem: &Problem<'_>,
    loss: &dyn Loss,
    alpha: &[f64],
    scores: &[f64],
    deadline: Option<Instant>,
) -> Certificate {
    let (n, lambda) = (problem.len(), problem.lambda());
    let norm2 = dot(alpha, scores);
    let offset = if problem.offset() { best_offset(problem, loss, scores) } else { 0.0 };
    let (feasible, moved) = project::project(problem, loss, alpha);
    // Where α is feasible, so are its scores; a moved α has scores of its own. When time is short the moved part of a
    // stopped run is left out of the norm: zero is feasible too.
    let (feasible, feasible_norm2) = match moved {
        None => (feasible, norm2),
        Some(_) => match products(problem.gram(), &feasible, deadline) {
            Some(products) => {
                let norm2 = dot(&feasible, &products);
                (feasible, norm2)
            }
            None => (vec![0.0; n], 0.0),
        },
    };
    let slope = |i: usize| match problem.weight(i) {
        0.0 => 0.0,
        w => -lambda * n as f64 * feasible[i] / w,
    };
    let (mut primal, mut dual) = (0.5 * lambda * norm2, -0.5 * lambda * feasible_norm2);
    let mut at_zero = 0.0;
    for (i, score) in scores.iter().enumerate() {
        let (y, w) = (problem.y()[i], problem.weight(i) / n as f64);
        if w == 0.0 {
            continue;
        }
        primal += w * loss.value(y, score + offset);
        dual -= w * loss.conjugate(y, slope(i));
        at_zero += w * loss.value(y, 0.0);
    }
    let rows = rows(problem, loss, alpha, scores, offset, norm2.max(0.0).sqrt());
    let gap = primal - dual;
    Certificate {
        claim: Claim::Optimal,
        primal,
        dual,
        gap: gap.max(0.0),
        relative_gap: Certificate::relative(gap.max(0.0), primal, dual, at_zero),
        violation: violation(problem, loss, alpha, scores, offset),
        norm: norm2.max(0.0).sqrt(),
        offset,
        level: None,
        support: alpha.iter().filter(|&&a| a != 0.0).count(),
        bound: rows.iter().filter(|row| row.class == KktClass::Bound).count(),
        projected: moved,
        basis: Basis::Recomputed,
        convexity: convexity(norm2, alpha, scores),
        rows,
    }
}

/// αᵀKα < 0 refutes by itself.
pub(super) fn convexity(norm2: f64, alpha: &[f64], scores: &[f64]) -> Convexity {
    let rounding: f64 = alpha.iter().zip(scores).map(|(a, s)| (a * s).abs()).sum::<f64>() * 1e-9;
    if norm2 < -rounding {
        let evidence = format!("the coefficients themselves give a^T K a = {norm2:.3e} < 0");
        return Convexity::Refuted { evidence };
    }
    Convexity::Assumed
}

/// u_i = −λnα_i/w_i, and whether it lies at an end of the domain.
fn dual_slope(problem: &Problem<'_>, loss: &dyn Loss, i: usize, alpha: f64) -> (f64, bool) {
    let w = problem.weight(i);
    if w == 0.0 {
        return (0.0, false);
    }
    let u = -problem.lambda() * problem.len() as f64 * alpha / w;
    let (low, high) = loss.domain(problem.y()[i]);
    let room = 1e-12 * (1.0 + u.abs());
    (u, u <= low + room || u >= high - room)
}

fn rows(
    problem: &Problem<'_>,
    loss: &dyn Loss,
    alpha: &[f64],
    scores: &[f64],
    offset: f64,
    norm: f64,
) -> Vec<RowReport> {
    let report = |i: usize| {
        let (y, score) = (problem.y()[i], scores[i] + offset);
        let (u, at_end) = dual_slope(problem, loss, i, alpha[i]);
        let (low, high) = loss.domain(y);
        let inside = u.clamp(low, high);
        let slack = loss.value(y, score);
        let class = match (alpha[i] == 0.0, at_end) {
            (true, _) => KktClass::Idle,
            (false, true) => KktClass::Bound,
            (false, false) => KktClass::Free,
        };
        let weighted = problem.weight(i) > 0.0;
        RowReport {
            score,
            slack,
            residual: if weighted {
                problem.weight(i) * (slack + loss.conjugate(y, inside) - inside * score)
            } else {
                0.0
            },
            violation: if weighted { row_violation(loss, y, u, score) } else { 0.0 },
            class,
            margin: if loss.target() == Target::Labels { y * score / norm } else { f64::NAN },
        }
    };
    (0..problem.len()).map(report).collect()
}

/// How far a row is from u ∈ ∂ℓ(y, f): in units of the slope where the loss is smooth, of the score where it is not.
fn row_violation(loss: &dyn Loss, y: f64, u: f64, score: f64) -> f64 {
    if loss.curvature(y, score).is_some() {
        return (u - loss.slope(y, score)).abs();
    }
    let (low, high) = loss.scores(y, u);
    (low - score).max(score - high).max(0.0)
}

/// The violation in one number. Smooth losses: the largest of any row. Others with an offset: by how much the offsets
/// that rows allow fail to overlap, LIBSVM's criterion.
pub(crate) fn violation(
    problem: &Problem<'_>,
    loss: &dyn Loss,
    alpha: &[f64],
    scores: &[f64],
    offset: f64,
) -> f64 {
    let rows = || (0..problem.len()).filter(|&i| problem.weight(i) > 0.0);
    let slope = |i: usize| dual_slope(problem, loss, i, alpha[i]).0;
    let smooth = loss.curvature(problem.y()[0], 0.0).is_some();
    let outside = rows()
        .map(|i| {
            let (low, high) = loss.domain(problem.y()[i]);
            (low - slope(i)).max(slope(i) - high)
        })
        .fold(0.0, f64::max);
    if smooth || !problem.offset() {
        let worst = |i: usize| row_violation(loss, problem.y()[i], slope(i), scores[i] + offset);
        return rows().map(worst).fold(0.0, f64::max).max(if within(outside, (0.0, 0.0)) {
            0.0
        } else {
            outside
        });
    }
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for i in rows() {
        let (from, to) = loss.scores(problem.y()[i], slope(i));
        low = low.max(from - scores[i]);
        high = high.min(to - scores[i]);
    }
    (low - high).max(if within(outside, (0.0, 0.0)) { 0.0 } else { outside }).max(0.0)
}
