//! Classes of points, and the matrices of two of them: a square within a class is computed once for all pairs.

use std::sync::OnceLock;

use mercer_linalg::{Budget, Buffer};

use crate::gram::forward;
use crate::{Gram, Lazy, Precision, Stop};

/// The points of each class, and the entries within it.
///
/// ```
/// use mercer_gram::{Classes, Gram, Lazy};
/// use mercer_linalg::Budget;
/// use mercer_points::{ReadOptions, read};
/// let mut table = read("@moons(n=9)", &ReadOptions::default()).unwrap();
/// table.remove("label").unwrap();
/// let gram = Lazy::new(&"rbf".parse().unwrap(), &table).unwrap();
/// let classes = Classes::new(&gram, &[vec![0, 3], vec![1, 4, 7], vec![2, 5]], Budget::default(), &|| false);
/// let pair = classes.pair(0, 2);
/// assert_eq!((pair.len(), pair.entry(0, 3)), (4, gram.entry(0, 5)));
/// ```
#[derive(Debug)]
pub struct Classes<'a> {
    gram: &'a Lazy,
    rows: Vec<Vec<usize>>,
    /// The points of each class, if their squares are kept.
    points: Vec<Lazy>,
    /// One square after the other.
    squares: Buffer<f32>,
}

/// Points up to which the square within a class is kept: those whose pairs are looked at as a whole.
const MOST: usize = 4096;

/// The part of the budget that squares may take.
const SHARE: u64 = 4;

impl<'a> Classes<'a> {
    /// The rows of each class; squares are kept where entries are dear and there is room, unless `stop` says so.
    pub fn new(gram: &'a Lazy, rows: &[Vec<usize>], budget: Budget, stop: &Stop<'_>) -> Self {
        let counts: Vec<usize> = rows.iter().map(Vec::len).collect();
        let keeps = Self::bytes(gram, &counts, budget) > 0;
        let mut points: Vec<Lazy> = Vec::new();
        let mut squares = Buffer::zeros(if keeps { entries(&counts) } else { 0 });
        if keeps {
            points = rows.iter().map(|rows| gram.part(rows)).collect();
            let mut rest = &mut squares[..];
            for points in &points {
                let (square, others) = rest.split_at_mut(points.len() * points.len());
                points.store_single(square, stop);
                rest = others;
            }
        }
        if stop() {
            points.clear();
        }
        Self { gram, rows: rows.to_vec(), points, squares }
    }

    /// Bytes of the squares within classes of so many rows; 0 where none is kept.
    pub fn bytes(gram: &Lazy, rows: &[usize], budget: Budget) -> u64 {
        let entries = entries(rows);
        let pays = rows.len() > 2 && !gram.is_cheap() && rows.iter().all(|&rows| rows <= MOST);
        let room = Budget::of_bytes(budget.bytes() / SHARE).allows(4 * entries as u128);
        if pays && room { 4 * entries as u64 } else { 0 }
    }

    /// The matrix of two classes: the rows of the first, then those of the second.
    pub fn pair(&self, first: usize, second: usize) -> Pair<'_> {
        let rows = [&self.rows[first][..], &self.rows[second]].concat();
        let of = |class: usize| {
            let points = self.points.get(class).filter(|points| !points.is_empty())?;
            let first: usize = self.rows[..class].iter().map(|rows| rows.len() * rows.len()).sum();
            Some(Half { points, square: &self.squares[first..first + points.len() * points.len()] })
        };
        let halves = of(first).zip(of(second));
        Pair { whole: self.gram, rows, gram: OnceLock::new(), halves }
    }
}

/// Entries of the squares of so many rows each.
fn entries(rows: &[usize]) -> usize {
    rows.iter().map(|rows| rows * rows).sum()
}

/// The matrix of two classes: the rows of the first, then those of the second.
#[derive(Debug)]
pub struct Pair<'a> {
    whole: &'a Lazy,
    rows: Vec<usize>,
    /// The points of the pair side by side, once that is needed.
    gram: OnceLock<Lazy>,
    halves: Option<(Half<'a>, Half<'a>)>,
}

/// A class of a pair.
#[derive(Debug)]
struct Half<'a> {
    points: &'a Lazy,
    /// Entries within it, line after line.
    square: &'a [f32],
}

impl Half<'_> {
    /// Entries within the class, to lines of the square of the pair.
    fn spread<'o>(&self, lines: impl Iterator<Item = &'o mut [f32]>) {
        let own = self.square.chunks_exact(self.points.len());
        lines.zip(own).for_each(|(line, own)| line.copy_from_slice(own));
    }
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

    fn square_single(&self, rows: &[usize], out: &mut [f32], stop: &Stop<'_>) {
        let is_whole = rows.len() == self.len() && rows.iter().enumerate().all(|(at, &row)| at == row);
        let (Some((first, second)), true) = (&self.halves, is_whole) else {
            return self.gram().square_single(rows, out, stop);
        };
        let (n, height, width) = (self.len(), first.points.len(), second.points.len());
        let (upper, lower) = out[..n * n].split_at_mut(height * n);
        first.spread(upper.chunks_exact_mut(n).map(|line| &mut line[..height]));
        second.spread(lower.chunks_exact_mut(n).map(|line| &mut line[height..]));
        first.points.cross_single(second.points, stop, |rows, between| {
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

    #[test]
    fn a_pair_is_the_matrix_of_its_rows() {
        let mut table = read("@moons(n=60)", &ReadOptions::default()).unwrap();
        table.remove("label").unwrap();
        // A map with more coordinates than are cheap.
        let kernel = "rbf(sigma=2)@fourier(kernel=rbf(sigma=0.5), m=200, seed=1)";
        let gram = Lazy::new(&kernel.parse().unwrap(), &table).unwrap();
        assert!(!gram.is_cheap());
        // One class has no rows.
        let mut rows = vec![Vec::new(); 4];
        (0..60).for_each(|i| rows[[0, 2, 2, 0, 3][i % 5]].push(i));
        let classes = Classes::new(&gram, &rows, Budget::default(), &|| false);
        assert_eq!(classes.points.len(), 4);
        for (first, second) in [(0, 2), (2, 3), (0, 1)] {
            let pair = classes.pair(first, second);
            assert_eq!(pair.halves.is_some(), second != 1);
            check_gram(&pair, 2e-6);
            let n = pair.len();
            let all: Vec<usize> = (0..n).collect();
            let (mut from_classes, mut as_it_is) = (vec![0.0; n * n], vec![0.0; n * n]);
            pair.square_single(&all, &mut from_classes, &|| false);
            let part = gram.part(&[&rows[first][..], &rows[second]].concat());
            part.square_single(&all, &mut as_it_is, &|| false);
            assert_eq!(from_classes, as_it_is);
        }
        assert!(Classes::new(&gram, &rows, Budget::of_bytes(4000), &|| false).points.is_empty());
        assert!(Classes::new(&gram, &rows, Budget::default(), &|| true).points.is_empty());
    }
}
