//! Which variables are worked on next: violators alternately from the two ends of each group, of those that violate alike
//! the first in a given order, beside the newest half of those worked on before (Joachims 1999; Wen et al. 2018, ThunderSVM).

use std::ops::Range;

use rayon::prelude::*;

use super::program::Program;

/// How far from optimal the variables are.
#[derive(Debug, Clone)]
pub(super) struct Survey {
    /// Slope of the objective in each variable.
    pub(super) gradient: Vec<f64>,
    /// Whether all slopes are numbers.
    pub(super) is_finite: bool,
    /// For each group the largest slope of a variable that can decrease and the least of one that can increase.
    pub(super) ends: Vec<(f64, f64)>,
    /// Largest violation of the optimality conditions.
    pub(super) violation: f64,
    /// Variables inside their box.
    pub(super) free: usize,
    /// What the objective is made of.
    pub(super) sums: Sums,
}

/// Sums over the variables: of β times the score, of its square times the ridge, and of β times the linear term.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) norm2: f64,
    pub(super) smooth: f64,
    pub(super) linear: f64,
}

impl Survey {
    /// Variables that are set aside are left out of everything but the slopes and the sums.
    pub(super) fn new(program: &Program, beta: &[f64], scores: &[f64], aside: &[bool]) -> Self {
        let mut gradient = vec![0.0; program.len()];
        // Without groups nothing binds the variables, and all of them are looked at together.
        let mut ranges: Vec<Range<usize>> = program.groups.iter().map(|(range, _)| range.clone()).collect();
        if ranges.is_empty() {
            ranges.push(0..program.len());
        }
        let mut rest = &mut gradient[..];
        let mut work: Vec<(usize, Range<usize>, &mut [f64])> = Vec::new();
        for (number, range) in ranges.iter().enumerate() {
            for from in range.clone().step_by(PIECE) {
                let piece = from..(from + PIECE).min(range.end);
                let (slopes, others) = rest.split_at_mut(piece.len());
                work.push((number, piece, slopes));
                rest = others;
            }
        }
        let look = |(number, range, slopes): (usize, Range<usize>, &mut [f64])| {
            (number, Piece::new(program, range, beta, scores, aside, slopes))
        };
        let found: Vec<(usize, Piece)> = work.into_par_iter().map(look).collect();
        let (mut ends, mut whole) =
            (vec![(f64::NEG_INFINITY, f64::INFINITY); ranges.len()], Piece::default());
        for (number, piece) in found {
            let (top, bottom) = ends[number];
            ends[number] = (top.max(piece.top), bottom.min(piece.bottom));
            whole.add(&piece);
        }
        let violation = if program.groups.is_empty() {
            // Each is to have a slope of zero, or one that keeps it at its bound.
            let (top, bottom) = ends.pop().unwrap_or_default();
            top.max(-bottom).max(0.0)
        } else {
            ends.iter().map(|(top, bottom)| top - bottom).fold(0.0, f64::max)
        };
        Self { gradient, is_finite: !whole.is_wild, ends, violation, free: whole.free, sums: whole.sums }
    }

    /// Variables at a bound whose slopes keep them there by more than the margin of their row, from whichever end is farther.
    pub(super) fn settled(
        &self,
        program: &Program,
        beta: &[f64],
        margin: impl Fn(usize) -> f64,
    ) -> Vec<bool> {
        let mut all = vec![false; program.len()];
        let mut look = |range: Range<usize>, top: f64, bottom: f64| {
            for a in range {
                let (falls, rises) = (beta[a] > program.lower[a], beta[a] < program.upper[a]);
                let (slope, margin) = (self.gradient[a], margin(program.rows[a]));
                all[a] = !falls & (slope > top + margin) | !rises & (slope < bottom - margin);
            }
        };
        if program.groups.is_empty() {
            look(0..program.len(), 0.0, 0.0);
        }
        for ((range, _), &(top, bottom)) in program.groups.iter().zip(&self.ends) {
            look(range.clone(), top.max(bottom), bottom.min(top));
        }
        all
    }

    /// The multiplier of each group: the middle between its ends, or the one there is.
    pub(super) fn levels(&self) -> Vec<f64> {
        let level = |&(top, bottom): &(f64, f64)| match (top.is_finite(), bottom.is_finite()) {
            (true, true) => 0.5 * (top + bottom),
            (true, false) => top,
            (false, true) => bottom,
            (false, false) => 0.0,
        };
        self.ends.iter().map(level).collect()
    }
}

/// Variables that are looked at side by side; sums of pieces have the same bits for any number of threads.
const PIECE: usize = 2048;

