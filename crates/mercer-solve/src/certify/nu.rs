//! Certificates of the ν problems and of the one-class machine (`docs/maths.md` §4.13).
//!
//! Their duals are ½αᵀKα over boxes with fixed sums, one for each group of rows. Their primals have a level for each
//! group (ρ − b and ρ + b; b + ε and ε − b; ρ), and the best levels for given scores are weighted quantiles.

use super::{Basis, Certificate, Claim, KktClass, RowReport, dot, products, risk::convexity};
use crate::Problem;

/// ν-SVC: classes are the groups; 0 ≤ α̃_i ≤ w_i/n, Σα̃ = ν/2 in each.
pub(super) fn classification(problem: &Problem<'_>, nu: f64, alpha: &[f64], scores: &[f64]) -> Certificate {
    let (n, y) = (problem.len() as f64, problem.y());
    let sides = [1.0, -1.0].map(|side| {
        let rows: Vec<usize> = (0..y.len()).filter(|&i| y[i] == side).collect();
        Group::new(problem, rows, side, 0.5 * nu, 1.0 / n, alpha, scores)
    });
    let (s, t) = (sides[0].level, sides[1].level);
    let (rho, offset) = (0.5 * (s + t), 0.5 * (t - s));
    let rho = rho.max(0.0);
    let loss = |i: usize| (rho - y[i] * (scores[i] + offset)).max(0.0);
    let risk: f64 = (0..y.len()).map(|i| problem.weight(i) * loss(i)).sum::<f64>() / n;
    let norm2 = dot(alpha, scores);
    let primal = 0.5 * norm2 - nu * rho + risk;
    let mut certificate = finish(problem, &sides, alpha, norm2, primal, |feasible2| -0.5 * feasible2);
    (certificate.offset, certificate.level) = (offset, Some(rho));
    certificate.rows = rows(problem, &sides, alpha, scores, offset, loss, certificate.norm);
    counted(certificate)
}

/// One-class: one group of all rows; 0 ≤ α_i ≤ w_i/(νn), Σα = 1.
pub(super) fn one_class(problem: &Problem<'_>, nu: f64, alpha: &[f64], scores: &[f64]) -> Certificate {
    let n = problem.len() as f64;
    let group = Group::new(problem, (0..problem.len()).collect(), 1.0, 1.0, 1.0 / (nu * n), alpha, scores);
    let rho = group.level;
    let loss = |i: usize| (rho - scores[i]).max(0.0);
    let risk: f64 = (0..problem.len()).map(|i| problem.weight(i) * loss(i)).sum::<f64>() / (nu * n);
    let norm2 = dot(alpha, scores);
    let groups = [group];
    let primal = 0.5 * norm2 - rho + risk;
    let mut certificate = finish(problem, &groups, alpha, norm2, primal, |feasible2| -0.5 * feasible2);
    (certificate.offset, certificate.level) = (-rho, Some(rho));
    certificate.rows = rows(problem, &groups, alpha, scores, -rho, loss, certificate.norm);
    counted(certificate)
}

