//! A table of named, typed columns: the form in which data enters.

use std::ops::Range;

use crate::{Categories, Dense, Indices, Points, PointsError, Sparse, Texts};

/// Named columns of equal length, of any kind.
///
/// ```
/// use mercer_points::{ColumnData, Points, Table};
/// let mut table = Table::new();
/// table.push("age", ColumnData::Numbers(vec![38.0, 26.0])).unwrap();
/// table.push("name", ColumnData::Texts(["Owen", "Laina"].into_iter().collect())).unwrap();
/// assert_eq!(table.len(), 2);
/// assert!(table.column("agee").unwrap_err().to_string().contains("did you mean 'age'?"));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    rows: usize,
    columns: Vec<Column>,
}

/// One column of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name, unique in the table.
    pub name: String,
    /// Its values.
    pub data: ColumnData,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnData {
    /// One number a row; NaN stands for a missing one.
    Numbers(Vec<f64>),
    /// One name a row, from a finite set.
    Categories(Categories),
    /// One text a row.
    Texts(Texts),
    /// A whole block of dense coordinates a row, with their names.
    Dense(Dense<f64>, Vec<String>),
    /// The same in single precision; every value of it is exact in double.
    Single(Dense<f32>, Vec<String>),
    /// A whole block of sparse coordinates a row, named by their number from 1.
    Sparse(Sparse),
    /// A row of a precomputed matrix.
    Indices(Indices),
}

impl ColumnData {
    /// How many rows the column has.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(v) => v.len(),
            Self::Categories(c) => c.len(),
            Self::Texts(t) => t.len(),
            Self::Dense(x, _) => x.len(),
            Self::Single(x, _) => x.len(),
            Self::Sparse(x) => x.len(),
            Self::Indices(x) => x.len(),
        }
    }

    /// Whether the column has no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it holds, in a word or two.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Numbers(_) => "numbers",
            Self::Categories(_) => "categories",
            Self::Texts(_) => "texts",
            Self::Dense(..) | Self::Single(..) => "dense vectors",
            Self::Sparse(_) => "sparse vectors",
            Self::Indices(_) => "rows of a precomputed matrix",
        }
    }

    /// Whether a kernel on vectors can use it.
    pub fn is_numeric(&self) -> bool {
        matches!(self, Self::Numbers(_) | Self::Dense(..) | Self::Single(..) | Self::Sparse(_))
    }

    /// The values of some rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numbers(v) => Self::Numbers(rows.iter().map(|&i| v[i]).collect()),
            Self::Categories(c) => Self::Categories(c.select(rows)),
            Self::Texts(t) => Self::Texts(t.select(rows)),
            Self::Dense(x, names) => Self::Dense(x.select(rows), names.clone()),
            Self::Single(x, names) => Self::Single(x.select(rows), names.clone()),
            Self::Sparse(x) => Self::Sparse(x.select(rows)),
            Self::Indices(x) => Self::Indices(x.select(rows)),
        }
    }

    fn slice(&self, rows: Range<usize>) -> Self {
        match self {
            Self::Dense(x, names) => Self::Dense(x.slice(rows), names.clone()),
            Self::Single(x, names) => Self::Single(x.slice(rows), names.clone()),
            other => other.select(&rows.collect::<Vec<_>>()),
        }
    }
}

impl Table {
    /// A table without a column.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a column at the right.
    pub fn push(&mut self, name: impl Into<String>, data: ColumnData) -> Result<(), PointsError> {
        let name = name.into();
        if self.columns.iter().any(|c| c.name == name) {
            return Err(PointsError::DuplicateColumn(name));
        }
        if self.columns.is_empty() {
            self.rows = data.len();
        } else if data.len() != self.rows {
            let what = format!("column '{name}'");
            return Err(PointsError::Shape { what, expected: self.rows, found: data.len() });
        }
        self.columns.push(Column { name, data });
        Ok(())
    }

    /// Takes a column out.
    pub fn remove(&mut self, name: &str) -> Result<Column, PointsError> {
        let at = self.position(name)?;
        Ok(self.columns.remove(at))
    }

    /// Neighbouring rows; blocks of dense coordinates are not copied. Rows beyond the last one are left out.
    ///
    /// ```
    /// use mercer_points::{ColumnData, Points, Table};
    /// let mut table = Table::new();
    /// table.push("x", ColumnData::Numbers(vec![1.0, 2.0, 3.0])).unwrap();
    /// assert_eq!(table.slice(1..9), table.select(&[1, 2]));
    /// ```
    pub fn slice(&self, rows: Range<usize>) -> Self {
        let end = rows.end.min(self.rows);
        let rows = rows.start.min(end)..end;
        let columns = self.columns.iter();
        let columns =
            columns.map(|c| Column { name: c.name.clone(), data: c.data.slice(rows.clone()) }).collect();
        Self { rows: rows.len(), columns }
    }

