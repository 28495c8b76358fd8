//! The fused tile on dense points.
//!
//! Six rows by sixteen columns (eight in `f64`) are accumulated in registers over at most 256 coordinates (128)
//! at a time; longer points are done in equal parts whose sums are joined, which also keeps the rounding
//! error of a long sum small. A caller who needs it smaller asks for shorter parts. What follows a finished sum ([`Finish`]) happens before it leaves the
//! registers: for a Gaussian kernel, that is all of it.

use std::ops::Range;

use crate::arch::{Arch, dispatch};
use crate::base::{self, Base, MONOMIAL_DEGREE, Step};
use crate::panels::PANEL;
use crate::real::fused;
use crate::{Isa, Panels, Real, RowPack};

/// What is done with a base value while it is in a register.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Finish {
    /// Nothing.
    Plain,
    /// ‖x‖² + ‖z‖² − 2·value, not below 0: a squared distance from an inner product.
    Distance,
    /// e^(−γ·value).
    Exp(f64),
    /// e^(−γ·(‖x‖² + ‖z‖² − 2·value)), the exponent not above 0.
    DistanceExp(f64),
}

/// Bytes of a point that are gone through at a time: a panel of such parts and a group of rows stay in the first cache.
const PART: usize = 1024;

/// Coordinates that [`dense_block`] goes through at a time, if shorter parts are not asked for.
///
/// ```
/// assert_eq!(mercer_linalg::longest_part::<f32>(), 256);
/// ```
pub const fn longest_part<T: Real>() -> usize {
    PART / size_of::<T>()
}

/// How many parts [`dense_block`] makes of `dim` coordinates where none is to be longer than `longest`.
///
/// ```
/// assert_eq!(mercer_linalg::part_count::<f32>(784, 98), 8);
/// assert_eq!(mercer_linalg::part_count::<f32>(784, 1000), 4);
/// ```
pub fn part_count<T: Real>(dim: usize, longest: usize) -> usize {
    dim.div_ceil(longest.clamp(1, longest_part::<T>())).max(1)
}

/// The parts of `dim` coordinates: as equal as they can be, and none longer than asked.
pub(crate) fn parts<T: Real>(dim: usize, longest: usize) -> impl Iterator<Item = Range<usize>> {
    let count = part_count::<T>(dim, longest);
    let part = dim.div_ceil(count);
    (0..count).map(move |p| p * part..((p + 1) * part).min(dim))
}

/// Rows of a register tile: with two registers of columns, twelve accumulators of eight `f32` or four `f64` leave four of
/// sixteen registers for what is multiplied.
pub(crate) const GROUP: usize = 6;

/// Up to so many coordinates differences pay in registers of 512 bits that are worked on by halves, without an exponential
/// and with one.
#[cfg(target_arch = "x86_64")]
const FEW: usize = 16;
#[cfg(target_arch = "x86_64")]
const FEW_WITH_EXP: usize = 32;

impl<T: Real> RowPack<T> {
    /// Packs rows of a collection; the memory of an earlier packing is used again.
    pub fn pack(&mut self, from: &Panels<T>, rows: &[usize]) {
        self.fill(from, rows, GROUP);
    }

    /// The same straight from points of `dim` coordinates: `read(i, first, out)` writes those of point i from `first` on.
    pub fn pack_from(&mut self, rows: &[usize], dim: usize, read: impl Fn(usize, usize, &mut [f64])) {
        self.fill_from::<GROUP>(rows, dim, read);
    }
}

