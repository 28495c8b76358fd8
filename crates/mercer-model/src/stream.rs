//! The online perceptron on a stream of rows (`docs/maths.md` §4.3).
//!
//! ```text
//! for each (x,y):   if y(Σ_j α_j k(x_j,x) + b) ≤ 0,  x joins the support with coefficient y, or adds y to its own
//! ```
//!
//! Rows come in tables of any size; the first one fixes the columns, and the first two classes that are seen are the
//! classes. Nothing is learned of the rows but the support, so the kernel must not have words that need training rows.

mod joined;
mod resume;

use std::time::Instant;

use mercer_kernel::{KernelExpr, Plan, PlanState, Ready, Registry, row_keys};
use mercer_points::{Categories, Column, ColumnData, Dense, Points, Sparse, Table};
use mercer_solve::Status;
use mercer_solve::solvers::{Change, Forget, OnlineState};

use crate::needs::Needs;
use crate::preprocess::Step;
use crate::target::levels;
use crate::{
    Between, Learner, Machine, Model, ModelError, Multiclass, Parts, Preprocessing, Provenance, Scaling,
    Schema, Spec, Task,
};

/// An online perceptron that sees rows as they come.
///
/// ```
/// use mercer_model::{Learner, Spec, Stream};
/// use mercer_points::Points;
/// let mut table = mercer_points::read("@moons(n=80)", &Default::default()).unwrap();
/// let label = table.remove("label").unwrap();
/// let spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::OnlinePerceptron);
/// let mut stream = Stream::new(&spec, &Default::default()).unwrap();
/// for _ in 0..20 {
///     stream.observe(&table, &label).unwrap();
/// }
/// assert_eq!(stream.observe(&table, &label).unwrap().mistakes, 0);
/// assert_eq!(stream.model().unwrap().predict(&table).unwrap().scores.len(), table.len());
/// ```
#[derive(Debug)]
pub struct Stream {
    spec: Spec,
    registry: Registry,
    state: OnlineState,
    classes: Vec<String>,
    known: Option<Known>,
    support: Vec<Member>,
    seconds: f64,
    entries: u64,
}

/// What the first rows fixed.
#[derive(Debug)]
struct Known {
    plan: Plan,
    schema: Schema,
    preprocessing: Preprocessing,
    columns: usize,
}

/// A support point.
#[derive(Debug)]
struct Member {
    key: u128,
    row: usize,
    point: Table,
    ready: Ready,
}

/// What some rows of a stream did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamReport {
    /// Rows seen now.
    pub rows: usize,
    /// Mistakes among them.
    pub mistakes: usize,
    /// Rows seen so far.
    pub seen: u64,
    /// Mistakes so far.
    pub total_mistakes: u64,
    /// Support points now.
    pub support: usize,
}

impl Stream {
    /// A perceptron that has seen nothing.
    pub fn new(spec: &Spec, registry: &Registry) -> Result<Self, ModelError> {
        Self::check(spec)?;
        let learns = if spec.scaling != Scaling::None {
            Some(format!("scaling: {}", spec.scaling))
        } else {
            needs_rows(&spec.kernel)
        };
        if let Some(what) = learns {
            return Err(ModelError::Spec(format!(
                "{what} is worked out on all training rows, and a stream has none to begin with; give numbers, or fit"
            )));
        }
        Self::empty(spec, registry)
    }

    fn check(spec: &Spec) -> Result<(), ModelError> {
        if spec.learner != Learner::OnlinePerceptron {
            return Err(ModelError::Spec(format!("a stream is for online-perceptron, not {}", spec.learner)));
        }
        if spec.probabilities.is_some() {
            let said = "a stream leaves no rows out, which probabilities are fitted to; fit takes them";
            return Err(ModelError::Spec(said.to_owned()));
        }
        if spec.multiclass != Multiclass::Refuse {
            return Err(ModelError::Spec(format!(
                "a stream is of two classes; fit takes {}",
                spec.multiclass
            )));
        }
        Ok(())
    }

    fn empty(spec: &Spec, registry: &Registry) -> Result<Self, ModelError> {
        let mut state = OnlineState::new(spec.offset);
        if let Some(keep) = spec.keep {
            state = state.with_budget(keep, Forget::Oldest)?;
        }
        Ok(Self {
            spec: spec.clone(),
            registry: registry.clone(),
            state,
            classes: Vec::new(),
            known: None,
            support: Vec::new(),
            seconds: 0.0,
            entries: 0,
        })
    }

    /// The two classes, the negative one first, where they are known before the first row; else they are those seen.
    pub fn of_classes(mut self, negative: &str, positive: &str) -> Self {
        self.classes = vec![negative.to_owned(), positive.to_owned()];
        self
    }

