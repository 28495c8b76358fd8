//! What may be said about a source before it is read.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::ReadError;
use crate::nearest;

/// How to read; the default infers everything and refuses missing values.
///
/// ```
/// use mercer_points::{Missing, ReadOptions};
/// let options = ReadOptions { missing: Missing::Drop, ..ReadOptions::default() };
/// assert_eq!(options.format, None);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// The format; `None` takes it from the file name, else from the content.
    pub format: Option<Format>,
    /// Whether the first row of a CSV file names the columns; `None` infers it.
    pub header: Option<bool>,
    /// What separates the cells of a CSV file; `None` infers it among tab, `;`, `,`, `|` and spaces.
    pub delimiter: Option<u8>,
    /// The column that is to be predicted; `None` means the column `label`, if there is one.
    ///
    /// It must exist, is never filled with a mean, and if it does not hold numbers it holds categories.
    pub target: Option<String>,
    /// What to do about missing numbers.
    pub missing: Missing,
    /// Columns of a CSV file whose kind is not to be inferred.
    pub kinds: BTreeMap<String, Kind>,
    /// The most bytes to hold of one source, counted after decompression.
    pub max_bytes: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            header: None,
            delimiter: None,
            target: None,
            missing: Missing::Error,
            kinds: BTreeMap::new(),
            max_bytes: 4 << 30,
        }
    }
}

impl ReadOptions {
    /// The name of the target column: the one asked for, else `label`.
    pub(super) fn target_name(&self) -> &str {
        self.target.as_deref().unwrap_or("label")
    }
}

/// The formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Separated values, any delimiter.
    Csv,
    /// Separated values, the delimiter is a tab.
    Tsv,
    /// `label index:value …`, also called SVMlight.
    Libsvm,
    /// A NumPy array.
    Npy,
}

/// What to do about a missing number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// It is an error that says where it is.
    #[default]
    Error,
    /// The row is left out.
    Drop,
    /// The mean of the column takes its place: of *all* rows read, also of those tested on later.
    Mean,
}

/// The kinds of columns that a CSV file can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One number a row.
    Numbers,
    /// One name a row, from a finite set.
    Categories,
    /// One text a row.
    Texts,
}

const FORMATS: [(&str, Format); 4] =
    [("csv", Format::Csv), ("tsv", Format::Tsv), ("libsvm", Format::Libsvm), ("npy", Format::Npy)];
const MISSING: [(&str, Missing); 3] =
    [("error", Missing::Error), ("drop", Missing::Drop), ("mean", Missing::Mean)];
const KINDS: [(&str, Kind); 3] =
    [("numbers", Kind::Numbers), ("categories", Kind::Categories), ("texts", Kind::Texts)];

impl FromStr for Format {
    type Err = ReadError;

    fn from_str(word: &str) -> Result<Self, ReadError> {
        choose("format", word, &FORMATS)
    }
}

impl FromStr for Missing {
    type Err = ReadError;

    fn from_str(word: &str) -> Result<Self, ReadError> {
        choose("policy for missing values", word, &MISSING)
    }
}

impl FromStr for Kind {
    type Err = ReadError;

    fn from_str(word: &str) -> Result<Self, ReadError> {
        choose("kind of column", word, &KINDS)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(*self, &FORMATS))
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(*self, &MISSING))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(*self, &KINDS))
    }
}

fn choose<T: Copy>(what: &'static str, word: &str, choices: &[(&'static str, T)]) -> Result<T, ReadError> {
    choices.iter().find(|(name, _)| *name == word).map(|&(_, value)| value).ok_or_else(|| {
        let known: Vec<&'static str> = choices.iter().map(|&(name, _)| name).collect();
        let nearest = nearest(word, known.iter().copied()).map(str::to_owned);
        ReadError::UnknownWord { what, word: word.to_owned(), nearest, known }
    })
}

fn name_of<T: Copy + PartialEq>(value: T, choices: &[(&'static str, T)]) -> &'static str {
    choices.iter().find(|(_, v)| *v == value).map_or("", |&(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back_and_misspellings_are_met_with_a_hint() {
        for format in [Format::Csv, Format::Tsv, Format::Libsvm, Format::Npy] {
            assert_eq!(format.to_string().parse::<Format>(), Ok(format));
        }
        for missing in [Missing::Error, Missing::Drop, Missing::Mean] {
            assert_eq!(missing.to_string().parse::<Missing>(), Ok(missing));
        }
        for kind in [Kind::Numbers, Kind::Categories, Kind::Texts] {
            assert_eq!(kind.to_string().parse::<Kind>(), Ok(kind));
        }
        let error = "libsmv".parse::<Format>().unwrap_err().to_string();
        assert_eq!(error, "no format 'libsmv'; did you mean 'libsvm'?");
        let error = "average".parse::<Missing>().unwrap_err().to_string();
        assert_eq!(error, "no policy for missing values 'average'; there are: error, drop, mean");
    }
}
