//! What can be typed about machines: fitting, predicting, showing, streams and explanations.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use mercer::solve::Regularization;

use super::{Input, at_least_one, memory, yes_or_no};

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("regularization").args(["lambda", "big_c", "small_c", "mu", "rho"]),
    after_help = "Examples:\n  \
        mercer fit @moons --kernel 'rbf(sigma=0.3)' --C 10 -o moons.mercer\n  \
        mercer fit @yacht --loss 'epsilon(epsilon=0.5)' --scale standardize --lambda 1e-3\n  \
        mercer fit @iris --multi one-vs-one --kernel linear -o iris.mercer\n\n\
        Exit 0: certified, or forecast. 1: not certified (stderr says why), or no room. 2: error.\n\
        mercer learners lists the solvers and their losses; mercer explain explains the words."
)]
pub(crate) struct Fit {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The kernel, in the kernel language.
    #[arg(long, short, value_name = "EXPR", default_value = "rbf", allow_hyphen_values = true)]
    pub(crate) kernel: String,
    /// What an error costs: hinge, squared-hinge, logistic, perceptron, squared, 'epsilon(epsilon=0.1)',
    /// 'huber(delta=1)', 'pinball(tau=0.5)'; hinge for two classes and squared for numbers if not given.
    #[arg(long, value_name = "LOSS")]
    pub(crate) loss: Option<String>,
    /// Who solves it (mercer learners); the usual one for the loss if not given.
    #[arg(long, visible_alias = "learner", value_name = "LEARNER")]
    pub(crate) solver: Option<String>,
    #[command(flatten)]
    pub(crate) strength: Strength,
    /// Of nu-svc, nu-svr and one-class: the share of rows that may be outside; 0.5 if not given.
    #[arg(long, value_name = "V", allow_negative_numbers = true, value_parser = real)]
    pub(crate) nu: Option<f64>,
    /// Whether the machine has an offset b; the learner's habit if not given.
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no)]
    pub(crate) offset: Option<bool>,
    /// How the size of f is paid for: squared (lambda/2 |f|^2) or norm (lambda |f|).
    #[arg(long, value_name = "squared|norm", default_value = "squared")]
    pub(crate) penalty: String,
    /// How columns of numbers are scaled, by what the training rows say: none, standardize or minmax.
    #[arg(long, value_name = "HOW", default_value = "none")]
    pub(crate) scale: String,
    /// A column of numbers that says how much each row counts; it is left out of the kernel.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weights: Option<String>,
    /// How much each class counts: balanced, or by name as in 'spam=2,ham=1'.
    #[arg(long, value_name = "HOW", allow_hyphen_values = true)]
    pub(crate) class_weight: Option<String>,
    /// What to do about more than two classes: one-vs-one, a machine for each pair; one-vs-rest, one for each class; or
    /// softmax, all classes in one problem of the logistic loss, with probabilities.
    #[arg(long, visible_alias = "multiclass", value_name = "HOW")]
    pub(crate) multi: Option<String>,
    /// Also probabilities of classes, by platt (a sigmoid) or isotonic (a line that never falls), fitted to the scores of rows
    /// that are left out: five more fits.
    #[arg(long, value_name = "HOW")]
    pub(crate) probabilities: Option<String>,
    /// Relative duality gap at which the answer is good enough; 1e-6 if not given.
    #[arg(long, value_name = "GAP", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) tolerance: Option<f64>,
    /// Largest violation of the optimality conditions that is good enough; alone, it replaces the gap.
    #[arg(long, value_name = "V", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) violation: Option<f64>,
    /// Passes over the rows (perceptrons, Pegasos) or steps (gradient methods).
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) epochs: Option<u64>,
    /// Step size of gradient methods.
    #[arg(long, value_name = "V", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) step: Option<f64>,
    /// Average the coefficients over time (perceptrons, Pegasos).
    #[arg(long)]
    pub(crate) average: bool,
    /// Support vectors that the online perceptron keeps at most.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) keep: Option<u64>,
    /// Stop after N iterations of the solver.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) max_iter: Option<u64>,
    /// Stop after so many seconds.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) time_limit: Option<f64>,
    /// Memory for matrices, e.g. 500MB or 8GB; 60 % of what is free if not given.
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Only say how long the fit would take, how much memory, and how it would go about it: pilots on few rows tell.
    #[arg(long)]
    pub(crate) forecast: bool,
    /// Progress on stderr: auto (a bar, if it is a terminal), json (a line an event) or none.
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub(crate) progress: String,
    /// Answer in JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Where the model goes: .model in LIBSVM's format, any other ending in Mercer's; reported only if not given.
    #[arg(long, short, value_name = "MODEL")]
    pub(crate) out: Option<PathBuf>,
}

