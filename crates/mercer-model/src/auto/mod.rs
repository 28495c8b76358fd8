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
mod task;
mod worries;

pub use columns::LeftOut;
pub use worries::Worry;

use std::time::{Duration, Instant};

use mercer_kernel::KernelExpr;
use mercer_points::{Column, ColumnData, Points, Split, Strata, Table, holdout};
use mercer_solve::loss::LossSpec;
use mercer_solve::{Limits, Regularization, Status, Tolerance};

use self::candidates::{Family, contrast, families, scaling};
use crate::metrics::{Answers, Interval, Metric, interval};
use crate::target::{codes, levels};
use crate::tune::{Found, Search, Sofar, Strength, Trial, Tuning, Validation, Values, tune};
use crate::{
    ClassWeights, Learner, Model, ModelError, Multiclass, Outcome, Setting, Spec, Task, Training, fit,
};

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

/// Rows of the first, coarse search and of the second, finer one.
const COARSE: usize = 2000;
const FINE: usize = 6000;

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

/// Rows of a table with their target and weights.
struct Rows {
    table: Table,
    target: Column,
    weights: Option<Vec<f64>>,
}

impl Rows {
    fn of(table: &Table, target: &Column, weights: Option<&[f64]>, rows: &[usize]) -> Self {
        Self {
            table: table.select(rows),
            target: Column { name: target.name.clone(), data: target.data.select(rows) },
            weights: weights.map(|weights| rows.iter().map(|&row| weights[row]).collect()),
        }
    }

    fn training<'a>(&'a self, like: &Training<'a>) -> Training<'a> {
        Training {
            table: &self.table,
            target: Some(&self.target),
            others: &[],
            weights: self.weights.as_deref(),
            ..*like
        }
    }

    /// At most so many of them, drawn so that classes keep their shares.
    fn at_most(&self, rows: usize, task: Task, seed: u64) -> Result<Option<Self>, ModelError> {
        let all = self.table.len();
        if rows >= all {
            return Ok(None);
        }
        let drawn = holdout(&strata(task, &self.target), rows as f64 / all as f64, seed)
            .map_err(|error| ModelError::Spec(error.to_string()))?;
        Ok(Some(Self::of(&self.table, &self.target, self.weights.as_deref(), &drawn.test)))
    }
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

/// What comparing gave.
struct Compared {
    contests: Vec<Contest>,
    failed: Vec<(String, String)>,
    usual: Trial,
    chosen: Trial,
    lead: (f64, f64),
    is_cut_short: bool,
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

