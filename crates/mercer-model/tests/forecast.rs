//! Forecasts: which plan a budget leaves, what it is made of, and what is refused.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::{Set, set, training};
use mercer_kernel::Registry;
use mercer_linalg::Budget;
use mercer_model::forecast::{Plan, forecast};
use mercer_model::{Calibration, Forecast, Learner, ModelError, Multiclass, Setting, Spec, fit};
use mercer_points::{Column, ColumnData};
use mercer_solve::loss::LossSpec;
use mercer_solve::{Limits, SolveError, Tolerance};

fn spec(kernel: &str, learner: Learner) -> Spec {
    let tolerance = Tolerance { gap: None, violation: Some(1e-3) };
    Spec { tolerance, ..Spec::new(kernel.parse().unwrap(), learner) }
}

fn within(bytes: u64) -> Setting<'static> {
    Setting { budget: Budget::of_bytes(bytes), ..Setting::default() }
}

fn foretold(spec: &Spec, set: &Set, setting: &Setting<'_>) -> Result<Forecast, ModelError> {
    forecast(spec, &training(set, &Registry::new()), setting)
}

const PLENTY: u64 = 16 << 30;

#[test]
fn the_plan_follows_from_rows_kernel_and_budget() {
    let (small, large) = (set("@moons(n=500)"), set("@moons(n=7000)"));
    let smo = spec("rbf(sigma=0.3)", Learner::Smo);
    let found = foretold(&smo, &small, &within(PLENTY)).unwrap();
    assert_eq!((found.plan, found.rows, found.machines), (Plan::Whole, 500, 1));
    let found = foretold(&smo, &large, &within(PLENTY)).unwrap();
    assert_eq!(found.plan, Plan::WorkingSets(2016), "few are free here");
    // A map of more coordinates than are cheap: rows are kept, as many as there is room for.
    let dear = spec("rbf(sigma=2)@fourier(kernel=rbf(sigma=0.5), m=200, seed=1)", Learner::Smo);
    let found = foretold(&dear, &set("@moons(n=6200)"), &within(64 << 20)).unwrap();
    assert!(matches!(found.plan, Plan::Rows(rows) if rows <= (64 << 20) / (4 * 6200)), "{:?}", found.plan);
    let found = foretold(&spec("linear", Learner::Pegasos), &small, &within(PLENTY)).unwrap();
    assert_eq!(found.plan, Plan::Features(2));
    let found = foretold(&spec("rbf(sigma=1)", Learner::Cg), &set("@sinc(n=300)"), &within(PLENTY)).unwrap();
    assert_eq!(found.plan, Plan::Recomputed);
}

#[test]
fn the_bytes_are_those_of_the_matrices_and_little_else() {
    let sinc = set("@sinc(n=1500)");
    for (learner, loss, each) in [
        (Learner::Cholesky, "squared", 8),
        (Learner::Newton, "huber(delta=1)", 16),
        (Learner::Eigen, "squared", 40),
    ] {
        let loss: LossSpec = loss.parse().unwrap();
        let asked = Spec { loss: Some(loss), ..Spec::new("rbf(sigma=1)".parse().unwrap(), learner) };
        let found = foretold(&asked, &sinc, &within(PLENTY)).unwrap();
        let matrices = each * 1500 * 1500;
        assert_eq!(found.plan, Plan::Whole, "{learner}");
        assert_eq!(found.parts[0], ("matrices of kernel entries", matrices), "{learner}");
        assert!(found.peak_bytes < matrices + (8 << 20), "{learner}: {}", found.peak_bytes);
        assert_eq!(found.peak_bytes, found.parts.iter().map(|part| part.1).sum::<u64>());
    }
}

#[test]
fn pairs_of_classes_are_counted_as_they_run() {
    let iris = set("@iris");
    let asked = Spec { multiclass: Multiclass::OneVsOne, ..spec("rbf(sigma=1)", Learner::Smo) };
    let found = foretold(&asked, &iris, &within(PLENTY)).unwrap();
    assert_eq!((found.machines, &found.plan), (3, &Plan::Whole));
    let sure = Spec { probabilities: Some(Calibration::Platt), ..asked };
    let more = foretold(&sure, &iris, &within(PLENTY)).unwrap();
    assert_eq!((more.machines, more.plan), (found.machines, found.plan));
}

#[test]
fn what_has_no_room_is_refused_with_what_has() {
    let sinc = set("@sinc(n=2000)");
    let asked = Spec::new("rbf(sigma=1)".parse().unwrap(), Learner::Cholesky);
    let found = foretold(&asked, &sinc, &within(8_000_000)).unwrap();
    assert!(found.is_refused() && found.seconds.is_none());
    let Plan::Refused { needed, budget, room, other } = found.plan.clone() else { panic!("refused") };
    assert_eq!((needed, budget, room, other), (32_000_000, 8_000_000, 1000, Some(Learner::Cg)));
    assert_eq!(found.plan.to_string(), "refused: needs 32 MB, the budget is 8.0 MB");
    // The fit says the same, and a sample of that many rows is not refused.
    let fitted = fit(&asked, &training(&sinc, &Registry::new()), &within(8_000_000));
    assert!(matches!(fitted, Err(ModelError::Solve(SolveError::OverBudget { needed: 32_000_000, .. }))));
    assert!(!foretold(&asked, &set("@sinc(n=1000)"), &within(8_000_000)).unwrap().is_refused());
    // The dual works in what there is.
    let smo = spec("rbf(sigma=1)", Learner::Svr);
    assert!(!foretold(&smo, &sinc, &within(8_000_000)).unwrap().is_refused());
}

