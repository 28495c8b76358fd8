//! Pilots: fits of a few of the rows, and of a few of the classes where there are many.

use std::time::{Duration, Instant};

use mercer_gram::{Gram, Precision};
use mercer_points::Points;
use mercer_solve::{Limits, Regularization, Silent, SolveError, Status};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use super::time::Clock;
use super::{Job, Kind, rows_of};
use crate::machines::{Posed, machines};
use crate::shares::Shares;
use crate::target::Goal;
use crate::{ModelError, Multiclass, Setting, Spec};

/// What a pilot took and found.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    pub(super) rows: usize,
    /// Rows of each machine.
    pub(super) shares: Vec<usize>,
    pub(super) seconds: f64,
    /// Of a machine, for each of its rows.
    pub(super) support: f64,
    pub(super) free: f64,
    /// Of all machines.
    pub(super) iterations: f64,
}

/// Rows of a machine of the first pilot.
const FIRST: usize = 256;

/// A pilot may take this share of what is forecast, all of them that one; so many seconds are nothing.
const SHARE: f64 = 0.025;
const ALL: f64 = 0.05;
const NOTHING: f64 = 0.004;

/// Pilots that are shorter are repeated.
const BRIEF: Duration = Duration::from_millis(5);

/// Of more classes than these so many are tried, by pairs.
const CLASSES: usize = 4;

/// Pilots of twice as many rows each, until the next would take too long.
pub(super) fn trials(job: &Job<'_>, clock: &Clock) -> Result<Vec<Trial>, ModelError> {
    let strata = strata(job);
    let (pool, largest): (usize, usize) = (strata.iter().map(Vec::len).sum(), job.largest());
    // All rows of a few classes are few rows; of all classes a quarter is the most.
    let most = if pool < job.gram().len() { 1.0 } else { 0.25 };
    let mut share = (FIRST as f64 / largest as f64).min(most);
    let (mut done, started) = (Vec::<Trial>::new(), Instant::now());
    loop {
        let rows = chosen(&strata, share);
        match attempt(job, &rows) {
            Ok(trial) => done.extend(trial),
            // What cannot be told apart in part cannot as a whole; what the learner does not solve it never solves.
            Err(error @ ModelError::Solve(SolveError::NotSeparable(_) | SolveError::Unsuited { .. })) => {
                return if matches!(error, ModelError::Solve(SolveError::Unsuited { .. })) {
                    Err(error)
                } else {
                    Ok(done)
                };
            }
            Err(_) if share < most => {}
            Err(error) => return if done.is_empty() { Err(error) } else { Ok(done) },
        }
        if share >= most || job.posed.setting.watch.stopped() {
            return Ok(done);
        }
        let next = (2.0 * share).min(most);
        if let (Some(whole), Some(last)) = (clock.seconds(job, &job.shares, &done), done.last()) {
            let larger: Vec<usize> =
                last.shares.iter().map(|&rows| (rows as f64 * next / share) as usize).collect();
            let cost = clock.seconds(job, &larger, &done).unwrap_or(0.0);
            let spent = started.elapsed().as_secs_f64();
            let is_long =
                cost > (SHARE * whole).max(NOTHING) || spent + cost > (ALL * whole).max(2.0 * NOTHING);
            if is_long || clock.knows(job) {
                return Ok(done);
            }
        }
        share = next;
    }
}

/// The rows of each class in an order drawn once; all rows where there are no classes.
fn strata(job: &Job<'_>) -> Vec<Vec<usize>> {
    let (n, spec) = (job.gram().len(), job.posed.spec);
    let mut strata = match job.posed.goal {
        Goal::Classes(names, codes) => {
            let mut strata = vec![Vec::new(); names.len()];
            codes.iter().enumerate().for_each(|(row, &code)| strata[code].push(row));
            let several = strata.len();
            if spec.multiclass == Multiclass::OneVsOne && several > CLASSES {
                (0..CLASSES)
                    .map(|k| std::mem::take(&mut strata[(2 * k + 1) * several / (2 * CLASSES)]))
                    .collect()
            } else {
                strata
            }
        }
        _ => vec![(0..n).collect()],
    };
    let mut random = Pcg64::seed_from_u64(spec.seed);
    strata.iter_mut().for_each(|rows| rows.shuffle(&mut random));
    strata
}

