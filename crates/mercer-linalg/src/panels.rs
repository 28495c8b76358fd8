//! Dense points packed for the tile.
//!
//! [`Panels`] hold a collection for the column side: sixteen points side by side, coordinate after
//! coordinate, so that a coordinate of sixteen points is one load. [`RowPack`] holds the few rows that one
//! block works on, in groups that fit the registers. Points that pad the last panel are zero.

use std::ops::Range;

use crate::{Buffer, Real};

/// Points side by side in a panel.
pub const PANEL: usize = 16;

/// A collection of dense points, packed for the column side of a tile.
#[derive(Debug)]
pub struct Panels<T> {
    len: usize,
    dim: usize,
    /// At the front of memory that may be longer.
    values: Buffer<T>,
    squares: Vec<T>,
}

impl<T: Real> Default for Panels<T> {
    fn default() -> Self {
        Self { len: 0, dim: 0, values: Buffer::zeros(0), squares: Vec::new() }
    }
}

impl<T: Real> Panels<T> {
    /// Packs `len` points of `dim` coordinates; `read(i, first, out)` writes the coordinates of point i from `first` on.
    ///
    /// The squared norms are those of the *rounded* coordinates, summed in `f64`, so that the GEMM form of
    /// a distance is consistent with the points that the tile sees.
    pub fn pack(len: usize, dim: usize, read: impl Fn(usize, usize, &mut [f64])) -> Self {
        let mut panels = Self::default();
        panels.refill(0..len, dim, read);
        panels
    }

    /// Packs other points in the memory that is there; the first of them becomes point 0.
    pub fn refill(&mut self, points: Range<usize>, dim: usize, read: impl Fn(usize, usize, &mut [f64])) {
        (self.len, self.dim) = (points.len(), dim);
        let panels = points.len().div_ceil(PANEL);
        if self.values.len() < panels * dim * PANEL {
            self.values = Buffer::zeros(panels * dim * PANEL);
        }
        self.squares.resize(panels * PANEL, T::ZERO);
        let mut parts = vec![[0.0; PART]; PANEL];
        for (panel, squares) in self.squares.as_chunks_mut::<PANEL>().0.iter_mut().enumerate() {
            let first = points.start + panel * PANEL;
            let count = PANEL.min(points.end - first);
            let values = &mut self.values.as_chunks_mut().0[panel * dim..(panel + 1) * dim];
            interleave(values, squares, &mut parts, count, |lane, from, out| read(first + lane, from, out));
        }
    }

    /// Puts other points at some of the places: `read(k, first, out)` writes the coordinates of the k-th of them from `first` on.
    ///
    /// # Panics
    /// Where there is no such place.
    pub fn put(&mut self, places: &[usize], read: impl Fn(usize, usize, &mut [f64])) {
        let mut coordinates = [0.0; PART];
        for (k, &place) in places.iter().enumerate() {
            assert!(place < self.len, "there is no place {place}");
            let (panel, lane) = (place / PANEL, place % PANEL);
            let mut sum = 0.0;
            let values =
                &mut self.values.as_chunks_mut::<PANEL>().0[panel * self.dim..(panel + 1) * self.dim];
            for (part, values) in values.chunks_mut(PART).enumerate() {
                read(k, part * PART, &mut coordinates[..values.len()]);
                for (slots, &coordinate) in values.iter_mut().zip(&coordinates) {
                    let value = T::of(coordinate);
                    slots[lane] = value;
                    sum += value.f64() * value.f64();
                }
            }
            self.squares[place] = T::of(sum);
        }
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

    /// One coordinate of the points in a panel after the other, panel after panel.
    #[inline(always)]
    fn coordinates(&self) -> &[[T; PANEL]] {
        self.values.as_chunks().0
    }

    /// Coordinates `part` of the points in a panel.
    #[inline(always)]
    pub(crate) fn panel(&self, panel: usize, part: Range<usize>) -> &[[T; PANEL]] {
        &self.coordinates()[panel * self.dim + part.start..panel * self.dim + part.end]
    }

    /// Coordinate j of point i as the tile sees it.
    #[inline]
    pub fn value(&self, i: usize, j: usize) -> T {
        self.coordinates()[(i / PANEL) * self.dim + j][i % PANEL]
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
            let (panel, lane) = (&from.coordinates()[(row / PANEL) * from.dim..], row % PANEL);
            let out = &mut self.values[(at / group) * from.dim * group..];
            for (slots, coordinate) in out.chunks_exact_mut(group).zip(&panel[..from.dim]) {
                slots[at % group] = coordinate[lane];
            }
            self.squares[at] = from.squares[row];
        }
    }

