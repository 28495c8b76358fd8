//! Certificates of separation: the hard margin and the perceptron (`docs/maths.md` §4.1, §4.4).

use std::time::Instant;

use super::certificate::{Bounds, convexity};
use super::feasible::Feasible;
use super::{Certificate, Claim, KktClass, RowReport, dot};
use crate::{Problem, Solution};

/// Hard margin: f/m is feasible, where m is the least y(f+b) at the best b, and D(tα̃) at the best t is (Σα̃)²/(2‖f‖²).
/// With S = Σα̃ and N = ‖f‖²,
///
/// ```text
/// P − D = N/(2m²) − S²/(2N) = Σ_i α̃_i(y_i(f_i+b) − m) · (N + Sm)/(2m²N) :
/// ```
///
/// only support vectors that are farther than the margin make a gap.
pub(super) fn hard(
    problem: &Problem<'_>,
    alpha: &[f64],
    scores: &[f64],
    deadline: Option<Instant>,
) -> Certificate {
    let norm2 = dot(alpha, scores);
    let (offset, margin) = widest(problem, scores);
    let primal = match margin > 0.0 {
        true if norm2 <= 0.0 => 0.0,
        true => 0.5 * norm2 / (margin * margin),
        false => f64::MAX,
    };
    let nearest = balanced(problem, alpha);
    let feasible = Feasible::new(problem.gram(), (alpha, scores), nearest, 1e-13 * norm2.abs(), deadline);
    let total: f64 = feasible.alpha.iter().map(|a| a.abs()).sum();
    let dual = if feasible.norm2 > 0.0 { 0.5 * total * total / feasible.norm2 } else { 0.0 };
    let mut rows = reports(problem, alpha, scores, offset, norm2, 1.0);
    let gap = if feasible.shift2 == 0.0 && norm2 > 0.0 && margin > 0.0 {
        let unit = problem.len() as f64 * (norm2 + total * margin) / (2.0 * margin * margin * norm2);
        for (row, (a, y)) in rows.iter_mut().zip(alpha.iter().zip(problem.y())) {
            row.residual = a.abs() * (y * row.score - margin).max(0.0) * unit;
        }
        rows.iter().map(|row| row.residual).sum::<f64>() / problem.len() as f64
    } else {
        primal - dual
    };
    let bounds = Bounds { primal, gap, dual, rounding: 0.0 };
    let mut certificate = Certificate::new(bounds, norm2, rows).at(offset, None, feasible.moved);
    certificate.convexity = convexity(problem.gram(), norm2, alpha);
    certificate
}

/// The offset with the widest margin, and that margin: min y(f+b) over the rows that count.
fn widest(problem: &Problem<'_>, scores: &[f64]) -> (f64, f64) {
    let least = |side: f64| {
        (0..problem.len())
            .filter(|&i| problem.weight(i) > 0.0 && problem.y()[i] == side)
            .map(|i| side * scores[i])
            .fold(f64::INFINITY, |a, b| if a <= b { a } else { b })
    };
    let (plus, minus) = (least(1.0), least(-1.0));
    let offset = match (plus < f64::INFINITY, minus < f64::INFINITY) {
        _ if !problem.offset() => 0.0,
        (true, true) => 0.5 * minus - 0.5 * plus,
        (true, false) => 1.0 - plus,
        _ => minus - 1.0,
    };
    (offset, (plus + offset).min(minus - offset))
}

/// α with the signs of y, no weight on rows that do not count, and with an offset as much in one class as in the other:
/// the larger class is scaled down.
fn balanced(problem: &Problem<'_>, alpha: &[f64]) -> Vec<f64> {
    let keep =
        |(i, &a): (usize, &f64)| if a * problem.y()[i] > 0.0 && problem.weight(i) > 0.0 { a } else { 0.0 };
    let mut feasible: Vec<f64> = alpha.iter().enumerate().map(keep).collect();
    let side = |side: f64| feasible.iter().map(|a| (side * a).max(0.0)).sum::<f64>();
    let (plus, minus) = (side(1.0), side(-1.0));
    if problem.offset() && (plus - minus).abs() > 1e-12 * (plus + minus) {
        let least = plus.min(minus);
        feasible
            .iter_mut()
            .for_each(|a| *a *= least / if *a > 0.0 { plus } else { minus.max(f64::MIN_POSITIVE) });
    }
    feasible
}

/// Perceptron: right signs on all rows. The objective is the mean perceptron loss, which nothing makes negative.
pub(super) fn separation(problem: &Problem<'_>, solution: &Solution, scores: &[f64]) -> Certificate {
    let (alpha, offset) = (&solution.alpha, if problem.offset() { solution.bias } else { 0.0 });
    let norm2 = dot(alpha, scores);
    let rows = reports(problem, alpha, scores, offset, norm2, 0.0);
    let counted = || (0..problem.len()).filter(|&i| problem.weight(i) > 0.0);
    let value = |i: usize| problem.y()[i] * rows[i].score;
    let primal = counted().map(|i| problem.weight(i) * rows[i].slack).sum::<f64>() / problem.len() as f64;
    let least = counted().map(value).fold(f64::INFINITY, |a, b| if a <= b { a } else { b });
    let margin = least / norm2.max(0.0).sqrt().max(f64::MIN_POSITIVE);
    let margin = if margin.is_nan() { f64::MIN } else { margin.clamp(f64::MIN, f64::MAX) };
    // What is not a number is not on the right side.
    let right = |&i: &usize| value(i) > 0.0;
    let mistakes = counted().count() - counted().filter(right).count();
    let bounds = Bounds { primal, gap: primal, dual: 0.0, rounding: 0.0 };
    let mut certificate = Certificate::new(bounds, norm2, rows).at(offset, None, None);
    certificate.claim = Claim::Separates { mistakes, margin };
    certificate.convexity = convexity(problem.gram(), norm2, alpha);
    certificate
}

/// Rows that shall be at least `wanted` on their side. The hard margin also wants its support vectors exactly there; a
/// perceptron does not.
fn reports(
    problem: &Problem<'_>,
    alpha: &[f64],
    scores: &[f64],
    offset: f64,
    norm2: f64,
    wanted: f64,
) -> Vec<RowReport> {
    let norm = norm2.max(0.0).sqrt();
    let report = |i: usize| {
        let score = scores[i] + offset;
        let m = problem.y()[i] * score;
        let short = if m >= wanted { 0.0 } else { wanted - m };
        let exact = alpha[i] != 0.0 && wanted > 0.0;
        RowReport {
            score,
            slack: short,
            residual: 0.0,
            violation: match problem.weight(i) {
                0.0 => 0.0,
                _ if exact => (m - wanted).abs(),
                _ => short,
            },
            class: if alpha[i] == 0.0 { KktClass::Idle } else { KktClass::Free },
            margin: if norm > 0.0 { m / norm } else { 0.0 },
        }
    };
    (0..problem.len()).map(report).collect()
}
