//! The program that the engine solves, and what its numbers mean in the problem it came from.

use std::ops::Range;

use crate::Solution;

/// minimise ½βᵀQβ + pᵀβ over boxes, with a constant sum in each group: one variable a line.
///
/// Q_ab = K at the rows of a and b, plus a ridge where a = b. Coefficients are signed: α_i is the sum of the β that
/// belong to row i, of which a loss with a kink at zero has two.
#[derive(Debug, Clone, Default)]
pub(in crate::solvers) struct Program {
    pub(in crate::solvers) rows: Vec<usize>,
    pub(super) linear: Vec<f64>,
    pub(super) ridge: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// Variables and sum of each group; none where variables are free of each other.
    pub(super) groups: Vec<(Range<usize>, f64)>,
}

/// One variable: p·β + (ridge/2)·β² with lower ≤ β ≤ upper, lower ≤ 0 ≤ upper.
#[derive(Debug, Clone, Copy)]
pub(in crate::solvers) struct Variable {
    pub(in crate::solvers) row: usize,
    pub(in crate::solvers) linear: f64,
    pub(in crate::solvers) ridge: f64,
    pub(in crate::solvers) lower: f64,
    pub(in crate::solvers) upper: f64,
}

impl Program {
    pub(in crate::solvers) fn push(&mut self, variable: Variable) {
        if variable.lower < variable.upper {
            self.rows.push(variable.row);
            self.linear.push(variable.linear);
            self.ridge.push(variable.ridge);
            self.lower.push(variable.lower);
            self.upper.push(variable.upper);
        }
    }

    /// Makes a group of the variables since the last one; they sum to `total`.
    pub(in crate::solvers) fn close_group(&mut self, total: f64) {
        let start = self.groups.last().map_or(0, |group| group.0.end);
        self.groups.push((start..self.len(), total));
    }

    pub(in crate::solvers) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether each of the n rows has a variable.
    pub(super) fn has_every_row(&self, n: usize) -> bool {
        let mut found = vec![false; n];
        self.rows.iter().for_each(|&row| found[row] = true);
        found.into_iter().all(|found| found)
    }

    /// α of β.
    pub(in crate::solvers) fn alpha(&self, beta: &[f64], n: usize) -> Vec<f64> {
        let mut alpha = vec![0.0; n];
        self.rows.iter().zip(beta).for_each(|(&row, b)| alpha[row] += b);
        alpha
    }

    /// A feasible β near the given α.
    pub(in crate::solvers) fn start(&self, alpha: Option<&[f64]>) -> Vec<f64> {
        let value = |a: usize| alpha.and_then(|alpha| alpha.get(self.rows[a])).copied().unwrap_or(0.0);
        let value = |a: usize| if value(a).is_finite() { value(a) } else { 0.0 };
        let mut beta: Vec<f64> =
            (0..self.len()).map(|a| value(a).clamp(self.lower[a], self.upper[a])).collect();
        for (range, total) in &self.groups {
            self.settle(&mut beta, range.clone(), *total);
        }
        beta
    }

    /// α of a program with other boxes, made to fit these: where several rows of the largest |α| in units of the box are
    /// alike they were at their bounds, and are again.
    pub(in crate::solvers) fn fitted(&self, solution: &Solution) -> Start {
        let alpha = &solution.alpha;
        let part = |a: usize| {
            let value = alpha.get(self.rows[a]).copied().unwrap_or(0.0);
            let end = if value > 0.0 { self.upper[a] } else { self.lower[a] };
            if end == 0.0 { 0.0 } else { value / end }
        };
        let most = (0..self.len()).map(part).fold(0.0, f64::max);
        let alike = (0..self.len()).filter(|&a| part(a) >= most * (1.0 - 1e-9)).count();
        let factor = if most > 0.0 && most.is_finite() && alike >= 2 { 1.0 / most } else { 1.0 };
        let times = |values: &[f64]| values.iter().map(|value| factor * value).collect::<Vec<f64>>();
        Start { alpha: times(alpha), scores: solution.scores.as_deref().map(times) }
    }

