//! The program on a working set: pairs of variables by second-order choice (Fan, Chen, Lin 2005), single variables where
//! no sum binds them.
//!
//! ```text
//! i = argmin of the slope among those that can increase
//! j = argmax of (G_j − G_i)²/(Q_ii + Q_jj − 2Q_ij) among those of its group that can decrease and have G_j > G_i
//! β_i += t,  β_j −= t,  t = (G_j − G_i)/(Q_ii + Q_jj − 2Q_ij) or what the boxes leave
//! ```
//!
//! Steps move slopes in the precision of the entries, as distances from the middle of their ends: those that count are near
//! it. Now and then, and at the end, slopes are computed in `f64` from what the variables moved by.

use std::ops::Range;

use mercer_linalg::{Chooser, Ends, Isa, LINES, Real, add_lines, best_partner, shift_slopes};

use super::lines::{Lines, Moves, Picked};
use super::square::Entry;
use super::working_set::alone;
use crate::{Run, Status};

/// The part of the program that is worked on; variables of a group stand together.
pub(super) struct Part {
    pub(super) beta: Vec<f64>,
    /// Slopes but for what is carried.
    pub(super) gradient: Vec<f64>,
    /// What has been added to the scores.
    pub(super) carried: Vec<f64>,
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

/// Steps between two looks for variables that stay at their bounds, in sets of at least so many, while most of them move.
const PERIOD: u64 = 1000;
const FEW: usize = 512;

/// The others are worked on until the violation is this part of what it was: those that stayed may come back.
const EASE: f64 = 0.1;

/// The part of the target that roundings of slopes may come to before slopes are computed again.
const DRIFT: f64 = 0.1;

/// Curvature along a step is taken as at least this part of the diagonal, and as no less than its rounding: a step along
/// flat or negative curvature then goes to the end of a box.
const FLAT: f64 = 1e-12;

impl Part {
    /// Steps until the violation on the set is below the target in the precision of the entries, no step moves anything, or so
    /// many are made.
    ///
    /// A step looks at every variable, and most of those at their bounds stay there: now and then the others are taken out
    /// and worked on alone, and the slopes of those that stayed catch up afterwards. The last look is at all of them.
    pub(super) fn solve<T: Entry>(
        &mut self,
        lines: &mut impl Lines<T>,
        target: f64,
        most: u64,
        run: &Run<'_>,
    ) -> Ended {
        self.worked(lines, |work| work.solve(target, most, run))
    }

    /// Steps on all variables until the violation is below the target, nothing moves, or so many are made.
    pub(super) fn step<T: Entry>(
        &mut self,
        lines: &mut impl Lines<T>,
        target: f64,
        most: u64,
        run: &Run<'_>,
    ) -> Ended {
        self.worked(lines, |work| work.step(target, most, run))
    }

