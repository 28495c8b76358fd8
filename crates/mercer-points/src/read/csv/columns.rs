//! From text to a table: kinds of columns, and the second walk for names and texts.
//!
//! A column holds **numbers** if every cell that is not missing is one. Else it holds **categories** if
//! it is the target, or if its values are short (at most [`SHORT`] bytes), few (at most 20, or 2·√n if
//! that is more) and not all different; and else **texts**. In categories and texts a sign for a missing
//! value is a value like any other, except that an empty or `NA` target is missing. A column without a
//! name and without a single character (a delimiter at the end of each line) is left out.

use std::collections::HashSet;

use super::dialect::Dialect;
use super::header::Header;
use super::records::{Records, line_of};
use super::scan::{Scan, scan};
use crate::read::missing::{Gap, complete, is_missing_target};
use crate::read::source::unknown_column;
use crate::read::{Format, Kind, ReadError, ReadOptions};
use crate::{Column, ColumnData, Table};

/// The longest value of a category that is inferred, in bytes.
const SHORT: usize = 40;

/// Reads a table from separated values.
pub(crate) fn read(
    text: &str,
    format: Format,
    file: &str,
    options: &ReadOptions,
) -> Result<Table, ReadError> {
    let dialect = Dialect::of(text, format, options)?;
    let header = Header::of(text, file, dialect, options)?;
    check_kinds(&header, file, options)?;
    let mut scans: Vec<Option<Scan>> = scan(text, file, dialect, &header)?.into_iter().map(Some).collect();
    let mut words = Vec::new();
    for (j, scan) in scans.iter_mut().enumerate() {
        let Some(found) = scan.as_ref() else { continue };
        if found.is_empty() && !header.given[j] && header.names.len() > 1 {
            *scan = None;
        } else if !found.is_numeric(&header.names[j], &header, text, file, options)? {
            *scan = None;
            words.push(Words { column: j, ..Words::default() });
        }
    }
    if !words.is_empty() {
        collect(&mut words, text, file, dialect, &header)?;
    }
    assemble(scans, words, &header, text, file, options)
}

fn check_kinds(header: &Header, file: &str, options: &ReadOptions) -> Result<(), ReadError> {
    let Some(unknown) = options.kinds.keys().find(|name| !header.names.contains(name)) else { return Ok(()) };
    Err(unknown_column(unknown, header.names.iter().map(String::as_str), file))
}

fn assemble(
    scans: Vec<Option<Scan>>,
    words: Vec<Words>,
    header: &Header,
    text: &str,
    file: &str,
    options: &ReadOptions,
) -> Result<Table, ReadError> {
    let (mut columns, mut gaps) = (Vec::new(), Vec::new());
    let mut words = words.into_iter().peekable();
    for (j, scan) in scans.into_iter().enumerate() {
        let name = header.names[j].clone();
        let place = |row: usize, start: usize| {
            let place = format!("line {}", line_of(text, start));
            Gap { row, column: header.names[j].clone(), place }
        };
        if let Some(scan) = scan {
            gaps.extend(scan.missing.first.iter().map(|found| place(found.row, found.start)));
            columns.push(Column { name, data: ColumnData::Numbers(scan.values) });
        } else if let Some(words) = words.next_if(|words| words.column == j) {
            let is_target = name == options.target_name();
            let kind = options.kinds.get(&name).copied().unwrap_or_else(|| words.kind(is_target));
            if let Some((row, start)) = words.gap.filter(|_| is_target) {
                gaps.push(place(row, start));
            }
            let data = match kind {
                Kind::Texts => ColumnData::Texts(words.cells().collect()),
                Kind::Categories | Kind::Numbers => {
                    ColumnData::Categories(words.cells().map(str::trim).collect())
                }
            };
            columns.push(Column { name, data });
        }
    }
    complete(columns, &gaps, file, options)
}

/// The cells of a column that does not hold numbers, in one buffer.
#[derive(Debug, Default)]
struct Words {
    column: usize,
    buffer: String,
    ends: Vec<usize>,
    /// The first cell that would be missing if the column were the target: row and start.
    gap: Option<(usize, usize)>,
}

/// The second walk.
fn collect(
    words: &mut [Words],
    text: &str,
    file: &str,
    dialect: Dialect,
    header: &Header,
) -> Result<(), ReadError> {
    let mut records = Records::new(text, file, dialect);
    if header.present {
        records.next()?;
    }
    let mut row = 0;
    while let Some(record) = records.next()? {
        if record.len() != header.names.len() {
            continue;
        }
        let mut gap = false;
        for words in words.iter_mut() {
            let cell = &record[words.column];
            words.buffer.push_str(cell);
            words.ends.push(words.buffer.len());
            if words.gap.is_none() && is_missing_target(cell) {
                (words.gap, gap) = (Some((row, usize::MAX)), true);
            }
        }
        if gap {
            let start = records.start();
            words.iter_mut().filter_map(|w| w.gap.as_mut()).filter(|g| g.0 == row).for_each(|g| g.1 = start);
        }
        row += 1;
    }
    Ok(())
}

impl Words {
    fn cells(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.buffer[start..end])
    }

    fn kind(&self, is_target: bool) -> Kind {
        if is_target {
            return Kind::Categories;
        }
        if are_categories(self.ends.len(), self.cells().map(str::trim)) {
            Kind::Categories
        } else {
            Kind::Texts
        }
    }
}

/// Whether words are names from a finite set, not texts: short, few, and not all different.
///
/// ```
/// assert!(mercer_points::are_categories(4, ["red", "red", "blue", "red"]));
/// assert!(!mercer_points::are_categories(2, ["gattaca", "gatta"]));
/// ```
pub fn are_categories<'a>(rows: usize, words: impl IntoIterator<Item = &'a str>) -> bool {
    let few = (2.0 * (rows as f64).sqrt()).max(20.0) as usize;
    let mut distinct = HashSet::new();
    for word in words {
        distinct.insert(word);
        if word.len() > SHORT || distinct.len() > few {
            return false;
        }
    }
    distinct.len() < rows
}
