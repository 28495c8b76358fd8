//! What is known of the rows: the truth, what was answered, and how much each row counts.
//!
//! A metric takes from it what it needs, and only that is looked at. Whatever leaves here is of the right length, finite
//! and in range.

use mercer_solve::SolveError;

use crate::ModelError;

use super::classes::Codes;
use super::numbers::Pairs;
use super::probabilities::Shares;
use super::scores::Ranking;

/// The rows to judge answers on.
///
/// ```
/// use mercer_model::metrics::{Answers, Metric};
/// let heights = [1.0, 2.0, 3.0];
/// let answers = Answers {
///     numbers: Some(&[1.5, 2.0, 2.5]),
///     weights: Some(&[1.0, 2.0, 1.0]),
///     ..Answers::of_numbers(&heights)
/// };
/// assert_eq!(Metric::Mae.of(&answers)?, 0.25);
/// # Ok::<(), mercer_model::ModelError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answers<'a> {
    /// What is true.
    pub truth: Truth<'a>,
    /// The class that was answered, row by row.
    pub classes: Option<&'a [usize]>,
    /// The score of each row, larger for the second of two classes.
    pub scores: Option<&'a [f64]>,
    /// The probability of each class, rows × classes, row after row.
    pub probabilities: Option<&'a [f64]>,
    /// The number that was answered, row by row.
    pub numbers: Option<&'a [f64]>,
    /// How much each row counts; all alike if none are given.
    pub weights: Option<&'a [f64]>,
}

/// What is true of each row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Truth<'a> {
    /// A class, counted from 0.
    Classes {
        /// The class of each row.
        codes: &'a [usize],
        /// How many classes there are, whether or not all of them occur.
        count: usize,
    },
    /// A number.
    Numbers(&'a [f64]),
}

/// More classes than this are surely not meant, and a matrix of them would be large.
const MOST_CLASSES: usize = 4096;

/// How far the probabilities of a row may add up to something else than 1: four printed digits are enough.
const SLACK: f64 = 1e-3;

impl<'a> Answers<'a> {
    /// Rows of known class, to which no answer is given yet.
    ///
    /// ```
    /// use mercer_model::metrics::Answers;
    /// assert_eq!(Answers::of_classes(&[0, 2, 1], 3).rows(), 3);
    /// ```
    pub fn of_classes(codes: &'a [usize], count: usize) -> Self {
        Self::of(Truth::Classes { codes, count })
    }

    /// Rows of known number, to which no answer is given yet.
    ///
    /// ```
    /// use mercer_model::metrics::Answers;
    /// assert_eq!(Answers::of_numbers(&[0.5, -1.0]).rows(), 2);
    /// ```
    pub fn of_numbers(values: &'a [f64]) -> Self {
        Self::of(Truth::Numbers(values))
    }

    fn of(truth: Truth<'a>) -> Self {
        Self { truth, classes: None, scores: None, probabilities: None, numbers: None, weights: None }
    }

    /// Rows, as many as there are truths.
    pub fn rows(&self) -> usize {
        match self.truth {
            Truth::Classes { codes, .. } => codes.len(),
            Truth::Numbers(values) => values.len(),
        }
    }

