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
pub struct Ends<T> {
    /// Largest slope of a variable that may decrease; −∞ if there is none.
    pub top: T,
    /// Least slope of a variable that may increase; +∞ if there is none.
    pub bottom: T,
    /// Where the largest one is, and the least, the first of equals.
    pub at: (usize, usize),
}

/// Variables looked at before their best is compared with that of the others.
const CHUNK: usize = 64;

/// Comparisons side by side.
const SIDE: usize = 8;

/// Adds a·x + b·y to the slopes, and finds their ends.
///
/// # Panics
/// Where slices differ in length.
///
/// ```
/// use mercer_linalg::{Isa, shift_slopes};
/// let (free, mut slopes) = ([0.0; 3], [1.0, 2.0, 3.0]);
/// let row = [1.0f32, 0.0, -1.0];
/// let ends = shift_slopes(Isa::detect(), &mut slopes, &free, &free, 3.0, &row, 0.0, &row);
/// assert_eq!((slopes, ends.top, ends.bottom, ends.at), ([4.0, 2.0, 0.0], 4.0, 0.0, (0, 2)));
/// ```
#[allow(clippy::too_many_arguments)]
pub fn shift_slopes<T: Real>(
    isa: Isa,
    slopes: &mut [T],
    rise: &[T],
    fall: &[T],
    a: T,
    x: &[T],
    b: T,
    y: &[T],
) -> Ends<T> {
    assert!([rise.len(), fall.len(), x.len(), y.len()].iter().all(|&len| len == slopes.len()));
    #[cfg(target_arch = "x86_64")]
    if isa.has_wide_registers() {
        // SAFETY: such an `Isa` is non-exhaustive, so only this crate makes it, after finding AVX-512F.
        #[allow(unsafe_code)]
        return unsafe { crate::wide_pairs::shift(slopes, rise, fall, a, x, b, y) };
    }
    shift_narrow(isa, slopes, rise, fall, a, x, b, y)
}

