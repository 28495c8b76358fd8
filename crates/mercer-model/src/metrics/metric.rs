//! The list of metrics: every one by its name (`docs/maths.md` §6.1), as text and as a number for given answers.

use std::fmt;
use std::str::FromStr;

use mercer_points::nearest;
use mercer_solve::loss::LossSpec;

use crate::ModelError;

use super::Answers;
use super::probabilities::check_bins;
use super::weights::{BEYOND, Undefined, moderate};

/// What a metric judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Answered classes.
    Classes,
    /// Scores of two classes.
    Scores,
    /// Probabilities of classes.
    Probabilities,
    /// Answered numbers.
    Numbers,
}

/// What there is to say of a metric.
#[derive(Debug, Clone, Copy)]
pub struct MetricInfo {
    /// Its name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// What it judges.
    pub subject: Subject,
    /// Whether more of it is better.
    pub larger_is_better: bool,
    /// What it is, in a sentence.
    pub summary: &'static str,
}

macro_rules! metrics {
    ($($variant:ident $({ $(#[doc = $said:literal])* $parameter:ident : $kind:ty = $default:literal })? = {
        summary: $summary:literal, $($field:ident : $value:expr,)*
    };)*) => {
        /// A measure of how good answers are.
        ///
        /// ```
        /// use mercer_model::metrics::Metric;
        /// let metric: Metric = "pinball(tau=0.9)".parse()?;
        /// assert_eq!(metric, Metric::Pinball { tau: 0.9 });
        /// assert_eq!(metric.to_string(), "pinball(tau=0.9)");
        /// # Ok::<(), mercer_model::ModelError>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum Metric {
            $(#[doc = $summary] $variant $({ $(#[doc = $said])* $parameter: $kind })?,)*
        }

        /// Every metric there is, with the defaults of its parameters.
        ///
        /// ```
        /// use mercer_model::metrics::{METRICS, Subject};
        /// let of_numbers = METRICS.iter().filter(|(_, info)| info.subject == Subject::Numbers);
        /// assert_eq!(of_numbers.map(|(_, info)| info.name).collect::<Vec<_>>(), ["rmse", "mae", "r2", "pinball"]);
        /// ```
        pub const METRICS: &[(Metric, MetricInfo)] = &[$((
            Metric::$variant $({ $parameter: $default })?,
            MetricInfo { summary: $summary, $($field: $value,)* },
        ),)*];
    };
}

metrics! {
    Accuracy = {
        summary: "The share of rows that are answered rightly.",
        name: "accuracy",
        aliases: &[],
        subject: Subject::Classes,
        larger_is_better: true,
    };
    BalancedAccuracy = {
        summary: "The mean over the classes that occur of the share answered rightly.",
        name: "balanced-accuracy",
        aliases: &["balanced_accuracy"],
        subject: Subject::Classes,
        larger_is_better: true,
    };
    F1 = {
        summary: "The harmonic mean of precision and recall of the second of two classes, or its mean over several classes.",
        name: "f1",
        aliases: &[],
        subject: Subject::Classes,
        larger_is_better: true,
    };
    Auc = {
        summary: "The chance that a row of the second class has a larger score than one of the first, ties counted half.",
        name: "auc",
        aliases: &["roc-auc", "roc_auc"],
        subject: Subject::Scores,
        larger_is_better: true,
    };
    LogLoss = {
        summary: "The mean of minus the logarithm of the probability of the true class.",
        name: "log-loss",
        aliases: &["log_loss", "cross-entropy"],
        subject: Subject::Probabilities,
        larger_is_better: false,
    };
    Brier = {
        summary: "The mean squared difference between probabilities and what is true.",
        name: "brier",
        aliases: &["brier-score", "brier_score"],
        subject: Subject::Probabilities,
        larger_is_better: false,
    };
    Calibration {
        /// Bins of equal width from 0 to 1.
        bins: usize = 10
    } = {
        summary: "The expected calibration error: how far probabilities are from the share of answers that are right.",
        name: "calibration",
        aliases: &["calibration-error", "ece"],
        subject: Subject::Probabilities,
        larger_is_better: false,
    };
    Rmse = {
        summary: "The root of the mean squared error.",
        name: "rmse",
        aliases: &[],
        subject: Subject::Numbers,
        larger_is_better: false,
    };
    Mae = {
        summary: "The mean absolute error.",
        name: "mae",
        aliases: &[],
        subject: Subject::Numbers,
        larger_is_better: false,
    };
    R2 = {
        summary: "The share of the variance of the target that the answers explain.",
        name: "r2",
        aliases: &["r-squared"],
        subject: Subject::Numbers,
        larger_is_better: true,
    };
    Pinball {
        /// The quantile that is answered, between 0 and 1.
        tau: f64 = 0.5
    } = {
        summary: "The mean pinball loss, which the quantile at tau makes least.",
        name: "pinball",
        aliases: &["quantile"],
        subject: Subject::Numbers,
        larger_is_better: false,
    };
}

/// A metric bound to answers: its value for weights, one for each row, not negative and not all 0.
pub(super) type Bound<'a> = Box<dyn Fn(&[f64]) -> Result<f64, Undefined> + Sync + 'a>;

impl Metric {
    /// What there is to say of it.
    ///
    /// ```
    /// use mercer_model::metrics::Metric;
    /// assert!(!Metric::Rmse.info().larger_is_better);
    /// ```
    pub fn info(self) -> &'static MetricInfo {
        let same = |other: &Self| std::mem::discriminant(other) == std::mem::discriminant(&self);
        let found = METRICS.iter().find(|(metric, _)| same(metric));
        &found.expect("the table is made with the list of variants").1
    }

    /// 1 where larger is better, −1 where smaller is: of two values times this the larger is the better.
    ///
    /// ```
    /// use mercer_model::metrics::Metric;
    /// assert_eq!((Metric::Accuracy.sign(), Metric::Rmse.sign()), (1.0, -1.0));
    /// ```
    pub fn sign(self) -> f64 {
        if self.info().larger_is_better { 1.0 } else { -1.0 }
    }

    /// Its value, which is finite; an error if the answers lack what it needs, if they are not as they should be, or if
    /// it is not defined for them.
    ///
    /// ```
    /// use mercer_model::metrics::{Answers, Metric};
    /// let answers = Answers { scores: Some(&[0.1, 0.4, 0.35, 0.8]), ..Answers::of_classes(&[0, 0, 1, 1], 2) };
    /// assert_eq!(Metric::Auc.of(&answers)?, 0.75);
    /// let said = Metric::Accuracy.of(&answers).unwrap_err().to_string();
    /// assert_eq!(said, "accuracy needs the answered classes; give the answers their `classes`");
    /// # Ok::<(), mercer_model::ModelError>(())
    /// ```
    pub fn of(self, answers: &Answers<'_>) -> Result<f64, ModelError> {
        let bound = self.bind(answers)?;
        let weights = moderate(answers.row_weights()?);
        bound(&weights).map_err(|Undefined(reason)| {
            ModelError::Data(format!("{} is not defined for these rows: {reason}", self.info().name))
        })
    }

    /// The metric with all that it needs, checked.
    pub(super) fn bind<'a>(self, answers: &Answers<'a>) -> Result<Bound<'a>, ModelError> {
        self.check()?;
        let who = self.info().name;
        match self {
            Self::Accuracy => answers.codes(who).map(|codes| finite(move |by| Ok(codes.accuracy(by)))),
            Self::BalancedAccuracy => {
                answers.codes(who).map(|codes| finite(move |by| Ok(codes.balanced_accuracy(by))))
            }
            Self::F1 => answers.codes(who).map(|codes| finite(move |by| codes.f1(by))),
            Self::Auc => answers.ranking(who).map(|ranking| finite(move |by| ranking.auc(by))),
            Self::LogLoss => answers.shares(who).map(|shares| finite(move |by| Ok(shares.log_loss(by)))),
            Self::Brier => answers.shares(who).map(|shares| finite(move |by| Ok(shares.brier(by)))),
            Self::Calibration { bins } => {
                answers.shares(who).map(|shares| finite(move |by| Ok(shares.calibration(by, bins))))
            }
            Self::Rmse => answers.pairs(who).map(|pairs| finite(move |by| pairs.rmse(by))),
            Self::Mae => answers.pairs(who).map(|pairs| finite(move |by| pairs.mae(by))),
            Self::R2 => answers.pairs(who).map(|pairs| finite(move |by| pairs.r2(by))),
            Self::Pinball { tau } => answers.pairs(who).map(|pairs| finite(move |by| pairs.pinball(by, tau))),
        }
    }

    /// An error for a parameter out of its range.
    fn check(self) -> Result<(), ModelError> {
        match self {
            Self::Calibration { bins } => check_bins(bins),
            Self::Pinball { tau } => Ok(LossSpec::Pinball { tau }.build().map(|_| ())?),
            _ => Ok(()),
        }
    }

    /// The same with the parameter that is written between the parentheses.
    fn with(self, inside: &str) -> Result<Self, ModelError> {
        let name = self.info().name;
        match self {
            _ if inside.is_empty() => Ok(self),
            Self::Calibration { .. } => Ok(Self::Calibration { bins: parameter(name, "bins", inside)? }),
            Self::Pinball { .. } => Ok(Self::Pinball { tau: parameter(name, "tau", inside)? }),
            _ => Err(ModelError::Spec(format!("the metric '{name}' has no parameter"))),
        }
    }
}

