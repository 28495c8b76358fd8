//! Rows of the Gram matrix, kept while the memory budget lasts; the least recently used row makes room.
//!
//! Entries are `f32` or `f64` as the engine says; sums over them are always `f64`, made in one order whatever the number
//! of threads. Rows are computed in chunks, and between chunks the run is asked whether to stop.

use std::cell::Cell;

use mercer_gram::{Crossings, Gram, Precision, Selection};
use mercer_linalg::{Budget, Buffer};
use rayon::prelude::*;

use super::demand::Demand;
use super::square::{Entry, Square};
use crate::{Run, Status};

/// Rows of a Gram matrix in one of two precisions.
pub(super) struct Rows<'g> {
    gram: &'g dyn Gram,
    budget: Budget,
    cache: Cache,
    is_cheap: bool,
    /// The rows that get sums, if not all do.
    covered: Option<Vec<usize>>,
    /// Those that are worked on.
    set: Option<Box<dyn Selection + 'g>>,
    others: Option<Others<'g>>,
}

/// Rows that get sums, but for those that are worked on, each at a place of its own.
struct Others<'g> {
    rows: Vec<usize>,
    columns: Box<dyn Selection + 'g>,
}

impl Others<'_> {
    /// Gives places to the rows that are wanted; few of those that have one are moved.
    fn arrange(&mut self, mut is_wanted: Vec<bool>) {
        let mut holes = Vec::new();
        for (place, row) in self.rows.iter().enumerate() {
            if !std::mem::take(&mut is_wanted[*row]) {
                holes.push(place);
            }
        }
        let fresh: Vec<usize> = (0..is_wanted.len()).filter(|&row| is_wanted[row]).collect();
        holes.iter().zip(&fresh).for_each(|(&place, &row)| self.rows[place] = row);
        let filled = fresh.len().min(holes.len());
        self.rows.extend_from_slice(&fresh[filled..]);
        // Rows from the end come into the holes that are left.
        let (holes, len) = (&holes[filled..], self.rows.len() - (holes.len() - filled));
        let moving = (len..self.rows.len()).filter(|place| holes.binary_search(place).is_err());
        for (&hole, place) in holes.iter().zip(moving.collect::<Vec<usize>>()) {
            self.rows[hole] = self.rows[place];
        }
        self.rows.truncate(len);
        self.columns.arrange(&self.rows);
    }
}

enum Cache {
    Single(Slots<f32>),
    Double(Slots<f64>),
    /// Nothing is kept: entries are computed, in `f64` or not, in less time than they are found.
    Fused {
        double: bool,
    },
}

impl<'g> Rows<'g> {
    /// `once` says that rows will hardly be asked for twice.
    pub(super) fn new(gram: &'g dyn Gram, budget: Budget, double: bool, once: bool) -> Self {
        let (n, is_cheap) = (gram.len(), gram.is_cheap());
        let cache = match (once || keeps_nothing(is_cheap, n), double) {
            (true, double) => Cache::Fused { double },
            (false, true) => Cache::Double(Slots::new(n, budget)),
            (false, false) => Cache::Single(Slots::new(n, budget)),
        };
        Self { gram, budget, cache, is_cheap, covered: None, set: None, others: None }
    }

    /// From now on only these rows get sums, if that saves work; rows that are asked for are among them.
    pub(super) fn narrow(&mut self, rows: Vec<usize>) -> bool {
        let can = self.find_others();
        if can {
            self.covered = Some(rows);
        }
        can
    }

    /// Whether sums can be had for some rows alone.
    fn find_others(&mut self) -> bool {
        if self.others.is_none() && matches!(self.cache, Cache::Fused { .. }) {
            self.others = self.gram.selection().map(|columns| Others { rows: Vec::new(), columns });
        }
        self.others.is_some()
    }

    /// All rows get sums again.
    pub(super) fn spread(&mut self) {
        self.covered = None;
    }

    /// Rows that get sums.
    pub(super) fn covered(&self) -> Vec<usize> {
        self.covered.clone().unwrap_or_else(|| (0..self.gram.len()).collect())
    }

