//! A fitted model, to Python.

use std::path::PathBuf;

use mercer::model::{Coefficients, ColumnKind, ColumnSchema, Machine, Model, Task};
use mercer::points::ColumnData;
use mercer::solve::{Basis, Certificate, Claim, Convexity, Progress, Status, Tolerance};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::errors::{Raise, exception};
use crate::fit::labels;
use crate::run::detached;
use crate::table::PyTable;

type Indices = PyArray1<i64>;
type Floats<'py> = Bound<'py, PyArray2<f64>>;

/// A fitted model; it does not change.
#[pyclass(name = "Model", module = "mercer._mercer", frozen)]
pub(crate) struct PyModel {
    pub(crate) model: Model,
    pub(crate) interrupted: bool,
}

#[pymethods]
impl PyModel {
    /// What was asked, as lines of text.
    #[getter]
    fn spec(&self) -> String {
        self.model.spec().to_string()
    }

    /// The kernel, its words resolved.
    #[getter]
    fn kernel(&self) -> String {
        self.model.kernel().to_string()
    }

    #[getter]
    fn lambda_(&self) -> f64 {
        self.model.lambda()
    }

    #[getter]
    fn task(&self) -> &'static str {
        match self.model.task() {
            Task::Classes => "classes",
            Task::Numbers => "numbers",
            Task::Novelty => "novelty",
        }
    }

    #[getter]
    fn classes(&self) -> Vec<String> {
        self.model.classes().to_vec()
    }

    /// The same model with other names for its classes, in their order; it knows the rows that it was learned from under
    /// these names, if they are those of the table with the class of each.
    #[pyo3(signature = (classes, table, codes=None))]
    fn named(
        &self,
        classes: Vec<String>,
        table: &PyTable,
        codes: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<Self> {
        let target = |names: &[String]| codes.as_ref().map(|codes| labels(names, codes)).transpose();
        let (before, after) = (target(self.model.classes())?, target(&classes)?);
        let targets = before.as_ref().zip(after.as_ref()).map(|(before, after)| [before, after]);
        let model = self.model.clone().named(classes, &table.table, targets).map_err(Raise::raise)?;
        Ok(Self { model, interrupted: self.interrupted })
    }

    /// Whether every machine was solved to the tolerance that was asked.
    #[getter]
    fn certified(&self) -> bool {
        self.model.certified()
    }

    /// Whether Ctrl-C ended the fit.
    #[getter]
    fn interrupted(&self) -> bool {
        self.interrupted
    }

    /// Training rows of the support points.
    #[getter]
    fn support<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.model.rows().iter().map(|&row| row as i64).collect::<Vec<_>>().into_pyarray(py)
    }

    /// How many support points there are.
    #[getter]
    fn support_count(&self) -> usize {
        self.model.support()
    }

    /// Machines × support points.
    #[getter]
    fn coefficients<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let machines = self.model.machines();
        let values: Vec<f64> = machines.iter().flat_map(|machine| machine.coefficients.iter()).collect();
        values.into_pyarray(py).reshape([machines.len(), self.model.support()])
    }

    /// The coefficients that are not 0: machines, support points, values.
    fn used<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, Indices>, Bound<'py, Indices>, Bound<'py, PyArray1<f64>>) {
        let all = || {
            let machines = self.model.machines().iter().enumerate();
            machines.flat_map(|(k, machine)| machine.coefficients.used().map(move |(j, alpha)| (k, j, alpha)))
        };
        (
            all().map(|(k, ..)| k as i64).collect::<Vec<_>>().into_pyarray(py),
            all().map(|(_, j, _)| j as i64).collect::<Vec<_>>().into_pyarray(py),
            all().map(|(.., alpha)| alpha).collect::<Vec<_>>().into_pyarray(py),
        )
    }

    #[getter]
    fn bias<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.model.machines().iter().map(|machine| machine.bias).collect::<Vec<_>>().into_pyarray(py)
    }

    #[getter]
    fn iterations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let iterations = self.model.machines().iter().map(|machine| machine.iterations as i64);
        iterations.collect::<Vec<_>>().into_pyarray(py)
    }

    /// How each machine's solver ended.
    #[getter]
    fn statuses(&self) -> Vec<&'static str> {
        let word = |machine: &Machine| match machine.status {
            Status::Solved => "solved",
            Status::IterationLimit => "iteration limit",
            Status::TimeLimit => "time limit",
            Status::Stopped => "stopped",
            Status::Stalled => "stalled",
        };
        self.model.machines().iter().map(word).collect()
    }

    /// What each machine's solution is worth.
    #[getter]
    fn certificates<'py>(&self, py: Python<'py>) -> PyResult<Vec<Option<Bound<'py, PyDict>>>> {
        let tolerance = &self.model.spec().tolerance;
        let of = |machine: &Machine| {
            machine.certificate.as_ref().map(|found| certificate(py, found, tolerance)).transpose()
        };
        self.model.machines().iter().map(of).collect()
    }

    /// Coordinates of a row of the training table, or none where it was no block of vectors.
    #[getter]
    fn n_features(&self) -> Option<usize> {
        match self.model.schema().columns.as_slice() {
            [ColumnSchema { kind: ColumnKind::Sparse(count) | ColumnKind::Matrix(count), .. }] => {
                Some(*count)
            }
            _ => self.coordinates().map(|names| names.len()),
        }
    }

    /// Names of the columns of the training table, or none where they are no numbers or have no names.
    #[getter]
    fn feature_names(&self) -> Option<Vec<String>> {
        let names = self.coordinates()?;
        let counted = names.iter().enumerate().all(|(at, name)| *name == (at + 1).to_string());
        (!counted).then_some(names)
    }

    /// Where the model comes from.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (from, told) = (self.model.provenance(), PyDict::new(py));
        told.set_item("version", &from.version)?;
        told.set_item("source", &from.source)?;
        told.set_item("rows", from.rows)?;
        told.set_item("columns", from.columns)?;
        told.set_item("hash", &from.hash)?;
        told.set_item("seed", from.seed)?;
        told.set_item("seconds", from.seconds)?;
        told.set_item("entries", from.entries)?;
        Ok(told)
    }

    /// How the solver of a machine went; NaN where it did not say.
    #[pyo3(signature = (machine=0))]
    fn trace<'py>(&self, py: Python<'py>, machine: usize) -> PyResult<Bound<'py, PyDict>> {
        let count = self.model.machines().len();
        let Some(machine) = self.model.machines().get(machine) else {
            return Err(exception("MercerError", &format!("there are {count} machines, from 0")));
        };
        let told = PyDict::new(py);
        let column = |name: &str, value: &dyn Fn(&Progress) -> f64| {
            let values: Vec<f64> = machine.trace.iter().map(value).collect();
            told.set_item(name, values.into_pyarray(py))
        };
        let known = |value: Option<f64>| value.unwrap_or(f64::NAN);
        column("iteration", &|at| at.iteration as f64)?;
        column("primal", &|at| known(at.primal))?;
        column("dual", &|at| known(at.dual))?;
        column("gap", &|at| known(at.primal) - known(at.dual))?;
        column("violation", &|at| known(at.violation))?;
        column("support", &|at| at.support as f64)?;
        column("seconds", &|at| at.seconds)?;
        Ok(told)
    }

    /// The support points: an array, the parts of compressed rows, or a list of texts; none for tables of several kinds.
    fn support_points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let [column] = self.model.points().columns() else { return Ok(None) };
        Ok(match &column.data {
            ColumnData::Dense(points, _) => Some(matrix(py, points.values(), points.dim())?.into_any()),
            ColumnData::Single(points, _) => Some(matrix(py, points.values(), points.dim())?.into_any()),
            ColumnData::Sparse(points) => {
                let wide = |numbers: &[u32]| numbers.iter().map(|&v| i64::from(v)).collect::<Vec<_>>();
                let starts: Vec<i64> = points.starts().iter().map(|&v| v as i64).collect();
                let parts = (
                    starts.into_pyarray(py),
                    wide(points.indices()).into_pyarray(py),
                    points.values().to_vec().into_pyarray(py),
                    points.dim(),
                );
                Some(parts.into_pyobject(py)?.into_any())
            }
            ColumnData::Texts(texts) => Some(PyList::new(py, texts.iter())?.into_any()),
            _ => None,
        })
    }

    /// Rows × machines; accurate only where the answer hangs on it, if they are to decide and nothing else.
    #[pyo3(signature = (table, *, threads=None, decide=false))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        table: &PyTable,
        threads: Option<usize>,
        decide: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (model, table) = (&self.model, &table.table);
        let scores = || if decide { model.deciding_scores(table) } else { model.scores(table) };
        let found = detached(py, threads, scores)?.map_err(Raise::raise)?;
        let machines = self.model.machines().len();
        let shape = [found.len() / machines.max(1), machines];
        found.into_pyarray(py).reshape(shape)
    }

    /// Whether there are probabilities of classes.
    #[getter]
    fn calibrated(&self) -> bool {
        !self.model.curves().is_empty()
    }

    /// Rows × classes, from the scores of the machines.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        scores: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let scores: Vec<f64> = scores.as_array().iter().copied().collect();
        let found = py.detach(|| self.model.probabilities_of(&scores)).map_err(Raise::raise)?;
        let classes = self.model.classes().len();
        let shape = [found.len() / classes.max(1), classes];
        found.into_pyarray(py).reshape(shape)
    }

    /// The terms of the score of each row that are largest.
    fn explain<'py>(
        &self,
        py: Python<'py>,
        table: &PyTable,
        count: usize,
        machine: usize,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let found = detached(py, None, || self.model.explain_machine(machine, &table.table, count))?;
        let found = found.map_err(Raise::raise)?;
        let mut told = Vec::new();
        for row in &found {
            let (one, terms) = (PyDict::new(py), &row.terms);
            one.set_item("score", row.score)?;
            one.set_item("bias", row.bias)?;
            one.set_item("rest", row.rest)?;
            let rows: Vec<i64> = terms.iter().map(|term| term.row.map_or(-1, |row| row as i64)).collect();
            one.set_item("rows", rows.into_pyarray(py))?;
            let column = |value: fn(&mercer::model::Term) -> f64| {
                terms.iter().map(value).collect::<Vec<f64>>().into_pyarray(py)
            };
            one.set_item("coefficients", column(|term| term.alpha))?;
            one.set_item("kernel", column(|term| term.kernel))?;
            one.set_item("contributions", column(|term| term.contribution))?;
            told.push(one);
        }
        Ok(told)
    }

    /// The same model with one machine replaced by a constant, of which nothing is certified.
    fn with_constant(&self, machine: usize, value: f64) -> PyResult<Self> {
        let mut parts = self.model.clone().into_parts();
        let Some(changed) = parts.machines.get_mut(machine) else {
            return Err(exception("MercerError", &format!("there is no machine {machine}")));
        };
        changed.coefficients = Coefficients::zeros(changed.coefficients.len());
        (changed.bias, changed.certificate) = (value, None);
        Ok(Self { model: Model::from_parts(parts).map_err(Raise::raise)?, interrupted: self.interrupted })
    }

    /// The same model, asked for no more than this violation of the optimality conditions.
    fn with_violation(&self, violation: f64) -> PyResult<Self> {
        let mut parts = self.model.clone().into_parts();
        parts.spec.tolerance.violation = Some(violation);
        Ok(Self { model: Model::from_parts(parts).map_err(Raise::raise)?, interrupted: self.interrupted })
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.model.to_bytes()).map_err(Raise::raise)?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        Self::made(py.detach(|| Model::from_bytes(bytes)))
    }

    /// Writes a model file, or leaves what is there as it is.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.model.save(&path)).map_err(Raise::raise)
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::made(py.detach(|| Model::load(&path)))
    }

    /// Writes the text of a LIBSVM model file.
    fn write_libsvm(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.model.write_libsvm(&path)).map_err(Raise::raise)
    }

    #[staticmethod]
    fn read_libsvm(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::made(py.detach(|| Model::read_libsvm(&path)))
    }

    /// Pickled as the bytes of a model file, which hold no code.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.get().to_bytes(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (bytes,)))
    }
}

