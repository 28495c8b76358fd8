//! Kernel logistic regression of several classes at once, by Newton's method,
//!
//! ```text
//! minimise P = (1/n) Σ w_i [ log Σ_c exp(F_ic) − F_{i,y_i} ] + (λ/2) Σ_c ‖f_c‖² ,   F_ic = f_c(x_i) + b_c
//! ```
//!
//! (`docs/maths.md` §4.12). A step is a linear system in a coefficient for each row and class, solved by conjugate
//! gradients ([`system`]) as exactly as it deserves, with a preconditioner for each class ([`preconditioner`]). K is held
//! where the budget allows, and made anew for each product where not. What comes back is in the dual domain. (Newton's
//! method for this problem: Williams and Barber 1998; truncated: Nash 1985.)

mod preconditioner;
mod system;

use mercer_linalg::{Budget, Buffer};

use self::preconditioner::Preconditioner;
use self::system::{Solved, System};
use super::pivoted::Columns;
use super::portions::{dot, load};
use crate::certify::{DualPoint, best_offsets, dual_point, relative_gap};
use crate::loss;
use crate::softmax::{held_products, products};
use crate::{Footprint, Holding, Progress, Run, SoftmaxProblem, SoftmaxSolution, SolveError, Status};

/// Newton's method with conjugate gradients.
///
/// ```
/// use mercer_solve::{Features, Run, SoftmaxProblem, Status, Tolerance, solvers::Softmax};
/// let gram = Features::new(3, 1, vec![1.0, 2.0, -1.0]).unwrap();
/// let problem = SoftmaxProblem::new(&gram, (&[0, 1, 2], 3), None, 0.1, true).unwrap();
/// let solution = Softmax::default().solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert_eq!((solution.status, solution.alpha.len()), (Status::Solved, 9));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Softmax {
    /// What an n×n array may take; without room for one, entries are computed again for every product.
    pub budget: Budget,
}

/// A relative gap from which on coefficients in the domain are the better answer.
const NEAR: f64 = 1e-3;

/// Steps at most, where the run does not say.
const STEPS: u64 = 200;

impl Softmax {
    /// Works until the relative gap is that of the run, a limit is reached, or it is told to stop; the best so far comes
    /// back.
    pub fn solve(
        &self,
        problem: &SoftmaxProblem<'_>,
        start: Option<&SoftmaxSolution>,
        run: &mut Run<'_>,
    ) -> Result<SoftmaxSolution, SolveError> {
        let size = problem.len() * problem.classes();
        let holding = self.footprint(problem.len(), problem.classes())?.holding;
        let start =
            start.filter(|start| start.alpha.len() == size && start.offsets.len() == problem.classes());
        let begun = match self.prepare(problem, holding, run) {
            Ok(machine) => {
                let alpha = start.map_or_else(|| vec![0.0; size], |start| start.alpha.clone());
                let near = start.map_or_else(|| vec![0.0; problem.classes()], |start| start.offsets.clone());
                let point = machine.point(alpha, &near, run);
                point.map(|point| (machine, point))
            }
            Err(status) => Err(status),
        };
        match begun {
            Ok((machine, point)) => Ok(machine.descend(point, run)),
            Err(status) => {
                // Nothing was done: the start, or zero with the offsets of the shares of classes, log W_c.
                let zero = vec![0.0; size];
                let shares: Vec<f64> = problem.class_weights().iter().map(|weight| weight.ln()).collect();
                let is_known = shares.iter().all(|share| share.is_finite());
                let near = if is_known { shares } else { vec![0.0; problem.classes()] };
                let offsets = best_offsets(problem, &zero, &near, &|| is_known);
                let nothing = Point { alpha: zero.clone(), scores: zero, offsets };
                let kept = start.map(|start| SoftmaxSolution { status, iterations: 0, ..start.clone() });
                Ok(kept.unwrap_or_else(|| finished(run, nothing, status, 0)))
            }
        }
    }

