//! The dual engine against closed forms, a textbook solver, and the certificate.
#![allow(clippy::unwrap_used)]

mod scores;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mercer_gram::{Gram, Lazy};
use mercer_linalg::Budget;
use mercer_points::{ColumnData, Table};
use mercer_solve::loss::{
    EpsilonInsensitive, Hinge, Huber, Logistic, Loss, Perceptron, Pinball, Squared, SquaredHinge, Target,
};
use mercer_solve::solvers::{HardMargin, Norm, NuSvc, NuSvr, OneClass, Smo};
use mercer_solve::{
    Convexity, Features, Limits, Objective, Penalty, Problem, Progress, Run, Silent, Solution, SolveError,
    Solver, Status, Tolerance, Watch, certify,
};

/// A small generator, so that the data are the same everywhere.
struct Draw(u64);

impl Draw {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn table(columns: &[Vec<f64>]) -> Table {
    let mut table = Table::new();
    for (j, column) in columns.iter().enumerate() {
        table.push(format!("x{j}"), ColumnData::Numbers(column.clone())).unwrap();
    }
    table
}

fn random(n: usize, d: usize, seed: u64) -> Table {
    let mut draw = Draw(seed);
    table(&(0..d).map(|_| (0..n).map(|_| 2.0 * draw.uniform() - 1.0).collect()).collect::<Vec<_>>())
}

fn gram(kernel: &str, table: &Table) -> Lazy {
    Lazy::new(&kernel.parse().unwrap(), table).unwrap()
}

/// Labels with some noise, or targets, by what the loss wants.
fn targets(loss: &dyn Loss, n: usize, seed: u64) -> Vec<f64> {
    let mut draw = Draw(seed);
    let number = |i: usize, noise: f64| (i as f64 * 0.7).sin() + 0.8 * (noise - 0.5);
    (0..n)
        .map(|i| number(i, draw.uniform()))
        .map(|v| if loss.target() == Target::Labels { v.signum() } else { v })
        .collect()
}

fn losses() -> Vec<Box<dyn Loss>> {
    vec![
        Box::new(Hinge),
        Box::new(SquaredHinge),
        Box::new(Perceptron),
        Box::new(Squared),
        Box::new(EpsilonInsensitive { epsilon: 0.1 }),
        Box::new(EpsilonInsensitive { epsilon: 0.0 }),
        Box::new(Huber { delta: 0.3 }),
        Box::new(Pinball { tau: 0.2 }),
    ]
}

fn both(gap: f64, violation: f64) -> Tolerance {
    Tolerance { gap: Some(gap), violation: Some(violation) }
}

fn solve(problem: &Problem<'_>, tolerance: Tolerance) -> Solution {
    Smo::default().solve(problem, None, &mut Run::quiet(tolerance)).unwrap()
}

#[test]
fn every_loss_with_and_without_offset_and_weights_reaches_what_was_asked() {
    let n = 40;
    let table = random(n, 2, 1);
    let gram = gram("rbf(sigma=0.5)", &table);
    let weights: Vec<f64> = (0..n).map(|i| [1.0, 0.0, 2.5][i % 3]).collect();
    for loss in losses() {
        let y = targets(&*loss, n, 7);
        for offset in [false, true] {
            for lambda in [1.0, 0.01, 1e-4] {
                for weighted in [false, true] {
                    let problem = Problem::new(&gram, &y, Objective::Risk(&*loss), lambda, offset).unwrap();
                    let problem = if weighted { problem.weighted(&weights).unwrap() } else { problem };
                    let solution = solve(&problem, both(1e-7, 1e-5));
                    let certificate = certify(&problem, &solution);
                    let case = format!("{loss:?} offset {offset} lambda {lambda} weighted {weighted}");
                    assert_eq!(solution.status, Status::Solved, "{case}");
                    assert!(certificate.relative_gap <= 1e-7, "{case}: gap {}", certificate.relative_gap);
                    assert!(certificate.violation <= 1e-5, "{case}: {}", certificate.violation);
                    assert_eq!(certificate.projected, None, "{case}");
                    if weighted {
                        assert!((0..n).filter(|i| i % 3 == 1).all(|i| solution.alpha[i] == 0.0), "{case}");
                    }
                    assert!((certificate.offset - solution.bias).abs() < 1e-6, "{case}");
                }
            }
        }
    }
}

/// The hinge by the simplest maximal violating pair, on the whole matrix: returns ½αᵀKα − yᵀα.
fn textbook(gram: &dyn Gram, y: &[f64], c: f64) -> f64 {
    let n = y.len();
    let mut alpha = vec![0.0; n];
    loop {
        let slope: Vec<f64> =
            (0..n).map(|i| (0..n).map(|j| gram.entry(i, j) * alpha[j]).sum::<f64>() - y[i]).collect();
        let (low, high) =
            (|i: usize| if y[i] > 0.0 { 0.0 } else { -c }, |i: usize| if y[i] > 0.0 { c } else { 0.0 });
        let up = (0..n).filter(|&i| alpha[i] < high(i)).min_by(|&a, &b| slope[a].total_cmp(&slope[b]));
        let down = (0..n).filter(|&i| alpha[i] > low(i)).max_by(|&a, &b| slope[a].total_cmp(&slope[b]));
        let (Some(i), Some(j)) = (up, down) else { break };
        if slope[j] - slope[i] < 1e-8 {
            break;
        }
        let curvature = gram.entry(i, i) + gram.entry(j, j) - 2.0 * gram.entry(i, j);
        let step = ((slope[j] - slope[i]) / curvature).min(high(i) - alpha[i]).min(alpha[j] - low(j));
        alpha[i] += step;
        alpha[j] -= step;
    }
    let quadratic: f64 =
        (0..n).map(|i| (0..n).map(|j| alpha[i] * alpha[j] * gram.entry(i, j)).sum::<f64>()).sum();
    0.5 * quadratic - alpha.iter().zip(y).map(|(a, y)| a * y).sum::<f64>()
}

#[test]
fn the_hinge_agrees_with_a_textbook_solver() {
    let table = random(30, 3, 5);
    let gram = gram("rbf(sigma=1)", &table);
    let y = targets(&Hinge, 30, 11);
    for c in [0.1, 1.0, 10.0] {
        let lambda = 1.0 / (c * 30.0);
        let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), lambda, true).unwrap();
        let dual = certify(&problem, &solve(&problem, both(1e-9, 1e-7))).dual;
        let expected = -lambda * textbook(&gram, &y, c);
        assert!((dual - expected).abs() <= 1e-8 * expected.abs(), "C = {c}: {dual} and {expected}");
    }
}