    /// Some work, and slopes in `f64` after it.
    fn worked<T: Entry, L: Lines<T>>(
        &mut self,
        lines: &mut L,
        steps: impl FnOnce(&mut Work<'_, T, L>) -> Ended,
    ) -> Ended {
        let mut work = Work::new(self, lines);
        let ended = steps(&mut work);
        work.catch_up();
        ended
    }

    fn len(&self) -> usize {
        self.beta.len()
    }

    /// The slope of the objective in a variable.
    pub(super) fn slope(&self, a: usize) -> f64 {
        self.gradient[a] + self.carried[a]
    }

    /// What is added to the slope of a variable that cannot increase, and of one that cannot decrease.
    fn barriers<T: Real>(&self, a: usize) -> (T, T) {
        (
            if self.beta[a] < self.upper[a] { T::ZERO } else { T::of(f64::INFINITY) },
            if self.beta[a] > self.lower[a] { T::ZERO } else { T::of(f64::NEG_INFINITY) },
        )
    }
}

struct Work<'a, T, L> {
    part: &'a mut Part,
    lines: &'a mut L,
    isa: Isa,
    diagonal: Vec<f64>,
    /// The diagonal in the precision of the kernel.
    narrow: Vec<T>,
    rise: Vec<T>,
    fall: Vec<T>,
    /// Slopes less the level of their group, and the levels.
    slopes: Vec<T>,
    levels: Vec<f64>,
    /// Where the slopes of each group end.
    ends: Vec<Ends<T>>,
    /// β that the gradient of the part belongs to.
    settled: Vec<f64>,
    /// Sum of the squares of what variables moved by since slopes were computed: their roundings add up like its root.
    travelled: f64,
    /// Rows were computed since that was last asked.
    has_computed: bool,
}

impl<'a, T: Entry, L: Lines<T>> Work<'a, T, L> {
    fn new(part: &'a mut Part, lines: &'a mut L) -> Self {
        let len = part.len();
        let diagonal: Vec<f64> = (0..len).map(|a| lines.diagonal(a) + part.ridge[a]).collect();
        let narrow = diagonal.iter().map(|&d| T::of(d)).collect();
        let (rise, fall) = (0..len).map(|a| part.barriers::<T>(a)).unzip();
        let mut work = Self {
            settled: part.beta.clone(),
            part,
            lines,
            isa: Isa::detect(),
            diagonal,
            narrow,
            rise,
            fall,
            slopes: vec![T::ZERO; len],
            levels: Vec::new(),
            ends: Vec::new(),
            travelled: 0.0,
            has_computed: false,
        };
        work.look();
        work
    }

    /// Takes slopes, and what may move, from the part.
    fn look(&mut self) {
        let len = self.part.len();
        for a in 0..len {
            (self.rise[a], self.fall[a]) = self.part.barriers(a);
        }
        self.levels.clear();
        for range in &self.part.groups {
            let (mut top, mut bottom) = (f64::NEG_INFINITY, f64::INFINITY);
            for a in range.clone() {
                top = top.max(self.part.slope(a) + self.fall[a].f64());
                bottom = bottom.min(self.part.slope(a) + self.rise[a].f64());
            }
            let level = 0.5 * (top + bottom);
            self.levels.push(if level.is_finite() { level } else { 0.0 });
        }
        if self.part.groups.is_empty() {
            (0..len).for_each(|a| self.slopes[a] = T::of(self.part.slope(a)));
        }
        for (range, level) in self.part.groups.iter().zip(&self.levels) {
            range.clone().for_each(|a| self.slopes[a] = T::of(self.part.slope(a) - level));
        }
        let nothing = vec![T::ZERO; len];
        shifted(
            self.isa,
            self.part,
            &mut self.slopes,
            (&self.rise, &self.fall),
            (T::ZERO, &nothing),
            (T::ZERO, &nothing),
            &mut self.ends,
        );
    }

    /// Slopes in `f64` from what was moved since they were last computed.
    fn catch_up(&mut self) {
        self.travelled = 0.0;
        let each = self.part.beta.iter().zip(&self.settled).enumerate();
        let moved: Vec<(usize, f64)> =
            each.map(|(a, (new, old))| (a, new - old)).filter(|(_, change)| *change != 0.0).collect();
        if moved.is_empty() {
            return;
        }
        for &(a, change) in &moved {
            self.has_computed |= self.lines.want(a, &Moves::default());
            self.part.gradient[a] += change * self.part.ridge[a];
            self.settled[a] = self.part.beta[a];
        }
        for some in moved.chunks(LINES) {
            let each = |k: usize| some.get(k).copied().unwrap_or((some[0].0, 0.0));
            let weights = std::array::from_fn(|k| each(k).1);
            let rows = std::array::from_fn(|k| self.lines.row(each(k).0));
            add_lines(self.isa, &mut self.part.carried, weights, rows);
        }
        self.look();
    }

