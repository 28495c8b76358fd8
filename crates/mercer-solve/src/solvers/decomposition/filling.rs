//! The square of a working set, as far as steps ask for it.
//!
//! Steps of pairs are made by one thread, and begin when no line is there yet. Lines are computed a few at a time: by whoever
//! makes the steps, when it asks for one that is not there, and meanwhile, one group after the other, by a thread that has
//! nothing else to do. Entries have the same bits whoever computes them. Half of a set stays in the next one; it keeps its
//! places, and its entries with itself are there already.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use mercer_gram::Crossings;
use mercer_linalg::Buffer;

use super::lines::{Lines, Moves};
use super::square::Entry;

/// Lines that are computed together: whole tiles.
const TOGETHER: usize = 24;

/// What a half must be a multiple of to stay where it is: whole groups of lines, and columns that begin where tiles do.
pub(super) const HALF_STEP: usize = 2 * TOGETHER;

/// What is there of the square of the last set.
pub(super) struct Known {
    /// Variables in the order of the lines.
    variables: Vec<usize>,
    entries: Buffer<f32>,
    /// Groups of lines that are there.
    is_there: Vec<bool>,
    /// Of these, lines of variables that stay, which lack the entries with the other half.
    stay: Range<usize>,
}

impl Known {
    /// Nothing.
    pub(super) fn nothing() -> Self {
        Self { variables: Vec::new(), entries: Buffer::zeros(0), is_there: Vec::new(), stay: 0..0 }
    }

    /// Takes a new set, oldest variables first, and gives it an order.
    pub(super) fn arrange(&mut self, set: &[usize]) -> &[usize] {
        let (len, half) = (set.len(), set.len() / 2);
        let fits = self.variables.len() == len && len.is_multiple_of(2 * HALF_STEP);
        let stays = |places: &Range<usize>| fits && self.variables[places.clone()] == set[..half];
        match [0..half, half..len].into_iter().find(stays) {
            Some(stay) => {
                let other = if stay.start == 0 { half..len } else { 0..half };
                self.variables[other.clone()].copy_from_slice(&set[half..]);
                self.is_there[other.start / TOGETHER..other.end / TOGETHER].fill(false);
                self.stay = stay;
            }
            None => {
                self.variables = set.to_vec();
                self.is_there = vec![false; len.div_ceil(TOGETHER)];
                self.stay = 0..0;
            }
        }
        &self.variables
    }

    /// Makes steps on the lines, which are computed meanwhile.
    pub(super) fn work<R: Send>(
        &mut self,
        crossings: &dyn Crossings,
        diagonal: Vec<f64>,
        steps: impl FnOnce(&mut Filling<'_>) -> R + Send,
    ) -> R {
        let len = self.variables.len();
        if self.entries.len() < len * len {
            f32::spared(std::mem::replace(&mut self.entries, Buffer::zeros(0)));
            self.entries = f32::spare(len * len);
        }
        let lines = self.entries[..len * len].chunks_mut((TOGETHER * len).max(1));
        let groups: Vec<Group<'_>> =
            lines.map(|lines| Group { room: Mutex::new(Some(lines)), lines: OnceLock::new() }).collect();
        let (stay, was_there) = (self.stay.clone(), &self.is_there);
        let fill = |number: usize| {
            let first = number * TOGETHER;
            let mut room = groups[number].room.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(out) = room.take() else { return false };
            drop(room);
            let lines = first..first + out.len() / len;
            let mut work = Work { group: &groups[number], out: Some(out) };
            let lacking = if was_there[number] { [0..stay.start, stay.end..len] } else { [0..len, 0..0] };
            for columns in lacking.into_iter().filter(|columns| !columns.is_empty()) {
                work.out.iter_mut().for_each(|out| crossings.fill(lines.clone(), columns.clone(), out));
            }
            true
        };
        let is_over = AtomicBool::new(false);
        let order = order(&stay, groups.len());
        let mut filling = Filling { len, diagonal, groups: &groups, fill: &fill, order: order.iter() };
        let (made, ()) = rayon::join(
            || {
                let made = steps(&mut filling);
                is_over.store(true, Ordering::Relaxed);
                made
            },
            || {
                for &number in &order {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    fill(number);
                }
            },
        );
        self.is_there = groups.iter().map(|group| group.lines.get().is_some()).collect();
        made
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        f32::spared(std::mem::replace(&mut self.entries, Buffer::zeros(0)));
    }
}

/// Groups of lines in the order in which they are computed by who has nothing else to do: those of the worst violators first,
/// of the half that is new and of the one that stayed in turn.
fn order(stay: &Range<usize>, count: usize) -> Vec<usize> {
    let half = count / 2;
    let (new, old) = if stay.start == 0 { (half..count, 0..half) } else { (0..half, half..count) };
    let mut order: Vec<usize> = new.zip(old).flat_map(|(new, old)| [new, old]).collect();
    order.extend(2 * half..count);
    order
}

/// Some lines, or room for them.
struct Group<'a> {
    room: Mutex<Option<&'a mut [f32]>>,
    lines: OnceLock<&'a mut [f32]>,
}

/// Lines that are being computed. They are handed over in the end even if that panics, so that nobody waits for them, and the
/// panic goes on.
struct Work<'g, 'a> {
    group: &'g Group<'a>,
    out: Option<&'a mut [f32]>,
}

