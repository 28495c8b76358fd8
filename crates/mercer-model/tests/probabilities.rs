//! One machine for each class, and probabilities: against fits by hand, through files, and where there can be none.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::{Set, set, training};
use mercer_kernel::Registry;
use mercer_model::metrics::{Answers, Metric};
use mercer_model::tune::{Search, Strength, Tuning, tune};
use mercer_model::{
    Between, Calibration, ClassWeights, Curve, Learner, Model, ModelError, Multiclass, Outcome, Scaling,
    Setting, Spec, Training, fit,
};
use mercer_points::{Column, ColumnData, Points, Strata, folds};
use mercer_solve::{Limits, Tolerance, Watch};

const WAYS: [Multiclass; 2] = [Multiclass::OneVsOne, Multiclass::OneVsRest];
const KINDS: [Calibration; 2] = [Calibration::Platt, Calibration::Isotonic];

fn spec(kernel: &str) -> Spec {
    Spec::new(kernel.parse().unwrap(), Learner::Smo)
}

fn learn(spec: &Spec, set: &Set) -> Result<Model, ModelError> {
    fit(spec, &training(set, &Registry::new()), &Setting::default())
}

fn again(model: &Model) -> Model {
    Model::from_bytes(&model.to_bytes().unwrap()).unwrap()
}

fn answers(model: &Model, set: &Set) -> Vec<usize> {
    match model.predict(&set.table).unwrap().outcome {
        Outcome::Classes(found) => found,
        _ => panic!("classes"),
    }
}

fn first_largest(values: &[f64]) -> usize {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    values.iter().position(|&value| value == most).unwrap()
}

#[test]
fn machines_against_the_rest_are_those_of_two_classes() {
    let iris = set("@iris");
    let mut spec = spec("rbf(gamma=0.5)");
    spec.multiclass = Multiclass::OneVsRest;
    let model = again(&learn(&spec, &iris).unwrap());
    let between: Vec<_> = model.machines().iter().map(|machine| machine.between.unwrap()).collect();
    assert_eq!(between, [Between::Rest(0), Between::Rest(1), Between::Rest(2)]);
    assert!(model.certified());
    let found = model.predict(&iris.table).unwrap();
    let truth = iris.classes(model.classes());
    for class in 0..3 {
        let labels = truth.iter().map(|&code| if code == class { "yes" } else { "no" });
        let data = ColumnData::Categories(labels.collect());
        let two = Set { table: iris.table.clone(), target: Column { name: "is".into(), data } };
        let alone = learn(&spec, &two).unwrap().predict(&iris.table).unwrap();
        for row in 0..150 {
            let (one, other) = (found.score(row, class), alone.score(row, 0));
            assert!((one - other).abs() < 1e-3, "class {class}, row {row}: {one} {other}");
        }
    }
    let Outcome::Classes(said) = &found.outcome else { panic!("classes") };
    for (row, &class) in said.iter().enumerate() {
        let scores: Vec<f64> = (0..3).map(|machine| found.score(row, machine)).collect();
        assert_eq!(first_largest(&scores), class);
    }
    assert!(said.iter().zip(&truth).filter(|(a, b)| a == b).count() > 142);
    // Other learners, with features and without.
    for (learner, kernel) in [(Learner::Newton, "rbf"), (Learner::Pegasos, "linear"), (Learner::NuSvc, "rbf")]
    {
        let mut spec = Spec::new(kernel.parse().unwrap(), learner);
        (spec.multiclass, spec.nu, spec.scaling) = (Multiclass::OneVsRest, 0.1, Scaling::Standardize);
        let model = learn(&spec, &iris).unwrap();
        let right = answers(&model, &iris).iter().zip(&truth).filter(|(a, b)| a == b).count();
        assert!(model.machines().len() == 3 && right > 100, "{learner}: {right}");
    }
    // Two classes have one machine, however it is asked.
    assert_eq!(learn(&spec, &set("@moons(n=40)")).unwrap().machines()[0].between, None);
}

