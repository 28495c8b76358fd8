//! Streams of rows.

use std::sync::{Mutex, PoisonError};

use mercer::kernel::Registry;
use mercer::model::{Spec, Stream};
use mercer::solve::solvers::OnlineMemory;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{Raise, exception};
use crate::fit::column;
use crate::model::PyModel;
use crate::run::detached;
use crate::table::PyTable;

/// An online perceptron of two classes that sees rows as they come.
#[pyclass(name = "Stream", module = "mercer._mercer", frozen)]
pub(crate) struct PyStream {
    stream: Mutex<Stream>,
}

#[pymethods]
impl PyStream {
    /// `classes`: the negative and the positive one, where they are known before the first row.
    #[new]
    #[pyo3(signature = (spec, classes=None))]
    fn new(spec: &str, classes: Option<(String, String)>) -> PyResult<Self> {
        let spec: Spec = spec.parse().map_err(Raise::raise)?;
        let stream = Stream::new(&spec, &Registry::new()).map_err(Raise::raise)?;
        let stream = match classes {
            None => stream,
            Some((negative, positive)) => stream.of_classes(&negative, &positive),
        };
        Ok(Self { stream: Mutex::new(stream) })
    }

    /// Goes on from a machine of a model; `memory` is that of the stream that made the model, if one did.
    #[staticmethod]
    #[pyo3(signature = (spec, model, machine=0, memory=None))]
    fn resume(spec: &str, model: &PyModel, machine: usize, memory: Option<&str>) -> PyResult<Self> {
        let spec: Spec = spec.parse().map_err(Raise::raise)?;
        let memory: Option<OnlineMemory> = memory.map(serde_json::from_str).transpose().map_err(|error| {
            exception("MercerError", &format!("this is not what a stream remembered: {error}"))
        })?;
        let stream = Stream::resume(&spec, &model.model, machine, memory, &Registry::new());
        Ok(Self { stream: Mutex::new(stream.map_err(Raise::raise)?) })
    }

    /// The model of one stream for each pair of classes.
    #[staticmethod]
    fn joined(py: Python<'_>, streams: Vec<Py<Self>>, classes: Vec<String>) -> PyResult<PyModel> {
        let joined = detached(py, None, || {
            let held: Vec<_> = streams
                .iter()
                .map(|stream| stream.get().stream.lock().unwrap_or_else(PoisonError::into_inner))
                .collect();
            Stream::joined(&held.iter().map(|stream| &**stream).collect::<Vec<_>>(), &classes)
        })?;
        Ok(PyModel { model: joined.map_err(Raise::raise)?, interrupted: false })
    }

    /// What the coefficients are and have been, as JSON, for `resume`.
    fn memory(&self) -> PyResult<String> {
        let memory = self.stream.lock().unwrap_or_else(PoisonError::into_inner).memory();
        serde_json::to_string(&memory).map_err(|error| exception("MercerError", &error))
    }

    /// Takes rows in order, and tells how it went.
    fn observe<'py>(
        &self,
        py: Python<'py>,
        table: &PyTable,
        target: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let target = column(target)?;
        let rows = &table.table;
        let report = detached(py, None, || {
            self.stream.lock().unwrap_or_else(PoisonError::into_inner).observe(rows, &target)
        })?;
        let (report, told) = (report.map_err(Raise::raise)?, PyDict::new(py));
        told.set_item("rows", report.rows)?;
        told.set_item("mistakes", report.mistakes)?;
        told.set_item("seen", report.seen)?;
        told.set_item("total_mistakes", report.total_mistakes)?;
        told.set_item("support", report.support)?;
        Ok(told)
    }

    /// The model as it is now.
    fn model(&self, py: Python<'_>) -> PyResult<PyModel> {
        let model =
            detached(py, None, || self.stream.lock().unwrap_or_else(PoisonError::into_inner).model())?;
        Ok(PyModel { model: model.map_err(Raise::raise)?, interrupted: false })
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyStream>()
}
