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
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::arch::{Arch, dispatch};
use crate::matvec::LANES;
use crate::real::fused;
use crate::{Isa, Real};

/// A precision in which matrices are factored: `f32` or `f64`.
pub trait Factored: Real + ComplexField {}

impl Factored for f32 {}
impl Factored for f64 {}

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

/// Factors a symmetric positive definite n×n matrix in place: its lower triangle becomes L. Rows are `stride` apart.
///
/// `poll` is called many times in 50 ms, from any thread; `true` abandons the work. Where a pivot fails, the rows before
/// it hold L; else the lower triangle is of no use after an error. What is strictly above the diagonal is left alone in
/// any case.
///
/// ```
/// use mercer_linalg::{cholesky, cholesky_solve};
/// let mut matrix = [4.0, 2.0, 2.0, 5.0];
/// cholesky(2, 2, &mut matrix, &|| false).unwrap();
/// assert_eq!(matrix, [2.0, 2.0, 1.0, 2.0]);
/// let mut vector = [8.0, 12.0];
/// cholesky_solve(2, 2, &matrix, &mut vector, &|| false).unwrap();
/// assert_eq!(vector, [1.0, 2.0]);
/// ```
pub fn cholesky<T: Factored>(
    n: usize,
    stride: usize,
    matrix: &mut [T],
    poll: &(dyn Fn() -> bool + Sync),
) -> Result<(), CholeskyError> {
    apart(n, stride, matrix.len())?;
    let mut panel = Vec::new();
    for first in (0..n).step_by(BLOCK) {
        if poll() {
            return Err(CholeskyError::Stopped);
        }
        let width = BLOCK.min(n - first);
        let corner = factor_corner(stride, &mut matrix[first * stride..], first, width)?;
        let below = &mut matrix[(first + width) * stride..];
        solve_panel(stride, below, first, &corner, width, &mut panel);
        update(stride, below, first + width, &panel, width, poll)?;
    }
    Ok(())
}

/// Solves LLᵀx = b in place for vectors stored one after the other, with L as [`cholesky`] made it.
pub fn cholesky_solve<T: Factored>(
    n: usize,
    stride: usize,
    factor: &[T],
    vectors: &mut [f64],
    poll: &(dyn Fn() -> bool + Sync),
) -> Result<(), CholeskyError> {
    apart(n, stride, factor.len())?;
    if n == 0 {
        return Ok(());
    }
    shape(n, vectors.len() / n, vectors.len())?;
    vectors.par_chunks_mut(n).try_for_each(|vector| solve_one(stride, factor, vector, poll))
}

fn shape(rows: usize, columns: usize, found: usize) -> Result<(), CholeskyError> {
    match rows * columns {
        expected if expected == found => Ok(()),
        expected => Err(CholeskyError::Shape { rows, expected, found }),
    }
}

/// Rows so far apart.
fn apart(n: usize, stride: usize, found: usize) -> Result<(), CholeskyError> {
    if stride < n {
        Err(CholeskyError::Shape { rows: n, expected: n * n, found })
    } else {
        shape(n, stride, found)
    }
}

/// The square on the diagonal, by the definition; a copy of L₁₁ comes back, zero above its diagonal.
fn factor_corner<T: Factored>(
    n: usize,
    rows: &mut [T],
    first: usize,
    width: usize,
) -> Result<Vec<T>, CholeskyError> {
    let mut corner = vec![T::ZERO; width * width];
    for i in 0..width {
        corner[i * width..=i * width + i].copy_from_slice(&rows[i * n + first..=i * n + first + i]);
        let (done, row) = corner.split_at_mut(i * width);
        for j in 0..i {
            let above = &done[j * width..=j * width + j];
            row[j] = (row[j] - dot(&row[..j], &above[..j])) / above[j];
        }
        let value = row[i] - dot(&row[..i], &row[..i]);
        let pivot = value.f64();
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(CholeskyError::Pivot { row: first + i, value: pivot });
        }
        row[i] = value.root();
        rows[i * n + first..=i * n + first + i].copy_from_slice(&row[..=i]);
    }
    Ok(corner)
}

/// L₂₁ = A₂₁L₁₁⁻ᵀ in place, and a compact copy of it.
fn solve_panel<T: Factored>(
    n: usize,
    below: &mut [T],
    first: usize,
    corner: &[T],
    width: usize,
    panel: &mut Vec<T>,
) {
    panel.resize(below.len() / n * width, T::ZERO);
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
fn update<T: Factored>(
    n: usize,
    rows: &mut [T],
    first: usize,
    panel: &[T],
    width: usize,
    poll: &(dyn Fn() -> bool + Sync),
) -> Result<(), CholeskyError> {
    let (stopped, minus) = (AtomicBool::new(false), T::of(-1.0));
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
            matmul(tile, Accum::Add, part(start, count), part(from, reach).transpose(), minus, Par::Seq);
        }
        let (square, own) = (tile(n, rows, first + start, count, count), part(start, count));
        let (lower, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        triangular_matmul(square, lower, Accum::Add, own, whole, own.transpose(), whole, minus, Par::Seq);
    });
    if stopped.into_inner() { Err(CholeskyError::Stopped) } else { Ok(()) }
}

