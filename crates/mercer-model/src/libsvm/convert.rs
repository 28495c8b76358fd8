//! From the text of LIBSVM to a [`Model`] and back.
//!
//! A decision value of LIBSVM, Σ coefficient·k(x,·) − ρ, is a score of Mercer with b = −ρ; nothing is rescaled when
//! reading. The other way, coefficients of the one-class machine, which add up to 1 here and to νn there, are multiplied
//! by νn. What LIBSVM has no word for (other kernels, scaling, categories, class names that are not whole numbers) is
//! refused by name. C, ν and ε are not in LIBSVM's files: a model that was read has those of an empty [`Spec`].

use mercer_kernel::KernelExpr;
use mercer_linalg::Budget;
use mercer_points::{ColumnData, Points, Sparse, Table};
use mercer_solve::Status;

use super::order::{column, pair};
use super::{LibsvmKernel, LibsvmModel, SvmType};
use crate::{
    Between, Coefficients, ColumnKind, ColumnSchema, Learner, Machine, Model, ModelError, Multiclass, Parts,
    Preprocessing, Provenance, Schema, Spec, Step, Task,
};

/// The model of a text, or why there is none.
pub(super) fn to_model(text: &LibsvmModel, source: &str) -> Result<Model, String> {
    let kernel = expression(text.kernel)?;
    let (learner, task) = match text.svm_type {
        SvmType::CSvc => (Learner::Smo, Task::Classes),
        SvmType::NuSvc => (Learner::NuSvc, Task::Classes),
        SvmType::OneClass => (Learner::OneClass, Task::Novelty),
        SvmType::EpsilonSvr => (Learner::Svr, Task::Numbers),
        SvmType::NuSvr => (Learner::NuSvr, Task::Numbers),
    };
    let mut spec = Spec::new(kernel.clone(), learner);
    if task == Task::Classes {
        spec.multiclass = Multiclass::OneVsOne;
    }
    let mut classes: Vec<String> = text.labels.iter().map(ToString::to_string).collect();
    if classes.len() == 2 {
        // Of two classes the positive one comes first in LIBSVM and second here.
        classes.reverse();
    }
    let points = points(&text.vectors);
    let schema = Schema {
        columns: points
            .columns()
            .iter()
            .map(|column| ColumnSchema {
                name: column.name.clone(),
                kind: ColumnKind::of(&column.data),
                used: true,
            })
            .collect(),
        target: (task != Task::Novelty).then(|| "label".to_owned()),
        others: Vec::new(),
    };
    let parts = Parts {
        spec,
        kernel,
        lambda: 1.0,
        task,
        classes,
        machines: machines(text)?,
        curves: Vec::new(),
        rows: Vec::new(),
        points,
        schema,
        preprocessing: Preprocessing::default(),
        plan: None,
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            source: source.to_owned(),
            columns: text.vectors.dim(),
            ..Provenance::default()
        },
    };
    Model::from_parts(parts).map_err(|error| error.to_string())
}

/// The kernel in Mercer's language.
pub(super) fn expression(kernel: LibsvmKernel) -> Result<KernelExpr, String> {
    let written = match kernel {
        LibsvmKernel::Linear => "linear".to_owned(),
        LibsvmKernel::Polynomial { degree, gamma, coef0 } => {
            format!("poly(degree={degree}, gamma={gamma:e}, offset={coef0:e})")
        }
        LibsvmKernel::Rbf { gamma } => format!("rbf(gamma={gamma:e})"),
        LibsvmKernel::Sigmoid { gamma, coef0 } => format!("sigmoid(gamma={gamma:e}, offset={coef0:e})"),
    };
    written.parse::<KernelExpr>().map_err(|errors| format!("the kernel {written}: {}", errors.one_line()))
}

/// The support vectors as the column that LIBSVM data are read into. They stay sparse, because new points may then have
/// coordinates that no support vector has.
fn points(vectors: &Sparse) -> Table {
    let mut table = Table::new();
    let data = ColumnData::Sparse(vectors.clone());
    table.push("features", data).expect("the first column of a table cannot be in the way of another");
    table
}

