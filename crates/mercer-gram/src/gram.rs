//! The seam between kernels and solvers.

/// A symmetric matrix of kernel values that may be computed only when asked for.
pub trait Gram: Sync {
    /// Rows and columns.
    fn len(&self) -> usize;

    /// Whether there is no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Entry (i,j), as accurate as it can be had.
    fn entry(&self, i: usize, j: usize) -> f64;

    /// The diagonal, exactly.
    fn diagonal(&self, out: &mut [f64]);

    /// Whole rows, one after the other, in `f32`.
    fn rows_single(&self, rows: &[usize], out: &mut [f32]);

    /// Whole rows, one after the other, in `f64`.
    fn rows_double(&self, rows: &[usize], out: &mut [f64]);

    /// K·V for vectors stored one after the other.
    fn apply(&self, vectors: &[f64], out: &mut [f64]);
}
