//! The rows of a file, one after the other, each with its place.

use csv::{ReaderBuilder, StringRecord};

use super::dialect::Dialect;
use crate::read::ReadError;
use crate::read::text::line_at;

/// Walks the rows of a text; blank lines are passed over.
pub(super) struct Records<'a> {
    text: &'a str,
    file: &'a str,
    dialect: Dialect,
    reader: csv::Reader<&'a [u8]>,
    record: StringRecord,
    start: usize,
}

impl<'a> Records<'a> {
    /// From the beginning of the text.
    pub(super) fn new(text: &'a str, file: &'a str, dialect: Dialect) -> Self {
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(dialect.delimiter)
            .quoting(dialect.quotes)
            .from_reader(text.as_bytes());
        Self { text, file, dialect, reader, record: StringRecord::new(), start: 0 }
    }

    /// The next row; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<&StringRecord>, ReadError> {
        loop {
            let more = self.reader.read_record(&mut self.record);
            let more = more.map_err(|error| {
                let (file, reason) = (self.file.to_owned(), error.to_string());
                ReadError::Io { file, reason }
            })?;
            if !more {
                return Ok(None);
            }
            self.start = self.record.position().map_or(0, |p| p.byte() as usize);
            let last = self.reader.position().byte() as usize >= self.text.len();
            if last && self.dialect.quotes && self.ends_in_quotes() {
                return Err(ReadError::UnclosedQuote { file: self.file.to_owned(), line: self.line() });
            }
            if self.dialect.delimiter == b' ' {
                self.record = self.record.iter().filter(|cell| !cell.is_empty()).collect();
                if self.record.is_empty() {
                    continue;
                }
            }
            return Ok(Some(&self.record));
        }
    }

    /// Where the last row begins, in bytes.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// The line in which the last row begins.
    pub(super) fn line(&self) -> usize {
        line_of(self.text, self.start)
    }

    /// Whether the last row of the text ends inside a quoted cell.
    fn ends_in_quotes(&self) -> bool {
        let bytes = self.text.as_bytes();
        let (mut quoted, mut opening) = (false, true);
        let mut i = self.start;
        while i < bytes.len() {
            match bytes[i] {
                b'"' if quoted && bytes.get(i + 1) == Some(&b'"') => i += 1,
                b'"' if quoted || opening => quoted = !quoted,
                _ => {}
            }
            opening = !quoted && (bytes[i] == self.dialect.delimiter || b"\r\n".contains(&bytes[i]));
            i += 1;
        }
        quoted
    }
}

/// The line of a row that begins at the byte, past the line ends that the row before has left.
pub(super) fn line_of(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let rest = &bytes[start.min(bytes.len())..];
    let skipped = rest.iter().take_while(|b| b"\r\n".contains(b)).count();
    line_at(bytes, start + skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, delimiter: u8) -> Result<Vec<(usize, Vec<String>)>, ReadError> {
        let mut records = Records::new(text, "f", Dialect { delimiter, quotes: true });
        let mut rows = Vec::new();
        while let Some(record) = records.next()? {
            let cells = record.iter().map(str::to_owned).collect();
            rows.push((records.line(), cells));
        }
        Ok(rows)
    }

    #[test]
    fn rows_know_their_lines_whatever_the_line_ends() {
        for text in ["a,b\n\n\"1\n2\",3\n4,5", "a,b\r\n\r\n\"1\r\n2\",3\r\n4,5\r\n"] {
            let lines: Vec<usize> = rows(text, b',').unwrap().iter().map(|(line, _)| *line).collect();
            assert_eq!(lines, [1, 3, 5], "{text:?}");
        }
    }

    #[test]
    fn quotes_are_undone() {
        let rows = rows("\"a \"\"b\"\"\",\"c,d\"\n", b',').unwrap();
        assert_eq!(rows[0].1, ["a \"b\"", "c,d"]);
    }

    #[test]
    fn runs_of_spaces_are_one_delimiter() {
        let rows = rows("  1   2 \n   \n\"a b\" 3\n", b' ').unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].1, ["1", "2"]);
        assert_eq!(rows[1].1, ["a b", "3"]);
    }

    #[test]
    fn an_open_quote_is_an_error_with_its_line() {
        for text in ["a,b\n1,\"2\n3,4\n", "a,b\n1,\"2", "a,b\n\"1,2\n3,4\n"] {
            let error = rows(text, b',').unwrap_err();
            assert_eq!(error, ReadError::UnclosedQuote { file: "f".into(), line: 2 }, "{text:?}");
        }
        assert!(rows("a,5\" pipe\n", b',').is_ok());
        assert!(rows("a,\"x\"\"\"", b',').is_ok());
    }
}
