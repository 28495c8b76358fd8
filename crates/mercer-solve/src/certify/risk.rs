//! The certificate of a regularised risk: P − D is a sum of Fenchel–Young residuals, one for each row.
//!
//! ```text
//! P(f) − D(α') = (1/n) Σ w_i·[ ℓ(y_i,f_i) + ℓ*(y_i,u'_i) − f_i·u'_i ] + (λ/2)‖f − f'‖²
//! ```
//!
//! with α' = α where α is feasible, and the nearest feasible point otherwise (`docs/maths.md` §3.2). No term is negative,
//! so the gap does not suffer from the cancellation of P − D, and is not negative itself.

use std::time::Instant;

use super::certificate::{Bounds, convexity, worst};
use super::feasible::Feasible;
use super::{Certificate, KktClass, RowReport, best_offset, best_offset_near, dot, project::project};
use crate::loss::{Loss, Quadratic, Target};
use crate::{Problem, Solution};

pub(super) fn certify(
    problem: &Problem<'_>,
    loss: &dyn Loss,
    solution: &Solution,
    scores: &[f64],
    deadline: Option<Instant>,
) -> Certificate {
    let alpha = &solution.alpha[..];
    let half = 0.5 * problem.lambda();
    let norm2 = dot(alpha, scores);
    // The best offset follows from the scores; that of the solution says where to look for it.
    let offset = || best_offset_near(problem, loss, scores, solution.bias);
    let risk = Risk::at(problem, loss, scores, if problem.offset() { offset() } else { 0.0 });
    let primal = half * norm2 + risk.value();
    let negligible = 1e-13 * primal.abs() / half;
    let nearest = project(problem, loss, alpha);
    let feasible = Feasible::new(problem.gram(), (alpha, scores), nearest, negligible, deadline);
    let slopes = risk.slopes(&feasible.alpha);
    let rows = risk.rows(alpha, &slopes, norm2);
    let bounds = Bounds {
        primal,
        gap: risk.total(&rows) + half * feasible.shift2,
        dual: -risk.conjugate(&slopes) - half * feasible.norm2,
        rounding: risk.rounding(),
    };
    let mut certificate = Certificate::new(bounds, norm2, rows).at(risk.offset, None, feasible.moved);
    certificate.violation = risk.violation(alpha);
    certificate.convexity = convexity(problem.gram(), norm2, alpha);
    certificate
}

/// (1/n) Σ w_i ℓ(y_i, f_i + b) at given scores and the offset that suits them best.
pub(super) struct Risk<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) loss: &'a dyn Loss,
    pub(super) scores: &'a [f64],
    pub(super) offset: f64,
    /// A slope no farther than this from an end of its domain is taken to be there.
    pub(super) room: f64,
}

