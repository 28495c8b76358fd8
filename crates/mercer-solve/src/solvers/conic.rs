//! Small quadratic programs, given to the interior-point method clarabel,
//!
//! ```text
//! minimise ½xᵀPx + qᵀx   subject to   a_k·x = c_k (the first rows) ,   a_k·x ≤ c_k (the others)
//! ```
//!
//! (Goulart and Chen, Clarabel, 2024). One iteration cannot be interrupted, so the method runs on a thread of its own.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultInfo, DefaultSettings, DefaultSolver, IPSolver, SolverStatus,
    SupportedConeT::{NonnegativeConeT, ZeroConeT},
};

use super::aside::{Waiting, aside};
use crate::{Progress, Run, SolveError, Status};

/// A quadratic program.
#[derive(Debug, Clone, Default)]
pub(super) struct Program {
    /// q.
    pub(super) linear: Vec<f64>,
    /// P: the upper triangle, (row, column, value), without repetitions.
    pub(super) quadratic: Vec<(usize, usize, f64)>,
    /// The constraints: (row, column, value).
    pub(super) constraints: Vec<(usize, usize, f64)>,
    /// c; how many rows there are.
    pub(super) limits: Vec<f64>,
    /// How many of the first rows are equations.
    pub(super) equations: usize,
}

/// A point with its multipliers.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    /// x.
    pub(super) x: Vec<f64>,
    /// Multipliers of the constraints.
    pub(super) multipliers: Vec<f64>,
    /// c − a·x.
    pub(super) slacks: Vec<f64>,
    /// Iterations.
    pub(super) iterations: u64,
    /// How the method ended.
    pub(super) status: Status,
}

impl Program {
    /// Adds Σ value·x_column ≤ limit (an equation if it is among the first `equations`).
    pub(super) fn constrain(&mut self, terms: impl IntoIterator<Item = (usize, f64)>, limit: f64) -> usize {
        let row = self.limits.len();
        self.constraints.extend(terms.into_iter().map(|(column, value)| (row, column, value)));
        self.limits.push(limit);
        row
    }

    /// Solves it; no answer where it was stopped before there was one.
    pub(super) fn solve(self, run: &mut Run<'_>) -> Result<(Option<Answer>, Option<Status>), SolveError> {
        let limit = run.limits().iterations;
        let (answer, stopped) = aside(run, move |waiting| self.work(limit, waiting))?;
        let answer = answer.transpose().map_err(SolveError::Numerical)?;
        Ok((answer.filter(|answer| answer.x.iter().all(|x| x.is_finite())), stopped))
    }

    fn work(self, limit: Option<u64>, waiting: &Waiting<Result<Answer, String>>) -> Result<Answer, String> {
        let (size, count) = (self.linear.len(), self.limits.len());
        let quadratic = compressed(size, size, self.quadratic);
        let constraints = compressed(count, size, self.constraints);
        let cones = [ZeroConeT(self.equations), NonnegativeConeT(count - self.equations)];
        let mut solver =
            DefaultSolver::new(&quadratic, &self.linear, &constraints, &self.limits, &cones, settings(limit))
                .map_err(|error| error.to_string())?;
        let theirs = waiting.clone();
        solver.set_termination_callback(move |info: &DefaultInfo<f64>| {
            theirs.report(Progress { iteration: u64::from(info.iterations), ..Progress::default() });
            theirs.stopped()
        });
        solver.solve();
        let found = solver.solution;
        let status = match found.status {
            SolverStatus::Solved => Status::Solved,
            SolverStatus::MaxIterations => Status::IterationLimit,
            SolverStatus::CallbackTerminated => Status::Stopped,
            _ => Status::Stalled,
        };
        let (x, multipliers, slacks) = (found.x, found.z, found.s);
        Ok(Answer { x, multipliers, slacks, iterations: u64::from(found.iterations), status })
    }
}

/// As accurate as it goes: it stops by itself where rounding ends progress.
fn settings(limit: Option<u64>) -> DefaultSettings<f64> {
    let most = limit.map_or(u32::MAX, |limit| u32::try_from(limit).unwrap_or(u32::MAX));
    DefaultSettings {
        verbose: false,
        max_iter: most.clamp(1, 200),
        tol_gap_abs: 1e-13,
        tol_gap_rel: 1e-13,
        tol_feas: 1e-12,
        ..DefaultSettings::default()
    }
}

/// Compressed columns from triplets.
fn compressed(rows: usize, columns: usize, mut entries: Vec<(usize, usize, f64)>) -> CscMatrix<f64> {
    entries.sort_unstable_by_key(|&(row, column, _)| (column, row));
    let mut starts = vec![0; columns + 1];
    entries.iter().for_each(|&(_, column, _)| starts[column + 1] += 1);
    (0..columns).for_each(|column| starts[column + 1] += starts[column]);
    let places = entries.iter().map(|&(row, _, _)| row).collect();
    let values = entries.iter().map(|&(_, _, value)| value).collect();
    CscMatrix::new(rows, columns, starts, places, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tolerance;

    #[test]
    fn a_program_with_a_known_answer() {
        // min x² + y² − 2x − 6y with x + y = 2 and y ≤ 1.5: y = 1.5, x = 0.5.
        let mut program = Program {
            linear: vec![-2.0, -6.0],
            quadratic: vec![(0, 0, 2.0), (1, 1, 2.0)],
            equations: 1,
            ..Program::default()
        };
        program.constrain([(0, 1.0), (1, 1.0)], 2.0);
        program.constrain([(1, 1.0)], 1.5);
        let (answer, stopped) = program.solve(&mut Run::quiet(Tolerance::default())).unwrap();
        let answer = answer.unwrap();
        assert_eq!((stopped, answer.status), (None, Status::Solved));
        assert!((answer.x[0] - 0.5).abs() < 1e-9 && (answer.x[1] - 1.5).abs() < 1e-9);
        // Stationarity in x: 2x − 2 + ν = 0; in y: 2y − 6 + ν + z = 0.
        assert!((answer.multipliers[1] - 2.0).abs() < 1e-8 && answer.slacks[1] < 1e-8);
    }

    #[test]
    fn no_constraint_is_fine() {
        let program = Program { linear: vec![-2.0], quadratic: vec![(0, 0, 2.0)], ..Program::default() };
        let (answer, _) = program.solve(&mut Run::quiet(Tolerance::default())).unwrap();
        assert!((answer.unwrap().x[0] - 1.0).abs() < 1e-9);
    }
}
