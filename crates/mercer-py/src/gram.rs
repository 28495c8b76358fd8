//! Gram matrices: checks, alignment, spectra, repairs, pictures.

use mercer::gram::{
    CheckOptions, GramError, Ideal, Lazy, MatrixVerdict, MercerCheck, Method, Repair, Verdict, alignment,
};
use mercer::kernel::Registry;
use mercer::linalg::{EigenError, eigenvalues};
use mercer::model::{ModelError, Preparation};
use mercer::points::{Points, Table};
use mercer::solve::Watch;
use mercer::view::{Grid, Group, HeatMap, Panel, Theme, View};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{Raise, exception};
use crate::fit::column;
use crate::kernel::expression;
use crate::model::matrix;
use crate::run::{Ended, budget, detached, watched};
use crate::table::PyTable;

/// Measures a kernel on rows, with a witness where it fails.
#[pyfunction]
#[pyo3(signature = (kernel, table, *, rows=None, seed=0, memory_limit=None))]
fn check<'py>(
    py: Python<'py>,
    kernel: &str,
    table: &PyTable,
    rows: Option<usize>,
    seed: u64,
    memory_limit: Option<u64>,
) -> PyResult<Bound<'py, PyDict>> {
    let (kernel, table) = (expression(kernel)?, &table.table);
    let usual = CheckOptions::default();
    let options = CheckOptions { rows: rows.unwrap_or(usual.rows), seed, budget: budget(memory_limit) };
    let found = detached(py, None, || -> Result<MercerCheck, ModelError> {
        let seen = Preparation::new(&kernel, table)?.apply(table)?;
        Ok(mercer::gram::check(&kernel, &seen, &Registry::new(), options)?)
    })?;
    let told = PyDict::new(py);
    let found = match found {
        Ok(found) => found,
        Err(ModelError::Gram(GramError::NotSymmetric { row, column, there, back })) => {
            told.set_item("kernel", kernel.to_string())?;
            told.set_item("verdict", "not symmetric")?;
            told.set_item("rows", table.len())?;
            told.set_item("asymmetry", (there - back).abs())?;
            told.set_item("row", row - 1)?;
            told.set_item("column", column - 1)?;
            return Ok(told);
        }
        Err(error) => return Err(error.raise()),
    };
    let proof: Vec<String> = found.proof.to_string().lines().map(|line| line.trim().to_owned()).collect();
    let (method, steps) = match found.spectrum.method {
        Method::Full => ("all eigenvalues", None),
        Method::Lanczos(steps) => ("Lanczos", Some(steps)),
    };
    told.set_item("kernel", found.kernel.to_string())?;
    told.set_item("claim", found.proof.status.to_string())?;
    told.set_item("proof", proof)?;
    told.set_item("rows", found.rows)?;
    told.set_item("measured", found.measured)?;
    told.set_item("asymmetry", found.asymmetry)?;
    told.set_item("method", method)?;
    told.set_item("steps", steps)?;
    told.set_item("smallest", found.spectrum.smallest())?;
    told.set_item("largest", found.spectrum.largest())?;
    told.set_item("error", found.spectrum.error)?;
    told.set_item("rank", found.spectrum.rank)?;
    told.set_item("condition", found.spectrum.condition())?;
    told.set_item("deficiency", found.deficiency())?;
    told.set_item("duplicates", found.duplicates.len())?;
    match &found.verdict {
        Verdict::Holds if found.spectrum.method == Method::Full => told.set_item("verdict", "psd")?,
        Verdict::Holds => told.set_item("verdict", "not refuted")?,
        Verdict::NotSymmetric(row, column) => {
            told.set_item("verdict", "not symmetric")?;
            told.set_item("row", row - 1)?;
            told.set_item("column", column - 1)?;
        }
        Verdict::Refuted(witness) => {
            told.set_item("verdict", "refuted")?;
            told.set_item("witness_rows", numbers(py, &witness.rows))?;
            told.set_item("witness", PyArray1::from_slice(py, &witness.vector))?;
            told.set_item("witness_value", witness.value)?;
            told.set_item("witness_bound", witness.bound)?;
        }
    }
    Ok(told)
}

