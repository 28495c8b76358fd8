//! Whether the first row names the columns, and the names.
//!
//! The rule when nobody says: the first row is a header if it has a word over a column of numbers and
//! no number over one. When no column holds numbers, it is a header if it contains the name of the
//! target, or a word over a column whose later values repeat without ever repeating that word.

use std::collections::{HashMap, HashSet};

use super::cell::Cell;
use super::dialect::Dialect;
use super::records::Records;
use crate::read::error::excerpt;
use crate::read::{ReadError, ReadOptions};

/// How many rows are looked at.
const ROWS: usize = 200;
/// How many cells are looked at, once there are two rows.
const CELLS: usize = 100_000;
/// The most columns that a table may have.
const COLUMNS: usize = 1 << 16;

/// What the beginning of a file says about its columns.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    /// A name for each column.
    pub(super) names: Vec<String>,
    /// Whether the file gave the name; else it is `c1`, `c2`, ….
    pub(super) given: Vec<bool>,
    /// Whether the first row is to be skipped.
    pub(super) present: bool,
    /// Whether that was inferred rather than said.
    pub(super) inferred: bool,
}

impl Header {
    /// Looks at the first rows.
    pub(super) fn of(
        text: &str,
        file: &str,
        dialect: Dialect,
        options: &ReadOptions,
    ) -> Result<Self, ReadError> {
        let mut records = Records::new(text, file, dialect);
        let mut rows: Vec<Vec<String>> = Vec::new();
        while rows.len() < 2 || (rows.len() < ROWS && rows.len() * rows[0].len() < CELLS) {
            let Some(record) = records.next()? else { break };
            if rows.is_empty() && record.len() > COLUMNS {
                let (file, found) = (file.to_owned(), record.len());
                return Err(ReadError::TooManyColumns { file, line: records.line(), found, limit: COLUMNS });
            }
            rows.push(record.iter().map(str::to_owned).collect());
        }
        let Some((first, later)) = rows.split_first() else {
            return Err(ReadError::Empty { file: file.to_owned() });
        };
        let present = options.header.unwrap_or_else(|| looks_like_header(first, later, options));
        if present && later.is_empty() {
            return Err(ReadError::HeaderOnly { file: file.to_owned() });
        }
        let mut header = Self::named(first, present);
        header.inferred = options.header.is_none();
        header.check_distinct(file)?;
        Ok(header)
    }

    fn named(first: &[String], present: bool) -> Self {
        let given: Vec<bool> = first.iter().map(|cell| present && !cell.trim().is_empty()).collect();
        let names = first.iter().zip(&given).enumerate();
        let names = names
            .map(|(j, (cell, &given))| if given { one_line(cell) } else { format!("c{}", j + 1) })
            .collect();
        Self { names, given, present, inferred: false }
    }

    fn check_distinct(&self, file: &str) -> Result<(), ReadError> {
        let mut seen = HashMap::new();
        for (j, name) in self.names.iter().enumerate() {
            if let Some(first) = seen.insert(name, j + 1) {
                let (file, name) = (file.to_owned(), excerpt(name));
                return Err(ReadError::DuplicateColumn { file, line: 1, name, first, second: j + 1 });
            }
        }
        Ok(())
    }
}

/// A name without line ends or other control characters.
fn one_line(cell: &str) -> String {
    cell.trim().replace("\r\n", " ").replace(char::is_control, " ")
}

fn looks_like_header(first: &[String], later: &[Vec<String>], options: &ReadOptions) -> bool {
    let is_number = |cell: &String| matches!(Cell::of(cell), Cell::Number(_));
    if later.is_empty() {
        return !first.iter().any(is_number) && first.iter().all(|cell| Cell::of(cell) == Cell::Word);
    }
    let (mut words_over_numbers, mut numbers_over_numbers) = (0, 0);
    for (j, top) in first.iter().enumerate() {
        let mut below = later.iter().filter_map(|row| row.get(j)).map(|cell| Cell::of(cell)).peekable();
        let has_number = below.clone().any(|cell| matches!(cell, Cell::Number(_)));
        if has_number && below.all(|cell| matches!(cell, Cell::Number(_) | Cell::Missing)) {
            words_over_numbers += usize::from(Cell::of(top) == Cell::Word);
            numbers_over_numbers += usize::from(is_number(top));
        }
    }
    if words_over_numbers + numbers_over_numbers > 0 {
        return numbers_over_numbers == 0;
    }
    if first.iter().any(is_number) {
        return false;
    }
    first.iter().any(|cell| cell.trim() == options.target_name())
        || (0..first.len()).any(|j| stands_over_repetition(&first[j], later, j))
}

/// Whether the later cells of the column repeat one another but never the first.
fn stands_over_repetition(top: &str, later: &[Vec<String>], j: usize) -> bool {
    let below: Vec<&str> = later.iter().filter_map(|row| row.get(j)).map(|cell| cell.trim()).collect();
    let distinct: HashSet<&str> = below.iter().copied().collect();
    // Half as many values as rows: a word that then comes up once only is of another sort.
    !top.trim().is_empty() && distinct.len() * 2 <= below.len() && !distinct.contains(top.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, options: &ReadOptions) -> Result<Header, ReadError> {
        Header::of(text, "f", Dialect { delimiter: b',', quotes: true }, options)
    }

    fn present(text: &str) -> bool {
        of(text, &ReadOptions::default()).unwrap().present
    }

    #[test]
    fn headers_are_inferred() {
        assert!(present("a,b\n1,2\n"));
        assert!(present("a,b\n1,x\n2,y\n"));
        assert!(present("\"a\",\"b\"\n,NA\n1,2\n"));
        assert!(!present("1,2\n3,4\n"));
        assert!(!present("5.1,setosa\n4.9,setosa\n"));
        assert!(!present("id,2019\n1,2\n2,3\n"), "a number over numbers");
        assert!(present("text,label\nab,x\ncd,y\n"), "the target's name");
        assert!(present("seq,kind\nab,x\ncd,x\nef,y\ngh,y\n"), "over repetition");
        assert!(!present("ab,x\ncd,x\nef,y\ngh,y\n"));
    }

    #[test]
    fn names_are_made_up_where_there_are_none() {
        let header = of("1,2\n3,4\n", &ReadOptions::default()).unwrap();
        assert_eq!(header.names, ["c1", "c2"]);
        let header = of("a, \n1,2\n", &ReadOptions::default()).unwrap();
        assert_eq!((header.names, header.given), (vec!["a".into(), "c2".into()], vec![true, false]));
    }

    #[test]
    fn the_option_wins() {
        let no = ReadOptions { header: Some(false), ..ReadOptions::default() };
        assert!(!of("a,b\n1,2\n", &no).unwrap().present);
        let yes = ReadOptions { header: Some(true), ..ReadOptions::default() };
        assert_eq!(of("2019,2020\n1,2\n", &yes).unwrap().names, ["2019", "2020"]);
    }

    #[test]
    fn headers_alone_twins_and_crowds_are_errors() {
        let default = ReadOptions::default();
        assert_eq!(of("a,b\n", &default), Err(ReadError::HeaderOnly { file: "f".into() }));
        assert!(of("1,b\n", &default).is_ok(), "one row of data");
        let error = of("a,b,a\n1,2,3\n", &default).unwrap_err().to_string();
        assert_eq!(error, "f, line 1: columns 1 and 3 are both called 'a'; rename one of them");
        let crowd = of(&",".repeat(COLUMNS), &default).unwrap_err();
        assert!(matches!(crowd, ReadError::TooManyColumns { .. }));
    }
}
