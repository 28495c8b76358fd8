//! `mercer svm-scale`: every feature to [lower, upper], as LIBSVM's command of that name does.
//!
//! value ↦ lower + (upper − lower)·(value − min)/(max − min), where min and max are over all rows, zeros included.
//! Features that have one value are left out. Only features that occur take memory.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, bail};
use mercer::model::libsvm::General;
use mercer::points::{Points, Sparse, SparseRow};

use super::svm_data::{Rows, write};
use crate::args::SvmScale;
use crate::output::{Answer, note, to_stdout};

pub(crate) fn run(arguments: &SvmScale) -> anyhow::Result<Answer> {
    let options = arguments.options()?;
    let rows = Rows::read(&options.data)?;
    let points = rows.sparse();
    let seen = ranges(&points);
    let mut scaling = match &options.restore {
        Some(path) => Scaling::restore(path)?,
        None => Scaling { x: options.x, y: None, features: seen.clone() },
    };
    if let (None, Some(to)) = (scaling.y, options.y) {
        scaling.y = Some((to, extremes(&rows.labels)));
    }
    if let Some(path) = &options.restore {
        let unknown =
            seen.iter().filter(|(j, range)| range.0 != range.1 && !scaling.features.contains_key(j));
        for (j, _) in unknown {
            let (data, ranges) = (&options.data, path.display());
            note(&format!(
                "note: feature {} of {data} is not in {ranges}; it is left out",
                u64::from(*j) + 1
            ));
        }
    }
    scaling.features.retain(|_, range| range.0 != range.1);
    if let Some(path) = &options.save {
        write(path, &scaling.to_string())?;
    }
    let always = scaling.never_zero();
    let mut stored = 0;
    to_stdout(|writer| {
        for (i, &label) in rows.labels.iter().enumerate() {
            let (line, count) = scaling.line(label, points.point(i), &always);
            stored += count;
            writer.write_all(line.as_bytes())?;
        }
        Ok(())
    })?;
    if stored > points.stored() {
        let before = points.stored();
        note(&format!("note: {before} values became {stored}; -l 0 keeps zeros where no feature is below 0"));
    }
    Ok(Answer::Yes)
}

type Range = (f64, f64);

/// The least and the largest value of each feature that occurs, zeros included.
fn ranges(points: &Sparse) -> BTreeMap<u32, Range> {
    let mut found: BTreeMap<u32, (Range, usize)> = BTreeMap::new();
    for i in 0..points.len() {
        let row = points.point(i);
        for (&j, &value) in row.indices.iter().zip(row.values) {
            let (range, count) = found.entry(j).or_insert(((value, value), 0));
            *range = (range.0.min(value), range.1.max(value));
            *count += 1;
        }
    }
    let with_zero = |(range, count): (Range, usize)| match count < points.len() {
        true => (range.0.min(0.0), range.1.max(0.0)),
        false => range,
    };
    found.into_iter().map(|(j, entry)| (j, with_zero(entry))).collect()
}

fn extremes(values: &[f64]) -> Range {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)))
}

/// How to scale; printed and read as LIBSVM's files of ranges.
#[derive(Debug, Clone, PartialEq)]
struct Scaling {
    x: Range,
    /// To which limits, and from which.
    y: Option<(Range, Range)>,
    features: BTreeMap<u32, Range>,
}

impl std::fmt::Display for Scaling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let number = General::exact;
        if let Some((to, from)) = self.y {
            writeln!(f, "y\n{} {}\n{} {}", number(to.0), number(to.1), number(from.0), number(from.1))?;
        }
        writeln!(f, "x\n{} {}", number(self.x.0), number(self.x.1))?;
        for (j, range) in &self.features {
            writeln!(f, "{} {} {}", u64::from(*j) + 1, number(range.0), number(range.1))?;
        }
        Ok(())
    }
}

