//! The seam between kernels and solvers.

use std::ops::Range;

use mercer_linalg::Real;

use crate::Precision;

/// Asked now and then by work that takes long, from any thread; `true` ends it.
pub type Stop<'a> = dyn Fn() -> bool + Sync + 'a;

/// The square at the crossings of some rows, a part at a time, from any thread.
pub trait Crossings: Send + Sync {
    /// Writes the entries of some lines and columns, in `f32`. Lines are as far apart in `out` as there are rows, and `out`
    /// begins with the first of them; columns begin at a multiple of 16.
    fn fill(&self, lines: Range<usize>, columns: Range<usize>, out: &mut [f32]);
}

/// Some rows of a matrix, each at a place of its own.
pub trait Selection: Crossings {
    /// Puts rows at the places, from the first on.
    fn arrange(&mut self, rows: &[usize]);

    /// Whether rows that stay where they are cost next to nothing then, unless there were never as many.
    fn is_pliable(&self) -> bool;

    /// Adds Σ weight·row of the matrix to `out`, which has a number for each place, from entries in `f32` that are not kept. At
    /// its own place an entry of the diagonal is rounded as others are.
    fn add_rows_single(&self, rows: &[usize], weights: &[f64], out: &mut [f64]);

    /// The same from entries in `f64`.
    fn add_rows_double(&self, rows: &[usize], weights: &[f64], out: &mut [f64]);

    /// Whether an entry is computed sooner than it is found on the other side of the diagonal.
    fn is_soon(&self) -> bool;
}

/// A symmetric matrix of kernel values that may be computed only when asked for.
pub trait Gram: Sync {
    /// Rows and columns.
    fn len(&self) -> usize;

    /// Whether there is no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Entry (i,j), as accurate as it can be had.
    fn entry(&self, i: usize, j: usize) -> f64;

    /// The diagonal, exactly.
    fn diagonal(&self, out: &mut [f64]);

    /// Whole rows, one after the other, in `f32`.
    fn rows_single(&self, rows: &[usize], out: &mut [f32]);

    /// Whole rows, one after the other, in `f64`.
    fn rows_double(&self, rows: &[usize], out: &mut [f64]);

    /// K·V for vectors stored one after the other.
    fn apply(&self, vectors: &[f64], out: &mut [f64]);

    /// out += Σ weight·row over some rows, from entries in `f32` that are not kept.
    fn add_rows_single(&self, rows: &[usize], weights: &[f64], out: &mut [f64]) {
        add_rows(rows, weights, out, |rows, entries| self.rows_single(rows, entries));
    }

    /// out += Σ weight·row over some rows, from entries in `f64` that are not kept.
    fn add_rows_double(&self, rows: &[usize], weights: &[f64], out: &mut [f64]) {
        add_rows(rows, weights, out, |rows, entries| self.rows_double(rows, entries));
    }

    /// Entries at the crossings of some rows, one line after the other, in `f32`; of no use once `stop` has said so.
    fn square_single(&self, rows: &[usize], out: &mut [f32], stop: &Stop<'_>) {
        square(rows, self.len(), out, stop, |rows, entries| self.rows_single(rows, entries));
    }

    /// Entries at the crossings of some rows, one line after the other, in `f64`; of no use once `stop` has said so.
    fn square_double(&self, rows: &[usize], out: &mut [f64], stop: &Stop<'_>) {
        square(rows, self.len(), out, stop, |rows, entries| self.rows_double(rows, entries));
    }

    /// All entries, one row after the other, in `f32`, where they are at hand for more than one use.
    fn whole_single(&self, _stop: &Stop<'_>) -> Option<&[f32]> {
        None
    }

    /// Whether [`whole_single`](Gram::whole_single) has all entries.
    fn keeps_square(&self) -> bool {
        false
    }

    /// Kα from entries in `f64`, by the rows that have a coefficient; none if `stop`, which is told now and then how
    /// much is done of how much, says so.
    fn products(&self, alpha: &[f64], stop: &dyn Fn(usize, usize) -> bool) -> Option<Vec<f64>> {
        let support: Vec<usize> = (0..alpha.len()).filter(|&i| alpha[i] != 0.0).collect();
        let mut out = vec![0.0; alpha.len()];
        let chunk = (CHUNK / alpha.len().max(1)).max(HEIGHT).next_multiple_of(HEIGHT);
        for (number, rows) in support.chunks(chunk).enumerate() {
            if stop(number * chunk, support.len()) {
                return None;
            }
            let weights: Vec<f64> = rows.iter().map(|&i| alpha[i]).collect();
            self.add_rows_double(rows, &weights, &mut out);
        }
        Some(out)
    }

