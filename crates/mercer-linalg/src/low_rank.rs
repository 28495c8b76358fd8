//! K ≈ LLᵀ with few columns, for a positive semi-definite matrix whose eigenvalues fall off quickly,
//!
//! ```text
//! K − LLᵀ ⪰ 0 ,    ‖K − LLᵀ‖ ≤ tr(K − LLᵀ) ,    which is the sum of what is left of the diagonal,
//! ```
//!
//! by Cholesky with pivots, the rows whose diagonal has most left (Harbrecht, Peters and Schneider, 2012). Pivots are
//! chosen several at a time, by the same rule among the rows with most left and as long as no other row could have more
//! than five times as much: then all but the choice is products of matrices, by faer on tiles whose shape depends on the
//! sizes alone.

use std::sync::atomic::{AtomicBool, Ordering};

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place as solve_lower;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::{Buffer, CholeskyError, rows_product};

/// Rows among which pivots are chosen.
const CANDIDATES: usize = 96;

/// Rows of a task.
const STRIP: usize = 256;

/// Columns before which nothing is said about how many there will be.
const EARLY: usize = 128;

/// How near LLᵀ has to come, in terms of the trace of K − LLᵀ, and with how many columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aim {
    /// A trace that is small enough.
    pub fine: f64,
    /// A trace that is small enough for more than `few` columns.
    pub coarse: f64,
    /// Columns that are worth a small trace.
    pub few: usize,
    /// Columns at most.
    pub most: usize,
}

/// L of K ≈ LLᵀ.
///
/// ```
/// use mercer_linalg::{Aim, LowRank};
/// let aim = Aim { fine: 1e-12, coarse: 1e-12, few: 1, most: 1 };
/// let found = LowRank::of(2, &[1.0, 2.0, 2.0, 4.0], aim, &|| false).unwrap().unwrap();
/// assert_eq!((found.rank(), found.left()), (1, 0.0));
/// assert_eq!(found.lift(&[1.0]), [1.0, 2.0]);
/// ```
#[derive(Debug)]
pub struct LowRank {
    n: usize,
    rank: usize,
    left: f64,
    /// Row after row.
    rows: Vec<f64>,
    /// Column after column.
    columns: Vec<f64>,
}

