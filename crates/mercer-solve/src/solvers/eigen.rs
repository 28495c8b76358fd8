//! Kernel ridge regression for every λ at once, from K = UΛUᵀ,
//!
//! ```text
//! α(λ) = U(Λ+λnI)⁻¹Uᵀy ,     y_i − f^{(−i)}(x_i) = α_i / G_ii ,   G = (K+λnI)⁻¹
//! ```
//!
//! (`docs/maths.md` §4.9; Rifkin and Lippert, 2007). With an offset G is the block of the inverse of the bordered system,
//! G − zzᵀ/Σz with z = G1. Unit weights. The decomposition costs some twenty factorisations; each λ after it n².

use mercer_gram::Gram;
use mercer_linalg::{Budget, Buffer, eigh};
use rayon::prelude::*;

use super::aside::aside;
use super::portions::{dot, load};
use super::squares;
use crate::{Footprint, Problem, Run, Sizes, Solution, SolveError, Solver, Tolerance};

/// Kernel ridge regression by eigendecomposition.
#[derive(Debug, Clone, Copy, Default)]
pub struct Eigen {
    /// What the n×n arrays may take.
    pub budget: Budget,
}

impl Solver for Eigen {
    fn name(&self) -> &'static str {
        "eigen"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        decomposed(problem, &mut None, self.budget, start, run)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        afford(sizes.rows, self.budget)
    }
}

/// Five n×n arrays, for a while.
pub(super) fn afford(rows: usize, budget: Budget) -> Result<Footprint, SolveError> {
    squares::afford("eigen", rows, 40, budget, "choose solver cholesky or cg, or raise --memory")
}

/// The solution by a decomposition of the problem's Gram matrix, which is made where there is none yet.
pub(super) fn decomposed(
    problem: &Problem<'_>,
    kept: &mut Option<EigenRidge>,
    budget: Budget,
    start: Option<&Solution>,
    run: &mut Run<'_>,
) -> Result<Solution, SolveError> {
    let solver = "eigen";
    squares::check(solver, problem)?;
    if (0..problem.len()).any(|i| problem.weight(i) != 1.0) {
        let reason = "its rows weigh the same; cholesky and cg take weights".to_owned();
        return Err(SolveError::Unsuited { solver, reason });
    }
    let rows = squares::active(problem);
    if rows.is_empty() {
        return Ok(squares::nothing(problem, run, squares::risk(solver, problem)?));
    }
    let ridge = match kept.take() {
        Some(ridge) => Some(ridge),
        None => EigenRidge::watched(problem.gram(), budget, run)?,
    };
    let Some(ridge) = ridge else {
        let status = run.stop().unwrap_or(crate::Status::Stopped);
        return Ok(squares::unfinished(problem, start, run, status));
    };
    let ridge = kept.insert(ridge);
    let (alpha, bias) = if problem.offset() {
        ridge.alpha_and_offset(problem.y(), problem.lambda())?
    } else {
        (ridge.alpha(problem.y(), problem.lambda())?, 0.0)
    };
    let scores = ridge.scores(&alpha);
    Ok(squares::finish(problem, run, &rows, (alpha, bias, scores), (None, 1)))
}

/// A decomposed Gram matrix: kernel ridge regression for any targets and any λ at the price of a product.
///
/// ```
/// use mercer_linalg::Budget;
/// use mercer_solve::{Features, solvers::EigenRidge};
/// let gram = Features::new(2, 1, vec![1.0, 2.0]).unwrap();
/// let ridge = EigenRidge::new(&gram, Budget::default()).unwrap();
/// let alpha = ridge.alpha(&[3.0, 4.0], 0.5).unwrap();
/// assert!((alpha[0] - 7.0 / 6.0).abs() < 1e-14);
/// // Without the first row, at the same λn = 1: w = 8/5, so that the first row is missed by 3 − 8/5.
/// assert!((ridge.leave_one_out(&[3.0, 4.0], 0.5).unwrap()[0] - 1.4).abs() < 1e-14);
/// ```
#[derive(Debug, Clone)]
pub struct EigenRidge {
    values: Vec<f64>,
    /// Eigenvectors, one after the other.
    vectors: Vec<f64>,
}

impl EigenRidge {
    /// Decomposes K, which takes five arrays of n×n for a while.
    pub fn new(gram: &dyn Gram, budget: Budget) -> Result<Self, SolveError> {
        let found = Self::watched(gram, budget, &mut Run::quiet(Tolerance::default()))?;
        Ok(found.expect("a run without limits that nobody watches is not stopped"))
    }

    /// The same in a run that may stop it; none if so.
    pub fn watched(gram: &dyn Gram, budget: Budget, run: &mut Run<'_>) -> Result<Option<Self>, SolveError> {
        let n = gram.len();
        afford(n, budget)?;
        let rows: Vec<usize> = (0..n).collect();
        let Ok(entries) = load(gram, &rows, run) else { return Ok(None) };
        let decompose = move |entries: Buffer<f64>| eigh(n, &entries);
        let (found, _) = aside(run, move |_| decompose(entries))?;
        match found {
            None => Ok(None),
            Some(Ok((values, vectors))) => Ok(Some(Self { values: cleared(values), vectors })),
            Some(Err(error)) => Err(SolveError::Numerical(error.to_string())),
        }
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Eigenvalues of K, ascending.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.values
    }

