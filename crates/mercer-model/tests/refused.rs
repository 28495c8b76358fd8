//! What is refused, and in which words.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Set, set, training};
use mercer_kernel::Registry;
use mercer_model::{ClassWeights, Learner, Model, Setting, Spec, Training, fit};
use mercer_points::{Column, ColumnData, Points, Table};
use mercer_solve::Regularization;

fn said(change: impl FnOnce(&mut Spec, &mut Set)) -> String {
    let mut set = set("@moons(n=30)");
    let mut spec = Spec::new("rbf(sigma=0.5)".parse().unwrap(), Learner::Smo);
    change(&mut spec, &mut set);
    fit(&spec, &training(&set, &Registry::new()), &Setting::default()).unwrap_err().to_string()
}

#[test]
fn targets_that_are_none() {
    let moons = set("@moons(n=30)");
    let spec = Spec::new("rbf".parse().unwrap(), Learner::Smo);
    let registry = Registry::new();
    let none = Training { target: None, ..training(&moons, &registry) };
    let error = fit(&spec, &none, &Setting::default()).unwrap_err().to_string();
    assert!(error.starts_with("smo learns classes and needs a target"), "{error}");
    let one = said(|_, set| set.target.data = ColumnData::Numbers(vec![1.0; 30]));
    assert_eq!(one, "smo decides between two classes, but the target 'label' has only the class 1");
    let many = said(|_, set| set.target.data = ColumnData::Numbers((0..30).map(f64::from).collect()));
    assert!(many.contains("has 30: 0, 1, 2, 3, 4, 5, 6, 7, …; use --multi one-vs-one"), "{many}");
    let hole = |learner: Learner| {
        said(|spec, set| {
            *spec = Spec::new(spec.kernel.clone(), learner);
            let mut values = vec![1.0; 30];
            (values[3], values[7]) = (-1.0, f64::NAN);
            set.target.data = ColumnData::Numbers(values);
        })
    };
    assert!(hole(Learner::Smo).contains("row 8 of the target 'label' is NaN"), "{}", hole(Learner::Smo));
    assert!(hole(Learner::Cholesky).contains("row 8 of the target 'label' is NaN"));
    let names = said(|spec, set| {
        *spec = Spec::new(spec.kernel.clone(), Learner::Cholesky);
        set.target.data = ColumnData::Categories((0..30).map(|i| if i < 9 { "a" } else { "b" }).collect());
    });
    assert!(names.contains("cholesky predicts numbers, but the target 'label' holds categories"), "{names}");
    let short = said(|_, set| set.target.data = ColumnData::Numbers(vec![1.0; 29]));
    assert_eq!(short, "there are 30 rows, but 29 targets");
}

#[test]
fn strengths_and_weights_that_are_none() {
    for strength in [Regularization::Lambda(0.0), Regularization::C(-1.0), Regularization::Mu(f64::NAN)] {
        let error = said(|spec, _| spec.regularization = strength);
        assert!(error.contains("must be above 0 and finite"), "{error}");
    }
    let moons = set("@moons(n=30)");
    let spec = Spec::new("rbf".parse().unwrap(), Learner::Smo);
    for (weights, words) in [
        (vec![1.0; 29], "29 weights"),
        (vec![-1.0; 30], "row 1 has the weight -1"),
        (vec![f64::INFINITY; 30], "row 1 has the weight inf"),
        (vec![0.0; 30], "every weight is zero"),
    ] {
        let registry = Registry::new();
        let weighted = Training { weights: Some(&weights), ..training(&moons, &registry) };
        let error = fit(&spec, &weighted, &Setting::default()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let error = said(|spec, set| {
        *spec = Spec::new(spec.kernel.clone(), Learner::Cholesky);
        set.target.data = ColumnData::Numbers(vec![1.0; 30]);
        spec.class_weights = ClassWeights::Balanced;
    });
    assert!(error.contains("no classes"), "{error}");
}

#[test]
fn learners_and_what_they_do_not_do() {
    let loss = said(|spec, _| spec.loss = "logistic".parse().ok());
    assert!(
        loss.contains("smo does not take the loss logistic") && loss.contains("newton takes it"),
        "{loss}"
    );
    let none = said(|spec, _| {
        *spec = Spec::new(spec.kernel.clone(), Learner::NuSvc);
        spec.loss = "logistic".parse().ok();
    });
    assert!(none.contains("nu-svc does not take the loss logistic; it has none to choose"), "{none}");
    let kernel = said(|spec, _| *spec = Spec::new(spec.kernel.clone(), Learner::Perceptron));
    assert!(
        kernel.contains("explicit features") && kernel.contains("kernel-perceptron takes any kernel"),
        "{kernel}"
    );
    let ridge = said(|spec, _| *spec = Spec::new(spec.kernel.clone(), Learner::RidgeDual));
    assert!(ridge.contains("cholesky takes any kernel"), "{ridge}");
    let offset = said(|spec, _| {
        *spec = Spec::new(spec.kernel.clone(), Learner::KernelPegasos);
        spec.offset = true;
    });
    assert!(offset.contains("kernel-pegasos has no offset"), "{offset}");
    let column = said(|spec, _| spec.kernel = "rbf[x3]".parse().unwrap());
    assert!(column.contains("no column 'x3'"), "{column}");
}

#[test]
fn a_large_c_is_allowed() {
    let moons = set("@moons(n=30)");
    let mut spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::Smo);
    spec.regularization = Regularization::C(1e12);
    assert!(fit(&spec, &training(&moons, &Registry::new()), &Setting::default()).is_ok());
}

#[test]
fn nothing_to_learn_from() {
    let empty =
        Set { table: Table::new(), target: Column { name: "y".into(), data: ColumnData::Numbers(vec![]) } };
    let spec = Spec::new("rbf".parse().unwrap(), Learner::Smo);
    let error = fit(&spec, &training(&empty, &Registry::new()), &Setting::default()).unwrap_err().to_string();
    assert_eq!(error, "there is no row to learn from");
}

#[test]
fn parts_that_do_not_fit_together() {
    let moons = set("@moons(n=30)");
    let spec = Spec::new("rbf".parse().unwrap(), Learner::Smo);
    let model = fit(&spec, &training(&moons, &Registry::new()), &Setting::default()).unwrap();
    let broken = |change: &dyn Fn(&mut mercer_model::Parts)| {
        let mut parts = model.parts().clone();
        change(&mut parts);
        Model::from_parts(parts).unwrap_err().to_string()
    };
    assert!(broken(&|parts| parts.machines.clear()).contains("at least one machine"));
    assert!(broken(&|parts| parts.machines[0].coefficients = vec![1.0].into()).contains("coefficients"));
    assert!(broken(&|parts| parts.machines[0].bias = f64::NAN).contains("not a finite number"));
    assert!(broken(&|parts| _ = parts.rows.pop()).contains("row numbers"));
    assert!(broken(&|parts| parts.classes.push("third".into())).contains("pair"));
    assert!(broken(&|parts| parts.classes.clear()).contains("cannot have 0 classes"));
    assert!(broken(&|parts| parts.lambda = 0.0).contains("lambda"));
    assert!(!broken(&|parts| parts.points = parts.points.select(&[0, 1])).is_empty());
    assert!(!broken(&|parts| parts.plan = Some(Default::default())).is_empty());
}