/// What is seen of some of the variables.
#[derive(Debug, Clone, Copy)]
struct Piece {
    top: f64,
    bottom: f64,
    free: usize,
    sums: Sums,
    /// Not all slopes are numbers.
    is_wild: bool,
}

impl Default for Piece {
    fn default() -> Self {
        let sums = Sums::default();
        Self { top: f64::NEG_INFINITY, bottom: f64::INFINITY, free: 0, sums, is_wild: false }
    }
}

impl Piece {
    fn new(
        program: &Program,
        range: Range<usize>,
        beta: &[f64],
        scores: &[f64],
        aside: &[bool],
        slopes: &mut [f64],
    ) -> Self {
        let mut piece = Self::default();
        let terms = program.ridge[range.clone()].iter().zip(&program.linear[range.clone()]);
        let boxes = program.lower[range.clone()].iter().zip(&program.upper[range.clone()]);
        let own = program.rows[range.clone()].iter().zip(&beta[range.clone()]).zip(&aside[range]);
        for (out, (((&row, &b), &aside), ((&ridge, &linear), (&lower, &upper)))) in
            slopes.iter_mut().zip(own.zip(terms.zip(boxes)))
        {
            let slope = scores[row] + ridge * b + linear;
            *out = slope;
            piece.sums.norm2 += b * scores[row];
            piece.sums.smooth += ridge * b * b;
            piece.sums.linear += linear * b;
            piece.is_wild |= !slope.is_finite();
            let (falls, rises) = ((b > lower) & !aside, (b < upper) & !aside);
            let (high, low) = (either(falls, slope, f64::NEG_INFINITY), either(rises, slope, f64::INFINITY));
            piece.top = if high > piece.top { high } else { piece.top };
            piece.bottom = if low < piece.bottom { low } else { piece.bottom };
            piece.free += usize::from(falls & rises);
        }
        piece
    }

    /// The counts and sums of another one too.
    fn add(&mut self, other: &Self) {
        self.free += other.free;
        self.is_wild |= other.is_wild;
        self.sums.norm2 += other.sums.norm2;
        self.sums.smooth += other.sums.smooth;
        self.sums.linear += other.sums.linear;
    }
}

/// One number or the other without a branch: whether a variable is at a bound is no more predictable than its label.
fn either(is_first: bool, first: f64, second: f64) -> f64 {
    let mask = u64::from(is_first).wrapping_neg();
    f64::from_bits(first.to_bits() & mask | second.to_bits() & !mask)
}

/// Violation of a variable that no sum binds.
pub(super) fn alone(slope: f64, can_fall: bool, can_rise: bool) -> f64 {
    if slope > 0.0 && can_fall || slope < 0.0 && can_rise { slope.abs() } else { 0.0 }
}

/// The variables worked on, oldest first.
#[derive(Debug, Default)]
pub(super) struct WorkingSet {
    pub(super) variables: Vec<usize>,
    is_member: Vec<bool>,
    order: Order,
}

impl WorkingSet {
    /// Which of variables that violate alike comes first: the one with the least number.
    pub(super) fn prefer(&mut self, numbers: &[f64]) {
        self.order = Order::of(numbers);
    }

    /// Whether nobody has said so.
    pub(super) fn is_unordered(&self) -> bool {
        self.order.variables.is_empty()
    }

    /// Chooses at most `size` variables.
    pub(super) fn choose(
        &mut self,
        program: &Program,
        beta: &[f64],
        aside: &[bool],
        survey: &Survey,
        size: usize,
    ) {
        self.is_member.clear();
        self.is_member.resize(program.len(), false);
        let size = size.min(program.len());
        let mut before = std::mem::take(&mut self.variables);
        before.retain(|&a| !aside[a]);
        let kept = &before[before.len() - before.len().min(size / 2)..];
        kept.iter().for_each(|&a| self.is_member[a] = true);
        let room = size - kept.len();
        let mut fresh = Vec::with_capacity(room);
        let able = |a: usize| !self.is_member[a] & !aside[a];
        let mut queues: Vec<std::vec::IntoIter<usize>> =
            ends(program, beta, able, survey, &self.order, room).into_iter().map(Vec::into_iter).collect();
        while fresh.len() < room && queues.iter().any(|queue| queue.len() > 0) {
            for queue in &mut queues {
                if let Some(a) = queue.find(|&a| !self.is_member[a])
                    && fresh.len() < room
                {
                    self.is_member[a] = true;
                    fresh.push(a);
                }
            }
        }
        // Where violators are few, more of the old ones stay.
        let spare = room - fresh.len();
        let older: Vec<usize> =
            before.iter().rev().copied().filter(|&a| !self.is_member[a]).take(spare).collect();
        older.iter().for_each(|&a| self.is_member[a] = true);
        self.variables.extend(older.into_iter().rev());
        self.variables.extend_from_slice(kept);
        self.variables.extend(fresh);
    }
}

