//! Every way in which there is no picture.

use mercer_gram::GramError;
use mercer_kernel::KernelError;
use mercer_linalg::EigenError;
use mercer_model::ModelError;
use mercer_points::PointsError;

/// Why there is no view.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The model cannot be asked.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The Gram matrix cannot be had.
    #[error(transparent)]
    Gram(#[from] GramError),
    /// The kernel or the map does not fit the columns.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The table is not as it should be.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// No eigenvalues were found.
    #[error(transparent)]
    Eigen(#[from] EigenError),
    /// There is nothing of the kind to be seen.
    #[error("{0}")]
    Nothing(String),
}
