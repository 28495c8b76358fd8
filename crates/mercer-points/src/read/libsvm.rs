//! LIBSVM text: `label index:value index:value … # comment`.
//!
//! Indices are counted from 1 and ascend within a row; a coordinate that is not named is zero. Blank
//! lines and comments are passed over. `qid:n` after the label is kept as a column. The features are one
//! column, stored densely where that is no waste: an index of four thousand million costs nothing. Rows
//! without any feature are accepted, even if no row has one: they are zeros.

use super::error::excerpt;
use super::{ReadError, TokenProblem};
use crate::{ColumnData, Sparse, Table};

/// From this density on, and up to this many bytes, features are stored densely.
const DENSE: (f64, usize) = (0.4, 1 << 30);

/// Reads a table with the columns `label`, `qid` if there is one, and `features`.
pub(super) fn read(text: &str, file: &str) -> Result<Table, ReadError> {
    let mut rows = Rows { starts: vec![0], ..Rows::default() };
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("");
        rows.push(line, i + 1).map_err(|(token, problem)| at(file, line, i + 1, token, problem))?;
    }
    if rows.labels.is_empty() {
        return Err(ReadError::Empty { file: file.to_owned() });
    }
    rows.into_table(text, file)
}

/// What has been read so far, in compressed rows.
#[derive(Default)]
struct Rows<'a> {
    labels: Vec<&'a str>,
    lines: Vec<usize>,
    queries: Vec<Option<f64>>,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    dim: usize,
}

type Refused<'a> = (&'a str, TokenProblem);

impl<'a> Rows<'a> {
    fn push(&mut self, line: &'a str, number: usize) -> Result<(), Refused<'a>> {
        let mut tokens = line.split_ascii_whitespace().peekable();
        let Some(label) = tokens.next() else { return Ok(()) };
        if label.contains(':') {
            return Err((label, TokenProblem::NoLabel));
        }
        if label.contains(',') {
            return Err((label, TokenProblem::ManyLabels));
        }
        self.labels.push(label);
        self.lines.push(number);
        let query = tokens.next_if(|token| token.starts_with("qid:"));
        self.queries.push(query.map(query_number).transpose()?);
        let mut previous = 0;
        for token in tokens {
            let (index, value) = pair(token).map_err(|problem| (token, problem))?;
            if index <= previous {
                let same = index == previous;
                return Err((token, if same { TokenProblem::Duplicate } else { TokenProblem::Descending }));
            }
            previous = index;
            if value != 0.0 {
                self.indices.push(index - 1);
                self.values.push(value);
            }
        }
        self.dim = self.dim.max(previous as usize);
        self.starts.push(self.indices.len());
        Ok(())
    }

    fn into_table(self, text: &str, file: &str) -> Result<Table, ReadError> {
        let labels = self.labels(text, file)?;
        let queries = self.queries(file)?;
        let wrong = |source| ReadError::Points { file: file.to_owned(), source };
        let rows = self.labels.len();
        let sparse = Sparse::new(self.dim, self.starts, self.indices, self.values).map_err(wrong)?;
        let bytes = rows.checked_mul(self.dim).and_then(|count| count.checked_mul(8));
        let dense = sparse.density() > DENSE.0 && bytes.is_some_and(|bytes| bytes <= DENSE.1);
        let features = if dense {
            ColumnData::Dense(sparse.to_dense(), (1..=self.dim).map(|j| j.to_string()).collect())
        } else {
            ColumnData::Sparse(sparse)
        };
        let mut table = Table::new();
        table.push("label", labels).map_err(wrong)?;
        if let Some(queries) = queries {
            table.push("qid", ColumnData::Numbers(queries)).map_err(wrong)?;
        }
        table.push("features", features).map_err(wrong)?;
        Ok(table)
    }

    /// Numbers if all labels are, categories if not; a few words among many numbers are a mistake.
    fn labels(&self, text: &str, file: &str) -> Result<ColumnData, ReadError> {
        let mut numbers = Vec::with_capacity(self.labels.len());
        let mut word = None;
        for (i, label) in self.labels.iter().enumerate() {
            match label.parse::<f64>() {
                Ok(value) if value.is_finite() => numbers.push(value),
                Ok(_) => return Err(self.refuse_label(text, file, i, TokenProblem::NotFinite)),
                Err(_) => word = word.or(Some(i)),
            }
        }
        let sure = numbers.len() >= 10 && numbers.len() * 10 >= self.labels.len() * 9;
        match word {
            None => Ok(ColumnData::Numbers(numbers)),
            Some(i) if sure => Err(self.refuse_label(text, file, i, TokenProblem::LabelNotNumber)),
            Some(_) => Ok(ColumnData::Categories(self.labels.iter().collect())),
        }
    }

    fn refuse_label(&self, text: &str, file: &str, row: usize, problem: TokenProblem) -> ReadError {
        let number = self.lines[row];
        let line = text.lines().nth(number - 1).unwrap_or("");
        at(file, line, number, self.labels[row], problem)
    }

    fn queries(&self, file: &str) -> Result<Option<Vec<f64>>, ReadError> {
        if self.queries.iter().all(Option::is_none) {
            return Ok(None);
        }
        let numbers: Option<Vec<f64>> = self.queries.iter().copied().collect();
        numbers.map(Some).ok_or_else(|| {
            let row = self.queries.iter().position(Option::is_none).unwrap_or(0);
            ReadError::MissingQid { file: file.to_owned(), line: self.lines[row] }
        })
    }
}

/// `index:value`, the index counted from 1.
fn pair(token: &str) -> Result<(u32, f64), TokenProblem> {
    let (index, value) = token.split_once(':').ok_or(TokenProblem::NoColon)?;
    if index == "qid" {
        return Err(TokenProblem::Qid);
    }
    if index.is_empty() || !index.bytes().all(|b| b.is_ascii_digit()) {
        return Err(TokenProblem::Index);
    }
    let index = index.parse::<u32>().map_err(|_| TokenProblem::LargeIndex)?;
    if index == 0 {
        return Err(TokenProblem::Zero);
    }
    let value = value.parse::<f64>().map_err(|_| TokenProblem::Value)?;
    if value.is_finite() { Ok((index, value)) } else { Err(TokenProblem::NotFinite) }
}

/// A whole number that is exact in `f64`.
fn query_number(token: &str) -> Result<f64, Refused<'_>> {
    let number = token.trim_start_matches("qid:").parse::<u64>();
    number.ok().filter(|&n| n <= 1 << 53).map(|n| n as f64).ok_or((token, TokenProblem::Qid))
}

