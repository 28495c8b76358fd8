//! K + cI.

use crate::Gram;

/// A Gram matrix with a constant added to its diagonal.
///
/// ```
/// use mercer_gram::{Gram, Lazy, Shifted};
/// use mercer_points::{ReadOptions, read};
/// let table = read("@moons(n=20)", &ReadOptions::default()).unwrap();
/// let gram = Lazy::new(&"rbf".parse().unwrap(), &table).unwrap();
/// assert_eq!(Shifted::new(&gram, 0.5).entry(3, 3), 1.5);
/// ```
pub struct Shifted<'a> {
    gram: &'a dyn Gram,
    shift: f64,
}

impl<'a> Shifted<'a> {
    /// K + shift·I.
    pub fn new(gram: &'a dyn Gram, shift: f64) -> Self {
        Self { gram, shift }
    }
}

impl Gram for Shifted<'_> {
    fn len(&self) -> usize {
        self.gram.len()
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.gram.entry(i, j) + if i == j { self.shift } else { 0.0 }
    }

    fn diagonal(&self, out: &mut [f64]) {
        self.gram.diagonal(out);
        out.iter_mut().for_each(|v| *v += self.shift);
    }

    fn rows_single(&self, rows: &[usize], out: &mut [f32]) {
        self.gram.rows_single(rows, out);
        let n = self.len();
        rows.iter().enumerate().for_each(|(at, &i)| out[at * n + i] += self.shift as f32);
    }

    fn rows_double(&self, rows: &[usize], out: &mut [f64]) {
        self.gram.rows_double(rows, out);
        let n = self.len();
        rows.iter().enumerate().for_each(|(at, &i)| out[at * n + i] += self.shift);
    }

    fn apply(&self, vectors: &[f64], out: &mut [f64]) {
        self.gram.apply(vectors, out);
        out.iter_mut().zip(vectors).for_each(|(out, v)| *out += self.shift * v);
    }
}
