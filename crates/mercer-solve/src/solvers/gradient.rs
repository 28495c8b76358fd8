//! Gradient descent in the space of functions, for any convex loss (`docs/maths.md` §4.11; Nesterov 1983; restarts:
//! O'Donoghue and Candès 2015; kinks: Bach 2015).
//!
//! ```text
//! minimise over f, b:   (1/n) Σ_i w_i·ℓ(y_i, f(x_i)+b) + (λ/2)‖f‖² ;      β ← β − η( (1/n) w∘ℓ'(y, Kβ+b) + λβ )
//! ```
//!
//! That is the gradient in feature space, and for f = Σ β_j k(x_j,·) an update of β alone. b is the best for f at each
//! step, so that the slopes sum to zero. A smooth loss (|ℓ'' | ≤ L) has the constant step 1/(Lλ_max/n + λ) and is
//! accelerated. A loss with kinks has the steps 2/(λ(t+1)): each is then a convex combination of β with a point of the
//! dual's box, and the average of iterates, weighted by t, has a gap of O(1/(λt)).

use super::first_order::{
    Bounds, bounds, largest_eigenvalue, product, risk, slopes, smoothness, starting_point,
};
use crate::certify::best_offset;
use crate::loss::Loss;
use crate::{Problem, Progress, Run, Solution, SolveError, Solver, Status};

/// The general gradient method.
///
/// ```
/// use mercer_gram::Lazy;
/// use mercer_solve::{Objective, Problem, Run, Solver, Tolerance, certify, loss::Logistic, solvers::Gradient};
/// let mut table = mercer_points::read("@moons(n=60)", &Default::default()).unwrap();
/// table.remove("label").unwrap();
/// let gram = Lazy::new(&"rbf(sigma=0.5)".parse().unwrap(), &table).unwrap();
/// let y: Vec<f64> = (0..60).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
/// let problem = Problem::new(&gram, &y, Objective::Risk(&Logistic), 0.01, true).unwrap();
/// let solution = Gradient::default().solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert!(certify(&problem, &solution).relative_gap < 1e-5);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Gradient {
    /// η of a smooth loss, c of the step size c/√t otherwise; chosen by the problem where it is not given.
    pub step: Option<f64>,
    /// Steps at most.
    pub iterations: u64,
    /// Whether steps on a smooth loss have momentum.
    pub accelerated: bool,
}

impl Default for Gradient {
    fn default() -> Self {
        Self { step: None, iterations: 100_000, accelerated: true }
    }
}

/// Steps between two computations of the gap.
const CHECK: u64 = 10;

impl Solver for Gradient {
    fn name(&self) -> &'static str {
        "gradient"
    }

    /// A start serves smooth losses only: the first step on a loss with kinks forgets it.
    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let loss = risk(self.name(), problem)?;
        let (beta, bias) = starting_point(problem, start)?;
        let mut descent = Descent { problem, loss, limit: self.iterations, iteration: 0 };
        let mut point = Point { scores: vec![0.0; beta.len()], beta };
        if let Some(status) = product(problem.gram(), &point.beta, &mut point.scores, run) {
            return Ok(run.solution(point.beta, bias, status, 0));
        }
        let (point, status) = match smoothness(loss) {
            Some(smooth) => match self.length(problem, smooth, run)? {
                Ok(length) => descent.smooth(point, length, self.accelerated, run),
                Err(status) => (point, status),
            },
            None => {
                check("step", self.step, 1.0 / problem.lambda(), "1/lambda")?;
                descent.kinked(point, self.step, run)
            }
        };
        let bias = if problem.offset() { best_offset(problem, loss, &point.scores) } else { 0.0 };
        let solution = run.solution(point.beta, bias, status, descent.iteration);
        Ok(Solution { scores: Some(point.scores), ..solution })
    }
}

fn check(name: &str, step: Option<f64>, limit: f64, formula: &str) -> Result<(), SolveError> {
    match step {
        Some(value) if !(value > 0.0 && value <= limit) => {
            let range = format!("above 0 and at most {formula} = {limit}");
            Err(SolveError::Parameter { name: name.to_owned(), value, range })
        }
        _ => Ok(()),
    }
}

impl Gradient {
    /// η on a smooth loss, checked; or why the run was over before it was known.
    fn length(
        &self,
        problem: &Problem<'_>,
        smooth: f64,
        run: &mut Run<'_>,
    ) -> Result<Result<f64, Status>, SolveError> {
        let (low, high) = match largest_eigenvalue(problem, false, run) {
            Ok(eigenvalues) => eigenvalues,
            Err(status) => return Ok(Err(status)),
        };
        let steepest =
            |eigenvalue: f64| smooth * eigenvalue.max(0.0) / problem.len() as f64 + problem.lambda();
        if self.accelerated {
            check("step", self.step, 1.0 / steepest(low), "1/(L*(the largest eigenvalue of K)/n + lambda)")?;
        } else {
            check("step", self.step, 2.0 / steepest(low), "2/(L*(the largest eigenvalue of K)/n + lambda)")?;
        }
        Ok(Ok(self.step.unwrap_or(1.0 / steepest(high))))
    }
}

/// Coefficients and their scores Kβ.
#[derive(Clone)]
struct Point {
    beta: Vec<f64>,
    scores: Vec<f64>,
}

