//! Eigenvalues of a Gram matrix: all of them up to 2 000 rows, the extreme ones by Lanczos beyond (`docs/maths.md` §1.4).

use mercer_linalg::{Budget, EigenError, eigenvalues, eigh};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::Gram;

/// Up to this many rows all eigenvalues are computed, if the matrices for it fit the memory budget.
pub const FULL_SPECTRUM: usize = 2000;

/// How eigenvalues were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A dense decomposition: every eigenvalue.
    Full,
    /// Lanczos with full reorthogonalisation, so many steps: the extreme ones.
    Lanczos(usize),
}

/// Eigenvalues and what follows from them.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// Rows and columns.
    pub rows: usize,
    /// How they were found.
    pub method: Method,
    /// Eigenvalues, descending: all of them, or the Ritz values.
    pub values: Vec<f64>,
    /// How far the smallest may be from a true eigenvalue: rounding, and for Lanczos its residual.
    pub error: f64,
    /// The part of the error that is rounding: an eigenvalue below minus this is below zero.
    pub rounding: f64,
    /// Eigenvalues above n·ε·λ_max; for Lanczos a lower bound.
    pub rank: usize,
}

impl Spectrum {
    /// The smallest eigenvalue found.
    pub fn smallest(&self) -> f64 {
        self.values.last().copied().unwrap_or(0.0)
    }

    /// The largest eigenvalue.
    pub fn largest(&self) -> f64 {
        self.values.first().copied().unwrap_or(0.0)
    }

    /// λ_max/λ_min, infinite when the smallest is lost in rounding.
    pub fn condition(&self) -> f64 {
        let (smallest, largest) = (self.smallest(), self.largest());
        if smallest > self.rows as f64 * f64::EPSILON * largest { largest / smallest } else { f64::INFINITY }
    }
}

/// The spectrum of a Gram matrix, with every entry in `f64`.
///
/// ```
/// use mercer_gram::{Lazy, spectrum};
/// use mercer_points::{ReadOptions, read};
/// let mut table = read("@moons(n=100)", &ReadOptions::default()).unwrap();
/// table.remove("label").unwrap();
/// let gram = Lazy::new(&"linear".parse().unwrap(), &table).unwrap();
/// assert_eq!(spectrum(&gram).unwrap().rank, 2);
/// ```
pub fn spectrum(gram: &dyn Gram) -> Result<Spectrum, EigenError> {
    Ok(spectrum_and_lowest(gram, false, Budget::default())?.0)
}

/// The spectrum, and the eigenvector of the smallest eigenvalue if it is asked for.
pub(crate) fn spectrum_and_lowest(
    gram: &dyn Gram,
    vector: bool,
    budget: Budget,
) -> Result<(Spectrum, Vec<f64>), EigenError> {
    let n = gram.len();
    let mut diagonal = vec![0.0; n];
    gram.diagonal(&mut diagonal);
    let scale = diagonal.iter().fold(0.0, |scale: f64, v| scale.max(v.abs()));
    let (mut values, lowest, method, residual) =
        if n <= FULL_SPECTRUM && budget.allows(4 * 8 * n as u128 * n as u128) {
            let mut entries = vec![0.0; n * n];
            gram.rows_double(&(0..n).collect::<Vec<_>>(), &mut entries);
            if vector {
                let (values, vectors) = eigh(n, &entries)?;
                (values, vectors.get(..n).unwrap_or(&[]).to_vec(), Method::Full, 0.0)
            } else {
                (eigenvalues(n, &entries)?, Vec::new(), Method::Full, 0.0)
            }
        } else {
            let lanczos = lanczos(gram, &|| false)?;
            (lanczos.values, lanczos.lowest, Method::Lanczos(lanczos.steps), lanczos.residual)
        };
    values.reverse();
    let largest =
        values.first().copied().unwrap_or(0.0).abs().max(values.last().copied().unwrap_or(0.0).abs());
    let rounding = n as f64 * f64::EPSILON * (8.0 * largest + 64.0 * scale);
    let rank = values.iter().filter(|&&v| v > n as f64 * f64::EPSILON * largest).count();
    Ok((Spectrum { rows: n, method, values, error: rounding + residual, rounding, rank }, lowest))
}

/// What Lanczos found.
pub(crate) struct Lanczos {
    /// The Ritz values, ascending.
    pub(crate) values: Vec<f64>,
    /// The Ritz vector of the smallest.
    pub(crate) lowest: Vec<f64>,
    residual: f64,
    steps: usize,
}

