//! Edges: extreme λ, duplicates, constants, kernels that are not psd, stops and budgets.

use super::*;
use mercer_gram::Sub;
use mercer_linalg::Budget;
use mercer_solve::loss::{EpsilonInsensitive, Hinge, Huber, Logistic, Loss, Pinball, Squared, SquaredHinge};
use mercer_solve::solvers::*;
use mercer_solve::{Features, Limits, Objective, Penalty, SolveError, Status, Watch};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A solver and losses that it solves.
type Suited = (Box<dyn Solver>, Vec<Box<dyn Loss>>);

fn everyone() -> Vec<Suited> {
    vec![
        (Box::new(Cholesky::default()), vec![Box::new(Squared)]),
        (Box::new(Eigen::default()), vec![Box::new(Squared)]),
        (Box::new(ConjugateGradients::default()), vec![Box::new(Squared)]),
        (Box::new(ConjugateGradients { preconditioner_rank: 0 }), vec![Box::new(Squared)]),
        (Box::new(LsSvm::default()), vec![Box::new(Squared)]),
        (
            Box::new(Newton::default()),
            vec![
                Box::new(Squared),
                Box::new(Logistic),
                Box::new(SquaredHinge),
                Box::new(Huber { delta: 0.5 }),
            ],
        ),
        (
            Box::new(Qp::default()),
            vec![
                Box::new(Hinge),
                Box::new(SquaredHinge),
                Box::new(Squared),
                Box::new(EpsilonInsensitive { epsilon: 0.1 }),
                Box::new(Pinball { tau: 0.3 }),
            ],
        ),
        (Box::new(PrimalQp::default()), vec![Box::new(Hinge)]),
    ]
}

/// Solves by everyone; answers must be numbers, errors must be words, nothing may panic.
fn survive(gram: &dyn Gram, y: &[f64], lambda: f64, wanted: Option<f64>) {
    for (solver, losses) in everyone() {
        for loss in &losses {
            for offset in [false, true] {
                let what = format!("{} {loss:?} {offset} lambda {lambda}", solver.name());
                let problem = Problem::new(gram, y, Objective::Risk(&**loss), lambda, offset).unwrap();
                match solver.solve(&problem, None, &mut Run::quiet(tight(1e-6))) {
                    Ok(solution) => {
                        assert_eq!(solution.alpha.len(), y.len());
                        assert!(solution.alpha.iter().all(|a| a.is_finite()), "{what}");
                        assert!(solution.bias.is_finite(), "{what}");
                        let certificate = certify(&problem, &solution);
                        assert!(!certificate.gap.is_nan(), "{what}");
                        let gap = certificate.relative_gap;
                        assert!(
                            wanted.is_none_or(|wanted| gap <= wanted),
                            "{what}: {gap} {:?}",
                            solution.status
                        );
                    }
                    Err(SolveError::Unsuited { .. } | SolveError::Unbounded(_)) => {}
                    Err(error) => assert!(wanted.is_none(), "{what}: {error}"),
                }
            }
        }
    }
}

#[test]
fn lambda_from_end_to_end() {
    let (table, y) = data("@moons(n=40)");
    let gram = gram(&table, "rbf(sigma=0.5)");
    for lambda in [1e3, 1e8] {
        survive(&gram, &y, lambda, Some(1e-6));
    }
    for lambda in [f64::MIN_POSITIVE, 1e-100, 1e-12, 1e-9, 1e50, 1e200, 1e306, f64::MAX] {
        survive(&gram, &y, lambda, None);
    }
}