#[test]
fn two_points_have_the_closed_form() {
    // x = ±1, linear kernel: α̃ = min(C, ½) each, w = 2α̃.
    let table = table(&[vec![1.0, -1.0]]);
    let gram = gram("linear", &table);
    for (c, expected) in [(0.2, 0.2), (5.0, 0.5)] {
        let problem =
            Problem::new(&gram, &[1.0, -1.0], Objective::Risk(&Hinge), 1.0 / (2.0 * c), true).unwrap();
        let solution = solve(&problem, both(1e-12, 1e-12));
        assert!((solution.alpha[0] - expected).abs() < 1e-12 && solution.alpha[0] == -solution.alpha[1]);
        assert!(solution.bias.abs() < 1e-12);
    }
    let hard = Problem::new(&gram, &[1.0, -1.0], Objective::HardMargin, 1.0, true).unwrap();
    let solution = HardMargin::default().solve(&hard, None, &mut Run::quiet(both(1e-12, 1e-12))).unwrap();
    assert!((solution.alpha[0] - 0.5).abs() < 1e-14 && solution.bias.abs() < 1e-14);
}

#[test]
fn the_squared_loss_solves_the_linear_system() {
    let table = random(25, 2, 3);
    let gram = gram("rbf(sigma=0.7)", &table);
    let y = targets(&Squared, 25, 2);
    let lambda = 0.02;
    for offset in [false, true] {
        let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), lambda, offset).unwrap();
        let solution = solve(&problem, both(1e-12, 1e-9));
        for (i, y) in y.iter().enumerate() {
            let score: f64 = (0..25).map(|j| gram.entry(i, j) * solution.alpha[j]).sum();
            let left = score + lambda * 25.0 * solution.alpha[i] + solution.bias;
            assert!((left - y).abs() < 1e-8, "row {i}: {left} and {y}");
        }
        let sum: f64 = solution.alpha.iter().sum();
        assert!(!offset || sum.abs() < 1e-12);
    }
}

