//! What stands in the metadata as JSON. Numbers that are not whole are written as text: every bit of them survives.

use std::collections::BTreeMap;

use mercer_kernel::{PlanState, ViewState};
use mercer_solve::{Basis, Certificate, Claim, Convexity, Status};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Between, ColumnKind, Machine, Preprocessing, Provenance, Scaling, Step};

/// A number as text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Real(pub(super) f64);

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&crate::text::number(self.0))
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(|_| serde::de::Error::custom(format!("'{text}' is not a number")))
    }
}

/// A machine without its coefficients.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MachineText {
    pair: Option<(usize, usize)>,
    /// The class that it tells from all others; files of before have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rest: Option<usize>,
    /// The class whose function it is among those of softmax; files of before have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    softmax: Option<usize>,
    pub(super) status: Status,
    pub(super) iterations: u64,
    certificate: Option<CertificateText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CertificateText {
    claim: ClaimText,
    primal: Real,
    dual: Real,
    gap: Real,
    relative_gap: Real,
    violation: Real,
    norm: Real,
    offset: Real,
    level: Option<Real>,
    support: usize,
    bound: usize,
    projected: Option<Real>,
    kept: Option<(usize, Real)>,
    /// Rows whose scores need not be accurate; files of before have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rough: Option<usize>,
    convexity: Convexity,
}

#[derive(Serialize, Deserialize)]
enum ClaimText {
    Optimal,
    Separates { mistakes: usize, margin: Real },
}

impl MachineText {
    pub(super) fn of(machine: &Machine) -> Self {
        let certificate = machine.certificate.as_ref().map(CertificateText::of);
        let (rest, softmax) = match machine.between {
            Some(Between::Rest(class)) => (Some(class), None),
            Some(Between::Softmax(class)) => (None, Some(class)),
            _ => (None, None),
        };
        let (status, iterations) = (machine.status, machine.iterations);
        Self { pair: machine.pair(), rest, softmax, status, iterations, certificate }
    }

    pub(super) fn between(&self) -> Option<Between> {
        let pair = self.pair.map(|(first, second)| Between::Pair(first, second));
        pair.or(self.rest.map(Between::Rest)).or(self.softmax.map(Between::Softmax))
    }

    pub(super) fn certificate(self) -> Option<Certificate> {
        self.certificate.map(CertificateText::certificate)
    }
}

impl CertificateText {
    fn of(certificate: &Certificate) -> Self {
        Self {
            claim: match certificate.claim {
                Claim::Optimal => ClaimText::Optimal,
                Claim::Separates { mistakes, margin } => {
                    ClaimText::Separates { mistakes, margin: Real(margin) }
                }
            },
            primal: Real(certificate.primal),
            dual: Real(certificate.dual),
            gap: Real(certificate.gap),
            relative_gap: Real(certificate.relative_gap),
            violation: Real(certificate.violation),
            norm: Real(certificate.norm),
            offset: Real(certificate.offset),
            level: certificate.level.map(Real),
            support: certificate.support,
            bound: certificate.bound,
            projected: certificate.projected.map(Real),
            kept: match certificate.basis {
                Basis::Recomputed => None,
                Basis::Kept { checked, difference } | Basis::Sufficient { checked, difference, .. } => {
                    Some((checked, Real(difference)))
                }
            },
            rough: match certificate.basis {
                Basis::Sufficient { rough, .. } => Some(rough),
                _ => None,
            },
            convexity: certificate.convexity.clone(),
        }
    }

