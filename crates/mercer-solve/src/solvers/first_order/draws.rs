//! Rows drawn at random, named by their seed.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Uniform draws of rows; the same seed gives the same rows whatever the solver.
#[derive(Debug)]
pub(in crate::solvers) struct Draws {
    stream: Pcg64,
    rows: u64,
}

impl Draws {
    /// Draws from 0..rows; there is at least one row.
    pub(in crate::solvers) fn new(seed: u64, rows: usize) -> Self {
        Self { stream: Pcg64::seed_from_u64(seed), rows: rows.max(1) as u64 }
    }

    /// The next row.
    pub(in crate::solvers) fn row(&mut self) -> usize {
        // Draws from the incomplete last block would favour the first rows.
        let end = u64::MAX - u64::MAX % self.rows;
        loop {
            let draw = self.stream.next_u64();
            if draw < end {
                return (draw % self.rows) as usize;
            }
        }
    }
}
