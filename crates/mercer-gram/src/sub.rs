//! A selection of rows and the same columns: a fold, a working set.

use crate::Gram;

/// The Gram matrix of some of the points, each taken once.
///
/// ```
/// use mercer_gram::{Gram, Lazy, Sub};
/// use mercer_points::{ReadOptions, read};
/// let table = read("@moons(n=20)", &ReadOptions::default()).unwrap();
/// let gram = Lazy::new(&"rbf".parse().unwrap(), &table).unwrap();
/// let sub = Sub::new(&gram, vec![5, 2]);
/// assert_eq!(sub.entry(0, 1), gram.entry(5, 2));
/// ```
pub struct Sub<'a> {
    gram: &'a dyn Gram,
    rows: Vec<usize>,
}

impl<'a> Sub<'a> {
    /// These rows, in this order.
    pub fn new(gram: &'a dyn Gram, rows: Vec<usize>) -> Self {
        Self { gram, rows }
    }

    /// Whole rows of the larger matrix, of which the chosen columns are kept; a few at a time.
    fn pick<T: Copy + Default>(&self, rows: &[usize], out: &mut [T], fetch: impl Fn(&[usize], &mut [T])) {
        const FEW: usize = 64;
        let (whole, width) = (self.gram.len(), self.rows.len());
        let mut buffer = vec![T::default(); FEW * whole];
        for (rows, out) in rows.chunks(FEW).zip(out.chunks_mut(FEW * width.max(1))) {
            let chosen: Vec<usize> = rows.iter().map(|&i| self.rows[i]).collect();
            fetch(&chosen, &mut buffer[..chosen.len() * whole]);
            for (out, row) in out.chunks_exact_mut(width.max(1)).zip(buffer.chunks_exact(whole)) {
                out.iter_mut().zip(&self.rows).for_each(|(out, &j)| *out = row[j]);
            }
        }
    }
}

impl Gram for Sub<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.gram.entry(self.rows[i], self.rows[j])
    }

    fn diagonal(&self, out: &mut [f64]) {
        let mut whole = vec![0.0; self.gram.len()];
        self.gram.diagonal(&mut whole);
        out.iter_mut().zip(&self.rows).for_each(|(out, &i)| *out = whole[i]);
    }

    fn rows_single(&self, rows: &[usize], out: &mut [f32]) {
        self.pick(rows, out, |rows, out| self.gram.rows_single(rows, out));
    }

    fn rows_double(&self, rows: &[usize], out: &mut [f64]) {
        self.pick(rows, out, |rows, out| self.gram.rows_double(rows, out));
    }

    fn apply(&self, vectors: &[f64], out: &mut [f64]) {
        let (whole, width) = (self.gram.len(), self.len().max(1));
        let count = vectors.len() / width;
        let mut spread = vec![0.0; count * whole];
        for (vector, spread) in vectors.chunks_exact(width).zip(spread.chunks_exact_mut(whole.max(1))) {
            self.rows.iter().zip(vector).for_each(|(&i, v)| spread[i] += v);
        }
        let mut product = vec![0.0; count * whole];
        self.gram.apply(&spread, &mut product);
        for (out, product) in out.chunks_exact_mut(width).zip(product.chunks_exact(whole.max(1))) {
            out.iter_mut().zip(&self.rows).for_each(|(out, &i)| *out = product[i]);
        }
    }
}
