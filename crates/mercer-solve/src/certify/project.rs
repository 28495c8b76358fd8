//! The nearest α that is feasible in the dual of a risk.

use crate::Problem;
use crate::loss::Loss;

/// The nearest α in its boxes −C_i·domain and, with an offset, of sum zero (to rounding: 1e-12 of Σ|α|).
pub(crate) fn project(problem: &Problem<'_>, loss: &dyn Loss, alpha: &[f64]) -> Vec<f64> {
    let boxes: Vec<(f64, f64)> = (0..alpha.len())
        .map(|i| {
            let c = problem.bound(i);
            let (low, high) = loss.domain(problem.y()[i]);
            if c == 0.0 { (0.0, 0.0) } else { (-c * high, -c * low) }
        })
        .collect();
    let mut feasible = clamped(alpha, &boxes, 0.0);
    let size: f64 = feasible.iter().map(|a| a.abs()).sum();
    if problem.offset() && feasible.iter().sum::<f64>().abs() > ROUNDING * size {
        feasible = clamped(alpha, &boxes, shift(alpha, &boxes));
        settle(&mut feasible, &boxes);
    }
    feasible
}

const ROUNDING: f64 = 1e-12;

fn clamped(alpha: &[f64], boxes: &[(f64, f64)], shift: f64) -> Vec<f64> {
    alpha.iter().zip(boxes).map(|(a, (low, high))| (a + shift).clamp(*low, *high)).collect()
}

/// t with Σ clamp(α_i + t) = 0: the sum does not decrease in t, so bisection finds it.
fn shift(alpha: &[f64], boxes: &[(f64, f64)]) -> f64 {
    let sum =
        |t: f64| alpha.iter().zip(boxes).map(|(a, (low, high))| (a + t).clamp(*low, *high)).sum::<f64>();
    // All boxes hold zero, so a shift by the largest coefficient puts every row on one side of it.
    let reach = alpha.iter().map(|a| a.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let (mut low, mut high) = (-reach, reach);
    for _ in 0..STEPS {
        let middle = 0.5 * low + 0.5 * high;
        if middle <= low || middle >= high {
            break;
        }
        if sum(middle) < 0.0 { low = middle } else { high = middle }
    }
    high
}

/// Halvings: enough for every bit of a shift that matters next to the largest coefficient.
const STEPS: usize = 120;

/// Takes what rounding left of the sum from the first rows that have room for it.
fn settle(alpha: &mut [f64], boxes: &[(f64, f64)]) {
    let mut rest: f64 = alpha.iter().sum();
    for (a, (low, high)) in alpha.iter_mut().zip(boxes) {
        if rest == 0.0 || !rest.is_finite() {
            return;
        }
        let before = *a;
        *a = (before - rest).clamp(*low, *high);
        rest -= before - *a;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::LossSpec;
    use crate::testkit::{Draw, Matrix};
    use crate::{Objective, Problem};

    const LOSSES: [LossSpec; 4] =
        [LossSpec::Hinge, LossSpec::SquaredHinge, LossSpec::Squared, LossSpec::Pinball { tau: 0.2 }];

    fn random(draw: &mut Draw, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| size * draw.next()).collect()
    }

    #[test]
    fn the_projection_is_feasible_idempotent_and_nearest() {
        let mut draw = Draw::new(1);
        for round in 0..200 {
            let n = 1 + round % 9;
            let gram = Matrix::of(n, |i, j| f64::from(u8::from(i == j)));
            let y: Vec<f64> = (0..n).map(|_| 1.0_f64.copysign(draw.next())).collect();
            let mut weights: Vec<f64> =
                random(&mut draw, n, 1.0).iter().map(|w| if *w < -0.5 { 0.0 } else { 1.0 + w }).collect();
            weights[0] = 1.0;
            let loss = LOSSES[round % 4].build().unwrap();
            let problem = Problem::new(&gram, &y, Objective::Risk(&*loss), 0.2, round % 3 > 0).unwrap();
            let problem = problem.weighted(&weights).unwrap();
            let alpha = random(&mut draw, n, [0.1, 1.0, 100.0][round % 3]);
            let nearest = project(&problem, &*loss, &alpha);
            check_feasible(&problem, &*loss, &nearest);
            assert_eq!(project(&problem, &*loss, &nearest), nearest, "round {round}");
            let distance = |to: &[f64]| alpha.iter().zip(to).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            for size in [0.01, 1.0, 100.0] {
                let other: Vec<f64> =
                    nearest.iter().zip(random(&mut draw, n, size)).map(|(a, d)| a + d).collect();
                let other = project(&problem, &*loss, &other);
                let (near, far) = (distance(&nearest), distance(&other));
                assert!(near <= far + 1e-9 * (1.0 + far), "round {round}: {near} > {far}");
            }
        }
    }

    fn check_feasible(problem: &Problem<'_>, loss: &dyn Loss, alpha: &[f64]) {
        for (i, &a) in alpha.iter().enumerate() {
            let (low, high) = loss.domain(problem.y()[i]);
            let u = problem.slope_of(i, a);
            assert!(u >= low - 1e-12 && u <= high + 1e-12, "{u} in [{low}, {high}]");
            assert!(problem.weight(i) > 0.0 || a == 0.0);
        }
        let (sum, size): (f64, f64) = (alpha.iter().sum(), alpha.iter().map(|a| a.abs()).sum());
        assert!(!problem.offset() || sum.abs() <= 1e-12 * size, "sum {sum} of {size}");
    }
}
