//! The laws that losses and solvers keep, for those that exist and those to come.
//!
//! A new loss ends in one line that calls [`check_loss`], a new solver in one that calls [`check_solver`].

mod bank;
mod loss;
mod matrix;
mod solver;

pub use loss::check_loss;
pub use matrix::Matrix;
pub use solver::{Suits, check_solver};

/// Numbers in [−1, 1) that are the same wherever they are drawn.
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}