/// Whether a matrix of any origin is a Gram matrix, up to the rounding of single precision.
#[pyfunction]
#[pyo3(signature = (k, *, threads=None))]
fn check_matrix<'py>(
    py: Python<'py>,
    k: PyReadonlyArray2<'py, f64>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let n = square(&k)?;
    let entries = k.as_slice()?;
    let Ended { result, interrupted } = watched(py, threads, None, |watch| {
        mercer::gram::check_matrix(n, entries, mercer::gram::Precision::Single, &|| watch.stopped())
    })?;
    let (Some(found), false) = (result, interrupted) else { return Err(PyKeyboardInterrupt::new_err(())) };
    let told = PyDict::new(py);
    told.set_item("rows", n)?;
    told.set_item("asymmetry", found.asymmetry)?;
    told.set_item("tolerance", found.tolerance)?;
    told.set_item("largest", found.largest)?;
    for key in ["row", "column", "witness", "witness_rows", "witness_value", "smallest", "negative"] {
        told.set_item(key, py.None())?;
    }
    if let Some((smallest, negative)) = found.spectrum {
        told.set_item("smallest", smallest)?;
        told.set_item("negative", negative)?;
    }
    let (verdict, reason) = match &found.verdict {
        MatrixVerdict::Psd => {
            ("psd", format!("no eigenvalue is below -{:.1e}, which is rounding", found.tolerance))
        }
        MatrixVerdict::NotRefuted => (
            "not refuted",
            format!("no eigenvalue below -{:.1e} was found in the time for the check", found.tolerance),
        ),
        MatrixVerdict::NotFinite { row, column, value } => {
            told.set_item("row", row)?;
            told.set_item("column", column)?;
            ("not finite", format!("entry K[{row}, {column}] is {value}"))
        }
        MatrixVerdict::NotSymmetric { row, column, there, back } => {
            told.set_item("row", row)?;
            told.set_item("column", column)?;
            ("not symmetric", format!("K[{row}, {column}] = {there} but K[{column}, {row}] = {back}"))
        }
        MatrixVerdict::Refuted { rows, vector, value } => {
            told.set_item("witness_rows", numbers(py, rows))?;
            told.set_item("witness", PyArray1::from_slice(py, vector))?;
            told.set_item("witness_value", *value)?;
            ("refuted", indefinite(rows, *value, found.spectrum, n))
        }
    };
    let cure = match &found.verdict {
        MatrixVerdict::NotSymmetric { .. } => Some("pass (K + K.T)/2 if the difference is noise"),
        MatrixVerdict::Refuted { .. } => {
            Some("mercer.repair(K, 'clip') gives the nearest matrix that is positive semi-definite")
        }
        _ => None,
    };
    told.set_item("verdict", verdict)?;
    told.set_item("reason", cure.map_or_else(|| reason.clone(), |cure| format!("{reason}; {cure}")))?;
    told.set_item("cure", cure)?;
    Ok(told)
}

/// Why a matrix is not positive semi-definite, with the smallest witness there is.
fn indefinite(rows: &[usize], value: f64, spectrum: Option<(f64, usize)>, n: usize) -> String {
    let witness = match rows {
        [row] => format!("K[{row}, {row}] = {value:.6} is negative"),
        [i, j] => format!(
            "K[{i}, {j}]^2 is larger than K[{i}, {i}]*K[{j}, {j}], so v^T K v = {value:.6} < 0 for a unit vector v on \
             these two rows"
        ),
        _ => format!("v^T K v = {value:.6} < 0 for a unit vector v"),
    };
    let all = spectrum.map_or_else(String::new, |(smallest, negative)| {
        format!("; {negative} of {n} eigenvalues are negative, the smallest is {smallest:.6}")
    });
    format!("{witness}{all}")
}

/// The alignment of a kernel with a target, numbers or classes.
#[pyfunction]
#[pyo3(signature = (kernel, table, target, *, centered=true))]
fn align(
    py: Python<'_>,
    kernel: &str,
    table: &PyTable,
    target: &Bound<'_, PyAny>,
    centered: bool,
) -> PyResult<f64> {
    let (kernel, table) = (expression(kernel)?, &table.table);
    let ideal = ideal(target)?;
    if ideal.len() != table.len() {
        let said = format!("there are {} rows, but {} targets", table.len(), ideal.len());
        return Err(exception("MercerError", &said));
    }
    let found = detached(py, None, || -> Result<_, ModelError> {
        let seen: Table = Preparation::new(&kernel, table)?.apply(table)?;
        Ok(alignment(&Lazy::new(&kernel, &seen)?, |i, j| ideal.value(i, j)))
    })?;
    let found = found.map_err(Raise::raise)?;
    Ok(if centered { found.centered } else { found.plain })
}

/// The Gram matrix that a target would like to see; names with codes are classes whatever the names.
fn ideal(target: &Bound<'_, PyAny>) -> PyResult<Ideal> {
    if let Ok((names, codes)) = target.extract::<(Vec<String>, PyReadonlyArray1<'_, i64>)>() {
        let code = |code: &i64| usize::try_from(*code).ok().filter(|code| *code < names.len());
        let of = codes.as_array().iter().map(code).collect::<Option<Vec<_>>>();
        let of = of.ok_or_else(|| exception("MercerError", &"a row has a class that has no name"))?;
        return Ok(Ideal::Classes { of, names });
    }
    let target = column(target)?;
    Ideal::of(&target.name, &target.data).map_err(Raise::raise)
}

/// All eigenvalues of a symmetric matrix, descending.
#[pyfunction]
fn spectrum<'py>(py: Python<'py>, k: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let n = square(&k)?;
    decomposable(n)?;
    let entries = k.as_slice()?;
    let mut values = detached(py, None, || eigenvalues(n, entries))?.map_err(eigen)?;
    values.reverse();
    Ok(values.into_pyarray(py))
}

