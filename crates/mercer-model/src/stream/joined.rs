//! Streams of all pairs of several classes, as one model.

use mercer_points::Table;

use super::{Stream, stack};
use crate::{Between, Model, ModelError, Multiclass, Parts, Provenance, Spec, Task};

impl Stream {
    /// The model of one stream for each pair (0,1), (0,2), …, (1,2), … of classes, whose positive class is the first of
    /// the pair. A pair that has seen no row scores 0; an error where none has.
    pub fn joined(streams: &[&Self], classes: &[String]) -> Result<Model, ModelError> {
        let count = classes.len();
        let pairs: Vec<(usize, usize)> =
            (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).collect();
        if pairs.len() != streams.len() {
            return Err(ModelError::Data(format!(
                "{count} classes have {} pairs, but there are {} streams",
                pairs.len(),
                streams.len()
            )));
        }
        let Some((first, known)) = streams.iter().find_map(|stream| Some((stream, stream.known.as_ref()?)))
        else {
            return Err(ModelError::Data("the streams have not shown a row yet".to_owned()));
        };
        let total = streams.iter().map(|stream| stream.support.len()).sum();
        let (mut machines, mut before) = (Vec::new(), 0);
        for (stream, &pair) in streams.iter().zip(&pairs) {
            let (own, bias) = stream.answer();
            let mut coefficients = vec![0.0; total];
            coefficients[before..before + own.len()].copy_from_slice(&own);
            before += own.len();
            machines.push(stream.machine(Some(Between::Pair(pair.0, pair.1)), coefficients, bias));
        }
        let members: Vec<&Table> =
            streams.iter().flat_map(|stream| &stream.support).map(|member| &member.point).collect();
        let mistakes: u64 = streams.iter().map(|stream| stream.state.mistakes()).sum();
        let seen: u64 = streams.iter().map(|stream| stream.state.seen()).sum();
        let parts = Parts {
            spec: Spec { multiclass: Multiclass::OneVsOne, ..first.spec.clone() },
            kernel: known.plan.expr().clone(),
            lambda: 1.0,
            task: Task::Classes,
            classes: classes.to_vec(),
            machines,
            curves: Vec::new(),
            rows: streams.iter().flat_map(|stream| &stream.support).map(|member| member.row).collect(),
            points: stack(&members)?,
            schema: known.schema.clone(),
            preprocessing: known.preprocessing.clone(),
            plan: Some(known.plan.state()),
            provenance: Provenance {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                source: format!("streams of all pairs (mistakes on the way: {mistakes})"),
                // Each row is seen by the pairs of its class with all others.
                rows: (seen as usize).div_ceil(count.saturating_sub(1).max(1)),
                columns: known.columns,
                seconds: streams.iter().map(|stream| stream.seconds).sum(),
                entries: streams.iter().map(|stream| stream.entries).sum(),
                ..Provenance::default()
            },
        };
        Model::from_parts_with(parts, &first.registry)
    }
}
