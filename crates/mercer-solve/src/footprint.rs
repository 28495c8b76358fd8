//! What a solver will hold in memory, said before anything is allocated.
//!
//! Only what grows with pairs of rows is told: squares, factors and rows of the Gram matrix. Vectors of n numbers are not.

use crate::Tolerance;

/// What decides over the memory of a solver, besides its budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sizes {
    /// Rows of the problem.
    pub rows: usize,
    /// Variables of the dual for each row: two where the loss has a kink at the target itself.
    pub variables: usize,
    /// Rows that are expected to have a coefficient.
    pub support: usize,
    /// Coefficients that are expected inside their bounds.
    pub free: usize,
    /// Whether an entry is computed in less time than it takes to keep it and find it again.
    pub is_cheap: bool,
    /// When the answer is good enough.
    pub tolerance: Tolerance,
}

/// Which kernel entries are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Holding {
    /// None: they are computed whenever they are wanted.
    #[default]
    Nothing,
    /// All of them, at least once.
    Whole,
    /// Those between so many variables at a time; others are computed whenever they are wanted.
    WorkingSet(usize),
    /// Those, and so many whole rows.
    Rows(usize),
}

/// What is held, and what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Footprint {
    /// Which entries.
    pub holding: Holding,
    /// Bytes of all that is held of pairs of rows or of features, at the peak.
    pub bytes: u128,
}

impl Footprint {
    /// Matrices of all rows, or of all features, of so many bytes an entry in all.
    pub(crate) fn whole(rows: usize, bytes_each: u128) -> Self {
        Self { holding: Holding::Whole, bytes: bytes_each * (rows as u128).pow(2) }
    }
}
