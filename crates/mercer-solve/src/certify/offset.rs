//! The offset that suits given scores best.

use crate::Problem;
use crate::loss::Loss;

/// argmin over b of Σ w_i ℓ(y_i, f_i + b); the middle where an interval of offsets is best, its finite end where one is.
pub(crate) fn best_offset(problem: &Problem<'_>, loss: &dyn Loss, scores: &[f64]) -> f64 {
    let slopes = |b: f64| {
        let (mut low, mut high) = (0.0, 0.0);
        for (i, score) in scores.iter().enumerate() {
            let w = problem.weight(i);
            if w > 0.0 {
                let (from, to) = loss.slopes(problem.y()[i], score + b);
                low += w * from;
                high += w * to;
            }
        }
        (low, high)
    };
    // The least b whose slopes reach zero from below, and the largest whose slopes reach it from above.
    let first = bisect(|b| slopes(b).1 >= -rounding(problem)).1;
    let last = bisect(|b| slopes(b).0 > rounding(problem)).0;
    match (first.abs() < LIMIT, last.abs() < LIMIT) {
        (true, true) => 0.5 * (first + last),
        (true, false) => first,
        (false, true) => last,
        (false, false) => 0.0,
    }
}

/// An offset beyond this is a problem without a minimum.
const LIMIT: f64 = 1e30;

fn rounding(problem: &Problem<'_>) -> f64 {
    let weights: f64 = (0..problem.len()).map(|i| problem.weight(i)).sum();
    1e-14 * weights
}

/// The last point where a monotone condition is false and the first where it is true, neighbouring numbers.
fn bisect(holds: impl Fn(f64) -> bool) -> (f64, f64) {
    let mut reach = 1.0;
    while reach < LIMIT && holds(-reach) {
        reach *= 8.0;
    }
    let mut low = -reach;
    let mut reach = 1.0;
    while reach < LIMIT && !holds(reach) {
        reach *= 8.0;
    }
    let mut high = reach;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if holds(middle) { high = middle } else { low = middle }
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Hinge;
    use crate::{Features, Objective};

    #[test]
    fn one_class_of_either_sign_is_served_to_the_last_bit() {
        let gram = Features::new(2, 1, vec![0.0, 0.0]).unwrap();
        for sign in [1.0, -1.0] {
            let y = [sign; 2];
            let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 1.0, true).unwrap();
            let offset = best_offset(&problem, &Hinge, &[0.0, 0.0]);
            assert_eq!(Hinge.value(sign, offset), 0.0, "{offset}");
        }
    }
}