/// ν-SVR: |α_i| ≤ w_i/(λn), Σα = 0, Σ|α| ≤ ν/λ; residuals above and below are the groups.
pub(super) fn regression(problem: &Problem<'_>, nu: f64, alpha: &[f64], scores: &[f64]) -> Certificate {
    let (n, lambda, y) = (problem.len() as f64, problem.lambda(), problem.y());
    let all = || (0..y.len()).collect::<Vec<usize>>();
    let part = |side: f64| -> Vec<f64> { alpha.iter().map(|a| (side * a).max(0.0) * side).collect() };
    let residual: Vec<f64> = y.iter().zip(scores).map(|(y, f)| f - y).collect();
    let sides = [1.0, -1.0].map(|side| {
        Group::new(problem, all(), side, 0.5 * nu / lambda, 1.0 / (lambda * n), &part(side), &residual)
    });
    // A level of a group is that of side·(f − y): s = b + ε is minus the first, t = ε − b minus the second.
    let (s, t) = (-sides[0].level, -sides[1].level);
    let (epsilon, offset) = ((0.5 * (s + t)).max(0.0), 0.5 * (s - t));
    let loss = |i: usize| ((residual[i] + offset).abs() - epsilon).max(0.0);
    let risk: f64 = (0..y.len()).map(|i| problem.weight(i) * loss(i)).sum::<f64>() / n;
    let norm2 = dot(alpha, scores);
    let primal = nu * epsilon + risk + 0.5 * lambda * norm2;
    let mut feasible: Vec<f64> = alpha.to_vec();
    let mut moved: f64 = 0.0;
    let clip = |i: usize, a: f64| a.clamp(-problem.bound(i), problem.bound(i));
    feasible.iter_mut().enumerate().for_each(|(i, a)| *a = clip(i, *a));
    let (above, below) = (sum(&feasible, 1.0), sum(&feasible, -1.0));
    let most = above.min(below).min(0.5 * nu / lambda);
    for a in &mut feasible {
        let side = if *a > 0.0 { above } else { below };
        if side > 0.0 {
            *a *= most / side;
        }
    }
    for (a, b) in alpha.iter().zip(&feasible) {
        moved = moved.max((a - b).abs());
    }
    let size = alpha.iter().map(|a| a.abs()).fold(0.0, f64::max);
    let is_moved = moved > 1e-10 * size;
    let feasible2 = if is_moved { norm(problem, &feasible) } else { norm2 };
    let dual = lambda * dot(&feasible, y) - 0.5 * lambda * feasible2;
    let scale = y.iter().map(|y| y.abs()).sum::<f64>() / n;
    let mut certificate = blank(primal, dual, scale);
    certificate.violation = sides.iter().map(|side| side.violation).fold(0.0, f64::max);
    certificate.norm = norm2.max(0.0).sqrt();
    certificate.projected = is_moved.then_some(moved);
    certificate.convexity = convexity(norm2, alpha, scores);
    (certificate.offset, certificate.level) = (offset, Some(epsilon));
    certificate.rows = rows(problem, &[], alpha, scores, offset, loss, certificate.norm);
    for (i, row) in certificate.rows.iter_mut().enumerate() {
        row.margin = f64::NAN;
        let c = problem.bound(i);
        if row.class == KktClass::Free && alpha[i].abs() >= c * (1.0 - 1e-12) {
            row.class = KktClass::Bound;
        }
    }
    counted(certificate)
}

fn sum(alpha: &[f64], side: f64) -> f64 {
    alpha.iter().map(|a| (side * a).max(0.0)).sum()
}

/// Rows whose coefficients side·α_i lie in [0, w_i·unit] and sum to a constant; its level is the best for the scores.
struct Group {
    rows: Vec<usize>,
    side: f64,
    unit: f64,
    /// The sum.
    mass: f64,
    level: f64,
    violation: f64,
}

impl Group {
    fn new(
        problem: &Problem<'_>,
        rows: Vec<usize>,
        side: f64,
        mass: f64,
        unit: f64,
        alpha: &[f64],
        scores: &[f64],
    ) -> Self {
        let values: Vec<(f64, f64)> = rows
            .iter()
            .map(|&i| (side * scores[i], problem.weight(i) * unit))
            .filter(|v| v.1 > 0.0)
            .collect();
        let (mut top, mut bottom) = (f64::NEG_INFINITY, f64::INFINITY);
        for &i in &rows {
            let (a, c, f) = (side * alpha[i], problem.weight(i) * unit, side * scores[i]);
            if a > 0.0 {
                top = top.max(f);
            }
            if a < c * (1.0 - 1e-12) {
                bottom = bottom.min(f);
            }
        }
        Self { rows, side, unit, mass, level: level(values, mass), violation: (top - bottom).max(0.0) }
    }

    /// The nearest coefficients of the group that are feasible.
    fn project(&self, problem: &Problem<'_>, alpha: &mut [f64]) {
        let value = |alpha: &[f64], i: usize, t: f64| {
            (self.side * alpha[i] + t).clamp(0.0, problem.weight(i) * self.unit)
        };
        let total = |t: f64| self.rows.iter().map(|&i| value(alpha, i, t)).sum::<f64>();
        if (total(0.0) - self.mass).abs() <= 1e-13 * self.mass {
            return;
        }
        let reach = self.unit * self.rows.iter().map(|&i| problem.weight(i)).fold(1.0, f64::max)
            + self.rows.iter().map(|&i| alpha[i].abs()).fold(0.0, f64::max);
        let (mut low, mut high) = (-reach, reach);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if total(middle) < self.mass { low = middle } else { high = middle }
        }
        for &i in &self.rows {
            alpha[i] = self.side * value(alpha, i, high);
        }
    }
}

