//! Kernel ridge regression for many λ from one reduction of the Gram matrix,
//!
//! ```text
//! (K + λnW⁻¹)α + b·1 = y :    A = W^½KW^½ = QBQᵀ ,   α = W^½Q(B+λnI)⁻¹Qᵀ W^½(y − b·1) ,    Σα = 0 with offset
//! ```
//!
//! (`docs/maths.md` §4.9). B is a band, so that a λ costs n² where a factorisation costs n³; the reduction costs four
//! factorisations, an eigendecomposition some twenty. Answers are refined with A as it was until nothing but rounding is
//! left; the reduction may therefore be one in `f32` where A + λnI is well conditioned for every λ.

use mercer_gram::Gram;
use mercer_linalg::{BandFactor, Banded, Budget, Buffer, CholeskyError, Factored, symmetric_product};
use rayon::prelude::*;

use super::portions::dot;
use super::squares;
use crate::{Run, SolveError};

/// Rows from which a reduction in `f32` saves time.
const LARGE: usize = 1000;

/// Condition numbers up to which a reduction in `f32` is tried.
const MILD: f64 = 1e6;

/// Refinements at most.
const ROUNDS: usize = 12;

/// Residuals that are as good as rounding allows, in units of ε(‖A‖‖x‖ + ‖t‖).
const ROUNDED: f64 = 16.0;

/// What is to be solved for every λ.
#[derive(Debug, Clone, Copy)]
pub struct Ridge<'a> {
    /// Targets.
    pub y: &'a [f64],
    /// How much each row counts; all alike if not given.
    pub weights: Option<&'a [f64]>,
    /// Whether there is an offset b.
    pub offset: bool,
}

/// α and b for each λ; none where K + λnW⁻¹ is not positive definite in floating point, and none at all of a stopped
/// run. Two n×n arrays have to fit the budget.
///
/// ```
/// use mercer_linalg::Budget;
/// use mercer_solve::solvers::{Ridge, ridge_path};
/// use mercer_solve::{Features, Run, Tolerance};
/// let gram = Features::new(2, 1, vec![1.0, 2.0]).unwrap();
/// let ridge = Ridge { y: &[3.0, 4.0], weights: None, offset: false };
/// let run = Run::quiet(Tolerance::default());
/// let found = ridge_path(&gram, ridge, &[0.5, 5.0], Budget::default(), &run).unwrap().unwrap();
/// let (alpha, _) = found[0].as_ref().unwrap();
/// assert!((alpha[0] - 7.0 / 6.0).abs() < 1e-14);
/// ```
pub fn ridge_path(
    gram: &dyn Gram,
    ridge: Ridge<'_>,
    lambdas: &[f64],
    budget: Budget,
    run: &Run<'_>,
) -> Result<Option<Vec<Option<Line>>>, SolveError> {
    let n = gram.len();
    let lengths = [("targets", ridge.y.len()), ("weights", ridge.weights.map_or(n, <[f64]>::len))];
    if let Some((what, found)) = lengths.into_iter().find(|(_, found)| *found != n) {
        return Err(SolveError::Shape { what, expected: n, found });
    }
    let weight = |i: usize| ridge.weights.map_or(1.0, |weights| weights[i]);
    let rows: Vec<usize> = (0..n).filter(|&i| weight(i) > 0.0).collect();
    if rows.is_empty() {
        return Err(if n == 0 { SolveError::Empty } else { SolveError::NoWeight });
    }
    squares::afford("ridge path", rows.len(), 16, budget, "choose solver cg, or raise --memory")?;
    let roots: Vec<f64> = rows.iter().map(|&i| weight(i).sqrt()).collect();
    let Some(system) = Scaled::load(gram, &rows, &roots, run) else { return Ok(None) };
    let targets: Vec<f64> = rows.iter().zip(&roots).map(|(&i, root)| ridge.y[i] * root).collect();
    let shifts: Vec<f64> = lambdas.iter().map(|lambda| lambda * n as f64).collect();
    let one = |target: &[f64]| -> Vec<Column> {
        shifts.iter().enumerate().map(|(k, &shift)| Column::new(k, shift, target)).collect()
    };
    let mut columns = one(&targets);
    if ridge.offset {
        columns.extend(one(&roots));
    }
    if !system.solve(&shifts, &mut columns, run) {
        return Ok(None);
    }
    let found = (0..shifts.len()).map(|k| {
        let v = columns[k].answer()?;
        let bias = match columns.get(shifts.len() + k) {
            None => 0.0,
            Some(ones) => dot(&roots, v) / dot(&roots, ones.answer()?),
        };
        let mut alpha = vec![0.0; n];
        for (at, &i) in rows.iter().enumerate() {
            let lift = columns.get(shifts.len() + k).map_or(0.0, |ones| bias * ones.x[at]);
            alpha[i] = roots[at] * (v[at] - lift);
        }
        (bias.is_finite() && alpha.iter().all(|a| a.is_finite())).then_some((alpha, bias))
    });
    Ok(Some(found.collect()))
}

