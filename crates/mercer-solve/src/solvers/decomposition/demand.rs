//! Rows of few points, or such as serve other problems too, computed when a step first asks for one: what ends with few
//! support vectors never sees the others.

use mercer_gram::Gram;
use mercer_linalg::{Buffer, Isa, STRIDE, least_moves};

use super::lines::{Lines, Moves};
use super::rows::NOWHERE;
use super::square::Entry;

/// Rows that are computed together: one that was asked for, and those that are likely to be asked for next.
const TOGETHER: usize = 12;

/// Of how many parts of all rows, each time that another one was asked for, the others are looked at.
const LOOKS: usize = 8;

/// If so large a part of them violates by nearly as much as the worst, rows that were worked on have not helped the others:
/// all will be asked for.
const UNHELPED: f64 = 0.97;
const NEARLY: f64 = 0.85;

/// Rows that were asked for.
pub(super) struct Demand<'g, T: Entry> {
    gram: &'g dyn Gram,
    diagonal: Vec<f64>,
    /// One row after the other, in the order in which they were computed; longer than they are.
    entries: Buffer<T>,
    place: Vec<u32>,
    /// ∞ for rows that there are, which need not be looked for.
    hidden: Vec<T>,
    isa: Isa,
    count: usize,
    /// Rows computed since that was last asked.
    fresh: usize,
    /// As many as there must be for the others to be looked at.
    look_at: usize,
    are_all_wanted: bool,
}

impl<'g, T: Entry> Demand<'g, T> {
    /// None so far.
    pub(super) fn new(gram: &'g dyn Gram) -> Self {
        let n = gram.len();
        let mut diagonal = vec![0.0; n];
        gram.diagonal(&mut diagonal);
        Self {
            gram,
            diagonal,
            entries: T::spare(n * n),
            place: vec![NOWHERE; n],
            hidden: vec![T::ZERO; n],
            isa: Isa::detect(),
            count: 0,
            fresh: 0,
            // Where entries are cheap rows by themselves cost no more than the same rows of a square.
            look_at: if gram.is_cheap() { usize::MAX } else { n.div_ceil(LOOKS) },
            are_all_wanted: false,
        }
    }

    /// Entries computed since this was last asked.
    pub(super) fn computed(&mut self) -> usize {
        std::mem::take(&mut self.fresh) * self.place.len()
    }

    /// The rows without a place that are next to rise, and next to fall. What cannot move that way is infinitely far.
    fn likely(&self, moves: &Moves<'_, T>) -> (Best, Best) {
        // Every so many rows are a lane; the nearest rows are in the lanes that have the nearest ones.
        let lanes = least_moves(self.isa, moves.slopes, moves.rise, moves.fall, &self.hidden);
        let [low, high] = lanes.map(|keys| {
            let mut best = Best::default();
            keys.iter().enumerate().for_each(|(lane, key)| best.offer(key.f64(), lane));
            best
        });
        let rows = |lane: usize| (lane..moves.slopes.len()).step_by(STRIDE);
        let (mut rising, mut falling) = (Best::default(), Best::default());
        for b in low.places().flat_map(rows) {
            rising.offer((moves.slopes[b] + moves.rise[b] + self.hidden[b]).f64(), b);
        }
        for b in high.places().flat_map(rows) {
            falling.offer((self.hidden[b] - (moves.slopes[b] + moves.fall[b])).f64(), b);
        }
        (rising, falling)
    }

    /// Now and then looks whether the rows that there are not yet will nearly all be asked for.
    fn look(&mut self, moves: &Moves<'_, T>) {
        let n = moves.slopes.len();
        if n == 0 || self.count < self.look_at {
            return;
        }
        self.look_at += n.div_ceil(LOOKS);
        let (falls, rises) = (moves.slopes.iter().zip(moves.fall), moves.slopes.iter().zip(moves.rise));
        let top = falls.fold(f64::NEG_INFINITY, |top, (&slope, &fall)| top.max((slope + fall).f64()));
        let bottom = rises.fold(f64::INFINITY, |bottom, (&slope, &rise)| bottom.min((slope + rise).f64()));
        let far = NEARLY * (top - bottom);
        let violates = |b: &usize| {
            let (low, high) =
                ((moves.slopes[*b] + moves.rise[*b]).f64(), (moves.slopes[*b] + moves.fall[*b]).f64());
            self.place[*b] == NOWHERE && (low < top - far || high > bottom + far)
        };
        let others = n - self.count;
        let unhelped = (0..n).filter(violates).count() as f64;
        self.are_all_wanted = unhelped > UNHELPED * others as f64;
    }

    fn compute(&mut self, rows: &[usize]) {
        let (n, end) = (self.place.len(), self.count + rows.len());
        T::rows(self.gram, rows, &mut self.entries[self.count * n..end * n]);
        for (&row, at) in rows.iter().zip(self.count as u32..) {
            (self.place[row], self.hidden[row]) = (at, T::of(f64::INFINITY));
        }
        (self.count, self.fresh) = (end, self.fresh + rows.len());
    }
}

