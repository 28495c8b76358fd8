//! The perceptron in its dual form (`docs/maths.md` §4.2): the same mistakes in the same order as the primal one.
//!
//! ```text
//! find w = Σ_j α_j x_j, b:   y_i(Σ_j α_j⟨x_j,x_i⟩ + b) > 0  for all i ;      on a mistake  α_i ← α_i + y_i ,  b ← b + y_i
//! ```
//!
//! This is the name for the linear kernel; [`KernelPerceptron`] is the same recursion for any other. A solver does not
//! know which kernel made its Gram matrix, so whoever chooses this one sees to it that it is the linear one.

use super::KernelPerceptron;
use super::kernel_perceptron::learn;
use crate::{Problem, Run, Solution, SolveError, Solver};

/// The dual perceptron, of inner products only.
///
/// ```
/// use mercer_solve::{Features, Objective, Problem, Run, Solver, Tolerance, solvers::DualPerceptron};
/// let features = Features::new(4, 2, vec![2.0, 1.0, 1.0, 3.0, -1.0, -2.0, -2.0, 0.0]).unwrap();
/// let problem = Problem::new(&features, &[1.0, 1.0, -1.0, -1.0], Objective::Separation, 1.0, false).unwrap();
/// let solution = DualPerceptron { epochs: 10 }.solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert_eq!(solution.alpha, [1.0, 0.0, 0.0, 0.0]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DualPerceptron {
    /// Passes over the data at most.
    pub epochs: u64,
}

impl Default for DualPerceptron {
    fn default() -> Self {
        Self { epochs: 1000 }
    }
}

impl DualPerceptron {
    /// Learns, and tells the row of every mistake as it is made.
    pub fn learn(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
        on_mistake: &mut dyn FnMut(usize),
    ) -> Result<Solution, SolveError> {
        let options = KernelPerceptron { epochs: self.epochs, average: false };
        learn(self.name(), options, problem, start, run, on_mistake)
    }
}

impl Solver for DualPerceptron {
    fn name(&self) -> &'static str {
        "dual-perceptron"
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
