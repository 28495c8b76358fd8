//! One file a learner; each opens with the problem it solves.

mod decomposition;
mod hard_margin;
mod norm;
mod nu;
mod nu_svc;
mod nu_svr;
mod one_class;
mod smo;

pub use hard_margin::HardMargin;
pub use norm::Norm;
pub use nu_svc::NuSvc;
pub use nu_svr::NuSvr;
pub use one_class::OneClass;
pub use smo::Smo;
mod aside;
mod cholesky;
mod conic;
mod conjugate_gradients;
mod eigen;
mod feasible;
mod ls_svm;
mod newton;
mod pivoted;
mod portions;
mod primal_qp;
mod qp;
mod ridge_dual;
mod ridge_primal;
mod squares;
mod system;

pub use cholesky::Cholesky;
pub use conjugate_gradients::ConjugateGradients;
pub use eigen::{Eigen, EigenRidge};
pub use ls_svm::LsSvm;
pub use newton::Newton;
pub use primal_qp::PrimalQp;
pub use qp::Qp;
pub use ridge_dual::RidgeDual;
pub use ridge_primal::RidgePrimal;
