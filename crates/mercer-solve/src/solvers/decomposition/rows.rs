//! Rows of the Gram matrix, kept while the memory budget lasts; the least recently used row makes room.
//!
//! Entries are `f32` or `f64` as the engine says; sums over them are always `f64`, made in one order whatever the number
//! of threads. Rows are computed in chunks, and between chunks the run is asked whether to stop.

use std::cell::Cell;

use mercer_gram::{Crossings, Gram, Precision, Selection};
use mercer_linalg::{Budget, Buffer};
use rayon::prelude::*;

use super::demand::Demand;
use super::others::Others;
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
    /// Those that are worked on, where their square is had a part at a time, which is not known to be in vain.
    set: Option<Box<dyn Selection + 'g>>,
    may_cross: bool,
    /// Those that get sums for themselves, where that can be had.
    others: Option<Others<'g>>,
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
        Self { gram, budget, cache, is_cheap, covered: None, set: None, may_cross: true, others: None }
    }

    /// From now on only these rows get sums, if that saves work; rows that are asked for are among them.
    pub(super) fn narrow(&mut self, rows: Vec<usize>) -> bool {
        self.make_others();
        if self.others.is_some() {
            self.covered = Some(rows);
        }
        self.others.is_some()
    }

    fn make_others(&mut self) {
        if self.others.is_none() && matches!(self.cache, Cache::Fused { .. }) {
            self.others = self.gram.selection().map(Others::new);
        }
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
            self.rest();
            return;
        }
        self.cache = Cache::Double(Slots::empty());
        self.cache = Cache::Double(Slots::new(self.gram.len(), self.budget));
    }

    /// Gives back the memory of points that are set out; whoever wants them again makes them anew.
    pub(super) fn rest(&mut self) {
        (self.set, self.others) = (None, None);
    }

    /// Rows of all variables as they are asked for, where a variable is a row.
    pub(super) fn on_demand(&self) -> Square<'g> {
        if self.is_double() {
            Square::AskedDouble(Demand::new(self.gram))
        } else {
            Square::Asked(Demand::new(self.gram))
        }
    }

    /// Sets out some rows, if their square is better had a part at a time, in `f32`.
    pub(super) fn cross(&mut self, rows: &[usize]) -> bool {
        if self.set.is_none() && self.may_cross && matches!(self.cache, Cache::Fused { double: false }) {
            self.set = self.gram.selection().filter(|set| set.is_soon());
            self.may_cross = self.set.is_some();
        }
        self.set.as_mut().map(|set| set.arrange(rows)).is_some()
    }

    /// The square of the rows that were set out.
    pub(super) fn crossings(&self) -> Option<&dyn Crossings> {
        self.set.as_deref().map(|set| set as &dyn Crossings)
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
        debug_assert!(known.is_empty() || terms.iter().all(|term| known.contains(&term.0)));
        if !known.is_empty() {
            self.make_others();
        }
        let (double, is_cheap) = (self.is_double(), self.is_cheap);
        if let Some(others) = self
            .others
            .as_mut()
            .filter(|others| !known.is_empty() && (others.is_pliable() || self.covered.is_some()))
        {
            let mut is_wanted = vec![self.covered.is_none(); out.len()];
            self.covered.iter().flatten().for_each(|&row| is_wanted[row] = true);
            if others.is_pliable() {
                known.iter().for_each(|&row| is_wanted[row] = false);
            }
            others.arrange(is_wanted);
            let mut sums = vec![0.0; others.rows().len()];
            fused(is_cheap, terms, &mut sums, run, polls, |rows, weights, out| {
                others.add_rows(double, rows, weights, out);
            })?;
            others.rows().iter().zip(sums).for_each(|(&row, sum)| out[row] += sum);
            return Ok(());
        }
        match &mut self.cache {
            Cache::Single(slots) => slots.accumulate(self.gram, terms, out, run, polls),
            Cache::Double(slots) => slots.accumulate(self.gram, terms, out, run, polls),
            Cache::Fused { .. } => {
                let gram = self.gram;
                let add = if double { Gram::add_rows_double } else { Gram::add_rows_single };
                fused(is_cheap, terms, out, run, polls, |rows, weights, out| add(gram, rows, weights, out))
            }
        }
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
    use mercer_gram::Lazy;
    use mercer_points::{ColumnData, Table};

    use super::*;
    use crate::{Features, Tolerance};

    fn gram() -> Features {
        let values = (0..60).map(|i| ((i * 7 % 11) as f64) - 5.0).collect();
        Features::new(30, 2, values).unwrap()
    }

    /// Numbers on three columns, all but the first of three rows.
    fn cheap(n: usize) -> Lazy {
        let mut table = Table::new();
        for j in 0..3 {
            let values = (0..n).map(|i| ((i * (7 + 2 * j) + i * i) % 97) as f64 / 50.0).collect();
            table.push(format!("x{j}"), ColumnData::Numbers(values)).unwrap();
        }
        Lazy::new(&"rbf(sigma=0.7)".parse().unwrap(), &table).unwrap()
    }

    #[test]
    fn sums_of_rows_that_are_not_known_are_those_of_the_entries() {
        let n = 1600;
        let (gram, mut run) = (cheap(n), Run::quiet(Tolerance::default()));
        let mut rows = Rows::new(&gram, Budget::of_bytes(1 << 30), false, false);
        for round in 0..8 {
            // All rows, then ever fewer of them, then all again, in double precision at the end.
            let covered: Vec<usize> = (0..n).filter(|row| row % 7 >= round % 5).collect();
            match round {
                0 | 5 => rows.spread(),
                6 => rows.widen(),
                _ => assert!(rows.narrow(covered.clone())),
            }
            let is_spread = matches!(round, 0 | 5 | 6);
            let known: Vec<usize> = (0..n).filter(|row| (row + 11 * round) % 7 == 5).collect();
            let each = known.iter().filter(|&&row| row % 3 > 0);
            let terms: Vec<(usize, f64)> = each.map(|&row| (row, (row % 5) as f64 - 2.0)).collect();
            let mut found = vec![1.0; n];
            rows.accumulate(&terms, &known, &mut found, &mut run, true).unwrap();
            let allowed = if rows.is_double() { 1e-10 } else { 1e-3 };
            for row in (0..n).filter(|row| (is_spread || covered.contains(row)) && !known.contains(row)) {
                let want = 1.0 + terms.iter().map(|&(i, w)| w * gram.entry(i, row)).sum::<f64>();
                assert!(
                    (found[row] - want).abs() < allowed,
                    "round {round}, row {row}: {} {want}",
                    found[row]
                );
            }
        }
        assert!(rows.is_double() && run.entries() > 0);
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
