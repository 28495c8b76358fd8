//! The program on a working set: pairs of variables by second-order choice (Fan, Chen, Lin 2005), single variables where
//! no sum binds them.
//!
//! ```text
//! i = argmin of the slope among those that can increase
//! j = argmax of (G_j − G_i)²/(Q_ii + Q_jj − 2Q_ij) among those of its group that can decrease and have G_j > G_i
//! β_i += t,  β_j −= t,  t = (G_j − G_i)/(Q_ii + Q_jj − 2Q_ij) or what the boxes leave
//! ```

use std::ops::Range;

use mercer_linalg::{Ends, Isa, LINES, Places, Real, add_lines, best_partner, shift_slopes};

use super::rows::Entry;
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

/// Kernel rows of the variables of a part.
pub(super) trait Lines<T> {
    /// K at the crossing of a variable with itself.
    fn diagonal(&self, a: usize) -> f64;
    /// The row of a variable that was wanted.
    fn row(&self, a: usize) -> &[T];
    /// Makes sure of a row; what may be moved, and where to, says which others are likely to be wanted next. Whether
    /// anything had to be computed.
    fn want(&mut self, _: usize, _: &Moves<'_>) -> bool {
        false
    }
}

/// Slopes of the variables, and what is added to those of variables that cannot increase, or decrease.
pub(super) struct Moves<'a> {
    pub(super) slopes: &'a [f64],
    pub(super) rise: &'a [f64],
    pub(super) fall: &'a [f64],
}

/// All rows, one after the other.
struct Whole<'a, T> {
    kernel: &'a [T],
    len: usize,
}

impl<T: Real> Lines<T> for Whole<'_, T> {
    fn diagonal(&self, a: usize) -> f64 {
        self.kernel[a * self.len + a].f64()
    }

    fn row(&self, a: usize) -> &[T] {
        &self.kernel[a * self.len..(a + 1) * self.len]
    }
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

/// Steps between two looks for variables that stay at their bounds, in sets of at least so many, while most of them move.
const PERIOD: u64 = 1000;
const FEW: usize = 512;

/// The others are worked on until the violation is this part of what it was: those that stayed may come back.
const EASE: f64 = 0.1;

/// Curvature along a step is taken as at least this part of the diagonal, and as no less than its rounding: a step along
/// flat or negative curvature then goes to the end of a box.
const FLAT: f64 = 1e-12;

impl Part {
    /// Steps until the violation on the set is below the target, no step moves anything, or so many are made. `kernel` is
    /// K at the crossings of the variables' rows.
    ///
    /// A step looks at every variable, and most of those at their bounds stay there: now and then the others are taken out
    /// and worked on alone, and the slopes of those that stayed catch up afterwards. The last look is at all of them.
    pub(super) fn solve<T: Entry>(&mut self, kernel: &[T], target: f64, most: u64, run: &Run<'_>) -> Ended {
        let is_small = self.len() < FEW;
        let (mut steps, mut period) = (0, 0);
        loop {
            let few = if is_small { most } else { period.min(most - steps) };
            let mut lines = Whole { kernel: &kernel[..self.len().pow(2)], len: self.len() };
            let (ended, ends) = self.step(&mut lines, target, few, run);
            steps += ended.steps;
            let violation = ends.iter().fold(0.0, |most: f64, ends| most.max(ends.top - ends.bottom));
            let is_done = ended.steps < few || !ends.is_empty() && violation <= target;
            if ended.stopped.is_some() || is_small || is_done || steps >= most {
                return Ended { steps, ..ended };
            }
            if let Some(status) = run.stop() {
                return Ended { steps, stopped: Some(status) };
            }
            let active = self.active(&ends);
            if active.len() * 4 > self.len() * 3 {
                period = PERIOD.min(self.len() as u64);
                continue;
            }
            let active = Places::new(active);
            let mut part = self.taken(active.as_slice());
            let mut crossings = T::spare();
            cross(kernel, self.len(), &active, &mut crossings);
            let ended = part.solve(&crossings, target.max(EASE * violation), most - steps, run);
            T::spared(crossings);
            steps += ended.steps;
            self.take_back(kernel, active.as_slice(), &part);
            if ended.stopped.is_some() || steps >= most {
                return Ended { steps, ..ended };
            }
            // Who violates is known now without a step of all; only if these cannot move either, all are looked at.
            period = if ended.steps == 0 { PERIOD.min(self.len() as u64) } else { 0 };
        }
    }

    /// Steps on all variables until the violation is below the target, nothing moves, or so many are made; and where their
    /// slopes then end.
    pub(super) fn step<T: Real>(
        &mut self,
        lines: &mut impl Lines<T>,
        target: f64,
        most: u64,
        run: &Run<'_>,
    ) -> (Ended, Vec<Ends>) {
        let mut work = Work::new(self, lines);
        let (mut steps, mut stopped) = (0, None);
        while steps < most {
            if steps % POLL == POLL - 1 || std::mem::take(&mut work.has_computed) {
                stopped = run.stop();
            }
            let moves = stopped.is_none()
                && if work.ends.is_empty() { work.single(target) } else { work.pair(target) };
            if !moves {
                break;
            }
            steps += 1;
        }
        (Ended { steps, stopped }, work.ends)
    }

