//! Classes of points, and the matrices of two of them: what lies within a class is computed once for all pairs.

use std::sync::OnceLock;

use mercer_linalg::Budget;

use crate::gram::forward;
use crate::{Gram, Lazy, Precision, Stop};

/// The points of each class, and the lines of entries within it that were asked for.
///
/// ```
/// use mercer_gram::{Classes, Gram, Lazy};
/// use mercer_linalg::Budget;
/// use mercer_points::{ReadOptions, read};
/// let mut table = read("@moons(n=9)", &ReadOptions::default()).unwrap();
/// table.remove("label").unwrap();
/// let gram = Lazy::new(&"rbf".parse().unwrap(), &table).unwrap();
/// let classes = Classes::new(&gram, &[vec![0, 3], vec![1, 4, 7], vec![2, 5]], Budget::default());
/// let pair = classes.pair(0, 2);
/// assert_eq!((pair.len(), pair.entry(0, 3)), (4, gram.entry(0, 5)));
/// ```
#[derive(Debug)]
pub struct Classes<'a> {
    gram: &'a Lazy,
    rows: Vec<Vec<usize>>,
    /// The same with what lies within them, where that is kept.
    members: Vec<Members>,
}

/// A class whose lines are kept.
#[derive(Debug)]
struct Members {
    points: Lazy,
    /// Entries of each of the points with all of them, once they were asked for.
    lines: Vec<OnceLock<Box<[f32]>>>,
}

/// Points of a class up to which its lines are kept: those whose pairs are looked at as a whole.
const MOST: usize = 4096;

/// The part of the budget that lines may take.
const SHARE: u64 = 4;

impl<'a> Classes<'a> {
    /// The rows of each class; lines are kept where entries are dear and there is room.
    pub fn new(gram: &'a Lazy, rows: &[Vec<usize>], budget: Budget) -> Self {
        let counts: Vec<usize> = rows.iter().map(Vec::len).collect();
        let keeps = Self::bytes(gram, &counts, budget) > 0;
        let members = |rows: &Vec<usize>| Members {
            points: gram.part(rows),
            lines: (0..rows.len()).map(|_| OnceLock::new()).collect(),
        };
        let members = if keeps { rows.iter().map(members).collect() } else { Vec::new() };
        Self { gram, rows: rows.to_vec(), members }
    }

    /// Bytes of all lines within classes of so many rows; 0 where none is kept.
    pub fn bytes(gram: &Lazy, rows: &[usize], budget: Budget) -> u64 {
        let entries: usize = rows.iter().map(|rows| rows * rows).sum();
        let pays = rows.len() > 2 && !gram.is_cheap() && rows.iter().all(|&rows| rows <= MOST);
        let room = Budget::of_bytes(budget.bytes() / SHARE).allows(4 * entries as u128);
        if pays && room { 4 * entries as u64 } else { 0 }
    }

    /// The matrix of two classes: the rows of the first, then those of the second.
    pub fn pair(&self, first: usize, second: usize) -> Pair<'_> {
        let rows = [&self.rows[first][..], &self.rows[second]].concat();
        let of = |class: usize| self.members.get(class).filter(|members| !members.lines.is_empty());
        let halves = of(first).zip(of(second)).map(|(first, second)| [first, second]);
        Pair { whole: self.gram, rows, gram: OnceLock::new(), halves }
    }
}

impl Members {
    fn len(&self) -> usize {
        self.lines.len()
    }

    /// Makes sure of some lines.
    fn want(&self, rows: &[usize]) {
        let missing: Vec<usize> =
            rows.iter().copied().filter(|&row| self.lines[row].get().is_none()).collect();
        let mut fresh = vec![0.0; missing.len() * self.len()];
        self.points.rows_single(&missing, &mut fresh);
        for (&row, line) in missing.iter().zip(fresh.chunks_exact(self.len())) {
            // Another thread may have been here first, with the same bits. Nobody waits for lines: whoever computes them may
            // be waiting for this thread.
            let _ = self.lines[row].set(line.into());
        }
    }

    /// A line that was wanted.
    fn line(&self, row: usize) -> &[f32] {
        self.lines[row].get().expect("asked for before")
    }
}

/// The matrix of two classes: the rows of the first, then those of the second.
#[derive(Debug)]
pub struct Pair<'a> {
    whole: &'a Lazy,
    rows: Vec<usize>,
    /// The points of the pair side by side, once that is needed.
    gram: OnceLock<Lazy>,
    halves: Option<[&'a Members; 2]>,
}

impl Pair<'_> {
    fn gram(&self) -> &Lazy {
        self.gram.get_or_init(|| self.whole.part(&self.rows))
    }
}

