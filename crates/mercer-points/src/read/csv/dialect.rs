//! The delimiter of a file, and whether quotes mean anything in it.

use crate::read::sniff::SAMPLE;
use crate::read::{Format, ReadError, ReadOptions};

/// How cells are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    /// Between two cells; a run of spaces counts as one.
    pub(super) delimiter: u8,
    /// Whether `"` encloses a cell.
    pub(super) quotes: bool,
}

impl Dialect {
    /// What the options say, and the rest from the text.
    pub(super) fn of(text: &str, format: Format, options: &ReadOptions) -> Result<Self, ReadError> {
        let delimiter = match options.delimiter {
            Some(b) if !b.is_ascii() || b.is_ascii_alphanumeric() || b"\"\r\n\0.+-".contains(&b) => {
                return Err(ReadError::Delimiter(char::from(b)));
            }
            Some(delimiter) => delimiter,
            None if format == Format::Tsv => b'\t',
            None => infer(text),
        };
        // Tab-separated texts are often written without any quoting, so that a lone quote is text.
        let quotes = delimiter != b'\t' || text.lines().all(quotes_close);
        Ok(Self { delimiter, quotes })
    }

    /// The delimiter as it is shown in a message.
    pub(super) fn shown(self) -> String {
        match self.delimiter {
            b'\t' => "tab".to_owned(),
            b' ' => "space".to_owned(),
            other => char::from(other).to_string(),
        }
    }
}

/// Whether every tab-separated cell of the line that opens with a quote also ends with one.
fn quotes_close(line: &str) -> bool {
    !line.contains('"')
        || line.split('\t').all(|cell| !cell.starts_with('"') || (cell.len() > 1 && cell.ends_with('"')))
}

/// The delimiter that gives the same number of cells in most lines of the beginning of the text.
///
/// A semicolon wins over a comma, since `1,5;2,5` has both. Spaces are the last resort. A file in which
/// nothing separates has one column.
fn infer(text: &str) -> u8 {
    let end = (0..=SAMPLE.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    let mut lines: Vec<&str> = text[..end].lines().filter(|line| !line.trim().is_empty()).collect();
    if end < text.len() && lines.len() > 1 {
        lines.pop();
    }
    let agreement = |delimiter| agreement(&lines, delimiter);
    let shares = [b'\t', b';', b',', b'|'].map(|delimiter| (delimiter, agreement(delimiter)));
    if let Some(&(delimiter, _)) = shares.iter().find(|(_, share)| *share >= 0.9) {
        return delimiter;
    }
    if agreement(b' ') >= 0.9 {
        return b' ';
    }
    let best = shares.into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
    best.filter(|(_, share)| *share >= 0.3).map_or(b',', |(delimiter, _)| delimiter)
}

/// The share of lines with the commonest number of delimiters, if that is not zero.
fn agreement(lines: &[&str], delimiter: u8) -> f64 {
    let mut counts: Vec<usize> = lines.iter().map(|line| count(line, delimiter)).collect();
    counts.sort_unstable();
    let commonest = counts.chunk_by(|a, b| a == b).max_by_key(|run| run.len());
    match commonest {
        Some(run) if run[0] > 0 => run.len() as f64 / counts.len() as f64,
        _ => 0.0,
    }
}

/// Delimiters outside quotes; a run of spaces counts once.
fn count(line: &str, delimiter: u8) -> usize {
    let (mut count, mut quoted, mut before) = (0, false, 0);
    for byte in line.trim_matches([' ', '\r']).bytes() {
        quoted ^= byte == b'"';
        count += usize::from(!quoted && byte == delimiter && (byte != b' ' || before != b' '));
        before = byte;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> u8 {
        Dialect::of(text, Format::Csv, &ReadOptions::default()).unwrap().delimiter
    }

    #[test]
    fn delimiters_are_inferred() {
        assert_eq!(of("a,b\n1,2\n"), b',');
        assert_eq!(of("a;b\n1,5;2,5\n2,5;1,0\n"), b';');
        assert_eq!(of("ham\tOk, lar; you\nspam\tFree\n"), b'\t');
        assert_eq!(of("1|2\n3|4\n"), b'|');
        assert_eq!(of("  1.0   2.0\n 3.0  4.0\r\n"), b' ');
        assert_eq!(of("1, 2, 3\n4, 5, 6\n"), b',');
        assert_eq!(of("x\n1\n2\n"), b',');
        assert_eq!(of("one text\nand a longer one\nend\n"), b',');
        assert_eq!(of("\"a;b;c\",1\n\"d;e\",2\n"), b',');
    }

    #[test]
    fn a_ragged_file_keeps_its_delimiter() {
        assert_eq!(of("a,b,c\n1,2,3\n4,5\n6,7,8\n"), b',');
    }

    #[test]
    fn delimiters_that_are_part_of_numbers_are_refused() {
        for delimiter in [b'"', b'\n', b'1', b'e', b'.', b'-', 0xe9] {
            let options = ReadOptions { delimiter: Some(delimiter), ..ReadOptions::default() };
            let result = Dialect::of("1", Format::Csv, &options);
            assert!(matches!(result, Err(ReadError::Delimiter(_))), "{delimiter}");
        }
    }

    #[test]
    fn lone_quotes_are_text_between_tabs() {
        let of = |text| Dialect::of(text, Format::Tsv, &ReadOptions::default()).unwrap().quotes;
        assert!(of("a\t\"b\"\n"));
        assert!(!of("a\t\"b said\n"));
    }
}
