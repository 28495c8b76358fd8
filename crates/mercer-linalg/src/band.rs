//! K = QBQᵀ with Q orthogonal and B a band, so that every K + μI is one factorisation away,
//!
//! ```text
//! (K + μI)⁻¹ = Q(B + μI)⁻¹Qᵀ ,        each panel:   A ← HᵀAH = A − WVᵀ − VWᵀ ,    H = I − VT⁻¹Vᵀ ,
//!                                     X = AVT⁻¹ ,   W = X − ½V(T⁻ᵀVᵀX) .
//! ```
//!
//! Panels of columns are reduced by Householder's reflections to what is within the band (Bischof, Lang and Sun, 2000).
//! It stops where an eigendecomposition has hardly begun: to be tridiagonal is dear, since that goes column by column,
//! and a band is as good for solving. Nearly all work is two products with each panel, by faer on tiles whose shape
//! depends on n alone: the same bits for any number of threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_on_the_left_in_place_scratch as scratch,
    apply_block_householder_on_the_left_in_place_with_conj as apply,
    apply_block_householder_transpose_on_the_left_in_place_with_conj as apply_transpose,
};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place as solve_lower;
use faer::{Accum, Conj, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::band_factor::{BandFactor, WIDTH};
use crate::lead::Lead;
use crate::{Buffer, CholeskyError, Factored};

/// Columns of a task.
pub(crate) const STRIP: usize = 256;

/// Vectors of a task.
const FEW: usize = 12;

/// A symmetric matrix as QBQᵀ, B being zero more than 48 places off the diagonal.
///
/// ```
/// use mercer_linalg::{Banded, Buffer};
/// let mut matrix = Buffer::<f64>::zeros(4);
/// matrix.copy_from_slice(&[2.0, 1.0, 1.0, 2.0]);
/// let banded = Banded::reduce(2, matrix, &|| false).unwrap();
/// let mut vector = [4.0, 5.0];
/// banded.turn(&mut vector);
/// banded.factor(1.0).unwrap().solve(&mut vector);
/// banded.turn_back(&mut vector);
/// // [3 1; 1 3] x = [4 5]
/// assert!((vector[0] - 0.875).abs() < 1e-15 && (vector[1] - 1.375).abs() < 1e-15);
/// ```
#[derive(Debug)]
pub struct Banded<T> {
    n: usize,
    /// Column after column: reflections below the band.
    reflections: Buffer<T>,
    /// T of each panel.
    coefficients: Vec<Mat<T>>,
    /// Column after column, from the diagonal down, the same length each.
    band: Vec<f64>,
    /// What was turned to the front before.
    lead: Option<Lead>,
}

impl Banded<f32> {
    /// Reduces a symmetric n×n matrix of `f64` in `f32`, all but the directions in which it is largest: the error is in
    /// proportion to the eigenvalues after the first 32.
    pub fn reduce_rest(
        n: usize,
        matrix: &[f64],
        poll: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, CholeskyError> {
        if matrix.len() != n * n {
            return Err(CholeskyError::Shape { rows: n, expected: n * n, found: matrix.len() });
        }
        if n <= WIDTH {
            let mut copy = Buffer::zeros(n * n);
            copy.iter_mut().zip(matrix).for_each(|(to, &from)| *to = from as f32);
            return Self::reduce(n, copy, poll);
        }
        let (lead, rest) = Lead::new(n, matrix, poll)?;
        let mut banded = Self::reduce(n, rest, poll)?;
        lead.restore(&mut banded.band);
        banded.lead = Some(lead);
        Ok(banded)
    }

    /// What rounding once to `f32` makes of the matrix; QBQᵀ may be some ten times as far from it.
    pub fn rounding(&self) -> f64 {
        let band = || self.band.iter().map(|v| 2.0 * v * v).sum::<f64>().sqrt();
        0.5 * f64::from(f32::EPSILON) * self.lead.as_ref().map_or_else(band, |lead| lead.rest)
    }
}

impl<T: Factored> Banded<T> {
    /// Reduces a symmetric n×n matrix, of which one triangle is read.
    ///
    /// `poll` is called many times in 50 ms, from any thread; `true` abandons the work.
    pub fn reduce(
        n: usize,
        mut matrix: Buffer<T>,
        poll: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, CholeskyError> {
        if matrix.len() != n * n {
            return Err(CholeskyError::Shape { rows: n, expected: n * n, found: matrix.len() });
        }
        let mut coefficients = Vec::new();
        for first in panels(n) {
            let (v, t) = reflect(n, &mut matrix, first);
            update(n, &mut matrix, first + WIDTH, &v, &t, poll)?;
            coefficients.push(t);
        }
        let band = band(n, &matrix);
        Ok(Self { n, reflections: matrix, coefficients, band, lead: None })
    }

    /// v ← Qᵀv for vectors stored one after the other.
    pub fn turn(&self, vectors: &mut [f64]) {
        self.each(vectors, true, |matrix| {
            (0..self.coefficients.len()).for_each(|p| self.reflect(p, matrix, true));
        });
    }

    /// v ← Qv for vectors stored one after the other.
    pub fn turn_back(&self, vectors: &mut [f64]) {
        let panels = self.coefficients.len();
        self.each(vectors, false, |matrix| (0..panels).rev().for_each(|p| self.reflect(p, matrix, false)));
    }

    /// B + shift·I = LLᵀ; an error where it is not positive definite.
    pub fn factor(&self, shift: f64) -> Result<BandFactor, CholeskyError> {
        BandFactor::new(&self.band, shift)
    }

    /// Does something to a few vectors at a time, in the precision of Q; what leads comes first or last.
    fn each(&self, vectors: &mut [f64], transpose: bool, change: impl Fn(&mut Mat<T>) + Sync) {
        let n = self.n.max(1);
        // No panel reaches the first rows, which keep their precision.
        let below = WIDTH.min(self.n);
        vectors.par_chunks_mut(FEW * n).for_each(|some| {
            let count = some.len() / n;
            let lead = |some: &mut [f64]| {
                if let Some(lead) = &self.lead {
                    lead.turn(MatMut::from_column_major_slice_mut(some, n, count), transpose);
                }
            };
            if transpose {
                lead(some);
            }
            let mut matrix = Mat::from_fn(self.n - below, count, |i, k| T::of(some[k * n + below + i]));
            change(&mut matrix);
            for (k, vector) in some.chunks_exact_mut(n).enumerate() {
                vector[below..].iter_mut().enumerate().for_each(|(i, v)| *v = matrix[(i, k)].f64());
            }
            if !transpose {
                lead(some);
            }
        });
    }

    /// Applies the reflections of a panel, or their transpose, to the rows after the first 48.
    fn reflect(&self, panel: usize, vectors: &mut Mat<T>, transpose: bool) {
        let (n, t) = (self.n, self.coefficients[panel].as_ref());
        let (first, width) = (panel * WIDTH, t.ncols());
        let below = first + WIDTH;
        let basis = columns(&self.reflections, n, first, below, width);
        turn(basis, t, vectors.as_mut().subrows_mut(first, n - below), transpose);
    }
}

/// v ← Hᵀv or v ← Hv for columns, by what [`householder`] made.
pub(crate) fn turn<T: Factored>(
    basis: MatRef<'_, T>,
    t: MatRef<'_, T>,
    vectors: MatMut<'_, T>,
    transpose: bool,
) {
    let mut memory = MemBuffer::new(scratch::<T>(basis.nrows(), basis.ncols(), vectors.ncols()));
    let stack = MemStack::new(&mut memory);
    if transpose {
        apply_transpose(basis, t, Conj::No, vectors, Par::Seq, stack);
    } else {
        apply(basis, t, Conj::No, vectors, Par::Seq, stack);
    }
}

/// The first columns of the panels: as long as anything is below the band.
fn panels(n: usize) -> impl Iterator<Item = usize> {
    (0..n.saturating_sub(WIDTH + 1)).step_by(WIDTH)
}

/// So many columns from a row down, of a matrix stored column after column.
fn columns<T>(matrix: &[T], n: usize, column: usize, row: usize, count: usize) -> MatRef<'_, T> {
    block(matrix, n, (row, column), (n - row, count))
}

/// A block that begins at (row, column).
pub(crate) fn block<T>(matrix: &[T], n: usize, at: (usize, usize), size: (usize, usize)) -> MatRef<'_, T> {
    let ((row, column), (height, width)) = (at, size);
    let start = column * n + row;
    let end = start + (width - 1) * n + height;
    MatRef::from_column_major_slice_with_stride(&matrix[start..end], height, width, n)
}

/// Reduces columns to a triangle by reflections: T of them, their vectors below the diagonal.
pub(crate) fn householder<T: Factored>(panel: MatMut<'_, T>) -> Mat<T> {
    let (rows, columns) = (panel.nrows(), panel.ncols());
    let width = columns.min(rows);
    let mut t = Mat::zeros(width, width);
    let mut memory =
        MemBuffer::new(qr_in_place_scratch::<T>(rows, columns, width, Par::Seq, Default::default()));
    qr_in_place(panel, t.as_mut(), Par::Seq, MemStack::new(&mut memory), Default::default());
    t
}

/// V of reflections that are stored below the diagonal.
pub(crate) fn trapezoid<T: Factored>(found: MatRef<'_, T>) -> Mat<T> {
    let rows = found.nrows();
    let mut out = Mat::zeros(rows, found.ncols());
    for j in 0..found.ncols() {
        out[(j, j)] = T::of(1.0);
        let below = rows - j - 1;
        out.as_mut().col_mut(j).subrows_mut(j + 1, below).copy_from(found.col(j).subrows(j + 1, below));
    }
    out
}

/// Reduces the panel that begins at a column: V and T of its reflections.
fn reflect<T: Factored>(n: usize, matrix: &mut [T], first: usize) -> (Mat<T>, Mat<T>) {
    let rows = n - first - WIDTH;
    let start = first * n + first + WIDTH;
    let end = start + (WIDTH - 1) * n + rows;
    let panel = MatMut::from_column_major_slice_with_stride_mut(&mut matrix[start..end], rows, WIDTH, n);
    let t = householder(panel);
    (trapezoid(columns(matrix, n, first, first + WIDTH, t.ncols())), t)
}

/// [W V] and [V W]ᵀ of HᵀAH = A − [W V][V W]ᵀ, for the square that begins at `first`.
pub(crate) fn sides<T: Factored>(
    n: usize,
    matrix: &[T],
    first: usize,
    v: &Mat<T>,
    t: &Mat<T>,
    poll: &(dyn Fn() -> bool + Sync),
) -> Result<(Mat<T>, Mat<T>), CholeskyError> {
    let (one, rows, width) = (T::of(1.0), v.nrows(), v.ncols());
    // Xᵀ = (AVT⁻¹)ᵀ, so that a strip of X is a piece of memory.
    let mut x = product(n, matrix, first, v, poll)?;
    let mut x = MatMut::from_column_major_slice_mut(&mut x, width, rows);
    solve_lower(t.transpose(), x.as_mut(), Par::Seq);
    let mut middle = Mat::<T>::zeros(width, width);
    matmul(middle.as_mut(), Accum::Replace, v.transpose(), x.as_ref().transpose(), one, Par::Seq);
    solve_lower(t.transpose(), middle.as_mut(), Par::Seq);
    matmul(x.as_mut(), Accum::Add, middle.transpose(), v.transpose(), T::of(-0.5), Par::Seq);
    let (x, v) = (x.as_ref(), v.as_ref());
    let (mut left, mut right) = (Mat::zeros(rows, 2 * width), Mat::zeros(2 * width, rows));
    left.as_mut().subcols_mut(0, width).copy_from(x.transpose());
    left.as_mut().subcols_mut(width, width).copy_from(v);
    right.as_mut().subrows_mut(0, width).copy_from(v.transpose());
    right.as_mut().subrows_mut(width, width).copy_from(x);
    Ok((left, right))
}

/// A ← HᵀAH for the square that begins at `first`.
fn update<T: Factored>(
    n: usize,
    matrix: &mut [T],
    first: usize,
    v: &Mat<T>,
    t: &Mat<T>,
    poll: &(dyn Fn() -> bool + Sync),
) -> Result<(), CholeskyError> {
    let (left, right) = sides(n, matrix, first, v, t, poll)?;
    let rows = v.nrows();
    let (stopped, minus) = (AtomicBool::new(false), T::of(-1.0));
    matrix[first * n..].par_chunks_mut(STRIP * n).enumerate().for_each(|(strip, columns)| {
        if stopped.load(Ordering::Relaxed) || poll() {
            return stopped.store(true, Ordering::Relaxed);
        }
        let (start, count) = (strip * STRIP, columns.len() / n);
        let (end, right) = (first + start, right.as_ref().subcols(start, count));
        let part = &mut columns[end..(count - 1) * n + n];
        let part = MatMut::from_column_major_slice_with_stride_mut(part, rows - start, count, n);
        let (square, below) = part.split_at_row_mut(count);
        let (lower, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        let own = left.as_ref().subrows(start, count);
        triangular_matmul(square, lower, Accum::Add, own, whole, right, whole, minus, Par::Seq);
        let others = left.as_ref().subrows(start + count, rows - start - count);
        matmul(below, Accum::Add, others, right, minus, Par::Seq);
    });
    if stopped.into_inner() { Err(CholeskyError::Stopped) } else { Ok(()) }
}

/// (AV)ᵀ, column after column, for the symmetric square that begins at `first`, from its lower triangle.
pub(crate) fn product<T: Factored>(
    n: usize,
    matrix: &[T],
    first: usize,
    v: &Mat<T>,
    poll: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<T>, CholeskyError> {
    let (one, rows, width) = (T::of(1.0), v.nrows(), v.ncols());
    let v = v.as_ref();
    let mut out = vec![T::ZERO; rows * width];
    let stopped = AtomicBool::new(false);
    out.par_chunks_mut(STRIP * width).enumerate().for_each(|(strip, out)| {
        if stopped.load(Ordering::Relaxed) || poll() {
            return stopped.store(true, Ordering::Relaxed);
        }
        let (start, count) = (strip * STRIP, out.len() / width);
        let (end, at) = (start + count, first + start);
        let mut out = MatMut::from_column_major_slice_mut(out, width, count);
        let lower = block(matrix, n, (at, at), (count, count));
        let square = mirrored(lower);
        let own = v.subrows(start, count).transpose();
        matmul(out.as_mut(), Accum::Replace, own, square.as_ref(), one, Par::Seq);
        if start > 0 {
            let left = block(matrix, n, (at, first), (count, start));
            matmul(
                out.as_mut(),
                Accum::Add,
                v.subrows(0, start).transpose(),
                left.transpose(),
                one,
                Par::Seq,
            );
        }
        if end < rows {
            let below = block(matrix, n, (first + end, at), (rows - end, count));
            let others = v.subrows(end, rows - end).transpose();
            matmul(out.as_mut(), Accum::Add, others, below, one, Par::Seq);
        }
    });
    if stopped.into_inner() { Err(CholeskyError::Stopped) } else { Ok(out) }
}

/// A symmetric matrix from its lower triangle, in squares that stay in the cache.
fn mirrored<T: Factored>(lower: MatRef<'_, T>) -> Mat<T> {
    const SIDE: usize = 16;
    let n = lower.nrows();
    let mut out = lower.to_owned();
    for (row, column) in (0..n).step_by(SIDE).flat_map(|row| (0..=row).step_by(SIDE).map(move |c| (row, c))) {
        for i in row..n.min(row + SIDE) {
            for j in column..i.min(column + SIDE) {
                out[(j, i)] = lower[(i, j)];
            }
        }
    }
    out
}

/// The band of a reduced matrix: nothing within its reach belongs to a reflection.
fn band<T: Factored>(n: usize, matrix: &[T]) -> Vec<f64> {
    let mut band = vec![0.0; n * (WIDTH + 1)];
    for (j, column) in band.chunks_exact_mut(WIDTH + 1).enumerate() {
        let values = &matrix[j * n + j..=j * n + (j + WIDTH).min(n - 1)];
        column.iter_mut().zip(values).for_each(|(to, from)| *to = from.f64());
    }
    band
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gaussian values of points on a line.
    fn line<T: Factored>(n: usize) -> Buffer<T> {
        let mut entries = Buffer::zeros(n * n);
        for (at, value) in entries.iter_mut().enumerate() {
            let apart = (at / n) as f64 - (at % n) as f64;
            *value = T::of((-0.5 * (apart / 7.0).powi(2)).exp());
        }
        entries
    }

    /// The largest residual of (K + shift)x = y, with x by the band.
    fn residual<T: Factored>(n: usize, shift: f64) -> f64 {
        let banded = Banded::reduce(n, line::<T>(n), &|| false).unwrap();
        let y: Vec<f64> = (0..2 * n).map(|i| (i as f64 * 0.3).sin() + 0.2).collect();
        let mut x = y.clone();
        banded.turn(&mut x);
        let factor = banded.factor(shift).unwrap();
        x.chunks_exact_mut(n).for_each(|x| factor.solve(x));
        banded.turn_back(&mut x);
        let k = line::<f64>(n);
        let row = |at: usize| {
            let (i, x) = (at % n, &x[at / n * n..][..n]);
            let sum: f64 = k[i * n..][..n].iter().zip(x).map(|(k, x)| k * x).sum();
            (sum + shift * x[i] - y[at]).abs()
        };
        (0..2 * n).map(row).fold(0.0, f64::max)
    }

    #[test]
    fn shifted_systems_are_solved_whatever_the_size() {
        let sizes =
            [1, 2, WIDTH, WIDTH + 1, WIDTH + 2, WIDTH + 3, 2 * WIDTH + 1, 2 * WIDTH + 2, 333, STRIP + 99];
        for n in sizes {
            for shift in [1e-3, 1.0] {
                let found = residual::<f64>(n, shift);
                assert!(found < 1e-10, "{n} {shift}: {found:e}");
            }
            let found = residual::<f32>(n, 1.0);
            assert!(found < 1e-3, "{n}: {found:e}");
        }
    }

    #[test]
    fn what_leads_keeps_its_precision() {
        for n in [WIDTH + 1, 2 * WIDTH + 1, STRIP + 99, 500] {
            // A constant far above the rest.
            let mut matrix = line::<f64>(n);
            matrix.iter_mut().for_each(|v| *v += 100.0);
            let (y, shift) = ((0..n).map(|i| (i as f64).sin()).collect::<Vec<_>>(), 1e-3);
            let banded = Banded::reduce_rest(n, &matrix, &|| false).unwrap();
            let mut x = y.clone();
            banded.turn(&mut x);
            banded.factor(shift).unwrap().solve(&mut x);
            banded.turn_back(&mut x);
            let row = |i: usize| (0..n).map(|j| matrix[i * n + j] * x[j]).sum::<f64>() + shift * x[i] - y[i];
            let worst = (0..n).map(|i| row(i).abs()).fold(0.0, f64::max);
            let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            // Vectors are rounded too, next to the shift.
            let rounding = banded.rounding() + f64::from(f32::EPSILON) * shift;
            assert!(worst < 100.0 * rounding * length, "{n}: {worst:e} {length:e} {rounding:e}");
            // Of the constant alone it would be up to 3e-3.
            assert!(banded.rounding() < 1e-5, "{n}: {:e}", banded.rounding());
        }
        let stopped = Banded::reduce_rest(300, &line::<f64>(300), &|| true);
        assert!(matches!(stopped, Err(CholeskyError::Stopped)));
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let n = 2 * STRIP + 77;
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let banded = Banded::reduce(n, line::<f64>(n), &|| false).unwrap();
                let mut vectors: Vec<f64> = (0..7 * n).map(|i| (i as f64).cos()).collect();
                banded.turn(&mut vectors);
                (banded.band, vectors)
            })
        };
        assert!(with(1) == with(3));
    }

    #[test]
    fn it_can_be_stopped_and_refuses_what_is_not_square_or_not_positive() {
        assert!(matches!(Banded::reduce(300, line::<f64>(300), &|| true), Err(CholeskyError::Stopped)));
        assert!(matches!(Banded::reduce(3, line::<f64>(2), &|| false), Err(CholeskyError::Shape { .. })));
        let banded = Banded::reduce(60, line::<f64>(60), &|| false).unwrap();
        assert!(matches!(banded.factor(-2.0), Err(CholeskyError::Pivot { .. })));
        assert!(matches!(banded.factor(f64::NAN), Err(CholeskyError::Pivot { .. })));
    }
}
