//! The one-command path: what it chooses, what it says of its choice, and what it worries about.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use mercer_model::auto::{Auto, Report, Worry, auto};
use mercer_model::metrics::Metric;
use mercer_model::{Learner, ModelError, Scaling, Setting, Task, Training};
use mercer_points::{Column, ColumnData, Points, Table};

fn data(source: &str, target: &str) -> (Table, Column) {
    let mut table = mercer_points::read(source, &Default::default()).unwrap();
    let target = table.remove(target).unwrap();
    (table, target)
}

fn ask() -> Auto {
    Auto { time: Duration::from_secs(30), ..Auto::default() }
}

fn run(ask: &Auto, table: &Table, target: &Column) -> Result<Report, ModelError> {
    auto(ask, &Training::new(table, target), None, &Setting::default(), &|_| {})
}

#[test]
fn moons_are_told_apart_and_the_score_is_of_rows_that_nothing_was_learned_from() {
    let (table, target) = data("@moons(n=200)", "label");
    let report = run(&ask(), &table, &target).unwrap();
    assert_eq!((report.task, report.metric), (Task::Classes, Metric::Accuracy));
    assert!(report.model.certified() && report.score().value >= 0.95);
    assert_eq!((report.held_out.len(), report.trained_on, report.fitted_on), (40, 160, 200));
    assert!(report.contests.iter().all(|contest| contest.rows == 160));
    assert!(report.score().low <= report.score().value && report.score().value <= report.score().high);
}

#[test]
fn the_same_seed_gives_the_same_model_for_any_number_of_threads() {
    let (table, target) = data("@moons(n=80, noise=0.3)", "label");
    let in_pool = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&ask(), &table, &target).unwrap())
    };
    let (one, two) = (in_pool(1), in_pool(2));
    assert_eq!((&one.chosen, one.lead, &one.scores), (&two.chosen, two.lead, &two.scores));
    assert_eq!(one.model.machines()[0].coefficients, two.model.machines()[0].coefficients);
}

#[test]
fn on_a_target_that_is_chance_the_score_is_chance_and_says_so() {
    // Ten columns of noise, and classes that have nothing to do with them.
    let mut table = Table::new();
    let mut state = 1_u64;
    let mut draw = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    for j in 0..10 {
        table.push(format!("x{j}"), ColumnData::Numbers((0..200).map(|_| draw()).collect())).unwrap();
    }
    let names: Vec<&str> = (0..200).map(|_| if draw() < 0.5 { "heads" } else { "tails" }).collect();
    let target = Column { name: "coin".to_owned(), data: ColumnData::Categories(names.iter().collect()) };
    let report = run(&ask(), &table, &target).unwrap();
    let score = report.score();
    assert!(score.low <= 0.5 && score.high >= 0.5, "{score:?}");
}

#[test]
fn numbers_are_predicted_better_than_by_their_mean() {
    let (table, target) = data("@yacht", "label");
    let report = run(&ask(), &table, &target).unwrap();
    assert_eq!((report.task, report.metric), (Task::Numbers, Metric::Rmse));
    assert_eq!(
        (report.model.spec().learner, report.model.spec().scaling),
        (Learner::Cholesky, Scaling::Standardize)
    );
    assert!(report.score().value < 0.3 * report.naive && report.model.certified());
}

#[test]
fn texts_are_compared_by_substrings() {
    let (table, target) = data("@promoter", "label");
    let report = run(&ask(), &table, &target).unwrap();
    assert!(report.chosen.kernel.uses("spectrum") && report.score().value > 0.7);
}

#[test]
fn an_id_is_left_out_and_a_leak_is_told() {
    let (mut table, target) = data("@iris", "label");
    let ColumnData::Categories(names) = &target.data else { panic!("names") };
    let two: Vec<usize> = (0..table.len()).filter(|&i| names.point(i) != "virginica").collect();
    let target = Column { name: target.name.clone(), data: target.data.select(&two) };
    table = table.select(&two);
    table.push("id", ColumnData::Numbers((1..=two.len()).map(|i| i as f64).collect())).unwrap();
    let report = run(&ask(), &table, &target).unwrap();
    assert_eq!(report.left_out.iter().map(|left| left.column.as_str()).collect::<Vec<_>>(), ["id"]);
    // Setosa and versicolor differ in the length of their petals.
    assert!(report.worries.iter().any(|worry| matches!(worry, Worry::Leak { .. })), "{:?}", report.worries);
}

#[test]
fn a_short_time_is_kept_and_the_model_is_certified_all_the_same() {
    let (table, target) = data("@moons(n=3000, noise=0.4)", "label");
    let started = Instant::now();
    let report = run(&Auto { time: Duration::from_secs(6), ..ask() }, &table, &target).unwrap();
    assert!(report.model.certified());
    // Unoptimised, on a machine with other things to do.
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

#[test]
fn given_test_rows_are_the_judges() {
    let (table, target) = data("@moons(n=100)", "label");
    let (other, truth) = data("@moons(n=60, seed=5)", "label");
    let training = Training::new(&table, &target);
    let report = auto(&ask(), &training, Some((&other, &truth)), &Setting::default(), &|_| {}).unwrap();
    assert_eq!((report.trained_on, report.fitted_on, report.held_out.len()), (100, 100, 0));
    let said = report.model.predict(&other).unwrap();
    let mercer_model::Outcome::Classes(found) = said.outcome else { panic!("classes") };
    let ColumnData::Numbers(truth) = &truth.data else { panic!("numbers") };
    let right = found.iter().zip(truth).filter(|(code, y)| report.model.classes()[**code].parse() == Ok(**y));
    assert_eq!(report.score().value, right.count() as f64 / 60.0);
}

#[test]
fn what_cannot_be_done_is_said() {
    let (table, target) = data("@moons(n=20)", "label");
    let wrong = run(&Auto { hold_out: 1.5, ..ask() }, &table, &target).unwrap_err();
    assert!(wrong.to_string().contains("0.2 holds out a fifth"), "{wrong}");
    let wrong = auto(&ask(), &Training::unlabelled(&table), None, &Setting::default(), &|_| {}).unwrap_err();
    assert!(wrong.to_string().contains("--target"), "{wrong}");
    let mut same = Table::new();
    same.push("x", ColumnData::Numbers(vec![1.0; 20])).unwrap();
    same.push("y", ColumnData::Numbers(vec![2.0; 20])).unwrap();
    let wrong = run(&ask(), &same, &target).unwrap_err();
    assert!(wrong.to_string().contains("'x' is the same in every row"), "{wrong}");
}
