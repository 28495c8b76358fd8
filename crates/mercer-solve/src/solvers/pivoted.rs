//! A preconditioner for K + D from a few columns of K,
//!
//! ```text
//! K ≈ LLᵀ ,   M = LLᵀ + D' ,   M⁻¹ = D'⁻¹ − D'⁻¹L(I + LᵀD'⁻¹L)⁻¹LᵀD'⁻¹
//! ```
//!
//! by partial Cholesky with pivots, always the row whose diagonal has most left (Harbrecht, Peters and Schneider, 2012;
//! Gardner et al., 2018): no random numbers. D' is D plus the mean of what is left of the diagonal, for the part of K that
//! L does not see, and so that D'⁻¹ cannot swamp everything else.

use mercer_gram::Gram;
use mercer_linalg::{cholesky, cholesky_solve};
use rayon::prelude::*;

use super::portions::dot;
use crate::{Run, Status};

/// M⁻¹, ready to be applied.
#[derive(Debug)]
pub(super) struct Pivoted {
    /// 1/D'.
    inverse: Vec<f64>,
    /// Columns of L.
    columns: Vec<Vec<f64>>,
    /// The factor of I + LᵀD'⁻¹L.
    small: Vec<f64>,
    /// M⁻¹1 and its sum, to keep Σα = 0.
    ones: (Vec<f64>, f64),
}

/// Values of L at most: half a gigabyte.
const LARGEST: usize = 1 << 26;

/// L of K ≈ LLᵀ.
#[derive(Debug)]
pub(super) struct Columns {
    /// Its columns.
    pub(super) columns: Vec<Vec<f64>>,
    /// What is left of the diagonal of K.
    pub(super) left: Vec<f64>,
    /// The largest entry of that diagonal before.
    pub(super) largest: f64,
}

impl Columns {
    /// At most so many columns for some rows of K; the status where it was stopped.
    pub(super) fn new(
        gram: &dyn Gram,
        rows: &[usize],
        rank: usize,
        run: &mut Run<'_>,
    ) -> Result<Self, Status> {
        let m = rows.len();
        let mut all = vec![0.0; gram.len()];
        gram.diagonal(&mut all);
        let mut left: Vec<f64> = rows.iter().map(|&i| all[i]).collect();
        let largest = left.iter().copied().fold(0.0, f64::max);
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut entries = vec![0.0; gram.len()];
        while columns.len() < rank.min(m).min(LARGEST / m.max(1)) {
            if let Some(status) = run.stop() {
                return Err(status);
            }
            // The first of the largest, so that ties have one outcome.
            let pivot = (1..m).fold(0, |best, k| if left[k] > left[best] { k } else { best });
            if left[pivot] <= 1e-12 * largest || left[pivot].is_nan() {
                break;
            }
            gram.rows_double(&[rows[pivot]], &mut entries);
            run.count(gram.len());
            let column = eliminate(&entries, rows, &columns, pivot, left[pivot].sqrt());
            left.iter_mut().zip(&column).for_each(|(left, c)| *left = (*left - c * c).max(0.0));
            left[pivot] = 0.0;
            columns.push(column);
        }
        Ok(Self { columns, left, largest })
    }
}

impl Pivoted {
    /// L of at most so many columns for some rows of K; the status where it was stopped.
    pub(super) fn new(
        gram: &dyn Gram,
        rows: &[usize],
        ridge: &[f64],
        rank: usize,
        run: &mut Run<'_>,
    ) -> Result<Self, Status> {
        let Columns { columns, left, largest } = Columns::new(gram, rows, rank, run)?;
        let unseen = left.iter().sum::<f64>() / rows.len().max(1) as f64 + 1e-13 * largest;
        let inverse = ridge.iter().map(|d| 1.0 / (d + unseen)).collect();
        Ok(Self::factored(inverse, columns, run))
    }

