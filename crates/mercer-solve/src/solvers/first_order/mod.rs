//! What perceptrons and gradient methods have in common: which problems suit them, kernel rows and products that can be
//! interrupted, averages of iterates in O(1) a step, and the gap that tells them when to stop.
//!
//! The gap here is a solver's own stopping rule, from the scores it keeps; the claim is made by the certificate.

mod average;
mod bounds;
mod draws;
mod products;
mod rows;
mod slopes;
mod suited;

pub(super) use average::RunningSum;
pub(super) use bounds::{Bounds, bounds, primal};
pub(super) use draws::Draws;
pub(super) use products::{feature_scores, largest_eigenvalue, product};
pub(super) use rows::Rows;
pub(super) use slopes::{slopes, smoothness};
pub(super) use suited::{check_features, is_hinge, is_squared, risk, separation, starting_point, unsuited};
