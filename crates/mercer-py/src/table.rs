//! What the engine reads, made of NumPy arrays without copying them where NumPy allows.

use std::sync::Arc;

use mercer::points::{Categories, ColumnData, Dense, Indices, Points, Sparse, Table, Texts, are_categories};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::errors::{Raise, exception};

/// Rows for the engine: a block of vectors, sparse vectors, texts, a precomputed matrix, or named columns of any kind.
#[pyclass(name = "Table", module = "mercer._mercer", frozen)]
pub(crate) struct PyTable {
    pub(crate) table: Table,
}

/// Memory of a NumPy array, kept alive by a reference to it.
struct Borrowed<T> {
    start: *const T,
    length: usize,
    _owner: Py<PyAny>,
}

// SAFETY: the memory is only read, the owner is only dropped, and a reference to a Python object may be dropped on any
// thread.
unsafe impl<T: Sync> Send for Borrowed<T> {}
// SAFETY: as above; shared reads of `T: Sync` may happen on any thread.
unsafe impl<T: Sync> Sync for Borrowed<T> {}

impl<T> AsRef<[T]> for Borrowed<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: `start` is the aligned start of `length` values in C order (checked in `borrow`), alive as long as the
        // owner. That nobody writes to an array while it is being fitted is the caller's promise, as in every function
        // that releases the interpreter's lock over an array.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

/// The values of an array in C order, as the points of the engine.
pub(crate) fn borrow<T: Element + Copy + Send + Sync + 'static>(
    array: &Bound<'_, PyArray2<T>>,
) -> PyResult<Dense<T>> {
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    if !array.is_c_contiguous() || !array.data().is_aligned() {
        return Err(exception(
            "MercerError",
            &"the array must be aligned and in C order; use numpy.ascontiguousarray",
        ));
    }
    if rows * columns == 0 {
        return Dense::new(rows, columns, Vec::new()).map_err(Raise::raise);
    }
    let borrowed =
        Borrowed { start: array.data(), length: rows * columns, _owner: array.clone().into_any().unbind() };
    Dense::shared(rows, columns, Arc::new(borrowed)).map_err(Raise::raise)
}

#[pymethods]
impl PyTable {
    /// A block of vectors, float64 or float32 in C order; named by number from 1, or as given.
    #[staticmethod]
    #[pyo3(signature = (x, names=None))]
    fn dense(x: &Bound<'_, PyAny>, names: Option<Vec<String>>) -> PyResult<Self> {
        if let Ok(array) = x.cast::<PyArray2<f32>>() {
            let points = borrow(array)?;
            let names = named(names, points.dim())?;
            return one("x", ColumnData::Single(points, names));
        }
        let points = borrow(x.cast::<PyArray2<f64>>()?)?;
        let names = named(names, points.dim())?;
        one("x", ColumnData::Dense(points, names))
    }

    /// Compressed sparse rows, as SciPy keeps them; indices ascend in each row.
    #[staticmethod]
    fn sparse(
        indptr: PyReadonlyArray1<'_, i64>,
        indices: PyReadonlyArray1<'_, i64>,
        data: PyReadonlyArray1<'_, f64>,
        dim: usize,
    ) -> PyResult<Self> {
        let whole = |number: &i64| usize::try_from(*number).ok();
        let starts = indptr.as_slice()?.iter().map(whole).collect::<Option<Vec<_>>>();
        let small = |number: &i64| u32::try_from(*number).ok();
        let indices = indices.as_slice()?.iter().map(small).collect::<Option<Vec<_>>>();
        let (Some(starts), Some(indices)) = (starts, indices) else {
            let said = "indices of sparse rows are from 0 to 4294967295";
            return Err(exception("MercerError", &said));
        };
        let points = Sparse::new(dim, starts, indices, data.as_slice()?.to_vec()).map_err(Raise::raise)?;
        one("x", ColumnData::Sparse(points))
    }

    /// One text a row.
    #[staticmethod]
    #[pyo3(signature = (values, name="text"))]
    fn texts(values: Vec<String>, name: &str) -> PyResult<Self> {
        one(name, ColumnData::Texts(values.iter().map(String::as_str).collect::<Texts>()))
    }

    /// A precomputed matrix: square to fit, with a column for each training row to predict.
    #[staticmethod]
    fn matrix(k: &Bound<'_, PyArray2<f64>>) -> PyResult<Self> {
        let points = borrow(k)?;
        if points.len() == points.dim() {
            return one("K", ColumnData::Indices(Indices::all(points).map_err(Raise::raise)?));
        }
        points.check_finite().map_err(Raise::raise)?;
        // Columns are training rows in order: the names are of no use to anybody.
        let names = vec![String::new(); points.dim()];
        one("K", ColumnData::Dense(points, names))
    }

    /// Named columns: numbers, categories, texts, or strings of which the engine decides what they are.
    #[staticmethod]
    fn columns(columns: Vec<(String, String, Bound<'_, PyAny>)>) -> PyResult<Self> {
        let mut table = Table::new();
        for (name, kind, values) in columns {
            table.push(name, column(&kind, &values)?).map_err(Raise::raise)?;
        }
        Ok(Self { table })
    }

    fn __len__(&self) -> usize {
        self.table.len()
    }

    /// Columns, a block of vectors counting as one.
    #[getter]
    fn n_columns(&self) -> usize {
        self.table.columns().len()
    }
}

fn column(kind: &str, values: &Bound<'_, PyAny>) -> PyResult<ColumnData> {
    if kind == "numbers" {
        let values = values.cast::<PyArray1<f64>>()?.readonly();
        return Ok(ColumnData::Numbers(values.as_array().to_vec()));
    }
    let values: Vec<String> = values.extract()?;
    Ok(match kind {
        "texts" => ColumnData::Texts(values.iter().map(String::as_str).collect::<Texts>()),
        "categories" => ColumnData::Categories(values.iter().collect::<Categories>()),
        "strings" if are_categories(values.len(), values.iter().map(String::as_str)) => {
            ColumnData::Categories(values.iter().collect::<Categories>())
        }
        "strings" => ColumnData::Texts(values.iter().map(String::as_str).collect::<Texts>()),
        _ => return Err(exception("MercerError", &format!("there is no kind of column '{kind}'"))),
    })
}

fn named(names: Option<Vec<String>>, dim: usize) -> PyResult<Vec<String>> {
    match names {
        None => Ok((1..=dim).map(|j| j.to_string()).collect()),
        Some(names) if names.len() == dim => Ok(names),
        Some(names) => {
            let said = format!("there are {dim} columns, but {} names", names.len());
            Err(exception("MercerError", &said))
        }
    }
}

fn one(name: &str, data: ColumnData) -> PyResult<PyTable> {
    let mut table = Table::new();
    table.push(name, data).map_err(Raise::raise)?;
    Ok(PyTable { table })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyTable>()
}
