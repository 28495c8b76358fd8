//! Searching for a kernel and λ: every candidate is judged on rows that it has not seen (`docs/maths.md` §6).
//!
//! ```
//! use mercer_model::tune::{Search, Strength, Tuning, Validation, tune};
//! use mercer_model::{Learner, Setting, Spec, Training};
//! let mut table = mercer_points::read("@moons(n=60)", &Default::default()).unwrap();
//! let target = table.remove("label").unwrap();
//! let tuning = Tuning {
//!     search: Search::Grid { points: 3 },
//!     validation: Validation::Folds { k: 3, repeats: 1 },
//!     ..Tuning::new("rbf(sigma=0.1..10)".parse().unwrap(), Strength::C("0.1..100".parse().unwrap()), Learner::Smo)
//! };
//! let found = tune(&tuning, &Training::new(&table, &target), &Setting::default(), &|_| {}).unwrap();
//! assert_eq!(found.trials.len(), 9);
//! assert!(found.best().mean() > 0.9);
//! ```

mod aligned;
mod fold;
mod journal;
mod leave_one_out;
mod path;
mod ridge;
mod template;
mod validation;

pub use aligned::{Aligned, aligned};
pub use path::{RegularizationPath, Waypoint, path};
pub use template::{Template, Values};
pub use validation::Validation;

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use mercer_gram::Squares;
use mercer_kernel::KernelExpr;
use mercer_points::{Column, Points, Split, Strata, holdout};
use mercer_solve::{Regularization, Tolerance};
use rand::SeedableRng;
use rand_pcg::Pcg64;

use self::fold::{Said, measured, said, truth};
use self::journal::{Journal, Key};
use self::leave_one_out::{left_out, row_error};
use crate::beside::{Beside, Size, is_direct};
use crate::metrics::{Metric, Subject};
use crate::target::Goal;
use crate::{Learner, ModelError, Multiclass, Setting, Spec, Training};

/// The strength of the penalty, by the name that is searched over.
#[derive(Debug, Clone, PartialEq)]
pub enum Strength {
    /// λ.
    Lambda(Values),
    /// C.
    C(Values),
    /// μ.
    Mu(Values),
}

impl Strength {
    /// The same with every number of a range, which is never one of whole numbers alone.
    fn real(self) -> Self {
        match self {
            Self::Lambda(values) => Self::Lambda(values.real()),
            Self::C(values) => Self::C(values.real()),
            Self::Mu(values) => Self::Mu(values.real()),
        }
    }

    fn values(&self) -> &Values {
        match self {
            Self::Lambda(values) | Self::C(values) | Self::Mu(values) => values,
        }
    }

    /// So many of them evenly spread, or all there are if they are fewer or listed.
    ///
    /// ```
    /// use mercer_model::tune::Strength;
    /// use mercer_solve::Regularization;
    /// let strength = Strength::C("0.1..10".parse().unwrap());
    /// assert_eq!(strength.grid(3).unwrap()[1], Regularization::C(1.0));
    /// ```
    pub fn grid(&self, points: usize) -> Result<Vec<Regularization>, ModelError> {
        if *self.values() == Values::Distances {
            return Err(ModelError::Spec(format!(
                "distances say nothing about {self}; write LOW..HIGH, or values with | between them"
            )));
        }
        Ok(self.clone().real().values().grid(points).into_iter().map(|value| self.at(value)).collect())
    }

    /// One of them.
    fn at(&self, value: f64) -> Regularization {
        match self {
            Self::Lambda(_) => Regularization::Lambda(value),
            Self::C(_) => Regularization::C(value),
            Self::Mu(_) => Regularization::Mu(value),
        }
    }

    fn around(&self, value: f64, points: usize) -> Self {
        let values = self.values().around(value, points);
        match self {
            Self::Lambda(_) => Self::Lambda(values),
            Self::C(_) => Self::C(values),
            Self::Mu(_) => Self::Mu(values),
        }
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Lambda(_) => "lambda",
            Self::C(_) => "C",
            Self::Mu(_) => "mu",
        };
        write!(f, "{name}={}", self.values())
    }
}

