//! Which variables are worked on next: violators alternately from the two ends of each group, beside the newest half of
//! those worked on before (Joachims 1999; Wen et al. 2018, ThunderSVM).

use std::ops::Range;

use super::program::Program;

/// How far from optimal the variables are.
#[derive(Debug, Clone)]
pub(super) struct Survey {
    /// Slope of the objective in each variable.
    pub(super) gradient: Vec<f64>,
    /// For each group the largest slope of a variable that can decrease and the least of one that can increase.
    pub(super) ends: Vec<(f64, f64)>,
    /// Largest violation of the optimality conditions.
    pub(super) violation: f64,
    /// Variables inside their box.
    pub(super) free: usize,
}

impl Survey {
    /// Variables that are set aside are left out of everything but the slopes.
    pub(super) fn new(program: &Program, beta: &[f64], scores: &[f64], aside: &[bool]) -> Self {
        let slope = |a: usize| scores[program.rows[a]] + program.ridge[a] * beta[a] + program.linear[a];
        let gradient: Vec<f64> = (0..program.len()).map(slope).collect();
        let (can_fall, can_rise) = directions(program, beta, aside);
        let free = (0..program.len()).filter(|&a| can_fall(a) && can_rise(a)).count();
        let ends: Vec<(f64, f64)> = program
            .groups
            .iter()
            .map(|(range, _)| {
                let top = range.clone().filter(|&a| can_fall(a)).map(|a| gradient[a]);
                let bottom = range.clone().filter(|&a| can_rise(a)).map(|a| gradient[a]);
                (top.fold(f64::NEG_INFINITY, f64::max), bottom.fold(f64::INFINITY, f64::min))
            })
            .collect();
        let violation = if program.groups.is_empty() {
            let alone = |a: usize| alone(gradient[a], can_fall(a), can_rise(a));
            (0..program.len()).map(alone).fold(0.0, f64::max)
        } else {
            ends.iter().map(|(top, bottom)| top - bottom).fold(0.0, f64::max)
        };
        Self { gradient, ends, violation, free }
    }

    /// Variables at a bound whose slopes keep them there by more than `room` violations, so that they are not expected to
    /// leave it.
    pub(super) fn settled(&self, program: &Program, beta: &[f64], room: f64) -> Vec<bool> {
        let margin = room * self.violation;
        self.each(program, |a, ends| is_beyond(program, a, beta[a], self.gradient[a], ends, margin))
    }

    /// Variables that are zero and at a bound, with slopes that keep them there by more than the margin of their row: from
    /// whichever end is farther.
    pub(super) fn idle(&self, program: &Program, beta: &[f64], margin: impl Fn(usize) -> f64) -> Vec<bool> {
        self.each(program, |a, (top, bottom)| {
            let (ends, margin) = ((top.max(bottom), bottom.min(top)), margin(program.rows[a]));
            beta[a] == 0.0 && is_beyond(program, a, 0.0, self.gradient[a], ends, margin)
        })
    }

    /// Something of every variable and the ends of its group.
    fn each(&self, program: &Program, of: impl Fn(usize, (f64, f64)) -> bool) -> Vec<bool> {
        if program.groups.is_empty() {
            return (0..program.len()).map(|a| of(a, (0.0, 0.0))).collect();
        }
        let mut all = vec![false; program.len()];
        for ((range, _), &ends) in program.groups.iter().zip(&self.ends) {
            range.clone().for_each(|a| all[a] = of(a, ends));
        }
        all
    }

    /// The multiplier of each group: the middle between its ends, or the one there is.
    pub(super) fn levels(&self) -> Vec<f64> {
        let level = |&(top, bottom): &(f64, f64)| match (top.is_finite(), bottom.is_finite()) {
            (true, true) => 0.5 * (top + bottom),
            (true, false) => top,
            (false, true) => bottom,
            (false, false) => 0.0,
        };
        self.ends.iter().map(level).collect()
    }
}

/// Whether a variable can decrease, and whether it can increase.
fn directions<'a>(
    program: &'a Program,
    beta: &'a [f64],
    aside: &'a [bool],
) -> (impl Fn(usize) -> bool + 'a, impl Fn(usize) -> bool + 'a) {
    (|a| beta[a] > program.lower[a] && !aside[a], |a| beta[a] < program.upper[a] && !aside[a])
}