#[test]
fn odd_data_end_well() {
    let n = 30;
    let mut draw = Draw(9);
    let one: Vec<f64> = (0..n).map(|_| draw.uniform()).collect();
    let twice: Vec<f64> = (0..n).map(|i| one[i / 2]).collect();
    for column in [one.clone(), twice, vec![0.0; n]] {
        let table = table(&[column]);
        for kernel in ["linear", "rbf(sigma=0.2)"] {
            let gram = gram(kernel, &table);
            for loss in losses() {
                for constant in [false, true] {
                    let y = if constant { vec![1.0; n] } else { targets(&*loss, n, 4) };
                    let problem = Problem::new(&gram, &y, Objective::Risk(&*loss), 0.01, true).unwrap();
                    let solution = solve(&problem, Tolerance::default());
                    let certificate = certify(&problem, &solution);
                    let case = format!("{kernel} {loss:?} constant {constant}");
                    assert!(
                        certificate.gap <= 1e-6 * certificate.primal.max(1e-6),
                        "{case}: {certificate:?}"
                    );
                }
            }
        }
    }
    let single = table(&[vec![2.0]]);
    let gram = gram("linear", &single);
    let problem = Problem::new(&gram, &[1.0], Objective::Risk(&Hinge), 0.1, true).unwrap();
    let solution = solve(&problem, Tolerance::default());
    assert_eq!(solution.alpha, [0.0]);
    assert_eq!(certify(&problem, &solution).gap, 0.0);
}

#[test]
fn huge_c_ends() {
    let table = random(40, 2, 21);
    for kernel in ["linear", "rbf(sigma=1)", "rbf(sigma=0.05)"] {
        let gram = gram(kernel, &table);
        let y = targets(&Hinge, 40, 3);
        for loss in [&Hinge as &dyn Loss, &SquaredHinge] {
            let problem = Problem::new(&gram, &y, Objective::Risk(loss), 1.0 / (1e12 * 40.0), true).unwrap();
            let limits = Limits { iterations: Some(300_000), time: None };
            let mut run =
                Run::new(&mercer_solve::Silent, limits, Tolerance { gap: None, violation: Some(1e-3) });
            let solution = Smo::default().solve(&problem, None, &mut run).unwrap();
            assert!(solution.alpha.iter().all(|a| a.is_finite()), "{kernel} {loss:?}");
            let certificate = certify(&problem, &solution);
            if kernel == "rbf(sigma=0.05)" {
                assert_eq!(solution.status, Status::Solved, "{loss:?}");
                assert!(certificate.violation <= 1e-3, "{loss:?}: {}", certificate.violation);
            }
        }
    }
}

