//! Steps of pairs: the loops over a working set that a decomposition solver makes for each of them.
//!
//! What a variable may do is an array of numbers that are added to its slope: `rise` is 0 where it may increase and +∞
//! where not, `fall` is 0 where it may decrease and −∞ where not. Loops are then free of branches.

use std::any::TypeId;

use crate::arch::{Arch, dispatch};
use crate::real::fused;
use crate::{Isa, Real};

/// The ends of the slopes among variables that can move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ends {
    /// Largest slope of a variable that may decrease; −∞ if there is none.
    pub top: f64,
    /// Least slope of a variable that may increase; +∞ if there is none.
    pub bottom: f64,
    /// Where the least one is, the first of equals.
    pub at: usize,
}

/// Variables looked at before their best is compared with that of the others.
const CHUNK: usize = 64;

/// Comparisons side by side.
const SIDE: usize = 8;

/// Adds a·x + b·y to the slopes, and finds their ends.
///
/// ```
/// use mercer_linalg::{Isa, shift_slopes};
/// let (free, mut slopes) = ([0.0; 3], [1.0, 2.0, 3.0]);
/// let row = [1.0f32, 0.0, -1.0];
/// let ends = shift_slopes(Isa::detect(), &mut slopes, &free, &free, 3.0, &row, 0.0, &row);
/// assert_eq!((slopes, ends.top, ends.bottom, ends.at), ([4.0, 2.0, 0.0], 4.0, 0.0, 2));
/// ```
#[allow(clippy::too_many_arguments)]
pub fn shift_slopes<T: Real>(
    isa: Isa,
    slopes: &mut [f64],
    rise: &[f64],
    fall: &[f64],
    a: f64,
    x: &[T],
    b: f64,
    y: &[T],
) -> Ends {
    #[cfg(target_arch = "x86_64")]
    if isa == Isa::Avx512 {
        // SAFETY: `Isa::Avx512` is non-exhaustive, so only this crate makes it, after finding AVX-512F.
        #[allow(unsafe_code)]
        return unsafe { crate::wide_pairs::shift(slopes, rise, fall, a, x, b, y) };
    }
    shift_narrow(isa, slopes, rise, fall, a, x, b, y)
}

dispatch! {
    fn shift_narrow<T: Real>(isa, slopes: &mut [f64], rise: &[f64], fall: &[f64], a: f64, x: &[T], b: f64, y: &[T]) -> Ends = shift_body
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn shift_body<T: Real, A: Arch>(
    slopes: &mut [f64],
    rise: &[f64],
    fall: &[f64],
    a: f64,
    x: &[T],
    b: f64,
    y: &[T],
) -> Ends {
    let mut ends = Ends { top: f64::NEG_INFINITY, bottom: f64::INFINITY, at: 0 };
    let parts = slopes.chunks_mut(CHUNK).zip(rise.chunks(CHUNK)).zip(fall.chunks(CHUNK));
    let rows = x.chunks(CHUNK).zip(y.chunks(CHUNK));
    for (number, (((slopes, rise), fall), (x, y))) in parts.zip(rows).enumerate() {
        for ((slope, &x), &y) in slopes.iter_mut().zip(x).zip(y) {
            *slope = fused::<f64, A>(a, x.f64(), fused::<f64, A>(b, y.f64(), *slope));
        }
        let top = extreme(slopes, fall, f64::NEG_INFINITY, f64::larger);
        let bottom = extreme(slopes, rise, f64::INFINITY, f64::smaller);
        ends.top = ends.top.larger(top);
        if bottom < ends.bottom {
            let within = slopes.iter().zip(rise).position(|(slope, rise)| slope + rise == bottom);
            ends.bottom = bottom;
            ends.at = number * CHUNK + within.unwrap_or(0);
        }
    }
    ends
}

/// The extreme of a + b.
#[inline(always)]
fn extreme(a: &[f64], b: &[f64], start: f64, better: impl Fn(f64, f64) -> f64) -> f64 {
    let mut lanes = [start; SIDE];
    let ((a, odd_a), (b, odd_b)) = (a.as_chunks::<SIDE>(), b.as_chunks::<SIDE>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..SIDE {
            lanes[lane] = better(a[lane] + b[lane], lanes[lane]);
        }
    }
    let rest = odd_a.iter().zip(odd_b).fold(start, |best, (a, b)| better(a + b, best));
    lanes.iter().fold(rest, |best, &lane| better(lane, best))
}

/// The variable j that may decrease with the largest (slope_j − low)²/(d + d_j − 2k_j), the first of equals; none if
/// no slope is above `low`. The curvature below the line is taken as at least `flat`, and slopes are measured in
/// `unit`.
///
/// ```
/// use mercer_linalg::{Isa, best_partner};
/// let (slopes, fall) = ([0.0, 2.0, 3.0], [0.0, 0.0, f64::NEG_INFINITY]);
/// let found = best_partner(Isa::detect(), &slopes, &fall, &[1.0; 3], &[1.0, 0.5, 0.5], 0.0, 1.0, 1.0, 1e-12);
/// assert_eq!(found, Some(1));
/// ```
#[allow(clippy::too_many_arguments)]
pub fn best_partner<T: Real>(
    isa: Isa,
    slopes: &[f64],
    fall: &[f64],
    diagonal: &[T],
    row: &[T],
    low: f64,
    unit: f64,
    d: T,
    flat: T,
) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if isa == Isa::Avx512 && TypeId::of::<T>() == TypeId::of::<f32>() {
        let (diagonal, row) = (bytemuck::cast_slice(diagonal), bytemuck::cast_slice(row));
        let (d, flat) = (bytemuck::cast(d), bytemuck::cast(flat));
        // SAFETY: `Isa::Avx512` is non-exhaustive, so only this crate makes it, after finding AVX-512F.
        #[allow(unsafe_code)]
        return unsafe { crate::wide_pairs::partner(slopes, fall, diagonal, row, low, unit, d, flat) };
    }
    partner_narrow(isa, slopes, fall, diagonal, row, low, unit, d, flat)
}

