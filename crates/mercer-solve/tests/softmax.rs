//! Softmax: against the logistic loss of two classes, against Newton's method on explicit features, and its certificate.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicU64, Ordering};

use mercer_linalg::Budget;
use mercer_solve::loss::Logistic;
use mercer_solve::solvers::{Newton, Softmax};
use mercer_solve::testkit::Matrix;
use mercer_solve::{
    Features, Limits, Objective, Problem, Run, SoftmaxProblem, SoftmaxSolution, SolveError, Solver, Status,
    Tolerance, Watch, certify_softmax, certify_softmax_until,
};

/// Numbers that look random and are the same everywhere.
fn noise(k: usize) -> f64 {
    let x = (k as f64 * 12.9898 + 78.233).sin() * 43_758.545_3;
    x - x.floor() - 0.5
}

/// Clusters in the plane, one a class, and some rows of the wrong one.
fn clusters(n: usize, classes: usize) -> (Features, Vec<usize>) {
    let codes: Vec<usize> = (0..n).map(|i| (i * 7 + usize::from(i % 11 == 0)) % classes).collect();
    let values = (0..n).flat_map(|i| {
        let angle = (i * 7 % classes) as f64 * std::f64::consts::TAU / classes as f64;
        [angle.cos() + noise(2 * i), angle.sin() + noise(2 * i + 1)]
    });
    (Features::new(n, 2, values.collect()).unwrap(), codes)
}

fn solve(problem: &SoftmaxProblem<'_>, gap: f64) -> SoftmaxSolution {
    let tolerance = Tolerance { gap: Some(gap), violation: None };
    Softmax::default().solve(problem, None, &mut Run::quiet(tolerance)).unwrap()
}

#[test]
fn two_classes_are_the_logistic_loss_with_half_of_lambda() {
    let (gram, codes) = clusters(60, 2);
    let y: Vec<f64> = codes.iter().map(|&code| if code == 1 { 1.0 } else { -1.0 }).collect();
    let weights: Vec<f64> = (0..60).map(|i| [1.0, 0.0, 2.5][i % 3]).collect();
    for offset in [true, false] {
        for lambda in [1e-4, 0.01, 1.0] {
            let problem = SoftmaxProblem::new(&gram, (&codes, 2), Some(&weights), lambda, offset).unwrap();
            let several = solve(&problem, 1e-10);
            assert_eq!(several.status, Status::Solved);
            let single = Problem::new(&gram, &y, Objective::Risk(&Logistic), lambda / 2.0, offset).unwrap();
            let single = single.weighted(&weights).unwrap();
            let run = &mut Run::quiet(Tolerance { gap: Some(1e-10), violation: None });
            let one = Newton::default().solve(&single, None, run).unwrap();
            let scores = several.scores.unwrap();
            for (i, score) in one.scores.unwrap().iter().enumerate() {
                let own = scores[60 + i] + several.offsets[1] - scores[i] - several.offsets[0];
                assert!((own - score - one.bias).abs() < 1e-3, "lambda {lambda}, row {i}: {own} {score}");
            }
        }
    }
}

/// min over W of (1/n) Σ w ℓ + (λ/2)‖W‖² by gradient descent with steps that fit, written anew; a constant feature of
/// no price is the offset.
fn textbook(x: &Features, codes: &[usize], classes: usize, weights: &[f64], lambda: f64) -> f64 {
    let (n, d) = (codes.len(), x.dimension());
    let mut w = vec![0.0; classes * (d + 1)];
    let score = |w: &[f64], c: usize, i: usize| {
        let own = &w[c * (d + 1)..(c + 1) * (d + 1)];
        own[d] + x.row(i).iter().zip(own).map(|(x, w)| x * w).sum::<f64>()
    };
    let value = |w: &[f64]| {
        let row = |i: usize| {
            let total: f64 = (0..classes).map(|c| score(w, c, i).exp()).sum();
            weights[i] * (total.ln() - score(w, codes[i], i))
        };
        let norm2: f64 = w.chunks(d + 1).flat_map(|own| &own[..d]).map(|w| w * w).sum();
        (0..n).map(row).sum::<f64>() / n as f64 + 0.5 * lambda * norm2
    };
    let mut step = 1.0;
    for _ in 0..40_000 {
        let mut slope: Vec<f64> =
            (0..w.len()).map(|k| if k % (d + 1) < d { lambda * w[k] } else { 0.0 }).collect();
        for (i, &code) in codes.iter().enumerate() {
            let total: f64 = (0..classes).map(|c| score(&w, c, i).exp()).sum();
            for c in 0..classes {
                let off = score(&w, c, i).exp() / total - f64::from(u8::from(c == code));
                let own = &mut slope[c * (d + 1)..(c + 1) * (d + 1)];
                own[d] += weights[i] * off / n as f64;
                own.iter_mut().zip(x.row(i)).for_each(|(s, x)| *s += weights[i] * off * x / n as f64);
            }
        }
        let size: f64 = slope.iter().map(|s| s * s).sum();
        if size < 1e-18 {
            break;
        }
        step *= 2.0;
        let here = value(&w);
        let moved = |step: f64| w.iter().zip(&slope).map(|(w, s)| w - step * s).collect::<Vec<f64>>();
        while value(&moved(step)) > here - 0.5 * step * size && step > 1e-12 {
            step *= 0.5;
        }
        w = moved(step);
    }
    value(&w)
}

