//! Built-in data: generated sets and small real ones, for examples, tests and figures.
//!
//! `catalogue.rs` lists them, `spec.rs` reads `moons(n=500, noise=0.2, seed=7)`, `generate.rs` makes the
//! generated sets and `shipped.rs` unpacks the real ones. Every set has a column `label`.

mod catalogue;
mod error;
mod generate;
mod load;
mod shipped;
mod spec;

pub use catalogue::{BuiltIn, Task, builtin};
pub use error::DataError;
pub use load::load;
