//! A = LLᵀ for symmetric positive definite A, and the systems Ax = b that it solves.
//!
//! ```text
//! for each block of columns:   A₁₁ = L₁₁L₁₁ᵀ ,    L₂₁ = A₂₁L₁₁⁻ᵀ ,    A₂₂ ← A₂₂ − L₂₁L₂₁ᵀ
//! ```
//!
//! Right-looking and in place: matrices are row-major, the lower triangle is read and becomes L, and what is strictly
//! above the diagonal is neither read nor written, so that it can keep A. Nearly all work is the last update, done by
//! faer's sequential product on tiles whose shape depends on n alone: the same bits for any number of threads.
//! (Golub and Van Loan, Matrix Computations, §4.2.)

use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::linalg::{matmul::matmul, triangular_solve::solve_lower_triangular_in_place};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why there is no factor.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum CholeskyError {
    /// The slice does not hold what its size says.
    #[error("a matrix of {rows} rows needs {expected} values, not {found}")]
    Shape {
        /// Rows.
        rows: usize,
        /// Values needed.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// The matrix is not positive definite in floating point.
    #[error("the matrix is not positive definite: pivot {} is {value:e}", row + 1)]
    Pivot {
        /// Row, counted from 0.
        row: usize,
        /// What is left of its diagonal entry; not above 0, or not finite.
        value: f64,
    },
    /// It was told to stop.
    #[error("the factorisation was stopped")]
    Stopped,
}

/// Columns that are eliminated together.
const BLOCK: usize = 96;

/// Rows of a tile of the update.
const STRIP: usize = 64;

/// Columns of a tile of the update: some ten milliseconds of work with [`STRIP`] and [`BLOCK`], at most.
const REACH: usize = 4096;

/// Factors a symmetric positive definite n×n matrix, row-major, in place: its lower triangle becomes L.
///
/// `poll` is called many times in 50 ms, from any thread; `true` abandons the work. Where a pivot fails, the rows before
/// it hold L; else the lower triangle is of no use after an error. What is strictly above the diagonal is left alone in
/// any case.
///
/// ```
/// use mercer_linalg::{cholesky, cholesky_solve};
/// let mut matrix = [4.0, 2.0, 2.0, 5.0];
/// cholesky(2, &mut matrix, &|| false).unwrap();
/// assert_eq!(matrix, [2.0, 2.0, 1.0, 2.0]);
/// let mut vector = [8.0, 12.0];
/// cholesky_solve(2, &matrix, &mut vector, &|| false).unwrap();
/// assert_eq!(vector, [1.0, 2.0]);
/// ```
pub fn cholesky(n: usize, matrix: &mut [f64], poll: &(dyn Fn() -> bool + Sync)) -> Result<(), CholeskyError> {
    shape(n, n, matrix.len())?;
    let mut panel = Vec::new();
    for first in (0..n).step_by(BLOCK) {
        if poll() {
            return Err(CholeskyError::Stopped);
        }
        let width = BLOCK.min(n - first);
        let corner = factor_corner(n, &mut matrix[first * n..], first, width)?;
        let below = &mut matrix[(first + width) * n..];
        solve_panel(n, below, first, &corner, width, &mut panel);
        update(n, below, first + width, &panel, width, poll)?;
    }
    Ok(())
}

/// Solves LLᵀx = b in place for vectors stored one after the other, with L as [`cholesky`] made it.
pub fn cholesky_solve(
    n: usize,
    factor: &[f64],
    vectors: &mut [f64],
    poll: &(dyn Fn() -> bool + Sync),
) -> Result<(), CholeskyError> {
    shape(n, n, factor.len())?;
    if n == 0 {
        return Ok(());
    }
    shape(n, vectors.len() / n, vectors.len())?;
    vectors.par_chunks_mut(n).try_for_each(|vector| solve_one(n, factor, vector, poll))
}

fn shape(rows: usize, columns: usize, found: usize) -> Result<(), CholeskyError> {
    match rows * columns {
        expected if expected == found => Ok(()),
        expected => Err(CholeskyError::Shape { rows, expected, found }),
    }
}

/// The square on the diagonal, by the definition; a copy of L₁₁ comes back, zero above its diagonal.
fn factor_corner(n: usize, rows: &mut [f64], first: usize, width: usize) -> Result<Vec<f64>, CholeskyError> {
    let mut corner = vec![0.0; width * width];
    for i in 0..width {
        corner[i * width..=i * width + i].copy_from_slice(&rows[i * n + first..=i * n + first + i]);
        let (done, row) = corner.split_at_mut(i * width);
        for j in 0..i {
            let above = &done[j * width..=j * width + j];
            row[j] = (row[j] - dot(&row[..j], &above[..j])) / above[j];
        }
        let value = row[i] - dot(&row[..i], &row[..i]);
        if !(value > 0.0 && value.is_finite()) {
            return Err(CholeskyError::Pivot { row: first + i, value });
        }
        row[i] = value.sqrt();
        rows[i * n + first..=i * n + first + i].copy_from_slice(&row[..=i]);
    }
    Ok(corner)
}

/// L₂₁ = A₂₁L₁₁⁻ᵀ in place, and a compact copy of it.
fn solve_panel(
    n: usize,
    below: &mut [f64],
    first: usize,
    corner: &[f64],
    width: usize,
    panel: &mut Vec<f64>,
) {
    panel.resize(below.len() / n * width, 0.0);
    let corner = MatRef::from_row_major_slice(corner, width, width);
    below.par_chunks_mut(STRIP * n).zip(panel.par_chunks_mut(STRIP * width)).for_each(|(rows, copy)| {
        for (row, copy) in rows.chunks_exact(n).zip(copy.chunks_exact_mut(width)) {
            copy.copy_from_slice(&row[first..first + width]);
        }
        // Rows of A₂₁ are columns of the system L₁₁X = A₂₁ᵀ.
        let count = copy.len() / width;
        let columns = MatMut::from_column_major_slice_mut(copy, width, count);
        solve_lower_triangular_in_place(corner, columns, Par::Seq);
        for (row, copy) in rows.chunks_exact_mut(n).zip(copy.chunks_exact(width)) {
            row[first..first + width].copy_from_slice(copy);
        }
    });
}

/// A₂₂ ← A₂₂ − L₂₁L₂₁ᵀ below and on the diagonal; `rows` are the rows from `first` on.
fn update(
    n: usize,
    rows: &mut [f64],
    first: usize,
    panel: &[f64],
    width: usize,
    poll: &(dyn Fn() -> bool + Sync),
) -> Result<(), CholeskyError> {
    let stopped = AtomicBool::new(false);
    rows.par_chunks_mut(STRIP * n).enumerate().for_each(|(strip, rows)| {
        let (start, count) = (strip * STRIP, rows.len() / n);
        let part = |from: usize, count: usize| {
            MatRef::from_row_major_slice(&panel[from * width..(from + count) * width], count, width)
        };
        for from in (0..start).step_by(REACH) {
            if stopped.load(Ordering::Relaxed) || poll() {
                return stopped.store(true, Ordering::Relaxed);
            }
            let reach = REACH.min(start - from);
            let tile = tile(n, rows, first + from, count, reach);
            matmul(tile, Accum::Add, part(start, count), part(from, reach).transpose(), -1.0, Par::Seq);
        }
        let (square, own) = (tile(n, rows, first + start, count, count), part(start, count));
        let (lower, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        triangular_matmul(square, lower, Accum::Add, own, whole, own.transpose(), whole, -1.0, Par::Seq);
    });
    if stopped.into_inner() { Err(CholeskyError::Stopped) } else { Ok(()) }
}

/// So many rows and columns of a strip of whole rows, from a column on.
fn tile(n: usize, rows: &mut [f64], column: usize, height: usize, width: usize) -> MatMut<'_, f64> {
    let end = (height - 1) * n + column + width;
    // The row-major constructor of faer 0.24 swaps its strides; a transposed column-major view is the same thing.
    MatMut::from_column_major_slice_with_stride_mut(&mut rows[column..end], width, height, n).transpose_mut()
}

/// Rows of L between two calls of `poll`.
const PATIENCE: usize = 64;

fn solve_one(
    n: usize,
    factor: &[f64],
    vector: &mut [f64],
    poll: &(dyn Fn() -> bool + Sync),
) -> Result<(), CholeskyError> {
    let stop = |i: usize| i.is_multiple_of(PATIENCE) && poll();
    for i in 0..n {
        if stop(i) {
            return Err(CholeskyError::Stopped);
        }
        let row = &factor[i * n..=i * n + i];
        vector[i] = (vector[i] - dot(&row[..i], &vector[..i])) / row[i];
    }
    for i in (0..n).rev() {
        if stop(i) {
            return Err(CholeskyError::Stopped);
        }
        let row = &factor[i * n..=i * n + i];
        let value = vector[i] / row[i];
        vector[i] = value;
        vector[..i].iter_mut().zip(row).for_each(|(v, l)| *v -= value * l);
    }
    Ok(())
}

/// ⟨a,b⟩ in eight partial sums, which is an order that vectorises.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for k in 0..8 {
            lanes[k] += a[k] * b[k];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// A matrix with entries from a small generator, B·Bᵀ + shift, so positive definite.
    fn positive(n: usize, shift: f64) -> Vec<f64> {
        let mut state = 12345u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        };
        let b: Vec<f64> = (0..n * n).map(|_| next()).collect();
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                a[i * n + j] = (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum::<f64>();
            }
            a[i * n + i] += shift;
        }
        a
    }

    /// The textbook, column by column.
    fn naive(n: usize, a: &[f64]) -> Vec<f64> {
        let mut l = vec![0.0; n * n];
        for j in 0..n {
            let rest: f64 = (0..j).map(|k| l[j * n + k] * l[j * n + k]).sum();
            l[j * n + j] = (a[j * n + j] - rest).sqrt();
            for i in j + 1..n {
                let rest: f64 = (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum();
                l[i * n + j] = (a[i * n + j] - rest) / l[j * n + j];
            }
        }
        l
    }

    #[test]
    fn the_factor_is_the_textbooks_and_the_upper_triangle_stays() {
        for n in [0, 1, 2, 7, 63, 95, 96, 97, 160, 161, 193, 301] {
            let a = positive(n, 1.0);
            let mut l = a.clone();
            cholesky(n, &mut l, &|| false).unwrap();
            let expected = naive(n, &a);
            for i in 0..n {
                for j in 0..n {
                    let wanted = if j <= i { expected[i * n + j] } else { a[i * n + j] };
                    assert!((l[i * n + j] - wanted).abs() < 1e-11 * (1.0 + wanted.abs()), "{n}: {i},{j}");
                    assert!(j <= i || l[i * n + j] == a[i * n + j], "{n}: {i},{j} was touched");
                }
            }
        }
    }

    #[test]
    fn systems_are_solved_for_many_right_hand_sides() {
        for n in [1, 5, 130, 257] {
            let a = positive(n, 0.5);
            let mut l = a.clone();
            cholesky(n, &mut l, &|| false).unwrap();
            let x: Vec<f64> = (0..3 * n).map(|k| (k as f64 * 0.37).sin()).collect();
            let mut b: Vec<f64> = x
                .chunks(n)
                .flat_map(|x| {
                    (0..n).map(|i| (0..n).map(|j| a[i * n + j] * x[j]).sum::<f64>()).collect::<Vec<_>>()
                })
                .collect();
            cholesky_solve(n, &l, &mut b, &|| false).unwrap();
            let worst = b.iter().zip(&x).map(|(b, x)| (b - x).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-10, "{n}: {worst:e}");
        }
    }

    #[test]
    fn the_pivot_that_fails_is_named() {
        for (n, bad) in [(1, 0), (5, 3), (150, 130), (300, 97)] {
            let mut a = vec![0.0; n * n];
            (0..n).for_each(|i| a[i * n + i] = if i == bad { -2.0 } else { 4.0 });
            let error = cholesky(n, &mut a, &|| false).unwrap_err();
            assert_eq!(error, CholeskyError::Pivot { row: bad, value: -2.0 });
            assert!(error.to_string().contains(&format!("pivot {} is -2e0", bad + 1)));
        }
        // The rows before it are those of the factor of the leading block.
        for (n, bad) in [(150, 130), (300, 97), (20, 7)] {
            let mut a = positive(n, 1.0);
            a[bad * n + bad] = -1.0;
            let expected = naive(n, &positive(n, 1.0));
            assert!(cholesky(n, &mut a, &|| false).is_err());
            for at in (0..bad).flat_map(|i| (0..=i).map(move |j| i * n + j)) {
                assert!((a[at] - expected[at]).abs() < 1e-11 * (1.0 + expected[at].abs()), "{n}: {at}");
            }
        }
        let nan = cholesky(1, &mut [f64::NAN], &|| false);
        assert!(matches!(nan, Err(CholeskyError::Pivot { row: 0, .. })));
        // A rank of one: the second pivot is what is left, nothing.
        let singular = cholesky(2, &mut [1.0, 1.0, 1.0, 1.0], &|| false);
        assert_eq!(singular, Err(CholeskyError::Pivot { row: 1, value: 0.0 }));
    }

    #[test]
    fn wrong_sizes_are_refused() {
        assert!(matches!(cholesky(2, &mut [1.0; 3], &|| false), Err(CholeskyError::Shape { .. })));
        assert!(cholesky_solve(2, &[1.0; 4], &mut [1.0; 3], &|| false).is_err());
        assert!(cholesky_solve(0, &[], &mut [], &|| false).is_ok());
    }

    #[test]
    fn it_stops_when_told_also_in_the_middle() {
        let n = 500;
        let a = positive(n, 1.0);
        for after in [0, 1, 3, 10] {
            let calls = AtomicUsize::new(0);
            let poll = || calls.fetch_add(1, Ordering::Relaxed) >= after;
            assert_eq!(cholesky(n, &mut a.clone(), &poll), Err(CholeskyError::Stopped));
        }
        let identity: Vec<f64> = (0..n * n).map(|k| if k % (n + 1) == 0 { 1.0 } else { 0.0 }).collect();
        assert_eq!(cholesky_solve(n, &identity, &mut vec![1.0; n], &|| true), Err(CholeskyError::Stopped));
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        let n = 333;
        let a = positive(n, 0.1);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut l = a.clone();
            pool.install(|| cholesky(n, &mut l, &|| false)).unwrap();
            l
        };
        let (one, three) = (with(1), with(3));
        assert!(one.iter().zip(&three).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}
