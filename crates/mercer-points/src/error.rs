//! Every way in which points can be wrong.

/// What is wrong with a collection of points, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PointsError {
    /// Rows of different lengths, or a length that is not `rows × columns`.
    #[error("{what}: expected {expected} values, found {found}")]
    Shape {
        /// What was being built.
        what: String,
        /// How many values it needs.
        expected: usize,
        /// How many values it was given.
        found: usize,
    },
    /// A value that is not a finite number.
    #[error("{place} is {value}, not a finite number; remove or impute such rows first")]
    NotFinite {
        /// Row and column in words.
        place: String,
        /// The value as it prints.
        value: f64,
    },
    /// Sparse indices that do not ascend within a row.
    #[error("row {row}: index {index} does not come after {previous}; indices ascend within a row")]
    NotAscending {
        /// Row, counted from 1.
        row: usize,
        /// The offending index.
        index: u64,
        /// The one before it.
        previous: u64,
    },
    /// A name that no column has.
    #[error("no column '{name}'{}", hint(.nearest, .known))]
    UnknownColumn {
        /// The name asked for.
        name: String,
        /// The nearest existing name, if one is near.
        nearest: Option<String>,
        /// The first of the names that exist.
        known: Vec<String>,
    },
    /// Two columns of one name.
    #[error("column '{0}' appears twice; rename one of them")]
    DuplicateColumn(String),
    /// A column of another kind than the one needed.
    #[error("column '{name}' holds {found}, but {needed} must be there")]
    WrongKind {
        /// The column.
        name: String,
        /// What it holds.
        found: &'static str,
        /// What is needed.
        needed: &'static str,
    },
    /// A missing value where every value is needed.
    #[error(
        "row {row}, column '{column}' is missing; drop such rows (--missing drop) or fill them (--missing mean)"
    )]
    Missing {
        /// Row, counted from 1.
        row: usize,
        /// The column.
        column: String,
    },
    /// A whole that would not fit in the memory allowed.
    #[error("{what} needs {needed} bytes, the limit is {limit}; {instead}")]
    TooLarge {
        /// What was to be built.
        what: String,
        /// Bytes needed, in digits (may exceed any integer type).
        needed: String,
        /// Bytes allowed.
        limit: u64,
        /// What to do instead.
        instead: String,
    },
    /// Anything else, said in full.
    #[error("{0}")]
    Invalid(String),
}

fn hint(nearest: &Option<String>, known: &[String]) -> String {
    match nearest {
        Some(name) => format!("; did you mean '{name}'?"),
        None if known.is_empty() => String::new(),
        None => format!("; there are: {}", known.join(", ")),
    }
}
