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

use crate::{Buffer, CholeskyError, Factored};

/// How far the band reaches below the diagonal: the columns of a panel.
const WIDTH: usize = 48;

/// Columns of a task.
const STRIP: usize = 256;

/// Vectors of a task.
const FEW: usize = 4;

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
        Ok(Self { n, reflections: matrix, coefficients, band })
    }

    /// v ← Qᵀv for vectors stored one after the other.
    pub fn turn(&self, vectors: &mut [f64]) {
        self.each(vectors, |matrix| (0..self.coefficients.len()).for_each(|p| self.reflect(p, matrix, true)));
    }

    /// v ← Qv for vectors stored one after the other.
    pub fn turn_back(&self, vectors: &mut [f64]) {
        let panels = self.coefficients.len();
        self.each(vectors, |matrix| (0..panels).rev().for_each(|p| self.reflect(p, matrix, false)));
    }

    /// B + shift·I = LLᵀ; an error where it is not positive definite.
    pub fn factor(&self, shift: f64) -> Result<BandFactor, CholeskyError> {
        let (n, length) = (self.n, WIDTH + 1);
        let mut factor = self.band.clone();
        for j in 0..n {
            let (column, rest) = factor[j * length..].split_at_mut(length);
            let pivot = column[0] + shift;
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err(CholeskyError::Pivot { row: j, value: pivot });
            }
            column[0] = pivot.sqrt();
            let root = column[0];
            column[1..].iter_mut().for_each(|v| *v /= root);
            for (c, next) in rest.chunks_exact_mut(length).take(WIDTH).enumerate() {
                let scale = column[c + 1];
                next.iter_mut().zip(&column[c + 1..]).for_each(|(a, l)| *a -= scale * l);
            }
        }
        Ok(BandFactor { factor })
    }

    /// Does something to a few vectors at a time, in the precision of Q.
    fn each(&self, vectors: &mut [f64], change: impl Fn(&mut Mat<T>) + Sync) {
        let n = self.n.max(1);
        vectors.par_chunks_mut(FEW * n).for_each(|some| {
            let mut matrix = Mat::from_fn(self.n, some.len() / n, |i, k| T::of(some[k * n + i]));
            change(&mut matrix);
            some.iter_mut().enumerate().for_each(|(at, v)| *v = matrix[(at % n, at / n)].f64());
        });
    }

    /// Applies the reflections of a panel, or their transpose.
    fn reflect(&self, panel: usize, vectors: &mut Mat<T>, transpose: bool) {
        let (n, t) = (self.n, self.coefficients[panel].as_ref());
        let (first, width, count) = (panel * WIDTH, t.ncols(), vectors.ncols());
        let below = first + WIDTH;
        let basis = columns(&self.reflections, n, first, below, width);
        let mut memory = MemBuffer::new(scratch::<T>(n - below, width, count));
        let (part, stack) = (vectors.as_mut().subrows_mut(below, n - below), MemStack::new(&mut memory));
        if transpose {
            apply_transpose(basis, t, Conj::No, part, Par::Seq, stack);
        } else {
            apply(basis, t, Conj::No, part, Par::Seq, stack);
        }
    }
}

/// The factor L of a band.
#[derive(Debug)]
pub struct BandFactor {
    factor: Vec<f64>,
}

impl BandFactor {
    /// v ← (LLᵀ)⁻¹v.
    pub fn solve(&self, vector: &mut [f64]) {
        let n = vector.len();
        let column = |j: usize| {
            let reach = WIDTH.min(n - 1 - j);
            self.factor[j * (WIDTH + 1)..=j * (WIDTH + 1) + reach].split_first()
        };
        for j in 0..n {
            let Some((pivot, below)) = column(j) else { continue };
            vector[j] /= pivot;
            let value = vector[j];
            vector[j + 1..].iter_mut().zip(below).for_each(|(v, l)| *v -= value * l);
        }
        for j in (0..n).rev() {
            let Some((pivot, below)) = column(j) else { continue };
            let sum: f64 = vector[j + 1..].iter().zip(below).map(|(v, l)| v * l).sum();
            vector[j] = (vector[j] - sum) / pivot;
        }
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
fn block<T>(matrix: &[T], n: usize, at: (usize, usize), size: (usize, usize)) -> MatRef<'_, T> {
    let ((row, column), (height, width)) = (at, size);
    let start = column * n + row;
    let end = start + (width - 1) * n + height;
    MatRef::from_column_major_slice_with_stride(&matrix[start..end], height, width, n)
}

/// Reduces the panel that begins at a column: V and T of its reflections.
fn reflect<T: Factored>(n: usize, matrix: &mut [T], first: usize) -> (Mat<T>, Mat<T>) {
    let rows = n - first - WIDTH;
    let width = WIDTH.min(rows);
    let mut t = Mat::zeros(width, width);
    let start = first * n + first + WIDTH;
    let end = start + (WIDTH - 1) * n + rows;
    let panel = MatMut::from_column_major_slice_with_stride_mut(&mut matrix[start..end], rows, WIDTH, n);
    let mut memory =
        MemBuffer::new(qr_in_place_scratch::<T>(rows, WIDTH, width, Par::Seq, Default::default()));
    qr_in_place(panel, t.as_mut(), Par::Seq, MemStack::new(&mut memory), Default::default());
    let found = columns(matrix, n, first, first + WIDTH, width);
    let v = Mat::from_fn(rows, width, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => T::ZERO,
        std::cmp::Ordering::Equal => T::of(1.0),
        std::cmp::Ordering::Greater => found[(i, j)],
    });
    (v, t)
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
    let (one, width) = (T::of(1.0), v.ncols());
    // Xᵀ = (AVT⁻¹)ᵀ, so that a strip of X is a piece of memory.
    let mut x = product(n, matrix, first, v, poll)?;
    solve_lower(t.transpose(), x.as_mut(), Par::Seq);
    let mut middle = Mat::<T>::zeros(width, width);
    matmul(middle.as_mut(), Accum::Replace, v.transpose(), x.transpose(), one, Par::Seq);
    solve_lower(t.transpose(), middle.as_mut(), Par::Seq);
    matmul(x.as_mut(), Accum::Add, middle.transpose(), v.transpose(), T::of(-0.5), Par::Seq);
    // A − [W V][V W]ᵀ in one product.
    let rows = v.nrows();
    let left = Mat::from_fn(rows, 2 * width, |i, k| if k < width { x[(k, i)] } else { v[(i, k - width)] });
    let right = Mat::from_fn(2 * width, rows, |k, i| if k < width { v[(i, k)] } else { x[(k - width, i)] });
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

/// (AV)ᵀ for the symmetric square that begins at `first`, from its lower triangle.
fn product<T: Factored>(
    n: usize,
    matrix: &[T],
    first: usize,
    v: &Mat<T>,
    poll: &(dyn Fn() -> bool + Sync),
) -> Result<Mat<T>, CholeskyError> {
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
        let square = Mat::from_fn(count, count, |i, j| lower[(i.max(j), i.min(j))]);
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
    if stopped.into_inner() {
        return Err(CholeskyError::Stopped);
    }
    Ok(Mat::from_fn(width, rows, |k, i| out[i * width + k]))
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
