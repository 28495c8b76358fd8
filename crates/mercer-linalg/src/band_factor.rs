//! B + μI = LLᵀ for a band B: of column j
//!
//! ```text
//! L_j = (B_j + μe_j − Σ_p L_jp·L_p) / √pivot ,    the sum over the 48 columns before.
//! ```
//!
//! The columns before are kept aside, each followed by zeros, so that every loop has one length and a column stays in
//! registers while all of them are taken off.

use crate::arch::{Arch, dispatch};
use crate::real::fused;
use crate::{CholeskyError, Isa};

/// How far the band reaches below the diagonal.
pub(crate) const WIDTH: usize = 48;

/// Places of a column: the diagonal and the band below it.
const PLACES: usize = WIDTH + 1;

/// Places of a column that is kept aside, with the zeros.
const ASIDE: usize = 2 * WIDTH;

/// Partial sums of an inner product.
const LANES: usize = 8;

/// The factor L of a band.
#[derive(Debug)]
pub struct BandFactor {
    factor: Vec<f64>,
}

impl BandFactor {
    /// Of a band whose columns hold the diagonal and 48 values below it, plus a shift.
    pub(crate) fn new(band: &[f64], shift: f64) -> Result<Self, CholeskyError> {
        let mut factor = vec![0.0; band.len()];
        match eliminate(Isa::detect(), band, shift, &mut factor) {
            None => Ok(Self { factor }),
            Some((row, value)) => Err(CholeskyError::Pivot { row, value }),
        }
    }

    /// v ← (LLᵀ)⁻¹v.
    pub fn solve(&self, vector: &mut [f64]) {
        let n = vector.len();
        let mut padded = Vec::with_capacity(n + WIDTH);
        padded.extend_from_slice(vector);
        padded.resize(n + WIDTH, 0.0);
        substitute(Isa::detect(), &self.factor, &mut padded);
        vector.copy_from_slice(&padded[..n]);
    }
}

dispatch! {
    /// The columns of L; the first pivot that is not positive, if there is one.
    fn eliminate<>(isa, band: &[f64], shift: f64, factor: &mut [f64]) -> Option<(usize, f64)> = eliminate_body, wide
}

#[inline(always)]
fn eliminate_body<A: Arch>(band: &[f64], shift: f64, factor: &mut [f64]) -> Option<(usize, f64)> {
    let mut aside = vec![0.0; WIDTH * ASIDE];
    for (j, (source, out)) in band.chunks_exact(PLACES).zip(factor.chunks_exact_mut(PLACES)).enumerate() {
        let mut column = [0.0; WIDTH];
        column.copy_from_slice(&source[..WIDTH]);
        column[0] += shift;
        for p in j.saturating_sub(WIDTH)..j {
            let start = p % WIDTH * ASIDE + j - p;
            let before = &aside[start..start + WIDTH];
            let scale = -before[0];
            for k in 0..WIDTH {
                column[k] = fused::<f64, A>(scale, before[k], column[k]);
            }
        }
        let pivot = column[0];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Some((j, pivot));
        }
        let root = pivot.sqrt();
        out[0] = root;
        for k in 1..WIDTH {
            out[k] = column[k] / root;
        }
        // The last place is out of reach of the columns before.
        out[WIDTH] = source[WIDTH] / root;
        aside[j % WIDTH * ASIDE..][..PLACES].copy_from_slice(out);
    }
    None
}

dispatch! {
    /// v ← (LLᵀ)⁻¹v, for a vector that is followed by as many zeros as the band is wide.
    fn substitute<>(isa, factor: &[f64], vector: &mut [f64]) = substitute_body, wide
}

#[inline(always)]
fn substitute_body<A: Arch>(factor: &[f64], vector: &mut [f64]) {
    for (j, column) in factor.chunks_exact(PLACES).enumerate() {
        vector[j] /= column[0];
        let value = -vector[j];
        let (below, after) = (&column[1..=WIDTH], &mut vector[j + 1..=j + WIDTH]);
        for k in 0..WIDTH {
            after[k] = fused::<f64, A>(value, below[k], after[k]);
        }
    }
    for (j, column) in factor.chunks_exact(PLACES).enumerate().rev() {
        let (below, after) = (&column[1..=WIDTH], &vector[j + 1..=j + WIDTH]);
        let mut lanes = [0.0; LANES];
        for first in (0..WIDTH).step_by(LANES) {
            for lane in 0..LANES {
                lanes[lane] = fused::<f64, A>(below[first + lane], after[first + lane], lanes[lane]);
            }
        }
        vector[j] = (vector[j] - lanes.iter().sum::<f64>()) / column[0];
    }
}
