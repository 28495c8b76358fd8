//! How good answers are: metrics of classes, scores, probabilities and numbers (`docs/maths.md` §6.1), and how sure
//! one may be of them (§6.2).
//!
//! [`Answers`] holds what is known of the rows, a [`Metric`] makes a number of it, and [`METRICS`] lists them all. A row
//! of weight 2 is the same as the row twice, and a row of weight 0 is the same as none. No model is seen here: whoever
//! has answers can have them judged.
//!
//! ```
//! use mercer_model::metrics::{Answers, Metric, interval};
//! let answers = Answers { classes: Some(&[0, 1, 1, 1]), ..Answers::of_classes(&[0, 0, 1, 1], 2) };
//! assert_eq!(Metric::Accuracy.of(&answers)?, 0.75);
//! let sure = interval(Metric::Accuracy, &answers, 0.95, 1000, 0)?;
//! assert!(sure.low < 0.75 && 0.75 < sure.high);
//! # Ok::<(), mercer_model::ModelError>(())
//! ```

mod answers;
mod bootstrap;
mod classes;
mod metric;
mod numbers;
mod probabilities;
mod scores;
#[cfg(test)]
mod tests;
mod weights;

pub use answers::{Answers, Truth};
pub use bootstrap::{Interval, interval};
pub use classes::{Confusion, confusion};
pub use metric::{METRICS, Metric, MetricInfo, Subject};
pub use probabilities::{Bin, reliability};