#[test]
fn errors_are_those_of_the_fit() {
    let moons = set("@moons(n=60)");
    let logistic: LossSpec = "logistic".parse().unwrap();
    let wrong = Spec { loss: Some(logistic), ..spec("rbf", Learner::Smo) };
    let told = foretold(&wrong, &moons, &Setting::default()).unwrap_err().to_string();
    let fitted = fit(&wrong, &training(&moons, &Registry::new()), &Setting::default());
    assert_eq!(told, fitted.unwrap_err().to_string());
    let many = set("@sinc(n=2100)");
    let qp =
        Spec { loss: Some("squared".parse().unwrap()), ..Spec::new("rbf".parse().unwrap(), Learner::Qp) };
    assert!(matches!(
        foretold(&qp, &many, &Setting::default()),
        Err(ModelError::Solve(SolveError::Unsuited { .. }))
    ));
    let nothing = Set { table: moons.table.slice(0..0), ..moons };
    assert!(foretold(&spec("rbf", Learner::Smo), &nothing, &Setting::default()).is_err());
}

#[test]
fn the_plan_is_the_same_twice_and_time_is_within_its_limit() {
    let moons = set("@moons(n=3000, noise=0.3)");
    let smo = spec("rbf(sigma=0.3)", Learner::Smo);
    let [one, two] = [0, 1].map(|_| foretold(&smo, &moons, &within(PLENTY)).unwrap());
    assert_eq!(one.plan, two.plan);
    assert!(one.pilot >= 200 && one.pilot <= 750 && one.spent >= 0.0);
    let limits = Limits { time: Some(Duration::from_millis(1)), iterations: None };
    let hurried = foretold(&smo, &moons, &Setting { limits, ..within(PLENTY) }).unwrap();
    assert!(hurried.seconds.unwrap() <= 0.001);
}

#[test]
fn a_pilot_without_a_step_says_something_all_the_same() {
    let loss: LossSpec = "epsilon(epsilon=100)".parse().unwrap();
    let asked = Spec { loss: Some(loss), ..spec("rbf(sigma=1)", Learner::Svr) };
    let found = foretold(&asked, &set("@sinc(n=1500)"), &within(PLENTY)).unwrap();
    assert!(found.seconds.is_none_or(f64::is_finite), "{:?}", found.seconds);
}

#[test]
fn functions_of_softmax_are_one_machine_and_need_no_room_for_a_matrix() {
    let asked = Spec {
        loss: Some(LossSpec::Logistic),
        multiclass: Multiclass::Softmax,
        ..spec("rbf(sigma=1)", Learner::Newton)
    };
    let iris = set("@iris");
    let found = foretold(&asked, &iris, &within(PLENTY)).unwrap();
    assert_eq!((found.plan, found.machines), (Plan::Whole, 1));
    assert_eq!(foretold(&asked, &iris, &within(100_000)).unwrap().plan, Plan::Recomputed);
}

#[test]
fn softmax_without_room_for_its_vectors_is_refused_by_the_forecast_as_by_the_fit() {
    let asked = Spec {
        loss: Some(LossSpec::Logistic),
        multiclass: Multiclass::Softmax,
        ..spec("rbf(sigma=1)", Learner::Newton)
    };
    let moons = set("@moons(n=20000)");
    let names = ColumnData::Categories((0..20_000).map(|i| (i % 100).to_string()).collect());
    let many = Set { target: Column { data: names, ..moons.target }, ..moons };
    let found = foretold(&asked, &many, &within(200_000_000)).unwrap();
    // 160 bytes for each row and class.
    let (needed, room) = match found.plan {
        Plan::Refused { needed, room, other: None, .. } => (needed, room),
        plan => panic!("{plan:?}"),
    };
    assert_eq!((needed, room), (320_000_000, 12_500));
    let fitted = fit(&asked, &training(&many, &Registry::new()), &within(200_000_000)).unwrap_err();
    let is_same = |error: &SolveError| matches!(error, SolveError::OverBudget { needed: 320_000_000, .. });
    assert!(matches!(&fitted, ModelError::Solve(error) if is_same(error)), "{fitted}");
    // The vectors of iris take 72 000 bytes, its matrix 180 000: it is held where there is room for both.
    let iris = set("@iris");
    assert_eq!(foretold(&asked, &iris, &within(251_999)).unwrap().plan, Plan::Recomputed);
    let whole = foretold(&asked, &iris, &within(252_000)).unwrap();
    assert_eq!(whole.plan, Plan::Whole);
    let vectors = whole.parts.iter().find(|part| part.0 == "vectors of the solver").unwrap();
    assert_eq!(vectors.1, 72_000 + 88 * 150);
}
