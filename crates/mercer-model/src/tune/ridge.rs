//! The squared loss, whose machines of all strengths come from one piece of work on the Gram matrix
//! (`docs/maths.md` §4.9).

use mercer_gram::Gram;
use mercer_solve::solvers::{Ridge, ridge_path};
use mercer_solve::{Regularization, Run, SolveError, Status};

use crate::machines::{Path, Posed};
use crate::shares::{Share, Shares};
use crate::{Learner, ModelError, Spec};

/// Whether a learner solves the equations of ridge regression exactly, and takes these weights.
pub(super) fn suits(spec: &Spec, weights: Option<&[f64]>) -> bool {
    match spec.learner {
        Learner::Cholesky | Learner::LsSvm => true,
        Learner::Eigen => weights.is_none(),
        _ => false,
    }
}

/// The machines of every strength; none where the memory is too small or a matrix not positive definite.
pub(super) fn along(
    posed: &Posed<'_>,
    strengths: &[Regularization],
) -> Result<Option<Vec<Path>>, ModelError> {
    let mut paths = Vec::new();
    let shares = Shares::of(posed);
    for machine in 0..shares.len() {
        match path(posed, &shares.share(machine), strengths)? {
            Some(path) => paths.push(path),
            None => return Ok(None),
        }
    }
    Ok(Some(paths))
}

fn path(posed: &Posed<'_>, share: &Share, strengths: &[Regularization]) -> Result<Option<Path>, ModelError> {
    let (own, total) = (share.y.len(), posed.gram.len());
    let lambdas: Vec<f64> = strengths.iter().map(|s| s.lambda(own)).collect::<Result<_, _>>()?;
    let weights: Option<Vec<f64>> =
        posed.weights.map(|weights| (0..own).map(|k| weights[share.row(k)]).collect());
    let ridge = Ridge { y: &share.y, weights: weights.as_deref(), offset: posed.spec.offset };
    let run = Run::new(posed.setting.watch, posed.setting.limits, posed.spec.tolerance);
    let part = share.rows.as_ref().map(|rows| posed.gram.part(rows));
    let gram = part.as_ref().unwrap_or(posed.gram);
    let found = match ridge_path(gram, ridge, &lambdas, posed.setting.budget, &run) {
        Err(SolveError::OverBudget { .. }) => return Ok(None),
        // What a stopped search has found is not asked for.
        found => found?.unwrap_or_else(|| vec![Some((vec![0.0; own], 0.0)); lambdas.len()]),
    };
    let placed = |(alpha, bias): (Vec<f64>, f64)| {
        let mut all = vec![0.0; total];
        alpha.iter().enumerate().for_each(|(k, &a)| all[share.row(k)] = a);
        (all, bias)
    };
    let solved: Option<Vec<_>> = found.into_iter().map(|line| line.map(placed)).collect();
    Ok(solved.map(|solved| Path {
        between: share.between,
        status: vec![Status::Solved; solved.len()],
        solved,
    }))
}
