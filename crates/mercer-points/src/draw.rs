//! Random draws that stay the same: PCG-64 seeded by one number, and our own arithmetic on its output.
//!
//! A split or a generated set is named by its seed, so it must not change when a library does. Only
//! the normal draw is taken from `rand_distr`.

use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

/// A stream of draws.
pub(crate) struct Draw(Pcg64);

impl Draw {
    /// The stream of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64::seed_from_u64(seed))
    }

    /// Uniform in [0, 1), with 53 bits.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in [low, high).
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Standard normal.
    pub(crate) fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// Uniform in 0..n without bias; `n` is at least 1.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        // Draws from the incomplete last block of n would favour small numbers.
        let end = u64::MAX - u64::MAX % n;
        loop {
            let draw = self.0.next_u64();
            if draw < end {
                return (draw % n) as usize;
            }
        }
    }

    /// Fisher–Yates.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_pinned() {
        let mut draw = Draw::new(7);
        let first: Vec<usize> = (0..8).map(|_| draw.below(100)).collect();
        let mut again = Draw::new(7);
        assert_eq!(first, (0..8).map(|_| again.below(100)).collect::<Vec<_>>());
        let mut items: Vec<usize> = (0..10).collect();
        Draw::new(7).shuffle(&mut items);
        let mut sorted = items.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..10).collect::<Vec<_>>());
        assert_eq!((first, items), (PINNED_BELOW.to_vec(), PINNED_SHUFFLE.to_vec()));
    }

    const PINNED_BELOW: [usize; 8] = [15, 33, 20, 61, 78, 71, 87, 50];
    const PINNED_SHUFFLE: [usize; 10] = [7, 8, 9, 3, 1, 2, 6, 4, 0, 5];

    #[test]
    fn draws_are_uniform() {
        let mut draw = Draw::new(1);
        let mut counts = [0; 5];
        (0..10_000).for_each(|_| counts[draw.below(5)] += 1);
        assert!(counts.iter().all(|&c| (1850..2150).contains(&c)), "{counts:?}");
        assert!((0..1000).all(|_| (0.0..1.0).contains(&draw.uniform())));
    }
}
