//! A Gram matrix from its entries.

use mercer_gram::Gram;

/// A symmetric matrix that is held, row after row.
///
/// ```
/// use mercer_gram::{Gram, testkit::check_gram};
/// use mercer_solve::testkit::Matrix;
/// let matrix = Matrix::new(2, vec![2.0, 1.0, 1.0, 3.0]);
/// assert_eq!(matrix.entry(1, 1), 3.0);
/// check_gram(&matrix, 1e-14);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    rows: usize,
    entries: Vec<f64>,
}

impl Matrix {
    /// From all entries, row after row.
    ///
    /// # Panics
    /// If there are not n² of them, or they are not symmetric.
    pub fn new(rows: usize, entries: Vec<f64>) -> Self {
        assert_eq!(entries.len(), rows * rows, "a matrix of {rows} rows");
        let matrix = Self { rows, entries };
        for i in 0..rows {
            for j in 0..i {
                assert_eq!(matrix.entry(i, j), matrix.entry(j, i), "entries ({i},{j}) and ({j},{i})");
            }
        }
        matrix
    }

    /// From a function of two rows, of which the lower triangle is used.
    pub fn of(rows: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let at = |at: usize| entry((at / rows).max(at % rows), (at / rows).min(at % rows));
        Self { rows, entries: (0..rows * rows).map(at).collect() }
    }
}

impl Gram for Matrix {
    fn len(&self) -> usize {
        self.rows
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.rows + j]
    }

    fn diagonal(&self, out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(i, v)| *v = self.entry(i, i));
    }

    fn rows_single(&self, rows: &[usize], out: &mut [f32]) {
        for (&i, out) in rows.iter().zip(out.chunks_exact_mut(self.rows)) {
            out.iter_mut().enumerate().for_each(|(j, v)| *v = self.entry(i, j) as f32);
        }
    }

    fn rows_double(&self, rows: &[usize], out: &mut [f64]) {
        for (&i, out) in rows.iter().zip(out.chunks_exact_mut(self.rows)) {
            out.copy_from_slice(&self.entries[i * self.rows..(i + 1) * self.rows]);
        }
    }

    fn apply(&self, vectors: &[f64], out: &mut [f64]) {
        for (vector, out) in vectors.chunks_exact(self.rows).zip(out.chunks_exact_mut(self.rows)) {
            for (out, row) in out.iter_mut().zip(self.entries.chunks_exact(self.rows)) {
                *out = row.iter().zip(vector).map(|(k, v)| k * v).sum();
            }
        }
    }
}
