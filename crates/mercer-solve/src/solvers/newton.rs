//! Kernel logistic regression and every other smooth loss by Newton's method,
//!
//! ```text
//! minimise P = (1/n) Σ w_i ℓ(y_i, f_i+b) + (λ/2)‖f‖² :    (K + λn(WH)⁻¹)α + b·1 = f + b·1 − H⁻¹ℓ' ,   Σα = 0
//! ```
//!
//! with H = diag ℓ'' at the last f (`docs/maths.md` §4.12; iteratively reweighted least squares, Zhu and Hastie 2005).
//! Rows without curvature (squared hinge beyond the margin, Huber's lines) leave the system with α_i = −C_iℓ'. Steps are
//! halved until P decreases. What comes back has α_i = −C_iℓ'(y_i, f_i): feasible in the dual by construction.

use mercer_linalg::{Budget, Buffer};
use rayon::prelude::*;

use super::feasible::{boxes, settle, worth};
use super::portions::{dot, load};
use super::squares;
use super::system::{Fault, System};
use crate::certify::best_offset;
use crate::loss::{Loss, Target};
use crate::{Footprint, Problem, Progress, Run, Sizes, Solution, SolveError, Solver, Status};

/// Newton's method with two n×n arrays.
///
/// ```
/// use mercer_solve::{Features, Objective, Problem, Run, Solver, Tolerance, certify, loss::Logistic, solvers::Newton};
/// let gram = Features::new(3, 1, vec![1.0, 2.0, -1.0]).unwrap();
/// let problem = Problem::new(&gram, &[1.0, -1.0, -1.0], Objective::Risk(&Logistic), 0.1, true).unwrap();
/// let solution = Newton::default().solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert!(certify(&problem, &solution).relative_gap < 1e-6);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Newton {
    /// What the n×n arrays may take.
    pub budget: Budget,
}

/// A relative gap from which on feasible coefficients are the better answer.
const NEAR: f64 = 1e-3;

/// Steps at most, where the run does not say.
const STEPS: u64 = 200;

impl Solver for Newton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let solver = self.name();
        let loss = squares::risk(solver, problem)?;
        if loss.curvature(problem.y()[0], 0.0).is_none() {
            let reason = "the loss has kinks; smo and qp solve it".to_owned();
            return Err(SolveError::Unsuited { solver, reason });
        }
        bounded(problem, loss)?;
        afford(solver, problem.len(), self.budget)?;
        if squares::active(problem).is_empty() {
            return Ok(squares::nothing(problem, run, loss));
        }
        let rows: Vec<usize> = (0..problem.len()).collect();
        let kernel = match load(problem.gram(), &rows, run) {
            Ok(kernel) => kernel,
            Err(status) => return Ok(squares::unfinished(problem, start, run, status)),
        };
        let machine = Machine { problem, loss, kernel, boxes: boxes(problem, loss) };
        let start = start.filter(|start| start.alpha.len() == problem.len());
        let point =
            machine.point(start.map_or_else(|| vec![0.0; problem.len()], |start| start.alpha.clone()));
        machine.descend(point, run)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        afford(self.name(), sizes.rows, self.budget)
    }
}

/// Two n×n arrays.
fn afford(solver: &'static str, rows: usize, budget: Budget) -> Result<Footprint, SolveError> {
    let instead =
        "choose another solver for this loss (cg for squared, gradient for others), or raise --memory";
    squares::afford(solver, rows, 16, budget, instead)
}

/// An error for labels of one class with an offset, where the loss only ever tends to its infimum.
fn bounded(problem: &Problem<'_>, loss: &dyn Loss) -> Result<(), SolveError> {
    let weighted = |&i: &usize| problem.weight(i) > 0.0;
    let first = (0..problem.len()).find(weighted).map_or(1.0, |i| problem.y()[i]);
    let alone = (0..problem.len()).filter(weighted).all(|i| problem.y()[i] == first);
    // Curvature far on the right side of the boundary: the slope never becomes zero.
    let open =
        loss.target() == Target::Labels && loss.curvature(first, 40.0 * first).is_some_and(|h| h > 0.0);
    if problem.offset() && alone && open {
        return Err(SolveError::Unbounded(format!(
            "every row has the label {first:+}, so that the loss decreases for ever as the offset grows: there is no \
             minimum; give rows of both classes, or leave the offset out"
        )));
    }
    Ok(())
}

