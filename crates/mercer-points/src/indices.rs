//! Row numbers of a matrix that was computed elsewhere.

use std::sync::Arc;

use crate::{Dense, Points, PointsError};

/// Points known only through a precomputed Gram matrix: each is a row number of it.
///
/// The matrix is shared, so a fold or a subset costs only its row numbers.
///
/// ```
/// use mercer_points::{Dense, Indices, Points};
/// let k = Dense::from_rows(&[[2.0, 1.0], [1.0, 2.0]]);
/// let points = Indices::all(k).unwrap();
/// let reversed = points.select(&[1, 0]);
/// assert_eq!(reversed.point(0), 1);
/// assert_eq!(reversed.entry(0, &points, 0), 1.0);
/// ```
#[derive(Debug, Clone)]
pub struct Indices {
    matrix: Arc<Dense<f64>>,
    rows: Vec<usize>,
}

impl Indices {
    /// Every row of a square matrix. Symmetry is measured by `mercer check`, not assumed here.
    pub fn all(matrix: Dense<f64>) -> Result<Self, PointsError> {
        let (rows, columns) = (matrix.len(), matrix.dim());
        if rows != columns {
            return Err(PointsError::Invalid(format!(
                "a precomputed Gram matrix must be square, this one has {rows} rows and {columns} columns; \
                 a label that stands beside it is named with --target"
            )));
        }
        matrix.check_finite()?;
        Ok(Self { matrix: Arc::new(matrix), rows: (0..rows).collect() })
    }

    /// The matrix that the row numbers refer to.
    pub fn matrix(&self) -> &Dense<f64> {
        &self.matrix
    }

    /// The entry between point `i` here and point `j` of another selection of the same matrix.
    pub fn entry(&self, i: usize, other: &Indices, j: usize) -> f64 {
        self.matrix.point(self.rows[i])[other.rows[j]]
    }

    /// Whether the other selection refers to the very same matrix.
    pub fn same_matrix(&self, other: &Indices) -> bool {
        Arc::ptr_eq(&self.matrix, &other.matrix)
    }
}

impl PartialEq for Indices {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows && (self.same_matrix(other) || self.matrix == other.matrix)
    }
}

impl Points for Indices {
    type Point<'a> = usize;

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn point(&self, i: usize) -> usize {
        self.rows[i]
    }

    fn select(&self, rows: &[usize]) -> Self {
        Self { matrix: self.matrix.clone(), rows: rows.iter().map(|&i| self.rows[i]).collect() }
    }
}
