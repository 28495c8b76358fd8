//! The opponent: a library's GEMM block by block, then a separate pass that takes exp and multiplies.
//!
//! It is made as strong as it can be without fusing. Coordinates are scaled by √(2γ) and two more are
//! appended, −γ‖x‖² and 1 against 1 and −γ‖z‖², so that the product of two rows *is* the exponent and no
//! pass for the distances is needed. Blocks fit the second-level cache, every thread has blocks of its
//! own and a buffer that it uses again, and exp and the sum follow each other on a piece that is still in
//! the first-level cache. [`Exp::Vector`] is Mercer's own exp, as [`Op::Exp`]; [`Exp::Scalar`] is what
//! `f32::exp` calls.

use std::sync::Mutex;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use mercer_linalg::{Isa, Op, Sides, add_row_sums};
use rayon::prelude::*;

use crate::case::Case;

/// Rows of a block.
const ROWS: usize = 64;
/// Columns of a block; a row of it is what a pass works on at a time.
const COLUMNS: usize = 2048;

/// Which exp is taken of a block.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Exp {
    /// None: GEMM alone, and the sum.
    None,
    /// Eight at a time.
    Vector,
    /// One at a time, from the system's mathematics library.
    Scalar,
}

/// Points with the two coordinates more, for the rows and for the columns of the product.
pub(crate) struct Gemm {
    n: usize,
    d: usize,
    rows: Vec<f32>,
    columns: Vec<f32>,
    weights: Vec<f32>,
    blocks: Vec<Mutex<Vec<f32>>>,
}

impl Gemm {
    pub(crate) fn new(case: &Case, threads: usize) -> Self {
        let (n, d) = (case.n, case.d + 2);
        let scale = (2.0 * case.gamma).sqrt();
        let (mut rows, mut columns) = (Vec::with_capacity(n * d), vec![0.0; n * d]);
        for (i, point) in case.values.chunks_exact(case.d).enumerate() {
            let start = rows.len();
            rows.extend(point.iter().map(|&v| (f64::from(v) * scale) as f32));
            let square: f64 = rows[start..].iter().map(|&v| f64::from(v) * f64::from(v)).sum();
            let half = (-0.5 * square) as f32;
            rows.extend([half, 1.0]);
            // Column-major, so that the library reads whole registers.
            let turned = rows[start..start + case.d].iter().copied().chain([1.0, half]);
            turned.enumerate().for_each(|(j, v)| columns[j * n + i] = v);
        }
        let weights = case.vector.iter().map(|&v| v as f32).collect();
        let blocks = (0..threads).map(|_| Mutex::new(vec![0.0; ROWS * COLUMNS])).collect();
        Self { n, d, rows, columns, weights, blocks }
    }

    /// K·v, or without exp the product of the exponents with v.
    pub(crate) fn apply(&self, exp: Exp, out: &mut [f64]) {
        out.par_chunks_mut(ROWS).enumerate().for_each(|(block, out)| {
            let thread = rayon::current_thread_index().unwrap_or(0);
            let mut buffer = self.blocks[thread].lock().expect("no thread panics with a block");
            let rows = block * ROWS..block * ROWS + out.len();
            out.fill(0.0);
            for first in (0..self.n).step_by(COLUMNS) {
                let width = COLUMNS.min(self.n - first);
                let entries = &mut buffer[..width * out.len()];
                self.product(rows.start, first, width, entries);
                for (row, out) in entries.chunks_exact_mut(width).zip(&mut *out) {
                    pass(exp, row);
                    let weights = &self.weights[first..first + width];
                    add_row_sums(Isa::detect(), row, width, weights, std::slice::from_mut(out));
                }
            }
        });
    }

    /// Exponents between rows `row…` and columns `first…first+width`, each row of them contiguous.
    fn product(&self, row: usize, first: usize, width: usize, out: &mut [f32]) {
        let count = out.len() / width;
        let columns = MatRef::from_column_major_slice(&self.columns, self.n, self.d).subrows(first, width);
        let rows = MatRef::from_column_major_slice(&self.rows[row * self.d..(row + count) * self.d], self.d, count);
        let out = MatMut::from_column_major_slice_mut(out, width, count);
        matmul(out, Accum::Replace, columns, rows, 1.0, Par::Seq);
    }
}

fn pass(exp: Exp, row: &mut [f32]) {
    match exp {
        Exp::None => {}
        Exp::Vector => {
            let width = row.len();
            Op::Exp(1.0).apply(Isa::detect(), row, width, width, Sides { rows: &[0.0], columns: &[] });
        }
        Exp::Scalar => row.iter_mut().for_each(|v| *v = v.exp()),
    }
}
