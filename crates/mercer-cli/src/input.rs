//! From the words about data to a table and its target.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, bail};
use mercer::gram::Ideal;
use mercer::kernel::{KernelExpr, MapExpr, vectors};
use mercer::linalg::Budget;
use mercer::model::Model;
use mercer::points::{
    Column, ColumnData, Indices, Kind, Points, ReadOptions, Strata, Table, default_target, holdout, read,
};
use mercer::solve::Limits;

use crate::args::Input;

/// A table without its target, the target, and which rows of the file they are.
pub(crate) struct Data {
    pub(crate) name: String,
    pub(crate) table: Table,
    pub(crate) target: Option<Column>,
    /// How much each row counts, where a column says so.
    pub(crate) weights: Option<Vec<f64>>,
    /// Row numbers in the source, counted from 0.
    rows: Vec<usize>,
    /// Rows of the source.
    pub(crate) total: usize,
}

impl Data {
    /// The number in the source of a row of the table (from 0), counted from 1.
    pub(crate) fn number(&self, row: usize) -> usize {
        self.rows[row] + 1
    }

    /// What the labels would like to see, if there are labels.
    pub(crate) fn ideal(&self) -> anyhow::Result<Option<Ideal>> {
        Ok(self.target.as_ref().map(|column| Ideal::of(&column.name, &column.data)).transpose()?)
    }
}

/// Reads data, takes its target out, and samples it if asked; a kernel that is a matrix gets its rows by number.
pub(crate) fn load(input: &Input, kernel: Option<&KernelExpr>) -> anyhow::Result<Data> {
    load_weighted(input, kernel, None)
}

/// The same, and takes the column with the weights of the rows out as well.
pub(crate) fn load_weighted(
    input: &Input,
    kernel: Option<&KernelExpr>,
    weights: Option<&str>,
) -> anyhow::Result<Data> {
    let options = read_options(input, ReadOptions::default())?;
    let table = read_rows(input, &options)?;
    let target = input.target.clone().or_else(|| default_target(&table).map(str::to_owned));
    divide(table, input, kernel, target, weights)
}

/// Reads data for a model: columns get the kinds of its training table, and the target may be missing.
pub(crate) fn load_for(model: &Model, input: &Input) -> anyhow::Result<Data> {
    let options = read_options(input, model.read_options())?;
    let table = read_rows(input, &options)?;
    let has = |name: &String| table.column(name).is_ok();
    let learned = model.schema().target.clone().filter(has);
    let target = input.target.clone().or(learned).or_else(|| {
        let used =
            |name: &str| model.schema().columns.iter().any(|column| column.used && column.name == name);
        default_target(&table).filter(|name| !used(name)).map(str::to_owned)
    });
    divide(table, input, Some(model.kernel()), target, None)
}

/// What the words say about reading, over what is known otherwise.
fn read_options(input: &Input, known: ReadOptions) -> anyhow::Result<ReadOptions> {
    let mut options = ReadOptions { target: input.target.clone(), header: input.header, ..known };
    options.format =
        input.format.as_deref().map(str::parse).transpose().map_err(|e| anyhow::anyhow!("--format: {e}"))?;
    options.missing = input.missing.parse().map_err(|e| anyhow::anyhow!("--missing: {e}"))?;
    options.delimiter = input.delimiter.as_deref().map(delimiter).transpose()?;
    options.kinds.extend(kinds(&input.kind)?);
    Ok(options)
}

fn read_rows(input: &Input, options: &ReadOptions) -> anyhow::Result<Table> {
    let table = read(&input.source, options)?;
    check_kinds(&table, &kinds(&input.kind)?, called(input))?;
    if table.len() == 0 {
        bail!("{}: there is no row of data", called(input));
    }
    Ok(table)
}

/// The source as it is called in messages.
fn called(input: &Input) -> &str {
    if input.source == "-" { "standard input" } else { &input.source }
}

/// Takes out of a table what is no point.
fn divide(
    mut table: Table,
    input: &Input,
    kernel: Option<&KernelExpr>,
    target: Option<String>,
    weights: Option<&str>,
) -> anyhow::Result<Data> {
    let total = table.len();
    let weights = weights.map(|name| weights_of(&mut table, name)).transpose()?;
    if kernel.is_some_and(|kernel| kernel.uses("precomputed")) {
        table = by_number(table, target.as_deref())?;
    }
    let rows = sample(&table, target.as_deref(), input)?;
    let mut table = if rows.len() < total { table.select(&rows) } else { table };
    let target = target.map(|name| table.remove(&name)).transpose().map_err(|e| anyhow::anyhow!("{e}"))?;
    if table.columns().is_empty() {
        bail!("{}: there is no column besides the target", called(input));
    }
    let weights = weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
    Ok(Data { name: called(input).to_owned(), table, target, weights, rows, total })
}

