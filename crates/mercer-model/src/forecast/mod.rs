//! What a fit will take, before it begins: how kernel entries are held, seconds, and memory (`docs/concepts/performance.md`).
//!
//! Memory follows from the sizes that the solver itself decides by. Time is measured: tiles of this kernel on these points,
//! and pilots, which are fits of a few of the rows, until they would take more than a small share of what is forecast.
//! The plan depends on data, specification and budget alone; seconds depend on the machine.

mod memory;
mod pilot;
mod time;

use std::fmt;
use std::time::Instant;

use mercer_gram::{Gram, Lazy};
use mercer_points::{Dense, Points};
use mercer_solve::solvers::Softmax;
use mercer_solve::{Features, Footprint, Holding, Objective, Sizes, SolveError};

use self::pilot::trials;
use self::time::Clock;
use crate::beside::is_direct;
use crate::build::solver_for;
use crate::calibration;
use crate::fit::features;
use crate::ground::Ground;
use crate::machines::{Posed, objective};
use crate::shares::Shares;
use crate::{Learner, ModelError, Setting, Spec, Training};

/// How a fit goes about the kernel entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// All entries are in memory at once.
    Whole,
    /// Entries between so many variables at a time are; others are computed whenever they are wanted.
    WorkingSets(usize),
    /// Besides, so many whole rows are kept.
    Rows(usize),
    /// Entries are computed whenever they are wanted, and none is kept.
    Recomputed,
    /// No kernel entry is computed: the learner works on so many features.
    Features(usize),
    /// The budget has no room for what the learner needs.
    Refused {
        /// Bytes that it needs.
        needed: u128,
        /// Bytes that it may have.
        budget: u64,
        /// Rows that there would be room for.
        room: usize,
        /// A learner that needs less, where there is one.
        other: Option<Learner>,
    },
}

/// What a fit is expected to take.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// How it goes about the kernel entries.
    pub plan: Plan,
    /// Seconds; none for what is refused, and where no pilot came to an end.
    pub seconds: Option<f64>,
    /// Bytes at the peak, on top of the table.
    pub peak_bytes: u64,
    /// What these bytes are, largest first.
    pub parts: Vec<(&'static str, u64)>,
    /// Rows of the table.
    pub rows: usize,
    /// Rows that are expected to have a coefficient; none where no pilot came to an end.
    pub support: Option<usize>,
    /// Machines that are solved, not counting those of probabilities.
    pub machines: usize,
    /// Rows of the largest pilot; 0 without one.
    pub pilot: usize,
    /// Seconds that the forecast itself took.
    pub spent: f64,
}

impl Forecast {
    /// Whether the fit would be refused.
    pub fn is_refused(&self) -> bool {
        matches!(self.plan, Plan::Refused { .. })
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("all kernel entries in memory"),
            Self::WorkingSets(variables) => {
                write!(
                    f,
                    "kernel entries of {variables} variables at a time, the others computed when wanted"
                )
            }
            Self::Rows(rows) => {
                write!(f, "{rows} rows of kernel entries kept, the others computed when wanted")
            }
            Self::Recomputed => f.write_str("kernel entries computed when wanted, none kept"),
            Self::Features(count) => write!(f, "{count} explicit features, no kernel entries"),
            Self::Refused { needed, budget, .. } => {
                write!(f, "refused: needs {}, the budget is {}", size(*needed), size((*budget).into()))
            }
        }
    }
}

/// Bytes in a unit that is read at a glance.
pub fn size(bytes: u128) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && value < 9.95);
    format!("{value:.digits$} {}", units[unit])
}

