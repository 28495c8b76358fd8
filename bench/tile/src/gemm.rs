//! The opponent: a library's GEMM block by block, then separate passes for exp and for the product.
//!
//! It comes in two forms. [`Form::Wide`] is what one writes first: 256 rows against all columns, a pass
//! that makes distances of inner products and takes exp, a pass that multiplies. [`Form::Blocked`] is the
//! strongest that we could make without fusing: blocks fit the second-level cache, and two more
//! coordinates, −‖x‖²/2 and 1 against 1 and −‖z‖²/2, make the product of two rows the exponent itself. In
//! both, every thread has blocks of its own and a buffer that it uses again. [`Exp::Vector`] is Mercer's
//! own exp, by [`Op::Exp`]; [`Exp::Scalar`] is what `f32::exp` calls.

use std::sync::Mutex;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use mercer_linalg::{Isa, LANES, Op, Sides, add_row_sums, flush_row_sums};
use rayon::prelude::*;

use crate::case::Case;

/// Which exp is taken of a block.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Exp {
    /// None: GEMM alone, and the product.
    None,
    /// Eight at a time.
    Vector,
    /// One at a time, from the system's mathematics library.
    Scalar,
}

/// How the matrix is cut and where distances are made.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// Few rows and all columns; distances in a pass.
    Wide,
    /// Blocks for the cache; distances from the GEMM.
    Blocked,
}

/// Points multiplied by √(2γ), so that half a squared distance is an exponent, with the two coordinates more.
pub(crate) struct Gemm {
    n: usize,
    /// Coordinates, with the two.
    d: usize,
    form: Form,
    /// Rows and columns of a block.
    shape: (usize, usize),
    /// Points of the row side, one after the other.
    rows: Vec<f32>,
    /// Points of the column side, coordinate after coordinate, so that the library reads whole registers.
    columns: Vec<f32>,
    squares: Vec<f32>,
    weights: Vec<f32>,
    blocks: Vec<Mutex<Vec<f32>>>,
}

impl Gemm {
    /// Packs the points, with buffers for so many threads.
    pub(crate) fn new(case: &Case, form: Form, threads: usize) -> Self {
        let (n, d) = (case.n, case.d + 2);
        let shape = match form {
            Form::Wide => (256, n),
            Form::Blocked => (128, 1024),
        };
        let scale = (2.0 * case.gamma).sqrt();
        let (mut rows, mut columns, mut squares) = (Vec::new(), vec![0.0; n * d], Vec::new());
        for (i, point) in case.values.chunks_exact(case.d).enumerate() {
            let point: Vec<f32> = point.iter().map(|&v| (f64::from(v) * scale) as f32).collect();
            let square: f64 = point.iter().map(|&v| f64::from(v) * f64::from(v)).sum();
            let half = (-0.5 * square) as f32;
            point.iter().chain(&[1.0, half]).enumerate().for_each(|(j, &v)| columns[j * n + i] = v);
            rows.extend(point.into_iter().chain([half, 1.0]));
            squares.push(square as f32);
        }
        let weights = case.vector.iter().map(|&v| v as f32).collect();
        let blocks = (0..threads).map(|_| Mutex::new(vec![0.0; shape.0 * shape.1])).collect();
        Self { n, d, form, shape, rows, columns, squares, weights, blocks }
    }

    /// K·v; without exp, the product of what the GEMM gives with v.
    pub(crate) fn apply(&self, exp: Exp, out: &mut [f64]) {
        out.par_chunks_mut(self.shape.0).enumerate().for_each(|(block, out)| {
            let thread = rayon::current_thread_index().unwrap_or(0);
            let mut buffer = self.blocks[thread].lock().expect("no thread panics with a block");
            let start = block * self.shape.0;
            out.fill(0.0);
            let mut lanes = vec![[0.0; LANES]; out.len()];
            for first in (0..self.n).step_by(self.shape.1) {
                let width = self.shape.1.min(self.n - first);
                let entries = &mut buffer[..width * out.len()];
                self.product(start, first, width, entries);
                for (row, entries) in entries.chunks_exact_mut(width).enumerate() {
                    self.pass(exp, start + row, first, entries);
                }
                add_row_sums(Isa::detect(), entries, width, &self.weights[first..first + width], &mut lanes);
                flush_row_sums(&mut lanes, out);
            }
        });
    }

    /// Inner products of rows `start…` with columns `first…first+width`, each row of them contiguous.
    fn product(&self, start: usize, first: usize, width: usize, out: &mut [f32]) {
        let count = out.len() / width;
        let used = if self.form == Form::Wide { self.d - 2 } else { self.d };
        let columns = MatRef::from_column_major_slice(&self.columns, self.n, self.d);
        let rows = MatRef::from_column_major_slice(&self.rows, self.d, self.n);
        let (columns, rows) =
            (columns.submatrix(first, 0, width, used), rows.submatrix(0, start, used, count));
        let out = MatMut::from_column_major_slice_mut(out, width, count);
        matmul(out, Accum::Replace, columns, rows, 1.0, Par::Seq);
    }

    /// What turns one row of inner products into entries.
    fn pass(&self, exp: Exp, row: usize, first: usize, entries: &mut [f32]) {
        let width = entries.len();
        let sides = Sides { rows: &self.squares[row..=row], columns: &self.squares[first..first + width] };
        let mut step = |op: Op| op.apply(Isa::detect(), entries, width, width, sides);
        let distance = self.form == Form::Wide && exp != Exp::None;
        if distance {
            step(Op::Distance);
        }
        let rate = if distance { -0.5 } else { 1.0 };
        match exp {
            Exp::None => {}
            Exp::Vector => step(Op::Exp(rate)),
            Exp::Scalar => entries.iter_mut().for_each(|v| *v = (rate as f32 * *v).exp()),
        }
    }
}