#[test]
fn the_optimum_is_that_of_plain_gradient_descent_on_features() {
    for (n, classes, lambda) in [(45, 3, 0.1), (60, 5, 0.02)] {
        let (gram, codes) = clusters(n, classes);
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 4) as f64).collect();
        let problem = SoftmaxProblem::new(&gram, (&codes, classes), Some(&weights), lambda, true).unwrap();
        let solution = solve(&problem, 1e-10);
        let (certificate, _) = certify_softmax(&problem, &solution);
        let truth = textbook(&gram, &codes, classes, &weights, lambda);
        assert!(certificate.relative_gap <= 1e-10, "{}", certificate.relative_gap);
        let off = (certificate.primal - truth).abs() / truth;
        assert!(off < 1e-8, "{classes} classes: {} {truth}", certificate.primal);
        assert!(certificate.violation < 1e-4 && certificate.projected.is_none());
    }
}

#[test]
fn no_coefficients_prove_more_than_is_true() {
    let (gram, codes) = clusters(30, 3);
    for offset in [true, false] {
        let problem = SoftmaxProblem::new(&gram, (&codes, 3), None, 0.05, offset).unwrap();
        let best = certify_softmax(&problem, &solve(&problem, 1e-10)).0;
        for round in 0..200 {
            let size = [1e-3, 0.1, 10.0, 1e150][round % 4];
            let alpha = (0..90).map(|k| size * noise(1000 * round + k));
            let tried = SoftmaxSolution { alpha: alpha.collect(), scores: None, ..solve(&problem, 1.0) };
            let found = certify_softmax(&problem, &tried).0;
            assert!(found.dual <= best.primal * (1.0 + 1e-9), "{} {}", found.dual, best.primal);
            assert!(found.primal >= best.dual * (1.0 - 1e-9) && found.gap >= 0.0);
            let gap = found.primal - found.dual;
            assert!(round % 4 == 3 || (found.gap - gap).abs() <= 1e-9 * (1.0 + found.primal), "{gap}");
        }
        // f = 0: P is the entropy of the shares of classes, or of a coin of three sides.
        let zero = SoftmaxSolution { alpha: vec![0.0; 90], ..solve(&problem, 1.0) };
        let found = certify_softmax(&problem, &zero).0;
        assert!((found.primal - 3_f64.ln()).abs() < 0.01 && found.dual.abs() < 1e-12, "{found:?}");
    }
}

#[test]
fn a_weight_is_a_repetition_and_a_row_of_weight_zero_none() {
    let (gram, codes) = clusters(40, 4);
    let weights: Vec<f64> = (0..40).map(|i| [1.0, 2.0, 0.0, 3.0][i % 4]).collect();
    let rows: Vec<usize> = (0..40).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let values: Vec<f64> = rows.iter().flat_map(|&i| gram.row(i).to_vec()).collect();
    let again = Features::new(rows.len(), 2, values).unwrap();
    let own: Vec<usize> = rows.iter().map(|&i| codes[i]).collect();
    for offset in [true, false] {
        // The same C: λn is what has to agree.
        let one = SoftmaxProblem::new(&gram, (&codes, 4), Some(&weights), 0.5 / 40.0, offset).unwrap();
        let other = SoftmaxProblem::new(&again, (&own, 4), None, 0.5 / rows.len() as f64, offset).unwrap();
        let (one, other) =
            (certify_softmax(&one, &solve(&one, 1e-9)), certify_softmax(&other, &solve(&other, 1e-9)));
        let scale = rows.len() as f64 / 40.0;
        assert!((one.0.primal - scale * other.0.primal).abs() < 1e-7, "{} {}", one.0.primal, other.0.primal);
        assert!(one.1.iter().zip(&other.1).all(|(a, b)| (a - b).abs() < 1e-3), "{:?} {:?}", one.1, other.1);
        assert_eq!(one.0.rows[2].residual, 0.0);
    }
}

/// A Gaussian kernel on clusters.
fn gaussian(n: usize, classes: usize) -> (Matrix, Vec<usize>) {
    let (x, codes) = clusters(n, classes);
    let distance =
        |i: usize, j: usize| -> f64 { x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b)).sum() };
    (Matrix::of(n, |i, j| (-distance(i, j)).exp()), codes)
}

#[test]
fn usual_problems_of_many_classes_are_solved_for_weak_and_strong_penalties() {
    for (n, classes, strongest) in [(150, 5, 1e4), (182, 26, 10.0)] {
        let (gram, codes) = gaussian(n, classes);
        for c in [0.01, 1.0, strongest] {
            let problem =
                SoftmaxProblem::new(&gram, (&codes, classes), None, 1.0 / (c * n as f64), true).unwrap();
            let solution = solve(&problem, 1e-6);
            let found = certify_softmax(&problem, &solution).0;
            let steps = solution.iterations;
            assert_eq!(solution.status, Status::Solved, "{classes} classes, C = {c}: {}", found.relative_gap);
            assert!(found.relative_gap <= 1e-6 && steps < 40, "C = {c}: {} {steps}", found.relative_gap);
            assert!(found.projected.is_none(), "{:?}", found.projected);
        }
    }
}

