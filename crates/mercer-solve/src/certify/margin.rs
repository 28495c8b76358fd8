//! Certificates of separation: the hard margin and the perceptron (`docs/maths.md` §4.1, §4.4).

use std::time::Instant;

use super::{Basis, Certificate, Claim, KktClass, RowReport, dot, risk::convexity};
use crate::{Problem, Solution};

/// Hard margin: f/m is feasible, where m is the least y(f+b) at the best b, and D(tα̃) at the best t is (Σα̃)²/(2‖f‖²).
pub(super) fn hard(
    problem: &Problem<'_>,
    alpha: &[f64],
    scores: &[f64],
    deadline: Option<Instant>,
) -> Certificate {
    let y = problem.y();
    let used = |i: &usize| problem.weight(*i) > 0.0;
    let side =
        |side: f64| (0..y.len()).filter(used).filter(move |&i| y[i] == side).map(move |i| side * scores[i]);
    let (plus, minus) = (side(1.0).fold(f64::INFINITY, f64::min), side(-1.0).fold(f64::INFINITY, f64::min));
    let offset = if !problem.offset() {
        0.0
    } else if plus.is_finite() && minus.is_finite() {
        0.5 * (minus - plus)
    } else if plus.is_finite() {
        1.0 - plus
    } else {
        minus - 1.0
    };
    let margin = (plus + offset).min(minus - offset);
    let norm2 = dot(alpha, scores).max(0.0);
    let primal = if norm2 == 0.0 && margin > 0.0 {
        0.0
    } else if margin > 0.0 {
        0.5 * norm2 / (margin * margin)
    } else {
        f64::MAX
    };
    let (mut feasible, mut moved) = (alpha.to_vec(), 0.0_f64);
    for (a, y) in feasible.iter_mut().zip(y) {
        if *a * y < 0.0 {
            moved = moved.max(a.abs());
            *a = 0.0;
        }
    }
    let dual_of = |feasible: &[f64], norm2: f64| {
        let total: f64 = feasible.iter().map(|a| a.abs()).sum();
        if norm2 > 0.0 { 0.5 * total * total / norm2 } else { 0.0 }
    };
    let sum: f64 = feasible.iter().sum();
    let size: f64 = feasible.iter().map(|a| a.abs()).sum();
    if problem.offset() && sum.abs() > 1e-12 * size {
        // The larger class is scaled down to the smaller.
        let (plus, minus) = (0.5 * (size + sum), 0.5 * (size - sum));
        for a in &mut feasible {
            let before = *a;
            *a *= plus.min(minus) / if *a > 0.0 { plus } else { minus };
            moved = moved.max((before - *a).abs());
        }
    }
    let dual = if moved > 0.0 {
        let products = super::products(problem.gram(), &feasible, deadline).unwrap_or_default();
        dual_of(&feasible, dot(&feasible, &products))
    } else {
        dual_of(alpha, norm2)
    };
    let norm = norm2.sqrt();
    let rows = reports(problem, alpha, scores, offset, norm, 1.0);
    let violation = (0..y.len()).filter(used).map(|i| rows[i].violation).fold(0.0, f64::max);
    let gap = (primal - dual).max(0.0);
    Certificate {
        claim: Claim::Optimal,
        primal,
        dual,
        gap,
        relative_gap: Certificate::relative(gap, primal, dual, 0.0),
        violation,
        norm,
        offset,
        level: None,
        support: alpha.iter().filter(|&&a| a != 0.0).count(),
        bound: 0,
        projected: (moved > 0.0).then_some(moved),
        basis: Basis::Recomputed,
        convexity: convexity(dot(alpha, scores), alpha, scores),
        rows,
    }
}

/// Perceptron: right signs on all rows. The objective is the mean perceptron loss, which nothing makes negative.
pub(super) fn separation(problem: &Problem<'_>, solution: &Solution, scores: &[f64]) -> Certificate {
    let (alpha, offset) = (&solution.alpha, if problem.offset() { solution.bias } else { 0.0 });
    let norm2 = dot(alpha, scores);
    let norm = norm2.max(0.0).sqrt();
    let rows = reports(problem, alpha, scores, offset, norm, 0.0);
    let used = || (0..problem.len()).filter(|&i| problem.weight(i) > 0.0);
    let value = |i: usize| problem.y()[i] * (scores[i] + offset);
    let primal = used().map(|i| problem.weight(i) * (-value(i)).max(0.0)).sum::<f64>() / problem.len() as f64;
    let margin = used().map(value).fold(f64::INFINITY, f64::min) / norm.max(f64::MIN_POSITIVE);
    let mistakes = used().filter(|&i| value(i) <= 0.0).count();
    Certificate {
        claim: Claim::Separates { mistakes, margin: margin.clamp(f64::MIN, f64::MAX) },
        primal,
        dual: 0.0,
        gap: primal,
        relative_gap: if primal > 0.0 { 1.0 } else { 0.0 },
        violation: used().map(|i| rows[i].violation).fold(0.0, f64::max),
        norm,
        offset,
        level: None,
        support: alpha.iter().filter(|&&a| a != 0.0).count(),
        bound: 0,
        projected: None,
        basis: Basis::Recomputed,
        convexity: convexity(norm2, alpha, scores),
        rows,
    }
}

fn reports(
    problem: &Problem<'_>,
    alpha: &[f64],
    scores: &[f64],
    offset: f64,
    norm: f64,
    wanted: f64,
) -> Vec<RowReport> {
    let report = |i: usize| {
        let score = scores[i] + offset;
        let m = problem.y()[i] * score;
        // With a coefficient a row of the hard margin lies on it; a perceptron asks only for the right side.
        let off = if alpha[i] != 0.0 && wanted > 0.0 { (m - wanted).abs() } else { (wanted - m).max(0.0) };
        RowReport {
            score,
            slack: (wanted - m).max(0.0),
            residual: 0.0,
            violation: off,
            class: if alpha[i] == 0.0 { KktClass::Idle } else { KktClass::Free },
            margin: if norm > 0.0 { m / norm } else { 0.0 },
        }
    };
    (0..problem.len()).map(report).collect()
}
