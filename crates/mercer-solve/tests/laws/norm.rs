use mercer_solve::loss::{Hinge, Squared, Target};
use mercer_solve::{Objective, Penalty};

use super::setting::{SPECS, Setting, certificate};

#[test]
fn a_solution_of_the_squared_problem_solves_that_of_its_norm() {
    for (at, spec) in SPECS.iter().enumerate() {
        for offset in [false, true] {
            let loss = spec.build().unwrap();
            let mut setting = Setting::new(at as u64 + 3, 8, loss.target(), offset, at % 2 == 0);
            let (alpha, _) = setting.solve(*spec);
            let squared = certificate(&setting.problem(Objective::Risk(&*loss)), &alpha);
            if squared.norm < 1e-6 {
                continue;
            }
            setting.lambda *= squared.norm;
            let problem = setting.problem(Objective::Risk(&*loss)).penalized(Penalty::Norm);
            let found = certificate(&problem, &alpha);
            assert!(found.relative_gap <= 1e-8, "{spec}, offset {offset}: {found:?}");
            let worse: Vec<f64> = alpha.iter().map(|a| 1.1 * a).collect();
            let worse = certificate(&problem, &worse);
            assert!(worse.primal >= found.primal - 1e-9 && worse.dual <= found.primal + 1e-9, "{spec}");
            assert!(worse.gap > 1e-6, "{spec}, offset {offset}: {worse:?}");
        }
    }
}

#[test]
fn zero_is_best_where_the_penalty_is_large_and_only_there() {
    for offset in [false, true] {
        let mut setting = Setting::new(5, 9, Target::Numbers, offset, false);
        let mean = if offset { setting.y.iter().sum::<f64>() / 9.0 } else { 0.0 };
        // ‖(1/n) Σ (y_i − b) k(x_i,·)‖ is what λ has to reach.
        let beta: Vec<f64> = setting.y.iter().map(|y| (y - mean) / 9.0).collect();
        let product = super::oracle::product(&setting.entries(), &beta);
        let edge = beta.iter().zip(&product).map(|(a, b)| a * b).sum::<f64>().sqrt();
        for (factor, is_best) in [(1.001, true), (10.0, true), (0.9, false)] {
            setting.lambda = factor * edge;
            let problem = setting.problem(Objective::Risk(&Squared)).penalized(Penalty::Norm);
            let found = certificate(&problem, &[0.0; 9]);
            assert_eq!(found.relative_gap <= 1e-10, is_best, "λ = {factor} of the edge: {found:?}");
            assert!((found.offset - mean).abs() < 1e-12);
        }
    }
}

#[test]
fn one_class_alone_needs_no_f() {
    let mut setting = Setting::new(5, 6, Target::Labels, true, false);
    setting.y = vec![-1.0; 6];
    let problem = setting.problem(Objective::Risk(&Hinge)).penalized(Penalty::Norm);
    let found = certificate(&problem, &[0.0; 6]);
    assert_eq!((found.primal, found.gap, found.offset), (0.0, 0.0, -1.0));
}
