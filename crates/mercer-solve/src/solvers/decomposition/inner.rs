//! The program on a working set: pairs of variables by second-order choice (Fan, Chen, Lin 2005), single variables where
//! no sum binds them.
//!
//! ```text
//! i = argmin of the slope among those that can increase
//! j = argmax of (G_j − G_i)²/(Q_ii + Q_jj − 2Q_ij) among those of its group that can decrease and have G_j > G_i
//! β_i += t,  β_j −= t,  t = (G_j − G_i)/(Q_ii + Q_jj − 2Q_ij) or what the boxes leave
//! ```

use std::ops::Range;

use mercer_linalg::{Ends, Isa, Real, best_partner, shift_slopes};

use super::working_set::alone;
use crate::{Run, Status};

/// The part of the program that is worked on; variables of a group stand together.
pub(super) struct Part {
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

/// Curvature along a step is taken as at least this part of the diagonal, and as no less than its rounding: a step along
/// flat or negative curvature then goes to the end of a box.
const FLAT: f64 = 1e-12;

impl Part {
    /// Steps until the violation on the set is below the target, no step moves anything, or so many are made. `kernel` is
    /// K at the crossings of the variables' rows.
    pub(super) fn solve<T: Real>(&mut self, kernel: &[T], target: f64, most: u64, run: &Run<'_>) -> Ended {
        let mut work = Work::new(self, kernel);
        let mut steps = 0;
        while steps < most {
            if steps % POLL == POLL - 1
                && let Some(status) = run.stop()
            {
                return Ended { steps, stopped: Some(status) };
            }
            let moved = if work.ends.is_empty() { work.single(target) } else { work.pair(target) };
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

    /// What is added to the slope of a variable that cannot increase, and of one that cannot decrease.
    fn barriers(&self, a: usize) -> (f64, f64) {
        (
            if self.beta[a] < self.upper[a] { 0.0 } else { f64::INFINITY },
            if self.beta[a] > self.lower[a] { 0.0 } else { f64::NEG_INFINITY },
        )
    }
}

struct Work<'a, T> {
    part: &'a mut Part,
    kernel: &'a [T],
    isa: Isa,
    diagonal: Vec<f64>,
    /// The diagonal in the precision of the kernel.
    narrow: Vec<T>,
    rise: Vec<f64>,
    fall: Vec<f64>,
    /// Where the slopes of each group end.
    ends: Vec<Ends>,
}

impl<'a, T: Real> Work<'a, T> {
    fn new(part: &'a mut Part, kernel: &'a [T]) -> Self {
        let len = part.len();
        let diagonal: Vec<f64> = (0..len).map(|a| kernel[a * len + a].f64() + part.ridge[a]).collect();
        let narrow = diagonal.iter().map(|&d| T::of(d)).collect();
        let (rise, fall) = (0..len).map(|a| part.barriers(a)).unzip();
        let mut work =
            Self { part, kernel, isa: Isa::detect(), diagonal, narrow, rise, fall, ends: Vec::new() };
        if len > 0 {
            work.shift((0, 0.0), (0, 0.0));
        }
        work
    }

    fn row(&self, a: usize) -> &'a [T] {
        let len = self.part.len();
        &self.kernel[a * len..(a + 1) * len]
    }

    /// Moves the slopes by what two rows weigh, and finds where they end.
    fn shift(&mut self, (i, up): (usize, f64), (j, down): (usize, f64)) {
        let (x, y) = (self.row(i), self.row(j));
        self.part.gradient[i] += up * self.part.ridge[i];
        self.part.gradient[j] += down * self.part.ridge[j];
        self.ends.clear();
        for range in &self.part.groups {
            let slopes = &mut self.part.gradient[range.clone()];
            let (rise, fall) = (&self.rise[range.clone()], &self.fall[range.clone()]);
            let (x, y) = (&x[range.clone()], &y[range.clone()]);
            let ends = shift_slopes(self.isa, slopes, rise, fall, up, x, down, y);
            self.ends.push(Ends { at: ends.at + range.start, ..ends });
        }
    }

    /// One step of a pair; whether anything moved.
    fn pair(&mut self, target: f64) -> bool {
        let mut worst = (target, None);
        for (ends, range) in self.ends.iter().zip(&self.part.groups) {
            if ends.top - ends.bottom > worst.0 {
                worst = (ends.top - ends.bottom, Some((ends.at, range.clone())));
            }
        }
        let (violation, Some((i, range))) = worst else { return false };
        let Some(j) = self.partner(i, range, violation) else { return false };
        let part = &mut *self.part;
        let scale = self.diagonal[i] + self.diagonal[j];
        let curvature = bounded::<T>(scale - 2.0 * self.kernel[i * part.len() + j].f64(), scale);
        let (before_i, before_j) = (part.beta[i], part.beta[j]);
        let wanted = (part.gradient[j] - part.gradient[i]) / curvature;
        let step = wanted.min(part.upper[i] - before_i).min(before_j - part.lower[j]);
        // Ends of boxes are met exactly, so that rows stay at their bounds.
        part.beta[i] = if step >= part.upper[i] - before_i { part.upper[i] } else { before_i + step };
        part.beta[j] = if step >= before_j - part.lower[j] { part.lower[j] } else { before_j - step };
        let (up, down) = (part.beta[i] - before_i, part.beta[j] - before_j);
        if up == 0.0 && down == 0.0 {
            return false;
        }
        for a in [i, j] {
            (self.rise[a], self.fall[a]) = self.part.barriers(a);
        }
        self.shift((i, up), (j, down));
        true
    }

    /// The partner in a group that promises most.
    fn partner(&self, i: usize, range: Range<usize>, violation: f64) -> Option<usize> {
        let (row, from) = (&self.row(i)[range.clone()], range.start);
        let flat = T::of(bounded::<T>(0.0, self.diagonal[i])).larger(T::of(f32::MIN_POSITIVE.into()));
        let (slopes, fall) = (&self.part.gradient[range.clone()], &self.fall[range.clone()]);
        let (low, narrow) = (self.part.gradient[i], &self.narrow[range]);
        best_partner(self.isa, slopes, fall, narrow, row, low, violation, self.narrow[i], flat)
            .map(|j| from + j)
    }

    /// One step of the variable that promises most; whether it moved.
    fn single(&mut self, target: f64) -> bool {
        let part = &mut *self.part;
        let mut best = (0.0, None);
        for (a, &diagonal) in self.diagonal.iter().enumerate() {
            let (fall, rise) = (part.beta[a] > part.lower[a], part.beta[a] < part.upper[a]);
            let size = alone(part.gradient[a], fall, rise);
            let gain = size * size / bounded::<T>(diagonal, diagonal);
            if size > target && gain > best.0 {
                best = (gain, Some(a));
            }
        }
        let Some(a) = best.1 else { return false };
        let before = part.beta[a];
        let step = -part.gradient[a] / bounded::<T>(self.diagonal[a], self.diagonal[a]);
        part.beta[a] = (before + step).clamp(part.lower[a], part.upper[a]);
        let change = part.beta[a] - before;
        if change == 0.0 {
            return false;
        }
        let len = part.len();
        let row = &self.kernel[a * len..(a + 1) * len];
        part.gradient.iter_mut().zip(row).for_each(|(g, k)| *g += change * k.f64());
        part.gradient[a] += change * part.ridge[a];
        true
    }
}

fn bounded<T: Real>(curvature: f64, scale: f64) -> f64 {
    curvature.max(FLAT.max(T::ROUNDING) * scale.abs()).max(f64::MIN_POSITIVE)
}
