//! Steps of pairs in registers of 512 bits: the loops of [`pairs`](crate::pairs), with the same bits.

#![allow(unsafe_code)]

use std::any::TypeId;
use std::arch::x86_64::*;

use crate::arch::Avx2;
use crate::pairs::Ends;
use crate::{Real, pairs};

/// Numbers that are looked at together.
const LANES: usize = 8;

/// Eight numbers of either precision as `f64`.
///
/// # Safety
///
/// There are so many, of `f32` or `f64`, and the caller is compiled with AVX-512F.
#[inline(always)]
unsafe fn eight<T: Real>(from: *const T) -> __m512d {
    // SAFETY: the caller's word; T is told by its size.
    unsafe {
        if size_of::<T>() == 4 {
            _mm512_cvtps_pd(_mm256_loadu_ps(from.cast()))
        } else {
            _mm512_loadu_pd(from.cast())
        }
    }
}

/// The best of each lane, and in which step it was found: the first one of equals.
struct Lanes<const N: usize, T> {
    best: [T; N],
    at: [i64; N],
}

impl<const N: usize, T: Copy + PartialOrd> Lanes<N, T> {
    /// The best number of all lanes and its place.
    fn first(&self, is_better: impl Fn(T, T) -> bool) -> (T, usize) {
        let place = |lane: usize| self.at[lane] as usize * N + lane;
        let mut found = 0;
        for lane in 1..N {
            let is_equal = self.best[lane] == self.best[found];
            if is_better(self.best[lane], self.best[found]) || is_equal && place(lane) < place(found) {
                found = lane;
            }
        }
        (self.best[found], place(found))
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
    let count = slopes.len();
    assert!([rise.len(), fall.len(), x.len(), y.len()].iter().all(|&len| len >= count));
    assert!([TypeId::of::<f32>(), TypeId::of::<f64>()].contains(&TypeId::of::<T>()));
    let whole = count / LANES;
    // SAFETY: `whole` times eight numbers are within every slice, as was looked at above.
    let (mut lows, top) = unsafe {
        let (a, b) = (_mm512_set1_pd(a), _mm512_set1_pd(b));
        let mut top = _mm512_set1_pd(f64::NEG_INFINITY);
        let mut bottom = _mm512_set1_pd(f64::INFINITY);
        let (mut at, mut now) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        for step in 0..whole {
            let from = step * LANES;
            let here = slopes.as_mut_ptr().add(from);
            let moved = _mm512_fmadd_pd(b, eight(y.as_ptr().add(from)), _mm512_loadu_pd(here));
            let slope = _mm512_fmadd_pd(a, eight(x.as_ptr().add(from)), moved);
            _mm512_storeu_pd(here, slope);
            top = _mm512_max_pd(_mm512_add_pd(slope, _mm512_loadu_pd(fall.as_ptr().add(from))), top);
            let low = _mm512_add_pd(slope, _mm512_loadu_pd(rise.as_ptr().add(from)));
            let is_lower = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(low, bottom);
            bottom = _mm512_mask_mov_pd(bottom, is_lower, low);
            at = _mm512_mask_mov_epi64(at, is_lower, now);
            now = _mm512_add_epi64(now, _mm512_set1_epi64(1));
        }
        let mut lows = Lanes { best: [0.0; LANES], at: [0; LANES] };
        _mm512_storeu_pd(lows.best.as_mut_ptr(), bottom);
        _mm512_storeu_si512(lows.at.as_mut_ptr().cast(), at);
        (lows, _mm512_reduce_max_pd(top))
    };
    lows.at.iter_mut().zip(&lows.best).for_each(|(at, best)| {
        // A lane in which nothing may rise has no place.
        *at = if *best == f64::INFINITY { i64::from(i32::MAX) } else { *at };
    });
    let (bottom, at) = lows.first(|new, old| new < old);
    let found = Ends { top, bottom, at: if bottom == f64::INFINITY { 0 } else { at } };
    let rest = whole * LANES;
    if rest == count {
        return found;
    }
    let tail = pairs::shift_body::<T, Avx2>(
        &mut slopes[rest..],
        &rise[rest..count],
        &fall[rest..count],
        a,
        &x[rest..count],
        b,
        &y[rest..count],
    );
    let (bottom, at) =
        if tail.bottom < found.bottom { (tail.bottom, tail.at + rest) } else { (found.bottom, found.at) };
    Ends { top: found.top.larger(tail.top), bottom, at }
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
    let count = slopes.len();
    assert!([fall.len(), diagonal.len(), row.len()].iter().all(|&len| len >= count));
    const SIDE: usize = 2 * LANES;
    let (whole, per_unit) = (count / SIDE, 1.0 / unit);
    // SAFETY: `whole` times sixteen numbers are within every slice, as was looked at above.
    let lanes = unsafe {
        let (lower, scale, zero) = (_mm512_set1_pd(low), _mm512_set1_pd(per_unit), _mm512_setzero_pd());
        let excess = |from: usize| {
            let above =
                _mm512_mul_pd(_mm512_sub_pd(_mm512_loadu_pd(slopes.as_ptr().add(from)), lower), scale);
            let able = _mm512_add_pd(above, _mm512_loadu_pd(fall.as_ptr().add(from)));
            _mm512_cvtpd_ps(_mm512_max_pd(able, zero))
        };
        let (own, flat, twice) = (_mm512_set1_ps(d), _mm512_set1_ps(flat), _mm512_set1_ps(-2.0));
        let mut best = _mm512_setzero_ps();
        let (mut at, mut now) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        for step in 0..whole {
            let from = step * SIDE;
            let halves = _mm512_castpd256_pd512(_mm256_castps_pd(excess(from)));
            let halves = _mm512_insertf64x4::<1>(halves, _mm256_castps_pd(excess(from + LANES)));
            let above = _mm512_castpd_ps(halves);
            let both = _mm512_add_ps(own, _mm512_loadu_ps(diagonal.as_ptr().add(from)));
            let curvature =
                _mm512_max_ps(_mm512_fmadd_ps(twice, _mm512_loadu_ps(row.as_ptr().add(from)), both), flat);
            let gain = _mm512_div_ps(_mm512_mul_ps(above, above), curvature);
            let is_more = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(gain, best);
            best = _mm512_mask_mov_ps(best, is_more, gain);
            at = _mm512_mask_mov_epi32(at, is_more, now);
            now = _mm512_add_epi32(now, _mm512_set1_epi32(1));
        }
        let mut places = [0i32; SIDE];
        let mut lanes = Lanes { best: [0.0f32; SIDE], at: [0; SIDE] };
        _mm512_storeu_ps(lanes.best.as_mut_ptr(), best);
        _mm512_storeu_si512(places.as_mut_ptr().cast(), at);
        lanes.at.iter_mut().zip(places).for_each(|(at, place)| *at = place.into());
        lanes
    };
    let (most, at) = lanes.first(|new, old| new > old);
    let mut best = (most, (most > 0.0).then_some(at));
    for k in whole * SIDE..count {
        let gain =
            pairs::gain::<f32, Avx2>(((slopes[k] - low) * per_unit, fall[k]), (d, diagonal[k], row[k]), flat);
        if gain > best.0 {
            best = (gain, Some(k));
        }
    }
    best.1
}