    /// Coarsely on few rows, then finely around the best on more.
    fn compare(&self) -> Result<Compared, ModelError> {
        let training = self.part.training(self.training);
        let (families, kernel) = families(&training, &self.spec)?;
        let strength = self.strength();
        let (mut contests, mut failed, mut is_cut_short) = (Vec::new(), Vec::new(), false);
        let begun = Instant::now();
        let (few, first) = self.first(&families[0])?;
        let coarse = few.as_ref().unwrap_or(self.part);
        is_cut_short |= first.found.is_cut_short;
        contests.push((0, first));
        for (number, family) in families.iter().enumerate().skip(1) {
            let time = self.until(SHARES[0]).div_f64((families.len() - number) as f64);
            match self.contest(family, coarse, time) {
                Ok(contest) => {
                    is_cut_short |= contest.found.is_cut_short;
                    contests.push((number, contest));
                }
                Err(error) if self.is_stopped() => return Err(error),
                Err(error) => failed.push((family.template(), error.to_string())),
            }
        }
        let best = |contests: &[(usize, Contest)]| {
            let sign = self.sign();
            let found = contests.iter().map(|(number, contest)| (*number, contest.found.best().clone()));
            found.reduce(|a, b| if sign * b.1.mean() > sign * a.1.mean() { b } else { a })
        };
        let (winner, first) =
            best(&contests).ok_or_else(|| ModelError::Spec("nothing could be tried".to_owned()))?;
        let is_usual = |trial: &Trial| trial.kernel == kernel && trial.strength == strength;
        let mut usual = contests.iter().flat_map(|(_, c)| &c.found.trials).find(|t| is_usual(t)).cloned();
        let mut chosen = first.clone();

        // The finer search costs about as much for each candidate, times the square of the rows.
        let spent = begun.elapsed().as_secs_f64();
        let tried: usize = contests.iter().map(|(_, contest)| contest.found.trials.len()).sum();
        let finer = families[winner].around(&first.kernel, first.strength.spelled().1)?;
        let planned = (finer.values.len().max(1) * finer.strengths.len() + 1) as f64;
        let room = self.until(SHARES[1]).as_secs_f64() / (spent * planned / tried.max(1) as f64);
        let affordable = (coarse.table.len() as f64 * (0.5 * room).sqrt()) as usize;
        let rows = FINE.min(affordable).min(self.part.table.len());
        if rows >= coarse.table.len() && !self.is_stopped() {
            let more = self.part.at_most(rows, self.task, self.ask.seed)?;
            let fine = more.as_ref().unwrap_or(self.part);
            let alone = Family {
                shape: kernel.to_string(),
                values: Vec::new(),
                strengths: vec![strength.spelled().1],
            };
            let finer = self.contest(&finer, fine, self.until(SHARES[1]));
            let again = self.contest(&alone, fine, self.until(SHARES[1]));
            if let (Ok(finer), Ok(again)) = (finer, again) {
                is_cut_short |= finer.found.is_cut_short;
                usual = Some(again.found.best().clone());
                chosen = finer.found.best().clone();
                contests.extend([(winner, finer), (winner, again)]);
            }
        }
        let contests: Vec<Contest> = contests.into_iter().map(|(_, contest)| contest).collect();
        let usual = usual.unwrap_or_else(|| first.clone());
        let lead = lead(self.sign(), &chosen, &usual);
        // Of many candidates the best one is lucky as well as good.
        let chosen = if lead.0 > CLEARLY * lead.1 { chosen } else { usual.clone() };
        Ok(Compared { contests, failed, usual, chosen, lead, is_cut_short })
    }

