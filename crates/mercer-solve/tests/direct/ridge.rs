//! Every solver of the squared loss.

use super::*;
use mercer_gram::Sub;
use mercer_linalg::Budget;
use mercer_solve::loss::Squared;
use mercer_solve::solvers::*;
use mercer_solve::{Features, Objective, SolveError, Status};

fn features(n: usize, d: usize) -> (Features, Vec<f64>) {
    let value = |k: usize| ((k * k) as f64 * 0.37 + k as f64 * 1.3).sin();
    let features = Features::new(n, d, (0..n * d).map(value).collect()).unwrap();
    let y = (0..n).map(|i| 3.0 + features.row(i).iter().sum::<f64>() + value(i + 77)).collect();
    (features, y)
}

#[test]
fn five_routes_to_one_answer() {
    for (n, d) in [(40, 5), (7, 12), (1, 1), (2, 3)] {
        let (x, y) = features(n, d);
        for offset in [false, true] {
            for lambda in [1e-3, 0.1, 10.0] {
                let problem = Problem::new(&x, &y, Objective::Risk(&Squared), lambda, offset).unwrap();
                let (alpha, bias) = textbook_ridge(&problem);
                let primal = RidgePrimal { features: &x, budget: Default::default() };
                let dual = RidgeDual { features: &x, budget: Default::default() };
                let cg = ConjugateGradients { preconditioner_rank: 3 };
                let solvers: [&dyn Solver; 5] =
                    [&Cholesky::default(), &Eigen::default(), &cg, &primal, &dual];
                for solver in solvers {
                    let (solution, certificate) = solved(solver, &problem, 1e-22);
                    let name = solver.name();
                    let off = apart(&solution.alpha, &alpha);
                    assert!(off < 1e-8, "{name} {n}x{d} {offset} {lambda}: {off} {:?}", solution.status);
                    assert!((solution.bias - bias).abs() < 1e-8, "{name}: {} {bias}", solution.bias);
                    assert!(certificate.relative_gap < 1e-10, "{name}: {}", certificate.relative_gap);
                    assert!((certificate.offset - bias).abs() < 1e-8);
                    assert_eq!(certificate.projected, None, "{name}");
                    if let Some(weights) = &solution.weights {
                        assert!(apart(weights, &x.weights(&alpha)) < 1e-8, "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn kernels_on_real_data() {
    for (name, kernel) in
        [("@sinc(n=120)", "rbf(sigma=0.7)"), ("@yacht", "rbf(sigma=2)"), ("@heart", "laplacian")]
    {
        let (table, y) = data(name);
        let gram = gram(&table, kernel);
        for offset in [false, true] {
            let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), 1e-4, offset).unwrap();
            let (alpha, bias) = textbook_ridge(&problem);
            let size = alpha.iter().fold(1.0, |a: f64, b| a.max(b.abs()));
            let solvers: [&dyn Solver; 3] =
                [&Cholesky::default(), &Eigen::default(), &ConjugateGradients::default()];
            for solver in solvers {
                let (solution, certificate) = solved(solver, &problem, 1e-20);
                let off = apart(&solution.alpha, &alpha);
                assert!(off < 1e-8 * size, "{} {name}: {off}", solver.name());
                assert!((solution.bias - bias).abs() < 1e-8 * size);
                assert!(certificate.relative_gap < 1e-10, "{} {}", solver.name(), certificate.relative_gap);
            }
        }
    }
}

#[test]
fn conjugate_gradients_reach_what_was_asked_whatever_the_preconditioner() {
    let (table, y) = data("@heart");
    let gram = gram(&table, "rbf(sigma=3)");
    for (rank, lambda) in [(0, 1e-1), (0, 1e-4), (30, 1e-4), (30, 1e-7), (1000, 1e-7)] {
        let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), lambda, true).unwrap();
        let cg = ConjugateGradients { preconditioner_rank: rank };
        let (solution, certificate) = solved(&cg, &problem, 1e-8);
        assert_eq!(solution.status, Status::Solved, "{rank} {lambda} after {}", solution.iterations);
        assert!(certificate.relative_gap <= 1.1e-8, "{rank} {lambda}: {}", certificate.relative_gap);
        assert!(solution.entries > 0 && !solution.trace.is_empty());
    }
}

#[test]
fn a_good_preconditioner_saves_iterations() {
    let (table, y) = data("@sinc(n=300)");
    let gram = gram(&table, "rbf(sigma=1)");
    let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), 1e-5, false).unwrap();
    let with = |rank| solved(&ConjugateGradients { preconditioner_rank: rank }, &problem, 1e-8).0.iterations;
    let (plain, preconditioned) = (with(0), with(60));
    assert!(preconditioned * 5 < plain, "{preconditioned} against {plain}");
}

