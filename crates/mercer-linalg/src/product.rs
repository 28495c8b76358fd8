//! Products of a matrix that is held with several vectors at once.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Columns of a task: fixed, so that sums have one order.
const STRIP: usize = 256;

/// K times vectors stored one after the other, for a symmetric n×n matrix.
///
/// ```
/// let found = mercer_linalg::symmetric_product(2, &[1.0, 2.0, 2.0, 3.0], &[1.0, 1.0, 0.0, 1.0]);
/// assert_eq!(found, [3.0, 5.0, 2.0, 3.0]);
/// ```
pub fn symmetric_product(n: usize, matrix: &[f64], vectors: &[f64]) -> Vec<f64> {
    let count = vectors.len() / n.max(1);
    let mut out = vec![0.0; n * count];
    let rows = rows_product(n, matrix, vectors);
    for (k, out) in out.chunks_exact_mut(n.max(1)).enumerate() {
        out.iter_mut().enumerate().for_each(|(i, out)| *out = rows[i * count + k]);
    }
    out
}

/// Some rows of length n times vectors stored one after the other: rows × vectors, row after row.
///
/// ```
/// let found = mercer_linalg::rows_product(2, &[1.0, 2.0], &[1.0, 1.0, 0.0, 1.0]);
/// assert_eq!(found, [3.0, 2.0]);
/// ```
pub fn rows_product(n: usize, rows: &[f64], vectors: &[f64]) -> Vec<f64> {
    let (height, count) = (rows.len() / n.max(1), vectors.len() / n.max(1));
    // Row after row, so that a task has its own piece of memory.
    let mut out = vec![0.0; height * count];
    let vectors = MatRef::from_column_major_slice(vectors, n, count).transpose();
    let tasks = out.par_chunks_mut((STRIP * count).max(1)).zip(rows.par_chunks((STRIP * n).max(1)));
    tasks.for_each(|(out, columns)| {
        let width = columns.len() / n;
        let columns = MatRef::from_column_major_slice(columns, n, width);
        let out = MatMut::from_column_major_slice_mut(out, count, width);
        matmul(out, Accum::Replace, vectors, columns, 1.0, Par::Seq);
    });
    out
}
