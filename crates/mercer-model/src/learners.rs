//! The list of learners: every one by its name (`docs/maths.md` §4).

use std::fmt;
use std::str::FromStr;

use mercer_points::nearest;
use mercer_solve::loss::LossSpec;

use crate::ModelError;

/// What a learner needs as a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Two classes.
    Classes,
    /// Numbers.
    Numbers,
    /// Either, as the loss says.
    ByLoss,
    /// No target at all.
    Nothing,
}

/// What there is to say of a learner.
#[derive(Debug, Clone, Copy)]
pub struct LearnerInfo {
    /// Its name, which is also the name of the solver.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The losses it takes, the default first; none where the learner is not a risk minimiser.
    pub losses: &'static [&'static str],
    /// The loss that a learner without one is the limit or a variant of: it may be named, and changes nothing.
    pub akin: Option<&'static str>,
    /// What it needs as a target.
    pub kind: Kind,
    /// Whether an offset is used unless the user says otherwise; none where there can be none.
    pub offset: Option<bool>,
    /// Whether it works on explicit features: the kernel must then be `linear`, with or without maps.
    pub explicit: bool,
    /// Time, for n rows, s support vectors, d features, T steps.
    pub complexity: &'static str,
    /// The section of docs/maths.md.
    pub section: &'static str,
    /// Where it is from.
    pub reference: &'static str,
}

macro_rules! learners {
    ($($variant:ident = { summary: $summary:literal, $($field:ident : $value:expr,)* };)*) => {
        /// A learner by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Learner {
            $(#[doc = $summary] $variant,)*
        }

        /// Every learner there is.
        pub const LEARNERS: &[(Learner, LearnerInfo)] = &[$((Learner::$variant, LearnerInfo { summary: $summary, $($field: $value,)* }),)*];
    };
}

