//! What surrounds a solver while it works: limits, a way to stop it, and where it tells how far it is.
//!
//! A solver calls [`Run::stop`] often (many times in 0.1 s) and [`Run::report`] once an iteration. It never prints.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// How a solver ended. Whether the answer is good is for the certificate to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// Its own criterion was met.
    Solved,
    /// The iterations ran out.
    IterationLimit,
    /// The time ran out.
    TimeLimit,
    /// It was told to stop.
    Stopped,
    /// No step made the objective better in floating point.
    Stalled,
}

/// How far a solver is.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Iterations done; what one is depends on the solver.
    pub iteration: u64,
    /// Iterations to come at most, where known.
    pub limit: Option<u64>,
    /// Primal objective, where known.
    pub primal: Option<f64>,
    /// Dual objective, where known.
    pub dual: Option<f64>,
    /// Largest violation of the optimality conditions, where known.
    pub violation: Option<f64>,
    /// Rows with a coefficient.
    pub support: usize,
    /// Since the start.
    pub seconds: f64,
    /// Expected until the end, where it can be guessed.
    pub eta: Option<f64>,
}

/// Someone who watches a solver and may stop it.
pub trait Watch: Sync {
    /// Called about once an iteration.
    fn report(&self, _progress: &Progress) {}

    /// Called often; `true` ends the work.
    fn stopped(&self) -> bool {
        false
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Watch for Silent {}

/// When to end, apart from success.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Iterations.
    pub iterations: Option<u64>,
}

/// How good the answer must be for a solver to end with success: all that are given must hold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Relative duality gap.
    pub gap: Option<f64>,
    /// Largest violation of the optimality conditions.
    pub violation: Option<f64>,
}

impl Default for Tolerance {
    /// A relative gap of 1e-6.
    fn default() -> Self {
        Self { gap: Some(1e-6), violation: None }
    }
}

/// One run of a solver.
///
/// ```
/// use mercer_solve::{Limits, Run, Silent, Status, Tolerance};
/// let run = Run::new(&Silent, Limits { iterations: Some(10), time: None }, Tolerance::default());
/// assert_eq!(run.over(9), None);
/// assert_eq!(run.over(10), Some(Status::IterationLimit));
/// ```
pub struct Run<'a> {
    watch: &'a dyn Watch,
    limits: Limits,
    tolerance: Tolerance,
    started: Instant,
    trace: Vec<Progress>,
    entries: u64,
    is_trial: bool,
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("limits", &self.limits).field("tolerance", &self.tolerance).finish()
    }
}

/// A trace keeps at most so many points, thinned evenly.
const TRACE: usize = 1000;

impl<'a> Run<'a> {
    /// A run that begins now.
    pub fn new(watch: &'a dyn Watch, limits: Limits, tolerance: Tolerance) -> Self {
        let started = Instant::now();
        Self { watch, limits, tolerance, started, trace: Vec::new(), entries: 0, is_trial: false }
    }

    /// A run that nobody watches, without limits.
    pub fn quiet(tolerance: Tolerance) -> Run<'static> {
        Run::new(&Silent, Limits::default(), tolerance)
    }

    /// The same for one of many candidates, whose answer nobody will certify: it is enough to be sure that what was asked for
    /// holds, without the last digits of by how much.
    #[must_use]
    pub fn as_trial(mut self) -> Self {
        self.is_trial = true;
        self
    }

    /// Whether the answer is for comparison only.
    pub fn is_trial(&self) -> bool {
        self.is_trial
    }

    /// The limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// How good the answer must be.
    pub fn tolerance(&self) -> Tolerance {
        self.tolerance
    }

    /// Whether to end now whatever the iteration: told to stop, or out of time.
    pub fn stop(&self) -> Option<Status> {
        if self.watch.stopped() {
            return Some(Status::Stopped);
        }
        self.limits.time.filter(|&time| self.started.elapsed() >= time).map(|_| Status::TimeLimit)
    }

    /// Whether to end after so many iterations.
    pub fn over(&self, iterations: u64) -> Option<Status> {
        let limit = self.limits.iterations.filter(|&limit| iterations >= limit);
        self.stop().or(limit.map(|_| Status::IterationLimit))
    }

    /// Does a part of the work with a tolerance of its own, after so many iterations of other parts.
    pub(crate) fn part<R>(
        &mut self,
        tolerance: Tolerance,
        done: u64,
        work: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let (limits, whole) = (self.limits, self.tolerance);
        self.limits.iterations = limits.iterations.map(|most| most.saturating_sub(done));
        self.tolerance = tolerance;
        let result = work(self);
        (self.limits, self.tolerance) = (limits, whole);
        result
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Tells how far it is; the time is filled in here.
    pub fn report(&mut self, progress: Progress) {
        let progress = Progress { seconds: self.seconds(), ..progress };
        self.watch.report(&progress);
        if self.trace.len() == TRACE {
            let mut keep = false;
            self.trace.retain(|_| {
                keep = !keep;
                keep
            });
        }
        self.trace.push(progress);
    }

    /// Counts kernel entries that were computed.
    pub fn count(&mut self, entries: usize) {
        self.entries += entries as u64;
    }

    /// Kernel entries computed so far.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// What was reported, thinned.
    pub fn trace(&self) -> &[Progress] {
        &self.trace
    }

    /// A solution made in this run.
    pub fn solution(&self, alpha: Vec<f64>, bias: f64, status: Status, iterations: u64) -> crate::Solution {
        crate::Solution {
            alpha,
            bias,
            level: None,
            scores: None,
            weights: None,
            status,
            iterations,
            entries: self.entries,
            seconds: self.seconds(),
            trace: self.trace.clone(),
        }
    }
}
