//! Eigenvalues and eigenvectors of symmetric matrices, by faer.

use faer::{Mat, MatRef, Side};

/// The eigensolver gave up, which it does on matrices that are not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the eigenvalue iteration did not converge; is every entry of the matrix finite?")]
pub struct EigenError;

/// Eigenvalues of a symmetric n×n matrix, ascending. Only the lower triangle is read.
///
/// ```
/// let values = mercer_linalg::eigenvalues(2, &[2.0, 1.0, 1.0, 2.0]).unwrap();
/// assert!((values[0] - 1.0).abs() < 1e-14 && (values[1] - 3.0).abs() < 1e-14);
/// ```
pub fn eigenvalues(n: usize, matrix: &[f64]) -> Result<Vec<f64>, EigenError> {
    if n == 0 {
        return Ok(Vec::new());
    }
    let matrix = square(n, matrix)?;
    matrix.self_adjoint_eigenvalues(Side::Lower).map_err(|_| EigenError)
}

/// Eigenvalues of a symmetric n×n matrix, ascending, and their unit eigenvectors, one after the other.
///
/// ```
/// let (values, vectors) = mercer_linalg::eigh(2, &[2.0, 0.0, 0.0, 1.0]).unwrap();
/// assert_eq!((values[0], vectors[1].abs()), (1.0, 1.0));
/// ```
pub fn eigh(n: usize, matrix: &[f64]) -> Result<(Vec<f64>, Vec<f64>), EigenError> {
    if n == 0 {
        return Ok((Vec::new(), Vec::new()));
    }
    let decomposition = square(n, matrix)?.self_adjoint_eigen(Side::Lower).map_err(|_| EigenError)?;
    let (u, s): (MatRef<'_, f64>, _) = (decomposition.U(), decomposition.S());
    let values = (0..n).map(|k| s[k]).collect();
    let vectors = (0..n).flat_map(|k| (0..n).map(move |i| u[(i, k)])).collect();
    Ok((values, vectors))
}

fn square(n: usize, matrix: &[f64]) -> Result<Mat<f64>, EigenError> {
    if matrix.len() != n * n || matrix.iter().any(|v| !v.is_finite()) {
        return Err(EigenError);
    }
    Ok(Mat::from_fn(n, n, |i, j| matrix[i * n + j]))
}