impl<'a> Risk<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, loss: &'a dyn Loss, scores: &'a [f64]) -> Self {
        let offset = if problem.offset() { best_offset(problem, loss, scores) } else { 0.0 };
        Self::at(problem, loss, scores, offset)
    }

    /// With another offset.
    pub(super) fn at(problem: &'a Problem<'a>, loss: &'a dyn Loss, scores: &'a [f64], offset: f64) -> Self {
        Self { problem, loss, scores, offset, room: 0.0 }
    }

    /// u_i of the α as it is, at the end of the domain where it is next to it.
    fn slope(&self, i: usize, alpha: f64) -> f64 {
        let u = self.problem.slope_of(i, alpha);
        if self.room == 0.0 {
            return u;
        }
        let (low, high) = self.loss.domain(self.problem.y()[i]);
        let near = |end: f64| (u - end).abs() <= self.room * end.abs();
        if near(low) {
            low
        } else if near(high) {
            high
        } else {
            u
        }
    }

    pub(super) fn value(&self) -> f64 {
        self.mean(|i| self.loss.value(self.problem.y()[i], self.scores[i] + self.offset))
    }

    /// By how much scores that are off by their rounding change the risk.
    pub(super) fn rounding(&self) -> f64 {
        let rounding = self.mean(|i| {
            let (y, f) = (self.problem.y()[i], self.scores[i]);
            let delta = 4.0 * f64::EPSILON * (y.abs() + f.abs() + self.offset.abs());
            let value = |f: f64| self.loss.value(y, f + self.offset);
            value(f - delta).max(value(f + delta)) - value(f)
        });
        if rounding.is_finite() { rounding } else { 0.0 }
    }

    /// u_i = −α_i/C_i, in the domain to the last bit where α is feasible.
    pub(super) fn slopes(&self, feasible: &[f64]) -> Vec<f64> {
        let slope = |i: usize| {
            let (low, high) = self.loss.domain(self.problem.y()[i]);
            self.problem.slope_of(i, feasible[i]).clamp(low, high)
        };
        (0..feasible.len()).map(slope).collect()
    }

    /// (1/n) Σ w_i ℓ*(y_i, u_i).
    pub(super) fn conjugate(&self, slopes: &[f64]) -> f64 {
        self.mean(|i| self.loss.conjugate(self.problem.y()[i], slopes[i]))
    }

    /// The part of the gap that rows make: (1/n) Σ residuals.
    pub(super) fn total(&self, rows: &[RowReport]) -> f64 {
        rows.iter().map(|row| row.residual).sum::<f64>() / self.problem.len() as f64
    }

    fn mean(&self, of: impl Fn(usize) -> f64) -> f64 {
        let weighted = |i: usize| self.problem.weight(i) * of(i);
        self.counted().map(weighted).sum::<f64>() / self.problem.len() as f64
    }

    fn counted(&self) -> impl Iterator<Item = usize> {
        (0..self.problem.len()).filter(|&i| self.problem.weight(i) > 0.0)
    }

    /// Row by row: residuals at the given (feasible) slopes, everything else at α itself.
    pub(super) fn rows(&self, alpha: &[f64], slopes: &[f64], norm2: f64) -> Vec<RowReport> {
        let norm = norm2.max(0.0).sqrt();
        (0..self.problem.len()).map(|i| self.row(i, alpha[i], slopes[i], norm)).collect()
    }

    fn row(&self, i: usize, alpha: f64, slope: f64, norm: f64) -> RowReport {
        let (y, w, score) = (self.problem.y()[i], self.problem.weight(i), self.scores[i] + self.offset);
        let u = self.slope(i, alpha);
        let margin = match self.loss.target() {
            Target::Labels if norm > 0.0 => y * score / norm,
            Target::Labels => 0.0,
            Target::Numbers => f64::NAN,
        };
        RowReport {
            score,
            slack: self.loss.value(y, score),
            residual: if w > 0.0 { w * fenchel_young(self.loss, y, score, slope) } else { 0.0 },
            violation: if w > 0.0 { off(self.loss, y, u, score) } else { 0.0 },
            class: class(alpha, u, self.loss.domain(y)),
            margin,
        }
    }

    /// The violation in one number. With an offset and a loss that is not smooth: by how much the offsets that rows allow
    /// fail to overlap, LIBSVM's criterion. Otherwise the largest of any row. Slopes outside their domain count as well.
    pub(super) fn violation(&self, alpha: &[f64]) -> f64 {
        let y = self.problem.y();
        let is_smooth = self.loss.curvature(y[0], 0.0).is_some();
        let (least, most) = (nan_or(f64::min), nan_or(f64::max));
        let (mut low, mut high, mut found) = (f64::NEG_INFINITY, f64::INFINITY, 0.0);
        for i in self.counted() {
            let slope = self.slope(i, alpha[i]);
            found = most(found, outside(slope, self.loss.domain(y[i])));
            if is_smooth || !self.problem.offset() {
                found = most(found, off(self.loss, y[i], slope, self.scores[i] + self.offset));
            } else {
                let (from, to) = self.loss.scores(y[i], slope);
                (low, high) = (most(low, from - self.scores[i]), least(high, to - self.scores[i]));
            }
        }
        worst([found, low - high].into_iter())
    }
}

/// The violation at given scores and offset, for solvers that stop by it.
pub(crate) fn violation(
    problem: &Problem<'_>,
    loss: &dyn Loss,
    alpha: &[f64],
    scores: &[f64],
    offset: f64,
) -> f64 {
    Risk::at(problem, loss, scores, offset).violation(alpha)
}

/// `f64::max` and `f64::min` drop NaN; a violation must not.
fn nan_or(pick: fn(f64, f64) -> f64) -> impl Fn(f64, f64) -> f64 {
    move |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { pick(a, b) }
}

/// ℓ(y,f) + ℓ*(y,u) − f·u ≥ 0. Scores are subtracted from targets before anything else, as both may be large.
pub(super) fn fenchel_young(loss: &dyn Loss, y: f64, f: f64, u: f64) -> f64 {
    let value = loss.value(y, f);
    let residual = match loss.quadratic(y) {
        Some(Quadratic { linear, kink, curvature }) => {
            value + (u * (linear - f) + kink * u.abs() + 0.5 * curvature * u * u)
        }
        None => value + (loss.conjugate(y, u) - f * u),
    };
    if residual.is_nan() { f64::INFINITY } else { residual.max(0.0) }
}

/// How far a slope lies outside the domain, beyond rounding.
fn outside(u: f64, (low, high): (f64, f64)) -> f64 {
    let out = (low - u).max(u - high);
    if out <= 1e-12 * (1.0 + u.abs()) { 0.0 } else { out }
}

/// How far a row is from u ∈ ∂ℓ(y, f): in units of the slope where the loss is smooth, of the score where it is not.
fn off(loss: &dyn Loss, y: f64, u: f64, score: f64) -> f64 {
    if loss.curvature(y, score).is_some() {
        return (u - loss.slope(y, score)).abs();
    }
    let (low, high) = loss.scores(y, u);
    if score.is_nan() { f64::NAN } else { (low - score).max(score - high).max(0.0) }
}

/// At its bound is a row whose slope is at an end of the domain other than zero.
fn class(alpha: f64, u: f64, (low, high): (f64, f64)) -> KktClass {
    let room = 1e-12 * (1.0 + u.abs());
    if alpha == 0.0 {
        KktClass::Idle
    } else if (low < 0.0 && u <= low + room) || (high > 0.0 && u >= high - room) {
        KktClass::Bound
    } else {
        KktClass::Free
    }
}
