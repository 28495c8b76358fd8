//! The offsets of all classes that suit given scores best: argmin over b of Σ w_i [log Σ_c e^{F_ic} − F_iy].
//!
//! Convex in b, and flat where all offsets move together. Newton's method with halved steps; where it finds none, a step
//! of iterative scaling, b_c += log(W_c / Σ w_i q_ic), which never makes it worse. A look at all rows takes n·k²
//! operations for k classes, so that rows are where it asks whether to stop.

use mercer_linalg::{cholesky, cholesky_solve};

use crate::SoftmaxProblem;
use crate::loss::Softmax;

/// Steps at most, at one temperature.
const STEPS: usize = 60;

/// Coolings at most.
const COOLINGS: usize = 40;

/// Operations between two questions whether to stop: less than a millisecond.
const BETWEEN: usize = 1 << 18;

/// Offsets of sum zero, sought from a start, or from zero if that is better; zeros in a problem without offsets, or where
/// scores are no numbers.
///
/// Where scores are large, all but a few rows are sure, the risk is nearly made of planes, and a step knows nothing of
/// what is beyond the next edge. The scores are then melted, F/T for a large T, and cooled down to T = 1 step by step.
///
/// Where `stop` says so, the best offsets that were found by then come back.
pub(crate) fn best_offsets(
    problem: &SoftmaxProblem<'_>,
    scores: &[f64],
    start: &[f64],
    stop: &dyn Fn() -> bool,
) -> Vec<f64> {
    let classes = problem.classes();
    if !problem.offset() || scores.iter().any(|score| !score.is_finite()) {
        return vec![0.0; classes];
    }
    let cold = Rows { problem, scores, wanted: problem.class_weights(), temperature: 1.0, stop };
    let total: f64 = cold.wanted.iter().sum();
    let (start, zero) = (centred(start.to_vec()), vec![0.0; classes]);
    let (found, excess) = cold.descend(if cold.risk(&start) <= cold.risk(&zero) { start } else { zero });
    let largest = scores.iter().fold(0.0, |most: f64, score| most.max(score.abs()));
    if excess <= ENOUGH * total || largest <= 4.0 || stop() {
        return found;
    }
    let coolings = (largest.log(4.0).ceil() as usize).min(COOLINGS);
    let mut offsets = vec![0.0; classes];
    for k in (0..=coolings).rev() {
        let warm = Rows { temperature: 4_f64.powi(k as i32), wanted: cold.wanted.clone(), ..cold };
        offsets = warm.descend(offsets).0;
        if stop() {
            return found;
        }
    }
    if cold.risk(&offsets) < cold.risk(&found) { offsets } else { found }
}

/// Sums that are right to this part of all weight need no second attempt.
const ENOUGH: f64 = 1e-9;

fn centred(mut offsets: Vec<f64>) -> Vec<f64> {
    let mean = offsets.iter().sum::<f64>() / offsets.len() as f64;
    offsets.iter_mut().for_each(|b| *b -= mean);
    offsets
}

struct Rows<'a> {
    problem: &'a SoftmaxProblem<'a>,
    scores: &'a [f64],
    /// W_c.
    wanted: Vec<f64>,
    /// T: scores and offsets count as F/T, and the risk T times.
    temperature: f64,
    /// Whether somebody is waiting for it to end.
    stop: &'a dyn Fn() -> bool,
}

/// What there is at some offsets.
struct Look {
    risk: f64,
    /// Σ w q_c − W_c: the slopes.
    excess: Vec<f64>,
    /// Σ w (diag q − qqᵀ).
    curvature: Vec<f64>,
}

impl Look {
    fn worst(&self) -> f64 {
        self.excess.iter().map(|excess| excess.abs()).fold(0.0, f64::max)
    }
}

