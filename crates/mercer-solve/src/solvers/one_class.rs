//! The one-class machine: a region that holds all but a chosen fraction of the rows.
//!
//! ```text
//! minimise ½‖f‖² − ρ + (1/(νn)) Σ w_i max(0, ρ − f_i)      dual: minimise ½αᵀKα,  0 ≤ α_i ≤ w_i/(νn),  Σα = 1
//! ```
//!
//! `docs/maths.md` §4.13; Schölkopf, Platt, Shawe-Taylor, Smola, Williamson 2001. The offset is −ρ: inside is where f + b ≥ 0.

use mercer_linalg::Budget;

use super::decomposition::{Program, Reading, Settings, Start, State, Variable, footprint, minimise};
use super::nu::{check_nu, unsuited};
use crate::certify::level;
use crate::{Footprint, Objective, Problem, Run, Sizes, Solution, SolveError, Solver};

/// One-class SVM; targets and the wish for an offset are ignored.
///
/// ```
/// use mercer_gram::Lazy;
/// use mercer_solve::{Objective, Problem, Run, Solver, Tolerance, certify, solvers::OneClass};
/// let mut table = mercer_points::read("@moons(n=40)", &Default::default()).unwrap();
/// table.remove("label").unwrap();
/// let gram = Lazy::new(&"rbf(sigma=1)".parse().unwrap(), &table).unwrap();
/// let problem = Problem::new(&gram, &[0.0; 40], Objective::OneClass { nu: 0.2 }, 1.0, false).unwrap();
/// let solution = OneClass::default().solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// let certificate = certify(&problem, &solution);
/// assert!(certificate.relative_gap <= 1e-6 && certificate.support >= 8);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OneClass {
    /// Memory for kernel rows.
    pub budget: Budget,
}

impl Solver for OneClass {
    fn name(&self) -> &'static str {
        "one-class"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let Objective::OneClass { nu } = problem.objective() else {
            return Err(unsuited("one-class", "it has targets to learn; 'smo' solves risks"));
        };
        let reading = Region { problem, nu };
        let most = nu * (0..problem.len()).map(|i| reading.unit(i)).sum::<f64>();
        check_nu(nu, most, "the mean weight")?;
        let program = reading.program();
        let settings = Settings { budget: self.budget, double: false };
        let start = start.map(|start| Start { alpha: start.alpha.clone(), scores: None });
        let outcome = minimise(&program, problem.gram(), &reading, start, settings, run)?;
        let alpha = program.alpha(&outcome.state.beta, problem.len());
        let rho = reading.best(&outcome.state.scores);
        let mut solution = run.solution(alpha, -rho, outcome.status, outcome.iterations);
        solution.level = Some(rho);
        solution.scores = Some(outcome.state.scores);
        Ok(solution)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        Ok(footprint(sizes, Settings { budget: self.budget, double: false }))
    }
}

struct Region<'a> {
    problem: &'a Problem<'a>,
    nu: f64,
}

impl Region<'_> {
    fn unit(&self, i: usize) -> f64 {
        self.problem.weight(i) / (self.nu * self.problem.len() as f64)
    }

    fn program(&self) -> Program {
        let mut program = Program::default();
        for row in 0..self.problem.len() {
            program.push(Variable { row, linear: 0.0, ridge: 0.0, lower: 0.0, upper: self.unit(row) });
        }
        program.close_group(1.0);
        program
    }

    /// The level that suits the scores best.
    fn best(&self, scores: &[f64]) -> f64 {
        let values = (0..scores.len()).map(|i| (scores[i], self.unit(i))).filter(|value| value.1 > 0.0);
        level(values.collect(), 1.0)
    }
}

impl Reading for Region<'_> {
    fn objectives(&self, state: &State) -> (f64, f64) {
        let rho = state.levels[0];
        let slack = |i: usize| self.unit(i) * (rho - state.scores[i]).max(0.0);
        let risk: f64 = (0..self.problem.len()).map(slack).sum();
        (0.5 * state.norm2 - rho + risk, -0.5 * state.norm2)
    }

    /// Where zero is inside the hull of the rows the optimum is 0, and a relative gap would be one of rounding.
    fn rounding(&self) -> f64 {
        let mut diagonal = vec![0.0; self.problem.len()];
        self.problem.gram().diagonal(&mut diagonal);
        1e-15 * diagonal.iter().sum::<f64>() / diagonal.len() as f64
    }
}