/// In which order candidates are tried, and which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// Every combination of so many values.
    Grid {
        /// Values of each range.
        points: usize,
    },
    /// So many combinations by chance.
    Random {
        /// Combinations.
        draws: usize,
    },
    /// A grid, of which a third goes on with three times the rows, until the rows are all.
    Halving {
        /// Values of each range.
        points: usize,
    },
    /// A grid, then finer ones around the best.
    Refine {
        /// Values of each range.
        points: usize,
        /// Grids.
        rounds: usize,
    },
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grid { points } => write!(f, "grid({points})"),
            Self::Random { draws } => write!(f, "random({draws})"),
            Self::Halving { points } => write!(f, "halving({points})"),
            Self::Refine { points, rounds } => write!(f, "refine({points}, {rounds})"),
        }
    }
}

/// What is searched, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuning {
    /// All but kernel and strength.
    pub spec: Spec,
    /// The kernel with values left open.
    pub template: Template,
    /// The strength of the penalty.
    pub strength: Strength,
    /// Which candidates are tried.
    pub search: Search,
    /// On which rows they are judged.
    pub validation: Validation,
    /// By what; accuracy for classes and RMSE for numbers if not given.
    pub metric: Option<Metric>,
    /// A file from which a search that was killed goes on.
    pub journal: Option<PathBuf>,
}

impl Tuning {
    /// A search on a grid of ten values each, in five folds; every machine is solved to a violation of 1e-3, or to a relative
    /// gap of 1e-5 by learners other than smo.
    pub fn new(template: Template, strength: Strength, learner: Learner) -> Self {
        // Any kernel will do: the template takes its place.
        let kernel =
            template.grid(2).into_iter().next().unwrap_or_else(|| "linear".parse().expect("it is a kernel"));
        // Only the dual engine has a use for a violation alone; a gap means something to every solver.
        let tolerance = match learner {
            Learner::Smo => Tolerance { gap: None, violation: Some(1e-3) },
            _ => Tolerance { gap: Some(1e-5), violation: None },
        };
        Self {
            spec: Spec { tolerance, ..Spec::new(kernel, learner) },
            template,
            strength: strength.real(),
            search: Search::Grid { points: 10 },
            validation: Validation::Folds { k: 5, repeats: 1 },
            metric: None,
            journal: None,
        }
    }
}

/// A kernel and a strength, and how well they did.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The kernel.
    pub kernel: KernelExpr,
    /// The strength of the penalty.
    pub strength: Regularization,
    /// Rows that were trained on in the first split.
    pub rows: usize,
    /// The metric on each split.
    pub scores: Vec<f64>,
    /// Whether every machine was solved to the tolerance.
    pub is_solved: bool,
    /// The standard error by what the rows say, where each was left out by itself.
    pub row_error: Option<f64>,
}

impl Trial {
    /// The mean over the splits.
    pub fn mean(&self) -> f64 {
        self.scores.iter().sum::<f64>() / self.scores.len() as f64
    }

    /// The standard error of the mean; of one split none but what the rows say.
    pub fn error(&self) -> Option<f64> {
        let n = self.scores.len() as f64;
        let mean = self.mean();
        let squares: f64 = self.scores.iter().map(|score| (score - mean).powi(2)).sum();
        if n > 1.0 { Some((squares / (n - 1.0) / n).sqrt()) } else { self.row_error }
    }
}

/// What a search has found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What was tried, in the order in which it was.
    pub trials: Vec<Trial>,
    /// By what it was judged.
    pub metric: Metric,
    /// Splits that each was judged on.
    pub splits: usize,
    /// Whether there was no time to try all.
    pub is_cut_short: bool,
    best: usize,
    simplest: usize,
}

impl Found {
    /// The best of those trained on most rows; of equals the first.
    pub fn best(&self) -> &Trial {
        &self.trials[self.best]
    }

    /// Of those within one standard error of the best the one with the largest λ: as good as the best for all that is known,
    /// and simpler.
    pub fn simplest(&self) -> &Trial {
        &self.trials[self.simplest]
    }

    fn new(
        trials: Vec<Trial>,
        metric: Metric,
        splits: usize,
        is_cut_short: bool,
    ) -> Result<Self, ModelError> {
        let sign = metric.sign();
        let most = trials.iter().map(|trial| trial.rows).max().unwrap_or(0);
        let fit = |k: &usize| trials[*k].rows == most && trials[*k].mean().is_finite();
        let whole: Vec<usize> = (0..trials.len()).filter(fit).collect();
        let better = |a: usize, b: usize| sign * trials[a].mean() > sign * trials[b].mean();
        let Some(best) = whole.iter().copied().reduce(|best, k| if better(k, best) { k } else { best })
        else {
            return Err(ModelError::Spec(
                "no candidate could be judged in the time there was; give it more".to_owned(),
            ));
        };
        let enough = sign * trials[best].mean() - trials[best].error().unwrap_or(0.0);
        let lambda = |k: usize| trials[k].strength.lambda(most).unwrap_or(0.0);
        let near = whole.iter().copied().filter(|&k| sign * trials[k].mean() >= enough);
        let simplest = near.fold(best, |simplest, k| {
            let (new, old) = (lambda(k), lambda(simplest));
            if new > old || new == old && better(k, simplest) { k } else { simplest }
        });
        Ok(Self { trials, metric, splits, is_cut_short, best, simplest })
    }
}

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sofar {
    /// Fits done, with those that were known.
    pub done: usize,
    /// Fits there will be, as far as that is known.
    pub all: usize,
}

