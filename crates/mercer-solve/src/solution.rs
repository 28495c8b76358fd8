//! What a solver hands back.

use crate::{Footprint, Problem, Progress, Run, Sizes, SolveError, Status};

/// Coefficients and how they came about. Not a claim: [`certify`](crate::certify()) makes those.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Expansion coefficients: f = Σ_j α_j k(x_j,·).
    pub alpha: Vec<f64>,
    /// The offset; 0 in a problem without one.
    pub bias: f64,
    /// ρ of ν-classification and of the one-class machine, ε of ν-regression.
    pub level: Option<f64>,
    /// Kα as the solver kept it, where it did: lets a stopped run be certified at once.
    pub scores: Option<Vec<f64>>,
    /// w of a learner that worked on explicit features.
    pub weights: Option<Vec<f64>>,
    /// How the solver ended.
    pub status: Status,
    /// Iterations; what one is depends on the solver.
    pub iterations: u64,
    /// Kernel entries that were computed; those that another problem had computed already count as well.
    pub entries: u64,
    /// Seconds of work.
    pub seconds: f64,
    /// How it went.
    pub trace: Vec<Progress>,
}

impl Solution {
    /// How many coefficients are not zero.
    pub fn support(&self) -> usize {
        self.alpha.iter().filter(|&&a| a != 0.0).count()
    }
}

/// Something that solves the one problem, or a part of its cases.
pub trait Solver: std::fmt::Debug {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Works until its criterion holds, a limit is reached, or it is told to stop; the best so far comes back.
    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError>;

    /// What it will hold of a problem of such sizes, or the error with which it refuses one that the budget has no room for.
    fn footprint(&self, _sizes: &Sizes) -> Result<Footprint, SolveError> {
        Ok(Footprint::default())
    }
}