/// Eigenvalues of a symmetric matrix, ascending, and their unit eigenvectors as columns.
#[pyfunction]
fn eigh<'py>(
    py: Python<'py>,
    k: PyReadonlyArray2<'py, f64>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyAny>)> {
    let n = square(&k)?;
    decomposable(n)?;
    let entries = k.as_slice()?;
    let (values, vectors) = detached(py, None, || mercer::linalg::eigh(n, entries))?.map_err(eigen)?;
    let vectors = vectors.into_pyarray(py).reshape([n, n])?;
    Ok((values.into_pyarray(py), vectors.into_any().getattr("T")?))
}

/// A positive semi-definite matrix near a symmetric one, and how far it is in the Frobenius norm.
#[pyfunction]
#[pyo3(signature = (k, how, *, memory_limit=None))]
fn repair<'py>(
    py: Python<'py>,
    k: PyReadonlyArray2<'py, f64>,
    how: &str,
    memory_limit: Option<u64>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, f64)> {
    let n = square(&k)?;
    let how: Repair = how.parse().map_err(|error| exception("MercerError", &format!("how: {error}")))?;
    let entries = k.as_slice()?;
    let found = detached(py, None, || mercer::gram::repair(n, entries, how, budget(memory_limit)))?;
    let found = found.map_err(Raise::raise)?;
    Ok((matrix(py, &found.entries, n)?, found.moved))
}

/// A matrix as colours, in SVG; rows with equal labels side by side, `size` pixels wide.
#[pyfunction]
#[pyo3(signature = (k, labels=None, *, title=None, dark=false, size=None))]
fn heatmap(
    py: Python<'_>,
    k: PyReadonlyArray2<'_, f64>,
    labels: Option<Vec<String>>,
    title: Option<&str>,
    dark: bool,
    size: Option<u32>,
) -> PyResult<String> {
    let n = square(&k)?;
    if let Some(found) = labels.as_ref().map(Vec::len).filter(|&found| found != n) {
        return Err(exception("MercerError", &format!("there are {n} rows, but {found} labels")));
    }
    let entries = k.as_slice()?;
    let drawn = detached(py, None, || {
        let mut order: Vec<usize> = (0..n).collect();
        let groups = labels.as_ref().map_or_else(Vec::new, |labels| {
            order.sort_by(|&a, &b| labels[a].cmp(&labels[b]));
            Group::runs(order.iter().map(|&row| labels[row].as_str()))
        });
        let grid = Grid::from_fn(n, |i, j| entries[order[i] * n + order[j]]);
        let mut map = HeatMap::new(title.unwrap_or_default(), vec![Panel::new("", grid)]);
        map.groups = groups;
        map.theme = if dark { Theme::Dark } else { Theme::Light };
        map.svg()
    })?;
    let svg = drawn.map_err(|error| exception("MercerError", &error))?;
    Ok(size.map_or_else(|| svg.clone(), |size| resized(&svg, f64::from(size))))
}

/// The same drawing in another width: the box that it is drawn in stays, width and height of the whole change.
fn resized(svg: &str, width: f64) -> String {
    let value = |key: &str| -> Option<(std::ops::Range<usize>, f64)> {
        let start = svg.find(key)? + key.len();
        let end = start + svg[start..].find('"')?;
        Some((start..end, svg[start..end].parse().ok()?))
    };
    let (Some((w, was)), Some((h, high))) = (value(" width=\""), value(" height=\"")) else {
        return svg.to_owned();
    };
    let height = (high * width / was).round();
    format!("{}{width}{}{height}{}", &svg[..w.start], &svg[w.end..h.start], &svg[h.end..])
}

fn square(k: &PyReadonlyArray2<'_, f64>) -> PyResult<usize> {
    match k.as_array().dim() {
        (rows, columns) if rows == columns => Ok(rows),
        (rows, columns) => Err(exception(
            "MercerError",
            &format!("the matrix has {rows} rows and {columns} columns; a Gram matrix is square"),
        )),
    }
}

/// Whether the matrices of an eigendecomposition fit the memory that is free.
fn decomposable(n: usize) -> PyResult<()> {
    let (budget, needed) = (budget(None), 4 * 8 * n as u128 * n as u128);
    if budget.allows(needed) {
        return Ok(());
    }
    let instead = "take fewer rows".to_owned();
    Err(GramError::OverBudget { rows: n, needed, budget: budget.bytes(), instead }.raise())
}

fn eigen(error: EigenError) -> PyErr {
    GramError::from(error).raise()
}

fn numbers<'py>(py: Python<'py>, rows: &[usize]) -> Bound<'py, PyArray1<i64>> {
    rows.iter().map(|&row| row as i64).collect::<Vec<_>>().into_pyarray(py)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(check_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(align, module)?)?;
    module.add_function(wrap_pyfunction!(spectrum, module)?)?;
    module.add_function(wrap_pyfunction!(eigh, module)?)?;
    module.add_function(wrap_pyfunction!(repair, module)?)?;
    module.add_function(wrap_pyfunction!(heatmap, module)?)
}
