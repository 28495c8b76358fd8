//! What the training table looked like: enough to read new data alike, and to say what is missing from them.

use std::collections::BTreeMap;

use mercer_points::{Column, ColumnData, Points, ReadOptions, Table};
use serde::{Deserialize, Serialize};

/// The columns of the training table, and the name of its target.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// From left to right, without the target.
    pub columns: Vec<ColumnSchema>,
    /// The target, where there was one.
    pub target: Option<String>,
    /// Further targets, in the order of the machines after the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSchema {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
    /// Whether the kernel looks at it; a column that is not used need not be there when predicting.
    pub used: bool,
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnKind {
    /// One number a row.
    Numbers,
    /// One of these names a row.
    Categories(Vec<String>),
    /// One text a row.
    Texts,
    /// A block of dense coordinates of these names.
    Dense(Vec<String>),
    /// A block of so many sparse coordinates.
    Sparse(usize),
    /// A row of a precomputed matrix of so many rows.
    Matrix(usize),
}

impl Schema {
    /// What a table looks like; `used` says which columns count.
    pub fn of(table: &Table, target: Option<&Column>, used: impl Fn(&Column) -> bool) -> Self {
        let columns = table.columns().iter().map(|column| ColumnSchema {
            name: column.name.clone(),
            kind: ColumnKind::of(&column.data),
            used: used(column),
        });
        let target = target.map(|target| target.name.clone());
        Self { columns: columns.collect(), target, others: Vec::new() }
    }

    /// How new data are to be read so that columns of a CSV file get the kinds of the training table.
    pub fn read_options(&self) -> ReadOptions {
        let kind = |column: &ColumnSchema| match column.kind {
            ColumnKind::Numbers => Some(mercer_points::Kind::Numbers),
            ColumnKind::Categories(_) => Some(mercer_points::Kind::Categories),
            ColumnKind::Texts => Some(mercer_points::Kind::Texts),
            ColumnKind::Dense(_) | ColumnKind::Sparse(_) | ColumnKind::Matrix(_) => None,
        };
        let used = self.columns.iter().filter(|column| column.used);
        let kinds: BTreeMap<_, _> =
            used.filter_map(|column| Some((column.name.clone(), kind(column)?))).collect();
        ReadOptions { kinds, ..ReadOptions::default() }
    }
}

impl ColumnKind {
    /// What a column holds.
    pub fn of(data: &ColumnData) -> Self {
        match data {
            ColumnData::Numbers(_) => Self::Numbers,
            ColumnData::Categories(names) => Self::Categories(names.levels().to_vec()),
            ColumnData::Texts(_) => Self::Texts,
            ColumnData::Dense(_, names) | ColumnData::Single(_, names) => Self::Dense(names.clone()),
            ColumnData::Sparse(points) => Self::Sparse(points.dim()),
            ColumnData::Indices(rows) => Self::Matrix(rows.matrix().len()),
        }
    }

    /// In a word or two.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::Categories(_) => "categories",
            Self::Texts => "texts",
            Self::Dense(_) => "dense vectors",
            Self::Sparse(_) => "sparse vectors",
            Self::Matrix(_) => "rows of a precomputed matrix",
        }
    }
}