impl Scaling {
    fn restore(path: &Path) -> anyhow::Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read '{}'", path.display()))?;
        Self::parse(&text).with_context(|| format!("'{}' is no file of ranges", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        let mut next = || lines.next().context("it ends too early");
        let mut y = None;
        let (mut number, mut line) = next()?;
        if line == "y" {
            let (to, from) = (pair(next()?)?, pair(next()?)?);
            y = Some((to, from));
            (number, line) = next()?;
        }
        if line != "x" {
            bail!("line {number}: 'x' belongs here");
        }
        let mut scaling = Self { x: pair(next()?)?, y, features: BTreeMap::new() };
        for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
            let (index, rest) = line.split_once(' ').unwrap_or((line, ""));
            let index = index.parse::<u32>().ok().filter(|&index| index > 0);
            let index = index
                .with_context(|| format!("line {number}: a line begins with the number of a feature"))?;
            if scaling.features.insert(index - 1, pair((number, rest))?).is_some() {
                bail!("line {number}: feature {index} is given twice");
            }
        }
        Ok(scaling)
    }

    fn feature(&self, range: Range, value: f64) -> f64 {
        scaled(value, range, self.x)
    }

    /// The features whose zeros are not zero after scaling.
    fn never_zero(&self) -> Vec<u32> {
        let moved = |(_, range): &(&u32, &Range)| self.feature(**range, 0.0) != 0.0;
        self.features.iter().filter(moved).map(|(&j, _)| j).collect()
    }

    /// A row as LIBSVM writes it, and how many values it has.
    fn line(&self, label: f64, row: SparseRow<'_>, always: &[u32]) -> (String, usize) {
        let label = self.y.map_or(label, |(to, from)| scaled(label, from, to));
        let mut line = format!("{} ", General::exact(label));
        let (mut stored, mut at, mut count) = (0, 0, 0);
        while stored < row.indices.len() || at < always.len() {
            let here = row.indices.get(stored).copied();
            let j = here.into_iter().chain(always.get(at).copied()).min().unwrap_or(0);
            let value = if here == Some(j) { row.values[stored] } else { 0.0 };
            stored += usize::from(here == Some(j));
            at += usize::from(always.get(at) == Some(&j));
            let Some(&range) = self.features.get(&j) else { continue };
            let value = self.feature(range, value);
            if value != 0.0 {
                count += 1;
                write!(line, "{}:{} ", u64::from(j) + 1, General::short(value))
                    .expect("text takes all that is written");
            }
        }
        line.push('\n');
        (line, count)
    }
}

/// The same place between other limits; the ends are met exactly.
fn scaled(value: f64, from: Range, to: Range) -> f64 {
    if value == from.0 {
        to.0
    } else if value == from.1 {
        to.1
    } else {
        to.0 + (to.1 - to.0) * (value - from.0) / (from.1 - from.0)
    }
}

fn pair((number, line): (usize, &str)) -> anyhow::Result<Range> {
    let values: Vec<f64> = line.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
    match values.as_slice() {
        [low, high] if low.is_finite() && high.is_finite() && line.split_ascii_whitespace().count() == 2 => {
            Ok((*low, *high))
        }
        _ => bail!("line {number}: two numbers belong here"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_they_were_written() {
        let text = "y\n-1 1\n0.10000000000000001 7\nx\n0 1\n1 -2 2\n7 0 0.5\n";
        let scaling = Scaling::parse(text).unwrap();
        assert_eq!(scaling.to_string(), text);
        assert_eq!(scaling.features[&6], (0.0, 0.5));
        for (lie, said) in [
            ("", "it ends too early"),
            ("z\n", "line 1: 'x' belongs here"),
            ("x\n0\n", "line 2: two numbers"),
            ("x\n0 nan\n", "line 2: two numbers"),
            ("x\n0 1 2\n", "line 2: two numbers"),
            ("x\n0 1\n0 1 2\n", "line 3: a line begins with the number of a feature"),
            ("x\n0 1\n1 1 2\n1 1 2\n", "line 4: feature 1 is given twice"),
        ] {
            assert!(Scaling::parse(lie).unwrap_err().to_string().starts_with(said), "{lie}");
        }
    }

    #[test]
    fn zeros_move_where_the_range_is_not_even() {
        let points = Sparse::from_rows(9, [vec![(0, 1.0), (8, 4.0)], vec![(0, 3.0)]]).unwrap();
        let scaling = Scaling { x: (-1.0, 1.0), y: None, features: ranges(&points) };
        let always = scaling.never_zero();
        assert_eq!(scaling.line(2.0, points.point(0), &always), ("2 1:-1 9:1 \n".to_owned(), 2));
        assert_eq!(scaling.line(0.5, points.point(1), &always), ("0.5 1:1 9:-1 \n".to_owned(), 2));
    }
}
