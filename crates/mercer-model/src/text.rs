//! A specification as text: one `key: value` a line, and only what differs from the learner's own way.
//!
//! ```text
//! kernel: rbf(sigma=0.3)
//! learner: smo
//! C: 10
//! class-weights: spam=2, "ham, fried"=0.5
//! ```

use std::fmt;
use std::str::FromStr;

use mercer_kernel::Registry;
use mercer_points::nearest;
use mercer_solve::Regularization;

use crate::{ClassWeights, Learner, ModelError, Spec};

/// Every key, in the order in which they print.
const KEYS: [&str; 22] = [
    "kernel",
    "learner",
    "loss",
    "lambda",
    "C",
    "c",
    "mu",
    "rho",
    "nu",
    "offset",
    "penalty",
    "scaling",
    "multiclass",
    "class-weights",
    "probabilities",
    "gap",
    "violation",
    "seed",
    "epochs",
    "step",
    "average",
    "keep",
];

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = Self::new(self.kernel.clone(), self.learner);
        write!(f, "kernel: {}\nlearner: {}", self.kernel, self.learner)?;
        let mut line = |key: &str, same: bool, value: String| {
            if same { Ok(()) } else { write!(f, "\n{key}: {value}") }
        };
        line("loss", self.loss == plain.loss, or_none(self.loss))?;
        let (name, value) = match self.regularization {
            Regularization::Lambda(value) => ("lambda", value),
            Regularization::C(value) => ("C", value),
            Regularization::SmallC(value) => ("c", value),
            Regularization::Mu(value) => ("mu", value),
            Regularization::Rho(value) => ("rho", value),
        };
        line(name, self.regularization == plain.regularization, number(value))?;
        line("nu", self.nu == plain.nu, number(self.nu))?;
        line("offset", self.offset == plain.offset, self.offset.to_string())?;
        line("penalty", self.penalty == plain.penalty, self.penalty.to_string())?;
        line("scaling", self.scaling == plain.scaling, self.scaling.to_string())?;
        line("multiclass", self.multiclass == plain.multiclass, self.multiclass.to_string())?;
        line("class-weights", self.class_weights == plain.class_weights, self.class_weights.to_string())?;
        line("probabilities", self.probabilities == plain.probabilities, or_none(self.probabilities))?;
        let (tolerance, usual) = (self.tolerance, plain.tolerance);
        line("gap", tolerance.gap == usual.gap, or_none(tolerance.gap.map(number)))?;
        line("violation", tolerance.violation == usual.violation, or_none(tolerance.violation.map(number)))?;
        line("seed", self.seed == plain.seed, self.seed.to_string())?;
        line("epochs", self.epochs == plain.epochs, or_none(self.epochs))?;
        line("step", self.step == plain.step, or_none(self.step.map(number)))?;
        line("average", self.average == plain.average, self.average.to_string())?;
        line("keep", self.keep == plain.keep, or_none(self.keep))
    }
}

/// The shortest text that reads back to the same number.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn or_none(value: Option<impl fmt::Display>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

impl FromStr for Spec {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        Self::parse(text, &Registry::new())
    }
}

impl Spec {
    /// Reads a specification whose kernel may have registered names.
    pub fn parse(text: &str, registry: &Registry) -> Result<Self, ModelError> {
        let lines = lines(text)?;
        let find = |wanted: &str| lines.iter().find(|(_, key, _)| *key == wanted);
        let (at, _, kernel) =
            find("kernel").ok_or_else(|| ModelError::Spec("there is no line 'kernel: …'".into()))?;
        let kernel = registry.parse(kernel).map_err(|error| in_line(*at, error.one_line()))?;
        let mut spec = match (find("learner"), find("loss")) {
            (Some((at, _, name)), _) => Self::new(kernel, name.parse().map_err(|error| in_line(*at, error))?),
            (None, Some((at, _, loss))) if *loss != "none" => {
                Self::for_loss(kernel, loss.parse().map_err(|error| in_line(*at, error))?)
            }
            _ => Self::new(kernel, Learner::Smo),
        };
        for &(at, key, value) in &lines {
            spec.set(key, value).map_err(|error| in_line(at, error))?;
        }
        Ok(spec)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), ModelError> {
        match key {
            "loss" => self.loss = optional(value, |text| text.parse().map_err(ModelError::Solve))?,
            "lambda" => self.regularization = Regularization::Lambda(read(value)?),
            "C" => self.regularization = Regularization::C(read(value)?),
            "c" => self.regularization = Regularization::SmallC(read(value)?),
            "mu" => self.regularization = Regularization::Mu(read(value)?),
            "rho" => self.regularization = Regularization::Rho(read(value)?),
            "nu" => self.nu = read(value)?,
            "offset" => self.offset = read(value)?,
            "penalty" => self.penalty = value.parse()?,
            "scaling" => self.scaling = value.parse()?,
            "multiclass" => self.multiclass = value.parse()?,
            "class-weights" => self.class_weights = value.parse()?,
            "probabilities" => self.probabilities = optional(value, str::parse)?,
            "gap" => self.tolerance.gap = optional(value, read)?,
            "violation" => self.tolerance.violation = optional(value, read)?,
            "seed" => self.seed = read(value)?,
            "epochs" => self.epochs = optional(value, read)?,
            "step" => self.step = optional(value, read)?,
            "average" => self.average = read(value)?,
            "keep" => self.keep = optional(value, read)?,
            _ => {}
        }
        Ok(())
    }
}