    /// Variables that may be chosen before the slopes of their group have moved further: all that are inside their boxes, and
    /// those at a bound whose slopes are not beyond all that they could be paired with.
    fn active(&self, ends: &[Ends]) -> Vec<usize> {
        if ends.is_empty() {
            return (0..self.len()).collect();
        }
        let groups = self.groups.iter().zip(ends);
        groups
            .flat_map(|(range, ends)| {
                range.clone().filter(|&a| {
                    let (rise, fall) = (self.beta[a] < self.upper[a], self.beta[a] > self.lower[a]);
                    rise && (fall || self.gradient[a] <= ends.top) || fall && self.gradient[a] >= ends.bottom
                })
            })
            .collect()
    }

    /// Some of the variables by themselves.
    fn taken(&self, active: &[usize]) -> Self {
        let pick = |values: &[f64]| active.iter().map(|&a| values[a]).collect::<Vec<f64>>();
        let position = |variable: usize| active.partition_point(|&a| a < variable);
        Self {
            beta: pick(&self.beta),
            gradient: pick(&self.gradient),
            ridge: pick(&self.ridge),
            lower: pick(&self.lower),
            upper: pick(&self.upper),
            groups: self.groups.iter().map(|range| position(range.start)..position(range.end)).collect(),
        }
    }

    /// What was done to some of the variables, and what it means for the slopes of the others.
    fn take_back<T: Real>(&mut self, kernel: &[T], active: &[usize], part: &Self) {
        let (len, isa) = (self.len(), Isa::detect());
        let mut slopes = vec![0.0; len];
        let line = |a: usize| &kernel[a * len..(a + 1) * len];
        let moved: Vec<(usize, f64)> = active
            .iter()
            .zip(&part.beta)
            .map(|(&a, &beta)| (a, beta - self.beta[a]))
            .filter(|(_, change)| *change != 0.0)
            .collect();
        for some in moved.chunks(LINES) {
            let each = |k: usize| some.get(k).copied().unwrap_or((some[0].0, 0.0));
            let weights = std::array::from_fn(|k| each(k).1);
            add_lines(isa, &mut slopes, weights, std::array::from_fn(|k| line(each(k).0)));
        }
        active.iter().zip(&part.beta).for_each(|(&a, &beta)| self.beta[a] = beta);
        self.gradient.iter_mut().zip(&slopes).for_each(|(gradient, slope)| *gradient += slope);
        active.iter().zip(&part.gradient).for_each(|(&a, &gradient)| self.gradient[a] = gradient);
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

/// Puts the entries where rows and columns of some variables cross at the front of `entries`, which does not shrink.
fn cross<T: Real>(kernel: &[T], len: usize, active: &Places, entries: &mut Vec<T>) {
    let (isa, count) = (Isa::detect(), active.as_slice().len());
    entries.resize(entries.len().max(count * count), T::ZERO);
    for (&a, line) in active.as_slice().iter().zip(entries.chunks_exact_mut(count.max(1))) {
        active.pick(isa, &kernel[a * len..(a + 1) * len], line);
    }
}

struct Work<'a, T, L> {
    part: &'a mut Part,
    lines: &'a mut L,
    isa: Isa,
    diagonal: Vec<f64>,
    /// The diagonal in the precision of the kernel.
    narrow: Vec<T>,
    rise: Vec<f64>,
    fall: Vec<f64>,
    /// Where the slopes of each group end.
    ends: Vec<Ends>,
    /// Rows were computed since that was last asked.
    has_computed: bool,
}

impl<'a, T: Real, L: Lines<T>> Work<'a, T, L> {
    fn new(part: &'a mut Part, lines: &'a mut L) -> Self {
        let len = part.len();
        let diagonal: Vec<f64> = (0..len).map(|a| lines.diagonal(a) + part.ridge[a]).collect();
        let narrow = diagonal.iter().map(|&d| T::of(d)).collect();
        let (rise, fall) = (0..len).map(|a| part.barriers(a)).unzip();
        let mut work = Self {
            part,
            lines,
            isa: Isa::detect(),
            diagonal,
            narrow,
            rise,
            fall,
            ends: Vec::new(),
            has_computed: false,
        };
        let nothing = vec![T::ZERO; len];
        let Self { part, rise, fall, ends, .. } = &mut work;
        moved_ends(Isa::detect(), part, (rise, fall), (0.0, &nothing), (0.0, &nothing), ends);
        work
    }

    /// Makes sure of the row of a variable.
    fn want(&mut self, a: usize) {
        let (slopes, rise, fall) = (&self.part.gradient[..], &self.rise[..], &self.fall[..]);
        self.has_computed |= self.lines.want(a, &Moves { slopes, rise, fall });
    }

