//! Newton's method against slow gradient descent and the gradient itself.

use super::*;
use mercer_solve::loss::{Huber, Logistic, Loss, Squared, SquaredHinge};
use mercer_solve::solvers::*;
use mercer_solve::{Objective, SolveError, Status};

/// Gradient descent in feature space (§4.10): β ← β − η(g/n + λβ), and the same for b.
fn descended(problem: &Problem<'_>, loss: &dyn Loss, steps: usize) -> (Vec<f64>, f64) {
    let (n, k) = (problem.len(), entries(problem.gram()));
    let trace: f64 = (0..n).map(|i| k[i][i] + 1.0).sum::<f64>() / n as f64;
    let rate = 1.0 / (2.0 * trace + problem.lambda());
    let (mut alpha, mut bias) = (vec![0.0; n], 0.0);
    for _ in 0..steps {
        let slopes: Vec<f64> = (0..n)
            .map(|i| {
                let f: f64 = k[i].iter().zip(&alpha).map(|(k, a)| k * a).sum::<f64>() + bias;
                problem.weight(i) * loss.slope(problem.y()[i], f) / n as f64
            })
            .collect();
        alpha.iter_mut().zip(&slopes).for_each(|(a, g)| *a -= rate * (g + problem.lambda() * *a));
        if problem.offset() {
            bias -= rate * slopes.iter().sum::<f64>();
        }
    }
    (alpha, bias)
}

#[test]
fn gradient_descent_comes_to_the_same_place() {
    let (table, y) = data("@moons(n=40)");
    let gram = gram(&table, "rbf(sigma=0.5)");
    let weights: Vec<f64> = (0..40).map(|i| [1.0, 0.5, 0.0][i % 3]).collect();
    let losses: [&dyn Loss; 4] = [&Logistic, &SquaredHinge, &Huber { delta: 0.4 }, &Squared];
    for loss in losses {
        for offset in [false, true] {
            let problem = Problem::new(&gram, &y, Objective::Risk(loss), 0.05, offset).unwrap();
            let problem = problem.weighted(&weights).unwrap();
            let (slow, bias) = descended(&problem, loss, 6000);
            let (solution, certificate) = solved(&Newton::default(), &problem, 1e-12);
            assert_eq!(solution.status, Status::Solved, "{loss:?} {offset}");
            assert!(certificate.relative_gap < 1e-10, "{loss:?} {offset}: {}", certificate.relative_gap);
            assert!(apart(&solution.alpha, &slow) < 1e-6, "{loss:?} {offset}");
            assert!((certificate.offset - bias).abs() < 1e-5, "{loss:?}: {} {bias}", certificate.offset);
        }
    }
}

#[test]
fn the_gradient_vanishes_and_the_certificate_is_tight() {
    for (name, kernel) in
        [("@heart", "rbf(sigma=3)"), ("@moons(n=200)", "rbf(sigma=0.3)"), ("@sonar", "laplacian")]
    {
        let (table, y) = data(name);
        let gram = gram(&table, kernel);
        let losses: [&dyn Loss; 4] = [&Logistic, &SquaredHinge, &Huber { delta: 0.5 }, &Squared];
        for loss in losses {
            for lambda in [1.0, 1e-2, 1e-5] {
                let problem = Problem::new(&gram, &y, Objective::Risk(loss), lambda, true).unwrap();
                let (solution, certificate) = solved(&Newton::default(), &problem, 1e-10);
                let what = format!("{name} {loss:?} {lambda}: {:?} {}", solution.status, solution.iterations);
                assert!(certificate.relative_gap <= 1e-10, "{what} {}", certificate.relative_gap);
                assert_eq!(solution.status, Status::Solved, "{what}");
                assert_eq!(certificate.projected, None, "{what}");
                // α = −C·ℓ'(f): the gradient of P is zero.
                for (i, row) in certificate.rows.iter().enumerate() {
                    let wanted = -problem.bound(i) * loss.slope(y[i], row.score);
                    let room = 1e-4 * problem.bound(i);
                    assert!((solution.alpha[i] - wanted).abs() < room, "{what} row {i}");
                }
                assert!(solution.iterations < 60, "{what}");
            }
        }
    }
}

#[test]
fn one_class_has_no_minimum_with_an_offset() {
    let (table, _) = data("@moons(n=20)");
    let gram = gram(&table, "rbf");
    let ones = vec![1.0; 20];
    let problem = Problem::new(&gram, &ones, Objective::Risk(&Logistic), 0.1, true).unwrap();
    let run = &mut Run::quiet(tight(1e-6));
    let error = Newton::default().solve(&problem, None, run).unwrap_err();
    assert!(matches!(&error, SolveError::Unbounded(words) if words.contains("+1")), "{error}");
    // Without offset, and for a loss that reaches zero, there is one.
    let problem = Problem::new(&gram, &ones, Objective::Risk(&Logistic), 0.1, false).unwrap();
    assert!(solved(&Newton::default(), &problem, 1e-9).1.relative_gap < 1e-9);
    let problem = Problem::new(&gram, &ones, Objective::Risk(&SquaredHinge), 0.1, true).unwrap();
    assert!(solved(&Newton::default(), &problem, 1e-9).1.primal < 1e-12);
}
