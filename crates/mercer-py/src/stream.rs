//! Streams of rows.

use std::sync::{Mutex, PoisonError};

use mercer::kernel::Registry;
use mercer::model::{Spec, Stream};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::Raise;
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
