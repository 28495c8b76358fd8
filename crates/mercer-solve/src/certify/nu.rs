//! Certificates of the ν problems and of the one-class machine (`docs/maths.md` §4.13).
//!
//! ν-classification and the one-class machine have the dual −½αᵀKα over 0 ≤ s_i α_i ≤ c_i with fixed sums, one for each
//! group of rows; s_i is the label or 1. Their primal has a level l for each group (ρ − b and ρ + b; ρ), best at a weighted
//! quantile of the scores:
//!
//! ```text
//! P = ½‖f‖² − Σ_groups mass·l + Σ_i c_i·max(0, l − s_i f_i)
//! ```
//!
//! ν-regression is ε-insensitive regression once ε is known, which is a quantile as well.

use std::time::Instant;

use super::certificate::{Bounds, convexity, worst};
use super::feasible::{Feasible, length};
use super::risk::Risk;
use super::{Certificate, KktClass, RowReport, best_offset, dot};
use crate::Problem;
use crate::loss::{EpsilonInsensitive, Perceptron};

/// ν-SVC: 0 ≤ α̃_i ≤ w_i/n; Σα̃ = ν/2 in each class, or ν over both without offset.
pub(super) fn classification(
    problem: &Problem<'_>,
    nu: f64,
    alpha: &[f64],
    scores: &[f64],
    deadline: Option<Instant>,
) -> Certificate {
    let y = problem.y();
    let class = |side: f64| (0..y.len()).filter(|&i| y[i] == side).collect::<Vec<usize>>();
    let groups = match problem.offset() {
        true => [1.0, -1.0].map(|side| Group { rows: class(side), mass: 0.5 * nu }).to_vec(),
        false => vec![Group { rows: (0..y.len()).collect(), mass: nu }],
    };
    let levels = Levels { problem, sides: y.to_vec(), unit: 1.0 / y.len() as f64, groups };
    let best = levels.best(scores);
    let (rho, offset) = match best[..] {
        [s, t] => (0.5 * (s + t), 0.5 * (t - s)),
        _ => (best[0], 0.0),
    };
    // Where the best ρ is negative, that which is allowed is 0; the offset is then free to suit it.
    let (rho, offset) = match (rho >= 0.0, problem.offset()) {
        (true, _) => (rho, offset),
        (false, true) => (0.0, best_offset(problem, &Perceptron, scores)),
        (false, false) => (0.0, 0.0),
    };
    levels.certify((alpha, scores), rho, offset, deadline)
}

/// One-class: one group of all rows; 0 ≤ α_i ≤ w_i/(νn), Σα = 1.
pub(super) fn one_class(
    problem: &Problem<'_>,
    nu: f64,
    alpha: &[f64],
    scores: &[f64],
    deadline: Option<Instant>,
) -> Certificate {
    let n = problem.len();
    let groups = vec![Group { rows: (0..n).collect(), mass: 1.0 }];
    let levels = Levels { problem, sides: vec![1.0; n], unit: 1.0 / (nu * n as f64), groups };
    let rho = levels.best(scores)[0];
    let mut certificate = levels.certify((alpha, scores), rho, 0.0, deadline);
    // The decision is f − ρ.
    certificate.offset = certificate.level.map_or(0.0, |rho| -rho);
    for row in &mut certificate.rows {
        row.score -= rho;
        row.margin = if certificate.norm > 0.0 { row.score / certificate.norm } else { 0.0 };
    }
    certificate
}

/// ν-SVR: |α_i| ≤ w_i/(λn), Σα = 0 with an offset, Σ|α| ≤ ν/λ.
pub(super) fn regression(
    problem: &Problem<'_>,
    nu: f64,
    alpha: &[f64],
    scores: &[f64],
    deadline: Option<Instant>,
) -> Certificate {
    let (lambda, half) = (problem.lambda(), 0.5 * problem.lambda());
    let (epsilon, offset) = tube(problem, nu, scores);
    let loss = EpsilonInsensitive { epsilon };
    let risk = Risk::at(problem, &loss, scores, offset);
    let norm2 = dot(alpha, scores);
    let primal = nu * epsilon + risk.value() + half * norm2;
    let nearest = shortened(problem, nu, alpha);
    let negligible = 1e-13 * primal.abs() / half;
    let feasible = Feasible::new(problem.gram(), (alpha, scores), nearest, negligible, deadline);
    let rows = risk.rows(alpha, &risk.slopes(&feasible.alpha), norm2);
    let used: f64 = feasible.alpha.iter().map(|a| a.abs()).sum();
    let bounds = Bounds {
        primal,
        gap: risk.total(&rows) + epsilon * (nu - lambda * used).max(0.0) + half * feasible.shift2,
        dual: lambda * dot(&feasible.alpha, problem.y()) - half * feasible.norm2,
        rounding: risk.rounding(),
    };
    let mut certificate = Certificate::new(bounds, norm2, rows).at(offset, Some(epsilon), feasible.moved);
    certificate.convexity = convexity(problem.gram(), norm2, alpha);
    certificate
}

