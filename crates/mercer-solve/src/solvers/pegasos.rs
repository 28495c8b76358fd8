//! Pegasos on explicit features, in the θ form (`docs/maths.md` §4.6; Shalev-Shwartz, Singer, Srebro and Cotter 2011).
//!
//! ```text
//! minimise over w:   (1/n) Σ_i w_i·max(0, 1 − y_i⟨w,x_i⟩) + (λ/2)‖w‖²
//!
//! at step t:   w^t = θ^t/(λt) ;   draw i ;   θ^{t+1} = θ^t + w_i y_i x_i  where y_i⟨w^t,x_i⟩ < 1 ,  else θ^t
//! ```
//!
//! The answer is the average of w^1,…,w^T, or the last iterate. Projection keeps ‖w‖² ≤ w̄/λ, w̄ the mean weight, a ball
//! that contains the optimum. θ is kept as a scale times a vector, so that a projection is O(1), and so is the average.

use super::first_order::{
    Draws, RunningSum, bounds, check_features, feature_scores, is_hinge, risk, unsuited,
};
use crate::loss::Loss;
use crate::{Features, Problem, Progress, Run, Solution, SolveError, Solver, Status};
use mercer_gram::Gram;

/// Stochastic subgradient descent on the hinge.
///
/// ```
/// use mercer_solve::{Features, Objective, Problem, Run, Solver, Tolerance, certify, loss::Hinge, solvers::Pegasos};
/// let features = Features::new(4, 1, vec![2.0, 1.0, -1.0, -2.0]).unwrap();
/// let y = [1.0, 1.0, -1.0, -1.0];
/// let problem = Problem::new(&features, &y, Objective::Risk(&Hinge), 0.1, false).unwrap();
/// let pegasos = Pegasos { features: &features, epochs: 2000, seed: 1, project: true, average: true };
/// let tolerance = Tolerance { gap: Some(0.05), violation: None };
/// let solution = pegasos.solve(&problem, None, &mut Run::quiet(tolerance)).unwrap();
/// assert!(certify(&problem, &solution).relative_gap < 0.05);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Pegasos<'a> {
    /// One row of features for each row of the problem.
    pub features: &'a Features,
    /// Draws in units of the number of rows, at most.
    pub epochs: u64,
    /// Names the sequence of rows drawn.
    pub seed: u64,
    /// Whether iterates are projected into the ball that contains the optimum.
    pub project: bool,
    /// Whether the answer is the average of all iterates, and not the last.
    pub average: bool,
}

/// Numbers multiplied between two looks at the clock.
const WORK: usize = 1 << 20;

impl Solver for Pegasos<'_> {
    fn name(&self) -> &'static str {
        "pegasos"
    }

    /// A start is of no use to it: the first step forgets it.
    fn solve(
        &self,
        problem: &Problem<'_>,
        _start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let loss = hinge_without_offset(self.name(), problem)?;
        check_features(problem, self.features)?;
        let mut theta = Theta::new(problem.len(), self.features.dimension());
        let mut draws = Draws::new(self.seed, problem.len());
        let (mut epoch, mut status) = (0, Status::IterationLimit);
        while epoch < self.epochs {
            let walked = match run.over(epoch) {
                Some(ended) => Err(ended),
                None => self.walk(problem, &mut theta, &mut draws, run),
            };
            let looked = walked.and_then(|()| {
                epoch += 1;
                self.look(problem, loss, &theta, epoch, run)
            });
            match looked {
                Ok(false) => {}
                Ok(true) => {
                    status = Status::Solved;
                    break;
                }
                Err(ended) => {
                    status = ended;
                    break;
                }
            }
        }
        let alpha = theta.alpha(problem.lambda(), self.average);
        let weights = self.features.weights(&alpha);
        let scores = Some(feature_scores(self.features, &weights));
        Ok(Solution { weights: Some(weights), scores, ..run.solution(alpha, 0.0, status, epoch) })
    }
}

