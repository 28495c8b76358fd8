//! What may be wrong with data or with a result, in plain words.

use std::collections::{HashMap, HashSet};
use std::fmt;

use mercer_kernel::row_keys;
use mercer_points::{Column, ColumnData, Table};

use crate::metrics::{Answers, Metric};

/// Something to look at before a model is trusted.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Worry {
    /// Columns of very different spread, which only scaling puts side by side.
    Unscaled {
        /// The column with the largest spread.
        widest: String,
        /// The column with the smallest.
        narrowest: String,
        /// Standard deviation of one in units of the other's.
        ratio: f64,
        /// Whether they were scaled.
        is_scaled: bool,
    },
    /// Rows that were held out and were trained on as well.
    Duplicates {
        /// How many.
        rows: usize,
        /// Of so many that were held out.
        of: usize,
    },
    /// Equal rows with different targets: no model can be right about all of them.
    Contradictions {
        /// How many rows have a twin with another target.
        rows: usize,
    },
    /// A column that alone says the target.
    Leak {
        /// The column.
        column: String,
    },
    /// Distances that are nearly all the same.
    Concentration {
        /// The 90 % quantile of distances over the 10 % quantile.
        ratio: f64,
    },
    /// A class with few rows.
    Imbalance {
        /// The class.
        class: String,
        /// Its share of the rows.
        share: f64,
    },
    /// No better than an answer that looks at no column.
    NoBetter,
    /// The score of held-out rows is far from that of the folds.
    Apart {
        /// The mean over the folds.
        folds: f64,
        /// The score of rows that were held out.
        held_out: f64,
    },
    /// Few rows to judge by.
    Few {
        /// Held-out rows.
        rows: usize,
    },
    /// There was no time for all that was to be tried.
    CutShort,
}

impl fmt::Display for Worry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unscaled { widest, narrowest, ratio, is_scaled } => {
                let done = if *is_scaled { "they were standardized" } else { "they are not scaled" };
                write!(f, "'{widest}' varies {ratio:.0e} times as much as '{narrowest}'; {done}")
            }
            Self::Duplicates { rows, of } => write!(
                f,
                "{rows} of the {of} rows that were held out are in the training rows too; the score may flatter"
            ),
            Self::Contradictions { rows } => {
                write!(f, "{rows} rows have a twin with another target; no model is right about both")
            }
            Self::Leak { column } => write!(
                f,
                "'{column}' alone says the target; is it known before the target is? If not, leave it out"
            ),
            Self::Concentration { ratio } => write!(
                f,
                "distances concentrate: far is only {ratio:.2} times near; fewer columns, or a kernel of some of them, may do better"
            ),
            Self::Imbalance { class, share } => write!(
                f,
                "only {:.1} % of the rows are '{class}'; look at balanced accuracy, or count classes alike (--class-weight \
                 balanced)",
                100.0 * share
            ),
            Self::NoBetter => f.write_str(
                "no better than the same answer for every row: these columns may not say the target",
            ),
            Self::Apart { folds, held_out } => write!(
                f,
                "the folds gave {folds:.4}, the rows that were held out {held_out:.4}: more than chance explains; are rows \
                 ordered or grouped?"
            ),
            Self::Few { rows } => write!(f, "only {rows} rows to judge by; the score is a rough one"),
            Self::CutShort => f.write_str("the time was up before all candidates were tried (--time-limit)"),
        }
    }
}

/// What the table itself gives reason to look at; `held_out` are rows of it.
pub(super) fn of_data(
    table: &Table,
    target: &Column,
    classes: Option<(&[String], &[usize])>,
    held_out: &[usize],
    is_scaled: bool,
) -> Vec<Worry> {
    let mut found: Vec<Worry> = spreads(table, is_scaled).into_iter().collect();
    let keys = row_keys(table);
    let held: HashSet<usize> = held_out.iter().copied().collect();
    let trained: HashSet<u128> =
        (0..keys.len()).filter(|row| !held.contains(row)).map(|row| keys[row]).collect();
    let twins = held_out.iter().filter(|&&row| trained.contains(&keys[row])).count();
    if twins > 0 && 100 * twins >= held_out.len() {
        found.push(Worry::Duplicates { rows: twins, of: held_out.len() });
    }
    let rows = contradictions(&keys, target);
    if 100 * rows >= keys.len() && rows > 0 {
        found.push(Worry::Contradictions { rows });
    }
    found.extend(leaks(table, target, classes));
    if let Some((names, codes)) = classes {
        let mut counts = vec![0_usize; names.len()];
        codes.iter().for_each(|&code| counts[code] += 1);
        let least = (0..names.len()).min_by_key(|&class| counts[class]);
        // A fifth of an even share: a tenth of all rows where there are two classes.
        let even = 1.0 / names.len().max(1) as f64;
        if let Some(class) = least {
            let share = counts[class] as f64 / codes.len().max(1) as f64;
            if share < 0.2 * even {
                found.push(Worry::Imbalance { class: names[class].clone(), share });
            }
        }
    }
    found
}

