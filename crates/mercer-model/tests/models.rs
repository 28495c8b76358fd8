//! What a model is asked: several classes, mixed tables, weights, matrices, streams, stops.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::{Duration, Instant};

use common::{Set, set, training};
use mercer_kernel::Registry;
use mercer_model::{
    ClassWeights, Learner, Model, ModelError, Multiclass, Outcome, Scaling, Setting, Spec, Stream, Training,
    fit,
};
use mercer_points::{Column, ColumnData, Dense, Points, Table};
use mercer_solve::solvers::OnlineMemory;
use mercer_solve::{Convexity, Limits, Regularization, Status, Tolerance, Watch};

fn spec(kernel: &str, learner: Learner) -> Spec {
    Spec::new(kernel.parse().unwrap(), learner)
}

fn learn(spec: &Spec, set: &Set) -> Result<Model, ModelError> {
    fit(spec, &training(set, &Registry::new()), &Setting::default())
}

fn roundtrip(model: &Model) -> Model {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    model.save(&path).unwrap();
    let again = Model::load(&path).unwrap();
    assert_eq!(&again, model);
    again
}

fn agreement(model: &Model, set: &Set) -> f64 {
    let Outcome::Classes(found) = model.predict(&set.table).unwrap().outcome else { panic!("classes") };
    let truth = set.classes(model.classes());
    found.iter().zip(&truth).filter(|(a, b)| a == b).count() as f64 / truth.len() as f64
}

#[test]
fn three_classes_vote_in_pairs() {
    let iris = set("@iris");
    let mut spec = spec("rbf", Learner::Smo);
    let error = learn(&spec, &iris).unwrap_err().to_string();
    assert!(error.contains("has 3: setosa, versicolor, virginica; use --multi one-vs-one"), "{error}");
    (spec.multiclass, spec.scaling) = (Multiclass::OneVsOne, Scaling::Standardize);
    let model = roundtrip(&learn(&spec, &iris).unwrap());
    let pairs: Vec<_> = model.machines().iter().map(|machine| machine.pair().unwrap()).collect();
    assert_eq!(pairs, [(0, 1), (0, 2), (1, 2)]);
    assert!(model.certified() && agreement(&model, &iris) > 0.95);
    // Each machine is that of its two classes alone: its own C, whatever the other rows.
    let rows: Vec<usize> = (0..100).collect();
    let two = Set {
        table: iris.table.select(&rows),
        target: Column { name: "species".into(), data: select(&iris.target.data, &rows) },
    };
    let mut unscaled = spec.clone();
    unscaled.scaling = Scaling::None;
    unscaled.kernel = "rbf(gamma=0.5)".parse().unwrap();
    let (all, alone) = (learn(&unscaled, &iris).unwrap(), learn(&unscaled, &two).unwrap());
    let (all, alone) = (all.predict(&two.table).unwrap(), alone.predict(&two.table).unwrap());
    for i in 0..100 {
        // Alone the second class is the positive one, in a pair the first.
        assert!(
            (all.score(i, 0) + alone.score(i, 0)).abs() < 1e-3,
            "{} {}",
            all.score(i, 0),
            alone.score(i, 0)
        );
    }
}

fn select(data: &ColumnData, rows: &[usize]) -> ColumnData {
    let mut table = Table::new();
    table.push("x", data.clone()).unwrap();
    table.select(rows).remove("x").unwrap().data
}