/// α and b for one λ.
pub type Line = (Vec<f64>, f64);

/// A = W^½KW^½.
struct Scaled {
    n: usize,
    entries: Buffer<f64>,
    /// The largest Σ_j|A_ij|: no eigenvalue is above it.
    norm: f64,
}

/// One system (A + shift)x = target, as far as it is solved.
struct Column {
    /// Which of the shifts.
    which: usize,
    shift: f64,
    target: Vec<f64>,
    x: Vec<f64>,
    residual: Vec<f64>,
    /// The largest residual; infinite as long as there is no answer.
    error: f64,
    state: State,
}

#[derive(PartialEq)]
enum State {
    /// It may get better.
    Open,
    /// Another refinement would not help.
    Stuck,
    /// Nothing but rounding is left.
    Rounded,
}

impl Column {
    fn new(which: usize, shift: f64, target: &[f64]) -> Self {
        let (x, residual) = (vec![0.0; target.len()], target.to_vec());
        Self { which, shift, target: target.to_vec(), x, residual, error: f64::INFINITY, state: State::Open }
    }

    fn answer(&self) -> Option<&[f64]> {
        (self.error < f64::INFINITY).then_some(&self.x[..])
    }

    /// Takes a step if that leaves less of the equations.
    fn step(&mut self, x: &[f64], product: &[f64], norm: f64) {
        let residual: Vec<f64> =
            (0..x.len()).map(|i| self.target[i] - product[i] - self.shift * x[i]).collect();
        let error =
            residual.iter().fold(0.0, |most: f64, r| if r.is_nan() { f64::NAN } else { most.max(r.abs()) });
        if error.is_nan() || error >= self.error {
            self.state = State::Stuck;
            return;
        }
        let largest = x.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let is_small = |i: usize| {
            let scale = norm * largest + (self.shift * x[i]).abs() + self.target[i].abs();
            residual[i].abs() <= ROUNDED * f64::EPSILON * scale
        };
        if (0..x.len()).all(is_small) {
            self.state = State::Rounded;
        } else if error > 0.5 * self.error {
            self.state = State::Stuck;
        }
        (self.x, self.residual, self.error) = (x.to_vec(), residual, error);
    }
}

impl Scaled {
    /// None of a run that is stopped.
    fn load(gram: &dyn Gram, rows: &[usize], roots: &[f64], run: &Run<'_>) -> Option<Self> {
        let n = rows.len();
        let mut entries = Buffer::zeros(n * n);
        gram.square_double(rows, &mut entries, &|| run.stop().is_some());
        let scale = |(row, root): (&mut [f64], &f64)| {
            row.iter_mut().zip(roots).for_each(|(value, other)| *value *= root * other);
            row.iter().map(|v| v.abs()).sum::<f64>()
        };
        let norm = entries.par_chunks_mut(n.max(1)).zip(roots).map(scale).reduce(|| 0.0, f64::max);
        run.stop().is_none().then_some(Self { n, entries, norm })
    }

    /// Solves what can be solved; `false` of a run that is stopped.
    fn solve(&self, shifts: &[f64], columns: &mut [Column], run: &Run<'_>) -> bool {
        let least = shifts.iter().copied().fold(f64::INFINITY, f64::min);
        if self.n >= LARGE && self.norm <= MILD * least && !self.by::<f32>(shifts, columns, run) {
            return false;
        }
        if columns.iter().all(|column| column.state == State::Rounded) {
            return true;
        }
        columns.iter_mut().filter(|column| column.state == State::Stuck).for_each(|c| c.state = State::Open);
        self.by::<f64>(shifts, columns, run)
    }