dispatch! {
    fn partner_narrow<T: Real>(isa, slopes: &[f64], fall: &[f64], diagonal: &[T], row: &[T], low: f64, unit: f64, d: T, flat: T) -> Option<usize> = partner_body
}

/// What a step with a partner gains: its slope above the lowest and what it may do, the curvature of both, and k.
#[inline(always)]
fn gain<T: Real, A: Arch>((above, fall): (f64, f64), (d, own, k): (T, T, T), flat: T) -> T {
    let excess = T::of((above + fall).larger(0.0));
    let curvature = fused::<T, A>(T::of(-2.0), k, d + own).larger(flat);
    excess * excess / curvature
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn partner_body<T: Real, A: Arch>(
    slopes: &[f64],
    fall: &[f64],
    diagonal: &[T],
    row: &[T],
    low: f64,
    unit: f64,
    d: T,
    flat: T,
) -> Option<usize> {
    let per_unit = 1.0 / unit;
    let mut best = (T::ZERO, None);
    let parts = slopes.chunks(CHUNK).zip(fall.chunks(CHUNK));
    let entries = diagonal.chunks(CHUNK).zip(row.chunks(CHUNK));
    for (number, ((slopes, fall), (diagonal, row))) in parts.zip(entries).enumerate() {
        let mut gains = [T::ZERO; CHUNK];
        let each = slopes.iter().zip(fall).zip(diagonal.iter().zip(row));
        for (gain, ((&slope, &fall), (&own, &k))) in gains.iter_mut().zip(each) {
            *gain = self::gain::<T, A>(((slope - low) * per_unit, fall), (d, own, k), flat);
        }
        let mut lanes = [T::ZERO; SIDE];
        for gains in gains.as_chunks::<SIDE>().0 {
            for lane in 0..SIDE {
                lanes[lane] = gains[lane].larger(lanes[lane]);
            }
        }
        let most = lanes.iter().fold(T::ZERO, |most, &lane| lane.larger(most));
        if most > best.0 {
            best = (most, gains.iter().position(|&gain| gain == most).map(|within| number * CHUNK + within));
        }
    }
    best.1
}

/// Rows that [`add_lines`] adds at a time.
pub const LINES: usize = 4;

dispatch! {
    /// Adds Σ weight·row over four rows to the slopes.
    ///
    /// ```
    /// use mercer_linalg::{Isa, add_lines};
    /// let (one, two, mut slopes) = ([1.0f32, 2.0], [0.5, 0.25], [10.0, 20.0]);
    /// add_lines(Isa::detect(), &mut slopes, [2.0, 4.0, 0.0, 0.0], [&one, &two, &one, &one]);
    /// assert_eq!(slopes, [14.0, 25.0]);
    /// ```
    pub fn add_lines<T: Real>(isa, slopes: &mut [f64], weights: [f64; LINES], rows: [&[T]; LINES]) = lines_body, wide
}

#[inline(always)]
fn lines_body<T: Real, A: Arch>(slopes: &mut [f64], weights: [f64; LINES], rows: [&[T]; LINES]) {
    let [a, b, c, d] = rows.map(|row| &row[..slopes.len()]);
    for (k, slope) in slopes.iter_mut().enumerate() {
        let two = fused::<f64, A>(weights[1], b[k].f64(), fused::<f64, A>(weights[0], a[k].f64(), *slope));
        *slope = fused::<f64, A>(weights[3], d[k].f64(), fused::<f64, A>(weights[2], c[k].f64(), two));
    }
}

/// Some places of rows of one length, in ascending order.
#[derive(Debug, Clone)]
pub struct Places {
    places: Vec<usize>,
    /// The same as bits, sixteen at a time.
    pub(crate) bits: Vec<u16>,
}

impl Places {
    /// # Panics
    /// Where places do not ascend.
    ///
    /// ```
    /// use mercer_linalg::{Isa, Places};
    /// let mut picked = [0.0; 2];
    /// Places::new(vec![1, 3]).pick(Isa::detect(), &[0.5f32, 1.5, 2.5, 3.5], &mut picked);
    /// assert_eq!(picked, [1.5, 3.5]);
    /// ```
    pub fn new(places: Vec<usize>) -> Self {
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "places ascend");
        let mut bits = vec![0; places.last().map_or(0, |last| last / 16 + 1)];
        places.iter().for_each(|place| bits[place / 16] |= 1 << (place % 16));
        Self { places, bits }
    }

    /// The places.
    pub fn as_slice(&self) -> &[usize] {
        &self.places
    }

    /// The entries of a row at these places, one after the other.
    ///
    /// # Panics
    /// Where the row is too short, or `out` has not as many numbers as there are places.
    pub fn pick<T: Real>(&self, isa: Isa, row: &[T], out: &mut [T]) {
        assert!(out.len() == self.places.len() && self.places.last().is_none_or(|&last| last < row.len()));
        #[cfg(target_arch = "x86_64")]
        if isa == Isa::Avx512 && TypeId::of::<T>() == TypeId::of::<f32>() {
            // SAFETY: `Isa::Avx512` is non-exhaustive, so only this crate makes it, after finding AVX-512F.
            #[allow(unsafe_code)]
            return unsafe {
                crate::wide_pairs::pick(self, bytemuck::cast_slice(row), bytemuck::cast_slice_mut(out))
            };
        }
        let _ = isa;
        out.iter_mut().zip(&self.places).for_each(|(out, &place)| *out = row[place]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn loops_are_their_definitions() {
        for isa in Isa::available() {
            for count in [1, 7, 8, 63, 64, 65, 200, 1000] {
                let (before, x, y) = (numbers(count, 1), numbers(count, 2), numbers(count, 3));
                let may = numbers(count, 4);
                let rise: Vec<f64> = may.iter().map(|m| if *m < 0.2 { 0.0 } else { f64::INFINITY }).collect();
                let fall: Vec<f64> =
                    may.iter().map(|m| if *m > -0.2 { 0.0 } else { f64::NEG_INFINITY }).collect();
                let mut slopes = before.clone();
                let ends = shift_slopes(isa, &mut slopes, &rise, &fall, 0.7, &x, -0.3, &y);
                for a in 0..count {
                    assert!((slopes[a] - (before[a] + 0.7 * x[a] - 0.3 * y[a])).abs() < 1e-15);
                }
                let top = (0..count).filter(|&a| fall[a] == 0.0).map(|a| slopes[a]);
                let bottom = (0..count).filter(|&a| rise[a] == 0.0).map(|a| slopes[a]);
                assert_eq!(ends.top, top.fold(f64::NEG_INFINITY, f64::max));
                assert_eq!(ends.bottom, bottom.fold(f64::INFINITY, f64::min));
                assert!(ends.bottom == f64::INFINITY || slopes[ends.at] == ends.bottom);
                let (diagonal, row) = (vec![1.0; count], y);
                let found = best_partner(isa, &slopes, &fall, &diagonal, &row, -0.1, 2.0, 1.0, 1e-12);
                let gain = |a: usize| (slopes[a] + 0.1).powi(2) / (2.0 - 2.0 * row[a]);
                let able = (0..count).filter(|&a| fall[a] == 0.0 && slopes[a] > -0.1);
                let want = able.max_by(|&a, &b| gain(a).total_cmp(&gain(b)));
                match (found, want) {
                    (Some(found), Some(want)) => {
                        assert!((gain(found) / gain(want) - 1.0).abs() < 1e-14, "{isa:?} {count}")
                    }
                    (found, want) => assert_eq!(found, want),
                }
            }
        }
    }

    #[test]
    fn lines_and_places_are_their_definitions() {
        for isa in Isa::available() {
            for count in [1, 5, 16, 17, 100, 1003] {
                let rows: Vec<Vec<f32>> =
                    (0..4).map(|r| numbers(count, r).iter().map(|v| *v as f32).collect()).collect();
                let (before, weights) = (numbers(count, 9), [0.5, -2.0, 0.0, 3.0]);
                let mut slopes = before.clone();
                add_lines(isa, &mut slopes, weights, [&rows[0], &rows[1], &rows[2], &rows[3]]);
                for k in 0..count {
                    let want = before[k] + (0..4).map(|r| weights[r] * f64::from(rows[r][k])).sum::<f64>();
                    assert!((slopes[k] - want).abs() < 1e-14);
                }
                for step in [1, 2, 3, 7, 40] {
                    let places = Places::new((count / 3..count).step_by(step).collect());
                    let mut picked = vec![0.0; places.as_slice().len()];
                    places.pick(isa, &rows[0], &mut picked);
                    let want: Vec<f32> = places.as_slice().iter().map(|&place| rows[0][place]).collect();
                    assert_eq!(picked, want, "{isa:?} {count} {step}");
                    let (wide, mut picked) = (numbers(count, 5), vec![0.0; want.len()]);
                    places.pick(isa, &wide, &mut picked);
                    assert!(places.as_slice().iter().zip(picked).all(|(&place, found)| wide[place] == found));
                }
            }
        }
    }

    #[test]
    fn wide_registers_do_not_change_a_bit() {
        let fused: Vec<Isa> = Isa::available().into_iter().filter(|isa| *isa != Isa::Portable).collect();
        for (seed, count) in [1, 7, 8, 16, 31, 64, 65, 200, 1003].into_iter().enumerate() {
            let draw = |which: u64| numbers(count, 10 * seed as u64 + which);
            // Few values, so that there are equals.
            let coarse =
                |values: Vec<f64>| values.iter().map(|v| (v * 8.0).round() / 8.0).collect::<Vec<_>>();
            let single = |values: Vec<f64>| values.iter().map(|v| *v as f32).collect::<Vec<_>>();
            let (mut x, mut y) = (single(coarse(draw(1))), single(coarse(draw(2))));
            // A row twice, and an entry that is no number.
            y[count / 2] = 1.0;
            x[count / 3] = if seed % 2 == 0 { f32::NAN } else { f32::INFINITY };
            for part in [0.2, -0.6] {
                let rise: Vec<f64> =
                    draw(3).iter().map(|m| if *m < part { 0.0 } else { f64::INFINITY }).collect();
                let fall: Vec<f64> =
                    draw(3).iter().map(|m| if *m > -part { 0.0 } else { f64::NEG_INFINITY }).collect();
                let mut all = Vec::new();
                for &isa in &fused {
                    let mut slopes = coarse(draw(4));
                    let ends = shift_slopes(isa, &mut slopes, &rise, &fall, 0.7, &x, -0.3, &y);
                    let wide: Vec<f64> = x.iter().map(|&v| v.into()).collect();
                    let again = shift_slopes(isa, &mut slopes, &rise, &fall, -0.2, &wide, 0.1, &wide);
                    let diagonal = vec![1.0f32; count];
                    let found = best_partner(isa, &slopes, &fall, &diagonal, &y, -0.1, 2.0, 1.0, 1e-12);
                    let bits = slopes.iter().map(|slope| slope.to_bits()).collect::<Vec<_>>();
                    let ends = [ends, again].map(|ends| (ends.top, ends.bottom, ends.at));
                    all.push((bits, ends, found));
                }
                assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{count} {part}");
            }
        }
    }
}