/// The metric, with a value that is not finite taken for none.
fn finite<'a>(value: impl Fn(&[f64]) -> Result<f64, Undefined> + Sync + 'a) -> Bound<'a> {
    Box::new(move |weights| {
        value(weights).and_then(|value| if value.is_finite() { Ok(value) } else { Err(BEYOND) })
    })
}

/// `0.9` or `tau=0.9`.
fn parameter<T: FromStr>(metric: &str, name: &str, inside: &str) -> Result<T, ModelError> {
    let number = match inside.split_once('=') {
        Some((key, number)) if key.trim() == name => number.trim(),
        Some((key, _)) => {
            let key = key.trim();
            return Err(ModelError::Spec(format!(
                "the metric '{metric}' has the parameter '{name}', not '{key}'"
            )));
        }
        None => inside,
    };
    number
        .parse()
        .map_err(|_| ModelError::Spec(format!("{name} of the metric '{metric}' cannot be '{number}'")))
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.info().name;
        match self {
            Self::Calibration { bins } => write!(f, "{name}(bins={bins})"),
            Self::Pinball { tau } => write!(f, "{name}(tau={tau})"),
            _ => f.write_str(name),
        }
    }
}

impl FromStr for Metric {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        let text = text.trim();
        let (name, inside) = match text.split_once('(') {
            None => (text, ""),
            Some((name, rest)) => {
                let inside = rest.strip_suffix(')');
                let open = || ModelError::Spec(format!("the metric '{text}' does not end in ')'"));
                (name.trim(), inside.ok_or_else(open)?.trim())
            }
        };
        let called = |info: &MetricInfo| info.name == name || info.aliases.contains(&name);
        let (metric, _) = METRICS.iter().find(|(_, info)| called(info)).ok_or_else(|| unknown(name))?;
        let metric = metric.with(inside)?;
        metric.check()?;
        Ok(metric)
    }
}

