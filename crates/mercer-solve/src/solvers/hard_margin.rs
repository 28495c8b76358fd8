//! The hard margin: the separating surface farthest from both classes, or proof that there is none.
//!
//! ```text
//! minimise ½‖f‖² subject to y_i(f_i+b) ≥ 1          dual: the nearest points of the convex hulls of the two classes,
//!                                                   minimise ½βᵀKβ,  y_iβ_i ≥ 0,  Σ y_iβ_i = 1 in each class
//! ```
//!
//! `docs/maths.md` §4.4; Keerthi, Shevade, Bhattacharyya, Murthy 2000. With w = Σβ_iψ(x_i) the answer is α = 2β/‖w‖², and b lies
//! in the middle. The hulls always have nearest points; where these coincide the classes have a common point of feature
//! space, and that is the evidence that no surface separates them.

use mercer_linalg::Budget;

use super::decomposition::{Program, Reading, Settings, Start, State, Variable, footprint, minimise};
use super::nu::unsuited;
use crate::{CommonPoint, Footprint, Objective, Problem, Run, Sizes, Solution, SolveError, Solver, Status};

/// Hard-margin SVM with an offset. Rows of one class only have the answer f = 0, b = y.
///
/// ```
/// use mercer_gram::Lazy;
/// use mercer_solve::{Objective, Problem, Run, SolveError, Solver, Tolerance, certify, solvers::HardMargin};
/// let mut table = mercer_points::Table::new();
/// table.push("x", mercer_points::ColumnData::Numbers(vec![-1.0, 0.0, 1.0])).unwrap();
/// let y = [1.0, -1.0, 1.0];
/// let solve = |kernel: &str| {
///     let gram = Lazy::new(&kernel.parse().unwrap(), &table).unwrap();
///     let problem = Problem::new(&gram, &y, Objective::HardMargin, 1.0, true).unwrap();
///     HardMargin::default().solve(&problem, None, &mut Run::quiet(Tolerance::default()))
/// };
/// assert!(matches!(solve("linear"), Err(SolveError::NotSeparable(_))));
/// assert!(solve("poly(degree=2)").is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HardMargin {
    /// Memory for kernel rows.
    pub budget: Budget,
}

/// Hulls meet where αᵀKα is at most this part of Σα̃_i k(x_i,x_i), which is rounding, and f does not separate.
const MEET: f64 = 1e-14;

/// The same part of how far rows lie apart, where the search has come to a halt without a surface.
const HALT: f64 = 1e-10;

impl Solver for HardMargin {
    fn name(&self) -> &'static str {
        "hard-margin"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        if !matches!(problem.objective(), Objective::HardMargin) {
            return Err(unsuited("hard-margin", "it is no hard margin; 'smo' solves risks"));
        }
        if !problem.offset() {
            let reason = "it has no offset; ask for one, or use 'smo' with the hinge and a large C";
            return Err(unsuited("hard-margin", reason));
        }
        let used = |side: f64| (0..problem.len()).any(|i| problem.y()[i] == side && problem.weight(i) > 0.0);
        if !(used(1.0) && used(-1.0)) {
            let bias = if used(1.0) { 1.0 } else { -1.0 };
            let mut solution = run.solution(vec![0.0; problem.len()], bias, Status::Solved, 0);
            solution.scores = Some(vec![0.0; problem.len()]);
            return Ok(solution);
        }
        let hulls = Hulls::new(problem);
        let start = start.map(|start| Start { alpha: hulls.normalised(&start.alpha), scores: None });
        // Single precision cannot tell a small distance of the hulls from none.
        let settings = Settings { budget: self.budget, double: true };
        let outcome = minimise(&hulls.program, problem.gram(), &hulls, start, settings, run)?;
        let halted = outcome.status == Status::Stalled && hulls.meet(&outcome.state, HALT * hulls.extent());
        if outcome.hopeless || halted {
            return Err(SolveError::NotSeparable(Box::new(hulls.common_point(&outcome.state))));
        }
        let length = 2.0 / outcome.state.norm2;
        let length = if length.is_finite() && length > 0.0 { length } else { 0.0 };
        let scaled = |values: &[f64]| values.iter().map(|v| length * v).collect::<Vec<f64>>();
        let alpha = scaled(&hulls.program.alpha(&outcome.state.beta, problem.len()));
        let scores = scaled(&outcome.state.scores);
        let (plus, minus) = hulls.nearest(&scores);
        let mut solution = run.solution(alpha, 0.5 * (minus - plus), outcome.status, outcome.iterations);
        solution.scores = Some(scores);
        Ok(solution)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        Ok(footprint(sizes, Settings { budget: self.budget, double: true }))
    }
}

