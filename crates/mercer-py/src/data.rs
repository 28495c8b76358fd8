//! Data sets that ship inside.

use mercer::points::{Column, ColumnData, Points, data, default_target};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::exception;

/// A built-in set by its name, with or without `@` and parameters: `@moons(n=200)`.
#[pyfunction]
fn dataset<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let text = text.trim().trim_start_matches('@');
    let table = data::load(text).map_err(|error| exception("MercerError", &error))?;
    let told = PyDict::new(py);
    told.set_item("name", text.split('(').next().unwrap_or(text).trim())?;
    told.set_item("target", default_target(&table))?;
    let columns = table.columns().iter().map(|column| values(py, column)).collect::<PyResult<Vec<_>>>()?;
    told.set_item("columns", columns)?;
    Ok(told)
}

type Named<'py> = (String, &'static str, Bound<'py, PyAny>);

fn values<'py>(py: Python<'py>, column: &Column) -> PyResult<Named<'py>> {
    let (kind, values) = match &column.data {
        ColumnData::Numbers(values) => ("numbers", PyArray1::from_slice(py, values).into_any()),
        ColumnData::Categories(names) => {
            ("categories", PyList::new(py, (0..names.len()).map(|row| names.point(row)))?.into_any())
        }
        ColumnData::Texts(texts) => ("texts", PyList::new(py, texts.iter())?.into_any()),
        other => {
            let said = format!("column '{}' holds {}", column.name, other.kind());
            return Err(exception("MercerError", &said));
        }
    };
    Ok((column.name.clone(), kind, values))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(dataset, module)?)
}
