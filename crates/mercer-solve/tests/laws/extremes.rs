use std::time::Instant;

use mercer_solve::loss::{Hinge, Squared, Target};
use mercer_solve::testkit::Matrix;
use mercer_solve::{Basis, Objective, Penalty, Problem, Tolerance, certify, certify_until};

use super::setting::{Draw, SPECS, Setting, certificate, scores, solution};

#[test]
fn large_and_small_numbers_make_bounds_and_no_nan() {
    let extremes = [1e150, -1e150, 1e-150, 1e300, -1e300, 5e-324, 0.0, f64::MAX];
    for spec in SPECS {
        let loss = spec.build().unwrap();
        for (offset, penalty) in [(false, Penalty::Squared), (true, Penalty::Squared), (true, Penalty::Norm)]
        {
            let mut setting = Setting::new(3, 8, loss.target(), offset, false);
            for lambda in [1e-300, 1e-20, 1.0, 1e20, 1e300, f64::MAX, 5e-324] {
                for weight in [None, Some(5e-324), Some(1e-310), Some(1e300)] {
                    setting.lambda = lambda;
                    setting.weights = weight.map(|w| vec![1.0, w, w, 0.0, 1.0, w, 1.0, w]);
                    let problem = setting.problem(Objective::Risk(&*loss)).penalized(penalty);
                    certificate(&problem, &extremes);
                    certificate(&problem, &[0.0; 8]);
                    let bound: Vec<f64> = (0..8).map(|i| setting.y[i].signum() * problem.bound(i)).collect();
                    certificate(&problem, &bound);
                }
            }
        }
    }
}

#[test]
fn other_objectives_bear_extremes_too() {
    let nu = 0.4;
    for objective in [
        Objective::HardMargin,
        Objective::Separation,
        Objective::NuClassification { nu },
        Objective::NuRegression { nu },
        Objective::OneClass { nu },
    ] {
        for offset in [false, true] {
            let mut setting = Setting::new(3, 6, Target::Labels, offset, false);
            for weights in [None, Some(vec![5e-324, 1.0, 0.0, 1.0, 1e-310, 1e300])] {
                setting.weights = weights;
                let problem = setting.problem(objective);
                for size in [0.0, 1e-320, 1.0, 1e150, 1e300] {
                    let alpha: Vec<f64> = setting.y.iter().map(|y| y * size).collect();
                    certificate(&problem, &alpha);
                    certificate(&problem, &[size, -size, 0.0, 1e-3, size, f64::MIN]);
                }
            }
        }
    }
}

#[test]
fn one_row_is_enough() {
    for spec in SPECS {
        let loss = spec.build().unwrap();
        for offset in [false, true] {
            let setting = Setting::new(4, 1, loss.target(), offset, false);
            let problem = setting.problem(Objective::Risk(&*loss));
            let found = certificate(&problem, &[0.0]);
            if offset && spec.to_string() != "logistic" {
                assert!(found.gap < 1e-12, "{spec}: the offset does it all: {found:?}");
            }
        }
    }
}

#[test]
fn what_is_not_a_number_proves_nothing() {
    for spec in SPECS {
        let loss = spec.build().unwrap();
        for penalty in [Penalty::Squared, Penalty::Norm] {
            for offset in [false, true] {
                let setting = Setting::new(4, 4, loss.target(), offset, false);
                let problem = setting.problem(Objective::Risk(&*loss)).penalized(penalty);
                for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let found = certificate(&problem, &[wrong, 0.0, 0.1, 0.0]);
                    let any = Tolerance { gap: None, violation: None };
                    assert!(
                        !found.holds(&any) && !found.holds(&Tolerance::default()),
                        "{spec}: {wrong}: {found:?}"
                    );
                }
            }
        }
    }
    let nu = 0.4;
    for objective in [
        Objective::HardMargin,
        Objective::NuClassification { nu },
        Objective::NuRegression { nu },
        Objective::OneClass { nu },
    ] {
        let setting = Setting::new(4, 4, Target::Labels, true, false);
        let found = certificate(&setting.problem(objective), &[f64::NAN, 0.0, 0.1, 0.0]);
        assert!(!found.holds(&Tolerance::default()), "{objective:?}: {found:?}");
    }
}

#[test]
fn small_targets_have_relative_gaps_of_their_own_size() {
    let gram = Matrix::of(3, |i, j| f64::from(u8::from(i == j)));
    let y = [1e-9, -2e-9, 3e-9];
    let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), 0.1, false).unwrap();
    assert!(certificate(&problem, &[0.0; 3]).relative_gap > 0.5);
}

#[test]
fn an_indefinite_matrix_refutes_itself() {
    let gram = Matrix::new(2, vec![1.0, 2.0, 2.0, 1.0]);
    let problem = Problem::new(&gram, &[1.0, -1.0], Objective::Risk(&Hinge), 0.1, true).unwrap();
    let found = certificate(&problem, &[1.0, -1.0]);
    assert!(!found.holds(&Tolerance { gap: None, violation: None }), "{found:?}");
}

#[test]
fn a_stopped_run_is_certified_from_what_it_kept_and_never_better_than_it_is() {
    let mut draw = Draw(9);
    let objectives = [
        Objective::Risk(&Hinge),
        Objective::HardMargin,
        Objective::NuClassification { nu: 0.5 },
        Objective::NuRegression { nu: 0.5 },
    ];
    for objective in objectives {
        let mut setting = Setting::new(7, 40, Target::Labels, true, false);
        setting.y = (0..40).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let problem = setting.problem(objective);
        let alpha: Vec<f64> = setting.y.iter().map(|y| y * (0.6 + 0.5 * draw.next()) / 40.0).collect();
        let exact = certify(&problem, &solution(&alpha));
        let kept = mercer_solve::Solution { scores: Some(scores(&problem, &alpha)), ..solution(&alpha) };
        let quick = certify_until(&problem, &kept, Some(Instant::now()));
        let Basis::Kept { checked, difference } = quick.basis else { panic!("{:?}", quick.basis) };
        assert!(checked == 32 && difference < 1e-12, "{checked} {difference}");
        assert!((quick.primal - exact.primal).abs() <= 1e-12 * (1.0 + exact.primal.abs()), "{objective:?}");
        assert!(quick.dual <= exact.dual + 1e-12, "{objective:?}: {} {}", quick.dual, exact.dual);
        // Scores that are wrong are found out by the sample.
        let wrong = kept.scores.iter().flatten().map(|s| s + 0.5).collect();
        let wrong = mercer_solve::Solution { scores: Some(wrong), ..kept.clone() };
        let Basis::Kept { difference, .. } = certify_until(&problem, &wrong, Some(Instant::now())).basis
        else {
            panic!("the deadline has passed")
        };
        assert!((difference - 0.5).abs() < 1e-9);
        // Without a deadline, or without scores of the right length, everything is computed again.
        assert_eq!(certify(&problem, &wrong).basis, Basis::Recomputed);
        let short = mercer_solve::Solution { scores: Some(vec![0.0]), ..kept };
        assert_eq!(certify_until(&problem, &short, Some(Instant::now())).basis, Basis::Recomputed);
    }
}
