//! The quadratic programs, dual and primal, against each other and against Newton's method.

use super::*;
use mercer_gram::Sub;
use mercer_solve::loss::{
    EpsilonInsensitive, Hinge, Huber, Logistic, Loss, Perceptron, Pinball, Squared, SquaredHinge,
};
use mercer_solve::solvers::*;
use mercer_solve::{KktClass, Objective, Status};

#[test]
fn every_quadratic_loss_is_solved() {
    let losses: [&dyn Loss; 7] = [
        &Hinge,
        &SquaredHinge,
        &Perceptron,
        &Squared,
        &EpsilonInsensitive { epsilon: 0.1 },
        &Huber { delta: 0.3 },
        &Pinball { tau: 0.8 },
    ];
    for (name, kernel) in [("@moons(n=100)", "rbf(sigma=0.3)"), ("@heart", "rbf(sigma=3)")] {
        let (table, y) = data(name);
        let gram = gram(&table, kernel);
        for loss in losses {
            for offset in [false, true] {
                let problem = Problem::new(&gram, &y, Objective::Risk(loss), 0.003, offset).unwrap();
                let (solution, certificate) = solved(&Qp::default(), &problem, 1e-8);
                let what = format!("{name} {loss:?} {offset}: {:?}", solution.status);
                assert!(certificate.relative_gap <= 1e-8, "{what} {}", certificate.relative_gap);
                assert_eq!(certificate.projected, None, "{what}");
                assert_eq!(solution.status, Status::Solved, "{what}");
                if loss.curvature(y[0], 0.0).is_some() {
                    let (newton, _) = solved(&Newton::default(), &problem, 1e-12);
                    let (ours, theirs) = (certificate.primal, certify(&problem, &newton).primal);
                    assert!((ours - theirs).abs() <= 1e-8 * theirs.abs(), "{what}: {ours} {theirs}");
                }
            }
        }
    }
}

#[test]
fn primal_and_dual_agree_within_their_gaps() {
    for (name, kernel, lambda) in [
        ("@moons(n=80)", "rbf(sigma=0.3)", 0.01),
        ("@moons(n=60)", "linear", 0.1),
        ("@heart", "rbf(sigma=3)", 0.01),
        ("@separable(n=50)", "linear", 1e-4),
    ] {
        let (table, y) = data(name);
        let gram = gram(&table, kernel);
        let weights: Vec<f64> = (0..y.len()).map(|i| [1.0, 2.0, 0.0, 0.5][i % 4]).collect();
        for offset in [false, true] {
            let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), lambda, offset).unwrap();
            for problem in [problem, problem.weighted(&weights).unwrap()] {
                let (dual, ours) = solved(&Qp::default(), &problem, 1e-8);
                let (primal, theirs) = solved(&PrimalQp::default(), &problem, 1e-6);
                let what = format!("{name} {kernel} {offset}: {} {}", ours.relative_gap, theirs.relative_gap);
                assert!(ours.relative_gap < 1e-8 && theirs.relative_gap < 1e-6, "{what}");
                assert!((ours.primal - theirs.primal).abs() <= ours.gap + theirs.gap + 1e-15, "{what}");
                assert_eq!((dual.status, primal.status), (Status::Solved, Status::Solved), "{what}");
                assert!((0..y.len()).all(|i| problem.weight(i) > 0.0 || dual.alpha[i] == 0.0));
            }
        }
    }
}

#[test]
fn the_table_of_kkt_holds() {
    let (table, y) = data("@moons(n=120)");
    let gram = gram(&table, "rbf(sigma=0.3)");
    let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 0.01, true).unwrap();
    let (solution, certificate) = solved(&Qp::default(), &problem, 1e-9);
    assert!(certificate.support < 120 && certificate.bound > 0 && certificate.free() > 0);
    for (i, row) in certificate.rows.iter().enumerate() {
        let margin = y[i] * row.score;
        assert!(y[i] * solution.alpha[i] >= 0.0);
        match row.class {
            KktClass::Idle => assert!(margin > 1.0 - 1e-6, "{i}: {margin}"),
            KktClass::Free => assert!((margin - 1.0).abs() < 1e-6, "{i}: {margin}"),
            KktClass::Bound => assert!(margin < 1.0 + 1e-6, "{i}: {margin}"),
        }
    }
}