impl LowRank {
    /// Of a symmetric n×n matrix; none where the aim is out of reach.
    ///
    /// `poll` is called for each strip of rows, from any thread; `true` abandons the work.
    pub fn of(
        n: usize,
        matrix: &[f64],
        aim: Aim,
        poll: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Self>, CholeskyError> {
        if matrix.len() != n * n {
            return Err(CholeskyError::Shape { rows: n, expected: n * n, found: matrix.len() });
        }
        let mut left: Vec<f64> = (0..n).map(|i| matrix[i * n + i]).collect();
        let largest = left.iter().copied().fold(0.0, f64::max);
        let mut columns: Vec<f64> = Vec::new();
        let mut before: Vec<(usize, f64)> = Vec::new();
        loop {
            let (rank, trace) = (columns.len() / n.max(1), left.iter().sum::<f64>());
            // What is below 0 by more than rounding is not semi-definite.
            if trace.is_nan() || left.iter().any(|&left| left < -1e-9 * largest) {
                return Ok(None);
            }
            before.push((rank, trace));
            let is_near = trace <= aim.fine || trace <= aim.coarse && rank >= aim.few;
            if is_near {
                return Ok(Some(Self::whole(n, rank, trace, columns)));
            }
            if poll() {
                return Err(CholeskyError::Stopped);
            }
            let room = if is_far(&before, aim) { 0 } else { aim.most - rank };
            let pivots = choose(n, matrix, &columns, &left, room);
            let Some((pivots, corner)) = pivots else {
                return Ok((trace <= aim.coarse).then(|| Self::whole(n, rank, trace, columns)));
            };
            let found = eliminate(n, matrix, &columns, (&pivots, &corner), poll)?;
            for column in found.chunks_exact(n) {
                left.iter_mut().zip(column).for_each(|(left, l)| *left -= l * l);
            }
            pivots.iter().for_each(|&pivot| left[pivot] = 0.0);
            columns.extend(found);
        }
    }

    /// Columns of L.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The trace of K − LLᵀ.
    pub fn left(&self) -> f64 {
        self.left
    }

    /// LᵀL; `poll` is called for each strip of columns, from any thread, and `true` abandons the work.
    pub fn inner(&self, poll: &(dyn Fn() -> bool + Sync)) -> Result<Buffer<f64>, CholeskyError> {
        let (n, rank) = (self.n, self.rank);
        let mut out = Buffer::zeros(rank * rank);
        let all = MatRef::from_column_major_slice(&self.columns, n, rank);
        let stopped = AtomicBool::new(false);
        out.par_chunks_mut((STRIP / 2 * rank).max(1)).enumerate().for_each(|(strip, out)| {
            if stopped.load(Ordering::Relaxed) || poll() {
                return stopped.store(true, Ordering::Relaxed);
            }
            let (start, width) = (strip * STRIP / 2, out.len() / rank);
            let own = all.subcols(start, width);
            let out = MatMut::from_column_major_slice_mut(out, rank, width).subrows_mut(start, rank - start);
            // The lower triangle is all that is read of it.
            matmul(out, Accum::Replace, all.subcols(start, rank - start).transpose(), own, 1.0, Par::Seq);
        });
        if stopped.into_inner() { Err(CholeskyError::Stopped) } else { Ok(out) }
    }

    /// Lᵀv for vectors stored one after the other.
    pub fn project(&self, vectors: &[f64]) -> Vec<f64> {
        one_by_one(&rows_product(self.n, &self.columns, vectors), self.rank)
    }

    /// Lv for vectors stored one after the other.
    pub fn lift(&self, vectors: &[f64]) -> Vec<f64> {
        one_by_one(&rows_product(self.rank, &self.rows, vectors), self.n)
    }

    fn whole(n: usize, rank: usize, left: f64, columns: Vec<f64>) -> Self {
        let mut rows = vec![0.0; columns.len()];
        for (k, column) in columns.chunks_exact(n.max(1)).enumerate() {
            column.iter().enumerate().for_each(|(i, &l)| rows[i * rank + k] = l);
        }
        Self { n, rank, left, rows, columns }
    }
}

/// Vectors of some length stored one after the other, from places stored one after the other.
fn one_by_one(places: &[f64], length: usize) -> Vec<f64> {
    let count = places.len() / length.max(1);
    let mut out = vec![0.0; places.len()];
    for (k, out) in out.chunks_exact_mut(length.max(1)).enumerate() {
        out.iter_mut().enumerate().for_each(|(i, out)| *out = places[i * count + k]);
    }
    out
}

/// Whether the aim is out of reach even if the trace went on to fall as fast as it does now, which it does not:
/// eigenvalues fall off ever more slowly.
fn is_far(before: &[(usize, f64)], aim: Aim) -> bool {
    let Some(&(rank, trace)) = before.last() else { return false };
    if rank >= aim.most {
        return true;
    }
    let half = before.iter().rev().find(|(earlier, _)| 2 * earlier <= rank);
    let Some(&(earlier, more)) = half.filter(|_| rank >= EARLY) else { return false };
    let slope = (more / trace).ln() / (rank - earlier) as f64;
    // Not above 0, or NaN, where nothing was gained.
    !(slope > 0.0 && rank as f64 + (trace / aim.coarse).ln() / slope <= aim.most as f64)
}

/// The next pivots and their factor; none where the diagonal has nothing left but rounding.
fn choose(
    n: usize,
    matrix: &[f64],
    columns: &[f64],
    left: &[f64],
    most: usize,
) -> Option<(Vec<usize>, Mat<f64>)> {
    let mut order: Vec<usize> = (0..n).collect();
    let fall = |&a: &usize, &b: &usize| left[b].total_cmp(&left[a]).then(a.cmp(&b));
    if n > CANDIDATES {
        order.select_nth_unstable_by(CANDIDATES, fall);
    }
    let other = order.get(CANDIDATES).map_or(0.0, |&row| left[row]);
    order.truncate(CANDIDATES);
    order.sort_by(fall);
    let m = order.len();
    let before = picked(n, columns, &order);
    let mut square = Mat::from_fn(m, m, |a, b| matrix[order[a] * n + order[b]]);
    matmul(square.as_mut(), Accum::Add, before.as_ref(), before.transpose(), -1.0, Par::Seq);
    let mut chosen: Vec<usize> = Vec::new();
    let mut factor: Vec<Vec<f64>> = Vec::new();
    let mut rest: Vec<f64> = (0..m).map(|a| square[(a, a)]).collect();
    // Rounding of what has been taken off is not a pivot.
    let least = (0.2 * other).max(1e-15 * (0..n).map(|i| matrix[i * n + i]).fold(0.0, f64::max));
    while chosen.len() < m.min(most) {
        let best = (1..m).fold(0, |best, a| if rest[a] > rest[best] { a } else { best });
        if rest[best] <= least || rest[best].is_nan() {
            break;
        }
        let root = rest[best].sqrt();
        let column: Vec<f64> = (0..m)
            .map(|a| (square[(a, best)] - factor.iter().map(|l| l[a] * l[best]).sum::<f64>()) / root)
            .collect();
        rest.iter_mut().zip(&column).for_each(|(rest, l)| *rest -= l * l);
        rest[best] = 0.0;
        chosen.push(best);
        factor.push(column);
    }
    let corner =
        Mat::from_fn(chosen.len(), chosen.len(), |a, b| if b <= a { factor[b][chosen[a]] } else { 0.0 });
    (!chosen.is_empty()).then(|| (chosen.iter().map(|&a| order[a]).collect(), corner))
}

/// Some rows of columns stored one after the other.
fn picked(n: usize, columns: &[f64], rows: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), columns.len() / n, |a, k| columns[k * n + rows[a]])
}

