//! Sequential minimal optimisation by blocks: the dual of a regularised risk whose conjugate is quadratic.
//!
//! ```text
//! minimise over α:   ½αᵀKα + Σ_i ( −l_i α_i + ε|α_i| + q/(2C_i)·α_i² )      α_i ∈ −C_i·[domain of ℓ*],   Σα = 0 with an offset
//! ```
//!
//! where ℓ*(y,u) = l·u + ε|u| + (q/2)u² (`docs/maths.md` §3.1, §4.5): the hinge and its square, the ε-insensitive, pinball,
//! Huber and squared losses. Where ε > 0 a row has two variables, one of each sign. Platt 1998; Fan, Chen, Lin 2005.

use mercer_linalg::Budget;

use super::decomposition::{Program, Reading, Settings, State, Variable, footprint, minimise};
use crate::certify::best_offset_near;
use crate::loss::Loss;
use crate::{Footprint, Objective, Penalty, Problem, Run, Sizes, Solution, SolveError, Solver, Status};

/// The dual by pairs of variables, in blocks; its memory is a cache of kernel rows.
///
/// ```
/// use mercer_gram::Lazy;
/// use mercer_solve::{Objective, Problem, Run, Solver, Tolerance, certify, loss::Hinge, solvers::Smo};
/// let mut table = mercer_points::read("@xor(n=40)", &Default::default()).unwrap();
/// table.remove("label").unwrap();
/// let y: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
/// let gram = Lazy::new(&"rbf(sigma=1)".parse().unwrap(), &table).unwrap();
/// let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 0.1, true).unwrap();
/// let asked = Tolerance { gap: None, violation: Some(1e-3) };
/// let solution = Smo::default().solve(&problem, None, &mut Run::quiet(asked)).unwrap();
/// assert!(certify(&problem, &solution).violation <= 1e-3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Smo {
    /// Memory for kernel rows.
    pub budget: Budget,
}

impl Solver for Smo {
    fn name(&self) -> &'static str {
        "smo"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let loss = suited(problem)?;
        let program = program(problem, loss)?;
        let reading = Risk::new(problem, loss);
        let settings = Settings { budget: self.budget, double: false };
        let start = start.map(|start| program.fitted(start));
        let outcome = minimise(&program, problem.gram(), &reading, start, settings, run)?;
        let bias = match (problem.offset(), outcome.status) {
            (false, _) => 0.0,
            // The best offset takes many passes over the rows: not for someone who is waiting.
            (true, Status::Stopped | Status::TimeLimit) => reading.bias(&outcome.state),
            (true, _) => best_offset_near(problem, loss, &outcome.state.scores, reading.bias(&outcome.state)),
        };
        let alpha = program.alpha(&outcome.state.beta, problem.len());
        let mut solution = run.solution(alpha, bias, outcome.status, outcome.iterations);
        solution.scores = Some(outcome.state.scores);
        Ok(solution)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        Ok(footprint(sizes, Settings { budget: self.budget, double: false }))
    }
}

fn suited<'a>(problem: &Problem<'a>) -> Result<&'a dyn Loss, SolveError> {
    let refuse = |reason: &str| Err(SolveError::Unsuited { solver: "smo", reason: reason.to_owned() });
    if problem.penalty() == Penalty::Norm {
        return refuse("its penalty is the norm itself; wrap the solver in 'norm'");
    }
    match problem.objective() {
        Objective::Risk(loss) if loss.quadratic(problem.y()[0]).is_some() => Ok(loss),
        Objective::Risk(_) => refuse(
            "the conjugate of its loss is not quadratic; 'newton' solves smooth losses such as the logistic",
        ),
        Objective::HardMargin => refuse("it is a hard margin; use 'hard-margin'"),
        Objective::Separation => refuse("it asks for a separation only; use 'perceptron'"),
        Objective::NuClassification { .. } => refuse("it is a nu classification; use 'nu-svc'"),
        Objective::NuRegression { .. } => refuse("it is a nu regression; use 'nu-svr'"),
        Objective::OneClass { .. } => refuse("it has one class; use 'one-class'"),
    }
}

fn program(problem: &Problem<'_>, loss: &dyn Loss) -> Result<Program, SolveError> {
    let mut program = Program::default();
    for row in 0..problem.len() {
        let (y, c) = (problem.y()[row], problem.bound(row));
        if c == 0.0 {
            continue;
        }
        let Some(form) = loss.quadratic(y) else { continue };
        let ridge = form.curvature / c;
        if !(c.is_finite() && ridge.is_finite()) {
            let range = "so large that w/(lambda n) is a finite number".to_owned();
            return Err(SolveError::Parameter { name: "lambda".to_owned(), value: problem.lambda(), range });
        }
        let (low, high) = loss.domain(y);
        let end = |u: f64| if u == 0.0 { 0.0 } else { -c * u };
        let (lower, upper) = (end(high), end(low));
        let part = |price: f64, lower: f64, upper: f64| Variable {
            row,
            linear: price - form.linear,
            ridge,
            lower,
            upper,
        };
        if form.kink > 0.0 {
            program.push(part(form.kink, 0.0, upper));
            program.push(part(-form.kink, lower, 0.0));
        } else {
            program.push(part(0.0, lower, upper));
        }
    }
    if problem.offset() {
        program.close_group(0.0);
    }
    Ok(program)
}

/// A state of the program as a solution of the risk: the offset is minus the multiplier of the sum.
struct Risk<'a> {
    problem: &'a Problem<'a>,
    loss: &'a dyn Loss,
    scale: f64,
    unit: f64,
}

impl<'a> Risk<'a> {
    fn new(problem: &'a Problem<'a>, loss: &'a dyn Loss) -> Self {
        let n = problem.len();
        let at_zero = |i: usize| problem.weight(i) * loss.value(problem.y()[i], 0.0);
        let scale = (0..n).map(at_zero).sum::<f64>() / n as f64;
        // The certificate measures smooth losses in slopes, q times less than a score.
        let curvature = loss.quadratic(problem.y()[0]).map_or(0.0, |form| form.curvature);
        Self { problem, loss, scale, unit: if curvature > 0.0 { curvature } else { 1.0 } }
    }

    fn bias(&self, state: &State) -> f64 {
        -state.levels.first().copied().unwrap_or(0.0)
    }
}

impl Reading for Risk<'_> {
    fn objectives(&self, state: &State) -> (f64, f64) {
        let (problem, bias) = (self.problem, self.bias(state));
        let loss = |i: usize| match problem.weight(i) {
            0.0 => 0.0,
            w => w * self.loss.value(problem.y()[i], state.scores[i] + bias),
        };
        let risk = (0..problem.len()).map(loss).sum::<f64>() / problem.len() as f64;
        (risk + 0.5 * problem.lambda() * state.norm2, -problem.lambda() * state.objective)
    }

    fn scale(&self) -> f64 {
        self.scale
    }

    fn unit(&self, _state: &State) -> f64 {
        self.unit
    }
}
