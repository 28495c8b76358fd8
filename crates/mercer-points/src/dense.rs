//! Dense vectors, row after row.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::{Points, PointsError};

/// Vectors of one length, stored row-major in `f32` or `f64`.
///
/// The values are shared: a clone or a [`slice`](Dense::slice) copies none of them, and changing them in place copies
/// only what someone else still holds. They may also be someone else's memory ([`Dense::shared`]).
///
/// ```
/// use mercer_points::{Dense, Points};
/// let x = Dense::from_rows(&[[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!((x.len(), x.dim()), (2, 2));
/// assert_eq!(x.point(1), &[3.0, 4.0]);
/// ```
#[derive(Clone)]
pub struct Dense<T = f64> {
    rows: usize,
    dim: usize,
    /// Where the first value stands in the memory.
    start: usize,
    memory: Memory<T>,
}

/// Who keeps the values.
#[derive(Clone)]
enum Memory<T> {
    Own(Arc<Vec<T>>),
    Foreign(Arc<dyn AsRef<[T]> + Send + Sync>),
}

impl<T> Memory<T> {
    #[inline]
    fn all(&self) -> &[T] {
        match self {
            Self::Own(values) => values,
            Self::Foreign(owner) => (**owner).as_ref(),
        }
    }
}

impl<T> Dense<T> {
    /// The number of coordinates of a point.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// All values, row after row.
    pub fn values(&self) -> &[T] {
        &self.memory.all()[self.start..self.start + self.rows * self.dim]
    }
}

impl<T: Copy + Send + Sync> Dense<T> {
    /// Takes `rows × dim` values in row-major order.
    pub fn new(rows: usize, dim: usize, values: Vec<T>) -> Result<Self, PointsError> {
        check_shape(rows, dim, values.len())?;
        Ok(Self::own(rows, dim, values))
    }

    /// Looks at `rows × dim` values that belong to someone else, in row-major order. They are kept as long as a clone or a
    /// slice of these points is, and nothing of them is copied.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use mercer_points::{Dense, Points};
    /// let memory = Arc::new(vec![1.0_f32, 2.0, 3.0, 4.0]);
    /// let x = Dense::shared(2, 2, memory.clone()).unwrap();
    /// assert_eq!(x.slice(1..2).point(0).as_ptr(), &raw const memory[2]);
    /// ```
    pub fn shared(
        rows: usize,
        dim: usize,
        values: Arc<dyn AsRef<[T]> + Send + Sync>,
    ) -> Result<Self, PointsError> {
        check_shape(rows, dim, (*values).as_ref().len())?;
        Ok(Self { rows, dim, start: 0, memory: Memory::Foreign(values) })
    }

    /// Copies rows of equal, statically known length.
    pub fn from_rows<const D: usize>(rows: &[[T; D]]) -> Self {
        Self::own(rows.len(), D, rows.iter().flatten().copied().collect())
    }

    fn own(rows: usize, dim: usize, values: Vec<T>) -> Self {
        Self { rows, dim, start: 0, memory: Memory::Own(Arc::new(values)) }
    }

    /// Neighbouring rows, without a copy; rows beyond the last one are left out.
    ///
    /// ```
    /// use mercer_points::{Dense, Points};
    /// let x = Dense::from_rows(&[[1.0], [2.0], [3.0]]);
    /// assert_eq!(x.slice(1..9).values(), &[2.0, 3.0]);
    /// ```
    pub fn slice(&self, rows: Range<usize>) -> Self {
        let end = rows.end.min(self.rows);
        let first = rows.start.min(end);
        Self { rows: end - first, start: self.start + first * self.dim, ..self.clone() }
    }

    /// All values, row after row, to change in place. They are copied first unless these points alone hold them.
    pub fn values_mut(&mut self) -> &mut [T] {
        let (rows, dim) = (self.rows, self.dim);
        let whole = self.start == 0 && self.memory.all().len() == rows * dim;
        if !(whole && matches!(&self.memory, Memory::Own(_))) {
            *self = Self::own(rows, dim, self.values().to_vec());
        }
        match &mut self.memory {
            Memory::Own(values) => Arc::<Vec<T>>::make_mut(values),
            Memory::Foreign(_) => unreachable!("made its own above"),
        }
    }

    /// The values, without a copy where these points alone hold them.
    pub fn into_values(self) -> Vec<T> {
        let (start, length) = (self.start, self.rows * self.dim);
        match self.memory {
            Memory::Own(values) if start == 0 && values.len() == length => Arc::unwrap_or_clone(values),
            memory => memory.all()[start..start + length].to_vec(),
        }
    }

    /// The rows in order; also right when the points have no coordinate.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[T]> {
        let (values, dim) = (self.values(), self.dim);
        (0..self.rows).map(move |i| &values[i * dim..(i + 1) * dim])
    }
}

