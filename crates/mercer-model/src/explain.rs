//! Why a prediction is what it is: the training rows that made it (`docs/maths.md` §5).

use mercer_points::{Points, Table};
use rayon::prelude::*;

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

pub(crate) fn explain(
    model: &Model,
    machine: usize,
    table: &Table,
    count: usize,
) -> Result<Vec<Explanation>, ModelError> {
    let parts = model.parts();
    let (number, Some(machine)) = (machine, parts.machines.get(machine)) else {
        return Err(ModelError::Data(format!("the model has no machine {machine}")));
    };
    if table.is_empty() {
        return Ok(Vec::new());
    }
    let scores = model.predict(table)?;
    let prepared = model.engine().prepare(parts, table)?;
    let of_row = |row: usize| {
        let kernel = model.engine().values(&prepared, row);
        let mut terms: Vec<Term> = machine
            .coefficients
            .used()
            .map(|(support, alpha)| Term {
                support,
                row: parts.rows.get(support).copied(),
                alpha,
                kernel: kernel[support],
                contribution: alpha * kernel[support],
            })
            .collect();
        // A stable sort: of equal terms the first row stays first.
        terms.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
        let rest = terms.iter().skip(count).map(|term| term.contribution).sum();
        terms.truncate(count);
        Explanation { score: scores.score(row, number), bias: machine.bias, terms, rest }
    };
    Ok((0..table.len()).into_par_iter().map(of_row).collect())
}
