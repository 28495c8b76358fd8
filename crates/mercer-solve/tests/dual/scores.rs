//! Scores that are taken along, noted, or left as they are: what the engine, paths and certificates make of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use mercer_gram::{Gram, Lazy, Remembered};
use mercer_points::{ColumnData, Table};
use mercer_solve::loss::{EpsilonInsensitive, Hinge, Loss, SquaredHinge};
use mercer_solve::solvers::Smo;
use mercer_solve::{Basis, Objective, Problem, Run, Solution, Solver, Status, Tolerance, certify};

use crate::{Draw, gram, random};

/// Labels that a smooth boundary gives, with some noise: most rows are beyond the margin.
fn learnable(table: &Table, seed: u64) -> Vec<f64> {
    let column = |j: usize| match &table.columns()[j].data {
        ColumnData::Numbers(values) => values.clone(),
        _ => unreachable!("they are numbers"),
    };
    let (a, b, mut draw) = (column(0), column(1), Draw(seed));
    let sign = |i: usize| if (3.0 * a[i]).sin() + b[i] > 0.0 { 1.0 } else { -1.0 };
    (0..a.len()).map(|i| if draw.uniform() < 0.03 { -sign(i) } else { sign(i) }).collect()
}

#[test]
fn scores_that_are_not_computed_again_change_no_certificate() {
    let asked = Tolerance { gap: None, violation: Some(1e-3) };
    let (hinge, squared_hinge, epsilon) = (Hinge, SquaredHinge, EpsilonInsensitive { epsilon: 0.3 });
    let mut sufficient = 0;
    for (n, kernel, weighted) in [
        (1400, "rbf(sigma=0.5)", false),
        (2600, "rbf(sigma=0.5)", true),
        (7000, "rbf(sigma=0.4)", true),
        (1800, "poly(degree=3)", false),
    ] {
        let table = random(n, 3, 11);
        let gram = gram(kernel, &table);
        let y = learnable(&table, 3);
        let weights: Vec<f64> = (0..n).map(|i| if i % 9 == 0 { 0.0 } else { 1.0 + (i % 3) as f64 }).collect();
        for loss in [&hinge as &dyn Loss, &squared_hinge, &epsilon] {
            let remembered = Remembered::new(&gram);
            let pose = |gram| {
                let problem = Problem::new(gram, &y, Objective::Risk(loss), 2e-4, true).unwrap();
                if weighted { problem.weighted(&weights).unwrap() } else { problem }
            };
            let (problem, plain) = (pose(&remembered as &dyn Gram), pose(&gram as &dyn Gram));
            let solution = Smo::default().solve(&problem, None, &mut Run::quiet(asked)).unwrap();
            let (quick, whole) = (certify(&problem, &solution), certify(&plain, &solution));
            let what = format!("{n} {kernel} {loss:?}");
            assert_eq!(whole.basis, Basis::Recomputed);
            let scale = whole.primal.abs().max(1e-9);
            // Rows at the end of a box weigh the same in P and in D, whose difference loses no digit.
            assert!(
                (quick.primal - whole.primal).abs() <= 1e-5 * scale,
                "{what}: {} {}",
                quick.primal,
                whole.primal
            );
            assert!((quick.gap - whole.gap).abs() <= 1e-9 * scale, "{what}: {} {}", quick.gap, whole.gap);
            assert!((quick.violation - whole.violation).abs() <= 1e-9, "{what}");
            assert!(whole.violation <= 1e-3, "{what}: {:e}", whole.violation);
            let exact = gram.products(&solution.alpha, &|_, _| false).unwrap();
            let scores = solution.scores.as_ref().unwrap();
            let worst = scores.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst <= 1e-3, "{what}: {worst:e}");
            if let Basis::Sufficient { rough, checked, difference } = quick.basis {
                assert!(rough > 0 && checked <= 32 && difference <= 1e-3, "{what}");
                sufficient += 1;
            }
        }
    }
    assert!(sufficient >= 4, "{sufficient}");
}