/// argmin over s of Σ w·max(0, s − v) − mass·s: the weighted quantile; the middle where an interval is best.
pub(crate) fn level(mut values: Vec<(f64, f64)>, mass: f64) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let room = 1e-12 * mass;
    let mut below = 0.0;
    for (k, &(v, w)) in values.iter().enumerate() {
        below += w;
        if below > mass + room {
            return v;
        }
        if below >= mass - room {
            return values.get(k + 1).map_or(v, |next| 0.5 * (v + next.0));
        }
    }
    values.last().map_or(0.0, |last| last.0)
}

fn norm(problem: &Problem<'_>, alpha: &[f64]) -> f64 {
    products(problem.gram(), alpha, None).map_or(f64::INFINITY, |scores| dot(alpha, &scores))
}

fn blank(primal: f64, dual: f64, scale: f64) -> Certificate {
    let gap = (primal - dual).max(0.0);
    Certificate {
        claim: Claim::Optimal,
        primal,
        dual,
        gap,
        relative_gap: Certificate::relative(gap, primal, dual, scale),
        violation: 0.0,
        norm: 0.0,
        offset: 0.0,
        level: None,
        support: 0,
        bound: 0,
        projected: None,
        basis: Basis::Recomputed,
        convexity: super::Convexity::Assumed,
        rows: Vec::new(),
    }
}

fn finish(
    problem: &Problem<'_>,
    groups: &[Group],
    alpha: &[f64],
    norm2: f64,
    primal: f64,
    dual: impl Fn(f64) -> f64,
) -> Certificate {
    let mut feasible = alpha.to_vec();
    groups.iter().for_each(|group| group.project(problem, &mut feasible));
    let moved = alpha.iter().zip(&feasible).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let size = alpha.iter().map(|a| a.abs()).fold(0.0, f64::max);
    let is_moved = moved > 1e-10 * size;
    let feasible2 = if is_moved { norm(problem, &feasible) } else { norm2 };
    let mut certificate = blank(primal, dual(feasible2), 0.0);
    certificate.violation = groups.iter().map(|group| group.violation).fold(0.0, f64::max);
    certificate.norm = norm2.max(0.0).sqrt();
    certificate.projected = is_moved.then_some(moved);
    certificate
}

fn rows(
    problem: &Problem<'_>,
    groups: &[Group],
    alpha: &[f64],
    scores: &[f64],
    offset: f64,
    loss: impl Fn(usize) -> f64,
    norm: f64,
) -> Vec<RowReport> {
    let mut reports: Vec<RowReport> = (0..problem.len())
        .map(|i| RowReport {
            score: scores[i] + offset,
            slack: loss(i),
            residual: 0.0,
            violation: 0.0,
            class: if alpha[i] == 0.0 { KktClass::Idle } else { KktClass::Free },
            margin: 0.0,
        })
        .collect();
    for group in groups {
        for &i in &group.rows {
            let (a, c, f) = (group.side * alpha[i], problem.weight(i) * group.unit, group.side * scores[i]);
            let row = &mut reports[i];
            row.margin = group.side * row.score / norm;
            let at_bound = a > 0.0 && a >= c * (1.0 - 1e-12);
            if at_bound {
                row.class = KktClass::Bound;
            }
            // Too far inside with a coefficient, or too far outside without one.
            let over = if a > 0.0 && !at_bound { (f - group.level).abs() } else { 0.0 };
            let idle = if a == 0.0 { group.level - f } else { 0.0 };
            let bound = if at_bound { f - group.level } else { 0.0 };
            row.violation = over.max(idle).max(bound).max(0.0);
            // Fenchel–Young of max(0, s − v) at a/c: its share of the gap.
            row.residual = c * (group.level - f).max(0.0) - a * (group.level - f);
        }
    }
    reports
}

fn counted(mut certificate: Certificate) -> Certificate {
    let count = |class: KktClass| certificate.rows.iter().filter(|row| row.class == class).count();
    (certificate.support, certificate.bound) =
        (count(KktClass::Free) + count(KktClass::Bound), count(KktClass::Bound));
    certificate
}
