//! Ridge regression on explicit features in the dual,
//!
//! ```text
//! (XXᵀ + λnW⁻¹)α + b·1 = y ,    w = Xᵀα
//! ```
//!
//! (`docs/maths.md` §4.8). The cheaper side where there are fewer rows than features; kernel ridge regression with the
//! linear kernel, and the weights besides.

use mercer_linalg::Budget;

use super::{cholesky, squares};
use crate::{Features, Footprint, Problem, Run, Sizes, Solution, SolveError, Solver};

/// Ridge regression by an n×n system. The problem's Gram matrix must be that of these features.
#[derive(Debug, Clone, Copy)]
pub struct RidgeDual<'a> {
    /// X.
    pub features: &'a Features,
    /// Memory for the matrix of the system.
    pub budget: Budget,
}

impl Solver for RidgeDual<'_> {
    fn name(&self) -> &'static str {
        "ridge-dual"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        squares::check(self.name(), problem)?;
        super::ridge_primal::same_rows(self.features, problem)?;
        let budget = self.budget;
        let mut solution = cholesky::factored(self.name(), problem, self.features, budget, start, run)?;
        solution.weights = Some(self.features.weights(&solution.alpha));
        Ok(solution)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        cholesky::afford(self.name(), sizes.rows, self.budget)
    }
}
