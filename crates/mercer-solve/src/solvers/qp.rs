//! The dual of every loss whose conjugate is quadratic, by a general convex solver: slow, and the oracle of the others,
//!
//! ```text
//! minimise ½αᵀKα + Σ_i C_i·ℓ*(y_i, −α_i/C_i)   over   −α_i/C_i ∈ dom ℓ* ,   Σα = 0 with offset
//! ```
//!
//! (`docs/maths.md` §3.2, §4.5), where C·ℓ*(−α/C) = −lα + ε|α| + qα²/(2C); |α| is a variable t ≥ ±α. By an
//! interior-point method on the dense K, for small n. Its last digits are cleaned: coefficients that the multipliers
//! say are at a bound, or at zero, are put there.

use mercer_linalg::Budget;

use super::conic::{Answer, Program};
use super::feasible::{boxes, settle, worth};
use super::portions::{Entries, load, product};
use super::squares;
use crate::certify::best_offset;
use crate::loss::{Loss, Quadratic};
use crate::{Footprint, Problem, Run, Sizes, Solution, SolveError, Solver, Status};

/// The dual by an interior-point method.
///
/// ```
/// use mercer_solve::{Features, Objective, Problem, Run, Solver, Tolerance, certify, loss::Hinge, solvers::Qp};
/// let gram = Features::new(3, 1, vec![1.0, 2.0, -1.0]).unwrap();
/// let problem = Problem::new(&gram, &[1.0, 1.0, -1.0], Objective::Risk(&Hinge), 0.1, true).unwrap();
/// let solution = Qp::default().solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// // The rows at ±1 hold the margin: f(x) = x.
/// assert!((solution.alpha[0] - 0.5).abs() < 1e-9 && solution.alpha[1] == 0.0);
/// assert!(certify(&problem, &solution).relative_gap < 1e-9);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Qp {
    /// What the matrices of the solver may take.
    pub budget: Budget,
}

/// Rows at most: a step is a sparse factorisation of a dense matrix.
const MOST: usize = 2000;

/// How far coefficients may go beyond their expected size, in this order: boxes that are far larger than the coefficients
/// in them spoil the numbers. An optimum that such a limit does not touch is one without it.
const REACHES: [f64; 4] = [1e3, 1e5, 1e8, f64::INFINITY];

impl Solver for Qp {
    fn name(&self) -> &'static str {
        "qp"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let solver = self.name();
        let loss = squares::risk(solver, problem)?;
        if loss.quadratic(problem.y()[0]).is_none() {
            let reason = "the conjugate of the loss is not quadratic; newton solves smooth losses".to_owned();
            return Err(SolveError::Unsuited { solver, reason });
        }
        small(solver, problem.len(), MOST, 64, self.budget)?;
        let rows = squares::active(problem);
        if rows.is_empty() {
            return Ok(squares::nothing(problem, run, loss));
        }
        let entries = match load(problem.gram(), &rows, run) {
            Ok(entries) => entries,
            Err(status) => return Ok(squares::unfinished(problem, start, run, status)),
        };
        let (mut found, mut iterations, mut status) = (Vec::new(), 0, Status::Stalled);
        for reach in REACHES {
            let dual = Dual::new(problem, loss, &rows, &entries, reach);
            let (answer, stopped) = dual.program.clone().solve(run)?;
            if let Some(answer) = &answer {
                iterations += answer.iterations;
                status = answer.status;
                found.push(dual.coefficients(problem, loss, &rows, answer));
            }
            if let Some(ended) = stopped.or_else(|| run.over(iterations)) {
                status = ended;
                break;
            }
            if !answer.is_some_and(|answer| dual.confines(&answer, reach)) {
                break;
            }
        }
        if found.is_empty() {
            return Ok(squares::unfinished(problem, start, run, status));
        }
        finish(problem, loss, found, (status, iterations), run)
    }

    fn footprint(&self, sizes: &Sizes) -> Result<Footprint, SolveError> {
        small(self.name(), sizes.rows, MOST, 64, self.budget)
    }
}

/// An error for more rows than a general solver takes, or more memory than there is.
pub(super) fn small(
    solver: &'static str,
    rows: usize,
    most: usize,
    bytes_each: u128,
    budget: Budget,
) -> Result<Footprint, SolveError> {
    if rows > most {
        let reason = format!("it takes at most {most} rows, not {rows}; choose smo");
        return Err(SolveError::Unsuited { solver, reason });
    }
    squares::afford(solver, rows, bytes_each, budget, "choose smo, or raise --memory")
}

/// The best of some feasible coefficients, with scores, offset and status.
pub(super) fn finish(
    problem: &Problem<'_>,
    loss: &dyn Loss,
    mut found: Vec<Vec<f64>>,
    (status, iterations): (Status, u64),
    run: &mut Run<'_>,
) -> Result<Solution, SolveError> {
    let all: Vec<usize> = (0..problem.len()).collect();
    let zero = vec![0.0; problem.len()];
    let worth_of = |scores: &[f64], alpha: &[f64]| {
        let bias = if problem.offset() { best_offset(problem, loss, scores) } else { 0.0 };
        (bias, worth(problem, loss, alpha, scores, bias))
    };
    // Where f = 0 is the answer, an interior point is only ever near it.
    let mut best = (zero.clone(), zero.clone(), worth_of(&zero, &zero));
    while let Some(alpha) = found.pop() {
        let Ok(scores) = product(problem.gram(), &all, &alpha, Entries::Double, run) else {
            let status = run.stop().unwrap_or(Status::Stopped);
            return Ok(run.solution(alpha, 0.0, status, iterations));
        };
        let worth = worth_of(&scores, &alpha);
        if worth.1.1 < best.2.1.1 {
            best = (alpha, scores, worth);
        }
    }
    let (alpha, scores, (bias, (primal, gap))) = best;
    // The method may give up short of its own, very tight aim; what counts is what was asked for.
    let status = match status {
        Status::Solved | Status::Stalled if squares::suffices(problem, run, primal, gap) => Status::Solved,
        Status::Solved => Status::Stalled,
        other => other,
    };
    let mut solution = run.solution(alpha, bias, status, iterations);
    solution.scores = Some(scores);
    Ok(solution)
}

