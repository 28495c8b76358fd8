//! How sure one may be of a metric: percentile intervals by the bootstrap (`docs/maths.md` §6.2).
//!
//! A draw is as many rows as there are, with replacement. Since a row of weight 2 is the row twice, a draw is no copy of
//! rows but other weights for the same rows.

use mercer_solve::SolveError;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;

use crate::ModelError;

use super::weights::moderate;
use super::{Answers, Metric};

/// A metric, and between which bounds it lies for most draws of the rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The metric of the rows as they are.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// The share of draws between the bounds.
    pub level: f64,
    /// Draws that were made.
    pub draws: usize,
    /// Those among them for which the metric is not defined, and which were left out.
    pub undefined: usize,
}

/// More draws than this are surely not meant.
const MOST_DRAWS: usize = 1_000_000;

/// The percentile interval of a metric at a level such as 0.95, from so many draws.
///
/// Rows are drawn alike, each with its weight; rows of weight 0 are as if they were not there. The same seed gives the
/// same bits for any number of threads. An error where [`Metric::of`] has one, for a level that is not between 0 and 1,
/// and where the metric is defined for no draw.
///
/// ```
/// use mercer_model::metrics::{Answers, Metric, interval};
/// let (truth, answered) = ([1.0, 2.0, 3.0, 4.0, 5.0], [1.5, 2.0, 2.0, 4.5, 5.5]);
/// let answers = Answers { numbers: Some(&answered), ..Answers::of_numbers(&truth) };
/// let found = interval(Metric::Mae, &answers, 0.9, 500, 7)?;
/// assert_eq!(found.value, 0.5);
/// assert!(0.0 < found.low && found.low < 0.5 && 0.5 < found.high && found.high < 1.0);
/// assert_eq!(found.undefined, 0);
/// # Ok::<(), mercer_model::ModelError>(())
/// ```
pub fn interval(
    metric: Metric,
    answers: &Answers<'_>,
    level: f64,
    draws: usize,
    seed: u64,
) -> Result<Interval, ModelError> {
    if !(level > 0.0 && level < 1.0) {
        return Err(out_of_range("level", level, "between 0 and 1".to_owned()));
    }
    if !(1..=MOST_DRAWS).contains(&draws) {
        return Err(out_of_range("draws", draws as f64, format!("from 1 to {MOST_DRAWS}")));
    }
    let value = metric.of(answers)?;
    let mut found = values(metric, answers, draws, seed)?;
    if found.is_empty() {
        let name = metric.info().name;
        return Err(ModelError::Data(format!(
            "{name} is defined for none of {draws} draws of the rows; more rows are needed"
        )));
    }
    found.sort_unstable_by(f64::total_cmp);
    let outside = (1.0 - level) / 2.0;
    let (low, high) = (quantile(&found, outside), quantile(&found, 1.0 - outside));
    Ok(Interval { value, low, high, level, draws, undefined: draws - found.len() })
}

/// The metric for each draw for which it is defined.
fn values(metric: Metric, answers: &Answers<'_>, draws: usize, seed: u64) -> Result<Vec<f64>, ModelError> {
    let bound = metric.bind(answers)?;
    let weights = moderate(answers.row_weights()?);
    let rows: Vec<usize> = (0..weights.len()).filter(|&row| weights[row] > 0.0).collect();
    // Every draw has a seed of its own, so that it does not matter who makes it.
    let mut seeds = Pcg64::seed_from_u64(seed);
    let seeds: Vec<u64> = (0..draws).map(|_| seeds.next_u64()).collect();
    let made = seeds.into_par_iter().map_init(
        || vec![0.0; weights.len()],
        |drawn, seed| {
            drawn.fill(0.0);
            let mut stream = Pcg64::seed_from_u64(seed);
            for _ in 0..rows.len() {
                let row = rows[below(&mut stream, rows.len())];
                drawn[row] += weights[row];
            }
            bound(drawn).ok()
        },
    );
    Ok(made.flatten_iter().collect())
}

/// Uniform in 0..count without bias; `count` is at least 1.
fn below(stream: &mut Pcg64, count: usize) -> usize {
    let count = count as u64;
    // Draws from the incomplete last block would favour the first rows.
    let end = u64::MAX - u64::MAX % count;
    loop {
        let draw = stream.next_u64();
        if draw < end {
            return (draw % count) as usize;
        }
    }
}

/// The quantile of sorted values, of which there is at least one, by linear interpolation.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let at = place as usize;
    let next = sorted[(at + 1).min(sorted.len() - 1)];
    sorted[at] + (next - sorted[at]) * (place - at as f64)
}

