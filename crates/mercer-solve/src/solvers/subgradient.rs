//! Subgradient descent on the hinge, all rows at each step (`docs/maths.md` §4.6; Shor 1985).
//!
//! ```text
//! minimise over w, b:   (1/n) Σ_i w_i·max(0, 1 − y_i(⟨w,x_i⟩+b)) + (λ/2)‖w‖²
//!
//! w ← w − η_t(λw − (1/n) Σ_{i: margin<1} w_i y_i x_i) ,      η_t = 1/(λt)  or  c/√t
//! ```
//!
//! A step may increase the objective, so the best iterate is the answer. An offset moves by its own subgradient with the
//! same step, never farther than 1 + max_i|⟨w,x_i⟩|, beyond which no offset is better. The coefficients α of w = Xᵀα are
//! carried along: each step is a convex combination with a point of the dual's box.

use mercer_gram::Gram;

use super::first_order::{
    bounds, check_features, feature_scores, is_hinge, primal, risk, starting_point, unsuited,
};
use crate::certify::{best_offset, dot};
use crate::loss::Loss;
use crate::{Features, Problem, Progress, Run, Solution, SolveError, Solver, Status};

/// Full-batch subgradient descent on explicit features.
///
/// ```
/// use mercer_solve::{Features, Objective, Problem, Run, Solver, Tolerance, certify, loss::Hinge, solvers::Subgradient};
/// let features = Features::new(4, 1, vec![2.0, 1.0, -1.0, -2.0]).unwrap();
/// let y = [1.0, 1.0, -1.0, -1.0];
/// let problem = Problem::new(&features, &y, Objective::Risk(&Hinge), 0.1, true).unwrap();
/// let descent = Subgradient { features: &features, steps: 5000, step: None };
/// let tolerance = Tolerance { gap: Some(0.01), violation: None };
/// let solution = descent.solve(&problem, None, &mut Run::quiet(tolerance)).unwrap();
/// assert!(certify(&problem, &solution).relative_gap <= 0.01);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Subgradient<'a> {
    /// One row of features for each row of the problem.
    pub features: &'a Features,
    /// Steps at most.
    pub steps: u64,
    /// c of the step size c/√t, at most 1/λ; 1/(λt) where it is not given.
    pub step: Option<f64>,
}

/// Steps between two computations of the gap.
const CHECK: u64 = 16;

impl Solver for Subgradient<'_> {
    fn name(&self) -> &'static str {
        "subgradient"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let loss = risk(self.name(), problem)?;
        if !is_hinge(loss) {
            let reason = format!("it is for the hinge, not {loss:?}; gradient takes any loss");
            return Err(unsuited(self.name(), reason));
        }
        check_features(problem, self.features)?;
        self.check_step(problem.lambda())?;
        let (alpha, bias) = starting_point(problem, start)?;
        let mut point = Point::new(self.features, alpha, bias);
        let mut best = (f64::INFINITY, point.clone());
        let (mut step, mut status) = (0, Status::IterationLimit);
        while step < self.steps {
            if let Some(ended) = run.over(step) {
                status = ended;
                break;
            }
            step += 1;
            let value = point.value(problem, loss);
            if value < best.0 {
                best = (value, point.clone());
            }
            match self.look(problem, loss, (best.0, [&best.1, &point]), step, run) {
                Ok(None) => {}
                Ok(Some(good)) => {
                    best.1 = good.clone();
                    status = Status::Solved;
                    break;
                }
                Err(ended) => {
                    status = ended;
                    break;
                }
            }
            point.descend(problem, self.features, self.size(step, problem.lambda()));
        }
        let Point { alpha, weights, scores, .. } = best.1;
        let bias = if problem.offset() { best_offset(problem, loss, &scores) } else { 0.0 };
        let solution = run.solution(alpha, bias, status, step);
        Ok(Solution { weights: Some(weights), scores: Some(scores), ..solution })
    }
}

impl Subgradient<'_> {
    fn check_step(&self, lambda: f64) -> Result<(), SolveError> {
        match self.step {
            Some(value) if !(value > 0.0 && value <= 1.0 / lambda) => {
                let range = format!("above 0 and at most 1/lambda = {}", 1.0 / lambda);
                Err(SolveError::Parameter { name: "step".to_owned(), value, range })
            }
            _ => Ok(()),
        }
    }

    fn size(&self, step: u64, lambda: f64) -> f64 {
        let t = step as f64;
        self.step.map_or(1.0 / (lambda * t), |c| c / t.sqrt())
    }

    /// Reports; of the best and the last iterate the first that reaches the tolerance. The best one was good luck as a
    /// rule, and its α may prove little; those of later iterates prove more.
    fn look<'p>(
        &self,
        problem: &Problem<'_>,
        loss: &dyn Loss,
        (value, points): (f64, [&'p Point; 2]),
        step: u64,
        run: &mut Run<'_>,
    ) -> Result<Option<&'p Point>, Status> {
        let support = points[0].alpha.iter().filter(|&&a| a != 0.0).count();
        let (limit, primal) = (Some(self.steps), Some(value));
        let mut progress = Progress { iteration: step, limit, primal, support, ..Default::default() };
        if step % CHECK == 1 {
            let multiply = |vector: &[f64], out: &mut [f64], run: &mut Run<'_>| {
                self.features.apply(vector, out);
                run.stop()
            };
            for point in points {
                let found = bounds(problem, loss, (&point.alpha, &point.scores), &multiply, run)?;
                progress.dual = Some(progress.dual.map_or(found.dual, |dual: f64| dual.max(found.dual)));
                if found.meet(&run.tolerance()) {
                    run.report(progress);
                    return Ok(Some(point));
                }
            }
        }
        run.report(progress);
        Ok(None)
    }
}

/// w = Xᵀα, its scores Xw, and the offset.
#[derive(Clone)]
struct Point {
    alpha: Vec<f64>,
    weights: Vec<f64>,
    scores: Vec<f64>,
    bias: f64,
}

impl Point {
    fn new(features: &Features, alpha: Vec<f64>, bias: f64) -> Self {
        let weights = features.weights(&alpha);
        let scores = feature_scores(features, &weights);
        Self { alpha, weights, scores, bias }
    }

    fn value(&self, problem: &Problem<'_>, loss: &dyn Loss) -> f64 {
        primal(problem, loss, &self.scores, self.bias, dot(&self.weights, &self.weights))
    }

    /// One step of length η.
    fn descend(&mut self, problem: &Problem<'_>, features: &Features, length: f64) {
        let n = problem.len();
        let inside = |i: usize| problem.y()[i] * (self.scores[i] + self.bias) < 1.0;
        let pull = |i: usize| if inside(i) { problem.weight(i) * problem.y()[i] / n as f64 } else { 0.0 };
        let pulls: Vec<f64> = (0..n).map(pull).collect();
        let shrink = 1.0 - length * problem.lambda();
        let moved = |old: &[f64], towards: &[f64]| -> Vec<f64> {
            old.iter().zip(towards).map(|(old, towards)| shrink * old + length * towards).collect()
        };
        self.weights = moved(&self.weights, &features.weights(&pulls));
        self.alpha = moved(&self.alpha, &pulls);
        if problem.offset() {
            let reach = 1.0 + self.scores.iter().fold(0.0, |reach: f64, score| reach.max(score.abs()));
            self.bias = (self.bias + length * pulls.iter().sum::<f64>()).clamp(-reach, reach);
        }
        self.scores = feature_scores(features, &self.weights);
    }
}
