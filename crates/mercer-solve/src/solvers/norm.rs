//! The penalty λ‖f‖ by way of the penalty (λ'/2)‖f‖².
//!
//! ```text
//! minimise (1/n) Σ w_i ℓ(y_i, f_i+b) + λ‖f‖         f ≠ 0 solves it exactly when it solves the squared problem with
//!                                                   λ' = λ/‖f‖, that is where λ'·‖f_λ'‖ = λ
//! ```
//!
//! `docs/maths.md` §3. λ'‖f_λ'‖ is the length of Σβ_jψ(x_j), β_i = −w_i u_i/n, and does not decrease in λ': a bracket and false
//! position on logarithms find the root, each solve starting from the last. f = 0 is the answer where some u with a β
//! no longer than λ has a dual value that reaches the risk of zero.

use crate::certify::{best_offset, certify, dot, products, relative_gap};
use crate::loss::Loss;
use crate::{
    Footprint, Objective, Penalty, Problem, Run, Sizes, Solution, SolveError, Solver, Status, Tolerance,
};

/// Any solver of squared penalties, made one of [`Penalty::Norm`]; other problems it hands on as they are.
///
/// Iterations are those of all solves together; progress is that of the squared problem at hand.
///
/// ```
/// use mercer_gram::Lazy;
/// use mercer_solve::{Objective, Penalty, Problem, Run, Solver, Tolerance, certify, loss::Hinge};
/// use mercer_solve::solvers::{Norm, Smo};
/// let mut table = mercer_points::read("@xor(n=40)", &Default::default()).unwrap();
/// table.remove("label").unwrap();
/// let y: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
/// let gram = Lazy::new(&"rbf(sigma=0.3)".parse().unwrap(), &table).unwrap();
/// let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 0.1, true).unwrap().penalized(Penalty::Norm);
/// let solver = Norm { inner: &Smo::default() };
/// let solution = solver.solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert!(certify(&problem, &solution).relative_gap <= 1e-6);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Norm<'a> {
    /// What solves the squared problems.
    pub inner: &'a dyn Solver,
}

/// Squared problems solved at most.
const SOLVES: usize = 80;

impl Solver for Norm<'_> {
    fn name(&self) -> &'static str {
        "norm"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        if problem.penalty() == Penalty::Squared {
            return self.inner.solve(problem, start, run);
        }
        let Objective::Risk(loss) = problem.objective() else {
            let reason = "the penalty norm goes with a loss; take penalty = squared".to_owned();
            return Err(SolveError::Unsuited { solver: "norm", reason });
        };
        let mut search = Search::new(self.inner, problem, loss, run);
        let (mut solution, status) = search.root(start, run)?;
        solution.status = status;
        solution.iterations = search.iterations;
        solution.entries = run.entries();
        solution.seconds = run.seconds();
        solution.trace = run.trace().to_vec();
        Ok(solution)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        self.inner.footprint(sizes)
    }
}

struct Search<'a> {
    inner: &'a dyn Solver,
    problem: Problem<'a>,
    loss: &'a dyn Loss,
    /// The best offset of f = 0, and the risk there.
    zero: (f64, f64),
    wanted: f64,
    /// How far λ'‖f‖ was from λ at the last point, relative to λ.
    off: f64,
    iterations: u64,
}

/// A squared problem solved.
#[derive(Clone)]
struct Point {
    lambda: f64,
    /// λ'‖f‖.
    length: f64,
    /// Relative gap in the problem with the norm.
    gap: f64,
    /// Relative gap of f = 0 that this point proves.
    zero_gap: f64,
    solution: Solution,
}

impl<'a> Search<'a> {
    fn new(inner: &'a dyn Solver, problem: &Problem<'a>, loss: &'a dyn Loss, run: &Run<'_>) -> Self {
        let n = problem.len();
        let offset = if problem.offset() { best_offset(problem, loss, &vec![0.0; n]) } else { 0.0 };
        let risk = risk(problem, loss, &vec![0.0; n], offset);
        let wanted = run.tolerance().gap.unwrap_or(1e-6);
        Self { inner, problem: *problem, loss, zero: (offset, risk), wanted, off: 1.0, iterations: 0 }
    }

