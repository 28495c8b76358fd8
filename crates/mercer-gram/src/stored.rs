//! A Gram matrix that is held whole, after the memory budget has allowed it.

use mercer_linalg::{Budget, Buffer, Isa, LANES, Real, add_row_sums, flush_row_sums};
use rayon::prelude::*;

use crate::{Gram, GramError, Lazy};

/// All n×n entries, in `f32` or `f64`.
///
/// ```
/// use mercer_gram::{Gram, Lazy, Stored};
/// use mercer_linalg::Budget;
/// use mercer_points::{ReadOptions, read};
/// let table = read("@moons(n=100)", &ReadOptions::default()).unwrap();
/// let lazy = Lazy::new(&"rbf".parse().unwrap(), &table).unwrap();
/// let stored = Stored::<f32>::new(&lazy, Budget::default()).unwrap();
/// assert_eq!(stored.row(3)[3], 1.0);
/// assert!(Stored::<f32>::new(&lazy, Budget::of_bytes(1000)).is_err());
/// ```
#[derive(Debug)]
pub struct Stored<T: Real> {
    n: usize,
    entries: Buffer<T>,
}

impl<T: Real> Stored<T> {
    /// Whether so many rows fit the budget; the error says what they need and what to do instead.
    pub fn fits(rows: usize, budget: Budget) -> Result<(), GramError> {
        let needed = rows as u128 * rows as u128 * size_of::<T>() as u128;
        if budget.allows(needed) {
            return Ok(());
        }
        let largest = (budget.bytes() as f64 / size_of::<T>() as f64).sqrt() as usize;
        let instead = format!(
            "take at most {largest} rows (--sample {largest}), or raise --memory; products with K and single rows \
             need no stored matrix"
        );
        Err(GramError::OverBudget { rows, needed, budget: budget.bytes(), instead })
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[T] {
        &self.entries[i * self.n..(i + 1) * self.n]
    }

    /// All entries, row after row.
    pub fn entries(&self) -> &[T] {
        &self.entries
    }
}

impl Stored<f32> {
    /// Computes and keeps every entry in `f32`.
    pub fn new(gram: &Lazy, budget: Budget) -> Result<Self, GramError> {
        Self::fits(gram.len(), budget)?;
        let mut entries = Buffer::zeros(gram.len() * gram.len());
        gram.store_single(&mut entries, &|| false);
        Ok(Self { n: gram.len(), entries })
    }
}

impl Stored<f64> {
    /// Computes and keeps every entry in `f64`.
    pub fn new(gram: &Lazy, budget: Budget) -> Result<Self, GramError> {
        Self::fits(gram.len(), budget)?;
        let mut entries = Buffer::zeros(gram.len() * gram.len());
        gram.store_double(&mut entries);
        Ok(Self { n: gram.len(), entries })
    }

    /// Keeps a matrix that exists already, given row after row; only its symmetry is the caller's word.
    pub fn from_entries(n: usize, values: &[f64], budget: Budget) -> Result<Self, GramError> {
        Self::fits(n, budget)?;
        if values.len() != n * n {
            return Err(GramError::Invalid(format!("{n} rows need {} entries, not {}", n * n, values.len())));
        }
        let mut entries = Buffer::zeros(n * n);
        entries.copy_from_slice(values);
        Ok(Self { n, entries })
    }
}

impl<T: Real> Gram for Stored<T> {
    fn len(&self) -> usize {
        self.n
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.row(i)[j].f64()
    }

    fn diagonal(&self, out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(i, out)| *out = self.entry(i, i));
    }

    fn rows_single(&self, rows: &[usize], out: &mut [f32]) {
        for (&i, out) in rows.iter().zip(out.chunks_exact_mut(self.n.max(1))) {
            out.iter_mut().zip(self.row(i)).for_each(|(out, entry)| *out = entry.f64() as f32);
        }
    }

    fn rows_double(&self, rows: &[usize], out: &mut [f64]) {
        for (&i, out) in rows.iter().zip(out.chunks_exact_mut(self.n.max(1))) {
            out.iter_mut().zip(self.row(i)).for_each(|(out, entry)| *out = entry.f64());
        }
    }

    fn apply(&self, vectors: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        const CHUNK: usize = 512;
        for (vector, out) in vectors.chunks_exact(self.n.max(1)).zip(out.chunks_exact_mut(self.n.max(1))) {
            let weights: Vec<T> = vector.iter().map(|&v| T::of(v)).collect();
            out.par_iter_mut().enumerate().for_each(|(i, out)| {
                for (row, weights) in self.row(i).chunks(CHUNK).zip(weights.chunks(CHUNK)) {
                    let mut lanes = [[T::ZERO; LANES]];
                    add_row_sums(Isa::detect(), row, row.len(), weights, &mut lanes);
                    flush_row_sums(&mut lanes, std::slice::from_mut(out));
                }
            });
        }
    }
}
