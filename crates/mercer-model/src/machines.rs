//! The machines of a model: the one problem, posed and solved once, or for each pair of classes, each class or
//! each target. Those that are of the same rows share what a solver makes of the Gram matrix, or its square.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use mercer_gram::{Classes, Gram, Kept, Lazy, Remembered, Squares};
use mercer_linalg::Budget;
use mercer_points::{Dense, Points};
use mercer_solve::loss::{Loss, LossSpec};
use mercer_solve::solvers::{Norm, SeveralByCholesky, SeveralByEigen};
use mercer_solve::{
    Certificate, Claim, Convexity, Features, Objective, Penalty, Problem, Regularization, Run, Solution,
    SolveError, Solver, Status, certify, certify_until,
};

use rayon::prelude::*;

use crate::beside::{Beside, Size, is_direct};
use crate::build::solver_for;
use crate::convexity::convexity;
use crate::shares::{Share, Shares};
use crate::target::Goal;
use crate::{Between, Coefficients, Learner, Machine, ModelError, Multiclass, Setting, Spec};

/// All that a learner is given.
pub(crate) struct Posed<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) loss: Option<LossSpec>,
    pub(crate) goal: &'a Goal,
    pub(crate) weights: Option<&'a [f64]>,
    pub(crate) gram: &'a Lazy,
    pub(crate) features: Option<&'a Dense<f64>>,
    pub(crate) setting: &'a Setting<'a>,
}

/// What came of it.
pub(crate) struct Fitted {
    pub(crate) machines: Vec<Machine>,
    /// The rows that any machine uses.
    pub(crate) rows: Vec<usize>,
    pub(crate) entries: u64,
}

/// A machine as it was solved.
pub(crate) struct Solved {
    between: Option<Between>,
    /// Rows of the table, in order, and their α, without those of 0: of many pairs the others would be most of the memory.
    used: Vec<(usize, f64)>,
    /// Without its α.
    solution: Solution,
    certificate: Certificate,
}

impl Solved {
    pub(crate) fn new(share: &Share, mut solution: Solution, certificate: Certificate) -> Self {
        let alpha = std::mem::take(&mut solution.alpha).into_iter().enumerate();
        let mut used: Vec<(usize, f64)> =
            alpha.filter(|(_, alpha)| *alpha != 0.0).map(|(k, alpha)| (share.row(k), alpha)).collect();
        // Pairs have the rows of one class after those of the other: two runs.
        used.sort_by_key(|&(row, _)| row);
        Self { between: share.between, used, solution, certificate }
    }
}

/// A stopped run is certified within this time.
pub(crate) const HURRY: Duration = Duration::from_millis(80);

/// Every machine by itself, as far as they have nothing in common.
fn solved_apart(
    posed: &Posed<'_>,
    started: Instant,
    deadline: &OnceLock<Instant>,
) -> Result<Vec<Solved>, ModelError> {
    let shares = Shares::of(posed);
    let are_pairs = are_pairs(posed, &shares);
    let classes = (are_pairs && is_dual(posed))
        .then(|| Classes::new(posed.gram, shares.members(), shared_budget(posed)));
    // Machines of all rows, one for each class, have the same entries; their solver has squares of its own beside these.
    let kept = Kept::new(posed.gram, Budget::of_bytes(posed.setting.budget.bytes() / 2));
    let is_shared =
        shares.between().iter().any(|between| matches!(between, Some(Between::Rest(_)))) && is_dual(posed);
    let whole: &dyn Gram = if is_shared { &kept } else { posed.gram };
    let one = |machine: usize, shared: Option<&dyn Solver>| {
        let share = shares.share(machine);
        let entries = Entries { whole, classes: classes.as_ref(), shared };
        let (mut solution, mut certificate) = solve(posed, &share, &entries, started, deadline)?;
        if are_pairs {
            // Of many pairs these would be most of the memory of the model, and each is of the rows of its pair alone.
            (solution.scores, certificate.rows) = (None, Vec::new());
        }
        Ok(Solved::new(&share, solution, certificate))
    };
    if let Some(beside) = beside(posed, &shares) {
        return beside.map(shares.len(), |machine| one(machine, None));
    }
    let shared = if shares.len() > 1 { solver_for_several(posed) } else { None };
    (0..shares.len()).map(|machine| one(machine, shared.as_deref())).collect()
}

