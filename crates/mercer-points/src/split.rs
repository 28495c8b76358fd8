//! Hold-out and k-fold splits: seeded, and stratified by class where there are classes.
//!
//! The same labels and the same seed give the same split on every machine. Rows keep their order
//! within each part.

use std::collections::BTreeMap;

use crate::ColumnData;
use crate::draw::Draw;

/// The rows to train on and the rows to test on; together they are all rows, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows to train on, ascending.
    pub train: Vec<usize>,
    /// Rows to test on, ascending.
    pub test: Vec<usize>,
}

/// The class of each row, as far as a split cares.
///
/// ```
/// use mercer_points::{ColumnData, Strata};
/// let labels = ColumnData::Numbers(vec![1.0, -1.0, 1.0, -1.0]);
/// assert_eq!(Strata::of(&labels).count(), 2);
/// assert_eq!(Strata::none(4).count(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strata {
    rows: usize,
    /// The rows of each class, ascending, classes in order.
    classes: Vec<Vec<usize>>,
}

impl Strata {
    /// All rows in one class: the split is not stratified.
    pub fn none(rows: usize) -> Self {
        Self { rows, classes: vec![(0..rows).collect()] }
    }

    /// The classes of a column: its categories, or its numbers if there are at most 100 different ones
    /// and each occurs twice on average. Anything else is one class.
    pub fn of(column: &ColumnData) -> Self {
        match column {
            ColumnData::Categories(names) => names.codes().iter().copied().collect(),
            ColumnData::Numbers(values) => {
                // Adding zero makes one class of 0 and -0; a NaN is a class like any other.
                let classes: Self = values.iter().map(|v| ordered(v + 0.0)).collect();
                let few = classes.count() <= 100.min(values.len() / 2);
                if few { classes } else { Self::none(values.len()) }
            }
            _ => Self::none(column.len()),
        }
    }

    /// How many classes there are.
    pub fn count(&self) -> usize {
        self.classes.len()
    }
}

impl<T: Ord> FromIterator<T> for Strata {
    /// Rows with equal values are of one class.
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut classes: BTreeMap<T, Vec<usize>> = BTreeMap::new();
        let mut rows = 0;
        for value in values {
            classes.entry(value).or_default().push(rows);
            rows += 1;
        }
        Self { rows, classes: classes.into_values().collect() }
    }
}

/// Why rows cannot be split as asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// A share that is not between 0 and 1.
    #[error("a test share of {0} is not between 0 and 1; 0.2 holds out a fifth")]
    Fraction(f64),
    /// Fewer than two folds.
    #[error("{0} folds are not a split; use 2 or more, 5 or 10 are usual")]
    FewFolds(usize),
    /// More folds than rows.
    #[error("{folds} folds need at least {folds} rows, there are {rows}; use fewer folds")]
    ManyFolds {
        /// Folds asked for.
        folds: usize,
        /// Rows there are.
        rows: usize,
    },
    /// Fewer than two rows.
    #[error("{0} rows cannot be split; at least 2 are needed")]
    FewRows(usize),
}

/// Holds out a share of the rows to test on, and of each class its share as nearly as possible.
///
/// The test part has `fraction · n` rows, rounded, at least one and at most all but one. A class keeps at
/// least one row to train on unless there are too few other rows to hold out.
///
/// ```
/// use mercer_points::{Strata, holdout};
/// let labels: Strata = [0, 0, 0, 0, 1, 1].into_iter().collect();
/// let split = holdout(&labels, 0.5, 1)?;
/// assert_eq!(split.test.iter().filter(|&&i| i >= 4).count(), 1);
/// assert_eq!((split.train.len(), split.test.len()), (3, 3));
/// # Ok::<(), mercer_points::SplitError>(())
/// ```
pub fn holdout(strata: &Strata, fraction: f64, seed: u64) -> Result<Split, SplitError> {
    if !(fraction > 0.0 && fraction < 1.0) {
        return Err(SplitError::Fraction(fraction));
    }
    if strata.rows < 2 {
        return Err(SplitError::FewRows(strata.rows));
    }
    let total = ((fraction * strata.rows as f64).round() as usize).clamp(1, strata.rows - 1);
    let mut draw = Draw::new(seed);
    let mut is_test = vec![false; strata.rows];
    for (class, held) in strata.classes.iter().zip(shares(strata, fraction, total)) {
        let mut rows = class.clone();
        draw.shuffle(&mut rows);
        rows[..held].iter().for_each(|&i| is_test[i] = true);
    }
    Ok(Split::new(&is_test))
}

