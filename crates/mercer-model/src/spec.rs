//! What is to be fitted, as data: prints to text that parses to an equal value.

use std::fmt;
use std::str::FromStr;

use mercer_kernel::KernelExpr;
use mercer_solve::loss::LossSpec;
use mercer_solve::{Penalty, Regularization, Tolerance};

use crate::{Calibration, Learner, ModelError};

/// How columns of numbers are scaled; learned on the training rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// As they are.
    #[default]
    None,
    /// Mean 0, standard deviation 1.
    Standardize,
    /// From 0 to 1.
    MinMax,
}

/// What to do about more than two classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Multiclass {
    /// Say that the learner is binary.
    #[default]
    Refuse,
    /// A machine for each pair, and a vote.
    OneVsOne,
    /// A machine for each class against all others, of which the largest score wins.
    OneVsRest,
    /// A function for each class, all of them from one problem: the logistic loss of several classes.
    Softmax,
}

/// How much each class counts.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ClassWeights {
    /// Every row alike.
    #[default]
    Equal,
    /// Every class alike: n/(classes·rows of the class).
    Balanced,
    /// By name; classes that are not named count 1.
    Given(Vec<(String, f64)>),
}

/// Kernel × loss × λ, the learner, and what it needs to know.
///
/// ```
/// use mercer_model::{Learner, Spec};
/// use mercer_solve::Regularization;
/// let mut spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::Smo);
/// spec.regularization = Regularization::C(10.0);
/// assert_eq!(spec.to_string().parse::<Spec>().unwrap(), spec);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The kernel, as written; words such as `scale` are resolved when fitting.
    pub kernel: KernelExpr,
    /// Who solves it.
    pub learner: Learner,
    /// The loss; none where the learner is not a risk minimiser.
    pub loss: Option<LossSpec>,
    /// λ, or a translation of it.
    pub regularization: Regularization,
    /// ν of the ν problems and of the one-class machine.
    pub nu: f64,
    /// Whether there is an offset b.
    pub offset: bool,
    /// How the size of f is paid for.
    pub penalty: Penalty,
    /// How columns of numbers are scaled.
    pub scaling: Scaling,
    /// What to do about more than two classes.
    pub multiclass: Multiclass,
    /// How much each class counts.
    pub class_weights: ClassWeights,
    /// How probabilities of classes are made; none are if not said. It takes five more fits, without a fifth of the rows
    /// each.
    pub probabilities: Option<Calibration>,
    /// When the answer is good enough.
    pub tolerance: Tolerance,
    /// Seed of learners that draw rows.
    pub seed: u64,
    /// Passes over the rows of perceptrons and stochastic learners, steps of gradient methods.
    pub epochs: Option<u64>,
    /// Step size of gradient methods.
    pub step: Option<f64>,
    /// Whether perceptrons and Pegasos average their coefficients over time.
    pub average: bool,
    /// Support vectors that the online perceptron keeps at most.
    pub keep: Option<usize>,
}

impl Spec {
    /// A specification with the learner's own loss and offset, and λ = 1/n (C = 1).
    pub fn new(kernel: KernelExpr, learner: Learner) -> Self {
        Self {
            kernel,
            learner,
            loss: learner.default_loss(),
            regularization: Regularization::C(1.0),
            nu: 0.5,
            offset: learner.info().offset.unwrap_or(false),
            penalty: Penalty::Squared,
            scaling: Scaling::None,
            multiclass: Multiclass::Refuse,
            class_weights: ClassWeights::Equal,
            probabilities: None,
            tolerance: Tolerance::default(),
            seed: 0,
            epochs: None,
            step: None,
            average: learner == Learner::KernelPegasos,
            keep: None,
        }
    }

    /// The usual learner for a loss.
    pub fn for_loss(kernel: KernelExpr, loss: LossSpec) -> Self {
        Self { loss: Some(loss), ..Self::new(kernel, Learner::of_loss(&loss)) }
    }
}

impl Scaling {
    const NAMES: [(&'static str, Self); 3] =
        [("none", Self::None), ("standardize", Self::Standardize), ("minmax", Self::MinMax)];
}

impl fmt::Display for Scaling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::NAMES.iter().find(|(_, value)| value == self);
        f.write_str(found.map_or("none", |(name, _)| name))
    }
}

impl FromStr for Scaling {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, value)| *value).ok_or_else(|| {
            ModelError::Spec(format!("there is no scaling '{text}'; there are none, standardize and minmax"))
        })
    }
}

impl fmt::Display for Multiclass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refuse => "refuse",
            Self::OneVsOne => "one-vs-one",
            Self::OneVsRest => "one-vs-rest",
            Self::Softmax => "softmax",
        })
    }
}

impl FromStr for Multiclass {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        match text {
            "refuse" => Ok(Self::Refuse),
            "one-vs-one" | "ovo" => Ok(Self::OneVsOne),
            "one-vs-rest" | "ovr" => Ok(Self::OneVsRest),
            "softmax" | "multinomial" => Ok(Self::Softmax),
            _ => Err(ModelError::Spec(format!(
                "'{text}' is no way to handle several classes; there are refuse, one-vs-one, one-vs-rest and softmax"
            ))),
        }
    }
}
