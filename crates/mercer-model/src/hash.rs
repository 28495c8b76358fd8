//! A fingerprint of data: SHA-256 over names, kinds and values.

use mercer_points::{Column, ColumnData, Points, Table};
use sha2::{Digest, Sha256};

/// A digest to which lengths are added, so that no two different sequences look alike.
#[derive(Default)]
pub(crate) struct Fingerprint(Sha256);

impl Fingerprint {
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn numbers(&mut self, values: &[f64]) {
        self.whole(values.len());
        self.chunks(values, f64::to_le_bytes);
    }

    fn singles(&mut self, values: &[f32]) {
        self.whole(values.len());
        self.chunks(values, f32::to_le_bytes);
    }

    /// Many values at a time: a digest of eight bytes takes as long as one of sixty-four.
    fn chunks<T: Copy, const SIZE: usize>(&mut self, values: &[T], bytes: impl Fn(T) -> [u8; SIZE]) {
        let mut buffer = [[0; SIZE]; 512];
        for chunk in values.chunks(512) {
            buffer.iter_mut().zip(chunk).for_each(|(out, &value)| *out = bytes(value));
            self.0.update(buffer[..chunk.len()].as_flattened());
        }
    }

    fn whole(&mut self, value: usize) {
        self.0.update((value as u64).to_le_bytes());
    }

    /// In hexadecimal digits.
    pub(crate) fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn column(&mut self, column: &Column) {
        self.bytes(column.name.as_bytes());
        self.bytes(column.data.kind().as_bytes());
        match &column.data {
            ColumnData::Numbers(values) => self.numbers(values),
            ColumnData::Categories(names) => {
                names.levels().iter().for_each(|level| self.bytes(level.as_bytes()));
                names.codes().iter().for_each(|&code| self.whole(code as usize));
            }
            ColumnData::Texts(texts) => texts.iter().for_each(|text| self.bytes(text.as_bytes())),
            ColumnData::Dense(points, names) => {
                names.iter().for_each(|name| self.bytes(name.as_bytes()));
                self.numbers(points.values());
            }
            ColumnData::Single(points, names) => {
                self.bytes(b"single");
                names.iter().for_each(|name| self.bytes(name.as_bytes()));
                self.singles(points.values());
            }
            ColumnData::Sparse(points) => {
                self.whole(points.dim());
                self.chunks(points.starts(), |start| (start as u64).to_le_bytes());
                self.chunks(points.indices(), |index| u64::from(index).to_le_bytes());
                self.numbers(points.values());
            }
            ColumnData::Indices(rows) => {
                (0..rows.len()).for_each(|i| self.whole(rows.point(i)));
                self.numbers(rows.matrix().values());
            }
        }
    }
}

/// The fingerprint of a training table, its targets and its weights.
pub(crate) fn data<'a>(
    table: &'a Table,
    targets: impl IntoIterator<Item = &'a Column>,
    weights: Option<&[f64]>,
) -> String {
    let mut print = Fingerprint::default();
    print.whole(table.len());
    table.columns().iter().chain(targets).for_each(|column| print.column(column));
    print.numbers(weights.unwrap_or(&[]));
    print.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_changes_it() {
        let table = |name: &str, value: f64| {
            let mut table = Table::new();
            table.push(name, ColumnData::Numbers(vec![value, 2.0])).unwrap();
            table
        };
        let known = data(&table("x", 1.0), None, None);
        assert_eq!(known, data(&table("x", 1.0), None, None));
        assert_eq!(known.len(), 64);
        assert_ne!(known, data(&table("y", 1.0), None, None));
        assert_ne!(known, data(&table("x", 1.0 + f64::EPSILON), None, None));
        assert_ne!(known, data(&table("x", 1.0), None, Some(&[1.0, 1.0])));
    }
}
