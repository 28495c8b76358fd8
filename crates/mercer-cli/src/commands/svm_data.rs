//! Files as LIBSVM's own commands take them: labels and features in, text out.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::bail;
use mercer::points::{ColumnData, Format, Points, ReadOptions, Sparse, Table, read};

use crate::output::{check_place, to_file};

/// Labels and features.
pub(crate) struct Rows {
    pub(crate) labels: Vec<f64>,
    /// The one column `features`.
    pub(crate) table: Table,
}

impl Rows {
    /// Reads LIBSVM text; labels must be numbers.
    pub(crate) fn read(source: &str) -> anyhow::Result<Self> {
        let options = ReadOptions { format: Some(Format::Libsvm), ..ReadOptions::default() };
        let mut table = read(source, &options)?;
        let ColumnData::Numbers(labels) = table.remove("label")?.data else {
            bail!("{source}: the labels are words, and LIBSVM's are numbers; 'mercer fit' takes words");
        };
        let mut features = Table::new();
        features.push("features", table.remove("features")?.data)?;
        Ok(Self { labels, table: features })
    }

    /// How many features there are.
    pub(crate) fn dimension(&self) -> usize {
        match &self.table.columns()[0].data {
            ColumnData::Dense(points, _) => points.dim(),
            ColumnData::Single(points, _) => points.dim(),
            ColumnData::Sparse(points) => points.dim(),
            _ => 0,
        }
    }

    /// The features as sparse rows.
    pub(crate) fn sparse(&self) -> Sparse {
        match &self.table.columns()[0].data {
            ColumnData::Dense(points, _) => Sparse::from_dense(points),
            ColumnData::Single(points, _) => Sparse::from_dense(points),
            ColumnData::Sparse(points) => points.clone(),
            other => {
                Sparse::from_rows(0, vec![Vec::new(); other.len()]).expect("rows of no coordinate are sound")
            }
        }
    }

    /// Some of the rows.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        Self { labels: rows.iter().map(|&i| self.labels[i]).collect(), table: self.table.select(rows) }
    }
}

/// Writes a text file whole or not at all. What is not a file, such as /dev/stdout, is written as it is.
pub(crate) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if path.is_dir() || !path.exists() || path.is_file() {
        check_place(path)?;
        return to_file(path, |writer| writer.write_all(text.as_bytes()));
    }
    let done =
        File::options().write(true).open(path).and_then(|mut device| device.write_all(text.as_bytes()));
    done.map_err(|error| anyhow::anyhow!("cannot write '{}': {error}", path.display()))
}

/// The two lines that LIBSVM prints about predicted numbers, between some words.
pub(crate) fn squared(before: &str, truth: &[f64], predicted: &[f64], after: &str) -> String {
    let n = truth.len() as f64;
    let (mut error, mut p, mut t, mut pp, mut tt, mut pt) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for (&y, &v) in truth.iter().zip(predicted) {
        error += (v - y) * (v - y);
        p += v;
        t += y;
        pp += v * v;
        tt += y * y;
        pt += v * y;
    }
    let covariance = n * pt - p * t;
    let correlation = covariance * covariance / ((n * pp - p * p) * (n * tt - t * t));
    let number = mercer::model::libsvm::General::short;
    format!(
        "{before}Mean squared error = {}{after}\n{before}Squared correlation coefficient = {}{after}\n",
        number(error / n),
        number(correlation)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_correlation_of_a_line() {
        let said = squared("", &[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0], " (regression)");
        assert_eq!(
            said,
            "Mean squared error = 4.66667 (regression)\nSquared correlation coefficient = 1 (regression)\n"
        );
    }
}