/// What a fit is expected to take; errors are those that the fit would begin with.
///
/// ```
/// use mercer_model::forecast::{Plan, forecast};
/// use mercer_model::{Learner, Setting, Spec, Training};
/// let mut table = mercer_points::read("@moons(n=400)", &Default::default()).unwrap();
/// let target = table.remove("label").unwrap();
/// let spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::Smo);
/// let found = forecast(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
/// assert_eq!(found.plan, Plan::Whole);
/// assert!(found.peak_bytes >= 8 * 400 * 400 && found.seconds.unwrap() < 60.0);
/// ```
pub fn forecast(spec: &Spec, training: &Training<'_>, setting: &Setting<'_>) -> Result<Forecast, ModelError> {
    let started = Instant::now();
    let rows = training.table.len();
    if rows == 0 {
        return Err(SolveError::Empty.into());
    }
    let ground = Ground::of(spec, training)?;
    if spec.probabilities.is_some() {
        calibration::check(spec, training.table, &ground.goal, ground.weights.as_deref())?;
    }
    let gram = ground.gram(spec, training)?;
    let explicit =
        if spec.learner.info().explicit { Some(features(spec, &gram, setting.budget)?) } else { None };
    let posed = Posed {
        spec,
        loss: ground.loss,
        goal: &ground.goal,
        weights: ground.weights.as_deref(),
        gram: &gram,
        features: explicit.as_ref(),
        setting,
    };
    let begun = started.elapsed().as_secs_f64();
    let job = Job::new(&posed, training, &ground)?;
    let mut found = Forecast {
        plan: Plan::Recomputed,
        seconds: None,
        peak_bytes: 0,
        parts: Vec::new(),
        rows,
        support: None,
        machines: job.shares.len(),
        pilot: 0,
        spent: 0.0,
    };
    match job.footprint(job.usual()) {
        Ok(_) => {}
        Err(SolveError::OverBudget { needed, budget, .. }) => {
            found.plan = job.refused(needed, budget);
            found.peak_bytes = u64::try_from(needed).unwrap_or(u64::MAX);
            found.spent = started.elapsed().as_secs_f64();
            return Ok(found);
        }
        Err(error) => return Err(error.into()),
    }
    let clock = Clock::new(&job);
    let trials = trials(&job, &clock)?;
    let expected = clock.expected(&job, &trials);
    let footprint = job.footprint(expected.unwrap_or(job.usual()))?;
    found.plan = job.plan(footprint);
    found.parts = memory::parts(&job, footprint, expected.unwrap_or(job.usual()));
    found.peak_bytes = found.parts.iter().map(|part| part.1).sum();
    found.support = expected.map(|expected| job.support(expected));
    found.pilot = trials.last().map_or(0, |trial| trial.rows);
    let solving = clock.seconds(&job, &job.shares, &trials);
    found.seconds = solving.filter(|seconds| seconds.is_finite()).map(|seconds| {
        let whole = clock.with_probabilities(spec, seconds) + begun + clock.hashing(training);
        setting.limits.time.map_or(whole, |limit| whole.min(limit.as_secs_f64()))
    });
    found.spent = started.elapsed().as_secs_f64();
    Ok(found)
}

/// The problems of a model, by what decides over their memory and time.
struct Job<'a> {
    posed: &'a Posed<'a>,
    training: &'a Training<'a>,
    ground: &'a Ground,
    /// Rows of each machine.
    shares: Vec<usize>,
    /// The features of all rows, for learners that work on them.
    features: Option<Features>,
    /// Variables of the dual for each row.
    variables: usize,
    /// Whether machines of pairs run side by side.
    at_once: usize,
}

/// What a machine of a row's share is expected to find: coefficients, and those inside their bounds, for each row.
#[derive(Debug, Clone, Copy)]
struct Expected {
    support: f64,
    free: f64,
}

impl<'a> Job<'a> {
    fn new(posed: &'a Posed<'a>, training: &'a Training<'a>, ground: &'a Ground) -> Result<Self, ModelError> {
        let shares = Shares::of(posed);
        let at_once = crate::machines::at_once(posed, &shares);
        let shares = rows_of(posed, &shares);
        let features = posed.features.map(whole).transpose()?;
        Ok(Self { posed, training, ground, shares, features, variables: variables(posed)?, at_once })
    }

    fn gram(&self) -> &Lazy {
        self.posed.gram
    }

    fn largest(&self) -> usize {
        self.shares.iter().copied().max().unwrap_or(0)
    }

    /// Classes whose functions are found together, by softmax.
    fn classes(&self) -> Option<usize> {
        crate::softmax::classes(self.posed).map(|(names, _)| names.len())
    }

    /// What is assumed before anything was tried.
    fn usual(&self) -> Expected {
        if self.kind() == Kind::Dual {
            Expected { support: 0.4, free: 0.1 }
        } else {
            Expected { support: 1.0, free: 1.0 }
        }
    }

    fn sizes(&self, rows: usize, expected: Expected) -> Sizes {
        let of = |share: f64| ((share * rows as f64) as usize).min(rows);
        Sizes {
            rows,
            variables: self.variables,
            support: of(expected.support),
            free: of(expected.free),
            is_cheap: self.gram().is_cheap(),
            tolerance: self.posed.spec.tolerance,
        }
    }

    /// What the solver of the largest machine holds.
    fn footprint(&self, expected: Expected) -> Result<Footprint, SolveError> {
        self.footprint_of(self.largest(), expected)
    }

