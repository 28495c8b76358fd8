use mercer_solve::loss::{Hinge, Loss, Perceptron, SquaredHinge};
use mercer_solve::testkit::Matrix;
use mercer_solve::{Objective, Problem};

use super::setting::{Draw, SPECS, certificate, golden};

/// With K = I the scores are the coefficients.
fn identity(n: usize) -> Matrix {
    Matrix::of(n, |i, j| f64::from(u8::from(i == j)))
}

fn offset(loss: &dyn Loss, y: &[f64], scores: &[f64], weights: Option<&[f64]>) -> f64 {
    let gram = identity(y.len());
    let problem = Problem::new(&gram, y, Objective::Risk(loss), 0.1, true).unwrap();
    let problem = weights.map_or(problem, |weights| problem.weighted(weights).unwrap());
    certificate(&problem, scores).offset
}

#[test]
fn no_other_offset_is_better() {
    let mut draw = Draw(1);
    for round in 0..60 {
        for spec in SPECS {
            let (loss, n) = (spec.build().unwrap(), 1 + round % 9);
            let size = [0.1, 1.0, 20.0][round % 3];
            let label = loss.target() == mercer_solve::loss::Target::Labels;
            let y: Vec<f64> =
                draw.many(n).iter().map(|v| if label { 1.0_f64.copysign(*v) } else { 3.0 * v }).collect();
            let scores: Vec<f64> = draw.many(n).iter().map(|v| v * size).collect();
            let mut weights: Vec<f64> =
                draw.many(n).iter().map(|v| if *v < -0.5 { 0.0 } else { 1.0 + v }).collect();
            weights[0] = 0.5;
            let weights = (round % 2 == 0).then_some(&weights[..]);
            let b = offset(&*loss, &y, &scores, weights);
            let risk = |b: f64| {
                let weight = |i: usize| weights.map_or(1.0, |weights| weights[i]);
                (0..n).map(|i| weight(i) * loss.value(y[i], scores[i] + b)).sum::<f64>()
            };
            let grid = (0..=4000).map(|k| -40.0 + 0.02 * f64::from(k));
            let other = grid.chain([golden(risk, -60.0, 60.0)]).map(risk).fold(f64::MAX, f64::min);
            assert!(
                risk(b) <= other + 1e-10 * (1.0 + other),
                "{spec}: b = {b} costs {}, but {other} exists",
                risk(b)
            );
        }
    }
}

#[test]
fn one_class_alone_is_put_on_its_margin() {
    assert_eq!(offset(&Hinge, &[1.0; 4], &[0.0; 4], None), 1.0);
    assert_eq!(offset(&Hinge, &[-1.0; 4], &[0.0; 4], None), -1.0);
    assert_eq!(offset(&SquaredHinge, &[-1.0; 4], &[0.0; 4], None), -1.0);
    assert!((offset(&Hinge, &[1.0; 3], &[0.5, -2.0, 3.0], None) - 3.0).abs() < 1e-12);
    // A row without weight has no say.
    assert_eq!(offset(&Hinge, &[1.0, -1.0], &[0.0, 9.0], Some(&[2.0, 0.0])), 1.0);
}

#[test]
fn the_middle_of_the_best_offsets_is_taken() {
    // Both rows are beyond the margin for b in [−1, 3].
    assert!((offset(&Hinge, &[1.0, -1.0], &[2.0, -4.0], None) - 1.0).abs() < 1e-9);
    assert!((offset(&SquaredHinge, &[1.0, -1.0], &[2.0, -4.0], None) - 1.0).abs() < 1e-6);
    // Two against two, where the slope is zero between kinks though losses are not.
    assert!(offset(&Hinge, &[1.0, -1.0], &[0.0, 0.0], None).abs() < 1e-12);
    assert!((offset(&Perceptron, &[1.0, -1.0], &[1.0, -1.0], None)).abs() < 1e-12);
}

#[test]
fn rows_of_small_weight_are_not_rounding() {
    // The heavy row is content for b ≥ −1; the others, of weight 1e-20 of it, are best at −0.5.
    let weights = [1e20, 1.0, 1.0, 1.0];
    let b = offset(&Hinge, &[1.0, -1.0, -1.0, 1.0], &[2.0, -0.5, -0.5, 5.0], Some(&weights));
    assert!((b + 0.5).abs() < 1e-9 || b <= -0.5, "b = {b}");
    let risk = |b: f64| 2.0 * (1.0 + (-0.5 + b)).max(0.0);
    assert!(risk(b) < 1e-9, "b = {b}");
}
