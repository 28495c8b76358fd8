//! The first walk: every cell as a number, and a note of what is not one.

use super::cell::Cell;
use super::dialect::Dialect;
use super::header::Header;
use super::records::{Records, line_of};
use crate::read::error::excerpt;
use crate::read::{Kind, ReadError, ReadOptions};

/// From how many numbers on, and from which share of them, a word among numbers is a mistake.
const SURE: (usize, f64) = (10, 0.9);

/// One column read as numbers.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// NaN where the cell is not a number.
    pub(super) values: Vec<f64>,
    /// Cells that mean a missing value.
    pub(super) missing: Odd,
    infinite: Odd,
    comma: Odd,
    words: Odd,
    empty: usize,
}

/// Cells of one sort: how many, and the first of them.
#[derive(Debug, Default)]
pub(super) struct Odd {
    count: usize,
    pub(super) first: Option<Found>,
}

/// A cell and its place.
#[derive(Debug)]
pub(super) struct Found {
    /// Row, counted from 0.
    pub(super) row: usize,
    /// Where the row begins, in bytes.
    pub(super) start: usize,
    cell: String,
}

/// Reads every cell of every row.
pub(super) fn scan(
    text: &str,
    file: &str,
    dialect: Dialect,
    header: &Header,
) -> Result<Vec<Scan>, ReadError> {
    let width = header.names.len();
    let mut columns: Vec<Scan> = (0..width).map(|_| Scan::default()).collect();
    let mut records = Records::new(text, file, dialect);
    if header.present {
        records.next()?;
    }
    let mut row = 0;
    while let Some(record) = records.next()? {
        let found = record.len();
        if found == 1 && width > 1 && record[0].trim_ascii().is_empty() {
            continue;
        }
        if found != width {
            let (file, line, delimiter) = (file.to_owned(), records.line(), dialect.shown());
            return Err(ReadError::Ragged { file, line, expected: width, found, delimiter });
        }
        // The start of the row is asked for only when it is needed, since `record` borrows `records`.
        let mut odd = false;
        for (column, cell) in columns.iter_mut().zip(record) {
            odd |= column.push(cell, row);
        }
        if odd {
            let start = records.start();
            columns.iter_mut().for_each(|column| column.place(row, start));
        }
        row += 1;
    }
    if row == 0 {
        return Err(ReadError::HeaderOnly { file: file.to_owned() });
    }
    Ok(columns)
}

impl Scan {
    /// Adds a cell; true if it is the first of its sort, so that its place is wanted.
    fn push(&mut self, cell: &str, row: usize) -> bool {
        let odd = match Cell::of(cell) {
            Cell::Number(value) => {
                self.values.push(value);
                return false;
            }
            Cell::Missing => {
                self.empty += usize::from(cell.trim_ascii().is_empty());
                &mut self.missing
            }
            Cell::Infinite => &mut self.infinite,
            Cell::Comma => &mut self.comma,
            Cell::Word => &mut self.words,
        };
        self.values.push(f64::NAN);
        odd.count += 1;
        if odd.first.is_none() {
            odd.first = Some(Found { row, start: 0, cell: excerpt(cell.trim_ascii()) });
            return true;
        }
        false
    }

    fn place(&mut self, row: usize, start: usize) {
        for odd in [&mut self.missing, &mut self.infinite, &mut self.comma, &mut self.words] {
            if let Some(found) = odd.first.as_mut().filter(|found| found.row == row) {
                found.start = start;
            }
        }
    }

    /// Whether there is not a single character in the column.
    pub(super) fn is_empty(&self) -> bool {
        self.empty == self.values.len()
    }

    /// Whether the column holds numbers, rather than names or texts; an error if it is in between.
    pub(super) fn is_numeric(
        &self,
        name: &str,
        header: &Header,
        text: &str,
        file: &str,
        options: &ReadOptions,
    ) -> Result<bool, ReadError> {
        let asked = options.kinds.get(name);
        let others = self.missing.count + self.infinite.count + self.comma.count + self.words.count;
        let numbers = self.values.len() - others;
        let (file, column) = (file.to_owned(), excerpt(name));
        let line = |found: &Found| line_of(text, found.start);
        let must = asked == Some(&Kind::Numbers);
        if matches!(asked, Some(Kind::Categories | Kind::Texts)) {
            return Ok(false);
        }
        if let Some(found) = &self.words.first {
            let filled = self.values.len() - self.missing.count;
            let sure = numbers >= SURE.0 && numbers as f64 >= SURE.1 * filled as f64;
            let only_on_top = header.inferred && !header.present && found.row == 0 && self.words.count == 1;
            let hint = if only_on_top && numbers > 0 {
                "correct it, or say that line 1 is a header"
            } else if sure || must {
                "correct it, or leave it empty if it is missing"
            } else {
                return Ok(false);
            };
            let (line, cell) = (line(found), found.cell.clone());
            return Err(ReadError::NotANumber { file, line, column, cell, numbers, hint });
        }
        if let Some(found) = &self.comma.first {
            return Err(ReadError::DecimalComma {
                file,
                line: line(found),
                column,
                cell: found.cell.clone(),
            });
        }
        if let Some(found) = &self.infinite.first {
            let (place, cell) = (format!("line {}", line(found)), found.cell.clone());
            return Err(ReadError::NotFinite { file, place, column, cell });
        }
        // A target of nothing but `-` is the negative half of a file with labels `+` and `-`.
        let named = name == options.target_name() && numbers == 0 && !self.is_empty();
        Ok(must || !named)
    }
}
