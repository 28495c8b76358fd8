//! From what pilots took to what all rows will take.
//!
//! Work of the dual engine is kernel entries and steps of pairs. How many entries a machine of n rows with s support
//! vectors wants follows from how it holds them (`docs/concepts/performance.md`), and what one takes is measured; the steps,
//! and what one takes, are those of the pilots. A factorisation is an n² and a b n³, of two pilots. Everything else grows as
//! it grew from pilot to pilot.

use std::time::Instant;

use mercer_gram::{Gram, Lazy};
use mercer_points::Points;
use mercer_solve::Holding;

use super::pilot::Trial;
use super::{Expected, Job, Kind};
use crate::{Spec, Training};

/// What this machine takes for an entry of this kernel on these points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    single: f64,
    double: f64,
    /// Whether a factor of all rows is one in `f32`.
    mild: bool,
}

/// Rows that tiles are timed on, and seconds that this may take.
const SAMPLE: usize = 2048;
const BRIEF: f64 = 0.002;

/// Rows used in blocks, for each support vector: coefficients go to their bound that later leave it. With the squares of
/// working sets, less rows that are set aside; as measured on a9a, covtype and california.
const USED: f64 = 2.5;

/// The share of rows without a coefficient whose accurate scores are wanted.
const WANTED: f64 = 0.4;

/// Rows from which on a factor may be one in `f32`, and the condition up to which it is.
const LARGE: usize = 1000;
const MILD: f64 = 1e6;

/// Folds of probabilities, and the part of the rows that each is fitted on.
const FOLDS: f64 = 5.0;
const TRAINED: f64 = 0.8;

impl Clock {
    pub(super) fn new(job: &Job<'_>) -> Self {
        let gram = job.gram();
        let step = gram.len().div_ceil(SAMPLE).max(1);
        let part = gram.part(&(0..gram.len()).step_by(step).collect::<Vec<_>>());
        if job.features.is_some() {
            return Self { single: 0.0, double: 0.0, mild: false };
        }
        let single = pace(&part, |rows, weights, out| part.add_rows_single(rows, weights, out));
        let double = pace(&part, |rows, weights, out| part.add_rows_double(rows, weights, out));
        Self { single, double, mild: job.kind() == Kind::Direct && is_mild(job) }
    }

    /// Support vectors and free ones of the largest machine, for each row; none without a pilot.
    pub(super) fn expected(&self, job: &Job<'_>, trials: &[Trial]) -> Option<Expected> {
        let rows = job.largest() as f64;
        let last = trials.last()?;
        let grown = |of: fn(&Trial) -> f64| {
            // Of all rows, a share that falls as rows are added: never below a tenth of what it was.
            let power = slope(trials, of).clamp(-0.6, 0.0);
            of(last) * (rows / largest(last)).powf(power)
        };
        Some(Expected {
            support: grown(|trial| trial.support).min(1.0),
            free: grown(|trial| trial.free).min(1.0),
        })
    }

    /// Seconds for machines of so many rows each; none without a pilot.
    pub(super) fn seconds(&self, job: &Job<'_>, shares: &[usize], trials: &[Trial]) -> Option<f64> {
        let last = trials.last()?;
        match job.kind() {
            Kind::Dual => Some(self.dual(job, shares, trials, last)),
            Kind::Direct => Some(self.direct(shares, trials)),
            Kind::Other => {
                let power = slope(trials, |trial| trial.seconds).clamp(1.0, 3.0);
                let size =
                    |shares: &[usize]| shares.iter().map(|&rows| (rows as f64).powf(power)).sum::<f64>();
                Some(last.seconds * size(shares) / size(&last.shares))
            }
        }
    }

    fn dual(&self, job: &Job<'_>, shares: &[usize], trials: &[Trial], last: &Trial) -> f64 {
        let entries = |shares: &[usize], trial: Expected| -> f64 {
            shares.iter().map(|&rows| self.entries(job, rows, trial)).sum()
        };
        let steps = |rows: usize, set: usize, power: f64| {
            (rows as f64 / largest(last)).powf(power) * set.min(rows * job.variables) as f64
        };
        // Steps for each row of a machine stay, or grow somewhat.
        let power = slope(trials, |trial| trial.iterations / trial.shares.len() as f64).clamp(0.5, 1.6);
        let found = Expected { support: last.support, free: last.free };
        let left = (last.seconds - entries(&last.shares, found)).max(0.1 * last.seconds);
        let work = |shares: &[usize]| -> f64 {
            shares.iter().map(|&rows| steps(rows, self.set(job, rows, found), power)).sum()
        };
        let expected = self.expected(job, trials).unwrap_or(found);
        entries(shares, expected) + left * work(shares) / work(&last.shares)
    }

    /// Variables that a step looks at.
    fn set(&self, job: &Job<'_>, rows: usize, expected: Expected) -> usize {
        match job.footprint_of(rows, expected).map(|footprint| footprint.holding) {
            Ok(Holding::WorkingSet(set)) => set,
            Ok(Holding::Rows(_)) => 2048,
            _ => rows * job.variables,
        }
    }

