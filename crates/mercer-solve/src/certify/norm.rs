//! The certificate of a risk with the penalty λ‖f‖ (`docs/maths.md` §3).
//!
//! f ≠ 0 solves the squared problem with λ' = λ/‖f‖ where it solves this one. The dual value is −(1/n) Σ w_i ℓ*(y_i, u_i)
//! over u with βᵀKβ ≤ λ², β_i = −w_i u_i/n; a u that is too long is made shorter.

use std::time::Instant;

use super::{Certificate, best_offset, dot, products, risk};
use crate::Problem;
use crate::loss::Loss;

pub(super) fn certify(
    problem: &Problem<'_>,
    loss: &dyn Loss,
    alpha: &[f64],
    scores: &[f64],
    deadline: Option<Instant>,
) -> Certificate {
    let norm = dot(alpha, scores).max(0.0).sqrt();
    let n = problem.len() as f64;
    // As a squared problem: everything but the two objectives is the same.
    let squared = if norm > 0.0 { problem.with_lambda(problem.lambda() / norm) } else { Ok(*problem) };
    let squared = squared.unwrap_or(*problem);
    let mut certificate = risk::certify(&squared, loss, alpha, scores, deadline);
    let offset = certificate.offset;
    let weight = |i: usize| problem.weight(i) / n;
    let primal =
        (0..problem.len()).map(|i| weight(i) * loss.value(problem.y()[i], scores[i] + offset)).sum::<f64>()
            + problem.lambda() * norm;
    let beta: Vec<f64> = if norm > 0.0 {
        let (feasible, _) = super::project::project(&squared, loss, alpha);
        feasible.iter().map(|a| squared.lambda() * a).collect()
    } else {
        at_zero(problem, loss)
    };
    let length =
        products(problem.gram(), &beta, deadline).map_or(f64::INFINITY, |p| dot(&beta, &p).max(0.0).sqrt());
    // Zero is feasible where the conjugate of zero is finite, so shrinking stays in the (convex) domain.
    let shrink = if length > problem.lambda() { problem.lambda() / length } else { 1.0 };
    let conjugate = |i: usize| match weight(i) {
        0.0 => 0.0,
        w => w * loss.conjugate(problem.y()[i], -shrink * beta[i] / w),
    };
    let dual = -(0..problem.len()).map(conjugate).sum::<f64>();
    let dual = if norm > 0.0 { dual.max(shortened(&squared, loss, alpha)) } else { dual };
    let scale = (0..problem.len()).map(|i| weight(i) * loss.value(problem.y()[i], 0.0)).sum();
    certificate.primal = primal;
    certificate.dual = dual;
    certificate.gap = (primal - dual).max(0.0);
    certificate.relative_gap = Certificate::relative(certificate.gap, primal, dual, scale);
    certificate
}

/// The dual value of u = −λ'nα/w made as much shorter as the domain asks: where f is next to nothing this is the proof
/// that zero is best.
fn shortened(squared: &Problem<'_>, loss: &dyn Loss, alpha: &[f64]) -> f64 {
    let size: f64 = alpha.iter().map(|a| a.abs()).sum();
    if squared.offset() && alpha.iter().sum::<f64>().abs() > 1e-12 * size {
        return f64::NEG_INFINITY;
    }
    let used = || (0..alpha.len()).filter(|&i| squared.bound(i) > 0.0);
    let slope = |i: usize| -alpha[i] / squared.bound(i);
    let room = |i: usize| {
        let (low, high) = loss.domain(squared.y()[i]);
        let end = if slope(i) > 0.0 { high } else { low };
        if slope(i) == 0.0 { 1.0 } else { (end / slope(i)).clamp(0.0, 1.0) }
    };
    let part = used().map(room).fold(1.0, f64::min);
    -used().map(|i| squared.weight(i) * loss.conjugate(squared.y()[i], part * slope(i))).sum::<f64>()
        / alpha.len() as f64
}

/// Slopes at f = 0 that balance: the dual point that shows that zero is best, where it is.
fn at_zero(problem: &Problem<'_>, loss: &dyn Loss) -> Vec<f64> {
    let n = problem.len();
    let offset = if problem.offset() { best_offset(problem, loss, &vec![0.0; n]) } else { 0.0 };
    let slopes: Vec<(f64, f64)> = (0..n).map(|i| loss.slopes(problem.y()[i], offset)).collect();
    let sum =
        |pick: fn(&(f64, f64)) -> f64| (0..n).map(|i| problem.weight(i) * pick(&slopes[i])).sum::<f64>();
    let (low, high) = (sum(|s| s.0), sum(|s| s.1));
    let part = if problem.offset() && high > low { (-low / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
    let slope = |i: usize| slopes[i].0 + part * (slopes[i].1 - slopes[i].0);
    (0..n).map(|i| -problem.weight(i) / n as f64 * slope(i)).collect()
}
