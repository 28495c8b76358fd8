//! From what pilots took to what all rows will take.
//!
//! Work of the dual engine is kernel entries and steps of pairs. How many entries a machine of n rows with s support
//! vectors wants follows from how it holds them (`docs/concepts/performance.md`), and what one takes is measured; the steps,
//! and what one takes, are those of the pilots. A factorisation is a small one, timed, times the cube of the rows, with
//! entries and fresh memory. Everything else grows as it grew from pilot to pilot.

use std::time::Instant;

use mercer_gram::{Gram, Lazy};
use mercer_linalg::{Buffer, cholesky};
use mercer_points::Points;
use mercer_solve::Holding;

use super::pilot::Trial;
use super::{Expected, Job, Kind, memory};
use crate::target::Goal;
use crate::{Learner, Spec, Training};

/// What this machine takes for an entry of this kernel on these points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    single: f64,
    double: f64,
    /// What a factorisation takes, where the learner does nothing dearer.
    factor: Option<Factor>,
}

/// Rows that tiles are timed on, and seconds that this may take.
const SAMPLE: usize = 1024;
const BRIEF: f64 = 0.003;

/// Rows that tiles take at a time.
const HEIGHT: usize = 48;

/// Rows used in blocks, for each support vector: one, somewhat more for squares of working sets, and more the more steps a
/// row takes, since coefficients go to their bound that later leave it. As measured on a9a, covtype and california.
const USED: f64 = 1.2;
const USED_AGAIN: f64 = 0.6;
const USED_AT_MOST: f64 = 2.5;

/// The share of rows at the ends of their boxes whose accurate scores are wanted.
const WANTED: f64 = 0.1;

/// What a step takes besides looking at variables, in variables; and the share of them that it looks at.
const STEP: f64 = 1000.0;
const MOVING: f64 = 0.6;

/// Rows from which on a factor may be one in `f32`, and the condition up to which it is.
const LARGE: usize = 1000;
const MILD: f64 = 1e6;

/// The least exponent of a factorisation.
const LEAST: f64 = 1.6;

/// Folds of probabilities, and the part of the rows that each is fitted on.
const FOLDS: f64 = 5.0;
const TRAINED: f64 = 0.8;

impl Clock {
    pub(super) fn new(job: &Job<'_>) -> Self {
        let gram = job.gram();
        let step = gram.len().div_ceil(SAMPLE).max(1);
        let part = gram.part(&(0..gram.len()).step_by(step).collect::<Vec<_>>());
        if job.features.is_some() {
            return Self { single: 0.0, double: 0.0, factor: None };
        }
        let single = pace(&part, |rows, weights, out| part.add_rows_single(rows, weights, out));
        let double = pace(&part, |rows, weights, out| part.add_rows_double(rows, weights, out));
        let factors = job.kind() == Kind::Direct
            && matches!(job.posed.spec.learner, Learner::Cholesky | Learner::LsSvm | Learner::Newton);
        Self { single, double, factor: factors.then(|| Factor::measured(is_mild(job))) }
    }

    /// Support vectors and free ones of the largest machine, for each row; none without a pilot.
    pub(super) fn expected(&self, job: &Job<'_>, trials: &[Trial]) -> Option<Expected> {
        let rows = job.largest() as f64;
        let last = trials.last()?;
        let grown = |of: fn(&Trial) -> f64| {
            // A share of the rows, which falls as rows are added or stays.
            let power = slope(trials, of, 0.0).clamp(-0.6, 0.0);
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
            Kind::Direct => Some(self.direct(job, shares, trials, last)),
            Kind::Other => {
                let power = slope(trials, |trial| trial.seconds, 2.0).clamp(1.0, 3.0);
                let size =
                    |shares: &[usize]| shares.iter().map(|&rows| (rows as f64).powf(power)).sum::<f64>();
                Some(last.seconds * size(shares) / size(&last.shares))
            }
        }
    }

