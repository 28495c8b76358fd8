//! Whether it goes forward, and how fast.

use std::collections::VecDeque;

/// Expects the end from how the logarithm of what must fall has fallen lately.
#[derive(Debug, Default)]
pub(super) struct Pace {
    seen: VecDeque<(f64, f64)>,
}

/// Points that the line is drawn through.
const MEMORY: usize = 12;

impl Pace {
    /// Seconds until `value` reaches `wanted`, if it falls.
    pub(super) fn expect(&mut self, seconds: f64, value: f64, wanted: f64) -> Option<f64> {
        if !(value > 0.0 && wanted > 0.0) {
            return None;
        }
        if self.seen.len() == MEMORY {
            self.seen.pop_front();
        }
        self.seen.push_back((seconds, value.ln()));
        let (&(first, high), &(last, low)) = (self.seen.front()?, self.seen.back()?);
        let rate = (high - low) / (last - first);
        (rate > 0.0 && rate.is_finite()).then(|| ((value / wanted).ln() / rate).max(0.0))
    }
}

/// Says when nothing gets better any more.
#[derive(Debug)]
pub(super) struct Patience {
    violation: f64,
    objective: f64,
    idle: usize,
    warned: bool,
}

/// Blocks without a better violation or objective after which it is thought to be stuck.
const BLOCKS: usize = 40;

impl Patience {
    pub(super) fn new() -> Self {
        Self { violation: f64::INFINITY, objective: f64::INFINITY, idle: 0, warned: false }
    }

    /// Whether it is stuck, now that a block ended in these.
    pub(super) fn is_lost(&mut self, violation: f64, objective: f64) -> bool {
        let better = violation < 0.95 * self.violation
            || objective < self.objective - 1e-12 * self.objective.abs()
            || self.objective.is_infinite();
        if better {
            (self.idle, self.warned) = (0, false);
            self.violation = violation.min(self.violation);
            self.objective = objective.min(self.objective);
        } else {
            self.idle += 1;
        }
        self.idle >= BLOCKS
    }

    /// Whether it was lost before, and nothing has become better since; another chance is given.
    pub(super) fn was_lost(&mut self) -> bool {
        self.idle = 0;
        std::mem::replace(&mut self.warned, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_fall_is_extrapolated() {
        let mut pace = Pace::default();
        assert_eq!(pace.expect(1.0, 1.0, 1e-3), None);
        let left = pace.expect(2.0, 0.1, 1e-3).unwrap();
        assert!((left - 2.0).abs() < 1e-9, "{left}");
        assert_eq!(pace.expect(3.0, 10.0, 1e-3), None);
    }

    #[test]
    fn patience_ends_without_progress_and_only_then() {
        let mut patience = Patience::new();
        for block in 0..1000 {
            assert!(!patience.is_lost(1.0, -f64::from(block)));
        }
        assert!((0..BLOCKS).any(|_| patience.is_lost(1.0, -999.0)));
    }
}