pub(crate) fn machines(posed: &Posed<'_>) -> Result<Fitted, ModelError> {
    let total = posed.gram.len();
    let started = Instant::now();
    let deadline = OnceLock::new();
    let solved = match crate::softmax::classes(posed) {
        Some(named) => crate::softmax::solved(posed, named, started, &deadline)?,
        None => solved_apart(posed, started, &deadline)?,
    };
    let entries = solved.iter().map(|one| one.solution.entries).sum();
    let known = match deadline.get() {
        // There is no time to measure anything; a proof takes none.
        Some(_) if posed.spec.kernel.mercer().status != mercer_kernel::Status::Psd => Convexity::Assumed,
        Some(_) => Convexity::Proved,
        None => {
            let poll = || is_over(posed, started);
            convexity(&posed.spec.kernel, posed.gram, posed.setting.budget, &poll)
        }
    };
    let mut used = vec![false; total];
    solved.iter().flat_map(|one| &one.used).for_each(|&(row, _)| used[row] = true);
    let rows: Vec<usize> = (0..total).filter(|&i| used[i]).collect();
    let mut place = vec![0; total];
    rows.iter().enumerate().for_each(|(at, &row)| place[row] = at);
    let machines = solved.into_par_iter().map(|one| {
        let Solved { between, used, solution, mut certificate } = one;
        if !matches!(certificate.convexity, Convexity::Refuted { .. }) {
            certificate.convexity = known.clone();
        }
        let coefficients =
            Coefficients::of(rows.len(), used.into_iter().map(|(row, alpha)| (place[row], alpha)));
        machine(posed.spec.learner, between, coefficients, solution, certificate)
    });
    Ok(Fitted { machines: machines.collect(), entries, rows: rows.clone() })
}

/// Memory for lines within classes that pairs share.
pub(crate) fn shared_budget(posed: &Posed<'_>) -> Budget {
    // Only lines in single precision are shared; with a small gap in sight the engine wants double precision.
    let shares = is_dual(posed) && posed.spec.tolerance.gap.is_none_or(|gap| gap >= 1e-4);
    if shares { posed.setting.budget } else { Budget::of_bytes(0) }
}

/// Machines that run at the same time.
pub(crate) fn at_once(posed: &Posed<'_>, shares: &Shares<'_>) -> usize {
    beside(posed, shares).map_or(1, |beside| beside.at_once(shares.len()))
}

/// How machines of pairs run side by side: those of so few rows have little to share out within each, and nothing to do
/// with each other.
fn beside(posed: &Posed<'_>, shares: &Shares<'_>) -> Option<Beside> {
    const FEW: usize = 6144;
    let size = Size { rows: shares.largest(), machines: 1, is_direct: false };
    let are_small = are_pairs(posed, shares) && is_dual(posed) && size.rows <= FEW;
    are_small.then(|| Beside::in_whole(posed.setting.budget, size))
}

/// Whether each machine is of two of several classes.
fn are_pairs(posed: &Posed<'_>, shares: &Shares<'_>) -> bool {
    matches!(posed.goal, Goal::Classes(..))
        && posed.spec.multiclass == Multiclass::OneVsOne
        && shares.len() > 1
}

/// Whether the work is to end.
fn is_over(posed: &Posed<'_>, started: Instant) -> bool {
    posed.setting.is_over(started)
}

/// Whether pairs are solved by blocks of their dual, in the memory that squares of working sets take.
pub(crate) fn is_dual(posed: &Posed<'_>) -> bool {
    matches!(posed.spec.learner, Learner::Smo | Learner::NuSvc) && posed.features.is_none()
}