    /// How many rows get sums.
    pub(super) fn breadth(&self) -> usize {
        self.covered.as_ref().map_or(self.gram.len(), Vec::len)
    }

    /// Whether entries are `f64`.
    pub(super) fn is_double(&self) -> bool {
        matches!(self.cache, Cache::Double(_) | Cache::Fused { double: true })
    }

    /// From now on in `f64`; what was kept is dropped first.
    pub(super) fn widen(&mut self) {
        if let Cache::Fused { double } = &mut self.cache {
            *double = true;
            return;
        }
        self.cache = Cache::Double(Slots::empty());
        self.cache = Cache::Double(Slots::new(self.gram.len(), self.budget));
    }

    /// Rows of all variables as they are asked for, where a variable is a row.
    pub(super) fn on_demand(&self) -> Square<'g> {
        if self.is_double() {
            Square::AskedDouble(Demand::new(self.gram))
        } else {
            Square::Asked(Demand::new(self.gram))
        }
    }

    /// The square of some rows a part at a time, where it is computed whenever it is wanted, in `f32`.
    pub(super) fn crossings(&self) -> Option<&dyn Crossings> {
        self.set.as_deref().map(|set| set as &dyn Crossings)
    }

    /// Whether the square of these rows can be had so.
    pub(super) fn cross(&mut self, rows: &[usize]) -> bool {
        if !matches!(self.cache, Cache::Fused { double: false }) {
            self.set = None;
        } else if self.set.is_none() {
            self.set = self.gram.selection().filter(|set| set.is_soon());
        }
        self.set.as_mut().map(|set| set.arrange(rows)).is_some()
    }

    /// K at the crossings of the given rows, one line after the other.
    pub(super) fn square(
        &mut self,
        rows: &[usize],
        out: &mut Square<'g>,
        run: &mut Run<'_>,
    ) -> Result<(), Status> {
        let len = rows.len() * rows.len();
        let are_all = rows.len() == self.gram.len() && rows.iter().enumerate().all(|(at, &row)| at == row);
        if are_all && !self.is_double() {
            let whole = self.gram.whole_single(&|| run.stop().is_some());
            if let Some(status) = run.stop() {
                return Err(status);
            }
            if let Some(entries) = whole {
                *out = Square::Kept(entries);
                return Ok(());
            }
        }
        // Whole rows of all that are worked on would be more than their square where entries are cheap.
        match &mut self.cache {
            Cache::Single(slots) if !self.is_cheap => {
                return slots.square(self.gram, rows, out.single(len), run);
            }
            Cache::Double(slots) if !self.is_cheap => {
                return slots.square(self.gram, rows, out.double(len), run);
            }
            _ => {}
        }
        if let Some(status) = run.stop() {
            return Err(status);
        }
        let stop = || run.stop().is_some();
        if self.is_double() {
            self.gram.square_double(rows, out.double(len), &stop);
        } else {
            self.gram.square_single(rows, out.single(len), &stop);
        }
        if let Some(status) = run.stop() {
            return Err(status);
        }
        run.count(len / 2);
        Ok(())
    }

    /// out += Σ weight·row, but not for rows whose sums are `known`: there, and after an early end, `out` is of no use. All
    /// rows that have a weight are known, or none.
    pub(super) fn accumulate(
        &mut self,
        terms: &[(usize, f64)],
        known: &[usize],
        out: &mut [f64],
        run: &mut Run<'_>,
        polls: bool,
    ) -> Result<(), Status> {
        if !known.is_empty() && self.find_others() {
            return self.spread_out(terms, known, out, run, polls);
        }
        match &mut self.cache {
            Cache::Single(slots) => slots.accumulate(self.gram, terms, out, run, polls),
            Cache::Double(slots) => slots.accumulate(self.gram, terms, out, run, polls),
            Cache::Fused { double } => {
                let (gram, double) = (self.gram, *double);
                let add = if double { Gram::add_rows_double } else { Gram::add_rows_single };
                fused(self.is_cheap, terms, out, run, polls, |rows, weights, out| {
                    add(gram, rows, weights, out);
                })
            }
        }
    }

    /// The same for those that are wanted and not known.
    fn spread_out(
        &mut self,
        terms: &[(usize, f64)],
        known: &[usize],
        out: &mut [f64],
        run: &mut Run<'_>,
        polls: bool,
    ) -> Result<(), Status> {
        let (double, is_cheap) = (self.is_double(), self.is_cheap);
        let Some(others) = &mut self.others else { return Ok(()) };
        let mut is_wanted = vec![self.covered.is_none(); out.len()];
        self.covered.iter().flatten().for_each(|&row| is_wanted[row] = true);
        known.iter().for_each(|&row| is_wanted[row] = false);
        others.arrange(is_wanted);
        let mut sums = vec![0.0; others.rows.len()];
        let add = if double { Selection::add_rows_double } else { Selection::add_rows_single };
        fused(is_cheap, terms, &mut sums, run, polls, |rows, weights, out| {
            add(&*others.columns, rows, weights, out);
        })?;
        others.rows.iter().zip(sums).for_each(|(&row, sum)| out[row] += sum);
        Ok(())
    }
}

