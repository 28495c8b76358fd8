//! The bordered system that ridge regression and every Newton step solve,
//!
//! ```text
//! (K + D)α + b·1 = t ,    Σα = s ,
//! ```
//!
//! D a positive diagonal; without offset b = 0 and the second equation falls away (`docs/maths.md` §4.9, §4.13). By
//! Cholesky and block elimination, then refined: the factor fills the lower triangle of one n×n array and K stays above
//! its diagonal, so that residuals cost no memory and no kernel entry. Refinement makes up for a factor that is not quite
//! that of K + D (Wilkinson, 1963; Higham, Accuracy and Stability, §12): of a large and well conditioned matrix it is
//! one of `f32`, in half the time; where K + D is not positive definite in floating point, one of a slightly larger
//! diagonal.

use mercer_linalg::{Buffer, CholeskyError, cholesky, cholesky_solve, mirror_lower};
use rayon::prelude::*;

use super::portions::dot;
use crate::{Run, SolveError, Status};

/// K + D, factored.
#[derive(Debug)]
pub(super) struct System {
    n: usize,
    /// K above the diagonal, the factor below: in `f32`, its rows begin where those of K do.
    entries: Buffer<f64>,
    single: bool,
    /// Whether there is a factor.
    is_ready: bool,
    diagonal: Vec<f64>,
    ridge: Vec<f64>,
    /// The largest Σ_j|K_ij|: no eigenvalue is above it.
    norm: f64,
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

/// Rows from which a factor in `f32` saves time.
const LARGE: usize = 1000;

/// Condition numbers up to which a factor in `f32` is tried: its rounding, 6e-8, times this is the share of an error
/// that a refinement leaves, about.
const MILD: f64 = 1e6;

/// Values of a row that change their precision together.
const PART: usize = 1024;

/// Residuals that are as good as rounding allows, in units of ε(‖K‖‖α‖ + ‖t‖).
const ROUNDED: f64 = 16.0;

impl System {
    /// Factors K + D; `entries` is K, all of it, row after row.
    pub(super) fn new(entries: Buffer<f64>, ridge: Vec<f64>, run: &Run<'_>) -> Result<Self, Fault> {
        let n = ridge.len();
        let diagonal: Vec<f64> = (0..n).map(|i| entries[i * n + i]).collect();
        let sum = |row: &[f64]| match run.stop() {
            Some(_) => f64::INFINITY,
            None => row.iter().map(|v| v.abs()).sum::<f64>(),
        };
        let norm = entries.par_chunks(n.max(1)).map(sum).reduce(|| 0.0, f64::max);
        let mut system =
            Self { n, entries, single: false, is_ready: false, diagonal, ridge, norm, ones: Vec::new() };
        let least = system.ridge.iter().copied().fold(f64::INFINITY, f64::min);
        if !(n >= LARGE && system.norm <= MILD * least && system.factor_single(run)?) {
            system.factor_double(run)?;
        }
        Ok(system)
    }

    /// A factor in `f32` of K + D, whose lower triangle is still there; `false` if there is none.
    fn factor_single(&mut self, run: &Run<'_>) -> Result<bool, Fault> {
        let (n, stop) = (self.n, || run.stop().is_some());
        self.is_ready = false;
        let pivots = self.diagonal.par_iter().zip(&self.ridge);
        self.entries.par_chunks_mut(n).enumerate().zip(pivots).for_each(|((i, row), (k, d))| {
            if run.stop().is_some() {
                return;
            }
            // A part of the short row ends where that of the long row does, or before.
            for first in (0..i).step_by(PART) {
                let part: Vec<f32> = row[first..i.min(first + PART)].iter().map(|&v| v as f32).collect();
                bytemuck::cast_slice_mut(row)[first..first + part.len()].copy_from_slice(&part);
            }
            bytemuck::cast_slice_mut(row)[i] = (k + d) as f32;
        });
        let factored = cholesky::<f32>(n, 2 * n, bytemuck::cast_slice_mut(&mut self.entries), &stop);
        self.single = factored.is_ok();
        match factored {
            Ok(()) => self.solve_ones(run).map(|()| true),
            Err(CholeskyError::Stopped) => Err(stopped(run)),
            Err(_) => Ok(false),
        }
    }

