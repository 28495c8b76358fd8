//! Which part of a table a leaf sees, and in what form.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use mercer_linalg::Budget;
use mercer_points::{
    Categories, ColumnData, Dense, Fitted, Indices, Points, PointsError, Sparse, Table, Texts, check_size,
    nearest,
};

use crate::kernels::Features;
use crate::{KernelError, MapExpr};

/// Points of one kind, as a leaf sees them.
#[derive(Debug, Clone)]
pub(super) enum View {
    Dense(Dense<f64>),
    Sparse(Sparse),
    Texts(Texts),
    Indices(Indices),
    /// One fingerprint a row, for equality of whole rows.
    Keys(Vec<u128>),
}

/// What a leaf is evaluated on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Vectors,
    /// Vectors, always with all coordinates written out.
    DenseVectors,
    Texts,
    Indices,
    /// One column of categories.
    Category,
    /// Whole rows.
    Keys,
}

/// What is done to a table before a leaf sees it, outermost first.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Change {
    Columns(Vec<String>),
    Map(MapExpr),
}

/// A recipe for a [`View`], with its maps fitted.
#[derive(Clone)]
pub(super) struct ViewSpec {
    pub(super) wanted: Wanted,
    pub(super) changes: Vec<Change>,
    fitted: Vec<Arc<dyn Fitted>>,
    /// The columns of the training table that vectors are made of, and their form: other tables are read alike.
    columns: Vec<String>,
    sparse: bool,
    dim: usize,
    pub(super) features: Option<Features>,
    /// The mean of the training rows, subtracted where only differences count.
    pub(super) center: Vec<f64>,
}

impl std::fmt::Debug for ViewSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} of {:?}", self.wanted, self.changes)
    }
}

/// Vectors with the names of their coordinates; sparse ones are named by number.
enum Named {
    Dense(Dense<f64>, Vec<String>),
    Sparse(Sparse),
}

impl ViewSpec {
    /// Finds the columns and fits the maps on a training table.
    pub(super) fn fit(
        kernel: &str,
        wanted: Wanted,
        changes: &[Change],
        features: Option<Features>,
        table: &Table,
    ) -> Result<(Self, View), KernelError> {
        let mut spec = Self {
            wanted,
            changes: changes.to_vec(),
            fitted: Vec::new(),
            columns: Vec::new(),
            sparse: false,
            dim: 0,
            features,
            center: Vec::new(),
        };
        let view = spec.look(kernel, table, true)?;
        if let View::Dense(points) = &view {
            spec.center = means(points);
        }
        Ok((spec, view))
    }

    /// The view of another table.
    pub(super) fn apply(&self, kernel: &str, table: &Table) -> Result<View, KernelError> {
        self.clone().look(kernel, table, false)
    }

    fn look(&mut self, kernel: &str, table: &Table, fit: bool) -> Result<View, KernelError> {
        match self.wanted {
            Wanted::Vectors | Wanted::DenseVectors => self.vectors(kernel, table, fit),
            Wanted::Texts => self.single(kernel, table, "texts", |data| match data {
                ColumnData::Texts(texts) => Some(View::Texts(texts.clone())),
                ColumnData::Categories(names) => Some(View::Texts(names_of(names))),
                _ => None,
            }),
            Wanted::Indices => self.indices(kernel, table),
            Wanted::Category if self.changes.is_empty() => {
                self.single(kernel, table, "categories", |data| match data {
                    ColumnData::Categories(_) => Some(View::Keys(fingerprints(table.len(), [data]))),
                    _ => None,
                })
            }
            Wanted::Category | Wanted::Keys => self.keys(kernel, table),
        }
    }

    fn columns(&self, kernel: &str) -> Result<Option<&[String]>, KernelError> {
        match self.changes.as_slice() {
            [] => Ok(None),
            [Change::Columns(names)] => Ok(Some(names)),
            _ => Err(KernelError::Unfit(format!(
                "{kernel} is not a kernel on vectors, so no map can come before it"
            ))),
        }
    }