impl Pegasos<'_> {
    /// n steps.
    fn walk(
        &self,
        problem: &Problem<'_>,
        theta: &mut Theta,
        draws: &mut Draws,
        run: &mut Run<'_>,
    ) -> Result<(), Status> {
        let pace = (WORK / self.features.dimension().max(1)).max(1);
        let (n, lambda) = (problem.len(), problem.lambda());
        let weight = (0..n).map(|i| problem.weight(i)).sum::<f64>() / n as f64;
        for step in 0..n {
            if step % pace == 0
                && let Some(status) = run.stop()
            {
                return Err(status);
            }
            let i = draws.row();
            let (y, x) = (problem.y()[i], self.features.row(i));
            theta.count();
            let score = theta.scale * self.features.score(i, &theta.direction);
            if y * score < lambda * theta.step as f64 && problem.weight(i) > 0.0 {
                theta.add(i, problem.weight(i) * y, score, x);
                if self.project {
                    theta.project(weight * lambda);
                }
            }
        }
        Ok(())
    }

    /// Reports; whether the tolerance is reached, which is looked at after 1, 2, 4, 8, … epochs: it costs about one.
    fn look(
        &self,
        problem: &Problem<'_>,
        loss: &dyn Loss,
        theta: &Theta,
        epoch: u64,
        run: &mut Run<'_>,
    ) -> Result<bool, Status> {
        let support = theta.coefficients.iter().filter(|&&c| c != 0.0).count();
        let progress = Progress { iteration: epoch, limit: Some(self.epochs), support, ..Default::default() };
        if !epoch.is_power_of_two() {
            run.report(progress);
            return Ok(false);
        }
        let alpha = theta.alpha(problem.lambda(), self.average);
        let scores = feature_scores(self.features, &self.features.weights(&alpha));
        let multiply = |vector: &[f64], out: &mut [f64], run: &mut Run<'_>| {
            self.features.apply(vector, out);
            run.stop()
        };
        let found = bounds(problem, loss, (&alpha, &scores), &multiply, run)?;
        run.report(Progress { primal: Some(found.primal), dual: Some(found.dual), ..progress });
        Ok(found.meet(&run.tolerance()))
    }
}

/// The hinge without offset, which is what Pegasos minimises.
pub(super) fn hinge_without_offset<'a>(
    name: &'static str,
    problem: &Problem<'a>,
) -> Result<&'a dyn Loss, SolveError> {
    let loss = risk(name, problem)?;
    if !is_hinge(loss) {
        return Err(unsuited(name, format!("it is for the hinge, not {loss:?}; gradient takes any loss")));
    }
    if problem.offset() {
        let reason = "its steps suit no offset, which is not penalised; smo and gradient have one, or add a constant \
                      to the kernel";
        return Err(unsuited(name, reason));
    }
    Ok(loss)
}

/// θ = scale·direction = Σ_i scale·coefficients_i·x_i after some steps.
struct Theta {
    direction: Vec<f64>,
    coefficients: Vec<f64>,
    scale: f64,
    norm2: f64,
    step: u64,
    /// Σ_t (scale at t)/t · coefficients at t.
    sum: RunningSum,
}

/// A scale below this is multiplied out: the average adds up scales, and must not lose the small ones beside the large.
const SMALL: f64 = 1e-3;

impl Theta {
    fn new(rows: usize, dimension: usize) -> Self {
        Self {
            direction: vec![0.0; dimension],
            coefficients: vec![0.0; rows],
            scale: 1.0,
            norm2: 0.0,
            step: 0,
            sum: RunningSum::new(rows),
        }
    }

    /// The next step begins: w^t counts in the average.
    fn count(&mut self) {
        self.step += 1;
        self.sum.count(self.scale / self.step as f64);
    }

    /// θ ← θ + δ·x_i, where ⟨θ,x_i⟩ is `score`.
    fn add(&mut self, i: usize, delta: f64, score: f64, x: &[f64]) {
        let scaled = delta / self.scale;
        self.direction.iter_mut().zip(x).for_each(|(d, x)| *d += scaled * x);
        self.coefficients[i] += scaled;
        self.sum.change(i, scaled);
        let square: f64 = x.iter().map(|x| x * x).sum();
        self.norm2 += 2.0 * delta * score + delta * delta * square;
    }

