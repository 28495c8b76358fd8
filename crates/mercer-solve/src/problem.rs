//! The one problem (`docs/maths.md` §3): kernel × loss × λ.

use std::fmt;
use std::str::FromStr;

use mercer_gram::Gram;

use crate::SolveError;
use crate::loss::{Loss, Target};

/// What is minimised.
#[derive(Debug, Clone, Copy)]
pub enum Objective<'a> {
    /// (1/n) Σ w_i ℓ(y_i, f_i+b) + (λ/2)‖f‖².
    Risk(&'a dyn Loss),
    /// ½‖f‖² subject to y_i(f_i+b) ≥ 1 (§4.4).
    HardMargin,
    /// Any f with y_i(f_i+b) > 0 for all i: what a perceptron looks for (§4.1).
    Separation,
    /// ½‖f‖² − νρ + (1/n) Σ w_i max(0, ρ − y_i(f_i+b)), ρ ≥ 0 (§4.13). λ is 1.
    NuClassification {
        /// 0 < ν ≤ 1.
        nu: f64,
    },
    /// νε + (1/n) Σ w_i max(0, |f_i+b−y_i|−ε) + (λ/2)‖f‖², ε ≥ 0 (§4.13).
    NuRegression {
        /// 0 < ν ≤ 1.
        nu: f64,
    },
    /// ½‖f‖² − ρ + (1/(νn)) Σ w_i max(0, ρ − f_i) (§4.13). λ is 1; the offset is −ρ.
    OneClass {
        /// 0 < ν ≤ 1.
        nu: f64,
    },
}

/// How large f is paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Penalty {
    /// (λ/2)‖f‖².
    #[default]
    Squared,
    /// λ‖f‖.
    Norm,
}

impl fmt::Display for Penalty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Squared => "squared",
            Self::Norm => "norm",
        })
    }
}

impl FromStr for Penalty {
    type Err = SolveError;

    fn from_str(text: &str) -> Result<Self, SolveError> {
        match text {
            "squared" | "l2" => Ok(Self::Squared),
            "norm" => Ok(Self::Norm),
            "lasso" | "l1" => Err(SolveError::Lasso),
            _ => Err(SolveError::Loss(format!("there is no penalty '{text}'; there are squared and norm"))),
        }
    }
}

/// The regularisation as the user wrote it; one of these is given, the model stores λ (`docs/maths.md` §3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Regularization {
    /// λ of (1/n) Σ loss + (λ/2)‖f‖².
    Lambda(f64),
    /// LIBSVM's C of ½‖f‖² + C Σ loss: C = 1/(λn).
    C(f64),
    /// c of ½‖f‖² + (c/n) Σ loss: c = 1/λ.
    SmallC(f64),
    /// μ of (K + μI)α = y: μ = λn.
    Mu(f64),
    /// ρ of aᵀKa + ρ Σu: C = ρ/2.
    Rho(f64),
}

impl Regularization {
    /// Its name and its value, as it was given.
    ///
    /// ```
    /// use mercer_solve::Regularization;
    /// assert_eq!(Regularization::Mu(0.5).spelled(), ("mu", 0.5));
    /// ```
    pub fn spelled(self) -> (&'static str, f64) {
        match self {
            Self::Lambda(v) => ("lambda", v),
            Self::C(v) => ("C", v),
            Self::SmallC(v) => ("c", v),
            Self::Mu(v) => ("mu", v),
            Self::Rho(v) => ("rho", v),
        }
    }

    /// λ for n rows.
    ///
    /// ```
    /// use mercer_solve::Regularization;
    /// assert_eq!(Regularization::C(10.0).lambda(200).unwrap(), 1.0 / 2000.0);
    /// assert!(Regularization::Lambda(0.0).lambda(10).is_err());
    /// ```
    pub fn lambda(self, n: usize) -> Result<f64, SolveError> {
        let n = n as f64;
        let (name, value) = self.spelled();
        let lambda = match self {
            Self::Lambda(v) => v,
            Self::C(v) => 1.0 / (v * n),
            Self::SmallC(v) => 1.0 / v,
            Self::Mu(v) => v / n,
            Self::Rho(v) => 2.0 / (v * n),
        };
        if value > 0.0 && value.is_finite() && lambda > 0.0 && lambda.is_finite() {
            return Ok(lambda);
        }
        let meaning = match self {
            Self::C(_) => "1/(C n)",
            Self::SmallC(_) => "1/c",
            Self::Mu(_) => "mu/n",
            Self::Rho(_) => "2/(rho n)",
            Self::Lambda(_) => "lambda",
        };
        let range = if value > 0.0 && value.is_finite() {
            format!("such that lambda = {meaning} is above 0 and finite")
        } else {
            "above 0 and finite".to_owned()
        };
        Err(SolveError::Parameter { name: name.to_owned(), value, range })
    }
}

/// Kernel × loss × λ, with weights and an optional offset; checked when made.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    gram: &'a dyn Gram,
    y: &'a [f64],
    weights: Option<&'a [f64]>,
    objective: Objective<'a>,
    lambda: f64,
    offset: bool,
    penalty: Penalty,
}

impl fmt::Debug for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem")
            .field("rows", &self.len())
            .field("objective", &self.objective)
            .field("lambda", &self.lambda)
            .field("offset", &self.offset)
            .field("penalty", &self.penalty)
            .finish()
    }
}

