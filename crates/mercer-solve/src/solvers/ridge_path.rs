//! Kernel ridge regression for many λ from one reduction of the Gram matrix,
//!
//! ```text
//! (K + λnW⁻¹)α + b·1 = y :    A = W^½KW^½ = QBQᵀ ,   α = W^½Q(B+λnI)⁻¹Qᵀ W^½(y − b·1) ,    Σα = 0 with offset
//! ```
//!
//! (`docs/maths.md` §4.9). B is a band, so that a λ costs n² where a factorisation costs n³. Large matrices are first
//! approximated: by few columns where eigenvalues fall off quickly, else by a reduction in `f32`. Conjugate gradients on A
//! as it was, with the approximation as their preconditioner, leave of its error what `f64` leaves of any.

mod near;
mod refine;

use mercer_gram::Gram;
use mercer_linalg::{Aim, Banded, Budget, Buffer, CholeskyError, LowRank};
use rayon::prelude::*;

use super::portions::dot;
use super::squares;
use crate::{Run, SolveError};
use near::{Few, Near, Turned};
use refine::{Column, refine, settle};

/// Rows from which an approximation saves time.
const LARGE: usize = 1000;

/// Refinements at most, with an approximation and with a reduction that is as exact as `f64` is.
const ROUNDS: [usize; 2] = [60, 12];

/// Errors of a reduction in `f32` at most, in units of the smallest λn.
const MILD: f64 = 30.0;

/// Bytes a row of the factor of a band.
const FACTOR: usize = 400;

/// Bytes a row of what conjugate gradients hold of one system.
const VECTORS: usize = 100;

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
/// run. Two n×n arrays and a band for each λ have to fit the budget.
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
    let systems = lambdas.len() * if ridge.offset { 2 } else { 1 };
    let each = 16 + (lambdas.len() * FACTOR + systems * VECTORS).div_ceil(rows.len()) as u128;
    squares::afford("ridge path", rows.len(), each, budget, "choose solver cg, or raise --memory")?;
    let roots: Vec<f64> = rows.iter().map(|&i| weight(i).sqrt()).collect();
    let Some(system) = Scaled::load(gram, &rows, &roots, run) else { return Ok(None) };
    // A constant of the targets is the offset's alone; next to a large one, the digits of α would be lost (§4.9).
    let mean = if ridge.offset { mean(ridge.y, &rows, &roots) } else { 0.0 };
    let targets: Vec<f64> = rows.iter().zip(&roots).map(|(&i, root)| (ridge.y[i] - mean) * root).collect();
    let shifts: Vec<f64> = lambdas.iter().map(|lambda| lambda * n as f64).collect();
    let aims = if ridge.offset { vec![targets, roots.clone()] } else { vec![targets] };
    let mut columns: Vec<Column> = (0..aims.len() * shifts.len())
        .map(|at| Column::new(at % shifts.len(), shifts[at % shifts.len()], at / shifts.len()))
        .collect();
    if !system.solve(&shifts, &aims, &mut columns, run) {
        return Ok(None);
    }
    let found = (0..shifts.len()).map(|k| {
        let v = columns[k].answer()?;
        let ones = match columns.get(shifts.len() + k) {
            None => None,
            Some(column) => Some(column.answer()?),
        };
        let bias = ones.map_or(0.0, |ones| dot(&roots, v) / dot(&roots, ones));
        let mut alpha = vec![0.0; n];
        for (at, &i) in rows.iter().enumerate() {
            alpha[i] = roots[at] * (v[at] - ones.map_or(0.0, |ones| bias * ones[at]));
        }
        (bias.is_finite() && alpha.iter().all(|a| a.is_finite())).then_some((alpha, mean + bias))
    });
    Ok(Some(found.collect()))
}

/// The weighted mean of the targets of these rows.
fn mean(y: &[f64], rows: &[usize], roots: &[f64]) -> f64 {
    let whole = dot(roots, roots);
    rows.iter().zip(roots).map(|(&i, root)| root * root / whole * y[i]).sum()
}