/// One machine, or one for each pair of classes.
fn machines(text: &LibsvmModel) -> Result<Vec<Machine>, String> {
    let support = text.vectors.len();
    let machine = |between, coefficients, rho: f64| Machine {
        between,
        coefficients,
        bias: 0.0 - rho,
        level: None,
        certificate: None,
        status: Status::Solved,
        iterations: 0,
        trace: Vec::new(),
    };
    if !text.svm_type.has_classes() {
        return Ok(vec![machine(None, text.coefficients[0].clone().into(), text.rho[0])]);
    }
    let (k, starts) = (text.labels.len(), text.starts());
    let bytes = text.rho.len() as u128 * size_of::<Machine>() as u128;
    if !Budget::default().allows(bytes) {
        return Err(format!("the machines of {k} classes need {bytes} bytes of memory"));
    }
    let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
    let made = pairs.map(|(i, j)| {
        let of = |own: usize, other: usize| {
            let values = &text.coefficients[column(own, other)];
            (starts[own]..starts[own + 1]).map(move |row| (row, values[row]))
        };
        let coefficients = Coefficients::of(support, of(i, j).chain(of(j, i)));
        machine((k > 2).then_some(Between::Pair(i, j)), coefficients, text.rho[pair(i, j, k)])
    });
    Ok(made.collect())
}

/// The text of a model; an error says what LIBSVM has no word for.
pub(super) fn from_model(model: &Model) -> Result<LibsvmModel, ModelError> {
    let parts = model.parts();
    let kernel = libsvm_kernel(&parts.kernel)?;
    if let Some((name, step)) = parts.preprocessing.steps.first() {
        return Err(refused(match step {
            Step::Scale(_) => {
                format!("column '{name}' is scaled by the model; scale the data themselves before fitting")
            }
            Step::OneHot(_) => format!("column '{name}' holds categories, and LIBSVM knows numbers alone"),
        }));
    }
    if parts.task == Task::Numbers && parts.machines.len() > 1 {
        let said = format!("the model predicts {} targets, and LIBSVM knows one", parts.machines.len());
        return Err(refused(said));
    }
    if parts
        .machines
        .iter()
        .any(|machine| matches!(machine.between, Some(Between::Rest(_) | Between::Softmax(_))))
    {
        return Err(refused("it has a machine for each class, and LIBSVM has one for each pair".to_owned()));
    }
    if !parts.curves.is_empty() {
        return Err(refused("its probabilities would be lost; fit without them".to_owned()));
    }
    let vectors = vectors(&parts.points)?;
    if parts.task != Task::Classes {
        return Ok(without_classes(parts, kernel, vectors));
    }
    let whole = |name: &String| {
        let label = name.parse::<i32>();
        label.map_err(|_| {
            refused(format!("the class '{name}' is not a whole number, as labels of LIBSVM are"))
        })
    };
    let mut labels = parts.classes.iter().map(whole).collect::<Result<Vec<_>, _>>()?;
    let mut owners = owners(&parts.machines)?;
    if parts.machines[0].between.is_none() {
        labels.reverse();
    }
    let k = labels.len();
    let mut rows: Vec<usize> = (0..vectors.len()).filter(|&row| owners[row].is_some()).collect();
    rows.sort_by_key(|&row| owners[row]);
    let rows_of = |class| rows.iter().filter(|&&row| owners[row] == Some(class)).count();
    let counts = (0..k).map(rows_of).collect();
    let mut coefficients = vec![vec![0.0; rows.len()]; k - 1];
    for (at, &row) in rows.iter().enumerate() {
        let own = owners[row].take().expect("rows without an owner were left out");
        for other in (0..k).filter(|&other| other != own) {
            let machine = &parts.machines[pair(own.min(other), own.max(other), k)];
            coefficients[column(own, other)][at] = machine.coefficients[row];
        }
    }
    let svm_type = if parts.spec.learner == Learner::NuSvc { SvmType::NuSvc } else { SvmType::CSvc };
    let rho = parts.machines.iter().map(|machine| 0.0 - machine.bias).collect();
    let vectors = vectors.select(&rows);
    Ok(LibsvmModel { svm_type, kernel, rho, labels, counts, coefficients, vectors, probabilities: false })
}

fn without_classes(parts: &Parts, kernel: LibsvmKernel, vectors: Sparse) -> LibsvmModel {
    let machine = &parts.machines[0];
    let svm_type = match (parts.task, parts.spec.learner) {
        (Task::Novelty, _) => SvmType::OneClass,
        (_, Learner::NuSvr) => SvmType::NuSvr,
        _ => SvmType::EpsilonSvr,
    };
    // A model that was read from LIBSVM knows of no training rows and has LIBSVM's scale already.
    let rows = parts.provenance.rows;
    let scale = if svm_type == SvmType::OneClass && rows > 0 { parts.spec.nu * rows as f64 } else { 1.0 };
    let used: Vec<usize> = machine.coefficients.used().map(|(row, _)| row).collect();
    LibsvmModel {
        svm_type,
        kernel,
        rho: vec![0.0 - scale * machine.bias],
        labels: Vec::new(),
        counts: Vec::new(),
        coefficients: vec![machine.coefficients.values().iter().map(|alpha| scale * alpha).collect()],
        vectors: vectors.select(&used),
        probabilities: false,
    }
}

