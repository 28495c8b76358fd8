//! What can be typed about a machine along its strengths.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::learn::positive;
use super::{Input, at_least_one, memory};

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("strength").args(["lambda", "big_c", "mu"]),
    group = ArgGroup::new("validation").args(["folds", "hold_out", "loo"]),
    after_help = "Examples:\n  \
        mercer path @moons --kernel 'rbf(sigma=0.3)' --C 0.01..1000 --points 6 --hold-out 0.25\n  \
        mercer path @yacht --kernel rbf --scale standardize --loss squared --lambda 1e-8..1 --loo\n\n\
        Strengths are LOW..HIGH (--points values, evenly on a logarithmic scale) or V|V|V, from the strongest penalty to\n\
        the weakest; each machine starts from the solution of the one before.\n\
        Exit 0: every machine is certified. 1: cut short, or not certified. 2: error."
)]
pub(crate) struct Path {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The kernel, in the kernel language.
    #[arg(long, short, value_name = "EXPR", default_value = "rbf(gamma=scale)", allow_hyphen_values = true)]
    pub(crate) kernel: String,
    /// Values of lambda, the strength of the penalty in (1/n) sum(loss) + (lambda/2) |f|^2.
    #[arg(long, value_name = "VALUES")]
    pub(crate) lambda: Option<String>,
    /// Values of C = 1/(lambda n); 0.01..1000 if no strength is given.
    #[arg(long = "C", id = "big_c", value_name = "VALUES")]
    pub(crate) big_c: Option<String>,
    /// Values of mu = lambda n.
    #[arg(long, value_name = "VALUES")]
    pub(crate) mu: Option<String>,
    /// Strengths of a range.
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) points: u64,
    /// What an error costs (mercer fit --help); hinge for classes and squared for numbers if not given.
    #[arg(long, value_name = "LOSS")]
    pub(crate) loss: Option<String>,
    /// Who solves it (mercer learners); the usual one for the loss if not given.
    #[arg(long, visible_alias = "learner", value_name = "LEARNER")]
    pub(crate) solver: Option<String>,
    /// How columns of numbers are scaled: none, standardize or minmax.
    #[arg(long, value_name = "HOW", default_value = "none")]
    pub(crate) scale: String,
    /// A column of numbers that says how much each row counts, in training and in the metric.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weights: Option<String>,
    /// How much each class counts: balanced, or by name as in 'spam=2,ham=1'.
    #[arg(long, value_name = "HOW", allow_hyphen_values = true)]
    pub(crate) class_weight: Option<String>,
    /// Also the error on rows held out, in K folds.
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) folds: Option<u64>,
    /// Also the error on a share of the rows that is held out.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) hold_out: Option<f64>,
    /// Also the error on every row, left out by itself: the squared loss alone.
    #[arg(long, visible_alias = "leave-one-out")]
    pub(crate) loo: bool,
    /// By what errors are measured: accuracy, balanced-accuracy, f1, auc, rmse, mae, r2, 'pinball(tau=0.5)'.
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// Stop when the relative duality gap is at most this; as in mercer fit if not given.
    #[arg(long, value_name = "GAP", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) tolerance: Option<f64>,
    /// The path as a table: .csv.
    #[arg(long, value_name = "FILE")]
    pub(crate) table: Option<PathBuf>,
    /// Stop after so many seconds; the path ends where the time does.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) time_limit: Option<f64>,
    /// Memory for matrices, e.g. 500MB or 8GB; 60 % of what is free if not given.
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Progress on stderr: auto (a bar, if it is a terminal) or none.
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub(crate) progress: String,
    /// Answer in JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
