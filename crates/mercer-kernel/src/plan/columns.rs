//! The numeric columns of a table as vectors: all of them, or those named.

use mercer_linalg::Budget;
use mercer_points::{ColumnData, Dense, Points, PointsError, Sparse, Table, nearest};

use super::block::Block;
use crate::KernelError;

/// Vectors with the names of their coordinates; sparse ones are named by number.
pub(super) enum Named {
    Dense(Block, Vec<String>),
    Sparse(Sparse),
}

/// What a table has, in a line.
pub(super) fn inventory(table: &Table) -> String {
    let columns: Vec<String> =
        table.columns().iter().take(6).map(|c| format!("'{}' ({})", c.name, c.data.kind())).collect();
    match columns.len() {
        0 => "no column".into(),
        shown if shown < table.columns().len() => {
            format!("{}, and {} more", columns.join(", "), table.columns().len() - shown)
        }
        _ => columns.join(", "),
    }
}

/// Sparse points with all coordinates written out, if they fit the memory budget.
pub(super) fn dense(points: &Sparse, budget: Budget) -> Result<Dense<f64>, PointsError> {
    let bytes = points.len() as u128 * points.dim() as u128 * 8;
    if !budget.allows(bytes) {
        return Err(PointsError::TooLarge {
            what: format!("writing out {} sparse rows of {} coordinates", points.len(), points.dim()),
            needed: bytes.to_string(),
            limit: budget.bytes(),
            instead:
                "use a kernel that works on sparse rows (linear, poly, rbf, laplace, cosine, …) without a map"
                    .into(),
        });
    }
    Ok(points.to_dense())
}

/// The numeric columns of a table, all or those named, as vectors.
pub(super) fn gather(kernel: &str, table: &Table, names: Option<&[String]>) -> Result<Named, KernelError> {
    let numeric: Vec<_> = table.columns().iter().filter(|c| c.data.is_numeric()).collect();
    let chosen = match names {
        None => numeric,
        Some(names) => {
            let blocks = names.iter().map(|name| table.column(name).ok().filter(|c| c.data.is_numeric()));
            match blocks.collect::<Option<Vec<_>>>() {
                Some(columns) => columns,
                None => return coordinates(kernel, table, names),
            }
        }
    };
    match chosen.as_slice() {
        [] => Err(KernelError::NoColumns {
            kernel: kernel.into(),
            needs: "numbers".into(),
            found: format!("the table has {}", inventory(table)),
        }),
        [column] if matches!(column.data, ColumnData::Sparse(_)) => {
            let ColumnData::Sparse(points) = &column.data else { unreachable!("just matched") };
            points.check_finite()?;
            Ok(Named::Sparse(points.clone()))
        }
        columns => {
            let mut parts = Vec::new();
            for column in columns {
                parts.push(part(column)?);
            }
            let names = parts.iter().flat_map(|(_, names)| names.iter().cloned()).collect();
            Ok(Named::Dense(side_by_side(table.len(), parts)?, names))
        }
    }
}

/// One numeric column as dense coordinates.
fn part(column: &mercer_points::Column) -> Result<(Block, Vec<String>), KernelError> {
    match &column.data {
        ColumnData::Numbers(values) => {
            if let Some(row) = values.iter().position(|v| !v.is_finite()) {
                let (column, row) = (column.name.clone(), row + 1);
                return Err(match values[row - 1] {
                    v if v.is_nan() => PointsError::Missing { row, column },
                    value => PointsError::NotFinite { place: format!("row {row}, column '{column}'"), value },
                }
                .into());
            }
            Ok((Dense::new(values.len(), 1, values.clone())?.into(), vec![column.name.clone()]))
        }
        ColumnData::Dense(points, names) => {
            points.check_finite()?;
            Ok((points.clone().into(), names.clone()))
        }
        ColumnData::Single(points, names) => {
            points.check_finite()?;
            Ok((Block::Single(points.clone()), names.clone()))
        }
        ColumnData::Sparse(points) => {
            points.check_finite()?;
            Ok((
                dense(points, Budget::default())?.into(),
                (1..=points.dim()).map(|j| j.to_string()).collect(),
            ))
        }
        other => {
            Err(PointsError::WrongKind { name: column.name.clone(), found: other.kind(), needed: "numbers" }
                .into())
        }
    }
}