/// The program in units in which its numbers are near one: α = scale·x.
struct Dual {
    program: Program,
    scale: f64,
    /// For each row the constraints of its lower and upper bound, and those that tie it to its |α|.
    places: Vec<Places>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Places {
    low: Option<usize>,
    high: Option<usize>,
    kink: Option<(usize, usize)>,
}

impl Dual {
    fn new(problem: &Problem<'_>, loss: &dyn Loss, rows: &[usize], entries: &[f64], reach: f64) -> Self {
        let m = rows.len();
        let terms: Vec<Quadratic> = rows.iter().filter_map(|&i| loss.quadratic(problem.y()[i])).collect();
        let limits = boxes(problem, loss);
        let (scale, unit) = units(problem, rows, &terms, &limits, entries);
        let kinks = terms.iter().any(|term| term.kink > 0.0);
        let mut program = Program::default();
        for (k, (&i, term)) in rows.iter().zip(&terms).enumerate() {
            program.linear.push(-term.linear / (scale * unit));
            program.quadratic.extend((0..k).map(|j| (j, k, entries[j * m + k] / unit)));
            let own = entries[k * m + k] + term.curvature / problem.bound(i);
            program.quadratic.push((k, k, own / unit));
        }
        if kinks {
            program.linear.extend(terms.iter().map(|term| term.kink / (scale * unit)));
        }
        if problem.offset() {
            program.equations = 1;
            program.constrain((0..m).map(|k| (k, 1.0)), 0.0);
        }
        let mut places = vec![Places::default(); m];
        for (k, (&i, place)) in rows.iter().zip(&mut places).enumerate() {
            let (low, high) = limits[i];
            place.low = low.is_finite().then(|| program.constrain([(k, -1.0)], (-low / scale).min(reach)));
            place.high = high.is_finite().then(|| program.constrain([(k, 1.0)], (high / scale).min(reach)));
            if kinks {
                let below = program.constrain([(k, 1.0), (m + k, -1.0)], 0.0);
                place.kink = Some((below, program.constrain([(k, -1.0), (m + k, -1.0)], 0.0)));
            }
        }
        Self { program, scale, places }
    }

    /// Whether a coefficient has come to the reach, which is not a bound of its own.
    fn confines(&self, answer: &Answer, reach: f64) -> bool {
        let shortened = |place: Option<usize>| place.is_some_and(|place| self.program.limits[place] == reach);
        self.places.iter().enumerate().any(|(k, place)| {
            (shortened(place.low) || shortened(place.high)) && answer.x[k].abs() > 0.9 * reach
        })
    }

    fn coefficients(
        &self,
        problem: &Problem<'_>,
        loss: &dyn Loss,
        rows: &[usize],
        answer: &Answer,
    ) -> Vec<f64> {
        // Complementary slackness has clearly decided where the multiplier is far larger than the slack.
        let tight = |place: usize| answer.slacks[place] < 1e-4 * answer.multipliers[place];
        let limits = boxes(problem, loss);
        let mut held = limits.clone();
        let mut alpha = vec![0.0; problem.len()];
        for (k, (&i, place)) in rows.iter().zip(&self.places).enumerate() {
            let (low, high) = limits[i];
            let fixed = if place.kink.is_some_and(|(a, b)| tight(a) && tight(b)) {
                Some(0.0)
            } else if place.low.is_some_and(tight) {
                Some(low)
            } else if place.high.is_some_and(tight) {
                Some(high)
            } else {
                None
            };
            alpha[i] = fixed.unwrap_or(self.scale * answer.x[k]).clamp(low, high);
            held[i] = fixed.map_or((low, high), |value| (value, value));
        }
        // What rounding left of the sum goes to rows between their bounds, as long as there are any.
        settle(&mut alpha, &held, problem.offset());
        settle(&mut alpha, &limits, problem.offset());
        alpha
    }
}

/// The size that coefficients will have, and that of the matrix.
fn units(
    problem: &Problem<'_>,
    rows: &[usize],
    terms: &[Quadratic],
    limits: &[(f64, f64)],
    entries: &[f64],
) -> (f64, f64) {
    let m = rows.len();
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |a: f64, b| a.max(b.abs()));
    let bound = largest(&mut rows.iter().map(|&i| problem.bound(i)));
    let curvature = largest(&mut terms.iter().map(|term| term.curvature)) / bound;
    let unit = (0..m).map(|k| entries[k * m + k]).sum::<f64>() / m as f64 + curvature;
    let unit = if unit.is_normal() { unit } else { 1.0 };
    let room = largest(&mut rows.iter().flat_map(|&i| [limits[i].0, limits[i].1]).filter(|v| v.is_finite()));
    let pull = largest(&mut terms.iter().map(|term| term.linear)) / unit;
    let scale = match (room > 0.0, pull > 0.0) {
        (true, true) => room.min(pull),
        (true, false) => room,
        (false, _) => pull,
    };
    (if scale.is_normal() { scale } else { 1.0 }, unit)
}