    /// Which kernel entries are held: all of them where there is room besides the vectors, else none; an error where
    /// the budget has no room for the vectors.
    ///
    /// ```
    /// use mercer_linalg::Budget;
    /// use mercer_solve::{Holding, solvers::Softmax};
    /// let within = |bytes| Softmax { budget: Budget::of_bytes(bytes) }.footprint(1000, 10);
    /// assert_eq!(within(9_600_000).unwrap().holding, Holding::Whole);
    /// assert_eq!(within(9_599_999).unwrap().holding, Holding::Nothing);
    /// assert!(within(1_599_999).is_err());
    /// ```
    pub fn footprint(&self, rows: usize, classes: usize) -> Result<Footprint, SolveError> {
        let vectors = Self::vectors(rows, classes);
        if !self.budget.allows(vectors) {
            let instead = "use --multi one-vs-rest, which solves one class at a time, or raise --memory";
            let (needed, budget, instead) = (vectors, self.budget.bytes(), instead.to_owned());
            return Err(SolveError::OverBudget { solver: "softmax", rows, needed, budget, instead });
        }
        let whole = Footprint::whole(rows, size_of::<f64>() as u128);
        Ok(if self.budget.allows(whole.bytes + vectors) { whole } else { Footprint::default() })
    }

    /// Bytes of the vectors of a number for each row and class.
    pub fn vectors(rows: usize, classes: usize) -> u128 {
        VECTORS * rows as u128 * classes as u128 * size_of::<f64>() as u128
    }

    /// What stays the same from step to step.
    fn prepare<'p, 'a>(
        &self,
        problem: &'p SoftmaxProblem<'a>,
        holding: Holding,
        run: &mut Run<'_>,
    ) -> Result<Machine<'p, 'a>, Status> {
        let (n, classes) = (problem.len(), problem.classes());
        let rows: Vec<usize> = (0..n).collect();
        let is_held = holding == Holding::Whole;
        let kernel = if is_held { Some(load(problem.gram(), &rows, run)?) } else { None };
        let columns = Columns::new(problem.gram(), &rows, rank(n, classes, self.budget), run)?;
        Ok(Machine { problem, kernel, columns })
    }
}

/// Vectors of a coefficient for each row and class that are held at once: iterates with their scores, chances, and those
/// of conjugate gradients.
const VECTORS: u128 = 20;

/// Columns of the preconditioner: setting it up costs n·rank² a class, and a product n².
fn rank(n: usize, classes: usize, budget: Budget) -> usize {
    let usual = (8.0 * n as f64).sqrt().ceil() as usize;
    let mut rank = usual.max(64);
    // rank² values a class, and rank for each row.
    while rank > 1 && !budget.allows(4 * (rank * (rank * classes + n) * size_of::<f64>()) as u128) {
        rank /= 2;
    }
    rank
}

/// The problem with what products with K are made from.
struct Machine<'p, 'a> {
    problem: &'p SoftmaxProblem<'a>,
    kernel: Option<Buffer<f64>>,
    columns: Columns,
}

/// An iterate with Kα and the best offsets for it.
#[derive(Debug, Clone)]
struct Point {
    alpha: Vec<f64>,
    scores: Vec<f64>,
    offsets: Vec<f64>,
}

/// A point of the dual domain with P and P − D.
struct Candidate {
    point: Point,
    primal: f64,
    gap: f64,
}

/// What is at an iterate: chances, C(e_y − q), and the scores of that.
struct Here {
    chances: Vec<f64>,
    toward: Vec<f64>,
    toward_scores: Vec<f64>,
    relative_gap: f64,
}

fn finished(run: &Run<'_>, point: Point, status: Status, iterations: u64) -> SoftmaxSolution {
    SoftmaxSolution {
        alpha: point.alpha,
        offsets: point.offsets,
        scores: Some(point.scores),
        status,
        iterations,
        entries: run.entries(),
        trace: run.trace().to_vec(),
    }
}

