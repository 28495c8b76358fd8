//! Softmax as a way to several classes: what it equals, what it refuses, in searches and along paths.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::{Set, set, training};
use mercer_kernel::Registry;
use mercer_model::metrics::Metric;
use mercer_model::tune::{Search, Strength, Tuning, Validation, path, tune};
use mercer_model::{
    ClassWeights, Learner, Model, ModelError, Multiclass, Outcome, Scaling, Setting, Spec, Training, certify,
    fit,
};
use mercer_points::{Column, ColumnData, Points};
use mercer_solve::loss::LossSpec;
use mercer_solve::{Limits, Penalty, Regularization, Status, Tolerance};

fn spec(kernel: &str) -> Spec {
    let mut spec = Spec::new(kernel.parse().unwrap(), Learner::Newton);
    (spec.multiclass, spec.scaling) = (Multiclass::Softmax, Scaling::Standardize);
    spec
}

fn learn(spec: &Spec, set: &Set) -> Result<Model, ModelError> {
    fit(spec, &training(set, &Registry::new()), &Setting::default())
}

fn named(set: &Set, rows: &[usize]) -> Set {
    let data = set.target.data.select(rows);
    Set { table: set.table.select(rows), target: Column { name: set.target.name.clone(), data } }
}

#[test]
fn two_classes_are_one_machine_with_twice_the_strength() {
    let moons = set("@moons(n=150, noise=0.3)");
    let mut spec = spec("rbf(sigma=0.5)");
    spec.tolerance = Tolerance { gap: Some(1e-10), violation: None };
    spec.regularization = Regularization::C(3.0);
    let several = learn(&spec, &moons).unwrap().predict(&moons.table).unwrap();
    let binary = Spec { multiclass: Multiclass::Refuse, regularization: Regularization::C(6.0), ..spec };
    let one = learn(&binary, &moons).unwrap().predict(&moons.table).unwrap();
    for row in 0..150 {
        let found = several.score(row, 1) - several.score(row, 0);
        assert!((found - one.score(row, 0)).abs() < 1e-3, "row {row}: {found} {}", one.score(row, 0));
    }
    assert_eq!(several.outcome, one.outcome);
}

#[test]
fn a_weight_is_a_repetition() {
    let iris = set("@iris");
    let weights: Vec<f64> = (0..150).map(|row| f64::from(row % 3)).collect();
    let rows: Vec<usize> = (0..150).flat_map(|row| std::iter::repeat_n(row, row % 3)).collect();
    let spec = Spec { scaling: Scaling::None, ..spec("rbf(sigma=1)") };
    let given = Training { weights: Some(&weights), ..Training::new(&iris.table, &iris.target) };
    let one = fit(&spec, &given, &Setting::default()).unwrap();
    let other = learn(&spec, &named(&iris, &rows)).unwrap();
    let [one, other] = [one, other].map(|model| model.probabilities(&iris.table).unwrap());
    assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-3));
    // Weights of classes too; without an offset a class may weigh nothing, with one it may not.
    let none = ClassWeights::Given(vec![("setosa".to_owned(), 0.0)]);
    let told = learn(&Spec { class_weights: none.clone(), ..spec.clone() }, &iris).unwrap_err().to_string();
    assert!(told.starts_with("the class 'setosa' has no row with weight"), "{told}");
    let model = learn(&Spec { class_weights: none, offset: false, ..spec }, &iris).unwrap();
    let Outcome::Classes(found) = model.predict(&iris.table).unwrap().outcome else { panic!("classes") };
    assert!(model.certified() && found.iter().filter(|&&class| class > 0).count() >= 100);
}