    /// (Kα)_i at some rows i alone.
    fn products_at(
        &self,
        rows: &[usize],
        alpha: &[f64],
        precision: Precision,
        stop: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Vec<f64>> {
        let (n, mut out) = (self.len(), vec![0.0; rows.len()]);
        if precision == Precision::Double && rows.len() > alpha.iter().filter(|a| **a != 0.0).count() {
            return self.products(alpha, stop).map(|all| rows.iter().map(|&row| all[row]).collect());
        }
        let (mut single, mut double) = (Vec::new(), Vec::new());
        let all = rows.len();
        for (number, (rows, out)) in rows.chunks(FEW).zip(out.chunks_mut(FEW)).enumerate() {
            if stop(number * FEW, all) {
                return None;
            }
            let long: &[f64] = match precision {
                Precision::Double => {
                    double.resize(rows.len() * n, 0.0);
                    self.rows_double(rows, &mut double);
                    &double
                }
                Precision::Single => {
                    single.resize(rows.len() * n, 0.0);
                    self.rows_single(rows, &mut single);
                    double.clear();
                    double.extend(single.iter().map(|&v| f64::from(v)));
                    &double
                }
            };
            for (row, out) in long.chunks_exact(n.max(1)).zip(out) {
                *out = row.iter().zip(alpha).map(|(k, a)| k * a).sum();
            }
        }
        Some(out)
    }

    /// Takes note of products that a solver has found out, and of the rows at which they are in single precision since they
    /// cannot matter there.
    fn remember(&self, _alpha: &[f64], _products: &[f64], _rough: Vec<usize>) {}

    /// What was noted of this vector, if that was the last that was.
    fn recall(&self, _alpha: &[f64]) -> Option<(Vec<f64>, Vec<usize>)> {
        None
    }

    /// Some of the rows, none to begin with, where that makes less work of what is asked of them.
    fn selection<'a>(&'a self) -> Option<Box<dyn Selection + 'a>> {
        None
    }

    /// Whether an entry is computed in less time than it takes to keep it and find it again.
    fn is_cheap(&self) -> bool {
        false
    }

    /// Whether of rows in `f32` that are asked for something is kept for other matrices.
    fn shares_rows(&self) -> bool {
        false
    }
}

/// What a matrix that stands for another hands on to it: all but what such matrices do their own way.
macro_rules! forward {
    ($($inner:tt)*) => {
        fn rows_double(&self, rows: &[usize], out: &mut [f64]) {
            self.$($inner)*.rows_double(rows, out);
        }

        fn apply(&self, vectors: &[f64], out: &mut [f64]) {
            self.$($inner)*.apply(vectors, out);
        }

        fn add_rows_single(&self, rows: &[usize], weights: &[f64], out: &mut [f64]) {
            self.$($inner)*.add_rows_single(rows, weights, out);
        }

        fn add_rows_double(&self, rows: &[usize], weights: &[f64], out: &mut [f64]) {
            self.$($inner)*.add_rows_double(rows, weights, out);
        }

        fn square_double(&self, rows: &[usize], out: &mut [f64], stop: &$crate::Stop<'_>) {
            self.$($inner)*.square_double(rows, out, stop);
        }

        fn selection<'s>(&'s self) -> Option<Box<dyn $crate::Selection + 's>> {
            self.$($inner)*.selection()
        }
    };
}
pub(crate) use forward;

/// What a matrix that is another one, and keeps something of it, hands on besides.
macro_rules! stand_for {
    ($gram:ident) => {
        $crate::gram::forward!($gram);

        fn len(&self) -> usize {
            self.$gram.len()
        }

        fn entry(&self, i: usize, j: usize) -> f64 {
            self.$gram.entry(i, j)
        }

        fn diagonal(&self, out: &mut [f64]) {
            self.$gram.diagonal(out);
        }

        fn is_cheap(&self) -> bool {
            self.$gram.is_cheap()
        }

        fn shares_rows(&self) -> bool {
            self.$gram.shares_rows()
        }

        fn rows_single(&self, rows: &[usize], out: &mut [f32]) {
            self.$gram.rows_single(rows, out);
        }

        fn square_single(&self, rows: &[usize], out: &mut [f32], stop: &$crate::Stop<'_>) {
            self.$gram.square_single(rows, out, stop);
        }

        fn products_at(
            &self,
            rows: &[usize],
            alpha: &[f64],
            precision: $crate::Precision,
            stop: &dyn Fn(usize, usize) -> bool,
        ) -> Option<Vec<f64>> {
            self.$gram.products_at(rows, alpha, precision, stop)
        }
    };
}
pub(crate) use stand_for;

/// Entries between two questions whether to stop, and rows that are cut nowhere: where they are depends on sizes alone.
const CHUNK: usize = 4_000_000;
const HEIGHT: usize = 48;

/// Rows that are asked for at a time where nobody knows better.
const FEW: usize = 32;

fn add_rows<T: Real>(rows: &[usize], weights: &[f64], out: &mut [f64], fetch: impl Fn(&[usize], &mut [T])) {
    let n = out.len();
    let mut entries = vec![T::ZERO; FEW.min(rows.len()) * n];
    for (rows, weights) in rows.chunks(FEW).zip(weights.chunks(FEW)) {
        fetch(rows, &mut entries[..rows.len() * n]);
        for (row, weight) in entries.chunks_exact(n.max(1)).zip(weights) {
            out.iter_mut().zip(row).for_each(|(out, entry)| *out += weight * entry.f64());
        }
    }
}

fn square<T: Real>(
    rows: &[usize],
    n: usize,
    out: &mut [T],
    stop: &Stop<'_>,
    fetch: impl Fn(&[usize], &mut [T]),
) {
    let width = rows.len();
    let mut entries = vec![T::ZERO; FEW.min(width) * n];
    for (lines, out) in rows.chunks(FEW).zip(out.chunks_mut(FEW * width.max(1))) {
        if stop() {
            return;
        }
        fetch(lines, &mut entries[..lines.len() * n]);
        for (row, out) in entries.chunks_exact(n.max(1)).zip(out.chunks_exact_mut(width.max(1))) {
            out.iter_mut().zip(rows).for_each(|(out, &column)| *out = row[column]);
        }
    }
}
