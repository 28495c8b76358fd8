//! From a specification and a table to a model.
//!
//! Target and weights are checked, the columns prepared, the kernel compiled; then the one problem
//! (1/n) Σ w_i ℓ(y_i, f(x_i)+b) + (λ/2)‖f‖² is posed, solved and certified (`docs/maths.md` §3), once or for each pair
//! of classes or each class. The offset of a model is that of its certificate, and rows without a coefficient are left behind.

use std::sync::LazyLock;
use std::time::Instant;

use mercer_gram::{Lazy, Precision};
use mercer_kernel::{KernelError, Registry};
use mercer_linalg::Budget;
use mercer_points::{Column, ColumnData, Points, Table};
use mercer_solve::{Limits, Silent, SolveError, Watch};

use crate::calibration;
use crate::engine::ROW;
use crate::ground::Ground;
use crate::machines::{Fitted, Posed, judge, machines};
use crate::needs::{Needs, is_linear, is_matrix};
use crate::target::{Goal, loss_of};
use crate::{
    Kind, Learner, Model, ModelError, Multiclass, Parts, Preprocessing, Provenance, Schema, Spec, Task,
};

/// Rows to learn from.
#[derive(Debug, Clone, Copy)]
pub struct Training<'a> {
    /// The points, without the target.
    pub table: &'a Table,
    /// What is to be predicted; none for learners that need nothing.
    pub target: Option<&'a Column>,
    /// Further targets of the same rows, for learners of numbers: a machine each, which share the support points.
    pub others: &'a [Column],
    /// How much each row counts.
    pub weights: Option<&'a [f64]>,
    /// Kernels of the user's.
    pub registry: &'a Registry,
    /// What the rows were read from, for the record.
    pub source: &'a str,
}

/// No kernel of the user's.
static NONE: LazyLock<Registry> = LazyLock::new(Registry::new);

impl<'a> Training<'a> {
    /// Rows and their target, all of weight 1, for kernels of the language.
    pub fn new(table: &'a Table, target: &'a Column) -> Self {
        Self { target: Some(target), ..Self::unlabelled(table) }
    }

    /// Rows without a target.
    pub fn unlabelled(table: &'a Table) -> Self {
        Self { table, target: None, others: &[], weights: None, registry: &NONE, source: "a table" }
    }
}

/// What surrounds a fit.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// When to end, apart from success.
    pub limits: Limits,
    /// Memory for whole matrices.
    pub budget: Budget,
    /// Who watches and may stop it.
    pub watch: &'a dyn Watch,
}

impl std::fmt::Debug for Setting<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setting").field("limits", &self.limits).field("budget", &self.budget).finish()
    }
}

impl Setting<'_> {
    /// Whether work that began then is to end.
    pub(crate) fn is_over(&self, began: Instant) -> bool {
        self.watch.stopped() || self.limits.time.is_some_and(|limit| began.elapsed() >= limit)
    }

    /// The same with what is left of the time for work that began then.
    pub(crate) fn rest(&self, began: Instant) -> Self {
        self.within(self.limits.time.map(|limit| limit.saturating_sub(began.elapsed())))
    }

    /// The same with another time.
    pub(crate) fn within(&self, time: Option<std::time::Duration>) -> Self {
        Self { limits: Limits { time, ..self.limits }, ..*self }
    }
}

impl Default for Setting<'_> {
    fn default() -> Self {
        Self { limits: Limits::default(), budget: Budget::default(), watch: &Silent }
    }
}