#[test]
fn explanations_add_up_and_files_of_other_programs_are_refused() {
    let iris = set("@iris");
    let model = learn(&Spec { scaling: Scaling::None, ..spec("rbf") }, &iris).unwrap();
    let few = iris.table.select(&[0, 70, 140]);
    let scores = model.predict(&few).unwrap();
    for machine in 0..3 {
        for (row, found) in model.explain_machine(machine, &few, 4).unwrap().iter().enumerate() {
            let sum: f64 =
                found.terms.iter().map(|term| term.contribution).sum::<f64>() + found.rest + found.bias;
            assert!((sum - scores.score(row, machine)).abs() < 1e-9);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let told = model.write_libsvm(&folder.path().join("x.model")).unwrap_err().to_string();
    assert!(told.contains("a machine for each class"), "{told}");
}

#[test]
fn what_has_no_softmax_is_refused_with_what_to_do() {
    let iris = set("@iris");
    let said = |spec: Spec| learn(&spec, &iris).unwrap_err().to_string();
    let several = |learner: Learner, loss: Option<LossSpec>| Spec {
        loss: loss.or(learner.default_loss()),
        multiclass: Multiclass::Softmax,
        ..Spec::new("rbf".parse().unwrap(), learner)
    };
    assert_eq!(
        said(several(Learner::Smo, None)),
        "softmax is the logistic loss of several classes, and the loss is hinge; use --loss logistic, or --multi \
         one-vs-one or one-vs-rest"
    );
    assert!(
        said(several(Learner::Newton, Some(LossSpec::SquaredHinge))).contains("the loss is squared-hinge")
    );
    assert!(
        said(several(Learner::NuSvc, None)).contains("which nu-svc does not minimise; use --loss logistic")
    );
    let told = said(several(Learner::Gradient, Some(LossSpec::Logistic)));
    assert_eq!(told, "softmax is solved by newton, not by gradient; leave the solver out");
    let told = said(Spec { penalty: Penalty::Norm, ..spec("rbf") });
    assert!(told.starts_with("softmax has the squared penalty"), "{told}");
    let told = certify(&spec("rbf"), &Training::new(&iris.table, &iris.target), &[0.0; 150], 0.0);
    assert!(told.unwrap_err().to_string().contains("for each row and class"));
    // Those who ask for nothing are told that it exists.
    let told = said(Spec { multiclass: Multiclass::Refuse, ..spec("rbf") });
    assert!(told.ends_with("or --multi softmax for all at once"), "{told}");
    assert_eq!("multinomial".parse::<Multiclass>().unwrap(), Multiclass::Softmax);
}

#[test]
fn searches_judge_its_probabilities_even_where_a_fold_lacks_a_class() {
    let mut iris = set("@iris");
    // One row of a fourth class: all folds but one learn three classes and one of them is asked about it.
    let names = (0..150).map(|row| ["only", "a", "b", "c"][if row == 7 { 0 } else { 1 + row / 50 }]);
    iris.target.data = ColumnData::Categories(names.collect());
    let strength = Strength::C("0.1|10".parse().unwrap());
    let mut tuning = Tuning::new("rbf(sigma=1)".parse().unwrap(), strength, Learner::Newton);
    (tuning.spec.multiclass, tuning.search) = (Multiclass::Softmax, Search::Grid { points: 2 });
    tuning.validation = Validation::Folds { k: 3, repeats: 1 };
    let given = Training::new(&iris.table, &iris.target);
    for metric in [Metric::LogLoss, Metric::Accuracy] {
        tuning.metric = Some(metric);
        let found = tune(&tuning, &given, &Setting::default(), &|_| {}).unwrap();
        let best = found.best().mean();
        assert!(if metric == Metric::LogLoss { best < 0.7 } else { best > 0.9 }, "{metric}: {best}");
    }
    // Two classes have a score to be ranked by.
    let moons = set("@moons(n=90, noise=0.3)");
    tuning.metric = Some(Metric::Auc);
    let given = Training::new(&moons.table, &moons.target);
    let found = tune(&tuning, &given, &Setting::default(), &|_| {}).unwrap();
    assert!(found.best().mean() > 0.8, "{}", found.best().mean());
}

#[test]
fn a_path_has_one_objective_for_all_classes() {
    let iris = set("@iris");
    let spec = spec("rbf(sigma=1)");
    let strengths = Strength::C("0.01..100".parse().unwrap()).grid(4).unwrap();
    let held_out = Validation::HoldOut { share: 0.3 };
    let given = Training::new(&iris.table, &iris.target);
    let found = path(
        &spec,
        &strengths,
        Some(Metric::Accuracy),
        Some(&held_out),
        &given,
        &Setting::default(),
        &|_| {},
    )
    .unwrap();
    assert!(found.points.iter().all(|point| point.is_certified && point.gap <= 1e-6));
    assert!(found.points.windows(2).all(|pair| pair[1].objective < pair[0].objective));
    for point in &found.points {
        let one = learn(&Spec { regularization: point.strength, ..spec.clone() }, &iris).unwrap();
        let alone = one.machines()[0].certificate.as_ref().unwrap().primal;
        assert!((point.objective - alone).abs() < 1e-5 * alone, "{} {alone}", point.objective);
    }
}

#[test]
fn a_fit_that_is_stopped_is_still_a_model() {
    let iris = set("@iris");
    for limits in
        [Limits { time: Some(Duration::ZERO), iterations: None }, Limits { time: None, iterations: Some(1) }]
    {
        let setting = Setting { limits, ..Setting::default() };
        let model = fit(&spec("rbf"), &training(&iris, &Registry::new()), &setting).unwrap();
        assert!(!model.certified() && model.machines()[0].status != Status::Solved);
        assert!(model.probabilities(&iris.table).unwrap().iter().all(|p| (0.0..=1.0).contains(p)));
    }
}