impl PyModel {
    /// The columns of the training table by name where all of them are numbers, each by itself or in blocks.
    fn coordinates(&self) -> Option<Vec<String>> {
        let mut names = Vec::new();
        for column in &self.model.schema().columns {
            match &column.kind {
                ColumnKind::Numbers => names.push(column.name.clone()),
                ColumnKind::Dense(inside) => names.extend_from_slice(inside),
                _ => return None,
            }
        }
        Some(names)
    }

    fn made(model: Result<Model, mercer::model::ModelError>) -> PyResult<Self> {
        Ok(Self { model: model.map_err(Raise::raise)?, interrupted: false })
    }
}

/// A row-major matrix as an array of its own.
pub(crate) fn matrix<'py, T: numpy::Element + Clone>(
    py: Python<'py>,
    values: &[T],
    columns: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    PyArray1::from_slice(py, values).reshape([rows, columns])
}

/// A certificate as a dict.
pub(crate) fn certificate<'py>(
    py: Python<'py>,
    found: &Certificate,
    tolerance: &Tolerance,
) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    let numbers = [
        ("primal", found.primal),
        ("dual", found.dual),
        ("gap", found.gap),
        ("relative_gap", found.relative_gap),
        ("violation", found.violation),
        ("norm", found.norm),
        ("offset", found.offset),
    ];
    for (name, value) in numbers {
        told.set_item(name, value)?;
    }
    told.set_item("level", found.level)?;
    told.set_item("support", found.support)?;
    told.set_item("bound", found.bound)?;
    told.set_item("projected", found.projected)?;
    told.set_item("holds", found.holds(tolerance))?;
    told.set_item(
        "claim",
        match &found.claim {
            Claim::Optimal => "optimal".to_owned(),
            Claim::Separates { mistakes, margin } => {
                format!("separates: {mistakes} mistakes, margin {margin:.6}")
            }
        },
    )?;
    told.set_item(
        "basis",
        match found.basis {
            Basis::Recomputed => "recomputed".to_owned(),
            Basis::Sufficient { rough, checked, difference } => format!(
                "recomputed but for {rough} rows kept firmly at zero or at their limits: {checked} of them checked, difference {difference:.1e}"
            ),
            Basis::Kept { checked, difference } => {
                format!("kept: {checked} rows checked, difference {difference:.1e}")
            }
        },
    )?;
    let (status, evidence) = match &found.convexity {
        Convexity::Assumed => ("assumed", None),
        Convexity::Proved => ("proved", None),
        Convexity::Measured => ("measured", None),
        Convexity::Sampled { rows } => ("sampled", Some(format!("{rows} rows"))),
        Convexity::Refuted { evidence } => ("refuted", Some(evidence.clone())),
    };
    let convexity = PyDict::new(py);
    convexity.set_item("status", status)?;
    convexity.set_item("evidence", evidence)?;
    told.set_item("convexity", convexity)?;
    Ok(told)
}

/// Votes of machines of pairs for each class, and the sums of their scores, rows × classes.
#[pyfunction]
fn tally<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray2<'_, f64>,
    classes: usize,
) -> PyResult<(Floats<'py>, Floats<'py>)> {
    let (rows, pairs) = scores.as_array().dim();
    if classes < 2 || pairs != classes * (classes - 1) / 2 {
        let said = format!("{pairs} scores a row are not those of the pairs of {classes} classes");
        return Err(exception("MercerError", &said));
    }
    let scores = scores.as_slice()?;
    let (votes, sums) = detached(py, None, || mercer::model::tally(scores, classes))?;
    let shape = [rows, classes];
    Ok((votes.into_pyarray(py).reshape(shape)?, sums.into_pyarray(py).reshape(shape)?))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(tally, module)?)?;
    module.add_class::<PyModel>()
}