#[test]
fn mixed_tables_use_names_as_coordinates() {
    let names: Vec<&str> = (0..40).map(|i| if i % 2 == 0 { "red" } else { "blue" }).collect();
    let mut table = Table::new();
    table.push("x", ColumnData::Numbers((0..40).map(|i| f64::from(i % 5)).collect())).unwrap();
    table.push("colour", ColumnData::Categories(names.iter().collect())).unwrap();
    table.push("note", ColumnData::Texts((0..40).map(|i| format!("row {i}")).collect())).unwrap();
    let set = Set {
        table,
        target: Column { name: "y".into(), data: ColumnData::Categories(names.iter().collect()) },
    };
    let mut spec = spec("rbf(sigma=1)", Learner::Smo);
    spec.scaling = Scaling::MinMax;
    let model = roundtrip(&learn(&spec, &set).unwrap());
    assert_eq!(agreement(&model, &set), 1.0);
    // Texts play no part, and what is new is no colour at all.
    let mut new = Table::new();
    new.push("colour", ColumnData::Categories(["green", "red"].iter().collect())).unwrap();
    new.push("x", ColumnData::Numbers(vec![2.0, 2.0])).unwrap();
    assert_eq!(model.predict(&new).unwrap().machines, 1);
    let kinds = model.read_options().kinds;
    assert_eq!(kinds.keys().cloned().collect::<Vec<_>>(), ["colour", "x"]);
    new.remove("x").unwrap();
    let error = model.predict(&new).unwrap_err().to_string();
    assert!(error.contains("lack the column 'x'"), "{error}");
}

#[test]
fn no_rows_are_no_answers() {
    let moons = set("@moons(n=40)");
    let model = learn(&spec("rbf", Learner::Smo), &moons).unwrap();
    let none = moons.table.select(&[]);
    assert_eq!(model.predict(&none).unwrap().scores, Vec::<f64>::new());
    assert_eq!(model.explain(&none, 3).unwrap(), []);
}

#[test]
fn machines_of_pairs_have_no_reports_on_rows() {
    let iris = set("@iris");
    for multiclass in [Multiclass::OneVsOne, Multiclass::OneVsRest] {
        let model = learn(&Spec { multiclass, ..spec("rbf(sigma=1)", Learner::Smo) }, &iris).unwrap();
        assert!(model.certified());
        let kept = if multiclass == Multiclass::OneVsOne { 0 } else { 150 };
        for machine in model.machines() {
            let certificate = machine.certificate.as_ref().unwrap();
            assert_eq!(certificate.rows.len(), kept);
            // What is said of all of them together is there.
            assert_eq!(certificate.support, machine.coefficients.used().len());
        }
    }
    let two = learn(&spec("rbf(sigma=0.3)", Learner::Smo), &set("@moons(n=60)")).unwrap();
    assert_eq!(two.machines()[0].certificate.as_ref().unwrap().rows.len(), 60);
}

#[test]
fn numbers_can_be_classes() {
    let mut moons = set("@moons(n=60)");
    let truth = moons.classes(&["-1".to_owned(), "1".to_owned()]);
    let values = truth.iter().map(|&class| if class == 1 { 10.0 } else { 9.5 }).collect();
    moons.target = Column { name: "y".into(), data: ColumnData::Numbers(values) };
    let model = learn(&spec("rbf(sigma=0.3)", Learner::Smo), &moons).unwrap();
    // In the order of numbers, not of their texts.
    assert_eq!(model.classes(), ["9.5", "10"]);
    assert!(agreement(&model, &moons) > 0.9);
}

#[test]
fn a_weight_of_two_is_a_row_twice() {
    let moons = set("@moons(n=50, noise=0.4)");
    let rows: Vec<usize> = (0..50).chain(0..25).collect();
    let twice = Set {
        table: moons.table.select(&rows),
        target: Column { name: "label".into(), data: select(&moons.target.data, &rows) },
    };
    let weights: Vec<f64> = (0..50).map(|i| if i < 25 { 2.0 } else { 1.0 }).collect();
    let (spec, registry) = (spec("rbf(sigma=0.5)", Learner::Smo), Registry::new());
    let weighted = Training { weights: Some(&weights), ..training(&moons, &registry) };
    let weighted = fit(&spec, &weighted, &Setting::default()).unwrap().predict(&moons.table).unwrap();
    let repeated = learn(&spec, &twice).unwrap().predict(&moons.table).unwrap();
    for (a, b) in weighted.scores.iter().zip(&repeated.scores) {
        assert!((a - b).abs() < 5e-3, "{a} {b}");
    }
}

