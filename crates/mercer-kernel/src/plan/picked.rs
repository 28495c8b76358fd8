//! Dense points as a leaf sees them: all of a block, or some of it in an order of their own, which copies none.

use std::sync::{Arc, OnceLock};

use mercer_points::{Dense, Points, PointsError};

use super::block::Block;

/// Points of a block.
#[derive(Debug, Clone)]
pub(super) struct Picked {
    block: Block,
    /// Which, if not all.
    rows: Option<Arc<Vec<usize>>>,
    /// The same side by side, once somebody wants them so.
    gathered: OnceLock<Dense<f64>>,
}

impl From<Block> for Picked {
    fn from(block: Block) -> Self {
        Self { block, rows: None, gathered: OnceLock::new() }
    }
}

impl Picked {
    /// The block that they are of.
    pub(super) fn block(&self) -> &Block {
        &self.block
    }

    pub(super) fn len(&self) -> usize {
        self.rows.as_ref().map_or(self.block.len(), |rows| rows.len())
    }

    pub(super) fn dim(&self) -> usize {
        self.block.dim()
    }

    /// Where a point stands in the block.
    #[inline]
    fn at(&self, i: usize) -> usize {
        self.rows.as_ref().map_or(i, |rows| rows[i])
    }

    /// Writes the coordinates of a point, from `first` on.
    #[inline]
    pub(super) fn read(&self, i: usize, first: usize, out: &mut [f64]) {
        self.block.read(self.at(i), first, out);
    }

    /// A point where it is, if that is in `f64`.
    #[inline]
    pub(super) fn point(&self, i: usize) -> Option<&[f64]> {
        match &self.block {
            Block::Double(points) => Some(points.point(self.at(i))),
            Block::Single(_) => None,
        }
    }

    /// A point, in `f64`: where it is, or else written into `space`.
    pub(super) fn row<'a>(&'a self, i: usize, space: &'a mut Vec<f64>) -> &'a [f64] {
        self.block.row(self.at(i), space)
    }

    /// Some of them, in the given order.
    pub(super) fn part(&self, rows: &[usize]) -> Self {
        let rows = rows.iter().map(|&row| self.at(row)).collect();
        Self { block: self.block.clone(), rows: Some(Arc::new(rows)), gathered: OnceLock::new() }
    }

    /// Puts points of those that these are a part of at some places, each a place and a row of the whole.
    pub(super) fn put(&mut self, whole: &Self, changes: &[(usize, usize)]) {
        let rows = Arc::make_mut(self.rows.get_or_insert_with(|| Arc::new((0..self.block.len()).collect())));
        changes.iter().for_each(|&(place, row)| rows[place] = whole.at(row));
        self.gathered = OnceLock::new();
    }

    /// All of them in `f64`, side by side.
    pub(super) fn double(&self) -> Result<Dense<f64>, PointsError> {
        match &self.rows {
            None => self.block.clone().double(),
            Some(rows) => Ok(self.block.select(rows)),
        }
    }

    /// The same for points in `f64`, kept for the next time.
    pub(super) fn side_by_side(&self) -> &Dense<f64> {
        match (&self.block, &self.rows) {
            (Block::Double(points), None) => points,
            (block, rows) => self.gathered.get_or_init(|| {
                let all = || Arc::new((0..block.len()).collect());
                block.select(&rows.clone().unwrap_or_else(all))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_part_is_of_the_block_and_copies_nothing() {
        for block in [
            Block::Double(Dense::from_rows(&[[0.0], [1.0], [2.0], [3.0]])),
            Block::Single(Dense::from_rows(&[[0.0_f32], [1.0], [2.0], [3.0]])),
        ] {
            let all = Picked::from(block);
            let part = all.part(&[3, 1, 2]);
            let mut inner = part.part(&[2, 0]);
            let values = |points: &Picked| {
                let mut space = Vec::new();
                (0..points.len()).map(|i| points.row(i, &mut space)[0]).collect::<Vec<f64>>()
            };
            assert_eq!((values(&part), values(&inner)), (vec![3.0, 1.0, 2.0], vec![2.0, 3.0]));
            assert_eq!(inner.side_by_side().values(), &[2.0, 3.0]);
            inner.put(&part, &[(1, 1)]);
            assert_eq!((values(&inner), inner.side_by_side().values()), (vec![2.0, 1.0], &[2.0, 1.0][..]));
            assert_eq!(inner.double().unwrap().values(), &[2.0, 1.0]);
            if let Some(point) = all.point(1) {
                assert_eq!(inner.point(1).unwrap().as_ptr(), point.as_ptr());
            }
        }
    }
}
