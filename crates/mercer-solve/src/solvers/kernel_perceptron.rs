//! The kernel perceptron (`docs/maths.md` §4.2; Aizerman et al. 1964, Freund and Schapire 1999).
//!
//! ```text
//! find f = Σ_j α_j k(x_j,·), b:   y_i(f(x_i)+b) > 0  for all i ;      on a mistake  α_i ← α_i + y_i ,  b ← b + y_i
//! ```
//!
//! α_i is y_i times the number of mistakes on row i. All scores are kept, so that looking at a row is O(1) and only a
//! mistake costs a row of the Gram matrix. The average over all steps, ᾱ = (1/T) Σ_t α^t, is had in O(1) a step; with it
//! the passes go on until the averaged f separates the data too, as it does in the end if the last one does.

use super::first_order::{Rows, RunningSum, product, separation, starting_point};
use crate::{Problem, Progress, Run, Solution, SolveError, Solver, Status};

/// The perceptron with any kernel.
///
/// ```
/// use mercer_gram::Lazy;
/// use mercer_solve::{Claim, Objective, Problem, Run, Solver, Tolerance, certify, solvers::KernelPerceptron};
/// let mut table = mercer_points::read("@moons(n=60)", &Default::default()).unwrap();
/// table.remove("label").unwrap();
/// let gram = Lazy::new(&"rbf(sigma=0.3)".parse().unwrap(), &table).unwrap();
/// let y: Vec<f64> = (0..60).map(|i| if i % 2 == 0 { -1.0 } else { 1.0 }).collect();
/// let problem = Problem::new(&gram, &y, Objective::Separation, 1.0, true).unwrap();
/// let learner = KernelPerceptron { epochs: 10_000, average: false };
/// let solution = learner.solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert!(matches!(certify(&problem, &solution).claim, Claim::Separates { mistakes: 0, .. }));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct KernelPerceptron {
    /// Passes over the data at most.
    pub epochs: u64,
    /// Whether the coefficients are averaged over all steps.
    pub average: bool,
}

impl Default for KernelPerceptron {
    fn default() -> Self {
        Self { epochs: 1000, average: false }
    }
}

impl KernelPerceptron {
    /// Learns, and tells the row of every mistake as it is made.
    pub fn learn(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
        on_mistake: &mut dyn FnMut(usize),
    ) -> Result<Solution, SolveError> {
        learn(self.name(), *self, problem, start, run, on_mistake)
    }
}

impl Solver for KernelPerceptron {
    fn name(&self) -> &'static str {
        "kernel-perceptron"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        self.learn(problem, start, run, &mut |_| ())
    }
}

/// The recursion, under whichever name it goes.
pub(super) fn learn(
    name: &'static str,
    options: KernelPerceptron,
    problem: &Problem<'_>,
    start: Option<&Solution>,
    run: &mut Run<'_>,
    on_mistake: &mut dyn FnMut(usize),
) -> Result<Solution, SolveError> {
    separation(name, problem)?;
    let (alpha, bias) = starting_point(problem, start)?;
    let mut scores = vec![0.0; problem.len()];
    if alpha.iter().any(|&a| a != 0.0)
        && let Some(status) = product(problem.gram(), &alpha, &mut scores, run)
    {
        return Ok(run.solution(alpha, bias, status, 0));
    }
    let mut state = State::new(alpha, scores, bias, options.average);
    let mut rows = Rows::new(problem.gram());
    let (mut epoch, mut status) = (0, Status::IterationLimit);
    while epoch < options.epochs {
        let ended = match run.over(epoch) {
            Some(ended) => Err(ended),
            None => state.pass(problem, &mut rows, run, on_mistake),
        };
        let mistakes = match ended {
            Ok(mistakes) => mistakes,
            Err(ended) => {
                status = ended;
                break;
            }
        };
        epoch += 1;
        run.report(state.progress(problem, epoch, options.epochs));
        if mistakes == 0 && (!options.average || state.average_separates(problem)) {
            status = Status::Solved;
            break;
        }
    }
    let (alpha, scores, bias) =
        if options.average { state.averaged() } else { (state.alpha, state.scores, state.bias) };
    Ok(Solution { scores: Some(scores), ..run.solution(alpha, bias, status, epoch) })
}

/// Coefficients, their scores Kα, and the sums of both over all steps.
struct State {
    alpha: Vec<f64>,
    scores: Vec<f64>,
    bias: f64,
    average: bool,
    alpha_sum: RunningSum,
    score_sum: RunningSum,
    bias_sum: RunningSum,
}

/// Rows looked at between two looks at the clock.
const PACE: usize = 1 << 12;

impl State {
    fn new(alpha: Vec<f64>, scores: Vec<f64>, bias: f64, average: bool) -> Self {
        let (n, sum) = (alpha.len(), RunningSum::new);
        Self { alpha, scores, bias, average, alpha_sum: sum(n), score_sum: sum(n), bias_sum: sum(1) }
    }