    /// A factor in `f64`, of a diagonal as little enlarged as may be.
    fn factor_double(&mut self, run: &Run<'_>) -> Result<(), Fault> {
        let (n, stop) = (self.n, || run.stop().is_some());
        let scale = self.diagonal.iter().fold(0.0, |scale: f64, v| scale.max(v.abs()));
        let mut first = None;
        (self.single, self.is_ready) = (false, false);
        for shift in SHIFTS {
            self.mirror(shift * scale);
            match cholesky::<f64>(n, n, &mut self.entries, &stop) {
                Ok(()) => return self.solve_ones(run),
                Err(CholeskyError::Stopped) => return Err(stopped(run)),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(Fault::Failed(indefinite(first)))
    }

    /// The lower triangle becomes that of K + D + shift, from the upper one.
    fn mirror(&mut self, shift: f64) {
        let n = self.n;
        mirror_lower(n, &mut self.entries);
        (0..n).for_each(|i| self.entries[i * n + i] = self.diagonal[i] + self.ridge[i] + shift);
    }

    fn solve_ones(&mut self, run: &Run<'_>) -> Result<(), Fault> {
        let mut ones = vec![1.0; self.n];
        self.divide(&mut ones, run)?;
        (self.ones, self.is_ready) = (ones, true);
        Ok(())
    }

    /// v ← (LLᵀ)⁻¹v.
    fn divide(&self, vector: &mut [f64], run: &Run<'_>) -> Result<(), Fault> {
        let (n, stop) = (self.n, || run.stop().is_some());
        let done = if self.single {
            cholesky_solve::<f32>(n, 2 * n, bytemuck::cast_slice(&self.entries), vector, &stop)
        } else {
            cholesky_solve::<f64>(n, n, &self.entries, vector, &stop)
        };
        done.map_err(|_| stopped(run))
    }

    /// α and b for a target and, with an offset, the sum of α.
    pub(super) fn solve(&mut self, target: &[f64], sum: Option<f64>, run: &Run<'_>) -> Result<Answer, Fault> {
        if !self.is_ready {
            self.factor_double(run)?;
        }
        let zero = vec![0.0; self.n];
        let start = Answer { alpha: zero.clone(), bias: 0.0, scores: zero };
        let (mut best, mut error) = self.refined(start, target, sum, run)?;
        if self.single && !self.is_rounded(&best, target, sum) {
            self.factor_double(run)?;
            (best, error) = self.refined(best, target, sum, run)?;
        }
        if best.alpha.iter().any(|a| !a.is_finite()) || error == f64::INFINITY {
            return Err(Fault::Failed(indefinite(None)));
        }
        Ok(best)
    }

    /// Whether nothing but rounding is left of the equations, each in its own units.
    fn is_rounded(&self, answer: &Answer, target: &[f64], sum: Option<f64>) -> bool {
        let (residual, missing, _) = self.off(answer, target, sum);
        let alpha = &answer.alpha;
        let common = self.norm * alpha.iter().fold(0.0, |most: f64, a| most.max(a.abs())) + answer.bias.abs();
        let is_small = |i: usize| {
            let scale = common + (self.ridge[i] * alpha[i]).abs() + target[i].abs();
            residual[i].abs() <= ROUNDED * f64::EPSILON * scale
        };
        let total: f64 = alpha.iter().map(|a| a.abs()).sum();
        (0..self.n).all(is_small)
            && missing.abs() <= ROUNDED * f64::EPSILON * (total + sum.unwrap_or(0.0).abs())
    }

    /// Refines an answer until that no longer halves its error.
    fn refined(
        &self,
        mut best: Answer,
        target: &[f64],
        sum: Option<f64>,
        run: &Run<'_>,
    ) -> Result<(Answer, f64), Fault> {
        let (mut residual, mut missing, _) = self.off(&best, target, sum);
        let mut error = f64::INFINITY;
        for _ in 0..ROUNDS {
            let (step, lift) = self.correct(&residual, sum.map(|_| missing), run)?;
            let alpha: Vec<f64> = best.alpha.iter().zip(&step).map(|(a, s)| a + s).collect();
            let scores = self.multiply(&alpha, run).ok_or_else(|| stopped(run))?;
            let next = Answer { alpha, bias: best.bias + lift, scores };
            let (residual_next, missing_next, now) = self.off(&next, target, sum);
            if now >= error || now.is_nan() {
                break;
            }
            let slow = now > 0.5 * error;
            (best, residual, missing, error) = (next, residual_next, missing_next, now);
            if slow || now == 0.0 {
                break;
            }
        }
        Ok((best, error))
    }

    /// What an answer leaves of the equations, and the largest of it.
    fn off(&self, answer: &Answer, target: &[f64], sum: Option<f64>) -> (Vec<f64>, f64, f64) {
        let Answer { alpha, bias, scores } = answer;
        let residual: Vec<f64> =
            (0..self.n).map(|i| target[i] - scores[i] - self.ridge[i] * alpha[i] - bias).collect();
        let missing = sum.map_or(0.0, |sum| sum - alpha.iter().sum::<f64>());
        let error = residual.iter().map(|r| r.abs()).fold(0.0, f64::max) + missing.abs();
        (residual, missing, error)
    }

    /// One solution with the factor: α = v − b·z with v = A⁻¹t, z = A⁻¹1, b = (Σv − s)/Σz.
    fn correct(&self, target: &[f64], sum: Option<f64>, run: &Run<'_>) -> Result<(Vec<f64>, f64), Fault> {
        let mut alpha = target.to_vec();
        self.divide(&mut alpha, run)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tolerance;

    /// Gaussian values of points on a line: from nearly singular to nearly the identity, as the width says.
    fn line(n: usize, width: f64) -> Buffer<f64> {
        let mut entries = Buffer::zeros(n * n);
        for (at, value) in entries.iter_mut().enumerate() {
            let apart = (at / n) as f64 - (at % n) as f64;
            *value = (-0.5 * (apart / width).powi(2)).exp();
        }
        entries
    }

    /// The largest residual of the equations, with K as it was.
    fn worst(k: &[f64], ridge: f64, target: &[f64], answer: &Answer) -> f64 {
        let n = target.len();
        let row =
            |i: usize| dot(&k[i * n..(i + 1) * n], &answer.alpha) + ridge * answer.alpha[i] + answer.bias;
        (0..n).map(|i| (row(i) - target[i]).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn a_short_factor_gives_answers_as_good_as_a_long_one() {
        let (n, run) = (LARGE + 7, Run::quiet(Tolerance::default()));
        let target: Vec<f64> = (0..n).map(|i| (i as f64 * 0.1).sin() + 1.0).collect();
        for (ridge, sum, single) in [(0.1, None, true), (1e-3, Some(0.0), true), (1e-5, Some(2.0), false)] {
            let k = line(n, 10.0);
            let mut system = System::new(line(n, 10.0), vec![ridge; n], &run).unwrap();
            assert_eq!(system.single, single, "{ridge}");
            let answer = system.solve(&target, sum, &run).unwrap();
            assert!(
                worst(&k, ridge, &target, &answer) < 1e-11,
                "{ridge}: {:e}",
                worst(&k, ridge, &target, &answer)
            );
            let total: f64 = answer.alpha.iter().sum();
            assert!(sum.is_none_or(|sum| (total - sum).abs() < 1e-9), "{ridge}");
        }
    }

    #[test]
    fn where_a_short_factor_does_not_serve_a_long_one_is_made() {
        let (n, run) = (LARGE, Run::quiet(Tolerance::default()));
        let (k, target) = (line(n, 10.0), vec![1.0; n]);
        let mut system = System::new(line(n, 10.0), vec![0.1; n], &run).unwrap();
        // Half a factor: refinement leads away from the answer.
        let spoilt: &mut [f32] = bytemuck::cast_slice_mut(&mut system.entries);
        (0..n).for_each(|i| spoilt[2 * n * i + i] *= 0.5);
        let answer = system.solve(&target, None, &run).unwrap();
        assert!(!system.single && system.is_ready && worst(&k, 0.1, &target, &answer) < 1e-12);
    }

    #[test]
    fn an_indefinite_matrix_has_no_factor_in_either_precision() {
        let (n, run) = (LARGE, Run::quiet(Tolerance::default()));
        let mut k = line(n, 2.0);
        k[5 * n + 9] = -3.0;
        k[9 * n + 5] = -3.0;
        let failed = System::new(k, vec![0.1; n], &run);
        assert!(matches!(failed, Err(Fault::Failed(SolveError::Numerical(_)))));
    }
}
