//! Tables as the kernel of a fit sees them, without a fit: for Gram matrices that are those of a model.

use mercer_kernel::KernelExpr;
use mercer_points::Table;

use crate::needs::Needs;
use crate::{ModelError, Preprocessing, Scaling, Schema};

/// The columns that a kernel looks at, and how names among them are encoded: learned on one table, applied to others.
///
/// ```
/// use mercer_model::Preparation;
/// use mercer_points::{ColumnData, Table};
/// let mut table = Table::new();
/// table.push("colour", ColumnData::Categories(["red", "blue"].iter().collect())).unwrap();
/// table.push("size", ColumnData::Numbers(vec![1.0, 2.0])).unwrap();
/// let kernel = "rbf(sigma=1)".parse().unwrap();
/// let seen = Preparation::new(&kernel, &table).unwrap().apply(&table).unwrap();
/// assert_eq!(seen.column("colour").unwrap().data.kind(), "dense vectors");
/// ```
#[derive(Debug, Clone)]
pub struct Preparation {
    schema: Schema,
    preprocessing: Preprocessing,
}

impl Preparation {
    /// What a fit with this kernel and no scaling would do to the columns.
    pub fn new(kernel: &KernelExpr, table: &Table) -> Result<Self, ModelError> {
        let needs = Needs::of(kernel);
        let none = !table.columns().iter().any(|column| needs.uses(column));
        let schema = Schema::of(table, None, |column| none || needs.uses(column));
        let preprocessing = Preprocessing::learn(Scaling::None, &needs, &schema, table)?;
        Ok(Self { schema, preprocessing })
    }

    /// The used columns of a table as the kernel sees them; an error names the column that is missing or different.
    pub fn apply(&self, table: &Table) -> Result<Table, ModelError> {
        self.preprocessing.apply(&self.schema, table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_points::{ColumnData, Points};

    fn table(kind: fn(&[&str]) -> ColumnData, words: &[&str]) -> Table {
        let mut table = Table::new();
        table.push("word", kind(words)).unwrap();
        table.push("x", ColumnData::Numbers((0..words.len()).map(|i| i as f64).collect())).unwrap();
        table
    }

    fn texts(words: &[&str]) -> ColumnData {
        ColumnData::Texts(words.iter().copied().collect())
    }

    fn categories(words: &[&str]) -> ColumnData {
        ColumnData::Categories(words.iter().collect())
    }

    #[test]
    fn new_rows_are_read_like_the_first_ones() {
        let kernel = "spectrum(k=2)[word]".parse().unwrap();
        let prepared = Preparation::new(&kernel, &table(texts, &["abc", "bcd"])).unwrap();
        let seen = prepared.apply(&table(categories, &["abc", "abc", "x"])).unwrap();
        assert_eq!((seen.len(), seen.columns().len()), (3, 1), "a column that is not used is left out");
        assert_eq!(seen.column("word").unwrap().data.kind(), "texts");
    }

    #[test]
    fn a_column_that_is_missing_is_named() {
        let kernel = "rbf(sigma=1)[x] + delta[word]".parse().unwrap();
        let prepared = Preparation::new(&kernel, &table(categories, &["a", "b"])).unwrap();
        let mut other = table(categories, &["a", "b"]);
        other.remove("x").unwrap();
        assert!(prepared.apply(&other).unwrap_err().to_string().contains("'x'"));
    }
}
