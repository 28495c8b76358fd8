//! From bytes to a model. The bytes may be anything: every length and every number is checked before it is used.

use std::collections::BTreeMap;

use mercer_kernel::Registry;
use mercer_solve::Progress;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use serde::de::DeserializeOwned;

use super::encode::{Metadata, TRACE, checksum};
use super::json::{self, MachineText, PointsText, PreprocessingText, ProvenanceText, Real, ViewText};
use super::{FORMAT, points};
use crate::{Calibration, Coefficients, Curve, Machine, Model, ModelError, Parts, Spec};

/// Why there is no model.
#[derive(Debug)]
pub(super) enum Fault {
    /// Its format is a later one.
    Newer(String),
    /// What is wrong.
    Corrupt(String),
}

impl From<String> for Fault {
    fn from(reason: String) -> Self {
        Self::Corrupt(reason)
    }
}

/// The tensors of a file by name, still as bytes.
pub(super) struct Tensors<'a>(pub(super) BTreeMap<String, (Dtype, Vec<usize>, &'a [u8])>);

pub(super) fn decode(bytes: &[u8], registry: &Registry) -> Result<Model, Fault> {
    let (metadata, tensors) = open(bytes)?;
    let format =
        metadata.get("format").ok_or("it has no format, so it is no model of Mercer's".to_owned())?;
    check_format(format)?;
    let seen =
        tensors.0.iter().map(|(name, (dtype, shape, data))| (name.as_str(), *dtype, shape.as_slice(), *data));
    if metadata.get("checksum") != Some(&checksum(&metadata, seen)) {
        return Err("its checksum does not agree with what it holds; it was changed or cut"
            .to_owned()
            .into());
    }
    Ok(model(&metadata, &tensors, registry)?)
}

fn check_format(format: &str) -> Result<(), Fault> {
    if format == FORMAT {
        return Ok(());
    }
    let later =
        format.strip_prefix("mercer/").filter(|v| !v.is_empty() && v.bytes().all(|b| b.is_ascii_digit()));
    Err(match later {
        Some(_) => Fault::Newer(format.chars().take(40).collect()),
        None => Fault::Corrupt("its format is not one of Mercer's".to_owned()),
    })
}

/// Metadata and tensors; what safetensors checks is that tensors lie in the file one after the other.
pub(super) fn open(bytes: &[u8]) -> Result<(Metadata, Tensors<'_>), String> {
    let (length, header) = SafeTensors::read_metadata(bytes).map_err(|error| match cut(bytes, &error) {
        Some(what) => format!("the file ends before {what}; it is cut short"),
        None => error.to_string(),
    })?;
    let data = &bytes[8 + length..];
    let mut tensors = BTreeMap::new();
    for (name, info) in header.tensors() {
        let (start, end) = info.data_offsets;
        let slice = data.get(start..end).ok_or("a tensor lies outside the file")?;
        tensors.insert(name, (info.dtype, info.shape.clone(), slice));
    }
    let metadata = header.metadata().clone().unwrap_or_default().into_iter().collect();
    Ok((metadata, Tensors(tensors)))
}

/// What a file that is only the beginning of one does not have in full.
fn cut(bytes: &[u8], error: &SafeTensorError) -> Option<&'static str> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    match error {
        // Every header is a JSON object; other files that begin with eight bytes of any kind are no models.
        SafeTensorError::InvalidHeaderLength if rest.is_empty() || rest[0] == b'{' => Some("its header does"),
        SafeTensorError::MetadataIncompleteBuffer => {
            let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
            let header: safetensors::tensor::Metadata = serde_json::from_slice(rest.get(..length)?).ok()?;
            (rest.len() - length < header.data_len()).then_some("its tensors do")
        }
        _ => None,
    }
}

fn model(metadata: &Metadata, tensors: &Tensors<'_>, registry: &Registry) -> Result<Model, String> {
    let text = |key: &str| metadata.get(key).ok_or(format!("it has no {key}"));
    let spec = Spec::parse(text("spec")?, registry).map_err(|error| error.to_string())?;
    let kernel = registry.parse(text("kernel")?).map_err(|error| error.one_line())?;
    let views: Option<Vec<ViewText>> = read(text("plan")?, "plan")?;
    let described: Vec<PointsText> = read(text("points")?, "points")?;
    let plan = views.map(|views| json::plan(views, |name| tensors.reals(name))).transpose()?;
    let machines = machines(read(text("certificates")?, "certificates")?, tensors)?;
    let parts = Parts {
        spec,
        kernel,
        lambda: read::<Real>(text("lambda")?, "lambda")?.0,
        task: read(text("task")?, "task")?,
        classes: read(text("classes")?, "classes")?,
        machines,
        curves: curves(metadata.get("calibration"), tensors)?,
        rows: tensors.wholes("rows")?,
        points: points::decode(described, tensors)?,
        schema: read(text("schema")?, "schema")?,
        preprocessing: read::<PreprocessingText>(text("preprocessing")?, "preprocessing")?.preprocessing()?,
        plan,
        provenance: read::<ProvenanceText>(text("provenance")?, "provenance")?.provenance(),
    };
    Model::from_parts_with(parts, registry).map_err(|error| error.to_string())
}

fn read<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("its {what} cannot be read: {error}"))
}

