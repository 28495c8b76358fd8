//! From the parts of a model to bytes: the same parts give the same bytes.

use std::collections::BTreeMap;

use mercer_linalg::Budget;
use mercer_solve::Progress;
use safetensors::Dtype;
use serde::Serialize;

use super::json::{
    MachineText, PreprocessingText, ProvenanceText, Real, ViewText, center_name, curve_name, map_name,
};
use super::{FORMAT, points};
use crate::hash::Fingerprint;
use crate::{Curve, Parts};

/// A tensor on its way to a file.
pub(super) struct Tensor {
    pub(super) name: String,
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Vec<u8>,
}

impl Tensor {
    fn reals(name: impl Into<String>, shape: Vec<usize>, values: impl IntoIterator<Item = f64>) -> Self {
        let bytes = values.into_iter().flat_map(f64::to_le_bytes).collect();
        Self { name: name.into(), dtype: Dtype::F64, shape, bytes }
    }
}

pub(super) type Metadata = BTreeMap<String, String>;

pub(super) fn encode(parts: &Parts) -> Result<Vec<u8>, String> {
    // All of them, zeros too, once as a tensor and once in the file.
    let machines = parts.machines.iter().map(|machine| machine.coefficients.len() as u128);
    let bytes = 2 * size_of::<f64>() as u128 * machines.sum::<u128>();
    if !Budget::default().allows(bytes) {
        return Err(format!(
            "the coefficients of {} machines take {bytes} bytes of memory to be written, more than there is",
            parts.machines.len()
        ));
    }
    let mut tensors = numbers(parts);
    let described = points::encode(&parts.points, &mut tensors)?;
    let mut metadata = Metadata::new();
    let mut set = |key: &str, value: String| {
        metadata.insert(key.to_owned(), value);
    };
    set("format", FORMAT.to_owned());
    set("spec", parts.spec.to_string());
    set("kernel", parts.kernel.to_string());
    set("lambda", json(&Real(parts.lambda))?);
    set("task", json(&parts.task)?);
    set("classes", json(&parts.classes)?);
    set("schema", json(&parts.schema)?);
    set("preprocessing", json(&PreprocessingText::of(&parts.preprocessing))?);
    set("points", json(&described)?);
    let views = parts.plan.as_ref().map(|plan| plan.views.iter().map(ViewText::of).collect::<Vec<_>>());
    set("plan", json(&views)?);
    set("certificates", json(&parts.machines.iter().map(MachineText::of).collect::<Vec<_>>())?);
    if !parts.curves.is_empty() {
        set("calibration", json(&parts.curves.iter().map(|c| c.kind().to_string()).collect::<Vec<_>>())?);
    }
    set("provenance", json(&ProvenanceText::of(&parts.provenance))?);
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    let seen = tensors.iter().map(|t| (t.name.as_str(), t.dtype, t.shape.as_slice(), t.bytes.as_slice()));
    let sum = checksum(&metadata, seen);
    metadata.insert("checksum".to_owned(), sum);
    file(&metadata, &tensors)
}

/// SHA-256 of all metadata but itself and of every tensor, by name.
pub(super) fn checksum<'a>(
    metadata: &Metadata,
    tensors: impl Iterator<Item = (&'a str, Dtype, &'a [usize], &'a [u8])>,
) -> String {
    let mut print = Fingerprint::default();
    for (key, value) in metadata.iter().filter(|(key, _)| *key != "checksum") {
        print.bytes(key.as_bytes());
        print.bytes(value.as_bytes());
    }
    for (name, dtype, shape, bytes) in tensors {
        print.bytes(name.as_bytes());
        print.bytes(format!("{dtype:?} {shape:?}").as_bytes());
        print.bytes(bytes);
    }
    print.finish()
}

fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}

/// Everything but the support points.
fn numbers(parts: &Parts) -> Vec<Tensor> {
    let (machines, support) =
        (parts.machines.len(), parts.machines.first().map_or(0, |m| m.coefficients.len()));
    let each = || parts.machines.iter();
    let mut tensors = vec![
        Tensor::reals("coefficients", vec![machines, support], each().flat_map(|m| m.coefficients.iter())),
        Tensor::reals("bias", vec![machines], each().map(|m| m.bias)),
        // No level is no number.
        Tensor::reals("level", vec![machines], each().map(|m| m.level.unwrap_or(f64::NAN))),
        Tensor {
            name: "rows".to_owned(),
            dtype: Dtype::U64,
            shape: vec![parts.rows.len()],
            bytes: parts.rows.iter().flat_map(|&row| (row as u64).to_le_bytes()).collect(),
        },
    ];
    for (at, machine) in each().enumerate() {
        let shape = vec![machine.trace.len(), TRACE];
        tensors.push(Tensor::reals(format!("trace.{at}"), shape, machine.trace.iter().flat_map(progress)));
    }
    for (at, curve) in parts.curves.iter().enumerate() {
        let values: Vec<f64> = match curve {
            Curve::Sigmoid { slope, offset } => vec![*slope, *offset],
            Curve::Line { scores, chances } => {
                scores.iter().zip(chances).flat_map(|(score, chance)| [*score, *chance]).collect()
            }
        };
        tensors.push(Tensor::reals(curve_name(at), vec![values.len() / 2, 2], values));
    }
    for (at, view) in parts.plan.iter().flat_map(|plan| &plan.views).enumerate() {
        tensors.push(Tensor::reals(center_name(at), vec![view.center.len()], view.center.iter().copied()));
        for (map, state) in view.maps.iter().enumerate() {
            for (name, values) in state {
                let name = map_name(at, map, name);
                tensors.push(Tensor::reals(name, vec![values.len()], values.iter().copied()));
            }
        }
    }
    tensors
}

/// Numbers of one report.
pub(super) const TRACE: usize = 8;

/// What is not known is no number.
fn progress(progress: &Progress) -> [f64; TRACE] {
    let known = |value: Option<f64>| value.unwrap_or(f64::NAN);
    [
        progress.iteration as f64,
        known(progress.limit.map(|limit| limit as f64)),
        known(progress.primal),
        known(progress.dual),
        known(progress.violation),
        progress.support as f64,
        progress.seconds,
        known(progress.eta),
    ]
}

/// The format of safetensors: the length of the header, the header as JSON, the bytes of all tensors. Written here
/// because theirs puts the metadata in an order that changes from run to run.
pub(super) fn file(metadata: &Metadata, tensors: &[Tensor]) -> Result<Vec<u8>, String> {
    let mut header = format!("{{\"__metadata__\":{}", json(metadata)?);
    let mut start = 0;
    for tensor in tensors {
        let end = start + tensor.bytes.len();
        let name = json(&tensor.name)?;
        let info = safetensors::tensor::TensorInfo {
            dtype: tensor.dtype,
            shape: tensor.shape.clone(),
            data_offsets: (start, end),
        };
        header.push_str(&format!(",{name}:{}", json(&info)?));
        start = end;
    }
    header.push('}');
    let length = header.len().next_multiple_of(8);
    header.extend(std::iter::repeat_n(' ', length - header.len()));
    if length > LONGEST_HEADER {
        return Err(format!("its header has {length} bytes, at most {LONGEST_HEADER} can be read"));
    }
    let mut bytes = Vec::with_capacity(8 + length + start);
    bytes.extend_from_slice(&(length as u64).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    tensors.iter().for_each(|tensor| bytes.extend_from_slice(&tensor.bytes));
    Ok(bytes)
}

/// What safetensors reads at most.
pub(super) const LONGEST_HEADER: usize = 100_000_000;
