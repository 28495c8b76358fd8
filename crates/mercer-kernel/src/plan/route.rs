//! Which way a distance is computed: by inner products (fast) or by differences (exact for near points).
//!
//! The GEMM form ‖x‖² + ‖z‖² − 2⟨x,z⟩ cancels for near points: its error is a few units of rounding of the largest
//! ‖x‖². What a kernel makes of that is its steepness times the error. The form is chosen so that entries in `f32`
//! stay within 1e-6 (`docs/maths.md` §8).

use mercer_linalg::{Base, Real};

use super::ready::ReadyView;
use crate::kernels::Lowered;

/// How a squared distance is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// From the inner product of the points as given.
    Raw,
    /// From the inner product of centred points.
    Centered,
    /// Coordinate by coordinate, on centred points.
    Direct,
    /// Not in this precision.
    Wider,
}

/// What an entry may be off by because of its distance.
const TOLERANCE: f64 = 1e-6;

/// Up to this many coordinates differences cost next to nothing.
pub(super) const FEW: usize = 16;

impl Lowered {
    /// Whether the base is a squared distance, so that its form matters for accuracy.
    pub(super) fn is_distance(&self) -> bool {
        self.base == Base::SquaredDistance
    }
}

/// The route for a kernel of this steepness between two collections of `dim` coordinates.
///
/// `shared` says that another leaf wants the inner product of the points as given anyway.
pub(super) fn route<T: Real>(
    x: &ReadyView,
    z: &ReadyView,
    dim: usize,
    lowered: &Lowered,
    shared: bool,
) -> Route {
    let steepness = lowered.steepness;
    let largest = x.largest.max(z.largest);
    let centered = x.largest_centered.max(z.largest_centered);
    let off = |square: f64| steepness * square * T::ROUNDING * growth(dim);
    if size_of::<T>() == 8 {
        // In f64 the GEMM form is good wherever the kernel does not take a root of the distance.
        return if steepness.is_finite() && dim > FEW { Route::Centered } else { Route::Direct };
    }
    if shared && off(largest) <= TOLERANCE {
        Route::Raw
    } else if dim > FEW && off(centered) <= TOLERANCE {
        Route::Centered
    } else if rounding::<T>(lowered, centered) <= TOLERANCE {
        Route::Direct
    } else {
        Route::Wider
    }
}

/// Whether sparse points, of which only the GEMM form is cheap, are accurate enough in this precision.
pub(super) fn sparse_route<T: Real>(x: &ReadyView, z: &ReadyView, stored: usize, steepness: f64) -> Route {
    let off = steepness * x.largest.max(z.largest) * T::ROUNDING * growth(stored);
    if size_of::<T>() == 8 || off <= TOLERANCE { Route::Raw } else { Route::Wider }
}

/// How much a sum of so many products loses, in units of one rounding: typical, not worst case. Sums are made in
/// parts of at most 256.
fn growth(dim: usize) -> f64 {
    let parts = dim.div_ceil(256).max(1) as f64;
    1.0 + 0.7 * (dim as f64).sqrt() / parts + 0.7 * parts.sqrt()
}

/// What rounding the coordinates alone does to an entry: the difference of two points is off by a rounding of their
/// length, and steepness·2·|x−z| is largest where the kernel has begun to fall.
fn rounding<T: Real>(lowered: &Lowered, largest: f64) -> f64 {
    let slope = if lowered.steepness.is_infinite() { lowered.rate } else { lowered.steepness.sqrt() };
    T::ROUNDING * slope * largest.sqrt()
}

/// Whether this precision can hold what a base other than the squared distance needs: squares of lengths within its
/// range, coordinates exact where they are compared, and differences good enough for the rate at which the kernel falls.
pub(super) fn fits<T: Real>(x: &ReadyView, z: &ReadyView, lowered: &Lowered) -> bool {
    if size_of::<T>() == 8 {
        return true;
    }
    let squares = [x.largest, z.largest, x.largest_centered, z.largest_centered];
    let in_range = squares.iter().all(|&square| square == 0.0 || (1e-30..1e30).contains(&square));
    let off = T::ROUNDING * lowered.rate * squares.iter().fold(0.0, |a: f64, &b| a.max(b)).sqrt();
    in_range && lowered.base != Base::Hamming && (lowered.base != Base::Manhattan || off <= TOLERANCE)
}