    fn dual(&self, job: &Job<'_>, shares: &[usize], trials: &[Trial], last: &Trial) -> f64 {
        // Steps grow about as rows do; pilots say by how much more or less, as far as few rows can.
        let of = |trial: &Trial| trial.iterations / trial.shares.len() as f64;
        let power = 0.5 * (1.0 + slope(trials, of, 1.0).clamp(0.5, 1.5));
        let steps = |rows: usize| of(last) * (rows as f64 / largest(last)).powf(power);
        let entries = |shares: &[usize], trial: Expected| -> f64 {
            shares.iter().map(|&rows| self.entries(job, rows, trial, steps(rows))).sum()
        };
        let found = Expected { support: last.support, free: last.free };
        let left = (last.seconds - entries(&last.shares, found)).max(0.1 * last.seconds);
        let step = |rows: usize| STEP + MOVING * self.set(job, rows, found) as f64;
        let work = |shares: &[usize]| shares.iter().map(|&rows| steps(rows) * step(rows)).sum::<f64>();
        let expected = self.expected(job, trials).unwrap_or(found);
        // A pilot that was at its end from the start says nothing of steps; what it took grows as its rows do.
        let size = |shares: &[usize]| shares.iter().sum::<usize>().max(1) as f64;
        let done = work(&last.shares);
        let grown = if done > 0.0 { work(shares) / done } else { size(shares) / size(&last.shares) };
        entries(shares, expected) + left * grown
    }

    /// Variables that a step looks at.
    fn set(&self, job: &Job<'_>, rows: usize, expected: Expected) -> usize {
        match job.footprint_of(rows, expected).map(|footprint| footprint.holding) {
            Ok(Holding::WorkingSet(set)) => set,
            Ok(Holding::Rows(_)) => 2016,
            _ => rows * job.variables,
        }
    }

    /// Seconds of the entries of a machine.
    fn entries(&self, job: &Job<'_>, rows: usize, expected: Expected, steps: f64) -> f64 {
        let used = (USED + USED_AGAIN * steps / rows as f64).min(USED_AT_MOST);
        let (n, s) = (rows as f64, expected.support * rows as f64);
        // Entries within a class are computed once for all its pairs.
        let half = if memory::shared(job) > 0 { 0.3 } else { 0.5 };
        let all = half * (n * job.variables as f64).powi(2);
        let free = expected.free * n;
        let accurate = self.double * (free * (s - free / 2.0) + WANTED * (n - free) * s);
        let holding = job.footprint_of(rows, expected).map(|footprint| (footprint.holding, footprint.bytes));
        match holding {
            Ok((Holding::Whole, bytes)) => {
                let is_double = bytes > 6 * (rows * job.variables).pow(2) as u128;
                let each = if is_double { self.double } else { self.single };
                each * all + if is_double { self.double * (s * s / 2.0 + (n - s) * s) } else { accurate }
            }
            Ok((Holding::Rows(kept), _)) => self.single * n * (used * s).min(kept as f64 + s) + accurate,
            _ => self.single * used * s * n + accurate,
        }
    }

    /// Entries, fresh memory and factors; or as pilots say, where a factor is not all there is.
    fn direct(&self, job: &Job<'_>, shares: &[usize], trials: &[Trial], last: &Trial) -> f64 {
        let Some(factor) = self.factor else {
            let power = slope(trials, |trial| trial.seconds, 2.5).clamp(LEAST, 3.0);
            let size = |shares: &[usize]| shares.iter().map(|&rows| (rows as f64).powf(power)).sum::<f64>();
            return last.seconds * size(shares) / size(&last.shares);
        };
        // Several targets have one factor.
        let is_newton = job.posed.spec.learner == Learner::Newton;
        let times = if is_newton { last.iterations / last.shares.len() as f64 } else { 1.0 };
        let is_one = matches!(job.posed.goal, Goal::Numbers(_)) && !is_newton;
        let each = |&rows: &usize| {
            let n = rows as f64;
            // All entries once, half of them again for the certificate; passes over the matrix for each refinement.
            let matrix = self.double * 1.5 * n * n + factor.fresh * 8.0 * n * n;
            matrix + times * (factor.seconds(n) + (factor.fresh + REFINED) * 8.0 * n * n)
        };
        if is_one { shares.first().map_or(0.0, each) } else { shares.iter().map(each).sum() }
    }

    /// Whether a pilot says how many steps there are, and more pilots say no more.
    pub(super) fn knows(&self, job: &Job<'_>) -> bool {
        job.kind() == Kind::Direct && self.factor.is_some()
    }