impl Rows<'_> {
    /// The best offsets that are found from a start, and the largest of their slopes.
    fn descend(&self, mut offsets: Vec<f64>) -> (Vec<f64>, f64) {
        let total: f64 = self.wanted.iter().sum();
        let Some(mut here) = self.look(&offsets) else { return (offsets, f64::INFINITY) };
        for _ in 0..STEPS {
            // Less than rounding makes of the sums.
            if here.worst() <= 1e-15 * total || here.worst().is_nan() {
                break;
            }
            let tried = |step: Option<Vec<f64>>| {
                let step = step?;
                let slope: f64 = step.iter().zip(&here.excess).map(|(s, e)| s * e).sum();
                self.halved(&offsets, &step, here.risk, slope)
            };
            let Some(next) = tried(self.newton(&here)).or_else(|| tried(self.scaling(&here))) else { break };
            let Some(found) = self.look(&next) else { break };
            // Rounding: neither the risk nor the sums get better.
            if found.risk >= here.risk && found.worst() >= here.worst() {
                break;
            }
            (offsets, here) = (next, found);
        }
        let worst = here.worst();
        (offsets, worst)
    }

    fn row(&self, i: usize, offsets: &[f64], out: &mut [f64]) {
        self.problem.row(i, self.scores, offsets, out);
        if self.temperature != 1.0 {
            out.iter_mut().for_each(|f| *f /= self.temperature);
        }
    }

    fn risk(&self, offsets: &[f64]) -> f64 {
        let mut own = vec![0.0; offsets.len()];
        let row = |i: usize| {
            self.row(i, offsets, &mut own);
            self.problem.weight(i) * Softmax.value(&own, self.problem.class(i))
        };
        self.temperature * (0..self.problem.len()).map(row).sum::<f64>()
    }

    /// None if it was stopped.
    fn look(&self, offsets: &[f64]) -> Option<Look> {
        let k = offsets.len();
        let often = (BETWEEN / (k * k)).max(1);
        let (mut own, mut q) = (vec![0.0; k], vec![0.0; k]);
        let mut look = Look { risk: 0.0, excess: vec![0.0; k], curvature: vec![0.0; k * k] };
        for i in (0..self.problem.len()).filter(|&i| self.problem.weight(i) > 0.0) {
            if i % often == 0 && (self.stop)() {
                return None;
            }
            let (w, class) = (self.problem.weight(i), self.problem.class(i));
            self.row(i, offsets, &mut own);
            Softmax.chances(&own, &mut q);
            look.risk += self.temperature * w * Softmax.value(&own, class);
            for (a, line) in look.curvature.chunks_exact_mut(k).enumerate() {
                // A row's slope in the offset of its own class is what the others have, to all digits.
                let others = || q.iter().enumerate().filter(|(c, _)| *c != a).map(|(_, q)| q).sum::<f64>();
                look.excess[a] += if a == class { -w * others() } else { w * q[a] };
                line[a] += w * q[a];
                line[..=a].iter_mut().zip(&q).for_each(|(value, other)| *value -= w * q[a] * other);
            }
        }
        Some(look)
    }

    fn newton(&self, look: &Look) -> Option<Vec<f64>> {
        let k = look.excess.len();
        let trace: f64 = (0..k).map(|a| look.curvature[a * k + a]).sum();
        let mut matrix = look.curvature.clone();
        for (a, line) in matrix.chunks_exact_mut(k).enumerate() {
            // All offsets together have no curvature of their own: they are given some, and do not move.
            line[..=a].iter_mut().for_each(|value| *value += trace / (k * k) as f64);
            line[a] += 1e-15 * trace;
        }
        let mut step: Vec<f64> = look.excess.iter().map(|excess| -excess * self.temperature).collect();
        // A factor of k classes is little work next to a look at all rows.
        cholesky(k, k, &mut matrix, &|| false).ok()?;
        cholesky_solve(k, k, &matrix, &mut step, &|| false).ok()?;
        Some(centred(step)).filter(|step| step.iter().all(|value| value.is_finite()))
    }

    fn scaling(&self, look: &Look) -> Option<Vec<f64>> {
        let step = self
            .wanted
            .iter()
            .zip(&look.excess)
            .map(|(wanted, excess)| -self.temperature * (excess / wanted).ln_1p());
        Some(centred(step.collect())).filter(|step| step.iter().all(|value| value.is_finite()))
    }

    /// The offsets after a step, halved until the risk decreases.
    fn halved(&self, offsets: &[f64], step: &[f64], risk: f64, slope: f64) -> Option<Vec<f64>> {
        let mut t = 1.0;
        while slope < 0.0 && t > 1e-9 && !(self.stop)() {
            let next: Vec<f64> = offsets.iter().zip(step).map(|(b, s)| b + t * s).collect();
            if self.risk(&next) <= risk + 1e-4 * t * slope + 1e-15 * risk.abs() {
                return Some(next);
            }
            t *= 0.5;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Features;
    use crate::testkit::Draw;

    #[test]
    fn the_chances_of_a_class_add_up_to_its_weight() {
        let mut draw = Draw::new(9);
        for (round, size) in [0.1, 1.0, 5.0, 30.0, 300.0, 3000.0].into_iter().enumerate() {
            let (n, classes) = (40, 2 + round);
            let gram = Features::new(n, 1, vec![1.0; n]).unwrap();
            let codes: Vec<usize> = (0..n).map(|i| i % classes).collect();
            let weights: Vec<f64> = (0..n).map(|i| f64::from(i as u32 % 3) * 0.5 + 0.01).collect();
            let problem = SoftmaxProblem::new(&gram, (&codes, classes), Some(&weights), 1.0, true).unwrap();
            let scores: Vec<f64> = (0..n * classes).map(|_| size * draw.next()).collect();
            let found = best_offsets(&problem, &scores, &vec![0.0; classes], &|| false);
            assert!(found.iter().sum::<f64>().abs() < 1e-9 * size, "{found:?}");
            let wanted = problem.class_weights();
            let rows = Rows { problem: &problem, scores: &scores, wanted, temperature: 1.0, stop: &|| false };
            let look = rows.look(&found).unwrap();
            let total: f64 = rows.wanted.iter().sum();
            assert!(look.excess.iter().all(|e| e.abs() < 1e-9 * total), "size {size}: {:?}", look.excess);
            // No other is better.
            for _ in 0..50 {
                let other: Vec<f64> = found.iter().map(|b| b + 0.1 * size * draw.next()).collect();
                assert!(rows.risk(&other) >= look.risk * (1.0 - 1e-12));
            }
        }
    }

    #[test]
    fn it_stops_among_the_rows_and_never_makes_it_worse() {
        let (n, classes) = (2000, 100);
        let mut draw = Draw::new(3);
        let gram = Features::new(n, 1, vec![1.0; n]).unwrap();
        let codes: Vec<usize> = (0..n).map(|i| if i < classes { i } else { i * i % classes }).collect();
        let problem = SoftmaxProblem::new(&gram, (&codes, classes), None, 1.0, true).unwrap();
        let scores: Vec<f64> = (0..n * classes).map(|_| 20.0 * draw.next()).collect();
        let zero = vec![0.0; classes];
        let wanted = problem.class_weights();
        let rows = Rows { problem: &problem, scores: &scores, wanted, temperature: 1.0, stop: &|| false };
        let mut before = rows.risk(&zero);
        // A look at all rows asks 76 times.
        for after in [0, 1, 77, 400] {
            let asked = std::cell::Cell::new(0);
            let stop = || {
                asked.set(asked.get() + 1);
                asked.get() > after
            };
            let found = best_offsets(&problem, &scores, &zero, &stop);
            let risk = rows.risk(&found);
            assert!(asked.get() <= after + 4, "{after}: asked {} times", asked.get());
            assert!(risk <= before, "{after}: {risk} {before}");
            before = risk;
        }
    }
}