/// So many rows and columns of a strip of whole rows, from a column on.
fn tile<T>(n: usize, rows: &mut [T], column: usize, height: usize, width: usize) -> MatMut<'_, T> {
    let end = (height - 1) * n + column + width;
    // The row-major constructor of faer 0.24 swaps its strides; a transposed column-major view is the same thing.
    MatMut::from_column_major_slice_with_stride_mut(&mut rows[column..end], width, height, n).transpose_mut()
}

/// Rows of L that are solved together: between two calls of `poll`, and all but their own square in parallel.
const TOGETHER: usize = 128;

/// Columns of a task of the way back.
const ASIDE: usize = 1024;

fn solve_one<T: Factored>(
    stride: usize,
    factor: &[T],
    vector: &mut [f64],
    poll: &(dyn Fn() -> bool + Sync),
) -> Result<(), CholeskyError> {
    let n = vector.len();
    let isa = Isa::detect();
    for first in (0..n).step_by(TOGETHER) {
        if poll() {
            return Err(CholeskyError::Stopped);
        }
        let (done, rest) = vector.split_at_mut(first);
        let own = &mut rest[..TOGETHER.min(n - first)];
        let rows = factor[first * stride..].par_chunks(stride);
        own.par_iter_mut()
            .zip(rows)
            .with_min_len(8)
            .for_each(|(v, row)| *v -= inner(isa, &row[..first], done));
        for (i, row) in factor[first * stride..].chunks(stride).take(own.len()).enumerate() {
            let row = &row[first..=first + i];
            own[i] = (own[i] - inner(isa, &row[..i], &own[..i])) / row[i].f64();
        }
    }
    for first in (0..n).step_by(TOGETHER).rev() {
        if poll() {
            return Err(CholeskyError::Stopped);
        }
        let (before, rest) = vector.split_at_mut(first);
        let own = &mut rest[..TOGETHER.min(n - first)];
        let rows = &factor[first * stride..];
        for i in (0..own.len()).rev() {
            let row = &rows[i * stride + first..=i * stride + first + i];
            own[i] /= row[i].f64();
            let value = own[i];
            subtract(isa, value, &row[..i], &mut own[..i]);
        }
        before.par_chunks_mut(ASIDE).enumerate().for_each(|(task, part)| {
            for (value, row) in own.iter().zip(rows.chunks(stride)) {
                subtract(isa, *value, &row[task * ASIDE..], part);
            }
        });
    }
    Ok(())
}

dispatch! {
    /// ⟨a,b⟩ in sixteen partial sums.
    fn inner<T: Real>(isa, a: &[T], b: &[f64]) -> f64 = inner_body
}

#[inline(always)]
fn inner_body<T: Real, A: Arch>(a: &[T], b: &[f64]) -> f64 {
    let ((a, odd_a), (b, odd_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut lanes = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            lanes[lane] = fused::<f64, A>(a[lane].f64(), b[lane], lanes[lane]);
        }
    }
    let rest: f64 = odd_a.iter().zip(odd_b).map(|(a, b)| a.f64() * b).sum();
    lanes.iter().sum::<f64>() + rest
}

dispatch! {
    /// b ← b − value·a.
    fn subtract<T: Real>(isa, value: f64, a: &[T], b: &mut [f64]) = subtract_body
}

#[inline(always)]
fn subtract_body<T: Real, A: Arch>(value: f64, a: &[T], b: &mut [f64]) {
    for (b, a) in b.iter_mut().zip(a) {
        *b = fused::<f64, A>(-value, a.f64(), *b);
    }
}