/// The solver of several targets that remembers what it made of their Gram matrix, where the learner has one.
fn solver_for_several<'a>(posed: &Posed<'a>) -> Option<Box<dyn Solver + 'a>> {
    let (Goal::Numbers(_), gram, budget) = (posed.goal, posed.gram, posed.setting.budget) else {
        return None;
    };
    match posed.spec.learner {
        Learner::Cholesky => Some(Box::new(SeveralByCholesky::new(gram, budget))),
        Learner::Eigen => Some(Box::new(SeveralByEigen::new(gram, budget))),
        _ => None,
    }
}

/// What the machines of a model have in common.
struct Entries<'a> {
    /// The matrix of all rows.
    whole: &'a dyn Gram,
    /// Its classes, for machines of pairs that are solved by their dual.
    classes: Option<&'a Classes<'a>>,
    /// A solver that remembers what it made of the matrix.
    shared: Option<&'a dyn Solver>,
}

/// Solves and certifies one share. The first stop sets the deadline for the certificates of all.
fn solve(
    posed: &Posed<'_>,
    share: &Share,
    entries: &Entries<'_>,
    started: Instant,
    deadline: &OnceLock<Instant>,
) -> Result<(Solution, Certificate), ModelError> {
    let &Entries { whole, classes, shared } = entries;
    let sub: Option<Box<dyn Gram + '_>> = match (share.between, classes, &share.rows) {
        (Some(Between::Pair(first, second)), Some(classes), _) => Some(Box::new(classes.pair(first, second))),
        (_, _, Some(rows)) if posed.features.is_none() => Some(Box::new(posed.gram.part(rows))),
        _ => None,
    };
    let features = posed.features.map(|points| chosen(points, share)).transpose()?;
    // Features give K·α in O(n d), where tiles would take O(n² d).
    let gram: &dyn Gram = match (&features, &sub) {
        (Some(features), _) => features,
        (None, Some(sub)) => &**sub,
        (None, None) => whole,
    };
    // The solver's last look at its answer and the certificate want the same product.
    let remembered = Remembered::new(gram);
    let gram: &dyn Gram = if shared.is_some() { gram } else { &remembered };
    let room = posed.setting.budget;
    let pursued = Pursued { gram, features: features.as_ref(), shared, room, started, is_trial: false };
    let judge = |problem: &Problem<'_>, solution: &Solution| {
        if matches!(solution.status, Status::Stopped | Status::TimeLimit) {
            deadline.get_or_init(|| Instant::now() + HURRY);
        }
        certify_until(problem, solution, deadline.get().copied())
    };
    pursue(posed, share, &pursued, posed.spec.regularization, None, judge)
}

/// What the problems of a share are solved with.
struct Pursued<'a> {
    gram: &'a dyn Gram,
    features: Option<&'a Features>,
    shared: Option<&'a dyn Solver>,
    /// Memory for the solver.
    room: Budget,
    started: Instant,
    /// Nobody will certify what is found.
    is_trial: bool,
}