    /// Takes rows in order. An error leaves what was learned from the rows before as it is.
    pub fn observe(&mut self, rows: &Table, target: &Column) -> Result<StreamReport, ModelError> {
        let started = Instant::now();
        let codes = self.codes(target, rows.len())?;
        if self.known.is_none() && !rows.is_empty() {
            self.known = Some(self.fix(rows, target)?);
        }
        let mut mistakes = 0;
        if let Some(Known { plan, schema, preprocessing, .. }) = &self.known {
            let table = preprocessing.apply(schema, rows)?;
            let ready = plan.ready(&table)?;
            let keys = row_keys(&table);
            for (i, &code) in codes.iter().enumerate() {
                let kernel: Vec<f64> =
                    self.support.iter().map(|member| plan.pair(&member.ready, 0, &ready, i)).collect();
                self.entries += kernel.len() as u64;
                let already = self.support.iter().position(|member| member.key == keys[i]);
                let row = self.state.seen() as usize;
                let observed = self.state.observe(if code == 1 { 1.0 } else { -1.0 }, &kernel, already)?;
                mistakes += usize::from(observed.mistake);
                if let Some(place) = observed.dropped {
                    self.support.remove(place);
                }
                if observed.change == Change::Joined {
                    let point = table.select(&[i]);
                    self.support.push(Member { key: keys[i], row, ready: plan.ready(&point)?, point });
                }
            }
        }
        self.seconds += started.elapsed().as_secs_f64();
        Ok(StreamReport {
            rows: rows.len(),
            mistakes,
            seen: self.state.seen(),
            total_mistakes: self.state.mistakes(),
            support: self.support.len(),
        })
    }

    /// The class of each row; classes that are new are taken in until there are two, in the order of their names.
    fn codes(&mut self, target: &Column, rows: usize) -> Result<Vec<usize>, ModelError> {
        let (names, codes) = levels(target)?;
        if codes.len() != rows {
            let found = codes.len();
            return Err(mercer_solve::SolveError::Shape { what: "targets", expected: rows, found }.into());
        }
        let mut classes = self.classes.clone();
        for name in &names {
            if !classes.contains(name) {
                classes.push(name.clone());
            }
        }
        if classes.len() > 2 {
            let said = format!("a stream is of two classes, but there are {}", classes.join(", "));
            return Err(ModelError::Target(said));
        }
        self.classes = classes;
        let place = |name: &String| self.classes.iter().position(|class| class == name).unwrap_or(0);
        let places: Vec<usize> = names.iter().map(place).collect();
        Ok(codes.into_iter().map(|code| places[code]).collect())
    }

    fn fix(&self, rows: &Table, target: &Column) -> Result<Known, ModelError> {
        let needs = Needs::of(&self.spec.kernel);
        let schema = Schema::of(rows, Some(target), |column| needs.uses(column));
        let preprocessing = Preprocessing::learn(Scaling::None, &needs, &schema, rows)?;
        // The first rows cannot know the names that later ones bring.
        if let Some((name, Step::OneHot(_))) =
            preprocessing.steps.iter().find(|(_, step)| matches!(step, Step::OneHot(_)))
        {
            return Err(ModelError::Data(format!(
                "column '{name}' holds names, and a kernel on vectors needs all of them beforehand, which a stream does \
                 not know; use delta[{name}], or name the columns of numbers, as in rbf[a,b]"
            )));
        }
        let table = preprocessing.apply(&schema, rows)?;
        let plan = Plan::compile(&self.spec.kernel, &table, &self.registry)?;
        // The mean of the first rows is as good as any: it serves accuracy alone.
        Ok(Known { plan, schema, preprocessing, columns: rows.columns().len() })
    }

    /// The model as it is now; an error before both classes were seen.
    pub fn model(&self) -> Result<Model, ModelError> {
        let (Some(known), 2) = (&self.known, self.classes.len()) else {
            return Err(ModelError::Data("the stream has not shown both classes yet".to_owned()));
        };
        let (coefficients, bias) = self.answer();
        let members: Vec<&Table> = self.support.iter().map(|member| &member.point).collect();
        let plan: PlanState = known.plan.state();
        let parts = Parts {
            spec: self.spec.clone(),
            kernel: known.plan.expr().clone(),
            lambda: 1.0,
            task: Task::Classes,
            classes: self.classes.clone(),
            machines: vec![self.machine(None, coefficients, bias)],
            curves: Vec::new(),
            rows: self.support.iter().map(|member| member.row).collect(),
            points: stack(&members)?,
            schema: known.schema.clone(),
            preprocessing: known.preprocessing.clone(),
            plan: Some(plan),
            provenance: Provenance {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                source: format!("a stream (mistakes on the way: {})", self.state.mistakes()),
                rows: self.state.seen() as usize,
                columns: known.columns,
                seconds: self.seconds,
                entries: self.entries,
                ..Provenance::default()
            },
        };
        Model::from_parts_with(parts, &self.registry)
    }
}

