//! The compiled half of Mercer's Python package: tables of NumPy arrays, fits that Ctrl-C can end, models.
//!
//! A thin shell: everything is done by the crates behind it. What follows scikit-learn's conventions (names,
//! validation, fitted attributes) is Python, in `python/mercer`.

mod data;
mod errors;
mod fit;
mod gram;
mod kernel;
mod model;
mod run;
mod stream;
#[allow(unsafe_code, reason = "reading the memory of NumPy arrays")]
mod table;
mod tables;
mod tune;
mod view;

use pyo3::prelude::*;

#[pymodule]
fn _mercer(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    for register in [
        data::register,
        fit::register,
        gram::register,
        kernel::register,
        model::register,
        stream::register,
        table::register,
        tables::register,
        tune::register,
        view::register,
    ] {
        register(module)?;
    }
    Ok(())
}
