//! What a certificate says.

use mercer_gram::Gram;
use serde::{Deserialize, Serialize};

use crate::Tolerance;

/// Bounds on how far a solution is from the optimum, and what it looks like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// What is certified.
    pub claim: Claim,
    /// P: the objective of the solution.
    pub primal: f64,
    /// D: no solution has a lower objective.
    pub dual: f64,
    /// P − D ≥ P − P*.
    pub gap: f64,
    /// The gap in units of the objective.
    pub relative_gap: f64,
    /// Largest violation of the optimality conditions, in units of the score (of the slope for smooth losses).
    pub violation: f64,
    /// ‖f‖.
    pub norm: f64,
    /// The best offset for this f; 0 in a problem without one.
    pub offset: f64,
    /// ρ of ν-classification and of the one-class machine, ε of ν-regression, at its best for this f.
    pub level: Option<f64>,
    /// Rows with a coefficient.
    pub support: usize,
    /// Of these, rows at the bound of the dual.
    pub bound: usize,
    /// How far α was moved to be feasible in the dual: the largest change of a coefficient, none if feasible.
    pub projected: Option<f64>,
    /// Where the scores came from.
    pub basis: Basis,
    /// Whether weak duality holds, on which all of this rests.
    pub convexity: Convexity,
    /// Row by row; not kept in files, nor in models for the machines of pairs of several classes.
    #[serde(skip)]
    pub rows: Vec<RowReport>,
}

/// What kind of statement the numbers make.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Claim {
    /// The objective is within the gap of the optimum.
    Optimal,
    /// The sign of f is right on all but so many rows; the margin is min y·f/‖f‖. No objective is minimised.
    Separates {
        /// Rows on the wrong side, or on the boundary.
        mistakes: usize,
        /// Geometric margin of the data; negative with mistakes.
        margin: f64,
    },
}

/// Where the scores Kα came from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Basis {
    /// Computed again from `f64` entries.
    Recomputed,
    /// Computed again from `f64` entries wherever they count. Rows whose coefficient is kept at the end of its box by far
    /// more than single precision can be wrong have the solver's scores: they add nothing to the gap or to the violation,
    /// and both objectives, which they weigh in alike, are known to single precision.
    Sufficient {
        /// Such rows.
        rough: usize,
        /// Of these, rows computed again.
        checked: usize,
        /// Largest difference found there.
        difference: f64,
    },
    /// As the solver kept them, since there was no time: a sample of rows was computed again.
    Kept {
        /// Rows computed again.
        checked: usize,
        /// Largest difference found there.
        difference: f64,
    },
}

/// Whether the Gram matrix is positive semi-definite, without which the dual bounds nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Convexity {
    /// Nobody has looked.
    Assumed,
    /// The kernel is psd on all inputs, by its form.
    Proved,
    /// Measured on all training rows.
    Measured,
    /// Measured on a sample of the training rows: not refuted.
    Sampled {
        /// Rows measured.
        rows: usize,
    },
    /// It is not psd; the certificate does not hold.
    Refuted {
        /// What shows it.
        evidence: String,
    },
}

/// Where a row stands (§3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum KktClass {
    /// α = 0.
    Idle,
    /// A support vector inside its box: on the margin, or on the edge of the tube.
    Free,
    /// A support vector at its bound.
    Bound,
}

/// One row of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RowReport {
    /// f(x_i) + b.
    pub score: f64,
    /// ℓ: the loss of the row; for the hinge the slack ξ.
    pub slack: f64,
    /// Its Fenchel–Young residual: its share of the gap, times n.
    pub residual: f64,
    /// How far it is from its optimality condition.
    pub violation: f64,
    /// Where it stands.
    pub class: KktClass,
    /// y(f+b)/‖f‖ for labels; NaN for numbers.
    pub margin: f64,
}

