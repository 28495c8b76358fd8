//! Dense points packed for the tile.
//!
//! [`Panels`] hold a collection for the column side: sixteen points side by side, coordinate after
//! coordinate, so that a coordinate of sixteen points is one load. [`RowPack`] holds the few rows that one
//! block works on, in groups that fit the registers. Points that pad the last panel are zero.

use std::ops::Range;

use crate::Real;

/// Points side by side in a panel.
pub const PANEL: usize = 16;

/// A collection of dense points, packed for the column side of a tile.
#[derive(Debug, Clone)]
pub struct Panels<T> {
    len: usize,
    dim: usize,
    values: Vec<[T; PANEL]>,
    squares: Vec<T>,
}

impl<T: Real> Panels<T> {
    /// Packs `len` points of `dim` coordinates; `row(i, out)` writes the coordinates of point i.
    ///
    /// The squared norms are those of the *rounded* coordinates, summed in `f64`, so that the GEMM form of
    /// a distance is consistent with the points that the tile sees.
    pub fn pack(len: usize, dim: usize, row: impl Fn(usize, &mut [f64])) -> Self {
        let panels = len.div_ceil(PANEL);
        let mut values = vec![[T::ZERO; PANEL]; panels * dim];
        let mut squares = vec![T::ZERO; panels * PANEL];
        let mut point = vec![0.0; dim];
        for i in 0..len {
            row(i, &mut point);
            let mut square = 0.0;
            let panel = &mut values[(i / PANEL) * dim..(i / PANEL + 1) * dim];
            for (coordinates, &v) in panel.iter_mut().zip(&point) {
                let value = T::of(v);
                coordinates[i % PANEL] = value;
                square += value.f64() * value.f64();
            }
            squares[i] = T::of(square);
        }
        Self { len, dim, values, squares }
    }

    /// How many points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many coordinates.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// ‖x‖² of every point, padded with zeros to whole panels.
    pub fn squares(&self) -> &[T] {
        &self.squares
    }

    /// Coordinates `part` of the points in a panel.
    #[inline(always)]
    pub(crate) fn panel(&self, panel: usize, part: Range<usize>) -> &[[T; PANEL]] {
        &self.values[panel * self.dim + part.start..panel * self.dim + part.end]
    }

    /// Coordinate j of point i as the tile sees it.
    #[inline]
    pub fn value(&self, i: usize, j: usize) -> T {
        self.values[(i / PANEL) * self.dim + j][i % PANEL]
    }
}

/// Rows of [`Panels`] in any order, packed for the row side of a tile.
#[derive(Debug, Clone)]
pub struct RowPack<T> {
    pub(crate) rows: usize,
    pub(crate) dim: usize,
    pub(crate) values: Vec<T>,
    pub(crate) squares: Vec<T>,
}

impl<T: Real> Default for RowPack<T> {
    fn default() -> Self {
        Self { rows: 0, dim: 0, values: Vec::new(), squares: Vec::new() }
    }
}

impl<T: Real> RowPack<T> {
    /// Packs the given rows in groups of `group`, reusing the memory it holds.
    pub(crate) fn fill(&mut self, from: &Panels<T>, rows: &[usize], group: usize) {
        let groups = rows.len().div_ceil(group);
        (self.rows, self.dim) = (rows.len(), from.dim);
        self.values.clear();
        self.values.resize(groups * from.dim * group, T::ZERO);
        self.squares.clear();
        self.squares.resize(groups * group, T::ZERO);
        for (at, &row) in rows.iter().enumerate() {
            let (panel, lane) = (&from.values[(row / PANEL) * from.dim..], row % PANEL);
            let out = &mut self.values[(at / group) * from.dim * group..];
            for (slots, coordinate) in out.chunks_exact_mut(group).zip(&panel[..from.dim]) {
                slots[at % group] = coordinate[lane];
            }
            self.squares[at] = from.squares[row];
        }
    }

    /// ‖x‖² of the packed rows.
    pub fn squares(&self) -> &[T] {
        &self.squares
    }
}