    fn certificate(self) -> Certificate {
        Certificate {
            claim: match self.claim {
                ClaimText::Optimal => Claim::Optimal,
                ClaimText::Separates { mistakes, margin } => Claim::Separates { mistakes, margin: margin.0 },
            },
            primal: self.primal.0,
            dual: self.dual.0,
            gap: self.gap.0,
            relative_gap: self.relative_gap.0,
            violation: self.violation.0,
            norm: self.norm.0,
            offset: self.offset.0,
            level: self.level.map(|level| level.0),
            support: self.support,
            // What is counted twice must not be more than what is counted once: `free` subtracts.
            bound: self.bound.min(self.support),
            projected: self.projected.map(|moved| moved.0),
            basis: match (self.kept, self.rough) {
                (None, _) => Basis::Recomputed,
                (Some((checked, difference)), None) => Basis::Kept { checked, difference: difference.0 },
                (Some((checked, difference)), Some(rough)) => {
                    Basis::Sufficient { rough, checked, difference: difference.0 }
                }
            },
            convexity: self.convexity,
            rows: Vec::new(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProvenanceText {
    version: String,
    source: String,
    rows: usize,
    columns: usize,
    hash: String,
    seed: u64,
    seconds: Real,
    entries: u64,
}

impl ProvenanceText {
    pub(super) fn of(provenance: &Provenance) -> Self {
        let Provenance { version, source, rows, columns, hash, seed, seconds, entries } = provenance.clone();
        Self { version, source, rows, columns, hash, seed, seconds: Real(seconds), entries }
    }

    pub(super) fn provenance(self) -> Provenance {
        let Self { version, source, rows, columns, hash, seed, seconds, entries } = self;
        Provenance { version, source, rows, columns, hash, seed, seconds: seconds.0, entries }
    }
}

/// A column of the support points: its values are tensors.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PointsText {
    pub(super) name: String,
    pub(super) kind: ColumnKind,
}

/// Names of the numbers that a map has learned; the numbers are tensors.
pub(super) type StateText = Vec<String>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PreprocessingText {
    scaling: String,
    steps: Vec<(String, StepText)>,
}

#[derive(Serialize, Deserialize)]
enum StepText {
    Scale(BTreeMap<String, Vec<Real>>),
    OneHot(Vec<String>),
}

impl PreprocessingText {
    pub(super) fn of(preprocessing: &Preprocessing) -> Self {
        let step = |step: &Step| match step {
            Step::Scale(state) => {
                let named = state
                    .iter()
                    .map(|(name, values)| (name.clone(), values.iter().copied().map(Real).collect()));
                StepText::Scale(named.collect())
            }
            Step::OneHot(levels) => StepText::OneHot(levels.clone()),
        };
        let steps = preprocessing.steps.iter().map(|(name, known)| (name.clone(), step(known))).collect();
        Self { scaling: preprocessing.scaling.to_string(), steps }
    }

    pub(super) fn preprocessing(self) -> Result<Preprocessing, String> {
        let scaling: Scaling = self.scaling.parse().map_err(|error: crate::ModelError| error.to_string())?;
        let step = |step: StepText| match step {
            StepText::Scale(state) => {
                let values = |values: Vec<Real>| values.into_iter().map(|value| value.0).collect();
                Ok(Step::Scale(state.into_iter().map(|(name, numbers)| (name, values(numbers))).collect()))
            }
            StepText::OneHot(levels) if levels.windows(2).all(|pair| pair[0] < pair[1]) => {
                Ok(Step::OneHot(levels))
            }
            StepText::OneHot(_) => Err("levels of a column do not ascend".to_owned()),
        };
        let steps = self.steps.into_iter().map(|(name, known)| Ok((name, step(known)?)));
        Ok(Preprocessing { scaling, steps: steps.collect::<Result<_, String>>()? })
    }
}

/// What the kernel has learned, without its numbers.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ViewText {
    columns: Vec<String>,
    sparse: bool,
    dim: usize,
    maps: Vec<StateText>,
}

/// The name of the tensor with the mean of a view.
pub(super) fn center_name(view: usize) -> String {
    format!("plan.{view}.center")
}

/// The name of the tensor with the curve of a machine.
pub(super) fn curve_name(machine: usize) -> String {
    format!("calibration.{machine}")
}

/// The name of a tensor that a map has learned.
pub(super) fn map_name(view: usize, map: usize, name: &str) -> String {
    format!("plan.{view}.map.{map}.{name}")
}

impl ViewText {
    pub(super) fn of(view: &ViewState) -> Self {
        Self {
            columns: view.columns.clone(),
            sparse: view.sparse,
            dim: view.dim,
            maps: view.maps.iter().map(|state| state.keys().cloned().collect()).collect(),
        }
    }
}

/// The plan from its text and its tensors.
pub(super) fn plan(
    views: Vec<ViewText>,
    mut numbers: impl FnMut(&str) -> Result<Vec<f64>, String>,
) -> Result<PlanState, String> {
    let mut found = Vec::new();
    for (at, view) in views.into_iter().enumerate() {
        let mut maps = Vec::new();
        for (map, names) in view.maps.into_iter().enumerate() {
            let state = names.into_iter().map(|name| {
                let values = numbers(&map_name(at, map, &name))?;
                Ok((name, values))
            });
            maps.push(state.collect::<Result<BTreeMap<_, _>, String>>()?);
        }
        let center = numbers(&center_name(at))?;
        found.push(ViewState { columns: view.columns, sparse: view.sparse, dim: view.dim, center, maps });
    }
    Ok(PlanState { views: found })
}
