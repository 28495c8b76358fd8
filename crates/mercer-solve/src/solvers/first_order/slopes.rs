//! Slopes of the loss at given scores, at the best offset where there is one.

use crate::Problem;
use crate::certify::best_offset;
use crate::loss::Loss;

/// L with |ℓ'(f) − ℓ'(f')| ≤ L·|f − f'|; none where the loss has kinks.
pub(in crate::solvers) fn smoothness(loss: &dyn Loss) -> Option<f64> {
    match loss.quadratic(1.0) {
        Some(conjugate) => {
            (conjugate.curvature > 0.0 && conjugate.kink == 0.0).then(|| 1.0 / conjugate.curvature)
        }
        None => loss.curvature(1.0, 0.0),
    }
}

/// A subgradient g of each row's loss, and the offset at which it is taken.
///
/// With an offset b is the best one, and Σ w_i g_i = 0: rows whose score is at a kink have a choice of slopes, and the
/// choice that balances the sum is the one that makes g a subgradient of min_b P.
pub(in crate::solvers) fn slopes(problem: &Problem<'_>, loss: &dyn Loss, scores: &[f64]) -> (Vec<f64>, f64) {
    let y = problem.y();
    if !problem.offset() {
        return (scores.iter().zip(y).map(|(&score, &y)| loss.slope(y, score)).collect(), 0.0);
    }
    let bias = best_offset(problem, loss, scores);
    let mut slopes: Vec<f64> = scores.iter().zip(y).map(|(score, &y)| loss.slope(y, score + bias)).collect();
    if smoothness(loss).is_none() {
        balance(problem, loss, scores, bias, &mut slopes);
    }
    (slopes, bias)
}

fn balance(problem: &Problem<'_>, loss: &dyn Loss, scores: &[f64], bias: f64, slopes: &mut [f64]) {
    let near =
        |score: f64, kink: f64| (score + bias - kink).abs() <= 1e-12 * (1.0 + score.abs() + bias.abs());
    // (row, least slope, largest slope) of the rows that have a choice.
    let mut free: Vec<(usize, f64, f64)> = Vec::new();
    let (mut least, mut most) = (0.0, 0.0);
    for (i, (&score, slope)) in scores.iter().zip(slopes.iter()).enumerate() {
        let (y, weight) = (problem.y()[i], problem.weight(i));
        let (low, high) = match loss.kinks(y).into_iter().find(|&kink| near(score, kink)) {
            Some(kink) => loss.slopes(y, kink),
            None => (*slope, *slope),
        };
        least += weight * low;
        most += weight * high;
        if low < high && weight > 0.0 {
            free.push((i, low, high));
        }
    }
    let share = if most > least { (-least / (most - least)).clamp(0.0, 1.0) } else { return };
    for (i, low, high) in free {
        slopes[i] = low + share * (high - low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Hinge, LOSSES, LossSpec};
    use crate::{Features, Objective};

    #[test]
    fn slopes_at_the_best_offset_sum_to_zero_for_every_loss() {
        let features = Features::new(7, 1, vec![0.3, -1.0, 2.0, 0.0, 0.5, -0.2, 1.4]).unwrap();
        let scores = [0.3, -1.0, 2.0, 0.0, 0.5, -0.2, 1.4];
        let y = [1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0];
        let weights = [1.0, 0.5, 2.0, 1.0, 0.0, 3.0, 1.0];
        for info in &LOSSES {
            let loss = info.name.parse::<LossSpec>().unwrap().build().unwrap();
            let problem = Problem::new(&features, &y, Objective::Risk(loss.as_ref()), 0.1, true).unwrap();
            let problem = problem.weighted(&weights).unwrap();
            let (slopes, bias) = slopes(&problem, loss.as_ref(), &scores);
            let sum: f64 = slopes.iter().zip(&weights).map(|(g, w)| g * w).sum();
            assert!(sum.abs() < 1e-9, "{}: {sum}", info.name);
            for i in 0..7 {
                let low = loss.slopes(y[i], scores[i] + bias - 1e-9).0 - 1e-12;
                let high = loss.slopes(y[i], scores[i] + bias + 1e-9).1 + 1e-12;
                assert!(slopes[i] >= low && slopes[i] <= high, "{}: row {i}", info.name);
            }
        }
    }

    #[test]
    fn smoothness_bounds_differences_of_slopes() {
        for info in &LOSSES {
            let loss = info.name.parse::<LossSpec>().unwrap().build().unwrap();
            let Some(bound) = smoothness(loss.as_ref()) else { continue };
            for k in -60..60 {
                let (from, to) = (f64::from(k) * 0.1, f64::from(k) * 0.1 + 0.07);
                let change = (loss.slope(1.0, to) - loss.slope(1.0, from)).abs();
                assert!(change <= bound * 0.07 * (1.0 + 1e-12), "{} at {from}", info.name);
            }
        }
        assert_eq!(smoothness(&Hinge), None);
    }
}
