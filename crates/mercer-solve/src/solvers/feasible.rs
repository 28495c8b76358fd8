//! Coefficients put where the dual allows them: in their boxes and, with an offset, of sum zero.
//!
//! Interior-point and Newton methods end within rounding of the boundary, on either side. A certificate is worth most
//! when nothing has to be projected; the gap of the result is that of §3.2 (`docs/maths.md` §3.2), row by row.

use crate::Problem;
use crate::loss::Loss;

/// Where each α may lie: −C_i times the domain of the conjugate; rows that cannot have a coefficient at zero.
pub(super) fn boxes(problem: &Problem<'_>, loss: &dyn Loss) -> Vec<(f64, f64)> {
    let limits = |i: usize| {
        let c = problem.bound(i);
        let (low, high) = loss.domain(problem.y()[i]);
        if c.recip().is_finite() { (-c * high, -c * low) } else { (0.0, 0.0) }
    };
    (0..problem.len()).map(limits).collect()
}

/// The nearest α in the boxes, of sum zero if `balanced`; what is not a number becomes zero.
pub(super) fn settle(alpha: &mut [f64], boxes: &[(f64, f64)], balanced: bool) {
    alpha.iter_mut().filter(|a| !a.is_finite()).for_each(|a| *a = 0.0);
    let shifted =
        |shift: f64| alpha.iter().zip(boxes).map(move |(a, (low, high))| (a + shift).clamp(*low, *high));
    let mut shift = 0.0;
    let size: f64 = shifted(0.0).map(f64::abs).sum();
    // Rounding is left alone: shifting it away would move rows off their bounds.
    if balanced && shifted(0.0).sum::<f64>().abs() > 1e-13 * size {
        let reach = alpha.iter().map(|a| a.abs()).fold(f64::MIN_POSITIVE, f64::max) * 2.0;
        let (mut low, mut high) = (-reach, reach);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if shifted(middle).sum::<f64>() < 0.0 { low = middle } else { high = middle }
        }
        shift = high;
    }
    let settled: Vec<f64> = shifted(shift).collect();
    alpha.copy_from_slice(&settled);
}

/// P and P − D, the gap as a sum of Fenchel–Young residuals, for feasible α with its scores without offset.
pub(super) fn worth(
    problem: &Problem<'_>,
    loss: &dyn Loss,
    alpha: &[f64],
    scores: &[f64],
    bias: f64,
) -> (f64, f64) {
    let n = problem.len() as f64;
    let (mut risk, mut gap) = (0.0, 0.0);
    for i in (0..problem.len()).filter(|&i| problem.weight(i) > 0.0) {
        let (y, f, w) = (problem.y()[i], scores[i] + bias, problem.weight(i));
        let u = if alpha[i] == 0.0 { 0.0 } else { -alpha[i] / problem.bound(i) };
        let value = loss.value(y, f);
        risk += w * value;
        gap += w * (value + loss.conjugate(y, u) - f * u).max(0.0);
    }
    let norm2: f64 = alpha.iter().zip(scores).map(|(a, s)| a * s).sum();
    (risk / n + 0.5 * problem.lambda() * norm2, gap / n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settled_coefficients_are_feasible_and_near() {
        let boxes = [(0.0, 1.0), (-1.0, 0.0), (0.0, 0.0), (0.0, f64::INFINITY)];
        let mut alpha = [1.0 + 1e-9, -0.5, f64::NAN, 1e-9];
        settle(&mut alpha, &boxes, true);
        assert!(alpha.iter().sum::<f64>().abs() < 1e-15, "{alpha:?}");
        assert!(alpha.iter().zip(&boxes).all(|(a, (low, high))| a >= low && a <= high));
        // The two that can move share what is missing.
        assert!((alpha[0] - 0.75).abs() < 0.26 && alpha[2] == 0.0);
        let mut free = [3.0, -2.0];
        settle(&mut free, &[(0.0, 2.0), (-1.0, 0.0)], false);
        assert_eq!(free, [2.0, -1.0]);
    }
}
