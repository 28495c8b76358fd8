//! ν-regression: the fraction of rows outside the tube is chosen, its width ε follows.
//!
//! ```text
//! minimise νε + (1/n) Σ w_i max(0, |f_i+b−y_i| − ε) + (λ/2)‖f‖²     dual: minimise ½αᵀKα − yᵀα,  α = β⁺ + β⁻
//!                                                       0 ≤ β⁺_i, −β⁻_i ≤ w_i/(λn),   Σβ⁺ = −Σβ⁻ = ν/(2λ)
//! ```
//!
//! `docs/maths.md` §4.13; Schölkopf, Smola, Williamson, Bartlett 2000. The sums are bounds in the problem (Σ|α| ≤ ν/λ): what is
//! left over lies in both parts of a row and cancels.

use mercer_linalg::Budget;

use super::decomposition::{Program, Reading, Settings, Start, State, Variable, footprint, minimise};
use super::nu::{check_nu, unsuited};
use crate::certify::level;
use crate::{Footprint, Objective, Problem, Run, Sizes, Solution, SolveError, Solver};

/// ν-SVR. It needs an offset.
///
/// ```
/// use mercer_gram::Lazy;
/// use mercer_solve::{Objective, Problem, Run, Solver, Tolerance, certify, solvers::NuSvr};
/// let mut table = mercer_points::read("@xor(n=40)", &Default::default()).unwrap();
/// table.remove("label").unwrap();
/// let y: Vec<f64> = (0..40).map(|i| (i as f64).sin()).collect();
/// let gram = Lazy::new(&"rbf(sigma=1)".parse().unwrap(), &table).unwrap();
/// let problem = Problem::new(&gram, &y, Objective::NuRegression { nu: 0.4 }, 0.1, true).unwrap();
/// let solution = NuSvr::default().solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert!(certify(&problem, &solution).relative_gap <= 1e-6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NuSvr {
    /// Memory for kernel rows.
    pub budget: Budget,
}

impl Solver for NuSvr {
    fn name(&self) -> &'static str {
        "nu-svr"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let nu = match problem.objective() {
            Objective::NuRegression { nu } if problem.offset() => nu,
            Objective::NuRegression { .. } => {
                let reason = "it has no offset; ask for one, or use 'smo' with the epsilon-insensitive loss";
                return Err(unsuited("nu-svr", reason));
            }
            _ => return Err(unsuited("nu-svr", "it is no nu regression; 'smo' solves risks")),
        };
        let reading = Tube { problem, nu };
        let most = 2.0 * (0..problem.len()).map(|i| problem.weight(i)).sum::<f64>() / problem.len() as f64;
        check_nu(nu, most, "twice the mean weight")?;
        let program = reading.program();
        let settings = Settings { budget: self.budget, double: false };
        let start = start.map(|start| Start { alpha: start.alpha.clone(), scores: None });
        let outcome = minimise(&program, problem.gram(), &reading, start, settings, run)?;
        let alpha = program.alpha(&outcome.state.beta, problem.len());
        let (epsilon, bias) = reading.best(&outcome.state.scores);
        let mut solution = run.solution(alpha, bias, outcome.status, outcome.iterations);
        solution.level = Some(epsilon);
        solution.scores = Some(outcome.state.scores);
        Ok(solution)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        Ok(footprint(sizes, Settings { budget: self.budget, double: false }))
    }
}

struct Tube<'a> {
    problem: &'a Problem<'a>,
    nu: f64,
}

impl Tube<'_> {
    /// Σβ⁺.
    fn mass(&self) -> f64 {
        0.5 * self.nu / self.problem.lambda()
    }

    fn program(&self) -> Program {
        let mut program = Program::default();
        for side in [1.0, -1.0] {
            for row in 0..self.problem.len() {
                let end = side * self.problem.bound(row);
                let (lower, upper) = (end.min(0.0), end.max(0.0));
                let linear = -self.problem.y()[row];
                program.push(Variable { row, linear, ridge: 0.0, lower, upper });
            }
            program.close_group(side * self.mass());
        }
        program
    }

    /// ε and b that suit the scores best: ε + b and ε − b are quantiles of the residuals above and below.
    fn best(&self, scores: &[f64]) -> (f64, f64) {
        let [s, t] = [1.0, -1.0].map(|side| {
            let residual = |i: usize| (side * (scores[i] - self.problem.y()[i]), self.problem.bound(i));
            let values = (0..self.problem.len()).map(residual).filter(|value| value.1 > 0.0);
            -level(values.collect(), self.mass())
        });
        ((0.5 * (s + t)).max(0.0), 0.5 * (s - t))
    }
}

impl Reading for Tube<'_> {
    fn objectives(&self, state: &State) -> (f64, f64) {
        let (problem, lambda) = (self.problem, self.problem.lambda());
        let (above, below) = (state.levels[0], state.levels[1]);
        let (epsilon, bias) = ((0.5 * (below - above)).max(0.0), -0.5 * (above + below));
        let outside = |i: usize| ((state.scores[i] + bias - problem.y()[i]).abs() - epsilon).max(0.0);
        let total: f64 = (0..problem.len()).map(|i| problem.weight(i) * outside(i)).sum();
        let risk = total / problem.len() as f64;
        (self.nu * epsilon + risk + 0.5 * lambda * state.norm2, -lambda * state.objective)
    }

    fn scale(&self) -> f64 {
        self.problem.y().iter().map(|y| y.abs()).sum::<f64>() / self.problem.len() as f64
    }
}