/// The problem with its Gram matrix in memory.
struct Machine<'p, 'a> {
    problem: &'p Problem<'a>,
    loss: &'a dyn Loss,
    kernel: Buffer<f64>,
    boxes: Vec<(f64, f64)>,
}

/// An iterate with Kα and the best offset for it.
#[derive(Debug, Clone)]
struct Point {
    alpha: Vec<f64>,
    scores: Vec<f64>,
    bias: f64,
}

impl Machine<'_, '_> {
    fn point(&self, alpha: Vec<f64>) -> Point {
        let scores = self.product(&alpha);
        let bias = if self.problem.offset() { best_offset(self.problem, self.loss, &scores) } else { 0.0 };
        Point { alpha, scores, bias }
    }

    fn product(&self, x: &[f64]) -> Vec<f64> {
        self.kernel.par_chunks_exact(x.len()).map(|row| dot(row, x)).collect()
    }

    fn descend(&self, mut point: Point, run: &mut Run<'_>) -> Result<Solution, SolveError> {
        let limit = run.limits().iterations.unwrap_or(STEPS);
        let (mut best, mut least) = (None, f64::INFINITY);
        for iteration in 0.. {
            let (candidate, primal, gap) = self.feasible(&point);
            let support = candidate.alpha.iter().filter(|&&a| a != 0.0).count();
            let violation = Some(self.violation(&point));
            let (value, dual) = (Some(primal), Some(primal - gap));
            let progress = Progress {
                iteration,
                limit: Some(limit),
                primal: value,
                dual,
                violation,
                support,
                ..Progress::default()
            };
            run.report(progress);
            if gap <= least || best.is_none() {
                (best, least) = (Some(candidate), gap);
            }
            let kkt = run.tolerance().violation.is_none_or(|wanted| violation <= Some(wanted));
            let status = if squares::suffices(self.problem, run, primal, gap) && kkt {
                Some(Status::Solved)
            } else {
                run.over(iteration).or((iteration >= limit).then_some(Status::IterationLimit))
            };
            let status = match status {
                Some(status) => status,
                None => match self.step(&point, run) {
                    Ok(Some(next)) => {
                        point = next;
                        continue;
                    }
                    Ok(None) => Status::Stalled,
                    Err(Fault::Stopped(status)) => status,
                    Err(Fault::Failed(error)) => return Err(error),
                },
            };
            // Far from the end it is P that has been brought down; near it, the gap.
            let near = least <= NEAR * primal.abs();
            let Point { alpha, scores, bias } = best.filter(|_| near).unwrap_or(point);
            let mut solution = run.solution(alpha, bias, status, iteration);
            solution.scores = Some(scores);
            return Ok(solution);
        }
        unreachable!("the loop above ends by returning")
    }

    /// The better of two feasible coefficients near an iterate, its own and −Cℓ'(f), with P and P − D.
    fn feasible(&self, point: &Point) -> (Point, f64, f64) {
        let (problem, loss) = (self.problem, self.loss);
        let slopes = (0..problem.len())
            .map(|i| -problem.bound(i) * loss.slope(problem.y()[i], point.scores[i] + point.bias));
        let candidates = [point.alpha.clone(), slopes.collect()].map(|mut alpha: Vec<f64>| {
            settle(&mut alpha, &self.boxes, problem.offset());
            let candidate = self.point(alpha);
            let (primal, gap) = worth(problem, loss, &candidate.alpha, &candidate.scores, candidate.bias);
            (candidate, primal, gap)
        });
        let [own, slopes] = candidates;
        if own.2 < slopes.2 || slopes.2.is_nan() { own } else { slopes }
    }

    /// max |u − ℓ'(f)|.
    fn violation(&self, point: &Point) -> f64 {
        let problem = self.problem;
        let off = |i: usize| {
            let u = -point.alpha[i] / problem.bound(i);
            (u - self.loss.slope(problem.y()[i], point.scores[i] + point.bias)).abs()
        };
        (0..problem.len()).filter(|&i| problem.bound(i).recip().is_finite()).map(off).fold(0.0, f64::max)
    }

