//! Accuracy, balanced accuracy, F1 and the confusion matrix (`docs/maths.md` §6.1).

use crate::ModelError;

use super::Answers;
use super::weights::{Undefined, mean};

/// True and answered classes, each below `count`.
#[derive(Debug)]
pub(super) struct Codes<'a> {
    pub(super) truth: &'a [usize],
    pub(super) predicted: &'a [usize],
    pub(super) count: usize,
}

/// How much weight of each class was answered as which.
///
/// ```
/// use mercer_model::metrics::{Answers, confusion};
/// let answers = Answers { classes: Some(&[0, 1, 1, 0]), ..Answers::of_classes(&[0, 0, 1, 1], 2) };
/// let found = confusion(&answers)?;
/// assert_eq!(found.at(1, 0), Some(1.0));
/// assert_eq!(found.weights, [1.0, 1.0, 1.0, 1.0]);
/// # Ok::<(), mercer_model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Confusion {
    /// Classes.
    pub count: usize,
    /// true classes × answered classes, row after row.
    pub weights: Vec<f64>,
}

impl Confusion {
    /// The weight of the rows of one class that were answered as another, or as the same; none for a class that there
    /// is not.
    pub fn at(&self, truth: usize, predicted: usize) -> Option<f64> {
        let there = truth < self.count && predicted < self.count;
        there.then(|| self.weights.get(truth * self.count + predicted).copied()).flatten()
    }
}

/// The confusion matrix of answered classes.
///
/// ```
/// use mercer_model::metrics::{Answers, confusion};
/// let answers = Answers {
///     classes: Some(&[0, 2, 2]),
///     weights: Some(&[1.0, 0.5, 4.0]),
///     ..Answers::of_classes(&[0, 1, 2], 3)
/// };
/// assert_eq!(confusion(&answers)?.weights, [1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 4.0]);
/// # Ok::<(), mercer_model::ModelError>(())
/// ```
pub fn confusion(answers: &Answers<'_>) -> Result<Confusion, ModelError> {
    let codes = answers.codes("the confusion matrix")?;
    let mut found = vec![0.0; codes.count * codes.count];
    for (row, weight) in answers.row_weights()?.into_iter().enumerate() {
        found[codes.truth[row] * codes.count + codes.predicted[row]] += weight;
    }
    if found.iter().any(|weight: &f64| !weight.is_finite()) {
        return Err(ModelError::Data(
            "the weights add up to more than a number can hold; divide them by their largest".to_owned(),
        ));
    }
    Ok(Confusion { count: codes.count, weights: found })
}

impl Codes<'_> {
    /// The share of the weight that was answered rightly.
    pub(super) fn accuracy(&self, weights: &[f64]) -> f64 {
        mean(weights, |row| f64::from(u8::from(self.truth[row] == self.predicted[row])))
    }

    /// The mean over the classes that occur of their shares answered rightly.
    pub(super) fn balanced_accuracy(&self, weights: &[f64]) -> f64 {
        let tally = self.tally(weights);
        average(tally.iter().filter(|class| class.truth > 0.0).map(|class| class.both / class.truth))
    }

    /// F1 of the second of two classes, or the mean over several classes that occur or are answered.
    pub(super) fn f1(&self, weights: &[f64]) -> Result<f64, Undefined> {
        let tally = self.tally(weights);
        let seen = |class: &&Class| class.truth + class.predicted > 0.0;
        let of = |class: &Class| 2.0 * class.both / (class.truth + class.predicted);
        if self.count != 2 {
            return Ok(average(tally.iter().filter(seen).map(of)));
        }
        let second = tally.get(1).filter(seen).map(of);
        second.ok_or(Undefined("the second class neither occurs nor is answered"))
    }

    fn tally(&self, weights: &[f64]) -> Vec<Class> {
        let mut tally = vec![Class::default(); self.count];
        for (row, weight) in weights.iter().enumerate() {
            let (truth, predicted) = (self.truth[row], self.predicted[row]);
            tally[truth].truth += weight;
            tally[predicted].predicted += weight;
            if truth == predicted {
                tally[truth].both += weight;
            }
        }
        tally
    }
}

/// The weight of the rows of a class, of those answered as it, and of those that are both.
#[derive(Debug, Clone, Default)]
struct Class {
    truth: f64,
    predicted: f64,
    both: f64,
}

/// The plain mean. Some class has weight, so there is something to average.
fn average(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}
