//! I + SKS for each class, S = √(C q_c), with K ≈ LLᵀ + diag u from a few of its columns,
//!
//! ```text
//! M = E + SLLᵀS ,   E = I + uS² ,   M⁻¹ = E⁻¹ − E⁻¹SL (I + LᵀSE⁻¹SL)⁻¹ LᵀSE⁻¹
//! ```
//!
//! (`docs/maths.md` §4.12). What couples the classes of a row is left to the iterations.

use mercer_linalg::{cholesky, cholesky_solve, rows_product};
use rayon::prelude::*;

use super::super::pivoted::Columns;
use super::system::System;
use crate::{Run, Status};

/// M⁻¹ of every class, ready to be applied.
pub(super) struct Preconditioner<'a> {
    system: &'a System,
    columns: &'a Columns,
    /// The factor of I + LᵀSE⁻¹SL for each class; empty where it has none.
    small: Vec<Vec<f64>>,
}

impl<'a> Preconditioner<'a> {
    pub(super) fn new(system: &'a System, columns: &'a Columns, run: &Run<'_>) -> Result<Self, Status> {
        let mut found = Self { system, columns, small: Vec::new() };
        let (n, rank) = (system.rows, columns.columns.len());
        let flat: Vec<f64> = columns.columns.concat();
        for class in 0..system.classes {
            if let Some(status) = run.stop() {
                return Err(status);
            }
            let weights: Vec<f64> = (0..n).map(|i| found.square(class, i) / found.extra(class, i)).collect();
            let scaled: Vec<f64> = flat
                .par_chunks_exact(n)
                .flat_map_iter(|own| own.iter().zip(&weights).map(|(l, w)| l * w))
                .collect();
            let mut small = rows_product(n, &scaled, &flat);
            (0..rank).for_each(|a| small[a * rank + a] += 1.0);
            if cholesky(rank, rank, &mut small, &|| run.stop().is_some()).is_err() {
                // The diagonal alone is a preconditioner too.
                small.clear();
            }
            found.small.push(small);
        }
        Ok(found)
    }

    /// S².
    fn square(&self, class: usize, i: usize) -> f64 {
        let s = self.system.scale[i] * self.system.roots[class * self.system.rows + i];
        s * s
    }

    /// E.
    fn extra(&self, class: usize, i: usize) -> f64 {
        1.0 + self.columns.left[i] * self.square(class, i)
    }

    /// M⁻¹r.
    pub(super) fn apply(&self, residual: &[f64]) -> Vec<f64> {
        let n = self.system.rows;
        let mut out = residual.to_vec();
        out.par_chunks_exact_mut(n).zip(&self.small).enumerate().for_each(|(class, (own, small))| {
            let root: Vec<f64> = (0..n).map(|i| self.square(class, i).sqrt()).collect();
            own.iter_mut().enumerate().for_each(|(i, v)| *v /= self.extra(class, i));
            let rank = self.columns.columns.len();
            if small.is_empty() || rank == 0 {
                return;
            }
            let weighted: Vec<f64> = own.iter().zip(&root).map(|(v, s)| v * s).collect();
            let each = self.columns.columns.iter();
            let mut inner: Vec<f64> = each.map(|column| super::dot(column, &weighted)).collect();
            if cholesky_solve(rank, rank, small, &mut inner, &|| false).is_err() {
                return;
            }
            let mut sums = vec![0.0; n];
            for (column, c) in self.columns.columns.iter().zip(&inner) {
                sums.iter_mut().zip(column).for_each(|(sum, l)| *sum += c * l);
            }
            let each = own.iter_mut().zip(&sums).zip(&root).enumerate();
            each.for_each(|(i, ((v, sum), s))| *v -= s * sum / self.extra(class, i));
        });
        out
    }
}