/// The best ε and b for given scores. With s = b + ε and t = ε − b the price is (ν/2)(s + t), and residuals y − f above s
/// and f − y above t are paid for one by one.
fn tube(problem: &Problem<'_>, nu: f64, scores: &[f64]) -> (f64, f64) {
    let n = problem.len();
    let quantile = |of: &dyn Fn(f64) -> f64, mass: f64| {
        let row = |i: usize| (-of(problem.y()[i] - scores[i]), problem.weight(i) / n as f64);
        -level((0..n).map(row).collect(), mass)
    };
    if !problem.offset() {
        return (quantile(&f64::abs, nu).max(0.0), 0.0);
    }
    let (s, t) = (quantile(&|r| r, 0.5 * nu), quantile(&|r| -r, 0.5 * nu));
    if s + t >= 0.0 {
        return (0.5 * (s + t), 0.5 * (s - t));
    }
    (0.0, best_offset(problem, &EpsilonInsensitive { epsilon: 0.0 }, scores))
}

/// α in its boxes, as much above zero as below it with an offset, and no more in all than ν/λ: both sides scaled down.
fn shortened(problem: &Problem<'_>, nu: f64, alpha: &[f64]) -> Vec<f64> {
    let clip = |(i, a): (usize, &f64)| a.clamp(-problem.bound(i), problem.bound(i));
    let mut feasible: Vec<f64> = alpha.iter().enumerate().map(clip).collect();
    let side = |side: f64| feasible.iter().map(|a| (side * a).max(0.0)).sum::<f64>();
    let (above, below, most) = (side(1.0), side(-1.0), nu / problem.lambda());
    let room = 1.0 + 1e-12;
    let (up, down) = if problem.offset() {
        let least = above.min(below).min(0.5 * most);
        let balanced = above.max(below) <= least * room;
        if balanced { (1.0, 1.0) } else { (least / above, least / below) }
    } else if above + below <= most * room {
        (1.0, 1.0)
    } else {
        (most / (above + below), most / (above + below))
    };
    feasible.iter_mut().filter(|a| **a != 0.0).for_each(|a| *a *= if *a > 0.0 { up } else { down });
    feasible
}

/// Rows whose coefficients sum to a constant.
#[derive(Clone)]
struct Group {
    rows: Vec<usize>,
    mass: f64,
}

/// Groups of rows with s_i α_i in [0, w_i·unit].
struct Levels<'a> {
    problem: &'a Problem<'a>,
    sides: Vec<f64>,
    unit: f64,
    groups: Vec<Group>,
}

