//! A square matrix, small enough to be seen.
//!
//! A picture has room for a few hundred cells a side. A larger matrix is cut into equal square blocks of b × b
//! entries (the last ones may be smaller) and a cell is the *mean* of its block: unlike picking every b-th row,
//! the mean keeps the grey level of a class even where single entries flicker.

use serde::Serialize;

use crate::Error;

/// The most cells a side of a [`Grid`]; more rows than that are averaged in blocks.
pub const MOST_CELLS: usize = 400;

/// A square matrix of at most [`MOST_CELLS`] cells a side, each the mean of a block of entries.
///
/// ```
/// use mercer_view::Grid;
///
/// let small = Grid::from_fn(2, |i, j| (i + j) as f64);
/// assert_eq!(small.cells(), [0.0, 1.0, 1.0, 2.0]);
///
/// let large = Grid::from_fn(1_500, |_, _| 0.5);
/// assert_eq!((large.side(), large.block()), (375, 4));
/// assert!(large.cells().iter().all(|&cell| cell == 0.5));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Grid {
    rows: usize,
    block: usize,
    side: usize,
    cells: Vec<f32>,
    missing: usize,
}

impl Grid {
    /// The n × n matrix with entries `entry(row, column)`, each asked for once.
    ///
    /// An entry that is not finite makes its whole cell so; finite entries beyond the reach of `f32` are held at
    /// its end.
    pub fn from_fn(n: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut sums = Sums::new(n);
        for row in 0..n {
            for column in 0..n {
                sums.add(row, column, entry(row, column));
            }
        }
        sums.means()
    }

    /// Like [`Grid::from_fn`] for a symmetric matrix: asks only for entries with `row <= column`.
    ///
    /// ```
    /// use mercer_view::Grid;
    ///
    /// let product = |i: usize, j: usize| (i * j) as f64;
    /// assert_eq!(Grid::symmetric(900, product), Grid::from_fn(900, product));
    /// ```
    pub fn symmetric(n: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut sums = Sums::new(n);
        for row in 0..n {
            sums.add(row, row, entry(row, row));
            for column in row + 1..n {
                let value = entry(row, column);
                sums.add(row, column, value);
                sums.add(column, row, value);
            }
        }
        sums.means()
    }

    /// The n × n matrix held row by row in `entries`.
    ///
    /// ```
    /// use mercer_view::{Error, Grid};
    ///
    /// assert_eq!(Grid::from_rows(2, &[1.0, 0.0, 0.0, 1.0])?.side(), 2);
    /// assert!(matches!(Grid::from_rows(2, &[1.0]), Err(Error::CellCount { n: 2, found: 1 })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_rows(n: usize, entries: &[f32]) -> Result<Self, Error> {
        if n.checked_mul(n) != Some(entries.len()) {
            return Err(Error::CellCount { n, found: entries.len() });
        }
        Ok(Self::from_fn(n, |row, column| f64::from(entries[row * n + column])))
    }

    /// The rows of the matrix this grid shows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Rows of the matrix a cell stands for: 1 unless the matrix was averaged.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Cells a side.
    pub fn side(&self) -> usize {
        self.side
    }

    /// The cells, row by row.
    pub fn cells(&self) -> &[f32] {
        &self.cells
    }

    /// Entries of the matrix that were not finite.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// Where the boundary before `row` lies, as a fraction of the drawn side.
    pub(crate) fn place(&self, row: usize) -> f64 {
        if self.side == 0 { 0.0 } else { (row as f64 / (self.block * self.side) as f64).min(1.0) }
    }
}

/// The running sums of the blocks of a grid in the making.
struct Sums {
    rows: usize,
    block: usize,
    side: usize,
    sums: Vec<f64>,
    missing: usize,
}

impl Sums {
    fn new(rows: usize) -> Self {
        let block = rows.div_ceil(MOST_CELLS).max(1);
        let side = rows.div_ceil(block);
        Self { rows, block, side, sums: vec![0.0; side * side], missing: 0 }
    }

    fn add(&mut self, row: usize, column: usize, value: f64) {
        let largest = f64::from(f32::MAX);
        let held = if value.is_finite() { value.clamp(-largest, largest) } else { f64::NAN };
        self.missing += usize::from(!value.is_finite());
        self.sums[row / self.block * self.side + column / self.block] += held;
    }

    fn means(self) -> Grid {
        let Self { rows, block, side, sums, missing } = self;
        let height = |cell: usize| block.min(rows - cell * block);
        let mean = |(place, sum): (usize, f64)| {
            let entries = height(place / side) * height(place % side);
            (sum / entries as f64) as f32
        };
        let cells = sums.into_iter().enumerate().map(mean).collect();
        Grid { rows, block, side, cells, missing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_matrices_are_kept_as_they_are() {
        for n in [0, 1, 2, 3, MOST_CELLS] {
            let grid = Grid::from_fn(n, |i, j| (i * n + j) as f64);
            assert_eq!((grid.rows(), grid.side(), grid.block()), (n, n, 1));
            assert!(grid.cells().iter().enumerate().all(|(place, &cell)| cell == place as f32));
        }
    }

    #[test]
    fn large_matrices_are_averaged_by_blocks() {
        let n = MOST_CELLS + 1;
        let grid = Grid::from_fn(n, |i, _| i as f64);
        assert_eq!((grid.side(), grid.block()), (201, 2));
        assert_eq!(grid.cells()[0], 0.5);
        // The last block holds a single row, which is its own mean.
        assert_eq!(grid.cells()[200 * 201], 400.0);
        assert!((grid.place(n) - 401.0 / 402.0).abs() < 1e-12);
    }

    #[test]
    fn entries_that_are_not_finite_are_counted_and_spoil_their_cell() {
        let grid = Grid::symmetric(800, |i, j| if (i, j) == (0, 5) { f64::INFINITY } else { 1.0 });
        assert_eq!(grid.missing(), 2);
        assert_eq!(grid.cells().iter().filter(|cell| !cell.is_finite()).count(), 2);
        let huge = Grid::from_fn(401, |_, _| 1e300);
        assert_eq!(huge.missing(), 0);
        assert!(huge.cells().iter().all(|&cell| cell == f32::MAX));
    }
}
