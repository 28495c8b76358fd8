//! A Gram matrix whose square is kept for many solutions.

use std::sync::{Mutex, OnceLock, PoisonError};

use mercer_linalg::{Budget, Buffer};

use crate::gram::stand_for;
use crate::{Gram, Stop};

/// The same matrix; its entries in `f32` are computed once, when they are first wanted as a whole, if they fit the budget.
///
/// ```
/// use mercer_gram::{Gram, Kept, Lazy};
/// use mercer_linalg::Budget;
/// use mercer_points::{ReadOptions, read};
/// let mut table = read("@moons(n=50)", &ReadOptions::default()).unwrap();
/// table.remove("label").unwrap();
/// let gram = Lazy::new(&"rbf".parse().unwrap(), &table).unwrap();
/// let kept = Kept::new(&gram, Budget::default());
/// let entries = kept.whole_single(&|| false).unwrap();
/// assert!((f64::from(entries[1]) - gram.entry(0, 1)).abs() < 1e-6);
/// assert!(Kept::new(&gram, Budget::of_bytes(100)).whole_single(&|| false).is_none());
/// let squares = mercer_gram::Squares::default();
/// for _ in 0..2 {
///     let again = Kept::new(&gram, Budget::default()).within(&squares);
///     assert_eq!(again.whole_single(&|| false).unwrap(), entries);
/// }
/// ```
pub struct Kept<'a> {
    gram: &'a dyn Gram,
    budget: Budget,
    spare: Option<&'a Squares>,
    square: OnceLock<Buffer<f32>>,
}

/// Memory of squares that are no longer wanted, for those that come next: of many small ones, being given fresh memory
/// would be a good part of the work. It holds as many as there were at a time.
#[derive(Debug, Default)]
pub struct Squares {
    spare: Mutex<Vec<Buffer<f32>>>,
}

impl Squares {
    fn take(&self, len: usize) -> Buffer<f32> {
        let last = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // What is not touched costs nothing, and the next may be a row longer.
        last.filter(|memory| memory.len() >= len).unwrap_or_else(|| Buffer::zeros(len + len / 16))
    }
}

impl<'a> Kept<'a> {
    /// Nothing is computed yet.
    pub fn new(gram: &'a dyn Gram, budget: Budget) -> Self {
        Self { gram, budget, spare: None, square: OnceLock::new() }
    }

    /// The same, with memory that is used again.
    #[must_use]
    pub fn within(mut self, spare: &'a Squares) -> Self {
        self.spare = Some(spare);
        self
    }
}

impl Gram for Kept<'_> {
    stand_for!(gram);

    fn keeps_square(&self) -> bool {
        self.budget.allows(4 * (self.len() as u128).pow(2))
    }

    fn whole_single(&self, stop: &Stop<'_>) -> Option<&[f32]> {
        let n = self.len();
        if !self.keeps_square() {
            return None;
        }
        if self.square.get().is_none() {
            let rows: Vec<usize> = (0..n).collect();
            let mut square = self.spare.map_or_else(|| Buffer::zeros(n * n), |spare| spare.take(n * n));
            self.gram.square_single(&rows, &mut square[..n * n], stop);
            if stop() {
                return None;
            }
            // Whoever comes second has computed the same.
            let _the_first_stays = self.square.set(square);
        }
        self.square.get().map(|square| &square[..n * n])
    }

    fn products(&self, alpha: &[f64], stop: &dyn Fn(usize, usize) -> bool) -> Option<Vec<f64>> {
        self.gram.products(alpha, stop)
    }

    fn remember(&self, alpha: &[f64], products: &[f64], rough: Vec<usize>) {
        self.gram.remember(alpha, products, rough);
    }

    fn recall(&self, alpha: &[f64]) -> Option<(Vec<f64>, Vec<usize>)> {
        self.gram.recall(alpha)
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if let (Some(spare), Some(memory)) = (self.spare, self.square.take()) {
            spare.spare.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        }
    }
}

impl std::fmt::Debug for Kept<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept")
            .field("rows", &self.len())
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}
