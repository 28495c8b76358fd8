//! Fitting, and certifying coefficients from anywhere.

use std::time::Duration;

use mercer::model::{Forecast, Model, ModelError, Setting, Spec, Training};
use mercer::points::{Categories, Column, ColumnData};
use mercer::solve::Limits;
use numpy::ndarray::ArrayView1;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{Raise, exception};
use crate::model::PyModel;
use crate::run::{Ended, budget, watched};
use crate::table::PyTable;

/// What a target is called where it has no name.
const TARGET: &str = "target";

/// Learns a model. See `mercer-model`'s `Spec` for the lines of `spec`.
#[pyfunction]
#[pyo3(signature = (spec, table, target=None, weights=None, *, time_limit=None, max_iter=None, memory_limit=None, threads=None, progress=None))]
#[allow(clippy::too_many_arguments)]
fn fit(
    py: Python<'_>,
    spec: &str,
    table: &PyTable,
    target: Option<&Bound<'_, PyAny>>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    time_limit: Option<f64>,
    max_iter: Option<u64>,
    memory_limit: Option<u64>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyModel> {
    let spec: Spec = spec.parse().map_err(Raise::raise)?;
    let targets = target.map(columns).transpose()?.unwrap_or_default();
    let weights = weights.map(|weights| weights.as_array().to_vec());
    let limits = Limits { time: time_limit.map(seconds).transpose()?, iterations: max_iter };
    let table = &table.table;
    let Ended { result, interrupted } =
        watched(py, threads, progress, |watch| -> Result<Model, ModelError> {
            let training = Training {
                target: targets.first(),
                others: targets.get(1..).unwrap_or_default(),
                weights: weights.as_deref(),
                source: "Python",
                ..Training::unlabelled(table)
            };
            mercer::model::fit(&spec, &training, &Setting { limits, budget: budget(memory_limit), watch })
        })?;
    Ok(PyModel { model: result.map_err(Raise::raise)?, interrupted })
}

/// What a fit is expected to take, as a dict.
#[pyfunction]
#[pyo3(signature = (spec, table, target=None, weights=None, *, time_limit=None, max_iter=None, memory_limit=None, threads=None))]
#[allow(clippy::too_many_arguments)]
fn forecast<'py>(
    py: Python<'py>,
    spec: &str,
    table: &PyTable,
    target: Option<&Bound<'_, PyAny>>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    time_limit: Option<f64>,
    max_iter: Option<u64>,
    memory_limit: Option<u64>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let spec: Spec = spec.parse().map_err(Raise::raise)?;
    let targets = target.map(columns).transpose()?.unwrap_or_default();
    let weights = weights.map(|weights| weights.as_array().to_vec());
    let limits = Limits { time: time_limit.map(seconds).transpose()?, iterations: max_iter };
    let table = &table.table;
    let Ended { result, .. } = watched(py, threads, None, |watch| -> Result<Forecast, ModelError> {
        let training = Training {
            target: targets.first(),
            others: targets.get(1..).unwrap_or_default(),
            weights: weights.as_deref(),
            source: "Python",
            ..Training::unlabelled(table)
        };
        mercer::model::forecast(&spec, &training, &Setting { limits, budget: budget(memory_limit), watch })
    })?;
    let found = result.map_err(Raise::raise)?;
    let told = PyDict::new(py);
    told.set_item("plan", found.plan.to_string())?;
    told.set_item("refused", found.is_refused())?;
    told.set_item("seconds", found.seconds)?;
    told.set_item("peak_bytes", found.peak_bytes)?;
    told.set_item("parts", found.parts)?;
    told.set_item("rows", found.rows)?;
    told.set_item("machines", found.machines)?;
    told.set_item("support", found.support)?;
    told.set_item("pilot", found.pilot)?;
    told.set_item("spent", found.spent)?;
    Ok(told)
}

/// One target, or a column of a matrix for each of several.
fn columns(target: &Bound<'_, PyAny>) -> PyResult<Vec<Column>> {
    let Ok(values) = target.cast::<PyArray2<f64>>() else { return Ok(vec![column(target)?]) };
    let values = values.readonly();
    let several = values.as_array();
    if several.ncols() == 0 {
        return Err(exception("MercerError", &"the target is a matrix without a column"));
    }
    let named = |(at, values): (usize, ArrayView1<'_, f64>)| Column {
        name: format!("{TARGET} {}", at + 1),
        data: ColumnData::Numbers(values.to_vec()),
    };
    Ok(several.columns().into_iter().enumerate().map(named).collect())
}

/// A target: numbers, or names of classes and the class of each row.
pub(crate) fn column(target: &Bound<'_, PyAny>) -> PyResult<Column> {
    let named = |data| Ok(Column { name: TARGET.to_owned(), data });
    if let Ok(values) = target.cast::<PyArray1<f64>>() {
        return named(ColumnData::Numbers(values.readonly().as_array().to_vec()));
    }
    let (names, codes): (Vec<String>, PyReadonlyArray1<'_, i64>) = target.extract()?;
    labels(&names, &codes)
}

/// A target of classes by their names and the class of each row.
pub(crate) fn labels(names: &[String], codes: &PyReadonlyArray1<'_, i64>) -> PyResult<Column> {
    let named = |data| Ok(Column { name: TARGET.to_owned(), data });
    let code = |code: &i64| usize::try_from(*code).ok().filter(|code| *code < names.len());
    let codes = codes.as_array().iter().map(code).collect::<Option<Vec<usize>>>();
    let codes = codes.ok_or_else(|| exception("MercerError", &"a row has a class that has no name"))?;
    // Classes that are numbers are ordered as numbers, if they are different ones, which "1" and "1.0" are not.
    let numbers = names.iter().map(|name| name.parse::<f64>().ok().filter(|v| v.is_finite()));
    let numbers = numbers.collect::<Option<Vec<f64>>>();
    let apart = |numbers: &Vec<f64>| numbers.iter().enumerate().all(|(k, v)| !numbers[..k].contains(v));
    if let Some(numbers) = numbers.filter(apart) {
        return named(ColumnData::Numbers(codes.iter().map(|&code| numbers[code]).collect()));
    }
    named(ColumnData::Categories(codes.iter().map(|&code| names[code].as_str()).collect::<Categories>()))
}

pub(crate) fn seconds(time: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(time).map_err(|_| {
        exception("MercerError", &format!("time_limit = {time}; it is a number of seconds from 0"))
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(forecast, module)?)?;
    module.add_function(wrap_pyfunction!(fit, module)?)
}
