//! Kernel Pegasos (`docs/maths.md` §4.7; Shalev-Shwartz et al. 2011, section 4).
//!
//! ```text
//! minimise over f:   (1/n) Σ_i w_i·max(0, 1 − y_i f(x_i)) + (λ/2)‖f‖²
//!
//! at step t:   α^t = β^t/(λt) ;   draw i ;   β_i ← β_i + w_i y_i  where y_i (Kα^t)_i < 1
//! ```
//!
//! The answer is ᾱ = (1/T) Σ_t α^t, by harmonic numbers in O(1) a step, or the last iterate. The scores Kβ of all rows
//! are kept: a step is O(1) unless it changes β, and then costs one row of the Gram matrix.

use super::first_order::{Draws, Rows, RunningSum, bounds, primal, product};
use super::pegasos::hinge_without_offset;
use crate::certify::dot;
use crate::loss::Loss;
use crate::{Problem, Progress, Run, Solution, SolveError, Solver, Status};

/// Stochastic subgradient descent on the hinge with any kernel.
///
/// ```
/// use mercer_gram::Lazy;
/// use mercer_solve::{Objective, Problem, Run, Solver, Tolerance, certify, loss::Hinge, solvers::KernelPegasos};
/// let mut table = mercer_points::read("@moons(n=60)", &Default::default()).unwrap();
/// table.remove("label").unwrap();
/// let gram = Lazy::new(&"rbf(sigma=0.5)".parse().unwrap(), &table).unwrap();
/// let y: Vec<f64> = (0..60).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
/// let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 0.1, false).unwrap();
/// let pegasos = KernelPegasos { epochs: 200, seed: 0, average: true };
/// let tolerance = Tolerance { gap: Some(0.1), violation: None };
/// let solution = pegasos.solve(&problem, None, &mut Run::quiet(tolerance)).unwrap();
/// assert!(certify(&problem, &solution).relative_gap < 0.1);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct KernelPegasos {
    /// Draws in units of the number of rows, at most.
    pub epochs: u64,
    /// Names the sequence of rows drawn.
    pub seed: u64,
    /// Whether the answer is the average of all iterates, and not the last.
    pub average: bool,
}

impl Default for KernelPegasos {
    fn default() -> Self {
        Self { epochs: 100, seed: 0, average: true }
    }
}

impl Solver for KernelPegasos {
    fn name(&self) -> &'static str {
        "kernel-pegasos"
    }

    /// A start is of no use to it: the first step forgets it.
    fn solve(
        &self,
        problem: &Problem<'_>,
        _start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let loss = hinge_without_offset(self.name(), problem)?;
        let mut state = State::new(problem.len(), self.average);
        let mut rows = Rows::new(problem.gram());
        let mut draws = Draws::new(self.seed, problem.len());
        let (mut epoch, mut status) = (0, Status::IterationLimit);
        while epoch < self.epochs {
            let walked = match run.over(epoch) {
                Some(ended) => Err(ended),
                None => state.walk(problem, &mut rows, &mut draws, run),
            };
            let looked = walked.and_then(|()| {
                epoch += 1;
                state.look(problem, loss, (epoch, self.epochs), run)
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
        let (alpha, scores) = state.answer(problem.lambda());
        Ok(Solution { scores: Some(scores), ..run.solution(alpha, 0.0, status, epoch) })
    }
}

/// β and Kβ after some steps, and Σ_t (1/t) of both.
struct State {
    beta: Vec<f64>,
    scores: Vec<f64>,
    step: u64,
    average: bool,
    beta_sum: RunningSum,
    score_sum: RunningSum,
}

/// Steps between two looks at the clock.
const PACE: usize = 1 << 12;

impl State {
    fn new(n: usize, average: bool) -> Self {
        let (beta, scores) = (vec![0.0; n], vec![0.0; n]);
        Self { beta, scores, step: 0, average, beta_sum: RunningSum::new(n), score_sum: RunningSum::new(n) }
    }

    /// n steps.
    fn walk(
        &mut self,
        problem: &Problem<'_>,
        rows: &mut Rows<'_>,
        draws: &mut Draws,
        run: &mut Run<'_>,
    ) -> Result<(), Status> {
        for step in 0..problem.len() {
            if step % PACE == 0
                && let Some(status) = run.stop()
            {
                return Err(status);
            }
            let i = draws.row();
            self.step += 1;
            self.beta_sum.count(1.0 / self.step as f64);
            self.score_sum.count(1.0 / self.step as f64);
            let (y, weight) = (problem.y()[i], problem.weight(i));
            if y * self.scores[i] < problem.lambda() * self.step as f64 && weight > 0.0 {
                if let Some(status) = run.stop() {
                    return Err(status);
                }
                self.add(i, weight * y, rows.row(i, run));
            }
        }
        Ok(())
    }

    fn add(&mut self, i: usize, delta: f64, row: &[f64]) {
        self.beta[i] += delta;
        self.beta_sum.change(i, delta);
        self.scores.iter_mut().zip(row).for_each(|(score, k)| *score += delta * k);
        if self.average {
            self.score_sum.change_all(delta, row);
        }
    }

    /// α and Kα: the average of all iterates so far, or the iterate that the next step would use.
    fn answer(&self, lambda: f64) -> (Vec<f64>, Vec<f64>) {
        if self.average && self.step > 0 {
            let factor = 1.0 / (lambda * self.step as f64);
            return (self.beta_sum.scaled(factor, &self.beta), self.score_sum.scaled(factor, &self.scores));
        }
        let factor = 1.0 / (lambda * (self.step + 1) as f64);
        let scaled = |values: &[f64]| values.iter().map(|v| factor * v).collect();
        (scaled(&self.beta), scaled(&self.scores))
    }

    /// Reports; whether the tolerance is reached, which is looked at after 1, 2, 4, 8, … epochs: it costs up to a product.
    fn look(
        &self,
        problem: &Problem<'_>,
        loss: &dyn Loss,
        (epoch, limit): (u64, u64),
        run: &mut Run<'_>,
    ) -> Result<bool, Status> {
        let (alpha, scores) = self.answer(problem.lambda());
        let support = alpha.iter().filter(|&&a| a != 0.0).count();
        let value = primal(problem, loss, &scores, 0.0, dot(&alpha, &scores));
        let progress = Progress {
            iteration: epoch,
            limit: Some(limit),
            primal: Some(value),
            support,
            ..Default::default()
        };
        if !epoch.is_power_of_two() {
            run.report(progress);
            return Ok(false);
        }
        let multiply = |v: &[f64], out: &mut [f64], run: &mut Run<'_>| product(problem.gram(), v, out, run);
        let found = bounds(problem, loss, (&alpha, &scores), &multiply, run)?;
        run.report(Progress { dual: Some(found.dual), ..progress });
        Ok(found.meet(&run.tolerance()))
    }
}