    /// The one column of a kind, by name or because it is the only one.
    fn single(
        &self,
        kernel: &str,
        table: &Table,
        kind: &str,
        take: impl Fn(&ColumnData) -> Option<View>,
    ) -> Result<View, KernelError> {
        let none =
            |found: String| KernelError::NoColumns { kernel: kernel.into(), needs: kind.into(), found };
        if let Some(names) = self.columns(kernel)? {
            let [name] = names else {
                return Err(none(format!("{} columns were named; name one", names.len())));
            };
            let column = table.column(name)?;
            let hint = match column.data {
                ColumnData::Numbers(_) if kind == "texts" => {
                    format!("; read it as texts (--kind {name}=texts)")
                }
                _ => String::new(),
            };
            return take(&column.data)
                .ok_or_else(|| none(format!("column '{name}' holds {}{hint}", column.data.kind())));
        }
        let mut found = table.columns().iter().filter_map(|c| Some((c, take(&c.data)?)));
        match (found.next(), found.next()) {
            (Some((_, view)), None) => Ok(view),
            (None, _) => Err(none(format!("the table has {}", inventory(table)))),
            (Some((first, _)), Some((second, _))) => Err(none(format!(
                "there are several such columns; name one: {kernel}[{}] or {kernel}[{}]",
                first.name, second.name
            ))),
        }
    }

    fn indices(&self, kernel: &str, table: &Table) -> Result<View, KernelError> {
        if table.columns().iter().any(|c| matches!(c.data, ColumnData::Indices(_))) {
            return self.single(kernel, table, "a precomputed matrix", |data| match data {
                ColumnData::Indices(rows) => Some(View::Indices(rows.clone())),
                _ => None,
            });
        }
        let matrix = match gather(kernel, table, self.columns(kernel)?)? {
            Named::Dense(points, _) => points,
            Named::Sparse(points) => dense(&points)?,
        };
        Ok(View::Indices(Indices::all(matrix)?))
    }

    fn keys(&self, kernel: &str, table: &Table) -> Result<View, KernelError> {
        let names = self.columns(kernel)?;
        let mut columns = Vec::new();
        for name in names.unwrap_or(&[]) {
            match table.column(name) {
                Ok(column) => columns.push(&column.data),
                Err(error) => {
                    let Ok(Named::Dense(points, _)) = gather(kernel, table, names) else {
                        return Err(error.into());
                    };
                    return Ok(View::Keys(fingerprints(
                        table.len(),
                        [&ColumnData::Dense(points, Vec::new())],
                    )));
                }
            }
        }
        if names.is_none() {
            columns.extend(table.columns().iter().map(|c| &c.data));
        }
        Ok(View::Keys(fingerprints(table.len(), columns)))
    }

    fn vectors(&mut self, kernel: &str, table: &Table, fit: bool) -> Result<View, KernelError> {
        let first = match self.changes.first() {
            Some(Change::Columns(names)) => Some(names.as_slice()),
            _ => None,
        };
        let mut points = if fit {
            let points = gather(kernel, table, first)?;
            (self.sparse, self.dim) = match &points {
                Named::Dense(points, _) => (false, points.dim()),
                Named::Sparse(points) => (true, points.dim()),
            };
            let numeric = table.columns().iter().filter(|column| column.data.is_numeric());
            self.columns = numeric.map(|column| column.name.clone()).collect();
            points
        } else {
            self.alike(gather(kernel, table, Some(first.unwrap_or(&self.columns)))?)?
        };
        let rest = &self.changes[usize::from(first.is_some())..];
        let mut maps = 0;
        for change in rest {
            let (dense, names) = match points {
                Named::Dense(dense, names) => (dense, names),
                Named::Sparse(sparse) => {
                    (dense(&sparse)?, (1..=sparse.dim()).map(|j| j.to_string()).collect())
                }
            };
            points = match change {
                Change::Columns(wanted) => select(&dense, &names, wanted)?,
                Change::Map(map) => {
                    if fit {
                        let recipe = map.build()?;
                        check_size(&*recipe, dense.dim(), dense.len(), Budget::default().bytes())?;
                        self.fitted.push(recipe.fit(&dense)?);
                    }
                    let fitted = &self.fitted[maps];
                    maps += 1;
                    let names = if fitted.columnwise() { names } else { fitted.names(&names) };
                    Named::Dense(fitted.apply(&dense)?, names)
                }
            };
        }
        let written_out = self.wanted == Wanted::DenseVectors || self.features.is_some();
        let dense = match points {
            Named::Sparse(sparse) if !written_out => return Ok(View::Sparse(sparse)),
            Named::Sparse(sparse) => dense(&sparse)?,
            Named::Dense(points, _) => points,
        };
        Ok(View::Dense(match &self.features {
            None => dense,
            Some(features) => {
                let rows: Vec<Vec<f64>> = dense.rows().map(|row| features(row)).collect();
                let dim = rows.first().map_or(0, Vec::len);
                Dense::new(rows.len(), dim, rows.concat())?
            }
        }))
    }

