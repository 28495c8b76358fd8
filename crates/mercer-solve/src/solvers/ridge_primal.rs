//! Ridge regression on explicit features in the primal,
//!
//! ```text
//! w = (XᵀWX + λnI)⁻¹ XᵀWy ,    α_i = w_i(y_i − ⟨w,x_i⟩ − b)/(λn)
//! ```
//!
//! (`docs/maths.md` §4.8; Hoerl and Kennard, 1970). The cheaper side where there are more rows than features: one d×d
//! array. With an offset the columns and targets are centred at their weighted means first.

use mercer_gram::Gram;
use mercer_linalg::{Budget, Buffer};
use rayon::prelude::*;

use super::squares;
use super::system::{Fault, System};
use crate::{Features, Footprint, Problem, Run, Sizes, Solution, SolveError, Solver};

/// Ridge regression by a d×d system. The problem's Gram matrix must be that of these features.
///
/// ```
/// use mercer_solve::{Features, Objective, Problem, Run, Solver, Tolerance, loss::Squared, solvers::RidgePrimal};
/// let features = Features::new(2, 1, vec![1.0, 2.0]).unwrap();
/// // w = (1 + 4 + 2λ)⁻¹·(1·3 + 2·4) with λ = ½.
/// let problem = Problem::new(&features, &[3.0, 4.0], Objective::Risk(&Squared), 0.5, false).unwrap();
/// let solver = RidgePrimal { features: &features, budget: Default::default() };
/// let solution = solver.solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert!((solution.weights.unwrap()[0] - 11.0 / 6.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RidgePrimal<'a> {
    /// X.
    pub features: &'a Features,
    /// Memory for the matrix of the system.
    pub budget: Budget,
}

impl RidgePrimal<'_> {
    /// An array of d×d.
    fn afford(&self) -> Result<Footprint, SolveError> {
        let instead = "choose solver ridge-dual or cg, or raise --memory";
        squares::afford(self.name(), self.features.dimension(), 8, self.budget, instead)
    }
}

impl Solver for RidgePrimal<'_> {
    fn name(&self) -> &'static str {
        "ridge-primal"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let (solver, features) = (self.name(), self.features);
        squares::check(solver, problem)?;
        same_rows(features, problem)?;
        self.afford()?;
        let rows = squares::active(problem);
        if rows.is_empty() {
            let mut solution = squares::nothing(problem, run, squares::risk(solver, problem)?);
            solution.weights = Some(vec![0.0; features.dimension()]);
            return Ok(solution);
        }
        let centre = Centre::of(problem, features, &rows);
        let solved =
            normal_equations(problem, features, &rows, &centre, run).and_then(|(entries, target)| {
                let ridge = vec![problem.lambda() * problem.len() as f64; target.len()];
                System::new(entries, ridge, run)?.solve(&target, None, run)
            });
        match solved {
            Ok(answer) => Ok(expand(problem, features, &rows, &centre, answer.alpha, run)),
            Err(Fault::Stopped(status)) => Ok(squares::unfinished(problem, start, run, status)),
            Err(Fault::Failed(error)) => Err(error),
        }
    }

    fn footprint(&self, _sizes: &Sizes) -> Result<Footprint, SolveError> {
        self.afford()
    }
}

/// An error unless there is a row of features for each row of the problem.
pub(super) fn same_rows(features: &Features, problem: &Problem<'_>) -> Result<(), SolveError> {
    let (expected, found) = (problem.len(), features.len());
    if expected == found {
        Ok(())
    } else {
        Err(SolveError::Shape { what: "rows of features", expected, found })
    }
}

/// Weighted means of columns and targets; zero without offset.
struct Centre {
    columns: Vec<f64>,
    target: f64,
}

impl Centre {
    fn of(problem: &Problem<'_>, features: &Features, rows: &[usize]) -> Self {
        let mut columns = vec![0.0; features.dimension()];
        let mut target = 0.0;
        if problem.offset() {
            let total: f64 = rows.iter().map(|&i| problem.weight(i)).sum();
            for &i in rows {
                let share = problem.weight(i) / total;
                target += share * problem.y()[i];
                columns.iter_mut().zip(features.row(i)).for_each(|(c, x)| *c += share * x);
            }
        }
        Self { columns, target }
    }
}

/// XᵀWX and XᵀWy, centred.
fn normal_equations(
    problem: &Problem<'_>,
    features: &Features,
    rows: &[usize],
    centre: &Centre,
    run: &Run<'_>,
) -> Result<(Buffer<f64>, Vec<f64>), Fault> {
    const STRIP: usize = 8;
    let d = features.dimension();
    let mut entries = Buffer::zeros(d * d);
    let mut target = vec![0.0; d];
    let mut row = vec![0.0; d];
    // A few rows at a time, so that a stop is heard; each strip of the result is summed in the order of the rows.
    for some in rows.chunks((1 << 22) / (d * d + 1) + 1) {
        if let Some(status) = run.stop() {
            return Err(Fault::Stopped(status));
        }
        let mut block = Vec::with_capacity(some.len() * d);
        for &i in some {
            row.iter_mut().zip(features.row(i)).zip(&centre.columns).for_each(|((r, x), c)| *r = x - c);
            let w = problem.weight(i);
            let y = w * (problem.y()[i] - centre.target);
            target.iter_mut().zip(&row).for_each(|(t, x)| *t += y * x);
            block.extend(row.iter().map(|x| x * w.sqrt()));
        }
        entries.par_chunks_mut((STRIP * d).max(1)).enumerate().for_each(|(strip, out)| {
            for x in block.chunks_exact(d) {
                for (out, a) in out.chunks_exact_mut(d).zip(&x[strip * STRIP..]) {
                    out.iter_mut().zip(x).for_each(|(out, b)| *out += a * b);
                }
            }
        });
    }
    Ok((entries, target))
}

fn expand(
    problem: &Problem<'_>,
    features: &Features,
    rows: &[usize],
    centre: &Centre,
    weights: Vec<f64>,
    run: &mut Run<'_>,
) -> Solution {
    let bias = centre.target - centre.columns.iter().zip(&weights).map(|(c, w)| c * w).sum::<f64>();
    let alpha: Vec<f64> = rows
        .iter()
        .map(|&i| problem.bound(i) * (problem.y()[i] - features.score(i, &weights) - bias))
        .collect();
    let mut all = vec![0.0; problem.len()];
    rows.iter().zip(&alpha).for_each(|(&i, &a)| all[i] = a);
    // The scores of α, not of w: they differ by rounding times the condition of the problem, which is to be seen.
    let from_alpha = features.weights(&all);
    let scores: Vec<f64> = rows.iter().map(|&i| features.score(i, &from_alpha)).collect();
    let mut solution = squares::finish(problem, run, rows, (alpha, bias, scores), (None, 1));
    solution.weights = Some(weights);
    solution
}
