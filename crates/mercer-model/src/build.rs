//! The solver of each learner.

use mercer_linalg::Budget;
use mercer_solve::solvers::{
    Cholesky, ConjugateGradients, DualPerceptron, Eigen, Gradient, HardMargin, KernelPegasos,
    KernelPerceptron, Lms, LsSvm, Newton, NuSvc, NuSvr, OneClass, Online, Pegasos, Perceptron, PrimalQp, Qp,
    RidgeDual, RidgePrimal, Smo, Subgradient,
};
use mercer_solve::{Features, SolveError, Solver};

use crate::{Learner, ModelError, Spec};

/// Passes of a perceptron that is not told how many: where it can, it stops earlier by itself.
const PASSES: u64 = 1000;
/// Passes of Pegasos that is not told how many.
const DRAWS: u64 = 200;
/// Steps of subgradient descent that is not told how many.
const STEPS: u64 = 100_000;

/// The solver that a specification asks for. Explicit learners need their features.
pub(crate) fn solver_for<'a>(
    spec: &Spec,
    features: Option<&'a Features>,
    budget: Budget,
) -> Result<Box<dyn Solver + 'a>, ModelError> {
    let explicit = || {
        features.ok_or_else(|| {
            let reason = "it has not been given any features; kernel learners need none".to_owned();
            ModelError::Solve(SolveError::Unsuited { solver: spec.learner.info().name, reason })
        })
    };
    let (seed, average, step) = (spec.seed, spec.average, spec.step);
    let passes = |usual: u64| spec.epochs.unwrap_or(usual);
    Ok(match spec.learner {
        Learner::Perceptron => Box::new(Perceptron { features: explicit()?, epochs: passes(PASSES) }),
        Learner::DualPerceptron => Box::new(DualPerceptron { epochs: passes(PASSES) }),
        Learner::KernelPerceptron => Box::new(KernelPerceptron { epochs: passes(PASSES), average }),
        Learner::OnlinePerceptron => Box::new(Online { budget: spec.keep, average, epochs: passes(1) }),
        Learner::HardMargin => Box::new(HardMargin { budget }),
        Learner::Smo | Learner::Svr | Learner::Quantile => Box::new(Smo { budget }),
        Learner::Qp => Box::new(Qp { budget }),
        Learner::Primal => Box::new(PrimalQp { budget }),
        Learner::Subgradient => Box::new(Subgradient { features: explicit()?, steps: passes(STEPS), step }),
        Learner::Pegasos => {
            Box::new(Pegasos { features: explicit()?, epochs: passes(DRAWS), seed, project: false, average })
        }
        Learner::KernelPegasos => Box::new(KernelPegasos { epochs: passes(DRAWS), seed, average }),
        Learner::RidgePrimal => Box::new(RidgePrimal { features: explicit()?, budget }),
        Learner::RidgeDual => Box::new(RidgeDual { features: explicit()?, budget }),
        Learner::Cholesky => Box::new(Cholesky { budget }),
        Learner::Eigen => Box::new(Eigen { budget }),
        Learner::Cg => Box::new(ConjugateGradients::default()),
        Learner::Lms => Box::new(Lms { step, iterations: passes(Lms::default().iterations) }),
        Learner::Gradient => {
            let usual = Gradient::default();
            Box::new(Gradient { step, iterations: passes(usual.iterations), ..usual })
        }
        Learner::Newton => Box::new(Newton { budget }),
        Learner::NuSvc => Box::new(NuSvc { budget }),
        Learner::NuSvr => Box::new(NuSvr { budget }),
        Learner::OneClass => Box::new(OneClass { budget }),
        Learner::LsSvm => Box::new(LsSvm { budget }),
    })
}
