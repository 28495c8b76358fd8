//! A point of the dual near α, and how far f moves on the way to it.
//!
//! For any feasible α', with f' its expansion, P(f) − D(α') = (1/n) Σ w_i·[Fenchel–Young of row i at u'] + (λ/2)‖f − f'‖²:
//! every term is non-negative, and none but the small one needs the kernel again.

use std::time::Instant;

use mercer_gram::Gram;

use super::{dot, products};

/// A feasible point of the dual.
pub(super) struct Feasible {
    /// α'.
    pub(super) alpha: Vec<f64>,
    /// The largest change of a coefficient, where it is more than rounding.
    pub(super) moved: Option<f64>,
    /// ‖f − f'‖², or a bound above it.
    pub(super) shift2: f64,
    /// ‖f'‖², or a bound above it.
    pub(super) norm2: f64,
}

impl Feasible {
    /// `alpha` is the feasible point near `from`, whose scores are known. ‖f − f'‖ ≤ Σ|δ_i|√K_ii serves where its square
    /// is negligible or time is short; otherwise δᵀKδ is computed.
    pub(super) fn new(
        gram: &dyn Gram,
        (from, scores): (&[f64], &[f64]),
        alpha: Vec<f64>,
        negligible: f64,
        deadline: Option<Instant>,
    ) -> Self {
        let delta: Vec<f64> = from.iter().zip(&alpha).map(|(a, b)| a - b).collect();
        let largest = |values: &[f64]| values.iter().map(|v| v.abs()).fold(0.0, f64::max);
        let moved = Some(largest(&delta)).filter(|&change| change > ROUNDING * largest(from));
        let norm2 = dot(from, scores);
        if delta.iter().all(|&d| d == 0.0) {
            return Self { alpha, moved, shift2: 0.0, norm2 };
        }
        let bound = length(gram, &delta).powi(2);
        let shift2 = if bound <= negligible {
            bound
        } else {
            products(gram, &delta, deadline).map_or(bound, |products| dot(&delta, &products).max(0.0))
        };
        Self { alpha, moved, shift2, norm2: norm2 - 2.0 * dot(&delta, scores) + shift2 }
    }
}

/// A change below this part of the largest coefficient is rounding, not a projection.
const ROUNDING: f64 = 1e-12;

/// Σ|α_i|√K_ii ≥ ‖f‖.
pub(super) fn length(gram: &dyn Gram, alpha: &[f64]) -> f64 {
    let mut diagonal = vec![0.0; gram.len()];
    gram.diagonal(&mut diagonal);
    alpha.iter().zip(&diagonal).map(|(a, k)| a.abs() * k.abs().sqrt()).sum()
}