impl Point {
    /// self + share·(other − self), of both.
    fn towards(&self, other: &Self, share: f64) -> Self {
        let mix = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + share * (b - a)).collect();
        Self { beta: mix(&self.beta, &other.beta), scores: mix(&self.scores, &other.scores) }
    }

    fn is_finite(&self) -> bool {
        self.beta.iter().chain(&self.scores).all(|v| v.is_finite())
    }
}

/// A descent under way.
struct Descent<'a> {
    problem: &'a Problem<'a>,
    loss: &'a dyn Loss,
    limit: u64,
    iteration: u64,
}

impl Descent<'_> {
    /// Whether to end before another step.
    fn over(&self, run: &Run<'_>) -> Option<Status> {
        if self.iteration >= self.limit { Some(Status::IterationLimit) } else { run.over(self.iteration) }
    }

    /// β − η(w∘ℓ'/n + λβ) and its scores; also the gradient.
    fn step(&self, from: &Point, length: f64, run: &mut Run<'_>) -> Result<(Point, Vec<f64>), Status> {
        let (problem, n) = (self.problem, self.problem.len());
        let (slopes, _) = slopes(problem, self.loss, &from.scores);
        let part = |i: usize| problem.weight(i) * slopes[i] / n as f64 + problem.lambda() * from.beta[i];
        let gradient: Vec<f64> = (0..n).map(part).collect();
        let beta: Vec<f64> = from.beta.iter().zip(&gradient).map(|(beta, g)| beta - length * g).collect();
        let mut scores = vec![0.0; n];
        match product(problem.gram(), &beta, &mut scores, run) {
            Some(status) => Err(status),
            None => Ok((Point { beta, scores }, gradient)),
        }
    }

    fn bounds(&self, point: &Point, run: &mut Run<'_>) -> Result<Bounds, Status> {
        let gram = self.problem.gram();
        let multiply = |v: &[f64], out: &mut [f64], run: &mut Run<'_>| product(gram, v, out, run);
        bounds(self.problem, self.loss, (&point.beta, &point.scores), &multiply, run)
    }

    fn report(&self, point: &Point, found: Option<&Bounds>, run: &mut Run<'_>) {
        run.report(Progress {
            iteration: self.iteration,
            limit: Some(self.limit),
            primal: found.map(|found| found.primal),
            dual: found.map(|found| found.dual),
            support: point.beta.iter().filter(|&&b| b != 0.0).count(),
            ..Default::default()
        });
    }

    /// Constant steps, with momentum that is dropped whenever it points uphill.
    fn smooth(&mut self, start: Point, length: f64, accelerated: bool, run: &mut Run<'_>) -> (Point, Status) {
        let root = (self.problem.lambda() * length).min(1.0).sqrt();
        let most = (1.0 - root) / (1.0 + root);
        let (mut point, mut before, mut age) = (start.clone(), start, 1.0_f64);
        loop {
            if let Some(status) = self.over(run) {
                return (point, status);
            }
            let older = 0.5 * (1.0 + (1.0 + 4.0 * age * age).sqrt());
            let momentum = if accelerated { ((age - 1.0) / older).min(most) } else { 0.0 };
            let (next, gradient) = match self.step(&before.towards(&point, 1.0 + momentum), length, run) {
                Ok(next) => next,
                Err(status) => return (point, status),
            };
            if !next.is_finite() || (next.beta == point.beta && next.beta == before.beta) {
                return (point, Status::Stalled);
            }
            let slope = |((g, new), old): ((&f64, &f64), &f64)| g * (new - old);
            let uphill = gradient.iter().zip(&next.scores).zip(&point.scores).map(slope).sum::<f64>() > 0.0;
            age = if uphill { 1.0 } else { older };
            before = std::mem::replace(&mut point, next);
            if uphill {
                before = point.clone();
            }
            self.iteration += 1;
            let found = (self.iteration.is_multiple_of(CHECK)).then(|| self.bounds(&point, run));
            match found {
                Some(Err(status)) => return (point, status),
                Some(Ok(found)) => {
                    self.report(&point, Some(&found), run);
                    if found.meet(&run.tolerance()) {
                        return (point, Status::Solved);
                    }
                }
                None => self.report(&point, None, run),
            }
        }
    }

    /// Decreasing steps; of the last iterates and their averages the one with the least gap comes back.
    fn kinked(&mut self, start: Point, step: Option<f64>, run: &mut Run<'_>) -> (Point, Status) {
        let (mut point, mut average) = (start.clone(), start.clone());
        let mut best = (f64::INFINITY, start);
        loop {
            if let Some(status) = self.over(run) {
                return (best.1, status);
            }
            let t = (self.iteration + 1) as f64;
            let length = step.map_or(2.0 / (self.problem.lambda() * (t + 1.0)), |c| c / t.sqrt());
            point = match self.step(&point, length, run) {
                Ok((next, _)) if next.is_finite() => next,
                Ok(_) => return (best.1, Status::Stalled),
                Err(status) => return (best.1, status),
            };
            average = average.towards(&point, 2.0 / (t + 1.0));
            self.iteration += 1;
            if !self.iteration.is_multiple_of(CHECK) && self.iteration > 1 && self.iteration < self.limit {
                self.report(&average, None, run);
                continue;
            }
            for candidate in [&average, &point] {
                let found = match self.bounds(candidate, run) {
                    Ok(found) => found,
                    Err(status) => return (best.1, status),
                };
                self.report(candidate, Some(&found), run);
                if found.gap() < best.0 {
                    best = (found.gap(), candidate.clone());
                }
                if found.meet(&run.tolerance()) {
                    return (best.1, Status::Solved);
                }
            }
        }
    }
}