fn weights_of(table: &mut Table, name: &str) -> anyhow::Result<Vec<f64>> {
    let column = table.remove(name).map_err(|error| anyhow::anyhow!("--weights: {error}"))?;
    match column.data {
        ColumnData::Numbers(weights) => Ok(weights),
        other => bail!("--weights: column '{name}' holds {}; weights are numbers", other.kind()),
    }
}

/// Only in text can a column be read as another kind; elsewhere the wish would be passed over in silence.
fn check_kinds(table: &Table, kinds: &BTreeMap<String, Kind>, source: &str) -> anyhow::Result<()> {
    for (name, kind) in kinds {
        let data = &table.column(name).context("--kind")?.data;
        let is_so = match kind {
            Kind::Numbers => matches!(data, ColumnData::Numbers(_)),
            Kind::Categories => matches!(data, ColumnData::Categories(_)),
            Kind::Texts => matches!(data, ColumnData::Texts(_)),
        };
        if !is_so {
            let holds = format!("column '{name}' of {source} holds {}", data.kind());
            bail!("--kind: {holds}; only columns of CSV and TSV files are read as another kind");
        }
    }
    Ok(())
}

/// A square table of numbers as one matrix, of which any rows can be taken with their columns; other tables as given.
fn by_number(mut table: Table, target: Option<&str>) -> anyhow::Result<Table> {
    let others = || table.columns().iter().filter(|column| Some(column.name.as_str()) != target);
    let width: usize = others().map(|column| coordinates(&column.data)).sum();
    if width != table.len() || !others().all(|column| column.data.is_numeric()) {
        return Ok(table);
    }
    let target = target.map(|name| table.remove(name)).transpose()?;
    let mut whole = Table::new();
    whole.push("the matrix", ColumnData::Indices(Indices::all(vectors(&table)?.0)?))?;
    if let Some(column) = target {
        whole.push(column.name, column.data)?;
    }
    Ok(whole)
}

/// How many coordinates a column has for a kernel on vectors; none are written out to count them.
pub(crate) fn coordinates(column: &ColumnData) -> usize {
    match column {
        ColumnData::Numbers(_) => 1,
        ColumnData::Dense(points, _) => points.dim(),
        ColumnData::Single(points, _) => points.dim(),
        ColumnData::Sparse(points) => points.dim(),
        _ => 0,
    }
}

/// Columns and how they are to be read.
pub(crate) fn kinds(texts: &[String]) -> anyhow::Result<BTreeMap<String, Kind>> {
    texts.iter().map(|text| kind(text)).collect()
}

fn kind(text: &str) -> anyhow::Result<(String, Kind)> {
    let (column, kind) = text.rsplit_once('=').context("--kind: write COLUMN=KIND, e.g. zip=categories")?;
    Ok((column.to_owned(), kind.parse().map_err(|e| anyhow::anyhow!("--kind: {e}"))?))
}

fn delimiter(text: &str) -> anyhow::Result<u8> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        "space" => Ok(b' '),
        _ if text.len() == 1 => Ok(text.as_bytes()[0]),
        _ => bail!("--delimiter: give one character, or tab or space, not '{text}'"),
    }
}

fn sample(table: &Table, target: Option<&str>, input: &Input) -> anyhow::Result<Vec<usize>> {
    let n = table.len();
    let Some(wanted) = input.sample.map(|wanted| wanted as usize).filter(|&wanted| wanted < n) else {
        return Ok((0..n).collect());
    };
    let strata = match target {
        Some(name) => Strata::of(&table.column(name)?.data),
        None => Strata::none(n),
    };
    let split = holdout(&strata, wanted as f64 / n as f64, input.seed).context("--sample")?;
    Ok(split.test)
}

/// Parses a kernel; all that is wrong with it is said.
pub(crate) fn kernel(text: &str) -> anyhow::Result<KernelExpr> {
    Ok(text.parse::<KernelExpr>()?)
}

/// Parses a map.
pub(crate) fn map(text: &str) -> anyhow::Result<MapExpr> {
    Ok(text.parse::<MapExpr>()?)
}

/// The limits that were asked for. Durations have an end; nobody waits for longer than this.
pub(crate) fn limits(seconds: Option<f64>, iterations: Option<u64>) -> Limits {
    let time = seconds.map(|seconds| Duration::from_secs_f64(seconds.min(1e9)));
    Limits { time, iterations }
}

/// The memory budget that was asked for, or the default.
pub(crate) fn budget(bytes: Option<u64>) -> Budget {
    bytes.map_or_else(Budget::default, Budget::of_bytes)
}
