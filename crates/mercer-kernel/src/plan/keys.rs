//! Equality of whole rows, by fingerprint.

use std::hash::{DefaultHasher, Hash, Hasher};

use mercer_points::{ColumnData, Points, Table};

/// One key a row of a table: rows are equal in every column where their keys are.
///
/// ```
/// use mercer_kernel::row_keys;
/// use mercer_points::{ColumnData, Table};
/// let mut table = Table::new();
/// table.push("x", ColumnData::Numbers(vec![1.0, 2.0, 1.0])).unwrap();
/// let keys = row_keys(&table);
/// assert!(keys[0] == keys[2] && keys[0] != keys[1]);
/// ```
pub fn row_keys(table: &Table) -> Vec<u128> {
    fingerprints(table.len(), table.columns().iter().map(|column| &column.data))
}

/// A 128-bit fingerprint a row. Zeros do not count, so that dense and sparse spellings of a point agree.
pub(super) fn fingerprints<'a>(rows: usize, columns: impl IntoIterator<Item = &'a ColumnData>) -> Vec<u128> {
    let mut hashers = vec![(DefaultHasher::new(), DefaultHasher::new()); rows];
    hashers.iter_mut().for_each(|(_, second)| second.write_u8(1));
    fn write<T: Hash>((a, b): &mut (DefaultHasher, DefaultHasher), value: T) {
        value.hash(a);
        value.hash(b);
    }
    // Zero has two signs but is one number.
    let bits = |v: f64| (v + 0.0).to_bits();
    for column in columns {
        for (i, hasher) in hashers.iter_mut().enumerate() {
            match column {
                ColumnData::Numbers(values) => write(hasher, bits(values[i])),
                ColumnData::Categories(names) => write(hasher, names.point(i)),
                ColumnData::Texts(texts) => write(hasher, texts.point(i)),
                ColumnData::Indices(rows) => write(hasher, rows.point(i)),
                ColumnData::Dense(points, _) => {
                    let stored = points.point(i).iter().enumerate().filter(|(_, v)| **v != 0.0);
                    stored.for_each(|(j, &v)| write(hasher, (j as u32, bits(v))));
                    write(hasher, u32::MAX);
                }
                ColumnData::Single(points, _) => {
                    let stored = points.point(i).iter().enumerate().filter(|(_, v)| **v != 0.0);
                    stored.for_each(|(j, &v)| write(hasher, (j as u32, bits(v.into()))));
                    write(hasher, u32::MAX);
                }
                ColumnData::Sparse(points) => {
                    let row = points.point(i);
                    let stored = row.indices.iter().zip(row.values).filter(|(_, v)| **v != 0.0);
                    stored.for_each(|(&j, &v)| write(hasher, (j, bits(v))));
                    write(hasher, u32::MAX);
                }
            }
        }
    }
    hashers.into_iter().map(|(a, b)| u128::from(a.finish()) << 64 | u128::from(b.finish())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_points::Dense;

    #[test]
    fn a_value_in_another_block_is_another_row() {
        let mut table = Table::new();
        let block = |values: [f64; 2]| {
            ColumnData::Dense(Dense::from_rows(&values.map(|v| [v])), vec!["1".to_owned()])
        };
        table.push("a", block([1.0, 0.0])).unwrap();
        table.push("b", block([0.0, 1.0])).unwrap();
        let keys = row_keys(&table);
        assert_ne!(keys[0], keys[1]);
    }
}