fn unknown(name: &str) -> ModelError {
    let names = || METRICS.iter().map(|(_, info)| info.name);
    let hint = nearest(name, names()).map_or_else(
        || format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean '{near}'?"),
    );
    ModelError::Spec(format!("there is no metric '{name}'; {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        text.parse::<Metric>().unwrap_err().to_string()
    }

    #[test]
    fn every_metric_prints_to_text_that_reads_back() {
        let others = [Metric::Pinball { tau: 0.975 }, Metric::Calibration { bins: 15 }];
        for metric in METRICS.iter().map(|(metric, _)| *metric).chain(others) {
            assert_eq!(metric.to_string().parse::<Metric>().unwrap(), metric);
        }
        for (metric, info) in METRICS {
            assert!(info.summary.ends_with('.') && metric.info().name == info.name);
            for name in info.aliases.iter().chain([&info.name]) {
                assert_eq!(name.parse::<Metric>().unwrap(), *metric, "{name}");
            }
        }
        assert_eq!(" pinball( 0.25 ) ".parse::<Metric>().unwrap(), Metric::Pinball { tau: 0.25 });
        assert_eq!("calibration()".parse::<Metric>().unwrap(), Metric::Calibration { bins: 10 });
    }

    #[test]
    fn no_name_means_two_metrics() {
        let mut names: Vec<&str> =
            METRICS.iter().flat_map(|(_, info)| info.aliases.iter().copied().chain([info.name])).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn errors_say_what_to_write() {
        assert_eq!(said("acuracy"), "there is no metric 'acuracy'; did you mean 'accuracy'?");
        assert_eq!(
            said("speed"),
            "there is no metric 'speed'; there are accuracy, balanced-accuracy, f1, auc, log-loss, brier, calibration, \
             rmse, mae, r2, pinball"
        );
        assert_eq!(said("pinball(0.5"), "the metric 'pinball(0.5' does not end in ')'");
        assert_eq!(said("pinball(q=1)"), "the metric 'pinball' has the parameter 'tau', not 'q'");
        assert_eq!(said("pinball(tau=x)"), "tau of the metric 'pinball' cannot be 'x'");
        assert_eq!(said("pinball(tau=1)"), "tau = 1 is out of range; it must be between 0 and 1");
        assert_eq!(said("calibration(0)"), "bins = 0 is out of range; it must be from 1 to 10000");
        assert_eq!(said("rmse(2)"), "the metric 'rmse' has no parameter");
        assert!(said("").starts_with("there is no metric ''; there are accuracy"));
    }
}