/// Violators from the ends of each group among those that may be taken, worst first, at most `count` of each.
fn ends(
    program: &Program,
    beta: &[f64],
    able: impl Fn(usize) -> bool + Sync,
    survey: &Survey,
    order: &Order,
    count: usize,
) -> Vec<Vec<usize>> {
    let slope = &survey.gradient;
    let can_fall = |a: usize| beta[a] > program.lower[a];
    let can_rise = |a: usize| beta[a] < program.upper[a];
    if program.groups.is_empty() {
        let size = |a: usize| if able(a) { alone(slope[a], can_fall(a), can_rise(a)) } else { 0.0 };
        return vec![worst_first(0..program.len(), count, order, |a| (size(a) > 0.0, -size(a)))];
    }
    let end = |range: &Range<usize>, top: f64, bottom: f64| {
        let falls = |a: usize| (able(a) & can_fall(a) & (slope[a] > bottom), bottom - slope[a]);
        let rises = |a: usize| (able(a) & can_rise(a) & (slope[a] < top), slope[a] - top);
        let (range, again) = (range.clone(), range.clone());
        let found = rayon::join(
            || worst_first(range, count, order, falls),
            || worst_first(again, count, order, rises),
        );
        [found.0, found.1]
    };
    let groups = program.groups.iter().zip(&survey.ends);
    groups.flat_map(|((range, _), &(top, bottom))| end(range, top, bottom)).collect()
}

/// An order of all variables.
#[derive(Debug, Default)]
struct Order {
    variables: Vec<u32>,
    /// Where each of them is.
    place: Vec<u32>,
}

impl Order {
    /// By their numbers, and by themselves where these are equal.
    fn of(numbers: &[f64]) -> Self {
        let mut variables: Vec<u32> = (0..numbers.len() as u32).collect();
        variables.par_sort_unstable_by(|&a, &b| {
            numbers[a as usize].total_cmp(&numbers[b as usize]).then(a.cmp(&b))
        });
        let mut place = vec![0; variables.len()];
        variables.iter().zip(0..).for_each(|(&a, at)| place[a as usize] = at);
        Self { variables, place }
    }
}

/// Of those variables that are wanted the `count` with the least keys, least first; of those equal in single precision
/// the first in the order. Keys are distances, so that single precision can tell them apart however far from zero the slopes
/// are.
fn worst_first(
    range: Range<usize>,
    count: usize,
    order: &Order,
    wanted: impl Fn(usize) -> (bool, f64),
) -> Vec<usize> {
    // The key in the upper half, in the order of integers, and the place in the lower one: plain numbers are sorted in a
    // fraction of the time that a comparison through two levels of places takes.
    let mut keys = vec![0; range.len()];
    let mut found = 0;
    for a in range {
        let (is_wanted, key) = wanted(a);
        let bits = (key as f32).to_bits();
        let ordered = bits ^ if bits >> 31 == 1 { u32::MAX } else { 1 << 31 };
        keys[found] = u64::from(ordered) << 32 | u64::from(order.place[a]);
        found += usize::from(is_wanted);
    }
    keys.truncate(found);
    if keys.len() > count {
        keys.select_nth_unstable(count);
        keys.truncate(count);
    }
    keys.sort_unstable();
    keys.iter().map(|key| order.variables[(key & u64::from(u32::MAX)) as usize] as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_come_first_however_far_from_zero_slopes_are() {
        let as_they_are = Order::of(&[0.0; 50]);
        for level in [0.0, 1e9, -1e9] {
            let slopes: Vec<f64> = (0..50).map(|a| level + 1e-3 * ((a * 7) % 50) as f64).collect();
            let found = worst_first(10..50, 5, &as_they_are, |a| (a % 2 == 0, slopes[a] - (level + 1.0)));
            let mut want: Vec<usize> = (10..50).step_by(2).collect();
            want.sort_by(|&a, &b| slopes[a].total_cmp(&slopes[b]));
            assert_eq!(found, want[..5], "{level}");
        }
        assert!(worst_first(0..9, 0, &as_they_are, |_| (true, 1.0)).is_empty());
        assert_eq!(
            worst_first(0..4, 9, &as_they_are, |a| (true, [0.5, f64::NEG_INFINITY, -0.5, 0.5][a])),
            [1, 2, 0, 3]
        );
        let turned = Order::of(&[3.0, 2.0, 1.0, 0.0]);
        assert_eq!(worst_first(0..4, 2, &turned, |a| (a < 3, 1.0)), [2, 1]);
    }
}