    /// The same with the fits that probabilities take.
    pub(super) fn with_probabilities(&self, spec: &Spec, seconds: f64) -> f64 {
        if spec.probabilities.is_some() { seconds * (1.0 + FOLDS * TRAINED * TRAINED) } else { seconds }
    }

    /// Seconds for the fingerprint of the data.
    pub(super) fn hashing(&self, training: &Training<'_>) -> f64 {
        let (rows, few) = (training.table.len(), training.table.len().min(256));
        let (part, started) = (training.table.slice(0..few), Instant::now());
        let _only_timed = crate::hash::data(&part, [], None);
        started.elapsed().as_secs_f64() * rows as f64 / few as f64
    }
}

/// What a factorisation takes on this machine.
#[derive(Debug, Clone, Copy)]
struct Factor {
    /// Seconds for n³, in the precision of large matrices and of small ones.
    large: f64,
    small: f64,
    /// Seconds for a byte of memory that is touched for the first time.
    fresh: f64,
}

/// Rows of the matrix that is factored for trial; those of more rows are factored at a somewhat better pace.
const PROBE: usize = 768;
const BETTER: f64 = 0.8;

/// Seconds for a byte of the matrix in the refinements of an answer.
const REFINED: f64 = 2e-10;

impl Factor {
    fn measured(mild: bool) -> Self {
        let started = Instant::now();
        let mut matrix = Buffer::<f64>::zeros(PROBE * PROBE);
        matrix.fill(1e-3);
        let fresh = started.elapsed().as_secs_f64() / (8 * PROBE * PROBE) as f64;
        let mut short = vec![0.0; PROBE * PROBE];
        let small = quickest(|| {
            matrix.fill(1e-3);
            (0..PROBE).for_each(|i| matrix[i * PROBE + i] = 1.0);
            let started = Instant::now();
            let _only_timed = cholesky::<f64>(PROBE, PROBE, &mut matrix, &|| false);
            started.elapsed().as_secs_f64()
        });
        let large = quickest(|| {
            short.fill(1e-3_f32);
            (0..PROBE).for_each(|i| short[i * PROBE + i] = 1.0);
            let started = Instant::now();
            let _only_timed = cholesky::<f32>(PROBE, PROBE, &mut short, &|| false);
            started.elapsed().as_secs_f64()
        });
        let each = |seconds: f64| BETTER * seconds / (PROBE as f64).powi(3);
        Self { large: each(if mild { large } else { small }), small: each(small), fresh }
    }

    fn seconds(self, rows: f64) -> f64 {
        rows.powi(3) * if rows >= LARGE as f64 { self.large } else { self.small }
    }
}

/// The least of three.
fn quickest(mut turn: impl FnMut() -> f64) -> f64 {
    (0..3).map(|_| turn()).fold(f64::INFINITY, f64::min)
}

/// Rows of the largest machine of a pilot.
fn largest(trial: &Trial) -> f64 {
    trial.shares.iter().copied().max().unwrap_or(1).max(1) as f64
}

/// Seconds an entry, in the quickest of some turns.
fn pace(gram: &Lazy, add: impl Fn(&[usize], &[f64], &mut [f64])) -> f64 {
    let n = gram.len();
    let (mut count, mut best) = (HEIGHT.min(n), f64::INFINITY);
    let (weights, mut out) = (vec![1.0; n], vec![0.0; n]);
    // The first turn packs the points, and wakes threads.
    add(&[0], &weights[..1], &mut out);
    let started = Instant::now();
    for turns in 1.. {
        let rows: Vec<usize> = (0..count).map(|k| k * n / count).collect();
        let turn = Instant::now();
        add(&rows, &weights[..count], &mut out);
        best = f64::min(best, turn.elapsed().as_secs_f64() / (count * n) as f64);
        if turns > 1 && started.elapsed().as_secs_f64() > BRIEF || turns > 20 {
            break;
        }
        count = (2 * count).min(n);
    }
    best
}

/// The exponent with which something grew from pilot to pilot, over the last three; the usual one of a single pilot.
fn slope(trials: &[Trial], of: impl Fn(&Trial) -> f64, usual: f64) -> f64 {
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
    if square > 1e-9 { along / square } else { usual }
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
