//! The one-command path: from a table and the name of its target to a certified model that was judged on rows it has not
//! seen (`docs/maths.md` §6.3).
//!
//! Columns that can only mislead are left out, the task follows from the target, kernels and strengths are tried on folds of
//! the training rows — coarsely on few rows, finely on more — and the usual kernel stays unless another one is better by
//! more than chance explains. What is reported is the score on held-out rows, with its interval, and what to worry about.
//!
//! ```
//! use mercer_model::auto::{Auto, auto};
//! use mercer_model::{Setting, Training};
//! let mut table = mercer_points::read("@moons(n=120)", &Default::default()).unwrap();
//! let target = table.remove("label").unwrap();
//! let ask = Auto { time: std::time::Duration::from_secs(20), ..Auto::default() };
//! let report = auto(&ask, &Training::new(&table, &target), None, &Setting::default(), &|_| {}).unwrap();
//! assert!(report.score().value > 0.8 && report.model.certified());
//! ```

mod candidates;
mod columns;
mod compare;
mod judge;
mod task;
mod worries;

pub use columns::LeftOut;
pub use worries::Worry;

use std::time::{Duration, Instant};

use mercer_kernel::KernelExpr;
use mercer_points::{Column, ColumnData, Points, Split, Strata, Table, holdout};
use mercer_solve::loss::LossSpec;
use mercer_solve::{Regularization, Status, Tolerance};

use self::candidates::{contrast, scaling};
use self::compare::Compared;
use self::judge::{judge, of_scores};
use crate::metrics::{Interval, Metric};
use crate::rows::Rows;
use crate::target::levels;
use crate::tune::{Found, Sofar, Trial};
use crate::{ClassWeights, Learner, Model, ModelError, Multiclass, Setting, Spec, Task, Training, fit};

/// What is asked for; all of it has a sensible default.
#[derive(Debug, Clone, PartialEq)]
pub struct Auto {
    /// What is predicted; inferred from the target if not given.
    pub task: Option<Task>,
    /// The share of the rows that the model is judged by.
    pub hold_out: f64,
    /// Time for everything.
    pub time: Duration,
    /// By what candidates are compared; accuracy for classes and RMSE for numbers if not given.
    pub metric: Option<Metric>,
    /// How much each class counts.
    pub class_weights: ClassWeights,
    /// Whether the model is fitted again on all rows after it was judged.
    pub refit: bool,
    /// Seed of what is drawn.
    pub seed: u64,
}

impl Default for Auto {
    fn default() -> Self {
        Self {
            task: None,
            hold_out: 0.2,
            time: Duration::from_secs(60),
            metric: None,
            class_weights: ClassWeights::Equal,
            refit: true,
            seed: 0,
        }
    }
}

/// What is going on.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    /// Kernels are compared on folds of so many rows.
    Trying {
        /// The kernels, as a template.
        kernels: String,
        /// The rows.
        rows: usize,
        /// How far it is.
        sofar: Sofar,
    },
    /// The chosen one is fitted on so many rows.
    Fitting {
        /// The rows.
        rows: usize,
    },
}

/// Kernels of one kind that were compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Contest {
    /// The kernels, as a template.
    pub kernels: String,
    /// The rows that folds were made of.
    pub rows: usize,
    /// How they did.
    pub found: Found,
    /// Seconds that it took.
    pub seconds: f64,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Report {
    /// What is predicted.
    pub task: Task,
    /// Why, where it was inferred.
    pub why: Option<String>,
    /// Columns that were not used.
    pub left_out: Vec<LeftOut>,
    /// Rows of the table that were held out (from 0); none where the test rows were given.
    pub held_out: Vec<usize>,
    /// Rows that were trained on before the score was taken.
    pub trained_on: usize,
    /// What was compared.
    pub contests: Vec<Contest>,
    /// Kernels that could not be tried, and why.
    pub failed: Vec<(String, String)>,
    /// The candidate that everyone would begin with.
    pub usual: Trial,
    /// The candidate that was chosen.
    pub chosen: Trial,
    /// By how much the best was better than the usual one, and the standard error of that.
    pub lead: (f64, f64),
    /// By what candidates were compared.
    pub metric: Metric,
    /// Metrics on held-out rows with 95 % intervals; the first is the one that candidates were compared by.
    pub scores: Vec<(Metric, Interval)>,
    /// The same metric of one answer for every row.
    pub naive: f64,
    /// What to look at before the model is trusted.
    pub worries: Vec<Worry>,
    /// The model.
    pub model: Model,
    /// Rows that the model was fitted on.
    pub fitted_on: usize,
    /// Seconds that everything took.
    pub seconds: f64,
}