/// Fills `out` (row-major, `stride` values a row) with base values between packed rows and columns `columns`.
///
/// `columns` starts at a multiple of [`PANEL`]; whole panels are written, so a row of `out` must have room
/// for the last panel in full, and `out` for the last group of rows in full. Sums over coordinates are made in equal parts of
/// at most `longest`, and of at most [`longest_part`].
#[allow(clippy::too_many_arguments)]
pub fn dense_block<T: Real>(
    isa: Isa,
    base: Base,
    x: &RowPack<T>,
    z: &Panels<T>,
    columns: Range<usize>,
    finish: Finish,
    longest: usize,
    out: &mut [T],
    stride: usize,
) {
    #[cfg(target_arch = "x86_64")]
    if let Some(sum) = crate::wide::Sum::of(base).filter(|_| base.pays_wide::<T>(isa, finish, z.dim())) {
        // SAFETY: it pays only with an `Isa` that is non-exhaustive, so that only this crate makes it, after finding AVX-512F.
        #[allow(unsafe_code)]
        return unsafe { crate::wide::wide_block(sum, x, z, columns, finish, longest, out, stride) };
    }
    match base {
        Base::Dot => finished::<T, base::Dot>(isa, x, z, columns, finish, longest, out, stride),
        Base::SquaredDistance => {
            finished::<T, base::Squared>(isa, x, z, columns, finish, longest, out, stride)
        }
        Base::Manhattan => finished::<T, base::Manhattan>(isa, x, z, columns, finish, longest, out, stride),
        Base::Hamming => tile::<T, base::Hamming, Plain>(isa, x, z, columns, Plain, longest, out, stride),
        Base::Minimum => tile::<T, base::Minimum, Plain>(isa, x, z, columns, Plain, longest, out, stride),
        Base::ChiSquared => {
            tile::<T, base::ChiSquared, Plain>(isa, x, z, columns, Plain, longest, out, stride)
        }
        Base::Harmonic => tile::<T, base::Harmonic, Plain>(isa, x, z, columns, Plain, longest, out, stride),
        Base::Subsets => tile::<T, base::Subsets, Plain>(isa, x, z, columns, Plain, longest, out, stride),
        Base::Monomials(degree) => monomials::<T>(isa, x, z, columns, degree.into(), out, stride),
    }
}

impl Base {
    /// Whether [`dense_block`] computes it in registers of 512 bits where that pays.
    pub fn is_wide(self, isa: Isa) -> bool {
        isa.has_wide_registers() && matches!(self, Base::Dot | Base::SquaredDistance)
    }

    /// Whether it pays. Where an operation of 512 bits is made in two halves, halves of a difference and of a product that
    /// are independent of each other run side by side more often, which counts for more than fewer instructions do where
    /// there are many coordinates and little to finish.
    #[cfg(target_arch = "x86_64")]
    fn pays_wide<T: Real>(self, isa: Isa, finish: Finish, dim: usize) -> bool {
        self.is_wide(isa)
            && (isa == Isa::Avx512
                || self == Base::Dot
                || match finish {
                    Finish::Exp(_) => size_of::<T>() == 8 || dim <= FEW_WITH_EXP,
                    _ => dim <= FEW,
                })
    }

