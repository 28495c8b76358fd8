//! Sparse vectors in compressed rows.

use crate::{Dense, Points, PointsError};

/// Vectors of which only the non-zero coordinates are stored (compressed sparse rows).
///
/// Indices are counted from 0 and ascend within a row. The dimension costs nothing: an index of four
/// thousand million takes four bytes like any other.
///
/// ```
/// use mercer_points::{Points, Sparse};
/// let x = Sparse::from_rows(4, [vec![(0, 1.0), (3, 2.0)], vec![]]).unwrap();
/// assert_eq!((x.len(), x.dim(), x.stored()), (2, 4, 2));
/// assert_eq!(x.point(0).indices, &[0, 3]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    dim: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

/// One row of [`Sparse`]: ascending indices with their values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SparseRow<'a> {
    /// Coordinates that are stored, ascending, counted from 0.
    pub indices: &'a [u32],
    /// Their values.
    pub values: &'a [f64],
}

impl SparseRow<'_> {
    /// Writes the row into a zeroed slice of the full dimension.
    pub fn scatter(&self, out: &mut [f64]) {
        out.fill(0.0);
        for (&j, &v) in self.indices.iter().zip(self.values) {
            out[j as usize] = v;
        }
    }
}

impl Sparse {
    /// Takes the arrays of compressed rows as they are, after checking them.
    pub fn new(
        dim: usize,
        starts: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f64>,
    ) -> Result<Self, PointsError> {
        let stored = starts.last().copied().unwrap_or(0);
        if starts.first() != Some(&0) || starts.windows(2).any(|w| w[0] > w[1]) {
            return Err(PointsError::Invalid("sparse row starts must begin with 0 and not descend".into()));
        }
        if indices.len() != stored || values.len() != stored {
            let found = if indices.len() == stored { values.len() } else { indices.len() };
            return Err(PointsError::Shape { what: "sparse rows".into(), expected: stored, found });
        }
        for (row, range) in starts.windows(2).enumerate() {
            let row_indices = &indices[range[0]..range[1]];
            if let Some(pair) = row_indices.windows(2).find(|w| w[0] >= w[1]) {
                let (previous, index) = (u64::from(pair[0]), u64::from(pair[1]));
                return Err(PointsError::NotAscending { row: row + 1, index, previous });
            }
            if let Some(&last) = row_indices.last().filter(|&&last| last as usize >= dim) {
                let what = format!("row {}: index {last} is outside the dimension {dim}", row + 1);
                return Err(PointsError::Invalid(what));
            }
        }
        Ok(Self { dim, starts, indices, values })
    }

    /// Copies rows of (index, value) pairs.
    pub fn from_rows(
        dim: usize,
        rows: impl IntoIterator<Item = Vec<(u32, f64)>>,
    ) -> Result<Self, PointsError> {
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rows {
            indices.extend(row.iter().map(|&(j, _)| j));
            values.extend(row.iter().map(|&(_, v)| v));
            starts.push(indices.len());
        }
        Self::new(dim, starts, indices, values)
    }

    /// Drops the zeros of dense rows.
    pub fn from_dense<T: Copy + Into<f64> + Send + Sync>(dense: &Dense<T>) -> Self {
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in dense.rows() {
            let numbers = row.iter().map(|&v| v.into()).enumerate();
            for (j, v) in numbers.filter(|(_, v)| *v != 0.0) {
                indices.push(j as u32);
                values.push(v);
            }
            starts.push(indices.len());
        }
        Self { dim: dense.dim(), starts, indices, values }
    }

    /// All coordinates written out. The caller has checked that `len × dim` values fit in memory.
    pub fn to_dense(&self) -> Dense<f64> {
        let mut values = vec![0.0; self.len() * self.dim];
        if self.dim > 0 {
            for (i, row) in values.chunks_exact_mut(self.dim).enumerate() {
                self.point(i).scatter(row);
            }
        }
        Dense::new(self.len(), self.dim, values).expect("the length is the product by construction")
    }

    /// The number of coordinates of a point.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The same rows in a space of at least `dim` coordinates.
    pub fn with_dim(mut self, dim: usize) -> Self {
        self.dim = self.dim.max(dim);
        self
    }

    /// How many values are stored.
    pub fn stored(&self) -> usize {
        self.values.len()
    }

    /// Stored values as a share of all.
    pub fn density(&self) -> f64 {
        self.stored() as f64 / (self.len() as f64 * self.dim as f64).max(1.0)
    }

    /// Where each row starts in [`indices`](Sparse::indices); one more than there are rows.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Indices of all rows, one after the other.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Values of all rows, one after the other.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Values of all rows, to change in place.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = SparseRow<'_>> {
        (0..self.len()).map(|i| self.point(i))
    }

    /// An error that names the first value which is NaN or infinite, if there is one.
    pub fn check_finite(&self) -> Result<(), PointsError> {
        match self.values.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(at) => {
                let row = self.starts.partition_point(|&start| start <= at);
                let place = format!("row {row}, column {}", u64::from(self.indices[at]) + 1);
                Err(PointsError::NotFinite { place, value: self.values[at] })
            }
        }
    }
}

impl Points for Sparse {
    type Point<'a> = SparseRow<'a>;

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn point(&self, i: usize) -> SparseRow<'_> {
        let range = self.starts[i]..self.starts[i + 1];
        SparseRow { indices: &self.indices[range.clone()], values: &self.values[range] }
    }

    fn select(&self, rows: &[usize]) -> Self {
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for &i in rows {
            let row = self.point(i);
            indices.extend_from_slice(row.indices);
            values.extend_from_slice(row.values);
            starts.push(indices.len());
        }
        Self { dim: self.dim, starts, indices, values }
    }
}