impl Report {
    /// The score that counts: the metric by which candidates were compared, on held-out rows.
    pub fn score(&self) -> Interval {
        self.scores[0].1
    }

    /// Candidates that were tried.
    pub fn tried(&self) -> usize {
        self.contests.iter().map(|contest| contest.found.trials.len()).sum()
    }
}

/// Rows that there is always time for.
const LEAST: usize = 200;

/// Rows whose squares are minimised exactly if that takes less than a part of the time; beyond, a factor would take longer
/// than support vectors. Ten thousand rows take about so many seconds.
fn squares(time: Duration) -> usize {
    const SECONDS: f64 = 5.0;
    (1e4 * (0.4 * time.as_secs_f64() / SECONDS).cbrt()) as usize
}

/// Shares of the time by which the coarse search, the fine one and the first fit are to be over.
const SHARES: [f64; 3] = [0.3, 0.55, 0.85];

/// Learns a model of a target without being told how; `test` are rows to judge it by, if they are not to be held out.
pub fn auto(
    ask: &Auto,
    training: &Training<'_>,
    test: Option<(&Table, &Column)>,
    setting: &Setting<'_>,
    tell: &(dyn Fn(Stage) + Sync),
) -> Result<Report, ModelError> {
    let started = Instant::now();
    let Some(target) = training.target else {
        return Err(ModelError::Target("name the column to predict (--target)".to_owned()));
    };
    let target = task::as_names(target);
    let (task, why) = match ask.task {
        Some(task) => (task, None),
        None => task::infer(&target).map(|(task, why)| (task, Some(why)))?,
    };
    if task == Task::Novelty {
        return Err(ModelError::Spec(
            "novelty has no target to be judged by; mercer fit --solver one-class".to_owned(),
        ));
    }
    let (table, left_out) = columns::tidy(training.table, setting.budget)?;
    let split = match test {
        Some(_) => Split { train: (0..table.len()).collect(), test: Vec::new() },
        None => holdout(&strata(task, &target), ask.hold_out, ask.seed)
            .map_err(|error| ModelError::Spec(error.to_string()))?,
    };
    let part = Rows::of(&table, &target, training.weights, &split.train);
    let work =
        Work { ask, task, training, setting, started, tell, part: &part, spec: spec(ask, task, &part)? };
    let Compared { contests, failed, usual, chosen, lead, is_cut_short } = work.compare()?;

    let spec = work.final_spec(&chosen);
    let (first, trained_on, took) = work.fit(&spec)?;
    let judged = match test {
        Some((table, target)) => Rows { table: table.clone(), target: task::as_names(target), weights: None },
        None => Rows::of(training.table, &target, training.weights, &split.test),
    };
    let metric = work.metric();
    let (scores, naive) = judge(&first, &part, &judged, metric, ask.seed)?;

    let classes = if task == Task::Classes { Some(levels(&target)?) } else { None };
    let named = classes.as_ref().map(|(names, codes)| (&names[..], &codes[..]));
    let is_scaled = work.spec.scaling != crate::Scaling::None;
    let mut worries = worries::of_data(&table, &target, named, &split.test, is_scaled);
    worries.extend(work.concentration());
    worries.extend(of_scores(metric, &scores, naive, &chosen, trained_on, judged.table.len()));
    if is_cut_short {
        worries.push(Worry::CutShort);
    }
    let all = Rows { table, target, weights: training.weights.map(<[f64]>::to_vec) };
    let wanted = ask.refit && test.is_none() && trained_on == part.table.len();
    let again = if wanted { work.again(&spec, &all, took)? } else { None };
    let fitted_on = if again.is_some() { all.table.len() } else { trained_on };
    Ok(Report {
        task,
        why,
        left_out,
        held_out: split.test,
        trained_on,
        contests,
        failed,
        usual,
        chosen,
        lead,
        metric,
        scores,
        naive,
        worries,
        model: again.unwrap_or(first),
        fitted_on,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// At most so many of some rows, drawn so that classes keep their shares; none for all of them.
fn at_most(part: &Rows, rows: usize, task: Task, seed: u64) -> Result<Option<Rows>, ModelError> {
    let all = part.table.len();
    if rows >= all {
        return Ok(None);
    }
    let drawn = holdout(&strata(task, &part.target), rows as f64 / all as f64, seed)
        .map_err(|error| ModelError::Spec(error.to_string()))?;
    Ok(Some(Rows::of(&part.table, &part.target, part.weights.as_deref(), &drawn.test)))
}

/// Classes keep their shares in every draw; numbers are drawn as they come.
fn strata(task: Task, target: &Column) -> Strata {
    if task == Task::Classes { Strata::of(&target.data) } else { Strata::none(target.data.len()) }
}

/// All but kernel and strength.
fn spec(ask: &Auto, task: Task, part: &Rows) -> Result<Spec, ModelError> {
    let kernel: KernelExpr = "linear".parse()?;
    let mut spec = match task {
        Task::Numbers => Spec::for_loss(kernel, LossSpec::Squared),
        _ => Spec { multiclass: Multiclass::OneVsOne, ..Spec::new(kernel, Learner::Smo) },
    };
    if task == Task::Classes {
        spec.tolerance = Tolerance { gap: None, violation: Some(1e-3) };
    }
    spec.offset = true;
    spec.scaling = scaling(&part.table);
    spec.class_weights = ask.class_weights.clone();
    spec.seed = ask.seed;
    Ok(spec)
}

struct Work<'a> {
    ask: &'a Auto,
    task: Task,
    training: &'a Training<'a>,
    setting: &'a Setting<'a>,
    started: Instant,
    tell: &'a (dyn Fn(Stage) + Sync),
    part: &'a Rows,
    spec: Spec,
}

impl Work<'_> {
    fn metric(&self) -> Metric {
        let usual = if self.task == Task::Classes { Metric::Accuracy } else { Metric::Rmse };
        self.ask.metric.unwrap_or(usual)
    }

    /// The time until a share of all of it is over.
    fn until(&self, share: f64) -> Duration {
        self.ask.time.mul_f64(share).saturating_sub(self.started.elapsed())
    }

    fn is_stopped(&self) -> bool {
        self.setting.watch.stopped()
    }

    /// What is fitted in the end: comparing needs no proof, a model does. Numbers of more rows than can be factored are left
    /// to support vectors, whose C gives an error of usual size e the pull that squares with μ give it: e/μ.
    fn final_spec(&self, chosen: &Trial) -> Spec {
        let tolerance = Tolerance { gap: Some(1e-3), ..self.spec.tolerance };
        let (kernel, rows) = (chosen.kernel.clone(), self.part.table.len());
        let same = Spec { kernel, regularization: chosen.strength, tolerance, ..self.spec.clone() };
        let fits = rows <= squares(self.ask.time) && self.setting.budget.allows(8 * (rows as u128).pow(2));
        let (Task::Numbers, Regularization::Mu(mu), false) = (self.task, chosen.strength, fits) else {
            return same;
        };
        let error = match (&self.part.target.data, self.metric()) {
            (_, Metric::Rmse) => chosen.mean(),
            (ColumnData::Numbers(values), _) => 0.5 * worries::deviation(values),
            _ => 1.0,
        };
        let rounded = |value: f64| format!("{value:.1e}").parse().unwrap_or(value);
        let loss = LossSpec::EpsilonInsensitive { epsilon: rounded(0.5 * error) };
        let tolerance = Tolerance { gap: Some(1e-3), violation: Some(1e-2 * error) };
        let regularization = Regularization::C(rounded(error / mu));
        Spec { loss: Some(loss), learner: Learner::Svr, regularization, tolerance, ..same }
    }

    /// The model of the training rows, or of as many as there is time for; how many these are, and how long it took.
    fn fit(&self, spec: &Spec) -> Result<(Model, usize, Duration), ModelError> {
        let mut rows = self.part.table.len();
        let mut share = SHARES[2];
        loop {
            let some = at_most(self.part, rows, self.task, self.ask.seed)?;
            let part = some.as_ref().unwrap_or(self.part);
            (self.tell)(Stage::Fitting { rows });
            let begun = Instant::now();
            // What is left when nothing else helped is little, and enough for few rows.
            let time = self.until(share).max(Duration::from_millis(500));
            let model = fit(spec, &part.training(self.training), &self.setting.within(Some(time)))?;
            if !is_late(&model) || rows <= LEAST || self.is_stopped() {
                return Ok((model, rows, begun.elapsed()));
            }
            rows = (rows / 3).max(LEAST);
            share = 1.0;
        }
    }

    /// The model of all rows, if there is time for it.
    fn again(&self, spec: &Spec, all: &Rows, took: Duration) -> Result<Option<Model>, ModelError> {
        let left = self.until(1.0);
        if took.mul_f64(1.7) > left || self.is_stopped() {
            return Ok(None);
        }
        (self.tell)(Stage::Fitting { rows: all.table.len() });
        let model = fit(spec, &all.training(self.training), &self.setting.within(Some(left)))?;
        Ok((!is_late(&model)).then_some(model))
    }

    fn concentration(&self) -> Option<Worry> {
        let ratio = contrast(&self.part.training(self.training), &self.spec)?;
        (ratio < 1.25).then_some(Worry::Concentration { ratio })
    }
}

/// Whether a model is not what it would have been with more time.
fn is_late(model: &Model) -> bool {
    model.machines().iter().any(|machine| machine.status == Status::TimeLimit)
}
