//! The tile on dense points in registers of 512 bits.
//!
//! Twelve rows by two registers of columns: twenty-four sums leave eight of thirty-two registers for what is multiplied.
//! Every entry is made by the operations of the tile of 256 bits in their order, so that it has the same bits
//! (`docs/maths.md` §8); which of the two runs is a matter of time alone.

#![allow(unsafe_code)]

use std::any::TypeId;
use std::arch::x86_64::*;
use std::ops::Range;

use crate::dense::{Finish, GROUP, parts};
use crate::panels::PANEL;
use crate::real::{EXP2_F32, EXP2_F64};
use crate::{Base, Panels, Real, RowPack};

/// What is summed over coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sum {
    /// x·z.
    Products,
    /// (x−z)².
    Squares,
}

impl Sum {
    /// What there is a wide tile for.
    pub(crate) fn of(base: Base) -> Option<Self> {
        match base {
            Base::Dot => Some(Self::Products),
            Base::SquaredDistance => Some(Self::Squares),
            _ => None,
        }
    }
}

/// A register of numbers. Every method is for callers that are compiled with AVX-512F.
trait Vector: Copy {
    type Real: Real;
    const LEN: usize;
    /// Coefficients of 2^f, the range of exponents from below, and 1.5 times 2 to the length of the mantissa.
    const EXP2: &'static [f64];
    const LOW: Self::Real;
    const MAGIC: Self::Real;

    unsafe fn splat(value: Self::Real) -> Self;
    unsafe fn load(from: *const Self::Real) -> Self;
    unsafe fn store(self, to: *mut Self::Real);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    /// self·b + c.
    unsafe fn mul_add(self, b: Self, c: Self) -> Self;
    unsafe fn larger(self, other: Self) -> Self;
    unsafe fn smaller(self, other: Self) -> Self;
    /// 2^k for a whole k that was added to [`MAGIC`](Self::MAGIC).
    unsafe fn power(self) -> Self;

    /// 2^t for t ≤ 0, as [`Real::exp2_falling`] has it.
    #[inline(always)]
    unsafe fn exp2_falling(self) -> Self {
        // SAFETY: the caller is compiled with AVX-512F.
        unsafe {
            let magic = Self::splat(Self::MAGIC);
            let t = self.larger(Self::splat(Self::LOW));
            let shifted = t.add(magic);
            let f = t.sub(shifted.sub(magic));
            let mut sum = Self::splat(Self::Real::of(Self::EXP2[0]));
            for &c in &Self::EXP2[1..] {
                sum = sum.mul_add(f, Self::splat(Self::Real::of(c)));
            }
            sum.mul(shifted.power())
        }
    }
}

