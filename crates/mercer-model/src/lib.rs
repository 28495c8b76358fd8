//! Fitted kernel machines: what was asked ([`Spec`]), what came of it ([`Model`]), and files of both.
//!
//! [`fit()`] turns a table into a model: it scales and encodes the columns, compiles the kernel, poses the one problem of
//! `mercer-solve`, runs the learner and has the result certified. A model predicts, explains and is saved; what it
//! learned from the training rows travels with it, and its kernel runs through the same tiles as in training.

mod error;
mod learners;
pub mod libsvm;
mod spec;

pub use error::ModelError;
pub use learners::{Kind, LEARNERS, Learner, LearnerInfo};
pub use spec::{ClassWeights, Multiclass, Scaling, Spec};