impl Machine<'_, '_> {
    /// K times vectors, one for each class; the status where it was stopped.
    fn products(&self, vectors: &[f64], run: &Run<'_>) -> Result<Vec<f64>, Status> {
        let n = self.problem.len();
        let found = match &self.kernel {
            Some(kernel) => held_products(n, kernel, vectors, &|| run.stop().is_some()),
            None => products(self.problem.gram(), vectors, &|_, _| run.stop().is_some()),
        };
        found.ok_or_else(|| run.stop().unwrap_or(Status::Stopped))
    }

    /// Kernel entries that a product computes.
    fn count(&self, run: &mut Run<'_>, products: usize) {
        if self.kernel.is_none() {
            run.count(products * self.problem.len() * self.problem.len());
        }
    }

    fn point(&self, alpha: Vec<f64>, near: &[f64], run: &mut Run<'_>) -> Result<Point, Status> {
        let scores = if alpha.iter().all(|&a| a == 0.0) {
            vec![0.0; alpha.len()]
        } else {
            self.count(run, 1);
            self.products(&alpha, run)?
        };
        let offsets = best_offsets(self.problem, &scores, near, &|| run.stop().is_some());
        match run.stop() {
            // Offsets that were not found might be worse than those of the iterate before.
            Some(status) => Err(status),
            None => Ok(Point { alpha, scores, offsets }),
        }
    }

    fn descend(&self, mut point: Point, run: &mut Run<'_>) -> SoftmaxSolution {
        let limit = run.limits().iterations.unwrap_or(STEPS);
        let mut best: Option<Candidate> = None;
        for iteration in 0.. {
            let found = self.judged(&point, run);
            let (here, candidate) = match found {
                Ok(found) => found,
                Err(status) => return answer(run, best, point, status, iteration),
            };
            let (primal, gap) = (candidate.primal, candidate.gap);
            let violation = self.violation(&point, &here);
            run.report(Progress {
                iteration,
                limit: Some(limit),
                primal: Some(primal),
                dual: Some(primal - gap),
                violation: Some(violation),
                support: self.support(&candidate.point.alpha),
                ..Progress::default()
            });
            if best.as_ref().is_none_or(|best| gap <= best.gap || best.gap.is_nan()) {
                best = Some(candidate);
            }
            let kkt = run.tolerance().violation.is_none_or(|wanted| violation <= wanted);
            let status = if kkt && self.suffices(run, primal, gap) {
                Some(Status::Solved)
            } else {
                run.over(iteration).or((iteration >= limit).then_some(Status::IterationLimit))
            };
            if let Some(status) = status {
                return answer(run, best, point, status, iteration);
            }
            point = match self.step(&point, &here, run) {
                Ok(Some(next)) => next,
                Ok(None) => return answer(run, best, point, Status::Stalled, iteration),
                Err(status) => return answer(run, best, point, status, iteration),
            };
        }
        unreachable!("the loop above ends by returning")
    }

    fn support(&self, alpha: &[f64]) -> usize {
        let n = self.problem.len();
        (0..n).filter(|&i| alpha.iter().skip(i).step_by(n).any(|&a| a != 0.0)).count()
    }

    /// Whether a gap is what was asked for; an objective of zero is met to 1e-14 of what f = 0 costs.
    fn suffices(&self, run: &Run<'_>, primal: f64, gap: f64) -> bool {
        let problem = self.problem;
        let weight: f64 = (0..problem.len()).map(|i| problem.weight(i)).sum();
        let scale = weight / problem.len() as f64 * (problem.classes() as f64).ln();
        run.tolerance().gap.is_none_or(|wanted| relative_gap(gap, primal, primal - gap, scale) <= wanted)
    }

    /// The chances at an iterate, and the better of two points of the domain near it: its own α, and C(e_y − q).
    fn judged(&self, point: &Point, run: &mut Run<'_>) -> Result<(Here, Candidate), Status> {
        let chances = self.chances(point);
        let n = self.problem.len();
        let own = |at: usize| f64::from(u8::from(self.problem.class(at % n) == at / n));
        let toward: Vec<f64> =
            (0..chances.len()).map(|at| self.problem.bound(at % n) * (own(at) - chances[at])).collect();
        let next = self.point(toward.clone(), &point.offsets, run)?;
        let toward_scores = next.scores.clone();
        let mut candidate = self.candidate(next);
        let DualPoint { alpha, .. } = dual_point(self.problem, &point.alpha);
        let same = alpha == point.alpha;
        let nearest = if same { point.clone() } else { self.point(alpha, &point.offsets, run)? };
        let nearest = self.candidate(nearest);
        if nearest.gap < candidate.gap || candidate.gap.is_nan() {
            candidate = nearest;
        }
        let relative_gap = candidate.gap / candidate.primal.abs();
        Ok((Here { chances, toward, toward_scores, relative_gap }, candidate))
    }

