//! Rows of the Gram matrix, one at a time, kept as long as there is room.
//!
//! Rows that once made a mistake make most of the later ones, so the first rows asked for are the ones to keep.

use mercer_gram::Gram;
use mercer_linalg::Budget;

use crate::Run;

/// Rows in `f64`.
pub(in crate::solvers) struct Rows<'a> {
    gram: &'a dyn Gram,
    kept: Vec<Option<Box<[f64]>>>,
    room: usize,
    fresh: Vec<f64>,
}

/// At most so many bytes of rows are kept, whatever the budget: these solvers are meant to be light.
const MOST: u64 = 1 << 30;

impl<'a> Rows<'a> {
    /// Nothing is computed yet.
    pub(in crate::solvers) fn new(gram: &'a dyn Gram) -> Self {
        let row = 8 * gram.len().max(1) as u64;
        let room = (Budget::default().bytes() / 4).min(MOST) / row;
        Self { gram, kept: vec![None; gram.len()], room: room as usize, fresh: vec![0.0; gram.len()] }
    }

    /// Row i; counts its entries where they had to be computed.
    pub(in crate::solvers) fn row(&mut self, i: usize, run: &mut Run<'_>) -> &[f64] {
        if self.kept[i].is_none() {
            self.gram.rows_double(&[i], &mut self.fresh);
            run.count(self.fresh.len());
            if self.room == 0 {
                return &self.fresh;
            }
            self.room -= 1;
            self.kept[i] = Some(self.fresh.as_slice().into());
        }
        self.kept[i].as_deref().unwrap_or(&self.fresh)
    }
}