#[test]
fn classes_are_weighted_by_name() {
    let moons = set("@moons(n=60, noise=0.6)");
    let mut spec = spec("rbf(sigma=0.5)", Learner::Smo);
    let share = |model: &Model| {
        let Outcome::Classes(found) = model.predict(&moons.table).unwrap().outcome else { panic!("classes") };
        found.iter().sum::<usize>()
    };
    let plain = learn(&spec, &moons).unwrap();
    let heavy = plain.classes()[1].clone();
    spec.class_weights = ClassWeights::Given(vec![(heavy, 20.0)]);
    assert!(share(&learn(&spec, &moons).unwrap()) > share(&plain));
    spec.class_weights = ClassWeights::Balanced;
    assert!(learn(&spec, &moons).is_ok());
    spec.class_weights = ClassWeights::Given(vec![("nobody".into(), 2.0)]);
    assert!(learn(&spec, &moons).unwrap_err().to_string().contains("no class 'nobody'"));
}

#[test]
fn a_matrix_is_a_kernel_by_row_numbers() {
    let moons = set("@moons(n=50)");
    let gram = mercer_gram::Lazy::new(&"rbf(sigma=0.4)".parse().unwrap(), &moons.table).unwrap();
    let entry = |i: usize, j: usize| mercer_gram::Gram::entry(&gram, i, j);
    let (train, new): (Vec<usize>, Vec<usize>) = ((0..40).collect(), (40..50).collect());
    let block = |rows: &[usize]| {
        let values = rows.iter().flat_map(|&i| train.iter().map(move |&j| entry(i, j))).collect();
        let names = (1..=train.len()).map(|j| j.to_string()).collect();
        let mut table = Table::new();
        table
            .push("features", ColumnData::Dense(Dense::new(rows.len(), 40, values).unwrap(), names))
            .unwrap();
        table
    };
    let target = Column { name: "label".into(), data: select(&moons.target.data, &train) };
    let matrix = Set { table: block(&train), target: target.clone() };
    let points = Set { table: moons.table.select(&train), target };
    let looked_up = roundtrip(&learn(&spec("precomputed", Learner::Smo), &matrix).unwrap());
    let computed = learn(&spec("rbf(sigma=0.4)", Learner::Smo), &points).unwrap();
    let (a, b) =
        (looked_up.predict(&block(&new)).unwrap(), computed.predict(&moons.table.select(&new)).unwrap());
    for (a, b) in a.scores.iter().zip(&b.scores) {
        assert!((a - b).abs() < 1e-3, "{a} {b}");
    }
    assert_eq!(looked_up.machines()[0].certificate.as_ref().unwrap().convexity, Convexity::Measured);
    let error = looked_up.predict(&moons.table).unwrap_err().to_string();
    assert!(error.contains("need 40 columns"), "{error}");
    let error = learn(&spec("precomputed + 1", Learner::Smo), &matrix).unwrap_err().to_string();
    assert!(error.contains("'precomputed' but not"), "{error}");
}

#[test]
fn a_kernel_that_is_none_is_never_certified() {
    let circles = set("@circles(n=80)");
    let model = learn(&spec("sigmoid(gamma=1, offset=-1)", Learner::Smo), &circles);
    // The solver may find no minimum; where it ends, the certificate must not be believed.
    if let Ok(model) = model {
        let certificate = model.machines()[0].certificate.as_ref().unwrap();
        assert!(
            matches!(certificate.convexity, Convexity::Refuted { .. }) && !model.certified(),
            "{certificate:?}"
        );
    }
}

/// Stops after some time.
struct Impatient(Instant);

impl Watch for Impatient {
    fn stopped(&self) -> bool {
        Instant::now() >= self.0
    }
}

#[test]
fn a_stopped_fit_returns_what_there_is() {
    let chess = set("@chessboard(n=2500)");
    let mut spec = spec("rbf(sigma=0.1)", Learner::Smo);
    spec.regularization = Regularization::C(1e12);
    let watch = Impatient(Instant::now() + Duration::from_millis(100));
    let setting = Setting { watch: &watch, ..Setting::default() };
    let model = fit(&spec, &training(&chess, &Registry::new()), &setting).unwrap();
    if model.machines()[0].status == Status::Stopped {
        assert!(!model.certified());
        // Far more than the promise, so that a busy machine does not fail the test.
        assert!(watch.0.elapsed() < Duration::from_secs(10));
    }
    let limits = Limits { iterations: Some(1), time: None };
    let setting = Setting { limits, ..Setting::default() };
    spec.learner = Learner::Gradient;
    let model = fit(&spec, &training(&chess, &Registry::new()), &setting).unwrap();
    assert_eq!((model.machines()[0].status, model.certified()), (Status::IterationLimit, false));
}

