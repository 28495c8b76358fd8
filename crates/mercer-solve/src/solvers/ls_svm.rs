//! The least-squares support vector machine: the squared loss on labels ±1, with offset,
//!
//! ```text
//! (K + λnW⁻¹)α + b·1 = y ,    Σα = 0
//! ```
//!
//! (`docs/maths.md` §4.13; Suykens and Vandewalle, 1999). The same system as kernel ridge regression on the labels; every
//! row becomes a support vector.

use mercer_linalg::Budget;

use super::{cholesky, squares};
use crate::{Footprint, Problem, Run, Sizes, Solution, SolveError, Solver};

/// The least-squares support vector machine, by Cholesky.
#[derive(Debug, Clone, Copy, Default)]
pub struct LsSvm {
    /// What the n×n array may take.
    pub budget: Budget,
}

impl Solver for LsSvm {
    fn name(&self) -> &'static str {
        "ls-svm"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let solver = self.name();
        squares::check(solver, problem)?;
        if let Some(row) = problem.y().iter().position(|y| y.abs() != 1.0) {
            let value = problem.y()[row];
            let reason =
                format!("row {} has the target {value}, not a label -1 or +1; choose cholesky", row + 1);
            return Err(SolveError::Unsuited { solver, reason });
        }
        if !problem.offset() {
            let reason = "it is a machine with an offset; cholesky solves the same without".to_owned();
            return Err(SolveError::Unsuited { solver, reason });
        }
        cholesky::factored(solver, problem, problem.gram(), self.budget, start, run)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        cholesky::afford(self.name(), sizes.rows, self.budget)
    }
}
