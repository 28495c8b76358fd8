//! The certificate: how close to optimal a solution is, from the problem and α alone (`docs/maths.md` §3.2).
//!
//! Scores Kα are computed from α and `f64` entries, wherever they count: a row whose coefficient is kept at the end of its
//! box by a wide margin has a residual of zero whatever the last digits of its score, and a score in single precision
//! will do, which [`Basis`] then says. The dual value of α, projected into the dual domain where it lies outside, bounds the
//! optimum from below whoever found it.

mod certificate;
mod feasible;
mod margin;
mod norm;
mod nu;
mod offset;
mod offsets;
mod project;
mod risk;
mod simplex;
mod softmax;

pub(crate) use certificate::relative_gap;
pub use certificate::{Basis, Certificate, Claim, Convexity, KktClass, RowReport};
pub(crate) use nu::level;
pub(crate) use offset::{best_offset, best_offset_near};
pub(crate) use offsets::best_offsets;
pub(crate) use project::project;
pub(crate) use risk::violation;
pub(crate) use simplex::{DualPoint, dual_point};
pub use softmax::{certify_softmax, certify_softmax_until};

use std::time::Instant;

use mercer_gram::{Gram, Precision};

use crate::{Objective, Penalty, Problem, Solution};

/// What the solution is worth.
///
/// # Panics
/// Where the solution has another number of coefficients than the problem has rows.
///
/// ```
/// use mercer_gram::{Lazy, Stored};
/// use mercer_solve::{Objective, Problem, Run, Solver, Tolerance, certify, loss::Hinge, solvers::Smo};
/// let mut table = mercer_points::read("@moons(n=60)", &Default::default()).unwrap();
/// table.remove("label").unwrap();
/// let y: Vec<f64> = (0..60).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
/// let gram = Lazy::new(&"rbf(sigma=0.3)".parse().unwrap(), &table).unwrap();
/// let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 0.01, true).unwrap();
/// let solution = Smo::default().solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// let certificate = certify(&problem, &solution);
/// assert!(certificate.relative_gap <= 1e-6);
/// ```
pub fn certify(problem: &Problem<'_>, solution: &Solution) -> Certificate {
    certify_until(problem, solution, None)
}

/// The same, but no later than a deadline where the solver kept its scores: those are then used, and a sample of rows is
/// computed again to say how far off they are.
///
/// # Panics
/// Where the solution has another number of coefficients than the problem has rows.
pub fn certify_until(problem: &Problem<'_>, solution: &Solution, deadline: Option<Instant>) -> Certificate {
    let n = problem.len();
    assert_eq!(solution.alpha.len(), n, "a solution of this problem has a coefficient for each row");
    let kept = solution.scores.as_ref().filter(|scores| scores.len() == n);
    let deadline = deadline.filter(|_| kept.is_some());
    let gram = problem.gram();
    let recalled = gram.recall(&solution.alpha).filter(|(scores, rough)| {
        let has_none = rough.iter().all(|&row| solution.alpha[row] == 0.0);
        // Where ‖f‖ itself is a part of the gap, or nothing but rounding, single precision will not do.
        let serves = problem.penalty() == Penalty::Squared && dot(&solution.alpha, scores) > 0.0;
        (has_none || serves) && is_borne_out(gram, &solution.alpha, scores, rough)
    });
    let (scores, rough, are_kept) = match recalled {
        Some((scores, rough)) => (scores, Some(rough), false),
        None => match (products(gram, &solution.alpha, deadline), kept) {
            (Some(scores), _) => (scores, None, false),
            (None, Some(kept)) => (kept.clone(), None, true),
            (None, None) => (vec![f64::NAN; n], None, false),
        },
    };
    let (mut certificate, basis) = rayon::join(
        || judge(problem, solution, &scores, deadline),
        || match rough {
            Some(rough) if !rough.is_empty() => {
                let (checked, difference) = sample(gram, &solution.alpha, &scores, &rough);
                Basis::Sufficient { rough: rough.len(), checked, difference }
            }
            None if are_kept => {
                let (checked, difference) =
                    sample(gram, &solution.alpha, &scores, &(0..n).collect::<Vec<_>>());
                Basis::Kept { checked, difference }
            }
            _ => Basis::Recomputed,
        },
    );
    certificate.basis = basis;
    // Scores that were kept may be off by more than αᵀKα is: they refute no kernel.
    if matches!(basis, Basis::Kept { .. }) && matches!(certificate.convexity, Convexity::Refuted { .. }) {
        certificate.convexity = Convexity::Assumed;
    }
    certificate
}