impl Stream {
    /// Coefficients and offset: as they are now, or their average.
    fn answer(&self) -> (Vec<f64>, f64) {
        if self.spec.average {
            self.state.averaged()
        } else {
            (self.state.alpha().to_vec(), self.state.bias())
        }
    }

    fn machine(&self, between: Option<Between>, coefficients: Vec<f64>, bias: f64) -> Machine {
        Machine {
            between,
            coefficients: coefficients.into(),
            bias,
            level: None,
            certificate: None,
            // No problem was posed, so none is solved.
            status: Status::Stopped,
            iterations: self.state.seen(),
            trace: Vec::new(),
        }
    }
}

/// The first part of a kernel that learns from training rows.
fn needs_rows(kernel: &KernelExpr) -> Option<String> {
    let learns = ["standardize", "minmax", "deviation", "buckets", "nystrom", "empirical", "fourier"];
    let of_map =
        |map: &mercer_kernel::MapExpr| learns.contains(&map.info().signature.name).then(|| map.to_string());
    match kernel {
        KernelExpr::Leaf(leaf) => leaf.call().word("gamma").map(|_| kernel.to_string()),
        KernelExpr::User(_) => None,
        KernelExpr::Outer(map) => of_map(map),
        KernelExpr::Mapped(child, map) => of_map(map).or_else(|| needs_rows(child)),
        KernelExpr::Sum(children) | KernelExpr::Product(children) => children.iter().find_map(needs_rows),
        KernelExpr::Scale(_, child)
        | KernelExpr::Power(child, _)
        | KernelExpr::Normalize(child)
        | KernelExpr::Exp(child)
        | KernelExpr::On(child, _)
        | KernelExpr::Label(_, child) => needs_rows(child),
    }
}

/// Tables of one row each, with the same columns, on top of each other.
fn stack(tables: &[&Table]) -> Result<Table, ModelError> {
    let mut stacked = Table::new();
    let Some(first) = tables.first() else { return Ok(stacked) };
    for (at, column) in first.columns().iter().enumerate() {
        let all = || tables.iter().map(|table| &table.columns()[at].data);
        let data = match &column.data {
            ColumnData::Numbers(_) => ColumnData::Numbers(all().flat_map(numbers).collect()),
            ColumnData::Texts(_) => ColumnData::Texts(all().flat_map(names).collect()),
            ColumnData::Categories(_) => {
                ColumnData::Categories(all().flat_map(names).collect::<Categories>())
            }
            ColumnData::Dense(points, inside) => {
                let values = all().flat_map(numbers).collect();
                ColumnData::Dense(Dense::new(tables.len(), points.dim(), values)?, inside.clone())
            }
            ColumnData::Single(points, inside) => {
                let rows = all().filter_map(|data| match data {
                    ColumnData::Single(points, _) => Some(points.values()),
                    _ => None,
                });
                let values = rows.collect::<Vec<_>>().concat();
                ColumnData::Single(Dense::new(tables.len(), points.dim(), values)?, inside.clone())
            }
            ColumnData::Sparse(_) => ColumnData::Sparse(sparse(all())?),
            ColumnData::Indices(_) => {
                return Err(ModelError::Data("a stream cannot be of rows of a matrix".to_owned()));
            }
        };
        stacked.push(column.name.clone(), data)?;
    }
    Ok(stacked)
}

fn numbers(data: &ColumnData) -> Vec<f64> {
    match data {
        ColumnData::Numbers(values) => values.clone(),
        ColumnData::Dense(points, _) => points.values().to_vec(),
        _ => Vec::new(),
    }
}

fn names(data: &ColumnData) -> Vec<&str> {
    match data {
        ColumnData::Texts(texts) => texts.iter().collect(),
        ColumnData::Categories(names) => (0..names.len()).map(|i| names.point(i)).collect(),
        _ => Vec::new(),
    }
}

fn sparse<'a>(parts: impl Iterator<Item = &'a ColumnData>) -> Result<Sparse, ModelError> {
    let (mut dim, mut rows) = (0, Vec::new());
    for part in parts {
        if let ColumnData::Sparse(points) = part {
            dim = dim.max(points.dim());
            let pairs = |row: mercer_points::SparseRow<'_>| {
                row.indices.iter().copied().zip(row.values.iter().copied()).collect::<Vec<_>>()
            };
            rows.extend(points.rows().map(pairs));
        }
    }
    Ok(Sparse::from_rows(dim, rows)?)
}