#[test]
fn duplicates_and_more_columns_than_rows() {
    let (table, y) = data("@moons(n=12)");
    let gram = gram(&table, "rbf(sigma=0.5)");
    let rows: Vec<usize> = (0..36).map(|k| k % 12).collect();
    let labels: Vec<f64> = rows.iter().map(|&i| y[i]).collect();
    let sub = Sub::new(&gram, rows.clone());
    survive(&sub, &labels, 0.01, Some(1e-6));
    // The same rows with labels that contradict each other.
    let split: Vec<f64> = (0..36).map(|k| if k < 18 { 1.0 } else { -1.0 }).collect();
    survive(&sub, &split, 0.01, Some(1e-6));
    let values = (0..6 * 40).map(|k| ((k * k) as f64).sin()).collect();
    survive(&Features::new(6, 40, values).unwrap(), &y[..6], 1e-3, Some(1e-6));
}

#[test]
fn constants_of_every_kind() {
    let (table, _) = data("@moons(n=20)");
    let gram = gram(&table, "rbf(sigma=0.5)");
    survive(&gram, &[1.0; 20], 0.01, Some(1e-6));
    survive(&gram, &[-1.0; 20], 0.01, Some(1e-6));
    let (_, y) = data("@moons(n=20)");
    survive(&Features::new(20, 1, vec![1.0; 20]).unwrap(), &y, 0.01, Some(1e-6));
    survive(&Features::new(20, 1, vec![0.0; 20]).unwrap(), &y, 0.01, Some(1e-6));
    survive(&Features::new(1, 1, vec![2.0]).unwrap(), &[1.0], 0.5, Some(1e-6));
    survive(&Features::new(2, 1, vec![1e-160, -1e-160]).unwrap(), &[1.0, -1.0], 0.5, None);
    survive(&Features::new(2, 1, vec![1e150, -1e150]).unwrap(), &[1.0, -1.0], 0.5, None);
}

#[test]
fn targets_far_from_one() {
    let (table, y) = data("@sinc(n=30)");
    let gram = gram(&table, "rbf(sigma=0.5)");
    for factor in [1e-9, 1e9] {
        let y: Vec<f64> = y.iter().map(|y| y * factor + factor).collect();
        for (solver, losses) in everyone().into_iter().filter(|(solver, _)| solver.name() != "primal") {
            for loss in losses.iter().filter(|loss| loss.target() == mercer_solve::loss::Target::Numbers) {
                let problem = Problem::new(&gram, &y, Objective::Risk(&**loss), 0.01, true).unwrap();
                if let Ok(solution) = solver.solve(&problem, None, &mut Run::quiet(tight(1e-6))) {
                    let certificate = certify(&problem, &solution);
                    // Epsilon and delta do not scale with y, so that only the squared loss is the same problem.
                    let squared = loss.domain(0.0).1 == f64::INFINITY;
                    assert!(solution.alpha.iter().all(|a| a.is_finite()));
                    let gap = certificate.relative_gap;
                    assert!(!squared || gap < 1e-5, "{} {loss:?} {factor}: {gap}", solver.name());
                }
            }
        }
    }
}

#[test]
fn a_kernel_that_is_not_psd_is_told() {
    // −1 on the diagonal.
    #[derive(Debug)]
    struct Negative;
    impl Gram for Negative {
        fn len(&self) -> usize {
            3
        }
        fn entry(&self, i: usize, j: usize) -> f64 {
            if i == j { -1.0 } else { 0.5 }
        }
        fn diagonal(&self, out: &mut [f64]) {
            out.fill(-1.0);
        }
        fn rows_single(&self, rows: &[usize], out: &mut [f32]) {
            for (k, &i) in rows.iter().enumerate() {
                (0..3).for_each(|j| out[3 * k + j] = self.entry(i, j) as f32);
            }
        }
        fn rows_double(&self, rows: &[usize], out: &mut [f64]) {
            for (k, &i) in rows.iter().enumerate() {
                (0..3).for_each(|j| out[3 * k + j] = self.entry(i, j));
            }
        }
        fn apply(&self, _: &[f64], _: &mut [f64]) {}
    }
    let y = [1.0, -1.0, 1.0];
    let problem = Problem::new(&Negative, &y, Objective::Risk(&Squared), 0.01, false).unwrap();
    let error = Cholesky::default().solve(&problem, None, &mut Run::quiet(tight(1e-6))).unwrap_err();
    assert!(error.to_string().contains("pivot 1 is -9.7e-1"), "{error}");
    let error = Eigen::default().solve(&problem, None, &mut Run::quiet(tight(1e-6))).unwrap_err();
    assert!(error.to_string().contains("eigenvalue"), "{error}");
    survive(&Negative, &y, 0.01, None);
}

