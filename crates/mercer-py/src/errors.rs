//! Errors of the engine as Python exceptions: those of `mercer.exceptions`, which is Python.

use std::fmt::Display;

use mercer::gram::GramError;
use mercer::kernel::KernelError;
use mercer::model::ModelError;
use mercer::picture::PictureError;
use mercer::points::PointsError;
use mercer::solve::SolveError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// An error that has a Python exception.
pub(crate) trait Raise {
    /// The exception.
    fn raise(self) -> PyErr;
}

impl Raise for ModelError {
    fn raise(self) -> PyErr {
        match self {
            Self::Solve(error) => error.raise(),
            Self::Kernel(error) => error.raise(),
            Self::Gram(error) => error.raise(),
            Self::Points(error) => error.raise(),
            Self::Parse(error) => exception("KernelError", &error),
            Self::File { verb: "read", ref path, .. } if !path.exists() => {
                pyo3::exceptions::PyFileNotFoundError::new_err(self.to_string())
            }
            Self::File { .. } => pyo3::exceptions::PyOSError::new_err(self.to_string()),
            other => exception("MercerError", &other),
        }
    }
}

impl Raise for PictureError {
    fn raise(self) -> PyErr {
        match self {
            Self::Model(error) => error.raise(),
            Self::Gram(error) => error.raise(),
            Self::Kernel(error) => error.raise(),
            Self::Points(error) => error.raise(),
            other => exception("MercerError", &other),
        }
    }
}

impl Raise for SolveError {
    fn raise(self) -> PyErr {
        let kind = if matches!(self, Self::OverBudget { .. }) { "MemoryBudgetError" } else { "MercerError" };
        exception(kind, &self)
    }
}

impl Raise for GramError {
    fn raise(self) -> PyErr {
        match self {
            Self::Kernel(error) => error.raise(),
            Self::OverBudget { .. } => exception("MemoryBudgetError", &self),
            other => exception("MercerError", &other),
        }
    }
}

impl Raise for KernelError {
    fn raise(self) -> PyErr {
        match self {
            Self::Points(error) => error.raise(),
            other => exception("KernelError", &other),
        }
    }
}

impl Raise for PointsError {
    fn raise(self) -> PyErr {
        let kind = if matches!(self, Self::TooLarge { .. }) { "MemoryBudgetError" } else { "MercerError" };
        exception(kind, &self)
    }
}

/// An exception of `mercer.exceptions` by its name.
pub(crate) fn exception(name: &'static str, said: &dyn Display) -> PyErr {
    // Options of the command are parameters here.
    let text = said
        .to_string()
        .replace("choose solver cg, or raise", "raise")
        .replace("--memory", "memory_limit")
        .replace(
            "--multi one-vs-rest, which solves one class",
            "multi_class=\"ovo\", which solves one pair of classes",
        )
        .replace("--multi one-vs-rest", "multi_class=\"ovo\"")
        .replace("--slice components", "slice=\"components\"");
    Python::attach(|py| match class(py, name) {
        Ok(class) => PyErr::from_type(class, text),
        Err(error) => error,
    })
}

fn class<'py>(py: Python<'py>, name: &'static str) -> PyResult<Bound<'py, PyType>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("mercer.exceptions").map(Bound::unbind))?;
    Ok(module.bind(py).getattr(name)?.cast_into::<PyType>()?)
}