    /// Points of another table in the form of the training points: sparse or dense, of the same dimension. Trailing
    /// zeros that a file of numbered coordinates leaves out are put back.
    fn alike(&self, points: Named) -> Result<Named, KernelError> {
        let other = |dim: usize| {
            KernelError::Unfit(format!(
                "the points have {dim} coordinates, but the kernel was fitted on {}",
                self.dim
            ))
        };
        Ok(match points {
            Named::Sparse(points) if self.sparse => Named::Sparse(points.with_dim(self.dim)),
            Named::Dense(points, _) if self.sparse => {
                Named::Sparse(Sparse::from_dense(&points).with_dim(self.dim))
            }
            Named::Sparse(points) if points.dim() > self.dim => return Err(other(points.dim())),
            Named::Sparse(points) => {
                let names = (1..=self.dim).map(|j| j.to_string()).collect();
                Named::Dense(dense(&points.with_dim(self.dim))?, names)
            }
            Named::Dense(points, names) if points.dim() == self.dim => Named::Dense(points, names),
            Named::Dense(points, names) => {
                let numbered = names.iter().enumerate().all(|(j, name)| *name == (j + 1).to_string());
                if points.dim() > self.dim || !numbered {
                    return Err(other(points.dim()));
                }
                let values = points.rows().flat_map(|row| {
                    row.iter()
                        .copied()
                        .chain(std::iter::repeat_n(0.0, self.dim - row.len()))
                        .collect::<Vec<_>>()
                });
                let names = (1..=self.dim).map(|j| j.to_string()).collect();
                Named::Dense(Dense::new(points.len(), self.dim, values.collect())?, names)
            }
        })
    }

    /// Names of the coordinates of a view of vectors, for error messages.
    pub(super) fn coordinate_name(&self, table: &Table, coordinate: usize) -> String {
        let names = match self.changes.as_slice() {
            [] => None,
            [Change::Columns(names)] => Some(names.as_slice()),
            _ => return (coordinate + 1).to_string(),
        };
        match gather("", table, names) {
            Ok(Named::Dense(_, names)) => names.get(coordinate).cloned().unwrap_or_default(),
            _ => (coordinate + 1).to_string(),
        }
    }
}

fn names_of(names: &Categories) -> Texts {
    (0..names.len()).map(|i| names.point(i)).collect()
}