/// The certificate at given scores.
fn judge(
    problem: &Problem<'_>,
    solution: &Solution,
    scores: &[f64],
    deadline: Option<Instant>,
) -> Certificate {
    match problem.objective() {
        Objective::Risk(loss) => match problem.penalty() {
            Penalty::Squared => risk::certify(problem, loss, solution, scores, deadline),
            Penalty::Norm => norm::certify(problem, loss, &solution.alpha, scores, deadline),
        },
        Objective::HardMargin => margin::hard(problem, &solution.alpha, scores, deadline),
        Objective::Separation => margin::separation(problem, solution, scores),
        Objective::NuClassification { nu } => {
            nu::classification(problem, nu, &solution.alpha, scores, deadline)
        }
        Objective::NuRegression { nu } => nu::regression(problem, nu, &solution.alpha, scores, deadline),
        Objective::OneClass { nu } => nu::one_class(problem, nu, &solution.alpha, scores, deadline),
    }
}

/// Kα from accurate entries, support rows only; none if it would not be done by the deadline, judged by its pace.
pub(crate) fn products(gram: &dyn Gram, alpha: &[f64], deadline: Option<Instant>) -> Option<Vec<f64>> {
    if alpha.iter().all(|a| *a == 0.0) {
        return Some(vec![0.0; alpha.len()]);
    }
    let started = Instant::now();
    gram.products(alpha, &|done, all| {
        let Some(deadline) = deadline else { return false };
        let now = Instant::now();
        let pace = (now - started).as_secs_f64() / done.max(1) as f64;
        now >= deadline || pace * (all - done) as f64 > (deadline - now).as_secs_f64()
    })
}

/// Rows that are computed again when there is no time for all.
const SAMPLE: usize = 32;

/// How many of some rows are computed again, and how far off the worst of them is.
fn sample(gram: &dyn Gram, alpha: &[f64], kept: &[f64], among: &[usize]) -> (usize, f64) {
    let count = SAMPLE.min(among.len());
    let rows: Vec<usize> = (0..count).map(|k| among[k * among.len() / count]).collect();
    let found = gram.products_at(&rows, alpha, Precision::Double, &|_, _| false).unwrap_or_default();
    let off = rows.iter().zip(&found).map(|(&row, exact)| (exact - kept[row]).abs());
    // What is not a number is as far off as can be, and stays one that files can hold.
    let worst = off.fold(0.0, |worst: f64, off| if off <= f64::MAX { worst.max(off) } else { f64::MAX });
    (rows.len(), worst)
}

/// Whether what a solver calls accurate is so at a sample of these rows. If not, nothing that it says is believed.
fn is_borne_out(gram: &dyn Gram, alpha: &[f64], scores: &[f64], rough: &[usize]) -> bool {
    /// Of sums in f64, in units of the largest that they could be.
    const ROUNDING: f64 = 1e-10;
    let mut is_rough = vec![false; alpha.len()];
    rough.iter().for_each(|&row| is_rough[row] = true);
    let exact: Vec<usize> = (0..alpha.len()).filter(|&row| !is_rough[row]).collect();
    let (_, worst) = sample(gram, alpha, scores, &exact);
    let mut diagonal = vec![0.0; alpha.len()];
    gram.diagonal(&mut diagonal);
    let largest = diagonal.iter().fold(0.0, |largest: f64, k| largest.max(k.abs()));
    worst <= ROUNDING * largest * alpha.iter().map(|a| a.abs()).sum::<f64>()
}

/// αᵀKα.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
