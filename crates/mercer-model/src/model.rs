//! A fitted model: specification, support points, coefficients and certificates.

use std::path::Path;
use std::sync::Arc;

use mercer_kernel::{KernelExpr, PlanState, Registry};
use mercer_points::{Column, Points, ReadOptions, Table};
use mercer_solve::{Certificate, Progress, Status};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::{Coefficients, Curve, Explanation, ModelError, Outcome, Prediction, Preprocessing, Schema, Spec};

/// What a model answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// One of the classes.
    Classes,
    /// A number.
    Numbers,
    /// Whether a point is where the training rows are.
    Novelty,
}

/// The classes that a machine of several decides between; a score above 0 speaks for the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Between {
    /// Two classes.
    Pair(usize, usize),
    /// A class and all others.
    Rest(usize),
    /// A class among all, by softmax: scores count in comparison with those of the others, and the machines were fitted
    /// together.
    Softmax(usize),
}

/// One machine: f = Σ_j α_j k(x_j,·) + b over the support points of the model.
#[derive(Debug, Clone)]
pub struct Machine {
    /// The classes that it decides between; none for the only machine of two classes, whose score is above 0 for the
    /// second, and where there are no classes.
    pub between: Option<Between>,
    /// One α a support point; 0 where the machine does not use it.
    pub coefficients: Coefficients,
    /// b; −ρ of a one-class machine.
    pub bias: f64,
    /// ρ of ν-classification and of the one-class machine, ε of ν-regression.
    pub level: Option<f64>,
    /// What the solution is worth; none for a model that another program made. Of machines for pairs of several classes it
    /// has no reports on single rows.
    pub certificate: Option<Certificate>,
    /// How the solver ended.
    pub status: Status,
    /// Its iterations.
    pub iterations: u64,
    /// How it went.
    pub trace: Vec<Progress>,
}

impl Machine {
    /// The two classes that a machine of a pair decides between.
    pub fn pair(&self) -> Option<(usize, usize)> {
        match self.between {
            Some(Between::Pair(first, second)) => Some((first, second)),
            _ => None,
        }
    }
}

impl PartialEq for Machine {
    /// Equal in all that a file keeps: reports on single training rows do not count.
    fn eq(&self, other: &Self) -> bool {
        let kept = |certificate: &Option<Certificate>| {
            certificate.clone().map(|certificate| Certificate { rows: Vec::new(), ..certificate })
        };
        self.between == other.between
            && self.coefficients == other.coefficients
            && self.bias == other.bias
            && self.level == other.level
            && self.status == other.status
            && self.iterations == other.iterations
            && self.trace == other.trace
            && kept(&self.certificate) == kept(&other.certificate)
    }
}

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Provenance {
    /// The version of Mercer that made it.
    pub version: String,
    /// What the rows were read from.
    pub source: String,
    /// Training rows.
    pub rows: usize,
    /// Columns of the training table.
    pub columns: usize,
    /// SHA-256 of the training table, in hexadecimal digits.
    pub hash: String,
    /// The seed of learners that draw rows.
    pub seed: u64,
    /// Seconds that fitting took.
    pub seconds: f64,
    /// Kernel entries that the solver computed.
    pub entries: u64,
}

/// All that a model consists of.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// What was asked.
    pub spec: Spec,
    /// The kernel, its words resolved.
    pub kernel: KernelExpr,
    /// λ.
    pub lambda: f64,
    /// What it answers with.
    pub task: Task,
    /// The classes, in order; none for numbers and novelty.
    pub classes: Vec<String>,
    /// One machine, or one for each pair of classes, or one for each class or each of several targets.
    pub machines: Vec<Machine>,
    /// What makes probabilities of the scores, one for each machine; none where none were asked for, or where the fit was
    /// stopped.
    pub curves: Vec<Curve>,
    /// The training rows (from 0) of the support points; none where they are not known.
    pub rows: Vec<usize>,
    /// The support points, after preprocessing.
    pub points: Table,
    /// What the training table looked like.
    pub schema: Schema,
    /// What is done to a table before the kernel sees it.
    pub preprocessing: Preprocessing,
    /// What the kernel learned of the training rows; none where the kernel learns nothing.
    pub plan: Option<PlanState>,
    /// Where the model comes from.
    pub provenance: Provenance,
}

