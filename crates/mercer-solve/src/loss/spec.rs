//! The list of losses, and their names as text: `hinge`, `epsilon(epsilon=0.1)`, `pinball(tau=0.9)`.

use std::fmt;
use std::str::FromStr;

use super::{
    EpsilonInsensitive, Hinge, Huber, Logistic, Loss, Perceptron, Pinball, Squared, SquaredHinge, Target,
};
use crate::SolveError;

/// A loss as data: what a user writes and a model file holds.
///
/// ```
/// use mercer_solve::loss::LossSpec;
/// let loss: LossSpec = "pinball(tau=0.9)".parse().unwrap();
/// assert_eq!(loss, LossSpec::Pinball { tau: 0.9 });
/// assert_eq!(loss.to_string(), "pinball(tau=0.9)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LossSpec {
    /// max(0, 1−m).
    Hinge,
    /// max(0, 1−m)².
    SquaredHinge,
    /// log(1+e^{−m}).
    Logistic,
    /// max(0, −m).
    Perceptron,
    /// ½r².
    Squared,
    /// max(0, |r|−ε).
    EpsilonInsensitive {
        /// ε ≥ 0.
        epsilon: f64,
    },
    /// ½r², linear beyond δ.
    Huber {
        /// δ > 0.
        delta: f64,
    },
    /// The τ-quantile.
    Pinball {
        /// 0 < τ < 1.
        tau: f64,
    },
}

/// What there is to say of a loss.
#[derive(Debug, Clone, Copy)]
pub struct LossInfo {
    /// Its name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Its parameter and the default.
    pub parameter: Option<(&'static str, f64)>,
    /// The formula.
    pub formula: &'static str,
    /// What y may be.
    pub target: Target,
    /// The model it makes, in words.
    pub summary: &'static str,
}

/// Every loss there is.
pub const LOSSES: [LossInfo; 8] = [
    LossInfo {
        name: "hinge",
        aliases: &["svm"],
        parameter: None,
        formula: "max(0, 1-m)",
        target: Target::Labels,
        summary: "support vector classification",
    },
    LossInfo {
        name: "squared-hinge",
        aliases: &["squared_hinge", "l2svm"],
        parameter: None,
        formula: "max(0, 1-m)^2",
        target: Target::Labels,
        summary: "smooth support vector classification",
    },
    LossInfo {
        name: "logistic",
        aliases: &["log", "log_loss"],
        parameter: None,
        formula: "log(1 + exp(-m))",
        target: Target::Labels,
        summary: "logistic regression: scores are log-odds",
    },
    LossInfo {
        name: "perceptron",
        aliases: &[],
        parameter: None,
        formula: "max(0, -m)",
        target: Target::Labels,
        summary: "only mistakes cost",
    },
    LossInfo {
        name: "squared",
        aliases: &["square", "mse", "squared_error"],
        parameter: None,
        formula: "r^2/2",
        target: Target::Numbers,
        summary: "ridge regression; the mean",
    },
    LossInfo {
        name: "epsilon",
        aliases: &["epsilon-insensitive", "epsilon_insensitive", "svr"],
        parameter: Some(("epsilon", 0.1)),
        formula: "max(0, |r|-epsilon)",
        target: Target::Numbers,
        summary: "support vector regression",
    },
    LossInfo {
        name: "huber",
        aliases: &[],
        parameter: Some(("delta", 1.0)),
        formula: "r^2/2 where |r| <= delta, else delta*|r| - delta^2/2",
        target: Target::Numbers,
        summary: "regression that outliers cannot pull far",
    },
    LossInfo {
        name: "pinball",
        aliases: &["quantile"],
        parameter: Some(("tau", 0.5)),
        formula: "max(-tau*r, (1-tau)*r)",
        target: Target::Numbers,
        summary: "quantile regression",
    },
];

impl LossSpec {
    /// What there is to say of it.
    pub fn info(&self) -> &'static LossInfo {
        let at = match self {
            Self::Hinge => 0,
            Self::SquaredHinge => 1,
            Self::Logistic => 2,
            Self::Perceptron => 3,
            Self::Squared => 4,
            Self::EpsilonInsensitive { .. } => 5,
            Self::Huber { .. } => 6,
            Self::Pinball { .. } => 7,
        };
        &LOSSES[at]
    }