impl<T: Copy + Into<f64>> Dense<T> {
    /// The same points in `f64`.
    pub fn to_f64(&self) -> Dense<f64> {
        Dense::own(self.rows, self.dim, self.values().iter().map(|&v| v.into()).collect())
    }

    /// An error that names the first value which is NaN or infinite, if there is one.
    pub fn check_finite(&self) -> Result<(), PointsError> {
        // Whole chunks without a branch in between: this runs over all points before every fit.
        const CHUNK: usize = 1024;
        let values = self.values();
        let fine = |chunk: &[T]| chunk.iter().fold(true, |fine, &v| fine & v.into().is_finite());
        let Some(chunk) = values.chunks(CHUNK).position(|chunk| !fine(chunk)) else { return Ok(()) };
        let rest = &values[chunk * CHUNK..];
        let at = chunk * CHUNK + rest.iter().position(|&v| !v.into().is_finite()).unwrap_or(0);
        Err(PointsError::NotFinite {
            place: format!("row {}, column {}", at / self.dim + 1, at % self.dim + 1),
            value: values[at].into(),
        })
    }
}

impl<T: fmt::Debug> fmt::Debug for Dense<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values();
        f.debug_struct("Dense")
            .field("rows", &self.rows)
            .field("dim", &self.dim)
            .field("values", &values)
            .finish()
    }
}

impl<T: PartialEq> PartialEq for Dense<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.rows, self.dim) == (other.rows, other.dim) && self.values() == other.values()
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

    #[inline]
    fn point(&self, i: usize) -> &[T] {
        let start = self.start + i * self.dim;
        &self.memory.all()[start..start + self.dim]
    }

    fn select(&self, rows: &[usize]) -> Self {
        let values = self.values();
        let mut chosen = Vec::with_capacity(rows.len() * self.dim);
        for &i in rows {
            chosen.extend_from_slice(&values[i * self.dim..(i + 1) * self.dim]);
        }
        Self::own(rows.len(), self.dim, chosen)
    }
}

fn check_shape(rows: usize, dim: usize, found: usize) -> Result<(), PointsError> {
    let expected = rows.saturating_mul(dim);
    if found == expected {
        return Ok(());
    }
    let what = format!("{rows} dense rows of {dim} values");
    Err(PointsError::Shape { what, expected, found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_and_slices_copy_nothing_until_someone_writes() {
        let x = Dense::from_rows(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
        let (mut clone, mut part) = (x.clone(), x.slice(1..3));
        assert_eq!(clone.values().as_ptr(), x.values().as_ptr());
        assert_eq!(part.point(0).as_ptr(), x.point(1).as_ptr());
        assert_eq!(part.slice(1..2).values(), &[5.0, 6.0]);
        clone.values_mut()[0] = 9.0;
        part.values_mut()[0] = 7.0;
        assert_eq!((x.values()[0], x.values()[2]), (1.0, 3.0), "the first owner sees no change");
        assert_eq!((clone.values()[0], part.values()), (9.0, &[7.0, 4.0, 5.0, 6.0][..]));
        let place = clone.values().as_ptr();
        clone.values_mut()[1] = 8.0;
        assert_eq!(clone.values().as_ptr(), place, "what nobody else holds is changed in place");
        let values = clone.into_values();
        assert_eq!(values.as_ptr(), place);
        assert_eq!(x.slice(1..2).into_values(), &[3.0, 4.0]);
    }

    #[test]
    fn memory_of_others_is_looked_at_and_not_written_to() {
        let memory = Arc::new(vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let mut x = Dense::shared(3, 2, memory.clone()).unwrap();
        assert_eq!(x.values().as_ptr(), memory.as_ptr());
        assert_eq!(x.clone().point(2).as_ptr(), &raw const memory[4]);
        assert_eq!(x, Dense::new(3, 2, memory.to_vec()).unwrap());
        assert_eq!(x.clone().into_values(), *memory);
        assert_eq!(x.select(&[2, 0]).values(), &[5.0, 6.0, 1.0, 2.0]);
        x.values_mut()[0] = 0.0;
        assert_eq!((memory[0], x.values()[0]), (1.0, 0.0));
        drop(x);
        assert_eq!(Arc::strong_count(&memory), 1, "nothing keeps what nobody looks at");
        let error = Dense::shared(2, 2, memory).unwrap_err().to_string();
        assert_eq!(error, "2 dense rows of 2 values: expected 4 values, found 6");
    }

    #[test]
    fn the_first_value_that_is_not_finite_is_named_wherever_it_is() {
        for at in [0, 1, 1023, 1024, 2999] {
            let mut values = vec![1.0_f32; 3000];
            values[at] = f32::NAN;
            values[2999] = f32::NAN;
            let error = Dense::new(1000, 3, values).unwrap().check_finite().unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("row {}, column {} is NaN", at / 3 + 1, at % 3 + 1)),
                "{error}"
            );
        }
        assert!(Dense::<f32>::new(4, 0, vec![]).unwrap().check_finite().is_ok());
    }
}