/// Learns a model.
///
/// ```
/// use mercer_model::{Learner, Setting, Spec, Training, fit};
/// let mut table = mercer_points::read("@sinc(n=40)", &Default::default()).unwrap();
/// let last = table.columns().last().unwrap().name.clone();
/// let target = table.remove(&last).unwrap();
/// let training = Training { source: "@sinc", ..Training::new(&table, &target) };
/// let spec = Spec::new("rbf(sigma=1)".parse().unwrap(), Learner::Cholesky);
/// let model = fit(&spec, &training, &Setting::default()).unwrap();
/// assert!(model.certified());
/// ```
pub fn fit(spec: &Spec, training: &Training<'_>, setting: &Setting<'_>) -> Result<Model, ModelError> {
    let started = Instant::now();
    let (rows, registry) = (training.table.len(), training.registry);
    if rows == 0 {
        return Err(SolveError::Empty.into());
    }
    let ground = Ground::of(spec, training)?;
    if spec.probabilities.is_some() {
        calibration::check(spec, training.table, &ground.goal, ground.weights.as_deref())?;
    }
    let lambda = spec.regularization.lambda(rows)?;
    let gram = ground.gram(spec, training)?;
    let features =
        if spec.learner.info().explicit { Some(features(spec, &gram, setting.budget)?) } else { None };
    let Ground { loss, goal, weights, schema, preprocessing, table } = ground;
    let posed = Posed {
        spec,
        loss,
        goal: &goal,
        weights: weights.as_deref(),
        gram: &gram,
        features: features.as_ref(),
        setting,
    };
    // One thread sees to the fingerprint while the solver is in a part that only one can do; first of all if there is but
    // one, so that nothing takes long after a stop.
    let targets = || training.target.into_iter().chain(training.others);
    let (hash, fitted) =
        rayon::join(|| crate::hash::data(training.table, targets(), training.weights), || machines(&posed));
    let Fitted { machines, rows: support, mut entries } = fitted?;
    let curves = match (spec.probabilities, training.target) {
        (Some(how), Some(target)) => calibration::curves(
            (spec, how),
            (training, target),
            &goal,
            weights.as_deref(),
            (setting, started),
        )?,
        _ => None,
    };
    let curves = curves.map_or_else(Vec::new, |(curves, more)| {
        entries += more;
        curves
    });
    let matrix = is_matrix(&spec.kernel);
    let parts = Parts {
        spec: spec.clone(),
        kernel: gram.plan().expr().clone(),
        lambda,
        task: match goal {
            Goal::Classes(..) => Task::Classes,
            Goal::Numbers(_) => Task::Numbers,
            Goal::Nothing => Task::Novelty,
        },
        machines,
        curves,
        points: if matrix { numbered(&table, &support)? } else { table.select(&support) },
        rows: support,
        plan: (!matrix).then(|| gram.plan().state()),
        schema,
        preprocessing,
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            source: training.source.to_owned(),
            rows,
            columns: training.table.columns().len(),
            hash,
            seed: spec.seed,
            seconds: started.elapsed().as_secs_f64(),
            entries,
        },
        classes: match goal {
            Goal::Classes(classes, _) => classes,
            _ => Vec::new(),
        },
    };
    Model::from_parts_with(parts, registry)
}

/// Certifies coefficients that came from anywhere, against the problem that a specification poses: two classes, numbers
/// or nothing, one α a row. Of several targets it is the first.
///
/// ```
/// use mercer_model::{Learner, Setting, Spec, Training, certify, fit};
/// let mut table = mercer_points::read("@moons(n=40)", &Default::default()).unwrap();
/// let target = table.remove("label").unwrap();
/// let spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::Smo);
/// let zero = certify(&spec, &Training::new(&table, &target), &[0.0; 40], 0.0).unwrap();
/// assert_eq!((zero.primal, zero.dual), (1.0, 0.0));
/// ```
pub fn certify(
    spec: &Spec,
    training: &Training<'_>,
    alpha: &[f64],
    bias: f64,
) -> Result<mercer_solve::Certificate, ModelError> {
    if spec.multiclass == Multiclass::Softmax {
        return Err(ModelError::Spec(
            "softmax has a coefficient for each row and class, not for each row".to_owned(),
        ));
    }
    let ground = Ground::of(spec, &Training { others: &[], ..*training })?;
    let gram = ground.gram_in(Precision::Double, spec, training)?;
    let y = match &ground.goal {
        Goal::Numbers(targets) => targets.concat(),
        Goal::Nothing => vec![0.0; training.table.len()],
        Goal::Classes(_, codes) => codes.iter().map(|&code| if code == 1 { 1.0 } else { -1.0 }).collect(),
    };
    judge(spec, ground.loss, (&gram, &y, ground.weights.as_deref()), alpha, bias)
}