    /// Refines open columns with a reduction in one precision.
    fn by<T: Factored>(&self, shifts: &[f64], columns: &mut [Column], run: &Run<'_>) -> bool {
        let n = self.n;
        let mut copy = Buffer::<T>::zeros(n * n);
        copy.par_iter_mut().zip(&self.entries[..]).for_each(|(to, &from)| *to = T::of(from));
        let banded = match Banded::reduce(n, copy, &|| run.stop().is_some()) {
            Ok(banded) => banded,
            Err(CholeskyError::Stopped) => return false,
            // Its size is right, and a reduction has no pivots.
            Err(_) => return true,
        };
        let factors: Vec<Option<BandFactor>> =
            shifts.par_iter().map(|&shift| banded.factor(shift).ok()).collect();
        for column in columns.iter_mut().filter(|column| factors[column.which].is_none()) {
            column.state = State::Stuck;
        }
        for _ in 0..ROUNDS {
            if run.stop().is_some() {
                return false;
            }
            let mut open: Vec<&mut Column> =
                columns.iter_mut().filter(|column| column.state == State::Open).collect();
            if open.is_empty() {
                break;
            }
            let mut steps: Vec<f64> =
                open.iter().flat_map(|column| column.residual.iter().copied()).collect();
            banded.turn(&mut steps);
            steps.par_chunks_mut(n).zip(&open).for_each(|(step, column)| {
                if let Some(factor) = &factors[column.which] {
                    factor.solve(step);
                }
            });
            banded.turn_back(&mut steps);
            for (step, column) in steps.chunks_exact_mut(n).zip(&open) {
                step.iter_mut().zip(&column.x).for_each(|(step, x)| *step += x);
            }
            let products = symmetric_product(n, &self.entries, &steps);
            let each = steps.chunks_exact(n).zip(products.chunks_exact(n));
            open.iter_mut().zip(each).for_each(|(column, (x, product))| column.step(x, product, self.norm));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Squared;
    use crate::solvers::Cholesky;
    use crate::{Features, Objective, Problem, Solver, Tolerance};
    use mercer_gram::Stored;

    /// What one fit after the other says.
    fn one_by_one(gram: &dyn Gram, ridge: Ridge<'_>, lambda: f64) -> Line {
        let mut problem =
            Problem::new(gram, ridge.y, Objective::Risk(&Squared), lambda, ridge.offset).unwrap();
        if let Some(weights) = ridge.weights {
            problem = problem.weighted(weights).unwrap();
        }
        let run = &mut Run::quiet(Tolerance::default());
        let solution = Cholesky::default().solve(&problem, None, run).unwrap();
        (solution.alpha, solution.bias)
    }

    fn agree(gram: &dyn Gram, ridge: Ridge<'_>, lambdas: &[f64], within: f64) {
        let run = Run::quiet(Tolerance::default());
        let found = ridge_path(gram, ridge, lambdas, Budget::default(), &run).unwrap().unwrap();
        for (&lambda, found) in lambdas.iter().zip(found) {
            let (alpha, bias) = found.unwrap();
            let (expected, offset) = one_by_one(gram, ridge, lambda);
            let scale = expected.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
            let off = alpha.iter().zip(&expected).map(|(a, e)| (a - e).abs()).fold(0.0, f64::max);
            assert!(off <= within * scale, "{lambda}: {off:e} of {scale:e}");
            assert!((bias - offset).abs() <= within * (1.0 + offset.abs()), "{lambda}: {bias} {offset}");
        }
    }

    /// Gaussian values of points on a line.
    fn line(n: usize) -> Stored<f64> {
        let value = |at: usize| (-0.5 * (((at / n) as f64 - (at % n) as f64) / 5.0).powi(2)).exp();
        let entries: Vec<f64> = (0..n * n).map(value).collect();
        Stored::from_entries(n, &entries, Budget::default()).unwrap()
    }

    #[test]
    fn every_lambda_has_the_answer_of_a_fit_of_its_own() {
        let (gram, n) = (line(150), 150);
        let y: Vec<f64> = (0..n).map(|i| (i as f64 * 0.2).sin() + 3.0).collect();
        let weights: Vec<f64> = (0..n).map(|i| (i % 4) as f64 * 0.7).collect();
        for weights in [None, Some(&weights[..])] {
            for offset in [false, true] {
                agree(&gram, Ridge { y: &y, weights, offset }, &[1e-6, 1e-3, 0.1, 10.0], 1e-8);
            }
        }
    }

    #[test]
    fn a_reduction_in_single_precision_gives_the_same_answers() {
        let n = LARGE + 30;
        let y: Vec<f64> = (0..n).map(|i| (i as f64 * 0.02).sin()).collect();
        agree(&line(n), Ridge { y: &y, weights: None, offset: true }, &[1e-6, 1e-4, 1e-2], 1e-9);
    }

    #[test]
    fn what_is_not_positive_definite_has_no_answer_and_lengths_are_checked() {
        let gram = Stored::<f64>::from_entries(2, &[0.0, 2.0, 2.0, 0.0], Budget::default()).unwrap();
        let run = Run::quiet(Tolerance::default());
        let ridge = Ridge { y: &[1.0, 2.0], weights: None, offset: false };
        let found = ridge_path(&gram, ridge, &[0.1, 2.0], Budget::default(), &run).unwrap().unwrap();
        assert!(found[0].is_none() && found[1].is_some());
        let short = Features::new(3, 1, vec![1.0, 2.0, 3.0]).unwrap();
        assert!(matches!(
            ridge_path(&short, ridge, &[0.1], Budget::default(), &run),
            Err(SolveError::Shape { .. })
        ));
        assert!(matches!(
            ridge_path(&gram, ridge, &[0.1], Budget::of_bytes(1), &run),
            Err(SolveError::OverBudget { .. })
        ));
    }
}