    fn footprint_of(&self, rows: usize, expected: Expected) -> Result<Footprint, SolveError> {
        if let Some(classes) = self.classes() {
            return Softmax { budget: self.posed.setting.budget }.footprint(rows, classes);
        }
        let solver = solver_for(self.posed.spec, self.features.as_ref(), self.posed.setting.budget);
        match solver {
            Ok(solver) => solver.footprint(&self.sizes(rows, expected)),
            Err(ModelError::Solve(error)) => Err(error),
            Err(_) => Ok(Footprint::default()),
        }
    }

    fn plan(&self, footprint: Footprint) -> Plan {
        match (footprint.holding, &self.features) {
            (Holding::Nothing, Some(features)) => Plan::Features(features.dimension()),
            (Holding::Whole, Some(features)) if self.posed.spec.learner == Learner::RidgePrimal => {
                Plan::Features(features.dimension())
            }
            (Holding::Nothing, None) => Plan::Recomputed,
            (Holding::Whole, _) => Plan::Whole,
            (Holding::WorkingSet(variables), _) => Plan::WorkingSets(variables),
            (Holding::Rows(rows), _) => Plan::Rows(rows),
        }
    }

    fn refused(&self, needed: u128, budget: u64) -> Plan {
        let rows = self.largest();
        let part = budget as f64 / needed as f64;
        // Vectors, which is what softmax needs, grow as the rows do, and matrices as their pairs.
        let is_softmax = self.classes().is_some();
        let room = (rows as f64 * if is_softmax { part } else { part.sqrt() }) as usize;
        let other = match self.posed.spec.learner {
            _ if is_softmax => None,
            Learner::Cholesky | Learner::Eigen | Learner::RidgePrimal | Learner::RidgeDual => {
                Some(Learner::Cg)
            }
            Learner::Newton => Some(Learner::Gradient),
            Learner::Qp | Learner::Primal | Learner::LsSvm => Some(Learner::Smo),
            _ => None,
        };
        Plan::Refused { needed, budget, room, other }
    }

    /// Rows that any machine is expected to use.
    fn support(&self, expected: Expected) -> usize {
        let all = self.gram().len();
        match self.shares.len() {
            1 => ((expected.support * all as f64).round() as usize).min(all),
            // A row that is easy for one machine may be hard for another.
            several => {
                let missed = (1.0 - expected.support).max(0.0);
                let times = (self.shares.iter().sum::<usize>() as f64 / all as f64).min(several as f64);
                ((1.0 - missed.powf(times.sqrt())) * all as f64) as usize
            }
        }
    }

    fn kind(&self) -> Kind {
        use Learner::{HardMargin, NuSvc, NuSvr, OneClass, Quantile, Smo, Svr};
        match self.posed.spec.learner {
            _ if self.posed.spec.penalty == mercer_solve::Penalty::Norm => Kind::Other,
            _ if self.classes().is_some() => Kind::Other,
            Smo | Svr | Quantile | NuSvc | NuSvr | OneClass | HardMargin => Kind::Dual,
            learner if is_direct(learner) => Kind::Direct,
            _ => Kind::Other,
        }
    }
}

/// Rows of each machine; functions of softmax are found together, from all rows.
fn rows_of(posed: &Posed<'_>, shares: &Shares<'_>) -> Vec<usize> {
    if crate::softmax::classes(posed).is_some() {
        return vec![posed.gram.len()];
    }
    shares.sizes().collect()
}

/// How time grows with the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// As entries that are wanted, and steps of pairs.
    Dual,
    /// As a factorisation.
    Direct,
    /// As pilots say.
    Other,
}

fn whole(points: &Dense<f64>) -> Result<Features, ModelError> {
    Ok(Features::new(points.len(), points.dim(), points.values().to_vec())?)
}

/// Variables of the dual for each row.
fn variables(posed: &Posed<'_>) -> Result<usize, ModelError> {
    let loss = posed.loss.map(|loss| loss.build()).transpose()?;
    Ok(match objective(posed.spec, loss.as_deref()) {
        Objective::Risk(loss) if loss.quadratic(1.0).is_some_and(|form| form.kink > 0.0) => 2,
        Objective::NuRegression { .. } => 2,
        _ => 1,
    })
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_read_at_a_glance() {
        let said = [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1_000, "1.0 kB"),
            (9_960_000, "10 MB"),
            (1_234_000_000, "1.2 GB"),
        ];
        for (bytes, words) in said {
            assert_eq!(size(bytes), words);
        }
    }
}
