//! The soft-margin machine in its kernelized primal form,
//!
//! ```text
//! minimise aᵀKa + Σ_i ρ_i u_i   subject to   y_i((Ka)_i + b) ≥ 1 − u_i ,  u_i ≥ 0 ,   ρ_i = 2C_i
//! ```
//!
//! (`docs/maths.md` §4.5), by an interior-point method, for small n. Where K is singular a is not unique: any a with the
//! same Ka is as good. The multipliers z of the margin constraints give the same function, since 2Ka = K(y∘z), and lie in
//! the box of the dual, 0 ≤ z_i ≤ 2C_i: α_i = y_i z_i/2 comes back, which can be certified as it is.

use mercer_linalg::Budget;

use super::conic::Program;
use super::feasible::{boxes, settle};
use super::portions::load;
use super::{qp, squares};
use crate::loss::{Hinge, Loss};
use crate::{Footprint, Problem, Run, Sizes, Solution, SolveError, Solver, Status};

/// The soft-margin machine in primal form, by an interior-point method.
#[derive(Debug, Clone, Copy, Default)]
pub struct PrimalQp {
    /// What the matrices of the solver may take.
    pub budget: Budget,
}

/// Rows at most: K is there twice, as objective and as constraint.
const MOST: usize = 1000;

impl Solver for PrimalQp {
    fn name(&self) -> &'static str {
        "primal"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let solver = self.name();
        let loss = squares::risk(solver, problem)?;
        if !is_hinge(loss) {
            let reason = "it is written for the hinge; qp and smo solve other losses".to_owned();
            return Err(SolveError::Unsuited { solver, reason });
        }
        qp::small(solver, problem.len(), MOST, 256, self.budget)?;
        let rows = squares::active(problem);
        if rows.is_empty() {
            return Ok(squares::nothing(problem, run, loss));
        }
        let entries = match load(problem.gram(), &rows, run) {
            Ok(entries) => entries,
            Err(status) => return Ok(squares::unfinished(problem, start, run, status)),
        };
        let scale = scale(problem, &rows, &entries);
        let (answer, stopped) = program(problem, &rows, &entries, scale).solve(run)?;
        let Some(answer) = answer else {
            return Ok(squares::unfinished(problem, start, run, stopped.unwrap_or(Status::Stalled)));
        };
        let status = stopped.unwrap_or(answer.status);
        let mut alpha = vec![0.0; problem.len()];
        for (k, &i) in rows.iter().enumerate() {
            let (z, slack) = (answer.multipliers[k], answer.slacks[k]);
            // A constraint with room has no multiplier.
            alpha[i] = if z < 1e-4 * slack { 0.0 } else { 0.5 * problem.y()[i] * scale * z };
        }
        settle(&mut alpha, &boxes(problem, loss), problem.offset());
        qp::finish(problem, loss, vec![alpha], (status, answer.iterations), run)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        qp::small(self.name(), sizes.rows, MOST, 256, self.budget)
    }
}

/// Whether a loss is max(0, 1−yf), by values that tell it from the other losses of labels.
fn is_hinge(loss: &dyn Loss) -> bool {
    loss.quadratic(1.0) == Hinge.quadratic(1.0)
        && loss.quadratic(-1.0) == Hinge.quadratic(-1.0)
        && loss.domain(1.0) == Hinge.domain(1.0)
        && loss.domain(-1.0) == Hinge.domain(-1.0)
}

/// The size of coefficients: the largest C, or what one row needs to reach its margin.
fn scale(problem: &Problem<'_>, rows: &[usize], entries: &[f64]) -> f64 {
    let m = rows.len();
    let bound = rows.iter().map(|&i| problem.bound(i)).fold(0.0, f64::max);
    let mean = (0..m).map(|k| entries[k * m + k]).sum::<f64>() / m as f64;
    let scale = bound.min(mean.recip());
    if scale.is_normal() { scale } else { bound }
}

/// Variables a/scale (m), u (m) and b; the objective in units of the scale, so that multipliers are too.
fn program(problem: &Problem<'_>, rows: &[usize], entries: &[f64], scale: f64) -> Program {
    let m = rows.len();
    let mut program = Program::default();
    program.linear.extend(std::iter::repeat_n(0.0, m));
    program.linear.extend(rows.iter().map(|&i| 2.0 * problem.bound(i) / scale));
    for k in 0..m {
        program.quadratic.extend((0..=k).map(|j| (j, k, 2.0 * scale * entries[j * m + k])));
    }
    if problem.offset() {
        program.linear.push(0.0);
    }
    for (k, &i) in rows.iter().enumerate() {
        let y = problem.y()[i];
        let terms = (0..m).map(|j| (j, -y * scale * entries[k * m + j]));
        let offset = problem.offset().then_some((2 * m, -y));
        program.constrain(terms.chain([(m + k, -1.0)]).chain(offset), -1.0);
    }
    for k in 0..m {
        program.constrain([(m + k, -1.0)], 0.0);
    }
    program
}
