//! Explicit feature maps ψ of vectors (`docs/maths.md` §1.1): what a kernel stands for, written out.
//!
//! A [`FeatureMap`] is a recipe. Fitted on training rows it becomes a [`Fitted`] map, which holds the numbers
//! that it learned there and nothing else of the data. [`build`] fits and applies under a memory limit, and
//! names the kernel to use instead where the features would not fit. Maps that are made from a kernel
//! (random Fourier features, Nyström, empirical) implement the same traits elsewhere: nothing here knows
//! what a kernel is. One file holds one concept.

mod build;
mod count;
mod deviation;
mod expansion;
mod function;
mod identity;
#[cfg(test)]
mod laws;
mod map;
mod monomials;
mod polynomial;
mod quadratic;
mod saturation;
mod scaling;
mod subsets;
mod tuples;

pub use build::{MAX_FEATURES, build, check_size, checked_dimension};
pub use deviation::{Center, Deviation};
pub use expansion::MAX_DEGREE;
pub use function::Function1D;
pub use identity::Identity;
pub use map::{FeatureMap, Fitted, State};
pub use monomials::Monomials;
pub use polynomial::{Homogeneous, Polynomial};
pub use quadratic::Quadratic;
pub use saturation::{Buckets, Log};
pub use scaling::{MinMax, Standardize, Unit};
pub use subsets::Subsets;
pub use tuples::Tuples;