#[test]
fn a_kernel_that_is_not_psd_ends() {
    let table = random(40, 2, 8);
    let gram = gram("sigmoid(gamma=2, offset=-1)", &table);
    for loss in losses() {
        let y = targets(&*loss, 40, 3);
        let problem = Problem::new(&gram, &y, Objective::Risk(&*loss), 0.01, true).unwrap();
        let limits = Limits { iterations: Some(200_000), time: None };
        let mut run = Run::new(&mercer_solve::Silent, limits, Tolerance::default());
        match Smo::default().solve(&problem, None, &mut run) {
            Ok(solution) => assert!(solution.alpha.iter().all(|a| a.is_finite()), "{loss:?}"),
            Err(error) => assert!(matches!(error, SolveError::Numerical(_)), "{loss:?}: {error}"),
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits_and_little_memory_as_good_an_answer() {
    let table = random(1500, 3, 17);
    let gram = gram("rbf(sigma=0.4)", &table);
    let y = targets(&Hinge, 1500, 5);
    let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 1e-4, true).unwrap();
    let with = |threads: usize, bytes: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let solver = Smo { budget: Budget::of_bytes(bytes) };
        let asked = Tolerance { gap: None, violation: Some(1e-3) };
        pool.install(|| solver.solve(&problem, None, &mut Run::quiet(asked)).unwrap())
    };
    let one = with(1, 1 << 30);
    assert_eq!(one.status, Status::Solved);
    let other = with(2, 1 << 30);
    assert!(one.alpha == other.alpha && one.bias == other.bias, "other bits");
    // The square of all rows is not affordable, nor are rows kept.
    let (poor, other) = (with(1, 0), with(2, 0));
    assert!(poor.alpha == other.alpha && poor.bias == other.bias, "other bits");
    assert_eq!(poor.status, Status::Solved);
    assert!(certify(&problem, &poor).violation <= 1e-3);
    assert!(poor.entries > one.entries, "rows that are not kept are computed again");
}

#[test]
fn sets_whose_squares_are_computed_while_steps_are_made_give_the_same_bits_for_any_number_of_threads() {
    // Sets of 288 of all rows at first; and sets of 1440, since the square of all is not affordable.
    for (n, bytes) in [(1600, 1 << 30), (2600, 32 * 1440 * 1440)] {
        let table = random(n, 3, 17);
        let gram = gram("rbf(sigma=0.2)", &table);
        let y = targets(&Hinge, n, 5);
        let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 0.1 / n as f64, true).unwrap();
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let solver = Smo { budget: Budget::of_bytes(bytes) };
            let asked = Tolerance { gap: None, violation: Some(1e-3) };
            pool.install(|| solver.solve(&problem, None, &mut Run::quiet(asked)).unwrap())
        };
        let one = with(1);
        assert_eq!(one.status, Status::Solved);
        assert!(certify(&problem, &one).violation <= 1e-3);
        for threads in [2, 2, 3] {
            let other = with(threads);
            assert!(one.alpha == other.alpha && one.bias == other.bias, "{n}: other bits");
            assert_eq!((one.iterations, one.entries), (other.iterations, other.entries), "{n}");
        }
    }
}

#[test]
fn a_warm_start_takes_fewer_steps() {
    let table = random(200, 2, 2);
    let gram = gram("rbf(sigma=0.5)", &table);
    for loss in losses().iter().filter(|loss| !format!("{loss:?}").contains("Perceptron")) {
        let y = targets(&**loss, 200, 5);
        let at = |lambda: f64| Problem::new(&gram, &y, Objective::Risk(&**loss), lambda, true).unwrap();
        let first = solve(&at(0.01), Tolerance::default());
        let cold = solve(&at(0.009), Tolerance::default());
        let warm =
            Smo::default().solve(&at(0.009), Some(&first), &mut Run::quiet(Tolerance::default())).unwrap();
        assert!(warm.iterations < cold.iterations, "{loss:?}: {} and {}", warm.iterations, cold.iterations);
        assert!(certify(&at(0.009), &warm).relative_gap <= 1e-6, "{loss:?}");
    }
}

/// Stops after so many questions.
struct After(AtomicUsize);