#[test]
fn weights_are_repetitions_and_zero_weights_absence() {
    let (table, y) = data("@sinc(n=30)");
    let gram = gram(&table, "rbf(sigma=1)");
    let weights: Vec<f64> = (0..30).map(|i| [1.0, 2.0, 0.0, 3.0, 1.0][i % 5]).collect();
    let repeated: Vec<usize> = (0..30).flat_map(|i| vec![i; weights[i] as usize]).collect();
    let sub = Sub::new(&gram, repeated.clone());
    let targets: Vec<f64> = repeated.iter().map(|&i| y[i]).collect();
    let lambda = 0.01;
    for offset in [false, true] {
        let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), lambda, offset).unwrap();
        let problem = problem.weighted(&weights).unwrap();
        // The sum has the factor 1/n with another n.
        let other = lambda * 30.0 / repeated.len() as f64;
        let long = Problem::new(&sub, &targets, Objective::Risk(&Squared), other, offset).unwrap();
        let solvers: [&dyn Solver; 4] =
            [&Cholesky::default(), &ConjugateGradients::default(), &Newton::default(), &Qp::default()];
        for solver in solvers {
            let (short, certificate) = solved(solver, &problem, 1e-14);
            let (long, _) = solved(solver, &long, 1e-14);
            let mut sums = vec![0.0; 30];
            repeated.iter().zip(&long.alpha).for_each(|(&i, a)| sums[i] += a);
            let off = apart(&short.alpha, &sums);
            assert!(off < 1e-6, "{} {offset}: {off}", solver.name());
            assert!((short.bias - long.bias).abs() < 1e-6);
            assert!((0..30).all(|i| weights[i] > 0.0 || short.alpha[i] == 0.0), "{}", solver.name());
            assert!(certificate.relative_gap < 1e-9, "{} {}", solver.name(), certificate.relative_gap);
        }
    }
}

#[test]
fn weighted_ridge_on_features() {
    let (x, y) = features(25, 4);
    let weights: Vec<f64> = (0..25).map(|i| (i % 4) as f64 * 0.7).collect();
    for offset in [false, true] {
        let problem = Problem::new(&x, &y, Objective::Risk(&Squared), 0.05, offset).unwrap();
        let problem = problem.weighted(&weights).unwrap();
        let (alpha, bias) = textbook_ridge(&problem);
        let solvers: [&dyn Solver; 2] = [
            &RidgePrimal { features: &x, budget: Default::default() },
            &RidgeDual { features: &x, budget: Default::default() },
        ];
        for solver in solvers {
            let (solution, _) = solved(solver, &problem, 1e-12);
            assert!(apart(&solution.alpha, &alpha) < 1e-8 && (solution.bias - bias).abs() < 1e-8);
            assert!(apart(solution.weights.as_ref().unwrap(), &x.weights(&alpha)) < 1e-8);
        }
    }
}

#[test]
fn leave_one_out_is_what_refitting_gives() {
    let (table, y) = data("@sinc(n=25)");
    let gram = gram(&table, "rbf(sigma=1)");
    let ridge = EigenRidge::new(&gram, Budget::default()).unwrap();
    let (n, lambda) = (25, 0.003);
    let plain = ridge.leave_one_out(&y, lambda).unwrap();
    let with_offset = ridge.leave_one_out_with_offset(&y, lambda).unwrap();
    for (offset, found) in [(false, plain), (true, with_offset)] {
        for out in 0..n {
            let rows: Vec<usize> = (0..n).filter(|&i| i != out).collect();
            let sub = Sub::new(&gram, rows.clone());
            let targets: Vec<f64> = rows.iter().map(|&i| y[i]).collect();
            // The same λn with one row less.
            let other = lambda * n as f64 / (n - 1) as f64;
            let problem = Problem::new(&sub, &targets, Objective::Risk(&Squared), other, offset).unwrap();
            let (alpha, bias) = textbook_ridge(&problem);
            let score: f64 = rows.iter().zip(&alpha).map(|(&j, a)| a * gram.entry(out, j)).sum();
            assert!((y[out] - score - bias - found[out]).abs() < 1e-9, "{offset} {out}");
        }
    }
}