/// α and b for one λ.
pub type Line = (Vec<f64>, f64);

/// What a route finds; none where it does not suit.
type Found = Result<Option<Box<dyn Near>>, CholeskyError>;

/// A = W^½KW^½.
struct Scaled {
    n: usize,
    entries: Buffer<f64>,
    /// The norm of each column.
    norms: Vec<f64>,
}

impl Scaled {
    /// None of a run that is stopped.
    fn load(gram: &dyn Gram, rows: &[usize], roots: &[f64], run: &Run<'_>) -> Option<Self> {
        let n = rows.len();
        let mut entries = Buffer::zeros(n * n);
        gram.square_double(rows, &mut entries, &|| run.stop().is_some());
        let scaled = entries.par_chunks_mut(n.max(1)).zip(roots).map(|(row, root)| {
            row.iter_mut().zip(roots).for_each(|(value, other)| *value *= root * other);
            dot(row, row).sqrt()
        });
        let norms = scaled.collect();
        run.stop().is_none().then_some(Self { n, entries, norms })
    }

    /// Solves what can be solved; `false` of a run that is stopped.
    fn solve(&self, shifts: &[f64], aims: &[Vec<f64>], columns: &mut [Column], run: &Run<'_>) -> bool {
        let least = shifts.iter().copied().fold(f64::INFINITY, f64::min);
        let (few, short) = (|| self.few(shifts, least, run), || self.short(shifts, least, run));
        let exact = || self.exact(shifts, run);
        let routes: [(&dyn Fn() -> Found, usize); 3] =
            [(&few, ROUNDS[0]), (&short, ROUNDS[0]), (&exact, ROUNDS[1])];
        let first = if self.n >= LARGE { 0 } else { 2 };
        for (route, rounds) in &routes[first..] {
            match route() {
                Err(CholeskyError::Stopped) => return false,
                // Its size is right, and no route has pivots that fail.
                Err(_) | Ok(None) => continue,
                Ok(Some(near)) => {
                    if !refine(self, near.as_ref(), aims, columns, *rounds, run) {
                        return false;
                    }
                }
            }
            if columns.iter().all(Column::is_solved) {
                break;
            }
        }
        settle(self, aims, columns);
        true
    }

    /// By few columns. A small trace is worth having as long as they are few; then conjugate gradients are cheaper.
    fn few(&self, shifts: &[f64], least: f64, run: &Run<'_>) -> Found {
        let n = self.n;
        let aim = Aim { fine: 0.1 * least, coarse: 100.0 * least, few: n / 8, most: 2 * n / 5 };
        let poll = || run.stop().is_some();
        let low = LowRank::of(n, &self.entries, aim, &poll)?.filter(|low| low.rank() > 0);
        let Some(low) = low else { return Ok(None) };
        let inner = Banded::reduce(low.rank(), low.inner(&poll)?, &poll)?;
        Ok(Some(Box::new(Few::new(low, Turned::new(inner, shifts), shifts))))
    }

    /// By a reduction in `f32`.
    fn short(&self, shifts: &[f64], least: f64, run: &Run<'_>) -> Found {
        let banded = Banded::reduce_rest(self.n, &self.entries, &|| run.stop().is_some())?;
        let rounding = banded.rounding();
        Ok((rounding <= MILD * least)
            .then(|| Box::new(Turned::lifted(banded, shifts, rounding)) as Box<dyn Near>))
    }

