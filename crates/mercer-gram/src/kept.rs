//! A Gram matrix whose square is kept for many solutions.

use std::sync::OnceLock;

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
/// ```
pub struct Kept<'a> {
    gram: &'a dyn Gram,
    budget: Budget,
    square: OnceLock<Buffer<f32>>,
}

impl<'a> Kept<'a> {
    /// Nothing is computed yet.
    pub fn new(gram: &'a dyn Gram, budget: Budget) -> Self {
        Self { gram, budget, square: OnceLock::new() }
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
            let mut square = Buffer::zeros(n * n);
            self.gram.square_single(&rows, &mut square, stop);
            if stop() {
                return None;
            }
            // Whoever comes second has computed the same.
            let _the_first_stays = self.square.set(square);
        }
        self.square.get().map(|square| &**square)
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

impl std::fmt::Debug for Kept<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept")
            .field("rows", &self.len())
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}
