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
