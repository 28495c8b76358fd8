//! Products of a symmetric matrix that is held with several vectors at once.

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
    let vectors = MatRef::from_column_major_slice(vectors, n, count).transpose();
    // Row after row, so that a task has its own piece of memory.
    let mut rows = vec![0.0; n * count];
    let tasks = rows.par_chunks_mut((STRIP * count).max(1)).zip(matrix.par_chunks((STRIP * n).max(1)));
    tasks.for_each(|(rows, columns)| {
        let width = columns.len() / n;
        let columns = MatRef::from_column_major_slice(columns, n, width);
        let rows = MatMut::from_column_major_slice_mut(rows, count, width);
        matmul(rows, Accum::Replace, vectors, columns, 1.0, Par::Seq);
    });
    for (k, out) in out.chunks_exact_mut(n.max(1)).enumerate() {
        out.iter_mut().enumerate().for_each(|(i, out)| *out = rows[i * count + k]);
    }
    out
}
