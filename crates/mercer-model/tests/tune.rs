//! Searches, against loops written by hand, and what they must not depend on.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicUsize, Ordering};

use mercer_linalg::Budget;
use mercer_model::metrics::Metric;
use mercer_model::tune::{Found, Search, Sofar, Strength, Tuning, Validation, tune};
use mercer_model::{Learner, Multiclass, Outcome, Scaling, Setting, Spec, Training, fit};
use mercer_points::{Column, ColumnData, Points, Table, read};
use mercer_solve::Watch;

fn data(source: &str) -> (Table, Column) {
    let mut table = read(source, &Default::default()).unwrap();
    let last = table.columns().last().unwrap().name.clone();
    let name = if table.column("label").is_ok() { "label".to_owned() } else { last };
    let target = table.remove(&name).unwrap();
    (table, target)
}

fn tuning(kernel: &str, strength: Strength, learner: Learner) -> Tuning {
    Tuning {
        search: Search::Grid { points: 3 },
        validation: Validation::Folds { k: 3, repeats: 1 },
        ..Tuning::new(kernel.parse().unwrap(), strength, learner)
    }
}

fn c(values: &str) -> Strength {
    Strength::C(values.parse().unwrap())
}

fn found(tuning: &Tuning, table: &Table, target: &Column) -> Found {
    tune(tuning, &Training::new(table, target), &Setting::default(), &|_| {}).unwrap()
}

/// The share of test rows that are right, by a model for each split, candidate by candidate.
fn by_hand(tuning: &Tuning, trials: &Found, table: &Table, target: &Column) -> Vec<Vec<f64>> {
    let splits = tuning.validation.splits(&target.data, tuning.spec.seed).unwrap();
    let of = |trial: &mercer_model::tune::Trial| {
        let spec =
            Spec { kernel: trial.kernel.clone(), regularization: trial.strength, ..tuning.spec.clone() };
        let each = splits.iter().map(|split| {
            let part = Column { name: target.name.clone(), data: target.data.select(&split.train) };
            let train = table.select(&split.train);
            let model = fit(&spec, &Training::new(&train, &part), &Setting::default()).unwrap();
            let truth = target.data.select(&split.test);
            match model.predict(&table.select(&split.test)).unwrap().outcome {
                Outcome::Classes(found) => {
                    let name = |row: usize| match &truth {
                        ColumnData::Numbers(values) => values[row].to_string(),
                        ColumnData::Categories(names) => names.point(row).to_owned(),
                        _ => unreachable!("labels are numbers or names"),
                    };
                    let right = |&(row, &code): &(usize, &usize)| model.classes()[code] == name(row);
                    found.iter().enumerate().filter(right).count() as f64 / found.len() as f64
                }
                Outcome::Numbers(found) => {
                    let ColumnData::Numbers(values) = &truth else { unreachable!("targets are numbers") };
                    let squares: f64 = found.iter().zip(values).map(|(f, y)| (f - y).powi(2)).sum();
                    (squares / found.len() as f64).sqrt()
                }
                Outcome::Inside(_) => unreachable!("there is a target"),
            }
        });
        each.collect()
    };
    trials.trials.iter().map(of).collect()
}

#[test]
fn scores_are_those_of_models_fitted_one_by_one() {
    for (source, kernel, strength, learner, scaling) in [
        ("@moons(n=90)", "rbf(sigma=0.1..3)", c("0.1..100"), Learner::Smo, Scaling::None),
        ("@moons(n=90)", "rbf(sigma=?)", c("1|10"), Learner::Smo, Scaling::Standardize),
        ("@iris", "rbf(gamma=0.1..10)", c("0.1..100"), Learner::Smo, Scaling::Standardize),
        ("@iris", "rbf(gamma=0.1|1)", c("1|10"), Learner::Smo, Scaling::None),
        (
            "@yacht",
            "rbf(sigma=1..4)",
            Strength::Lambda("1e-4..1e-1".parse().unwrap()),
            Learner::Cholesky,
            Scaling::MinMax,
        ),
    ] {
        let (table, target) = data(source);
        let mut tuning = tuning(kernel, strength, learner);
        tuning.spec.scaling = scaling;
        let is_scaled = scaling == Scaling::Standardize;
        tuning.spec.multiclass = if is_scaled { Multiclass::OneVsOne } else { Multiclass::OneVsRest };
        let found = found(&tuning, &table, &target);
        let expected = by_hand(&tuning, &found, &table, &target);
        for (trial, expected) in found.trials.iter().zip(&expected) {
            for (score, expected) in trial.scores.iter().zip(expected) {
                // Machines are solved to 1e-3: a row at the very boundary may fall to either side.
                assert!(
                    (score - expected).abs() <= 0.021 * (1.0 + expected),
                    "{source} {}: {score} {expected}",
                    trial.kernel
                );
            }
        }
        let exact =
            found.trials.iter().zip(&expected).filter(|(trial, expected)| trial.scores == **expected).count();
        assert!(10 * exact >= 7 * found.trials.len() || learner == Learner::Cholesky, "{source}: {exact}");
    }
}