#[test]
fn learners_that_go_through_rows_in_order_do_so_in_each_pair() {
    let iris = set("@iris");
    // One row of each class in turn, as rows of a table are that nobody sorted.
    let mixed: Vec<usize> = (0..150).map(|i| i % 3 * 50 + i / 3).collect();
    let select_rows = |rows: &[usize]| Set {
        table: iris.table.select(rows),
        target: Column { name: "species".into(), data: select(&iris.target.data, rows) },
    };
    let three = select_rows(&mixed);
    let two = select_rows(&mixed.iter().copied().filter(|&row| row >= 50).collect::<Vec<_>>());
    for learner in [Learner::OnlinePerceptron, Learner::KernelPerceptron] {
        let mut spec = spec("rbf(gamma=0.5)", learner);
        let alone = learn(&spec, &two).unwrap().predict(&two.table).unwrap().scores;
        spec.multiclass = Multiclass::OneVsOne;
        let model = learn(&spec, &three).unwrap();
        assert_eq!(model.machines()[2].pair(), Some((1, 2)));
        let scores = model.predict(&two.table).unwrap().scores;
        // A pair speaks for its first class above 0, a machine of two classes for its second.
        for (pair, alone) in scores.chunks(3).map(|scores| scores[2]).zip(alone) {
            assert!((pair + alone).abs() < 1e-9, "{learner:?}: {pair} {alone}");
        }
    }
}

#[test]
fn a_stream_is_the_online_perceptron() {
    let moons = set("@moons(n=70)");
    for (keep, average) in [(None, false), (Some(6), false), (None, true)] {
        let mut spec = spec("rbf(sigma=0.3)", Learner::OnlinePerceptron);
        (spec.keep, spec.average) = (keep, average);
        let whole = learn(&spec, &moons).unwrap();
        let mut stream = Stream::new(&spec, &Registry::new()).unwrap();
        let mut seen = 0;
        for part in (0..70).collect::<Vec<usize>>().chunks(9) {
            let target = Column { name: "label".into(), data: select(&moons.target.data, part) };
            seen += stream.observe(&moons.table.select(part), &target).unwrap().rows;
        }
        assert_eq!(seen, 70);
        let streamed = roundtrip(&stream.model().unwrap());
        let (a, b) = (whole.predict(&moons.table).unwrap(), streamed.predict(&moons.table).unwrap());
        // Classes come in the order in which the stream shows them.
        let sign = if whole.classes() == streamed.classes() { 1.0 } else { -1.0 };
        for (a, b) in a.scores.iter().zip(&b.scores) {
            assert!((a - sign * b).abs() < 1e-9, "{keep:?} {average}: {a} {b}");
        }
        assert!(keep.is_none_or(|keep| streamed.support() <= keep));
    }
    let error =
        Stream::new(&spec("rbf", Learner::OnlinePerceptron), &Registry::new()).unwrap_err().to_string();
    assert!(error.contains("training rows"), "{error}");
}