#[test]
fn probabilities_never_contradict_the_answer_and_survive_files() {
    let (iris, moons) = (set("@iris"), set("@moons(n=150, noise=0.4)"));
    for (set, way) in [(&iris, WAYS[0]), (&iris, WAYS[1]), (&moons, WAYS[0])] {
        for kind in KINDS {
            let mut spec = spec("rbf");
            (spec.multiclass, spec.scaling) = (way, Scaling::Standardize);
            let plain = learn(&spec, set).unwrap();
            assert!(plain.curves().is_empty() && plain.probabilities(&set.table).is_err());
            if way == Multiclass::OneVsOne {
                // As before there were such things, so that files of then and now are the same.
                let bytes = plain.to_bytes().unwrap();
                let text = String::from_utf8_lossy(&bytes);
                assert!(
                    !text.contains("calibration")
                        && !text.contains("probabilities")
                        && !text.contains("rest")
                );
            }
            spec.probabilities = Some(kind);
            let model = learn(&spec, set).unwrap();
            let answered = [&model, &plain].map(|model| model.predict(&set.table).unwrap());
            assert_eq!(answered[0], answered[1], "the model itself is the same");
            assert_eq!(model.curves().len(), model.machines().len());
            assert!(model.provenance().entries > plain.provenance().entries, "the folds are counted");
            assert_eq!(again(&model), model);
            let found = model.probabilities(&set.table).unwrap();
            let classes = model.classes().len();
            let scores = model.predict(&set.table).unwrap().class_scores(&model);
            let said = answers(&model, set);
            for (row, &class) in said.iter().enumerate() {
                let own = row * classes..(row + 1) * classes;
                assert_eq!(first_largest(&found[own.clone()]), class);
                assert_eq!(first_largest(&scores[own]), class);
            }
            // As good as knowing nothing but the shares of the classes would be far worse.
            let truth = set.classes(model.classes());
            let answers = Answers { probabilities: Some(&found), ..Answers::of_classes(&truth, classes) };
            let loss = Metric::LogLoss.of(&answers).unwrap();
            assert!(loss < 0.6 * (classes as f64).ln(), "{way} {kind}: {loss}");
        }
    }
}

/// Scores of rows that a model has not seen, made here.
fn left_out(spec: &Spec, set: &Set, weights: &[f64], codes: &[usize]) -> Vec<f64> {
    let strata: Strata = codes.iter().copied().collect();
    let mut scores = vec![0.0; codes.len()];
    for split in folds(&strata, 5, spec.seed).unwrap() {
        let table = set.table.select(&split.train);
        let target = Column { name: set.target.name.clone(), data: set.target.data.select(&split.train) };
        let own: Vec<f64> = split.train.iter().map(|&row| weights[row]).collect();
        let training = Training { weights: Some(&own), ..Training::new(&table, &target) };
        let plain = Spec { probabilities: None, ..spec.clone() };
        let model = fit(&plain, &training, &Setting::default()).unwrap();
        let found = model.predict(&set.table.select(&split.test)).unwrap();
        split.test.iter().zip(found.scores).for_each(|(&row, score)| scores[row] = score);
    }
    scores
}

#[test]
fn curves_fit_the_scores_of_rows_that_were_left_out() {
    let moons = set("@moons(n=120, noise=0.35)");
    let mut spec = spec("rbf");
    (spec.scaling, spec.seed) = (Scaling::Standardize, 7);
    spec.class_weights = ClassWeights::Given(vec![("1".to_owned(), 2.0)]);
    let weights: Vec<f64> = (0..120).map(|row| 0.5 + f64::from(row % 3)).collect();
    let codes = moons.classes(&["-1".to_owned(), "1".to_owned()]);
    let of_class = |row: usize| if codes[row] == 1 { 2.0 } else { 1.0 };
    let counted: Vec<f64> = (0..120).map(|row| weights[row] * of_class(row)).collect();
    let scores = left_out(&spec, &moons, &weights, &codes);
    let registry = Registry::new();
    let given = Training { weights: Some(&weights), ..training(&moons, &registry) };
    let whole =
        |class: usize| (0..120).filter(|&row| codes[row] == class).map(|row| counted[row]).sum::<f64>();
    let aims = [1.0 / (whole(0) + 2.0), (whole(1) + 1.0) / (whole(1) + 2.0)];
    let curve = |kind| {
        let model =
            fit(&Spec { probabilities: Some(kind), ..spec.clone() }, &given, &Setting::default()).unwrap();
        model.curves()[0].clone()
    };
    // The minimum of a convex function is where its derivatives are 0.
    let platt = curve(Calibration::Platt);
    let Curve::Sigmoid { slope, .. } = platt else { panic!("a sigmoid") };
    let off = |row: usize| counted[row] * (platt.at(scores[row]) - aims[codes[row]]);
    let (first, second) = (0..120).fold((0.0, 0.0), |(a, b), row| (a + off(row), b + off(row) * scores[row]));
    assert!(slope > 0.0 && f64::abs(first) < 1e-6 && f64::abs(second) < 1e-6, "{first} {second}");
    // Isotonic regression keeps the mean.
    let line = curve(Calibration::Isotonic);
    let sum: f64 = (0..120).map(|row| counted[row] * (line.at(scores[row]) - aims[codes[row]])).sum();
    assert!(sum.abs() < 1e-9, "{sum}");
}

