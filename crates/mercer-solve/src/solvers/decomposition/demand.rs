//! Rows of few points, computed when a step first asks for one: what ends with few support vectors never sees the others.

use mercer_gram::Gram;
use mercer_linalg::Buffer;

use super::lines::{Lines, Moves};
use super::rows::NOWHERE;
use super::square::Entry;

/// Rows that are computed together: one that was asked for, and those that are likely to be asked for next.
const TOGETHER: usize = 12;

/// Rows that are looked at together.
const LANES: usize = 16;

/// The place of the row that was asked for, while others are looked for.
const ASKED: u32 = NOWHERE - 1;

/// Rows that were asked for.
pub(super) struct Demand<'g, T: Entry> {
    gram: &'g dyn Gram,
    diagonal: Vec<f64>,
    /// One row after the other, in the order in which they were computed; longer than they are.
    entries: Buffer<T>,
    place: Vec<u32>,
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
        Self { gram, diagonal, entries: T::spare(n * n), place: vec![NOWHERE; n], count: 0, fresh: 0 }
    }

    /// How many rows there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Entries computed since this was last asked.
    pub(super) fn computed(&mut self) -> usize {
        std::mem::take(&mut self.fresh) * self.place.len()
    }

    /// A row that may be the next to rise or to fall, unless it is there.
    fn offer(&self, b: usize, moves: &Moves<'_, T>, rising: &mut Best, falling: &mut Best) {
        if self.place[b] == NOWHERE {
            rising.offer((moves.slopes[b] + moves.rise[b]).f64(), b);
            falling.offer(-(moves.slopes[b] + moves.fall[b]).f64(), b);
        }
    }

    fn compute(&mut self, rows: &[usize]) {
        let (n, end) = (self.place.len(), self.count + rows.len());
        T::rows(self.gram, rows, &mut self.entries[self.count * n..end * n]);
        rows.iter().zip(self.count as u32..).for_each(|(&row, at)| self.place[row] = at);
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
        let mut rows = vec![a];
        let (mut rising, mut falling) = (Best::default(), Best::default());
        // Until it has a place, so that it is not found among the others.
        self.place[a] = ASKED;
        let (slopes, rest) = moves.slopes.as_chunks::<LANES>();
        let (rise, fall) = (moves.rise.as_chunks::<LANES>().0, moves.fall.as_chunks::<LANES>().0);
        let blocks = slopes.iter().zip(rise.iter().zip(fall)).zip(self.place.as_chunks::<LANES>().0);
        for (block, ((slopes, (rise, fall)), places)) in blocks.enumerate() {
            // What cannot move that way is infinitely far from the end. Few blocks hold anything nearer than what was
            // found, and whether one does is told without a branch for each row.
            let (up, down) = (T::of(rising.limit()), T::of(-falling.limit()));
            let mut is_near = [false; LANES];
            for k in 0..LANES {
                let (rises, falls) = (slopes[k] + rise[k] < up, slopes[k] + fall[k] > down);
                is_near[k] = (places[k] == NOWHERE) & (rises | falls);
            }
            if is_near != [false; LANES] {
                let first = block * LANES;
                (first..first + LANES).for_each(|b| self.offer(b, moves, &mut rising, &mut falling));
            }
        }
        (moves.slopes.len() - rest.len()..moves.slopes.len())
            .for_each(|b| self.offer(b, moves, &mut rising, &mut falling));
        for (_, b) in rising.found.into_iter().zip(falling.found).flat_map(|(up, down)| [up, down]) {
            if b != usize::MAX && rows.len() < TOGETHER && !rows.contains(&b) {
                rows.push(b);
            }
        }
        self.compute(&rows);
        true
    }
}

/// The rows with the least keys, of equal ones the first.
struct Best {
    found: [(f64, usize); TOGETHER / 2],
}

impl Default for Best {
    fn default() -> Self {
        Self { found: [(f64::INFINITY, usize::MAX); TOGETHER / 2] }
    }
}

impl Best {
    /// What a key must be less than.
    fn limit(&self) -> f64 {
        self.found[TOGETHER / 2 - 1].0
    }

    #[inline(always)]
    fn offer(&mut self, key: f64, row: usize) {
        if key < self.limit() {
            self.insert(key, row);
        }
    }

    fn insert(&mut self, key: f64, row: usize) {
        let mut at = TOGETHER / 2 - 1;
        while at > 0 && key < self.found[at - 1].0 {
            self.found[at] = self.found[at - 1];
            at -= 1;
        }
        self.found[at] = (key, row);
    }
}