/// Steps at most; each is one product with K.
const STEPS: usize = 120;

/// Lanczos from a seeded random vector, each new vector made orthogonal to all before it, twice. It makes do with the
/// steps that are done when `enough` says so.
pub(crate) fn lanczos(gram: &dyn Gram, enough: &dyn Fn() -> bool) -> Result<Lanczos, EigenError> {
    let n = gram.len();
    let mut random = Pcg64::seed_from_u64(0);
    let mut next: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
    normalize(&mut next);
    let (mut basis, mut alphas, mut betas) = (vec![next], Vec::new(), Vec::new());
    let mut product = vec![0.0; n];
    for step in 0..STEPS.min(n) {
        gram.apply(&basis[step], &mut product);
        alphas.push(dot(&product, &basis[step]));
        for _ in 0..2 {
            for vector in &basis {
                let share = dot(&product, vector);
                product.iter_mut().zip(vector).for_each(|(p, v)| *p -= share * v);
            }
        }
        let beta = dot(&product, &product).sqrt();
        betas.push(beta);
        let scale = alphas.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        if beta <= scale * f64::EPSILON * n as f64 || step + 1 == STEPS.min(n) || enough() {
            break;
        }
        // Now and then: is the smallest Ritz value good already?
        if step >= 20 && step % 10 == 0 && ritz(&alphas, &betas)?.residual <= 1e-12 * scale * n as f64 {
            break;
        }
        basis.push(product.iter().map(|v| v / beta).collect());
    }
    let ritz = ritz(&alphas, &betas)?;
    let mut lowest = vec![0.0; n];
    for (weight, vector) in ritz.weights.iter().zip(&basis) {
        lowest.iter_mut().zip(vector).for_each(|(l, v)| *l += weight * v);
    }
    normalize(&mut lowest);
    Ok(Lanczos { values: ritz.values, lowest, residual: ritz.residual, steps: alphas.len() })
}

struct Ritz {
    values: Vec<f64>,
    weights: Vec<f64>,
    residual: f64,
}

/// Eigenvalues of the tridiagonal matrix; ‖Kv − θv‖ of the smallest is |β·last weight|.
fn ritz(alphas: &[f64], betas: &[f64]) -> Result<Ritz, EigenError> {
    let m = alphas.len();
    let mut tridiagonal = vec![0.0; m * m];
    for i in 0..m {
        tridiagonal[i * m + i] = alphas[i];
        if i + 1 < m {
            tridiagonal[i * m + i + 1] = betas[i];
            tridiagonal[(i + 1) * m + i] = betas[i];
        }
    }
    let (values, vectors) = eigh(m, &tridiagonal)?;
    let weights = vectors[..m].to_vec();
    let residual = (betas[m - 1] * weights[m - 1]).abs();
    Ok(Ritz { values, weights, residual })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn normalize(vector: &mut [f64]) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|v| *v /= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lazy, Precision, Stored};
    use mercer_linalg::Budget;
    use mercer_points::{ReadOptions, read};

    #[test]
    fn lanczos_finds_both_ends_of_the_full_spectrum() {
        let table = read("@moons(n=300)", &ReadOptions::default()).unwrap();
        for kernel in ["rbf(sigma=0.3)", "sigmoid(gamma=1, offset=-1)", "poly(degree=2)"] {
            let gram = Lazy::new(&kernel.parse().unwrap(), &table).unwrap().in_precision(Precision::Double);
            let (full, few) = (spectrum(&gram).unwrap(), lanczos(&gram, &|| false).unwrap());
            assert!((full.largest() - few.values.last().unwrap()).abs() < 1e-9 * full.largest(), "{kernel}");
            let off = (full.smallest() - few.values[0]).abs();
            assert!(off <= few.residual + 1e-9, "{kernel}: {off} is more than the residual {}", few.residual);
        }
    }

    #[test]
    fn a_known_spectrum() {
        let gram = Stored::<f64>::from_entries(
            3,
            &[2.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0],
            Budget::default(),
        );
        let found = spectrum(&gram.unwrap()).unwrap();
        assert_eq!((found.smallest(), found.largest(), found.rank), (-1.0, 2.0, 1));
        assert_eq!(found.condition(), f64::INFINITY);
    }
}
