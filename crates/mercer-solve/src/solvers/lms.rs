//! Kernel least mean squares by gradient descent (`docs/maths.md` §4.10).
//!
//! ```text
//! minimise over f, b:   (1/n) Σ_i w_i·½(f(x_i)+b − y_i)² ;      β ← β + (η/n) w∘(y − Kβ − b) ,   b ← b + (η/n) Σ_i w_i(y − Kβ − b)_i
//! ```
//!
//! Gradient descent in feature space, step for step. It knows no λ: what regularises is stopping early, and the
//! certificate says how far the answer is from the optimum at the problem's λ. It converges for 0 < η < 2n/λ_max, λ_max
//! that of √W·K·√W (of K+1 with an offset, which is the weight of a constant feature); a step beyond that is refused.

use super::first_order::{bounds, is_squared, largest_eigenvalue, product, risk, starting_point, unsuited};
use crate::loss::Loss;
use crate::{Problem, Progress, Run, Solution, SolveError, Solver, Status};

/// Gradient descent on the mean squared residual.
///
/// ```
/// use mercer_solve::{Features, Objective, Problem, Run, Solver, Tolerance, loss::Squared, solvers::Lms};
/// let features = Features::new(2, 2, vec![1.0, 0.0, 0.0, 2.0]).unwrap();
/// let y = [3.0, 4.0];
/// let problem = Problem::new(&features, &y, Objective::Risk(&Squared), 1e-3, false).unwrap();
/// let one = Lms { step: Some(0.25), iterations: 1 };
/// let solution = one.solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert_eq!(solution.alpha, [3.0 / 8.0, 4.0 / 8.0]);
/// // λ_max = 4, so that no step of 2n/λ_max = 1 or more converges.
/// assert!(Lms { step: Some(1.1), iterations: 1 }.solve(&problem, None, &mut Run::quiet(Tolerance::default())).is_err());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Lms {
    /// η; n/λ_max where it is not given.
    pub step: Option<f64>,
    /// Steps at most.
    pub iterations: u64,
}

impl Default for Lms {
    fn default() -> Self {
        Self { step: None, iterations: 1000 }
    }
}

/// Steps between two computations of the gap.
const CHECK: u64 = 10;

impl Solver for Lms {
    fn name(&self) -> &'static str {
        "lms"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let loss = risk(self.name(), problem)?;
        if !is_squared(loss) {
            let reason = format!("it is for the squared loss, not {loss:?}; gradient takes any loss");
            return Err(unsuited(self.name(), reason));
        }
        let (beta, bias) = starting_point(problem, start)?;
        let mut state = State { scores: vec![0.0; problem.len()], beta, bias };
        let step = match self.length(problem, run)? {
            Ok(step) => step,
            Err(status) => return Ok(run.solution(state.beta, state.bias, status, 0)),
        };
        if let Some(status) = product(problem.gram(), &state.beta, &mut state.scores, run) {
            return Ok(run.solution(state.beta, state.bias, status, 0));
        }
        let (mut iteration, mut status) = (0, Status::IterationLimit);
        while iteration < self.iterations {
            let ended = run.over(iteration).map_or_else(|| state.step(problem, step, run), Some);
            if let Some(ended) = ended {
                status = ended;
                break;
            }
            iteration += 1;
            match self.look(problem, loss, &state, iteration, run) {
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
        let solution = run.solution(state.beta, state.bias, status, iteration);
        Ok(Solution { scores: Some(state.scores), ..solution })
    }
}

impl Lms {
    /// η, checked; or why the run was over before it was known.
    fn length(&self, problem: &Problem<'_>, run: &mut Run<'_>) -> Result<Result<f64, Status>, SolveError> {
        let (low, high) = match largest_eigenvalue(problem, problem.offset(), run) {
            Ok(eigenvalues) => eigenvalues,
            Err(status) => return Ok(Err(status)),
        };
        let n = problem.len() as f64;
        let limit = if low > 0.0 { 2.0 * n / low } else { f64::MAX };
        match self.step {
            Some(value) if !(value > 0.0 && value < limit) => {
                let range = format!("above 0 and below 2n/(the largest eigenvalue of K) = {limit}");
                Err(SolveError::Parameter { name: "step".to_owned(), value, range })
            }
            Some(value) => Ok(Ok(value)),
            None => Ok(Ok(if high > 0.0 { n / high } else { 1.0 })),
        }
    }

    /// Reports; whether the tolerance is reached.
    fn look(
        &self,
        problem: &Problem<'_>,
        loss: &dyn Loss,
        state: &State,
        iteration: u64,
        run: &mut Run<'_>,
    ) -> Result<bool, Status> {
        let support = state.beta.iter().filter(|&&b| b != 0.0).count();
        let progress = Progress { iteration, limit: Some(self.iterations), support, ..Default::default() };
        if !iteration.is_multiple_of(CHECK) {
            run.report(progress);
            return Ok(false);
        }
        let multiply = |v: &[f64], out: &mut [f64], run: &mut Run<'_>| product(problem.gram(), v, out, run);
        let found = bounds(problem, loss, (&state.beta, &state.scores), &multiply, run)?;
        run.report(Progress { primal: Some(found.primal), dual: Some(found.dual), ..progress });
        Ok(found.meet(&run.tolerance()))
    }
}

/// β, Kβ and b.
struct State {
    beta: Vec<f64>,
    scores: Vec<f64>,
    bias: f64,
}

impl State {
    /// One step; a status where it could not be made, and nothing has changed then.
    fn step(&mut self, problem: &Problem<'_>, length: f64, run: &mut Run<'_>) -> Option<Status> {
        let n = problem.len();
        let factor = length / n as f64;
        let change = |i: usize| factor * problem.weight(i) * (problem.y()[i] - self.scores[i] - self.bias);
        let changes: Vec<f64> = (0..n).map(change).collect();
        let beta: Vec<f64> = self.beta.iter().zip(&changes).map(|(beta, change)| beta + change).collect();
        let bias = if problem.offset() { self.bias + changes.iter().sum::<f64>() } else { 0.0 };
        if beta == self.beta && bias == self.bias {
            return Some(Status::Stalled);
        }
        let mut scores = vec![0.0; n];
        if let Some(status) = product(problem.gram(), &beta, &mut scores, run) {
            return Some(status);
        }
        // A matrix that is not psd lets the recursion grow without end.
        if scores.iter().any(|score| !score.is_finite()) || !bias.is_finite() {
            return Some(Status::Stalled);
        }
        *self = Self { beta, scores, bias };
        None
    }
}