fn side_by_side(rows: usize, parts: Vec<(Block, Vec<String>)>) -> Result<Block, PointsError> {
    if let [(points, _)] = parts.as_slice() {
        return Ok(points.clone());
    }
    let dim: usize = parts.iter().map(|(points, _)| points.dim()).sum();
    let mut values = vec![0.0; rows * dim];
    let mut first = 0;
    for (points, _) in &parts {
        for (i, row) in values.chunks_exact_mut(dim.max(1)).enumerate() {
            points.read(i, 0, &mut row[first..first + points.dim()]);
        }
        first += points.dim();
    }
    Ok(Dense::new(rows, dim, values)?.into())
}

/// Columns or single coordinates of blocks, by name.
fn coordinates(kernel: &str, table: &Table, wanted: &[String]) -> Result<Named, KernelError> {
    let mut parts = Vec::new();
    for name in wanted {
        if let Ok(column) = table.column(name) {
            parts.push(part(column)?);
            continue;
        }
        let inside = table.columns().iter().find_map(|column| match &column.data {
            ColumnData::Dense(points, names) => {
                let at = names.iter().position(|n| n == name)?;
                Some(points.rows().map(|row| row[at]).collect::<Vec<f64>>())
            }
            ColumnData::Single(points, names) => {
                let at = names.iter().position(|n| n == name)?;
                Some(points.rows().map(|row| row[at].into()).collect())
            }
            ColumnData::Sparse(points) => {
                let at =
                    name.parse::<u32>().ok()?.checked_sub(1).filter(|&at| (at as usize) < points.dim())?;
                let value = |row: mercer_points::SparseRow<'_>| {
                    row.indices.binary_search(&at).map_or(0.0, |k| row.values[k])
                };
                Some(points.rows().map(value).collect())
            }
            _ => None,
        });
        let values = inside.ok_or_else(|| unknown(kernel, table, name))?;
        parts.push(part(&mercer_points::Column { name: name.clone(), data: ColumnData::Numbers(values) })?);
    }
    let names = parts.iter().flat_map(|(_, names)| names.iter().cloned()).collect();
    Ok(Named::Dense(side_by_side(table.len(), parts)?, names))
}

fn unknown(kernel: &str, table: &Table, name: &str) -> KernelError {
    let inner = table.columns().iter().flat_map(|column| match &column.data {
        ColumnData::Dense(_, names) | ColumnData::Single(_, names) => names.as_slice(),
        _ => &[],
    });
    match (table.unknown(name), nearest(name, inner.map(String::as_str))) {
        (PointsError::UnknownColumn { name, nearest: None, known }, Some(near)) => {
            PointsError::UnknownColumn { name, nearest: Some(near.to_owned()), known }.into()
        }
        (PointsError::UnknownColumn { name, known, .. }, _) if known.is_empty() => KernelError::NoColumns {
            kernel: kernel.into(),
            needs: format!("column '{name}'"),
            found: "the table has no column".into(),
        },
        (error, _) => error.into(),
    }
}

pub(super) fn select(points: &Dense<f64>, names: &[String], wanted: &[String]) -> Result<Named, KernelError> {
    let mut at = Vec::new();
    for name in wanted {
        at.push(names.iter().position(|n| n == name).ok_or_else(|| PointsError::UnknownColumn {
            name: name.clone(),
            nearest: nearest(name, names.iter().map(String::as_str)).map(str::to_owned),
            known: names.iter().take(8).cloned().collect(),
        })?);
    }
    let values = points.rows().flat_map(|row| at.iter().map(|&j| row[j])).collect();
    Ok(Named::Dense(Dense::new(points.len(), at.len(), values)?.into(), wanted.to_vec()))
}

/// All numeric columns of a table side by side, with the names of the coordinates.
///
/// ```
/// use mercer_kernel::vectors;
/// use mercer_points::{ColumnData, Table};
/// let mut table = Table::new();
/// table.push("x", ColumnData::Numbers(vec![1.0, 2.0])).unwrap();
/// let (points, names) = vectors(&table).unwrap();
/// assert_eq!((points.dim(), names), (1, vec!["x".to_owned()]));
/// ```
pub fn vectors(table: &Table) -> Result<(Dense<f64>, Vec<String>), KernelError> {
    match gather("a feature map", table, None)? {
        Named::Dense(points, names) => Ok((points.double()?, names)),
        Named::Sparse(points) => {
            Ok((dense(&points, Budget::default())?, (1..=points.dim()).map(|j| j.to_string()).collect()))
        }
    }
}