/// What can be said of a specification before any row is looked at.
pub(crate) fn check(spec: &Spec) -> Result<Option<mercer_solve::loss::LossSpec>, ModelError> {
    let info = spec.learner.info();
    let loss = loss_of(spec)?;
    crate::softmax::check(spec, loss)?;
    if spec.offset && info.offset.is_none() {
        return Err(ModelError::Spec(format!(
            "{} has no offset; add a constant to the kernel: {} + 1",
            info.name, spec.kernel
        )));
    }
    if spec.kernel.uses("precomputed") && !is_matrix(&spec.kernel) {
        return Err(ModelError::Spec(format!(
            "a model knows the rows of a matrix by their numbers alone, so its kernel can be 'precomputed' but not {}; \
             compute the whole kernel into the matrix",
            spec.kernel
        )));
    }
    if (info.explicit || spec.learner == Learner::DualPerceptron) && !is_linear(&spec.kernel) {
        let other = match (spec.learner, info.kind) {
            (Learner::Perceptron | Learner::DualPerceptron, _) => Learner::KernelPerceptron,
            (_, Kind::Numbers) => Learner::Cholesky,
            _ => Learner::KernelPegasos,
        };
        return Err(ModelError::Spec(format!(
            "{} works on explicit features: its kernel is linear, with maps and columns such as linear@standardize or \
             linear[a, b], not {}; {other} takes any kernel",
            info.name, spec.kernel
        )));
    }
    Ok(loss)
}

/// What the table looks like, and what is to be done to it.
pub(crate) fn prepare(spec: &Spec, training: &Training<'_>) -> Result<(Schema, Preprocessing), ModelError> {
    let needs = Needs::of(&spec.kernel);
    let none = !training.table.columns().iter().any(|column| needs.uses(column));
    // A kernel that finds nothing says so itself, in front of the whole table.
    let schema = Schema {
        others: training.others.iter().map(|target| target.name.clone()).collect(),
        ..Schema::of(training.table, training.target, |column| none || needs.uses(column))
    };
    if is_matrix(&spec.kernel) && spec.scaling != crate::Scaling::None {
        return Err(ModelError::Spec("a precomputed matrix cannot be scaled".to_owned()));
    }
    let preprocessing = Preprocessing::learn(spec.scaling, &needs, &schema, training.table)?;
    Ok((schema, preprocessing))
}

pub(crate) fn features(
    spec: &Spec,
    gram: &Lazy,
    budget: Budget,
) -> Result<mercer_points::Dense<f64>, ModelError> {
    let features = gram.plan().features(gram.points(), budget)?;
    features.ok_or_else(|| {
        let said = format!("{} needs explicit features, and {} has none to show", spec.learner, spec.kernel);
        KernelError::Unfit(said).into()
    })
}

/// Support points of a matrix: their row numbers in it, which of a fold are not those of its rows.
fn numbered(points: &Table, rows: &[usize]) -> Result<Table, ModelError> {
    let indices = points.columns().iter().find_map(|column| match &column.data {
        ColumnData::Indices(indices) => Some(indices),
        _ => None,
    });
    let number = |&row: &usize| indices.map_or(row, |indices| indices.point(row)) as f64;
    let mut table = Table::new();
    table.push(ROW, ColumnData::Numbers(rows.iter().map(number).collect()))?;
    Ok(table)
}
