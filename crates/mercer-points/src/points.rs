//! The one thing that every collection of points can do.

/// An ordered collection of points of any kind (`docs/maths.md` §1).
///
/// ```
/// use mercer_points::{Points, Texts};
/// let words: Texts = ["gattaca", "cat"].into_iter().collect();
/// assert_eq!(words.len(), 2);
/// assert_eq!(words.point(1), "cat");
/// assert_eq!(words.select(&[1, 1]).point(0), "cat");
/// ```
pub trait Points: Send + Sync {
    /// One point, borrowed from the collection.
    type Point<'a>: Copy
    where
        Self: 'a;

    /// How many points there are.
    fn len(&self) -> usize;

    /// The point in place `i`, which must be below [`len`](Points::len).
    fn point(&self, i: usize) -> Self::Point<'_>;

    /// A new collection of the given rows, in that order; a row may be taken more than once.
    fn select(&self, rows: &[usize]) -> Self
    where
        Self: Sized;

    /// Whether there is no point at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
