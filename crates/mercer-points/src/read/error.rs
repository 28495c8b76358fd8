//! Every way in which a source can be unreadable.

use crate::PointsError;
use crate::data::DataError;

/// Why a source could not be read: one line with the place, the offending value and what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // Fields say what they are; `file`, `line` and `column` are the place.
pub enum ReadError {
    /// There is no such file.
    #[error("no file '{path}'{}", did_you_mean(.nearest))]
    NotFound { path: String, nearest: Option<String> },
    /// A folder where a file is needed.
    #[error("'{path}' is a folder; name a file in it")]
    Directory { path: String },
    /// The operating system could not read it.
    #[error("cannot read '{file}': {reason}")]
    Io { file: String, reason: String },
    /// Gzip data that end early or do not match their checksum.
    #[error("'{file}' is damaged or cut short gzip data ({reason}); copy or download it again")]
    Gzip { file: String, reason: String },
    /// Compressed, but not with gzip.
    #[error("'{file}' is {with} data; unpack it first (only gzip is unpacked here)")]
    Compressed { file: String, with: &'static str },
    /// More bytes than allowed.
    #[error("'{file}' holds more than {limit} bytes; read a part of it, or raise the limit (max_bytes)")]
    TooLarge { file: String, limit: u64 },
    /// Nothing in it.
    #[error("'{file}' is empty; at least one row is needed")]
    Empty { file: String },
    /// A header and nothing below it.
    #[error("'{file}' has a header but no row below it; if line 1 is data, say so (--header no)")]
    HeaderOnly { file: String },
    /// Bytes that are not UTF-8.
    #[error("{file}, line {line}: not UTF-8 text ({found}); save the file as UTF-8")]
    NotUtf8 { file: String, line: usize, found: String },
    /// A NUL byte in a text.
    #[error("{file}, line {line}: a NUL byte; this is binary data, or UTF-16: save it as UTF-8 text")]
    Nul { file: String, line: usize },
    /// A row with more or fewer cells than the first.
    #[error(
        "{file}, line {line}: {found} {}, but the first row has {expected}; is '{delimiter}' the \
         delimiter, and is every text with it quoted?",
        if *.found == 1 { "cell" } else { "cells" }
    )]
    Ragged { file: String, line: usize, expected: usize, found: usize, delimiter: String },
    /// A quoted cell without an end.
    #[error(
        "{file}, line {line}: a quote opens in this row and never closes; close it, or double it (\"\") \
         if it is text"
    )]
    UnclosedQuote { file: String, line: usize },
    /// Two columns of one name.
    #[error("{file}, line {line}: columns {first} and {second} are both called '{name}'; rename one of them")]
    DuplicateColumn { file: String, line: usize, name: String, first: usize, second: usize },
    /// More columns than a table holds.
    #[error(
        "{file}, line {line}: {found} columns, the limit is {limit}; write them as LIBSVM text or as a \
         NumPy array"
    )]
    TooManyColumns { file: String, line: usize, found: usize, limit: usize },
    /// A delimiter that could not be told from the cells.
    #[error(
        "{0:?} cannot be a delimiter; use one ASCII character that is not a quote, a digit, a letter or \
         a line end"
    )]
    Delimiter(char),
    /// A word in a column of numbers.
    #[error(
        "{file}, line {line}, column '{column}': '{cell}' is not a number, but {numbers} other cells of \
         the column are; {hint}"
    )]
    NotANumber { file: String, line: usize, column: String, cell: String, numbers: usize, hint: &'static str },
    /// A number written with a comma.
    #[error(
        "{file}, line {line}, column '{column}': '{cell}' has a comma; use a point as decimal mark and \
         nothing between thousands"
    )]
    DecimalComma { file: String, line: usize, column: String, cell: String },
    /// An infinite number, or one too large for `f64`.
    #[error(
        "{file}, {place}, column '{column}': '{cell}' is not a finite number; correct it or leave it empty"
    )]
    NotFinite { file: String, place: String, column: String, cell: String },
    /// A missing value where every value is needed.
    #[error(
        "{file}, {place}, column '{column}': the value is missing; drop such rows (--missing drop) or \
         fill them with the mean (--missing mean)"
    )]
    Missing { file: String, place: String, column: String },
    /// A missing value of the target.
    #[error(
        "{file}, {place}, column '{column}': the value to predict is missing and cannot be filled; drop \
         such rows (--missing drop)"
    )]
    MissingTarget { file: String, place: String, column: String },
    /// No mean to fill with.
    #[error("{file}, column '{column}': every value is missing, so there is no mean; remove the column")]
    AllMissing { file: String, column: String },
    /// Nothing remains once rows with missing values are dropped.
    #[error(
        "{file}: each of the {rows} rows has a missing value, none is left; fill them with the mean \
         (--missing mean)"
    )]
    NothingLeft { file: String, rows: usize },
    /// A malformed token of LIBSVM text.
    #[error("{file}, line {line}, column {column}: '{token}' {problem}")]
    Token { file: String, line: usize, column: usize, token: String, problem: TokenProblem },
    /// A query number on some rows only.
    #[error("{file}, line {line}: no qid, but other rows have one; give every row its qid:number or none")]
    MissingQid { file: String, line: usize },
    /// A malformed NumPy array.
    #[error("{file}: {problem}")]
    Npy { file: String, problem: NpyProblem },
    /// An option's word that means nothing.
    #[error("no {what} '{word}'{}", one_of(.nearest, .known))]
    UnknownWord { what: &'static str, word: String, nearest: Option<String>, known: Vec<&'static str> },
    /// A built-in set that does not exist or was asked for wrongly.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A column that is not there.
    #[error("{file}: {source}")]
    Points { file: String, source: PointsError },
}

