//! The policies for missing numbers, applied once all columns are there.
//!
//! Readers write NaN for a missing number and report the first gap of every column that has one.

use super::error::excerpt;
use super::{Missing, ReadError, ReadOptions};
use crate::{Column, ColumnData, Points, Table};

/// The first missing value of a column.
#[derive(Debug, Clone)]
pub(super) struct Gap {
    /// Row, counted from 0.
    pub(super) row: usize,
    /// The column's name.
    pub(super) column: String,
    /// The place in words.
    pub(super) place: String,
}

/// Makes a table of the columns in which no number is missing, or says why that cannot be.
pub(super) fn complete(
    mut columns: Vec<Column>,
    gaps: &[Gap],
    file: &str,
    options: &ReadOptions,
) -> Result<Table, ReadError> {
    let Some(first) = gaps.iter().min_by_key(|gap| gap.row) else { return table(columns, file) };
    let target = gaps.iter().find(|gap| gap.column == options.target_name());
    match (options.missing, target) {
        (Missing::Error, _) => {
            let (place, column) = (first.place.clone(), excerpt(&first.column));
            Err(ReadError::Missing { file: file.to_owned(), place, column })
        }
        (Missing::Mean, Some(Gap { place, column, .. })) => {
            let (place, column) = (place.clone(), excerpt(column));
            Err(ReadError::MissingTarget { file: file.to_owned(), place, column })
        }
        (Missing::Mean, None) => {
            columns.iter_mut().try_for_each(|column| fill(column, file))?;
            table(columns, file)
        }
        (Missing::Drop, _) => {
            let rows = columns.first().map_or(0, |column| column.data.len());
            let mut keep = vec![true; rows];
            columns.iter().for_each(|column| mark(column, options.target_name(), &mut keep));
            let kept: Vec<usize> = (0..rows).filter(|&i| keep[i]).collect();
            if kept.is_empty() {
                return Err(ReadError::NothingLeft { file: file.to_owned(), rows });
            }
            Ok(table(columns, file)?.select(&kept))
        }
    }
}

/// Whether the spelling of a category means that the target is not known.
pub(super) fn is_missing_target(name: &str) -> bool {
    let name = name.trim_ascii();
    name.is_empty() || ["na", "n/a", "nan", "null"].iter().any(|m| name.eq_ignore_ascii_case(m))
}

fn table(columns: Vec<Column>, file: &str) -> Result<Table, ReadError> {
    let mut table = Table::new();
    for Column { name, data } in columns {
        let pushed = table.push(name, data);
        pushed.map_err(|source| ReadError::Points { file: file.to_owned(), source })?;
    }
    Ok(table)
}

/// Clears `keep` for every row in which the column has no value.
fn mark(column: &Column, target: &str, keep: &mut [bool]) {
    match &column.data {
        ColumnData::Numbers(values) => {
            keep.iter_mut().zip(values).for_each(|(keep, v)| *keep &= !v.is_nan());
        }
        ColumnData::Dense(rows, _) => {
            for (keep, row) in keep.iter_mut().zip(rows.rows()) {
                *keep &= !row.iter().any(|v| v.is_nan());
            }
        }
        ColumnData::Categories(names) if column.name == target => {
            for (i, keep) in keep.iter_mut().enumerate() {
                *keep &= !is_missing_target(names.point(i));
            }
        }
        _ => {}
    }
}

/// Puts the mean of the present values where one is missing.
fn fill(column: &mut Column, file: &str) -> Result<(), ReadError> {
    let all_missing =
        |column: String| ReadError::AllMissing { file: file.to_owned(), column: excerpt(&column) };
    match &mut column.data {
        ColumnData::Numbers(values) => {
            let mean = mean(values.iter().copied()).ok_or_else(|| all_missing(column.name.clone()))?;
            values.iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = mean);
        }
        ColumnData::Dense(rows, names) => {
            let dim = rows.dim();
            for (j, name) in names.iter().enumerate() {
                let present = rows.values().iter().copied().skip(j).step_by(dim);
                let mean = mean(present).ok_or_else(|| all_missing(name.clone()))?;
                let column = rows.values_mut().iter_mut().skip(j).step_by(dim);
                column.filter(|v| v.is_nan()).for_each(|v| *v = mean);
            }
        }
        _ => {}
    }
    Ok(())
}

/// The mean of the values that are not NaN; it cannot overflow.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut mean, mut count) = (0.0, 0.0);
    for value in values.filter(|v| !v.is_nan()) {
        count += 1.0;
        mean += value / count - mean / count;
    }
    (count > 0.0).then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dense;

    fn gap(row: usize, column: &str) -> Gap {
        Gap { row, column: column.into(), place: format!("line {}", row + 2) }
    }

    fn columns() -> Vec<Column> {
        let block = Dense::from_rows(&[[1.0, 2.0], [f64::NAN, 4.0], [3.0, 6.0]]);
        vec![
            Column { name: "a".into(), data: ColumnData::Numbers(vec![f64::NAN, 1.0, 3.0]) },
            Column { name: "b".into(), data: ColumnData::Dense(block, vec!["1".into(), "2".into()]) },
        ]
    }

    fn apply(missing: Missing) -> Result<Table, ReadError> {
        let options = ReadOptions { missing, ..ReadOptions::default() };
        complete(columns(), &[gap(1, "b"), gap(0, "a")], "f", &options)
    }

    #[test]
    fn the_earliest_gap_is_the_error() {
        let error = apply(Missing::Error).unwrap_err().to_string();
        assert!(error.starts_with("f, line 2, column 'a': the value is missing; drop"), "{error}");
    }

    #[test]
    fn rows_are_dropped_or_filled() {
        let dropped = apply(Missing::Drop).unwrap();
        assert_eq!(dropped.column("a").unwrap().data, ColumnData::Numbers(vec![3.0]));
        let filled = apply(Missing::Mean).unwrap();
        assert_eq!(filled.column("a").unwrap().data, ColumnData::Numbers(vec![2.0, 1.0, 3.0]));
        let ColumnData::Dense(block, _) = &filled.column("b").unwrap().data else { panic!() };
        assert_eq!(block.point(1), &[2.0, 4.0]);
    }

    #[test]
    fn targets_and_empty_columns_are_not_filled() {
        let options =
            ReadOptions { missing: Missing::Mean, target: Some("a".into()), ..ReadOptions::default() };
        let error = complete(columns(), &[gap(0, "a")], "f", &options).unwrap_err();
        assert!(matches!(error, ReadError::MissingTarget { .. }));
        let empty = vec![Column { name: "c".into(), data: ColumnData::Numbers(vec![f64::NAN; 2]) }];
        let mean = ReadOptions { missing: Missing::Mean, ..ReadOptions::default() };
        let error = complete(empty.clone(), &[gap(0, "c")], "f", &mean).unwrap_err();
        assert_eq!(error, ReadError::AllMissing { file: "f".into(), column: "c".into() });
        let drop = ReadOptions { missing: Missing::Drop, ..ReadOptions::default() };
        let error = complete(empty, &[gap(0, "c")], "f", &drop).unwrap_err();
        assert_eq!(error, ReadError::NothingLeft { file: "f".into(), rows: 2 });
    }

    #[test]
    fn means_do_not_overflow() {
        assert_eq!(mean([f64::MAX, f64::NAN, f64::MAX].into_iter()), Some(f64::MAX));
        assert_eq!(mean([f64::NAN].into_iter()), None);
    }
}
