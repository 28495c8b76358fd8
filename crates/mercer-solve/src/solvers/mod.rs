//! One file a learner; each opens with the problem it solves.

mod dual_perceptron;
mod first_order;
mod gradient;
mod kernel_pegasos;
mod kernel_perceptron;
mod lms;
mod online;
mod pegasos;
mod perceptron;
mod subgradient;

pub use dual_perceptron::DualPerceptron;
pub use gradient::Gradient;
pub use kernel_pegasos::KernelPegasos;
pub use kernel_perceptron::KernelPerceptron;
pub use lms::Lms;
pub use online::{Change, Forget, Observed, Online, OnlineState};
pub use pegasos::Pegasos;
pub use perceptron::Perceptron;
pub use subgradient::Subgradient;
