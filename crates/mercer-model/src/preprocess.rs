//! What is done to a table before the kernel sees it: columns chosen, scaled, encoded.

use mercer_points::State;

use crate::Scaling;

/// What is done to each used column, learned on the training rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Preprocessing {
    /// How columns of numbers are scaled.
    pub scaling: Scaling,
    /// What is done, by column.
    pub steps: Vec<(String, Step)>,
}

/// What is done to a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Scaled with these numbers.
    Scale(State),
    /// One coordinate a level: 1 for its own, 0 for others; all 0 for a level that was not there.
    OneHot(Vec<String>),
}