#[test]
fn one_decomposition_serves_every_lambda() {
    let (table, y) = data("@yacht");
    let gram = gram(&table, "rbf(sigma=3)");
    let ridge = EigenRidge::new(&gram, Budget::default()).unwrap();
    for lambda in [1e-6, 1e-3, 1.0, 1e3] {
        let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), lambda, true).unwrap();
        let (alpha, bias) = ridge.alpha_and_offset(&y, lambda).unwrap();
        let (expected, _) = solved(&Cholesky::default(), &problem, 1e-6);
        let size = expected.alpha.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        assert!(apart(&alpha, &expected.alpha) < 1e-7 * size, "{lambda}");
        assert!((bias - expected.bias).abs() < 1e-7 * (1.0 + bias.abs()));
    }
    assert!(matches!(ridge.alpha(&y[1..], 1.0), Err(SolveError::Shape { .. })));
    assert!(matches!(ridge.alpha(&y, 0.0), Err(SolveError::Parameter { .. })));
}

#[test]
fn the_least_squares_machine_is_ridge_on_labels() {
    let (table, y) = data("@moons(n=80)");
    let gram = gram(&table, "rbf(sigma=0.4)");
    let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), 0.01, true).unwrap();
    let (alpha, bias) = textbook_ridge(&problem);
    let (solution, certificate) = solved(&LsSvm::default(), &problem, 1e-9);
    assert!(apart(&solution.alpha, &alpha) < 1e-9 && (solution.bias - bias).abs() < 1e-9);
    assert!(certificate.relative_gap < 1e-12 && certificate.support == 80);
    let without = Problem::new(&gram, &y, Objective::Risk(&Squared), 0.01, false).unwrap();
    let refused = LsSvm::default().solve(&without, None, &mut Run::quiet(tight(1e-6)));
    assert!(refused.unwrap_err().to_string().contains("cholesky"));
    let numbers = vec![0.5; 80];
    let wrong = Problem::new(&gram, &numbers, Objective::Risk(&Squared), 0.01, true).unwrap();
    let refused = LsSvm::default().solve(&wrong, None, &mut Run::quiet(tight(1e-6)));
    assert!(refused.unwrap_err().to_string().contains("row 1 has the target 0.5"));
}

#[test]
fn a_start_is_used_and_ends_at_once_when_it_is_the_solution() {
    let (table, y) = data("@sinc(n=60)");
    let gram = gram(&table, "rbf(sigma=1)");
    let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), 1e-3, true).unwrap();
    let (first, _) = solved(&Cholesky::default(), &problem, 1e-9);
    let run = &mut Run::quiet(tight(1e-9));
    let again = ConjugateGradients::default().solve(&problem, Some(&first), run).unwrap();
    assert_eq!((again.iterations, again.status), (0, Status::Solved));
}

#[test]
fn bits_do_not_depend_on_threads() {
    let (table, y) = data("@heart");
    let gram = gram(&table, "rbf(sigma=3)");
    let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), 1e-4, true).unwrap();
    let cg = ConjugateGradients { preconditioner_rank: 20 };
    let solvers: [&(dyn Solver + Sync); 3] = [&Cholesky::default(), &cg, &Newton::default()];
    for solver in solvers {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| solver.solve(&problem, None, &mut Run::quiet(tight(1e-10))).unwrap().alpha)
        };
        let (one, three) = (with(1), with(3));
        assert!(one.iter().zip(&three).all(|(a, b)| a.to_bits() == b.to_bits()), "{}", solver.name());
    }
}