impl<T: Entry> Drop for Demand<'_, T> {
    fn drop(&mut self) {
        T::spared(std::mem::replace(&mut self.entries, Buffer::zeros(0)));
    }
}

impl<T: Entry> Lines<T> for Demand<'_, T> {
    fn diagonal(&self, a: usize) -> f64 {
        self.diagonal[a]
    }

    fn row(&self, a: usize) -> &[T] {
        let (n, at) = (self.place.len(), self.place[a] as usize);
        &self.entries[at * n..(at + 1) * n]
    }

    fn want(&mut self, a: usize, moves: &Moves<'_, T>) -> bool {
        if self.place[a] != NOWHERE {
            return false;
        }
        self.hidden[a] = T::of(f64::INFINITY);
        let (rising, falling) = self.likely(moves);
        let mut rows = vec![a];
        for (_, b) in rising.found.into_iter().zip(falling.found).flat_map(|(up, down)| [up, down]) {
            if b != usize::MAX && rows.len() < TOGETHER && !rows.contains(&b) {
                rows.push(b);
            }
        }
        self.compute(&rows);
        self.look(moves);
        true
    }

    fn are_all_wanted(&self) -> bool {
        self.are_all_wanted
    }
}

/// The rows, or lanes of rows, with the least keys; of equal ones the first.
struct Best {
    found: [(f64, usize); TOGETHER / 2],
}

impl Default for Best {
    fn default() -> Self {
        Self { found: [(f64::INFINITY, usize::MAX); TOGETHER / 2] }
    }
}

impl Best {
    /// What was found, the nearest first; there may be less than there is room for.
    fn places(&self) -> impl Iterator<Item = usize> {
        self.found.iter().map(|&(_, place)| place).filter(|&place| place != usize::MAX)
    }

    #[inline(always)]
    fn offer(&mut self, key: f64, place: usize) {
        let mut at = TOGETHER / 2;
        while at > 0 && key < self.found[at - 1].0 {
            at -= 1;
        }
        if at < TOGETHER / 2 {
            self.found[at..].rotate_right(1);
            self.found[at] = (key, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use mercer_gram::Stored;

    use super::*;

    /// The keys of the nearest rows, by sorting all of them.
    fn nearest(keys: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut keys: Vec<f64> = keys.filter(|key| *key < f64::INFINITY).collect();
        keys.sort_by(f64::total_cmp);
        keys.truncate(TOGETHER / 2);
        keys
    }

    fn check<T: Entry>(n: usize, levels: f64) {
        let gram =
            Stored::<f64>::from_entries(n, &vec![0.0; n * n], mercer_linalg::Budget::default()).unwrap();
        let mut demand = Demand::<T>::new(&gram);
        let draw = |a: usize, seed: usize| (((a + 1) * (7919 + 2 * seed)) % 1009) as f64 / 504.5 - 1.0;
        // Few values, so that there are equals.
        let slopes: Vec<T> = (0..n).map(|a| T::of((draw(a, 1) * levels).round())).collect();
        let barrier = |seed: usize, end: f64| -> Vec<T> {
            (0..n).map(|a| if draw(a, seed) < 0.3 { T::of(end) } else { T::ZERO }).collect()
        };
        let (rise, fall) = (barrier(2, f64::INFINITY), barrier(3, f64::NEG_INFINITY));
        for hidden in [0.9, 0.0, -0.9, -2.0] {
            (0..n).filter(|&a| draw(a, 4) > hidden).for_each(|a| demand.hidden[a] = T::of(f64::INFINITY));
            let moves = Moves { slopes: &slopes, rise: &rise, fall: &fall };
            let (rising, falling) = demand.likely(&moves);
            let seen = (0..n).filter(|&a| demand.hidden[a] == T::ZERO);
            let up = nearest(seen.clone().map(|a| (slopes[a] + rise[a]).f64()));
            let down = nearest(seen.map(|a| -(slopes[a] + fall[a]).f64()));
            let keys = |best: &Best| -> Vec<f64> {
                best.found.iter().filter(|found| found.1 != usize::MAX).map(|found| found.0).collect()
            };
            assert_eq!((keys(&rising), keys(&falling)), (up, down), "{n} {levels} {hidden}");
            assert!(rising.places().all(|a| demand.hidden[a] == T::ZERO && rise[a] == T::ZERO));
        }
        let (rising, falling) = demand.likely(&Moves::default());
        assert_eq!(rising.places().chain(falling.places()).count(), 0);
    }

    #[test]
    fn the_nearest_rows_are_found() {
        for n in [1, 5, 63, 64, 65, 300, 1003] {
            for levels in [1.0, 10.0, 1e4] {
                check::<f32>(n, levels);
                check::<f64>(n, levels);
            }
        }
    }
}