impl Gram for Pair<'_> {
    forward!(gram());

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.whole.entry(self.rows[i], self.rows[j])
    }

    fn diagonal(&self, out: &mut [f64]) {
        let diagonal = self.whole.points().diagonal();
        out.iter_mut().zip(&self.rows).for_each(|(out, &row)| *out = diagonal[row]);
    }

    fn is_cheap(&self) -> bool {
        self.whole.is_cheap()
    }

    fn shares_rows(&self) -> bool {
        self.halves.is_some()
    }

    fn rows_single(&self, rows: &[usize], out: &mut [f32]) {
        let Some([first, second]) = self.halves else { return self.gram().rows_single(rows, out) };
        let (n, height) = (self.len(), first.len());
        let (upper, lower): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|&k| rows[k] < height);
        for (places, from, within, own, other) in
            [(upper, 0, 0..height, first, second), (lower, height, height..n, second, first)]
        {
            let rows: Vec<usize> = places.iter().map(|&k| rows[k] - from).collect();
            own.want(&rows);
            let mut crossing = vec![0.0; rows.len() * other.len()];
            own.points.cross_rows(&rows, &other.points, &mut crossing);
            for ((k, row), crossing) in places.into_iter().zip(rows).zip(crossing.chunks_exact(other.len())) {
                let out = &mut out[k * n..(k + 1) * n];
                out[within.clone()].copy_from_slice(own.line(row));
                let across = if from == 0 { &mut out[height..] } else { &mut out[..height] };
                across.copy_from_slice(crossing);
            }
        }
    }

    fn square_single(&self, rows: &[usize], out: &mut [f32], stop: &Stop<'_>) {
        let is_whole = rows.len() == self.len() && rows.iter().enumerate().all(|(at, &row)| at == row);
        let (Some([first, second]), true) = (self.halves, is_whole) else {
            return self.gram().square_single(rows, out, stop);
        };
        let (n, height, width) = (self.len(), first.len(), second.len());
        let (upper, lower) = out[..n * n].split_at_mut(height * n);
        for (members, within, lines) in [(first, 0..height, &mut *upper), (second, height..n, &mut *lower)] {
            let rows: Vec<usize> = (0..members.len()).collect();
            // As many lines at a time, between two questions whether to stop, as entries between the classes.
            let some = members.points.rows_at_a_time(members.len());
            for (rows, lines) in rows.chunks(some).zip(lines.chunks_mut(some * n)) {
                if stop() {
                    return;
                }
                members.want(rows);
                let own = rows.iter().map(|&row| members.line(row));
                lines
                    .chunks_exact_mut(n)
                    .zip(own)
                    .for_each(|(line, own)| line[within.clone()].copy_from_slice(own));
            }
        }
        first.points.cross_single(&second.points, stop, |rows, between| {
            let lines = upper[rows.start * n..rows.end * n].chunks_exact_mut(n);
            lines
                .zip(between.chunks_exact(width))
                .for_each(|(line, own)| line[height..].copy_from_slice(own));
            // Some columns at a time, so that what lies side by side is used before it is gone.
            const FEW: usize = 16;
            for (at, lines) in lower.chunks_mut(FEW * n).enumerate() {
                for (i, own) in rows.clone().zip(between.chunks_exact(width)) {
                    let own = &own[at * FEW..];
                    lines.chunks_exact_mut(n).zip(own).for_each(|(line, &entry)| line[i] = entry);
                }
            }
        });
    }

    fn products(&self, alpha: &[f64], stop: &dyn Fn(usize, usize) -> bool) -> Option<Vec<f64>> {
        let all: Vec<usize> = (0..self.len()).collect();
        self.whole.products_among(&self.rows, &all, alpha, Precision::Double, stop)
    }

    fn products_at(
        &self,
        rows: &[usize],
        alpha: &[f64],
        precision: Precision,
        stop: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Vec<f64>> {
        self.whole.products_among(&self.rows, rows, alpha, precision, stop)
    }
}

#[cfg(test)]
mod tests {
    use mercer_points::{ReadOptions, read};

    use super::*;
    use crate::testkit::check_gram;

    /// Rows of four classes, one of which has none, and a kernel with more coordinates than are cheap.
    fn classes() -> (Lazy, Vec<Vec<usize>>) {
        let mut table = read("@moons(n=60)", &ReadOptions::default()).unwrap();
        table.remove("label").unwrap();
        let kernel = "rbf(sigma=2)@fourier(kernel=rbf(sigma=0.5), m=200, seed=1)";
        let gram = Lazy::new(&kernel.parse().unwrap(), &table).unwrap();
        assert!(!gram.is_cheap());
        let mut rows = vec![Vec::new(); 4];
        (0..60).for_each(|i| rows[[0, 2, 2, 0, 3][i % 5]].push(i));
        (gram, rows)
    }

