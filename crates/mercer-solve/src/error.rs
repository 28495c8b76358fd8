//! Every way in which a problem cannot be posed or solved.

/// What is wrong with a problem. Not reaching the tolerance is not an error but a [`Status`](crate::Status).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A parameter out of its range.
    #[error("{name} = {} is out of range; it must be {range}", short(*value))]
    Parameter {
        /// Its name.
        name: String,
        /// What was given.
        value: f64,
        /// What is allowed.
        range: String,
    },
    /// A loss that is not known, or not in this form.
    #[error("{0}")]
    Loss(String),
    /// The lasso.
    #[error(
        "the lasso cannot be kernelized: the representer theorem needs a penalty that grows with the Hilbert norm of f, \
         and the sum of |w_j| is no function of that norm; use penalty = squared or norm"
    )]
    Lasso,
    /// Vectors of different lengths.
    #[error("there are {expected} rows, but {found} {what}")]
    Shape {
        /// What has the wrong length.
        what: &'static str,
        /// The rows.
        expected: usize,
        /// How many there are of it.
        found: usize,
    },
    /// No row at all.
    #[error("there is no row to learn from")]
    Empty,
    /// A value that no target can have.
    #[error("row {row} has the target {value}; {wanted}")]
    Target {
        /// Row, counted from 1.
        row: usize,
        /// What is there.
        value: f64,
        /// What must be there.
        wanted: &'static str,
    },
    /// A weight that is negative or not finite.
    #[error("row {row} has the weight {value}; weights are finite and not negative")]
    Weight {
        /// Row, counted from 1.
        row: usize,
        /// What is there.
        value: f64,
    },
    /// Every weight is zero.
    #[error("every weight is zero, so no row counts")]
    NoWeight,
    /// A kernel value that is not a finite number.
    #[error(
        "the kernel of row {row} with itself is {value}; kernel values must be finite; scale the columns"
    )]
    NotFinite {
        /// Row, counted from 1.
        row: usize,
        /// k(x,x).
        value: f64,
    },
    /// A solver that does not solve this.
    #[error("{solver} does not solve this problem: {reason}")]
    Unsuited {
        /// The solver.
        solver: &'static str,
        /// Why, and what does.
        reason: String,
    },
    /// A matrix beyond the memory budget.
    #[error("{solver} needs {needed} bytes for {rows} rows, but the memory budget is {budget}; {instead}")]
    OverBudget {
        /// The solver.
        solver: &'static str,
        /// Rows.
        rows: usize,
        /// Bytes needed.
        needed: u128,
        /// Bytes allowed.
        budget: u64,
        /// What to do.
        instead: String,
    },
    /// The classes cannot be separated, with the evidence.
    #[error("{0}")]
    NotSeparable(Box<CommonPoint>),
    /// The problem has no minimum.
    #[error("{0}")]
    Unbounded(String),
    /// A factorisation that failed.
    #[error("{0}")]
    Numerical(String),
}

/// Weights on rows that make the same point of feature space from both classes: no surface separates them
/// (`docs/maths.md` §4.4).
#[derive(Debug, Clone, PartialEq)]
pub struct CommonPoint {
    /// (row counted from 0, label, weight): the weights of each class sum to one half.
    pub rows: Vec<(usize, f64, f64)>,
    /// Squared distance between the two combinations in feature space.
    pub distance: f64,
    /// The largest squared distance from the first row to another: what it is to be compared with.
    pub scale: f64,
}

impl std::fmt::Display for CommonPoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the classes cannot be separated with this kernel: {} rows combine, with weights that sum to 1 in each class, \
             to the same point of feature space from both sides (squared distance {:.1e} at a scale of {:.1e})",
            self.rows.len(),
            self.distance,
            self.scale
        )
    }
}

/// A number without hundreds of zeros.
fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() || (1e-6..1e16).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}
