//! The offset that suits given scores best.
//!
//! Σ w_i ℓ(y_i, f_i + b) is convex in b, so its one-sided slopes do not decrease, and bisection on their sign finds where
//! they pass zero, whatever the loss.

use crate::Problem;
use crate::loss::{Loss, Scored, SlopeSums};

/// argmin over b of Σ w_i ℓ(y_i, f_i + b); the middle where an interval of offsets is best, its finite end where it has
/// one, and 0 where every offset is as good as any other.
pub(crate) fn best_offset(problem: &Problem<'_>, loss: &dyn Loss, scores: &[f64]) -> f64 {
    Rows::new(problem, loss, scores).best_of_all()
}

/// The same, up to the rounding of sums, where it is thought to be near a guess: that saves most of the search.
pub(crate) fn best_offset_near(problem: &Problem<'_>, loss: &dyn Loss, scores: &[f64], guess: f64) -> f64 {
    let rows = Rows::new(problem, loss, scores);
    if !(guess.is_finite() && scores.iter().all(|score| score.is_finite())) {
        return rows.best_of_all();
    }
    let room = ROUNDING * rows.weight();
    let mut step = NEAR * (1.0 + guess.abs());
    for _ in 0..GUESSES {
        let around = (guess - step, guess + step);
        if let Some(near) = rows.near(around, room) {
            return rows.best(around, Some(near), room);
        }
        step *= 16.0;
    }
    rows.best_of_all()
}

/// Where an offset is first looked for on either side of a guess, and how often farther away.
const NEAR: f64 = 1e-3;
const GUESSES: usize = 3;

/// Slopes below this part of the total weight are zero.
const ROUNDING: f64 = 1e-14;

struct Rows<'a> {
    loss: &'a dyn Loss,
    /// Those that count.
    counted: Vec<Scored>,
}

impl<'a> Rows<'a> {
    fn new(problem: &Problem<'_>, loss: &'a dyn Loss, scores: &[f64]) -> Self {
        let row = |(i, &score)| Scored { weight: problem.weight(i), y: problem.y()[i], score };
        let counted = scores.iter().enumerate().map(row).filter(|row| row.weight > 0.0).collect();
        Self { loss, counted }
    }

    fn weight(&self) -> f64 {
        self.counted.iter().map(|row| row.weight).sum()
    }

    fn risk(&self, b: f64) -> f64 {
        self.counted.iter().map(|row| row.weight * self.loss.value(row.y, row.score + b)).sum()
    }

    fn slopes(&self, b: f64) -> (f64, f64) {
        self.loss.sum_slopes(&self.counted, b)
    }

    fn best_of_all(&self) -> f64 {
        let Some(hull) = self.hull() else { return 0.0 };
        let room = ROUNDING * self.weight();
        self.best(hull, self.near(hull, room), room)
    }

    /// The best offset of those in a hull, or in a bracket of it.
    fn best(&self, hull: (f64, f64), near: Option<Bracket>, room: f64) -> f64 {
        let boundary = |holds: &dyn Fn((f64, f64)) -> bool| match &near {
            Some(near) => near.clone().halved(self.loss, holds),
            None => self.boundary(hull, holds),
        };
        let slopes = |b: f64| near.as_ref().map_or_else(|| self.slopes(b), |near| near.slopes(self.loss, b));
        let (before, exact) = boundary(&|slopes| slopes.1 >= 0.0);
        if exact.is_finite() && slopes(before).1 < -room && slopes(exact).1 > room {
            return exact;
        }
        // Either an interval is best or the slope passes zero slowly; sums of slopes are zero to rounding only.
        let (_, first) = boundary(&|slopes| slopes.1 >= -room);
        let (last, _) = boundary(&|slopes| slopes.0 > room);
        let middle = match (first.is_finite(), last.is_finite()) {
            (true, true) => 0.5 * first + 0.5 * last,
            (true, false) => first,
            (false, true) => last,
            (false, false) => 0.0,
        };
        // What is rounding next to the sum of all weights may not be so for rows of small weight, nor next to a risk of
        // zero.
        let (end, _) = boundary(&|slopes| slopes.0 > 0.0);
        let better = |b: f64, than: f64| b.is_finite() && self.risk(b) < self.risk(than) * (1.0 - 1e-14);
        [exact, end].into_iter().fold(middle, |best, b| if better(b, best) { b } else { best })
    }

    /// An interval that holds the best offset of every row that has one, hence one of all rows.
    fn hull(&self) -> Option<(f64, f64)> {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for &Scored { y, score, .. } in &self.counted {
            let kinks = self.loss.kinks(y);
            for kink in if kinks.is_empty() { &[0.0][..] } else { &kinks[..] } {
                if !(kink - score).is_finite() {
                    return None;
                }
                (from, to) = (from.min(kink - score), to.max(kink - score));
            }
        }
        Some((from, to)).filter(|(from, to)| (to - from).is_finite())
    }
}