/// That share of every class, at least two rows of it.
fn chosen(strata: &[Vec<usize>], share: f64) -> Vec<usize> {
    let of = |rows: &Vec<usize>| {
        let count = ((share * rows.len() as f64).round() as usize).max(2).min(rows.len());
        rows[..count].to_vec()
    };
    let mut rows: Vec<usize> = strata.iter().flat_map(of).collect();
    rows.sort_unstable();
    rows
}

/// Fits some rows; none where it was stopped.
fn attempt(job: &Job<'_>, rows: &[usize]) -> Result<Option<Trial>, ModelError> {
    let posed = job.posed;
    let is_small = rows.len() <= crate::ground::DOUBLE;
    let precision = if is_small { Precision::Double } else { Precision::Single };
    let gram = posed.gram.part(rows).in_precision(precision);
    let goal = part(posed.goal, rows);
    let weights: Option<Vec<f64>> =
        posed.weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
    let features = posed.features.map(|features| features.select(rows));
    // A row counts as in the whole: C and μ stay, λ does not.
    let lambda = posed.spec.regularization.lambda(posed.gram.len())?;
    let regularization = match posed.spec.regularization {
        Regularization::Lambda(_) | Regularization::SmallC(_) => {
            Regularization::C(1.0 / (lambda * posed.gram.len() as f64))
        }
        other => other,
    };
    let spec = Spec { regularization, ..posed.spec.clone() };
    let setting = Setting { limits: Limits { time: None, ..posed.setting.limits }, ..*posed.setting };
    let part = Posed {
        spec: &spec,
        loss: posed.loss,
        goal: &goal,
        weights: weights.as_deref(),
        gram: &gram,
        features: features.as_ref(),
        setting: &Setting { watch: &Quiet(posed.setting.watch), ..setting },
    };
    let shares = rows_of(&part, &Shares::of(&part));
    let started = Instant::now();
    let mut fitted = machines(&part)?;
    let mut took = started.elapsed();
    // What happens to take long is told apart from what always does, where that takes no time.
    while started.elapsed() < BRIEF && job.kind() != Kind::Other {
        let again = Instant::now();
        fitted = machines(&part)?;
        took = took.min(again.elapsed());
    }
    if fitted.machines.iter().any(|machine| machine.status == Status::Stopped) {
        return Ok(None);
    }
    // Functions of softmax have rows in common.
    let all = shares.iter().sum::<usize>() * (fitted.machines.len() / shares.len()).max(1);
    let (mut support, mut free) = (0, 0);
    for machine in &fitted.machines {
        support += machine.coefficients.used().len();
        free += machine.certificate.as_ref().map_or(0, |certificate| certificate.free());
    }
    Ok(Some(Trial {
        rows: rows.len(),
        seconds: took.as_secs_f64(),
        support: support as f64 / all as f64,
        free: free as f64 / all as f64,
        iterations: fitted.machines.iter().map(|machine| machine.iterations as f64).sum(),
        shares,
    }))
}

/// The target of some rows, with the classes that they have.
fn part(goal: &Goal, rows: &[usize]) -> Goal {
    match goal {
        Goal::Nothing => Goal::Nothing,
        Goal::Numbers(targets) => {
            Goal::Numbers(targets.iter().map(|y| rows.iter().map(|&row| y[row]).collect()).collect())
        }
        Goal::Classes(names, codes) => {
            let mut there = vec![false; names.len()];
            rows.iter().for_each(|&row| there[codes[row]] = true);
            let mut place = vec![0; names.len()];
            let mut kept = Vec::new();
            for (class, name) in names.iter().enumerate().filter(|(class, _)| there[*class]) {
                place[class] = kept.len();
                kept.push(name.clone());
            }
            Goal::Classes(kept, rows.iter().map(|&row| place[codes[row]]).collect())
        }
    }
}

/// Hears when to stop, and tells nobody of pilots.
struct Quiet<'a>(&'a dyn mercer_solve::Watch);

impl mercer_solve::Watch for Quiet<'_> {
    fn report(&self, progress: &mercer_solve::Progress) {
        Silent.report(progress);
    }

    fn stopped(&self) -> bool {
        self.0.stopped()
    }
}
