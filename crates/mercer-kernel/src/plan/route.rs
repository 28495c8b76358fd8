//! Which way a distance is computed: by inner products (fast) or by differences (exact for near points).
//!
//! The GEMM form ‖x‖² + ‖z‖² − 2⟨x,z⟩ cancels for near points: its error is a few units of rounding of the largest
//! ‖x‖². What a kernel makes of that is its steepness times the error. The form, and the parts that inner products are
//! summed in, are chosen so that a bound on entries in `f32` stays within 1e-6; it is one of typical sums (`docs/maths.md` §8).

use mercer_linalg::{Base, Real, longest_part, part_count};

use super::ready::ReadyView;
use crate::kernels::Lowered;

/// How a squared distance is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// From the inner product of the points as given or centred, summed in parts of at most so many coordinates.
    Products { centered: bool, longest: usize },
    /// Coordinate by coordinate, on centred points.
    Direct,
    /// Not in this precision.
    Wider,
}

/// What an entry may be off by because of its distance.
const TOLERANCE: f64 = 1e-6;

/// Up to this many coordinates differences cost next to nothing, and no part of a sum but the last is made shorter.
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
    let products = |square: f64, centered: bool| {
        let longest = longest::<T>(dim, steepness * square)?;
        Some(Route::Products { centered, longest })
    };
    if size_of::<T>() == 8 {
        // In f64 the GEMM form is good wherever the kernel does not take a root of the distance.
        let longest = longest_part::<T>();
        let pays = steepness.is_finite() && dim > FEW;
        return if pays { Route::Products { centered: true, longest } } else { Route::Direct };
    }
    let raw = if shared { products(largest, false) } else { None };
    let centred = || if dim > FEW { products(centered, true) } else { None };
    if let Some(route) = raw.or_else(centred) {
        route
    } else if rounding::<T>(lowered, centered) <= TOLERANCE {
        Route::Direct
    } else {
        Route::Wider
    }
}

/// Whether sparse points, of which only the GEMM form is cheap, are accurate enough in this precision. Their inner products
/// are one sum each, of no more products than either point stores values.
pub(super) fn sparse_fits<T: Real>(x: &ReadyView, z: &ReadyView, steepness: f64) -> bool {
    let square = x.largest.max(z.largest);
    size_of::<T>() == 8 || is_within::<T>(steepness * square, x.stored.min(z.stored), 1)
}

/// The longest parts in which inner products are summed accurately enough, if there are any: fewer joints take less time.
/// `size` is the steepness of the kernel times the largest square.
fn longest<T: Real>(dim: usize, size: f64) -> Option<usize> {
    let (least, most) = (part_count::<T>(dim, longest_part::<T>()), (dim / FEW).max(1));
    let longest = |count: usize| dim.div_ceil(count).max(1);
    let is_enough = |&longest: &usize| is_within::<T>(size, dim, part_count::<T>(dim, longest));
    (least..=most.max(least)).map(longest).find(is_enough)
}

/// Whether an entry is accurate enough whose inner product of `dim` coordinates is summed in so many parts.
fn is_within<T: Real>(size: f64, dim: usize, parts: usize) -> bool {
    size * T::ROUNDING * growth(dim, parts) <= TOLERANCE
}

/// How much a sum of so many products loses that is made in equal parts, in units of one rounding: typical, not worst case.
fn growth(dim: usize, parts: usize) -> f64 {
    let parts = parts as f64;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_as_long_as_accuracy_allows() {
        for (dim, size, expected) in [
            (54, 2.0, Some(54)),
            (54, 3.4, Some(27)),
            (54, 100.0, None),
            (784, 2.0, Some(196)),
            (784, 3.0, Some(98)),
            // Two parts would do, but none are made of 10 coordinates; of 20 there are.
            (20, 4.6, None),
            (40, 3.7, Some(20)),
            (49, 4.0, Some(17)),
            (0, 1.0, Some(1)),
        ] {
            assert_eq!(longest::<f32>(dim, size), expected, "{dim} {size}");
        }
    }
}