    /// q of every row, class after class.
    fn chances(&self, point: &Point) -> Vec<f64> {
        let (n, classes) = (self.problem.len(), self.problem.classes());
        let (mut own, mut q) = (vec![0.0; classes], vec![0.0; classes]);
        let mut chances = vec![0.0; point.scores.len()];
        for i in 0..n {
            self.problem.row(i, &point.scores, &point.offsets, &mut own);
            loss::Softmax.chances(&own, &mut q);
            q.iter().enumerate().for_each(|(c, &q)| chances[c * n + i] = q);
        }
        chances
    }

    /// P and P − D of a point of the domain.
    fn candidate(&self, point: Point) -> Candidate {
        let (problem, n, classes) = (self.problem, self.problem.len(), self.problem.classes());
        let DualPoint { chances, .. } = dual_point(problem, &point.alpha);
        let (mut own, mut p) = (vec![0.0; classes], vec![0.0; classes]);
        let (mut risk, mut gap) = (0.0, 0.0);
        for i in (0..n).filter(|&i| problem.weight(i) > 0.0) {
            problem.row(i, &point.scores, &point.offsets, &mut own);
            p.iter_mut().enumerate().for_each(|(c, p)| *p = chances[c * n + i]);
            risk += problem.weight(i) * loss::Softmax.value(&own, problem.class(i));
            gap += problem.weight(i) * loss::Softmax.residual(&own, &p);
        }
        let norm2 = dot(&point.alpha, &point.scores);
        let primal = risk / n as f64 + 0.5 * problem.lambda() * norm2;
        Candidate { point, primal, gap: gap / n as f64 }
    }

    /// max |p − q|.
    fn violation(&self, point: &Point, here: &Here) -> f64 {
        let n = self.problem.len();
        let off = |at: usize| (point.alpha[at] - here.toward[at]).abs() / self.problem.bound(at % n);
        let counted = (0..point.alpha.len()).filter(|at| self.problem.bound(at % n).recip().is_finite());
        counted.map(off).fold(0.0, f64::max)
    }

    /// The next iterate; none where no step makes P smaller.
    fn step(&self, point: &Point, here: &Here, run: &mut Run<'_>) -> Result<Option<Point>, Status> {
        let Some(system) = System::new(self.problem, &here.chances) else { return Ok(None) };
        let preconditioner = Preconditioner::new(&system, &self.columns, run)?;
        let apart: Vec<f64> = point.scores.iter().zip(&here.toward_scores).map(|(f, t)| f - t).collect();
        let right = system.down(&apart);
        // λ/2 of the squared residual bounds what the step misses of the decrease of the model, which is half of the slope.
        // Far from the end a step need not be exact; near it, it makes as many digits as it has.
        let exactness = here.relative_gap.clamp(1e-8, 0.03);
        let ahead: Vec<f64> = point.alpha.iter().zip(&here.toward).map(|(a, t)| t - a).collect();
        let allowed = |solved: &Solved| exactness * (dot(&ahead, &solved.scores) - dot(&ahead, &apart));
        let solved = system.solve(&right, &allowed, &preconditioner, run, &|vectors, run| {
            self.count(run, 1);
            self.products(vectors, run)
        })?;
        // α_new − α, and what it does to the scores and offsets.
        let change: Vec<f64> =
            (0..point.alpha.len()).map(|at| here.toward[at] + solved.alpha[at] - point.alpha[at]).collect();
        let along: Vec<f64> = (0..change.len()).map(|at| solved.scores[at] - apart[at]).collect();
        let lift = system.lift(&along, &solved.unknown);
        let line = Line::new(self.problem, point, &change, &along, &lift);
        let Some(t) = line.length() else { return Ok(None) };
        let next: Vec<f64> = point.alpha.iter().zip(&change).map(|(a, c)| a + t * c).collect();
        let near: Vec<f64> = point.offsets.iter().zip(&lift).map(|(b, l)| b + t * l).collect();
        if next == point.alpha {
            return Ok(None);
        }
        self.point(next, &near, run).map(Some)
    }
}

