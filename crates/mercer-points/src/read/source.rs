//! Where the bytes come from: a file, standard input or the library itself.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::{Format, ReadError, ReadOptions, csv, libsvm, npy, sniff, text};
use crate::{PointsError, Table, data, nearest};

/// Reads a table from a path, from standard input (`-`) or from the library (`@moons(n=500, seed=7)`).
///
/// Gzip data are unpacked wherever they come from. The format is the one in the options, else the one
/// that the file name promises (`.csv`, `.tsv`, `.svm`, `.libsvm`, `.npy`, each also with `.gz`), else
/// the one that the content looks like. A file whose name is `-` or begins with `@` is read as `./-`.
///
/// ```
/// use mercer_points::{Points, ReadOptions, read};
/// let iris = read("@iris", &ReadOptions::default())?;
/// assert_eq!(iris.len(), 150);
/// let error = read("@iriss", &ReadOptions::default()).unwrap_err();
/// assert!(error.to_string().contains("did you mean '@iris'?"));
/// # Ok::<(), mercer_points::ReadError>(())
/// ```
pub fn read(source: &str, options: &ReadOptions) -> Result<Table, ReadError> {
    if let Some(spec) = source.strip_prefix('@') {
        return checked(data::load(spec)?, source, options);
    }
    if source == "-" {
        return Input::new(io::stdin().lock(), "standard input")?.read(options.format, options);
    }
    let (path, name) = (Path::new(source), excerpt_path(source));
    if path.is_dir() {
        return Err(ReadError::Directory { path: name });
    }
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ReadError::NotFound { nearest: nearest_file(path), path: name.clone() },
        _ => ReadError::Io { file: name.clone(), reason: error.to_string() },
    })?;
    let format = options.format.or_else(|| sniff::format_of_name(source));
    Input::new(file, &name)?.read(format, options)
}

/// Reads a table of a known format from any reader; `name` stands for the file in messages.
///
/// ```
/// use mercer_points::{Format, Points, ReadOptions, default_target, read_from};
/// let text = "height,label\n1.5,yes\n1.7,no\n";
/// let table = read_from(text.as_bytes(), "people", Format::Csv, &ReadOptions::default())?;
/// assert_eq!(table.len(), 2);
/// assert_eq!(default_target(&table), Some("label"));
/// # Ok::<(), mercer_points::ReadError>(())
/// ```
pub fn read_from(
    reader: impl Read,
    name: &str,
    format: Format,
    options: &ReadOptions,
) -> Result<Table, ReadError> {
    Input::new(reader, name)?.read(Some(format), options)
}

/// The column to predict when nobody says which: `label`, if there is one.
pub fn default_target(table: &Table) -> Option<&str> {
    table.columns().iter().map(|column| column.name.as_str()).find(|&name| name == "label")
}

/// The error for a name that none of the columns has.
pub(super) fn unknown_column<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    file: &str,
) -> ReadError {
    let source = PointsError::UnknownColumn {
        name: name.to_owned(),
        nearest: nearest(name, known.clone()).map(str::to_owned),
        known: known.take(8).map(str::to_owned).collect(),
    };
    ReadError::Points { file: file.to_owned(), source }
}

/// The table, if it has the target that was asked for.
fn checked(table: Table, file: &str, options: &ReadOptions) -> Result<Table, ReadError> {
    let names = table.columns().iter().map(|column| column.name.as_str());
    match &options.target {
        Some(target) if !names.clone().any(|name| name == target) => Err(unknown_column(target, names, file)),
        _ => Ok(table),
    }
}

/// Unpacked bytes with a name.
struct Input<'a> {
    name: &'a str,
    packed: bool,
    reader: Box<dyn Read + 'a>,
}

impl<'a> Input<'a> {
    fn new(reader: impl Read + 'a, name: &'a str) -> Result<Self, ReadError> {
        let mut input = Self { name, packed: false, reader: Box::new(reader) };
        let head = input.peek(8)?;
        if let Some(with) = sniff::foreign_compression(&head) {
            return Err(ReadError::Compressed { file: name.to_owned(), with });
        }
        input.packed = head.starts_with(&[0x1f, 0x8b]);
        if input.packed {
            input.reader = Box::new(MultiGzDecoder::new(input.reader));
        }
        Ok(input)
    }

    fn read(mut self, format: Option<Format>, options: &ReadOptions) -> Result<Table, ReadError> {
        let format = match format {
            Some(format) => format,
            None => sniff::format_of_content(&self.peek(sniff::SAMPLE)?),
        };
        let name = self.name;
        let table = match format {
            Format::Npy => {
                let packed = self.packed;
                npy::read(&mut self.reader, name, options, |error| failure(name, packed, &error))?
            }
            Format::Libsvm => libsvm::read(text::decode(&self.all(options.max_bytes)?, name)?, name)?,
            Format::Csv | Format::Tsv => {
                csv::read(text::decode(&self.all(options.max_bytes)?, name)?, format, name, options)?
            }
        };
        checked(table, name, options)
    }

    /// The first bytes, which stay to be read.
    fn peek(&mut self, bytes: usize) -> Result<Vec<u8>, ReadError> {
        let mut head = Vec::new();
        let read = self.reader.by_ref().take(bytes as u64).read_to_end(&mut head);
        read.map_err(|error| failure(self.name, self.packed, &error))?;
        let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(head.clone()).chain(rest));
        Ok(head)
    }

    /// All bytes, unless there are too many.
    fn all(&mut self, limit: u64) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        let read = self.reader.by_ref().take(limit.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| failure(self.name, self.packed, &error))?;
        if bytes.len() as u64 > limit {
            return Err(ReadError::TooLarge { file: self.name.to_owned(), limit });
        }
        Ok(bytes)
    }
}

fn failure(name: &str, packed: bool, error: &io::Error) -> ReadError {
    let (file, reason) = (name.to_owned(), error.to_string());
    if packed { ReadError::Gzip { file, reason } } else { ReadError::Io { file, reason } }
}

/// A path in one line; it is not shortened, since all of it matters.
fn excerpt_path(path: &str) -> String {
    path.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The file in the same folder, or the built-in set, whose name is most like the one asked for.
fn nearest_file(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok();
    let names: Vec<String> = entries
        .into_iter()
        .flatten()
        .take(10_000)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    if let Some(name) = nearest(wanted, names.iter().map(String::as_str)) {
        let near = folder.map_or_else(|| Path::new(name).to_owned(), |folder| folder.join(name));
        return near.to_str().map(excerpt_path);
    }
    let set = data::builtin().iter().find(|set| folder.is_none() && set.name == wanted)?;
    Some(format!("@{}", set.name))
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
