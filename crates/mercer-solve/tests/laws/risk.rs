use mercer_solve::loss::{Hinge, Squared, Target};
use mercer_solve::{KktClass, Objective, Penalty, Regularization};
use proptest::prelude::*;

use super::setting::{Draw, SPECS, Setting, certificate, dual, scores};

fn each(mut run: impl FnMut(&str, usize, bool, bool)) {
    for (at, spec) in SPECS.iter().enumerate() {
        for offset in [false, true] {
            for weighted in [false, true] {
                run(&format!("{spec}, offset {offset}, weighted {weighted}"), at, offset, weighted);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_coefficients_have_a_negative_gap(
        seed in 0_u64..1000, n in 1_usize..12, at in 0_usize..9, offset: bool, weighted: bool, norm: bool,
        size in -4.0_f64..4.0, inside: bool,
    ) {
        let loss = SPECS[at].build().unwrap();
        let setting = Setting::new(seed, n, loss.target(), offset, weighted);
        let penalty = if norm { Penalty::Norm } else { Penalty::Squared };
        let problem = setting.problem(Objective::Risk(&*loss)).penalized(penalty);
        let mut draw = Draw(seed + 5);
        let alpha: Vec<f64> = (0..n).map(|i| {
            let (low, high) = loss.domain(setting.y[i]);
            let part = 0.5 + 0.5 * draw.next();
            let u = low.max(-3.0) + part * (high.min(3.0) - low.max(-3.0));
            if inside { -u * problem.bound(i) } else { draw.next() * 10.0_f64.powf(size) }
        }).collect();
        let found = certificate(&problem, &alpha);
        let total: f64 = found.rows.iter().map(|row| row.residual).sum();
        let room = 1e-9 * (1.0 + found.primal.abs());
        if !norm {
            prop_assert!(total <= n as f64 * found.gap + room, "rows make {total}, the gap is {}", found.gap);
        }
        if inside && !offset && !norm {
            prop_assert_eq!(found.projected, None);
            prop_assert!((total / n as f64 - found.gap).abs() <= 1e-12 * (1.0 + found.gap));
            let want = dual(&problem, &*loss, &alpha);
            prop_assert!((found.dual - want).abs() <= 1e-11 * (1.0 + want.abs() + found.primal), "{} {want}", found.dual);
        }
    }
}

#[test]
fn optima_have_no_gap_and_nothing_bounds_better() {
    each(|name, at, offset, weighted| {
        for seed in 0..4 {
            let (spec, n) = (SPECS[at], 4 + 2 * seed as usize);
            let loss = spec.build().unwrap();
            let setting = Setting::new(seed, n, loss.target(), offset, weighted);
            let problem = setting.problem(Objective::Risk(&*loss));
            let (alpha, optimum) = setting.solve(spec);
            let best = certificate(&problem, &alpha);
            let name = format!("{name}, seed {seed}");
            assert!(best.relative_gap <= 1e-8, "{name}: {} {} {}", best.primal, best.dual, best.relative_gap);
            assert_eq!(best.projected, None, "{name}");
            assert!(
                (best.primal - optimum).abs() <= 1e-8 * optimum.abs() + 1e-13,
                "{name}: {} {optimum}",
                best.primal
            );
            assert!(best.violation <= 1e-5, "{name}: violation {}", best.violation);
            let mut draw = Draw(seed + 77);
            for size in [1e-6, 1e-3, 0.1, 1.0, 30.0] {
                let far: Vec<f64> = alpha.iter().map(|a| a + size * draw.next()).collect();
                let found = certificate(&problem, &far);
                let room = 1e-9 * (optimum.abs() + 1e-3);
                assert!(found.dual <= optimum + room, "{name}: dual {} above {optimum}", found.dual);
                assert!(found.primal >= optimum - room, "{name}: primal {} below {optimum}", found.primal);
                assert!(
                    found.primal - optimum <= found.gap + room,
                    "{name}: {} {}",
                    found.primal - optimum,
                    found.gap
                );
            }
        }
    });
}

/// Solves a linear system by elimination with pivots.
fn eliminate(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let n = a.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        for i in (0..n).filter(|&i| i != k) {
            let (factor, above) = (a[i][k] / a[k][k], a[k].clone());
            a[i].iter_mut().zip(&above).for_each(|(v, above)| *v -= factor * above);
        }
    }
    (0..n).map(|i| a[i][n] / a[i][i]).collect()
}

#[test]
fn ridge_is_certified_at_its_closed_form_only() {
    for seed in 0..6 {
        for offset in [false, true] {
            let mut setting = Setting::new(seed, 9, Target::Numbers, offset, false);
            // Targets far from zero: P − D would lose ten digits here.
            setting.y.iter_mut().for_each(|y| *y += if offset { 1e5 } else { 0.0 });
            let problem = setting.problem(Objective::Risk(&Squared));
            let mu = Regularization::Mu(9.0 * setting.lambda).lambda(9).unwrap() * 9.0;
            let k = setting.entries();
            let row = |i: usize| {
                let mut row: Vec<f64> =
                    (0..9).map(|j| k[i * 9 + j] + if i == j { mu } else { 0.0 }).collect();
                row.extend(if offset { vec![1.0, setting.y[i]] } else { vec![setting.y[i]] });
                row
            };
            let mut system: Vec<Vec<f64>> = (0..9).map(row).collect();
            if offset {
                system.push([vec![1.0; 9], vec![0.0, 0.0]].concat());
            }
            let alpha = eliminate(system);
            let best = certificate(&problem, &alpha[..9]);
            assert!(best.relative_gap <= 1e-13, "offset {offset}: {}", best.relative_gap);
            if offset {
                assert!((best.offset - alpha[9]).abs() <= 1e-9, "{} {}", best.offset, alpha[9]);
            }
            let worse: Vec<f64> = alpha[..9].iter().map(|a| 1.001 * a).collect();
            assert!(certificate(&problem, &worse).relative_gap > 1e-8);
        }
    }
}

#[test]
fn rows_of_a_hinge_solution_keep_the_table() {
    let (mut free, mut bound, mut idle) = (0, 0, 0);
    for seed in 0..12 {
        let offset = seed % 3 != 0;
        let setting = Setting::new(seed, 12, Target::Labels, offset, seed % 2 == 0);
        let (alpha, _) = setting.solve(SPECS[0]);
        let problem = setting.problem(Objective::Risk(&Hinge));
        let found = certificate(&problem, &alpha);
        if offset {
            assert!(alpha.iter().sum::<f64>().abs() < 1e-12);
        }
        for (i, row) in found.rows.iter().enumerate() {
            let (m, multiplier) = (setting.y[i] * row.score, setting.y[i] * alpha[i]);
            assert!((row.slack - (1.0 - m).max(0.0)).abs() < 1e-12);
            if problem.weight(i) == 0.0 {
                assert_eq!((alpha[i], row.class), (0.0, KktClass::Idle));
                continue;
            }
            match row.class {
                KktClass::Idle => assert!(m >= 1.0 - 1e-7 && multiplier == 0.0, "idle at {m}"),
                KktClass::Free => assert!((m - 1.0).abs() <= 1e-7 && multiplier > 0.0, "free at {m}"),
                KktClass::Bound => {
                    assert!(m <= 1.0 + 1e-7 && multiplier >= 0.999 * problem.bound(i), "bound at {m}")
                }
            }
            match row.class {
                KktClass::Idle => idle += 1,
                KktClass::Free => free += 1,
                KktClass::Bound => bound += 1,
            }
        }
        assert_eq!(found.support, found.free() + found.bound);
    }
    assert!(
        free > 10 && bound > 10 && idle > 10,
        "the table was seen in all its rows: {free} {bound} {idle}"
    );
}

#[test]
fn a_tiny_coefficient_is_free_and_not_at_its_bound() {
    let setting = Setting::new(2, 5, Target::Labels, false, false);
    let problem = setting.problem(Objective::Risk(&Hinge));
    let alpha: Vec<f64> =
        (0..5).map(|i| setting.y[i] * problem.bound(i) * [1e-15, 1.0, 0.5, 0.0, 1.0][i]).collect();
    let classes: Vec<KktClass> = certificate(&problem, &alpha).rows.iter().map(|row| row.class).collect();
    use KktClass::{Bound, Free, Idle};
    assert_eq!(classes, [Free, Bound, Free, Idle, Bound]);
}

/// ½‖f‖² + C Σ loss, (K + μI)α = y and the others are one problem.
#[test]
fn every_spelling_of_the_parameter_gives_one_f() {
    let n = 8;
    for (name, spelled) in [
        ("lambda", Regularization::Lambda(0.05)),
        ("C", Regularization::C(1.0 / (0.05 * n as f64))),
        ("c", Regularization::SmallC(20.0)),
        ("mu", Regularization::Mu(0.05 * n as f64)),
        ("rho", Regularization::Rho(2.0 / (0.05 * n as f64))),
    ] {
        let lambda = spelled.lambda(n).unwrap();
        assert!((lambda - 0.05).abs() <= 1e-16, "{name}: {lambda}");
    }
    // The optimum of LIBSVM's form, C·n of ours, at the same α.
    let mut setting = Setting::new(3, n, Target::Labels, true, false);
    setting.lambda = 0.05;
    let c = 1.0 / (0.05 * n as f64);
    let (alpha, optimum) = setting.solve(SPECS[0]);
    let problem = setting.problem(Objective::Risk(&Hinge));
    let f = scores(&problem, &alpha);
    let norm2: f64 = alpha.iter().zip(&f).map(|(a, f)| a * f).sum();
    let b = certificate(&problem, &alpha).offset;
    let libsvm = 0.5 * norm2 + c * (0..n).map(|i| (1.0 - setting.y[i] * (f[i] + b)).max(0.0)).sum::<f64>();
    assert!((libsvm - c * n as f64 * optimum).abs() <= 1e-9 * libsvm, "{libsvm} {optimum}");
    assert!(alpha.iter().all(|a| a.abs() <= c * (1.0 + 1e-12)));
}