impl Certificate {
    /// Whether what was asked for is proved.
    pub fn holds(&self, tolerance: &Tolerance) -> bool {
        if matches!(self.convexity, Convexity::Refuted { .. }) {
            return false;
        }
        match self.claim {
            Claim::Separates { mistakes, .. } => mistakes == 0,
            Claim::Optimal => {
                tolerance.gap.is_none_or(|gap| self.relative_gap <= gap)
                    && tolerance.violation.is_none_or(|violation| self.violation <= violation)
                    && self.gap < f64::MAX
            }
        }
    }

    /// Support vectors inside their box.
    pub fn free(&self) -> usize {
        self.support - self.bound
    }

    /// The numbers of a certificate, with what rows add up to; the rest is filled in by who makes it.
    pub(super) fn new(bounds: Bounds, norm2: f64, rows: Vec<RowReport>) -> Self {
        let Bounds { primal, gap, dual, rounding } = bounds;
        // NaN is no bound: it becomes the worst there is. (Numbers stay finite, since files have no infinities.)
        let gap = saturate(gap, f64::MAX).max(0.0);
        let primal = saturate(primal, f64::MAX);
        // A small gap is known better than D is: its terms are small, those of D cancel.
        let dual = if gap <= 0.5 * primal.abs() { primal - gap } else { saturate(dual, f64::MIN) };
        let count = |class: KktClass| rows.iter().filter(|row| row.class == class).count();
        Self {
            claim: Claim::Optimal,
            primal,
            dual,
            gap,
            relative_gap: relative(gap - rounding.clamp(0.0, f64::MAX), primal.abs().max(dual.abs())),
            violation: worst(rows.iter().map(|row| row.violation)),
            norm: saturate(norm2.sqrt(), if norm2 < 0.0 { 0.0 } else { f64::MAX }),
            offset: 0.0,
            level: None,
            support: count(KktClass::Free) + count(KktClass::Bound),
            bound: count(KktClass::Bound),
            projected: None,
            basis: Basis::Recomputed,
            convexity: Convexity::Assumed,
            rows,
        }
    }

    /// The same with offset, level and how far α was moved.
    pub(super) fn at(mut self, offset: f64, level: Option<f64>, moved: Option<f64>) -> Self {
        self.offset = saturate(offset, 0.0);
        self.level = level.map(|level| saturate(level, 0.0));
        self.projected = moved.map(|moved| saturate(moved, f64::MAX));
        self
    }
}

/// What a certificate is made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// P.
    pub(super) primal: f64,
    /// P − D, as a sum of terms that are not negative.
    pub(super) gap: f64,
    /// D by its definition.
    pub(super) dual: f64,
    /// What the rounding of scores alone makes of P.
    pub(super) rounding: f64,
}

/// The gap relative to the objective. What rounding makes is no gap: otherwise none would be small where the optimum is 0.
fn relative(gap: f64, objective: f64) -> f64 {
    if gap <= 0.0 { 0.0 } else { (gap / objective).min(f64::MAX) }
}

/// The relative gap by which solvers stop; `scale` is the objective of f = 0, of which 1e-14 is rounding.
pub(crate) fn relative_gap(gap: f64, primal: f64, dual: f64, scale: f64) -> f64 {
    relative(gap, primal.abs().max(dual.abs()).max(1e-14 * scale.min(f64::MAX)))
}

/// A finite number: NaN becomes `unknown`.
fn saturate(value: f64, unknown: f64) -> f64 {
    if value.is_nan() { unknown } else { value.clamp(f64::MIN, f64::MAX) }
}

/// The largest, where NaN is the worst of all.
pub(super) fn worst(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| saturate(value, f64::MAX)).fold(0.0, f64::max)
}

/// αᵀKα < 0 refutes by itself.
pub(super) fn convexity(gram: &dyn Gram, norm2: f64, alpha: &[f64]) -> Convexity {
    // Every term is off by its own rounding, however much of them cancels.
    let rounding = 1e-12 * super::feasible::length(gram, alpha).powi(2);
    if norm2 < -rounding {
        let evidence = format!("the coefficients themselves give a^T K a = {norm2:.3e} < 0");
        return Convexity::Refuted { evidence };
    }
    Convexity::Assumed
}
