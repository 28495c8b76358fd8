//! Kernel ridge regression without any n×n array,
//!
//! ```text
//! (K + λnW⁻¹)α + b·1 = y ,   Σα = 0 with offset
//! ```
//!
//! (`docs/maths.md` §4.9) by conjugate gradients (Hestenes and Stiefel, 1952), preconditioned by a partial Cholesky of K.
//! The offset is kept out by projection: every direction sums to zero, and b is what is common to the residual at the
//! end. Products use `f32` entries; every round starts from a residual of `f64` entries, on which its predecessor is
//! judged: if that did not serve, the products become `f64` too. Iterates are smoothed, so that a run that is cut short has
//! the least gap so far. Ends when the duality gap of the accurate residual is
//! within the tolerance.

use super::pivoted::Pivoted;
use super::portions::{Entries, dot, product};
use super::squares;
use crate::{Problem, Progress, Run, Solution, SolveError, Solver, Status};

/// Kernel ridge regression by preconditioned conjugate gradients.
///
/// ```
/// use mercer_gram::Lazy;
/// use mercer_solve::{Objective, Problem, Run, Solver, Tolerance, certify, loss::Squared, solvers::ConjugateGradients};
/// let mut table = mercer_points::read("@sinc(n=80)", &Default::default()).unwrap();
/// let y: Vec<f64> = (0..80).map(|i| f64::from(i % 7)).collect();
/// let gram = Lazy::new(&"rbf(sigma=0.5)".parse().unwrap(), &table).unwrap();
/// let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), 1e-3, true).unwrap();
/// let solver = ConjugateGradients::default();
/// let solution = solver.solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert!(certify(&problem, &solution).relative_gap <= 1e-6);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ConjugateGradients {
    /// Columns of the preconditioner at most; 0 leaves the diagonal.
    pub preconditioner_rank: usize,
}

impl Default for ConjugateGradients {
    /// 200 columns.
    fn default() -> Self {
        Self { preconditioner_rank: 200 }
    }
}

impl Solver for ConjugateGradients {
    fn name(&self) -> &'static str {
        "cg"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        squares::check(self.name(), problem)?;
        let rows = squares::active(problem);
        if rows.is_empty() {
            return Ok(squares::nothing(problem, run, squares::risk(self.name(), problem)?));
        }
        let ridge: Vec<f64> = rows.iter().map(|&i| problem.bound(i).recip()).collect();
        let rank = self.preconditioner_rank;
        let inverse = match Pivoted::new(problem.gram(), &rows, &ridge, rank, run) {
            Ok(inverse) => inverse,
            Err(status) => return Ok(squares::unfinished(problem, start, run, status)),
        };
        let work = Work { problem, rows: &rows, ridge: &ridge, inverse: &inverse };
        let alpha = work.begin(start);
        let (best, status, iterations) = work.rounds(alpha, run);
        match best {
            Some(Iterate { alpha, scores, bias, .. }) if alpha.iter().all(|a| a.is_finite()) => {
                Ok(squares::finish(problem, run, &rows, (alpha, bias, scores), (Some(status), iterations)))
            }
            _ => Ok(squares::unfinished(problem, start, run, status)),
        }
    }
}

struct Work<'p, 'a> {
    problem: &'p Problem<'a>,
    rows: &'p [usize],
    ridge: &'p [f64],
    inverse: &'p Pivoted,
}

/// Coefficients with what accurate products say of them.
#[derive(Debug, Clone)]
struct Iterate {
    alpha: Vec<f64>,
    scores: Vec<f64>,
    bias: f64,
    primal: f64,
    gap: f64,
}

/// The iterates, smoothed so that the gap never grows (Weiss, 1994): their own gap may, by far, before it falls.
struct Smooth {
    step: Vec<f64>,
    residual: Vec<f64>,
}

/// Iterations of a round at most: rounding has spoiled the directions by then.
const ROUND: usize = 500;

