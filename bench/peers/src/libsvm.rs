//! libsvm-rs: LIBSVM written again in Rust.

use libsvm_rs::predict::predict;
use libsvm_rs::train::svm_train;
use libsvm_rs::{KernelType, SvmNode, SvmParameterBuilder, SvmProblem, SvmType};
use ndarray::{Array2, ArrayView1};

use crate::arrays::{Problem, Solution};
use crate::measure::{Measured, measure};
use crate::{Failure, Settings};

/// Any number of classes, or numbers.
pub(crate) fn run(problem: &Problem, settings: &Settings) -> Result<Measured, Failure> {
    libsvm_rs::set_quiet(true);
    let mut order: Vec<usize> = (0..problem.y.len()).collect();
    if settings.epsilon.is_none() {
        // The library puts the rows of a class together itself, with classes in the order of their first rows.
        order.sort_by(|&a, &b| problem.y[a].total_cmp(&problem.y[b]));
    }
    let training = SvmProblem {
        labels: order.iter().map(|&row| problem.y[row]).collect(),
        instances: order.iter().map(|&row| nodes(problem.x.row(row))).collect(),
    };
    let test = sparse(&problem.x_test);
    let parameter = SvmParameterBuilder::new()
        .svm_type(if settings.epsilon.is_some() { SvmType::EpsilonSvr } else { SvmType::CSvc })
        .kernel_type(KernelType::Rbf)
        .gamma(settings.gamma)
        .c(settings.c)
        .p(settings.epsilon.unwrap_or_default())
        .eps(settings.tolerance)
        .cache_size(4000.0)
        .build()?;
    measure(
        || Ok(svm_train(&training, &parameter)),
        |model| Ok(test.iter().map(|row| predict(model, row)).collect()),
        |model| {
            Ok(Solution {
                support: model.sv_indices.iter().map(|&index| order[index - 1]).collect(),
                coefficients: model.sv_coef.clone(),
                counts: model.n_sv.clone(),
            })
        },
    )
}

fn sparse(rows: &Array2<f64>) -> Vec<Vec<SvmNode>> {
    rows.rows().into_iter().map(nodes).collect()
}

/// What is not zero of a row; columns count from one.
fn nodes(row: ArrayView1<'_, f64>) -> Vec<SvmNode> {
    let columns = row.iter().enumerate().filter(|(_, value)| **value != 0.0);
    columns.map(|(column, &value)| SvmNode { index: column as i32 + 1, value }).collect()
}