/// Single columns of numbers whose spreads differ by a factor of a hundred or more.
fn spreads(table: &Table, is_scaled: bool) -> Option<Worry> {
    let mut all: Vec<(f64, String)> = Vec::new();
    each(table, |name, values| all.push((deviation(values), name.to_owned())));
    all.retain(|(spread, _)| spread.is_finite() && *spread > 0.0);
    let widest = all.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let narrowest = all.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let ratio = widest.0 / narrowest.0;
    let (widest, narrowest) = (widest.1.clone(), narrowest.1.clone());
    (ratio >= 100.0).then_some(Worry::Unscaled { widest, narrowest, ratio, is_scaled })
}

/// Every single column of numbers by its name, one after the other.
fn each(table: &Table, mut look: impl FnMut(&str, &[f64])) {
    for column in table.columns() {
        match &column.data {
            ColumnData::Numbers(values) => look(&column.name, values),
            ColumnData::Dense(points, names) => {
                for (j, name) in names.iter().enumerate() {
                    look(name, &points.rows().map(|row| row[j]).collect::<Vec<_>>());
                }
            }
            _ => {}
        }
    }
}

pub(super) fn deviation(values: &[f64]) -> f64 {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt()
}

/// Rows with an equal row of another target.
fn contradictions(keys: &[u128], target: &Column) -> usize {
    let mut alone = Table::new();
    if alone.push(target.name.clone(), target.data.clone()).is_err() {
        return 0;
    }
    let answers = row_keys(&alone);
    let mut known: HashMap<u128, Option<u128>> = HashMap::new();
    for (key, answer) in keys.iter().zip(&answers) {
        let one = known.entry(*key).or_insert(Some(*answer));
        if *one != Some(*answer) {
            *one = None;
        }
    }
    keys.iter().filter(|key| known.get(*key) == Some(&None)).count()
}

/// Columns that alone order two classes, or follow a number in a line.
fn leaks(table: &Table, target: &Column, classes: Option<(&[String], &[usize])>) -> Vec<Worry> {
    let mut found = Vec::new();
    each(table, |name, values| {
        let says = match (classes, &target.data) {
            (Some((names, codes)), _) if names.len() == 2 => {
                let answers = Answers { scores: Some(values), ..Answers::of_classes(codes, 2) };
                Metric::Auc.of(&answers).is_ok_and(|area| (area - 0.5).abs() > 0.4995)
            }
            (None, ColumnData::Numbers(targets)) => correlation(values, targets).abs() > 0.999_95,
            _ => false,
        };
        if says {
            found.push(Worry::Leak { column: name.to_owned() });
        }
    });
    found
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len().max(1) as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (a, b) in x.iter().zip(y) {
        xx += (a - mx).powi(2);
        yy += (b - my).powi(2);
        xy += (a - mx) * (b - my);
    }
    if xx > 0.0 && yy > 0.0 { xy / (xx * yy).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[(&str, Vec<f64>)]) -> Table {
        let mut table = Table::new();
        for (name, values) in columns {
            table.push(*name, ColumnData::Numbers(values.clone())).unwrap();
        }
        table
    }

    fn target(values: Vec<f64>) -> Column {
        Column { name: "y".to_owned(), data: ColumnData::Numbers(values) }
    }

    #[test]
    fn a_column_that_says_the_target_is_found_and_one_that_nearly_does_is_not() {
        let y: Vec<f64> = (0..100).map(|i| (i as f64 * 0.37).sin()).collect();
        let leak: Vec<f64> = y.iter().map(|v| 3.0 - 2.0 * v).collect();
        let near: Vec<f64> = y.iter().enumerate().map(|(i, v)| v + 0.1 * (i as f64).cos()).collect();
        let found = leaks(&table(&[("leak", leak), ("near", near)]), &target(y), None);
        assert_eq!(found, [Worry::Leak { column: "leak".to_owned() }]);
        let codes: Vec<usize> = (0..100).map(|i| i % 2).collect();
        let names = ["a".to_owned(), "b".to_owned()];
        let says: Vec<f64> = codes.iter().map(|&code| code as f64 * 4.0 + 1.0).collect();
        let says_nothing: Vec<f64> = (0..100).map(f64::from).collect();
        let y = target(codes.iter().map(|&code| code as f64).collect());
        let found = leaks(&table(&[("says", says), ("not", says_nothing)]), &y, Some((&names, &codes)));
        assert_eq!(found, [Worry::Leak { column: "says".to_owned() }]);
    }

    #[test]
    fn twins_spreads_and_rare_classes() {
        let x: Vec<f64> = (0..100).map(|i| f64::from(i % 10)).collect();
        let wide: Vec<f64> = x.iter().map(|v| v * 1e4).collect();
        let codes: Vec<usize> = (0..100).map(|i| usize::from(i == 7)).collect();
        let names = ["often".to_owned(), "rare".to_owned()];
        let y = target(codes.iter().map(|&code| code as f64).collect());
        let held: Vec<usize> = (0..10).collect();
        let found = of_data(&table(&[("x", x), ("wide", wide)]), &y, Some((&names, &codes)), &held, true);
        assert_eq!(
            found,
            [
                Worry::Unscaled {
                    widest: "wide".to_owned(),
                    narrowest: "x".to_owned(),
                    ratio: 1e4,
                    is_scaled: true
                },
                Worry::Duplicates { rows: 10, of: 10 },
                Worry::Contradictions { rows: 10 },
                Worry::Imbalance { class: "rare".to_owned(), share: 0.01 },
            ]
        );
    }
}
