//! Log loss, Brier score, expected calibration error and what a reliability diagram shows (`docs/maths.md` §6.1).

use mercer_solve::SolveError;

use crate::ModelError;

use super::Answers;
use super::weights::{mean, moderate};

/// True classes, each below `count`, and probabilities, rows × classes.
#[derive(Debug)]
pub(super) struct Shares<'a> {
    pub(super) truth: &'a [usize],
    pub(super) values: &'a [f64],
    pub(super) count: usize,
}

/// Rows whose answered class has a probability between two bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// The least probability in it.
    pub from: f64,
    /// The end, which is part of the last bin only.
    pub to: f64,
    /// The mean probability of the answered class.
    pub probability: f64,
    /// The share answered rightly.
    pub correct: f64,
    /// Its share of the whole weight.
    pub weight: f64,
}

/// How often answers of each probability are right: the bins of equal width that hold a row, in order.
///
/// The answered class is the most probable one, of equal ones the first.
///
/// ```
/// use mercer_model::metrics::{Answers, reliability};
/// let shares = [0.75, 0.25, 0.625, 0.375, 0.0, 1.0];
/// let answers = Answers { probabilities: Some(&shares), ..Answers::of_classes(&[0, 1, 1], 2) };
/// let bins = reliability(&answers, 5)?;
/// assert_eq!(bins.len(), 2);
/// assert_eq!((bins[0].from, bins[0].to), (0.6, 0.8));
/// assert_eq!((bins[0].probability, bins[0].correct), (0.6875, 0.5));
/// # Ok::<(), mercer_model::ModelError>(())
/// ```
pub fn reliability(answers: &Answers<'_>, bins: usize) -> Result<Vec<Bin>, ModelError> {
    check_bins(bins)?;
    let shares = answers.shares("the reliability")?;
    Ok(shares.bins(&moderate(answers.row_weights()?), bins))
}

/// More bins than this are surely not meant.
const MOST_BINS: usize = 10_000;

/// An error for no bin, and for too many.
pub(super) fn check_bins(bins: usize) -> Result<(), ModelError> {
    if (1..=MOST_BINS).contains(&bins) {
        return Ok(());
    }
    let (name, range) = ("bins".to_owned(), format!("from 1 to {MOST_BINS}"));
    Err(SolveError::Parameter { name, value: bins as f64, range }.into())
}

impl Shares<'_> {
    /// The mean of −log p of the true class, p being at least 2⁻⁵² so that it is finite.
    pub(super) fn log_loss(&self, weights: &[f64]) -> f64 {
        mean(weights, |row| -self.row(row)[self.truth[row]].max(f64::EPSILON).ln())
    }

    /// The mean of Σ_c (p_c − [y = c])², for two classes of the second term alone.
    pub(super) fn brier(&self, weights: &[f64]) -> f64 {
        let from = if self.count == 2 { 1 } else { 0 };
        let square = |row: usize, class: usize, share: f64| {
            let is = f64::from(u8::from(self.truth[row] == class));
            (share - is) * (share - is)
        };
        mean(weights, |row| {
            self.row(row).iter().enumerate().skip(from).map(|(class, &share)| square(row, class, share)).sum()
        })
    }

    /// Σ over bins of weight·|correct − probability|.
    pub(super) fn calibration(&self, weights: &[f64], bins: usize) -> f64 {
        let found = self.bins(weights, bins);
        found.iter().map(|bin| bin.weight * (bin.correct - bin.probability).abs()).sum()
    }

    fn bins(&self, weights: &[f64], bins: usize) -> Vec<Bin> {
        let edge = |number: usize| number as f64 / bins as f64;
        let edges: Vec<f64> = (1..bins).map(edge).collect();
        let mut sums = vec![(0.0, 0.0, 0.0); bins];
        for (row, weight) in weights.iter().enumerate() {
            let (class, probability) = self.answer(row);
            let (share, probabilities, correct) =
                &mut sums[edges.partition_point(|&edge| edge <= probability)];
            *share += weight;
            *probabilities += weight * probability;
            *correct += if class == self.truth[row] { *weight } else { 0.0 };
        }
        let whole: f64 = weights.iter().sum();
        let filled = sums.into_iter().enumerate().filter(|(_, (weight, _, _))| *weight > 0.0);
        filled
            .map(|(number, (weight, probability, correct))| Bin {
                from: edge(number),
                to: edge(number + 1),
                probability: probability / weight,
                correct: correct / weight,
                weight: weight / whole,
            })
            .collect()
    }

    /// The most probable class of a row, of equal ones the first, and its probability.
    fn answer(&self, row: usize) -> (usize, f64) {
        let shares = self.row(row).iter().copied().enumerate();
        shares.fold((0, -1.0), |best, next| if next.1 > best.1 { next } else { best })
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.count..(row + 1) * self.count]
    }
}
