//! What becomes of a machine as its penalty grows weaker: objective, support, training error and held-out error for one
//! strength after the other, each solved from the solution of the one before (`docs/maths.md` §6).

use std::time::Instant;

use mercer_gram::Squares;
use mercer_points::{Points, Split};
use mercer_solve::{Certificate, Problem, Regularization, Solution, Status, certify};

use super::fold::{Said, answers, measured, said, truth};
use super::leave_one_out::left_out;
use super::{Sofar, Validation, size, usual};
use crate::beside::Beside;
use crate::ground::Ground;
use crate::machines::{Posed, traced};
use crate::metrics::Metric;
use crate::softmax;
use crate::target::Goal;
use crate::{Learner, ModelError, Setting, Spec, Training};

/// The machine of one strength.
#[derive(Debug, Clone, PartialEq)]
pub struct Waypoint {
    /// The strength of the penalty.
    pub strength: Regularization,
    /// P, the regularised risk; of several machines the sum.
    pub objective: f64,
    /// The relative duality gap; of several machines the largest.
    pub gap: f64,
    /// Whether the gap is what was asked for, of every machine.
    pub is_certified: bool,
    /// Rows that have a coefficient.
    pub support: usize,
    /// The metric on the rows that were trained on.
    pub training: f64,
    /// The metric on rows that were not, split by split; none if nothing was held out.
    pub held_out: Vec<f64>,
}

impl Waypoint {
    /// The mean over the splits; none if nothing was held out.
    pub fn held_out_mean(&self) -> Option<f64> {
        let mean = self.held_out.iter().sum::<f64>() / self.held_out.len() as f64;
        (!self.held_out.is_empty()).then_some(mean)
    }
}

/// Machines of one kernel, from the strongest penalty to the weakest.
#[derive(Debug, Clone, PartialEq)]
pub struct RegularizationPath {
    /// One for each strength.
    pub points: Vec<Waypoint>,
    /// By what errors are measured.
    pub metric: Metric,
    /// Splits that rows were held out on.
    pub splits: usize,
    /// Whether there was no time for all.
    pub is_cut_short: bool,
}

impl RegularizationPath {
    /// The point that is best on rows held out, of equals the one with the strongest penalty; none if nothing was.
    pub fn best(&self) -> Option<&Waypoint> {
        let sign = self.metric.sign();
        let worth = |point: &Waypoint| sign * point.held_out_mean().unwrap_or(f64::NAN);
        let held_out = self.points.iter().filter(|point| worth(point).is_finite());
        held_out.reduce(|best, point| if worth(point) > worth(best) { point } else { best })
    }
}