    /// α(λ) without offset.
    pub fn alpha(&self, y: &[f64], lambda: f64) -> Result<Vec<f64>, SolveError> {
        let inverse = self.inverse(lambda)?;
        self.check(y)?;
        Ok(self.transform(y, &inverse))
    }

    /// α(λ) and b.
    pub fn alpha_and_offset(&self, y: &[f64], lambda: f64) -> Result<(Vec<f64>, f64), SolveError> {
        let inverse = self.inverse(lambda)?;
        self.check(y)?;
        let (alpha, _, bias) = self.bordered(y, &inverse);
        Ok((alpha, bias))
    }

    /// y_i − f^{(−i)}(x_i): by how much each row is missed when it alone is left out, at the same λn.
    pub fn leave_one_out(&self, y: &[f64], lambda: f64) -> Result<Vec<f64>, SolveError> {
        let inverse = self.inverse(lambda)?;
        self.check(y)?;
        let alpha = self.transform(y, &inverse);
        Ok(alpha.iter().zip(self.diagonal(&inverse)).map(|(a, g)| a / g).collect())
    }

    /// The same with an offset, which is fitted anew without the row too. NaN where a single row is all there is.
    pub fn leave_one_out_with_offset(&self, y: &[f64], lambda: f64) -> Result<Vec<f64>, SolveError> {
        let inverse = self.inverse(lambda)?;
        self.check(y)?;
        let (alpha, ones, _) = self.bordered(y, &inverse);
        let total: f64 = ones.iter().sum();
        let diagonal = self.diagonal(&inverse);
        Ok((0..y.len()).map(|i| alpha[i] / (diagonal[i] - ones[i] * ones[i] / total)).collect())
    }

    /// Kα.
    pub fn scores(&self, alpha: &[f64]) -> Vec<f64> {
        self.transform(alpha, &self.values)
    }

    fn check(&self, y: &[f64]) -> Result<(), SolveError> {
        let (expected, found) = (self.len(), y.len());
        if expected == found { Ok(()) } else { Err(SolveError::Shape { what: "targets", expected, found }) }
    }

    /// 1/(Λ+λn).
    fn inverse(&self, lambda: f64) -> Result<Vec<f64>, SolveError> {
        let shift = lambda * self.len() as f64;
        if !(lambda > 0.0 && shift.is_finite()) {
            let range = "above 0 and finite, also times n".to_owned();
            return Err(SolveError::Parameter { name: "lambda".to_owned(), value: lambda, range });
        }
        match self.values.iter().find(|&&value| value + shift <= 0.0) {
            None => Ok(self.values.iter().map(|value| 1.0 / (value + shift)).collect()),
            Some(value) => Err(SolveError::Numerical(format!(
                "the Gram matrix has the eigenvalue {value:e} and lambda*n = {shift:e} does not lift it above 0: take a \
                 larger lambda or repair the kernel"
            ))),
        }
    }

    /// α, z = G1 and b.
    fn bordered(&self, y: &[f64], inverse: &[f64]) -> (Vec<f64>, Vec<f64>, f64) {
        let mut alpha = self.transform(y, inverse);
        let ones = self.transform(&vec![1.0; y.len()], inverse);
        let bias = alpha.iter().sum::<f64>() / ones.iter().sum::<f64>();
        alpha.iter_mut().zip(&ones).for_each(|(a, z)| *a -= bias * z);
        (alpha, ones, bias)
    }

    /// U·diag(scale)·Uᵀx.
    fn transform(&self, x: &[f64], scale: &[f64]) -> Vec<f64> {
        let n = self.len();
        let rotated: Vec<f64> =
            self.vectors.par_chunks_exact(n.max(1)).zip(scale).map(|(u, s)| s * dot(u, x)).collect();
        let mut out = vec![0.0; n];
        for (u, c) in self.vectors.chunks_exact(n.max(1)).zip(&rotated) {
            out.iter_mut().zip(u).for_each(|(out, u)| *out += c * u);
        }
        out
    }

    /// G_ii = Σ_l U_il²/(Λ_l+λn).
    fn diagonal(&self, inverse: &[f64]) -> Vec<f64> {
        let n = self.len();
        let mut out = vec![0.0; n];
        for (u, s) in self.vectors.chunks_exact(n.max(1)).zip(inverse) {
            out.iter_mut().zip(u).for_each(|(out, u)| *out += s * u * u);
        }
        out
    }
}

/// Eigenvalues below zero by no more than rounding are zero.
fn cleared(mut values: Vec<f64>) -> Vec<f64> {
    let largest = values.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
    let rounding = f64::EPSILON * values.len() as f64 * largest;
    values.iter_mut().filter(|v| **v < 0.0 && **v >= -rounding).for_each(|v| *v = 0.0);
    values
}