#[test]
fn memory_threads_and_starts_do_not_change_the_answer() {
    let (gram, codes) = gaussian(150, 4);
    let problem = SoftmaxProblem::new(&gram, (&codes, 4), None, 1e-3, true).unwrap();
    let run = || Run::quiet(Tolerance::default());
    let held = Softmax::default().solve(&problem, None, &mut run()).unwrap();
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    for threads in [1, 3] {
        let same = pool(threads).install(|| Softmax::default().solve(&problem, None, &mut run()).unwrap());
        assert_eq!(same.alpha, held.alpha, "{threads} threads");
    }
    // Room for the vectors, and none for the matrix.
    let small = Softmax { budget: Budget::of_bytes(100_000) }.solve(&problem, None, &mut run()).unwrap();
    assert_eq!(small.status, Status::Solved);
    assert!(small.entries > held.entries);
    assert!(small.alpha.iter().zip(&held.alpha).all(|(a, b)| (a - b).abs() < 1e-2));
    let warm = Softmax::default().solve(&problem, Some(&held), &mut run()).unwrap();
    assert_eq!((warm.status, warm.iterations), (Status::Solved, 0));
}

#[test]
fn vectors_of_all_classes_have_to_fit_the_budget() {
    let (gram, codes) = gaussian(150, 4);
    let problem = SoftmaxProblem::new(&gram, (&codes, 4), None, 1e-3, true).unwrap();
    let run = &mut Run::quiet(Tolerance::default());
    let error = Softmax { budget: Budget::of_bytes(90_000) }.solve(&problem, None, run).unwrap_err();
    assert!(matches!(error, SolveError::OverBudget { needed: 96_000, rows: 150, .. }), "{error}");
    assert!(error.to_string().contains("one-vs-rest"), "{error}");
}

/// Stops after so many questions.
struct Patience(AtomicU64);

impl Watch for Patience {
    fn stopped(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn a_run_that_is_stopped_anywhere_hands_back_what_it_has() {
    let (gram, codes) = gaussian(80, 3);
    let problem = SoftmaxProblem::new(&gram, (&codes, 3), None, 1e-4, true).unwrap();
    let mut least = f64::INFINITY;
    for questions in [0, 1, 2, 5, 20, 50, 100, 200, 400] {
        let watch = Patience(AtomicU64::new(questions));
        let run = &mut Run::new(&watch, Limits::default(), Tolerance { gap: Some(1e-12), violation: None });
        let solution = Softmax::default().solve(&problem, None, run).unwrap();
        let late = Some(std::time::Instant::now());
        let (certificate, _) = certify_softmax_until(&problem, &solution, late);
        assert!(certificate.primal <= least * 1.01, "{questions}: {}", certificate.primal);
        least = least.min(certificate.primal);
        assert!(certificate.gap < f64::MAX);
    }
    let limits = Limits { iterations: Some(2), time: None };
    let run = &mut Run::new(&mercer_solve::Silent, limits, Tolerance::default());
    let short = Softmax::default().solve(&problem, None, run).unwrap();
    assert_eq!((short.status, short.iterations), (Status::IterationLimit, 2));
}

#[test]
fn what_cannot_be_posed_is_said() {
    let gram = Features::new(3, 1, vec![1.0, 2.0, 3.0]).unwrap();
    let said = |codes: &[usize], classes, weights: Option<&[f64]>, lambda| {
        SoftmaxProblem::new(&gram, (codes, classes), weights, lambda, true).unwrap_err().to_string()
    };
    assert_eq!(said(&[0, 1], 2, None, 1.0), "there are 3 rows, but 2 targets");
    assert_eq!(said(&[0, 1, 2], 2, None, 1.0), "row 3 has the target 2; classes are counted from 0");
    assert_eq!(said(&[0, 0, 0], 1, None, 1.0), "classes = 1 is out of range; it must be 2 or more");
    assert_eq!(said(&[0, 1, 1], 2, None, 0.0), "lambda = 0 is out of range; it must be above 0 and finite");
    assert!(said(&[0, 1, 2], 3, Some(&[1.0, 0.0, 1.0]), 1.0).starts_with("class 2 has no row with weight"));
    assert!(said(&[0, 1, 2], 3, Some(&[1.0, -1.0, 1.0]), 1.0).contains("weights are finite"));
    let none = SoftmaxProblem::new(&gram, (&[0, 1, 2], 4), None, 1.0, false).unwrap();
    assert_eq!(solve(&none, 1e-6).status, Status::Solved, "without offsets a class may be empty");
    assert!(matches!(
        SoftmaxProblem::new(&gram, (&[0, 0, 0], 2), None, 1.0, true),
        Err(SolveError::Unbounded(_))
    ));
}