#[test]
fn a_search_that_goes_on_finds_what_an_uninterrupted_one_does() {
    struct Impatient(AtomicUsize);
    impl Watch for Impatient {
        fn stopped(&self) -> bool {
            self.0.load(Ordering::Relaxed) >= 6
        }
    }
    let (table, target) = data("@moons(n=80)");
    let folder = tempfile::tempdir().unwrap();
    let plain = tuning("rbf(sigma=0.1..3)", c("0.1..100"), Learner::Smo);
    let kept = Tuning { journal: Some(folder.path().join("journal")), ..plain.clone() };
    let whole = found(&plain, &table, &target);
    let watch = Impatient(AtomicUsize::new(0));
    let setting = Setting { watch: &watch, ..Setting::default() };
    let tell = |_: Sofar| {
        watch.0.fetch_add(3, Ordering::Relaxed);
    };
    let first = tune(&kept, &Training::new(&table, &target), &setting, &tell);
    assert!(first.is_err() || first.is_ok_and(|found| found.is_cut_short));
    let lines = std::fs::read_to_string(folder.path().join("journal")).unwrap().lines().count();
    assert!(lines > 1 && lines < 28, "{lines}");
    assert_eq!(found(&kept, &table, &target), whole);
    assert_eq!(found(&kept, &table, &target), whole);
    let other = Tuning { validation: Validation::Folds { k: 4, repeats: 1 }, ..kept };
    let refused = tune(&other, &Training::new(&table, &target), &Setting::default(), &|_| {});
    assert!(refused.unwrap_err().to_string().contains("another search"));
}

#[test]
fn every_search_finds_a_good_candidate_and_the_number_of_threads_changes_nothing() {
    let (table, target) = data("@moons(n=120)");
    for search in [
        Search::Grid { points: 4 },
        Search::Random { draws: 8 },
        Search::Halving { points: 4 },
        Search::Refine { points: 3, rounds: 2 },
    ] {
        let tuning = Tuning { search, ..tuning("rbf(sigma=0.05..5)", c("0.1..1000"), Learner::Smo) };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| found(&tuning, &table, &target))
        };
        let one = with(1);
        assert!(one.best().mean() > 0.85, "{search}: {}", one.best().mean());
        assert_eq!(one, with(3), "{search}");
        let most = one.trials.iter().map(|trial| trial.rows).max().unwrap();
        assert!(one.best().rows == most && one.simplest().rows == most);
        assert!(one.simplest().strength.lambda(most).unwrap() >= one.best().strength.lambda(most).unwrap());
        let error = one.best().error().unwrap();
        assert!(one.simplest().mean() >= one.best().mean() - error);
    }
}

#[test]
fn with_little_memory_the_number_of_threads_changes_nothing_either() {
    let mu = Strength::Mu("0.01|1".parse().unwrap());
    let folds = Validation::Folds { k: 3, repeats: 1 };
    let mut differ = Vec::new();
    // Bytes that are enough for some of the ways in which a machine is solved, when shared out among few.
    for (source, learner, strength, validation, bytes) in [
        ("@sinc(n=480)", Learner::Svr, c("1|10"), folds.clone(), 2_000_000),
        ("@sinc(n=120)", Learner::Cholesky, mu.clone(), folds, 1_000_000),
        ("@sinc(n=60)", Learner::Cholesky, mu, Validation::LeaveOneOut, 300_000),
    ] {
        let (table, target) = data(source);
        let tuning = Tuning { validation, ..tuning("rbf(sigma=1|3)", strength, learner) };
        let setting = Setting { budget: Budget::of_bytes(bytes), ..Setting::default() };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let search = || tune(&tuning, &Training::new(&table, &target), &setting, &|_| {});
            pool.install(search).map_err(|error| error.to_string())
        };
        let one = with(1);
        assert!(one.is_ok(), "{learner}");
        differ.extend([2, 4, 9].map(|threads| (learner, threads, with(threads) == one)));
    }
    differ.retain(|(.., is_same)| !is_same);
    assert!(differ.is_empty(), "{differ:?}");
}

#[test]
fn metrics_are_chosen_by_name_and_errors_are_smaller_better() {
    let (table, target) = data("@moons(n=80)");
    let by = |metric: &str| {
        let metric: Metric = metric.parse().unwrap();
        found(
            &Tuning { metric: Some(metric), ..tuning("rbf(sigma=0.3)", c("0.1..100"), Learner::Smo) },
            &table,
            &target,
        )
    };
    assert!(by("auc").best().mean() > by("accuracy").best().mean() - 0.1);
    let (table, target) = data("@sinc(n=60)");
    let mut ridge =
        tuning("rbf(sigma=0.3..3)", Strength::Mu("0.01..100".parse().unwrap()), Learner::Cholesky);
    ridge.metric = Some(Metric::Mae);
    let found = found(&ridge, &table, &target);
    assert!(found.trials.iter().all(|trial| trial.mean() >= found.best().mean()));
}

