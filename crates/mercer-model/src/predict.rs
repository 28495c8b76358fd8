//! Prediction: f(x) = Σ_j α_j k(x_j,x) + b over the support points (`docs/maths.md` §5).

use mercer_points::{Column, Table};

use crate::{Model, ModelError};

/// Scores and answers, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// rows × machines, row after row.
    pub scores: Vec<f64>,
    /// Machines.
    pub machines: usize,
    /// What the model says.
    pub outcome: Outcome,
}

/// What a model says of each row.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Numbers of classes.
    Classes(Vec<usize>),
    /// Numbers.
    Numbers(Vec<f64>),
    /// Whether the row is where the training rows are.
    Inside(Vec<bool>),
}

impl Prediction {
    /// The score of a row by a machine.
    pub fn score(&self, row: usize, machine: usize) -> f64 {
        self.scores[row * self.machines + machine]
    }

    /// The model's loss, row by row; an error for several machines, which have one each.
    pub fn slack(&self, model: &Model, target: &Column) -> Result<Vec<f64>, ModelError> {
        let _ = (model, target);
        Err(ModelError::Data(String::new()))
    }
}

pub(crate) fn predict(_model: &Model, _table: &Table) -> Result<Prediction, ModelError> {
    Err(ModelError::Data(String::new()))
}