    /// [`Part::solve`], but for the gradient at the end.
    fn solve(&mut self, target: f64, most: u64, run: &Run<'_>) -> Ended {
        let len = self.part.len();
        let is_small = len < FEW;
        let (mut steps, mut period) = (0, 0);
        loop {
            let few = if is_small { most } else { period.min(most - steps) };
            let ended = self.step(target, few, run);
            steps += ended.steps;
            let violation =
                self.ends.iter().fold(0.0, |most: f64, ends| most.max((ends.top - ends.bottom).f64()));
            let is_done = ended.steps < few || !self.ends.is_empty() && violation <= target;
            if ended.stopped.is_some() || is_small || is_done || steps >= most {
                return Ended { steps, ..ended };
            }
            if let Some(status) = run.stop() {
                return Ended { steps, stopped: Some(status) };
            }
            let active = self.active();
            if active.len() * 4 > len * 3 {
                period = PERIOD.min(len as u64);
                continue;
            }
            let mut part = self.taken(&active);
            let mut lines = Picked::new(&mut *self.lines, active);
            let ended =
                Work::new(&mut part, &mut lines).solve(target.max(EASE * violation), most - steps, run);
            steps += ended.steps;
            lines.active().iter().zip(&part.beta).for_each(|(&a, &beta)| self.part.beta[a] = beta);
            drop(lines);
            self.catch_up();
            if ended.stopped.is_some() || steps >= most {
                return Ended { steps, ..ended };
            }
            // Who violates is known now without a step of all; only if these cannot move either, all are looked at.
            period = if ended.steps == 0 { PERIOD.min(len as u64) } else { 0 };
        }
    }

    fn step(&mut self, target: f64, most: u64, run: &Run<'_>) -> Ended {
        let (mut steps, mut stopped) = (0, None);
        let scale = self.diagonal.iter().fold(0.0, |scale: f64, d| scale.max(d.abs()));
        let far = (DRIFT * target / (T::ROUNDING * scale)).powi(2);
        let mut rested = 0;
        while steps < most {
            if self.travelled > far && steps - rested >= self.slopes.len() as u64 {
                self.catch_up();
                rested = steps;
            }
            if steps % POLL == POLL - 1 || std::mem::take(&mut self.has_computed) {
                stopped = run.stop();
                if self.lines.are_all_wanted() {
                    break;
                }
            }
            let moves = stopped.is_none()
                && if self.ends.is_empty() { self.single(target) } else { self.pair(target) };
            if !moves {
                break;
            }
            steps += 1;
        }
        Ended { steps, stopped }
    }

    /// Variables that may be chosen before the slopes of their group have moved further: all that are inside their boxes, and
    /// those at a bound whose slopes are not beyond all that they could be paired with.
    fn active(&self) -> Vec<usize> {
        if self.ends.is_empty() {
            return (0..self.part.len()).collect();
        }
        let groups = self.part.groups.iter().zip(&self.ends);
        groups
            .flat_map(|(range, ends)| {
                range.clone().filter(|&a| {
                    let (rise, fall) = (self.rise[a] == T::ZERO, self.fall[a] == T::ZERO);
                    rise && (fall || self.slopes[a] <= ends.top) || fall && self.slopes[a] >= ends.bottom
                })
            })
            .collect()
    }

    /// Some of the variables by themselves.
    fn taken(&self, active: &[usize]) -> Part {
        let pick = |values: &[f64]| active.iter().map(|&a| values[a]).collect::<Vec<f64>>();
        let position = |variable: usize| active.partition_point(|&a| a < variable);
        let groups: Vec<Range<usize>> =
            self.part.groups.iter().map(|range| position(range.start)..position(range.end)).collect();
        let mut gradient: Vec<f64> = active.iter().map(|&a| self.slopes[a].f64()).collect();
        for (range, level) in groups.iter().zip(&self.levels) {
            gradient[range.clone()].iter_mut().for_each(|slope| *slope += level);
        }
        Part {
            beta: pick(&self.part.beta),
            gradient,
            carried: vec![0.0; active.len()],
            ridge: pick(&self.part.ridge),
            lower: pick(&self.part.lower),
            upper: pick(&self.part.upper),
            groups,
        }
    }