struct Stop;
impl Watch for Stop {
    fn stopped(&self) -> bool {
        true
    }
}

#[test]
fn a_stop_is_honoured_at_once() {
    let (table, y) = data("@heart");
    let gram = gram(&table, "rbf(sigma=3)");
    for (solver, losses) in everyone() {
        let problem = Problem::new(&gram, &y, Objective::Risk(&*losses[0]), 0.01, true).unwrap();
        let mut run = Run::new(&Stop, Limits::default(), tight(1e-6));
        let solution = solver.solve(&problem, None, &mut run).unwrap();
        assert_eq!(solution.status, Status::Stopped, "{}", solver.name());
        assert_eq!(solution.alpha.len(), y.len());
        assert!(solution.alpha.iter().all(|a| a.is_finite()) && solution.scores.is_some());
    }
}

#[test]
fn a_stop_at_any_moment_leaves_an_answer() {
    struct After(AtomicUsize);
    impl Watch for After {
        fn stopped(&self) -> bool {
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
        }
    }
    let (table, y) = data("@moons(n=60)");
    let gram = gram(&table, "rbf(sigma=0.5)");
    for (solver, losses) in everyone() {
        for after in [1, 3, 8, 12, 20, 50] {
            let problem = Problem::new(&gram, &y, Objective::Risk(&*losses[0]), 1e-4, true).unwrap();
            let watch = After(AtomicUsize::new(after));
            let mut run = Run::new(&watch, Limits::default(), tight(1e-6));
            let solution = solver.solve(&problem, None, &mut run).unwrap();
            assert!(matches!(solution.status, Status::Stopped | Status::Solved), "{}", solver.name());
            assert!(solution.alpha.len() == 60 && solution.alpha.iter().all(|a| a.is_finite()));
            assert!(!certify(&problem, &solution).gap.is_nan());
        }
    }
}

#[test]
fn a_time_limit_ends_long_work_soon() {
    let (table, y) = data("@moons(n=1500)");
    let gram = gram(&table, "rbf(sigma=0.5)");
    let limits = Limits { time: Some(Duration::from_millis(150)), iterations: None };
    let solvers: [(&dyn Solver, &dyn Loss); 4] = [
        (&Eigen::default(), &Squared),
        (&Qp::default(), &Hinge),
        (&Newton::default(), &Logistic),
        (&ConjugateGradients { preconditioner_rank: 0 }, &Squared),
    ];
    for (solver, loss) in solvers {
        let problem = Problem::new(&gram, &y, Objective::Risk(loss), 1e-9, true).unwrap();
        let since = Instant::now();
        let solution =
            solver.solve(&problem, None, &mut Run::new(&mercer_solve::Silent, limits, tight(1e-14))).unwrap();
        // A machine that is busy with other tests is given ten times what is promised.
        assert!(since.elapsed() < Duration::from_millis(1500), "{}: {:?}", solver.name(), since.elapsed());
        assert_eq!(solution.status, Status::TimeLimit, "{}", solver.name());
        assert_eq!(solution.alpha.len(), 1500);
    }
}