/// By how much a round of `f32` products may reduce the gap; more would be reducing their errors.
const SINGLE: f64 = 1e-10;

impl Work<'_, '_> {
    fn begin(&self, start: Option<&Solution>) -> Vec<f64> {
        let start = start.filter(|start| start.alpha.len() == self.problem.len());
        let mut alpha: Vec<f64> =
            self.rows.iter().map(|&i| start.map_or(0.0, |start| start.alpha[i])).collect();
        self.balance(&mut alpha);
        alpha
    }

    /// Σα = 0 where there is an offset; rounding takes it away a little with every step.
    fn balance(&self, alpha: &mut [f64]) {
        if self.problem.offset() {
            let mean = alpha.iter().sum::<f64>() / alpha.len() as f64;
            alpha.iter_mut().for_each(|a| *a -= mean);
        }
    }

    fn rounds(&self, mut alpha: Vec<f64>, run: &mut Run<'_>) -> (Option<Iterate>, Status, u64) {
        let mut best: Option<Iterate> = None;
        let (mut entries, mut iterations, mut useless) = (Entries::Single, 0, 0);
        loop {
            let now = match self.judge(alpha, run) {
                Ok(now) => now,
                Err(status) => return (best, status, iterations),
            };
            let before = best.as_ref().map_or(f64::INFINITY, |best| best.gap);
            let gap = now.gap;
            let done = squares::suffices(run, now.primal, gap);
            if gap < before {
                best = Some(now);
            }
            if done {
                return (best, Status::Solved, iterations);
            }
            // A round that did not halve the gap was misled by its products, or there is nothing left to gain.
            if gap > 0.5 * before || gap.is_nan() {
                useless += usize::from(entries == Entries::Double);
                entries = Entries::Double;
            }
            if useless > 2 {
                return (best, Status::Stalled, iterations);
            }
            let Some(from) = &best else { return (best, Status::Stalled, iterations) };
            let (step, ended) = self.round(from, entries, &mut iterations, run);
            alpha = from.alpha.iter().zip(&step).map(|(a, s)| a + s).collect();
            self.balance(&mut alpha);
            if let Some(status) = ended {
                // What the stopped round has found is kept where there is time to look at it.
                let last = self.judge(alpha, run).ok().filter(|last| last.gap < from.gap);
                return (last.or(best), status, iterations);
            }
        }
    }

    /// P and the gap from accurate entries.
    fn judge(&self, alpha: Vec<f64>, run: &mut Run<'_>) -> Result<Iterate, Status> {
        let scores = self.product(&alpha, Entries::Double, run)?;
        let residual = self.residual(&alpha, &scores);
        let bias = self.common(&residual);
        let (primal, gap) = squares::worth(self.problem, self.rows, &alpha, &scores, bias);
        Ok(Iterate { alpha, scores, bias, primal, gap })
    }

    fn product(&self, x: &[f64], entries: Entries, run: &mut Run<'_>) -> Result<Vec<f64>, Status> {
        let mut whole = vec![0.0; self.problem.len()];
        self.rows.iter().zip(x).for_each(|(&i, &x)| whole[i] = x);
        product(self.problem.gram(), self.rows, &whole, entries, run)
    }

    /// y − Kα − Dα.
    fn residual(&self, alpha: &[f64], scores: &[f64]) -> Vec<f64> {
        let y = self.rows.iter().map(|&i| self.problem.y()[i]);
        y.zip(scores).zip(alpha).zip(self.ridge).map(|(((y, f), a), d)| y - f - d * a).collect()
    }

    /// The weighted mean of a residual with an offset, else zero.
    fn common(&self, residual: &[f64]) -> f64 {
        if !self.problem.offset() {
            return 0.0;
        }
        let weights = || self.rows.iter().map(|&i| self.problem.weight(i));
        weights().zip(residual).map(|(w, r)| w * r).sum::<f64>() / weights().sum::<f64>()
    }