impl Watch for After {
    fn stopped(&self) -> bool {
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn a_stop_comes_back_at_once_with_scores_that_fit() {
    let table = random(1500, 3, 30);
    let gram = gram("rbf(sigma=0.2)", &table);
    let y = targets(&Hinge, 1500, 5);
    let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 1e-6, true).unwrap();
    for questions in [0, 1, 4, 9, 20] {
        let watch = After(AtomicUsize::new(questions));
        let mut run = Run::new(&watch, Limits::default(), both(1e-9, 1e-9));
        let solution = Smo::default().solve(&problem, None, &mut run).unwrap();
        assert_eq!(solution.status, Status::Stopped, "{questions}");
        let scores = solution.scores.as_ref().unwrap();
        for i in (0..1500).step_by(100) {
            let score: f64 = (0..1500).map(|j| gram.entry(i, j) * solution.alpha[j]).sum();
            assert!((score - scores[i]).abs() < 1e-9, "{questions}: row {i}");
        }
        assert_eq!(certify(&problem, &solution).projected, None);
    }
    let limits = Limits { time: None, iterations: Some(100) };
    let mut run = Run::new(&mercer_solve::Silent, limits, Tolerance::default());
    let solution = Smo::default().solve(&problem, None, &mut run).unwrap();
    assert_eq!((solution.status, solution.iterations), (Status::IterationLimit, 100));
    let limits = Limits { time: Some(Duration::ZERO), iterations: None };
    let started = Instant::now();
    let mut run = Run::new(&mercer_solve::Silent, limits, Tolerance::default());
    let solution = Smo::default().solve(&problem, None, &mut run).unwrap();
    assert_eq!(solution.status, Status::TimeLimit);
    assert!(started.elapsed() < Duration::from_secs(1));
}

/// Remembers the dual values.
#[derive(Default)]
struct Log(std::sync::Mutex<Vec<Progress>>);

impl Watch for Log {
    fn report(&self, progress: &Progress) {
        self.0.lock().unwrap().push(*progress);
    }
}

#[test]
fn progress_rises_in_the_dual_and_stays_below_the_primal() {
    let table = random(1200, 3, 31);
    let gram = gram("rbf(sigma=0.3)", &table);
    let y = targets(&Hinge, 1200, 5);
    let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 1e-4, true).unwrap();
    let log = Log::default();
    let mut run = Run::new(&log, Limits::default(), Tolerance::default());
    Smo::default().solve(&problem, None, &mut run).unwrap();
    let seen = log.0.into_inner().unwrap();
    assert!(seen.len() > 3);
    assert!(seen.windows(2).all(|pair| pair[1].dual.unwrap() >= pair[0].dual.unwrap() - 1e-12));
    assert!(seen.iter().all(|p| p.primal.unwrap() >= p.dual.unwrap() - 1e-12));
}

#[test]
fn single_precision_is_repaired_before_success_is_claimed() {
    // More rows than are computed in f64 from the start; nearly parallel rows make f32 entries too coarse.
    let n = 4100;
    let table = random(n, 2, 40);
    let gram = gram("rbf(sigma=3)", &table);
    let y: Vec<f64> =
        targets(&Hinge, n, 6).iter().enumerate().map(|(i, v)| if i % 40 == 0 { *v } else { 1.0 }).collect();
    let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 1.0 / (100.0 * n as f64), true).unwrap();
    let solution = solve(&problem, Tolerance { gap: None, violation: Some(1e-4) });
    assert_eq!(solution.status, Status::Solved);
    let certificate = certify(&problem, &solution);
    assert!(certificate.violation <= 1e-4, "{}", certificate.violation);
}

#[test]
fn nu_problems_are_certified_and_agree_in_level_and_offset() {
    let n = 60;
    let table = random(n, 2, 50);
    let gram = gram("rbf(sigma=0.5)", &table);
    let labels = targets(&Hinge, n, 1);
    let numbers = targets(&Squared, n, 1);
    let weights: Vec<f64> = (0..n).map(|i| [1.0, 0.0, 2.0][i % 3]).collect();
    let solvers: [&dyn Solver; 3] = [&NuSvc::default(), &NuSvr::default(), &OneClass::default()];
    for nu in [0.1, 0.3, 0.6] {
        let objectives = [
            (Objective::NuClassification { nu }, &labels),
            (Objective::NuRegression { nu }, &numbers),
            (Objective::OneClass { nu }, &numbers),
        ];
        for (solver, (objective, y)) in solvers.iter().zip(objectives) {
            for weighted in [false, true] {
                let problem = Problem::new(&gram, y, objective, 0.05, true).unwrap();
                let problem = if weighted { problem.weighted(&weights).unwrap() } else { problem };
                let solution = solver.solve(&problem, None, &mut Run::quiet(both(1e-7, 1e-6))).unwrap();
                let certificate = certify(&problem, &solution);
                let case = format!("{} nu {nu} weighted {weighted}", solver.name());
                assert_eq!(solution.status, Status::Solved, "{case}");
                assert!(certificate.relative_gap <= 1e-7, "{case}: gap {}", certificate.relative_gap);
                assert!(certificate.violation <= 1e-6, "{case}: {}", certificate.violation);
                assert!((certificate.offset - solution.bias).abs() < 1e-9, "{case}");
                assert!((certificate.level.unwrap() - solution.level.unwrap()).abs() < 1e-9, "{case}");
                if !weighted {
                    // ν bounds the fraction of support rows from below and that of rows outside from above.
                    assert!(certificate.support as f64 >= nu * n as f64 - 1e-9, "{case}");
                    let outside = certificate.rows.iter().filter(|row| row.slack > 1e-4).count();
                    assert!(outside as f64 <= nu * n as f64 + 1e-9, "{case}: {outside}");
                }
            }
        }
    }
}