/// Splits the rows into `k` parts; each is the test part of one split and the others its training part.
///
/// Sizes differ by at most one between folds, in total and in each class.
///
/// ```
/// use mercer_points::{Strata, folds};
/// let splits = folds(&Strata::none(7), 3, 1)?;
/// let sizes: Vec<usize> = splits.iter().map(|split| split.test.len()).collect();
/// assert_eq!(sizes, [3, 2, 2]);
/// # Ok::<(), mercer_points::SplitError>(())
/// ```
pub fn folds(strata: &Strata, k: usize, seed: u64) -> Result<Vec<Split>, SplitError> {
    if k < 2 {
        return Err(SplitError::FewFolds(k));
    }
    if k > strata.rows {
        return Err(SplitError::ManyFolds { folds: k, rows: strata.rows });
    }
    let mut draw = Draw::new(seed);
    let mut fold_of = vec![0; strata.rows];
    // Dealing class after class without starting anew keeps the totals even as well.
    let mut dealt = 0;
    for class in &strata.classes {
        let mut rows = class.clone();
        draw.shuffle(&mut rows);
        for i in rows {
            fold_of[i] = dealt % k;
            dealt += 1;
        }
    }
    let in_fold = |fold| fold_of.iter().map(|&f| f == fold).collect::<Vec<bool>>();
    Ok((0..k).map(|fold| Split::new(&in_fold(fold))).collect())
}

impl Split {
    fn new(is_test: &[bool]) -> Self {
        let (test, train) = (0..is_test.len()).partition(|&i| is_test[i]);
        Self { train, test }
    }
}

/// How many rows of each class to hold out, `total` in all: by largest remainder.
fn shares(strata: &Strata, fraction: f64, total: usize) -> Vec<usize> {
    let exact: Vec<f64> = strata.classes.iter().map(|class| fraction * class.len() as f64).collect();
    // A class keeps a row to train on, if that leaves enough to hold out.
    let keep = usize::from(strata.rows - strata.count() >= total);
    let most: Vec<usize> = strata.classes.iter().map(|class| class.len() - keep).collect();
    let mut shares: Vec<usize> = exact.iter().zip(&most).map(|(e, &m)| (e.floor() as usize).min(m)).collect();
    let mut left = total - shares.iter().sum::<usize>();
    while left > 0 {
        let mut open: Vec<usize> = (0..shares.len()).filter(|&c| shares[c] < most[c]).collect();
        if open.is_empty() {
            break;
        }
        // The sort is stable, so that among equals the first class comes first.
        let lacking = |c: usize| exact[c] - shares[c] as f64;
        open.sort_by(|&a, &b| lacking(b).total_cmp(&lacking(a)));
        open.truncate(left);
        left -= open.len();
        open.into_iter().for_each(|class| shares[class] += 1);
    }
    shares
}

