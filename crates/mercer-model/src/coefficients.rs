//! The coefficients of a machine over the support points of its model.

use std::ops::Index;

/// One α a support point, of which those that are not 0 are kept: a machine of two of many classes uses few of them.
///
/// ```
/// use mercer_model::Coefficients;
/// let found = Coefficients::from(vec![0.0, 2.0, 0.0, -1.0]);
/// assert_eq!((found.len(), found[1], found[2]), (4, 2.0, 0.0));
/// assert_eq!(found.used().collect::<Vec<_>>(), [(1, 2.0), (3, -1.0)]);
/// assert_eq!(found.iter().sum::<f64>(), 1.0);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Coefficients {
    len: usize,
    /// In order.
    places: Vec<usize>,
    values: Vec<f64>,
}

impl Coefficients {
    /// For so many support points, from those in use and their α, in order.
    pub(crate) fn of(len: usize, used: impl Iterator<Item = (usize, f64)>) -> Self {
        let (places, values): (Vec<usize>, Vec<f64>) = used.filter(|(_, alpha)| *alpha != 0.0).unzip();
        debug_assert!(places.is_sorted_by(|a, b| a < b) && places.last().is_none_or(|&last| last < len));
        Self { len, places, values }
    }

    /// Nothing is used.
    pub fn zeros(len: usize) -> Self {
        Self { len, ..Self::default() }
    }

    /// Support points, used or not.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no support points.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The support points that the machine uses, in order, and their α.
    pub fn used(&self) -> impl ExactSizeIterator<Item = (usize, f64)> + '_ {
        self.places.iter().copied().zip(self.values.iter().copied())
    }

    /// α of every support point.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        let mut used = self.used().peekable();
        (0..self.len).map(move |j| used.next_if(|(place, _)| *place == j).map_or(0.0, |(_, alpha)| alpha))
    }

    /// The α that are not 0.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Others at the same places.
    pub(crate) fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        Self::of(self.len, self.used().map(|(place, alpha)| (place, change(alpha))))
    }
}

impl From<Vec<f64>> for Coefficients {
    fn from(all: Vec<f64>) -> Self {
        Self::of(all.len(), all.iter().copied().enumerate())
    }
}

impl Index<usize> for Coefficients {
    type Output = f64;

    fn index(&self, support: usize) -> &f64 {
        assert!(support < self.len, "support point {support} of {}", self.len);
        self.places.binary_search(&support).map_or(&0.0, |at| &self.values[at])
    }
}
