//! Which part of a table a leaf sees, and in what form.

use std::sync::Arc;

use mercer_linalg::Budget;
use mercer_points::{
    Categories, ColumnData, Dense, Fitted, Indices, Points, Sparse, Table, Texts, check_size,
};

use super::block::{Block, check_room};
use super::columns::{Named, dense, gather, inventory, select};
use super::keys::fingerprints;
use super::picked::Picked;
use crate::kernels::Features;
use crate::{KernelError, MapExpr};

/// Points of one kind, as a leaf sees them.
#[derive(Debug, Clone)]
pub(super) enum View {
    Dense(Picked),
    Sparse(Sparse),
    Texts(Texts),
    Indices(Indices),
    /// One fingerprint a row, for equality of whole rows.
    Keys(Vec<u128>),
}

impl View {
    /// Some points, in the given order.
    pub(super) fn part(&self, rows: &[usize]) -> Self {
        match self {
            Self::Dense(points) => Self::Dense(points.part(rows)),
            Self::Sparse(points) => Self::Sparse(points.select(rows)),
            Self::Texts(points) => Self::Texts(points.select(rows)),
            Self::Indices(points) => Self::Indices(points.select(rows)),
            Self::Keys(keys) => Self::Keys(rows.iter().map(|&row| keys[row]).collect()),
        }
    }
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
    pub(super) fitted: Vec<Arc<dyn Fitted>>,
    /// The columns of the training table that vectors are made of, and their form: other tables are read alike.
    pub(super) columns: Vec<String>,
    pub(super) sparse: bool,
    pub(super) dim: usize,
    pub(super) features: Option<Features>,
    /// The mean of the training rows, subtracted where only differences count.
    pub(super) center: Vec<f64>,
}

impl std::fmt::Debug for ViewSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} of {:?}", self.wanted, self.changes)
    }
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
            spec.center = points.block().means();
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
            Named::Dense(points, _) => points.double()?,
            Named::Sparse(points) => dense(&points, Budget::default())?,
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
                    let points = ColumnData::Dense(points.double()?, Vec::new());
                    return Ok(View::Keys(fingerprints(table.len(), [&points])));
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
                Named::Dense(points, names) => (points.double()?, names),
                Named::Sparse(sparse) => {
                    (dense(&sparse, Budget::default())?, (1..=sparse.dim()).map(|j| j.to_string()).collect())
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
                    check_room(dense.len(), fitted.dim_out())?;
                    let names = if fitted.columnwise() { names } else { fitted.names(&names) };
                    Named::Dense(fitted.apply(&dense)?.into(), names)
                }
            };
        }
        let written_out = self.wanted == Wanted::DenseVectors || self.features.is_some();
        let points = match points {
            Named::Sparse(sparse) if !written_out => return Ok(View::Sparse(sparse)),
            Named::Sparse(sparse) => dense(&sparse, Budget::default())?.into(),
            Named::Dense(points, _) => points,
        };
        let points: Block = match &self.features {
            // A function of the user's sees `f64`.
            None if self.wanted == Wanted::DenseVectors => points.double()?.into(),
            None => points,
            Some(features) => after(features, &points)?.into(),
        };
        Ok(View::Dense(points.into()))
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
            Named::Dense(points, _) if self.sparse => Named::Sparse(points.sparse().with_dim(self.dim)),
            Named::Sparse(points) if points.dim() > self.dim => return Err(other(points.dim())),
            Named::Sparse(points) => {
                let names = (1..=self.dim).map(|j| j.to_string()).collect();
                Named::Dense(dense(&points.with_dim(self.dim), Budget::default())?.into(), names)
            }
            Named::Dense(points, names) if points.dim() == self.dim => Named::Dense(points, names),
            Named::Dense(points, names) => {
                let numbered = names.iter().enumerate().all(|(j, name)| *name == (j + 1).to_string());
                if points.dim() > self.dim || !numbered {
                    return Err(other(points.dim()));
                }
                check_room(points.len(), self.dim)?;
                let mut values = vec![0.0; points.len() * self.dim];
                for (i, row) in values.chunks_exact_mut(self.dim).enumerate() {
                    points.read(i, 0, &mut row[..points.dim()]);
                }
                let names = (1..=self.dim).map(|j| j.to_string()).collect();
                Named::Dense(Dense::new(points.len(), self.dim, values)?.into(), names)
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

/// The features of every point, which come before the base of a kernel.
fn after(features: &Features, points: &Block) -> Result<Dense<f64>, KernelError> {
    let (mut values, mut space, mut dim) = (Vec::new(), Vec::new(), 0);
    for i in 0..points.len() {
        let found = features(points.row(i, &mut space));
        dim = found.len();
        values.extend_from_slice(&found);
    }
    Ok(Dense::new(points.len(), dim, values)?)
}

fn names_of(names: &Categories) -> Texts {
    (0..names.len()).map(|i| names.point(i)).collect()
}