    /// The columns from left to right.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column of that name; the error says which names are near.
    pub fn column(&self, name: &str) -> Result<&Column, PointsError> {
        Ok(&self.columns[self.position(name)?])
    }

    fn position(&self, name: &str) -> Result<usize, PointsError> {
        self.columns.iter().position(|c| c.name == name).ok_or_else(|| self.unknown(name))
    }

    /// The error for a name that no column has, with the nearest one that exists.
    pub fn unknown(&self, name: &str) -> PointsError {
        let names = |column: &'_ Column| match &column.data {
            ColumnData::Dense(_, names) | ColumnData::Single(_, names) if !names.is_empty() => names.clone(),
            _ => vec![column.name.clone()],
        };
        let known: Vec<String> = self.columns.iter().flat_map(names).collect();
        PointsError::UnknownColumn {
            name: name.to_owned(),
            nearest: nearest(name, known.iter().map(String::as_str)).map(str::to_owned),
            known: known.into_iter().take(8).collect(),
        }
    }
}

impl Points for Table {
    type Point<'a> = (&'a Table, usize);

    fn len(&self) -> usize {
        self.rows
    }

    fn point(&self, i: usize) -> (&Table, usize) {
        (self, i)
    }

    fn select(&self, rows: &[usize]) -> Self {
        let columns = self.columns.iter();
        let columns = columns.map(|c| Column { name: c.name.clone(), data: c.data.select(rows) }).collect();
        Self { rows: rows.len(), columns }
    }
}

/// The candidate that is most like `word`, if any is like it at all: by edit distance, ignoring case.
///
/// ```
/// use mercer_points::nearest;
/// assert_eq!(nearest("lapalce", ["laplace", "linear"]), Some("laplace"));
/// assert_eq!(nearest("zzz", ["laplace", "linear"]), None);
/// assert_eq!(nearest("c", ["a", "b"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A longer word is never a misspelling of a name, and its distance would take long to work out.
    let word: Vec<char> = word.chars().take(65).flat_map(char::to_lowercase).collect();
    if word.len() > 64 {
        return None;
    }
    let scored = candidates.into_iter().filter(|c| c.len() <= 64).map(|candidate| {
        let letters: Vec<char> = candidate.chars().flat_map(char::to_lowercase).collect();
        (edit_distance(&word, &letters), letters.len(), candidate)
    });
    // A word of which no letter stays is another word, however short both are.
    scored
        .filter(|&(distance, length, _)| distance <= 1 + word.len() / 4 && distance < length.max(word.len()))
        .map(|(distance, _, candidate)| (distance, candidate))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, c)| c)
}

/// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut now = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substitute = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            now[j] = substitute.min(last[j] + 1).min(now[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                now[j] = now[j].min(before[j - 2] + 1);
            }
        }
        before = last;
        last = now;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Where the values of the first two columns lie: a block in double and one in single precision.
    fn places(table: &Table) -> (*const f64, *const f32) {
        let [Column { data: ColumnData::Dense(x, _), .. }, Column { data: ColumnData::Single(y, _), .. }] =
            table.columns()
        else {
            panic!("a block of each precision")
        };
        (x.values().as_ptr(), y.values().as_ptr())
    }

    #[test]
    fn cloning_and_slicing_a_table_copies_no_dense_block() {
        let names = || vec!["1".to_owned(), "2".to_owned()];
        let memory = Arc::new(vec![0.5_f32; 8]);
        let mut table = Table::new();
        let block = Dense::new(4, 2, (0..8).map(f64::from).collect()).unwrap();
        table.push("x", ColumnData::Dense(block, names())).unwrap();
        table.push("y", ColumnData::Single(Dense::shared(4, 2, memory.clone()).unwrap(), names())).unwrap();
        let (x, y) = places(&table);
        assert_eq!(y, memory.as_ptr());
        assert_eq!(places(&table.clone()), (x, y));
        assert_eq!(places(&table.slice(0..3)), (x, y));
        let part = table.slice(1..9);
        assert_eq!(places(&part), (x.wrapping_add(2), y.wrapping_add(2)));
        assert_eq!((part.len(), &part), (3, &table.select(&[1, 2, 3])));
        assert_eq!(table.slice(7..9).len(), 0);
    }
}
