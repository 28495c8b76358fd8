//! Rows of few points, computed when a step first asks for one: what ends with few support vectors never sees the others.

use mercer_gram::Gram;
use mercer_linalg::Buffer;

use super::lines::{Lines, Moves};
use super::rows::NOWHERE;
use super::square::Entry;

/// Rows that are computed together: one that was asked for, and those that are likely to be asked for next.
const TOGETHER: usize = 12;

/// Rows that are looked at side by side, and in a block.
const LANES: usize = 16;
const BLOCK: usize = 32;

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

    /// The rows without a place that are next to rise, and next to fall. What cannot move that way is infinitely far.
    fn likely(&self, moves: &Moves<'_, T>) -> (Best, Best) {
        // Nearest blocks first, which takes no branch for each row: the nearest rows are in them.
        let (mut low, mut high) = (Best::default(), Best::default());
        let rise = moves.rise.chunks(BLOCK);
        let blocks = moves.slopes.chunks(BLOCK).zip(rise.zip(moves.fall.chunks(BLOCK)));
        for (block, ((slopes, (rise, fall)), places)) in blocks.zip(self.place.chunks(BLOCK)).enumerate() {
            let [up, down] = nearest(slopes, rise, fall, places);
            low.offer(up, block);
            high.offer(down, block);
        }
        let (mut rising, mut falling) = (Best::default(), Best::default());
        let rows = |block: usize| block * BLOCK..((block + 1) * BLOCK).min(moves.slopes.len());
        for b in low.rows().flat_map(rows).filter(|&b| self.place[b] == NOWHERE) {
            rising.offer((moves.slopes[b] + moves.rise[b]).f64(), b);
        }
        for b in high.rows().flat_map(rows).filter(|&b| self.place[b] == NOWHERE) {
            falling.offer(-(moves.slopes[b] + moves.fall[b]).f64(), b);
        }
        (rising, falling)
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
        // Until it has a place, so that it is not found among the others.
        self.place[a] = ASKED;
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

/// The least keys of the rows of a block that have no place: to rise, and to fall.
#[inline(always)]
fn nearest<T: Entry>(slopes: &[T], rise: &[T], fall: &[T], places: &[u32]) -> [f64; 2] {
    let far = T::of(f64::INFINITY);
    let (mut up, mut down) = ([far; LANES], [far; LANES]);
    let lanes = slopes.chunks(LANES).zip(rise.chunks(LANES).zip(fall.chunks(LANES)));
    for ((slopes, (rise, fall)), places) in lanes.zip(places.chunks(LANES)) {
        for k in 0..slopes.len() {
            let is_open = places[k] == NOWHERE;
            let (rises, falls) = (slopes[k] + rise[k], T::ZERO - (slopes[k] + fall[k]));
            up[k] = if is_open & (rises < up[k]) { rises } else { up[k] };
            down[k] = if is_open & (falls < down[k]) { falls } else { down[k] };
        }
    }
    [up, down].map(|keys| keys.iter().fold(f64::INFINITY, |least, key| least.min(key.f64())))
}

/// The rows, or blocks of rows, with the least keys; of equal ones the first.
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