/// One number, five spellings (`mercer explain c-vs-lambda`).
#[derive(Debug, Args)]
pub(crate) struct Strength {
    /// Strength of the penalty in (1/n) sum(loss) + (lambda/2) |f|^2.
    #[arg(long, value_name = "V", allow_negative_numbers = true, value_parser = real)]
    pub(crate) lambda: Option<f64>,
    /// The same as 1/(lambda n), the C of LIBSVM; 1 if none of the five is given.
    #[arg(long = "C", id = "big_c", value_name = "V", allow_negative_numbers = true, value_parser = real)]
    pub(crate) big_c: Option<f64>,
    /// The same as 1/lambda.
    #[arg(long = "c", id = "small_c", value_name = "V", allow_negative_numbers = true, value_parser = real)]
    pub(crate) small_c: Option<f64>,
    /// The same as lambda n, the ridge in (K + mu I) alpha = y.
    #[arg(long, value_name = "V", allow_negative_numbers = true, value_parser = real)]
    pub(crate) mu: Option<f64>,
    /// The same as 2C, the price in a'Ka + rho sum(u).
    #[arg(long, value_name = "V", allow_negative_numbers = true, value_parser = real)]
    pub(crate) rho: Option<f64>,
}

impl Strength {
    /// What was asked for, if anything was.
    pub(crate) fn regularization(&self) -> Option<Regularization> {
        let spellings = [
            self.lambda.map(Regularization::Lambda),
            self.big_c.map(Regularization::C),
            self.small_c.map(Regularization::SmallC),
            self.mu.map(Regularization::Mu),
            self.rho.map(Regularization::Rho),
        ];
        spellings.into_iter().flatten().next()
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mercer predict moons.mercer new.csv --scores\n  \
    mercer predict moons.mercer @moons --explain 3\n\n\
    Rows are numbered from 1, as in the file. Probabilities are there if the model has them (mercer fit --probabilities).\n\
    Accuracy or error go to stderr where the target is there.")]
pub(crate) struct Predict {
    /// A model (mercer fit -o); .model is read in LIBSVM's format.
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) input: Input,
    /// Also the scores: the real numbers of which classes are the sign.
    #[arg(long)]
    pub(crate) scores: bool,
    /// Also what each row costs by the model's loss (for the hinge: its slack); needs the target.
    #[arg(long)]
    pub(crate) slack: bool,
    /// Instead, the K training rows that contribute most to each score.
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) explain: Option<u64>,
    /// Where the answer goes; stdout if not given.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Answer in JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mercer fit @moons -o moons.mercer && mercer show moons.mercer")]
pub(crate) struct Show {
    /// A model (mercer fit -o); .model is read in LIBSVM's format.
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Answer in JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    tail -f events.csv | mercer stream --target spam --keep 500 -o spam.mercer\n\n\
    The first line names the columns; the first row says which of them hold numbers (--kind says otherwise).\n\
    Each row is predicted before it is learned. Ctrl-C ends the stream and saves the model.")]
pub(crate) struct Stream {
    /// The kernel, in the kernel language; words that need all rows, such as gamma=scale, cannot be used.
    #[arg(long, short, value_name = "EXPR", default_value = "rbf(gamma=1)", allow_hyphen_values = true)]
    pub(crate) kernel: String,
    /// The column to predict.
    #[arg(long, value_name = "COLUMN", default_value = "label")]
    pub(crate) target: String,
    /// Read a column as numbers, categories or texts, e.g. zip=categories; may be given several times.
    #[arg(long, value_name = "COLUMN=KIND")]
    pub(crate) kind: Vec<String>,
    /// Support vectors to keep at most; the oldest are forgotten.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) keep: Option<u64>,
    /// Average the coefficients over time.
    #[arg(long)]
    pub(crate) average: bool,
    /// Save the model after every N rows.
    #[arg(long, value_name = "N", default_value_t = 1000, allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) every: u64,
    /// Where the model goes.
    #[arg(long, short, value_name = "MODEL")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// What to explain; without it, a list.
    #[arg(value_name = "TOPIC")]
    pub(crate) topic: Option<String>,
}

/// Any number: what it may be is for the library to say.
fn real(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "give a number, with a point as decimal mark".to_owned())
}

pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("give a number above 0".to_owned()),
    }
}
