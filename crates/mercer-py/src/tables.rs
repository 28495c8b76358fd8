//! The tables that the command and the documents print, as lists of dicts.

use mercer::kernel::{KERNELS, Kind, Literal, MAPS, Param, Signature, signature_text};
use mercer::model::{self, LEARNERS};
use mercer::points::data::{Task, builtin};
use mercer::solve::loss::{LOSSES, Target};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

type Rows<'py> = PyResult<Vec<Bound<'py, PyDict>>>;

/// Every kernel that has a name.
#[pyfunction]
fn kernel_table(py: Python<'_>) -> Rows<'_> {
    let row = |kernel: &&mercer::kernel::KernelInfo| {
        let told = signature(py, &kernel.signature)?;
        told.set_item("formula", kernel.formula)?;
        told.set_item("domain", kernel.domain.to_string())?;
        told.set_item("about", kernel.about)?;
        told.set_item("psd", kernel.evidence().word())?;
        Ok(told)
    };
    KERNELS.iter().map(row).collect()
}

/// Every feature map that has a name.
#[pyfunction]
fn map_table(py: Python<'_>) -> Rows<'_> {
    let row = |map: &&mercer::kernel::MapInfo| {
        let told = signature(py, &map.signature)?;
        told.set_item("formula", map.formula)?;
        told.set_item("dimension", map.dimension)?;
        told.set_item("kernel", map.kernel)?;
        told.set_item("about", map.about)?;
        Ok(told)
    };
    MAPS.iter().map(row).collect()
}

fn signature<'py>(py: Python<'py>, signature: &Signature) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("name", signature.name)?;
    told.set_item("aliases", signature.aliases)?;
    told.set_item("signature", signature_text(signature))?;
    let parameters: Rows<'py> = signature.params.iter().map(|param| parameter(py, param)).collect();
    told.set_item("parameters", parameters?)?;
    told.set_item("one_of", signature.one_of)?;
    Ok(told)
}

fn parameter<'py>(py: Python<'py>, param: &Param) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("name", param.name)?;
    told.set_item("aliases", param.aliases)?;
    told.set_item("about", param.about)?;
    told.set_item("range", param.kind.to_string())?;
    let (kind, words): (_, &[&str]) = match param.kind {
        Kind::Real(_) => ("number", &[]),
        Kind::RealOr(_, words) => ("number or word", words),
        Kind::Integer(..) => ("whole", &[]),
        Kind::Among(_) => ("number", &[]),
        Kind::Word(words) => ("word", words),
        Kind::Kernel => ("kernel", &[]),
    };
    told.set_item("kind", kind)?;
    told.set_item("words", words)?;
    match param.default {
        None => told.set_item("default", py.None())?,
        Some(Literal::Number(number)) if number.fract() == 0.0 => told.set_item("default", number as i64)?,
        Some(Literal::Number(number)) => told.set_item("default", number)?,
        Some(Literal::Word(word) | Literal::Kernel(word)) => told.set_item("default", word)?,
    }
    Ok(told)
}

/// Every learner.
#[pyfunction]
fn learner_table(py: Python<'_>) -> Rows<'_> {
    let row = |(_, info): &(model::Learner, model::LearnerInfo)| {
        let told = PyDict::new(py);
        told.set_item("name", info.name)?;
        told.set_item("summary", info.summary)?;
        let target = match info.kind {
            model::Kind::Classes => "two classes",
            model::Kind::Numbers => "numbers",
            model::Kind::ByLoss => "by loss",
            model::Kind::Nothing => "none",
        };
        told.set_item("target", target)?;
        told.set_item("losses", PyList::new(py, info.losses)?)?;
        let offset = match info.offset {
            Some(true) => "yes",
            Some(false) => "if asked",
            None => "never",
        };
        told.set_item("offset", offset)?;
        told.set_item("explicit", info.explicit)?;
        told.set_item("complexity", info.complexity)?;
        told.set_item("section", info.section)?;
        told.set_item("reference", info.reference)?;
        Ok(told)
    };
    LEARNERS.iter().map(row).collect()
}

/// Every loss.
#[pyfunction]
fn loss_table(py: Python<'_>) -> Rows<'_> {
    let row = |info: &mercer::solve::loss::LossInfo| {
        let told = PyDict::new(py);
        told.set_item("name", info.name)?;
        told.set_item("aliases", PyList::new(py, info.aliases)?)?;
        told.set_item("parameter", info.parameter)?;
        told.set_item("formula", info.formula)?;
        told.set_item("target", if info.target == Target::Labels { "labels" } else { "numbers" })?;
        told.set_item("summary", info.summary)?;
        Ok(told)
    };
    LOSSES.iter().map(row).collect()
}

/// Every set of data that ships inside.
#[pyfunction]
fn dataset_table(py: Python<'_>) -> Rows<'_> {
    let row = |set: &mercer::points::data::BuiltIn| {
        let told = PyDict::new(py);
        told.set_item("name", set.name)?;
        told.set_item("about", set.about)?;
        told.set_item("rows", set.rows)?;
        let task = match set.task {
            Task::Binary => "two classes",
            Task::Multiclass => "classes",
            Task::Regression => "regression",
        };
        told.set_item("task", task)?;
        told.set_item("generated", set.generated)?;
        told.set_item("source", set.source)?;
        told.set_item("terms", set.terms)?;
        Ok(told)
    };
    builtin().iter().map(row).collect()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(kernel_table, module)?)?;
    module.add_function(wrap_pyfunction!(map_table, module)?)?;
    module.add_function(wrap_pyfunction!(learner_table, module)?)?;
    module.add_function(wrap_pyfunction!(loss_table, module)?)?;
    module.add_function(wrap_pyfunction!(dataset_table, module)?)
}