    /// Makes sure of the row of a variable.
    fn want(&mut self, a: usize) {
        let (slopes, rise, fall) = (&self.slopes[..], &self.rise[..], &self.fall[..]);
        self.has_computed |= self.lines.want(a, &Moves { slopes, rise, fall });
    }

    /// One step of a pair; whether anything moved.
    fn pair(&mut self, target: f64) -> bool {
        let mut worst = (target, None);
        for (ends, range) in self.ends.iter().zip(&self.part.groups) {
            let violation = (ends.top - ends.bottom).f64();
            if violation > worst.0 {
                worst = (violation, Some((ends.at, range.clone())));
            }
        }
        let (violation, Some(((likely, i), range))) = worst else { return false };
        self.want(i);
        let Some(j) = self.partner(i, range, violation, likely) else { return false };
        self.want(j);
        let part = &mut *self.part;
        let scale = self.diagonal[i] + self.diagonal[j];
        let curvature = bounded::<T>(scale - 2.0 * self.lines.row(i)[j].f64(), scale);
        let (before_i, before_j) = (part.beta[i], part.beta[j]);
        let wanted = (self.slopes[j].f64() - self.slopes[i].f64()) / curvature;
        let step = wanted.min(part.upper[i] - before_i).min(before_j - part.lower[j]);
        // Ends of boxes are met exactly, so that rows stay at their bounds.
        part.beta[i] = if step >= part.upper[i] - before_i { part.upper[i] } else { before_i + step };
        part.beta[j] = if step >= before_j - part.lower[j] { part.lower[j] } else { before_j - step };
        let (up, down) = (part.beta[i] - before_i, part.beta[j] - before_j);
        if up == 0.0 && down == 0.0 {
            return false;
        }
        self.travelled += up * up + down * down;
        for (a, change) in [(i, up), (j, down)] {
            (self.rise[a], self.fall[a]) = self.part.barriers(a);
            self.slopes[a] += T::of(change * self.part.ridge[a]);
        }
        let (x, y) = ((T::of(up), self.lines.row(i)), (T::of(down), self.lines.row(j)));
        shifted(self.isa, self.part, &mut self.slopes, (&self.rise, &self.fall), x, y, &mut self.ends);
        true
    }

    /// The partner in a group that promises most.
    fn partner(&self, i: usize, range: Range<usize>, violation: f64, likely: usize) -> Option<usize> {
        let from = range.start;
        let chooser = Chooser {
            low: self.slopes[i],
            per_unit: T::of(1.0 / violation),
            d: self.narrow[i],
            flat: T::of(bounded::<T>(0.0, self.diagonal[i])).larger(T::of(f32::MIN_POSITIVE.into())),
            likely: likely - from,
        };
        let (slopes, fall) = (&self.slopes[range.clone()], &self.fall[range.clone()]);
        let (narrow, row) = (&self.narrow[range.clone()], &self.lines.row(i)[range]);
        best_partner(self.isa, chooser, slopes, fall, narrow, row).map(|j| from + j)
    }