    /// Packs points that are not packed yet: `read(i, first, out)` writes the coordinates of point i from `first` on.
    pub(crate) fn fill_from<const G: usize>(
        &mut self,
        rows: &[usize],
        dim: usize,
        read: impl Fn(usize, usize, &mut [f64]),
    ) {
        let groups = rows.len().div_ceil(G);
        (self.rows, self.dim) = (rows.len(), dim);
        self.values.resize(groups * dim * G, T::ZERO);
        self.squares.resize(groups * G, T::ZERO);
        let mut parts = vec![[0.0; PART]; G];
        let (values, _) = self.values.as_chunks_mut::<G>();
        let (squares, _) = self.squares.as_chunks_mut::<G>();
        for (at, (rows, squares)) in rows.chunks(G).zip(squares).enumerate() {
            let values = &mut values[at * dim..(at + 1) * dim];
            interleave(values, squares, &mut parts, rows.len(), |lane, from, out| {
                read(rows[lane], from, out)
            });
        }
    }

    /// ‖x‖² of the packed rows.
    pub fn squares(&self) -> &[T] {
        &self.squares
    }
}

/// Coordinates that are read of one point before those of the next.
const PART: usize = 64;

/// Writes `count` of W points side by side, coordinate after coordinate, and zeros beside them. Whichever W is, a point
/// gets the same values and the same bits of its square.
fn interleave<T: Real, const W: usize>(
    values: &mut [[T; W]],
    squares: &mut [T; W],
    parts: &mut [[f64; PART]],
    count: usize,
    read: impl Fn(usize, usize, &mut [f64]),
) {
    let mut sums = [0.0; W];
    parts[count..].fill([0.0; PART]);
    for (part, values) in values.chunks_mut(PART).enumerate() {
        for (lane, out) in parts[..count].iter_mut().enumerate() {
            read(lane, part * PART, &mut out[..values.len()]);
        }
        for (j, slots) in values.iter_mut().enumerate() {
            for (lane, slot) in slots.iter_mut().enumerate() {
                let value = T::of(parts[lane][j]);
                *slot = value;
                sums[lane] += value.f64() * value.f64();
            }
        }
    }
    squares.iter_mut().zip(sums).for_each(|(square, sum)| *square = T::of(sum));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(i: usize, first: usize, out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(j, v)| *v = ((i * 31 + (first + j) * 7) % 101) as f64 / 7.0);
    }

    #[test]
    fn rows_are_packed_alike_from_panels_and_from_points() {
        for (n, dim) in [(1, 0), (5, 3), (40, 64), (23, 130)] {
            let panels = Panels::<f32>::pack(n, dim, read);
            let rows: Vec<usize> = (0..n).rev().step_by(2).collect();
            let (mut from_panels, mut from_points) = (RowPack::default(), RowPack::default());
            // Memory of an earlier, larger packing must not show.
            from_points.pack_from(&(0..50).collect::<Vec<_>>(), 200, read);
            from_panels.pack(&panels, &rows);
            from_points.pack_from(&rows, dim, read);
            assert_eq!(from_panels.values, from_points.values);
            assert_eq!(from_panels.squares, from_points.squares);
        }
    }

    #[test]
    fn packed_again_is_as_packed_at_first() {
        let mut panels = Panels::<f64>::pack(40, 90, read);
        panels.refill(16..21, 7, read);
        let fresh = Panels::<f64>::pack(5, 7, |i, first, out| read(16 + i, first, out));
        assert_eq!(panels.values[..16 * 7], fresh.values[..]);
        assert_eq!(panels.squares, fresh.squares);
        let square: f64 = (0..7).map(|j| fresh.value(2, j) * fresh.value(2, j)).sum();
        assert_eq!(Panels::<f64>::pack(19, 7, read).squares()[18], square);
    }

    #[test]
    fn points_that_are_put_are_as_packed_at_first() {
        for (n, dim) in [(1, 0), (5, 3), (40, 64), (23, 130)] {
            let mut panels = Panels::<f32>::pack(n, dim, read);
            let places: Vec<usize> = (0..n).rev().step_by(3).collect();
            panels.put(&places, |k, first, out| read(100 + k, first, out));
            let now = |i: usize| places.iter().position(|&place| place == i).map_or(i, |k| 100 + k);
            let fresh = Panels::<f32>::pack(n, dim, |i, first, out| read(now(i), first, out));
            assert_eq!((&panels.values[..], &panels.squares), (&fresh.values[..], &fresh.squares));
        }
    }
}