#[test]
fn calibrated_probabilities_are_right_about_new_rows() {
    let (known, new) = (set("@moons(n=600, noise=0.5)"), set("@moons(n=2000, noise=0.5, seed=5)"));
    let mut spec = spec("rbf(sigma=0.5)");
    spec.tolerance = Tolerance { gap: Some(1e-4), violation: None };
    for kind in KINDS {
        spec.probabilities = Some(kind);
        let model = learn(&spec, &known).unwrap();
        let (found, truth) = (model.probabilities(&new.table).unwrap(), new.classes(model.classes()));
        let answers = Answers { probabilities: Some(&found), ..Answers::of_classes(&truth, 2) };
        let error = Metric::Calibration { bins: 10 }.of(&answers).unwrap();
        assert!(error < 0.05, "{kind}: {error}");
    }
}

#[test]
fn where_there_are_no_probabilities() {
    let said = |spec: &Spec, set: &Set| learn(spec, set).unwrap_err().to_string();
    let mut numbers = Spec::new("rbf".parse().unwrap(), Learner::Cholesky);
    numbers.probabilities = Some(Calibration::Platt);
    assert_eq!(said(&numbers, &set("@sinc(n=20)")), "probabilities are of classes, and cholesky has none");
    let mut few = spec("rbf");
    few.probabilities = Some(Calibration::Platt);
    let mut moons = set("@moons(n=40)");
    let mut two = Set { table: moons.table.slice(0..2), target: moons.target.clone() };
    two.target.data = ColumnData::Categories(["one", "other"].into_iter().collect());
    let told = said(&few, &two);
    assert!(told.contains("no class has two rows with weight"), "{told}");
    let weights: Vec<f64> = (0..40).map(|row| if row < 20 { 1.0 } else { 0.0 }).collect();
    let names = (0..40).map(|row| ["one", "other", "third"][if row < 20 { row % 2 } else { 2 }]);
    moons.target.data = ColumnData::Categories(names.collect());
    let several = Spec { multiclass: Multiclass::OneVsOne, ..few.clone() };
    let registry = Registry::new();
    let weighted = Training { weights: Some(&weights), ..training(&moons, &registry) };
    let told = fit(&several, &weighted, &Setting::default()).unwrap_err().to_string();
    assert!(told.starts_with("the class 'third' has no row with weight"), "{told}");
    // Of few rows of a class as many folds are made as there are rows, and the only row of a class is never left out.
    for rare in [1, 2, 4] {
        let names = (0..40).map(|row| if row < rare { "rare" } else { "common" });
        moons.target.data = ColumnData::Categories(names.collect());
        let model = learn(&few, &moons).unwrap();
        let found = model.probabilities(&moons.table).unwrap();
        assert!(found.chunks(2).all(|row| (row[0] + row[1] - 1.0).abs() < 1e-12), "{rare}");
    }
    // A model that was stopped has none, and says so.
    struct Impatient;
    impl Watch for Impatient {
        fn stopped(&self) -> bool {
            true
        }
    }
    let moons = set("@moons(n=60)");
    let registry = Registry::new();
    let late =
        Setting { limits: Limits { time: Some(Duration::ZERO), iterations: None }, ..Setting::default() };
    for setting in [Setting { watch: &Impatient, ..Setting::default() }, late] {
        let model = fit(&few, &training(&moons, &registry), &setting).unwrap();
        assert!(model.curves().is_empty());
        let told = model.probabilities(&moons.table).unwrap_err().to_string();
        assert!(told.starts_with("the model has no probabilities"), "{told}");
    }
    let model = learn(&few, &moons).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let told = model.write_libsvm(&folder.path().join("x.model")).unwrap_err().to_string();
    assert!(told.contains("its probabilities would be lost"), "{told}");
    // Parts that do not fit together are no model.
    let mut parts = model.into_parts();
    parts.curves.push(Curve::Sigmoid { slope: 1.0, offset: 0.0 });
    assert!(Model::from_parts(parts.clone()).is_err());
    for wrong in [
        Curve::Sigmoid { slope: -1.0, offset: 0.0 },
        Curve::Sigmoid { slope: 1.0, offset: f64::NAN },
        Curve::Line { scores: vec![0.0, 1.0], chances: vec![0.5, 0.4] },
        Curve::Line { scores: vec![], chances: vec![] },
    ] {
        parts.curves = vec![wrong];
        assert!(Model::from_parts(parts.clone()).is_err());
    }
}