    /// One step of the variable that promises most; whether it moved.
    fn single(&mut self, target: f64) -> bool {
        let part = &mut *self.part;
        let mut best = (0.0, None);
        for (a, &diagonal) in self.diagonal.iter().enumerate() {
            let (fall, rise) = (part.beta[a] > part.lower[a], part.beta[a] < part.upper[a]);
            let size = alone(self.slopes[a].f64(), fall, rise);
            let gain = size * size / bounded::<T>(diagonal, diagonal);
            if size > target && gain > best.0 {
                best = (gain, Some(a));
            }
        }
        let Some(a) = best.1 else { return false };
        self.want(a);
        let part = &mut *self.part;
        let before = part.beta[a];
        let step = -self.slopes[a].f64() / bounded::<T>(self.diagonal[a], self.diagonal[a]);
        part.beta[a] = (before + step).clamp(part.lower[a], part.upper[a]);
        let change = part.beta[a] - before;
        if change == 0.0 {
            return false;
        }
        self.travelled += change * change;
        let weight = T::of(change);
        self.slopes.iter_mut().zip(self.lines.row(a)).for_each(|(slope, &k)| *slope += weight * k);
        self.slopes[a] += T::of(change * part.ridge[a]);
        true
    }
}

/// Moves the slopes by two rows with their weights, and finds where those of each group end.
fn shifted<T: Real>(
    isa: Isa,
    part: &Part,
    slopes: &mut [T],
    (rise, fall): (&[T], &[T]),
    (up, x): (T, &[T]),
    (down, y): (T, &[T]),
    ends: &mut Vec<Ends<T>>,
) {
    ends.clear();
    for range in &part.groups {
        let slopes = &mut slopes[range.clone()];
        let (rise, fall) = (&rise[range.clone()], &fall[range.clone()]);
        let found = shift_slopes(isa, slopes, rise, fall, up, &x[range.clone()], down, &y[range.clone()]);
        ends.push(Ends { at: (found.at.0 + range.start, found.at.1 + range.start), ..found });
    }
}

fn bounded<T: Real>(curvature: f64, scale: f64) -> f64 {
    curvature.max(FLAT.max(T::ROUNDING) * scale.abs()).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::super::lines::Whole;
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
            carried: vec![0.0; n],
            ridge: vec![0.0; n],
            lower,
            upper,
            groups: std::iter::once(0..n).collect(),
        };
        (part, kernel)
    }

    fn copied(part: &Part) -> Part {
        Part {
            beta: part.beta.clone(),
            gradient: part.gradient.clone(),
            carried: part.carried.clone(),
            ridge: part.ridge.clone(),
            lower: part.lower.clone(),
            upper: part.upper.clone(),
            groups: part.groups.clone(),
        }
    }

    fn check<T: Entry>(rounding: f64) {
        let (start, kernel) = problem(700);
        let (n, target) = (start.len(), 1e-3);
        let kernel: Vec<T> = kernel.into_iter().map(T::of).collect();
        let run = Run::new(&Silent, Limits::default(), Tolerance::default());
        let mut part = copied(&start);
        let ended = part.solve(&mut Whole::new(&kernel, n), target, 10_000_000, &run);
        assert!(ended.stopped.is_none() && ended.steps > PERIOD);
        let mut worst: f64 = 0.0;
        let (mut top, mut bottom) = (f64::NEG_INFINITY, f64::INFINITY);
        for a in 0..n {
            let row = &kernel[a * n..(a + 1) * n];
            let slope = start.gradient[a] + row.iter().zip(&part.beta).map(|(k, b)| k.f64() * b).sum::<f64>();
            worst = worst.max((slope - part.slope(a)).abs());
            assert!((part.lower[a]..=part.upper[a]).contains(&part.beta[a]));
            if part.beta[a] > part.lower[a] {
                top = top.max(slope);
            }
            if part.beta[a] < part.upper[a] {
                bottom = bottom.min(slope);
            }
        }
        assert!(worst < 1e-8 && top - bottom <= target + rounding, "{worst} {}", top - bottom);
        // The same problem with every variable looked at in every step.
        let (mut plain, mut lines) = (copied(&start), Whole::new(&kernel, n));
        let mut work = Work::new(&mut plain, &mut lines);
        let all = work.step(target, 10_000_000, &run);
        assert!(work.active().len() * 4 <= n * 3, "the problem is one in which most variables stay");
        work.catch_up();
        let value = |part: &Part| -> f64 {
            (0..n).map(|a| 0.5 * part.beta[a] * (part.slope(a) + start.gradient[a])).sum()
        };
        assert!(all.steps > PERIOD && (value(&part) / value(&plain) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn variables_that_stay_at_their_bounds_catch_up() {
        check::<f64>(1e-8);
        check::<f32>(1e-5);
    }
}