    #[test]
    fn a_pair_is_the_matrix_of_its_rows() {
        let (gram, rows) = classes();
        let classes = Classes::new(&gram, &rows, Budget::default());
        for (first, second) in [(0, 2), (2, 3), (0, 1)] {
            let pair = classes.pair(first, second);
            assert_eq!(pair.shares_rows(), second != 1);
            let n = pair.len();
            let whole = gram.part(&[&rows[first][..], &rows[second]].concat());
            // In any order, some more than once, and some that an earlier pair has asked for.
            for asked in [vec![n - 1], vec![], vec![3, 0, n - 2, 3, 11], (0..n).rev().step_by(2).collect()] {
                let (mut found, mut expected) = (vec![0.0; asked.len() * n], vec![0.0; asked.len() * n]);
                pair.rows_single(&asked, &mut found);
                whole.rows_single(&asked, &mut expected);
                assert_eq!(found, expected);
            }
            let all: Vec<usize> = (0..n).collect();
            let (mut found, mut expected) = (vec![0.0; n * n], vec![0.0; n * n]);
            pair.square_single(&all, &mut found, &|| false);
            whole.square_single(&all, &mut expected, &|| false);
            assert_eq!(found, expected);
            check_gram(&pair, 2e-6);
        }
    }

    #[test]
    fn a_line_is_computed_once_for_all_pairs() {
        let (gram, rows) = classes();
        let classes = Classes::new(&gram, &rows, Budget::default());
        let kept = || {
            let of = |members: &Members| members.lines.iter().filter(|line| line.get().is_some()).count();
            classes.members.iter().map(of).collect::<Vec<_>>()
        };
        let (mut pair, mut other) = (classes.pair(0, 2), classes.pair(2, 3));
        let ask = |pair: &mut Pair<'_>, rows: &[usize]| {
            pair.rows_single(rows, &mut vec![0.0; rows.len() * pair.len()])
        };
        ask(&mut pair, &[1, 23, 24, 25]);
        assert_eq!(kept(), [2, 0, 2, 0]);
        let line = classes.members[2].line(1).as_ptr();
        ask(&mut other, &[1, 2, 30]);
        assert_eq!(kept(), [2, 0, 3, 1]);
        assert_eq!(classes.members[2].line(1).as_ptr(), line);
        pair.square_single(&(0..48).collect::<Vec<_>>(), &mut vec![0.0; 48 * 48], &|| true);
        assert_eq!(kept(), [2, 0, 3, 1], "nothing is computed after a stop");
    }

    #[test]
    fn what_is_kept_is_not_evaluated_again() {
        use std::sync::Arc;
        use std::sync::atomic::{AtomicUsize, Ordering};
        let mut table = read("@moons(n=60)", &ReadOptions::default()).unwrap();
        table.remove("label").unwrap();
        let (mut registry, count) = (mercer_kernel::Registry::new(), Arc::new(AtomicUsize::new(0)));
        let counter = count.clone();
        let counted = move |x: &[f64], z: &[f64]| {
            counter.fetch_add(1, Ordering::Relaxed);
            x.iter().zip(z).map(|(a, b)| a * b).sum()
        };
        registry.vectors("counted", counted).unwrap();
        let gram = Lazy::with(&registry.parse("counted").unwrap(), &table, &registry).unwrap();
        let rows: Vec<Vec<usize>> = (0..3).map(|class| (class * 20..(class + 1) * 20).collect()).collect();
        let classes = Classes::new(&gram, &rows, Budget::default());
        let ask = |(first, second), row: usize| {
            let pair = classes.pair(first, second);
            let before = count.load(Ordering::Relaxed);
            pair.rows_single(&[row], &mut vec![0.0; pair.len()]);
            count.load(Ordering::Relaxed) - before
        };
        let (fresh, kept) = (ask((0, 1), 25), ask((1, 2), 5));
        assert!(fresh >= 39, "{fresh}");
        assert_eq!(kept, 20, "those with the other class alone");
        assert_eq!(ask((0, 1), 25), 20);
    }

    #[test]
    fn lines_are_kept_where_there_is_room() {
        let (gram, rows) = classes();
        let bytes = 4 * (24 * 24 * 2 + 12 * 12);
        let with = |bytes: u64| Classes::new(&gram, &rows, Budget::of_bytes(bytes)).pair(0, 2).shares_rows();
        assert!(with(SHARE * bytes) && !with(SHARE * bytes - 1));
        assert!(!Classes::new(&gram, &rows[..2], Budget::default()).pair(0, 1).shares_rows());
    }
}