#[test]
fn a_search_judges_probabilities_where_they_are_asked_for() {
    let moons = set("@moons(n=90, noise=0.3)");
    let strength = Strength::C("1|10".parse().unwrap());
    let mut tuning = Tuning::new("rbf(sigma=0.5|1)".parse().unwrap(), strength, Learner::Smo);
    (tuning.search, tuning.metric) = (Search::Grid { points: 2 }, Some(Metric::LogLoss));
    let run = |tuning: &Tuning| {
        tune(tuning, &Training::new(&moons.table, &moons.target), &Setting::default(), &|_| {})
    };
    let told = run(&tuning).unwrap_err().to_string();
    assert_eq!(told, "log-loss judges probabilities, and none are asked for (--probabilities platt)");
    tuning.spec.probabilities = Some(Calibration::Platt);
    let found = run(&tuning).unwrap();
    assert!(found.best().mean() < 0.5, "{:?}", found.best());
    // A metric that does not judge them does not pay for them.
    tuning.metric = Some(Metric::Accuracy);
    let with = run(&tuning).unwrap();
    tuning.spec.probabilities = None;
    assert_eq!(run(&tuning).unwrap(), with);
}

#[test]
fn softmax_has_probabilities_at_once() {
    for set in [set("@iris"), set("@glass"), set("@moons(n=120, noise=0.4)")] {
        let mut spec = Spec::new("rbf".parse().unwrap(), Learner::Newton);
        (spec.multiclass, spec.scaling) = (Multiclass::Softmax, Scaling::Standardize);
        let model = learn(&spec, &set).unwrap();
        assert!(model.certified() && model.is_softmax() && model.curves().is_empty());
        assert_eq!(again(&model), model);
        let classes = model.classes().len();
        let between: Vec<_> = model.machines().iter().map(|machine| machine.between.unwrap()).collect();
        assert_eq!(between, (0..classes).map(Between::Softmax).collect::<Vec<_>>());
        let found = again(&model).probabilities(&set.table).unwrap();
        assert_eq!(found, model.probabilities(&set.table).unwrap());
        let prediction = model.predict(&set.table).unwrap();
        assert_eq!(prediction.class_scores(&model), prediction.scores);
        for (row, &class) in answers(&model, &set).iter().enumerate() {
            let own = row * classes..(row + 1) * classes;
            assert_eq!(first_largest(&found[own.clone()]), class);
            assert_eq!(first_largest(&prediction.scores[own]), class);
        }
        // The slack of a row is its log loss.
        let truth = set.classes(model.classes());
        let said = Answers { probabilities: Some(&found), ..Answers::of_classes(&truth, classes) };
        let loss = Metric::LogLoss.of(&said).unwrap();
        let slack = prediction.slack(&model, &set.target).unwrap();
        assert!((slack.iter().sum::<f64>() / slack.len() as f64 - loss).abs() < 1e-9);
        // One certificate, which every machine carries: P is the risk and the penalty.
        let certificates: Vec<_> = model.machines().iter().map(|m| m.certificate.clone().unwrap()).collect();
        let first = &certificates[0];
        for (machine, own) in model.machines().iter().zip(&certificates) {
            assert_eq!(
                (own.primal, own.dual, own.gap, own.norm),
                (first.primal, first.dual, first.gap, first.norm)
            );
            assert_eq!(own.offset, machine.bias);
        }
        assert!((first.primal - loss - 0.5 * model.lambda() * first.norm * first.norm).abs() < 1e-9);
        assert!(model.machines().iter().map(|machine| machine.bias).sum::<f64>().abs() < 1e-9);
        // Curves on top are refused.
        spec.probabilities = Some(Calibration::Platt);
        let told = learn(&spec, &set).unwrap_err().to_string();
        assert!(told.starts_with("softmax has probabilities of its own"), "{told}");
        let mut parts = model.into_parts();
        parts.curves = vec![Curve::Sigmoid { slope: 1.0, offset: 0.0 }; classes];
        assert!(Model::from_parts(parts).is_err());
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let iris = set("@iris");
    for way in WAYS {
        let mut spec = spec("rbf");
        (spec.multiclass, spec.probabilities) = (way, Some(Calibration::Platt));
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let model = learn(&spec, &iris).unwrap();
                (model.curves().to_vec(), model.probabilities(&iris.table).unwrap())
            })
        };
        assert_eq!(run(1), run(3));
    }
}
