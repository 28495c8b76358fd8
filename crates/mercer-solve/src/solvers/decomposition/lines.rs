//! Kernel rows of variables, as steps ask for them: all in one square, or those of some variables copied out of it.

use mercer_linalg::{Buffer, Isa, Places, Real};

use super::rows::NOWHERE;
use super::square::Entry;

/// Kernel rows of the variables of a part.
pub(super) trait Lines<T> {
    /// K at the crossing of a variable with itself.
    fn diagonal(&self, a: usize) -> f64;
    /// The row of a variable that was wanted.
    fn row(&self, a: usize) -> &[T];
    /// Makes sure of a row; what may be moved, and where to, says which others are likely to be wanted next. Whether
    /// anything had to be computed.
    fn want(&mut self, a: usize, moves: &Moves<'_, T>) -> bool;
    /// Whether nearly all rows seem to be wanted, which had better be computed at once.
    fn are_all_wanted(&self) -> bool {
        false
    }
}

/// Slopes of the variables, and what is added to those of variables that cannot increase, or decrease.
pub(super) struct Moves<'a, T> {
    pub(super) slopes: &'a [T],
    pub(super) rise: &'a [T],
    pub(super) fall: &'a [T],
}

/// Nothing is known of what will move.
impl<T> Default for Moves<'_, T> {
    fn default() -> Self {
        Self { slopes: &[], rise: &[], fall: &[] }
    }
}

/// All rows, one after the other.
pub(super) struct Whole<'a, T> {
    kernel: &'a [T],
    len: usize,
}

impl<'a, T> Whole<'a, T> {
    /// Of so many variables, at the front of what may be longer.
    pub(super) fn new(kernel: &'a [T], len: usize) -> Self {
        Self { kernel: &kernel[..len * len], len }
    }
}

impl<T: Real> Lines<T> for Whole<'_, T> {
    fn diagonal(&self, a: usize) -> f64 {
        self.row(a)[a].f64()
    }

    fn row(&self, a: usize) -> &[T] {
        &self.kernel[a * self.len..(a + 1) * self.len]
    }

    fn want(&mut self, _: usize, _: &Moves<'_, T>) -> bool {
        false
    }
}

/// Rows of some of the variables, at the places of these, copied when they are first wanted.
pub(super) struct Picked<'a, T: Entry> {
    from: &'a mut dyn Lines<T>,
    active: Places,
    entries: Buffer<T>,
    place: Vec<u32>,
    count: u32,
}

impl<'a, T: Entry> Picked<'a, T> {
    pub(super) fn new(from: &'a mut dyn Lines<T>, active: Vec<usize>) -> Self {
        let len = active.len();
        let (entries, place) = (T::spare(len * len), vec![NOWHERE; len]);
        Self { from, active: Places::new(active), entries, place, count: 0 }
    }

    /// The variables, by their places among all.
    pub(super) fn active(&self) -> &[usize] {
        self.active.as_slice()
    }
}

impl<T: Entry> Drop for Picked<'_, T> {
    fn drop(&mut self) {
        T::spared(std::mem::replace(&mut self.entries, Buffer::zeros(0)));
    }
}

impl<T: Entry> Lines<T> for Picked<'_, T> {
    fn diagonal(&self, a: usize) -> f64 {
        self.from.diagonal(self.active.as_slice()[a])
    }

    fn row(&self, a: usize) -> &[T] {
        let (len, at) = (self.place.len(), self.place[a] as usize);
        &self.entries[at * len..(at + 1) * len]
    }

    fn want(&mut self, a: usize, _: &Moves<'_, T>) -> bool {
        if self.place[a] != NOWHERE {
            return false;
        }
        let (len, at, source) = (self.place.len(), self.count as usize, self.active.as_slice()[a]);
        let has_computed = self.from.want(source, &Moves::default());
        let line = &mut self.entries[at * len..(at + 1) * len];
        self.active.pick(Isa::detect(), self.from.row(source), line);
        self.place[a] = self.count;
        self.count += 1;
        has_computed
    }
}