/// Searches for the best candidate.
///
/// Ends early when the time of `setting` is over or its watch says so: the candidates judged by then are what is found.
pub fn tune(
    tuning: &Tuning,
    training: &Training<'_>,
    setting: &Setting<'_>,
    tell: &(dyn Fn(Sofar) + Sync),
) -> Result<Found, ModelError> {
    let Some(target) = training.target else {
        return Err(ModelError::Target(
            "a search needs a target to judge candidates by; name its column (--target)".to_owned(),
        ));
    };
    tuning.strength.grid(2)?;
    let goal = truth(&tuning.spec, target, training.table.len())?;
    let metric = tuning.metric.unwrap_or_else(|| usual(&goal));
    let has_none = tuning.spec.probabilities.is_none() && tuning.spec.multiclass != Multiclass::Softmax;
    if metric.info().subject == Subject::Probabilities && has_none {
        return Err(ModelError::Spec(format!(
            "{metric} judges probabilities, and none are asked for (--probabilities platt)"
        )));
    }
    let splits = tuning.validation.splits(&target.data, tuning.spec.seed)?;
    let journal = match &tuning.journal {
        Some(path) => Some(Journal::open(path, &description(tuning, training, metric))?),
        None => None,
    };
    let work = Work {
        tuning,
        training,
        target,
        goal: &goal,
        metric,
        setting,
        journal,
        splits,
        squares: Squares::default(),
        started: Instant::now(),
        tell,
    };
    let (trials, is_cut_short) = work.search()?;
    Found::new(trials, metric, work.splits.len(), is_cut_short)
}

/// The metric of those who name none.
fn usual(goal: &Goal) -> Metric {
    if matches!(goal, Goal::Classes(..)) { Metric::Accuracy } else { Metric::Rmse }
}

/// What the memory of one kernel on one split goes by.
fn size(spec: &Spec, goal: &Goal, splits: &[Split], leaves_one_out: bool) -> Size {
    let machines = match goal {
        Goal::Classes(names, _) if names.len() > 2 => names.len(),
        _ => 1,
    };
    let rows = splits.iter().map(|split| split.train.len()).max().unwrap_or(0);
    Size { rows, machines, is_direct: leaves_one_out || is_direct(spec.learner) }
}

/// All that decides over the results of a search.
fn description(tuning: &Tuning, training: &Training<'_>, metric: Metric) -> String {
    let data = crate::hash::data(training.table, training.target, training.weights);
    let Tuning { spec, template, strength, search, validation, .. } = tuning;
    let validation = validation.told();
    format!("{template} {strength} {search} {validation} {metric} | {spec} | {data}")
}

/// How well a candidate did on one split.
#[derive(Debug, Clone, Copy)]
struct Judged {
    score: f64,
    /// The standard error by rows, where each was left out by itself.
    row_error: Option<f64>,
    is_solved: bool,
}

/// Kernels with the strengths that each is tried with.
type Plan = Vec<(KernelExpr, Vec<f64>)>;

struct Work<'a> {
    tuning: &'a Tuning,
    training: &'a Training<'a>,
    target: &'a Column,
    goal: &'a Goal,
    metric: Metric,
    setting: &'a Setting<'a>,
    journal: Option<Journal>,
    splits: Vec<Split>,
    squares: Squares,
    started: Instant,
    tell: &'a (dyn Fn(Sofar) + Sync),
}