/// What is wrong with a token of LIBSVM text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenProblem {
    /// The first token is a feature.
    #[error("stands where the label should be; begin each row with its label")]
    NoLabel,
    /// More than one label.
    #[error("is more than one label; give each row one label")]
    ManyLabels,
    /// A word among numbers.
    #[error("is not a number, but nearly all other labels are; correct the label")]
    LabelNotNumber,
    /// No colon.
    #[error("has no colon; write index:value")]
    NoColon,
    /// Not a whole number before the colon.
    #[error("has an index that is not a whole number; indices are 1, 2, 3, …")]
    Index,
    /// Counting from 0.
    #[error("has index 0; indices are counted from 1, add 1 to all of them")]
    Zero,
    /// Beyond 32 bits.
    #[error("has an index above 4294967295, the largest there is; renumber the features")]
    LargeIndex,
    /// The same index twice.
    #[error("repeats the index before it; give each index once a row")]
    Duplicate,
    /// An index below the one before.
    #[error("has an index below the one before it; sort the indices of each row")]
    Descending,
    /// Not a number after the colon.
    #[error("has a value that is not a number; write index:value with a decimal point")]
    Value,
    /// NaN or infinite.
    #[error("is not a finite number; leave the feature out, or correct it")]
    NotFinite,
    /// A malformed or misplaced query number.
    #[error("is no query number here; write qid:number right after the label, a whole number")]
    Qid,
}

/// What is wrong with a NumPy array.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NpyProblem {
    /// Other bytes at the start.
    #[error("not a NumPy array; write it with numpy.save")]
    Magic,
    /// A version of the format that is not known.
    #[error("NumPy format version {0} is not known; versions 1, 2 and 3 are")]
    Version(u8),
    /// A header that cannot be understood.
    #[error("the NumPy header is damaged ({0}); write the array again with numpy.save")]
    Header(String),
    /// A kind of element that is not read.
    #[error("elements of type '{0}' are not read; convert with .astype('<f8') first")]
    Type(String),
    /// Neither a list nor a matrix.
    #[error("the array has shape ({0}), a list or a matrix with at least one column is needed; reshape it")]
    Shape(String),
    /// Fewer or more bytes than the shape needs.
    #[error("the array needs {needed} bytes after its header, {found}; copy it again")]
    Length {
        /// Bytes that the shape and the type need.
        needed: u64,
        /// What was found, in words.
        found: String,
    },
    /// An integer that `f64` cannot hold.
    #[error("row {row}, column {column}: the integer {value} is not exact in 64-bit floating point")]
    Inexact {
        /// Row, counted from 1.
        row: usize,
        /// Column, counted from 1.
        column: usize,
        /// The integer in digits.
        value: String,
    },
}

/// A piece of the source in one short line, fit for a message.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    // `escape_debug` is for literals; quotes need no escape in a sentence.
    shown.replace("\\'", "'").replace("\\\"", "\"")
}

fn did_you_mean(nearest: &Option<String>) -> String {
    match nearest {
        Some(name) => format!("; did you mean '{name}'?"),
        None => "; check the path, or name a built-in set (such as @iris)".to_owned(),
    }
}

fn one_of(nearest: &Option<String>, known: &[&str]) -> String {
    match nearest {
        Some(name) => format!("; did you mean '{name}'?"),
        None => format!("; there are: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_of_one_line() {
        assert_eq!(excerpt("a\nb\t'c' \"d\""), "a\\nb\\t'c' \"d\"");
        assert_eq!(excerpt(&"x".repeat(100)), format!("{}…", "x".repeat(40)));
    }
}
