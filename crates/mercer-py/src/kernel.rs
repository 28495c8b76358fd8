//! Kernel expressions, and kernels bound to points.

use std::sync::{Arc, OnceLock};

use mercer::gram::{GramError, entries};
use mercer::kernel::{Domain, Entry, KernelExpr, MapExpr, Plan, Ready, Registry, Status, Tiles, Value};
use mercer::model::{ModelError, Preparation};
use mercer::points::{Points, Table};
use mercer::solve::Watch;
use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{Raise, exception};
use crate::model::matrix;
use crate::run::{Ended, budget, detached, watched};
use crate::table::PyTable;

/// A kernel expression, read.
pub(crate) fn expression(text: &str) -> PyResult<KernelExpr> {
    mercer::kernel::parse(text).map_err(|errors| exception("KernelError", &errors))
}

/// An expression in its one canonical form.
#[pyfunction]
fn kernel_parse(text: &str) -> PyResult<String> {
    Ok(expression(text)?.to_string())
}

/// A feature map in its one canonical form.
#[pyfunction]
fn map_parse(text: &str) -> PyResult<String> {
    let map: Result<MapExpr, _> = mercer::kernel::parse_map(text);
    Ok(map.map_err(|errors| exception("KernelError", &errors))?.to_string())
}

/// What is known of an expression before any data are seen.
#[pyfunction]
fn kernel_info<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let (kernel, told) = (expression(text)?, PyDict::new(py));
    let mercer = kernel.mercer();
    let status = match mercer.status {
        Status::Psd => "psd",
        Status::Conditional(_) => "conditional",
        Status::NotPsd(_) => "not psd",
        Status::Unknown(_) => "unknown",
    };
    let proof: Vec<String> = mercer.to_string().lines().map(|line| line.trim_start().to_owned()).collect();
    let (mut domains, mut words) = (Vec::new(), Vec::new());
    survey(&kernel, &mut domains, &mut words);
    told.set_item("text", kernel.to_string())?;
    told.set_item("status", status)?;
    told.set_item("claim", mercer.status.to_string())?;
    told.set_item("proof", proof)?;
    told.set_item("domain", domains)?;
    told.set_item("uses_data", words)?;
    Ok(told)
}

/// What the leaves are evaluated on, and the words and maps that need training rows, each once.
fn survey(kernel: &KernelExpr, domains: &mut Vec<String>, words: &mut Vec<String>) {
    let add = |list: &mut Vec<String>, item: String| {
        if !list.contains(&item) {
            list.push(item);
        }
    };
    let learns = ["standardize", "minmax", "deviation", "buckets", "nystrom", "empirical", "fourier"];
    let of_map = |map: &MapExpr, words: &mut Vec<String>| {
        if learns.contains(&map.info().signature.name) {
            add(words, map.info().signature.name.to_owned());
        }
    };
    match kernel {
        KernelExpr::Leaf(leaf) => {
            add(domains, leaf.info().domain.to_string());
            for (_, value) in leaf.call().given() {
                if let Value::Word(word) = value {
                    add(words, (*word).to_owned());
                }
            }
        }
        KernelExpr::User(name) => add(domains, name.clone()),
        KernelExpr::Outer(map) => {
            of_map(map, words);
            add(domains, Domain::Vectors.to_string());
        }
        KernelExpr::Mapped(child, map) => {
            of_map(map, words);
            survey(child, domains, words);
        }
        KernelExpr::Sum(children) | KernelExpr::Product(children) => {
            children.iter().for_each(|child| survey(child, domains, words));
        }
        KernelExpr::Scale(_, child)
        | KernelExpr::Power(child, _)
        | KernelExpr::Normalize(child)
        | KernelExpr::Exp(child)
        | KernelExpr::On(child, _)
        | KernelExpr::Label(_, child) => survey(child, domains, words),
    }
}

/// An expression bound to training points: columns found, maps fitted, words such as `scale` turned into numbers.
#[pyclass(name = "Kernel", module = "mercer._mercer", frozen)]
pub(crate) struct PyKernel {
    preparation: Preparation,
    plan: Plan,
    table: Py<PyTable>,
    points: OnceLock<Arc<Ready>>,
}

#[pymethods]
impl PyKernel {
    #[new]
    fn new(py: Python<'_>, text: &str, table: Py<PyTable>) -> PyResult<Self> {
        let kernel = expression(text)?;
        let rows = &table.get().table;
        let (preparation, plan) = detached(py, None, || bind(&kernel, rows))?.map_err(Raise::raise)?;
        Ok(Self { preparation, plan, table, points: OnceLock::new() })
    }

    /// The expression, its words resolved.
    #[getter]
    fn text(&self) -> String {
        self.plan.expr().to_string()
    }