impl Work<'_> {
    fn search(&self) -> Result<(Vec<Trial>, bool), ModelError> {
        let Tuning { template, strength, search, .. } = self.tuning;
        let grid = |template: &Template, strength: &Strength, points: usize| -> Plan {
            let values = strength.values().grid(points);
            template.grid(points).into_iter().map(|kernel| (kernel, values.clone())).collect()
        };
        match *search {
            Search::Grid { points } => self.judge(&grid(template, strength, points), &self.splits),
            Search::Random { draws } => {
                let mut random = Pcg64::seed_from_u64(self.tuning.spec.seed);
                let plan: Result<Plan, ModelError> = (0..draws)
                    .map(|_| Ok((template.draw(&mut random)?, vec![strength.values().draw(&mut random)])))
                    .collect();
                self.judge(&plan?, &self.splits)
            }
            Search::Refine { points, rounds } => {
                let (mut template, mut strength) = (template.clone(), strength.clone());
                let mut all: Vec<Trial> = Vec::new();
                for _ in 0..rounds.max(1) {
                    let mut plan = grid(&template, &strength, points);
                    let is_new = |kernel: &KernelExpr, value: f64| {
                        let same =
                            |trial: &Trial| trial.kernel == *kernel && trial.strength == strength.at(value);
                        !all.iter().any(same)
                    };
                    plan.iter_mut()
                        .for_each(|(kernel, values)| values.retain(|&value| is_new(kernel, value)));
                    let (trials, is_cut_short) = self.judge(&plan, &self.splits)?;
                    all.extend(trials);
                    if is_cut_short {
                        return Ok((all, true));
                    }
                    let found = Found::new(all.clone(), self.metric, self.splits.len(), false)?;
                    let best = found.best();
                    template = template.around(&best.kernel, points);
                    strength = strength.around(best.strength.spelled().1, points);
                }
                Ok((all, false))
            }
            Search::Halving { points } => self.halve(grid(template, strength, points)),
        }
    }

    /// Candidates on a ninth of the rows, a third of them on a third, a ninth of them on all.
    fn halve(&self, mut plan: Plan) -> Result<(Vec<Trial>, bool), ModelError> {
        let mut all = Vec::new();
        for part in [9, 3, 1] {
            let thin = |split: &Split| self.thinned(split, part);
            let splits: Vec<Split> = self.splits.iter().map(thin).collect::<Result<_, _>>()?;
            let (trials, is_cut_short) = self.judge(&plan, &splits)?;
            let mut order: Vec<usize> = (0..trials.len()).collect();
            let sign = -self.metric.sign();
            order.sort_by(|&a, &b| {
                (sign * trials[a].mean()).total_cmp(&(sign * trials[b].mean())).then(a.cmp(&b))
            });
            let kept = &order[..order.len().div_ceil(3)];
            for (kernel, values) in &mut plan {
                let is_kept = |value: f64| {
                    let same = |&k: &usize| {
                        trials[k].kernel == *kernel && trials[k].strength == self.tuning.strength.at(value)
                    };
                    kept.iter().any(same)
                };
                values.retain(|&value| is_kept(value));
            }
            plan.retain(|(_, values)| !values.is_empty());
            all.extend(trials);
            if is_cut_short {
                return Ok((all, true));
            }
        }
        Ok((all, false))
    }

    /// The same test with one in so many of the training rows, drawn so that classes keep their shares.
    fn thinned(&self, split: &Split, part: usize) -> Result<Split, ModelError> {
        if part == 1 {
            return Ok(split.clone());
        }
        let strata = Strata::of(&self.target.data.select(&split.train));
        let drawn = holdout(&strata, 1.0 / part as f64, self.tuning.spec.seed);
        let drawn = drawn.map_err(|error| ModelError::Spec(error.to_string()))?;
        let train: Vec<usize> = drawn.test.iter().map(|&k| split.train[k]).collect();
        // A row that is not there cannot be left out.
        let test = if self.leaves_one_out() { train.clone() } else { split.test.clone() };
        Ok(Split { train, test })
    }

    /// Every candidate on every split; what there was no time for is left out.
    fn judge(&self, plan: &Plan, splits: &[Split]) -> Result<(Vec<Trial>, bool), ModelError> {
        let tasks: Vec<(usize, usize)> =
            (0..plan.len()).flat_map(|kernel| (0..splits.len()).map(move |split| (kernel, split))).collect();
        let all = plan.iter().map(|(_, values)| values.len()).sum::<usize>() * splits.len();
        let done = std::sync::atomic::AtomicUsize::new(0);
        let size = size(&self.tuning.spec, self.goal, splits, self.leaves_one_out());
        let beside = Beside::in_parts(self.setting.budget, tasks.len(), size);
        let judged = |task: usize| -> Result<Option<Vec<Judged>>, ModelError> {
            if self.is_over() {
                return Ok(None);
            }
            let (kernel, split) = tasks[task];
            let (kernel, values) = &plan[kernel];
            let setting = Setting { budget: beside.room, ..self.setting.rest(self.started) };
            let found = match self.scores(kernel, values, (split, &splits[split]), &setting) {
                // A fit that was stopped may lack what is judged.
                Err(_) if self.is_over() => return Ok(None),
                found => found?,
            };
            let done = done.fetch_add(values.len(), std::sync::atomic::Ordering::Relaxed) + values.len();
            (self.tell)(Sofar { done, all });
            // A machine that was stopped is not what it would have been.
            Ok(Some(found).filter(|_| !self.is_over()))
        };
        let results = beside.map(tasks.len(), judged)?;
        let is_cut_short = results.iter().any(Option::is_none);
        let mut trials = Vec::new();
        for (number, (kernel, values)) in plan.iter().enumerate() {
            let own = &results[number * splits.len()..(number + 1) * splits.len()];
            let Some(own) = own.iter().map(Option::as_ref).collect::<Option<Vec<_>>>() else { continue };
            for (k, &value) in values.iter().enumerate() {
                trials.push(Trial {
                    kernel: kernel.clone(),
                    strength: self.tuning.strength.at(value),
                    rows: splits.first().map_or(0, |split| split.train.len()),
                    scores: own.iter().map(|judged| judged[k].score).collect(),
                    row_error: own.first().and_then(|judged| judged[k].row_error),
                    is_solved: own.iter().all(|judged| judged[k].is_solved),
                });
            }
        }
        Ok((trials, is_cut_short))
    }

    fn leaves_one_out(&self) -> bool {
        self.tuning.validation == Validation::LeaveOneOut
    }

    fn is_over(&self) -> bool {
        self.setting.is_over(self.started)
    }

    /// The metric of every strength on one split, recalled or worked out.
    fn scores(
        &self,
        kernel: &KernelExpr,
        values: &[f64],
        (number, split): (usize, &Split),
        setting: &Setting<'_>,
    ) -> Result<Vec<Judged>, ModelError> {
        let strengths: Vec<Regularization> =
            values.iter().map(|&value| self.tuning.strength.at(value)).collect();
        let key = |strength: &Regularization, number: usize| -> Key {
            (kernel.to_string(), format!("{strength:?}"), split.train.len(), number)
        };
        if let Some(journal) = &self.journal {
            // The error by rows is taken down as if it were that of another split: where there is one, there are none.
            let recalled = |strength: &Regularization| {
                let score = journal.recall(&key(strength, number))?;
                let row_error = journal.recall(&key(strength, 1)).filter(|_| self.leaves_one_out());
                Some(Judged { score, row_error, is_solved: true })
            };
            let known: Option<Vec<Judged>> = strengths.iter().map(recalled).collect();
            if let Some(known) = known {
                return Ok(known);
            }
        }
        // Calibration takes several fits; what does not judge it does without.
        let is_judged = self.metric.info().subject == Subject::Probabilities;
        let probabilities = self.tuning.spec.probabilities.filter(|_| is_judged);
        let spec = Spec { kernel: kernel.clone(), probabilities, ..self.tuning.spec.clone() };
        let classes: &[String] = if let Goal::Classes(names, _) = self.goal { names } else { &[] };
        let data = (self.training, self.target);
        let answers = if self.leaves_one_out() {
            left_out(&spec, &strengths, data, &split.train, setting)?
        } else {
            said(&spec, &strengths, data, classes, split, setting, &self.squares)?
        };
        let judged = |said: &Said| {
            let row_error = row_error(self.metric, self.goal, said, &split.test);
            Ok(Judged {
                score: measured(self.metric, self.goal, self.training.weights, said, &split.test)?,
                row_error: row_error.filter(|_| self.leaves_one_out()),
                is_solved: said.is_solved,
            })
        };
        let judged: Vec<Judged> = answers.iter().map(judged).collect::<Result<_, ModelError>>()?;
        if let Some(journal) = self.journal.as_ref().filter(|_| !self.is_over()) {
            // What was not solved is tried again, and so told again, by a search that goes on.
            let solved = strengths.iter().zip(&judged).filter(|(_, judged)| judged.is_solved);
            let lines = solved.flat_map(|(strength, judged)| {
                let error = judged.row_error.map(|error| (key(strength, 1), error));
                std::iter::once((key(strength, number), judged.score)).chain(error)
            });
            journal.note(&lines.collect::<Vec<_>>())?;
        }
        Ok(judged)
    }
}