    /// By a reduction in `f64`.
    fn exact(&self, shifts: &[f64], run: &Run<'_>) -> Found {
        let mut copy = Buffer::<f64>::zeros(self.n * self.n);
        copy.copy_from_slice(&self.entries);
        let banded = Banded::reduce(self.n, copy, &|| run.stop().is_some())?;
        Ok(Some(Box::new(Turned::new(banded, shifts))))
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

    /// Gaussian values of points on a line, so wide, plus a constant.
    fn wide(n: usize, width: f64, constant: f64) -> Stored<f64> {
        let apart = |at: usize| ((at / n) as f64 - (at % n) as f64) / width;
        let entries: Vec<f64> = (0..n * n).map(|at| (-0.5 * apart(at).powi(2)).exp() + constant).collect();
        Stored::from_entries(n, &entries, Budget::default()).unwrap()
    }

    /// Which of the routes are taken for a matrix and its smallest λ: few columns, and `f32`.
    fn routes(gram: &dyn Gram, lambda: f64) -> (bool, bool) {
        let (n, run) = (gram.len(), Run::quiet(Tolerance::default()));
        let (rows, least) = ((0..n).collect::<Vec<_>>(), lambda * n as f64);
        let system = Scaled::load(gram, &rows, &vec![1.0; n], &run).unwrap();
        let few = system.few(&[least], least, &run).unwrap().is_some();
        (few, system.short(&[least], least, &run).unwrap().is_some())
    }

    #[test]
    fn every_route_has_the_answers_of_fits_one_by_one() {
        let n = LARGE + 30;
        let y: Vec<f64> = (0..n).map(|i| (i as f64 * 0.02).sin() + (i % 7) as f64 * 0.1).collect();
        let weights: Vec<f64> = (0..n).map(|i| (i % 4) as f64 * 0.7).collect();
        // Smooth; rough, with a constant far above the rest; rough, with a λ below all rounding in f32.
        let cases = [
            (wide(n, 60.0, 0.0), 1e-9, (true, true), 1e-7),
            (wide(n, 2.0, 50.0), 1e-8, (false, true), 1e-8),
            (wide(n, 2.0, 0.0), 1e-12, (false, false), 1e-7),
        ];
        for (gram, least, expected, within) in cases {
            assert_eq!(routes(&gram, least), expected, "{least}");
            let lambdas = [least, 1e-6, 1e-3, 0.1];
            agree(&gram, Ridge { y: &y, weights: None, offset: false }, &lambdas, within);
            agree(&gram, Ridge { y: &y, weights: Some(&weights), offset: true }, &lambdas, within);
        }
    }

    #[test]
    fn a_target_far_from_zero_has_the_coefficients_of_one_near_it() {
        let n = LARGE + 30;
        let far: Vec<f64> = (0..n).map(|i| 1e9 + (i as f64 * 0.02).sin()).collect();
        // Without rounding.
        let near: Vec<f64> = far.iter().map(|y| y - 1e9).collect();
        let weights: Vec<f64> = (0..n).map(|i| (i % 4) as f64 * 0.7).collect();
        let (gram, lambdas) = (wide(n, 60.0, 0.0), [1e-6, 1e-3]);
        for weights in [None, Some(&weights[..])] {
            let path = |y: &[f64]| {
                let (ridge, run) = (Ridge { y, weights, offset: true }, Run::quiet(Tolerance::default()));
                ridge_path(&gram, ridge, &lambdas, Budget::default(), &run).unwrap().unwrap()
            };
            for (far, near) in path(&far).into_iter().zip(path(&near)) {
                let ((far, above), (near, bias)) = (far.unwrap(), near.unwrap());
                let scale = near.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
                let off = far.iter().zip(&near).map(|(a, e)| (a - e).abs()).fold(0.0, f64::max);
                assert!(off <= 1e-7 * scale, "{off:e} of {scale:e}");
                assert!((above - 1e9 - bias).abs() <= 1e-6, "{above} {bias}");
            }
        }
    }

    /// ‖(K+λnI)α + b·1 − y‖ of ‖y‖.
    fn residual(gram: &Stored<f64>, y: &[f64], lambda: f64, (alpha, bias): &Line) -> f64 {
        let n = y.len();
        let rows: Vec<usize> = (0..n).collect();
        let mut entries = vec![0.0; n * n];
        gram.square_double(&rows, &mut entries, &|| false);
        let off =
            |i: usize| dot(&entries[i * n..(i + 1) * n], alpha) + lambda * n as f64 * alpha[i] + bias - y[i];
        (0..n).map(|i| off(i).powi(2)).sum::<f64>().sqrt() / dot(y, y).sqrt()
    }

    #[test]
    fn rows_that_are_there_twice_have_the_answer_or_none() {
        let n = 240;
        // Every point is there twice, with another target each time.
        let apart = |at: usize| ((at / n / 2) as f64 - (at % n / 2) as f64) / 3.0;
        let entries: Vec<f64> = (0..n * n).map(|at| (-0.5 * apart(at).powi(2)).exp()).collect();
        let gram = Stored::from_entries(n, &entries, Budget::default()).unwrap();
        let y: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin() + (i % 5) as f64 * 0.3).collect();
        let run = Run::quiet(Tolerance::default());
        let lambdas: Vec<f64> = (0..24).map(|k| 0.1 * 0.2_f64.powi(k)).collect();
        for offset in [false, true] {
            let ridge = Ridge { y: &y, weights: None, offset };
            let found = ridge_path(&gram, ridge, &lambdas, Budget::default(), &run).unwrap().unwrap();
            assert!(found[0].is_some() && found[23].is_none());
            for (&lambda, line) in lambdas.iter().zip(&found) {
                let off = line.as_ref().map_or(0.0, |line| residual(&gram, &y, lambda, line));
                assert!(off <= 1e-7, "{lambda:e}: {off:e}");
            }
        }
    }