/// A fitted model.
///
/// ```
/// use mercer_model::{Learner, Setting, Spec, Training, fit};
/// use mercer_points::Points;
/// let mut table = mercer_points::read("@moons(n=60)", &Default::default()).unwrap();
/// let target = table.remove("label").unwrap();
/// let registry = Default::default();
/// let training =
///     Training { registry: &registry, source: "@moons", ..Training::new(&table, &target) };
/// let spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::Smo);
/// let model = fit(&spec, &training, &Setting::default()).unwrap();
/// assert!(model.certified());
/// assert_eq!(model.predict(&table).unwrap().scores.len(), table.len());
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    parts: Parts,
    engine: Arc<Engine>,
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

impl Model {
    /// A model of its parts; an error where they do not fit together.
    pub fn from_parts(parts: Parts) -> Result<Self, ModelError> {
        Self::from_parts_with(parts, &Registry::new())
    }

    /// The same for kernels with registered names.
    pub fn from_parts_with(parts: Parts, registry: &Registry) -> Result<Self, ModelError> {
        check(&parts)?;
        let engine = Arc::new(Engine::new(&parts, registry)?);
        Ok(Self { parts, engine })
    }

    /// What it consists of.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// What it consists of, without a copy.
    pub fn into_parts(self) -> Parts {
        self.parts
    }

    /// The same with other names for its classes, in their order; an error unless there are as many. What was learned
    /// from a table and the first target was learned from the table and the second, which is the first under these names.
    pub fn named(
        self,
        classes: Vec<String>,
        table: &Table,
        targets: Option<[&Column; 2]>,
    ) -> Result<Self, ModelError> {
        let renamed = targets.filter(|[before, _]| self.learned_from(table, Some(before)));
        let mut parts = Parts { classes, ..self.parts };
        if let Some([_, target]) = renamed {
            parts.provenance.hash = crate::hash::data(table, Some(target), None);
        }
        check(&parts)?;
        Ok(Self { parts, engine: self.engine })
    }

    /// What was asked.
    pub fn spec(&self) -> &Spec {
        &self.parts.spec
    }

    /// The kernel, its words resolved.
    pub fn kernel(&self) -> &KernelExpr {
        &self.parts.kernel
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.parts.lambda
    }

    /// The classes; of two the second is the positive one. None for numbers and novelty.
    pub fn classes(&self) -> &[String] {
        &self.parts.classes
    }

    /// What it answers with.
    pub fn task(&self) -> Task {
        self.parts.task
    }

    /// One machine, or one for each pair of classes: (0,1), (0,2), …, (1,2), …, or one for each class or each target.
    pub fn machines(&self) -> &[Machine] {
        &self.parts.machines
    }

    /// What makes probabilities of the scores, one for each machine; none where the model has no probabilities.
    pub fn curves(&self) -> &[Curve] {
        &self.parts.curves
    }

    /// The targets of a model of numbers, one a machine; none where they have no names.
    pub fn targets(&self) -> Vec<&str> {
        let schema = &self.parts.schema;
        let first = schema.target.as_deref().filter(|_| self.parts.task == Task::Numbers);
        first.map_or_else(Vec::new, |first| {
            std::iter::once(first).chain(schema.others.iter().map(String::as_str)).collect()
        })
    }

    /// Distinct support points.
    pub fn support(&self) -> usize {
        self.parts.points.len()
    }

    /// The training rows (from 0) of the support points; none where they are not known.
    pub fn rows(&self) -> &[usize] {
        &self.parts.rows
    }

    /// The support points, after preprocessing.
    pub fn points(&self) -> &Table {
        &self.parts.points
    }

    /// What the training table looked like.
    pub fn schema(&self) -> &Schema {
        &self.parts.schema
    }

    /// Where the model comes from.
    pub fn provenance(&self) -> &Provenance {
        &self.parts.provenance
    }

    /// Whether every machine was solved and its certificate holds for the tolerance that was asked.
    pub fn certified(&self) -> bool {
        let tolerance = &self.parts.spec.tolerance;
        self.machines().iter().all(|machine| {
            machine.status == Status::Solved
                && machine.certificate.as_ref().is_some_and(|certificate| certificate.holds(tolerance))
        })
    }

    /// Scores and answers for the rows of a table. Columns that the model does not know are left alone.
    pub fn predict(&self, table: &Table) -> Result<Prediction, ModelError> {
        crate::predict::predict(self, table)
    }

    /// The scores alone, rows × machines, row after row.
    ///
    /// ```
    /// use mercer_model::{Learner, Setting, Spec, Training, fit};
    /// let mut table = mercer_points::read("@moons(n=40)", &Default::default()).unwrap();
    /// let target = table.remove("label").unwrap();
    /// let spec = Spec::new("rbf".parse().unwrap(), Learner::Smo);
    /// let model = fit(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
    /// assert_eq!(model.scores(&table).unwrap(), model.predict(&table).unwrap().scores);
    /// ```
    pub fn scores(&self, table: &Table) -> Result<Vec<f64>, ModelError> {
        crate::predict::scores(self, table)
    }

