//! Kernel ridge regression for several targets of the same rows,
//!
//! ```text
//! (K + λnW⁻¹)α_t + b_t·1 = y_t ,   t = 1 … k
//! ```
//!
//! (`docs/maths.md` §4.9). The matrix is the same for every target, so that it is factored once: the solvers here are
//! `cholesky` and `eigen` with a memory, bound to the Gram matrix whose factor they remember. Each answer is that of the
//! plain solver to rounding; every target after the first costs n².

use std::fmt;
use std::sync::{Mutex, PoisonError};

use mercer_gram::Gram;
use mercer_linalg::Budget;

use super::cholesky::{afford, answer, ended, factor, ridge};
use super::eigen::{self, EigenRidge, decomposed};
use super::squares;
use super::system::System;
use crate::{Footprint, Problem, Run, Sizes, Solution, SolveError, Solver};

/// Kernel ridge regression by Cholesky, one factor for all targets of the same λ and weights.
///
/// ```
/// use mercer_linalg::Budget;
/// use mercer_solve::{Features, Objective, Problem, Run, Solver, Tolerance};
/// use mercer_solve::{loss::Squared, solvers::SeveralByCholesky};
/// let gram = Features::new(2, 1, vec![1.0, 2.0]).unwrap();
/// let solver = SeveralByCholesky::new(&gram, Budget::default());
/// let mut entries = Vec::new();
/// for y in [[3.0, 4.0], [0.0, 1.0]] {
///     let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), 0.5, false).unwrap();
///     let solution = solver.solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
///     entries.push(solution.entries);
/// }
/// assert_eq!(entries, [4, 0]);
/// ```
pub struct SeveralByCholesky<'a> {
    gram: &'a dyn Gram,
    budget: Budget,
    kept: Mutex<Option<Factor>>,
}

/// A factor and what it is the factor of.
struct Factor {
    rows: Vec<usize>,
    ridge: Vec<f64>,
    system: System,
}

impl<'a> SeveralByCholesky<'a> {
    /// A solver of problems with this Gram matrix; one n×n array has to fit the budget.
    pub fn new(gram: &'a dyn Gram, budget: Budget) -> Self {
        Self { gram, budget, kept: Mutex::new(None) }
    }
}

impl fmt::Debug for SeveralByCholesky<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeveralByCholesky").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl Solver for SeveralByCholesky<'_> {
    fn name(&self) -> &'static str {
        "cholesky"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let solver = self.name();
        bound_to(solver, self.gram, problem)?;
        squares::check(solver, problem)?;
        let rows = squares::active(problem);
        afford(solver, rows.len(), self.budget)?;
        if rows.is_empty() {
            return Ok(squares::nothing(problem, run, squares::risk(solver, problem)?));
        }
        let ridge = ridge(problem, &rows);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // The old factor goes before there is a new one: the budget is for one.
        let found = kept.take().filter(|factor| factor.rows == rows && factor.ridge == ridge);
        let found = match found {
            Some(factor) => factor,
            None => match factor(self.gram, &rows, ridge.clone(), run) {
                Ok(system) => Factor { rows, ridge, system },
                Err(fault) => return ended(problem, fault, start, run),
            },
        };
        let found = kept.insert(found);
        answer(problem, &found.rows, &mut found.system, start, run)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        afford(self.name(), sizes.rows, self.budget)
    }
}

/// Kernel ridge regression by eigendecomposition, one decomposition for all targets and every λ.
pub struct SeveralByEigen<'a> {
    gram: &'a dyn Gram,
    budget: Budget,
    kept: Mutex<Option<EigenRidge>>,
}

impl<'a> SeveralByEigen<'a> {
    /// A solver of problems with this Gram matrix; the n×n arrays have to fit the budget.
    pub fn new(gram: &'a dyn Gram, budget: Budget) -> Self {
        Self { gram, budget, kept: Mutex::new(None) }
    }
}

impl fmt::Debug for SeveralByEigen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeveralByEigen").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl Solver for SeveralByEigen<'_> {
    fn name(&self) -> &'static str {
        "eigen"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        bound_to(self.name(), self.gram, problem)?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        decomposed(problem, &mut kept, self.budget, start, run)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        eigen::afford(sizes.rows, self.budget)
    }
}

/// An error unless the problem's Gram matrix is the one that is remembered.
fn bound_to(solver: &'static str, gram: &dyn Gram, problem: &Problem<'_>) -> Result<(), SolveError> {
    if std::ptr::addr_eq(gram, problem.gram()) && gram.len() == problem.len() {
        return Ok(());
    }
    let reason = "it is bound to another Gram matrix than the problem's; make one for each".to_owned();
    Err(SolveError::Unsuited { solver, reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Squared;
    use crate::solvers::{Cholesky, Eigen};
    use crate::{Features, Objective, Tolerance};

    fn solved(solver: &dyn Solver, problem: &Problem<'_>) -> Solution {
        solver.solve(problem, None, &mut Run::quiet(Tolerance::default())).unwrap()
    }

    #[test]
    fn every_target_has_the_bits_of_a_fit_of_its_own() {
        let values = (0..60).map(|i| ((i * i % 17) as f64 / 7.0).sin()).collect();
        let gram = Features::new(20, 3, values).unwrap();
        let budget = Budget::default();
        let (cholesky, eigen) = (SeveralByCholesky::new(&gram, budget), SeveralByEigen::new(&gram, budget));
        let weights: Vec<f64> = (0..20).map(|i| f64::from(i % 3)).collect();
        for (turn, (lambda, weighted, offset)) in [
            (0.1, false, false),
            (0.1, false, true),
            (0.1, true, false),
            (2.0, true, true),
            (0.1, false, false),
        ]
        .into_iter()
        .enumerate()
        {
            for shift in 0..3 {
                let y: Vec<f64> = (0..20).map(|i| f64::from((i * 7 + shift) % 5)).collect();
                let mut problem = Problem::new(&gram, &y, Objective::Risk(&Squared), lambda, offset).unwrap();
                if weighted {
                    problem = problem.weighted(&weights).unwrap();
                }
                let (shared, plain) = (solved(&cholesky, &problem), solved(&Cholesky { budget }, &problem));
                assert_eq!((&shared.alpha, shared.bias), (&plain.alpha, plain.bias));
                // The second turn has the matrix of the first.
                assert_eq!(shared.entries == 0, shift > 0 || turn == 1, "turn {turn}, target {shift}");
                if !weighted {
                    let (shared, plain) = (solved(&eigen, &problem), solved(&Eigen { budget }, &problem));
                    assert_eq!((&shared.alpha, shared.bias), (&plain.alpha, plain.bias));
                    assert_eq!(shared.entries == 0, turn > 0 || shift > 0);
                }
            }
        }
    }

    #[test]
    fn another_matrix_is_refused() {
        let (one, other) =
            (Features::new(2, 1, vec![1.0, 2.0]).unwrap(), Features::new(2, 1, vec![3.0, 2.0]).unwrap());
        let problem = Problem::new(&other, &[1.0, 2.0], Objective::Risk(&Squared), 1.0, false).unwrap();
        let mut run = Run::quiet(Tolerance::default());
        let solver = SeveralByCholesky::new(&one, Budget::default());
        assert!(matches!(solver.solve(&problem, None, &mut run), Err(SolveError::Unsuited { .. })));
        let solver = SeveralByEigen::new(&one, Budget::default());
        assert!(matches!(solver.solve(&problem, None, &mut run), Err(SolveError::Unsuited { .. })));
    }
}
