//! The square of a working set, and the memory that squares take: of many small problems in a row, each would take longer to
//! be given fresh memory than to fill it.

use std::cell::RefCell;

use mercer_gram::Gram;
use mercer_linalg::{Buffer, Real};

use super::demand::Demand;

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

thread_local! {
    /// Memory that this thread is done with.
    static SPARE: RefCell<Vec<Buffer<f32>>> = const { RefCell::new(Vec::new()) };
}

/// Numbers that are spared at most, 64 MB, and in how many pieces: squares within squares want several.
const SPARED: usize = 1 << 24;
const PIECES: usize = 4;

impl Entry for f32 {
    fn rows(gram: &dyn Gram, rows: &[usize], out: &mut [Self]) {
        gram.rows_single(rows, out);
    }

    fn spare(len: usize) -> Buffer<Self> {
        SPARE.with_borrow_mut(|spare| {
            let fits = (0..spare.len()).filter(|&at| spare[at].len() >= len);
            match fits.min_by_key(|&at| spare[at].len()) {
                Some(at) => spare.swap_remove(at),
                // Memory that is not touched costs nothing, and the next may be longer.
                None => Buffer::zeros((len + len / 4).min(SPARED.max(len))),
            }
        })
    }

    fn spared(entries: Buffer<Self>) {
        if entries.is_empty() || entries.len() > SPARED {
            return;
        }
        SPARE.with_borrow_mut(|spare| {
            spare.push(entries);
            spare.sort_unstable_by_key(|entries| std::cmp::Reverse(entries.len()));
            let mut held = 0;
            let fit = spare.iter().take(PIECES).take_while(|entries| {
                held += entries.len();
                held <= SPARED
            });
            let count = fit.count();
            spare.truncate(count);
        });
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
    fn memory_is_used_again_where_it_fits() {
        let place = |entries: &Buffer<f32>| entries.as_ptr();
        let (small, large) = (f32::spare(100), f32::spare(10_000));
        let (at_small, at_large) = (place(&small), place(&large));
        f32::spared(small);
        f32::spared(large);
        let found = f32::spare(90);
        assert_eq!(place(&found), at_small, "the least that fits");
        let other = f32::spare(90);
        assert_eq!(place(&other), at_large);
        assert!(f32::spare(SPARED).len() == SPARED && f32::spare(SPARED + 1).len() > SPARED);
        // Too many, too long, or nothing at all: given back to the system.
        (0..2 * PIECES).for_each(|_| f32::spared(Buffer::zeros(50)));
        f32::spared(Buffer::zeros(SPARED + 1));
        f32::spared(Buffer::zeros(0));
        SPARE.with_borrow(|spare| assert_eq!(spare.len(), PIECES));
    }

    #[test]
    fn a_square_changes_its_precision() {
        let mut square = Square::none();
        square.single(9).fill(1.0);
        assert_eq!(square.single(4).len(), 4);
        assert_eq!(square.double(16).len(), 16);
        assert_eq!(square.single(16).len(), 16);
    }
}
