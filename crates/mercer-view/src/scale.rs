//! Which values a colour scale spans.

use serde::Serialize;

use crate::{ColourMap, Grid, Rgb};

/// The values at the two ends of a colour scale.
///
/// ```
/// use mercer_view::{ColourMap, Range};
///
/// assert_eq!(Range::new(0.0, 1.0).colours(), ColourMap::Sequential);
/// assert_eq!(Range::new(-1.0, 1.0).colours(), ColourMap::Diverging);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Range {
    /// The lowest value; smaller ones take its colour.
    pub low: f64,
    /// The highest value; larger ones take its colour.
    pub high: f64,
}

impl Range {
    /// From `low` to `high`.
    pub fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// A range that fits the finite cells of these grids.
    ///
    /// Values within [0, 1] that reach past a half get that interval, so that pictures of normalised kernels
    /// compare; positive values start at 0 if the lowest is below half of the highest; negative values within
    /// rounding (10⁻⁶ of the highest) count as 0.
    ///
    /// ```
    /// use mercer_view::{Grid, Range};
    ///
    /// let cosine = Grid::from_fn(2, |i, j| if i == j { 1.0 } else { 0.3 });
    /// assert_eq!(Range::of([&cosine]), Range::new(0.0, 1.0));
    /// ```
    pub fn of<'a>(grids: impl IntoIterator<Item = &'a Grid>) -> Self {
        let cells = grids.into_iter().flat_map(Grid::cells).copied().filter(|cell| cell.is_finite());
        let (low, high) = cells
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), cell| (low.min(cell), high.max(cell)));
        if low > high {
            return Self::new(0.0, 1.0);
        }
        let (low, high) = (f64::from(low), f64::from(high));
        let low = if low < 0.0 && high > 0.0 && -low <= 1e-6 * high { 0.0 } else { low };
        match (low, high) {
            _ if low >= 0.0 && high <= 1.0 + 1e-6 && high > 0.5 => Self::new(0.0, 1.0),
            _ if low >= 0.0 && low < 0.5 * high => Self::new(0.0, high),
            _ => Self::new(low, high),
        }
    }

    /// The colour map this range asks for: diverging, centred on 0, if it has both signs.
    pub fn colours(&self) -> ColourMap {
        if self.low < 0.0 && self.high > 0.0 { ColourMap::Diverging } else { ColourMap::Sequential }
    }

    /// A range that can be drawn: finite, in order and of positive width. A single value c spans from 0 to c.
    pub(crate) fn drawable(self) -> Self {
        if !(self.low.is_finite() && self.high.is_finite()) {
            return Self::new(0.0, 1.0);
        }
        let (low, high) = (self.low.min(self.high), self.low.max(self.high));
        if !(high - low).is_finite() {
            // So wide that its width is no number; what is beyond half of it takes the colour of its end.
            return Self::new(0.5 * low, 0.5 * high);
        }
        // Ends that differ by rounding alone cannot be told apart by a label either.
        let same = high - low <= 1e-12 * low.abs().max(high.abs());
        match (low, high) {
            (0.0, 0.0) => Self::new(0.0, 1.0),
            _ if same && high > 0.0 => Self::new(0.0, high),
            _ if same => Self::new(low, 0.0),
            _ => Self::new(low, high),
        }
    }

    /// Where `value` lies in the colour map, 0 to 1. In a diverging map 0 lies at the middle and both signs run
    /// at the same pace, so the shorter side does not reach its end.
    pub(crate) fn fraction(&self, value: f64) -> f64 {
        let held = value.clamp(self.low, self.high);
        match self.colours() {
            ColourMap::Sequential => (held - self.low) / (self.high - self.low),
            ColourMap::Diverging => 0.5 + 0.5 * held / self.high.max(-self.low),
        }
    }

    /// The colour of a value.
    ///
    /// ```
    /// use mercer_view::{ColourMap, Range};
    ///
    /// assert_eq!(Range::new(0.0, 2.0).colour(2.0), ColourMap::Sequential.colour(1.0));
    /// ```
    pub fn colour(&self, value: f64) -> Rgb {
        let drawn = self.drawable();
        drawn.colours().colour(drawn.fraction(value))
    }

    /// Whether any finite cell lies outside by more than rounding.
    pub(crate) fn cuts(&self, grid: &Grid) -> bool {
        let slack = 1e-6 * (self.high - self.low);
        let outside = |cell: f64| cell < self.low - slack || cell > self.high + slack;
        grid.cells().iter().any(|&cell| cell.is_finite() && outside(f64::from(cell)))
    }
}

/// Which scale colours a panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub enum Scale {
    /// The scale of the whole picture.
    #[default]
    Shared,
    /// A scale of its own, drawn under the panel unless it is the same as the shared one.
    Own(Range),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(low: f64, high: f64) -> Range {
        Range::of([&Grid::from_fn(2, |i, _| if i == 0 { low } else { high })])
    }

    #[test]
    fn ranges_are_the_natural_ones() {
        assert_eq!(of(0.2, 0.9), Range::new(0.0, 1.0));
        assert_eq!(of(-1e-9, 1.0), Range::new(0.0, 1.0));
        assert_eq!(of(1.0, 8.0), Range::new(0.0, 8.0));
        assert_eq!(of(7.0, 8.0), Range::new(7.0, 8.0));
        assert_eq!(of(-0.5, 2.0), Range::new(-0.5, 2.0));
        assert_eq!(of(f64::NAN, f64::INFINITY), Range::new(0.0, 1.0));
        assert_eq!(Range::of([]), Range::new(0.0, 1.0));
    }

    #[test]
    fn every_range_can_be_drawn() {
        assert_eq!(Range::new(3.0, 3.0).drawable(), Range::new(0.0, 3.0));
        assert_eq!(Range::new(-3.0, -3.0).drawable(), Range::new(-3.0, 0.0));
        assert_eq!(Range::new(0.0, 0.0).drawable(), Range::new(0.0, 1.0));
        assert_eq!(Range::new(2.0, -1.0).drawable(), Range::new(-1.0, 2.0));
        assert_eq!(Range::new(f64::NAN, 1.0).drawable(), Range::new(0.0, 1.0));
        let widest = Range::new(f64::MIN, f64::MAX).drawable();
        assert!((widest.high - widest.low).is_finite());
    }

    #[test]
    fn zero_is_the_middle_of_a_diverging_scale() {
        let range = Range::new(-0.5, 2.0);
        assert_eq!([-9.0, -0.5, 0.0, 2.0].map(|value| range.fraction(value)), [0.375, 0.375, 0.5, 1.0]);
    }
}