fn refused(reason: String) -> ModelError {
    ModelError::Data(format!("a LIBSVM model cannot express this one: {reason}"))
}

fn libsvm_kernel(kernel: &KernelExpr) -> Result<LibsvmKernel, ModelError> {
    if let KernelExpr::Label(_, inside) = kernel {
        return libsvm_kernel(inside);
    }
    let call = match kernel {
        KernelExpr::Leaf(leaf) => Some((leaf.call().signature().name, leaf.call())),
        _ => None,
    };
    let found = call.and_then(|(name, call)| {
        let number = |name| call.number(name);
        Some(match name {
            "linear" => LibsvmKernel::Linear,
            "poly" => LibsvmKernel::Polynomial {
                degree: number("degree")? as u32,
                gamma: number("gamma")?,
                coef0: number("offset")?,
            },
            "sigmoid" => LibsvmKernel::Sigmoid { gamma: number("gamma")?, coef0: number("offset")? },
            "rbf" => LibsvmKernel::Rbf {
                gamma: number("gamma")
                    .or_else(|| number("sigma").map(|sigma| 0.5 / (sigma * sigma)))
                    .or_else(|| number("width").map(|width| 1.0 / (width * width)))?,
            },
            _ => return None,
        })
    });
    found.ok_or_else(|| {
        refused(format!("its kernels are linear, poly, rbf and sigmoid on all columns, and this is {kernel}"))
    })
}

/// All columns side by side, as sparse rows.
fn vectors(table: &Table) -> Result<Sparse, ModelError> {
    let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); table.len()];
    let mut dim = 0;
    for column in table.columns() {
        let start = dim;
        let index =
            |j: usize| u32::try_from(start + j).map_err(|_| refused("it has too many columns".to_owned()));
        match &column.data {
            ColumnData::Numbers(values) => {
                for (row, &value) in rows.iter_mut().zip(values) {
                    row.push((index(0)?, value));
                }
                dim += 1;
            }
            ColumnData::Dense(points, _) => {
                for (row, point) in rows.iter_mut().zip(points.rows()) {
                    for (j, &value) in point.iter().enumerate() {
                        row.push((index(j)?, value));
                    }
                }
                dim += points.dim();
            }
            ColumnData::Single(points, _) => {
                for (row, point) in rows.iter_mut().zip(points.rows()) {
                    for (j, &value) in point.iter().enumerate() {
                        row.push((index(j)?, value.into()));
                    }
                }
                dim += points.dim();
            }
            ColumnData::Sparse(points) => {
                for (i, row) in rows.iter_mut().enumerate() {
                    let point = points.point(i);
                    for (&j, &value) in point.indices.iter().zip(point.values) {
                        row.push((index(j as usize)?, value));
                    }
                }
                dim += points.dim();
            }
            other => {
                let (name, kind) = (&column.name, other.kind());
                return Err(refused(format!("column '{name}' holds {kind}, and LIBSVM knows numbers alone")));
            }
        }
    }
    rows.iter_mut().for_each(|row| row.retain(|(_, value)| *value != 0.0));
    Ok(Sparse::from_rows(dim, rows)?)
}

/// The class that each support vector belongs to, in LIBSVM's order of classes; none where no machine uses it.
///
/// A row of class a is used by machines of pairs with a alone. Where there is but one such machine either class of
/// its pair would do, and the sign of the coefficient says which.
fn owners(machines: &[Machine]) -> Result<Vec<Option<usize>>, ModelError> {
    let support = machines.first().map_or(0, |machine| machine.coefficients.len());
    let mut candidates: Vec<Option<Vec<usize>>> = vec![None; support];
    let mut positive = vec![true; support];
    for machine in machines {
        let (a, b) = machine.pair().unwrap_or((0, 1));
        for (row, alpha) in machine.coefficients.used() {
            positive[row] = alpha > 0.0;
            candidates[row].get_or_insert_with(|| vec![a, b]).retain(|class| [a, b].contains(class));
        }
    }
    let owner = |(row, candidates): (usize, &Option<Vec<usize>>)| match candidates.as_deref() {
        None => Ok(None),
        Some([]) => {
            Err(refused(format!("support vector {} is used by pairs without a common class", row + 1)))
        }
        Some([a, b]) => Ok(Some(if positive[row] { *a } else { *b })),
        Some(one) => Ok(one.first().copied()),
    };
    candidates.iter().enumerate().map(owner).collect()
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