fn out_of_range(name: &str, value: f64, range: String) -> ModelError {
    SolveError::Parameter { name: name.to_owned(), value, range }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of which the first `right` of `rows` are answered rightly.
    fn hits(rows: usize, right: usize) -> (Vec<usize>, Vec<usize>) {
        (
            (0..rows).map(|row| row % 2).collect(),
            (0..rows).map(|row| (row + usize::from(row >= right)) % 2).collect(),
        )
    }

    fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let truth: Vec<usize> = (0..97).map(|row| row * row % 5 % 2).collect();
        let scores: Vec<f64> = (0..97).map(|row| f64::from(row * 37 % 11) / 7.0).collect();
        let weights: Vec<f64> = (0..97).map(|row| f64::from(row % 4) / 3.0).collect();
        let answers =
            Answers { scores: Some(&scores), weights: Some(&weights), ..Answers::of_classes(&truth, 2) };
        let found = |threads, seed| {
            let found = with_threads(threads, || interval(Metric::Auc, &answers, 0.9, 301, seed).unwrap());
            (found.low.to_bits(), found.high.to_bits(), found.undefined)
        };
        let once = found(1, 3);
        for threads in [1, 2, 3, 8] {
            assert_eq!(found(threads, 3), once);
        }
        assert_ne!(found(1, 4), once);
    }

    #[test]
    fn draws_are_pinned() {
        let mut stream = Pcg64::seed_from_u64(7);
        let drawn: Vec<usize> = (0..8).map(|_| below(&mut stream, 100)).collect();
        // The same as those that splits of rows are made from.
        assert_eq!(drawn, [15, 33, 20, 61, 78, 71, 87, 50]);
    }

    #[test]
    fn the_interval_of_a_share_is_as_wide_as_theory_says() {
        let (truth, answered) = hits(400, 320);
        let answers = Answers { classes: Some(&answered), ..Answers::of_classes(&truth, 2) };
        let found = interval(Metric::Accuracy, &answers, 0.95, 4000, 1).unwrap();
        let half = 1.96 * (0.8_f64 * 0.2 / 400.0).sqrt();
        assert_eq!((found.value, found.level, found.draws, found.undefined), (0.8, 0.95, 4000, 0));
        assert!((found.low - (0.8 - half)).abs() < 0.1 * half, "{found:?}");
        assert!((found.high - (0.8 + half)).abs() < 0.1 * half, "{found:?}");
        let narrower = interval(Metric::Accuracy, &answers, 0.5, 4000, 1).unwrap();
        assert!(found.low < narrower.low && narrower.high < found.high);
    }

    #[test]
    fn intervals_cover_the_truth_about_as_often_as_they_say() {
        // 200 samples of 60 rows, each answered rightly with the chance 0.7.
        let covered = (0..200).filter(|&sample| {
            let mut stream = Pcg64::seed_from_u64(1000 + sample);
            let answered: Vec<usize> = (0..60).map(|_| usize::from(below(&mut stream, 10) < 7)).collect();
            let truth = vec![1; 60];
            let answers = Answers { classes: Some(&answered), ..Answers::of_classes(&truth, 2) };
            let found = interval(Metric::Accuracy, &answers, 0.9, 400, sample).unwrap();
            found.low <= 0.7 && 0.7 <= found.high
        });
        assert!((165..=195).contains(&covered.count()));
    }

    #[test]
    fn draws_without_a_value_are_left_out_and_counted() {
        // One row of five is of the first class: a draw misses it with the chance 0.8^5 = 0.328.
        let scores = [0.0, 1.0, 2.0, 3.0, 4.0];
        let answers = Answers { scores: Some(&scores), ..Answers::of_classes(&[0, 1, 1, 1, 1], 2) };
        let found = interval(Metric::Auc, &answers, 0.95, 10_000, 5).unwrap();
        assert!((3100..3460).contains(&found.undefined), "{found:?}");
        assert_eq!((found.value, found.low, found.high), (1.0, 1.0, 1.0));
        // Whichever two of two rows are drawn, an interval needs both in one draw.
        let answers = Answers { scores: Some(&scores[..2]), ..Answers::of_classes(&[0, 1], 2) };
        let none = (0..).map(|seed| interval(Metric::Auc, &answers, 0.95, 1, seed)).find_map(Result::err);
        assert_eq!(
            none.unwrap().to_string(),
            "auc is defined for none of 1 draws of the rows; more rows are needed"
        );
    }

    #[test]
    fn rows_without_weight_are_as_if_they_were_not_there() {
        let (truth, answered) = ([1.0, 9.0, 2.0, 4.0, 9.0], [1.5, 0.0, 2.0, 3.0, -7.0]);
        let weights = [1.0, 0.0, 2.0, 1.0, 0.0];
        let all =
            Answers { numbers: Some(&answered), weights: Some(&weights), ..Answers::of_numbers(&truth) };
        let (truth, answered, weights) = ([1.0, 2.0, 4.0], [1.5, 2.0, 3.0], [1.0, 2.0, 1.0]);
        let some =
            Answers { numbers: Some(&answered), weights: Some(&weights), ..Answers::of_numbers(&truth) };
        let of = |answers| interval(Metric::Rmse, answers, 0.8, 200, 2).unwrap();
        assert_eq!(of(&all), of(&some));
    }

    #[test]
    fn quantiles_are_interpolated() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        for (share, value) in [(0.0, 1.0), (1.0 / 3.0, 2.0), (0.5, 3.0), (5.0 / 6.0, 6.0), (1.0, 8.0)] {
            assert!((quantile(&sorted, share) - value).abs() < 1e-12);
        }
        assert_eq!(quantile(&[5.0], 0.3), 5.0);
    }

    #[test]
    fn nonsense_is_refused() {
        let answers = Answers { classes: Some(&[0, 1]), ..Answers::of_classes(&[0, 1], 2) };
        let said = |level, draws| {
            interval(Metric::Accuracy, &answers, level, draws, 0).map_err(|error| error.to_string())
        };
        for level in [0.0, 1.0, -0.5, f64::NAN, f64::INFINITY] {
            assert!(said(level, 10).unwrap_err().ends_with("it must be between 0 and 1"));
        }
        let range = "draws = 0 is out of range; it must be from 1 to 1000000";
        assert_eq!(said(0.9, 0).unwrap_err(), range);
        assert!(said(0.9, usize::MAX).is_err() && said(0.9, 1).is_ok());
        assert!(interval(Metric::Rmse, &answers, 0.9, 10, 0).is_err());
    }
}