/// What a table has, in a line.
fn inventory(table: &Table) -> String {
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
fn dense(points: &Sparse) -> Result<Dense<f64>, PointsError> {
    let (bytes, budget) = (points.len() as u128 * points.dim() as u128 * 8, Budget::default());
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
fn gather(kernel: &str, table: &Table, names: Option<&[String]>) -> Result<Named, KernelError> {
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
fn part(column: &mercer_points::Column) -> Result<(Dense<f64>, Vec<String>), KernelError> {
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
            Ok((Dense::new(values.len(), 1, values.clone())?, vec![column.name.clone()]))
        }
        ColumnData::Dense(points, names) => {
            points.check_finite()?;
            Ok((points.clone(), names.clone()))
        }
        ColumnData::Sparse(points) => {
            points.check_finite()?;
            Ok((dense(points)?, (1..=points.dim()).map(|j| j.to_string()).collect()))
        }
        other => {
            Err(PointsError::WrongKind { name: column.name.clone(), found: other.kind(), needed: "numbers" }
                .into())
        }
    }
}

fn side_by_side(rows: usize, parts: Vec<(Dense<f64>, Vec<String>)>) -> Result<Dense<f64>, PointsError> {
    if let [(points, _)] = parts.as_slice() {
        return Ok(points.clone());
    }
    let dim = parts.iter().map(|(points, _)| points.dim()).sum();
    let mut values = Vec::with_capacity(rows * dim);
    for i in 0..rows {
        parts.iter().for_each(|(points, _)| values.extend_from_slice(points.point(i)));
    }
    Dense::new(rows, dim, values)
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
        ColumnData::Dense(_, names) => names.as_slice(),
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

fn select(points: &Dense<f64>, names: &[String], wanted: &[String]) -> Result<Named, KernelError> {
    let mut at = Vec::new();
    for name in wanted {
        at.push(names.iter().position(|n| n == name).ok_or_else(|| PointsError::UnknownColumn {
            name: name.clone(),
            nearest: nearest(name, names.iter().map(String::as_str)).map(str::to_owned),
            known: names.iter().take(8).cloned().collect(),
        })?);
    }
    let values = points.rows().flat_map(|row| at.iter().map(|&j| row[j])).collect();
    Ok(Named::Dense(Dense::new(points.len(), at.len(), values)?, wanted.to_vec()))
}

fn means(points: &Dense<f64>) -> Vec<f64> {
    let mut sums = vec![0.0; points.dim()];
    for row in points.rows() {
        sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += v);
    }
    let n = points.len().max(1) as f64;
    sums.iter_mut().for_each(|sum| *sum /= n);
    sums
}

/// One key a row of a table: rows are equal in every column where their keys are.
///
/// ```
/// use mercer_kernel::row_keys;
/// use mercer_points::{ColumnData, Table};
/// let mut table = Table::new();
/// table.push("x", ColumnData::Numbers(vec![1.0, 2.0, 1.0])).unwrap();
/// let keys = row_keys(&table);
/// assert!(keys[0] == keys[2] && keys[0] != keys[1]);
/// ```
pub fn row_keys(table: &Table) -> Vec<u128> {
    fingerprints(table.len(), table.columns().iter().map(|column| &column.data))
}

/// A 128-bit fingerprint a row. Zeros do not count, so that dense and sparse spellings of a point agree.
fn fingerprints<'a>(rows: usize, columns: impl IntoIterator<Item = &'a ColumnData>) -> Vec<u128> {
    let mut hashers = vec![(DefaultHasher::new(), DefaultHasher::new()); rows];
    hashers.iter_mut().for_each(|(_, second)| second.write_u8(1));
    fn write<T: Hash>((a, b): &mut (DefaultHasher, DefaultHasher), value: T) {
        value.hash(a);
        value.hash(b);
    }
    // Zero has two signs but is one number.
    let bits = |v: f64| (v + 0.0).to_bits();
    for column in columns {
        for (i, hasher) in hashers.iter_mut().enumerate() {
            match column {
                ColumnData::Numbers(values) => write(hasher, bits(values[i])),
                ColumnData::Categories(names) => write(hasher, names.point(i)),
                ColumnData::Texts(texts) => write(hasher, texts.point(i)),
                ColumnData::Indices(rows) => write(hasher, rows.point(i)),
                ColumnData::Dense(points, _) => {
                    let stored = points.point(i).iter().enumerate().filter(|(_, v)| **v != 0.0);
                    stored.for_each(|(j, &v)| write(hasher, (j as u32, bits(v))));
                    write(hasher, u32::MAX);
                }
                ColumnData::Sparse(points) => {
                    let row = points.point(i);
                    let stored = row.indices.iter().zip(row.values).filter(|(_, v)| **v != 0.0);
                    stored.for_each(|(&j, &v)| write(hasher, (j, bits(v))));
                    write(hasher, u32::MAX);
                }
            }
        }
    }
    hashers.into_iter().map(|(a, b)| u128::from(a.finish()) << 64 | u128::from(b.finish())).collect()
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
        Named::Dense(points, names) => Ok((points, names)),
        Named::Sparse(points) => Ok((dense(&points)?, (1..=points.dim()).map(|j| j.to_string()).collect())),
    }
}