dispatch! {
    fn shift_narrow<T: Real>(isa, slopes: &mut [T], rise: &[T], fall: &[T], a: T, x: &[T], b: T, y: &[T]) -> Ends<T> = shift_body
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn shift_body<T: Real, A: Arch>(
    slopes: &mut [T],
    rise: &[T],
    fall: &[T],
    a: T,
    x: &[T],
    b: T,
    y: &[T],
) -> Ends<T> {
    let (lowest, highest) = (T::of(f64::NEG_INFINITY), T::of(f64::INFINITY));
    let mut ends = Ends { top: lowest, bottom: highest, at: (0, 0) };
    let parts = slopes.chunks_mut(CHUNK).zip(rise.chunks(CHUNK)).zip(fall.chunks(CHUNK));
    let rows = x.chunks(CHUNK).zip(y.chunks(CHUNK));
    for (number, (((slopes, rise), fall), (x, y))) in parts.zip(rows).enumerate() {
        for ((slope, &x), &y) in slopes.iter_mut().zip(x).zip(y) {
            *slope = fused::<T, A>(a, x, fused::<T, A>(b, y, *slope));
        }
        let top = extreme(slopes, fall, lowest, T::larger);
        let bottom = extreme(slopes, rise, highest, T::smaller);
        let place = |barrier: &[T], value: T| {
            let within = slopes.iter().zip(barrier).position(|(&slope, &barrier)| slope + barrier == value);
            number * CHUNK + within.unwrap_or(0)
        };
        if top > ends.top {
            (ends.top, ends.at.0) = (top, place(fall, top));
        }
        if bottom < ends.bottom {
            (ends.bottom, ends.at.1) = (bottom, place(rise, bottom));
        }
    }
    ends
}

/// The extreme of a + b.
#[inline(always)]
fn extreme<T: Real>(a: &[T], b: &[T], start: T, better: impl Fn(T, T) -> T) -> T {
    let mut lanes = [start; SIDE];
    let ((a, odd_a), (b, odd_b)) = (a.as_chunks::<SIDE>(), b.as_chunks::<SIDE>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..SIDE {
            lanes[lane] = better(a[lane] + b[lane], lanes[lane]);
        }
    }
    let rest = odd_a.iter().zip(odd_b).fold(start, |best, (&a, &b)| better(a + b, best));
    lanes.iter().fold(rest, |best, &lane| better(lane, best))
}

/// What the choice of a partner looks at beside slopes and entries.
#[derive(Debug, Clone, Copy)]
pub struct Chooser<T> {
    /// The slope of the variable that a partner is looked for.
    pub low: T,
    /// One over the unit in which slopes are measured, so that their squares stay within range.
    pub per_unit: T,
    /// The diagonal entry of that variable.
    pub d: T,
    /// The least curvature that is believed.
    pub flat: T,
    /// A variable that is likely to be among the best.
    pub likely: usize,
}

impl<T: Real> Chooser<T> {
    /// The square of a slope's excess, and the curvature of a step: what a step gains is their ratio.
    #[inline(always)]
    fn terms<A: Arch>(&self, (slope, fall): (T, T), (own, k): (T, T)) -> (T, T) {
        let excess = ((slope - self.low) * self.per_unit + fall).larger(T::ZERO);
        (excess * excess, fused::<T, A>(T::of(-2.0), k, self.d + own).larger(self.flat))
    }
}

/// The variable j that may decrease with the largest (slope_j − low)²/(d + d_j − 2k_j), the first of equals; none if
/// no slope is above `low`.
///
/// # Panics
/// Where slices differ in length, or the likely variable is none.
///
/// ```
/// use mercer_linalg::{Chooser, Isa, best_partner};
/// let (slopes, fall) = ([0.0, 2.0, 3.0], [0.0, 0.0, f64::NEG_INFINITY]);
/// let chooser = Chooser { low: 0.0, per_unit: 1.0, d: 1.0, flat: 1e-12, likely: 1 };
/// let found = best_partner(Isa::detect(), chooser, &slopes, &fall, &[1.0; 3], &[1.0, 0.5, 0.5]);
/// assert_eq!(found, Some(1));
/// ```
pub fn best_partner<T: Real>(
    isa: Isa,
    chooser: Chooser<T>,
    slopes: &[T],
    fall: &[T],
    diagonal: &[T],
    row: &[T],
) -> Option<usize> {
    let count = slopes.len();
    assert!(
        [fall.len(), diagonal.len(), row.len()].iter().all(|&len| len == count) && chooser.likely < count
    );
    #[cfg(target_arch = "x86_64")]
    if isa.has_wide_registers() {
        let at = chooser.likely;
        let (excess, curvature) =
            chooser.terms::<crate::arch::Avx2>((slopes[at], fall[at]), (diagonal[at], row[at]));
        // The largest is more than that, however its terms are rounded.
        let least = excess / curvature * T::of(1.0 - 16.0 * T::ROUNDING);
        let least = if least.f64().is_finite() { least } else { T::ZERO };
        // SAFETY: such an `Isa` is non-exhaustive, so only this crate makes it, after finding AVX-512F.
        #[allow(unsafe_code)]
        return unsafe { crate::wide_pairs::partner(chooser, least, slopes, fall, diagonal, row) };
    }
    partner_narrow(isa, chooser, slopes, fall, diagonal, row)
}

dispatch! {
    fn partner_narrow<T: Real>(isa, chooser: Chooser<T>, slopes: &[T], fall: &[T], diagonal: &[T], row: &[T]) -> Option<usize> = partner_body
}

#[inline(always)]
fn partner_body<T: Real, A: Arch>(
    chooser: Chooser<T>,
    slopes: &[T],
    fall: &[T],
    diagonal: &[T],
    row: &[T],
) -> Option<usize> {
    let mut best = (T::ZERO, None);
    let parts = slopes.chunks(CHUNK).zip(fall.chunks(CHUNK));
    let entries = diagonal.chunks(CHUNK).zip(row.chunks(CHUNK));
    for (number, ((slopes, fall), (diagonal, row))) in parts.zip(entries).enumerate() {
        let mut gains = [T::ZERO; CHUNK];
        let each = slopes.iter().zip(fall).zip(diagonal.iter().zip(row));
        for (gain, ((&slope, &fall), (&own, &k))) in gains.iter_mut().zip(each) {
            let (excess, curvature) = chooser.terms::<A>((slope, fall), (own, k));
            *gain = excess / curvature;
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

/// Variables that [`least_moves`] looks at side by side.
pub const STRIDE: usize = 64;

dispatch! {
    /// The least slopes of variables that may increase, and of those that may decrease the least negated ones, among the
    /// variables k, k + [`STRIDE`], k + 2·[`STRIDE`], … for each k; ∞ where there is none. `rise` and `fall` are 0, or ∞ and −∞
    /// for variables that may not; `hidden` is 0, or ∞ for variables that are left out.
    ///
    /// ```
    /// use mercer_linalg::{Isa, least_moves};
    /// let (slopes, free, hidden) = ([1.0f32, -2.0, 3.0], [0.0; 3], [0.0, f32::INFINITY, 0.0]);
    /// let [up, down] = least_moves(Isa::detect(), &slopes, &free, &free, &hidden);
    /// assert_eq!((&up[..4], &down[..3]), (&[1.0, f32::INFINITY, 3.0, f32::INFINITY][..], &[-1.0, f32::INFINITY, -3.0][..]));
    /// ```
    pub fn least_moves<T: Real>(isa, slopes: &[T], rise: &[T], fall: &[T], hidden: &[T]) -> [[T; STRIDE]; 2] = least_body, wide
}

#[inline(always)]
fn least_body<T: Real, A: Arch>(slopes: &[T], rise: &[T], fall: &[T], hidden: &[T]) -> [[T; STRIDE]; 2] {
    let [mut up, mut down] = [[T::of(f64::INFINITY); STRIDE]; 2];
    let mut look = |slopes: &[T], rise: &[T], fall: &[T], hidden: &[T]| {
        for k in 0..slopes.len() {
            // What is no number is passed over.
            up[k] = (slopes[k] + rise[k] + hidden[k]).smaller(up[k]);
            down[k] = (hidden[k] - (slopes[k] + fall[k])).smaller(down[k]);
        }
    };
    let (whole, rest) = slopes.as_chunks::<STRIDE>();
    let at = slopes.len() - rest.len();
    let others = rise.as_chunks::<STRIDE>().0.iter().zip(fall.as_chunks::<STRIDE>().0);
    for ((slopes, (rise, fall)), hidden) in whole.iter().zip(others).zip(hidden.as_chunks::<STRIDE>().0) {
        look(slopes, rise, fall, hidden);
    }
    look(rest, &rise[at..slopes.len()], &fall[at..slopes.len()], &hidden[at..slopes.len()]);
    [up, down]
}

/// Some places of rows of one length, in ascending order.
#[derive(Debug, Clone)]
pub struct Places {
    places: Vec<usize>,
    /// The same as bits, sixteen at a time, and how many were before them.
    pub(crate) bits: Vec<(u16, u32)>,
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
        let mut bits = vec![(0u16, 0); places.last().map_or(0, |last| last / 16 + 1)];
        places.iter().for_each(|place| bits[place / 16].0 |= 1 << (place % 16));
        let mut before = 0;
        for (bits, count) in &mut bits {
            *count = before;
            before += bits.count_ones();
        }
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
        if isa.has_wide_registers() && TypeId::of::<T>() == TypeId::of::<f32>() {
            // SAFETY: such an `Isa` is non-exhaustive, so only this crate makes it, after finding AVX-512F.
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
    use crate::arch::{Avx2, Portable};

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
                assert!(ends.top == f64::NEG_INFINITY || slopes[ends.at.0] == ends.top);
                assert!(ends.bottom == f64::INFINITY || slopes[ends.at.1] == ends.bottom);
                let (diagonal, row) = (vec![1.0; count], y);
                let chooser = Chooser { low: -0.1, per_unit: 0.5, d: 1.0, flat: 1e-12, likely: ends.at.0 };
                let found = best_partner(isa, chooser, &slopes, &fall, &diagonal, &row);
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
    fn least_moves_are_those_of_every_so_many_variables() {
        for isa in Isa::available() {
            for count in [0, 1, 63, 64, 65, 200, 1003] {
                check_least_moves::<f32>(isa, count);
                check_least_moves::<f64>(isa, count);
            }
        }
    }

    fn check_least_moves<T: Real>(isa: Isa, count: usize) {
        let mut slopes: Vec<T> = numbers(count, 1).iter().map(|v| T::of(*v)).collect();
        // What is no number is as if it were not there.
        slopes.iter_mut().step_by(7).for_each(|slope| *slope = T::of(f64::NAN));
        let barrier = |step: usize, end: f64| -> Vec<T> {
            (0..count).map(|a| T::of(if a.is_multiple_of(step) { end } else { 0.0 })).collect()
        };
        let (rise, fall) = (barrier(3, f64::INFINITY), barrier(4, f64::NEG_INFINITY));
        let hidden = barrier(5, f64::INFINITY);
        let [up, down] = least_moves(isa, &slopes, &rise, &fall, &hidden);
        for k in 0..STRIDE {
            let able = |barrier: &[T]| {
                let each = (k..count).step_by(STRIDE);
                each.filter(|&a| barrier[a] == T::ZERO && hidden[a] == T::ZERO).collect::<Vec<usize>>()
            };
            let least = able(&rise).into_iter().map(|a| slopes[a].f64()).fold(f64::INFINITY, f64::min);
            let most = able(&fall).into_iter().map(|a| -slopes[a].f64()).fold(f64::INFINITY, f64::min);
            assert_eq!((up[k].f64(), down[k].f64()), (least, most), "{isa:?} {count} {k}");
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

    /// Slopes after two steps, their ends after each, and two choices of a partner.
    type Seen<T> = (Vec<T>, [Ends<T>; 2], [Option<usize>; 2]);

    fn seen<T: Real>(
        shift: impl Fn(&mut [T], [&[T]; 2], [T; 2], [&[T]; 2]) -> Ends<T>,
        partner: impl Fn(Chooser<T>, &[T], [&[T]; 3]) -> Option<usize>,
        (count, seed, part): (usize, u64, f64),
    ) -> Seen<T> {
        let draw = |which: u64| numbers(count, 10 * seed + which);
        // Few values, so that there are equals.
        let coarse =
            |which: u64| -> Vec<T> { draw(which).iter().map(|v| T::of((v * 8.0).round() / 8.0)).collect() };
        let barrier = |is_free: &dyn Fn(f64) -> bool, else_: f64| -> Vec<T> {
            draw(3).iter().map(|&m| if is_free(m) { T::ZERO } else { T::of(else_) }).collect()
        };
        let (mut x, mut y, mut slopes) = (coarse(1), coarse(2), coarse(4));
        // A row twice, and an entry that is no number.
        y[count / 2] = T::ONE;
        x[count / 3] = T::of(if seed.is_multiple_of(2) { f64::NAN } else { f64::INFINITY });
        let (rise, fall) =
            (barrier(&|m| m < part, f64::INFINITY), barrier(&|m| m > -part, f64::NEG_INFINITY));
        let (a, b) = (T::of(0.7), T::of(-0.3));
        let first = shift(&mut slopes, [&rise, &fall], [a, b], [&y, &y]);
        let chooser = |likely: usize| Chooser {
            low: T::of(-0.1),
            per_unit: T::of(0.5),
            d: T::ONE,
            flat: T::of(1e-12),
            likely,
        };
        let diagonal = vec![T::ONE; count];
        let one = partner(chooser(first.at.0), &slopes, [&fall, &diagonal, &y]);
        let second = shift(&mut slopes, [&rise, &fall], [b, a], [&x, &y]);
        let two = partner(chooser(count / 2), &slopes, [&fall, &diagonal, &y]);
        (slopes, [first, second], [one, two])
    }

    /// [`shift_slopes`], one variable at a time.
    fn shift_alone<T: Real, A: Arch>(
        slopes: &mut [T],
        [rise, fall]: [&[T]; 2],
        [a, b]: [T; 2],
        [x, y]: [&[T]; 2],
    ) -> Ends<T> {
        let mut ends = Ends { top: T::of(f64::NEG_INFINITY), bottom: T::of(f64::INFINITY), at: (0, 0) };
        for (k, slope) in slopes.iter_mut().enumerate() {
            *slope = fused::<T, A>(a, x[k], fused::<T, A>(b, y[k], *slope));
            if *slope + fall[k] > ends.top {
                (ends.top, ends.at.0) = (*slope + fall[k], k);
            }
            if *slope + rise[k] < ends.bottom {
                (ends.bottom, ends.at.1) = (*slope + rise[k], k);
            }
        }
        ends
    }

    /// [`best_partner`], one variable at a time.
    fn partner_alone<T: Real, A: Arch>(
        chooser: Chooser<T>,
        slopes: &[T],
        [fall, diagonal, row]: [&[T]; 3],
    ) -> Option<usize> {
        let mut best = (T::ZERO, None);
        for k in 0..slopes.len() {
            let (excess, curvature) = chooser.terms::<A>((slopes[k], fall[k]), (diagonal[k], row[k]));
            if excess / curvature > best.0 {
                best = (excess / curvature, Some(k));
            }
        }
        best.1
    }

    #[test]
    fn registers_do_not_change_a_bit() {
        fn check<T: Real>(case: (usize, u64, f64)) {
            for isa in Isa::available() {
                let found = seen::<T>(
                    |slopes, [rise, fall], [a, b], [x, y]| shift_slopes(isa, slopes, rise, fall, a, x, b, y),
                    |chooser, slopes, [fall, diagonal, row]| {
                        best_partner(isa, chooser, slopes, fall, diagonal, row)
                    },
                    case,
                );
                let alone = if isa == Isa::Portable {
                    seen::<T>(shift_alone::<T, Portable>, partner_alone::<T, Portable>, case)
                } else {
                    seen::<T>(shift_alone::<T, Avx2>, partner_alone::<T, Avx2>, case)
                };
                let bits = |seen: &Seen<T>| bytemuck::cast_slice::<T, u8>(&seen.0).to_vec();
                assert_eq!(bits(&found), bits(&alone), "{isa:?} {case:?}");
                assert_eq!((found.1, found.2), (alone.1, alone.2), "{isa:?} {case:?}");
            }
        }
        for (count, seed) in [1, 7, 8, 16, 31, 64, 65, 200, 1003].into_iter().zip(0..) {
            for part in [0.2, -0.6] {
                check::<f32>((count, seed, part));
                check::<f64>((count, seed, part));
            }
        }
    }
}
