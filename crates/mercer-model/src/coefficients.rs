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
    /// For so many support points, from places and their α; what is 0 is left out.
    ///
    /// # Panics
    /// Where places do not ascend, or are beyond the support points.
    pub(crate) fn of(len: usize, used: impl Iterator<Item = (usize, f64)>) -> Self {
        let (mut places, mut values): (Vec<usize>, Vec<f64>) =
            used.filter(|(_, alpha)| *alpha != 0.0).unzip();
        assert!(places.is_sorted_by(|a, b| a < b) && places.last().is_none_or(|&last| last < len));
        places.shrink_to_fit();
        values.shrink_to_fit();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_zero_is_not_kept_and_is_there_all_the_same() {
        let all = [0.0, -0.0, 3.0, 0.0, f64::NAN, 5e-324, 0.0];
        let found = Coefficients::from(all.to_vec());
        assert_eq!((found.len(), found.used().len()), (7, 3));
        for (j, (&one, other)) in all.iter().zip(found.iter()).enumerate() {
            assert!(one == other || one.is_nan() && other.is_nan());
            assert!(found[j] == one || one.is_nan() && found[j].is_nan());
        }
        // Underflow is zero too.
        assert_eq!(found.map(|alpha| alpha / 1e10).used().map(|used| used.0).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(Coefficients::zeros(3), vec![0.0; 3].into());
        assert!(Coefficients::zeros(0).is_empty() && Coefficients::zeros(3).iter().eq([0.0; 3]));
    }

    #[test]
    #[should_panic(expected = "support point 3 of 3")]
    fn there_is_nothing_beyond_the_last() {
        let _ = Coefficients::zeros(3)[3];
    }
}
