//! Rows of few points, computed when a step first asks for one: what ends with few support vectors never sees the others.

use mercer_gram::Gram;
use mercer_linalg::{Buffer, Isa, STRIDE, least_moves};

use super::lines::{Lines, Moves};
use super::rows::NOWHERE;
use super::square::Entry;

/// Rows that are computed together: one that was asked for, and those that are likely to be asked for next.
const TOGETHER: usize = 12;

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
        }
    }

    /// How many rows there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Entries computed since this was last asked.
    pub(super) fn computed(&mut self) -> usize {
        std::mem::take(&mut self.fresh) * self.place.len()
    }

    /// The rows without a place that are next to rise, and next to fall. What cannot move that way is infinitely far.
    fn likely(&self, moves: &Moves<'_, T>) -> (Best, Best) {
        // Every so many rows are a class; the nearest rows are in the classes that have the nearest ones.
        let classes = least_moves(self.isa, moves.slopes, moves.rise, moves.fall, &self.hidden);
        let [low, high] = classes.map(|keys| {
            let mut best = Best::default();
            keys.iter().enumerate().for_each(|(class, key)| best.offer(key.f64(), class));
            best
        });
        let rows = |class: usize| (class..moves.slopes.len()).step_by(STRIDE);
        let (mut rising, mut falling) = (Best::default(), Best::default());
        for b in low.rows().flat_map(rows) {
            rising.offer((moves.slopes[b] + moves.rise[b] + self.hidden[b]).f64(), b);
        }
        for b in high.rows().flat_map(rows) {
            falling.offer((self.hidden[b] - (moves.slopes[b] + moves.fall[b])).f64(), b);
        }
        (rising, falling)
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
        true
    }
}

/// The rows, or classes of rows, with the least keys; of equal ones the first.
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
    fn rows(&self) -> impl Iterator<Item = usize> {
        self.found.iter().map(|&(_, row)| row).filter(|&row| row != usize::MAX)
    }

    #[inline(always)]
    fn offer(&mut self, key: f64, row: usize) {
        let mut at = TOGETHER / 2;
        while at > 0 && key < self.found[at - 1].0 {
            at -= 1;
        }
        if at < TOGETHER / 2 {
            self.found[at..].rotate_right(1);
            self.found[at] = (key, row);
        }
    }
}
