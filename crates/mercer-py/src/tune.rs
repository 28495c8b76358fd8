//! Searches for a kernel and the strength of the penalty.

use std::path::PathBuf;
use std::time::Instant;

use mercer::model::metrics::Metric;
use mercer::model::tune::{
    Found, Search, Sofar, Strength, Trial, Tuning, Validation, path as follow, tune as search_for,
};
use mercer::model::{ModelError, Setting, Spec, Training};
use mercer::picture;
use mercer::points::{Points, Split};
use mercer::solve::{Limits, Progress, Tolerance, Watch};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{Raise, exception};
use crate::fit::{column, seconds};
use crate::run::{Ended, Watcher, budget, watched};
use crate::table::PyTable;
use crate::view::{PyView, Shown};

/// Searches; `kernel` is a template, `strength` the name of the penalty's strength and its values.
///
/// `search` is a name with its numbers: `("grid", points, 0)`, `("random", draws, 0)`, `("halving", points, 0)`,
/// `("refine", points, rounds)`. `validation` is a dict with one of the keys `folds` and `repeats`, `folds` and `groups`,
/// `ordered`, `hold_out`, `splits`.
#[pyfunction]
#[pyo3(signature = (spec, kernel, strength, table, target, weights=None, *, search, validation, metric=None, journal=None, time_limit=None, memory_limit=None, threads=None, progress=None))]
#[allow(clippy::too_many_arguments)]
fn tune<'py>(
    py: Python<'py>,
    spec: &str,
    kernel: &str,
    strength: (String, String),
    table: &PyTable,
    target: &Bound<'_, PyAny>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    search: (String, usize, usize),
    validation: &Bound<'_, PyDict>,
    metric: Option<&str>,
    journal: Option<PathBuf>,
    time_limit: Option<f64>,
    memory_limit: Option<u64>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let template = kernel.parse().map_err(Raise::raise)?;
    let spec: Spec = spec.parse().map_err(Raise::raise)?;
    let base = Tuning::new(template, strength_of(&strength)?, spec.learner);
    // A tolerance that nobody asked for is that of a search.
    let tolerance = if spec.tolerance == Tolerance::default() { base.spec.tolerance } else { spec.tolerance };
    let tuning = Tuning {
        spec: Spec { tolerance, ..spec },
        search: search_of(&search)?,
        validation: validation_of(validation)?,
        metric: metric.map(str::parse::<Metric>).transpose().map_err(Raise::raise)?,
        journal,
        ..base
    };
    let target = column(target)?;
    let weights = weights.map(|weights| weights.as_array().to_vec());
    let limits = Limits { time: time_limit.map(seconds).transpose()?, iterations: None };
    let table = &table.table;
    let started = Instant::now();
    let Ended { result, interrupted } =
        watched(py, threads, progress, |watcher| -> Result<Found, ModelError> {
            let training =
                Training { weights: weights.as_deref(), source: "Python", ..Training::new(table, &target) };
            let quiet = Quiet(watcher);
            let setting = Setting { limits, budget: budget(memory_limit), watch: &quiet };
            let tell = |sofar: Sofar| {
                watcher.report(&Progress {
                    iteration: sofar.done as u64,
                    limit: Some(sofar.all as u64),
                    seconds: started.elapsed().as_secs_f64(),
                    ..Progress::default()
                });
            };
            search_for(&tuning, &training, &setting, &tell)
        })?;
    if interrupted && result.is_err() {
        return Err(PyKeyboardInterrupt::new_err(()));
    }
    let name = if table.len() == 1 { "1 row".to_owned() } else { format!("{} rows", table.len()) };
    let told = told(py, &result.map_err(Raise::raise)?, &name)?;
    told.set_item("interrupted", interrupted)?;
    Ok(told)
}

/// Follows a machine from the strongest of some penalties to the weakest; the view of it.
#[pyfunction]
#[pyo3(signature = (spec, strength, points, table, target, weights=None, *, validation=None, metric=None, name, threads=None))]
#[allow(clippy::too_many_arguments)]
fn path(
    py: Python<'_>,
    spec: &str,
    strength: (String, String),
    points: usize,
    table: &PyTable,
    target: &Bound<'_, PyAny>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    validation: Option<&Bound<'_, PyDict>>,
    metric: Option<&str>,
    name: &str,
    threads: Option<usize>,
) -> PyResult<PyView> {
    let spec: Spec = spec.parse().map_err(Raise::raise)?;
    let strengths = strength_of(&strength)?.grid(points).map_err(Raise::raise)?;
    let metric = metric.map(str::parse::<Metric>).transpose().map_err(Raise::raise)?;
    let validation = validation.map(validation_of).transpose()?;
    let target = column(target)?;
    let weights = weights.map(|weights| weights.as_array().to_vec());
    let table = &table.table;
    let Ended { result, interrupted } = watched(py, threads, None, |watcher| {
        let training =
            Training { weights: weights.as_deref(), source: "Python", ..Training::new(table, &target) };
        let quiet = Quiet(watcher);
        let setting = Setting { watch: &quiet, ..Setting::default() };
        let held_out = validation.as_ref();
        follow(&spec, &strengths, metric, held_out, &training, &setting, &|_| {})
    })?;
    if interrupted && result.is_err() {
        return Err(PyKeyboardInterrupt::new_err(()));
    }
    let view = picture::path(&result.map_err(Raise::raise)?, &spec.kernel.to_string(), name);
    Ok(PyView { view: Shown::Path(view) })
}

