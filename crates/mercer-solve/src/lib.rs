//! The one problem and its solvers (`docs/maths.md` §3, §4).
//!
//! Kernel × loss × λ is a [`Problem`]; a [`Solver`] makes a [`Solution`] of it; [`certify()`] says what that is worth, from
//! the problem and the coefficients alone. Solvers see a Gram matrix by its trait and `f64` vectors; points and kernels
//! are not known here, nothing is printed, and a matrix of n×n size is held only where a solver's name says so and the
//! memory budget allows it.

pub mod certify;
mod error;
mod features;
mod footprint;
pub mod loss;
mod problem;
mod softmax;
mod solution;
pub mod solvers;
pub mod testkit;
mod watch;

pub use certify::{
    Basis, Certificate, Claim, Convexity, KktClass, RowReport, certify, certify_softmax,
    certify_softmax_until, certify_until,
};
pub use error::{CommonPoint, SolveError};
pub use features::Features;
pub use footprint::{Footprint, Holding, Sizes};
pub use problem::{Objective, Penalty, Problem, Regularization};
pub use softmax::{SoftmaxProblem, SoftmaxSolution};
pub use solution::{Solution, Solver};
pub use watch::{Limits, Progress, Run, Silent, Status, Tolerance, Watch};
