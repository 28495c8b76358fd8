//! Which rows are trained on and which are tested on, again and again.

use mercer_points::{ColumnData, Split, Strata, folds, holdout};

use crate::ModelError;
use crate::hash::Fingerprint;

/// How machines are compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Validation {
    /// k folds, so many times with other folds; stratified by class.
    Folds {
        /// Folds.
        k: usize,
        /// How often.
        repeats: usize,
    },
    /// k folds that never part rows of one group.
    Groups {
        /// Folds.
        k: usize,
        /// The group of each row.
        groups: Vec<usize>,
    },
    /// Rows are in the order of time: trained on what was before, tested on what came next.
    Ordered {
        /// Tests.
        k: usize,
    },
    /// A share of the rows is held out.
    HoldOut {
        /// The share.
        share: f64,
    },
    /// These splits.
    Given(Vec<Split>),
    /// Every row is left out by itself, in closed form: for the squared loss alone. Scaling, words such as `median` and
    /// maps are fitted once, on the inputs of all rows.
    LeaveOneOut,
}

impl Validation {
    /// The splits of so many rows; `target` says what classes there are. Of leave-one-out it is one, of all rows against
    /// all: a closed form has no other.
    ///
    /// ```
    /// use mercer_model::tune::Validation;
    /// use mercer_points::ColumnData;
    /// let target = ColumnData::Numbers((0..10).map(f64::from).collect());
    /// let splits = Validation::Ordered { k: 4 }.splits(&target, 0).unwrap();
    /// assert_eq!((splits[0].train.len(), &splits[0].test[..]), (2, &[2, 3][..]));
    /// ```
    pub fn splits(&self, target: &ColumnData, seed: u64) -> Result<Vec<Split>, ModelError> {
        let rows = target.len();
        let strata = Strata::of(target);
        let wrong = |error: mercer_points::SplitError| ModelError::Spec(error.to_string());
        match self {
            Self::Folds { k, repeats } => {
                let each = (0..(*repeats).max(1) as u64)
                    .map(|round| folds(&strata, *k, seed.wrapping_add(round)).map_err(wrong));
                Ok(each.collect::<Result<Vec<_>, _>>()?.concat())
            }
            Self::HoldOut { share } => Ok(vec![holdout(&strata, *share, seed).map_err(wrong)?]),
            Self::LeaveOneOut if rows < 2 => {
                Err(ModelError::Spec(format!("to leave one out takes two rows, there is {rows}")))
            }
            Self::LeaveOneOut => Ok(vec![Split { train: (0..rows).collect(), test: (0..rows).collect() }]),
            Self::Groups { k, groups } => of_groups(*k, groups, rows, seed),
            Self::Ordered { k } => {
                if *k < 1 || rows <= *k {
                    return Err(ModelError::Spec(format!(
                        "{k} tests in the order of time need more than {k} rows, there are {rows}"
                    )));
                }
                let end = |part: usize| part * rows / (k + 1);
                let split = |part: usize| Split {
                    train: (0..end(part)).collect(),
                    test: (end(part)..end(part + 1)).collect(),
                };
                Ok((1..=*k).map(split).collect())
            }
            Self::Given(splits) => given(splits, rows),
        }
    }

    /// What tells one from another, in a few words: splits that are given are told by their fingerprint.
    pub(super) fn told(&self) -> String {
        let Self::Given(splits) = self else { return format!("{self:?}") };
        let mut fingerprint = Fingerprint::default();
        for split in splits {
            for rows in [&split.train, &split.test] {
                let bytes: Vec<u8> = rows.iter().flat_map(|&row| (row as u64).to_le_bytes()).collect();
                fingerprint.bytes(&bytes);
            }
        }
        format!("Given {}", fingerprint.finish())
    }
}

/// Splits that came from elsewhere, with rows ascending.
fn given(splits: &[Split], rows: usize) -> Result<Vec<Split>, ModelError> {
    if splits.is_empty() {
        return Err(ModelError::Spec("there is no split to judge candidates on".to_owned()));
    }
    let mut sorted = splits.to_vec();
    for (number, split) in sorted.iter_mut().enumerate() {
        for (part, name) in [(&mut split.train, "train"), (&mut split.test, "test")] {
            part.sort_unstable();
            match part.last() {
                None => return Err(ModelError::Spec(format!("split {number} has no row to {name} on"))),
                Some(&last) if last >= rows => {
                    return Err(ModelError::Spec(format!(
                        "split {number} has row {last} to {name} on, but there are {rows} rows, counted from 0"
                    )));
                }
                Some(_) => {}
            }
        }
    }
    Ok(sorted)
}

