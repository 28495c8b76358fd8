//! Scaling: standardise, min-max, unit norm.
//!
//! All three give d features for d coordinates; their kernel is ⟨ψ(x),ψ(z)⟩, by recursion (`docs/maths.md` §1.1).
//! What they learn, they learn on training rows only: new rows are scaled with those numbers, whatever
//! their own mean and range.

mod minmax;
mod standardize;
mod unit;

pub use minmax::MinMax;
pub use standardize::Standardize;
pub(super) use standardize::column_means;
pub use unit::Unit;