#[test]
fn the_tube_is_empty_of_support() {
    let (table, y) = data("@sinc(n=80)");
    let gram = gram(&table, "rbf(sigma=1)");
    let loss = EpsilonInsensitive { epsilon: 0.2 };
    let problem = Problem::new(&gram, &y, Objective::Risk(&loss), 1e-3, true).unwrap();
    let (solution, certificate) = solved(&Qp::default(), &problem, 1e-9);
    assert!(certificate.support > 0 && certificate.support < 60, "{}", certificate.support);
    for (i, row) in certificate.rows.iter().enumerate() {
        let inside = (row.score - y[i]).abs() < 0.2 - 1e-6;
        assert!(!inside || solution.alpha[i] == 0.0, "{i}");
    }
}

#[test]
fn weights_are_repetitions_for_the_hinge() {
    let (table, y) = data("@moons(n=40)");
    let gram = gram(&table, "rbf(sigma=0.4)");
    let weights: Vec<f64> = (0..40).map(|i| [2.0, 1.0, 0.0][i % 3]).collect();
    let repeated: Vec<usize> = (0..40).flat_map(|i| vec![i; weights[i] as usize]).collect();
    let sub = Sub::new(&gram, repeated.clone());
    let labels: Vec<f64> = repeated.iter().map(|&i| y[i]).collect();
    let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 0.02, true).unwrap();
    let problem = problem.weighted(&weights).unwrap();
    let other = 0.02 * 40.0 / repeated.len() as f64;
    let long = Problem::new(&sub, &labels, Objective::Risk(&Hinge), other, true).unwrap();
    let solvers: [&dyn Solver; 2] = [&Qp::default(), &PrimalQp::default()];
    for solver in solvers {
        let (a, ours) = solved(solver, &problem, 1e-8);
        let (_, theirs) = solved(solver, &long, 1e-8);
        // The sums have the factors 1/n with another n each.
        let scaled = theirs.primal * repeated.len() as f64 / 40.0;
        assert!((ours.primal - scaled).abs() < 1e-7 * scaled, "{}", solver.name());
        assert!((ours.norm - theirs.norm).abs() < 1e-5 * ours.norm);
        assert!((0..40).all(|i| weights[i] > 0.0 || a.alpha[i] == 0.0));
    }
}

#[test]
fn what_is_not_theirs_is_refused_with_a_name() {
    let (table, y) = data("@moons(n=20)");
    let gram = gram(&table, "rbf");
    let words = |solver: &dyn Solver, objective: Objective<'_>| {
        let problem = Problem::new(&gram, &y, objective, 0.1, true).unwrap();
        solver.solve(&problem, None, &mut Run::quiet(tight(1e-6))).unwrap_err().to_string()
    };
    assert!(words(&Qp::default(), Objective::Risk(&Logistic)).contains("newton"));
    assert!(words(&PrimalQp::default(), Objective::Risk(&Squared)).contains("qp"));
    assert!(words(&Newton::default(), Objective::Risk(&Hinge)).contains("smo"));
    assert!(words(&Cholesky::default(), Objective::Risk(&Huber { delta: 1.0 })).contains("newton"));
    assert!(words(&Eigen::default(), Objective::Risk(&SquaredHinge)).contains("newton"));
    assert!(words(&Qp::default(), Objective::HardMargin).contains("smo"));
    assert!(words(&ConjugateGradients::default(), Objective::OneClass { nu: 0.1 }).contains("smo"));
}
