//! Steps of pairs in registers of 512 bits: the loops of [`pairs`](crate::pairs), with the same bits.

#![allow(unsafe_code)]

use std::any::TypeId;
use std::arch::x86_64::*;

use crate::Real;
use crate::pairs::{Ends, Places};

/// Numbers of a register, and registers side by side: each has a best of its own, so that no comparison waits for the one
/// before.
const LANES: usize = 8;
const SIDE: usize = 4;

/// The lanes of a register that hold numbers when so many are left.
#[inline(always)]
fn lanes(left: usize) -> u16 {
    if left >= 16 { u16::MAX } else { (1 << left) - 1 }
}

/// Up to eight numbers of either precision as `f64`.
///
/// # Safety
///
/// There are numbers of `f32` or `f64` in these lanes, and the caller is compiled with AVX-512F.
#[inline(always)]
unsafe fn eight<T: Real>(from: *const T, lanes: __mmask8) -> __m512d {
    // SAFETY: the caller's word; T is told by its size.
    unsafe {
        if size_of::<T>() == 4 {
            let single = _mm512_maskz_loadu_ps(lanes.into(), from.cast());
            _mm512_cvtps_pd(_mm512_castps512_ps256(single))
        } else {
            _mm512_maskz_loadu_pd(lanes, from.cast())
        }
    }
}

/// Asks for the numbers that come some way after these 32, which the processor would not do beyond the end of a page.
#[inline(always)]
fn ahead<T>(row: &[T], from: usize) {
    const BYTES: usize = 2048;
    const LINE: usize = 64;
    let at = row.as_ptr().wrapping_add(from).cast::<i8>().wrapping_add(BYTES);
    for line in 0..(32 * size_of::<T>() / LINE) {
        // SAFETY: asking is no access, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(line * LINE)) };
    }
}

/// [`shift_slopes`](crate::shift_slopes).
#[target_feature(enable = "avx512f")]
#[allow(clippy::too_many_arguments)]
pub(crate) fn shift<T: Real>(
    slopes: &mut [f64],
    rise: &[f64],
    fall: &[f64],
    a: f64,
    x: &[T],
    b: f64,
    y: &[T],
) -> Ends {
    const WIDTH: usize = SIDE * LANES;
    let count = slopes.len();
    assert!([rise.len(), fall.len(), x.len(), y.len()].iter().all(|&len| len >= count));
    assert!([TypeId::of::<f32>(), TypeId::of::<f64>()].contains(&TypeId::of::<T>()));
    let (a, b) = (_mm512_set1_pd(a), _mm512_set1_pd(b));
    let (lowest, highest) = (_mm512_set1_pd(f64::NEG_INFINITY), _mm512_set1_pd(f64::INFINITY));
    let (mut top, mut bottom) = ([lowest; SIDE], [highest; SIDE]);
    let mut at = [_mm512_setzero_si512(); SIDE];
    let mut now = _mm512_setzero_si512();
    let step = _mm512_set1_epi64(1);
    // SAFETY: whoever calls it names lanes whose numbers are within every slice, as was looked at above.
    let mut look = |from: usize, side: usize, lanes: __mmask8, now: __m512i| unsafe {
        let here = slopes.as_mut_ptr().add(from);
        let moved =
            _mm512_fmadd_pd(b, eight(y.as_ptr().add(from), lanes), _mm512_maskz_loadu_pd(lanes, here));
        let slope = _mm512_fmadd_pd(a, eight(x.as_ptr().add(from), lanes), moved);
        _mm512_mask_storeu_pd(here, lanes, slope);
        let high = _mm512_add_pd(slope, _mm512_mask_loadu_pd(lowest, lanes, fall.as_ptr().add(from)));
        top[side] = _mm512_max_pd(high, top[side]);
        let low = _mm512_add_pd(slope, _mm512_mask_loadu_pd(highest, lanes, rise.as_ptr().add(from)));
        let is_lower = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(low, bottom[side]);
        bottom[side] = _mm512_mask_mov_pd(bottom[side], is_lower, low);
        at[side] = _mm512_mask_mov_epi64(at[side], is_lower, now);
    };
    for from in (0..count / WIDTH * WIDTH).step_by(WIDTH) {
        ahead(x, from);
        ahead(y, from);
        for side in 0..SIDE {
            look(from + side * LANES, side, u8::MAX, now);
        }
        now = _mm512_add_epi64(now, step);
    }
    for (side, from) in (count / WIDTH * WIDTH..count).step_by(LANES).enumerate() {
        look(from, side, lanes(count - from) as u8, now);
    }
    let highs = _mm512_max_pd(_mm512_max_pd(top[0], top[1]), _mm512_max_pd(top[2], top[3]));
    let lows = _mm512_min_pd(_mm512_min_pd(bottom[0], bottom[1]), _mm512_min_pd(bottom[2], bottom[3]));
    let (top, least) = (_mm512_reduce_max_pd(highs), _mm512_reduce_min_pd(lows));
    let mut first = if least == f64::INFINITY { 0 } else { i64::MAX };
    for side in 0..SIDE {
        let is_least = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(bottom[side], _mm512_set1_pd(least));
        let lane = _mm512_add_epi64(
            _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
            _mm512_set1_epi64((side * LANES) as i64),
        );
        let place = _mm512_add_epi64(_mm512_slli_epi64::<{ WIDTH.ilog2() }>(at[side]), lane);
        first = first.min(_mm512_mask_reduce_min_epi64(is_least, place));
    }
    Ends { top, bottom: least, at: first as usize }
}