#[test]
fn nu_beyond_the_class_sizes_is_refused_with_the_largest_possible() {
    let table = random(10, 1, 1);
    let gram = gram("linear", &table);
    let mut y = vec![1.0; 10];
    y[0] = -1.0;
    let problem = Problem::new(&gram, &y, Objective::NuClassification { nu: 0.5 }, 1.0, true).unwrap();
    match NuSvc::default().solve(&problem, None, &mut Run::quiet(Tolerance::default())) {
        Err(SolveError::Parameter { name, range, .. }) => {
            assert_eq!(name, "nu");
            assert!(range.contains("0.2"), "{range}");
        }
        other => panic!("{other:?}"),
    }
    let allowed = Problem::new(&gram, &y, Objective::NuClassification { nu: 0.2 }, 1.0, true).unwrap();
    let solution = NuSvc::default().solve(&allowed, None, &mut Run::quiet(Tolerance::default())).unwrap();
    assert!(certify(&allowed, &solution).relative_gap <= 1e-6);
}

fn rings(n: usize) -> (Table, Vec<f64>) {
    let angle = |i: usize| 2.0 * std::f64::consts::PI * i as f64 / 13.7;
    let radius = |i: usize| if i.is_multiple_of(2) { 1.0 } else { 2.0 };
    let columns = [
        (0..n).map(|i| radius(i) * angle(i).cos()).collect(),
        (0..n).map(|i| radius(i) * angle(i).sin()).collect(),
    ];
    (table(&columns), (0..n).map(|i| if i.is_multiple_of(2) { 1.0 } else { -1.0 }).collect())
}

#[test]
fn rings_are_separated_by_a_quadratic_and_proved_inseparable_by_a_line() {
    let (table, y) = rings(60);
    let line = gram("linear", &table);
    let problem = Problem::new(&line, &y, Objective::HardMargin, 1.0, true).unwrap();
    let run = &mut Run::quiet(Tolerance::default());
    let Err(SolveError::NotSeparable(point)) = HardMargin::default().solve(&problem, None, run) else {
        panic!("a line does not separate rings")
    };
    for side in [1.0, -1.0] {
        let sum: f64 = point.rows.iter().filter(|row| row.1 == side).map(|row| row.2).sum();
        assert!((sum - 0.5).abs() < 1e-12, "{sum}");
    }
    assert!(point.rows.iter().all(|&(row, side, weight)| y[row] == side && weight > 0.0));
    // The same point from both sides, by the coordinates themselves.
    for column in table.columns() {
        let ColumnData::Numbers(x) = &column.data else { panic!() };
        let difference: f64 = point.rows.iter().map(|&(row, side, weight)| side * weight * x[row]).sum();
        assert!(difference.abs() < 1e-4, "{difference}");
    }
    assert!(point.distance <= 1e-10 * point.scale);
    let curve = gram("poly(degree=2)", &table);
    let problem = Problem::new(&curve, &y, Objective::HardMargin, 1.0, true).unwrap();
    let solution = HardMargin::default().solve(&problem, None, &mut Run::quiet(both(1e-6, 1e-4))).unwrap();
    let certificate = certify(&problem, &solution);
    assert!(certificate.relative_gap <= 1e-6, "{}", certificate.relative_gap);
    assert!(certificate.violation <= 1e-4, "{}", certificate.violation);
    assert!((certificate.offset - solution.bias).abs() < 1e-9);
}