/// out += Σ weight·row from entries that are not kept.
fn fused(
    is_cheap: bool,
    terms: &[(usize, f64)],
    out: &mut [f64],
    run: &mut Run<'_>,
    polls: bool,
    add: impl Fn(&[usize], &[f64], &mut [f64]),
) -> Result<(), Status> {
    let entries = if is_cheap { FUSED } else { FUSED / 16 };
    for terms in terms.chunks((entries / out.len().max(1)).max(HEIGHT).next_multiple_of(HEIGHT)) {
        if let Some(status) = run.stop().filter(|_| polls) {
            return Err(status);
        }
        let (rows, weights): (Vec<usize>, Vec<f64>) = terms.iter().copied().unzip();
        add(&rows, &weights, out);
        run.count(rows.len() * out.len());
    }
    Ok(())
}

/// Kα from `f64` entries that are not kept.
pub(super) fn products(gram: &dyn Gram, alpha: &[f64], run: &mut Run<'_>) -> Result<Vec<f64>, Status> {
    run.count(support(alpha) * alpha.len());
    asked(run, |stop| gram.products(alpha, stop))
}

/// (Kα)_i at some rows i from entries that are not kept.
pub(super) fn products_at(
    gram: &dyn Gram,
    rows: &[usize],
    alpha: &[f64],
    precision: Precision,
    run: &mut Run<'_>,
) -> Result<Vec<f64>, Status> {
    run.count(support(alpha) * rows.len());
    asked(run, |stop| gram.products_at(rows, alpha, precision, stop))
}

/// Coefficients that are not zero.
fn support(alpha: &[f64]) -> usize {
    alpha.iter().filter(|a| **a != 0.0).count()
}

/// Work that asks whether to stop, and why it was stopped if it was.
fn asked<T>(
    run: &Run<'_>,
    work: impl FnOnce(&dyn Fn(usize, usize) -> bool) -> Option<T>,
) -> Result<T, Status> {
    let stopped = Cell::new(None);
    let found = work(&|_, _| {
        stopped.set(run.stop());
        stopped.get().is_some()
    });
    found.ok_or_else(|| stopped.get().unwrap_or(Status::Stopped))
}

/// Entries between two questions whether to stop where none is kept, and rows that are cut nowhere: where they are depends
/// on sizes alone.
const FUSED: usize = 32_000_000;
const HEIGHT: usize = 48;

/// Up to so many rows are kept: all of them fit the caches of the machine.
pub(super) const KEPT: usize = 1500;

/// Whether entries of so many rows are computed whenever they are wanted, and never kept.
pub(super) fn keeps_nothing(is_cheap: bool, n: usize) -> bool {
    is_cheap && n > KEPT
}

