//! Every way in which a kernel and points can fail to fit together.

use mercer_points::PointsError;

/// What is wrong with a kernel, or with a kernel on these points.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The points themselves are at fault.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// A name that cannot be registered.
    #[error("{0}")]
    Name(String),
    /// A registered name that this registry does not have.
    #[error("no kernel is registered under '{0}'; register it before the expression is used")]
    NotRegistered(String),
    /// The table has nothing that the kernel can be evaluated on.
    #[error("{kernel} works on {needs}, but {found}")]
    NoColumns {
        /// The kernel.
        kernel: String,
        /// What it works on.
        needs: String,
        /// What the table has instead, and what to do.
        found: String,
    },
    /// A value that the kernel is not defined for.
    #[error(
        "row {row}, column '{column}' is {value}, but {kernel} is defined for values that are not negative; shift or \
         scale the columns first, e.g. {kernel}@minmax"
    )]
    Negative {
        /// The kernel.
        kernel: String,
        /// Row, counted from 1.
        row: usize,
        /// The column.
        column: String,
        /// The value.
        value: f64,
    },
    /// k(x,x) is zero where the kernel divides by it.
    #[error(
        "row {row}: k(x,x) is {}, so {kernel} is not defined there; drop such rows or add a constant",
        value + 0.0
    )]
    Vanishes {
        /// The kernel.
        kernel: String,
        /// Row, counted from 1.
        row: usize,
        /// k(x,x).
        value: f64,
    },
    /// A kernel value beyond all bounds.
    #[error("row {row}: k(x,x) is {value}; scale the columns or choose other parameters")]
    Overflow {
        /// Row, counted from 1.
        row: usize,
        /// What it came to.
        value: f64,
    },
    /// A use of a kernel that it is not fit for.
    #[error("{0}")]
    Unfit(String),
}