    /// Takes the offset out of a residual: what is common to all rows counts for nothing, and would drown the rest.
    fn centre(&self, residual: &mut [f64]) {
        let bias = self.common(residual);
        residual.iter_mut().for_each(|r| *r -= bias);
    }

    /// (1/2n) Σ w(r−b)².
    fn gap(&self, residual: &[f64]) -> f64 {
        let bias = self.common(residual);
        let terms =
            self.rows.iter().zip(residual).map(|(&i, r)| self.problem.weight(i) * (r - bias) * (r - bias));
        0.5 * terms.sum::<f64>() / self.problem.len() as f64
    }

    fn precondition(&self, residual: &[f64]) -> Vec<f64> {
        if self.problem.offset() {
            self.inverse.apply_balanced(residual)
        } else {
            self.inverse.apply(residual)
        }
    }

    /// Moves to the point of least gap on the way to a new iterate.
    fn smoothen(&self, smooth: &mut Smooth, step: &[f64], residual: &[f64]) {
        let way: Vec<f64> = residual.iter().zip(&smooth.residual).map(|(new, old)| new - old).collect();
        let (there, here) = (self.common(&way), self.common(&smooth.residual));
        let (mut along, mut length) = (0.0, 0.0);
        for ((&i, way), old) in self.rows.iter().zip(&way).zip(&smooth.residual) {
            along -= self.problem.weight(i) * (way - there) * (old - here);
            length += self.problem.weight(i) * (way - there) * (way - there);
        }
        let part = along / length;
        if part.is_finite() {
            smooth.residual.iter_mut().zip(&way).for_each(|(old, way)| *old += part * way);
            smooth.step.iter_mut().zip(step).for_each(|(old, new)| *old += part * (new - *old));
        }
    }

    /// Conjugate gradients for the correction of an iterate; a status where a limit ended it.
    fn round(
        &self,
        from: &Iterate,
        entries: Entries,
        iterations: &mut u64,
        run: &mut Run<'_>,
    ) -> (Vec<f64>, Option<Status>) {
        let mut residual = self.residual(&from.alpha, &from.scores);
        self.centre(&mut residual);
        let mut step = vec![0.0; residual.len()];
        let mut smooth = Smooth { step: step.clone(), residual: residual.clone() };
        let wanted = run.tolerance().gap.unwrap_or(0.0) * from.primal.abs() * 0.1;
        let wanted = if entries == Entries::Single { wanted.max(SINGLE * from.gap) } else { wanted };
        let mut ascent = self.precondition(&residual);
        let mut direction = ascent.clone();
        let mut size = dot(&residual, &ascent);
        for _ in 0..ROUND {
            if let Some(status) = run.over(*iterations) {
                return (smooth.step, Some(status));
            }
            let mut image = match self.product(&direction, entries, run) {
                Ok(image) => image,
                Err(status) => return (smooth.step, Some(status)),
            };
            image.iter_mut().zip(self.ridge).zip(&direction).for_each(|((i, d), p)| *i += d * p);
            let length = size / dot(&direction, &image);
            // Curvature that is not positive is rounding; so is a length that is no number.
            if !(length > 0.0 && length.is_finite()) {
                break;
            }
            step.iter_mut().zip(&direction).for_each(|(s, p)| *s += length * p);
            residual.iter_mut().zip(&image).for_each(|(r, i)| *r -= length * i);
            self.centre(&mut residual);
            *iterations += 1;
            self.smoothen(&mut smooth, &step, &residual);
            let gap = self.gap(&smooth.residual);
            run.report(Progress {
                iteration: *iterations,
                violation: Some((2.0 * gap).sqrt()),
                support: step.len(),
                ..Progress::default()
            });
            if gap <= wanted || gap.is_nan() {
                break;
            }
            ascent = self.precondition(&residual);
            let next = dot(&residual, &ascent);
            direction.iter_mut().zip(&ascent).for_each(|(p, g)| *p = g + next / size * *p);
            size = next;
        }
        (smooth.step, None)
    }
}