impl Rows<'_> {
    /// Neighbouring offsets between which a monotone condition on the slopes becomes true; both −∞ where it always is, ∞
    /// where never.
    fn boundary(&self, (from, to): (f64, f64), holds: &dyn Fn((f64, f64)) -> bool) -> (f64, f64) {
        let (mut low, mut high) = (from, to);
        let mut step = (to - from).max(1.0 + 1e-3 * from.abs().max(to.abs()));
        let mut tries = 0..TRIES;
        while holds(self.slopes(low)) {
            if tries.next().is_none() || !low.is_finite() {
                return (f64::NEG_INFINITY, f64::NEG_INFINITY);
            }
            (high, low, step) = (low, low - step, 4.0 * step);
        }
        while !holds(self.slopes(high)) {
            if tries.next().is_none() || !high.is_finite() {
                return (f64::INFINITY, f64::INFINITY);
            }
            (low, high, step) = (high, high + step, 4.0 * step);
        }
        Bracket { low, high, open: self.counted.clone(), settled: 0.0 }.halved(self.loss, holds)
    }

    /// A bracket of every offset at which the slopes are zero, or as good as zero, that most rows have settled in; none
    /// where they are so at an end of the hull.
    fn near(&self, (low, high): (f64, f64), room: f64) -> Option<Bracket> {
        let mut bracket = Bracket { low, high, open: Vec::new(), settled: 0.0 };
        let SlopeSums { first, last, settled } =
            self.loss.slopes_between(&self.counted, (low, high), &mut bracket.open);
        bracket.settled = settled;
        // Also where they are not numbers.
        if !(first < -room && last > room) {
            return None;
        }
        while bracket.open.len() > FEW {
            let middle = bracket.middle()?;
            let (left, right) = bracket.slopes(self.loss, middle);
            if left > room {
                bracket.high = middle;
            } else if right < -room {
                bracket.low = middle;
            } else {
                break;
            }
            bracket.settle(self.loss);
        }
        Some(bracket)
    }
}

/// Offsets between which something is, and the rows whose slopes are not the same at both.
#[derive(Clone)]
struct Bracket {
    low: f64,
    high: f64,
    open: Vec<Scored>,
    /// The slopes of the other rows.
    settled: f64,
}

impl Bracket {
    /// A number between the ends, if there is one.
    fn middle(&self) -> Option<f64> {
        let middle = 0.5 * self.low + 0.5 * self.high;
        (middle > self.low && middle < self.high).then_some(middle)
    }

    fn slopes(&self, loss: &dyn Loss, b: f64) -> (f64, f64) {
        let (left, right) = loss.sum_slopes(&self.open, b);
        (self.settled + left, self.settled + right)
    }

    /// Rows whose slope is the same at both ends have it in between; they are summed once.
    fn settle(&mut self, loss: &dyn Loss) {
        let before = std::mem::take(&mut self.open);
        self.settled += loss.slopes_between(&before, (self.low, self.high), &mut self.open).settled;
    }

    /// The neighbouring numbers between which a monotone condition becomes true; it is false at the low end and true at
    /// the high one.
    fn halved(mut self, loss: &dyn Loss, holds: &dyn Fn((f64, f64)) -> bool) -> (f64, f64) {
        let mut narrows = true;
        for halving in 0..STEPS {
            let Some(middle) = self.middle() else { break };
            if holds(self.slopes(loss, middle)) {
                self.high = middle
            } else {
                self.low = middle
            }
            if narrows && halving % 4 == 3 {
                let before = self.open.len();
                self.settle(loss);
                narrows = self.open.len() < before;
            }
        }
        (self.low, self.high)
    }
}

/// So few rows are not worth being looked at for settled ones.
const FEW: usize = 16;

/// Steps beyond the hull: the slope of the logistic loss is zero in floating point 750 beyond it.
const TRIES: usize = 8;

/// Halvings: an offset next to 0 needs no more bits than these.
const STEPS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{EpsilonInsensitive, Hinge, Logistic, Squared};
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

    #[test]
    fn a_guess_changes_nothing_but_the_way() {
        let losses: [&dyn Loss; 4] = [&Hinge, &Squared, &Logistic, &EpsilonInsensitive { epsilon: 0.1 }];
        for (count, share) in [(5, 2), (300, 3), (300, 2)] {
            let gram = Features::new(count, 1, vec![0.0; count]).unwrap();
            // Mostly of one class, and then mostly of the other.
            let y: Vec<f64> = (0..count)
                .map(|i| if i % 3 == 0 { 1.0 } else { -1.0 } * if share == 2 { -1.0 } else { 1.0 })
                .collect();
            let weights: Vec<f64> = (0..count).map(|i| 0.1 + (i % 7) as f64 / 3.0).collect();
            for (loss, scale) in losses.iter().flat_map(|loss| [1e-3, 1.0, 50.0].map(|scale| (*loss, scale)))
            {
                let scores: Vec<f64> =
                    (0..count).map(|i| scale * (((i * 7919) % 1009) as f64 / 504.5 - 1.0)).collect();
                let plain = Problem::new(&gram, &y, Objective::Risk(loss), 1.0, true).unwrap();
                for problem in [plain, plain.weighted(&weights).unwrap()] {
                    let want = best_offset(&problem, loss, &scores);
                    for off in [0.0, 1e-9, -1e-4, 0.3, -40.0, 1e9, f64::NAN, f64::INFINITY, f64::NEG_INFINITY]
                    {
                        let found = best_offset_near(&problem, loss, &scores, want + off);
                        let apart = (found - want).abs();
                        assert!(apart <= 1e-12 * (1.0 + want.abs()), "{count} {scale} {off}: {found} {want}");
                    }
                }
            }
        }
    }
}