    /// Seconds of the entries of a machine.
    fn entries(&self, job: &Job<'_>, rows: usize, expected: Expected) -> f64 {
        let (n, s) = (rows as f64, expected.support * rows as f64);
        let all = (n * job.variables as f64).powi(2) / 2.0;
        let accurate = self.double * (s * s / 2.0 + WANTED * (n - s) * s);
        let holding = job.footprint_of(rows, expected).map(|footprint| (footprint.holding, footprint.bytes));
        match holding {
            Ok((Holding::Whole, bytes)) => {
                let is_double = bytes > 6 * (rows * job.variables).pow(2) as u128;
                let each = if is_double { self.double } else { self.single };
                each * all + if is_double { self.double * (s * s / 2.0 + (n - s) * s) } else { accurate }
            }
            Ok((Holding::Rows(kept), _)) => self.single * n * (USED * s).min(kept as f64 + s) + accurate,
            _ => self.single * USED * s * n + accurate,
        }
    }

    /// a n² + b n³ through two pilots.
    fn direct(&self, shares: &[usize], trials: &[Trial]) -> f64 {
        let [.., last] = trials else { return 0.0 };
        let of = |n: f64, (a, b): (f64, f64)| a * n * n + b * n.powi(3);
        let n = largest(last);
        let (a, b) = match trials {
            [.., before, _] => {
                let m = largest(before);
                let per =
                    |trial: &Trial, rows: f64| trial.seconds / trial.shares.len() as f64 / (rows * rows);
                let (low, high) = (per(before, m), per(last, n));
                let b = ((high - low) / (n - m)).clamp(0.0, high / n);
                (high - b * n, b)
            }
            _ => (last.seconds / last.shares.len() as f64 / (n * n), 0.0),
        };
        // A factor in half the precision takes half the time.
        let short = |rows: usize| if self.mild && rows >= LARGE && n < LARGE as f64 { 0.5 } else { 1.0 };
        shares.iter().map(|&rows| of(rows as f64, (a, b * short(rows)))).sum()
    }

    /// The same with the fits that probabilities take.
    pub(super) fn with_probabilities(&self, spec: &Spec, seconds: f64) -> f64 {
        if spec.probabilities.is_some() { seconds * (1.0 + FOLDS * TRAINED * TRAINED) } else { seconds }
    }

    /// Seconds for the fingerprint of the data.
    pub(super) fn hashing(&self, training: &Training<'_>) -> f64 {
        let (rows, few) = (training.table.len(), training.table.len().min(256));
        let (part, started) = (training.table.slice(0..few), Instant::now());
        let _only_timed = crate::hash::data(&part, [].into_iter(), None);
        started.elapsed().as_secs_f64() * rows as f64 / few as f64
    }
}

/// Rows of the largest machine of a pilot.
fn largest(trial: &Trial) -> f64 {
    trial.shares.iter().copied().max().unwrap_or(1).max(1) as f64
}

/// Seconds an entry, in the quickest of some turns.
fn pace(gram: &Lazy, add: impl Fn(&[usize], &[f64], &mut [f64])) -> f64 {
    let n = gram.len();
    let (mut count, mut best) = (8.min(n), f64::INFINITY);
    let (weights, mut out) = (vec![1.0; n], vec![0.0; n]);
    let started = Instant::now();
    loop {
        let rows: Vec<usize> = (0..count).map(|k| k * n / count).collect();
        let turn = Instant::now();
        add(&rows, &weights[..count], &mut out);
        best = f64::min(best, turn.elapsed().as_secs_f64() / (count * n) as f64);
        if started.elapsed().as_secs_f64() > BRIEF || count == n {
            return best;
        }
        count = (2 * count).min(n);
    }
}

/// The exponent with which something grew from pilot to pilot: over the last three.
fn slope(trials: &[Trial], of: impl Fn(&Trial) -> f64) -> f64 {
    let last = &trials[trials.len().saturating_sub(3)..];
    let points: Vec<(f64, f64)> =
        last.iter().map(|trial| (largest(trial).ln(), of(trial).max(1e-12).ln())).collect();
    let count = points.len() as f64;
    let mean = points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / count, sum.1 + p.1 / count));
    let (mut along, mut square) = (0.0, 0.0);
    for (x, y) in &points {
        along += (x - mean.0) * (y - mean.1);
        square += (x - mean.0) * (x - mean.0);
    }
    if square > 1e-9 { along / square } else { f64::NAN }
}

/// Whether K + D is so well conditioned that its factor is one in `f32`, by a few of its rows.
fn is_mild(job: &Job<'_>) -> bool {
    let (gram, n) = (job.gram(), job.gram().len());
    let Ok(lambda) = job.posed.spec.regularization.lambda(n) else { return false };
    let rows: Vec<usize> = (0..4.min(n)).map(|k| k * n / 4).collect();
    let mut entries = vec![0.0; rows.len() * n];
    gram.rows_double(&rows, &mut entries);
    let norm = entries.chunks(n).map(|row| row.iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max);
    norm <= MILD * lambda * n as f64
}