    /// Kernel values between the rows of x and those of y; of x with itself, symmetric to the bit.
    #[pyo3(signature = (x, y=None, *, dtype="float64", memory_limit=None, threads=None))]
    fn gram<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyTable>,
        y: Option<&Bound<'py, PyTable>>,
        dtype: &str,
        memory_limit: Option<u64>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let y = y.filter(|y| !y.is(x));
        match dtype {
            "float64" => self.fill::<f64>(py, x, y, memory_limit, threads),
            "float32" => self.fill::<f32>(py, x, y, memory_limit, threads),
            _ => Err(exception("MercerError", &format!("dtype is 'float64' or 'float32', not '{dtype}'"))),
        }
    }

    /// k(x,x) for every row.
    fn diagonal<'py>(&self, py: Python<'py>, x: &Bound<'py, PyTable>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let bound = x.is(&self.table);
        let rows = &x.get().table;
        let ready = detached(py, None, || self.ready(rows, bound))?.map_err(Raise::raise)?;
        Ok(ready.diagonal().to_vec().into_pyarray(py))
    }

    /// Features whose inner product the kernel is, where it is `linear` after maps and selections; else none.
    #[pyo3(signature = (x, *, memory_limit=None))]
    fn features<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyTable>,
        memory_limit: Option<u64>,
    ) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let bound = x.is(&self.table);
        let rows = &x.get().table;
        let found = detached(py, None, || {
            let ready = self.ready(rows, bound)?;
            self.plan.features(&ready, budget(memory_limit)).map_err(ModelError::from)
        })?;
        found.map_err(Raise::raise)?.map(|points| matrix(py, points.values(), points.dim())).transpose()
    }
}

/// The columns that the kernel sees, and the kernel bound to them.
pub(crate) fn bind(kernel: &KernelExpr, table: &Table) -> Result<(Preparation, Plan), ModelError> {
    let preparation = Preparation::new(kernel, table)?;
    let plan = Plan::compile(kernel, &preparation.apply(table)?, &Registry::new())?;
    Ok((preparation, plan))
}

impl PyKernel {
    /// Rows for this kernel; those that it was bound to are made ready once.
    fn ready(&self, table: &Table, bound: bool) -> Result<Arc<Ready>, ModelError> {
        let make = || -> Result<Arc<Ready>, ModelError> {
            Ok(Arc::new(self.plan.ready(&self.preparation.apply(table)?)?))
        };
        match (bound, self.points.get()) {
            (false, _) => make(),
            (true, Some(ready)) => Ok(ready.clone()),
            (true, None) => {
                let ready = make()?;
                Ok(self.points.get_or_init(|| ready).clone())
            }
        }
    }

    fn fill<'py, T: Entry + Element + Into<f64>>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyTable>,
        y: Option<&Bound<'py, PyTable>>,
        memory_limit: Option<u64>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (rows, columns) = (x.get().table.len(), y.map_or(x.get().table.len(), |y| y.get().table.len()));
        fits::<T>(rows, columns, memory_limit)?;
        // NumPy allocates, so that too large a matrix is a MemoryError.
        let array = py.import("numpy")?.call_method1("empty", ((rows, columns), T::get_dtype(py)))?;
        let mut writable = array.cast::<PyArray2<T>>()?.readwrite();
        let out = writable.as_slice_mut()?;
        let (bound, same) = (x.is(&self.table), y.is_none());
        let y_bound = y.is_some_and(|y| y.is(&self.table));
        let left = &x.get().table;
        let right = y.map_or(left, |y| &y.get().table);
        let Ended { result, interrupted } = watched(py, threads, None, |watch| {
            let left = self.ready(left, bound)?;
            let right = if same { left.clone() } else { self.ready(right, y_bound)? };
            entries(&Tiles::<T>::new(&self.plan, &left, &right), out, &|| watch.stopped());
            let at = out.iter().position(|&entry| !Into::<f64>::into(entry).is_finite());
            Ok::<_, ModelError>(at)
        })?;
        if interrupted {
            return Err(PyKeyboardInterrupt::new_err(()));
        }
        match result.map_err(Raise::raise)? {
            None => Ok(array),
            Some(at) => {
                let said = format!(
                    "entry ({}, {}) is too large for a number of {} bits; scale the columns, choose smaller parameters, \
                     or take dtype='float64'",
                    at / columns,
                    at % columns,
                    8 * size_of::<T>()
                );
                Err(exception("KernelError", &said))
            }
        }
    }
}

/// Whether a matrix of this size is within the memory limit; the error says what to do.
fn fits<T>(rows: usize, columns: usize, memory_limit: Option<u64>) -> PyResult<()> {
    let (budget, size) = (budget(memory_limit), size_of::<T>());
    let needed = rows as u128 * columns as u128 * size as u128;
    if budget.allows(needed) {
        return Ok(());
    }
    let largest = (budget.bytes() as f64 / size as f64).sqrt() as usize;
    let half = if size > 4 { "take dtype='float32' for half of it, " } else { "" };
    let instead = format!(
        "{half}take fewer rows ({largest} against {largest} fit), or raise memory_limit; an estimator computes the entries \
         that it needs as it goes"
    );
    Err(GramError::OverBudget { rows: rows.max(columns), needed, budget: budget.bytes(), instead }.raise())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(kernel_parse, module)?)?;
    module.add_function(wrap_pyfunction!(map_parse, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_info, module)?)?;
    module.add_class::<PyKernel>()
}
