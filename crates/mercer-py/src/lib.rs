use pyo3::prelude::*;
#[pymodule]
fn _mercer(_m: &Bound<'_, PyModule>) -> PyResult<()> { Ok(()) }