fn at(file: &str, line: &str, number: usize, token: &str, problem: TokenProblem) -> ReadError {
    // The token is a piece of the line; its address tells which one of several equal ones it is.
    let offset = (token.as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
    let column = line.get(..offset).map_or(1, |before| before.chars().count() + 1);
    ReadError::Token { file: file.to_owned(), line: number, column, token: excerpt(token), problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Points;

    fn column<'a>(table: &'a Table, name: &str) -> &'a ColumnData {
        &table.column(name).unwrap().data
    }

    #[test]
    fn rows_comments_queries_and_blank_lines() {
        let text = "# made by hand\n+1 qid:3 1:0.5 4:-2e1 # good\n\n-1 qid:4\r\n";
        let table = read(text, "f").unwrap();
        assert_eq!(column(&table, "label"), &ColumnData::Numbers(vec![1.0, -1.0]));
        assert_eq!(column(&table, "qid"), &ColumnData::Numbers(vec![3.0, 4.0]));
        let sparse = Sparse::from_rows(4, [vec![(0, 0.5), (3, -20.0)], vec![]]).unwrap();
        assert_eq!(column(&table, "features"), &ColumnData::Sparse(sparse));
    }

    #[test]
    fn dense_features_become_dense_and_zeros_are_not_stored() {
        let table = read("1 1:1 2:2\n2 1:3 2:0\n", "f").unwrap();
        let ColumnData::Dense(block, names) = column(&table, "features") else { panic!() };
        assert_eq!((block.point(1), names.as_slice()), (&[3.0, 0.0][..], &["1".into(), "2".into()][..]));
        let table = read("1 5:0\n", "f").unwrap();
        let ColumnData::Sparse(rows) = column(&table, "features") else { panic!() };
        assert_eq!((rows.dim(), rows.stored()), (5, 0));
    }

    #[test]
    fn words_are_categories_and_no_feature_at_all_is_accepted() {
        let table = read("cat\ndog\n", "f").unwrap();
        assert_eq!(column(&table, "label").kind(), "categories");
        assert_eq!(
            column(&table, "features"),
            &ColumnData::Sparse(Sparse::from_rows(0, [vec![], vec![]]).unwrap())
        );
    }

    #[test]
    fn a_huge_index_costs_nothing() {
        let table = read("1 4000000000:1\n-1 4294967295:1\n", "f").unwrap();
        let ColumnData::Sparse(rows) = column(&table, "features") else { panic!() };
        assert_eq!((rows.dim(), rows.stored()), (u32::MAX as usize, 2));
    }

    #[test]
    fn each_mistake_has_its_message_and_place() {
        use TokenProblem::*;
        for (line, column, problem) in [
            ("1:2 3:4", 1, NoLabel),
            ("1,3 1:1", 1, ManyLabels),
            ("nan 1:1", 1, NotFinite),
            ("1 1:1 2", 7, NoColon),
            ("1 1:1 a:2", 7, Index),
            ("1 -1:2", 3, Index),
            ("1 1.5:2", 3, Index),
            ("1 :2", 3, Index),
            ("1 0:2", 3, Zero),
            ("1 4294967296:2", 3, LargeIndex),
            ("1 99999999999999999999999:2", 3, LargeIndex),
            ("1 2:1 2:1", 7, Duplicate),
            ("1 2:1 1:1", 7, Descending),
            ("1 1:", 3, Value),
            ("1 1:x", 3, Value),
            ("1 1:1,5", 3, Value),
            ("1 1:nan", 3, NotFinite),
            ("1 1:-inf", 3, NotFinite),
            ("1 1:1e999", 3, NotFinite),
            ("1 qid:x", 3, Qid),
            ("1 qid:-1", 3, Qid),
            ("1 1:1 qid:2", 7, Qid),
            ("é 1:x", 3, Value),
        ] {
            let error = read(&format!("1 1:1\n{line}\n"), "f").unwrap_err();
            let ReadError::Token { line: 2, column: c, problem: p, .. } = error else { panic!("{error}") };
            assert_eq!((c, p), (column, problem), "{line}");
        }
        let error = read("1 1:1 1:1", "f").unwrap_err().to_string();
        assert_eq!(
            error,
            "f, line 1, column 7: '1:1' repeats the index before it; give each index once a row"
        );
    }

    #[test]
    fn a_word_among_many_numbers_and_a_query_on_some_rows_are_errors() {
        let text = format!("{}  one 1:1\n", "1 1:1\n".repeat(10));
        let error = read(&text, "f").unwrap_err().to_string();
        assert!(error.starts_with("f, line 11, column 3: 'one' is not a number"), "{error}");
        let error = read("1 qid:1 1:1\n\n1 1:1\n", "f").unwrap_err();
        assert_eq!(error, ReadError::MissingQid { file: "f".into(), line: 3 });
        assert_eq!(read("# nothing\n", "f"), Err(ReadError::Empty { file: "f".into() }));
    }
}