impl Levels<'_> {
    fn bound(&self, i: usize) -> f64 {
        self.problem.weight(i) * self.unit
    }

    /// The level of each group that suits the scores best.
    fn best(&self, scores: &[f64]) -> Vec<f64> {
        let row = |&i: &usize| (self.sides[i] * scores[i], self.bound(i));
        self.groups.iter().map(|group| level(group.rows.iter().map(row).collect(), group.mass)).collect()
    }

    /// The certificate at ρ and b: the level of row i is ρ − s_i b.
    fn certify(
        &self,
        (alpha, scores): (&[f64], &[f64]),
        rho: f64,
        offset: f64,
        deadline: Option<Instant>,
    ) -> Certificate {
        let (n, gram, norm2) = (self.problem.len(), self.problem.gram(), dot(alpha, scores));
        let norm = norm2.max(0.0).sqrt();
        let mass: f64 = self.groups.iter().map(|group| group.mass).sum();
        let short = |i: usize| rho - self.sides[i] * (scores[i] + offset);
        let risk: f64 = (0..n).map(|i| self.bound(i) * short(i).max(0.0)).sum();
        let primal = 0.5 * norm2 - mass * rho + risk;
        let rounding = 4.0 * f64::EPSILON * length(gram, alpha).powi(2);
        let nearest = self.project(alpha);
        let feasible = Feasible::new(gram, (alpha, scores), nearest, 1e-13 * primal.abs(), deadline);
        let rows: Vec<RowReport> = (0..n)
            .map(|i| self.row(i, (alpha[i], feasible.alpha[i]), scores[i] + offset, rho, norm))
            .collect();
        let rest = 0.5 * feasible.shift2;
        let mut bounds = Bounds {
            primal,
            gap: rows.iter().map(|row| row.residual).sum::<f64>() / n as f64 + rest,
            dual: -0.5 * feasible.norm2,
            rounding,
        };
        if !self.is_possible() {
            // No α is feasible: ρ may grow for ever, and nothing bounds the objective from below.
            (bounds.gap, bounds.dual) = (f64::MAX, f64::MIN);
        }
        let mut certificate = Certificate::new(bounds, norm2, rows).at(offset, Some(rho), feasible.moved);
        certificate.violation = worst(self.groups.iter().map(|group| self.violation(group, alpha, scores)));
        certificate.convexity = convexity(self.problem.gram(), norm2, alpha);
        certificate
    }

    fn is_possible(&self) -> bool {
        let room = |group: &Group| group.rows.iter().map(|&i| self.bound(i)).sum::<f64>();
        self.groups.iter().all(|group| room(group) >= group.mass * (1.0 - 1e-12))
    }

    /// `score` is f + b, `rho` what it must reach on its side.
    fn row(&self, i: usize, (alpha, feasible): (f64, f64), score: f64, rho: f64, norm: f64) -> RowReport {
        let short = rho - self.sides[i] * score;
        let (a, c) = (self.sides[i] * alpha, self.bound(i));
        let class = if alpha == 0.0 {
            KktClass::Idle
        } else if c > 0.0 && a >= c * (1.0 - 1e-12) {
            KktClass::Bound
        } else {
            KktClass::Free
        };
        // Fenchel–Young of c·max(0, short) at the slope a'; one factor in each product is small.
        let a = self.sides[i] * feasible;
        let residual = if short > 0.0 { (c - a) * short } else { a * -short };
        RowReport {
            score,
            slack: short.max(0.0),
            residual: self.problem.len() as f64
                * if residual.is_nan() { f64::INFINITY } else { residual.max(0.0) },
            violation: match class {
                _ if c == 0.0 => 0.0,
                KktClass::Idle => short.max(0.0),
                KktClass::Bound => (-short).max(0.0),
                KktClass::Free => short.abs(),
            },
            class,
            margin: if norm > 0.0 { self.sides[i] * score / norm } else { 0.0 },
        }
    }

    /// By how much the levels that rows of a group allow fail to overlap.
    fn violation(&self, group: &Group, alpha: &[f64], scores: &[f64]) -> f64 {
        let (mut top, mut bottom) = (f64::NEG_INFINITY, f64::INFINITY);
        for &i in group.rows.iter().filter(|&&i| self.bound(i) > 0.0) {
            let (a, c, f) = (self.sides[i] * alpha[i], self.bound(i), self.sides[i] * scores[i]);
            if f.is_nan() || a.is_nan() {
                return f64::NAN;
            }
            if a > 0.0 {
                top = top.max(f);
            }
            if a < c * (1.0 - 1e-12) {
                bottom = bottom.min(f);
            }
        }
        top - bottom
    }

    /// The nearest coefficients that are feasible, where any are.
    fn project(&self, alpha: &[f64]) -> Vec<f64> {
        let mut feasible = alpha.to_vec();
        for Group { rows, mass } in &self.groups {
            let value = |i: usize, t: f64| (self.sides[i] * alpha[i] + t).clamp(0.0, self.bound(i));
            let total = |t: f64| rows.iter().map(|&i| value(i, t)).sum::<f64>();
            let off = |t: f64| (total(t) - mass).abs() / mass;
            let far = mass + rows.iter().map(|&i| alpha[i].abs()).fold(0.0, f64::max);
            let shift = if off(0.0) <= 1e-12 { 0.0 } else { least(far, |t| total(t) >= *mass) };
            // Coefficients so large that their sum is all rounding are given up for an even share of the mass.
            let room: f64 = rows.iter().map(|&i| self.bound(i)).sum();
            let even = |i: usize| self.bound(i) * (mass / room).min(1.0);
            let is_lost = off(shift) > 1e-9;
            rows.iter()
                .for_each(|&i| feasible[i] = self.sides[i] * if is_lost { even(i) } else { value(i, shift) });
        }
        feasible
    }
}

/// The least t in [−reach, reach] for which a monotone condition holds.
fn least(reach: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (-reach, reach);
    for _ in 0..200 {
        let middle = 0.5 * low + 0.5 * high;
        if middle <= low || middle >= high {
            break;
        }
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}

/// argmin over l of Σ c·max(0, l − v) − mass·l over (v, c): the weighted quantile; the middle where an interval is best.
pub(crate) fn level(mut values: Vec<(f64, f64)>, mass: f64) -> f64 {
    values.retain(|(_, c)| *c > 0.0);
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let room = 1e-12 * mass;
    let mut below = 0.0;
    for (k, &(v, c)) in values.iter().enumerate() {
        below += c;
        if below > mass + room {
            return v;
        }
        if below >= mass - room {
            return values.get(k + 1).map_or(v, |next| 0.5 * v + 0.5 * next.0);
        }
    }
    values.last().map_or(0.0, |last| last.0)
}