impl<'a> Problem<'a> {
    /// A problem with unit weights and the squared penalty. `lambda` is ignored where the objective has none.
    pub fn new(
        gram: &'a dyn Gram,
        y: &'a [f64],
        objective: Objective<'a>,
        lambda: f64,
        offset: bool,
    ) -> Result<Self, SolveError> {
        if gram.is_empty() {
            return Err(SolveError::Empty);
        }
        if y.len() != gram.len() {
            return Err(SolveError::Shape { what: "targets", expected: gram.len(), found: y.len() });
        }
        let (labels, lambda) = match objective {
            Objective::Risk(loss) => (loss.target() == Target::Labels, lambda),
            Objective::NuRegression { .. } => (false, lambda),
            Objective::HardMargin | Objective::Separation | Objective::NuClassification { .. } => (true, 1.0),
            Objective::OneClass { .. } => (false, 1.0),
        };
        if !matches!(objective, Objective::OneClass { .. }) {
            check_targets(y, labels)?;
        }
        if !(lambda > 0.0 && lambda.is_finite()) {
            let range = "above 0 and finite".to_owned();
            return Err(SolveError::Parameter { name: "lambda".to_owned(), value: lambda, range });
        }
        if let Objective::NuClassification { nu }
        | Objective::NuRegression { nu }
        | Objective::OneClass { nu } = objective
            && !(nu > 0.0 && nu <= 1.0)
        {
            let range = "above 0 and at most 1".to_owned();
            return Err(SolveError::Parameter { name: "nu".to_owned(), value: nu, range });
        }
        let mut diagonal = vec![0.0; gram.len()];
        gram.diagonal(&mut diagonal);
        if let Some(row) = diagonal.iter().position(|v| !v.is_finite()) {
            return Err(SolveError::NotFinite { row: row + 1, value: diagonal[row] });
        }
        Ok(Self { gram, y, weights: None, objective, lambda, offset, penalty: Penalty::Squared })
    }

    /// The same with row weights; a weight of k is the same as k repetitions of the row in the sum.
    pub fn weighted(mut self, weights: &'a [f64]) -> Result<Self, SolveError> {
        if weights.len() != self.len() {
            return Err(SolveError::Shape { what: "weights", expected: self.len(), found: weights.len() });
        }
        if let Some(row) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
            return Err(SolveError::Weight { row: row + 1, value: weights[row] });
        }
        if weights.iter().all(|&w| w == 0.0) {
            return Err(SolveError::NoWeight);
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// The same with another penalty.
    pub fn penalized(mut self, penalty: Penalty) -> Self {
        self.penalty = penalty;
        self
    }

    /// The same with another λ; it stays 1 where the objective has none.
    pub fn with_lambda(mut self, lambda: f64) -> Result<Self, SolveError> {
        if !(lambda > 0.0 && lambda.is_finite()) {
            let range = "above 0 and finite".to_owned();
            return Err(SolveError::Parameter { name: "lambda".to_owned(), value: lambda, range });
        }
        if matches!(self.objective, Objective::Risk(_) | Objective::NuRegression { .. }) {
            self.lambda = lambda;
        }
        Ok(self)
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Whether there is no row; never so, but asked of anything with a length.
    pub fn is_empty(&self) -> bool {
        self.y.is_empty()
    }

    /// The Gram matrix.
    pub fn gram(&self) -> &'a dyn Gram {
        self.gram
    }

    /// Labels or targets.
    pub fn y(&self) -> &'a [f64] {
        self.y
    }

    /// The weight of a row.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// C_i = w_i/(λn): how far u may go, in units of α. Finite for every λ and weight, so that C·0 is 0.
    pub fn bound(&self, i: usize) -> f64 {
        (self.weight(i) / (self.lambda * self.len() as f64)).min(f64::MAX)
    }

    /// u_i = −α_i/C_i: the slope of the loss that a coefficient stands for; 0 for a row without weight.
    pub(crate) fn slope_of(&self, i: usize, alpha: f64) -> f64 {
        match self.bound(i) {
            0.0 => 0.0,
            bound => (-alpha / bound).clamp(f64::MIN, f64::MAX),
        }
    }

    /// What is minimised.
    pub fn objective(&self) -> Objective<'a> {
        self.objective
    }

    /// The loss, where the objective is a risk.
    pub fn loss(&self) -> Option<&'a dyn Loss> {
        match self.objective {
            Objective::Risk(loss) => Some(loss),
            _ => None,
        }
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Whether there is an offset b.
    pub fn offset(&self) -> bool {
        self.offset
    }

    /// The penalty.
    pub fn penalty(&self) -> Penalty {
        self.penalty
    }
}

fn check_targets(y: &[f64], labels: bool) -> Result<(), SolveError> {
    let wrong = |v: &f64| if labels { *v != 1.0 && *v != -1.0 } else { !v.is_finite() };
    let wanted =
        if labels { "a binary learner needs the labels -1 and +1" } else { "it must be a finite number" };
    match y.iter().position(wrong) {
        Some(row) => Err(SolveError::Target { row: row + 1, value: y[row], wanted }),
        None => Ok(()),
    }
}
