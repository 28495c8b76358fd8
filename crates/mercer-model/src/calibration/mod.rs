//! Probabilities from scores, fitted to the scores of rows that were left out (`docs/maths.md` §5.2).
//!
//! Every machine has a [`Curve`], the chance that a row of its score is of the machine's first class: a sigmoid (`platt`)
//! or a broken line (`isotonic`), both of which never fall. The curves of several machines are brought together
//! (`coupling`), and what comes of it is moved as little as it takes for the most probable class to be the one that is
//! answered. Where the scores come from is the business of `folds`; nothing else here knows tables or learners.

mod coupling;
mod folds;
mod isotonic;
mod platt;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use crate::ModelError;

pub(crate) use coupling::{Chances, of_softmax};
pub(crate) use folds::{check, curves};

/// How probabilities are made of scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calibration {
    /// By a sigmoid, p = 1/(1 + exp(−(slope·score + offset))).
    Platt,
    /// By the best line that never falls.
    Isotonic,
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Platt => "platt",
            Self::Isotonic => "isotonic",
        })
    }
}

impl FromStr for Calibration {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        match text {
            "platt" => Ok(Self::Platt),
            "isotonic" => Ok(Self::Isotonic),
            _ => Err(ModelError::Spec(format!(
                "'{text}' is no way to make probabilities; there are platt and isotonic"
            ))),
        }
    }
}

/// The chance that a row is of a machine's first class, by its score; it never falls.
///
/// ```
/// use mercer_model::Curve;
/// let curve = Curve::Sigmoid { slope: 2.0, offset: 0.0 };
/// assert_eq!(curve.at(0.0), 0.5);
/// let line = Curve::Line { scores: vec![-1.0, 1.0], chances: vec![0.25, 0.75] };
/// assert_eq!([-5.0, 0.5, 1.0].map(|score| line.at(score)), [0.25, 0.625, 0.75]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Curve {
    /// 1/(1 + exp(−(slope·score + offset))).
    Sigmoid {
        /// Not below 0.
        slope: f64,
        /// The log-odds at the score 0.
        offset: f64,
    },
    /// Straight from point to point, and level beyond the first and the last.
    Line {
        /// Ascending.
        scores: Vec<f64>,
        /// From 0 to 1, never falling; one for each score.
        chances: Vec<f64>,
    },
}

/// A row that was left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Held {
    pub(crate) score: f64,
    /// Whether it is of the machine's first class.
    pub(crate) is_first: bool,
    pub(crate) weight: f64,
}

impl Curve {
    /// The curve that fits best; rows without weight do not count.
    pub(crate) fn fitted(how: Calibration, rows: &[Held]) -> Self {
        let rows = aims(rows);
        match how {
            Calibration::Platt => platt::sigmoid(&rows),
            Calibration::Isotonic => isotonic::line(rows),
        }
    }

    /// What kind of curve it is.
    pub fn kind(&self) -> Calibration {
        match self {
            Self::Sigmoid { .. } => Calibration::Platt,
            Self::Line { .. } => Calibration::Isotonic,
        }
    }

    /// The chance at a score, from 0 to 1.
    pub fn at(&self, score: f64) -> f64 {
        match self {
            Self::Sigmoid { slope, offset } => platt::logistic(slope * score + offset),
            Self::Line { scores, chances } => isotonic::between(scores, chances, score),
        }
    }

    /// An error unless it is as it should be.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let is_right = match self {
            Self::Sigmoid { slope, offset } => slope.is_finite() && *slope >= 0.0 && offset.is_finite(),
            Self::Line { scores, chances } => {
                !scores.is_empty()
                    && scores.len() == chances.len()
                    && scores.iter().all(|score| score.is_finite())
                    && scores.windows(2).all(|pair| pair[0] < pair[1])
                    && chances.iter().all(|chance| (0.0..=1.0).contains(chance))
                    && chances.windows(2).all(|pair| pair[0] <= pair[1])
            }
        };
        if is_right {
            Ok(())
        } else {
            Err(ModelError::Data("a curve of probabilities falls or has no values".into()))
        }
    }
}

/// A row with what a curve is to say of it.
#[derive(Debug, Clone, Copy)]
struct Aim {
    score: f64,
    aim: f64,
    /// In units of the largest, above 0.
    weight: f64,
}

/// Not 1 and 0 but (W₊+1)/(W₊+2) and 1/(W₋+2), what is to be expected after so many rows (Platt 1999), so that no curve
/// reaches 0 or 1.
fn aims(rows: &[Held]) -> Vec<Aim> {
    let weight = |is_first: bool| {
        let own = rows.iter().filter(|row| row.is_first == is_first);
        own.map(|row| row.weight).sum::<f64>()
    };
    let (high, low) = (1.0 - 1.0 / (weight(true) + 2.0), 1.0 / (weight(false) + 2.0));
    let largest = rows.iter().fold(0.0, |largest: f64, row| largest.max(row.weight));
    let aim = |row: &Held| Aim {
        score: row.score,
        aim: if row.is_first { high } else { low },
        weight: row.weight / largest,
    };
    rows.iter().map(aim).filter(|aim| aim.weight > 0.0).collect()
}
