//! The perceptron on explicit features (`docs/maths.md` §4.1; Rosenblatt 1958, Novikoff 1962).
//!
//! ```text
//! find w, b:   y_i(⟨w,x_i⟩ + b) > 0  for all i ;      on a mistake  w ← w + y_i x_i ,  b ← b + y_i
//! ```
//!
//! A mistake is y_i(⟨w,x_i⟩+b) ≤ 0: with "<" nothing would ever move from w = 0. It ends with the first pass without a
//! mistake, or says that it did not separate the data. The offset is the weight of a constant feature 1. Row weights say
//! only which rows count: those of weight 0 are left out.

use super::first_order::{check_features, feature_scores, separation, starting_point};
use crate::{Features, Problem, Progress, Run, Solution, SolveError, Solver, Status};

/// The primal perceptron. The Gram matrix of the problem is that of the features: the linear kernel.
///
/// ```
/// use mercer_solve::{Features, Objective, Problem, Run, Solver, Status, Tolerance, solvers::Perceptron};
/// let features = Features::new(4, 2, vec![2.0, 1.0, 1.0, 3.0, -1.0, -2.0, -2.0, 0.0]).unwrap();
/// let y = [1.0, 1.0, -1.0, -1.0];
/// let problem = Problem::new(&features, &y, Objective::Separation, 1.0, false).unwrap();
/// let perceptron = Perceptron { features: &features, epochs: 10 };
/// let solution = perceptron.solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert_eq!(solution.status, Status::Solved);
/// assert_eq!(solution.weights, Some(vec![2.0, 1.0]));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Perceptron<'a> {
    /// One row of features for each row of the problem.
    pub features: &'a Features,
    /// Passes over the data at most.
    pub epochs: u64,
}

/// Numbers multiplied between two looks at the clock.
const WORK: usize = 1 << 20;

impl Perceptron<'_> {
    /// Learns, and tells the row of every mistake as it is made.
    pub fn learn(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
        on_mistake: &mut dyn FnMut(usize),
    ) -> Result<Solution, SolveError> {
        separation(self.name(), problem)?;
        check_features(problem, self.features)?;
        let (alpha, bias) = starting_point(problem, start)?;
        let mut state = State { weights: self.features.weights(&alpha), alpha, bias };
        let mut status = Status::IterationLimit;
        let mut epoch = 0;
        while epoch < self.epochs {
            if let Some(ended) = run.over(epoch) {
                status = ended;
                break;
            }
            match self.pass(problem, &mut state, run, on_mistake) {
                Err(ended) => {
                    status = ended;
                    break;
                }
                Ok(mistakes) => {
                    epoch += 1;
                    let support = state.alpha.iter().filter(|&&a| a != 0.0).count();
                    run.report(Progress {
                        iteration: epoch,
                        limit: Some(self.epochs),
                        support,
                        ..Default::default()
                    });
                    if mistakes == 0 {
                        status = Status::Solved;
                        break;
                    }
                }
            }
        }
        let solution = run.solution(state.alpha, state.bias, status, epoch);
        let scores = Some(feature_scores(self.features, &state.weights));
        Ok(Solution { weights: Some(state.weights), scores, ..solution })
    }

    /// One pass; the number of mistakes.
    fn pass(
        &self,
        problem: &Problem<'_>,
        state: &mut State,
        run: &mut Run<'_>,
        on_mistake: &mut dyn FnMut(usize),
    ) -> Result<u64, Status> {
        let pace = (WORK / self.features.dimension().max(1)).max(1);
        let mut mistakes = 0;
        for (i, &y) in problem.y().iter().enumerate() {
            if i % pace == 0
                && let Some(status) = run.stop()
            {
                return Err(status);
            }
            if problem.weight(i) == 0.0 {
                continue;
            }
            if y * (self.features.score(i, &state.weights) + state.bias) <= 0.0 {
                mistakes += 1;
                on_mistake(i);
                state.alpha[i] += y;
                state.weights.iter_mut().zip(self.features.row(i)).for_each(|(w, x)| *w += y * x);
                if problem.offset() {
                    state.bias += y;
                }
            }
        }
        Ok(mistakes)
    }
}

/// w = Σ α_i x_i, both kept.
struct State {
    alpha: Vec<f64>,
    weights: Vec<f64>,
    bias: f64,
}

impl Solver for Perceptron<'_> {
    fn name(&self) -> &'static str {
        "perceptron"
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
