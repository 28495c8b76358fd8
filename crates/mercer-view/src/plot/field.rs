//! A number at every point of a grid over a rectangle.

use serde::{Deserialize, Serialize};

use super::between;

/// Values at the crossings of a grid over a rectangle, its corners included.
///
/// ```
/// use mercer_view::Field;
///
/// let field = Field::from_fn((0.0, 1.0), (0.0, 2.0), 2, 3, |x, y| x + y);
/// assert_eq!(field.values, [0.0, 1.0, 1.0, 2.0, 2.0, 3.0]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// The first and the last abscissa.
    pub x: (f64, f64),
    /// The first and the last ordinate.
    pub y: (f64, f64),
    /// Values along x.
    pub columns: usize,
    /// Values along y.
    pub rows: usize,
    /// Row after row, from the lowest y up; not finite where nothing is known.
    pub values: Vec<f64>,
}

impl Field {
    /// The field of a function.
    pub fn from_fn(
        x: (f64, f64),
        y: (f64, f64),
        columns: usize,
        rows: usize,
        value: impl Fn(f64, f64) -> f64,
    ) -> Self {
        let places = Self::places(x, y, columns, rows);
        Self { x, y, columns, rows, values: places.into_iter().map(|[x, y]| value(x, y)).collect() }
    }

    /// Where the values of such a field stand, in their order.
    pub fn places(x: (f64, f64), y: (f64, f64), columns: usize, rows: usize) -> Vec<[f64; 2]> {
        let along = |(low, high): (f64, f64), place: usize, count: usize| {
            between(low, high, place as f64 / count.saturating_sub(1).max(1) as f64)
        };
        let row =
            |row: usize| (0..columns).map(move |column| [along(x, column, columns), along(y, row, rows)]);
        (0..rows).flat_map(row).collect()
    }

    /// The value at a crossing; not a number beyond the grid.
    pub(crate) fn at(&self, column: usize, row: usize) -> f64 {
        if column >= self.columns || row >= self.rows {
            return f64::NAN;
        }
        self.values.get(row * self.columns + column).copied().unwrap_or(f64::NAN)
    }

    /// Where a crossing stands, which may lie between whole numbers.
    pub(crate) fn place(&self, column: f64, row: f64) -> [f64; 2] {
        let along = |(low, high): (f64, f64), place: f64, count: usize| {
            between(low, high, place / count.saturating_sub(1).max(1) as f64)
        };
        [along(self.x, column, self.columns), along(self.y, row, self.rows)]
    }

    /// The distance of two neighbours along x and along y.
    pub(crate) fn steps(&self) -> (f64, f64) {
        // The ends are divided by themselves: their difference may be no number.
        let step = |(low, high): (f64, f64), count: usize| {
            let steps = count.saturating_sub(1).max(1) as f64;
            high / steps - low / steps
        };
        (step(self.x, self.columns), step(self.y, self.rows))
    }
}
