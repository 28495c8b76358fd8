//! Several classes from one problem: a function for each class, fitted together by softmax (`docs/maths.md` §4.12).
//!
//! The classes share one objective, so that every machine carries the certificate of all of them, with its own offset.

use std::sync::OnceLock;
use std::time::Instant;

use mercer_gram::{Gram, Kept};
use mercer_linalg::Budget;
use mercer_solve::loss::LossSpec;
use mercer_solve::{
    Certificate, Penalty, Regularization, Run, SoftmaxProblem, SoftmaxSolution, Solution, SolveError, Status,
    certify_softmax, certify_softmax_until, solvers,
};

use crate::machines::{HURRY, Path, Posed, Solved};
use crate::shares::Share;
use crate::target::Goal;
use crate::{Between, Learner, ModelError, Multiclass, Spec};

/// An error where a specification asks for softmax of what has none.
pub(crate) fn check(spec: &Spec, loss: Option<LossSpec>) -> Result<(), ModelError> {
    if spec.multiclass != Multiclass::Softmax {
        return Ok(());
    }
    let said = match loss {
        Some(LossSpec::Logistic) if spec.learner != Learner::Newton => {
            format!("softmax is solved by newton, not by {}; leave the solver out", spec.learner)
        }
        Some(LossSpec::Logistic) if spec.penalty == Penalty::Norm => {
            "softmax has the squared penalty; leave penalty = norm out, or use --multi one-vs-rest".to_owned()
        }
        Some(LossSpec::Logistic) => return Ok(()),
        Some(loss) => format!(
            "softmax is the logistic loss of several classes, and the loss is {loss}; use --loss logistic, or --multi \
             one-vs-one or one-vs-rest"
        ),
        None => format!(
            "softmax is the logistic loss of several classes, which {} does not minimise; use --loss logistic, or --multi \
             one-vs-one or one-vs-rest",
            spec.learner
        ),
    };
    Err(ModelError::Spec(said))
}

/// The classes of the problem, where it is one of softmax.
pub(crate) fn classes<'a>(posed: &Posed<'a>) -> Option<(&'a [String], &'a [usize])> {
    match posed.goal {
        Goal::Classes(names, codes) if posed.spec.multiclass == Multiclass::Softmax => Some((names, codes)),
        _ => None,
    }
}

/// The problem of all classes, for one strength.
fn problem<'a>(
    posed: &Posed<'a>,
    (names, codes): (&[String], &'a [usize]),
    gram: &'a dyn Gram,
    strength: Regularization,
) -> Result<SoftmaxProblem<'a>, ModelError> {
    let has_weight = |class: usize| {
        let weight = |row: usize| posed.weights.map_or(1.0, |weights| weights[row]);
        (0..codes.len()).any(|row| codes[row] == class && weight(row) > 0.0)
    };
    if let Some(class) = (0..names.len()).find(|&class| posed.spec.offset && !has_weight(class)) {
        return Err(ModelError::Target(format!(
            "the class '{}' has no row with weight, and its offset would fall for ever; leave its rows out",
            names[class]
        )));
    }
    let lambda = strength.lambda(codes.len())?;
    Ok(SoftmaxProblem::new(gram, (codes, names.len()), posed.weights, lambda, posed.spec.offset)?)
}

/// Solves it.
fn solve(
    posed: &Posed<'_>,
    problem: &SoftmaxProblem<'_>,
    budget: Budget,
    start: Option<&SoftmaxSolution>,
    started: Instant,
) -> Result<SoftmaxSolution, ModelError> {
    let rest = posed.setting.rest(started);
    let mut run = Run::new(rest.watch, rest.limits, posed.spec.tolerance);
    let solution = solvers::Softmax { budget }.solve(problem, start, &mut run)?;
    if solution.alpha.iter().any(|a| !a.is_finite()) {
        let said = "newton ended with coefficients that are not finite; choose a larger lambda".to_owned();
        return Err(SolveError::Numerical(said).into());
    }
    Ok(solution)
}

/// A machine for each class, with the certificate of all.
pub(crate) fn solved(
    posed: &Posed<'_>,
    named: (&[String], &[usize]),
    started: Instant,
    deadline: &OnceLock<Instant>,
) -> Result<Vec<Solved>, ModelError> {
    let problem = problem(posed, named, posed.gram, posed.spec.regularization)?;
    let solution = solve(posed, &problem, posed.setting.budget, None, started)?;
    if matches!(solution.status, Status::Stopped | Status::TimeLimit) {
        deadline.get_or_init(|| Instant::now() + HURRY);
    }
    let (certificate, offsets) = certify_softmax_until(&problem, &solution, deadline.get().copied());
    let rows = named.1.len();
    let each = solution.alpha.chunks_exact(rows).zip(&offsets).enumerate();
    let machine = |(class, (alpha, &bias)): (usize, (&[f64], &f64))| {
        let share = Share { between: Some(Between::Softmax(class)), rows: None, y: Vec::new() };
        let own = Solution {
            alpha: alpha.to_vec(),
            bias,
            level: None,
            scores: None,
            weights: None,
            status: solution.status,
            iterations: solution.iterations,
            // They were computed once for all of them.
            entries: if class == 0 { solution.entries } else { 0 },
            seconds: started.elapsed().as_secs_f64(),
            trace: solution.trace.clone(),
        };
        Solved::new(&share, own, Certificate { offset: bias, ..certificate.clone() })
    };
    Ok(each.map(machine).collect())
}

/// The machines for one strength after the other, each solved from the one before, and the certificate of each strength;
/// none where it was stopped.
pub(crate) fn traced(
    posed: &Posed<'_>,
    named: (&[String], &[usize]),
    strengths: &[Regularization],
) -> Result<(Vec<Path>, Vec<Option<Certificate>>), ModelError> {
    let (rows, started) = (named.1.len(), Instant::now());
    // A part for the entries that all strengths share, another for those that the solver holds.
    let half = Budget::of_bytes(posed.setting.budget.bytes() / 2);
    let kept = Kept::new(posed.gram, half);
    let path = |class: usize| Path {
        between: Some(Between::Softmax(class)),
        solved: Vec::new(),
        status: Vec::new(),
    };
    let mut paths: Vec<Path> = (0..named.0.len()).map(path).collect();
    let mut certificates = Vec::new();
    let mut before: Option<SoftmaxSolution> = None;
    for &strength in strengths {
        let problem = problem(posed, named, &kept, strength)?;
        let solution = solve(posed, &problem, half, before.as_ref(), started)?;
        let is_stopped = matches!(solution.status, Status::Stopped | Status::TimeLimit);
        let judged = (!is_stopped).then(|| certify_softmax(&problem, &solution));
        let offsets = judged.as_ref().map_or(&solution.offsets, |(_, offsets)| offsets);
        for ((path, alpha), &bias) in paths.iter_mut().zip(solution.alpha.chunks_exact(rows)).zip(offsets) {
            path.solved.push((alpha.to_vec(), bias));
            path.status.push(solution.status);
        }
        certificates.push(judged.map(|(certificate, _)| certificate));
        before = Some(solution);
    }
    Ok((paths, certificates))
}
