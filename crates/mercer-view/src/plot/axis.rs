//! One axis: what it measures, from where to where, and how values are spaced along it.

use serde::Serialize;

/// How values are spaced along an axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Spacing {
    /// Evenly.
    Linear,
    /// Evenly in the logarithm; both ends are above 0.
    Logarithmic,
    /// One place for each name: the first at 0, the next at 1.
    Names(Vec<String>),
    /// Evenly, without numbers or a frame: for what is projected.
    Bare,
}

/// One axis of a plot.
///
/// ```
/// use mercer_view::Axis;
///
/// let axis = Axis::around("length", [1.0, 3.0, f64::NAN]);
/// assert!(axis.low < 1.0 && axis.high > 3.0);
/// // Values that are all the same have room around them.
/// assert!(Axis::around("length", [5.0]).high > 5.0);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// What it measures: the name of a column, a quantity.
    pub label: String,
    /// The value at its left or lower end.
    pub low: f64,
    /// The value at its right or upper end.
    pub high: f64,
    /// How values are spaced.
    pub spacing: Spacing,
}

impl Axis {
    /// A linear axis with these ends.
    pub fn new(label: impl Into<String>, low: f64, high: f64) -> Self {
        Self { label: label.into(), low, high, spacing: Spacing::Linear }
    }

    /// A linear axis that holds all finite values, with a little room on both sides.
    pub fn around(label: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = hull(values).unwrap_or((0.0, 1.0));
        // In parts, since the width of very large numbers may be no number.
        let room = if high > low { 0.05 * high - 0.05 * low } else { 0.5 * low.abs().max(1.0) };
        Self::new(label, (low - room).max(f64::MIN), (high + room).min(f64::MAX))
    }

    /// A logarithmic axis that holds all finite values above 0, with a little room on both sides.
    ///
    /// ```
    /// let axis = mercer_view::Axis::logarithmic("C", [0.1, 1000.0]);
    /// assert!(axis.low > 0.05 && axis.low < 0.1);
    /// ```
    pub fn logarithmic(label: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let positive = values.into_iter().filter(|value| *value > 0.0).map(f64::ln);
        let (low, high) = hull(positive).unwrap_or((0.0, 1.0));
        let room = if high > low { 0.04 * (high - low) } else { 1.0 };
        let (low, high) = ((low - room).exp().max(f64::MIN_POSITIVE), (high + room).exp().min(f64::MAX));
        Self { spacing: Spacing::Logarithmic, ..Self::new(label, low, high) }
    }

    /// An axis with a place for each name.
    pub fn names(label: impl Into<String>, names: Vec<String>) -> Self {
        let high = names.len().max(1) as f64 - 0.5;
        Self { spacing: Spacing::Names(names), ..Self::new(label, -0.5, high) }
    }

    /// An axis that is not drawn.
    pub fn bare(low: f64, high: f64) -> Self {
        Self { spacing: Spacing::Bare, ..Self::new("", low, high) }
    }

    /// How far along a value is: 0 at the low end, 1 at the high end; not finite for what has no place on the axis.
    pub(crate) fn fraction(&self, value: f64) -> f64 {
        match self.spacing {
            // Differences of logarithms: a ratio of the ends may be no number.
            Spacing::Logarithmic if value > 0.0 => {
                (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln())
            }
            Spacing::Logarithmic => f64::NAN,
            _ => share(value, self.low, self.high),
        }
    }

    /// The same axis with ends that can be drawn.
    pub(crate) fn drawable(&self) -> Self {
        let sound = self.low.is_finite() && self.high.is_finite();
        let apart = 0.5 * self.high - 0.5 * self.low > 1e-12 * self.low.abs().max(self.high.abs());
        let positive = self.spacing != Spacing::Logarithmic || self.low > 0.0;
        if sound && apart && positive {
            return self.clone();
        }
        match self.spacing {
            Spacing::Logarithmic => Self { low: 0.1, high: 10.0, ..self.clone() },
            // Room around a value that is as large as numbers get would be no number.
            _ if sound && !apart => {
                let room = 0.5 * self.low.abs().max(1.0);
                let (low, high) = ((self.low - room).max(f64::MIN), (self.low + room).min(f64::MAX));
                Self { low, high, ..self.clone() }
            }
            _ => Self { low: 0.0, high: 1.0, ..self.clone() },
        }
    }
}

/// How far a value is from `low` to `high`, which may be farther apart than any number says.
pub(crate) fn share(value: f64, low: f64, high: f64) -> f64 {
    let width = high - low;
    if width.is_finite() {
        (value - low) / width
    } else {
        (0.5 * value - 0.5 * low) / (0.5 * high - 0.5 * low)
    }
}

/// What lies a share of the way from `low` to `high`.
pub(crate) fn between(low: f64, high: f64, share: f64) -> f64 {
    let width = high - low;
    if width.is_finite() { low + width * share } else { low * (1.0 - share) + high * share }
}

/// The least and the largest of the finite values.
pub(crate) fn hull(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.fold(None, |found, value| match found {
        None => Some((value, value)),
        Some((low, high)) => Some((f64::min(low, value), f64::max(high, value))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_can_be_drawn() {
        let axes = [
            Axis::new("", 1.0, 1.0),
            Axis::new("", f64::NAN, 1.0),
            Axis::new("", 3.0, -1.0),
            Axis::new("", f64::MIN, f64::MAX),
            Axis::new("", f64::MAX, f64::MAX),
            Axis::around("", [f64::MAX]),
            Axis::around("", [f64::MIN, f64::MAX]),
            Axis::logarithmic("", [5e-324, f64::MAX]),
            Axis::around("", []),
            Axis::around("", [f64::INFINITY]),
            Axis::logarithmic("", [-1.0, 0.0]),
            Axis { spacing: Spacing::Logarithmic, ..Axis::new("", -1.0, 1.0) },
            Axis::names("", Vec::new()),
        ];
        for axis in axes {
            let axis = axis.drawable();
            let (low, high) = (axis.fraction(axis.low), axis.fraction(axis.high));
            assert!(low.abs() < 1e-12 && (high - 1.0).abs() < 1e-12, "{axis:?}: {low} {high}");
        }
    }

    #[test]
    fn logarithms_are_evenly_spaced() {
        let axis = Axis { spacing: Spacing::Logarithmic, ..Axis::new("", 0.01, 100.0) };
        assert!((axis.fraction(1.0) - 0.5).abs() < 1e-12);
        assert!(axis.fraction(0.0).is_nan());
    }
}
