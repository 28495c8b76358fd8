//! The directions in which a symmetric matrix is largest, turned to the front in `f64` before the rest is reduced in
//! `f32`,
//!
//! ```text
//! A' = HᵀAH = [ D  Cᵀ ]
//!             [ C  E  ] ,      the first columns of H spanning those of A²Ω, Ω of random signs.
//! ```
//!
//! What is rounded to `f32` is C and E alone, so that the error is in proportion to the eigenvalues that are left over and
//! not to the largest one (Halko, Martinsson and Tropp, 2011, for the range; `docs/maths.md` §4.9).

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, Par};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::band::{STRIP, block, householder, product, sides, turn};
use crate::band_factor::WIDTH;
use crate::{Buffer, CholeskyError};

/// Directions that are turned to the front. Many more would cost more than the errors that they save.
const LEAD: usize = 32;

/// H, and D, which is never rounded.
#[derive(Debug)]
pub(crate) struct Lead {
    v: Mat<f64>,
    t: Mat<f64>,
    /// Column after column.
    corner: Vec<f64>,
    /// ‖[C E]‖, the root of the sum of squares.
    pub(crate) rest: f64,
}

impl Lead {
    /// H of a matrix of more than 32 rows, and A' in `f32`, of which the lower triangle counts.
    pub(crate) fn new(
        n: usize,
        matrix: &[f64],
        poll: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Self, Buffer<f32>), CholeskyError> {
        let mut range = Mat::from_fn(n, LEAD, |i, j| sign((i * LEAD + j) as u64));
        for _ in 0..2 {
            let found = product(n, matrix, 0, &range, poll)?;
            range = Mat::from_fn(n, LEAD, |i, j| found[i * LEAD + j]);
        }
        let t = householder(range.as_mut());
        let v = crate::band::trapezoid(range.as_ref());
        let (left, right) = sides(n, matrix, 0, &v, &t, poll)?;
        let mut short = Buffer::<f32>::zeros(n * n);
        let (stopped, minus) = (AtomicBool::new(false), -1.0);
        let mut squares = vec![0.0; n.div_ceil(STRIP)];
        let mut corner = vec![0.0; LEAD * LEAD];
        let tasks = short.par_chunks_mut(STRIP * n).zip(&mut squares).enumerate();
        let first: Vec<Mat<f64>> = tasks
            .filter_map(|(strip, (columns, squares))| {
                if stopped.load(Ordering::Relaxed) || poll() {
                    stopped.store(true, Ordering::Relaxed);
                    return None;
                }
                let (start, count) = (strip * STRIP, columns.len() / n);
                let mut part = block(matrix, n, (start, start), (n - start, count)).to_owned();
                let (rows, columns_of) =
                    (left.as_ref().subrows(start, n - start), right.as_ref().subcols(start, count));
                matmul(part.as_mut(), Accum::Add, rows, columns_of, minus, Par::Seq);
                *squares = write(part.as_mut(), start, n, columns);
                (strip == 0).then_some(part)
            })
            .collect();
        if stopped.into_inner() {
            return Err(CholeskyError::Stopped);
        }
        for part in &first {
            (0..LEAD * LEAD).for_each(|at| corner[at] = part[(at % LEAD, at / LEAD)]);
        }
        let rest = squares.iter().sum::<f64>().sqrt();
        Ok((Self { v, t, corner, rest }, short))
    }

    /// D in place of what was rounded, in a band whose columns hold the diagonal and 48 values below it.
    pub(crate) fn restore(&self, band: &mut [f64]) {
        for (j, column) in band.chunks_exact_mut(WIDTH + 1).take(LEAD).enumerate() {
            column[..LEAD - j].copy_from_slice(&self.corner[j * LEAD + j..(j + 1) * LEAD]);
        }
    }

    /// v ← Hᵀv or v ← Hv, for columns.
    pub(crate) fn turn(&self, vectors: MatMut<'_, f64>, transpose: bool) {
        turn(self.v.as_ref(), self.t.as_ref(), vectors, transpose);
    }
}

/// Copies the lower triangle of columns that begin at `start`; the sum of squares of what is rounded, both triangles
/// counted.
fn write(part: MatMut<'_, f64>, start: usize, n: usize, columns: &mut [f32]) -> f64 {
    let mut squares = 0.0;
    for (j, column) in columns.chunks_exact_mut(n).enumerate() {
        for (i, to) in column[start + j..].iter_mut().enumerate() {
            let value = part[(i + j, j)];
            *to = value as f32;
            if start + j + i >= LEAD {
                squares += if i == 0 { value * value } else { 2.0 * value * value };
            }
        }
    }
    squares
}

/// ±1 by the bits of a number, well mixed (Steele, Lea and Flood, 2014).
fn sign(number: u64) -> f64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    if mixed >> 63 == 0 { 1.0 } else { -1.0 }
}