/// (number from 1, key, value) of every line that says something.
fn lines(text: &str) -> Result<Vec<(usize, &str, &str)>, ModelError> {
    let mut found: Vec<(usize, &str, &str)> = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = at + 1;
        let (key, value) = line
            .split_once(':')
            .ok_or_else(|| in_line(at, format!("'{}' is not of the form 'key: value'", line.trim())))?;
        let (key, value) = (key.trim(), value.trim());
        if !KEYS.contains(&key) {
            let hint = nearest(key, KEYS).map_or_else(
                || format!("there are {}", KEYS.join(", ")),
                |near| format!("did you mean '{near}'?"),
            );
            return Err(in_line(at, format!("there is no key '{key}'; {hint}")));
        }
        if found.iter().any(|(_, known, _)| *known == key) {
            return Err(in_line(at, format!("'{key}' is said twice")));
        }
        let strengths = ["lambda", "C", "c", "mu", "rho"];
        if let Some((_, other, _)) =
            found.iter().find(|(_, k, _)| strengths.contains(k) && strengths.contains(&key))
        {
            return Err(in_line(at, format!("'{key}' says again what '{other}' says; give one of them")));
        }
        found.push((at, key, value));
    }
    Ok(found)
}

fn in_line(at: usize, error: impl fmt::Display) -> ModelError {
    ModelError::Spec(format!("line {at}: {error}"))
}

fn read<T: FromStr>(text: &str) -> Result<T, ModelError> {
    let kind = match std::any::type_name::<T>() {
        "bool" => "true or false",
        "f64" => "a number",
        _ => "a whole number",
    };
    text.parse().map_err(|_| ModelError::Spec(format!("'{text}' is not {kind}")))
}

fn optional<T>(text: &str, read: impl Fn(&str) -> Result<T, ModelError>) -> Result<Option<T>, ModelError> {
    if text == "none" { Ok(None) } else { read(text).map(Some) }
}

impl fmt::Display for ClassWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = match self {
            Self::Equal => return f.write_str("equal"),
            Self::Balanced => return f.write_str("balanced"),
            Self::Given(named) => named,
        };
        for (place, (name, weight)) in named.iter().enumerate() {
            let plain = name.chars().all(|c| !matches!(c, ',' | '=' | '"' | '\\') && !c.is_control());
            let plain = plain && !name.is_empty() && name.trim() == name;
            let name = if plain { name.clone() } else { serde_json::Value::from(name.as_str()).to_string() };
            write!(f, "{}{name}={}", if place > 0 { ", " } else { "" }, number(*weight))?;
        }
        Ok(())
    }
}

impl FromStr for ClassWeights {
    type Err = ModelError;

    /// `equal`, `balanced`, or `name=2, "a, b"=0.5`.
    fn from_str(text: &str) -> Result<Self, ModelError> {
        match text.trim() {
            "equal" => return Ok(Self::Equal),
            "balanced" => return Ok(Self::Balanced),
            _ => {}
        }
        let (mut named, mut rest) = (Vec::new(), text.trim());
        while !rest.is_empty() {
            let (name, after) = class_name(rest)?;
            let (weight, more) = after.split_once(',').unwrap_or((after, ""));
            let weight: f64 = read(weight.trim())?;
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(ModelError::Spec(format!("the class '{name}' cannot have the weight {weight}")));
            }
            if named.iter().any(|(known, _)| *known == name) {
                return Err(ModelError::Spec(format!("the class '{name}' is weighted twice")));
            }
            named.push((name, weight));
            rest = more.trim_start();
        }
        Ok(Self::Given(named))
    }
}