learners! {
    Perceptron = {
        summary: "Perceptron on explicit features: w grows by y*x on a mistake",
        name: "perceptron",
        losses: &[],
        akin: Some("perceptron"),
        kind: Kind::Classes,
        offset: Some(false),
        explicit: true,
        complexity: "O(mistakes d + n d) a pass",
        section: "4.1",
        reference: "Rosenblatt 1958",
    };
    DualPerceptron = {
        summary: "The same perceptron in coefficients, with the linear kernel",
        name: "dual-perceptron",
        losses: &[],
        akin: Some("perceptron"),
        kind: Kind::Classes,
        offset: Some(false),
        explicit: false,
        complexity: "O(n) a mistake",
        section: "4.2",
        reference: "Aizerman et al. 1964",
    };
    KernelPerceptron = {
        summary: "Kernel perceptron: alpha_i grows by y_i on a mistake; optional averaging",
        name: "kernel-perceptron",
        losses: &[],
        akin: Some("perceptron"),
        kind: Kind::Classes,
        offset: Some(false),
        explicit: false,
        complexity: "O(n) a mistake",
        section: "4.2",
        reference: "Freund & Schapire 1999",
    };
    OnlinePerceptron = {
        summary: "One pass over a stream; support grows with mistakes; optional budget and averaging",
        name: "online-perceptron",
        losses: &[],
        akin: Some("perceptron"),
        kind: Kind::Classes,
        offset: Some(false),
        explicit: false,
        complexity: "O(s) a row",
        section: "4.3",
        reference: "Freund & Schapire 1999; Dekel et al. 2008",
    };
    HardMargin = {
        summary: "Hard-margin SVM: the widest margin, or the proof that there is none",
        name: "hard-margin",
        losses: &[],
        akin: Some("hinge"),
        kind: Kind::Classes,
        offset: Some(true),
        explicit: false,
        complexity: "O(n s) a block",
        section: "4.4",
        reference: "Boser, Guyon & Vapnik 1992",
    };
    Smo = {
        summary: "Decomposition of the dual (SMO): SVM, SVR, quantiles and every loss but the logistic",
        name: "smo",
        losses: &["hinge", "squared-hinge", "squared", "epsilon", "huber", "pinball", "perceptron"],
        akin: None,
        kind: Kind::ByLoss,
        offset: Some(true),
        explicit: false,
        complexity: "about O(n s)",
        section: "4.5",
        reference: "Platt 1998; Fan, Chen & Lin 2005",
    };
    Qp = {
        summary: "The same dual by an interior-point QP solver, to many digits; small n",
        name: "qp",
        losses: &["hinge", "squared-hinge", "squared", "epsilon", "huber", "pinball", "perceptron"],
        akin: None,
        kind: Kind::ByLoss,
        offset: Some(true),
        explicit: false,
        complexity: "O(n^3) an iteration",
        section: "4.5",
        reference: "Goulart & Chen 2024 (Clarabel)",
    };
    Primal = {
        summary: "The kernelized primal SVM, min a'Ka + rho*sum(u), by the QP solver; small n",
        name: "primal",
        losses: &["hinge"],
        akin: None,
        kind: Kind::Classes,
        offset: Some(true),
        explicit: false,
        complexity: "O(n^3) an iteration",
        section: "4.5",
        reference: "Chapelle 2007",
    };
    Subgradient = {
        summary: "Subgradient descent on the hinge, on explicit features",
        name: "subgradient",
        losses: &["hinge"],
        akin: None,
        kind: Kind::Classes,
        offset: Some(false),
        explicit: true,
        complexity: "O(n d) a step",
        section: "4.6",
        reference: "Shor 1985",
    };
    Pegasos = {
        summary: "Stochastic subgradient descent with step 1/(lambda t), on explicit features",
        name: "pegasos",
        losses: &["hinge"],
        akin: None,
        kind: Kind::Classes,
        offset: None,
        explicit: true,
        complexity: "O(d) a step",
        section: "4.6",
        reference: "Shalev-Shwartz et al. 2011",
    };
    KernelPegasos = {
        summary: "Pegasos in coefficients, averaged in O(1) a step",
        name: "kernel-pegasos",
        losses: &["hinge"],
        akin: None,
        kind: Kind::Classes,
        offset: None,
        explicit: false,
        complexity: "O(n) an update",
        section: "4.7",
        reference: "Shalev-Shwartz et al. 2011",
    };
    RidgePrimal = {
        summary: "Ridge regression on explicit features: (X'X + lambda n I) w = X'y",
        name: "ridge-primal",
        losses: &["squared"],
        akin: None,
        kind: Kind::Numbers,
        offset: Some(false),
        explicit: true,
        complexity: "O(n d^2 + d^3)",
        section: "4.8",
        reference: "Hoerl & Kennard 1970",
    };
    RidgeDual = {
        summary: "Ridge regression in coefficients: (XX' + lambda n I) alpha = y",
        name: "ridge-dual",
        losses: &["squared"],
        akin: None,
        kind: Kind::Numbers,
        offset: Some(false),
        explicit: true,
        complexity: "O(n^2 d + n^3)",
        section: "4.8",
        reference: "Saunders, Gammerman & Vovk 1998",
    };
    Cholesky = {
        summary: "Kernel ridge by Cholesky: (K + lambda n I) alpha = y",
        name: "cholesky",
        losses: &["squared"],
        akin: None,
        kind: Kind::Numbers,
        offset: Some(false),
        explicit: false,
        complexity: "O(n^3)",
        section: "4.9",
        reference: "Saunders, Gammerman & Vovk 1998",
    };
    Eigen = {
        summary: "Kernel ridge by eigendecomposition: every lambda and leave-one-out from one factorisation",
        name: "eigen",
        losses: &["squared"],
        akin: None,
        kind: Kind::Numbers,
        offset: Some(false),
        explicit: false,
        complexity: "O(n^3)",
        section: "4.9",
        reference: "Rifkin & Lippert 2007",
    };
    Cg = {
        summary: "Kernel ridge by preconditioned conjugate gradients, K never held",
        name: "cg",
        losses: &["squared"],
        akin: None,
        kind: Kind::Numbers,
        offset: Some(false),
        explicit: false,
        complexity: "O(n^2) a step",
        section: "4.9",
        reference: "Hestenes & Stiefel 1952; Cutajar et al. 2016",
    };
    Lms = {
        summary: "Kernel least mean squares: gradient descent without a penalty, stopped early",
        name: "lms",
        losses: &["squared"],
        akin: None,
        kind: Kind::Numbers,
        offset: None,
        explicit: false,
        complexity: "O(n^2) a step",
        section: "4.10",
        reference: "Widrow & Hoff 1960; Liu et al. 2008",
    };
    Gradient = {
        summary: "Gradient descent in function space for the squared, logistic or hinge loss",
        name: "gradient",
        losses: &["squared", "logistic", "hinge", "squared-hinge", "huber", "epsilon", "pinball"],
        akin: None,
        kind: Kind::ByLoss,
        offset: Some(false),
        explicit: false,
        complexity: "O(n^2) a step",
        section: "4.11",
        reference: "Kivinen, Smola & Williamson 2004",
    };
    Newton = {
        summary: "Kernel logistic regression (and other smooth losses) by Newton's method",
        name: "newton",
        losses: &["logistic", "squared-hinge", "huber", "squared"],
        akin: None,
        kind: Kind::ByLoss,
        offset: Some(true),
        explicit: false,
        complexity: "O(n^3) a step",
        section: "4.12",
        reference: "Zhu & Hastie 2005",
    };
    Svr = {
        summary: "Support vector regression: errors below epsilon are free",
        name: "svr",
        losses: &["epsilon"],
        akin: None,
        kind: Kind::Numbers,
        offset: Some(true),
        explicit: false,
        complexity: "about O(n s)",
        section: "4.13",
        reference: "Drucker et al. 1997",
    };
    NuSvc = {
        summary: "nu-SVM: nu bounds the share of margin errors and of support vectors",
        name: "nu-svc",
        losses: &[],
        akin: Some("hinge"),
        kind: Kind::Classes,
        offset: Some(true),
        explicit: false,
        complexity: "about O(n s)",
        section: "4.13",
        reference: "Schölkopf et al. 2000",
    };
    NuSvr = {
        summary: "nu-SVR: the width of the tube is found, nu bounds the share outside",
        name: "nu-svr",
        losses: &[],
        akin: Some("epsilon"),
        kind: Kind::Numbers,
        offset: Some(true),
        explicit: false,
        complexity: "about O(n s)",
        section: "4.13",
        reference: "Schölkopf et al. 2000",
    };
    OneClass = {
        summary: "One-class SVM: where the data are; a share nu is left outside",
        name: "one-class",
        losses: &[],
        akin: None,
        kind: Kind::Nothing,
        offset: None,
        explicit: false,
        complexity: "about O(n s)",
        section: "4.13",
        reference: "Schölkopf et al. 2001",
    };
    LsSvm = {
        summary: "Least-squares SVM: the squared loss on labels, one linear system",
        name: "ls-svm",
        losses: &["squared"],
        akin: None,
        kind: Kind::Classes,
        offset: Some(true),
        explicit: false,
        complexity: "O(n^3)",
        section: "4.13",
        reference: "Suykens & Vandewalle 1999",
    };
    Quantile = {
        summary: "Quantile regression: the pinball loss",
        name: "quantile",
        losses: &["pinball"],
        akin: None,
        kind: Kind::Numbers,
        offset: Some(true),
        explicit: false,
        complexity: "about O(n s)",
        section: "4.13",
        reference: "Koenker & Bassett 1978; Takeuchi et al. 2006",
    };
}

