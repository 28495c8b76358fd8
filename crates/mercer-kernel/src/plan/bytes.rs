//! What prepared points take in memory.

use mercer_points::{ColumnData, Points, Table, Texts};

use super::block::Block;
use super::ready::Ready;
use super::view::View;

/// Bytes of a prepared collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PointBytes {
    /// As the leaves see them, beyond what the table holds of them anyway.
    pub points: u64,
    /// The same without regard to the table: what a copy of them takes.
    pub copy: u64,
    /// What a part of them takes that has as many, which copies no vectors.
    pub part: u64,
    /// Packed for tiles in `f32`.
    pub single: u64,
    /// Packed for tiles in `f64`.
    pub double: u64,
}

/// Of a substring: where it stands in its text, and how often.
const SUBSTRING: usize = 12;

impl Ready {
    /// What these points take. Packed copies are there once tiles of their precision have been asked for.
    pub fn bytes(&self, table: &Table) -> PointBytes {
        let mut sum = PointBytes::default();
        for view in self.views() {
            let (own, is_shared, part, packed) = match view {
                View::Dense(points) => {
                    let values = points.len() * points.dim();
                    let packed = |size: usize| if values * size <= self.packed() { values * size } else { 0 };
                    let (size, at) = match points.block() {
                        Block::Double(points) => (8, points.values().as_ptr().addr()),
                        Block::Single(points) => (4, points.values().as_ptr().addr()),
                    };
                    // A part of them only says which they are, but functions of the user's want them side by side.
                    let side_by_side = if self.foreign_leaves() > 0 { 8 * values } else { 0 };
                    let part = size_of::<usize>() * points.len() + side_by_side;
                    (values * size, is_in(table, at), part, (packed(4), packed(8)))
                }
                View::Sparse(points) => {
                    let rows = 8 * points.len();
                    let stored = |size: usize| points.stored() * (4 + size) + rows;
                    (stored(8), false, stored(8), (stored(4), stored(8)))
                }
                View::Texts(texts) => {
                    let counted = self.foreign_leaves() * (1 + SUBSTRING) * length(texts);
                    let own = length(texts) + counted;
                    (own, false, own, (0, 0))
                }
                View::Indices(rows) => (8 * rows.len(), false, 8 * rows.len(), (0, 0)),
                View::Keys(keys) => (16 * keys.len(), false, 16 * keys.len(), (0, 0)),
            };
            sum.points += if is_shared { 0 } else { own as u64 };
            sum.copy += own as u64;
            sum.part += part as u64;
            sum.single += packed.0 as u64;
            sum.double += packed.1 as u64;
        }
        sum
    }
}

/// Whether a column of a table has its values where others are.
fn is_in(table: &Table, place: usize) -> bool {
    table.columns().iter().any(|column| match &column.data {
        ColumnData::Dense(points, _) => points.values().as_ptr().addr() == place,
        ColumnData::Single(points, _) => points.values().as_ptr().addr() == place,
        _ => false,
    })
}

fn length(texts: &Texts) -> usize {
    texts.iter().map(str::len).sum()
}

#[cfg(test)]
mod tests {
    use mercer_points::Dense;

    use super::*;
    use crate::{Plan, Registry};

    fn bytes(kernel: &str, data: ColumnData) -> PointBytes {
        let mut table = Table::new();
        table.push("x", data).unwrap();
        let plan = Plan::compile(&kernel.parse().unwrap(), &table, &Registry::new()).unwrap();
        plan.ready(&table).unwrap().bytes(&table)
    }

    #[test]
    fn a_block_is_the_tables_own_and_numbers_are_gathered() {
        let block = Dense::new(10, 3, vec![1.0; 30]).unwrap();
        let names = vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let found = bytes("rbf(sigma=1)", ColumnData::Dense(block, names));
        assert_eq!(found, PointBytes { points: 0, copy: 240, part: 80, single: 120, double: 240 });
        let found = bytes("rbf(sigma=1)", ColumnData::Numbers(vec![1.0; 10]));
        assert_eq!(found, PointBytes { points: 80, copy: 80, part: 80, single: 40, double: 80 });
    }

    #[test]
    fn texts_are_kept_with_their_substrings() {
        let texts: Texts = ["abcd", "bcda"].into_iter().collect();
        assert_eq!(bytes("spectrum(k=2)", ColumnData::Texts(texts)).points, 8 + 13 * 8);
    }
}