    /// The family that the usual kernel is of, on as many rows as there is time for; none for all of them.
    fn first(&self, family: &Family) -> Result<(Option<Rows>, Contest), ModelError> {
        let mut rows = COARSE;
        let mut share = SHARES[0];
        loop {
            let few = self.part.at_most(rows, self.task, self.ask.seed)?;
            match self.contest(family, few.as_ref().unwrap_or(self.part), self.until(share)) {
                Ok(contest) => return Ok((few, contest)),
                Err(_) if rows > LEAST && share < SHARES[2] && !self.is_stopped() => {
                    (rows, share) = ((rows / 4).max(LEAST), share + 0.2);
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn sign(&self) -> f64 {
        if self.metric().info().larger_is_better { 1.0 } else { -1.0 }
    }

    /// The strength that everyone would begin with.
    fn strength(&self) -> Regularization {
        if self.spec.learner == Learner::Cholesky { Regularization::Mu(1.0) } else { Regularization::C(1.0) }
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

    fn contest(&self, family: &Family, rows: &Rows, time: Duration) -> Result<Contest, ModelError> {
        let begun = Instant::now();
        let kernels = family.template();
        let count = rows.table.len();
        let values = Values::List(family.strengths.clone());
        let strength =
            if self.spec.learner == Learner::Cholesky { Strength::Mu(values) } else { Strength::C(values) };
        // The fewer rows, the more a single division into folds is a matter of luck.
        let repeats = match count {
            ..=500 => 4,
            501..=1000 => 2,
            _ => 1,
        };
        let tuning = Tuning {
            spec: self.spec.clone(),
            search: Search::Grid { points: 2 },
            validation: Validation::Folds { k: FOLDS.min(count), repeats },
            metric: Some(self.metric()),
            ..Tuning::new(kernels.parse()?, strength, self.spec.learner)
        };
        let limits = Limits { time: Some(time), ..self.setting.limits };
        let setting = Setting { limits, ..*self.setting };
        let tell = |sofar: Sofar| (self.tell)(Stage::Trying { kernels: kernels.clone(), rows: count, sofar });
        let found = tune(&tuning, &rows.training(self.training), &setting, &tell)?;
        Ok(Contest { kernels, rows: count, found, seconds: begun.elapsed().as_secs_f64() })
    }

    /// The model of the training rows, or of as many as there is time for; how many these are, and how long it took.
    fn fit(&self, spec: &Spec) -> Result<(Model, usize, Duration), ModelError> {
        let mut rows = self.part.table.len();
        let mut share = SHARES[2];
        loop {
            let some = self.part.at_most(rows, self.task, self.ask.seed)?;
            let part = some.as_ref().unwrap_or(self.part);
            (self.tell)(Stage::Fitting { rows });
            let begun = Instant::now();
            // What is left when nothing else helped is little, and enough for few rows.
            let time = self.until(share).max(Duration::from_millis(500));
            let limits = Limits { time: Some(time), ..self.setting.limits };
            let setting = Setting { limits, ..*self.setting };
            let model = fit(spec, &part.training(self.training), &setting)?;
            let is_late = model.machines().iter().any(|machine| machine.status == Status::TimeLimit);
            if !is_late || rows <= LEAST || self.is_stopped() {
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
        let limits = Limits { time: Some(left), ..self.setting.limits };
        let setting = Setting { limits, ..*self.setting };
        let model = fit(spec, &all.training(self.training), &setting)?;
        let is_late = model.machines().iter().any(|machine| machine.status == Status::TimeLimit);
        Ok((!is_late).then_some(model))
    }

    fn concentration(&self) -> Option<Worry> {
        let ratio = contrast(&self.part.training(self.training), &self.spec)?;
        (ratio < 1.25).then_some(Worry::Concentration { ratio })
    }
}

const FOLDS: usize = 5;

/// Standard errors by which the best must lead.
const CLEARLY: f64 = 2.0;

/// By how much one candidate is better than another on the same splits, and the standard error of that: splits share rows,
/// for which the variance is corrected (Nadeau and Bengio 2003; `docs/maths.md` §6.3).
fn lead(sign: f64, one: &Trial, other: &Trial) -> (f64, f64) {
    let differences: Vec<f64> = one.scores.iter().zip(&other.scores).map(|(a, b)| sign * (a - b)).collect();
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (variance * (1.0 / n + 1.0 / (FOLDS as f64 - 1.0))).sqrt())
}

/// Metrics of a model on rows that it has not seen, the asked one first, and that one of a constant answer.
fn judge(
    model: &Model,
    part: &Rows,
    rows: &Rows,
    metric: Metric,
    seed: u64,
) -> Result<(Vec<(Metric, Interval)>, f64), ModelError> {
    const LEVEL: f64 = 0.95;
    const DRAWS: usize = 1000;
    let prediction = model.predict(&rows.table)?;
    let count = prediction.len();
    let weights = rows.weights.as_deref();
    match &prediction.outcome {
        Outcome::Classes(found) => {
            let truth = codes(model.classes(), &rows.target)?;
            let known = codes(model.classes(), &part.target)?;
            let classes = model.classes().len();
            let often = (0..classes)
                .max_by_key(|&class| (known.iter().filter(|&&k| k == class).count(), classes - class));
            let constant = vec![often.unwrap_or(0); count];
            let zeros = vec![0.0; count];
            let answers = Answers { weights, ..Answers::of_classes(&truth, classes) };
            let scores = (prediction.machines == 1).then_some(&prediction.scores[..]);
            let said = Answers { classes: Some(found), scores, ..answers };
            let naive = Answers { classes: Some(&constant), scores: Some(&zeros), ..answers };
            let mut also = vec![Metric::Accuracy, Metric::BalancedAccuracy];
            also.extend(scores.map(|_| Metric::Auc));
            Ok((all_of(metric, &also, &said, LEVEL, DRAWS, seed)?, metric.of(&naive)?))
        }
        Outcome::Numbers(found) => {
            let (ColumnData::Numbers(truth), ColumnData::Numbers(known)) =
                (&rows.target.data, &part.target.data)
            else {
                return Err(ModelError::Target(format!(
                    "the target '{}' holds no numbers",
                    rows.target.name
                )));
            };
            let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
            let constant = vec![mean; count];
            let answers = Answers { weights, ..Answers::of_numbers(truth) };
            let said = Answers { numbers: Some(found), ..answers };
            let naive = Answers { numbers: Some(&constant), ..answers };
            let also = [Metric::Rmse, Metric::Mae, Metric::R2];
            Ok((all_of(metric, &also, &said, LEVEL, DRAWS, seed)?, metric.of(&naive)?))
        }
        Outcome::Inside(_) => Err(ModelError::Spec("novelty has no target to be judged by".to_owned())),
    }
}

/// One metric, which must be had, and others where they are defined.
fn all_of(
    metric: Metric,
    also: &[Metric],
    answers: &Answers<'_>,
    level: f64,
    draws: usize,
    seed: u64,
) -> Result<Vec<(Metric, Interval)>, ModelError> {
    let of = |metric: Metric| {
        let found = interval(metric, answers, level, draws, seed)?;
        Ok::<_, ModelError>(if metric == Metric::Accuracy { of_share(found, answers) } else { found })
    };
    let mut all = vec![(metric, of(metric)?)];
    for &other in also.iter().filter(|&&other| other != metric) {
        all.extend(of(other).ok().map(|found| (other, found)));
    }
    Ok(all)
}

/// The interval of a share by Wilson's formula: where all rows are right, no draw of them has one that is wrong, and the
/// bootstrap would be sure of what it cannot know.
fn of_share(found: Interval, answers: &Answers<'_>) -> Interval {
    const Z: f64 = 1.959_963_984_540_054;
    let rows = match answers.weights {
        None => answers.rows() as f64,
        Some(weights) => {
            let squares: f64 = weights.iter().map(|w| w * w).sum();
            weights.iter().sum::<f64>().powi(2) / squares
        }
    };
    let (share, part) = (found.value, Z * Z / rows);
    let middle = (share + part / 2.0) / (1.0 + part);
    let half = (share * (1.0 - share) * part + part * part / 4.0).sqrt() / (1.0 + part);
    Interval { low: (middle - half).max(0.0), high: (middle + half).min(1.0), ..found }
}

/// What the scores give reason to look at.
fn of_scores(
    metric: Metric,
    scores: &[(Metric, Interval)],
    naive: f64,
    chosen: &Trial,
    trained_on: usize,
    judged: usize,
) -> Vec<Worry> {
    let (_, found) = scores[0];
    let sign = if metric.info().larger_is_better { 1.0 } else { -1.0 };
    let mut worries = Vec::new();
    if sign * found.value <= sign * naive {
        worries.push(Worry::NoBetter);
    }
    let (folds, wide) = (chosen.mean(), found.high - found.low);
    // With far fewer rows in the folds the difference is what more rows teach.
    let is_alike = 3 * chosen.rows >= 2 * trained_on;
    if is_alike && (folds < found.low - wide / 2.0 || folds > found.high + wide / 2.0) {
        worries.push(Worry::Apart { folds, held_out: found.value });
    }
    if judged < 50 {
        worries.push(Worry::Few { rows: judged });
    }
    worries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_right_is_not_certainty() {
        let truth = vec![1; 30];
        let answers = Answers { classes: Some(&truth), ..Answers::of_classes(&truth, 2) };
        let found = of_share(interval(Metric::Accuracy, &answers, 0.95, 100, 0).unwrap(), &answers);
        // Wilson 1927: n/(n + z²).
        assert!(
            (found.low - 30.0 / (30.0 + 3.841_458_820_694_124)).abs() < 1e-12 && found.high > 1.0 - 1e-12
        );
    }

    #[test]
    fn a_lead_has_the_error_of_splits_that_share_rows() {
        let trial = |scores: &[f64]| Trial {
            kernel: "linear".parse().unwrap(),
            strength: Regularization::C(1.0),
            rows: 80,
            scores: scores.to_vec(),
            row_error: None,
            is_solved: true,
        };
        let (one, other) = (trial(&[0.9, 0.8, 0.9, 0.8, 0.9]), trial(&[0.8; 5]));
        let (mean, error) = lead(1.0, &one, &other);
        assert!((mean - 0.06).abs() < 1e-12 && (error - (0.003_f64 * (0.2 + 0.25)).sqrt()).abs() < 1e-12);
        assert_eq!(lead(-1.0, &one, &other).0, -mean);
    }
}