#[test]
fn paths_take_their_scores_along_and_are_what_fits_alone_are() {
    let asked = Tolerance { gap: None, violation: Some(1e-3) };
    for n in [1400, 2048, 7000] {
        let table = random(n, 3, 5);
        let (gram, y) = (gram("rbf(sigma=0.5)", &table), learnable(&table, 4));
        let mut before: Option<Solution> = None;
        for lambda in [1e-2, 3e-3, 1e-3, 1e-4, 1e-5] {
            let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), lambda, true).unwrap();
            let warm = Smo::default().solve(&problem, before.as_ref(), &mut Run::quiet(asked)).unwrap();
            let cold = Smo::default().solve(&problem, None, &mut Run::quiet(asked)).unwrap();
            let (warm_is, cold_is) = (certify(&problem, &warm), certify(&problem, &cold));
            assert_eq!((warm_is.basis, warm.status), (Basis::Recomputed, Status::Solved));
            assert!(warm_is.violation <= 1e-3, "{n} {lambda}: {:e}", warm_is.violation);
            assert!((warm_is.dual - cold_is.dual).abs() <= 1e-4 * cold_is.dual, "{n} {lambda}");
            // A candidate of a search, of which fewer scores are known to the last digit.
            let mut run = Run::quiet(asked).as_trial();
            let trial = Smo::default().solve(&problem, before.as_ref(), &mut run).unwrap();
            let violation = certify(&problem, &trial).violation;
            assert!(trial.status == Status::Solved && violation <= 1e-3, "{n} {lambda}: {violation:e}");
            let remembered = Remembered::new(&gram);
            let problem = Problem::new(&remembered, &y, Objective::Risk(&Hinge), lambda, true).unwrap();
            let trial = Smo::default().solve(&problem, None, &mut Run::quiet(asked).as_trial()).unwrap();
            assert_eq!(certify(&problem, &trial).basis, Basis::Recomputed);
            before = Some(warm);
        }
        // Scores that are wrong are found out.
        let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 1e-5, true).unwrap();
        for wrong in [f64::NAN, 1e3] {
            let mut misled = before.clone().unwrap();
            misled.scores.as_mut().unwrap().fill(wrong);
            let found = Smo::default().solve(&problem, Some(&misled), &mut Run::quiet(asked)).unwrap();
            assert!(certify(&problem, &found).violation <= 1e-3, "{n} {wrong}");
        }
    }
}

/// A matrix that knows no short cut, and counts the accurate rows that it is asked for.
struct Plain<'a>(&'a Lazy, AtomicUsize);

impl Gram for Plain<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.0.entry(i, j)
    }

    fn diagonal(&self, out: &mut [f64]) {
        self.0.diagonal(out);
    }

    fn rows_single(&self, rows: &[usize], out: &mut [f32]) {
        self.0.rows_single(rows, out);
    }

    fn rows_double(&self, rows: &[usize], out: &mut [f64]) {
        self.1.fetch_add(rows.len(), Ordering::Relaxed);
        self.0.rows_double(rows, out);
    }

    fn apply(&self, vectors: &[f64], out: &mut [f64]) {
        self.0.apply(vectors, out);
    }
}

#[test]
fn the_accurate_product_of_a_matrix_without_short_cuts_is_made_once() {
    let table = random(1200, 3, 11);
    let gram = gram("rbf(sigma=0.5)", &table);
    let (plain, y) = (Plain(&gram, AtomicUsize::new(0)), learnable(&table, 3));
    let remembered = Remembered::new(&plain);
    let problem = Problem::new(&remembered, &y, Objective::Risk(&Hinge), 2e-4, true).unwrap();
    let asked = Tolerance { gap: None, violation: Some(1e-3) };
    let solution = Smo::default().solve(&problem, None, &mut Run::quiet(asked)).unwrap();
    let rows = plain.1.load(Ordering::Relaxed);
    let certificate = certify(&problem, &solution);
    let Basis::Sufficient { checked, .. } = certificate.basis else { panic!("{:?}", certificate.basis) };
    assert!((1..1200).contains(&rows) && certificate.violation <= 1e-3);
    // Some of those that were called accurate, and some of those that were not.
    let again = plain.1.load(Ordering::Relaxed) - rows;
    assert!(
        (checked..=2 * checked).contains(&again),
        "the certificate takes the products that were made: {again}"
    );
}

#[test]
fn what_a_solver_noted_wrongly_is_not_believed() {
    let table = random(400, 3, 11);
    let (gram, y) = (gram("rbf(sigma=0.5)", &table), learnable(&table, 3));
    let plain = Problem::new(&gram, &y, Objective::Risk(&Hinge), 2e-4, true).unwrap();
    let asked = Tolerance { gap: None, violation: Some(1e-3) };
    let solution = Smo::default().solve(&plain, None, &mut Run::quiet(asked)).unwrap();
    let (truth, exact) = (certify(&plain, &solution), gram.products(&solution.alpha, &|_, _| false).unwrap());
    let size: f64 = solution.alpha.iter().map(|a| a.abs()).sum();
    let rough: Vec<usize> = (0..400).filter(|i| i % 4 == 0).collect();
    for (off, rough, is_believed) in [
        (0.0, &rough[..], true),
        (0.0, &[], true),
        // Single precision where double was claimed, and lies.
        (1e-7 * size, &rough, false),
        (1e-7 * size, &[], false),
        (f64::NAN, &[], false),
    ] {
        let said: Vec<f64> = exact.iter().map(|score| score + off).collect();
        let remembered = Remembered::new(&gram);
        remembered.remember(&solution.alpha, &said, rough.to_vec());
        let problem = Problem::new(&remembered, &y, Objective::Risk(&Hinge), 2e-4, true).unwrap();
        let found = certify(&problem, &solution);
        let is_sufficient = matches!(found.basis, Basis::Sufficient { .. });
        assert_eq!(is_sufficient, is_believed && !rough.is_empty(), "{off} {}", rough.len());
        assert_eq!((found.gap, found.violation), (truth.gap, truth.violation), "{off} {}", rough.len());
    }
}
