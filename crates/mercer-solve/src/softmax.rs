//! The problem of several classes at once: a function for each class, one loss of all their scores,
//!
//! ```text
//! minimise P = (1/n) Σ w_i [ log Σ_c exp(F_ic) − F_{i,y_i} ] + (λ/2) Σ_c ‖f_c‖² ,   F_ic = f_c(x_i) + b_c
//! ```
//!
//! (`docs/maths.md` §4.12). Numbers of a row and a class lie class after class: that of row i and class c is at c·n + i.

use std::fmt;

use mercer_gram::{Gram, Stop};
use mercer_linalg::rows_product;

use crate::{Progress, SolveError, Status};

/// Kernel × softmax × λ, with weights and optional offsets; checked when made.
#[derive(Clone, Copy)]
pub struct SoftmaxProblem<'a> {
    gram: &'a dyn Gram,
    codes: &'a [usize],
    classes: usize,
    weights: Option<&'a [f64]>,
    lambda: f64,
    offset: bool,
}

impl fmt::Debug for SoftmaxProblem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SoftmaxProblem")
            .field("rows", &self.len())
            .field("classes", &self.classes)
            .field("lambda", &self.lambda)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

impl<'a> SoftmaxProblem<'a> {
    /// The class of each row, counted from 0, and how many classes there are; without weights all rows count alike.
    /// With an offset every class needs a row with weight.
    pub fn new(
        gram: &'a dyn Gram,
        (codes, classes): (&'a [usize], usize),
        weights: Option<&'a [f64]>,
        lambda: f64,
        offset: bool,
    ) -> Result<Self, SolveError> {
        if gram.is_empty() {
            return Err(SolveError::Empty);
        }
        let expected = gram.len();
        if codes.len() != expected {
            return Err(SolveError::Shape { what: "targets", expected, found: codes.len() });
        }
        if classes < 2 {
            return Err(parameter("classes", classes as f64, "2 or more"));
        }
        if let Some(row) = codes.iter().position(|&code| code >= classes) {
            let wanted = "classes are counted from 0";
            return Err(SolveError::Target { row: row + 1, value: codes[row] as f64, wanted });
        }
        if !(lambda > 0.0 && lambda.is_finite()) {
            return Err(parameter("lambda", lambda, "above 0 and finite"));
        }
        if let Some(weights) = weights {
            check_weights(weights, expected)?;
        }
        let mut diagonal = vec![0.0; expected];
        gram.diagonal(&mut diagonal);
        if let Some(row) = diagonal.iter().position(|v| !v.is_finite()) {
            return Err(SolveError::NotFinite { row: row + 1, value: diagonal[row] });
        }
        let problem = Self { gram, codes, classes, weights, lambda, offset };
        match problem.class_weights().iter().position(|&weight| weight == 0.0) {
            Some(class) if offset => Err(SolveError::Unbounded(format!(
                "class {} has no row with weight, so that the loss decreases for ever as its offset falls: there is no \
                 minimum; leave the class or the offset out",
                class + 1
            ))),
            _ => Ok(problem),
        }
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there is no row; never so, but asked of anything with a length.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The Gram matrix.
    pub fn gram(&self) -> &'a dyn Gram {
        self.gram
    }

    /// The class of a row.
    pub fn class(&self, i: usize) -> usize {
        self.codes[i]
    }

    /// The weight of a row.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// C_i = w_i/(λn), finite for every λ and weight.
    pub fn bound(&self, i: usize) -> f64 {
        (self.weight(i) / (self.lambda * self.len() as f64)).min(f64::MAX)
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Whether there are offsets b.
    pub fn offset(&self) -> bool {
        self.offset
    }

    /// The weight of each class.
    pub(crate) fn class_weights(&self) -> Vec<f64> {
        let mut weights = vec![0.0; self.classes];
        (0..self.len()).for_each(|i| weights[self.class(i)] += self.weight(i));
        weights
    }

    /// The scores of a row with offsets, class by class.
    pub(crate) fn row(&self, i: usize, scores: &[f64], offsets: &[f64], out: &mut [f64]) {
        let n = self.len();
        out.iter_mut().zip(offsets).enumerate().for_each(|(c, (out, b))| *out = scores[c * n + i] + b);
    }
}

fn parameter(name: &str, value: f64, range: &str) -> SolveError {
    SolveError::Parameter { name: name.to_owned(), value, range: range.to_owned() }
}

fn check_weights(weights: &[f64], expected: usize) -> Result<(), SolveError> {
    if weights.len() != expected {
        return Err(SolveError::Shape { what: "weights", expected, found: weights.len() });
    }
    if let Some(row) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(SolveError::Weight { row: row + 1, value: weights[row] });
    }
    if weights.iter().all(|&w| w == 0.0) { Err(SolveError::NoWeight) } else { Ok(()) }
}

/// Coefficients of all classes and how they came about. Not a claim:
/// [`certify_softmax`](crate::certify_softmax) makes those.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftmaxSolution {
    /// α, class after class: f_c = Σ_j α_jc k(x_j,·).
    pub alpha: Vec<f64>,
    /// The offsets; 0 in a problem without.
    pub offsets: Vec<f64>,
    /// Kα as the solver kept it, class after class, where it did.
    pub scores: Option<Vec<f64>>,
    /// How the solver ended.
    pub status: Status,
    /// Newton steps.
    pub iterations: u64,
    /// Kernel entries that were computed.
    pub entries: u64,
    /// How it went.
    pub trace: Vec<Progress>,
}

/// Rows of K that are made at a time where it is not held: fixed, so that sums have one order.
const PORTION: usize = 256;

/// K times vectors stored one after the other, from entries in `f64` in one pass; none if `stop` said so, which is asked
/// with the rows done and all of them.
pub(crate) fn products(
    gram: &dyn Gram,
    vectors: &[f64],
    stop: &dyn Fn(usize, usize) -> bool,
) -> Option<Vec<f64>> {
    let (n, count) = (gram.len(), vectors.len() / gram.len().max(1));
    let mut out = vec![0.0; vectors.len()];
    let rows: Vec<usize> = (0..n).collect();
    let mut entries = vec![0.0; PORTION.min(n) * n];
    for chosen in rows.chunks(PORTION) {
        if stop(chosen[0], n) {
            return None;
        }
        let entries = &mut entries[..chosen.len() * n];
        gram.rows_double(chosen, entries);
        scatter(&rows_product(n, entries, vectors), (chosen[0], count), n, &mut out);
    }
    Some(out)
}

/// The same for a matrix that is held.
pub(crate) fn held_products(n: usize, matrix: &[f64], vectors: &[f64], stop: &Stop<'_>) -> Option<Vec<f64>> {
    let count = vectors.len() / n.max(1);
    let mut out = vec![0.0; vectors.len()];
    for (number, rows) in matrix.chunks((4 * PORTION * n).max(1)).enumerate() {
        if stop() {
            return None;
        }
        scatter(&rows_product(n, rows, vectors), (number * 4 * PORTION, count), n, &mut out);
    }
    Some(out)
}

/// Values row after row, from a first row on, to their places vector after vector.
fn scatter(values: &[f64], (first, count): (usize, usize), n: usize, out: &mut [f64]) {
    for (k, out) in out.chunks_exact_mut(n.max(1)).enumerate() {
        let own = values.chunks_exact(count.max(1)).map(|row| row[k]);
        out[first..].iter_mut().zip(own).for_each(|(out, value)| *out = value);
    }
}