impl Drop for Work<'_, '_> {
    fn drop(&mut self) {
        if let Some(lines) = self.out.take() {
            // Whoever has the room is the only one to set it.
            let _ = self.group.lines.set(lines);
        }
    }
}

/// Lines that are computed while steps are made.
pub(super) struct Filling<'a> {
    len: usize,
    diagonal: Vec<f64>,
    groups: &'a [Group<'a>],
    /// Computes a group that nobody has begun with; whether there was one.
    fill: &'a (dyn Fn(usize) -> bool + Sync),
    /// What of the order was not looked at while waiting.
    order: std::slice::Iter<'a, usize>,
}

impl Lines<f32> for Filling<'_> {
    fn diagonal(&self, a: usize) -> f64 {
        f64::from(self.diagonal[a] as f32)
    }

    fn row(&self, a: usize) -> &[f32] {
        let lines = self.groups[a / TOGETHER].lines.wait();
        &lines[a % TOGETHER * self.len..(a % TOGETHER + 1) * self.len]
    }

    fn want(&mut self, a: usize, _: &Moves<'_, f32>) -> bool {
        let group = a / TOGETHER;
        let is_there = || self.groups[group].lines.get().is_some();
        if is_there() {
            return false;
        }
        if !(self.fill)(group) {
            // Somebody else is at it: meanwhile another one is computed, which takes as long.
            while !is_there() && self.order.next().is_some_and(|&other| !(self.fill)(other)) {}
            self.groups[group].lines.wait();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// Entries that tell where they belong, and how many were asked for.
    struct Told {
        variables: Vec<usize>,
        computed: AtomicUsize,
    }

    fn entry(a: usize, b: usize) -> f32 {
        (a.min(b) * 4_000 + a.max(b)) as f32
    }

    impl Crossings for Told {
        fn fill(&self, lines: Range<usize>, columns: Range<usize>, out: &mut [f32]) {
            let len = self.variables.len();
            for (line, out) in lines.zip(out.chunks_exact_mut(len)) {
                for column in columns.clone() {
                    out[column] = entry(self.variables[line], self.variables[column]);
                }
            }
            self.computed.fetch_add(columns.len(), Ordering::Relaxed);
        }
    }

    /// Asks for some lines of a set, looks at all their entries, and says how many columns of groups were computed.
    fn ask(known: &mut Known, set: &[usize], asked: &[usize]) -> usize {
        let variables = known.arrange(set).to_vec();
        let mut sorted = [variables.clone(), set.to_vec()];
        sorted.iter_mut().for_each(|set| set.sort_unstable());
        assert_eq!(sorted[0], sorted[1], "the same variables, in some order");
        let told = Told { variables, computed: AtomicUsize::new(0) };
        let diagonal = told.variables.iter().map(|&a| f64::from(entry(a, a))).collect();
        known.work(&told, diagonal, |lines| {
            for &a in asked {
                let at = told.variables.iter().position(|&b| b == a).unwrap();
                lines.want(at, &Moves::default());
                assert!(!lines.want(at, &Moves::default()), "it is there, or comes from somebody else");
                let row: Vec<f32> = told.variables.iter().map(|&b| entry(a, b)).collect();
                assert_eq!(lines.row(at), row, "line of {a}");
                assert_eq!(lines.diagonal(at), f64::from(entry(a, a)));
            }
        });
        told.computed.into_inner()
    }

    #[test]
    fn lines_are_those_of_the_set_whatever_was_there_before() {
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        for pool in [one, two] {
            pool.install(|| {
                let (mut known, half) = (Known::nothing(), 2 * HALF_STEP);
                // The newer half of each set is the older one of the next; then come sets that have nothing in common, that
                // have other sizes, that are no whole groups, and an empty one.
                for first in 0..5 {
                    let set: Vec<usize> = (first * half..(first + 2) * half).collect();
                    ask(&mut known, &set, &[first * half, (first + 1) * half + 3, (first + 2) * half - 1]);
                    ask(&mut known, &set, &set);
                }
                for (from, len) in [(3000, 2 * half), (3000, half), (3010, 2 * half + 7), (0, 1), (0, 0)] {
                    let set: Vec<usize> = (from..from + len).collect();
                    ask(&mut known, &set, &set);
                }
                // One more than two halves, of which the last one changes.
                for last in [2 * half, 2 * half + 1] {
                    let set: Vec<usize> = (0..2 * half).chain([last]).collect();
                    ask(&mut known, &set, &set);
                }
            });
        }
    }

    #[test]
    fn with_one_thread_nothing_is_computed_that_nobody_asks_for() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(|| {
            let (mut known, half) = (Known::nothing(), 2 * HALF_STEP);
            let set: Vec<usize> = (0..2 * half).collect();
            // Two groups, one of which stays; then it lacks half of its columns.
            assert_eq!(ask(&mut known, &set, &[0, 1, half]), 2 * 2 * half);
            let next: Vec<usize> = (half..3 * half).collect();
            assert_eq!(ask(&mut known, &next, &[half, half + 1]), half);
            // A line that was not there has no entries to keep.
            assert_eq!(ask(&mut known, &(2 * half..4 * half).collect::<Vec<_>>(), &[2 * half]), 2 * half);
        });
    }
}