    /// Moves a group to its sum: coefficients that are on the wrong side of it shrink together, which keeps zeros zero;
    /// what is still missing is filled in from the first variable on.
    fn settle(&self, beta: &mut [f64], range: Range<usize>, total: f64) {
        let missing = total - beta[range.clone()].iter().sum::<f64>();
        let against = |b: f64| b * missing < 0.0;
        let room: f64 = beta[range.clone()].iter().filter(|b| against(**b)).map(|b| b.abs()).sum();
        if room > 0.0 {
            let keep = (1.0 - missing.abs() / room).max(0.0);
            beta[range.clone()].iter_mut().filter(|b| against(**b)).for_each(|b| *b *= keep);
        }
        let mut missing = total - beta[range.clone()].iter().sum::<f64>();
        let rounding = 1e-14 * beta[range.clone()].iter().fold(total.abs(), |sum, b| sum + b.abs());
        for a in range {
            if missing.abs() <= rounding {
                return;
            }
            let moved = (beta[a] + missing).clamp(self.lower[a], self.upper[a]);
            missing -= moved - beta[a];
            beta[a] = moved;
        }
    }
}

/// Where to begin: coefficients, and Kα if somebody knows it, be it in single precision.
#[derive(Debug, Clone)]
pub(in crate::solvers) struct Start {
    pub(in crate::solvers) alpha: Vec<f64>,
    pub(in crate::solvers) scores: Option<Vec<f64>>,
}

/// Where the engine is.
#[derive(Debug, Clone)]
pub(in crate::solvers) struct State {
    pub(in crate::solvers) beta: Vec<f64>,
    /// Kα, a number a row.
    pub(in crate::solvers) scores: Vec<f64>,
    /// αᵀKα.
    pub(in crate::solvers) norm2: f64,
    /// ½βᵀQβ + pᵀβ.
    pub(in crate::solvers) objective: f64,
    /// The multiplier of each group's sum.
    pub(in crate::solvers) levels: Vec<f64>,
}

/// What a state means in the problem that the program came from.
pub(in crate::solvers) trait Reading {
    /// Primal and dual objective.
    fn objectives(&self, state: &State) -> (f64, f64);

    /// What rounding alone makes of the gap.
    fn rounding(&self) -> f64 {
        0.0
    }

    /// The objective of f = 0, which keeps relative gaps finite.
    fn scale(&self) -> f64 {
        0.0
    }

    /// How much a violation of the program is when the problem's own is 1.
    fn unit(&self, _state: &State) -> f64 {
        1.0
    }

    /// Whether the state shows that the problem has no solution.
    fn is_hopeless(&self, _state: &State) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Run, Status, Tolerance};

    fn boxes(limits: &[(f64, f64)], total: f64) -> Program {
        let mut program = Program::default();
        for (row, &(lower, upper)) in limits.iter().enumerate() {
            program.push(Variable { row, linear: 0.0, ridge: 0.0, lower, upper });
        }
        program.close_group(total);
        program
    }

    #[test]
    fn starts_are_feasible_and_keep_zeros() {
        let program = boxes(&[(0.0, 1.0), (0.0, 1.0), (-1.0, 0.0), (-1.0, 0.0)], 0.0);
        let beta = program.start(Some(&[3.0, 0.0, -0.5, f64::NAN]));
        assert_eq!(beta, [0.5, 0.0, -0.5, 0.0]);
        let filled = boxes(&[(0.0, 0.4), (0.0, 0.4), (0.0, 0.4)], 0.6).start(None);
        assert!((filled[0] - 0.4).abs() < 1e-15 && (filled[1] - 0.2).abs() < 1e-15 && filled[2] == 0.0);
    }

    #[test]
    fn rows_at_a_bound_stay_there_when_the_bound_moves() {
        let program = boxes(&[(0.0, 2.0), (0.0, 2.0), (-2.0, 0.0)], 0.0);
        let fitted = |alpha: [f64; 3]| {
            let mut solution =
                Run::quiet(Tolerance::default()).solution(alpha.to_vec(), 0.0, Status::Solved, 1);
            solution.scores = Some(vec![0.5, -1.0, 0.25]);
            program.fitted(&solution)
        };
        let doubled = fitted([1.0, 0.3, -1.0]);
        assert_eq!((doubled.alpha, doubled.scores), (vec![2.0, 0.6, -2.0], Some(vec![1.0, -2.0, 0.5])));
        let same = fitted([1.0, 0.3, -0.9]);
        assert_eq!((same.alpha, same.scores), (vec![1.0, 0.3, -0.9], Some(vec![0.5, -1.0, 0.25])));
    }
}
