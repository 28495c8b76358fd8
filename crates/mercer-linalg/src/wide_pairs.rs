//! Steps of pairs in registers of 512 bits: the loops of [`pairs`](crate::pairs), with the same bits.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::Real;
use crate::pairs::{Chooser, Ends, Places};

/// Registers side by side: each has a best of its own, so that no comparison waits for the one before.
const SIDE: usize = 4;

/// The lanes of a register that hold numbers when so many are left.
#[inline(always)]
fn lanes(left: usize) -> u16 {
    if left >= 16 { u16::MAX } else { (1 << left) - 1 }
}

/// A precision in registers of 512 bits. Masks have a bit for each lane.
///
/// # Safety
///
/// All functions are to be inlined into code that is compiled with AVX-512F. Loads and stores touch the lanes of the mask
/// alone, and these must be within what the pointer may reach.
pub trait Wide: Sized {
    type Numbers: Copy;
    const LANES: usize;
    unsafe fn all(value: Self) -> Self::Numbers;
    unsafe fn load(lanes: u16, from: *const Self) -> Self::Numbers;
    unsafe fn load_or(other: Self::Numbers, lanes: u16, from: *const Self) -> Self::Numbers;
    unsafe fn store(to: *mut Self, lanes: u16, numbers: Self::Numbers);
    /// a·b + c.
    unsafe fn fused(a: Self::Numbers, b: Self::Numbers, c: Self::Numbers) -> Self::Numbers;
    unsafe fn sum(a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    unsafe fn difference(a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    unsafe fn product(a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    unsafe fn ratio(a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    unsafe fn larger_of(a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    unsafe fn smaller_of(a: Self::Numbers, b: Self::Numbers) -> Self::Numbers;
    /// Where a < b, and where they are equal.
    unsafe fn is_less(a: Self::Numbers, b: Self::Numbers) -> u16;
    unsafe fn is_same(a: Self::Numbers, b: Self::Numbers) -> u16;
    /// The second where the mask says so.
    unsafe fn choose(a: Self::Numbers, lanes: u16, b: Self::Numbers) -> Self::Numbers;
    /// The largest and the least of all lanes.
    unsafe fn most(numbers: Self::Numbers) -> Self;
    unsafe fn least(numbers: Self::Numbers) -> Self;
    /// Integers as wide as the numbers: one of them in all lanes, their sum, the second where the mask says so.
    unsafe fn count(value: usize) -> __m512i;
    unsafe fn add(a: __m512i, b: __m512i) -> __m512i;
    unsafe fn choose_count(a: __m512i, lanes: u16, b: __m512i) -> __m512i;
    /// Lane plus LANES times the integer, and the least integer.
    unsafe fn places(counts: __m512i) -> __m512i;
    unsafe fn first(a: __m512i, b: __m512i) -> __m512i;
    unsafe fn first_of(places: __m512i) -> usize;
}

/// Functions of [`Wide`], each a few instructions.
macro_rules! operations {
    ($(fn $name:ident($($arg:ident: $type:ty),*) $(-> $ret:ty)? = $body:expr;)*) => {
        $(
            #[inline(always)]
            unsafe fn $name($($arg: $type),*) $(-> $ret)? {
                // SAFETY: the caller's word, as the trait asks for it.
                unsafe { $body }
            }
        )*
    };
}

macro_rules! wide {
    ($t:ty, $mask:ty, $numbers:ty, $lanes:literal, $all:ident $load:ident $load_or:ident $store:ident $fused:ident
     $add:ident $sub:ident $mul:ident $div:ident $max:ident $smaller:ident $less:ident $choose:ident $most:ident $least:ident,
     $integer:ty, $count:ident $sum:ident $choose_count:ident $shift:ident $min:ident $first:ident, $own:expr) => {
        impl Wide for $t {
            type Numbers = $numbers;
            const LANES: usize = $lanes;
            operations! {
                fn all(value: Self) -> $numbers = $all(value);
                fn load(lanes: u16, from: *const Self) -> $numbers = $load(lanes as $mask, from);
                fn load_or(other: $numbers, lanes: u16, from: *const Self) -> $numbers =
                    $load_or(other, lanes as $mask, from);
                fn store(to: *mut Self, lanes: u16, numbers: $numbers) = $store(to, lanes as $mask, numbers);
                fn fused(a: $numbers, b: $numbers, c: $numbers) -> $numbers = $fused(a, b, c);
                fn sum(a: $numbers, b: $numbers) -> $numbers = $add(a, b);
                fn difference(a: $numbers, b: $numbers) -> $numbers = $sub(a, b);
                fn product(a: $numbers, b: $numbers) -> $numbers = $mul(a, b);
                fn ratio(a: $numbers, b: $numbers) -> $numbers = $div(a, b);
                fn larger_of(a: $numbers, b: $numbers) -> $numbers = $max(a, b);
                fn smaller_of(a: $numbers, b: $numbers) -> $numbers = $smaller(a, b);
                fn is_less(a: $numbers, b: $numbers) -> u16 = u16::from($less::<_CMP_LT_OQ>(a, b));
                fn is_same(a: $numbers, b: $numbers) -> u16 = u16::from($less::<_CMP_EQ_OQ>(a, b));
                fn choose(a: $numbers, lanes: u16, b: $numbers) -> $numbers = $choose(a, lanes as $mask, b);
                fn most(numbers: $numbers) -> Self = $most(numbers);
                fn least(numbers: $numbers) -> Self = $least(numbers);
                fn count(value: usize) -> __m512i = $count(value as $integer);
                fn add(a: __m512i, b: __m512i) -> __m512i = $sum(a, b);
                fn choose_count(a: __m512i, lanes: u16, b: __m512i) -> __m512i =
                    $choose_count(a, lanes as $mask, b);
                fn places(counts: __m512i) -> __m512i =
                    $sum($shift::<{ <$integer>::ilog2($lanes) }>(counts), $own);
                fn first(a: __m512i, b: __m512i) -> __m512i = $min(a, b);
                fn first_of(places: __m512i) -> usize = $first(places) as usize;
            }
        }
    };
}

wide!(f32, u16, __m512, 16, _mm512_set1_ps _mm512_maskz_loadu_ps _mm512_mask_loadu_ps _mm512_mask_storeu_ps
    _mm512_fmadd_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_max_ps _mm512_min_ps _mm512_cmp_ps_mask
    _mm512_mask_mov_ps _mm512_reduce_max_ps _mm512_reduce_min_ps,
    i32, _mm512_set1_epi32 _mm512_add_epi32 _mm512_mask_mov_epi32 _mm512_slli_epi32 _mm512_min_epi32
    _mm512_reduce_min_epi32, _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
wide!(f64, u8, __m512d, 8, _mm512_set1_pd _mm512_maskz_loadu_pd _mm512_mask_loadu_pd _mm512_mask_storeu_pd
    _mm512_fmadd_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_max_pd _mm512_min_pd _mm512_cmp_pd_mask
    _mm512_mask_mov_pd _mm512_reduce_max_pd _mm512_reduce_min_pd,
    i64, _mm512_set1_epi64 _mm512_add_epi64 _mm512_mask_mov_epi64 _mm512_slli_epi64 _mm512_min_epi64
    _mm512_reduce_min_epi64, _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));

/// How far ahead memory is asked for.
const AHEAD: usize = 2048;

/// Asks for the numbers that come some way after these, which the processor would not do beyond the end of a page.
#[inline(always)]
fn ahead<T>(row: &[T], from: usize, count: usize) {
    ask(row.as_ptr().wrapping_add(from).cast::<i8>().wrapping_add(AHEAD), count * size_of::<T>());
}

/// Asks for the numbers that a row begins with.
#[inline(always)]
fn begin<T>(row: &[T]) {
    ask(row.as_ptr().cast(), size_of_val(row).min(AHEAD));
}

#[inline(always)]
fn ask(at: *const i8, bytes: usize) {
    const LINE: usize = 64;
    for line in 0..bytes.div_ceil(LINE) {
        // SAFETY: asking is no access, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(line * LINE)) };
    }
}

/// The best of each lane of some registers, and how many registers came before it.
struct Best<T: Wide> {
    values: [T::Numbers; SIDE],
    counts: [__m512i; SIDE],
}

impl<T: Wide> Best<T> {
    /// # Safety
    ///
    /// As for [`Wide`].
    #[inline(always)]
    unsafe fn new(start: T::Numbers) -> Self {
        // SAFETY: the caller's word.
        Self { values: [start; SIDE], counts: [unsafe { T::count(0) }; SIDE] }
    }

    /// # Safety
    ///
    /// As for [`Wide`].
    #[inline(always)]
    unsafe fn take(&mut self, side: usize, lanes: u16, value: T::Numbers, count: __m512i) {
        // SAFETY: the caller's word.
        unsafe {
            self.values[side] = T::choose(self.values[side], lanes, value);
            self.counts[side] = T::choose_count(self.counts[side], lanes, count);
        }
    }

    /// The first place of a value.
    ///
    /// # Safety
    ///
    /// As for [`Wide`].
    #[inline(always)]
    unsafe fn place(&self, value: T) -> usize {
        // SAFETY: the caller's word.
        unsafe {
            let (value, nowhere) = (T::all(value), T::count(i32::MAX as usize));
            let mut first = nowhere;
            for (values, counts) in self.values.iter().zip(&self.counts) {
                let there = T::choose_count(nowhere, T::is_same(*values, value), T::places(*counts));
                first = T::first(first, there);
            }
            T::first_of(first)
        }
    }
}

/// [`shift_slopes`](crate::shift_slopes).
#[target_feature(enable = "avx512f")]
#[allow(clippy::too_many_arguments)]
pub(crate) fn shift<T: Real>(
    slopes: &mut [T],
    rise: &[T],
    fall: &[T],
    a: T,
    x: &[T],
    b: T,
    y: &[T],
) -> Ends<T> {
    let (count, width) = (slopes.len(), SIDE * T::LANES);
    assert!([rise.len(), fall.len(), x.len(), y.len()].iter().all(|&len| len >= count));
    // SAFETY: lanes are named whose numbers are within every slice, as was looked at above.
    unsafe {
        begin(y);
        let (a, b) = (T::all(a), T::all(b));
        let (lowest, highest) = (T::all(T::of(f64::NEG_INFINITY)), T::all(T::of(f64::INFINITY)));
        let (mut top, mut bottom) = (Best::<T>::new(lowest), Best::<T>::new(highest));
        let mut look = |from: usize, side: usize, lanes: u16| {
            let here = slopes.as_mut_ptr().add(from);
            let moved = T::fused(b, T::load(lanes, y.as_ptr().add(from)), T::load(lanes, here));
            let slope = T::fused(a, T::load(lanes, x.as_ptr().add(from)), moved);
            T::store(here, lanes, slope);
            let now = T::count(from / T::LANES);
            let high = T::sum(slope, T::load_or(lowest, lanes, fall.as_ptr().add(from)));
            top.take(side, T::is_less(top.values[side], high), high, now);
            let low = T::sum(slope, T::load_or(highest, lanes, rise.as_ptr().add(from)));
            bottom.take(side, T::is_less(low, bottom.values[side]), low, now);
        };
        for from in (0..count / width * width).step_by(width) {
            ahead(x, from, width);
            ahead(y, from, width);
            for side in 0..SIDE {
                look(from + side * T::LANES, side, u16::MAX);
            }
        }
        for (side, from) in (count / width * width..count).step_by(T::LANES).enumerate() {
            look(from, side, lanes(count - from));
        }
        let values = top.values;
        let highs = T::larger_of(T::larger_of(values[0], values[1]), T::larger_of(values[2], values[3]));
        let values = bottom.values;
        let lows = T::smaller_of(T::smaller_of(values[0], values[1]), T::smaller_of(values[2], values[3]));
        let (most, least) = (T::most(highs), T::least(lows));
        let highest_at = if most.f64() == f64::NEG_INFINITY { 0 } else { top.place(most) };
        let lowest_at = if least.f64() == f64::INFINITY { 0 } else { bottom.place(least) };
        Ends { top: most, bottom: least, at: (highest_at, lowest_at) }
    }
}

/// [`best_partner`](crate::best_partner), where it is known that the best gains more than `least`, or nobody gains
/// anything: only those that may do so are divided.
#[target_feature(enable = "avx512f")]
pub(crate) fn partner<T: Real>(
    chooser: Chooser<T>,
    least: T,
    slopes: &[T],
    fall: &[T],
    diagonal: &[T],
    row: &[T],
) -> Option<usize> {
    let (count, width) = (slopes.len(), SIDE * T::LANES);
    assert!([fall.len(), diagonal.len(), row.len()].iter().all(|&len| len >= count));
    // SAFETY: lanes are named whose numbers are within every slice, as was looked at above.
    unsafe {
        begin(row);
        let (low, scale, zero) = (T::all(chooser.low), T::all(chooser.per_unit), T::all(T::ZERO));
        let (own, flat, twice) = (T::all(chooser.d), T::all(chooser.flat), T::all(T::of(-2.0)));
        let (cannot, mut bound) = (T::all(T::of(f64::NEG_INFINITY)), T::all(least));
        let slack = T::of(1.0 - 16.0 * T::ROUNDING);
        let mut best = Best::<T>::new(zero);
        let mut look = |from: usize, side: usize, lanes: u16| {
            let slope = T::load(lanes, slopes.as_ptr().add(from));
            let above = T::product(T::difference(slope, low), scale);
            let able = T::load_or(cannot, lanes, fall.as_ptr().add(from));
            let excess = T::larger_of(T::sum(above, able), zero);
            let both = T::sum(own, T::load(lanes, diagonal.as_ptr().add(from)));
            let entries = T::load(lanes, row.as_ptr().add(from));
            let curvature = T::larger_of(T::fused(twice, entries, both), flat);
            let square = T::product(excess, excess);
            if T::is_less(T::product(bound, curvature), square) != 0 {
                let gain = T::ratio(square, curvature);
                best.take(side, T::is_less(best.values[side], gain), gain, T::count(from / T::LANES));
                bound = T::larger_of(T::all(T::most(gain) * slack), bound);
            }
        };
        for from in (0..count / width * width).step_by(width) {
            ahead(row, from, width);
            for side in 0..SIDE {
                look(from + side * T::LANES, side, u16::MAX);
            }
        }
        for (side, from) in (count / width * width..count).step_by(T::LANES).enumerate() {
            look(from, side, lanes(count - from));
        }
        let values = best.values;
        let all = T::larger_of(T::larger_of(values[0], values[1]), T::larger_of(values[2], values[3]));
        let most = T::most(all);
        (most > T::ZERO).then(|| best.place(most))
    }
}

/// [`Places::pick`] for `f32`; there are as many numbers in `out` as places, and the row has all of them.
#[target_feature(enable = "avx512f")]
pub(crate) fn pick(places: &Places, row: &[f32], out: &mut [f32]) {
    let count = out.len();
    assert!(
        places.as_slice().len() == count && places.as_slice().last().is_none_or(|&last| last < row.len())
    );
    begin(row);
    for (number, &(bits, before)) in places.bits.iter().enumerate() {
        let (from, to) = (number * 16, before as usize);
        if number % 2 == 0 {
            ahead(row, from, 32);
        }
        // SAFETY: bits are places within the row, and as many numbers as bits are left in `out`.
        unsafe {
            let entries = _mm512_maskz_loadu_ps(bits, row.as_ptr().add(from));
            let picked = _mm512_maskz_compress_ps(bits, entries);
            let room = lanes(count - to);
            _mm512_mask_storeu_ps(out.as_mut_ptr().add(to), room, picked);
        }
    }
}