    /// Moves the slopes by what two rows weigh, and finds where they end.
    fn shift(&mut self, (i, up): (usize, f64), (j, down): (usize, f64)) {
        self.part.gradient[i] += up * self.part.ridge[i];
        self.part.gradient[j] += down * self.part.ridge[j];
        let (x, y) = (self.lines.row(i), self.lines.row(j));
        moved_ends(self.isa, self.part, (&self.rise, &self.fall), (up, x), (down, y), &mut self.ends);
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
        self.want(i);
        let Some(j) = self.partner(i, range, violation) else { return false };
        self.want(j);
        let part = &mut *self.part;
        let scale = self.diagonal[i] + self.diagonal[j];
        let curvature = bounded::<T>(scale - 2.0 * self.lines.row(i)[j].f64(), scale);
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
        let (row, from) = (&self.lines.row(i)[range.clone()], range.start);
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
        self.want(a);
        let part = &mut *self.part;
        let before = part.beta[a];
        let step = -part.gradient[a] / bounded::<T>(self.diagonal[a], self.diagonal[a]);
        part.beta[a] = (before + step).clamp(part.lower[a], part.upper[a]);
        let change = part.beta[a] - before;
        if change == 0.0 {
            return false;
        }
        part.gradient.iter_mut().zip(self.lines.row(a)).for_each(|(g, k)| *g += change * k.f64());
        part.gradient[a] += change * part.ridge[a];
        true
    }
}

/// Moves the slopes by two rows with their weights, and finds where those of each group end.
fn moved_ends<T: Real>(
    isa: Isa,
    part: &mut Part,
    (rise, fall): (&[f64], &[f64]),
    (up, x): (f64, &[T]),
    (down, y): (f64, &[T]),
    ends: &mut Vec<Ends>,
) {
    ends.clear();
    for range in &part.groups {
        let slopes = &mut part.gradient[range.clone()];
        let (rise, fall) = (&rise[range.clone()], &fall[range.clone()]);
        let found = shift_slopes(isa, slopes, rise, fall, up, &x[range.clone()], down, &y[range.clone()]);
        ends.push(Ends { at: found.at + range.start, ..found });
    }
}

fn bounded<T: Real>(curvature: f64, scale: f64) -> f64 {
    curvature.max(FLAT.max(T::ROUNDING) * scale.abs()).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Silent, Tolerance};

    /// Noisy labels on a line under a Gaussian kernel, with boxes so wide that most steps are made by few variables.
    fn problem(n: usize) -> (Part, Vec<f64>) {
        let x: Vec<f64> = (0..n).map(|i| ((i * 7919) % n) as f64 / n as f64 * 20.0).collect();
        let label = |i: usize| if (x[i].sin() > 0.0) != (i * 31).is_multiple_of(17) { 1.0 } else { -1.0 };
        let kernel = (0..n * n).map(|at| (-(x[at / n] - x[at % n]).powi(2)).exp()).collect();
        let (lower, upper) =
            (0..n).map(|i| if label(i) > 0.0 { (0.0, 200.0) } else { (-200.0, 0.0) }).unzip();
        let gradient = (0..n).map(|i| -label(i)).collect();
        let part = Part {
            beta: vec![0.0; n],
            gradient,
            ridge: vec![0.0; n],
            lower,
            upper,
            groups: std::iter::once(0..n).collect(),
        };
        (part, kernel)
    }

    #[test]
    fn variables_that_stay_at_their_bounds_catch_up() {
        let (start, kernel) = problem(700);
        let (n, target) = (start.len(), 1e-3);
        let run = Run::new(&Silent, Limits::default(), Tolerance::default());
        let mut part = start.taken(&(0..n).collect::<Vec<_>>());
        let ended = part.solve(&kernel, target, 10_000_000, &run);
        assert!(ended.stopped.is_none() && ended.steps > PERIOD);
        let mut worst: f64 = 0.0;
        let (mut top, mut bottom) = (f64::NEG_INFINITY, f64::INFINITY);
        for a in 0..n {
            let row = &kernel[a * n..(a + 1) * n];
            let slope = start.gradient[a] + row.iter().zip(&part.beta).map(|(k, b)| k * b).sum::<f64>();
            worst = worst.max((slope - part.gradient[a]).abs());
            assert!((part.lower[a]..=part.upper[a]).contains(&part.beta[a]));
            if part.beta[a] > part.lower[a] {
                top = top.max(slope);
            }
            if part.beta[a] < part.upper[a] {
                bottom = bottom.min(slope);
            }
        }
        assert!(worst < 1e-8 && top - bottom <= target + 1e-8, "{worst} {}", top - bottom);
        // The same problem with every variable looked at in every step.
        let mut plain = start.taken(&(0..n).collect::<Vec<_>>());
        let mut lines = Whole { kernel: &kernel, len: n };
        let (all, ends) = plain.step(&mut lines, target, 10_000_000, &run);
        assert!(plain.active(&ends).len() * 4 <= n * 3, "the problem is one in which most variables stay");
        let value = |part: &Part| -> f64 {
            let each = part.beta.iter().zip(part.gradient.iter().zip(&start.gradient));
            each.map(|(beta, (slope, linear))| 0.5 * beta * (slope + linear)).sum()
        };
        assert!(all.steps > PERIOD && (value(&part) / value(&plain) - 1.0).abs() < 1e-5);
    }
}
