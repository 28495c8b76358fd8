//! Memory that squares were made in, used again: of many small problems in a row, each would take longer to be given fresh
//! memory than to fill it.
//!
//! All threads have one list with one limit, which is all that a process keeps when its problems are solved.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mercer_linalg::Buffer;

/// Numbers in what is kept: 64 MB in one piece, and 128 MB in all.
const PIECE: usize = 1 << 24;
const ALL: usize = 1 << 25;

/// Pieces that are kept: each thread wants some, for squares within squares.
const PIECES: usize = 64;

static SPARE: Mutex<Spare> = Mutex::new(Spare(Vec::new()));

/// Memory for so many numbers or more, which holds what it held before.
pub(super) fn taken(len: usize) -> Buffer<f32> {
    let found = spare().take(len);
    // Memory that is not touched costs nothing, and the next may be longer.
    found.unwrap_or_else(|| Buffer::zeros((len + len / 4).min(PIECE.max(len))))
}

/// Memory that may be used again.
pub(super) fn given(piece: Buffer<f32>) {
    let left = spare().give(piece);
    // The system takes its time, in which no other thread has to wait for the list.
    drop(left);
}

fn spare() -> MutexGuard<'static, Spare> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Pieces, the longest first.
struct Spare(Vec<Buffer<f32>>);

impl Spare {
    /// The shortest that is long enough.
    fn take(&mut self, len: usize) -> Option<Buffer<f32>> {
        let fitting = self.0.partition_point(|piece| piece.len() >= len);
        fitting.checked_sub(1).map(|at| self.0.remove(at))
    }

    /// What is not kept.
    fn give(&mut self, piece: Buffer<f32>) -> Vec<Buffer<f32>> {
        if piece.is_empty() || piece.len() > PIECE {
            return vec![piece];
        }
        // Of equals the one that was used last is taken first: it may be in a cache.
        let at = self.0.partition_point(|other| other.len() >= piece.len());
        self.0.insert(at, piece);
        let mut held = 0;
        let fit = self.0.iter().take(PIECES).take_while(|piece| {
            held += piece.len();
            held <= ALL
        });
        let count = fit.count();
        self.0.split_off(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_where_it_fits() {
        let mut spare = Spare(Vec::new());
        let (small, large) = (Buffer::zeros(100), Buffer::zeros(10_000));
        let (at_small, at_large) = (small.as_ptr(), large.as_ptr());
        assert!(spare.give(large).is_empty() && spare.give(small).is_empty());
        assert_eq!(spare.take(90).unwrap().as_ptr(), at_small, "the least that fits");
        assert!(spare.take(10_001).is_none());
        assert_eq!(spare.take(90).unwrap().as_ptr(), at_large);
        assert!(spare.take(1).is_none());
        assert!(taken(PIECE).len() >= PIECE && taken(PIECE + 1).len() > PIECE);
    }

    #[test]
    fn what_is_kept_has_one_limit() {
        let mut spare = Spare(Vec::new());
        assert_eq!(spare.give(Buffer::zeros(PIECE + 1)).len(), 1);
        assert_eq!(spare.give(Buffer::zeros(0)).len(), 1);
        assert!((0..PIECES).all(|_| spare.give(Buffer::zeros(50)).is_empty()));
        assert_eq!(spare.give(Buffer::zeros(50)).len(), 1);
        // Long pieces are worth more than short ones.
        assert_eq!(spare.give(Buffer::zeros(PIECE)).len(), 1);
        assert_eq!(spare.give(Buffer::zeros(PIECE)).len(), PIECES - 1);
        assert_eq!(spare.0.iter().map(|piece| piece.len()).sum::<usize>(), ALL);
        assert_eq!(spare.give(Buffer::zeros(PIECE)).len(), 1);
    }
}
