//! A dual point of softmax near given coefficients: chances p_i in the simplex and, with offsets, of the weight of each
//! class (`docs/maths.md` §4.12).

use crate::SoftmaxProblem;

/// p and the α that belongs to it, both class after class.
pub(crate) struct DualPoint {
    pub(crate) chances: Vec<f64>,
    pub(crate) alpha: Vec<f64>,
}

/// Sums that differ by less than this part are equal but for rounding.
const ROUNDING: f64 = 1e-12;

/// p_ic = [c = y_i] − α_ic/C_i as it is; e_y for a row that cannot have coefficients.
pub(crate) fn chance(problem: &SoftmaxProblem<'_>, i: usize, class: usize, alpha: f64) -> f64 {
    let own = f64::from(u8::from(problem.class(i) == class));
    let bound = problem.bound(i);
    if bound == 0.0 { own } else { own - (alpha / bound).clamp(f64::MIN, f64::MAX) }
}

pub(crate) fn dual_point(problem: &SoftmaxProblem<'_>, alpha: &[f64]) -> DualPoint {
    let (n, classes) = (problem.len(), problem.classes());
    let mut chances = vec![0.0; alpha.len()];
    let mut row = vec![0.0; classes];
    let mut has_moved = false;
    for i in 0..n {
        row.iter_mut().enumerate().for_each(|(c, p)| *p = chance(problem, i, c, alpha[c * n + i]));
        has_moved |= to_simplex(&mut row, problem.class(i));
        row.iter().enumerate().for_each(|(c, &p)| chances[c * n + i] = p);
    }
    has_moved |= problem.offset() && balance(problem, &mut chances);
    let has_bound = |at: usize| problem.bound(at % n) > 0.0;
    if !has_moved && (0..alpha.len()).all(|at| has_bound(at) || alpha[at] == 0.0) {
        return DualPoint { chances, alpha: alpha.to_vec() };
    }
    let own = |at: usize| f64::from(u8::from(problem.class(at % n) == at / n));
    let moved = (0..alpha.len()).map(|at| problem.bound(at % n) * (own(at) - chances[at])).collect();
    DualPoint { chances, alpha: moved }
}

/// The nearest point of the simplex; whether it is another but for rounding. What is not a number becomes e_y.
fn to_simplex(row: &mut [f64], class: usize) -> bool {
    if row.iter().any(|p| !p.is_finite()) {
        row.fill(0.0);
        row[class] = 1.0;
        return true;
    }
    let sum: f64 = row.iter().sum();
    let least = row.iter().copied().fold(f64::INFINITY, f64::min);
    if least >= -ROUNDING && (sum - 1.0).abs() <= ROUNDING {
        // The largest takes what rounding left over.
        row.iter_mut().for_each(|p| *p = p.max(0.0));
        let most = (1..row.len()).fold(0, |most, c| if row[c] > row[most] { c } else { most });
        let others: f64 = row.iter().enumerate().filter(|(c, _)| *c != most).map(|(_, p)| p).sum();
        row[most] = 1.0 - others;
        return false;
    }
    // max(p − t, 0) with the t that makes the sum 1 (Held, Wolfe and Crowder 1974).
    let mut sorted = row.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (count, p) in sorted.iter().enumerate() {
        sum += p;
        let next = (sum - 1.0) / (count + 1) as f64;
        if *p > next {
            shift = next;
        }
    }
    row.iter_mut().for_each(|p| *p = (*p - shift).max(0.0));
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|p| *p /= sum);
    true
}

/// Gives every class its weight, by a mixture with chances that are the same for all rows; whether that took any.
fn balance(problem: &SoftmaxProblem<'_>, chances: &mut [f64]) -> bool {
    let n = problem.len();
    let wanted = problem.class_weights();
    let total: f64 = wanted.iter().sum();
    let found = |own: &[f64]| own.iter().enumerate().map(|(i, p)| problem.weight(i) * p).sum::<f64>();
    let excess: Vec<f64> =
        chances.chunks_exact(n).zip(&wanted).map(|(own, wanted)| found(own) - wanted).collect();
    if excess.iter().all(|excess| excess.abs() <= ROUNDING * total) {
        return false;
    }
    let shares = excess.iter().zip(&wanted).filter(|(excess, _)| **excess > 0.0);
    let part = shares.map(|(excess, wanted)| excess / (wanted + excess)).fold(0.0, f64::max).min(1.0);
    for ((own, excess), wanted) in chances.chunks_exact_mut(n).zip(&excess).zip(&wanted) {
        let common = ((part * wanted - (1.0 - part) * excess) / total).max(0.0);
        own.iter_mut().for_each(|p| *p = (1.0 - part) * *p + common);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Features;
    use crate::testkit::Draw;

    #[test]
    fn points_of_the_domain_stay_and_others_get_there() {
        let mut draw = Draw::new(4);
        for round in 0..200 {
            let (n, classes) = (4 + round % 9, 2 + round % 3);
            let gram = Features::new(n, 1, vec![1.0; n]).unwrap();
            let codes: Vec<usize> = (0..n).map(|i| i % classes).collect();
            let weights: Vec<f64> =
                (0..n).map(|i| if i >= classes && i % 4 == 0 { 0.0 } else { 1.5 }).collect();
            let problem =
                SoftmaxProblem::new(&gram, (&codes, classes), Some(&weights), 0.3, round % 2 == 0).unwrap();
            let size = [0.01, 1.0, 100.0][round % 3];
            let alpha: Vec<f64> = (0..n * classes).map(|_| size * draw.next()).collect();
            let DualPoint { chances, alpha } = dual_point(&problem, &alpha);
            for (i, &weight) in weights.iter().enumerate() {
                let row: Vec<f64> = (0..classes).map(|c| chances[c * n + i]).collect();
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12 && row.iter().all(|&p| p >= 0.0));
                assert!((0..classes).all(|c| weight > 0.0 || alpha[c * n + i] == 0.0));
            }
            for (c, own) in alpha.chunks_exact(n).enumerate() {
                let (sum, size): (f64, f64) = (own.iter().sum(), own.iter().map(|a| a.abs()).sum());
                assert!(round % 2 == 1 || sum.abs() <= 1e-11 * (1.0 + size), "class {c}: {sum}");
            }
            let again = dual_point(&problem, &alpha);
            assert!(again.alpha.iter().zip(&alpha).all(|(a, b)| (a - b).abs() < 1e-10), "round {round}");
        }
    }

    #[test]
    fn the_simplex_point_is_the_nearest() {
        let mut row = [0.9, 0.4, -0.2];
        assert!(to_simplex(&mut row, 0));
        assert!(row.iter().zip([0.75, 0.25, 0.0]).all(|(a, b)| (a - b).abs() < 1e-15), "{row:?}");
        assert!(!to_simplex(&mut row, 0));
    }
}