/// Rows of so many entries that the budget has room for.
pub(super) fn kept_rows(n: usize, entry: usize, budget: Budget) -> usize {
    let rows = budget.bytes() / (n.max(1) * entry) as u64;
    usize::try_from(rows).unwrap_or(usize::MAX).max(LEAST).min(n)
}

/// Entries computed between two questions whether to stop: some milliseconds.
const CHUNK: usize = 4_000_000;

/// Bytes that are used without asking whether rows come back: touching fresh memory costs more than computing a row, so
/// that more is used only for rows that are asked for again.
const CHEAP: usize = 256 << 20;

/// At least so many rows are kept even when the budget is for fewer: as much as a handful of vectors.
const LEAST: usize = 16;

/// Rows in a chunk: a multiple of [`FOUR`], so that no sum depends on how terms were cut into chunks.
fn chunk(n: usize) -> usize {
    (CHUNK / n.max(1)).clamp(FOUR, 1024) / FOUR * FOUR
}

/// Rows that are added together.
const FOUR: usize = 4;

/// A place for a row; which row is where, and when each place was last used.
struct Slots<T> {
    n: usize,
    entries: Buffer<T>,
    staging: Vec<T>,
    /// Slot of each row, if it has one.
    place: Vec<u32>,
    /// Row and last use of each slot that is taken; slots are taken from the first on.
    taken: Vec<(usize, u64)>,
    /// Rows there may be, and rows there may be so far.
    capacity: usize,
    allowed: usize,
    /// Whether a row had to make room before.
    was_here: Vec<bool>,
    clock: u64,
}

pub(super) const NOWHERE: u32 = u32::MAX;

/// Asked for, and about to be computed.
const COMING: u32 = u32::MAX - 1;

impl<T: Entry> Slots<T> {
    fn new(n: usize, budget: Budget) -> Self {
        let capacity = kept_rows(n, size_of::<T>(), budget);
        Self {
            n,
            entries: Buffer::zeros(capacity * n),
            staging: Vec::new(),
            place: vec![NOWHERE; n],
            taken: Vec::new(),
            capacity,
            allowed: (CHEAP / (n.max(1) * size_of::<T>())).clamp(LEAST.min(capacity), capacity),
            was_here: vec![false; n],
            clock: 0,
        }
    }

    fn empty() -> Self {
        Self::new(0, Budget::of_bytes(0))
    }

    fn square(
        &mut self,
        gram: &dyn Gram,
        rows: &[usize],
        out: &mut [T],
        run: &mut Run<'_>,
    ) -> Result<(), Status> {
        let width = rows.len();
        let height = self.height();
        for (lines, out) in rows.chunks(height).zip(out.chunks_mut(height * width)) {
            let slots = self.ensure(gram, lines, run)?;
            let (n, entries) = (self.n, &self.entries[..]);
            out.par_chunks_exact_mut(width).zip(slots).for_each(|(out, slot)| {
                let row = &entries[slot * n..(slot + 1) * n];
                out.iter_mut().zip(rows).for_each(|(out, &column)| *out = row[column]);
            });
        }
        Ok(())
    }

    fn accumulate(
        &mut self,
        gram: &dyn Gram,
        terms: &[(usize, f64)],
        out: &mut [f64],
        run: &mut Run<'_>,
        polls: bool,
    ) -> Result<(), Status> {
        let height = self.height();
        for terms in terms.chunks(height) {
            if let Some(status) = run.stop().filter(|_| polls) {
                return Err(status);
            }
            let rows: Vec<usize> = terms.iter().map(|term| term.0).collect();
            let slots = self.fetch(gram, &rows, run);
            let weighted: Vec<(usize, f64)> =
                slots.into_iter().zip(terms.iter().map(|term| term.1)).collect();
            add(&self.entries, self.n, &weighted, out);
        }
        Ok(())
    }

    /// Rows that are worked on at a time.
    fn height(&self) -> usize {
        if self.allowed < FOUR { self.allowed } else { chunk(self.n).min(self.allowed / FOUR * FOUR) }
    }

