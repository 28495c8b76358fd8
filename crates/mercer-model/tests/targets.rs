//! Several numeric targets in one fit: the machines of as many single fits, on common support points.

#![allow(clippy::unwrap_used)]

use mercer_linalg::Budget;
use mercer_model::{Between, Learner, Model, ModelError, Outcome, Setting, Spec, Training, fit};
use mercer_points::{Column, ColumnData, Table};
use mercer_solve::{Regularization, SolveError};

const ROWS: usize = 40;

fn points() -> Table {
    let mut table = Table::new();
    for (name, step) in [("a", 0.7), ("b", 1.3), ("c", 2.1)] {
        let values = (0..ROWS).map(|i| (step * i as f64).sin() + 0.1 * i as f64).collect();
        table.push(name, ColumnData::Numbers(values)).unwrap();
    }
    table
}

fn targets() -> Vec<Column> {
    let target = |k: usize| Column {
        name: format!("y{k}"),
        data: ColumnData::Numbers((0..ROWS).map(|i| ((i * (k + 2)) as f64 * 0.3).cos() + k as f64).collect()),
    };
    (0..3).map(target).collect()
}

fn spec(learner: Learner) -> Spec {
    let mut spec = Spec::new("rbf(sigma=1.5)".parse().unwrap(), learner);
    spec.regularization = Regularization::Mu(0.3);
    spec
}

fn together(spec: &Spec, weights: Option<&[f64]>) -> Result<Model, ModelError> {
    let (table, targets) = (points(), targets());
    let training = Training { others: &targets[1..], weights, ..Training::new(&table, &targets[0]) };
    fit(spec, &training, &Setting::default())
}

#[test]
fn each_target_is_the_single_fit_to_the_last_bit() {
    let (table, targets) = (points(), targets());
    let weights: Vec<f64> = (0..ROWS).map(|i| 0.5 + (i % 4) as f64).collect();
    for (learner, weights) in [
        (Learner::Cholesky, None),
        (Learner::Cholesky, Some(weights.as_slice())),
        (Learner::Eigen, None),
        (Learner::Cg, Some(weights.as_slice())),
        (Learner::Svr, None),
    ] {
        for offset in [false, true] {
            let spec = Spec { offset, ..spec(learner) };
            let all = together(&spec, weights).unwrap();
            assert_eq!(all.machines().len(), 3);
            assert_eq!(all.targets(), ["y0", "y1", "y2"]);
            let found = all.predict(&table).unwrap();
            assert_eq!((found.machines, found.len()), (3, ROWS));
            assert_eq!(found.outcome, Outcome::Numbers(found.scores.clone()));
            for (k, target) in targets.iter().enumerate() {
                let alone = Training { weights, ..Training::new(&table, target) };
                let alone = fit(&spec, &alone, &Setting::default()).unwrap();
                let (one, machine) = (&alone.machines()[0], &all.machines()[k]);
                let mut shared = vec![0.0; all.support()];
                for (row, a) in alone.rows().iter().zip(one.coefficients.iter()) {
                    shared[all.rows().iter().position(|other| other == row).unwrap()] = a;
                }
                assert_eq!((&machine.coefficients, machine.bias), (&shared.into(), one.bias), "{learner}");
                let gap =
                    |machine: &mercer_model::Machine| machine.certificate.as_ref().unwrap().relative_gap;
                assert_eq!(gap(machine), gap(one));
                let scores = alone.predict(&table).unwrap().scores;
                for (row, score) in scores.iter().enumerate() {
                    assert!((found.score(row, k) - score).abs() < 1e-12);
                }
            }
        }
    }
}

#[test]
fn the_matrix_is_computed_and_factored_once() {
    for learner in [Learner::Cholesky, Learner::Eigen] {
        let alone =
            fit(&spec(learner), &Training::new(&points(), &targets()[0]), &Setting::default()).unwrap();
        let all = together(&spec(learner), None).unwrap();
        assert_eq!(all.provenance().entries, alone.provenance().entries);
    }
}

#[test]
fn a_file_keeps_every_target() {
    let model = together(&spec(Learner::Cholesky), None).unwrap();
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again, model);
    assert_eq!(again.targets(), ["y0", "y1", "y2"]);
    assert_eq!(again.predict(&points()).unwrap(), model.predict(&points()).unwrap());
    let path = std::env::temp_dir().join(format!("mercer-targets-{}.libsvm", std::process::id()));
    assert!(model.write_libsvm(&path).unwrap_err().to_string().contains("3 targets"));
}

#[test]
fn parts_that_do_not_agree_are_refused() {
    let model = together(&spec(Learner::Cholesky), None).unwrap();
    let mut fewer = model.clone().into_parts();
    fewer.machines.pop();
    assert!(Model::from_parts(fewer).is_err());
    let mut unnamed = model.clone().into_parts();
    unnamed.schema.others.clear();
    assert!(Model::from_parts(unnamed).is_err());
    let mut paired = model.into_parts();
    paired.machines[1].between = Some(Between::Pair(0, 1));
    assert!(Model::from_parts(paired).is_err());
}

#[test]
fn the_terms_of_an_explanation_are_those_of_the_first_target() {
    let (table, model) = (points(), together(&spec(Learner::Cholesky), None).unwrap());
    let found = model.predict(&table).unwrap();
    for (row, why) in model.explain(&table, 5).unwrap().iter().enumerate() {
        let sum = why.terms.iter().map(|term| term.contribution).sum::<f64>() + why.rest + why.bias;
        assert!((sum - found.score(row, 0)).abs() < 1e-12);
        assert_eq!(why.score, found.score(row, 0));
    }
    assert!(found.slack(&model, &targets()[0]).is_err());
}

#[test]
fn what_cannot_be_is_refused() {
    let (table, targets) = (points(), targets());
    let several = Training { others: &targets[1..], ..Training::new(&table, &targets[0]) };
    let said = fit(&spec(Learner::OneClass), &several, &Setting::default()).unwrap_err().to_string();
    assert!(said.contains("one target, and there are 3"), "{said}");
    let said = fit(&spec(Learner::Smo), &several, &Setting::default()).unwrap_err().to_string();
    assert!(said.contains("one target"), "{said}");
    let short = [Column { name: "y".to_owned(), data: ColumnData::Numbers(vec![1.0; ROWS - 1]) }];
    let training = Training { others: &short, ..several };
    let error = fit(&spec(Learner::Cholesky), &training, &Setting::default()).unwrap_err();
    assert!(matches!(error, ModelError::Solve(SolveError::Shape { expected: ROWS, .. })), "{error}");
    let small = Setting { budget: Budget::of_bytes(100), ..Setting::default() };
    let error = fit(&spec(Learner::Cholesky), &several, &small).unwrap_err();
    assert!(matches!(error, ModelError::Solve(SolveError::OverBudget { .. })), "{error}");
}
