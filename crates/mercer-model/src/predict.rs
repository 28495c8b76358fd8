//! Prediction: f(x) = Σ_j α_j k(x_j,x) + b over the support points (`docs/maths.md` §5).
//!
//! Kernel values go through the same tiles as in training, block by block; no matrix of new rows by support points is
//! held. A class is the sign of the score, or the winner of the votes of all pairs.

use mercer_points::{Column, ColumnData, Table};
use mercer_solve::SolveError;

use crate::{Learner, Model, ModelError, Task};

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
    /// Numbers; of several targets rows × targets, row after row, as the scores are.
    Numbers(Vec<f64>),
    /// Whether the row is where the training rows are.
    Inside(Vec<bool>),
}

impl Prediction {
    /// The score of a row by a machine.
    pub fn score(&self, row: usize, machine: usize) -> f64 {
        self.scores[row * self.machines + machine]
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.scores.len() / self.machines.max(1)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// The model's loss, row by row; an error for several machines, which have one each.
    pub fn slack(&self, model: &Model, target: &Column) -> Result<Vec<f64>, ModelError> {
        if self.machines != 1 {
            return Err(ModelError::Data(format!(
                "a loss is of one machine, and there are {}",
                self.machines
            )));
        }
        if model.task() == Task::Novelty {
            return Ok(self.scores.iter().map(|score| (-score).max(0.0)).collect());
        }
        let found = target.data.len();
        if found != self.len() {
            return Err(SolveError::Shape { what: "targets", expected: self.len(), found }.into());
        }
        let y = self.targets(model, target)?;
        let level = model.machines()[0].level.unwrap_or(0.0);
        let loss = crate::target::loss_of(model.spec())?.map(|loss| loss.build()).transpose()?;
        let of = |(&y, &score): (&f64, &f64)| match (&loss, model.spec().learner) {
            (Some(loss), _) => loss.value(y, score),
            (None, Learner::NuSvr) => ((score - y).abs() - level).max(0.0),
            // In units of the margin, which is how the coefficients of both are scaled.
            (None, Learner::NuSvc | Learner::HardMargin) => (1.0 - y * score).max(0.0),
            (None, _) => (-y * score).max(0.0),
        };
        Ok(y.iter().zip(&self.scores).map(of).collect())
    }

    fn targets(&self, model: &Model, target: &Column) -> Result<Vec<f64>, ModelError> {
        if model.task() == Task::Numbers {
            let ColumnData::Numbers(values) = &target.data else {
                let (name, found) = (&target.name, target.data.kind());
                return Err(ModelError::Target(format!(
                    "the model predicts numbers, but '{name}' holds {found}"
                )));
            };
            return Ok(values.clone());
        }
        // The class of a single machine of a pair (a,b) is a where the score is above 0.
        let positive = model.machines()[0].pair.map_or(1, |(first, _)| first);
        let codes = crate::target::codes(model.classes(), target)?;
        Ok(codes.into_iter().map(|code| if code == positive { 1.0 } else { -1.0 }).collect())
    }
}

pub(crate) fn predict(model: &Model, table: &Table) -> Result<Prediction, ModelError> {
    let parts = model.parts();
    let machines = parts.machines.len();
    let mut scores = model.engine().products(parts, table)?;
    for row in scores.chunks_exact_mut(machines) {
        row.iter_mut().zip(&parts.machines).for_each(|(score, machine)| *score += machine.bias);
    }
    if let Some(at) = scores.iter().position(|score| !score.is_finite()) {
        let (row, value) = (at / machines + 1, scores[at]);
        return Err(ModelError::Data(format!(
            "row {row}: the score is {value}; scale the columns as in training"
        )));
    }
    let outcome = match parts.task {
        Task::Numbers => Outcome::Numbers(scores.clone()),
        Task::Novelty => Outcome::Inside(scores.iter().map(|&score| score > 0.0).collect()),
        Task::Classes => {
            let pairs: Vec<Option<(usize, usize)>> =
                parts.machines.iter().map(|machine| machine.pair).collect();
            let classes = model.classes().len();
            Outcome::Classes(scores.chunks_exact(machines).map(|row| winner(&pairs, classes, row)).collect())
        }
    };
    Ok(Prediction { scores, machines, outcome })
}

/// The class of a row: the sign of its score, or the most votes, of equal ones the first.
pub(crate) fn winner(pairs: &[Option<(usize, usize)>], classes: usize, scores: &[f64]) -> usize {
    let mut votes = vec![0_usize; classes];
    for (pair, &score) in pairs.iter().zip(scores) {
        match *pair {
            None => return usize::from(score > 0.0),
            Some((a, b)) => votes[if score > 0.0 { a } else { b }] += 1,
        }
    }
    let most = votes.iter().copied().max().unwrap_or(0);
    votes.iter().position(|&count| count == most).unwrap_or(0)
}