    /// ‖θ^{t+1}‖² ≤ limit·(t+1)², so that ‖w^{t+1}‖² ≤ limit/λ².
    fn project(&mut self, limit: f64) {
        let most = limit * ((self.step + 1) as f64).powi(2);
        if self.norm2 <= most {
            return;
        }
        self.scale *= (most / self.norm2).sqrt();
        self.norm2 = most;
        if self.scale < SMALL {
            self.sum.settle(&self.coefficients);
            let scale = self.scale;
            self.direction.iter_mut().chain(&mut self.coefficients).for_each(|v| *v *= scale);
            self.scale = 1.0;
        }
    }

    /// α of the average of all iterates so far, or of the iterate that the next step would use.
    fn alpha(&self, lambda: f64, average: bool) -> Vec<f64> {
        if average && self.step > 0 {
            return self.sum.scaled(1.0 / (lambda * self.step as f64), &self.coefficients);
        }
        let factor = self.scale / (lambda * (self.step + 1) as f64);
        self.coefficients.iter().map(|c| factor * c).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Objective, Tolerance, loss::Hinge};

    /// Pegasos with projection as it is usually written, in w, its average summed up at every step.
    fn naive(features: &Features, y: &[f64], lambda: f64, seed: u64, steps: u64) -> Vec<f64> {
        let (mut draws, mut w, mut sum) = (Draws::new(seed, y.len()), vec![0.0; 2], vec![0.0; 2]);
        for t in 1..=steps {
            sum.iter_mut().zip(&w).for_each(|(sum, w)| *sum += w);
            let i = draws.row();
            let (t, x) = (t as f64, features.row(i));
            let update = y[i] * features.score(i, &w) < 1.0;
            for (w, x) in w.iter_mut().zip(x) {
                *w *= t / (t + 1.0);
                *w += if update { y[i] * x / (lambda * (t + 1.0)) } else { 0.0 };
            }
            let norm = (w[0] * w[0] + w[1] * w[1]).sqrt();
            let factor = (1.0 / (lambda.sqrt() * norm)).min(1.0);
            w.iter_mut().for_each(|w| *w *= factor);
        }
        sum.iter().map(|sum| sum / steps as f64).collect()
    }

    #[test]
    fn projection_and_average_in_constant_time_are_those_written_out() {
        let values: Vec<f64> = (0..24).map(|k| 3.0 * (f64::from(k) * 1.7).sin()).collect();
        let features = Features::new(12, 2, values).unwrap();
        let y: Vec<f64> = (0..12).map(|i| if features.row(i)[0] + 0.3 > 0.0 { 1.0 } else { -1.0 }).collect();
        let problem = Problem::new(&features, &y, Objective::Risk(&Hinge), 0.7, false).unwrap();
        let pegasos = Pegasos { features: &features, epochs: 50, seed: 3, project: true, average: true };
        let none = Tolerance { gap: None, violation: None };
        let solution = pegasos.solve(&problem, None, &mut Run::quiet(none)).unwrap();
        let want = naive(&features, &y, 0.7, 3, 600);
        let found = solution.weights.unwrap();
        assert!(found.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} and {want:?}");
    }

    #[test]
    fn scales_of_very_different_size_leave_no_trace_in_the_average() {
        let values: Vec<f64> = (0..24).map(|k| 1e60 * (f64::from(k) * 1.7).sin()).collect();
        let features = Features::new(12, 2, values).unwrap();
        let y: Vec<f64> = (0..12).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let problem = Problem::new(&features, &y, Objective::Risk(&Hinge), 0.7, false).unwrap();
        let pegasos = Pegasos { features: &features, epochs: 50, seed: 3, project: true, average: true };
        let solution = pegasos.solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
        let want = naive(&features, &y, 0.7, 3, solution.iterations * 12);
        let found = solution.weights.unwrap();
        assert!(found.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?} and {want:?}");
    }
}