    /// The answers alone, those of [`predict`](Self::predict): sooner, since scores are accurate only where an answer hangs on
    /// that, as far as single precision can be judged (`docs/maths.md` §5).
    ///
    /// ```
    /// use mercer_model::{Learner, Setting, Spec, Training, fit};
    /// let mut table = mercer_points::read("@moons(n=400)", &Default::default()).unwrap();
    /// let target = table.remove("label").unwrap();
    /// let spec = Spec::new("rbf".parse().unwrap(), Learner::Smo);
    /// let model = fit(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
    /// assert_eq!(model.answers(&table).unwrap(), model.predict(&table).unwrap().outcome);
    /// ```
    pub fn answers(&self, table: &Table) -> Result<Outcome, ModelError> {
        Ok(crate::predict::outcome(self, &self.deciding_scores(table)?))
    }

    /// Scores as [`scores`](Self::scores) gives them, accurate where the answer hangs on that, and elsewhere as good as entries
    /// in single precision make them (`docs/maths.md` §5).
    pub fn deciding_scores(&self, table: &Table) -> Result<Vec<f64>, ModelError> {
        crate::predict::deciding(self, table)
    }

    /// Whether its machines are those of softmax: one for each class, from one problem with one certificate.
    pub fn is_softmax(&self) -> bool {
        matches!(self.machines()[0].between, Some(Between::Softmax(_)))
    }

    /// Whether it has probabilities of classes: by curves, or by softmax.
    pub fn has_probabilities(&self) -> bool {
        self.is_softmax() || !self.curves().is_empty()
    }

    /// The probability of each class, rows × classes, row after row; the largest is that of the class that
    /// [`predict`](Self::predict) answers. An error where the model was fitted without; one of softmax has them by its
    /// nature.
    ///
    /// ```
    /// use mercer_model::{Calibration, Learner, Setting, Spec, Training, fit};
    /// use mercer_points::Points;
    /// let mut table = mercer_points::read("@moons(n=60)", &Default::default()).unwrap();
    /// let target = table.remove("label").unwrap();
    /// let mut spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::Smo);
    /// spec.probabilities = Some(Calibration::Platt);
    /// let model = fit(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
    /// let first = model.probabilities(&table.select(&[0])).unwrap();
    /// assert!((first[0] + first[1] - 1.0).abs() < 1e-12);
    /// ```
    pub fn probabilities(&self, table: &Table) -> Result<Vec<f64>, ModelError> {
        self.predict(table)?.probabilities(self)
    }

    /// The same from scores of the machines, rows × machines, wherever they were computed; an error where their number is
    /// no multiple of the machines.
    pub fn probabilities_of(&self, scores: &[f64]) -> Result<Vec<f64>, ModelError> {
        if !scores.len().is_multiple_of(self.machines().len().max(1)) {
            return Err(ModelError::Data(format!(
                "{} scores are not those of {} machines",
                scores.len(),
                self.machines().len()
            )));
        }
        crate::predict::probabilities(self, scores)
    }

    /// For each row the `count` largest terms |α_j k(x_j,x)| of its score; the first machine's, hence the first target's,
    /// where there are several.
    pub fn explain(&self, table: &Table, count: usize) -> Result<Vec<Explanation>, ModelError> {
        self.explain_machine(0, table, count)
    }

    /// The same for one of several machines; an error where there is none of that number.
    pub fn explain_machine(
        &self,
        machine: usize,
        table: &Table,
        count: usize,
    ) -> Result<Vec<Explanation>, ModelError> {
        crate::explain::explain(self, machine, table, count)
    }

    /// k(x_i,x_j) between the rows of a table as the model sees them, n × n, by the definition: for a few rows. An error
    /// where the kernel is a precomputed matrix, which knows its own rows only.
    ///
    /// ```
    /// use mercer_model::{Learner, Setting, Spec, Training, fit};
    /// use mercer_points::Points;
    /// let mut table = mercer_points::read("@moons(n=40)", &Default::default()).unwrap();
    /// let target = table.remove("label").unwrap();
    /// let spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::Smo);
    /// let model = fit(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
    /// assert_eq!(model.gram(&table.select(&[3, 7])).unwrap()[0], 1.0);
    /// ```
    pub fn gram(&self, table: &Table) -> Result<Vec<f64>, ModelError> {
        self.engine.entries(&self.parts, table)
    }