/// A watch that stops with another but keeps what single solvers report to itself.
struct Quiet<'a>(&'a Watcher);

impl Watch for Quiet<'_> {
    fn report(&self, _: &Progress) {}

    fn stopped(&self) -> bool {
        self.0.stopped()
    }
}

fn strength_of((name, values): &(String, String)) -> PyResult<Strength> {
    let values = values.parse().map_err(Raise::raise)?;
    match name.as_str() {
        "C" => Ok(Strength::C(values)),
        "lambda" => Ok(Strength::Lambda(values)),
        "mu" => Ok(Strength::Mu(values)),
        _ => Err(exception(
            "MercerError",
            &format!("there is no strength '{name}'; there are C, lambda and mu"),
        )),
    }
}

fn search_of((name, first, second): &(String, usize, usize)) -> PyResult<Search> {
    match name.as_str() {
        "grid" => Ok(Search::Grid { points: *first }),
        "random" => Ok(Search::Random { draws: *first }),
        "halving" => Ok(Search::Halving { points: *first }),
        "refine" => Ok(Search::Refine { points: *first, rounds: *second }),
        _ => Err(exception(
            "MercerError",
            &format!("there is no search '{name}'; there are grid, random, halving and refine"),
        )),
    }
}

fn validation_of(told: &Bound<'_, PyDict>) -> PyResult<Validation> {
    if let Some(splits) = told.get_item("splits")? {
        type Rows<'a> = PyReadonlyArray1<'a, i64>;
        let rows = |rows: Rows<'_>| -> Option<Vec<usize>> {
            rows.as_array().iter().map(|&row| usize::try_from(row).ok()).collect()
        };
        let split =
            |(train, test): (Rows<'_>, Rows<'_>)| Some(Split { train: rows(train)?, test: rows(test)? });
        let splits = splits.extract::<Vec<(Rows<'_>, Rows<'_>)>>()?.into_iter().map(split);
        let splits: Option<Vec<Split>> = splits.collect();
        let splits = splits.ok_or_else(|| exception("MercerError", &"rows of splits are counted from 0"))?;
        return Ok(Validation::Given(splits));
    }
    if told.get_item("leave_one_out")?.is_some() {
        return Ok(Validation::LeaveOneOut);
    }
    if let Some(share) = told.get_item("hold_out")? {
        return Ok(Validation::HoldOut { share: share.extract()? });
    }
    if let Some(k) = told.get_item("ordered")? {
        return Ok(Validation::Ordered { k: k.extract()? });
    }
    let number = |name: &str, usual: usize| -> PyResult<usize> {
        told.get_item(name)?.map_or(Ok(usual), |value| value.extract())
    };
    let k = number("folds", 5)?;
    match told.get_item("groups")? {
        Some(groups) => Ok(Validation::Groups { k, groups: groups.extract()? }),
        None => Ok(Validation::Folds { k, repeats: number("repeats", 1)? }),
    }
}

fn told<'py>(py: Python<'py>, found: &Found, rows: &str) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("metric", found.metric.to_string())?;
    told.set_item("larger_is_better", found.metric.info().larger_is_better)?;
    told.set_item("splits", found.splits)?;
    told.set_item("cut_short", found.is_cut_short)?;
    let trials = found.trials.iter().map(|trial| row(py, trial)).collect::<PyResult<Vec<_>>>()?;
    told.set_item("trials", trials)?;
    let place = |wanted: &Trial| found.trials.iter().position(|trial| std::ptr::eq(trial, wanted));
    told.set_item("best", place(found.best()))?;
    told.set_item("simplest", place(found.simplest()))?;
    let view = PyView { view: Shown::Tuning(picture::tuning(found, rows)) };
    told.set_item("view", view.json()?)?;
    Ok(told)
}

fn row<'py>(py: Python<'py>, trial: &Trial) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("kernel", trial.kernel.to_string())?;
    let (name, strength) = trial.strength.spelled();
    told.set_item("strength", (name, strength))?;
    told.set_item("rows", trial.rows)?;
    told.set_item("scores", PyArray1::from_slice(py, &trial.scores))?;
    told.set_item("mean", trial.mean())?;
    told.set_item("standard_error", trial.error())?;
    told.set_item("solved", trial.is_solved)?;
    Ok(told)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(path, module)?)?;
    module.add_function(wrap_pyfunction!(tune, module)?)
}
