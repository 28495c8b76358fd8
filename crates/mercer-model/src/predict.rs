//! Prediction: f(x) = Σ_j α_j k(x_j,x) + b over the support points (`docs/maths.md` §5).
//!
//! Kernel values go through the same tiles as in training, block by block; no matrix of new rows by support points is
//! held. A class is the sign of the score, or the
//! one with the largest of the class scores (§5.1).

use mercer_points::{Column, ColumnData, Table};
use mercer_solve::SolveError;
use mercer_solve::loss::Softmax;
use rayon::prelude::*;

use crate::ballot::Ballot;
use crate::calibration::{Chances, of_softmax};
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

    /// A score for each class, rows × classes, row after row, of which the answered class has the largest, of equal ones
    /// the first; none where there are no classes.
    ///
    /// ```
    /// use mercer_model::{Learner, Multiclass, Setting, Spec, Training, fit};
    /// use mercer_points::Points;
    /// let mut table = mercer_points::read("@iris", &Default::default()).unwrap();
    /// let target = table.remove("label").unwrap();
    /// let mut spec = Spec::new("rbf".parse().unwrap(), Learner::Smo);
    /// spec.multiclass = Multiclass::OneVsRest;
    /// let model = fit(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
    /// let found = model.predict(&table.select(&[0])).unwrap();
    /// assert_eq!(found.class_scores(&model), found.scores);
    /// ```
    pub fn class_scores(&self, model: &Model) -> Vec<f64> {
        if model.task() != Task::Classes {
            return Vec::new();
        }
        let ballot = Ballot::of(model.machines(), model.classes().len());
        self.scores.chunks_exact(self.machines.max(1)).flat_map(|row| ballot.class_scores(row)).collect()
    }

    /// The probability of each class, as in [`Model::probabilities`].
    pub fn probabilities(&self, model: &Model) -> Result<Vec<f64>, ModelError> {
        if self.machines != model.machines().len() {
            return Err(ModelError::Data("the scores are those of another model".to_owned()));
        }
        probabilities(model, &self.scores)
    }

    /// The model's loss, row by row; an error for several machines that have one each.
    pub fn slack(&self, model: &Model, target: &Column) -> Result<Vec<f64>, ModelError> {
        if model.is_softmax() && self.machines == model.machines().len() {
            let found = target.data.len();
            if found != self.len() {
                return Err(SolveError::Shape { what: "targets", expected: self.len(), found }.into());
            }
            let codes = crate::target::codes(model.classes(), target)?;
            let each = self.scores.chunks_exact(self.machines).zip(codes);
            return Ok(each.map(|(scores, class)| Softmax.value(scores, class)).collect());
        }
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
        let positive = model.machines()[0].pair().map_or(1, |(first, _)| first);
        let codes = crate::target::codes(model.classes(), target)?;
        Ok(codes.into_iter().map(|code| if code == positive { 1.0 } else { -1.0 }).collect())
    }
}

/// Scores of rows, rows × machines.
pub(crate) fn scores(model: &Model, table: &Table) -> Result<Vec<f64>, ModelError> {
    shifted(model, model.engine().products(model.parts(), table)?)
}

/// Scores of rows, rows × machines, that are accurate where the answer hangs on it.
pub(crate) fn deciding(model: &Model, table: &Table) -> Result<Vec<f64>, ModelError> {
    let parts = model.parts();
    if parts.task == Task::Numbers {
        return scores(model, table);
    }
    let ballot = Ballot::of(&parts.machines, parts.classes.len());
    let is_settled = |scores: &[f64], doubts: &[f64]| ballot.is_settled(scores, doubts);
    shifted(model, model.engine().deciding(parts, table, &is_settled)?)
}

/// Products and what machines add to them.
fn shifted(model: &Model, mut scores: Vec<f64>) -> Result<Vec<f64>, ModelError> {
    let parts = model.parts();
    let machines = parts.machines.len();
    for row in scores.chunks_exact_mut(machines) {
        row.iter_mut().zip(&parts.machines).for_each(|(score, machine)| *score += machine.bias);
    }
    if let Some(at) = scores.iter().position(|score| !score.is_finite()) {
        let (row, value) = (at / machines + 1, scores[at]);
        return Err(ModelError::Data(format!(
            "row {row}: the score is {value}; scale the columns as in training"
        )));
    }
    Ok(scores)
}

pub(crate) fn predict(model: &Model, table: &Table) -> Result<Prediction, ModelError> {
    let scores = scores(model, table)?;
    let outcome = outcome(model, &scores);
    Ok(Prediction { scores, machines: model.machines().len(), outcome })
}

/// What a model says of rows with these scores.
pub(crate) fn outcome(model: &Model, scores: &[f64]) -> Outcome {
    let parts = model.parts();
    match parts.task {
        Task::Numbers => Outcome::Numbers(scores.to_vec()),
        Task::Novelty => Outcome::Inside(scores.iter().map(|&score| score > 0.0).collect()),
        Task::Classes => {
            let ballot = Ballot::of(&parts.machines, parts.classes.len());
            let rows = scores.par_chunks_exact(parts.machines.len());
            Outcome::Classes(rows.map(|row| ballot.winner(row)).collect())
        }
    }
}

/// The probability of each class, from scores of the machines, rows × machines.
pub(crate) fn probabilities(model: &Model, scores: &[f64]) -> Result<Vec<f64>, ModelError> {
    let (curves, machines) = (model.curves(), model.machines());
    if model.is_softmax() {
        return Ok(of_softmax(scores, machines.len()));
    }
    if curves.is_empty() {
        return Err(ModelError::Data(
            "the model has no probabilities; fit it with them (probabilities: platt)".to_owned(),
        ));
    }
    Ok(Chances { ballot: Ballot::of(machines, model.classes().len()), curves }.all(scores))
}