#[test]
fn a_stream_that_was_put_away_goes_on_as_if_it_had_not_been() {
    let moons = set("@moons(n=70)");
    for (keep, average) in [(None, false), (Some(6), false), (Some(6), true), (None, true)] {
        let mut spec = spec("rbf(sigma=0.3)", Learner::OnlinePerceptron);
        (spec.keep, spec.average, spec.offset) = (keep, average, true);
        let (mut whole, mut parted) = (
            Stream::new(&spec, &Registry::new()).unwrap().of_classes("-1", "1"),
            Stream::new(&spec, &Registry::new()).unwrap().of_classes("-1", "1"),
        );
        for part in (0..70).collect::<Vec<usize>>().chunks(9) {
            let target = Column { name: "label".into(), data: select(&moons.target.data, part) };
            let table = moons.table.select(part);
            assert_eq!(whole.observe(&table, &target).unwrap(), parted.observe(&table, &target).unwrap());
            let model = roundtrip(&parted.model().unwrap());
            parted = Stream::resume(&spec, &model, 0, Some(parted.memory()), &Registry::new()).unwrap();
        }
        let (a, b) = (whole.model().unwrap(), parted.model().unwrap());
        assert_eq!((a.machines(), a.classes()), (b.machines(), b.classes()));
        assert_eq!(a.predict(&moons.table).unwrap().scores, b.predict(&moons.table).unwrap().scores);
        // A memory of another size is refused, and so is a machine that is not there.
        let short = OnlineMemory { alpha: vec![1.0], alpha_sums: vec![1.0], ..Default::default() };
        assert!(Stream::resume(&spec, &a, 0, Some(short), &Registry::new()).is_err());
        assert!(Stream::resume(&spec, &a, 1, None, &Registry::new()).is_err());
    }
}

#[test]
fn streams_of_all_pairs_are_one_model() {
    let iris = set("@iris");
    let spec = Spec { offset: true, ..spec("rbf(sigma=1)", Learner::OnlinePerceptron) };
    let whole = learn(&Spec { multiclass: Multiclass::OneVsOne, ..spec.clone() }, &iris).unwrap();
    let classes = whole.classes().to_vec();
    let ColumnData::Categories(names) = &iris.target.data else { panic!("iris has named classes") };
    let mut streams = Vec::new();
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        let mut stream = Stream::new(&spec, &Registry::new()).unwrap().of_classes(&classes[b], &classes[a]);
        let of_pair = |&i: &usize| [&classes[a], &classes[b]].contains(&&names.point(i).to_owned());
        let rows: Vec<usize> = (0..iris.table.len()).filter(of_pair).collect();
        let target = Column { name: "class".into(), data: select(&iris.target.data, &rows) };
        stream.observe(&iris.table.select(&rows), &target).unwrap();
        streams.push(stream);
    }
    let all: Vec<&Stream> = streams.iter().collect();
    let joined = roundtrip(&Stream::joined(&all, &classes).unwrap());
    assert_eq!(joined.provenance().rows, iris.table.len());
    let (a, b) = (whole.predict(&iris.table).unwrap(), joined.predict(&iris.table).unwrap());
    assert!(a.scores.iter().zip(&b.scores).all(|(a, b)| (a - b).abs() < 1e-9));
    // A pair that has seen nothing yet has nothing to say.
    let fresh = Stream::new(&spec, &Registry::new()).unwrap().of_classes(&classes[2], &classes[1]);
    let joined = Stream::joined(&[all[0], all[1], &fresh], &classes).unwrap();
    let scores = joined.predict(&iris.table).unwrap().scores;
    assert!(scores.chunks(3).all(|scores| scores[2] == 0.0));
    assert!(Stream::joined(&all[..2], &classes).is_err());
    assert!(Stream::joined(&[&fresh, &fresh, &fresh], &classes).is_err());
}