    /// Whether [`dense_block`] does this finish in registers for this base.
    pub fn fuses(self, finish: Finish) -> bool {
        match finish {
            Finish::Plain => true,
            Finish::Exp(_) => matches!(self, Base::SquaredDistance | Base::Manhattan),
            Finish::Distance | Finish::DistanceExp(_) => self == Base::Dot,
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn finished<T: Real, S: Step<T>>(
    isa: Isa,
    x: &RowPack<T>,
    z: &Panels<T>,
    columns: Range<usize>,
    finish: Finish,
    longest: usize,
    out: &mut [T],
    stride: usize,
) {
    let rate = |gamma: f64| T::of(-gamma * std::f64::consts::LOG2_E);
    match finish {
        Finish::Plain => tile::<T, S, Plain>(isa, x, z, columns, Plain, longest, out, stride),
        Finish::Distance => tile::<T, S, Distance>(isa, x, z, columns, Distance, longest, out, stride),
        Finish::Exp(gamma) => {
            tile::<T, S, Exp<T>>(isa, x, z, columns, Exp(rate(gamma)), longest, out, stride)
        }
        Finish::DistanceExp(gamma) => {
            let squares = &z.squares()[columns.start..columns.end.next_multiple_of(PANEL)];
            tile::<T, S, Plain>(isa, x, z, columns, Plain, longest, out, stride);
            exp_of_distances(isa, x, squares, rate(gamma), out, stride);
        }
    }
}

/// A [`Finish`], statically known inside a tile; `s` is ‖x‖² + ‖z‖².
trait Epilogue<T: Real>: Copy {
    fn finish<A: Arch>(self, value: T, s: T) -> T;
}

#[derive(Clone, Copy)]
struct Plain;
impl<T: Real> Epilogue<T> for Plain {
    #[inline(always)]
    fn finish<A: Arch>(self, value: T, _: T) -> T {
        value
    }
}

#[derive(Clone, Copy)]
struct Distance;
impl<T: Real> Epilogue<T> for Distance {
    #[inline(always)]
    fn finish<A: Arch>(self, value: T, s: T) -> T {
        fused::<T, A>(T::of(-2.0), value, s).larger(T::ZERO)
    }
}

#[derive(Clone, Copy)]
struct Exp<T>(T);
impl<T: Real> Epilogue<T> for Exp<T> {
    #[inline(always)]
    fn finish<A: Arch>(self, value: T, _: T) -> T {
        falling::<T, A>(self.0 * value)
    }
}

#[inline(always)]
pub(crate) fn exp2<T: Real, A: Arch>(t: T) -> T {
    if A::FUSED { t.exp2_fast::<true>() } else { t.exp2_fast::<false>() }
}

/// 2^t for t ≤ 0.
#[inline(always)]
pub(crate) fn falling<T: Real, A: Arch>(t: T) -> T {
    if A::FUSED { t.exp2_falling::<true>() } else { t.exp2_falling::<false>() }
}

dispatch! {
    fn tile<T: Real, S: Step<T>, E: Epilogue<T>>(isa, x: &RowPack<T>, z: &Panels<T>, columns: Range<usize>, epilogue: E, longest: usize, out: &mut [T], stride: usize) = tile_body
}

#[inline(always)]
fn tile_body<T: Real, S: Step<T>, E: Epilogue<T>, A: Arch>(
    x: &RowPack<T>,
    z: &Panels<T>,
    columns: Range<usize>,
    epilogue: E,
    longest: usize,
    out: &mut [T],
    stride: usize,
) {
    if size_of::<T>() == 4 {
        groups::<T, S, E, A, PANEL>(x, z, columns, epilogue, longest, out, stride);
    } else {
        groups::<T, S, E, A, { PANEL / 2 }>(x, z, columns, epilogue, longest, out, stride);
    }
}

/// Loops, not closures: what a closure calls need not be compiled for this function's registers.
#[inline(always)]
#[allow(clippy::needless_range_loop)]
fn groups<T: Real, S: Step<T>, E: Epilogue<T>, A: Arch, const W: usize>(
    x: &RowPack<T>,
    z: &Panels<T>,
    columns: Range<usize>,
    epilogue: E,
    longest: usize,
    out: &mut [T],
    stride: usize,
) {
    let dim = x.dim;
    let panels = columns.start / PANEL..columns.end.div_ceil(PANEL);
    let (x_all, _) = x.values.as_chunks::<GROUP>();
    let (squares, _) = x.squares.as_chunks::<GROUP>();
    for range in parts::<T>(dim, longest) {
        let (is_first, is_last) = (range.start == 0, range.end == dim);
        for (at, panel) in panels.clone().enumerate() {
            let z_part = z.panel(panel, range.clone());
            for (g, first) in
                (0..squares.len()).flat_map(|g| (0..PANEL).step_by(W).map(move |first| (g, first)))
            {
                let z_squares = array::<T, W>(&z.squares()[panel * PANEL + first..]);
                let x_part = &x_all[g * dim + range.start..g * dim + range.end];
                let mut sums = accumulate::<T, S, A, W>(x_part, z_part, first);
                let rows = &mut out[g * GROUP * stride + at * PANEL + first..];
                if !is_first {
                    for (sum, row) in sums.iter_mut().zip(rows.chunks(stride)) {
                        let before = array::<T, W>(row);
                        for j in 0..W {
                            sum[j] = S::join(before[j], sum[j]);
                        }
                    }
                }
                if is_last {
                    for (sum, x_square) in sums.iter_mut().zip(&squares[g]) {
                        for j in 0..W {
                            sum[j] = epilogue.finish::<A>(sum[j], *x_square + z_squares[j]);
                        }
                    }
                }
                for (sum, row) in sums.iter().zip(rows.chunks_mut(stride)) {
                    row[..W].copy_from_slice(sum);
                }
            }
        }
    }
}

#[inline(always)]
fn array<T: Real, const W: usize>(values: &[T]) -> [T; W] {
    values[..W].try_into().expect("W values")
}

/// One register tile: W columns of a panel from `first` on.
#[inline(always)]
fn accumulate<T: Real, S: Step<T>, A: Arch, const W: usize>(
    x: &[[T; GROUP]],
    z: &[[T; PANEL]],
    first: usize,
) -> [[T; W]; GROUP] {
    let mut sums = [[S::START; W]; GROUP];
    for (x, z) in x.iter().zip(z) {
        let z = array::<T, W>(&z[first..]);
        for i in 0..GROUP {
            for j in 0..W {
                sums[i][j] = S::step::<A>(sums[i][j], x[i], z[j]);
            }
        }
    }
    sums
}

dispatch! {
    /// 2^(rate·(s + t − 2v)) for rows of inner products v, the exponent not above 0.
    fn exp_of_distances<T: Real>(isa, x: &RowPack<T>, z_squares: &[T], rate: T, out: &mut [T], stride: usize) = exp_body
}

#[inline(always)]
fn exp_body<T: Real, A: Arch>(x: &RowPack<T>, z_squares: &[T], rate: T, out: &mut [T], stride: usize) {
    let twice = T::of(-2.0) * rate;
    for (row, &x_square) in out.chunks_mut(stride).zip(&x.squares) {
        for (v, &z_square) in row.iter_mut().zip(z_squares) {
            let t = fused::<T, A>(twice, *v, rate * (x_square + z_square));
            *v = falling::<T, A>(t.smaller(T::ZERO));
        }
    }
}

dispatch! {
    fn monomials<T: Real>(isa, x: &RowPack<T>, z: &Panels<T>, columns: Range<usize>, degree: usize, out: &mut [T], stride: usize) = monomials_body
}

/// h_r ← h_r + x_j·z_j·h_{r−1} for r = p … 1 would forget repeated factors; ascending r keeps them
/// (`docs/maths.md` §1.1, complete homogeneous symmetric polynomials).
#[inline(always)]
fn monomials_body<T: Real, A: Arch>(
    x: &RowPack<T>,
    z: &Panels<T>,
    columns: Range<usize>,
    degree: usize,
    out: &mut [T],
    stride: usize,
) {
    let dim = x.dim;
    for (at, panel) in (columns.start / PANEL..columns.end.div_ceil(PANEL)).enumerate() {
        let z_panel = z.panel(panel, 0..dim);
        for row in 0..x.rows {
            let x_group = &x.values[(row / GROUP) * dim * GROUP..];
            let mut h = [[T::ZERO; PANEL]; MONOMIAL_DEGREE + 1];
            h[0] = [T::ONE; PANEL];
            for (x, z) in x_group.chunks_exact(GROUP).zip(z_panel) {
                for r in 1..=degree {
                    for j in 0..PANEL {
                        h[r][j] = fused::<T, A>(x[row % GROUP] * z[j], h[r - 1][j], h[r][j]);
                    }
                }
            }
            for j in 0..PANEL {
                let mut sum = T::ZERO;
                for h in &h[..=degree] {
                    sum += h[j];
                }
                out[row * stride + at * PANEL + j] = sum;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::{Avx2, Portable};

    fn coordinate(i: usize, j: usize) -> f64 {
        (((i * 37 + j * 101) % 89) as f64 / 89.0) * if j.is_multiple_of(3) { 1.0 } else { 0.7 }
    }

    fn check<T: Real>(isa: Isa, base: Base, n: usize, dim: usize, tolerance: f64) {
        let z = Panels::<T>::pack(n, dim, |i, first, row| {
            row.iter_mut().enumerate().for_each(|(j, v)| *v = coordinate(i, first + j))
        });
        let rows: Vec<usize> = (0..n).rev().collect();
        let mut x = RowPack::default();
        x.pack(&z, &rows);
        let stride = n.next_multiple_of(PANEL);
        let mut out = vec![T::ZERO; rows.len().next_multiple_of(6) * stride];
        dense_block(isa, base, &x, &z, 0..n, Finish::Plain, longest_part::<T>(), &mut out, stride);
        for (at, &i) in rows.iter().enumerate() {
            for j in 0..n {
                let point = |i: usize| (0..dim).map(|k| z.value(i, k).f64()).collect::<Vec<f64>>();
                let want = base.pair(&point(i), &point(j));
                let error = (out[at * stride + j].f64() - want).abs();
                assert!(
                    error <= tolerance * want.abs().max(1.0),
                    "{isa:?} {base:?} n={n} d={dim} ({i},{j}): {error:e}"
                );
            }
        }
    }

    #[test]
    fn every_base_is_its_definition_at_odd_sizes() {
        use Base::*;
        for isa in Isa::available() {
            for base in [
                Dot,
                SquaredDistance,
                Manhattan,
                Hamming,
                Minimum,
                ChiSquared,
                Harmonic,
                Subsets,
                Monomials(3),
            ] {
                for (n, dim) in [(1, 1), (5, 3), (17, 8), (33, 19), (7, 0)] {
                    check::<f32>(isa, base, n, dim, 2e-6);
                    check::<f64>(isa, base, n, dim, 1e-13);
                }
            }
            for base in [Dot, SquaredDistance] {
                check::<f32>(isa, base, 9, 300, 2e-6);
                check::<f64>(isa, base, 9, 700, 1e-13);
            }
        }
    }

    fn points<T: Real>(n: usize, among: Range<usize>) -> Panels<T> {
        Panels::pack(n, among.len(), |i, first, row| {
            row.iter_mut().enumerate().for_each(|(j, v)| *v = coordinate(i, among.start + first + j))
        })
    }

    /// Blocks need not begin with the first column.
    fn first_column(n: usize) -> usize {
        if n > 40 { PANEL } else { 0 }
    }

    fn bits<T: Real>(
        isa: Isa,
        base: Base,
        finish: Finish,
        n: usize,
        among: Range<usize>,
        longest: usize,
    ) -> Vec<T> {
        let z = points::<T>(n, among);
        let mut x = RowPack::default();
        x.pack(&z, &(0..n).step_by(2).collect::<Vec<_>>());
        let first = first_column(n);
        let stride = (n - first).next_multiple_of(PANEL);
        // The last row has no more room than it needs, as where a wider block is filled strip by strip.
        let (width, stride) = (stride, stride + 2 * PANEL);
        let mut out = vec![T::ZERO; x.rows.next_multiple_of(GROUP) * stride - (stride - width)];
        dense_block(isa, base, &x, &z, first..n, finish, longest, &mut out, stride);
        out
    }

    /// An entry as registers of any width make it: one pair by itself.
    fn alone<T: Real, A: Arch>(
        base: Base,
        finish: Finish,
        points: &Panels<T>,
        (i, j): (usize, usize),
        longest: usize,
    ) -> T {
        let mut sum = T::ZERO;
        for part in parts::<T>(points.dim(), longest) {
            let before = (part.start > 0).then_some(sum);
            sum = T::ZERO;
            for (x, z) in part.map(|k| (points.value(i, k), points.value(j, k))) {
                sum = if base == Base::Dot {
                    fused::<T, A>(x, z, sum)
                } else {
                    fused::<T, A>(x - z, x - z, sum)
                };
            }
            sum = before.map_or(sum, |before| before + sum);
        }
        let squares = points.squares()[i] + points.squares()[j];
        let rate = |gamma: f64| T::of(-gamma * std::f64::consts::LOG2_E);
        match finish {
            Finish::Plain => sum,
            Finish::Distance => fused::<T, A>(T::of(-2.0), sum, squares).larger(T::ZERO),
            Finish::Exp(gamma) => falling::<T, A>(rate(gamma) * sum),
            Finish::DistanceExp(gamma) => {
                let t = fused::<T, A>(T::of(-2.0) * rate(gamma), sum, rate(gamma) * squares);
                falling::<T, A>(t.smaller(T::ZERO))
            }
        }
    }

    fn check_bits<T: Real, A: Arch>(
        isa: Isa,
        base: Base,
        finish: Finish,
        n: usize,
        dim: usize,
        longest: usize,
    ) {
        let points = points::<T>(n, 0..dim);
        let first = first_column(n);
        let found = bits::<T>(isa, base, finish, n, 0..dim, longest);
        let stride = (n - first).next_multiple_of(PANEL) + 2 * PANEL;
        for (at, i) in (0..n).step_by(2).enumerate() {
            for j in first..n {
                let (found, alone) =
                    (found[at * stride + j - first], alone::<T, A>(base, finish, &points, (i, j), longest));
                assert_eq!(found, alone, "{isa:?} {base:?} {finish:?} n={n} d={dim} {longest} ({i},{j})");
            }
        }
    }

    #[test]
    fn registers_do_not_change_a_bit() {
        let finishes = [Finish::Plain, Finish::Distance, Finish::Exp(0.3), Finish::DistanceExp(0.3)];
        for (base, finish) in [Base::Dot, Base::SquaredDistance]
            .into_iter()
            .flat_map(|base| finishes.map(|finish| (base, finish)))
            .filter(|(base, finish)| base.fuses(*finish))
        {
            for (n, dim) in [(1, 1), (13, 3), (33, 19), (90, 54), (47, 300), (26, 700), (7, 0)] {
                for (isa, longest) in
                    Isa::available().into_iter().flat_map(|isa| [256, 27].map(|most| (isa, most)))
                {
                    if isa == Isa::Portable {
                        check_bits::<f32, Portable>(isa, base, finish, n, dim, longest);
                        check_bits::<f64, Portable>(isa, base, finish, n, dim, longest);
                    } else {
                        check_bits::<f32, Avx2>(isa, base, finish, n, dim, longest);
                        check_bits::<f64, Avx2>(isa, base, finish, n, dim, longest);
                    }
                }
            }
        }
    }

    #[test]
    fn sums_are_joined_from_the_parts_that_were_asked_for() {
        for (dim, longest, expected) in
            [(54, 27, 27), (54, 28, 27), (55, 27, 19), (300, 256, 150), (300, 1000, 150), (784, 98, 98)]
        {
            for (isa, base) in Isa::available()
                .into_iter()
                .flat_map(|isa| [Base::Dot, Base::Manhattan].map(|base| (isa, base)))
            {
                let of = |among, longest| bits::<f32>(isa, base, Finish::Plain, 37, among, longest);
                let mut sum = of(0..expected, 256);
                for first in (expected..dim).step_by(expected) {
                    let part = of(first..(first + expected).min(dim), 256);
                    sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
                }
                assert_eq!(of(0..dim, longest), sum, "{isa:?} {base:?} d={dim} {longest}");
            }
        }
    }
}