    /// The weight of each row; at least one is above 0.
    pub(super) fn row_weights(&self) -> Result<Vec<f64>, ModelError> {
        let Some(weights) = self.weights else { return Ok(vec![1.0; self.rows()]) };
        self.same_length("weights", weights.len())?;
        if let Some(row) = weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0)) {
            return Err(SolveError::Weight { row: row + 1, value: weights[row] }.into());
        }
        if weights.iter().all(|&weight| weight == 0.0) {
            return Err(SolveError::NoWeight.into());
        }
        Ok(weights.to_vec())
    }

    /// True and answered classes, for `who`.
    pub(super) fn codes(&self, who: &str) -> Result<Codes<'a>, ModelError> {
        let (truth, count) = self.true_classes(who)?;
        let predicted = self.classes.ok_or_else(|| missing(who, "the answered classes", "classes"))?;
        self.same_length("answered classes", predicted.len())?;
        known(predicted, count, "answered class")?;
        Ok(Codes { truth, predicted, count })
    }

    /// True classes, two of them, and scores, for `who`.
    pub(super) fn ranking(&self, who: &str) -> Result<Ranking<'a>, ModelError> {
        let (truth, count) = self.true_classes(who)?;
        if count != 2 {
            return Err(ModelError::Data(format!("{who} is of two classes, and there are {count}")));
        }
        let scores = self.scores.ok_or_else(|| missing(who, "scores", "scores"))?;
        self.same_length("scores", scores.len())?;
        finite(scores, "score")?;
        Ok(Ranking::new(truth, scores))
    }

    /// True classes and probabilities, for `who`.
    pub(super) fn shares(&self, who: &str) -> Result<Shares<'a>, ModelError> {
        let (truth, count) = self.true_classes(who)?;
        let values = self.probabilities.ok_or_else(|| missing(who, "probabilities", "probabilities"))?;
        let (rows, found) = (truth.len(), values.len());
        if found != rows.saturating_mul(count) {
            return Err(ModelError::Data(format!(
                "there are {found} probabilities for {rows} rows of {count} classes; there must be one for each class \
                 of each row"
            )));
        }
        for (row, shares) in values.chunks_exact(count).enumerate() {
            if let Some(value) = shares.iter().find(|share| !(0.0..=1.0).contains(*share)) {
                return Err(ModelError::Data(format!(
                    "row {} has the probability {value}; it must be from 0 to 1",
                    row + 1
                )));
            }
            let sum: f64 = shares.iter().sum();
            if (sum - 1.0).abs() > SLACK {
                return Err(ModelError::Data(format!(
                    "the probabilities of row {} add up to {sum}; they must add up to 1",
                    row + 1
                )));
            }
        }
        Ok(Shares { truth, values, count })
    }

    /// True and answered numbers, for `who`.
    pub(super) fn pairs(&self, who: &str) -> Result<Pairs<'a>, ModelError> {
        let Truth::Numbers(truth) = self.truth else {
            return Err(ModelError::Data(format!("{who} is of numbers, and the truth is classes")));
        };
        not_empty(truth.len())?;
        finite(truth, "target")?;
        let predicted = self.numbers.ok_or_else(|| missing(who, "the answered numbers", "numbers"))?;
        self.same_length("answered numbers", predicted.len())?;
        finite(predicted, "answer")?;
        Ok(Pairs { truth, predicted })
    }

    fn true_classes(&self, who: &str) -> Result<(&'a [usize], usize), ModelError> {
        let Truth::Classes { codes, count } = self.truth else {
            return Err(ModelError::Data(format!("{who} is of classes, and the truth is numbers")));
        };
        not_empty(codes.len())?;
        if count > MOST_CLASSES {
            return Err(ModelError::Data(format!(
                "there are {count} classes; answers of more than {MOST_CLASSES} are not judged"
            )));
        }
        known(codes, count, "class")?;
        Ok((codes, count))
    }

    fn same_length(&self, what: &'static str, found: usize) -> Result<(), ModelError> {
        let expected = self.rows();
        if found == expected { Ok(()) } else { Err(SolveError::Shape { what, expected, found }.into()) }
    }
}

fn not_empty(rows: usize) -> Result<(), ModelError> {
    if rows == 0 { Err(ModelError::Data("there is no row to judge".to_owned())) } else { Ok(()) }
}

fn missing(who: &str, what: &str, field: &str) -> ModelError {
    ModelError::Data(format!("{who} needs {what}; give the answers their `{field}`"))
}

fn known(codes: &[usize], count: usize, what: &str) -> Result<(), ModelError> {
    match codes.iter().position(|&code| code >= count) {
        None => Ok(()),
        Some(row) => Err(ModelError::Data(format!(
            "row {} has the {what} {}, but there are {count} classes, counted from 0",
            row + 1,
            codes[row]
        ))),
    }
}

fn finite(values: &[f64], what: &str) -> Result<(), ModelError> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(row) => Err(ModelError::Data(format!(
            "row {} has the {what} {}; it must be finite",
            row + 1,
            values[row]
        ))),
    }
}