/// [`best_partner`](crate::best_partner) for `f32`.
#[target_feature(enable = "avx512f")]
#[allow(clippy::too_many_arguments)]
pub(crate) fn partner(
    slopes: &[f64],
    fall: &[f64],
    diagonal: &[f32],
    row: &[f32],
    low: f64,
    unit: f64,
    d: f32,
    flat: f32,
) -> Option<usize> {
    const WIDTH: usize = 2 * SIDE * LANES;
    let count = slopes.len();
    assert!([fall.len(), diagonal.len(), row.len()].iter().all(|&len| len >= count));
    let (lower, scale, zero) = (_mm512_set1_pd(low), _mm512_set1_pd(1.0 / unit), _mm512_setzero_pd());
    let cannot = _mm512_set1_pd(f64::NEG_INFINITY);
    // SAFETY: whoever calls it names lanes whose numbers are within both slices.
    let excess = |from: usize, lanes: __mmask8| unsafe {
        let slope = _mm512_maskz_loadu_pd(lanes, slopes.as_ptr().wrapping_add(from));
        let above = _mm512_mul_pd(_mm512_sub_pd(slope, lower), scale);
        let able = _mm512_mask_loadu_pd(cannot, lanes, fall.as_ptr().wrapping_add(from));
        _mm256_castps_pd(_mm512_cvtpd_ps(_mm512_max_pd(_mm512_add_pd(above, able), zero)))
    };
    let (own, flat, twice) = (_mm512_set1_ps(d), _mm512_set1_ps(flat), _mm512_set1_ps(-2.0));
    let mut best = [_mm512_setzero_ps(); SIDE];
    let mut at = [_mm512_setzero_si512(); SIDE];
    let mut now = _mm512_setzero_si512();
    let step = _mm512_set1_epi32(1);
    // SAFETY: the same.
    let mut look = |from: usize, side: usize, lanes: __mmask16, now: __m512i| unsafe {
        let first = _mm512_castpd256_pd512(excess(from, lanes as u8));
        let both = _mm512_insertf64x4::<1>(first, excess(from + LANES, (lanes >> LANES) as u8));
        let above = _mm512_castpd_ps(both);
        let both = _mm512_add_ps(own, _mm512_maskz_loadu_ps(lanes, diagonal.as_ptr().add(from)));
        let entries = _mm512_maskz_loadu_ps(lanes, row.as_ptr().add(from));
        let curvature = _mm512_max_ps(_mm512_fmadd_ps(twice, entries, both), flat);
        let gain = _mm512_div_ps(_mm512_mul_ps(above, above), curvature);
        let is_more = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(gain, best[side]);
        best[side] = _mm512_mask_mov_ps(best[side], is_more, gain);
        at[side] = _mm512_mask_mov_epi32(at[side], is_more, now);
    };
    for from in (0..count / WIDTH * WIDTH).step_by(WIDTH) {
        ahead(row, from);
        ahead(row, from + WIDTH / 2);
        for side in 0..SIDE {
            look(from + side * 2 * LANES, side, u16::MAX, now);
        }
        now = _mm512_add_epi32(now, step);
    }
    for (side, from) in (count / WIDTH * WIDTH..count).step_by(2 * LANES).enumerate() {
        look(from, side, lanes(count - from), now);
    }
    let all = _mm512_max_ps(_mm512_max_ps(best[0], best[1]), _mm512_max_ps(best[2], best[3]));
    let most = _mm512_reduce_max_ps(all);
    if most <= 0.0 {
        return None;
    }
    let mut first = i32::MAX;
    for side in 0..SIDE {
        let is_most = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(best[side], _mm512_set1_ps(most));
        let lane = _mm512_add_epi32(
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
            _mm512_set1_epi32((side * 2 * LANES) as i32),
        );
        let place = _mm512_add_epi32(_mm512_slli_epi32::<{ WIDTH.ilog2() }>(at[side]), lane);
        first = first.min(_mm512_mask_reduce_min_epi32(is_most, place));
    }
    Some(first as usize)
}

/// [`Places::pick`] for `f32`; there are as many numbers in `out` as places, and the row has all of them.
#[target_feature(enable = "avx512f")]
pub(crate) fn pick(places: &Places, row: &[f32], out: &mut [f32]) {
    let (count, mut to) = (out.len(), 0);
    assert!(
        places.as_slice().len() == count && places.as_slice().last().is_none_or(|&last| last < row.len())
    );
    for (number, &bits) in places.bits.iter().enumerate() {
        let from = number * 16;
        if number % 2 == 0 {
            ahead(row, from);
        }
        // SAFETY: bits are places within the row, and as many numbers as bits are left in `out`.
        unsafe {
            let entries = _mm512_maskz_loadu_ps(bits, row.as_ptr().add(from));
            let picked = _mm512_maskz_compress_ps(bits, entries);
            let room = lanes(count - to);
            _mm512_mask_storeu_ps(out.as_mut_ptr().add(to), room, picked);
        }
        to += bits.count_ones() as usize;
    }
}