macro_rules! vector {
    ($register:ty, $real:ty, $len:literal, $exp:expr, $low:literal, $bias:literal, $mantissa:literal, $splat:ident, $load:ident,
     $store:ident, $add:ident, $sub:ident, $mul:ident, $fma:ident, $max:ident, $min:ident, $to_bits:ident, $of_bits:ident,
     $whole:ident, $plus:ident, $left:ident) => {
        impl Vector for $register {
            type Real = $real;
            const LEN: usize = $len;
            const EXP2: &'static [f64] = &$exp;
            const LOW: $real = $low;
            const MAGIC: $real = 1.5 * (1u64 << $mantissa) as $real;

            #[inline(always)]
            unsafe fn splat(value: $real) -> Self {
                // SAFETY: the caller is compiled with AVX-512F, here and below.
                unsafe { $splat(value) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $real) -> Self {
                // SAFETY: the caller points at so many numbers.
                unsafe { $load(from) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $real) {
                // SAFETY: the caller points at room for so many numbers.
                unsafe { $store(to, self) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: as for `splat`.
                unsafe { $add(self, other) }
            }
            #[inline(always)]
            unsafe fn sub(self, other: Self) -> Self {
                // SAFETY: as for `splat`.
                unsafe { $sub(self, other) }
            }
            #[inline(always)]
            unsafe fn mul(self, other: Self) -> Self {
                // SAFETY: as for `splat`.
                unsafe { $mul(self, other) }
            }
            #[inline(always)]
            unsafe fn mul_add(self, b: Self, c: Self) -> Self {
                // SAFETY: as for `splat`.
                unsafe { $fma(self, b, c) }
            }
            #[inline(always)]
            unsafe fn larger(self, other: Self) -> Self {
                // SAFETY: as for `splat`.
                unsafe { $max(self, other) }
            }
            #[inline(always)]
            unsafe fn smaller(self, other: Self) -> Self {
                // SAFETY: as for `splat`.
                unsafe { $min(self, other) }
            }
            #[inline(always)]
            unsafe fn power(self) -> Self {
                // SAFETY: as for `splat`.
                unsafe { $of_bits($left::<$mantissa>($plus($to_bits(self), $whole($bias)))) }
            }
        }
    };
}

vector!(
    __m512,
    f32,
    16,
    EXP2_F32,
    -127.0,
    127,
    23,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_fmadd_ps,
    _mm512_max_ps,
    _mm512_min_ps,
    _mm512_castps_si512,
    _mm512_castsi512_ps,
    _mm512_set1_epi32,
    _mm512_add_epi32,
    _mm512_slli_epi32
);
vector!(
    __m512d,
    f64,
    8,
    EXP2_F64,
    -1023.0,
    1023,
    52,
    _mm512_set1_pd,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_add_pd,
    _mm512_sub_pd,
    _mm512_mul_pd,
    _mm512_fmadd_pd,
    _mm512_max_pd,
    _mm512_min_pd,
    _mm512_castpd_si512,
    _mm512_castsi512_pd,
    _mm512_set1_epi64,
    _mm512_add_epi64,
    _mm512_slli_epi64
);

/// Where a block's numbers are; see [`wide_block`] for how many.
#[derive(Clone, Copy)]
struct Job<T> {
    x: *const T,
    x_squares: *const T,
    z: *const T,
    z_squares: *const T,
    out: *mut T,
    groups: usize,
    dim: usize,
    panels: (usize, usize),
    longest: usize,
    stride: usize,
}

impl<T> Job<T> {
    fn cast<U>(self) -> Job<U> {
        let Self { x, x_squares, z, z_squares, out, groups, dim, panels, longest, stride } = self;
        Job {
            x: x.cast(),
            x_squares: x_squares.cast(),
            z: z.cast(),
            z_squares: z_squares.cast(),
            out: out.cast(),
            groups,
            dim,
            panels,
            longest,
            stride,
        }
    }
}

/// [`dense_block`](crate::dense_block) for machines with AVX-512.
#[target_feature(enable = "avx512f")]
#[allow(clippy::too_many_arguments)]
pub(crate) fn wide_block<T: Real>(
    sum: Sum,
    x: &RowPack<T>,
    z: &Panels<T>,
    columns: Range<usize>,
    finish: Finish,
    longest: usize,
    out: &mut [T],
    stride: usize,
) {
    let panels = (columns.start / PANEL, columns.end.div_ceil(PANEL));
    let (groups, dim) = (x.squares.len() / GROUP, x.dim);
    let packed = z.panel(0, 0..panels.1 * dim);
    let width = panels.1.saturating_sub(panels.0) * PANEL;
    assert!(
        x.values.len() >= groups * dim * GROUP && z.squares().len() >= panels.1 * PANEL && z.dim() == dim
    );
    // The last row may end with its last panel.
    let last = (groups * GROUP).saturating_sub(1) * stride + if groups > 0 { width } else { 0 };
    assert!(stride >= width && out.len() >= last);
    assert!([TypeId::of::<f32>(), TypeId::of::<f64>()].contains(&TypeId::of::<T>()));
    let job = Job {
        x: x.values.as_ptr(),
        x_squares: x.squares.as_ptr(),
        z: packed.as_ptr().cast::<T>(),
        z_squares: z.squares().as_ptr(),
        out: out.as_mut_ptr(),
        groups,
        dim,
        panels,
        longest,
        stride,
    };
    // SAFETY: T is `f32` or `f64` and there are so many numbers, as was looked at above; and this function runs on machines
    // with AVX-512F only.
    unsafe {
        match (size_of::<T>(), sum) {
            (4, Sum::Products) => block::<__m512, false>(job.cast(), finish),
            (4, Sum::Squares) => block::<__m512, true>(job.cast(), finish),
            (_, Sum::Products) => block::<__m512d, false>(job.cast(), finish),
            (_, Sum::Squares) => block::<__m512d, true>(job.cast(), finish),
        }
    }
}

/// What is done with finished sums, with the numbers it needs.
#[derive(Clone, Copy)]
enum End<T> {
    Plain,
    Distance,
    Exp(T),
    DistanceExp(T),
}

#[inline(always)]
unsafe fn block<V: Vector, const DIFFER: bool>(job: Job<V::Real>, finish: Finish) {
    let rate = |gamma: f64| V::Real::of(-gamma * std::f64::consts::LOG2_E);
    let end = match finish {
        Finish::Plain => End::Plain,
        Finish::Distance => End::Distance,
        Finish::Exp(gamma) => End::Exp(rate(gamma)),
        Finish::DistanceExp(gamma) => End::DistanceExp(rate(gamma)),
    };
    // Registers of columns, two at a time: those of two panels of `f32`, or of one of `f64`.
    let (first, last) = (job.panels.0 * PANEL / V::LEN, job.panels.1 * PANEL / V::LEN);
    for part in parts::<V::Real>(job.dim, job.longest) {
        let span =
            Span { from: part.start, to: part.end, is_first: part.start == 0, is_last: part.end == job.dim };
        for column in (first..last).step_by(2) {
            for group in (0..job.groups).step_by(2) {
                // SAFETY: rows and columns are within what the job stands for.
                unsafe {
                    match (group + 1 < job.groups, column + 1 < last) {
                        (true, true) => tile::<V, DIFFER, 2, 2>(job, group, column, span, end),
                        (true, false) => tile::<V, DIFFER, 2, 1>(job, group, column, span, end),
                        (false, true) => tile::<V, DIFFER, 1, 2>(job, group, column, span, end),
                        (false, false) => tile::<V, DIFFER, 1, 1>(job, group, column, span, end),
                    }
                }
            }
        }
    }
}

/// Coordinates that are gone through at a time.
#[derive(Clone, Copy)]
struct Span {
    from: usize,
    to: usize,
    is_first: bool,
    is_last: bool,
}

/// G groups of rows by C registers of columns.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // Counted loops of known length are unrolled into registers.
unsafe fn tile<V: Vector, const DIFFER: bool, const G: usize, const C: usize>(
    job: Job<V::Real>,
    group: usize,
    column: usize,
    span: Span,
    end: End<V::Real>,
) {
    let lanes = PANEL / V::LEN;
    // SAFETY: `group..group + G` and `column..column + C` are within the job, and so is what is read and written of them.
    unsafe {
        let zero = V::splat(V::Real::ZERO);
        let mut sums = [[[zero; C]; GROUP]; G];
        // Loops, not closures: what a closure calls is not compiled for this function's registers.
        let mut x = [job.x; G];
        for g in 0..G {
            x[g] = job.x.add((group + g) * job.dim * GROUP);
        }
        let mut z = [job.z; C];
        for c in 0..C {
            let (panel, lane) = ((column + c) / lanes, (column + c) % lanes);
            // Points without coordinates have no numbers that this could point at.
            z[c] = job.z.wrapping_add(panel * job.dim * PANEL + lane * V::LEN);
        }
        for k in span.from..span.to {
            let mut columns = [zero; C];
            for c in 0..C {
                columns[c] = V::load(z[c].add(k * PANEL));
            }
            for g in 0..G {
                for i in 0..GROUP {
                    let x = V::splat(*x[g].add(k * GROUP + i));
                    for c in 0..C {
                        let sum = sums[g][i][c];
                        sums[g][i][c] = if DIFFER {
                            let d = x.sub(columns[c]);
                            d.mul_add(d, sum)
                        } else {
                            x.mul_add(columns[c], sum)
                        };
                    }
                }
            }
        }
        let first = job.panels.0 * lanes;
        for g in 0..G {
            for i in 0..GROUP {
                let row = (group + g) * GROUP + i;
                for c in 0..C {
                    let out = job.out.add(row * job.stride + (column + c - first) * V::LEN);
                    let mut sum = sums[g][i][c];
                    if !span.is_first {
                        sum = V::load(out).add(sum);
                    }
                    if span.is_last {
                        let squares = V::splat(*job.x_squares.add(row))
                            .add(V::load(job.z_squares.add((column + c) * V::LEN)));
                        sum = finished(sum, squares, end);
                    }
                    sum.store(out);
                }
            }
        }
    }
}

/// The end of a sum, where `squares` is ‖x‖² + ‖z‖².
#[inline(always)]
unsafe fn finished<V: Vector>(sum: V, squares: V, end: End<V::Real>) -> V {
    let number = |value: f64| V::Real::of(value);
    // SAFETY: the caller is compiled with AVX-512F.
    unsafe {
        match end {
            End::Plain => sum,
            End::Distance => V::splat(number(-2.0)).mul_add(sum, squares).larger(V::splat(V::Real::ZERO)),
            End::Exp(rate) => V::splat(rate).mul(sum).exp2_falling(),
            End::DistanceExp(rate) => {
                let twice = V::splat(number(-2.0) * rate);
                let t = twice.mul_add(sum, V::splat(rate).mul(squares));
                t.smaller(V::splat(V::Real::ZERO)).exp2_falling()
            }
        }
    }
}