#[test]
fn iterations_are_limited() {
    let (table, y) = data("@heart");
    let gram = gram(&table, "rbf(sigma=3)");
    let limits = Limits { time: None, iterations: Some(2) };
    let cg = ConjugateGradients { preconditioner_rank: 0 };
    let solvers: [(&dyn Solver, &dyn Loss); 3] =
        [(&cg, &Squared), (&Newton::default(), &Logistic), (&Qp::default(), &Hinge)];
    for (solver, loss) in solvers {
        let problem = Problem::new(&gram, &y, Objective::Risk(loss), 1e-6, true).unwrap();
        let mut run = Run::new(&mercer_solve::Silent, limits, tight(1e-12));
        let solution = solver.solve(&problem, None, &mut run).unwrap();
        assert_eq!((solution.status, solution.iterations), (Status::IterationLimit, 2), "{}", solver.name());
        // Better than nothing; two iterations of an interior-point method are not.
        let zero = run.solution(vec![0.0; y.len()], 0.0, Status::Stopped, 0);
        let (ours, nothing) = (certify(&problem, &solution), certify(&problem, &zero));
        let better = ours.primal < nothing.primal || ours.gap < nothing.gap;
        assert!(better || solver.name() == "qp" && ours.gap <= nothing.gap, "{}", solver.name());
    }
}

#[test]
fn the_budget_is_asked_first_and_the_norm_refused() {
    let (table, y) = data("@moons(n=50)");
    let gram = gram(&table, "rbf");
    let budget = Budget::of_bytes(50 * 50 * 8 - 1);
    let solvers: Vec<(Box<dyn Solver>, &dyn Loss, &str)> = vec![
        (Box::new(Cholesky { budget }), &Squared, "cg"),
        (Box::new(Eigen { budget }), &Squared, "cholesky"),
        (Box::new(LsSvm { budget }), &Squared, "cg"),
        (Box::new(Newton { budget }), &Logistic, "memory"),
        (Box::new(Qp { budget }), &Hinge, "smo"),
        (Box::new(PrimalQp { budget }), &Hinge, "smo"),
    ];
    for (solver, loss, instead) in &solvers {
        let problem = Problem::new(&gram, &y, Objective::Risk(*loss), 0.1, true).unwrap();
        let error = solver.solve(&problem, None, &mut Run::quiet(tight(1e-6))).unwrap_err();
        assert!(matches!(error, SolveError::OverBudget { rows: 50, .. }), "{error}");
        assert!(error.to_string().contains(instead), "{error}");
        let problem = problem.penalized(Penalty::Norm);
        let error = solver.solve(&problem, None, &mut Run::quiet(tight(1e-6))).unwrap_err();
        assert!(matches!(error, SolveError::Unsuited { .. }), "{error}");
    }
    let large = Features::new(2001, 1, vec![1.0; 2001]).unwrap();
    let labels: Vec<f64> = (0..2001).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let problem = Problem::new(&large, &labels, Objective::Risk(&Hinge), 0.1, true).unwrap();
    let error = Qp::default().solve(&problem, None, &mut Run::quiet(tight(1e-6))).unwrap_err();
    assert!(error.to_string().contains("at most 2000 rows, not 2001; choose smo"), "{error}");
    let features = Features::new(3, 1, vec![1.0; 3]).unwrap();
    let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), 0.1, true).unwrap();
    let wrong = RidgePrimal { features: &features, budget: Default::default() }.solve(
        &problem,
        None,
        &mut Run::quiet(tight(1e-6)),
    );
    assert!(matches!(wrong, Err(SolveError::Shape { .. })));
}

#[test]
fn ridge_on_features_asks_the_budget() {
    let features = Features::new(100, 60, vec![0.5; 6000]).unwrap();
    let y = vec![1.0; 100];
    let problem = Problem::new(&features, &y, Objective::Risk(&Squared), 0.1, false).unwrap();
    let budget = Budget::of_bytes(1000);
    let solvers: [&dyn Solver; 2] =
        [&RidgePrimal { features: &features, budget }, &RidgeDual { features: &features, budget }];
    for solver in solvers {
        let refused = solver.solve(&problem, None, &mut Run::quiet(tight(1e-6)));
        assert!(matches!(refused, Err(SolveError::OverBudget { .. })), "{}", solver.name());
    }
}
