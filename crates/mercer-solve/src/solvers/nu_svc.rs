//! ν-classification: the fraction of margin errors is chosen, the width of the margin follows.
//!
//! ```text
//! minimise ½‖f‖² − νρ + (1/n) Σ w_i max(0, ρ − y_i(f_i+b))          dual: minimise ½αᵀKα
//!                                                                   0 ≤ y_iα_i ≤ w_i/n,  Σ y_iα_i = ν/2 in each class
//! ```
//!
//! `docs/maths.md` §4.13; Schölkopf, Smola, Williamson, Bartlett 2000. ρ and b are best for the scores, as in the certificate.

use mercer_linalg::Budget;

use super::decomposition::{Program, Reading, Settings, Start, State, Variable, footprint, minimise};
use super::nu::{check_nu, unsuited};
use crate::certify::level;
use crate::{Footprint, Objective, Problem, Run, Sizes, Solution, SolveError, Solver};

/// ν-SVC. It needs an offset, and ν no larger than twice the share of the smaller class.
///
/// ```
/// use mercer_gram::Lazy;
/// use mercer_solve::{Objective, Problem, Run, Solver, Tolerance, certify, solvers::NuSvc};
/// let mut table = mercer_points::read("@xor(n=40)", &Default::default()).unwrap();
/// table.remove("label").unwrap();
/// let y: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
/// let gram = Lazy::new(&"rbf(sigma=1)".parse().unwrap(), &table).unwrap();
/// let problem = Problem::new(&gram, &y, Objective::NuClassification { nu: 0.5 }, 1.0, true).unwrap();
/// let solution = NuSvc::default().solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert!(certify(&problem, &solution).relative_gap <= 1e-6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NuSvc {
    /// Memory for kernel rows.
    pub budget: Budget,
}

impl Solver for NuSvc {
    fn name(&self) -> &'static str {
        "nu-svc"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let nu = match problem.objective() {
            Objective::NuClassification { nu } if problem.offset() => nu,
            Objective::NuClassification { .. } => {
                return Err(unsuited("nu-svc", "it has no offset; ask for one, or use 'smo' with the hinge"));
            }
            _ => return Err(unsuited("nu-svc", "it is no nu classification; 'smo' solves risks")),
        };
        let reading = Margin { problem, nu };
        let most = 2.0 * reading.weight(1.0).min(reading.weight(-1.0));
        check_nu(nu, most, "twice the share of the smaller class")?;
        let program = reading.program();
        let settings = Settings { budget: self.budget, double: false };
        let start = start.map(|start| Start { alpha: start.alpha.clone(), scores: None });
        let outcome = minimise(&program, problem.gram(), &reading, start, settings, run)?;
        let alpha = program.alpha(&outcome.state.beta, problem.len());
        let (rho, bias) = reading.best(&outcome.state.scores);
        let mut solution = run.solution(alpha, bias, outcome.status, outcome.iterations);
        solution.level = Some(rho);
        solution.scores = Some(outcome.state.scores);
        Ok(solution)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        Ok(footprint(sizes, Settings { budget: self.budget, double: false }))
    }
}

struct Margin<'a> {
    problem: &'a Problem<'a>,
    nu: f64,
}

impl Margin<'_> {
    fn rows(&self, side: f64) -> impl Iterator<Item = usize> {
        (0..self.problem.len()).filter(move |&i| self.problem.y()[i] == side)
    }

    fn unit(&self, i: usize) -> f64 {
        self.problem.weight(i) / self.problem.len() as f64
    }

    /// Share of a class.
    fn weight(&self, side: f64) -> f64 {
        self.rows(side).map(|i| self.unit(i)).sum()
    }

    fn program(&self) -> Program {
        let mut program = Program::default();
        for side in [1.0, -1.0] {
            for row in self.rows(side) {
                let end = side * self.unit(row);
                let (lower, upper) = (end.min(0.0), end.max(0.0));
                program.push(Variable { row, linear: 0.0, ridge: 0.0, lower, upper });
            }
            program.close_group(0.5 * side * self.nu);
        }
        program
    }

    /// ρ and b that suit the scores best: ρ − b and ρ + b are quantiles of the two classes.
    fn best(&self, scores: &[f64]) -> (f64, f64) {
        let [s, t] = [1.0, -1.0].map(|side| {
            let values = self.rows(side).map(|i| (side * scores[i], self.unit(i)));
            level(values.filter(|value| value.1 > 0.0).collect(), 0.5 * self.nu)
        });
        ((0.5 * (s + t)).max(0.0), 0.5 * (t - s))
    }
}

impl Reading for Margin<'_> {
    fn objectives(&self, state: &State) -> (f64, f64) {
        let (above, below) = (state.levels[0], state.levels[1]);
        let (rho, bias) = ((0.5 * (above - below)).max(0.0), -0.5 * (above + below));
        let slack = |i: usize| (rho - self.problem.y()[i] * (state.scores[i] + bias)).max(0.0);
        let risk: f64 = (0..self.problem.len()).map(|i| self.unit(i) * slack(i)).sum();
        (0.5 * state.norm2 - self.nu * rho + risk, -0.5 * state.norm2)
    }
}
