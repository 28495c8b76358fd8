//! Kernel machines: exact where exact is possible, with proof of how close to optimal they are.
//!
//! This crate is the front door; each room behind it is a crate of its own.
//!
//! ```
//! use mercer::prelude::*;
//!
//! let mut table = read("@moons(n=200)", &ReadOptions::default())?;
//! let label = table.remove("label")?;
//! let spec = Spec { regularization: Regularization::C(10.0), ..Spec::new("rbf(sigma=0.3)".parse()?, Learner::Smo) };
//! let model = fit(&spec, &Training::new(&table, &label), &Setting::default())?;
//! assert!(model.certified() && model.machines()[0].certificate.as_ref().is_some_and(|c| c.relative_gap <= 1e-6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use mercer_gram as gram;
pub use mercer_kernel as kernel;
pub use mercer_linalg as linalg;
pub use mercer_model as model;
pub use mercer_picture as picture;
pub use mercer_points as points;
pub use mercer_report as report;
pub use mercer_solve as solve;
pub use mercer_view as view;

/// What most programs need.
pub mod prelude {
    pub use mercer_gram::{
        CheckOptions, Gram, Ideal, Lazy, Precision, Stored, alignment, check, spectrum, statistics,
    };
    pub use mercer_kernel::{KernelExpr, MapExpr, Plan, Registry, Status};
    pub use mercer_linalg::Budget;
    pub use mercer_model::{Learner, Model, Outcome, Prediction, Setting, Spec, Training, fit};
    pub use mercer_points::{ColumnData, Dense, Points, ReadOptions, Sparse, Table, Texts, read};
    pub use mercer_solve::loss::{Loss, LossSpec};
    pub use mercer_solve::{Certificate, Limits, Problem, Regularization, Tolerance, Watch, certify};
}

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
