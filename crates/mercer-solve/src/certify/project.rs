//! The nearest α that is feasible in the dual.

use crate::Problem;
use crate::loss::{Loss, within};

/// α in its boxes and, with an offset, of sum zero; and the largest change, if any was needed.
pub(crate) fn project(problem: &Problem<'_>, loss: &dyn Loss, alpha: &[f64]) -> (Vec<f64>, Option<f64>) {
    let boxes: Vec<(f64, f64)> = (0..alpha.len())
        .map(|i| {
            let c = problem.bound(i);
            let (low, high) = loss.domain(problem.y()[i]);
            if c == 0.0 { (0.0, 0.0) } else { (-c * high, -c * low) }
        })
        .collect();
    let size: f64 = alpha.iter().map(|a| a.abs()).sum();
    let sum: f64 = alpha.iter().sum();
    let inside = alpha.iter().zip(&boxes).all(|(&a, &limits)| within_box(a, limits));
    let balanced = !problem.offset() || sum.abs() <= 1e-12 * size;
    if inside && balanced {
        // Rounding at the ends of boxes is not a projection worth a word.
        return (alpha.iter().zip(&boxes).map(|(a, (low, high))| a.clamp(*low, *high)).collect(), None);
    }
    let shift = if problem.offset() { balance(alpha, &boxes) } else { 0.0 };
    let moved: Vec<f64> =
        alpha.iter().zip(&boxes).map(|(a, (low, high))| (a + shift).clamp(*low, *high)).collect();
    let change = alpha.iter().zip(&moved).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    (moved, Some(change))
}

fn within_box(a: f64, (low, high): (f64, f64)) -> bool {
    let size =
        if high.is_finite() { high.abs() } else { 0.0 } + if low.is_finite() { low.abs() } else { 0.0 };
    (a >= low && a <= high) || within(a / size.max(f64::MIN_POSITIVE), (low / size, high / size))
}

/// t with Σ clamp(α_i + t) = 0: the sum does not decrease in t, so bisection finds it.
fn balance(alpha: &[f64], boxes: &[(f64, f64)]) -> f64 {
    let sum =
        |t: f64| alpha.iter().zip(boxes).map(|(a, (low, high))| (a + t).clamp(*low, *high)).sum::<f64>();
    let mut reach = alpha.iter().map(|a| a.abs()).fold(f64::MIN_POSITIVE, f64::max);
    while (sum(-reach) > 0.0 || sum(reach) < 0.0) && reach < 1e300 {
        reach *= 2.0;
    }
    let (mut low, mut high) = (-reach, reach);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if sum(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