    fn factored(inverse: Vec<f64>, mut columns: Vec<Vec<f64>>, run: &Run<'_>) -> Self {
        let k = columns.len();
        let mut small: Vec<f64> = (0..k * k)
            .into_par_iter()
            .map(|at| {
                let (a, b) = (at / k, at % k);
                let sum = if b > a || run.stop().is_some() {
                    0.0
                } else {
                    columns[a].iter().zip(&columns[b]).zip(&inverse).map(|((x, y), d)| x * y * d).sum::<f64>()
                };
                sum + f64::from(u8::from(a == b))
            })
            .collect();
        if cholesky(k, k, &mut small, &|| run.stop().is_some()).is_err() {
            // The diagonal alone is a preconditioner too.
            columns.clear();
            small.clear();
        }
        let mut found = Self { inverse, columns, small, ones: (Vec::new(), 0.0) };
        let ones = found.apply(&vec![1.0; found.inverse.len()]);
        let sum = ones.iter().sum();
        found.ones = (ones, sum);
        found
    }

    /// M⁻¹r.
    pub(super) fn apply(&self, residual: &[f64]) -> Vec<f64> {
        let mut out: Vec<f64> = residual.iter().zip(&self.inverse).map(|(r, d)| r * d).collect();
        if self.columns.is_empty() {
            return out;
        }
        let mut inner: Vec<f64> = self.columns.par_iter().map(|column| dot(column, &out)).collect();
        if cholesky_solve(inner.len(), inner.len(), &self.small, &mut inner, &|| false).is_err() {
            return out;
        }
        out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
            let from = chunk * CHUNK;
            let mut sums = vec![0.0; out.len()];
            for (column, c) in self.columns.iter().zip(&inner) {
                sums.iter_mut().zip(&column[from..]).for_each(|(sum, l)| *sum += c * l);
            }
            out.iter_mut().zip(&sums).zip(&self.inverse[from..]).for_each(|((out, sum), d)| *out -= d * sum);
        });
        out
    }

    /// The same for the system with Σα = 0: M⁻¹(r − b·1) with the b that makes the sum zero.
    pub(super) fn apply_balanced(&self, residual: &[f64]) -> Vec<f64> {
        let mut out = self.apply(residual);
        let (ones, total) = &self.ones;
        let bias = out.iter().sum::<f64>() / total;
        out.iter_mut().zip(ones).for_each(|(out, z)| *out -= bias * z);
        out
    }
}

/// Values that one task works on.
const CHUNK: usize = 2048;

/// The next column of L.
fn eliminate(entries: &[f64], rows: &[usize], columns: &[Vec<f64>], pivot: usize, root: f64) -> Vec<f64> {
    let mut next: Vec<f64> = rows.iter().map(|&j| entries[j]).collect();
    next.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, next)| {
        for column in columns {
            let c = column[pivot];
            next.iter_mut().zip(&column[chunk * CHUNK..]).for_each(|(next, l)| *next -= c * l);
        }
        next.iter_mut().for_each(|v| *v /= root);
    });
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Features, Tolerance};

    fn points(n: usize, d: usize) -> Features {
        let values = (0..n * d).map(|k| ((k * k) as f64 * 0.7 + k as f64).sin()).collect();
        Features::new(n, d, values).unwrap()
    }

    #[test]
    fn with_full_rank_it_is_the_inverse() {
        let (n, d) = (20, 4);
        let gram = points(n, d);
        let ridge: Vec<f64> = (0..n).map(|i| 0.5 + 0.1 * i as f64).collect();
        let rows: Vec<usize> = (0..n).collect();
        let run = &mut Run::quiet(Tolerance::default());
        let inverse = Pivoted::new(&gram, &rows, &ridge, n, run).unwrap();
        assert_eq!(inverse.columns.len(), d, "the rank of the data");
        let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut product = vec![0.0; n];
        gram.apply(&x, &mut product);
        product.iter_mut().zip(&x).zip(&ridge).for_each(|((p, x), d)| *p += d * x);
        let back = inverse.apply(&product);
        assert!(back.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-9), "{back:?}");
        assert!(inverse.apply_balanced(&product).iter().sum::<f64>().abs() < 1e-12);
    }
}