/// A name, in quotes or not, and what comes after its equals sign.
fn class_name(text: &str) -> Result<(String, &str), ModelError> {
    let wrong = || {
        ModelError::Spec(format!(
            "'{text}' is no list of class weights; write balanced, or name=2, other=0.5"
        ))
    };
    if !text.starts_with('"') {
        let (name, after) = text.split_once('=').ok_or_else(wrong)?;
        return Ok((name.trim().to_owned(), after));
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let name = values.next().and_then(Result::ok).ok_or_else(wrong)?;
    let after = text[values.byte_offset()..].trim_start().strip_prefix('=').ok_or_else(wrong)?;
    Ok((name, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Calibration, LEARNERS, Multiclass, Scaling};
    use mercer_solve::{Penalty, Tolerance};
    use proptest::prelude::*;

    fn any_spec() -> impl Strategy<Value = Spec> {
        let kernels = ["rbf(sigma=0.3)", "linear[\"a: b\"] + 2*poly", "x: laplace@log", "rbf[\"a\\u{a}b\"]"];
        let positive = prop_oneof![Just(1.0), 1e-300..1e300, 1e-3..1e3];
        let name = prop_oneof![
            "[a-z]{1,5}",
            "\\PC{0,6}",
            Just("a, \"b\"=\\ \n".to_owned()),
            Just(" balanced".to_owned())
        ];
        let weights = prop_oneof![
            Just(ClassWeights::Equal),
            Just(ClassWeights::Balanced),
            proptest::collection::btree_map(name, 0.0..1e9, 0..4)
                .prop_map(|named| ClassWeights::Given(named.into_iter().collect())),
        ];
        let parts = (
            (0..kernels.len(), 0..LEARNERS.len(), 0..5usize, positive.clone(), positive.clone()),
            (any::<bool>(), any::<bool>(), 0..3usize, 0..4usize, weights),
            (proptest::option::of(positive.clone()), proptest::option::of(positive.clone()), any::<u64>()),
            (proptest::option::of(any::<u64>()), proptest::option::of(positive), any::<bool>()),
            (proptest::option::of(any::<usize>()), 0..4usize, 0..3usize),
        );
        parts.prop_map(move |(a, b, c, d, e)| {
            let mut spec = Spec::new(kernels[a.0].parse().unwrap(), LEARNERS[a.1].0);
            let strengths = [
                Regularization::Lambda(a.3),
                Regularization::C(a.3),
                Regularization::SmallC(a.3),
                Regularization::Mu(a.3),
                Regularization::Rho(a.3),
            ];
            (spec.regularization, spec.nu, spec.offset) = (strengths[a.2], a.4, b.0);
            spec.penalty = if b.1 { Penalty::Norm } else { Penalty::Squared };
            spec.scaling = [Scaling::None, Scaling::Standardize, Scaling::MinMax][b.2];
            spec.multiclass =
                [Multiclass::Refuse, Multiclass::OneVsOne, Multiclass::OneVsRest, Multiclass::Softmax][b.3];
            spec.class_weights = b.4;
            spec.tolerance = Tolerance { gap: c.0, violation: c.1 };
            (spec.seed, spec.epochs, spec.step, spec.average, spec.keep) = (c.2, d.0, d.1, d.2, e.0);
            spec.probabilities = [None, Some(Calibration::Platt), Some(Calibration::Isotonic)][e.2];
            if let Some(loss) = ["none", "pinball(tau=0.9)", "hinge"].get(e.1) {
                spec.loss = loss.parse().ok();
            }
            spec
        })
    }

    proptest! {
        #[test]
        fn what_prints_reads_back(spec in any_spec()) {
            prop_assert_eq!(&spec.to_string().parse::<Spec>().unwrap(), &spec, "{}", spec);
        }

        #[test]
        fn no_text_is_too_much(text in "(kernel: rbf\n)?([a-zC-]{1,9}: ?[-a-z0-9.\"=, ]{0,9}\n){0,4}") {
            let _ = text.parse::<Spec>();
        }
    }

    #[test]
    fn only_what_differs_is_said() {
        let mut spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::Smo);
        assert_eq!(spec.to_string(), "kernel: rbf(sigma=0.3)\nlearner: smo");
        spec.regularization = Regularization::C(10.0);
        spec.class_weights = ClassWeights::Given(vec![("spam".into(), 2.0), ("a, b".into(), 0.5)]);
        let said = "kernel: rbf(sigma=0.3)\nlearner: smo\nC: 10\nclass-weights: spam=2, \"a, b\"=0.5";
        assert_eq!(spec.to_string(), said);
    }

    #[test]
    fn errors_name_the_line_and_the_nearest_key() {
        let said = |text: &str| text.parse::<Spec>().unwrap_err().to_string();
        assert_eq!(
            said("kernel: rbf\n\nlerner: smo"),
            "line 3: there is no key 'lerner'; did you mean 'learner'?"
        );
        assert_eq!(said("learner: smo"), "there is no line 'kernel: …'");
        assert_eq!(said("kernel: rbf\nC: ten"), "line 2: 'ten' is not a number");
        assert_eq!(
            said("kernel: rbf\nC: 1\nmu: 2"),
            "line 3: 'mu' says again what 'C' says; give one of them"
        );
        assert!(said("kernel: rbf(").starts_with("line 1: "), "{}", said("kernel: rbf("));
        assert!(said("kernel: rbf\nclass-weights: a=-1").contains("cannot have the weight -1"));
        assert!(said("kernel: rbf\nkernel: rbf").contains("line 2: 'kernel' is said twice"));
    }

    #[test]
    fn a_loss_alone_finds_its_learner() {
        assert_eq!("kernel: rbf\nloss: logistic".parse::<Spec>().unwrap().learner, Learner::Newton);
    }
}
