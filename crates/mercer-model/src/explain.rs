//! Why a prediction is what it is: the training rows that made it (`docs/maths.md` §5).

use mercer_points::Table;

use crate::{Model, ModelError};

/// The largest terms of a score; terms + rest + bias = score.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// f(x) + b.
    pub score: f64,
    /// b.
    pub bias: f64,
    /// The largest terms in absolute value, the largest first.
    pub terms: Vec<Term>,
    /// The sum of all other terms.
    pub rest: f64,
}

/// α_j k(x_j,x).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// j, among the support points.
    pub support: usize,
    /// The training row (from 0), where it is known.
    pub row: Option<usize>,
    /// α_j.
    pub alpha: f64,
    /// k(x_j,x).
    pub kernel: f64,
    /// Their product.
    pub contribution: f64,
}

pub(crate) fn explain(_model: &Model, _table: &Table, _count: usize) -> Result<Vec<Explanation>, ModelError> {
    Err(ModelError::Data(String::new()))
}