/// The columns of L for some pivots, one after the other: what is left of theirs in K, times the inverse of their factor.
fn eliminate(
    n: usize,
    matrix: &[f64],
    columns: &[f64],
    (pivots, corner): (&[usize], &Mat<f64>),
    poll: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<f64>, CholeskyError> {
    let (rank, width) = (columns.len() / n, pivots.len());
    let before = picked(n, columns, pivots);
    let all = MatRef::from_column_major_slice(columns, n, rank);
    // Row after row, so that a task has its own piece of memory.
    let mut places = vec![0.0; n * width];
    let stopped = AtomicBool::new(false);
    places.par_chunks_mut(STRIP * width).enumerate().for_each(|(strip, out)| {
        if stopped.load(Ordering::Relaxed) || poll() {
            return stopped.store(true, Ordering::Relaxed);
        }
        let (start, height) = (strip * STRIP, out.len() / width);
        for (k, &pivot) in pivots.iter().enumerate() {
            (0..height).for_each(|i| out[i * width + k] = matrix[pivot * n + start + i]);
        }
        let mut out = MatMut::from_column_major_slice_mut(out, width, height);
        let own = all.subrows(start, height);
        matmul(out.as_mut(), Accum::Add, before.as_ref(), own.transpose(), -1.0, Par::Seq);
        solve_lower(corner.as_ref(), out, Par::Seq);
    });
    if stopped.into_inner() {
        return Err(CholeskyError::Stopped);
    }
    let mut found = one_by_one(&places, n);
    // A pivot has nothing left for the columns after its own.
    for (a, &pivot) in pivots.iter().enumerate() {
        (a + 1..width).for_each(|later| found[later * n + pivot] = 0.0);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gaussian values of points on a line, the closer the more of them there are.
    fn line(n: usize, width: f64) -> Vec<f64> {
        let apart = |at: usize| ((at / n) as f64 - (at % n) as f64) / n as f64;
        (0..n * n).map(|at| (-0.5 * (apart(at) / width).powi(2)).exp()).collect()
    }

    #[test]
    fn what_is_left_is_what_it_says() {
        for (n, width) in [(3, 0.5), (60, 0.1), (300, 0.02), (STRIP + 200, 0.01)] {
            let matrix = line(n, width);
            for aim in [1e-2, 1e-9] {
                let aim = Aim { fine: aim, coarse: aim, few: 0, most: n };
                let found = LowRank::of(n, &matrix, aim, &|| false).unwrap().unwrap();
                let rank = found.rank();
                assert!(found.left() <= aim.fine && rank <= n, "{n}: {rank}");
                let mut unit = vec![0.0; n * n];
                (0..n).for_each(|i| unit[i * n + i] = 1.0);
                let product = found.lift(&found.project(&unit));
                let worst = (0..n * n).map(|at| (matrix[at] - product[at]).abs()).fold(0.0, f64::max);
                assert!(worst <= aim.fine + 1e-14, "{n}: {worst:e}");
                let inner = found.inner(&|| false).unwrap();
                for (a, b) in (0..rank).flat_map(|a| (0..=a).map(move |b| (a, b))) {
                    let column = |k: usize| &found.columns[k * n..(k + 1) * n];
                    let wanted: f64 = column(a).iter().zip(column(b)).map(|(a, b)| a * b).sum();
                    assert!((inner[b * rank + a] - wanted).abs() < 1e-11, "{n}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn few_columns_do_where_one_by_one_they_would() {
        // 300 points on a tenth of their extent have about 40 eigenvalues above 1e-12.
        let aim = Aim { fine: 1e-9, coarse: 1e-9, few: 0, most: 300 };
        let found = LowRank::of(300, &line(300, 0.1), aim, &|| false).unwrap().unwrap();
        assert!(found.rank() < 40, "{}", found.rank());
    }

    #[test]
    fn what_is_out_of_reach_is_given_up_early() {
        let n = 600;
        let aim = Aim { fine: 1e-9, coarse: 1e-6, few: 10, most: n / 3 };
        assert!(LowRank::of(n, &line(n, 0.0001), aim, &|| false).unwrap().is_none());
        let coarse = LowRank::of(n, &line(n, 0.1), aim, &|| false).unwrap().unwrap();
        assert!(coarse.left() <= 1e-6);
        // Semi-definite it is not.
        assert!(LowRank::of(2, &[1.0, 2.0, 2.0, 1.0], aim, &|| false).unwrap().is_none());
        let zero = LowRank::of(2, &[0.0; 4], aim, &|| false).unwrap().unwrap();
        assert_eq!((zero.rank(), zero.project(&[1.0, 2.0]).len()), (0, 0));
        assert!(matches!(LowRank::of(n, &line(n, 0.1), aim, &|| true), Err(CholeskyError::Stopped)));
        assert!(matches!(LowRank::of(3, &[0.0; 4], aim, &|| false), Err(CholeskyError::Shape { .. })));
    }

    #[test]
    fn a_block_of_columns_is_abandoned_within_it() {
        use std::sync::atomic::AtomicUsize;
        let n = 2 * STRIP + 77;
        let (matrix, aim) = (vec![1.0; n * n], Aim { fine: 1e-3, coarse: 1e-3, few: 0, most: n });
        let whole = AtomicUsize::new(0);
        let counted = || whole.fetch_add(1, Ordering::Relaxed) == usize::MAX;
        let found = LowRank::of(n, &matrix, aim, &counted).unwrap().unwrap();
        // One column is all there is: before it, and for each of its three strips.
        let calls = whole.into_inner();
        assert_eq!((found.rank(), calls), (1, 4));
        for after in 0..calls {
            let asked = AtomicUsize::new(0);
            let poll = || asked.fetch_add(1, Ordering::Relaxed) == after;
            assert!(matches!(LowRank::of(n, &matrix, aim, &poll), Err(CholeskyError::Stopped)), "{after}");
        }
        assert!(matches!(found.inner(&|| true), Err(CholeskyError::Stopped)));
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let n = 2 * STRIP + 77;
        let aim = Aim { fine: 1e-9, coarse: 1e-9, few: 0, most: n };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| LowRank::of(n, &line(n, 0.01), aim, &|| false).unwrap().unwrap().columns)
        };
        assert!(with(1) == with(3));
    }
}