/// Poses and solves the problem of a share, and what `judge` makes of both.
fn pursue<R>(
    posed: &Posed<'_>,
    share: &Share,
    pursued: &Pursued<'_>,
    regularization: Regularization,
    start: Option<&Solution>,
    judge: impl FnOnce(&Problem<'_>, &Solution) -> R,
) -> Result<(Solution, R), ModelError> {
    let &Pursued { gram, features, shared, room, started, is_trial } = pursued;
    let loss: Option<Box<dyn Loss>> = posed.loss.map(|loss| loss.build()).transpose()?;
    let objective = objective(posed.spec, loss.as_deref());
    // C is the same for every pair, whatever its rows; so is μ. λ is what the user gave, or follows from those.
    let mut lambda = regularization.lambda(share.y.len())?;
    let mut weights: Option<Vec<f64>> =
        posed.weights.map(|weights| (0..share.y.len()).map(|k| weights[share.row(k)]).collect());
    if let (
        Some(weights),
        Objective::NuClassification { .. } | Objective::NuRegression { .. } | Objective::OneClass { .. },
    ) = (&mut weights, &objective)
    {
        lambda = shares_of_weight(weights, lambda, regularization);
    }
    let mut problem = Problem::new(gram, &share.y, objective, lambda, posed.spec.offset)?;
    if let Some(weights) = &weights {
        problem = problem.weighted(weights)?;
    }
    problem = problem.penalized(posed.spec.penalty);
    let own;
    let plain = match shared {
        Some(shared) => shared,
        None => {
            own = solver_for(posed.spec, features, room)?;
            &*own
        }
    };
    let norm = Norm { inner: plain };
    let solver: &dyn Solver = if posed.spec.penalty == Penalty::Norm { &norm } else { plain };
    let rest = posed.setting.rest(started);
    let run = Run::new(rest.watch, rest.limits, posed.spec.tolerance);
    let mut run = if is_trial { run.as_trial() } else { run };
    let solution = solver.solve(&problem, start, &mut run)?;
    if solution.alpha.len() != problem.len() || solution.alpha.iter().any(|a| !a.is_finite()) {
        let said =
            format!("{} ended with coefficients that are not finite; choose a smaller step", solver.name());
        return Err(SolveError::Numerical(said).into());
    }
    let judged = judge(&problem, &solution);
    Ok((solution, judged))
}

/// The solutions of a share for one strength after the other.
pub(crate) struct Path {
    /// The classes that it is between, if there are more than two.
    pub(crate) between: Option<Between>,
    /// α of all rows and b, for each strength.
    pub(crate) solved: Vec<(Vec<f64>, f64)>,
    /// How each ended.
    pub(crate) status: Vec<Status>,
}

/// Solves every share for one strength after the other, each from the solution before; entries are computed once.
pub(crate) fn along(
    posed: &Posed<'_>,
    strengths: &[Regularization],
    squares: &Squares,
) -> Result<Vec<Path>, ModelError> {
    let paths = followed(posed, strengths, squares, true, |_, _| ())?;
    Ok(paths.into_iter().map(|(path, _)| path).collect())
}

/// The same, with what `judge` makes of every solution.
pub(crate) fn traced<R: Send>(
    posed: &Posed<'_>,
    strengths: &[Regularization],
    squares: &Squares,
    judge: impl Fn(&Problem<'_>, &Solution) -> R + Sync,
) -> Result<Vec<(Path, Vec<R>)>, ModelError> {
    followed(posed, strengths, squares, false, judge)
}

fn followed<R: Send>(
    posed: &Posed<'_>,
    strengths: &[Regularization],
    squares: &Squares,
    is_trial: bool,
    judge: impl Fn(&Problem<'_>, &Solution) -> R + Sync,
) -> Result<Vec<(Path, Vec<R>)>, ModelError> {
    let (total, started, budget) = (posed.gram.len(), Instant::now(), posed.setting.budget);
    let shares = Shares::of(posed);
    let size = Size { rows: shares.largest(), machines: 1, is_direct: is_direct(posed.spec.learner) };
    // What is kept for all strengths is taken from what their solver has.
    let half = Budget::of_bytes(budget.bytes() / 2);
    let whole = Kept::new(posed.gram, half).within(squares);
    let path = |machine: usize| {
        let share = shares.share(machine);
        let sub = share.rows.as_ref().map(|rows| posed.gram.part(rows));
        let own = sub.as_ref().map(|sub| Kept::new(sub, half).within(squares));
        let gram = own.as_ref().unwrap_or(&whole);
        let keeps = !size.is_direct && gram.keeps_square();
        let kept = if keeps { size_of::<f32>() as u64 * (gram.len() as u64).pow(2) } else { 0 };
        let room = Budget::of_bytes(budget.bytes() - kept);
        let pursued = Pursued { gram, features: None, shared: None, room, started, is_trial };
        let mut before: Option<Solution> = None;
        let (mut solved, mut status, mut judged) =
            (Vec::with_capacity(strengths.len()), Vec::new(), Vec::new());
        for &strength in strengths {
            let (solution, found) = pursue(posed, &share, &pursued, strength, before.as_ref(), &judge)?;
            let mut alpha = vec![0.0; total];
            solution.alpha.iter().enumerate().for_each(|(k, &a)| alpha[share.row(k)] = a);
            solved.push((alpha, solution.bias));
            status.push(solution.status);
            judged.push(found);
            before = Some(solution);
        }
        Ok((Path { between: share.between, solved, status }, judged))
    };
    Beside::in_whole(budget, size).map(shares.len(), path)
}

/// ν is a share of all weight, not of all rows, so that a weight of 2 is the row twice (`docs/maths.md` §4.13): weights
/// are put in units of their mean, and C, which is a price per weight, makes another λ.
fn shares_of_weight(weights: &mut [f64], lambda: f64, given: Regularization) -> f64 {
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    if !(mean > 0.0 && mean.is_finite()) {
        return lambda;
    }
    weights.iter_mut().for_each(|weight| *weight /= mean);
    if matches!(given, Regularization::Lambda(_) | Regularization::SmallC(_)) {
        lambda
    } else {
        lambda / mean
    }
}

/// The certificate of coefficients that no solver of ours need have made.
pub(crate) fn judge(
    spec: &Spec,
    loss: Option<LossSpec>,
    (gram, y, weights): (&dyn Gram, &[f64], Option<&[f64]>),
    alpha: &[f64],
    bias: f64,
) -> Result<Certificate, ModelError> {
    if alpha.len() != y.len() {
        let (expected, found) = (y.len(), alpha.len());
        return Err(SolveError::Shape { what: "coefficients", expected, found }.into());
    }
    let loss: Option<Box<dyn Loss>> = loss.map(|loss| loss.build()).transpose()?;
    let lambda = spec.regularization.lambda(y.len())?;
    let mut problem = Problem::new(gram, y, objective(spec, loss.as_deref()), lambda, spec.offset)?;
    if let Some(weights) = weights {
        problem = problem.weighted(weights)?;
    }
    let problem = problem.penalized(spec.penalty);
    let run = Run::quiet(spec.tolerance);
    Ok(certify(&problem, &run.solution(alpha.to_vec(), bias, Status::Solved, 0)))
}

/// The features of the rows of a share.
fn chosen(points: &Dense<f64>, share: &Share) -> Result<Features, ModelError> {
    let part = match &share.rows {
        None => points.clone(),
        Some(rows) => points.select(rows),
    };
    let (rows, columns) = (part.len(), part.dim());
    Ok(Features::new(rows, columns, part.into_values())?)
}

pub(crate) fn objective<'a>(spec: &Spec, loss: Option<&'a dyn Loss>) -> Objective<'a> {
    let nu = spec.nu;
    match (spec.learner, loss) {
        (_, Some(loss)) => Objective::Risk(loss),
        (Learner::HardMargin, None) => Objective::HardMargin,
        (Learner::NuSvc, None) => Objective::NuClassification { nu },
        (Learner::NuSvr, None) => Objective::NuRegression { nu },
        (Learner::OneClass, None) => Objective::OneClass { nu },
        (_, None) => Objective::Separation,
    }
}

/// The machine of a certified solution. ν-classification is put in units of its margin ρ, so that scores compare.
fn machine(
    learner: Learner,
    between: Option<Between>,
    mut coefficients: Coefficients,
    solution: Solution,
    certificate: Certificate,
) -> Machine {
    let level = certificate.level.or(solution.level).filter(|level| level.is_finite());
    let offset = if certificate.offset.is_finite() { certificate.offset } else { solution.bias };
    let bias = match (learner, level) {
        (Learner::OneClass, Some(rho)) => -rho,
        (Learner::NuSvc, Some(rho)) if rho > 0.0 => {
            coefficients = coefficients.map(|alpha| alpha / rho);
            offset / rho
        }
        _ if matches!(certificate.claim, Claim::Separates { .. }) => solution.bias,
        _ => offset,
    };
    Machine {
        between,
        coefficients,
        bias,
        level,
        certificate: Some(certificate),
        status: solution.status,
        iterations: solution.iterations,
        trace: solution.trace,
    }
}