#[test]
fn kernels_of_the_users_come_back_with_their_registry() {
    let mut registry = Registry::new();
    registry.vectors("mine", |x, z| x.iter().zip(z).map(|(a, b)| a * b).sum::<f64>() + 1.0).unwrap();
    let moons = set("@moons(n=40)");
    let spec = Spec::new(registry.parse("mine").unwrap(), Learner::Smo);
    let model = fit(&spec, &training(&moons, &registry), &Setting::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    model.save(&path).unwrap();
    assert_eq!(Model::load_with(&path, &registry).unwrap(), model);
    assert!(Model::load(&path).is_err());
}

#[test]
fn sparse_rows_may_have_coordinates_that_training_rows_had_not() {
    let rows = |far: u32| (0..10).map(move |i| vec![(i % 4, 1.0), (5 + far, f64::from(i))]);
    let table = |dim, far| {
        let mut table = Table::new();
        table
            .push("features", ColumnData::Sparse(mercer_points::Sparse::from_rows(dim, rows(far)).unwrap()))
            .unwrap();
        table
    };
    let target = ColumnData::Numbers((0..10).map(|i| if i < 5 { 0.0 } else { 1.0 }).collect());
    let set = Set { table: table(6, 0), target: Column { name: "label".into(), data: target } };
    for kernel in ["rbf(sigma=1)", "linear", "poly(degree=2)"] {
        let model = roundtrip(&learn(&spec(kernel, Learner::Smo), &set).unwrap());
        for (dim, far) in [(4000, 3000), (70_000, 69_000), (6, 0)] {
            let new = table(dim, far);
            let found = model.predict(&new).unwrap();
            // By the definition, one pair at a time.
            let why = model.explain(&new, 100).unwrap();
            for (i, why) in why.iter().enumerate() {
                let sum: f64 = why.terms.iter().map(|term| term.contribution).sum::<f64>() + why.bias;
                assert!((sum - found.score(i, 0)).abs() < 1e-9, "{kernel} {dim}");
            }
        }
        // Fewer coordinates than in training.
        let mut few = Table::new();
        few.push(
            "features",
            ColumnData::Sparse(mercer_points::Sparse::from_rows(2, [vec![(1, 1.0)]]).unwrap()),
        )
        .unwrap();
        assert_eq!(model.predict(&few).unwrap().len(), 1);
    }
}

#[test]
fn a_nu_machine_that_is_stopped_at_once_is_not_certified_at_length() {
    let chess = set("@chessboard(n=6000)");
    let watch = Impatient(Instant::now());
    for learner in [Learner::NuSvc, Learner::OneClass, Learner::HardMargin] {
        let setting = Setting { watch: &watch, ..Setting::default() };
        let model =
            fit(&spec("rbf(sigma=0.1)", learner), &training(&chess, &Registry::new()), &setting).unwrap();
        let machine = &model.machines()[0];
        assert_eq!((machine.status, model.certified()), (Status::Stopped, false), "{learner}");
        let certificate = machine.certificate.as_ref().unwrap();
        assert!(
            certificate.gap.is_finite() && certificate.relative_gap.is_finite(),
            "{learner}: {certificate:?}"
        );
        assert_eq!(&roundtrip(&model), &model);
    }
}

#[test]
fn a_weight_of_two_is_the_row_twice() {
    let mut table = mercer_points::read("@moons(n=60)", &Default::default()).unwrap();
    let label = table.remove("label").unwrap();
    let weights: Vec<f64> = (0..60).map(|i| (i % 3) as f64).collect();
    let twice: Vec<usize> = (0..60).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let (repeated, names) = (table.select(&twice), label_of(&label, &twice));
    let numbers = Column {
        name: "y".into(),
        data: ColumnData::Numbers((0..60).map(|i| f64::from(i as u32 % 7)).collect()),
    };
    for learner in [Learner::Smo, Learner::NuSvc, Learner::NuSvr, Learner::OneClass, Learner::Svr] {
        let mut spec = Spec::new("rbf(sigma=0.5)".parse().unwrap(), learner);
        (spec.nu, spec.tolerance) = (0.3, Tolerance { gap: Some(1e-10), violation: None });
        let target = if matches!(learner, Learner::NuSvr | Learner::Svr) { &numbers } else { &label };
        let again = if matches!(learner, Learner::NuSvr | Learner::Svr) {
            label_of(&numbers, &twice)
        } else {
            names.clone()
        };
        let weighted = Training { weights: Some(&weights), ..Training::new(&table, target) };
        let weighted = fit(&spec, &weighted, &Setting::default()).unwrap().predict(&table).unwrap();
        let plain = fit(&spec, &Training::new(&repeated, &again), &Setting::default()).unwrap();
        let plain = plain.predict(&table).unwrap();
        for (a, b) in weighted.scores.iter().zip(&plain.scores) {
            assert!((a - b).abs() < 1e-5, "{learner}: {a} and {b}");
        }
    }
}

fn label_of(column: &Column, rows: &[usize]) -> Column {
    let mut alone = Table::new();
    alone.push(column.name.clone(), column.data.clone()).unwrap();
    alone.select(rows).remove(&column.name).unwrap()
}