struct Hulls<'a> {
    problem: &'a Problem<'a>,
    program: Program,
    diagonal: Vec<f64>,
}

impl<'a> Hulls<'a> {
    fn new(problem: &'a Problem<'a>) -> Self {
        let mut program = Program::default();
        for side in [1.0_f64, -1.0] {
            for row in (0..problem.len()).filter(|&i| problem.y()[i] == side && problem.weight(i) > 0.0) {
                let (lower, upper) = (side.min(0.0), side.max(0.0));
                program.push(Variable { row, linear: 0.0, ridge: 0.0, lower, upper });
            }
            program.close_group(side);
        }
        let mut diagonal = vec![0.0; problem.len()];
        problem.gram().diagonal(&mut diagonal);
        Self { problem, program, diagonal }
    }

    /// Coefficients that sum to 1 in each class, as far as there are any.
    fn normalised(&self, alpha: &[f64]) -> Vec<f64> {
        let y = self.problem.y();
        let sum = |side: f64| {
            alpha.iter().zip(y).map(move |(a, y)| if *y == side { (a * y).max(0.0) } else { 0.0 })
        };
        let (plus, minus) = (sum(1.0).sum::<f64>(), sum(-1.0).sum::<f64>());
        let share = |a: f64, y: f64| a / if y > 0.0 { plus } else { minus };
        alpha.iter().zip(y).map(|(&a, &y)| if a * y > 0.0 { share(a, y) } else { 0.0 }).collect()
    }

    /// Least y·f in each class.
    fn nearest(&self, scores: &[f64]) -> (f64, f64) {
        let least = |side: f64| {
            let rows = (0..self.problem.len())
                .filter(|&i| self.problem.y()[i] == side && self.problem.weight(i) > 0.0);
            rows.map(|i| side * scores[i]).fold(f64::INFINITY, f64::min)
        };
        (least(1.0), least(-1.0))
    }

    /// Σ|β_i| k(x_i,x_i).
    fn spread(&self, state: &State) -> f64 {
        self.program.rows.iter().zip(&state.beta).map(|(&row, b)| b.abs() * self.diagonal[row].abs()).sum()
    }

    /// The largest squared distance in feature space from the first row to another.
    fn extent(&self) -> f64 {
        let mut row = vec![0.0; self.problem.len()];
        self.problem.gram().rows_double(&[0], &mut row);
        let apart = |j: usize| self.diagonal[0] + self.diagonal[j] - 2.0 * row[j];
        (0..row.len()).map(apart).fold(0.0, f64::max)
    }

    /// Whether the nearest points are nearer than so much (squared), and f does not tell the classes apart.
    fn meet(&self, state: &State, squared: f64) -> bool {
        let (plus, minus) = self.nearest(&state.scores);
        0.25 * state.norm2 <= squared && plus + minus <= 0.0
    }

    fn common_point(&self, state: &State) -> CommonPoint {
        let y = self.problem.y();
        let row = |(&row, b): (&usize, &f64)| (row, y[row], 0.5 * b.abs());
        let rows = self.program.rows.iter().zip(&state.beta).filter(|(_, b)| **b != 0.0).map(row).collect();
        CommonPoint { rows, distance: 0.25 * state.norm2.max(0.0), scale: self.extent() }
    }
}

impl Reading for Hulls<'_> {
    fn objectives(&self, state: &State) -> (f64, f64) {
        let (plus, minus) = self.nearest(&state.scores);
        let margin = 0.5 * (plus + minus);
        let primal = if margin > 0.0 { 0.5 * state.norm2 / (margin * margin) } else { f64::MAX };
        (primal.min(f64::MAX), if state.norm2 > 0.0 { (2.0 / state.norm2).min(f64::MAX) } else { 0.0 })
    }

    fn unit(&self, state: &State) -> f64 {
        (0.5 * state.norm2).max(f64::MIN_POSITIVE)
    }

    fn is_hopeless(&self, state: &State) -> bool {
        self.meet(state, MEET * 0.5 * self.spread(state))
    }
}