    #[test]
    fn a_negative_direction_that_hardly_touches_the_target_is_found() {
        let n = LARGE + 30;
        let lambda = 1e-9;
        let apart = |at: usize| ((at / n) as f64 - (at % n) as f64) / 2.0;
        // The last row has nothing to do with the others, and an eigenvalue of −3μ within what f32 rounds away.
        let is_last = |at: usize| at / n == n - 1 || at % n == n - 1;
        let value = |at: usize| if is_last(at) { 0.0 } else { (-0.5 * apart(at).powi(2)).exp() };
        let mut entries: Vec<f64> = (0..n * n).map(value).collect();
        entries[n * n - 1] = -3.0 * lambda * n as f64;
        let gram: Stored<f64> = Stored::from_entries(n, &entries, Budget::default()).unwrap();
        assert_eq!(routes(&gram, lambda), (false, true));
        for touch in [1e-6, 1e-12, 0.0] {
            let target = |i: usize| (i as f64 * 0.02).sin() + (i % 7) as f64 * 0.1;
            let y: Vec<f64> = (0..n).map(|i| if i == n - 1 { touch } else { target(i) }).collect();
            let (ridge, run) =
                (Ridge { y: &y, weights: None, offset: false }, Run::quiet(Tolerance::default()));
            let found = ridge_path(&gram, ridge, &[lambda, 1e-6], Budget::default(), &run).unwrap().unwrap();
            assert!(found[0].is_none() && found[1].is_some(), "{touch:e}");
        }
    }