    /// The next iterate; none where no step makes P smaller.
    fn step(&self, point: &Point, run: &Run<'_>) -> Result<Option<Point>, Fault> {
        let (alpha, bias) = self.newton(point, run)?;
        let change: Vec<f64> = alpha.iter().zip(&point.alpha).map(|(new, old)| new - old).collect();
        let along = self.product(&change);
        let lift = bias - point.bias;
        let norms = [dot(&point.alpha, &point.scores), dot(&point.alpha, &along), dot(&change, &along)];
        let value = |t: f64| self.value(point, &along, lift, norms, t);
        let (here, slope) = (value(0.0), self.slope(point, &along, lift, norms[1]));
        // Rounding of P itself: less cannot be told apart.
        let rounding = 4.0 * f64::EPSILON * here.abs();
        if slope >= 0.0 || !slope.is_finite() {
            return Ok(None);
        }
        let mut t = 1.0;
        let decreases = |t: f64| value(t) <= here + 1e-4 * t * slope + rounding;
        while !decreases(t) {
            t *= 0.5;
            if t < 1e-12 {
                return Ok(None);
            }
        }
        let next: Vec<f64> =
            if t == 1.0 { alpha } else { point.alpha.iter().zip(&change).map(|(a, c)| a + t * c).collect() };
        if next == point.alpha {
            return Ok(None);
        }
        Ok(Some(self.point(next)))
    }

    /// P at α + t·change.
    fn value(&self, point: &Point, along: &[f64], lift: f64, norms: [f64; 3], t: f64) -> f64 {
        let problem = self.problem;
        let risk: f64 = (0..problem.len())
            .filter(|&i| problem.weight(i) > 0.0)
            .map(|i| {
                let f = point.scores[i] + point.bias + t * (along[i] + lift);
                problem.weight(i) * self.loss.value(problem.y()[i], f)
            })
            .sum();
        let norm2 = norms[0] + 2.0 * t * norms[1] + t * t * norms[2];
        risk / problem.len() as f64 + 0.5 * problem.lambda() * norm2
    }

    /// dP/dt at t = 0.
    fn slope(&self, point: &Point, along: &[f64], lift: f64, cross: f64) -> f64 {
        let problem = self.problem;
        let risk: f64 = (0..problem.len())
            .filter(|&i| problem.weight(i) > 0.0)
            .map(|i| {
                let slope = self.loss.slope(problem.y()[i], point.scores[i] + point.bias);
                problem.weight(i) * slope * (along[i] + lift)
            })
            .sum();
        risk / problem.len() as f64 + problem.lambda() * cross
    }

    /// α and b that minimise the quadratic model of P at a point.
    fn newton(&self, point: &Point, run: &Run<'_>) -> Result<(Vec<f64>, f64), Fault> {
        let (problem, loss, n) = (self.problem, self.loss, self.problem.len());
        let (mut alpha, mut curved, mut ridge, mut target) =
            (vec![0.0; n], Vec::new(), Vec::new(), Vec::new());
        for i in (0..n).filter(|&i| problem.bound(i).recip().is_finite()) {
            let (y, f) = (problem.y()[i], point.scores[i] + point.bias);
            let (slope, curvature) = (loss.slope(y, f), loss.curvature(y, f).unwrap_or(0.0));
            let inverse = (problem.bound(i) * curvature).recip();
            let aim = f - slope / curvature;
            if inverse.is_finite() && aim.is_finite() {
                curved.push(i);
                ridge.push(inverse);
                target.push(aim);
            } else {
                alpha[i] = -problem.bound(i) * slope;
            }
        }
        if curved.is_empty() {
            return Ok((alpha, point.bias));
        }
        let fixed: f64 = alpha.iter().sum();
        if alpha.iter().any(|&a| a != 0.0) {
            let scores = self.product(&alpha);
            target.iter_mut().zip(&curved).for_each(|(t, &i)| *t -= scores[i]);
        }
        let mut system = System::new(self.select(&curved), ridge, run)?;
        let answer = system.solve(&target, problem.offset().then_some(-fixed), run)?;
        curved.iter().zip(&answer.alpha).for_each(|(&i, &a)| alpha[i] = a);
        Ok((alpha, answer.bias))
    }

    /// K on some of its rows and columns.
    fn select(&self, rows: &[usize]) -> Buffer<f64> {
        let (n, m) = (self.problem.len(), rows.len());
        let mut entries = Buffer::zeros(m * m);
        entries.par_chunks_exact_mut(m).zip(rows).for_each(|(to, &i)| {
            let from = &self.kernel[i * n..(i + 1) * n];
            to.iter_mut().zip(rows).for_each(|(to, &j)| *to = from[j]);
        });
        entries
    }
}
