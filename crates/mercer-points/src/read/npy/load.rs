//! Reading an array, a piece at a time, so that a header that lies cannot make memory run out.

use std::io::{self, Read};

use super::element::Element;
use super::header::{Header, LONGEST};
use crate::read::missing::{Gap, complete};
use crate::read::{NpyProblem, ReadError, ReadOptions};
use crate::{Column, ColumnData, Dense, Table};

/// Bytes that are decoded at once; a multiple of every element's size.
const PIECE: usize = 1 << 16;

/// Reads a table with one column `features`; `failure` says what a failed read means.
pub(in crate::read) fn read(
    reader: &mut dyn Read,
    file: &str,
    options: &ReadOptions,
    failure: impl Fn(io::Error) -> ReadError,
) -> Result<Table, ReadError> {
    let wrong = |problem| ReadError::Npy { file: file.to_owned(), problem };
    let header = header(reader, &failure)?.and_then(|text| Header::parse(&text)).map_err(wrong)?;
    let element = Element::parse(&header.descr).map_err(wrong)?;
    let (rows, columns) = header.rows_and_columns().map_err(wrong)?;
    if rows == 0 {
        return Err(ReadError::Empty { file: file.to_owned() });
    }
    let limit = options.max_bytes;
    let count = rows.checked_mul(columns).filter(|count| count.checked_mul(8).is_some_and(|b| b <= limit));
    let count = count.ok_or_else(|| ReadError::TooLarge { file: file.to_owned(), limit })?;
    // Both factors are below the limit in bytes, which is below what a vector can hold.
    let (rows, columns, count) = (rows as usize, columns as usize, count as usize);
    let place =
        |at: usize| if header.fortran { (at % rows, at / rows) } else { (at / columns, at % columns) };
    let values = elements(reader, element, count, &failure)?.map_err(|problem| match problem {
        Refused::Length(needed, found) => wrong(NpyProblem::Length { needed, found }),
        Refused::Inexact(at, value) => {
            let (row, column) = place(at);
            wrong(NpyProblem::Inexact { row: row + 1, column: column + 1, value })
        }
    })?;
    let names: Vec<String> = (1..=columns).map(|j| j.to_string()).collect();
    let gap = find_gap(&values, place, file)?;
    let values = if header.fortran { row_major(&values, rows, columns) } else { values };
    let block = Dense::new(rows, columns, values);
    let block = block.map_err(|source| ReadError::Points { file: file.to_owned(), source })?;
    let features = Column { name: "features".to_owned(), data: ColumnData::Dense(block, names) };
    complete(vec![features], gap.as_slice(), file, options)
}

/// The text of the dictionary.
fn header(
    reader: &mut dyn Read,
    failure: &impl Fn(io::Error) -> ReadError,
) -> Result<Result<String, NpyProblem>, ReadError> {
    let mut head = Vec::new();
    reader.take(8).read_to_end(&mut head).map_err(failure)?;
    let Some(&[major, _]) = head.strip_prefix(b"\x93NUMPY") else { return Ok(Err(NpyProblem::Magic)) };
    let digits = match major {
        1 => 2,
        2 | 3 => 4,
        other => return Ok(Err(NpyProblem::Version(other))),
    };
    let mut length = Vec::new();
    reader.take(digits).read_to_end(&mut length).map_err(failure)?;
    let short = length.len() as u64 != digits;
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    if short || length > LONGEST {
        return Ok(Err(NpyProblem::Header("its length is wrong".to_owned())));
    }
    let mut text = Vec::new();
    reader.take(length as u64).read_to_end(&mut text).map_err(failure)?;
    if text.len() < length {
        return Ok(Err(NpyProblem::Header("it is cut short".to_owned())));
    }
    Ok(String::from_utf8(text).map_err(|_| NpyProblem::Header("it is not text".to_owned())))
}

enum Refused {
    Length(u64, String),
    Inexact(usize, String),
}

/// Exactly `count` elements, in the order of the file, and nothing after them.
fn elements(
    reader: &mut dyn Read,
    element: Element,
    count: usize,
    failure: &impl Fn(io::Error) -> ReadError,
) -> Result<Result<Vec<f64>, Refused>, ReadError> {
    let size = element.bytes();
    let needed = count as u64 * size as u64;
    let mut values = Vec::new();
    let mut piece = Vec::with_capacity(PIECE);
    while values.len() < count {
        piece.clear();
        let wanted = PIECE.min((count - values.len()) * size);
        reader.take(wanted as u64).read_to_end(&mut piece).map_err(failure)?;
        if piece.len() < wanted {
            let found = format!("there are only {}", values.len() * size + piece.len());
            return Ok(Err(Refused::Length(needed, found)));
        }
        for bytes in piece.chunks_exact(size) {
            match element.decode(bytes) {
                Ok(value) => values.push(value),
                Err(digits) => return Ok(Err(Refused::Inexact(values.len(), digits))),
            }
        }
    }
    piece.clear();
    let more = reader.take(1).read_to_end(&mut piece).map_err(failure)?;
    if more > 0 {
        return Ok(Err(Refused::Length(needed, "there are more".to_owned())));
    }
    Ok(Ok(values))
}

/// The first NaN by rows, which is a missing value; an infinite value is an error.
fn find_gap(
    values: &[f64],
    place: impl Fn(usize) -> (usize, usize),
    file: &str,
) -> Result<Option<Gap>, ReadError> {
    let words = |(row, column): (usize, usize)| (format!("row {}", row + 1), (column + 1).to_string());
    if let Some(at) = values.iter().position(|v| v.is_infinite()) {
        let ((place, column), cell) = (words(place(at)), values[at].to_string());
        return Err(ReadError::NotFinite { file: file.to_owned(), place, column, cell });
    }
    let first = (0..values.len()).filter(|&at| values[at].is_nan()).map(place).min();
    Ok(first.map(|at| Gap { row: at.0, column: words(at).1, place: words(at).0 }))
}

fn row_major(values: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..rows * columns).map(|at| values[at % columns * rows + at / columns]).collect()
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