    /// The slots of some rows, computed where missing, unless the run is to stop.
    fn ensure(&mut self, gram: &dyn Gram, rows: &[usize], run: &mut Run<'_>) -> Result<Vec<usize>, Status> {
        match run.stop() {
            Some(status) => Err(status),
            None => Ok(self.fetch(gram, rows, run)),
        }
    }

    fn fetch(&mut self, gram: &dyn Gram, rows: &[usize], run: &mut Run<'_>) -> Vec<usize> {
        self.clock += 1;
        let mut missing = Vec::new();
        for &row in rows {
            match self.place[row] {
                NOWHERE => {
                    self.place[row] = COMING;
                    missing.push(row);
                }
                COMING => {}
                slot => self.taken[slot as usize].1 = self.clock,
            }
        }
        let regrets = missing.iter().filter(|&&row| self.was_here[row]).count();
        self.allowed = (self.allowed + 2 * regrets).min(self.capacity);
        let fresh = (self.allowed - self.taken.len()).min(missing.len());
        let (first, others) = missing.split_at(fresh);
        if !first.is_empty() {
            // Slots never used lie side by side, so that rows are computed where they stay.
            let start = self.taken.len();
            T::rows(gram, first, &mut self.entries[start * self.n..(start + fresh) * self.n]);
            for &row in first {
                self.place[row] = self.taken.len() as u32;
                self.taken.push((row, self.clock));
            }
        }
        if !others.is_empty() {
            self.replace(gram, others);
        }
        run.count(missing.len() * self.n);
        rows.iter().map(|&row| self.place[row] as usize).collect()
    }

    /// Computes rows and puts them where the least recently used ones were.
    fn replace(&mut self, gram: &dyn Gram, rows: &[usize]) {
        let mut oldest: Vec<usize> = (0..self.taken.len()).collect();
        if rows.len() < oldest.len() {
            oldest.select_nth_unstable_by_key(rows.len(), |&slot| (self.taken[slot].1, slot));
        }
        self.staging.resize(rows.len() * self.n, T::ZERO);
        T::rows(gram, rows, &mut self.staging);
        for ((&row, &slot), values) in rows.iter().zip(&oldest).zip(self.staging.chunks_exact(self.n)) {
            self.place[self.taken[slot].0] = NOWHERE;
            self.was_here[self.taken[slot].0] = true;
            self.place[row] = slot as u32;
            self.taken[slot] = (row, self.clock);
            self.entries[slot * self.n..(slot + 1) * self.n].copy_from_slice(values);
        }
    }
}

/// Columns that one task sums: `out` and four rows of them stay near.
const WIDTH: usize = 2048;

