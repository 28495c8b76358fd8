//! Dense vectors, row after row.

use crate::{Points, PointsError};

/// Vectors of one length, stored row-major in `f32` or `f64`.
///
/// ```
/// use mercer_points::{Dense, Points};
/// let x = Dense::from_rows(&[[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!((x.len(), x.dim()), (2, 2));
/// assert_eq!(x.point(1), &[3.0, 4.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dense<T = f64> {
    rows: usize,
    dim: usize,
    values: Vec<T>,
}

impl<T: Copy + Send + Sync> Dense<T> {
    /// Takes `rows × dim` values in row-major order.
    pub fn new(rows: usize, dim: usize, values: Vec<T>) -> Result<Self, PointsError> {
        let expected = rows.saturating_mul(dim);
        if values.len() != expected {
            let what = format!("{rows} dense rows of {dim} values");
            return Err(PointsError::Shape { what, expected, found: values.len() });
        }
        Ok(Self { rows, dim, values })
    }

    /// Copies rows of equal, statically known length.
    pub fn from_rows<const D: usize>(rows: &[[T; D]]) -> Self {
        Self { rows: rows.len(), dim: D, values: rows.iter().flatten().copied().collect() }
    }

    /// The number of coordinates of a point.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// All values, row after row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All values, row after row, to change in place.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The values, without a copy.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }

    /// The rows in order; also right when the points have no coordinate.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.rows).map(|i| self.point(i))
    }
}

impl<T: Copy + Into<f64>> Dense<T> {
    /// The same points in `f64`.
    pub fn to_f64(&self) -> Dense<f64> {
        Dense { rows: self.rows, dim: self.dim, values: self.values.iter().map(|&v| v.into()).collect() }
    }

    /// An error that names the first value which is NaN or infinite, if there is one.
    pub fn check_finite(&self) -> Result<(), PointsError> {
        match self.values.iter().position(|&v| !v.into().is_finite()) {
            None => Ok(()),
            Some(at) => Err(PointsError::NotFinite {
                place: format!("row {}, column {}", at / self.dim + 1, at % self.dim + 1),
                value: self.values[at].into(),
            }),
        }
    }
}

impl<T: Copy + Send + Sync> Points for Dense<T> {
    type Point<'a>
        = &'a [T]
    where
        T: 'a;

    fn len(&self) -> usize {
        self.rows
    }

    fn point(&self, i: usize) -> &[T] {
        &self.values[i * self.dim..(i + 1) * self.dim]
    }

    fn select(&self, rows: &[usize]) -> Self {
        let values = rows.iter().flat_map(|&i| self.point(i)).copied().collect();
        Self { rows: rows.len(), dim: self.dim, values }
    }
}
