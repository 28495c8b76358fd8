//! Kernel ridge regression by one factorisation,
//!
//! ```text
//! minimise (1/n) Σ w_i ½(f(x_i)+b−y_i)² + (λ/2)‖f‖² :    (K + λnW⁻¹)α + b·1 = y ,  Σα = 0 with offset
//! ```
//!
//! (`docs/maths.md` §4.9; Saunders, Gammerman and Vovk, 1998). n³/3 operations and one n×n array, exact to rounding.
//! Rows of weight zero stay out of the system.

use mercer_gram::Gram;
use mercer_linalg::Budget;

use super::portions::load;
use super::squares;
use super::system::{Fault, System};
use crate::{Footprint, Problem, Run, Sizes, Solution, SolveError, Solver};

/// Kernel ridge regression by Cholesky.
///
/// ```
/// use mercer_solve::{Features, Objective, Problem, Run, Solver, Tolerance, loss::Squared, solvers::Cholesky};
/// let gram = Features::new(2, 1, vec![1.0, 2.0]).unwrap();
/// // (K + 2λI)α = y with K = [1 2; 2 4] and λ = ½.
/// let problem = Problem::new(&gram, &[3.0, 4.0], Objective::Risk(&Squared), 0.5, false).unwrap();
/// let solution = Cholesky::default().solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert!((solution.alpha[0] - 7.0 / 6.0).abs() < 1e-15 && (solution.alpha[1] - 1.0 / 3.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Cholesky {
    /// What the n×n array may take.
    pub budget: Budget,
}

impl Solver for Cholesky {
    fn name(&self) -> &'static str {
        "cholesky"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        squares::check(self.name(), problem)?;
        factored(self.name(), problem, problem.gram(), self.budget, start, run)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        afford(self.name(), sizes.rows, self.budget)
    }
}

/// One n×n array.
pub(super) fn afford(solver: &'static str, rows: usize, budget: Budget) -> Result<Footprint, SolveError> {
    squares::afford(solver, rows, 8, budget, "choose solver cg, or raise --memory")
}

/// The ridge problem with a Gram matrix that may be made another way than the problem's own.
pub(super) fn factored(
    solver: &'static str,
    problem: &Problem<'_>,
    gram: &dyn Gram,
    budget: Budget,
    start: Option<&Solution>,
    run: &mut Run<'_>,
) -> Result<Solution, SolveError> {
    let rows = squares::active(problem);
    afford(solver, rows.len(), budget)?;
    if rows.is_empty() {
        return Ok(squares::nothing(problem, run, squares::risk(solver, problem)?));
    }
    match factor(gram, &rows, ridge(problem, &rows), run) {
        Ok(mut system) => answer(problem, &rows, &mut system, start, run),
        Err(fault) => ended(problem, fault, start, run),
    }
}

/// λn/w_i of the rows.
pub(super) fn ridge(problem: &Problem<'_>, rows: &[usize]) -> Vec<f64> {
    rows.iter().map(|&i| problem.bound(i).recip()).collect()
}

/// K + λnW⁻¹ of the rows, factored.
pub(super) fn factor(
    gram: &dyn Gram,
    rows: &[usize],
    ridge: Vec<f64>,
    run: &mut Run<'_>,
) -> Result<System, Fault> {
    let entries = load(gram, rows, run).map_err(Fault::Stopped)?;
    System::new(entries, ridge, run)
}

/// The solution for the targets of a problem, by a factor that may have been made for others.
pub(super) fn answer(
    problem: &Problem<'_>,
    rows: &[usize],
    system: &mut System,
    start: Option<&Solution>,
    run: &mut Run<'_>,
) -> Result<Solution, SolveError> {
    let target: Vec<f64> = rows.iter().map(|&i| problem.y()[i]).collect();
    match system.solve(&target, problem.offset().then_some(0.0), run) {
        Ok(answer) => {
            let parts = (answer.alpha, answer.bias, answer.scores);
            Ok(squares::finish(problem, run, rows, parts, (None, 1)))
        }
        Err(fault) => ended(problem, fault, start, run),
    }
}

/// What comes back without an answer.
pub(super) fn ended(
    problem: &Problem<'_>,
    fault: Fault,
    start: Option<&Solution>,
    run: &Run<'_>,
) -> Result<Solution, SolveError> {
    match fault {
        Fault::Stopped(status) => Ok(squares::unfinished(problem, start, run, status)),
        Fault::Failed(error) => Err(error),
    }
}
