//! The bordered system that ridge regression and every Newton step solve,
//!
//! ```text
//! (K + D)α + b·1 = t ,    Σα = s ,
//! ```
//!
//! D a positive diagonal; without offset b = 0 and the second equation falls away (`docs/maths.md` §4.9, §4.13). By
//! Cholesky and block elimination, then refined: the factor fills the lower triangle of one n×n array and K stays above
//! its diagonal, so that residuals cost no memory and no kernel entry. Where K + D is not positive definite in floating
//! point, a slightly larger diagonal is factored and refinement removes what that changed.

use mercer_linalg::{Buffer, CholeskyError, cholesky, cholesky_solve};
use rayon::prelude::*;

use super::portions::dot;
use crate::{Run, SolveError, Status};

/// K + D, factored.
#[derive(Debug)]
pub(super) struct System {
    n: usize,
    entries: Buffer<f64>,
    diagonal: Vec<f64>,
    ridge: Vec<f64>,
    /// (K+D)⁻¹1 as the factor gives it.
    ones: Vec<f64>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// It was told to stop.
    Stopped(Status),
    /// There is none.
    Failed(SolveError),
}

/// An answer with what it gives on the rows.
#[derive(Debug)]
pub(super) struct Answer {
    /// α.
    pub(super) alpha: Vec<f64>,
    /// b.
    pub(super) bias: f64,
    /// Kα.
    pub(super) scores: Vec<f64>,
}

/// Enlargements of the diagonal that are tried, in units of its largest entry.
const SHIFTS: [f64; 5] = [0.0, 1e-15, 1e-13, 1e-11, 1e-9];

/// Refinements at most.
const ROUNDS: usize = 20;

/// Tasks of a product with K: fixed, so that sums have one order.
const TASKS: usize = 8;

impl System {
    /// Factors K + D; `entries` is K, all of it, row after row.
    pub(super) fn new(entries: Buffer<f64>, ridge: Vec<f64>, run: &Run<'_>) -> Result<Self, Fault> {
        let n = ridge.len();
        let diagonal: Vec<f64> = (0..n).map(|i| entries[i * n + i]).collect();
        let mut system = Self { n, entries, diagonal, ridge, ones: vec![1.0; n] };
        let stop = || run.stop().is_some();
        let scale = system.diagonal.iter().fold(0.0, |scale: f64, v| scale.max(v.abs()));
        let mut first = None;
        for shift in SHIFTS {
            system.prepare(shift * scale);
            match cholesky(n, &mut system.entries, &stop) {
                Ok(()) => {
                    let mut ones = std::mem::take(&mut system.ones);
                    cholesky_solve(n, &system.entries, &mut ones, &stop).map_err(|_| stopped(run))?;
                    system.ones = ones;
                    return Ok(system);
                }
                Err(CholeskyError::Stopped) => return Err(stopped(run)),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(Fault::Failed(indefinite(first)))
    }

    /// The lower triangle becomes that of K + D + shift, from the upper one.
    fn prepare(&mut self, shift: f64) {
        let n = self.n;
        for i in 0..n {
            let (above, row) = self.entries.split_at_mut(i * n);
            for (j, value) in row[..i].iter_mut().enumerate() {
                *value = above[j * n + i];
            }
            row[i] = self.diagonal[i] + self.ridge[i] + shift;
        }
    }

    /// α and b for a target and, with an offset, the sum of α.
    pub(super) fn solve(&self, target: &[f64], sum: Option<f64>, run: &Run<'_>) -> Result<Answer, Fault> {
        let zero = vec![0.0; self.n];
        let mut best = Answer { alpha: zero.clone(), bias: 0.0, scores: zero };
        let (mut residual, mut missing) = (target.to_vec(), sum.unwrap_or(0.0));
        let mut error = f64::INFINITY;
        for _ in 0..ROUNDS {
            let (step, lift) = self.correct(&residual, sum.map(|_| missing), run)?;
            let alpha: Vec<f64> = best.alpha.iter().zip(&step).map(|(a, s)| a + s).collect();
            let bias = best.bias + lift;
            let scores = self.multiply(&alpha, run).ok_or_else(|| stopped(run))?;
            residual = (0..self.n).map(|i| target[i] - scores[i] - self.ridge[i] * alpha[i] - bias).collect();
            missing = sum.map_or(0.0, |sum| sum - alpha.iter().sum::<f64>());
            let now = residual.iter().map(|r| r.abs()).fold(0.0, f64::max) + missing.abs();
            if now >= error || now.is_nan() {
                break;
            }
            best = Answer { alpha, bias, scores };
            let slow = now > 0.5 * error;
            error = now;
            if slow || now == 0.0 {
                break;
            }
        }
        if best.alpha.iter().any(|a| !a.is_finite()) || error == f64::INFINITY {
            return Err(Fault::Failed(indefinite(None)));
        }
        Ok(best)
    }

    /// One solution with the factor: α = v − b·z with v = A⁻¹t, z = A⁻¹1, b = (Σv − s)/Σz.
    fn correct(&self, target: &[f64], sum: Option<f64>, run: &Run<'_>) -> Result<(Vec<f64>, f64), Fault> {
        let mut alpha = target.to_vec();
        let stop = || run.stop().is_some();
        cholesky_solve(self.n, &self.entries, &mut alpha, &stop).map_err(|_| stopped(run))?;
        let Some(sum) = sum else { return Ok((alpha, 0.0)) };
        let total: f64 = self.ones.iter().sum();
        let bias = (alpha.iter().sum::<f64>() - sum) / total;
        alpha.iter_mut().zip(&self.ones).for_each(|(a, z)| *a -= bias * z);
        Ok((alpha, bias))
    }

    /// Kx from the upper triangle; none if stopped.
    fn multiply(&self, x: &[f64], run: &Run<'_>) -> Option<Vec<f64>> {
        let n = self.n;
        let parts: Option<Vec<Vec<f64>>> = (0..TASKS.min(n))
            .into_par_iter()
            .map(|task| {
                let mut sums = vec![0.0; n];
                for (count, i) in (task..n).step_by(TASKS).enumerate() {
                    if count.is_multiple_of(64) && run.stop().is_some() {
                        return None;
                    }
                    let row = &self.entries[i * n + i + 1..(i + 1) * n];
                    sums[i] += self.diagonal[i] * x[i] + dot(row, &x[i + 1..]);
                    let a = x[i];
                    sums[i + 1..].iter_mut().zip(row).for_each(|(sum, k)| *sum += a * k);
                }
                Some(sums)
            })
            .collect();
        let mut out = vec![0.0; n];
        for part in parts? {
            out.iter_mut().zip(&part).for_each(|(out, sum)| *out += sum);
        }
        Some(out)
    }
}

fn stopped(run: &Run<'_>) -> Fault {
    // A stop that has passed again is still why the work was left.
    Fault::Stopped(run.stop().unwrap_or(Status::Stopped))
}

fn indefinite(error: Option<CholeskyError>) -> SolveError {
    let found = error.map_or_else(|| "the solution is not finite".to_owned(), |error| error.to_string());
    SolveError::Numerical(format!(
        "K + lambda*n*I could not be factored: {found}; the kernel is not positive semi-definite on these rows or its \
         values are too large: take a larger lambda, repair the kernel, or scale the columns"
    ))
}
