//! The square of a working set.

use mercer_gram::Gram;
use mercer_linalg::{Buffer, Real};

use super::demand::Demand;
use super::spare;

/// Entries at the crossings of some rows, one line after the other, in the precision that rows have.
pub(super) enum Square<'g> {
    /// At the front of memory that may be longer.
    Single(Buffer<f32>),
    Double(Buffer<f64>),
    /// All entries, which the matrix keeps.
    Kept(&'g [f32]),
    /// Rows of all variables as they are asked for.
    Asked(Demand<'g, f32>),
    AskedDouble(Demand<'g, f64>),
}

impl Square<'_> {
    /// No entries so far.
    pub(super) fn none() -> Self {
        Self::Kept(&[])
    }

    /// Room for so many entries.
    pub(super) fn single(&mut self, len: usize) -> &mut [f32] {
        if !matches!(self, Self::Single(entries) if entries.len() >= len) {
            // What it holds goes back before memory is asked for.
            *self = Self::none();
            *self = Self::Single(f32::spare(len));
        }
        match self {
            Self::Single(entries) => &mut entries[..len],
            _ => &mut [],
        }
    }

    /// Room for so many entries.
    pub(super) fn double(&mut self, len: usize) -> &mut [f64] {
        if !matches!(self, Self::Double(entries) if entries.len() >= len) {
            *self = Self::none();
            *self = Self::Double(f64::spare(len));
        }
        match self {
            Self::Double(entries) => &mut entries[..len],
            _ => &mut [],
        }
    }
}

impl Drop for Square<'_> {
    fn drop(&mut self) {
        if let Self::Single(entries) = self {
            f32::spared(std::mem::replace(entries, Buffer::zeros(0)));
        }
    }
}

/// A precision of rows.
pub(super) trait Entry: Real {
    /// Whole rows of a matrix.
    fn rows(gram: &dyn Gram, rows: &[usize], out: &mut [Self]);
    /// Memory for so many entries or more, which holds what it held before.
    fn spare(len: usize) -> Buffer<Self> {
        Buffer::zeros(len)
    }
    /// Memory that may be used again.
    fn spared(_: Buffer<Self>) {}
}

impl Entry for f32 {
    fn rows(gram: &dyn Gram, rows: &[usize], out: &mut [Self]) {
        gram.rows_single(rows, out);
    }

    fn spare(len: usize) -> Buffer<Self> {
        spare::taken(len)
    }

    fn spared(entries: Buffer<Self>) {
        spare::given(entries);
    }
}

impl Entry for f64 {
    fn rows(gram: &dyn Gram, rows: &[usize], out: &mut [Self]) {
        gram.rows_double(rows, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_changes_its_precision() {
        let mut square = Square::none();
        square.single(9).fill(1.0);
        assert_eq!(square.single(4).len(), 4);
        assert_eq!(square.double(16).len(), 16);
        assert_eq!(square.single(16).len(), 16);
    }
}