#[test]
fn a_hard_margin_of_one_class_is_its_label() {
    let table = random(5, 2, 1);
    let gram = gram("linear", &table);
    let problem = Problem::new(&gram, &[-1.0; 5], Objective::HardMargin, 1.0, true).unwrap();
    let solution =
        HardMargin::default().solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
    assert_eq!((solution.bias, solution.support()), (-1.0, 0));
    assert_eq!(certify(&problem, &solution).gap, 0.0);
    let without = Problem::new(&gram, &[-1.0; 5], Objective::HardMargin, 1.0, false).unwrap();
    let refused = HardMargin::default().solve(&without, None, &mut Run::quiet(Tolerance::default()));
    assert!(matches!(refused, Err(SolveError::Unsuited { .. })));
}

#[test]
fn the_norm_itself_as_penalty() {
    let n = 40;
    let table = random(n, 2, 60);
    let gram = gram("rbf(sigma=0.5)", &table);
    for loss in losses() {
        let y = targets(&*loss, n, 7);
        for offset in [false, true] {
            for lambda in [0.01, 0.1, 10.0] {
                let problem = Problem::new(&gram, &y, Objective::Risk(&*loss), lambda, offset).unwrap();
                let problem = problem.penalized(Penalty::Norm);
                let solver = Norm { inner: &Smo::default() };
                let solution = solver.solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
                let certificate = certify(&problem, &solution);
                let case = format!("{loss:?} offset {offset} lambda {lambda}");
                assert_eq!(solution.status, Status::Solved, "{case}");
                assert!(certificate.relative_gap <= 1e-6, "{case}: gap {}", certificate.relative_gap);
                assert!(lambda < 10.0 || certificate.norm <= 1e-6, "{case}: {}", certificate.norm);
            }
        }
    }
}

