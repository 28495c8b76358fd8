//! The solver of each learner.

use mercer_linalg::Budget;
use mercer_solve::solvers::{HardMargin, NuSvc, NuSvr, OneClass, Smo};
use mercer_solve::{Features, SolveError, Solver};

use crate::{Learner, ModelError, Spec};

/// The solver that a specification asks for. Explicit learners need their features.
pub(crate) fn solver_for<'a>(
    spec: &Spec,
    features: Option<&'a Features>,
    budget: Budget,
) -> Result<Box<dyn Solver + 'a>, ModelError> {
    let _ = features;
    Ok(match spec.learner {
        Learner::HardMargin => Box::new(HardMargin { budget }),
        Learner::Smo | Learner::Svr | Learner::Quantile => Box::new(Smo { budget }),
        Learner::NuSvc => Box::new(NuSvc { budget }),
        Learner::NuSvr => Box::new(NuSvr { budget }),
        Learner::OneClass => Box::new(OneClass { budget }),
        _ => return Err(SolveError::Numerical("not yet".into()).into()),
    })
}
