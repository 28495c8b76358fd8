//! Every way in which a Gram matrix can fail.

use mercer_kernel::KernelError;
use mercer_linalg::EigenError;

/// What is wrong with a Gram matrix or its computation.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GramError {
    /// The kernel does not fit the points.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The matrix is larger than the budget.
    #[error(
        "a Gram matrix of {rows} rows needs {}, but the memory budget is {}; {instead}",
        size(*needed), size(u128::from(*budget))
    )]
    OverBudget {
        /// Rows and columns.
        rows: usize,
        /// Bytes needed.
        needed: u128,
        /// Bytes allowed.
        budget: u64,
        /// What to do instead.
        instead: String,
    },
    /// The eigensolver failed.
    #[error(transparent)]
    Eigen(#[from] EigenError),
    /// A precomputed matrix that is not symmetric.
    #[error(
        "the matrix is not symmetric: entry ({row}, {column}) is {there}, entry ({column}, {row}) is {back}; \
         use (K + K^T)/2 if the difference is noise"
    )]
    NotSymmetric {
        /// Row, counted from 1.
        row: usize,
        /// Column, counted from 1.
        column: usize,
        /// The entry.
        there: f64,
        /// Its mirror image.
        back: f64,
    },
    /// Anything else, said in full.
    #[error("{0}")]
    Invalid(String),
}

/// Bytes for people.
pub(crate) fn size(bytes: u128) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1000.0 && unit + 1 < units.len() {
        (value, unit) = (value / 1000.0, unit + 1);
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.3} {}", units[unit]).replace(".000", "") }
}
