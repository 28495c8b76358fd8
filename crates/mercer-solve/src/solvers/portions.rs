//! Rows of the Gram matrix in portions short enough that a request to stop is heard in time.
//!
//! How large a portion is follows the clock; what is computed does not depend on it: every row is made by itself and
//! summed in one order.

use std::time::{Duration, Instant};

use mercer_gram::Gram;
use mercer_linalg::Buffer;
use rayon::prelude::*;

use crate::{Run, Status};

/// How long a portion should take.
const AIM: Duration = Duration::from_millis(20);

/// Values in a portion at most.
const LARGEST: usize = 1 << 21;

struct Portion {
    rows: usize,
    most: usize,
}

impl Portion {
    fn new(n: usize) -> Self {
        Self { rows: 1, most: (LARGEST / n.max(1)).max(1) }
    }

    fn adapt(&mut self, since: Instant) {
        let took = since.elapsed();
        if took < AIM / 2 {
            self.rows = (self.rows * 2).min(self.most);
        } else if took > AIM * 2 {
            self.rows = (self.rows / 2).max(1);
        }
    }
}

/// K on a selection of rows and columns, row after row; the status where it was stopped.
pub(super) fn load(gram: &dyn Gram, rows: &[usize], run: &mut Run<'_>) -> Result<Buffer<f64>, Status> {
    let (n, m) = (gram.len(), rows.len());
    let mut entries = Buffer::zeros(m * m);
    let mut portion = Portion::new(n);
    let mut scratch = Vec::new();
    let mut done = 0;
    while done < m {
        if let Some(status) = run.stop() {
            return Err(status);
        }
        let since = Instant::now();
        let chosen = &rows[done..(done + portion.rows).min(m)];
        let out = &mut entries[done * m..(done + chosen.len()) * m];
        if m == n {
            gram.rows_double(chosen, out);
        } else {
            scratch.resize(chosen.len() * n, 0.0);
            gram.rows_double(chosen, &mut scratch);
            for (from, to) in scratch.chunks_exact(n).zip(out.chunks_exact_mut(m)) {
                to.iter_mut().zip(rows).for_each(|(to, &j)| *to = from[j]);
            }
        }
        run.count(chosen.len() * n);
        done += chosen.len();
        portion.adapt(since);
    }
    Ok(entries)
}

/// How accurate the entries of a product are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entries {
    /// `f32` entries, some 2e-6 accurate, twice as fast.
    Single,
    /// `f64` entries.
    Double,
}

/// (Kx)_i for a selection of rows i, x being of full length; the status where it was stopped.
pub(super) fn product(
    gram: &dyn Gram,
    rows: &[usize],
    x: &[f64],
    precision: Entries,
    run: &mut Run<'_>,
) -> Result<Vec<f64>, Status> {
    let n = gram.len();
    let mut out = vec![0.0; rows.len()];
    let mut portion = Portion::new(n);
    let (mut single, mut double) = (Vec::<f32>::new(), Vec::<f64>::new());
    let mut done = 0;
    while done < rows.len() {
        if let Some(status) = run.stop() {
            return Err(status);
        }
        let since = Instant::now();
        let chosen = &rows[done..(done + portion.rows).min(rows.len())];
        let out = &mut out[done..done + chosen.len()];
        match precision {
            Entries::Single => {
                single.resize(chosen.len() * n, 0.0);
                gram.rows_single(chosen, &mut single);
                let sums = single.par_chunks_exact(n).zip(out.par_iter_mut());
                sums.for_each(|(row, out)| *out = sum(row, x, f64::from));
            }
            Entries::Double => {
                double.resize(chosen.len() * n, 0.0);
                gram.rows_double(chosen, &mut double);
                let sums = double.par_chunks_exact(n).zip(out.par_iter_mut());
                sums.for_each(|(row, out)| *out = dot(row, x));
            }
        }
        run.count(chosen.len() * n);
        done += chosen.len();
        portion.adapt(since);
    }
    Ok(out)
}

/// ⟨a,b⟩ in eight partial sums: one order, whoever asks.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    sum(a, b, |v| v)
}

fn sum<T: Copy>(a: &[T], b: &[f64], wide: impl Fn(T) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(&a, b)| wide(a) * b).sum();
    for (a, b) in a.zip(b) {
        for k in 0..8 {
            lanes[k] += wide(a[k]) * b[k];
        }
    }
    lanes.iter().sum::<f64>() + rest
}