#[test]
fn what_is_solved_elsewhere_is_refused_by_name() {
    let table = random(6, 1, 1);
    let gram = gram("linear", &table);
    let y = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0];
    let refusal = |solver: &dyn Solver, problem: Problem<'_>| match solver.solve(
        &problem,
        None,
        &mut Run::quiet(Tolerance::default()),
    ) {
        Err(SolveError::Unsuited { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    let risk = |loss| Problem::new(&gram, &y, Objective::Risk(loss), 1.0, true).unwrap();
    assert!(refusal(&Smo::default(), risk(&Logistic)).contains("newton"));
    assert!(refusal(&Smo::default(), risk(&Hinge).penalized(Penalty::Norm)).contains("norm"));
    assert!(refusal(&NuSvc::default(), risk(&Hinge)).contains("smo"));
    assert!(refusal(&OneClass::default(), risk(&Hinge)).contains("smo"));
    let hard = Problem::new(&gram, &y, Objective::HardMargin, 1.0, true).unwrap();
    assert!(refusal(&Smo::default(), hard).contains("hard-margin"));
    let solution = solve(&risk(&Hinge), Tolerance::default());
    assert_eq!(certify(&risk(&Hinge), &solution).convexity, Convexity::Assumed);
}

#[test]
fn a_hard_margin_that_is_small_beside_the_rows_is_found() {
    // Far from the origin, and with classes that are a millionth of the rows' extent apart.
    for (shift, apart) in [(1e5, 1.0), (0.0, 1e-5)] {
        let row =
            |i: usize| [shift + if i.is_multiple_of(2) { apart } else { -apart }, (i as f64 * 0.37).sin()];
        let features = Features::new(40, 2, (0..40).flat_map(row).collect()).unwrap();
        let y: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let problem = Problem::new(&features, &y, Objective::HardMargin, 1.0, true).unwrap();
        let limits = Limits { iterations: Some(100_000), ..Limits::default() };
        let run = &mut Run::new(&Silent, limits, Tolerance::default());
        let solution = HardMargin::default().solve(&problem, None, run).unwrap();
        let margin = 1.0 / certify(&problem, &solution).norm;
        assert!((margin / apart - 1.0).abs() < 1e-2, "{margin} and {apart}");
    }
}

#[test]
fn rows_at_their_bound_are_told_under_the_norm_penalty_too() {
    let table = random(60, 2, 5);
    let y = targets(&Hinge, 60, 6);
    let gram = gram("rbf(sigma=0.7)", &table);
    let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 0.02, true).unwrap();
    let problem = problem.penalized(Penalty::Norm);
    let run = &mut Run::quiet(Tolerance::default());
    let solution = Norm { inner: &Smo::default() }.solve(&problem, None, run).unwrap();
    let certificate = certify(&problem, &solution);
    assert!(certificate.relative_gap <= 1e-6 && certificate.violation < 1e-2, "{}", certificate.violation);
    assert!(certificate.bound > 0, "the labels are random");
}

#[test]
fn rounding_does_not_refute_a_kernel() {
    let row = |i: usize| [1e8 + (i as f64).sin(), 1e8 + (1.7 * i as f64).cos()];
    let features = Features::new(30, 2, (0..30).flat_map(row).collect()).unwrap();
    let y: Vec<f64> = (0..30).map(|i| if i < 15 { 1.0 } else { -1.0 }).collect();
    let problem = Problem::new(&features, &y, Objective::Risk(&Hinge), 0.01, true).unwrap();
    let limits = Limits { iterations: Some(10_000), ..Limits::default() };
    let run = &mut Run::new(&Silent, limits, Tolerance::default());
    let solution = Smo::default().solve(&problem, None, run).unwrap();
    assert_eq!(certify(&problem, &solution).convexity, Convexity::Assumed);
}

#[test]
fn an_early_end_hands_back_scores_of_its_own_coefficients() {
    let n = 6500;
    let table = random(n, 2, 29);
    let gram = gram("rbf(sigma=0.3)", &table);
    let y = targets(&Hinge, n, 5);
    let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 1e-4, true).unwrap();
    let asked = Tolerance { gap: None, violation: Some(1e-3) };
    let mut ended_early = 0;
    for iterations in [500, 2000, 3000, 4000, 5000, 6000, 9000, 15_000] {
        let limits = Limits { iterations: Some(iterations), time: None };
        let solution = Smo::default()
            .solve(&problem, None, &mut Run::new(&mercer_solve::Silent, limits, asked))
            .unwrap();
        ended_early += usize::from(solution.status == Status::IterationLimit);
        let exact = gram.products(&solution.alpha, &|_, _| false).unwrap();
        let scores = solution.scores.as_ref().expect("the solver keeps scores");
        let worst = scores.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst <= 1e-3, "{iterations} iterations: {worst:e}");
    }
    assert!(ended_early >= 3);
}

#[test]
fn an_early_end_hands_back_scores_of_rows_with_two_variables() {
    // Sets of some 1000 of 3400 variables: those of a row may both be in one, or one of them, or none.
    let n = 1700;
    let table = random(n, 3, 41);
    let gram = gram("rbf(sigma=0.4)", &table);
    let loss = EpsilonInsensitive { epsilon: 0.05 };
    let y = targets(&loss, n, 3);
    let problem = Problem::new(&gram, &y, Objective::Risk(&loss), 1e-3 / n as f64, true).unwrap();
    let (solver, mut ended_early) = (Smo { budget: Budget::of_bytes(32 * 1008 * 1008) }, 0);
    for iterations in [300, 1500, 3000, 6000, 12_000] {
        let limits = Limits { iterations: Some(iterations), time: None };
        let mut run = Run::new(&Silent, limits, Tolerance { gap: None, violation: Some(1e-3) });
        let solution = solver.solve(&problem, None, &mut run).unwrap();
        ended_early += usize::from(solution.status == Status::IterationLimit);
        let exact = gram.products(&solution.alpha, &|_, _| false).unwrap();
        let scores = solution.scores.as_ref().expect("the solver keeps scores");
        let worst = scores.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let size = exact.iter().fold(0.0, |size: f64, score| size.max(score.abs()));
        assert!(worst <= 2e-3 * size, "{iterations} iterations: {worst:e} of {size}");
    }
    assert!(ended_early >= 3, "{ended_early}");
}