fn machines(texts: Vec<MachineText>, tensors: &Tensors<'_>) -> Result<Vec<Machine>, String> {
    let coefficients = tensors.reals("coefficients")?;
    let &[count, support] = tensors.shape("coefficients")? else {
        return Err("its coefficients are no matrix".to_owned());
    };
    let (bias, level) = (tensors.reals("bias")?, tensors.maybe("level")?);
    if [texts.len(), bias.len(), level.len()] != [count; 3] {
        return Err(format!(
            "it has coefficients of {count} machines, but another number of their other parts"
        ));
    }
    let mut found = Vec::new();
    for (at, text) in texts.into_iter().enumerate() {
        let of_machine = &coefficients[at * support..(at + 1) * support];
        found.push(Machine {
            between: text.between(),
            coefficients: Coefficients::of(support, of_machine.iter().copied().enumerate()),
            bias: bias[at],
            level: level[at],
            status: text.status,
            iterations: text.iterations,
            certificate: text.certificate(),
            trace: trace(&format!("trace.{at}"), tensors)?,
        });
    }
    Ok(found)
}

/// Files of before have none.
fn curves(kinds: Option<&String>, tensors: &Tensors<'_>) -> Result<Vec<Curve>, String> {
    let kinds: Vec<String> = kinds.map_or(Ok(Vec::new()), |kinds| read(kinds, "calibration"))?;
    let curve = |(at, kind): (usize, &String)| {
        let name = json::curve_name(at);
        let kind: Calibration = kind.parse().map_err(|error: ModelError| error.to_string())?;
        let values = tensors.reals(&name)?;
        let (pairs, &[_, 2]) = (values.as_chunks::<2>().0, tensors.shape(&name)?) else {
            return Err(format!("'{name}' is no curve"));
        };
        match (kind, pairs) {
            (Calibration::Platt, &[[slope, offset]]) => Ok(Curve::Sigmoid { slope, offset }),
            (Calibration::Isotonic, points) => {
                let (scores, chances) = points.iter().map(|&[score, chance]| (score, chance)).unzip();
                Ok(Curve::Line { scores, chances })
            }
            _ => Err(format!("'{name}' is no sigmoid")),
        }
    };
    kinds.iter().enumerate().map(curve).collect()
}

fn trace(name: &str, tensors: &Tensors<'_>) -> Result<Vec<Progress>, String> {
    let values = tensors.maybe(name)?;
    let &[_, TRACE] = tensors.shape(name)? else { return Err(format!("'{name}' is no trace")) };
    let report = |row: &[Option<f64>]| Progress {
        iteration: row[0].unwrap_or(0.0) as u64,
        limit: row[1].map(|limit| limit as u64),
        primal: row[2],
        dual: row[3],
        violation: row[4],
        support: row[5].unwrap_or(0.0) as usize,
        seconds: row[6].unwrap_or(0.0),
        eta: row[7],
    };
    Ok(values.chunks_exact(TRACE).map(report).collect())
}

impl Tensors<'_> {
    fn find(&self, name: &str, wanted: Dtype) -> Result<&[u8], String> {
        let (dtype, _, bytes) = self.0.get(name).ok_or(format!("it has no tensor '{name}'"))?;
        if *dtype != wanted {
            return Err(format!("its tensor '{name}' is of {dtype:?}, not {wanted:?}"));
        }
        Ok(bytes)
    }

    pub(super) fn shape(&self, name: &str) -> Result<&[usize], String> {
        self.0.get(name).map(|(_, shape, _)| shape.as_slice()).ok_or(format!("it has no tensor '{name}'"))
    }

    /// Numbers of which none stands for what is not known.
    fn maybe(&self, name: &str) -> Result<Vec<Option<f64>>, String> {
        let value = |bytes: &[u8; 8]| Some(f64::from_le_bytes(*bytes)).filter(|v| !v.is_nan());
        Ok(self.find(name, Dtype::F64)?.as_chunks::<8>().0.iter().map(value).collect())
    }

    /// Numbers, all of them finite.
    pub(super) fn reals(&self, name: &str) -> Result<Vec<f64>, String> {
        let bytes = self.find(name, Dtype::F64)?.as_chunks::<8>().0;
        let values: Vec<f64> = bytes.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        match values.iter().position(|v| !v.is_finite()) {
            None => Ok(values),
            Some(at) => Err(format!("value {} of its tensor '{name}' is {}", at + 1, values[at])),
        }
    }

    /// Whether a tensor is of single precision.
    pub(super) fn is_single(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|(dtype, ..)| *dtype == Dtype::F32)
    }

    /// Numbers of single precision, all of them finite.
    pub(super) fn singles(&self, name: &str) -> Result<Vec<f32>, String> {
        let bytes = self.find(name, Dtype::F32)?.as_chunks::<4>().0;
        let values: Vec<f32> = bytes.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        match values.iter().position(|v| !v.is_finite()) {
            None => Ok(values),
            Some(at) => Err(format!("value {} of its tensor '{name}' is {}", at + 1, values[at])),
        }
    }

    pub(super) fn wholes(&self, name: &str) -> Result<Vec<usize>, String> {
        let bytes = self.find(name, Dtype::U64)?.as_chunks::<8>().0;
        let value =
            |bytes: &[u8; 8]| usize::try_from(u64::from_le_bytes(*bytes)).map_err(|error| error.to_string());
        bytes.iter().map(value).collect()
    }

    pub(super) fn shorts(&self, name: &str) -> Result<Vec<u32>, String> {
        Ok(self
            .find(name, Dtype::U32)?
            .as_chunks::<4>()
            .0
            .iter()
            .map(|bytes| u32::from_le_bytes(*bytes))
            .collect())
    }

    pub(super) fn bytes(&self, name: &str) -> Result<&[u8], String> {
        self.find(name, Dtype::U8)
    }
}