/// ⟨a,b⟩ in eight partial sums, which is an order that vectorises.
fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let mut lanes = [T::ZERO; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let mut rest = T::ZERO;
    a.remainder().iter().zip(b.remainder()).for_each(|(&a, &b)| rest += a * b);
    for (a, b) in a.zip(b) {
        for k in 0..8 {
            lanes[k] += a[k] * b[k];
        }
    }
    lanes.iter().for_each(|&lane| rest += lane);
    rest
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
            cholesky(n, n, &mut l, &|| false).unwrap();
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
    fn a_short_factor_with_room_between_its_rows_is_the_textbooks_too() {
        for n in [1, 96, 97, 301] {
            let (a, stride) = (positive(n, 1.0), 2 * n + 1);
            let mut l = vec![7f32; n * stride];
            (0..n * n).for_each(|at| l[at / n * stride + at % n] = a[at] as f32);
            cholesky(n, stride, &mut l, &|| false).unwrap();
            let expected = naive(n, &a);
            for (i, row) in l.chunks(stride).enumerate() {
                assert!(row[n..].iter().all(|&v| v == 7.0), "{n}: what lies between rows was touched");
                for j in 0..=i {
                    let wanted = expected[i * n + j];
                    assert!((f64::from(row[j]) - wanted).abs() < 2e-4 * (1.0 + wanted.abs()), "{n}: {i},{j}");
                }
            }
            let mut x: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i * n + j]).sum()).collect();
            cholesky_solve(n, stride, &l, &mut x, &|| false).unwrap();
            assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-2), "{n}");
        }
    }

    #[test]
    fn systems_are_solved_for_many_right_hand_sides() {
        for n in [1, 5, 130, 257] {
            let a = positive(n, 0.5);
            let mut l = a.clone();
            cholesky(n, n, &mut l, &|| false).unwrap();
            let x: Vec<f64> = (0..3 * n).map(|k| (k as f64 * 0.37).sin()).collect();
            let mut b: Vec<f64> = x
                .chunks(n)
                .flat_map(|x| {
                    (0..n).map(|i| (0..n).map(|j| a[i * n + j] * x[j]).sum::<f64>()).collect::<Vec<_>>()
                })
                .collect();
            cholesky_solve(n, n, &l, &mut b, &|| false).unwrap();
            let worst = b.iter().zip(&x).map(|(b, x)| (b - x).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-10, "{n}: {worst:e}");
        }
    }

    #[test]
    fn the_pivot_that_fails_is_named() {
        for (n, bad) in [(1, 0), (5, 3), (150, 130), (300, 97)] {
            let mut a = vec![0.0; n * n];
            (0..n).for_each(|i| a[i * n + i] = if i == bad { -2.0 } else { 4.0 });
            let error = cholesky(n, n, &mut a, &|| false).unwrap_err();
            assert_eq!(error, CholeskyError::Pivot { row: bad, value: -2.0 });
            assert!(error.to_string().contains(&format!("pivot {} is -2e0", bad + 1)));
        }
        // The rows before it are those of the factor of the leading block.
        for (n, bad) in [(150, 130), (300, 97), (20, 7)] {
            let mut a = positive(n, 1.0);
            a[bad * n + bad] = -1.0;
            let expected = naive(n, &positive(n, 1.0));
            assert!(cholesky(n, n, &mut a, &|| false).is_err());
            for at in (0..bad).flat_map(|i| (0..=i).map(move |j| i * n + j)) {
                assert!((a[at] - expected[at]).abs() < 1e-11 * (1.0 + expected[at].abs()), "{n}: {at}");
            }
        }
        let nan = cholesky(1, 1, &mut [f64::NAN], &|| false);
        assert!(matches!(nan, Err(CholeskyError::Pivot { row: 0, .. })));
        // A rank of one: the second pivot is what is left, nothing.
        let singular = cholesky(2, 2, &mut [1.0, 1.0, 1.0, 1.0], &|| false);
        assert_eq!(singular, Err(CholeskyError::Pivot { row: 1, value: 0.0 }));
    }

    #[test]
    fn wrong_sizes_are_refused() {
        assert!(matches!(cholesky(2, 2, &mut [1.0; 3], &|| false), Err(CholeskyError::Shape { .. })));
        assert!(cholesky_solve(2, 2, &[1.0; 4], &mut [1.0; 3], &|| false).is_err());
        assert!(cholesky_solve(2, 1, &[1.0; 2], &mut [1.0; 2], &|| false).is_err());
        assert!(cholesky(2, 1, &mut [1.0; 4], &|| false).is_err());
        assert!(cholesky_solve::<f64>(0, 0, &[], &mut [], &|| false).is_ok());
    }

    #[test]
    fn it_stops_when_told_also_in_the_middle() {
        let n = 500;
        let a = positive(n, 1.0);
        for after in [0, 1, 3, 10] {
            let calls = AtomicUsize::new(0);
            let poll = || calls.fetch_add(1, Ordering::Relaxed) >= after;
            assert_eq!(cholesky(n, n, &mut a.clone(), &poll), Err(CholeskyError::Stopped));
        }
        let identity: Vec<f64> = (0..n * n).map(|k| if k % (n + 1) == 0 { 1.0 } else { 0.0 }).collect();
        assert_eq!(cholesky_solve(n, n, &identity, &mut vec![1.0; n], &|| true), Err(CholeskyError::Stopped));
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        let n = 333;
        let a = positive(n, 0.1);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut l = a.clone();
            pool.install(|| cholesky(n, n, &mut l, &|| false)).unwrap();
            l
        };
        let (one, three) = (with(1), with(3));
        assert!(one.iter().zip(&three).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}