/// Whether a variable is at a bound and its slope keeps it there by more than a margin.
fn is_beyond(
    program: &Program,
    a: usize,
    beta: f64,
    slope: f64,
    (top, bottom): (f64, f64),
    margin: f64,
) -> bool {
    let (falls, rises) = (beta > program.lower[a], beta < program.upper[a]);
    !falls && slope > top + margin || !rises && slope < bottom - margin
}

/// Violation of a variable that no sum binds.
pub(super) fn alone(slope: f64, can_fall: bool, can_rise: bool) -> f64 {
    if slope > 0.0 && can_fall || slope < 0.0 && can_rise { slope.abs() } else { 0.0 }
}

/// The variables worked on, oldest first.
#[derive(Debug, Default)]
pub(super) struct WorkingSet {
    pub(super) variables: Vec<usize>,
    is_member: Vec<bool>,
}

impl WorkingSet {
    /// Chooses at most `size` variables.
    pub(super) fn choose(
        &mut self,
        program: &Program,
        beta: &[f64],
        aside: &[bool],
        survey: &Survey,
        size: usize,
    ) {
        self.is_member.clear();
        self.is_member.resize(program.len(), false);
        let size = size.min(program.len());
        let mut before = std::mem::take(&mut self.variables);
        before.retain(|&a| !aside[a]);
        let kept = &before[before.len() - before.len().min(size / 2)..];
        kept.iter().for_each(|&a| self.is_member[a] = true);
        let room = size - kept.len();
        let mut fresh = Vec::with_capacity(room);
        let mut queues: Vec<std::vec::IntoIter<usize>> =
            ends(program, beta, aside, survey, size).into_iter().map(Vec::into_iter).collect();
        while fresh.len() < room && queues.iter().any(|queue| queue.len() > 0) {
            for queue in &mut queues {
                if let Some(a) = queue.find(|&a| !self.is_member[a])
                    && fresh.len() < room
                {
                    self.is_member[a] = true;
                    fresh.push(a);
                }
            }
        }
        // Where violators are few, more of the old ones stay.
        let spare = room - fresh.len();
        let older: Vec<usize> =
            before.iter().rev().copied().filter(|&a| !self.is_member[a]).take(spare).collect();
        older.iter().for_each(|&a| self.is_member[a] = true);
        self.variables.extend(older.into_iter().rev());
        self.variables.extend_from_slice(kept);
        self.variables.extend(fresh);
    }
}

/// Violators from the ends of each group, worst first, at most `count` of each.
fn ends(program: &Program, beta: &[f64], aside: &[bool], survey: &Survey, count: usize) -> Vec<Vec<usize>> {
    let (can_fall, can_rise) = directions(program, beta, aside);
    let slope = &survey.gradient;
    if program.groups.is_empty() {
        let size = |a: usize| alone(slope[a], can_fall(a), can_rise(a));
        let worst = (0..program.len()).filter(|&a| size(a) > 0.0).collect();
        return vec![worst_first(worst, count, |a| -size(a))];
    }
    let end = |range: &Range<usize>, top: f64, bottom: f64| {
        let falling = range.clone().filter(|&a| can_fall(a) && slope[a] > bottom).collect();
        let rising = range.clone().filter(|&a| can_rise(a) && slope[a] < top).collect();
        [worst_first(falling, count, |a| -slope[a]), worst_first(rising, count, |a| slope[a])]
    };
    program
        .groups
        .iter()
        .zip(&survey.ends)
        .flat_map(|((range, _), &(top, bottom))| end(range, top, bottom))
        .collect()
}

/// The `count` variables with the least keys, least first; of equal ones the first.
fn worst_first(mut variables: Vec<usize>, count: usize, key: impl Fn(usize) -> f64) -> Vec<usize> {
    let order = |a: &usize, b: &usize| key(*a).total_cmp(&key(*b)).then(a.cmp(b));
    if variables.len() > count && count > 0 {
        variables.select_nth_unstable_by(count - 1, order);
        variables.truncate(count);
    }
    variables.sort_unstable_by(order);
    variables
}
