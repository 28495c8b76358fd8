//! Models of points in single precision: those of the same points in double, bit for bit, and kept as they are.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::{Set, set, training};
use mercer_kernel::{Registry, vectors};
use mercer_model::{Learner, Model, Multiclass, Scaling, Setting, Spec, Stream, fit};
use mercer_points::{Column, ColumnData, Dense, Points, Table};

/// The numbers of a set as one block, rounded to single precision: kept so, and written out in double.
fn blocks(name: &str) -> [Set; 2] {
    let Set { table, target } = set(name);
    let (points, names) = vectors(&table).unwrap();
    let single: Vec<f32> = points.values().iter().map(|&v| v as f32).collect();
    let single = Dense::shared(points.len(), points.dim(), Arc::new(single)).unwrap();
    let block = |data: ColumnData| {
        let mut table = Table::new();
        table.push("features", data).unwrap();
        Set { table, target: target.clone() }
    };
    [ColumnData::Dense(single.to_f64(), names.clone()), ColumnData::Single(single, names)].map(block)
}

fn learn(spec: &Spec, set: &Set) -> Model {
    fit(spec, &training(set, &Registry::new()), &Setting::default()).unwrap()
}

fn bits(model: &Model, table: &Table) -> Vec<u64> {
    model.predict(table).unwrap().scores.iter().map(|score| score.to_bits()).collect()
}

fn saved(model: &Model) -> Model {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    model.save(&path).unwrap();
    Model::load(&path).unwrap()
}

#[test]
fn a_model_of_f32_is_that_of_the_same_points_in_f64() {
    let cases = [
        ("@moons(n=120)", "rbf(sigma=0.3)", Learner::Smo, Scaling::None),
        ("@iris", "rbf", Learner::Smo, Scaling::None),
        ("@iris", "rbf + 0.1*poly(degree=2)", Learner::Smo, Scaling::Standardize),
        ("@moons(n=80)", "linear", Learner::Pegasos, Scaling::None),
        ("@moons(n=80)", "rbf(gamma=median)@standardize", Learner::Smo, Scaling::None),
        ("@sinc(n=60)", "rbf(sigma=1)", Learner::Cholesky, Scaling::None),
    ];
    for (name, kernel, learner, scaling) in cases {
        let [double, single] = blocks(name);
        let mut spec = Spec::new(kernel.parse().unwrap(), learner);
        spec.scaling = scaling;
        if name == "@iris" {
            spec.multiclass = Multiclass::OneVsOne;
        }
        let (from_double, from_single) = (learn(&spec, &double), learn(&spec, &single));
        assert_eq!(from_double.kernel(), from_single.kernel(), "{kernel}");
        for (a, b) in from_double.machines().iter().zip(from_single.machines()) {
            assert_eq!((&a.coefficients, a.bias), (&b.coefficients, b.bias), "{kernel}");
        }
        let kept = matches!(from_single.points().columns()[0].data, ColumnData::Single(..));
        assert_eq!(kept, scaling == Scaling::None, "{kernel}: what is not scaled stays in f32");
        let scores = bits(&from_double, &double.table);
        let again = saved(&from_single);
        assert_eq!(again, from_single);
        for model in [&from_double, &from_single, &again] {
            assert_eq!(bits(model, &double.table), scores, "{kernel}");
            // New rows in single precision are worth entries in single precision.
            for (score, exact) in bits(model, &single.table).iter().zip(&scores) {
                let (score, exact) = (f64::from_bits(*score), f64::from_bits(*exact));
                assert!((score - exact).abs() <= 1e-4 * exact.abs().max(1.0), "{kernel}: {score} {exact}");
            }
        }
        let explained = |model: &Model, set: &Set| model.explain(&set.table.slice(0..5), 3).unwrap();
        assert_eq!(explained(&from_double, &double), explained(&from_single, &double), "{kernel}");
        assert_ne!(from_double.provenance().hash, "");
    }
}

#[test]
fn a_model_owns_its_points() {
    let [_, single] = blocks("@moons(n=60)");
    let model = learn(&Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::Smo), &single);
    let place = |table: &Table| match &table.columns()[0].data {
        ColumnData::Single(points, _) => points.values().as_ptr_range(),
        _ => panic!("a block in single precision"),
    };
    let (kept, given) = (place(model.points()), place(&single.table));
    assert!(kept.end <= given.start || kept.start >= given.end, "memory of others may change after the fit");
}

#[test]
fn files_of_f32_are_smaller_and_as_strict() {
    let [double, single] = blocks("@moons(n=60)");
    let spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::Smo);
    let folder = tempfile::tempdir().unwrap();
    let bytes = |set: &Set| {
        let path = folder.path().join("model");
        learn(&spec, set).save(&path).unwrap();
        std::fs::read(&path).unwrap()
    };
    let (long, short) = (bytes(&double), bytes(&single));
    assert!(short.len() < long.len());
    for at in (0..short.len()).step_by(7) {
        let mut changed = short.clone();
        changed[at] ^= 4;
        let path = folder.path().join("changed");
        std::fs::write(&path, changed).unwrap();
        assert!(Model::load(&path).is_err(), "byte {at}");
    }
}

#[test]
fn libsvm_gets_the_same_text() {
    let folder = tempfile::tempdir().unwrap();
    let spec = Spec::new("rbf(gamma=0.5)".parse().unwrap(), Learner::Smo);
    let texts = blocks("@moons(n=60)").map(|set| {
        let path = folder.path().join("model.txt");
        learn(&spec, &set).write_libsvm(&path).unwrap();
        std::fs::read_to_string(&path).unwrap()
    });
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn a_stream_of_f32_keeps_f32() {
    let spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::OnlinePerceptron);
    let models = blocks("@moons(n=80)").map(|set| {
        let mut stream = Stream::new(&spec, &Registry::new()).unwrap();
        stream.observe(&set.table, &set.target).unwrap();
        (stream.model().unwrap(), set)
    });
    let [(double, set), (single, _)] = &models;
    assert!(matches!(single.points().columns()[0].data, ColumnData::Single(..)));
    assert_eq!(bits(double, &set.table), bits(single, &set.table));
}

#[test]
fn rows_of_a_large_table_are_named_by_their_number_in_it() {
    let moons = set("@moons(n=60)");
    let model = learn(&Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::Smo), &moons);
    let rows = 70_000;
    let mut table = Table::new();
    for Column { name, .. } in moons.table.columns() {
        let mut values = vec![0.5; rows];
        values[rows - 2] = f64::NAN;
        table.push(name.clone(), ColumnData::Numbers(values)).unwrap();
    }
    let error = model.predict(&table).unwrap_err().to_string();
    assert!(error.contains("69999"), "{error}");
}