    fn root(
        &mut self,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<(Solution, Status), SolveError> {
        let lambda = self.problem.lambda();
        if self.zero.1 <= 0.0 {
            return Ok((self.at_zero(run), Status::Solved));
        }
        // λ'‖f‖²/2 is at most the risk of zero, so that the root is no smaller than this.
        let least = lambda * lambda / (2.0 * self.zero.1);
        let mut point = self.point(self.guess(start, least), start, run)?;
        let (mut below, mut above): (Option<Point>, Option<Point>) = (None, None);
        let (mut side, mut weight) = (None, 1.0);
        for _ in 0..SOLVES {
            // One that could get no further is as good a point as it is.
            if !matches!(point.solution.status, Status::Solved | Status::Stalled) {
                let status = point.solution.status;
                return Ok((point.solution, status));
            }
            if let Some(status) = run.over(self.iterations) {
                return Ok((point.solution, status));
            }
            if point.zero_gap <= self.wanted {
                return Ok((self.next_to_zero(&point, run), Status::Solved));
            }
            // Beyond the root the dual is feasible once it is made shorter; before it the certificate may have to project.
            if point.gap <= if point.length >= lambda { self.wanted } else { 0.5 * self.wanted } {
                return Ok((point.solution, Status::Solved));
            }
            let previous = point.clone();
            // Illinois: an end that stays where it is counts half each time.
            let is_above = point.length >= self.target();
            weight = if side == Some(is_above) { 0.5 * weight } else { 1.0 };
            side = Some(is_above);
            *(if is_above { &mut above } else { &mut below }) = Some(point);
            let next = self.next(below.as_ref(), above.as_ref(), &previous, weight, least);
            let Some(next) = next.filter(|next| *next > 0.0 && next.is_finite()) else {
                return Ok((previous.solution, Status::Stalled));
            };
            point = self.point(next, Some(&previous.solution), run)?;
        }
        Ok((point.solution, Status::Stalled))
    }

    /// A little beyond λ: see where the search ends.
    fn target(&self) -> f64 {
        self.problem.lambda() * (1.0 + 0.25 * self.wanted)
    }

    fn guess(&self, start: Option<&Solution>, least: f64) -> f64 {
        let mut diagonal = vec![0.0; self.problem.len()];
        self.problem.gram().diagonal(&mut diagonal);
        let mean = diagonal.iter().sum::<f64>() / diagonal.len() as f64;
        let norm = start.and_then(|start| {
            let scores = start.scores.as_ref().filter(|scores| scores.len() == start.alpha.len())?;
            Some(dot(&start.alpha, scores).max(0.0).sqrt())
        });
        let guess = match norm {
            Some(norm) if norm > 0.0 => self.problem.lambda() / norm,
            _ => mean,
        };
        if guess.is_finite() { guess.max(least) } else { least.max(1.0) }
    }

    fn next(
        &self,
        below: Option<&Point>,
        above: Option<&Point>,
        last: &Point,
        weight: f64,
        least: f64,
    ) -> Option<f64> {
        let height = |point: &Point| (point.length / self.target()).ln();
        match (below, above) {
            (Some(low), Some(high)) => {
                let (a, b) = (low.lambda.ln(), high.lambda.ln());
                let (mut from, mut to) = (height(low), height(high));
                // The end that was not moved last is the one that stays.
                if last.lambda == low.lambda {
                    to *= weight
                } else {
                    from *= weight
                }
                let middle =
                    if from.is_finite() && to > from { a - from * (b - a) / (to - from) } else { f64::NAN };
                let inside = middle > a && middle < b;
                let next = if inside { middle } else { 0.5 * (a + b) }.exp();
                (next > low.lambda && next < high.lambda).then_some(next)
            }
            (Some(low), None) => Some(10.0 * low.lambda),
            // The length grows no faster than λ' and no slower than not at all.
            (None, Some(high)) if high.lambda > least => {
                let step = (self.target() / high.length).powi(2).clamp(1e-3, 0.5);
                Some((step * high.lambda).max(least))
            }
            (None, _) => None,
        }
    }

    fn point(
        &mut self,
        lambda: f64,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Point, SolveError> {
        let squared = self.problem.penalized(Penalty::Squared).with_lambda(lambda)?;
        let asked = run.tolerance();
        // ‖f‖ is as accurate as the root of the gap, and must be so by more than the search is off.
        let gap = (0.1 * self.wanted).min(0.01 * self.off * self.off).max(1e-14);
        let tolerance = Tolerance { gap: Some(gap), violation: asked.violation };
        let solution = run.part(tolerance, self.iterations, |run| self.inner.solve(&squared, start, run))?;
        self.iterations += solution.iterations;
        // Kept ones may be in single precision at rows on which the gap of the squared penalty does not depend.
        let scores = match (&solution.scores, solution.status) {
            (Some(kept), Status::Stopped | Status::TimeLimit) => kept.clone(),
            _ => products(self.problem.gram(), &solution.alpha, None).unwrap_or_default(),
        };
        let norm = dot(&solution.alpha, &scores).max(0.0).sqrt();
        let length = lambda * norm;
        self.off = (length / self.problem.lambda() - 1.0).abs().min(1.0);
        let primal = risk(&self.problem, self.loss, &scores, solution.bias) + self.problem.lambda() * norm;
        let shrink = (self.problem.lambda() / length).min(1.0);
        let dual = self.dual(&squared, &solution.alpha, shrink);
        let gap = |primal: f64| relative_gap((primal - dual).max(0.0), primal, dual, self.zero.1);
        let (gap, zero_gap) = (gap(primal), gap(self.zero.1));
        Ok(Point { lambda, length, gap, zero_gap, solution })
    }

    /// −(1/n) Σ w_i ℓ*(y_i, shrink·u_i).
    fn dual(&self, squared: &Problem<'_>, alpha: &[f64], shrink: f64) -> f64 {
        let conjugate = |i: usize| match squared.bound(i) {
            0.0 => 0.0,
            c => squared.weight(i) * self.loss.conjugate(squared.y()[i], -shrink * alpha[i] / c),
        };
        -(0..alpha.len()).map(conjugate).sum::<f64>() / alpha.len() as f64
    }

    /// f = 0 where that can be certified as it is. With an offset the slopes that prove it may be others than those of
    /// zero itself; then f is made so short that it costs nothing, but its direction holds the proof.
    fn next_to_zero(&self, point: &Point, run: &Run<'_>) -> Solution {
        let zero = self.at_zero(run);
        let certificate = certify(&self.problem, &zero);
        if certificate.relative_gap <= self.wanted || point.length == 0.0 {
            return zero;
        }
        let norm = 1e-3 * self.wanted * self.zero.1 / self.problem.lambda();
        let factor = norm * point.lambda / point.length;
        let mut solution = point.solution.clone();
        solution.alpha.iter_mut().for_each(|a| *a *= factor);
        solution.scores = solution.scores.map(|scores| scores.iter().map(|s| factor * s).collect());
        if let Some(scores) = solution.scores.as_ref().filter(|_| self.problem.offset()) {
            solution.bias = best_offset(&self.problem, self.loss, scores);
        }
        solution
    }

    fn at_zero(&self, run: &Run<'_>) -> Solution {
        let n = self.problem.len();
        let mut solution = run.solution(vec![0.0; n], self.zero.0, Status::Solved, self.iterations);
        solution.scores = Some(vec![0.0; n]);
        solution
    }
}

/// (1/n) Σ w_i ℓ(y_i, f_i + b).
fn risk(problem: &Problem<'_>, loss: &dyn Loss, scores: &[f64], bias: f64) -> f64 {
    let value = |i: usize| match problem.weight(i) {
        0.0 => 0.0,
        w => w * loss.value(problem.y()[i], scores[i] + bias),
    };
    (0..scores.len()).map(value).sum::<f64>() / scores.len() as f64
}
