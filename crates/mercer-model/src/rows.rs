//! Some of the rows of a training set.

use mercer_points::{Column, Points, Table};

use crate::Training;

/// Rows with their target and weights.
pub(crate) struct Rows {
    pub(crate) table: Table,
    pub(crate) target: Column,
    pub(crate) weights: Option<Vec<f64>>,
}

impl Rows {
    /// Some rows, in the given order.
    pub(crate) fn of(table: &Table, target: &Column, weights: Option<&[f64]>, rows: &[usize]) -> Self {
        Self {
            table: table.select(rows),
            target: Column { name: target.name.clone(), data: target.data.select(rows) },
            weights: weights.map(|weights| rows.iter().map(|&row| weights[row]).collect()),
        }
    }

    /// They as a training set, with all else as in the whole.
    pub(crate) fn training<'a>(&'a self, whole: &Training<'a>) -> Training<'a> {
        Training {
            table: &self.table,
            target: Some(&self.target),
            others: &[],
            weights: self.weights.as_deref(),
            ..*whole
        }
    }
}
