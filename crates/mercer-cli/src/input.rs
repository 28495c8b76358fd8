//! From the words about data to a table and its target.

use anyhow::{Context, bail};
use mercer::gram::Ideal;
use mercer::kernel::{KernelExpr, MapExpr};
use mercer::linalg::Budget;
use mercer::points::{Column, Points, ReadOptions, Strata, Table, default_target, holdout, read};

use crate::args::Input;

/// A table without its target, the target, and which rows of the file they are.
pub(crate) struct Data {
    pub(crate) name: String,
    pub(crate) table: Table,
    pub(crate) target: Option<Column>,
    /// Row numbers in the source, counted from 0.
    pub(crate) rows: Vec<usize>,
    /// Rows of the source.
    pub(crate) total: usize,
}

impl Data {
    /// What the labels would like to see, if there are labels.
    pub(crate) fn ideal(&self) -> anyhow::Result<Option<Ideal>> {
        Ok(self.target.as_ref().map(|column| Ideal::of(&column.name, &column.data)).transpose()?)
    }
}

/// Reads data, takes its target out, and samples it if asked.
pub(crate) fn load(input: &Input) -> anyhow::Result<Data> {
    let word = |error: mercer::points::PointsError| anyhow::anyhow!("{error}");
    let mut options = ReadOptions { target: input.target.clone(), header: input.header, ..ReadOptions::default() };
    options.format = input.format.as_deref().map(str::parse).transpose().map_err(|e| anyhow::anyhow!("--format: {e}"))?;
    options.missing = input.missing.parse().map_err(|e| anyhow::anyhow!("--missing: {e}"))?;
    options.delimiter = input.delimiter.as_deref().map(delimiter).transpose()?;
    let table = read(&input.source, &options)?;
    let total = table.len();
    if total == 0 {
        bail!("{}: there is no row of data", input.source);
    }
    let name = input.target.clone().or_else(|| default_target(&table).map(str::to_owned));
    let rows = sample(&table, name.as_deref(), input)?;
    let mut table = if rows.len() < total { table.select(&rows) } else { table };
    let target = name.map(|name| table.remove(&name)).transpose().map_err(word)?;
    if table.columns().is_empty() {
        bail!("{}: there is no column besides the target", input.source);
    }
    Ok(Data { name: input.source.clone(), table, target, rows, total })
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

/// The memory budget that was asked for, or the default.
pub(crate) fn budget(bytes: Option<u64>) -> Budget {
    bytes.map_or_else(Budget::default, Budget::of_bytes)
}