    #[test]
    fn what_lifts_a_preconditioner_does_not_hide_an_error() {
        let n = 400;
        let (gram, run) = (wide(n, 2.0, 0.0), Run::quiet(Tolerance::default()));
        let rows: Vec<usize> = (0..n).collect();
        let system = Scaled::load(&gram, &rows, &vec![1.0; n], &run).unwrap();
        let rounding = Banded::reduce_rest(n, &system.entries, &|| false).unwrap().rounding();
        let shift = 0.05 * rounding;
        for rough in [0.0, 1.0] {
            let target: Vec<f64> =
                (0..n).map(|i| (i as f64 * 0.05).sin() + rough * (i * i % 17) as f64).collect();
            let solved = |near: Box<dyn Near>| {
                let mut columns = [Column::new(0, shift, 0)];
                assert!(refine(
                    &system,
                    near.as_ref(),
                    std::slice::from_ref(&target),
                    &mut columns,
                    400,
                    &run
                ));
                assert!(columns[0].is_solved());
                columns[0].answer().unwrap().to_vec()
            };
            let short = system.short(&[shift], shift, &run).unwrap().unwrap();
            assert!(short.slack(0) > 20.0, "{}", short.slack(0));
            let (exact, short) = (solved(system.exact(&[shift], &run).unwrap().unwrap()), solved(short));
            let off: Vec<f64> = short.iter().zip(&exact).map(|(a, e)| a - e).collect();
            let product = mercer_linalg::symmetric_product(n, &system.entries, &off);
            let error = (dot(&off, &product) + shift * dot(&off, &off)).sqrt();
            let whole = dot(&target, &exact).sqrt();
            assert!(error <= 1.5e-10 * whole, "{error:e} of {whole:e}");
        }
    }

    #[test]
    fn what_rounding_leaves_is_left_by_a_factor_too() {
        let n = LARGE + 30;
        let (gram, run) = (wide(n, 60.0, 0.0), Run::quiet(Tolerance::default()));
        let rows: Vec<usize> = (0..n).collect();
        let system = Scaled::load(&gram, &rows, &vec![1.0; n], &run).unwrap();
        let y: Vec<f64> = (0..n).map(|i| (i as f64 * 0.02).sin() + (i % 7) as f64 * 0.1).collect();
        let aims = [y.clone()];
        // The smallest leaves more than is allowed, of a factor too.
        for (shift, is_solved) in [(1e-3, true), (1e-6, true), (1e-8, true), (1e-10, false)] {
            let mut columns = [Column::new(0, shift, 0)];
            let near = system.few(&[shift], shift, &run).unwrap().unwrap();
            assert!(refine(&system, near.as_ref(), &aims, &mut columns, ROUNDS[0], &run));
            assert_eq!(columns[0].is_solved(), is_solved, "{shift:e}");
            let (lambda, ridge) = (shift / n as f64, Ridge { y: &y, weights: None, offset: false });
            let factor = residual(&gram, &y, lambda, &one_by_one(&gram, ridge, lambda));
            let found = residual(&gram, &y, lambda, &(columns[0].answer().unwrap().to_vec(), 0.0));
            assert!(found <= 3.0 * factor, "{shift:e}: {found:e} {factor:e}");
        }
    }

    #[test]
    fn threads_do_not_change_a_bit_on_any_route() {
        let n = LARGE + 30;
        let y: Vec<f64> = (0..n).map(|i| (i as f64 * 0.02).sin()).collect();
        for gram in [wide(n, 60.0, 0.0), wide(n, 2.0, 0.0)] {
            let with = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let (ridge, run) =
                    (Ridge { y: &y, weights: None, offset: true }, Run::quiet(Tolerance::default()));
                pool.install(|| {
                    ridge_path(&gram, ridge, &[1e-8, 1e-3], Budget::default(), &run).unwrap().unwrap()
                })
            };
            assert!(with(1) == with(3));
        }
    }

    #[test]
    fn a_large_matrix_that_is_not_positive_definite_has_no_answer_either() {
        let n = LARGE + 30;
        let y: Vec<f64> = (0..n).map(|i| (i as f64 * 0.02).sin() + 1.0).collect();
        let run = Run::quiet(Tolerance::default());
        // A Gaussian less a constant has one negative eigenvalue, about −0.3·n.
        let gram = wide(n, 60.0, -0.5);
        let ridge = Ridge { y: &y, weights: None, offset: false };
        let found = ridge_path(&gram, ridge, &[1e-6, 1.0], Budget::default(), &run).unwrap().unwrap();
        assert!(found[0].is_none() && found[1].is_some());
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
