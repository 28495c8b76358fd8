//! Fitted kernel machines: what was asked ([`Spec`]), what came of it ([`Model`]), and files of both.
//!
//! [`fit()`] turns a table into a model: it scales and encodes the columns, compiles the kernel, poses the one problem of
//! `mercer-solve`, runs the learner and has the result certified. A model predicts, explains and is saved; what it
//! learned from the training rows travels with it, and its kernel runs through the same tiles as in training.
//! What a fit will take is said before it by [`forecast()`](forecast::forecast).
//! What its answers are worth is measured by [`metrics`]; kernels and λ are searched for by [`tune()`](tune::tune),
//! and [`auto()`](auto::auto) does it all.

pub mod auto;
mod ballot;
mod beside;
mod build;
mod calibration;
mod coefficients;
mod convexity;
mod engine;
mod error;
mod explain;
mod file;
mod fit;
pub mod forecast;
mod ground;
mod hash;
mod learners;
pub mod libsvm;
mod machines;
pub mod metrics;
mod model;
mod needs;
mod predict;
mod preparation;
mod preprocess;
mod rows;
mod schema;
mod shares;
mod softmax;
mod spec;
mod stream;
mod target;
mod text;
pub mod tune;

pub use ballot::tally;
pub use calibration::{Calibration, Curve};
pub use coefficients::Coefficients;
pub use error::ModelError;
pub use explain::{Explanation, Term};
pub use file::store::write_whole;
pub use fit::{Setting, Training, certify, fit};
pub use forecast::{Forecast, forecast};
pub use learners::{Kind, LEARNERS, Learner, LearnerInfo};
pub use model::{Between, Machine, Model, Parts, Provenance, Task};
pub use predict::{Outcome, Prediction};
pub use preparation::Preparation;
pub use preprocess::{Preprocessing, Step};
pub use schema::{ColumnKind, ColumnSchema, Schema};
pub use spec::{ClassWeights, Multiclass, Scaling, Spec};
pub use stream::{Stream, StreamReport};