    /// One pass; the number of mistakes.
    fn pass(
        &mut self,
        problem: &Problem<'_>,
        rows: &mut Rows<'_>,
        run: &mut Run<'_>,
        on_mistake: &mut dyn FnMut(usize),
    ) -> Result<u64, Status> {
        let mut mistakes = 0;
        for (i, &y) in problem.y().iter().enumerate() {
            if i % PACE == 0
                && let Some(status) = run.stop()
            {
                return Err(status);
            }
            if problem.weight(i) == 0.0 {
                continue;
            }
            if y * (self.scores[i] + self.bias) <= 0.0 {
                if let Some(status) = run.stop() {
                    return Err(status);
                }
                mistakes += 1;
                on_mistake(i);
                self.correct(i, y, rows.row(i, run), problem.offset());
            }
            self.count();
        }
        Ok(mistakes)
    }

    fn correct(&mut self, i: usize, y: f64, row: &[f64], offset: bool) {
        self.alpha[i] += y;
        self.alpha_sum.change(i, y);
        self.scores.iter_mut().zip(row).for_each(|(score, k)| *score += y * k);
        if self.average {
            self.score_sum.change_all(y, row);
        }
        if offset {
            self.bias += y;
            self.bias_sum.change(0, y);
        }
    }

    fn count(&mut self) {
        self.alpha_sum.count(1.0);
        self.score_sum.count(1.0);
        self.bias_sum.count(1.0);
    }

    fn averaged(&self) -> (Vec<f64>, Vec<f64>, f64) {
        let steps = self.alpha_sum.weight();
        if steps == 0.0 {
            return (self.alpha.clone(), self.scores.clone(), self.bias);
        }
        let bias = self.bias_sum.sum_at(0, self.bias) / steps;
        let alpha = self.alpha_sum.scaled(1.0 / steps, &self.alpha);
        (alpha, self.score_sum.scaled(1.0 / steps, &self.scores), bias)
    }

    fn average_separates(&self, problem: &Problem<'_>) -> bool {
        let bias = self.bias_sum.sum_at(0, self.bias);
        let right = |i: usize| problem.y()[i] * (self.score_sum.sum_at(i, self.scores[i]) + bias) > 0.0;
        (0..problem.len()).all(|i| problem.weight(i) == 0.0 || right(i))
    }

    fn progress(&self, problem: &Problem<'_>, epoch: u64, limit: u64) -> Progress {
        let cost = |i: usize| problem.weight(i) * (-problem.y()[i] * (self.scores[i] + self.bias)).max(0.0);
        let primal = (0..problem.len()).map(cost).sum::<f64>() / problem.len() as f64;
        Progress {
            iteration: epoch,
            limit: Some(limit),
            primal: Some(primal),
            dual: Some(0.0),
            support: self.alpha.iter().filter(|&&a| a != 0.0).count(),
            ..Default::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Features, Objective, Tolerance};
    use mercer_gram::Gram;

    /// Every step written out: the coefficients after each row, added up.
    fn naive_average(gram: &dyn Gram, y: &[f64], epochs: u64) -> (Vec<f64>, f64) {
        let n = y.len();
        let (mut alpha, mut bias, mut sum, mut bias_sum) = (vec![0.0; n], 0.0, vec![0.0; n], 0.0);
        for _ in 0..epochs {
            for i in 0..n {
                let score: f64 = (0..n).map(|j| alpha[j] * gram.entry(i, j)).sum();
                if y[i] * (score + bias) <= 0.0 {
                    alpha[i] += y[i];
                    bias += y[i];
                }
                sum.iter_mut().zip(&alpha).for_each(|(sum, alpha)| *sum += alpha);
                bias_sum += bias;
            }
        }
        let steps = (epochs * n as u64) as f64;
        (sum.iter().map(|sum| sum / steps).collect(), bias_sum / steps)
    }

    #[test]
    fn the_average_is_the_average_over_all_steps() {
        let values = vec![1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 2.0, -1.0];
        let features = Features::new(5, 2, values).unwrap();
        let y = [1.0, 1.0, -1.0, -1.0, 1.0];
        let problem = Problem::new(&features, &y, Objective::Separation, 1.0, true).unwrap();
        let learner = KernelPerceptron { epochs: 13, average: true };
        let solution = learner.solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
        let (alpha, bias) = naive_average(&features, &y, solution.iterations);
        assert!(solution.alpha.iter().zip(&alpha).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!((solution.bias - bias).abs() < 1e-12);
        let scores = crate::certify::products(&features, &solution.alpha, None).unwrap();
        assert!(solution.scores.unwrap().iter().zip(&scores).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn a_row_of_weight_zero_is_left_out() {
        // The last row contradicts the first: without it the data are separable.
        let features = Features::new(3, 1, vec![1.0, -1.0, 1.0]).unwrap();
        let (y, weights) = ([1.0, -1.0, -1.0], [1.0, 1.0, 0.0]);
        let problem = Problem::new(&features, &y, Objective::Separation, 1.0, false).unwrap();
        let problem = problem.weighted(&weights).unwrap();
        let learner = KernelPerceptron { epochs: 10, average: false };
        let solution = learner.solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
        assert_eq!((solution.status, solution.alpha[2]), (Status::Solved, 0.0));
    }
}