/// Bits that sort like the number.
fn ordered(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn strata(labels: &[u8]) -> Strata {
        labels.iter().copied().collect()
    }

    fn count(rows: &[usize], labels: &[u8], class: u8) -> usize {
        rows.iter().filter(|&&i| labels[i] == class).count()
    }

    fn is_partition(split: &Split, rows: usize) -> bool {
        let mut all = [split.train.as_slice(), &split.test].concat();
        all.sort_unstable();
        split.train.is_sorted() && split.test.is_sorted() && all == (0..rows).collect::<Vec<_>>()
    }

    proptest! {
        #[test]
        fn folds_are_even_in_all_and_in_each_class(
            labels in prop::collection::vec(0u8..5, 2..80), k in 2usize..10, seed: u64,
        ) {
            prop_assume!(k <= labels.len());
            let splits = folds(&strata(&labels), k, seed).unwrap();
            prop_assert_eq!(&splits, &folds(&strata(&labels), k, seed).unwrap());
            prop_assert!(splits.iter().all(|split| is_partition(split, labels.len())));
            let mut tested: Vec<usize> = splits.iter().flat_map(|split| split.test.clone()).collect();
            tested.sort_unstable();
            prop_assert_eq!(tested, (0..labels.len()).collect::<Vec<_>>());
            let even = |sizes: Vec<usize>| sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1;
            prop_assert!(even(splits.iter().map(|split| split.test.len()).collect()));
            for class in 0..5 {
                prop_assert!(even(splits.iter().map(|s| count(&s.test, &labels, class)).collect()));
            }
        }

        #[test]
        fn holdout_takes_the_share_of_each_class(
            labels in prop::collection::vec(0u8..5, 2..80), fraction in 0.01f64..0.99, seed: u64,
        ) {
            let split = holdout(&strata(&labels), fraction, seed).unwrap();
            prop_assert_eq!(&split, &holdout(&strata(&labels), fraction, seed).unwrap());
            prop_assert!(is_partition(&split, labels.len()));
            let total = ((fraction * labels.len() as f64).round() as usize).clamp(1, labels.len() - 1);
            prop_assert_eq!(split.test.len(), total);
            let classes = strata(&labels).count();
            for class in labels.iter().copied() {
                let of = labels.iter().filter(|&&label| label == class).count();
                let held = count(&split.test, &labels, class) as f64;
                prop_assert!((held - fraction * of as f64).abs() < 1.0 + classes as f64);
                if labels.len() - classes >= total {
                    prop_assert!(count(&split.train, &labels, class) > 0);
                }
            }
        }
    }

    #[test]
    fn other_seeds_give_other_splits() {
        let strata = Strata::none(50);
        assert_ne!(holdout(&strata, 0.5, 1), holdout(&strata, 0.5, 2));
        assert_ne!(folds(&strata, 5, 1), folds(&strata, 5, 2));
    }

    #[test]
    fn a_lone_row_of_a_class_is_trained_on() {
        let labels = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
        assert!(holdout(&strata(&labels), 0.9, 3).unwrap().train.len() == 1);
        for seed in 0..20 {
            assert!(holdout(&strata(&labels), 0.3, seed).unwrap().train.contains(&9));
        }
    }

    #[test]
    fn impossible_splits_are_errors() {
        for fraction in [0.0, 1.0, -0.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(holdout(&Strata::none(9), fraction, 0), Err(SplitError::Fraction(_))));
        }
        assert_eq!(holdout(&Strata::none(1), 0.5, 0), Err(SplitError::FewRows(1)));
        assert_eq!(folds(&Strata::none(9), 1, 0), Err(SplitError::FewFolds(1)));
        assert_eq!(folds(&Strata::none(3), 4, 0), Err(SplitError::ManyFolds { folds: 4, rows: 3 }));
        assert_eq!(folds(&Strata::none(0), 2, 0), Err(SplitError::ManyFolds { folds: 2, rows: 0 }));
    }

    #[test]
    fn classes_come_from_categories_and_from_few_numbers() {
        let of = |values: Vec<f64>| Strata::of(&ColumnData::Numbers(values)).count();
        assert_eq!(of(vec![0.0, -0.0, 1.0, 1.0]), 2);
        assert_eq!(of(vec![-1.0, f64::NAN, -1.0, f64::NAN]), 2);
        assert_eq!(of(vec![1.0, 2.0, 3.0, 4.0]), 1, "as many values as rows");
        let names = ColumnData::Categories(["b", "a", "b"].into_iter().collect());
        assert_eq!(Strata::of(&names).classes, [vec![1], vec![0, 2]]);
        assert_eq!(Strata::of(&ColumnData::Texts(["b", "a", "b"].into_iter().collect())).count(), 1);
    }
}