/// Groups are dealt like rows, the largest first, to the fold that has fewest rows.
fn of_groups(k: usize, groups: &[usize], rows: usize, seed: u64) -> Result<Vec<Split>, ModelError> {
    if groups.len() != rows {
        return Err(ModelError::Spec(format!("there are {} groups for {rows} rows", groups.len())));
    }
    let mut members: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
    groups.iter().enumerate().for_each(|(row, &group)| members.entry(group).or_default().push(row));
    if k < 2 || members.len() < k {
        return Err(ModelError::Spec(format!(
            "{k} folds need at least 2 and at most as many folds as there are groups, which are {}",
            members.len()
        )));
    }
    let mut members: Vec<Vec<usize>> = members.into_values().collect();
    // Which of equals comes first is a matter of the seed.
    let key = |rows: &Vec<usize>| (rows[0] as u64 ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    members.sort_by_key(|rows| (std::cmp::Reverse(rows.len()), key(rows)));
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); k];
    for rows in members {
        let least = (0..k).min_by_key(|&fold| parts[fold].len()).unwrap_or(0);
        parts[least].extend(rows);
    }
    Ok(parts
        .into_iter()
        .map(|mut test| {
            test.sort_unstable();
            let train = (0..rows).filter(|row| test.binary_search(row).is_err()).collect();
            Split { train, test }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(n: usize) -> ColumnData {
        ColumnData::Numbers((0..n).map(|i| (i % 2) as f64).collect())
    }

    fn parts_all(splits: &[Split], rows: usize) {
        for split in splits {
            let mut all = [&split.train[..], &split.test[..]].concat();
            all.sort_unstable();
            assert_eq!(all, (0..rows).collect::<Vec<_>>());
        }
    }

    #[test]
    fn folds_are_drawn_anew_each_time() {
        let splits = Validation::Folds { k: 5, repeats: 2 }.splits(&target(40), 3).unwrap();
        assert_eq!(splits.len(), 10);
        parts_all(&splits, 40);
        assert_ne!(splits[0], splits[5]);
    }

    #[test]
    fn groups_stay_together() {
        let groups: Vec<usize> = (0..30).map(|i| i / 4).collect();
        let splits = Validation::Groups { k: 3, groups: groups.clone() }.splits(&target(30), 1).unwrap();
        parts_all(&splits, 30);
        for split in &splits {
            assert!(
                split.test.iter().all(|&row| split.train.iter().all(|&other| groups[row] != groups[other]))
            );
        }
        let sizes: Vec<usize> = splits.iter().map(|split| split.test.len()).collect();
        assert!(sizes.iter().all(|size| (8..=12).contains(size)), "{sizes:?}");
        for (k, groups) in [(9, groups.clone()), (1, groups.clone()), (2, vec![0; 29]), (2, vec![0; 30])] {
            assert!(Validation::Groups { k, groups }.splits(&target(30), 1).is_err());
        }
    }

    #[test]
    fn time_runs_forward() {
        let splits = Validation::Ordered { k: 3 }.splits(&target(11), 0).unwrap();
        assert_eq!(splits.len(), 3);
        assert!(splits.iter().all(|split| split.train.last() < split.test.first()));
        assert_eq!(splits[2].test.last(), Some(&10));
        assert!(Validation::Ordered { k: 11 }.splits(&target(11), 0).is_err());
    }

    #[test]
    fn splits_that_are_given_are_checked_and_told_apart() {
        let split = |train: &[usize], test: &[usize]| Split { train: train.to_vec(), test: test.to_vec() };
        let mine = Validation::Given(vec![split(&[2, 0, 2], &[3, 1])]);
        assert_eq!(mine.splits(&target(4), 0).unwrap(), [split(&[0, 2, 2], &[1, 3])]);
        assert_ne!(mine.told(), Validation::Given(vec![split(&[2, 0], &[2, 3, 1])]).told());
        for (splits, why) in [
            (vec![], "no split"),
            (vec![split(&[], &[1])], "no row to train"),
            (vec![split(&[1], &[0]), split(&[1], &[4])], "split 1 has row 4 to test"),
        ] {
            let said = Validation::Given(splits).splits(&target(4), 0).unwrap_err().to_string();
            assert!(said.contains(why), "{said}");
        }
    }
}
