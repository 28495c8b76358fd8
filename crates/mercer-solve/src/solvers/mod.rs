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