    /// Whether these are the rows that the model was fitted on, unweighted.
    pub fn learned_from(&self, table: &Table, target: Option<&Column>) -> bool {
        let from = &self.parts.provenance;
        // A machine that learned without a target does not mind that there is one.
        let target = target.filter(|_| self.parts.schema.target.is_some());
        from.rows == table.len() && from.hash == crate::hash::data(table, target, None)
    }

    /// How new data are to be read so that their columns get the kinds of the training table.
    pub fn read_options(&self) -> ReadOptions {
        self.parts.schema.read_options()
    }

    /// Writes the model to a file, or leaves what is there as it is.
    pub fn save(&self, path: &Path) -> Result<(), ModelError> {
        crate::file::save(self, path)
    }

    /// Reads a model from a file; whatever the file holds, the answer is a model or an error.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        Self::load_with(path, &Registry::new())
    }

    /// The same for kernels with registered names.
    pub fn load_with(path: &Path, registry: &Registry) -> Result<Self, ModelError> {
        crate::file::load(path, registry)
    }

    /// What [`Model::save`] writes, for those who keep models elsewhere than in files.
    ///
    /// ```
    /// use mercer_model::{Learner, Model, Setting, Spec, Training, fit};
    /// let mut table = mercer_points::read("@moons(n=40)", &Default::default()).unwrap();
    /// let target = table.remove("label").unwrap();
    /// let spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::Smo);
    /// let model = fit(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
    /// assert_eq!(Model::from_bytes(&model.to_bytes().unwrap()).unwrap(), model);
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        crate::file::to_bytes(self)
    }

    /// A model from the bytes that [`Model::to_bytes`] made; whatever they are, the answer is a model or an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        crate::file::from_bytes(bytes, &Registry::new())
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }
}

/// An error unless the parts fit together.
fn check(parts: &Parts) -> Result<(), ModelError> {
    let support = parts.points.len();
    let wrong = |said: String| Err(ModelError::Data(said));
    if parts.machines.is_empty() {
        return wrong("a model has at least one machine".to_owned());
    }
    if !parts.rows.is_empty() && parts.rows.len() != support {
        return wrong(format!("there are {support} support points, but {} row numbers", parts.rows.len()));
    }
    let several = parts.classes.len();
    if (parts.task == Task::Classes) != (several >= 2) {
        return wrong(format!("a model of {:?} cannot have {several} classes", parts.task));
    }
    let found: Vec<_> = parts.machines.iter().map(|machine| machine.between).collect();
    let pairs = (0..several).flat_map(|a| (a + 1..several).map(move |b| Some(Between::Pair(a, b))));
    let rests = (0..several).map(|class| Some(Between::Rest(class)));
    let together = (0..several).map(|class| Some(Between::Softmax(class)));
    let targets = 1 + parts.schema.others.len();
    let fits = match parts.task {
        Task::Numbers => found.len() == targets && found.iter().all(Option::is_none),
        Task::Classes if found == [None] => targets == 1 && several == 2,
        Task::Classes => {
            let own = || found.iter().copied();
            targets == 1 && (own().eq(pairs) || several > 2 && own().eq(rests) || own().eq(together))
        }
        Task::Novelty => targets == 1 && found == [None],
    };
    if !fits {
        return wrong(
            "there must be one machine, or one for each pair of classes, each class or each target, in order"
                .to_owned(),
        );
    }
    for machine in &parts.machines {
        if machine.coefficients.len() != support {
            let found = machine.coefficients.len();
            return wrong(format!("there are {support} support points, but {found} coefficients"));
        }
        let numbers = machine.coefficients.values().iter().chain([&machine.bias]).chain(&machine.level);
        if numbers.into_iter().any(|v| !v.is_finite()) {
            return wrong("a coefficient is not a finite number".to_owned());
        }
    }
    if !parts.curves.is_empty() && matches!(found[..], [Some(Between::Softmax(_)), ..]) {
        return wrong("machines of softmax have probabilities without curves".to_owned());
    }
    if !parts.curves.is_empty() && (parts.curves.len() != parts.machines.len() || parts.task != Task::Classes)
    {
        return wrong(format!(
            "there are {} machines, but {} curves of probabilities",
            parts.machines.len(),
            parts.curves.len()
        ));
    }
    parts.curves.iter().try_for_each(Curve::check)?;
    if !(parts.lambda.is_finite() && parts.lambda > 0.0) {
        return wrong(format!("lambda is {}, not above 0", parts.lambda));
    }
    Ok(())
}