/// out += Σ weight·entries[slot]; each column by itself, terms in the given order.
fn add<T: Entry>(entries: &[T], n: usize, terms: &[(usize, f64)], out: &mut [f64]) {
    out.par_chunks_mut(WIDTH).enumerate().for_each(|(block, out)| {
        let (from, width) = (block * WIDTH, out.len());
        let row = |slot: usize| &entries[slot * n + from..slot * n + from + width];
        let mut fours = terms.chunks_exact(FOUR);
        for four in &mut fours {
            let [a, b, c, d] = [four[0], four[1], four[2], four[3]];
            let lines = row(a.0).iter().zip(row(b.0)).zip(row(c.0)).zip(row(d.0));
            for (out, (((p, q), r), s)) in out.iter_mut().zip(lines) {
                *out += a.1 * p.f64() + b.1 * q.f64() + c.1 * r.f64() + d.1 * s.f64();
            }
        }
        for &(slot, weight) in fours.remainder() {
            out.iter_mut().zip(row(slot)).for_each(|(out, k)| *out += weight * k.f64());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Features, Tolerance};

    fn gram() -> Features {
        let values = (0..60).map(|i| ((i * 7 % 11) as f64) - 5.0).collect();
        Features::new(30, 2, values).unwrap()
    }

    /// Places that are told what stands there.
    #[derive(Default)]
    struct Told(std::sync::Arc<std::sync::Mutex<Vec<usize>>>);

    impl Crossings for Told {
        fn fill(&self, _: std::ops::Range<usize>, _: std::ops::Range<usize>, _: &mut [f32]) {}
    }

    impl Selection for Told {
        fn arrange(&mut self, rows: &[usize]) {
            *self.0.lock().unwrap() = rows.to_vec();
        }
        fn add_rows_single(&self, _: &[usize], _: &[f64], _: &mut [f64]) {}
        fn add_rows_double(&self, _: &[usize], _: &[f64], _: &mut [f64]) {}
        fn is_soon(&self) -> bool {
            true
        }
    }

    #[test]
    fn rows_that_are_wanted_have_one_place_each_and_few_are_moved() {
        let told = Told::default();
        let places = told.0.clone();
        let mut others = Others { rows: Vec::new(), columns: Box::new(told) };
        let mut before: Vec<usize> = Vec::new();
        for round in 0..40 {
            // More of them, fewer, none, all, and only some of those that were there.
            let is_wanted: Vec<bool> = (0..50)
                .map(|row| match round % 8 {
                    3 => false,
                    5 => true,
                    6 => before.contains(&row) && row % 3 > 0,
                    _ => (row * 7 + round * 11) % 13 > round % 9,
                })
                .collect();
            others.arrange(is_wanted.clone());
            let now = places.lock().unwrap().clone();
            let mut sorted = now.clone();
            sorted.sort_unstable();
            assert_eq!(
                sorted,
                (0..50).filter(|&row| is_wanted[row]).collect::<Vec<usize>>(),
                "round {round}"
            );
            // Whoever stays within the new length keeps its place.
            for (place, &row) in before.iter().enumerate().take(now.len()) {
                assert!(!is_wanted[row] || now[place] == row, "round {round}: {row} was moved");
            }
            before = now;
        }
    }

    #[test]
    fn rows_that_made_room_come_back_right() {
        let gram = gram();
        let mut run = Run::quiet(Tolerance::default());
        // Room for sixteen rows of thirty.
        let mut slots = Slots::<f64>::new(30, Budget::of_bytes(0));
        assert_eq!((slots.capacity, slots.allowed), (16, 16));
        for round in 0..50 {
            let rows: Vec<usize> = (0..12).map(|k| (round * 5 + k * k) % 30).collect();
            let places = slots.fetch(&gram, &rows, &mut run);
            for (&row, place) in rows.iter().zip(places) {
                for column in 0..30 {
                    assert_eq!(slots.entries[place * 30 + column], gram.entry(row, column), "round {round}");
                }
            }
        }
        assert!(run.entries() > 16 * 30);
    }

    #[test]
    fn a_square_and_sums_are_those_of_the_entries() {
        let gram = gram();
        let mut run = Run::quiet(Tolerance::default());
        for double in [false, true] {
            let mut rows = Rows::new(&gram, Budget::of_bytes(0), double, false);
            let chosen: Vec<usize> = (0..30).rev().collect();
            let mut square = Square::none();
            rows.square(&chosen, &mut square, &mut run).unwrap();
            let square: Vec<f64> = match &square {
                Square::Single(entries) => entries[..900].iter().copied().map(f64::from).collect(),
                Square::Double(entries) => entries[..900].to_vec(),
                _ => unreachable!("this matrix keeps nothing"),
            };
            for (at, value) in square.iter().enumerate() {
                assert_eq!(*value, gram.entry(chosen[at / 30], chosen[at % 30]));
            }
            let terms: Vec<(usize, f64)> = (0..23).map(|row| (row, row as f64 - 9.0)).collect();
            let mut sums = vec![1.0; 30];
            rows.accumulate(&terms, &[], &mut sums, &mut run, true).unwrap();
            for (column, sum) in sums.iter().enumerate() {
                let want = 1.0 + terms.iter().map(|(row, w)| w * gram.entry(*row, column)).sum::<f64>();
                assert_eq!(*sum, want);
            }
        }
    }
}
