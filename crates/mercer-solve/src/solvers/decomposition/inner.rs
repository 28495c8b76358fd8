//! The program on a working set: pairs of variables by second-order choice (Fan, Chen, Lin 2005), single variables where
//! no sum binds them.
//!
//! ```text
//! i = argmin of the slope among those that can increase
//! j = argmax of (G_j − G_i)²/(Q_ii + Q_jj − 2Q_ij) among those of its group that can decrease and have G_j > G_i
//! β_i += t,  β_j −= t,  t = (G_j − G_i)/(Q_ii + Q_jj − 2Q_ij) or what the boxes leave
//! ```

use std::ops::Range;

use super::working_set::alone;
use crate::{Run, Status};

/// The part of the program that is worked on; variables of a group stand together.
pub(super) struct Inner<'a> {
    /// K at the crossings of the variables' rows.
    pub(super) kernel: &'a [f64],
    pub(super) beta: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    pub(super) ridge: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// Groups; none where variables are free of each other.
    pub(super) groups: Vec<Range<usize>>,
}

/// How the work on a set ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ended {
    /// Steps made.
    pub(super) steps: u64,
    /// The run told to stop.
    pub(super) stopped: Option<Status>,
}

/// Steps between two questions whether to stop.
const POLL: u64 = 256;

/// Curvature along a step is taken as at least this part of the diagonal: a step along flat or negative curvature then
/// goes to the end of a box.
const FLAT: f64 = 1e-12;

impl Inner<'_> {
    /// Steps until the violation on the set is below the target, no step moves anything, or so many are made.
    pub(super) fn solve(&mut self, target: f64, most: u64, run: &Run<'_>) -> Ended {
        let diagonal: Vec<f64> =
            (0..self.len()).map(|a| self.kernel[a * self.len() + a] + self.ridge[a]).collect();
        let mut steps = 0;
        while steps < most {
            if steps % POLL == POLL - 1
                && let Some(status) = run.stop()
            {
                return Ended { steps, stopped: Some(status) };
            }
            let moved = if self.groups.is_empty() {
                self.single(&diagonal, target)
            } else {
                self.pair(&diagonal, target)
            };
            if !moved {
                break;
            }
            steps += 1;
        }
        Ended { steps, stopped: None }
    }

    fn len(&self) -> usize {
        self.beta.len()
    }

    fn row(&self, a: usize) -> &[f64] {
        &self.kernel[a * self.len()..(a + 1) * self.len()]
    }

    /// One step of a pair; whether anything moved.
    fn pair(&mut self, diagonal: &[f64], target: f64) -> bool {
        let Some((range, i)) = self.worst_rise(target) else { return false };
        let Some((j, curvature)) = self.partner(diagonal, range, i) else { return false };
        let room = (self.upper[i] - self.beta[i]).min(self.beta[j] - self.lower[j]);
        let wanted = (self.gradient[j] - self.gradient[i]) / curvature;
        let (before_i, before_j) = (self.beta[i], self.beta[j]);
        let step = wanted.min(room);
        // Ends of boxes are met exactly, so that rows stay at their bounds.
        self.beta[i] = if step >= self.upper[i] - before_i { self.upper[i] } else { before_i + step };
        self.beta[j] = if step >= before_j - self.lower[j] { self.lower[j] } else { before_j - step };
        if self.beta[i] == before_i && self.beta[j] == before_j {
            return false;
        }
        let len = self.len();
        let (row_i, row_j) = (&self.kernel[i * len..(i + 1) * len], &self.kernel[j * len..(j + 1) * len]);
        let (up, down) = (self.beta[i] - before_i, self.beta[j] - before_j);
        for ((g, k_i), k_j) in self.gradient.iter_mut().zip(row_i).zip(row_j) {
            *g += up * k_i + down * k_j;
        }
        self.gradient[i] += up * self.ridge[i];
        self.gradient[j] += down * self.ridge[j];
        true
    }

    /// The group with the largest violation above the target, and its variable that wants most to increase.
    fn worst_rise(&self, target: f64) -> Option<(Range<usize>, usize)> {
        let mut worst = (target, None);
        for range in &self.groups {
            let (mut top, mut bottom, mut at) = (f64::NEG_INFINITY, f64::INFINITY, None);
            for a in range.clone() {
                let g = self.gradient[a];
                if g > top && self.beta[a] > self.lower[a] {
                    top = g;
                }
                if g < bottom && self.beta[a] < self.upper[a] {
                    (bottom, at) = (g, Some(a));
                }
            }
            if top - bottom > worst.0 {
                worst = (top - bottom, at.map(|a| (range.clone(), a)));
            }
        }
        worst.1
    }

    /// The partner that promises most, and the curvature along the step.
    fn partner(&self, diagonal: &[f64], range: Range<usize>, i: usize) -> Option<(usize, f64)> {
        let (row, low) = (self.row(i), self.gradient[i]);
        let mut best = (0.0, None);
        for j in range {
            let excess = self.gradient[j] - low;
            if excess > 0.0 && self.beta[j] > self.lower[j] {
                let curvature = bounded(diagonal[i] + diagonal[j] - 2.0 * row[j], diagonal[i] + diagonal[j]);
                let gain = excess * excess / curvature;
                if gain > best.0 {
                    best = (gain, Some((j, curvature)));
                }
            }
        }
        best.1
    }

    /// One step of the variable that promises most; whether it moved.
    fn single(&mut self, diagonal: &[f64], target: f64) -> bool {
        let mut best = (0.0, None);
        for (a, &diagonal) in diagonal.iter().enumerate() {
            let (fall, rise) = (self.beta[a] > self.lower[a], self.beta[a] < self.upper[a]);
            let size = alone(self.gradient[a], fall, rise);
            let gain = size * size / bounded(diagonal, diagonal);
            if size > target && gain > best.0 {
                best = (gain, Some(a));
            }
        }
        let Some(a) = best.1 else { return false };
        let before = self.beta[a];
        let step = -self.gradient[a] / bounded(diagonal[a], diagonal[a]);
        self.beta[a] = (before + step).clamp(self.lower[a], self.upper[a]);
        let change = self.beta[a] - before;
        if change == 0.0 {
            return false;
        }
        let len = self.len();
        let row = &self.kernel[a * len..(a + 1) * len];
        self.gradient.iter_mut().zip(row).for_each(|(g, k)| *g += change * k);
        self.gradient[a] += change * self.ridge[a];
        true
    }
}

fn bounded(curvature: f64, scale: f64) -> f64 {
    curvature.max(FLAT * scale.abs()).max(f64::MIN_POSITIVE)
}
