//! What can be typed about the one-command path.

use std::path::PathBuf;

use clap::Args;

use super::learn::positive;
use super::{Input, memory, yes_or_no};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mercer auto @iris -o iris.mercer\n  \
    mercer auto houses.csv --target price --time-limit 120 -o houses.mercer\n\n\
    A share of the rows is held out before anything is learned, and the score is theirs. Kernels and C are compared on\n\
    folds of the others; the usual kernel stays unless another is better by more than chance explains.\n\
    Exit 0: certified. 1: done, but not certified. 2: error.")]
pub(crate) struct Auto {
    #[command(flatten)]
    pub(crate) input: Input,
    /// What is predicted: classes or numbers; what the target looks like if not given.
    #[arg(long, value_name = "WHAT")]
    pub(crate) task: Option<String>,
    /// Seconds for everything.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, allow_negative_numbers = true, value_parser = positive)]
    pub(crate) time_limit: f64,
    /// The share of the rows that the model is judged by.
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, allow_negative_numbers = true, value_parser = positive)]
    pub(crate) hold_out: f64,
    /// Rows to judge the model by, in another file; none are held out then.
    #[arg(long, value_name = "FILE", conflicts_with = "hold_out")]
    pub(crate) test: Option<String>,
    /// By what candidates are compared: accuracy, balanced-accuracy, f1, auc, rmse, mae, r2, 'pinball(tau=0.5)'.
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// A column of numbers that says how much each row counts; it is left out of the kernel.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weights: Option<String>,
    /// How much each class counts: balanced, or by name as in 'spam=2,ham=1'.
    #[arg(long, value_name = "HOW", allow_hyphen_values = true)]
    pub(crate) class_weight: Option<String>,
    /// Whether the model is fitted again on all rows after it was judged.
    #[arg(long, value_name = "yes|no", default_value = "yes", action = clap::ArgAction::Set, value_parser = yes_or_no)]
    pub(crate) refit: bool,
    /// Memory for matrices, e.g. 500MB or 8GB; 60 % of what is free if not given.
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Progress on stderr: auto (a line, if it is a terminal) or none.
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub(crate) progress: String,
    /// Answer in JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Where the model goes.
    #[arg(long, short, value_name = "MODEL")]
    pub(crate) out: Option<PathBuf>,
}
