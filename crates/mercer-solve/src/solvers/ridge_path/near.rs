//! Matrices near A + μI whose inverses are at hand for every shift μ,
//!
//! ```text
//! Q(B+μI)Qᵀ :    v ↦ Q(B+μI)⁻¹Qᵀv ,          LLᵀ + μI :    v ↦ (v − L(LᵀL+μI)⁻¹Lᵀv)/μ .
//! ```

use mercer_linalg::{BandFactor, Banded, Factored, LowRank};
use rayon::prelude::*;

/// A matrix near A + μI for every μ, inverted in two steps of which the first does not know μ.
pub(super) trait Near: Sync {
    /// The first step, for vectors stored one after the other.
    fn inward(&self, vectors: &[f64]) -> Vec<f64>;

    /// The second step, from the first and the vectors themselves, each with the number of its shift.
    fn outward(&self, inward: Vec<f64>, vectors: &[f64], which: &[usize]) -> Vec<f64>;

    /// Whether the matrix of a shift is positive definite.
    fn has(&self, which: usize) -> bool;

    /// How many times rᵀM⁻¹r the square of the error may be, for a residual r.
    fn slack(&self, which: usize) -> f64;
}

/// By a reduction to a band.
pub(super) struct Turned<T> {
    banded: Banded<T>,
    factors: Vec<Option<BandFactor>>,
    /// How many times an eigenvalue of A + μI those of the band may be.
    slacks: Vec<f64>,
}

impl<T: Factored> Turned<T> {
    pub(super) fn new(banded: Banded<T>, shifts: &[f64]) -> Self {
        let factors = shifts.par_iter().map(|&shift| banded.factor(shift).ok()).collect();
        Self { banded, factors, slacks: vec![1.0; shifts.len()] }
    }

    /// Of a band with errors of about this size, which could make of small eigenvalues negative ones.
    pub(super) fn lifted(banded: Banded<T>, shifts: &[f64], rounding: f64) -> Self {
        let lifts = [1.0, 8.0, 64.0];
        let lifted = |&shift: &f64| {
            let more = lifts.map(|lift| lift * rounding).into_iter();
            let mut found = more.filter_map(|more| Some((banded.factor(shift + more).ok()?, more)));
            found.next().map_or((None, 1.0), |(factor, more)| (Some(factor), 1.0 + more / shift))
        };
        let (factors, slacks) = shifts.par_iter().map(lifted).unzip();
        Self { banded, factors, slacks }
    }
}

impl<T: Factored> Near for Turned<T> {
    fn inward(&self, vectors: &[f64]) -> Vec<f64> {
        let mut out = vectors.to_vec();
        self.banded.turn(&mut out);
        out
    }

    fn outward(&self, mut inward: Vec<f64>, _: &[f64], which: &[usize]) -> Vec<f64> {
        let n = inward.len() / which.len().max(1);
        inward.par_chunks_mut(n.max(1)).zip(which).for_each(|(vector, &which)| {
            if let Some(factor) = &self.factors[which] {
                factor.solve(vector);
            }
        });
        self.banded.turn_back(&mut inward);
        inward
    }

    fn has(&self, which: usize) -> bool {
        self.factors[which].is_some()
    }

    fn slack(&self, which: usize) -> f64 {
        self.slacks[which]
    }
}

/// By few columns.
pub(super) struct Few {
    low: LowRank,
    /// LᵀL.
    inner: Turned<f64>,
    shifts: Vec<f64>,
}

impl Few {
    pub(super) fn new(low: LowRank, inner: Turned<f64>, shifts: &[f64]) -> Self {
        Self { low, inner, shifts: shifts.to_vec() }
    }
}

impl Near for Few {
    fn inward(&self, vectors: &[f64]) -> Vec<f64> {
        self.inner.inward(&self.low.project(vectors))
    }

    fn outward(&self, inward: Vec<f64>, vectors: &[f64], which: &[usize]) -> Vec<f64> {
        let n = vectors.len() / which.len().max(1);
        let mut out = self.low.lift(&self.inner.outward(inward, &[], which));
        let each = out.par_chunks_mut(n.max(1)).zip(vectors.par_chunks(n.max(1))).zip(which);
        each.for_each(|((out, vector), &which)| {
            let shift = self.shifts[which];
            out.iter_mut().zip(vector).for_each(|(out, v)| *out = (v - *out) / shift);
        });
        out
    }

    fn has(&self, which: usize) -> bool {
        self.inner.has(which)
    }

    /// What is left out of A is positive semi-definite, so that no eigenvalue is too large.
    fn slack(&self, _: usize) -> f64 {
        1.0
    }
}