impl Learner {
    /// What there is to say of it.
    ///
    /// ```
    /// use mercer_model::Learner;
    /// assert_eq!(Learner::Smo.info().losses[0], "hinge");
    /// ```
    pub fn info(self) -> &'static LearnerInfo {
        let found = LEARNERS.iter().find(|(learner, _)| *learner == self);
        &found.expect("the table is made with the list of variants").1
    }

    /// The learner that a loss gets where none is named.
    pub fn of_loss(loss: &LossSpec) -> Self {
        match loss {
            LossSpec::Logistic => Self::Newton,
            LossSpec::Squared => Self::Cholesky,
            LossSpec::Perceptron => Self::KernelPerceptron,
            LossSpec::EpsilonInsensitive { .. } => Self::Svr,
            LossSpec::Pinball { .. } => Self::Quantile,
            LossSpec::Hinge | LossSpec::SquaredHinge | LossSpec::Huber { .. } => Self::Smo,
        }
    }

    /// The loss that it takes where none is named.
    pub fn default_loss(self) -> Option<LossSpec> {
        self.info().losses.first().map(|name| name.parse().expect("the table names losses that exist"))
    }
}

impl fmt::Display for Learner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info().name)
    }
}

impl FromStr for Learner {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        let names = || LEARNERS.iter().map(|(_, info)| info.name);
        if let Some((learner, _)) = LEARNERS.iter().find(|(_, info)| info.name == text) {
            return Ok(*learner);
        }
        let hint = nearest(text, names()).map_or_else(
            || format!("there are {}", names().collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean '{near}'?"),
        );
        Err(ModelError::Spec(format!("there is no learner '{text}'; {hint}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_losses_of_the_table_exist() {
        for (learner, info) in LEARNERS {
            assert_eq!(info.name.parse::<Learner>().unwrap(), *learner);
            for loss in info.losses {
                loss.parse::<LossSpec>().unwrap();
            }
        }
        let said = "smoo".parse::<Learner>().unwrap_err().to_string();
        assert_eq!(said, "there is no learner 'smoo'; did you mean 'smo'?");
    }
}