/// Follows a machine from the strongest of some penalties to the weakest.
///
/// ```
/// use mercer_model::tune::{Strength, Validation, path};
/// use mercer_model::{Learner, Setting, Spec, Training};
/// let mut table = mercer_points::read("@moons(n=60)", &Default::default()).unwrap();
/// let target = table.remove("label").unwrap();
/// let spec = Spec::new("rbf(sigma=0.5)".parse().unwrap(), Learner::Smo);
/// let strengths = Strength::C("0.1..100".parse().unwrap()).grid(4).unwrap();
/// let held_out = Validation::HoldOut { share: 0.25 };
/// let training = Training::new(&table, &target);
/// let found = path(&spec, &strengths, None, Some(&held_out), &training, &Setting::default(), &|_| {}).unwrap();
/// assert_eq!(found.points.len(), 4);
/// assert!(found.points[0].training <= found.points[3].training);
/// ```
pub fn path(
    spec: &Spec,
    strengths: &[Regularization],
    metric: Option<Metric>,
    validation: Option<&Validation>,
    training: &Training<'_>,
    setting: &Setting<'_>,
    tell: &(dyn Fn(Sofar) + Sync),
) -> Result<RegularizationPath, ModelError> {
    let started = Instant::now();
    let info = spec.learner.info();
    if info.losses.is_empty() || info.explicit || spec.learner == Learner::Lms {
        return Err(ModelError::Spec(format!(
            "{} has no path; kernel learners with a loss and a penalty have one, such as smo, cholesky and newton",
            info.name
        )));
    }
    let Some(target) = training.target else {
        return Err(ModelError::Target("a path needs a target; name its column (--target)".to_owned()));
    };
    let rows = training.table.len();
    let goal = truth(spec, target, rows)?;
    let metric = metric.unwrap_or_else(|| usual(&goal));
    let splits = match validation {
        Some(validation) => validation.splits(&target.data, spec.seed)?,
        None => Vec::new(),
    };
    let lambdas: Vec<f64> = strengths.iter().map(|s| s.lambda(rows)).collect::<Result<_, _>>()?;
    let mut order: Vec<usize> = (0..strengths.len()).collect();
    order.sort_by(|&a, &b| lambdas[b].total_cmp(&lambdas[a]).then(a.cmp(&b)));
    let strengths: Vec<Regularization> = order.iter().map(|&k| strengths[k]).collect();
    let all = (splits.len() + 1) * strengths.len();
    let mut points = whole(spec, &strengths, metric, &goal, training, setting)?;
    tell(Sofar { done: strengths.len(), all });
    let (done, squares) = (std::sync::atomic::AtomicUsize::new(strengths.len()), Squares::default());
    let classes: &[String] = if let Goal::Classes(names, _) = &goal { names } else { &[] };
    let size = size(spec, &goal, &splits, validation == Some(&Validation::LeaveOneOut));
    let beside = Beside::in_parts(setting.budget, splits.len(), size);
    let held_out = |split: &Split| -> Result<Option<Vec<f64>>, ModelError> {
        if setting.is_over(started) {
            return Ok(None);
        }
        let rest = Setting { budget: beside.room, ..setting.rest(started) };
        let found: Vec<Said> = if validation == Some(&Validation::LeaveOneOut) {
            left_out(spec, &strengths, (training, target), &split.train, &rest)?
        } else {
            said(spec, &strengths, (training, target), classes, split, &rest, &squares)?
        };
        let value = |said: &Said| measured(metric, &goal, training.weights, said, &split.test);
        let values = found.iter().map(value).collect::<Result<_, _>>()?;
        let done = done.fetch_add(strengths.len(), std::sync::atomic::Ordering::Relaxed) + strengths.len();
        tell(Sofar { done, all });
        Ok(Some(values).filter(|_| !setting.is_over(started)))
    };
    let found: Vec<Option<Vec<f64>>> = beside.map(splits.len(), |split| held_out(&splits[split]))?;
    let is_cut_short = points.len() < strengths.len() || found.iter().any(Option::is_none);
    if let Some(found) = found.into_iter().collect::<Option<Vec<Vec<f64>>>>() {
        for (k, point) in points.iter_mut().enumerate() {
            point.held_out = found.iter().map(|values| values[k]).collect();
        }
    }
    Ok(RegularizationPath { points, metric, splits: splits.len(), is_cut_short })
}

/// The machines of all rows, as far as there was time for them.
fn whole(
    spec: &Spec,
    strengths: &[Regularization],
    metric: Metric,
    goal: &Goal,
    training: &Training<'_>,
    setting: &Setting<'_>,
) -> Result<Vec<Waypoint>, ModelError> {
    let rows = training.table.len();
    let ground = Ground::of(spec, &Training { others: &[], ..*training })?;
    let gram = ground.gram(spec, training)?;
    let (loss, weights) = (ground.loss, ground.weights.as_deref());
    let posed = Posed { spec, loss, goal, weights, gram: &gram, features: None, setting };
    let (paths, certificates): (Vec<_>, Vec<Vec<Option<Certificate>>>) = match softmax::classes(&posed) {
        Some(named) => {
            let (paths, certificates) = softmax::traced(&posed, named, strengths)?;
            (paths, vec![certificates])
        }
        None => {
            let judge = |problem: &Problem<'_>, solution: &Solution| {
                let is_stopped = matches!(solution.status, Status::Stopped | Status::TimeLimit);
                (!is_stopped).then(|| certify(problem, solution))
            };
            traced(&posed, strengths, &Squares::default(), judge)?.into_iter().unzip()
        }
    };
    let classes: &[String] = if let Goal::Classes(names, _) = goal { names } else { &[] };
    let said = answers(&gram, gram.points(), goal, &paths, classes);
    let everything: Vec<usize> = (0..rows).collect();
    let mut points = Vec::new();
    for (k, (&strength, said)) in strengths.iter().zip(&said).enumerate() {
        let own = certificates.iter().map(|each| each[k].as_ref()).collect::<Option<Vec<_>>>();
        // The path ends where the time did.
        let Some(own) = own else { break };
        let is_used = |&row: &usize| paths.iter().any(|path| path.solved[k].0[row] != 0.0);
        points.push(Waypoint {
            strength,
            objective: own.iter().map(|certificate| certificate.primal).sum(),
            gap: own.iter().map(|certificate| certificate.relative_gap).fold(0.0, f64::max),
            is_certified: own.iter().all(|certificate| certificate.holds(&spec.tolerance)),
            support: (0..rows).filter(is_used).count(),
            training: measured(metric, goal, training.weights, said, &everything)?,
            held_out: Vec::new(),
        });
    }
    Ok(points)
}
