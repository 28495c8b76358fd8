//! Problems that are solved side by side, in one budget of memory.
//!
//! What a solver does depends on its memory, and no bit of a result on the number of threads. So the problems alone say
//! what each of them gets; threads say how many run at once, as far as there is memory for them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mercer_linalg::Budget;
use rayon::prelude::*;

use crate::Learner;

/// Parts that a budget has at most.
const PARTS: u64 = 4;

/// Bytes that a problem holds at most for each pair of its rows: matrices in double precision, five of them where a solver
/// factors or decomposes.
const BLOCKS: u64 = 24;
const DIRECT: u64 = 40;

/// What decides over the memory of a problem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Rows.
    pub(crate) rows: usize,
    /// Machines of these rows, or of some of them.
    pub(crate) machines: usize,
    /// Whether it cannot be solved without matrices of all rows.
    pub(crate) is_direct: bool,
}

impl Size {
    fn bytes(self) -> u64 {
        let each = if self.is_direct { DIRECT } else { BLOCKS };
        (self.rows as u64).saturating_pow(2).saturating_mul(each).max(1)
    }
}

/// How problems share a budget.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beside {
    /// The memory of each.
    pub(crate) room: Budget,
    /// How many there is memory for.
    at_once: usize,
}

impl Beside {
    /// Each gets a part of the budget: a larger one where they are few, or where less would not do.
    pub(crate) fn in_parts(budget: Budget, count: usize, size: Size) -> Self {
        let wanted = if size.is_direct { size.bytes() } else { 1 };
        let parts = (budget.bytes() / wanted).clamp(1, PARTS).min(count.max(1) as u64);
        Self::with(budget, Budget::of_bytes(budget.bytes() / parts), size)
    }

    /// Each gets the whole budget: as many run at once as cannot fill it together.
    pub(crate) fn in_whole(budget: Budget, size: Size) -> Self {
        Self::with(budget, budget, size)
    }

    fn with(budget: Budget, room: Budget, size: Size) -> Self {
        let held = size.bytes().saturating_mul(size.machines as u64).clamp(1, room.bytes().max(1));
        Self { room, at_once: usize::try_from(budget.bytes() / held).unwrap_or(usize::MAX).max(1) }
    }

    /// Those that run at once of so many.
    pub(crate) fn at_once(self, count: usize) -> usize {
        self.at_once.min(rayon::current_num_threads()).min(count)
    }

    /// What becomes of each of so many, in their order; of errors the first.
    pub(crate) fn map<R: Send, E: Send>(
        self,
        count: usize,
        work: impl Fn(usize) -> Result<R, E> + Sync,
    ) -> Result<Vec<R>, E> {
        // A thread that waits within one problem takes up other work, which may be another lane but never a problem more
        // than there are lanes: each has one at a time.
        let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let lane = |_| {
            let mut own = Vec::new();
            // What was begun is brought to its end: the first error is the same for any number of threads.
            while !has_failed.load(Ordering::Relaxed) {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= count {
                    break;
                }
                let found = work(at);
                has_failed.fetch_or(found.is_err(), Ordering::Relaxed);
                own.push((at, found));
            }
            own
        };
        let lanes = (0..self.at_once(count)).into_par_iter().with_max_len(1);
        let mut all: Vec<(usize, Result<R, E>)> = lanes.flat_map_iter(lane).collect();
        all.sort_unstable_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, found)| found).collect()
    }
}

/// Whether a learner makes matrices of all rows, however little memory there is.
pub(crate) fn is_direct(learner: Learner) -> bool {
    use Learner::{Cholesky, Eigen, LsSvm, Newton, Primal, Qp, RidgeDual};
    matches!(learner, Cholesky | Eigen | LsSvm | Newton | Qp | Primal | RidgeDual)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(rows: usize, is_direct: bool) -> Size {
        Size { rows, machines: 1, is_direct }
    }

    #[test]
    fn together_they_hold_no_more_than_the_budget() {
        for bytes in [0, 1, 1000, 100_000, 10_000_000, u64::MAX] {
            let budget = Budget::of_bytes(bytes);
            for (rows, is_direct) in [(0, true), (1, false), (50, true), (50, false), (usize::MAX, true)] {
                let size = size(rows, is_direct);
                for count in [0, 1, 3, 100] {
                    for beside in [Beside::in_parts(budget, count, size), Beside::in_whole(budget, size)] {
                        let each = u128::from(size.bytes().min(beside.room.bytes()));
                        assert!(beside.at_once == 1 || budget.allows(each * beside.at_once as u128));
                    }
                }
            }
        }
    }

    #[test]
    fn parts_are_as_large_as_a_problem_has_to_have_them() {
        let room = |bytes: u64, count: usize, size: Size| {
            Beside::in_parts(Budget::of_bytes(bytes), count, size).room.bytes()
        };
        let square = 40 * 100 * 100;
        assert_eq!(room(8 * square, 10, size(100, true)), 2 * square);
        assert_eq!(room(8 * square, 2, size(100, true)), 4 * square);
        assert_eq!(room(3 * square, 10, size(100, true)), square);
        assert_eq!(room(square / 2, 10, size(100, true)), square / 2);
        assert_eq!(room(square / 2, 10, size(100, false)), square / 8);
    }

    #[test]
    fn what_is_found_is_in_order_and_no_more_run_than_may() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(7).build().unwrap();
        pool.install(|| {
            let beside = Beside::in_whole(Budget::of_bytes(24 * 100 * 3), size(10, false));
            assert_eq!((beside.at_once(50), beside.at_once(2)), (3, 2));
            let running = AtomicUsize::new(0);
            let work = |at: usize| {
                assert!(running.fetch_add(1, Ordering::SeqCst) < 3);
                // Whoever waits here looks for other work.
                let sum: usize = (0..1000).into_par_iter().map(|k| k % (at + 1)).sum();
                running.fetch_sub(1, Ordering::SeqCst);
                if at % 20 == 19 { Err(at) } else { Ok(sum) }
            };
            let expected: Vec<usize> = (0..19).map(|at| (0..1000).map(|k| k % (at + 1)).sum()).collect();
            assert_eq!(beside.map(19, work).unwrap(), expected);
            assert_eq!(beside.map(50, work), Err(19));
            assert_eq!(beside.map(0, work), Ok(Vec::new()));
        });
    }
}
