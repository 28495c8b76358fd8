//! What can be typed about searching for a kernel and λ.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::learn::positive;
use super::{Input, at_least_one, memory};

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("strength").args(["lambda", "big_c", "mu"]),
    group = ArgGroup::new("validation").args(["folds", "hold_out", "ordered", "loo", "alignment"]),
    after_help = "Examples:\n  \
        mercer tune @moons --kernel 'rbf(sigma=0.1..10)' --C 0.1..1000 -o moons.mercer\n  \
        mercer tune @iris --scale standardize --search refine --points 5\n  \
        mercer tune data.csv --target y --loss squared --lambda 1e-6..1 --journal search.jsonl --time-limit 60\n\n\
        Open values: LOW..HIGH (evenly on a logarithmic scale; each of a few whole numbers), V|V|V, and sigma=? for the\n\
        quantiles of the distances of the training rows. Whatever is fitted is fitted inside the fold.\n\
        Exit 0: searched, and the model (-o) is certified. 1: cut short, or not certified. 2: error."
)]
pub(crate) struct Tune {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The kernel with values left open.
    #[arg(long, short, value_name = "TEMPLATE", default_value = "rbf(sigma=?)", allow_hyphen_values = true)]
    pub(crate) kernel: String,
    /// Values of lambda, the strength of the penalty in (1/n) sum(loss) + (lambda/2) |f|^2.
    #[arg(long, value_name = "VALUES")]
    pub(crate) lambda: Option<String>,
    /// Values of C = 1/(lambda n); 0.1..1000 if no strength is given.
    #[arg(long = "C", id = "big_c", value_name = "VALUES")]
    pub(crate) big_c: Option<String>,
    /// Values of mu = lambda n.
    #[arg(long, value_name = "VALUES")]
    pub(crate) mu: Option<String>,
    /// What an error costs (mercer fit --help); hinge for classes and squared for numbers if not given.
    #[arg(long, value_name = "LOSS")]
    pub(crate) loss: Option<String>,
    /// Who solves it (mercer learners); the usual one for the loss if not given.
    #[arg(long, visible_alias = "learner", value_name = "LEARNER")]
    pub(crate) solver: Option<String>,
    /// How columns of numbers are scaled, by what the training rows of each fold say: none, standardize or minmax.
    #[arg(long, value_name = "HOW", default_value = "none")]
    pub(crate) scale: String,
    /// A column of numbers that says how much each row counts, in training and in the metric.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weights: Option<String>,
    /// How much each class counts: balanced, or by name as in 'spam=2,ham=1'.
    #[arg(long, value_name = "HOW", allow_hyphen_values = true)]
    pub(crate) class_weight: Option<String>,
    /// What to do about more than two classes: one-vs-one if not given, one-vs-rest, or softmax (the logistic loss).
    #[arg(long, visible_alias = "multiclass", value_name = "HOW")]
    pub(crate) multi: Option<String>,
    /// Probabilities of classes, by platt or isotonic, in the model (-o) and for metrics that judge them.
    #[arg(long, value_name = "HOW")]
    pub(crate) probabilities: Option<String>,
    /// grid, random, halving (a grid, whose best third gets three times the rows) or refine (finer grids around the best).
    #[arg(long, value_name = "HOW", default_value = "grid")]
    pub(crate) search: String,
    /// Values of each open range.
    #[arg(long, value_name = "N", default_value_t = 7, allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) points: u64,
    /// Candidates of a random search.
    #[arg(long, value_name = "N", default_value_t = 40, allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) draws: u64,
    /// Grids of refine.
    #[arg(long, value_name = "N", default_value_t = 2, allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) rounds: u64,
    /// Folds, stratified by class; 5 if nothing else is asked for.
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) folds: Option<u64>,
    /// How often folds are drawn anew.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) repeats: u64,
    /// A column of groups that no fold may part; it is left out of the kernel.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) groups: Option<String>,
    /// Judge on a share of the rows that is held out, instead of folds.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) hold_out: Option<f64>,
    /// Rows are in the order of time: judge K times on what came next, instead of folds.
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) ordered: Option<u64>,
    /// Judge on every row, left out by itself, instead of folds: the squared loss alone, for which it costs no more than one
    /// fit. Scaling and words such as median are fitted on the inputs of all rows.
    #[arg(long, visible_alias = "leave-one-out")]
    pub(crate) loo: bool,
    /// Rank kernels by how well they are aligned with the target, without fitting anything; one strength, for -o.
    #[arg(long, conflicts_with_all = ["journal", "metric", "choose", "groups", "table"])]
    pub(crate) alignment: bool,
    /// By what candidates are judged: accuracy, balanced-accuracy, f1, auc, rmse, mae, r2, 'pinball(tau=0.5)', and with
    /// --probabilities log-loss, brier, calibration.
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// Which candidate is fitted in the end: best, or simplest, the largest lambda within one standard error of the best.
    #[arg(long, value_name = "WHICH", default_value = "best")]
    pub(crate) choose: String,
    /// A file from which a search that was killed goes on.
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// All candidates with their scores: .csv.
    #[arg(long, value_name = "FILE")]
    pub(crate) table: Option<PathBuf>,
    /// Stop searching after so many seconds; what was judged by then counts.
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
    /// Where the model of the chosen candidate, fitted on all rows, goes.
    #[arg(long, short, value_name = "MODEL")]
    pub(crate) out: Option<PathBuf>,
}