    /// The working loss; an error if its parameter is out of range.
    pub fn build(&self) -> Result<Box<dyn Loss>, SolveError> {
        let (name, value, fine, range) = match *self {
            Self::EpsilonInsensitive { epsilon } => ("epsilon", epsilon, epsilon >= 0.0, "at least 0"),
            Self::Huber { delta } => ("delta", delta, delta > 0.0, "above 0"),
            Self::Pinball { tau } => ("tau", tau, tau > 0.0 && tau < 1.0, "between 0 and 1"),
            _ => ("", 0.0, true, ""),
        };
        if !(fine && value.is_finite()) {
            return Err(SolveError::Parameter { name: name.to_owned(), value, range: range.to_owned() });
        }
        Ok(match *self {
            Self::Hinge => Box::new(Hinge),
            Self::SquaredHinge => Box::new(SquaredHinge),
            Self::Logistic => Box::new(Logistic),
            Self::Perceptron => Box::new(Perceptron),
            Self::Squared => Box::new(Squared),
            Self::EpsilonInsensitive { epsilon } => Box::new(EpsilonInsensitive { epsilon }),
            Self::Huber { delta } => Box::new(Huber { delta }),
            Self::Pinball { tau } => Box::new(Pinball { tau }),
        })
    }

    fn parameter(&self) -> Option<f64> {
        match *self {
            Self::EpsilonInsensitive { epsilon: value }
            | Self::Huber { delta: value }
            | Self::Pinball { tau: value } => Some(value),
            _ => None,
        }
    }

    fn of(at: usize, value: f64) -> Self {
        match at {
            0 => Self::Hinge,
            1 => Self::SquaredHinge,
            2 => Self::Logistic,
            3 => Self::Perceptron,
            4 => Self::Squared,
            5 => Self::EpsilonInsensitive { epsilon: value },
            6 => Self::Huber { delta: value },
            _ => Self::Pinball { tau: value },
        }
    }
}

impl fmt::Display for LossSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.info();
        match (info.parameter, self.parameter()) {
            (Some((name, _)), Some(value)) => write!(f, "{}({name}={value})", info.name),
            _ => f.write_str(info.name),
        }
    }
}

impl FromStr for LossSpec {
    type Err = SolveError;

    fn from_str(text: &str) -> Result<Self, SolveError> {
        let text = text.trim();
        let (name, inside) = match text.split_once('(') {
            Some((name, rest)) => {
                let inside = rest.strip_suffix(')').ok_or_else(|| unknown(text))?;
                (name.trim(), inside.trim())
            }
            None => (text, ""),
        };
        let at = LOSSES
            .iter()
            .position(|info| info.name == name || info.aliases.contains(&name))
            .ok_or_else(|| unknown(name))?;
        let value = match (LOSSES[at].parameter, inside) {
            (parameter, "") => parameter.map_or(0.0, |(_, default)| default),
            (None, _) => return Err(SolveError::Loss(format!("the loss '{name}' has no parameter"))),
            (Some((parameter, _)), inside) => {
                let number = match inside.split_once('=') {
                    Some((key, number)) if key.trim() == parameter => number.trim(),
                    Some((key, _)) => {
                        let said = format!(
                            "the loss '{name}' has the parameter '{parameter}', not '{}'",
                            key.trim()
                        );
                        return Err(SolveError::Loss(said));
                    }
                    None => inside,
                };
                number.parse().map_err(|_| SolveError::Loss(format!("'{number}' is not a number")))?
            }
        };
        let spec = Self::of(at, value);
        spec.build()?;
        Ok(spec)
    }
}

fn unknown(name: &str) -> SolveError {
    let known: Vec<&str> = LOSSES.iter().map(|info| info.name).collect();
    if name == "lasso" || name == "l1" {
        return SolveError::Lasso;
    }
    SolveError::Loss(format!("there is no loss '{name}'; there are {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_loss_prints_to_text_that_reads_back() {
        for (at, info) in LOSSES.iter().enumerate() {
            let spec = LossSpec::of(at, info.parameter.map_or(0.0, |(_, value)| value));
            assert_eq!(spec.info().name, info.name);
            assert_eq!(spec.to_string().parse::<LossSpec>().unwrap(), spec);
            for alias in info.aliases {
                assert_eq!(alias.parse::<LossSpec>().unwrap(), spec);
            }
        }
    }

    #[test]
    fn wrong_words_are_refused_with_the_right_ones() {
        let said = |text: &str| text.parse::<LossSpec>().unwrap_err().to_string();
        assert!(said("hing").contains("there is no loss 'hing'; there are hinge, "));
        assert!(said("pinball(tau=2)").contains("tau = 2"));
        assert!(said("pinball(alpha=0.5)").contains("'tau', not 'alpha'"));
        assert!(said("lasso").contains("representer"));
        assert!(said("huber(delta=nan)").contains("delta"));
    }
}
