//! What has been worked out so far, in a file: a line for each kernel, strength and split.
//!
//! A search that is killed goes on where it was. The first line says what is searched on which data; a file of another
//! search is refused, and a last line that was cut short is dropped.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::ModelError;

/// A file of results.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
    known: HashMap<Key, f64>,
}

/// Kernel, strength, rows trained on and split.
pub(super) type Key = (String, String, usize, usize);

/// More than this is no journal.
const LARGEST: u64 = 1 << 30;

impl Journal {
    /// Opens or begins the journal of a search.
    pub(super) fn open(path: &Path, search: &str) -> Result<Self, ModelError> {
        let failed = |verb: &'static str, error: &std::io::Error| ModelError::file(verb, path, error);
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|error| failed("write", &error))?;
        let mut text = String::new();
        Read::by_ref(&mut file)
            .take(LARGEST)
            .read_to_string(&mut text)
            .map_err(|error| failed("read", &error))?;
        // What comes after the last whole line was cut short.
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        let mut lines = text[..whole].lines();
        let head = json!({ "format": "mercer-tune/1", "search": search });
        let mut known = HashMap::new();
        match lines.next() {
            None => {
                file.set_len(0).map_err(|error| failed("write", &error))?;
                file.seek(SeekFrom::Start(0)).map_err(|error| failed("write", &error))?;
                writeln!(file, "{head}").map_err(|error| failed("write", &error))?;
            }
            Some(first) => {
                if serde_json::from_str::<Value>(first).ok().as_ref() != Some(&head) {
                    return Err(ModelError::Spec(format!(
                        "'{}' is the journal of another search; name another file, or delete it",
                        path.display()
                    )));
                }
                for (number, line) in lines.enumerate() {
                    let (key, value) = entry(line).ok_or_else(|| {
                        ModelError::Spec(format!("'{}': line {} is damaged", path.display(), number + 2))
                    })?;
                    known.insert(key, value);
                }
                file.set_len(whole as u64).map_err(|error| failed("write", &error))?;
                file.seek(SeekFrom::End(0)).map_err(|error| failed("write", &error))?;
            }
        }
        Ok(Self { path: path.to_owned(), file: Mutex::new(file), known })
    }

    /// What was found before.
    pub(super) fn recall(&self, key: &Key) -> Option<f64> {
        self.known.get(key).copied()
    }

    /// Takes down what was found; all lines of a call, or none of them that matter.
    pub(super) fn note(&self, found: &[(Key, f64)]) -> Result<(), ModelError> {
        let line = |((kernel, strength, rows, split), value): &(Key, f64)| {
            // Bits, since the table of a search that went on is to be that of one that was never stopped.
            format!(
                "{}\n",
                json!([kernel, strength, rows, split, format!("{:016x}", value.to_bits()), value])
            )
        };
        let text: String = found.iter().map(line).collect();
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
        written.map_err(|error| ModelError::file("write", &self.path, &error))
    }
}

fn entry(line: &str) -> Option<(Key, f64)> {
    let value: Value = serde_json::from_str(line).ok()?;
    let place = |at: usize| value.get(at)?.as_u64().and_then(|v| usize::try_from(v).ok());
    let key = (value.get(0)?.as_str()?.to_owned(), value.get(1)?.as_str()?.to_owned(), place(2)?, place(3)?);
    let bits = u64::from_str_radix(value.get(4)?.as_str()?, 16).ok()?;
    Some((key, f64::from_bits(bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(split: usize) -> Key {
        ("rbf(sigma=1)".to_owned(), "C=1".to_owned(), 80, split)
    }

    #[test]
    fn what_is_noted_is_recalled_with_its_bits_and_a_torn_line_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let journal = Journal::open(&path, "one").unwrap();
        journal.note(&[(key(0), 0.1 + 0.2), (key(1), f64::NAN)]).unwrap();
        drop(journal);
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"[\"rbf\", \"C=").unwrap();
        let journal = Journal::open(&path, "one").unwrap();
        assert_eq!(journal.recall(&key(0)).map(f64::to_bits), Some((0.1f64 + 0.2).to_bits()));
        assert!(journal.recall(&key(1)).unwrap().is_nan() && journal.recall(&key(2)).is_none());
        journal.note(&[(key(2), 1.0)]).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path, "one").unwrap().recall(&key(2)), Some(1.0));
        assert!(Journal::open(&path, "another").unwrap_err().to_string().contains("another search"));
        std::fs::write(&path, "{\"format\":\"mercer-tune/1\",\"search\":\"one\"}\nnonsense\n").unwrap();
        assert!(Journal::open(&path, "one").unwrap_err().to_string().contains("line 2"));
    }
}