/// Far from the end it is P that has been brought down; near it, the gap.
fn answer(
    run: &Run<'_>,
    best: Option<Candidate>,
    point: Point,
    status: Status,
    iterations: u64,
) -> SoftmaxSolution {
    // What was judged to be solved is handed back; else the iterate is the better start unless both are near.
    let near = best.filter(|best| status == Status::Solved || best.gap <= NEAR * best.primal.abs());
    finished(run, near.map_or(point, |best| best.point), status, iterations)
}

/// P along a direction.
struct Line<'a> {
    problem: &'a SoftmaxProblem<'a>,
    point: &'a Point,
    along: &'a [f64],
    lift: &'a [f64],
    /// αᵀKα, αᵀKδ, δᵀKδ.
    norms: [f64; 3],
}

impl<'a> Line<'a> {
    fn new(
        problem: &'a SoftmaxProblem<'a>,
        point: &'a Point,
        change: &[f64],
        along: &'a [f64],
        lift: &'a [f64],
    ) -> Self {
        let norms = [dot(&point.alpha, &point.scores), dot(&point.alpha, along), dot(change, along)];
        Self { problem, point, along, lift, norms }
    }

    /// The first of 1, ½, ¼ … that makes P smaller; none if none does.
    fn length(&self) -> Option<f64> {
        let (here, slope) = (self.value(0.0), self.slope());
        // Rounding of P itself: less cannot be told apart.
        let rounding = 4.0 * f64::EPSILON * here.abs();
        if slope >= 0.0 || !slope.is_finite() {
            return None;
        }
        let mut t = 1.0;
        while self.value(t) > here + 1e-4 * t * slope + rounding || self.value(t).is_nan() {
            t *= 0.5;
            if t < 1e-12 {
                return None;
            }
        }
        Some(t)
    }

    fn row(&self, i: usize, t: f64, out: &mut [f64]) {
        let n = self.problem.len();
        self.problem.row(i, &self.point.scores, &self.point.offsets, out);
        out.iter_mut().enumerate().for_each(|(c, f)| *f += t * (self.along[c * n + i] + self.lift[c]));
    }

    fn value(&self, t: f64) -> f64 {
        let mut own = vec![0.0; self.lift.len()];
        let problem = self.problem;
        let mut risk = 0.0;
        for i in (0..problem.len()).filter(|&i| problem.weight(i) > 0.0) {
            self.row(i, t, &mut own);
            risk += problem.weight(i) * loss::Softmax.value(&own, problem.class(i));
        }
        let norm2 = self.norms[0] + 2.0 * t * self.norms[1] + t * t * self.norms[2];
        risk / problem.len() as f64 + 0.5 * problem.lambda() * norm2
    }

    /// dP/dt at t = 0.
    fn slope(&self) -> f64 {
        let (problem, n) = (self.problem, self.problem.len());
        let (mut own, mut q) = (vec![0.0; self.lift.len()], vec![0.0; self.lift.len()]);
        let mut risk = 0.0;
        for i in (0..n).filter(|&i| problem.weight(i) > 0.0) {
            self.row(i, 0.0, &mut own);
            loss::Softmax.chances(&own, &mut q);
            q[problem.class(i)] -= 1.0;
            let each = q.iter().enumerate().map(|(c, slope)| slope * (self.along[c * n + i] + self.lift[c]));
            risk += problem.weight(i) * each.sum::<f64>();
        }
        risk / n as f64 + problem.lambda() * self.norms[1]
    }
}
