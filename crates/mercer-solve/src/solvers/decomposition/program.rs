//! The program that the engine solves, and what its numbers mean in the problem it came from.

use std::ops::Range;

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
