//! Explicit features, for learners that work on weights instead of coefficients.

use mercer_gram::Gram;

use crate::SolveError;

/// A dense n×d matrix of features, row after row. Its Gram matrix is that of the linear kernel.
///
/// ```
/// use mercer_gram::Gram;
/// use mercer_solve::Features;
/// let features = Features::new(2, 2, vec![1.0, 2.0, 3.0, -1.0]).unwrap();
/// assert_eq!(features.entry(0, 1), 1.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Features {
    /// Values row after row; an error where they are not rows×columns finite numbers.
    pub fn new(rows: usize, columns: usize, values: Vec<f64>) -> Result<Self, SolveError> {
        if values.len() != rows * columns {
            let (expected, found) = (rows * columns, values.len());
            return Err(SolveError::Shape { what: "feature values", expected, found });
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            return Err(SolveError::NotFinite { row: at / columns + 1, value: values[at] });
        }
        Ok(Self { rows, columns, values })
    }

    /// Features of a row.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }

    /// Columns.
    pub fn dimension(&self) -> usize {
        self.columns
    }

    /// ⟨w, x_i⟩.
    pub fn score(&self, i: usize, weights: &[f64]) -> f64 {
        product(self.row(i), weights)
    }

    /// w = Xᵀα.
    pub fn weights(&self, alpha: &[f64]) -> Vec<f64> {
        let mut weights = vec![0.0; self.columns];
        for (i, a) in alpha.iter().enumerate().filter(|(_, a)| **a != 0.0) {
            weights.iter_mut().zip(self.row(i)).for_each(|(w, x)| *w += a * x);
        }
        weights
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Gram for Features {
    fn len(&self) -> usize {
        self.rows
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        product(self.row(i), self.row(j))
    }

    fn diagonal(&self, out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(i, v)| *v = self.entry(i, i));
    }

    fn rows_single(&self, rows: &[usize], out: &mut [f32]) {
        for (&i, out) in rows.iter().zip(out.chunks_exact_mut(self.rows)) {
            out.iter_mut().enumerate().for_each(|(j, v)| *v = self.entry(i, j) as f32);
        }
    }

    fn rows_double(&self, rows: &[usize], out: &mut [f64]) {
        for (&i, out) in rows.iter().zip(out.chunks_exact_mut(self.rows)) {
            out.iter_mut().enumerate().for_each(|(j, v)| *v = self.entry(i, j));
        }
    }

    fn apply(&self, vectors: &[f64], out: &mut [f64]) {
        for (alpha, out) in vectors.chunks_exact(self.rows).zip(out.chunks_exact_mut(self.rows)) {
            let weights = self.weights(alpha);
            out.iter_mut().enumerate().for_each(|(i, v)| *v = self.score(i, &weights));
        }
    }
}