#[test]
fn what_cannot_be_searched_is_an_error_that_says_why() {
    let (table, target) = data("@moons(n=30)");
    let said = |tuning: &Tuning| {
        tune(tuning, &Training::new(&table, &target), &Setting::default(), &|_| {}).unwrap_err().to_string()
    };
    let many = Tuning {
        validation: Validation::Folds { k: 99, repeats: 1 },
        ..tuning("rbf", c("1|2"), Learner::Smo)
    };
    assert!(said(&many).contains("99 folds"));
    assert!(said(&tuning("rbf", c("?"), Learner::Smo)).contains("distances"));
    assert!(said(&tuning("rbf[nothing]", c("1"), Learner::Smo)).contains("nothing"));
    let auc = Tuning { metric: Some(Metric::Rmse), ..tuning("rbf", c("1"), Learner::Smo) };
    assert!(said(&auc).contains("numbers"));
    let nothing = tune(&auc, &Training::unlabelled(&table), &Setting::default(), &|_| {});
    assert!(nothing.unwrap_err().to_string().contains("target"));
}

#[test]
fn halving_keeps_every_class_whatever_the_order_of_the_rows() {
    // Classes come round every third row: every ninth row alone would be of one class.
    let mut table = Table::new();
    table
        .push("x", ColumnData::Numbers((0..120).map(|i| f64::from(i % 3) + f64::from(i) * 1e-3).collect()))
        .unwrap();
    let target = Column {
        name: "y".to_owned(),
        data: ColumnData::Categories((0..120).map(|i| ["a", "b", "c"][i % 3]).collect()),
    };
    let mut tuning = Tuning {
        search: Search::Halving { points: 3 },
        ..tuning("rbf(sigma=0.1..3)", c("1..100"), Learner::Smo)
    };
    tuning.spec.multiclass = Multiclass::OneVsOne;
    tuning.validation = Validation::Ordered { k: 2 };
    assert!(found(&tuning, &table, &target).best().mean() > 0.9);
}

#[test]
fn splits_from_elsewhere_are_judged_as_they_are() {
    let (table, target) = data("@moons(n=60)");
    let own = tuning("linear | rbf(sigma=0.1..3)", c("0.1..100"), Learner::Smo);
    let splits = own.validation.splits(&target.data, own.spec.seed).unwrap();
    let given = Tuning { validation: Validation::Given(splits), ..own.clone() };
    assert_eq!(found(&given, &table, &target), found(&own, &table, &target));
    assert_eq!(found(&own, &table, &target).trials.len(), 12);
}

#[test]
fn a_machine_that_was_not_solved_is_told_and_not_taken_down() {
    let (table, target) = data("@moons(n=90)");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let mut tuning = tuning("rbf(sigma=0.05)", c("1000"), Learner::Smo);
    assert!(found(&tuning, &table, &target).best().is_solved);
    tuning.journal = Some(path.clone());
    let limits = mercer_solve::Limits { iterations: Some(1), time: None };
    let setting = Setting { limits, ..Setting::default() };
    let short = tune(&tuning, &Training::new(&table, &target), &setting, &|_| {}).unwrap();
    assert!(!short.best().is_solved);
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 1);
    assert!(found(&tuning, &table, &target).best().is_solved);
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 4);
}

#[test]
fn a_precomputed_matrix_has_the_scores_of_the_kernel_that_it_was_computed_by() {
    for (source, learner, strength) in [
        ("@iris", Learner::Smo, c("1|10")),
        ("@yacht", Learner::Cholesky, Strength::Mu("0.1|1".parse().unwrap())),
    ] {
        let (table, target) = data(source);
        let (points, _) = mercer_kernel::vectors(&table).unwrap();
        let n = points.len();
        let entry = |at: usize| -> f64 {
            points.point(at / n).iter().zip(points.point(at % n)).map(|(a, b)| a * b).sum()
        };
        let matrix = mercer_points::Dense::new(n, n, (0..n * n).map(entry).collect()).unwrap();
        let mut square = Table::new();
        square.push("K", ColumnData::Indices(mercer_points::Indices::all(matrix).unwrap())).unwrap();
        let with = |kernel: &str, table: &Table| {
            let mut tuning = tuning(kernel, strength.clone(), learner);
            tuning.spec.multiclass = Multiclass::OneVsOne;
            found(&tuning, table, &target).trials.into_iter().map(|trial| trial.scores).collect::<Vec<_>>()
        };
        for (one, other) in with("linear", &table).concat().iter().zip(with("precomputed", &square).concat())
        {
            assert!((one - other).abs() <= 0.021 * (1.0 + one.abs()), "{source}: {one} {other}");
        }
    }
    let (_, target) = data("@moons(n=30)");
    let matrix = mercer_points::Dense::new(30, 30, vec![1.0; 900]).unwrap();
    let mut square = Table::new();
    square.push("K", ColumnData::Indices(mercer_points::Indices::all(matrix).unwrap())).unwrap();
    let tuning = tuning("precomputed", c("1"), Learner::Newton);
    let wrong = tune(&tuning, &Training::new(&square, &target), &Setting::default(), &|_| {}).unwrap_err();
    assert!(wrong.to_string().contains("newton does not"), "{wrong}");
}
