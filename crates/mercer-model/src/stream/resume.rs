//! Streams that go on from a model: that of an earlier stream, or one that was fitted.

use mercer_kernel::{Plan, Registry, row_keys};
use mercer_points::Points;
use mercer_solve::solvers::OnlineMemory;

use super::{Known, Member, Stream};
use crate::{Between, Machine, Model, ModelError, Parts, Spec, Task};

impl Stream {
    /// What the coefficients are and have been, which the model does not say all of.
    pub fn memory(&self) -> OnlineMemory {
        self.state.memory()
    }

    /// Goes on from one machine of a model. With the memory of the stream that made the model, rows to come do what they
    /// would have done there. Without it the machine's coefficients are where to start, and count in an average as if they
    /// had been so for every row that the model has learned from. The kernel is the model's; the rest is as `spec` says.
    ///
    /// ```
    /// use mercer_model::{Learner, Setting, Spec, Stream, Training, fit};
    /// let mut table = mercer_points::read("@moons(n=80)", &Default::default()).unwrap();
    /// let label = table.remove("label").unwrap();
    /// let spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::KernelPerceptron);
    /// let model = fit(&spec, &Training::new(&table, &label), &Setting::default()).unwrap();
    /// let online = Spec::new(spec.kernel, Learner::OnlinePerceptron);
    /// let mut stream = Stream::resume(&online, &model, 0, None, &Default::default()).unwrap();
    /// assert_eq!(stream.observe(&table, &label).unwrap().mistakes, 0);
    /// ```
    pub fn resume(
        spec: &Spec,
        model: &Model,
        machine: usize,
        memory: Option<OnlineMemory>,
        registry: &Registry,
    ) -> Result<Self, ModelError> {
        let parts = model.parts();
        let spec = Spec { kernel: parts.kernel.clone(), ..spec.clone() };
        Self::check(&spec)?;
        let (Task::Classes, Some(chosen), Some(plan)) =
            (parts.task, parts.machines.get(machine), &parts.plan)
        else {
            return Err(ModelError::Data(
                "a stream goes on from a machine that tells two classes apart by a kernel on points"
                    .to_owned(),
            ));
        };
        if let Some(Between::Rest(class) | Between::Softmax(class)) = chosen.between {
            return Err(ModelError::Data(format!(
                "a stream is of two classes, and the machine tells '{}' from all others",
                parts.classes[class]
            )));
        }
        let plan = Plan::restore(&parts.kernel, &parts.points, registry, plan)?;
        let places: Vec<usize> = match memory {
            Some(_) => (0..parts.points.len()).collect(),
            None => chosen.coefficients.used().map(|(j, _)| j).collect(),
        };
        let memory = memory.unwrap_or_else(|| remembered(parts, chosen, &places));
        if memory.alpha.len() != places.len() {
            let (found, expected) = (memory.alpha.len(), places.len());
            return Err(mercer_solve::SolveError::Shape { what: "coefficients", expected, found }.into());
        }
        let mut stream = Self::empty(&spec, registry)?;
        stream.state = stream.state.resumed(memory)?;
        let beyond = places.len() - stream.state.alpha().len();
        let members = places[beyond..].iter().map(|&j| {
            let point = parts.points.select(&[j]);
            let key = row_keys(&point).first().copied().unwrap_or_default();
            let row = parts.rows.get(j).copied().unwrap_or(j);
            Ok(Member { key, row, ready: plan.ready(&point)?, point })
        });
        stream.support = members.collect::<Result<_, ModelError>>()?;
        stream.classes = classes(parts, chosen);
        (stream.seconds, stream.entries) = (parts.provenance.seconds, parts.provenance.entries);
        stream.known = Some(Known {
            plan,
            schema: parts.schema.clone(),
            preprocessing: parts.preprocessing.clone(),
            columns: parts.provenance.columns,
        });
        Ok(stream)
    }
}

/// The memory of a machine that has been as it is for all its rows.
fn remembered(parts: &Parts, machine: &Machine, places: &[usize]) -> OnlineMemory {
    let seen = parts.provenance.rows;
    let alpha: Vec<f64> = places.iter().map(|&j| machine.coefficients[j]).collect();
    OnlineMemory {
        alpha_sums: alpha.iter().map(|alpha| alpha * seen as f64).collect(),
        bias_sum: machine.bias * seen as f64,
        seen: seen as u64,
        mistakes: 0,
        bias: machine.bias,
        alpha,
    }
}

/// The negative class and the positive one: the second of two, but the first of a pair among several.
fn classes(parts: &Parts, machine: &Machine) -> Vec<String> {
    match machine.pair() {
        Some((positive, negative)) => vec![parts.classes[negative].clone(), parts.classes[positive].clone()],
        None => parts.classes.clone(),
    }
}
