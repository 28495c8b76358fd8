//! The columns that a search begins with: what can only mislead is left out, what is nearly dense is written out.

use std::collections::HashSet;

use mercer_linalg::Budget;
use mercer_points::{Column, ColumnData, Points, Table};

use crate::ModelError;

/// A column that is not used, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// Its name.
    pub column: String,
    /// Why it is left out.
    pub why: String,
}

/// What is left of a table, and what is not.
pub(super) fn tidy(table: &Table, budget: Budget) -> Result<(Table, Vec<LeftOut>), ModelError> {
    let mut kept = Table::new();
    let mut left = Vec::new();
    let others = table.columns().len() > 1;
    for column in table.columns() {
        match reason(column).filter(|_| others) {
            Some(why) => left.push(LeftOut { column: column.name.clone(), why }),
            None => kept.push(column.name.clone(), written_out(&column.data, budget))?,
        }
    }
    if kept.columns().is_empty() {
        let each: Vec<String> = left.iter().map(|left| format!("'{}' {}", left.column, left.why)).collect();
        return Err(ModelError::Data(format!("no column says anything about rows: {}", each.join(", "))));
    }
    Ok((kept, left))
}

/// Why a column can say nothing about new rows.
fn reason(column: &Column) -> Option<String> {
    let rows = column.data.len();
    match &column.data {
        ColumnData::Numbers(values) => {
            let first = *values.first()?;
            if values.iter().all(|&v| v == first) {
                return Some("is the same in every row".to_owned());
            }
            let counts = rows > 20 && values.windows(2).all(|pair| pair[1] - pair[0] == 1.0);
            counts.then(|| "counts the rows".to_owned())
        }
        ColumnData::Categories(names) => {
            let found: HashSet<&str> = (0..rows).map(|i| names.point(i)).collect();
            distinct(found.len(), rows)
        }
        ColumnData::Texts(texts) => {
            let found: HashSet<&str> = texts.iter().collect();
            let longest = texts.iter().map(str::len).max().unwrap_or(0);
            // Long texts differ and still have something in common.
            if longest > 24 && found.len() > 1 { None } else { distinct(found.len(), rows) }
        }
        _ => None,
    }
}

fn distinct(found: usize, rows: usize) -> Option<String> {
    match found {
        1 => Some("is the same in every row".to_owned()),
        _ if rows > 20 && 10 * found > 9 * rows => Some("is another name in nearly every row".to_owned()),
        _ => None,
    }
}

/// Sparse rows of which many coordinates are there are better written out: they can be scaled.
fn written_out(data: &ColumnData, budget: Budget) -> ColumnData {
    let ColumnData::Sparse(points) = data else { return data.clone() };
    let size = points.len() as u128 * points.dim() as u128;
    if points.dim() > 1000 || points.density() < 0.15 || !budget.allows(16 * size) {
        return data.clone();
    }
    let names = (1..=points.dim()).map(|number| number.to_string()).collect();
    ColumnData::Dense(points.to_dense(), names)
}

#[cfg(test)]
mod tests {
    use mercer_points::Sparse;

    use super::*;

    #[test]
    fn columns_that_only_name_rows_are_left_out() {
        let mut table = Table::new();
        let numbers = |f: fn(usize) -> f64| ColumnData::Numbers((0..50).map(f).collect());
        table.push("id", numbers(|i| 7.0 + i as f64)).unwrap();
        table.push("x", numbers(|i| (i * i % 7) as f64)).unwrap();
        table.push("same", numbers(|_| 3.0)).unwrap();
        let names: Vec<String> = (0..50).map(|i| format!("row {i}")).collect();
        table.push("name", ColumnData::Categories(names.iter().collect())).unwrap();
        let (kept, left) = tidy(&table, Budget::default()).unwrap();
        assert_eq!(kept.columns().iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["x"]);
        assert_eq!(left.iter().map(|l| l.column.as_str()).collect::<Vec<_>>(), ["id", "same", "name"]);
        let mut alone = Table::new();
        alone.push("time", numbers(|i| i as f64)).unwrap();
        assert_eq!(tidy(&alone, Budget::default()).unwrap().1, []);
    }

    #[test]
    fn sparse_rows_that_are_nearly_dense_are_written_out() {
        let rows = |step: usize| (0..40).map(move |i| vec![(i as u32 % 3, 1.0 + step as f64)]);
        for (dim, is_dense) in [(4, true), (40, false)] {
            let mut table = Table::new();
            table.push("features", ColumnData::Sparse(Sparse::from_rows(dim, rows(1)).unwrap())).unwrap();
            let (kept, _) = tidy(&table, Budget::default()).unwrap();
            assert_eq!(matches!(kept.columns()[0].data, ColumnData::Dense(..)), is_dense);
        }
    }
}
