//! What can be typed.

mod auto;
mod learn;
mod libsvm;
mod path;
mod plot;
mod tune;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use auto::Auto;
pub(crate) use learn::{Explain, Fit, Predict, Show, Stream, Strength};
pub(crate) use libsvm::{SvmPredict, SvmScale, SvmTrain, TrainOptions};
pub(crate) use path::Path;
pub(crate) use plot::{
    Boundary, Followed, Form, Judged, Lifted, Look, Losses, OfModel, Picture, Plot, Report, Spectrum, Sweep,
    Trace, Tuned,
};
pub(crate) use tune::Tune;

/// Kernel machines: exact, composable, certified.
#[derive(Debug, Parser)]
#[command(
    name = "mercer",
    version,
    max_term_width = 100,
    after_help = "Examples:\n  \
        mercer demo\n  \
        mercer auto @iris -o iris.mercer\n  \
        mercer fit @moons --kernel 'rbf(sigma=0.3)' --C 10 -o moons.mercer\n  \
        mercer predict moons.mercer @moons --scores\n  \
        mercer gram @moons --kernel 'rbf(sigma=0.5)' --plot gram.svg\n  \
        mercer check data.csv --kernel '0.5*rbf(sigma=1) + poly(degree=3)'\n\n\
        DATA is a file (CSV, LIBSVM or NPY, also .gz), - for stdin, or @name for built-in data (mercer data)."
)]
pub(crate) struct Arguments {
    /// Threads to use; all cores if not given. Results do not depend on it.
    #[arg(long, global = true, value_name = "N", allow_negative_numbers = true, value_parser = threads)]
    pub(crate) threads: Option<usize>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// A tour on built-in data: a kernel, its proof, its Gram matrices, a picture, a machine.
    Demo(Demo),
    /// From a table to a certified model without being told how, judged on rows that it has not seen.
    Auto(Box<Auto>),
    /// Fit a machine and certify it. Exit 0 certified, 1 done but not certified, 2 error.
    Fit(Box<Fit>),
    /// Search for a kernel and lambda, judged on rows that candidates have not seen.
    Tune(Box<Tune>),
    /// Follow a machine as its penalty grows weaker: objective, support vectors, training and held-out error.
    Path(Box<Path>),
    /// Apply a model to data: classes, numbers, scores, and the rows that explain them.
    Predict(Predict),
    /// What is proved about a model, in plain words.
    Show(Show),
    /// Draw a model, a search, a kernel or data: one picture a word.
    Plot(Plot),
    /// A self-contained page about a model: certificate in words, pictures, influential rows, how to make it again.
    Report(Report),
    /// Learn from rows on stdin as they come, predicting each before it is learned.
    Stream(Stream),
    /// Gram matrix: statistics, alignment with labels, spectrum; saved or drawn.
    Gram(Gram),
    /// Is it a valid kernel? The proof, and a measurement on data. Exit 0 valid, 1 refuted, 2 error.
    Check(Check),
    /// Apply an explicit feature map, or count its features.
    Features(Features),
    /// List the learners: who solves what, and in which time.
    Learners(List),
    /// List the kernels.
    Kernels(List),
    /// List the feature maps.
    Maps(List),
    /// List the built-in data sets.
    Data(List),
    /// Explain a word, in a page with something to try; without one, list them.
    Explain(Explain),
    /// LIBSVM's svm-train: its letters, its data, its model file.
    SvmTrain(SvmTrain),
    /// LIBSVM's svm-predict, with a model of LIBSVM or of mercer.
    SvmPredict(SvmPredict),
    /// LIBSVM's svm-scale.
    SvmScale(SvmScale),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page (troff).
    Manual,
}

/// Where data comes from and how it is read.
#[derive(Debug, Clone, Args)]
pub(crate) struct Input {
    /// A file, - for stdin, or @name for built-in data.
    #[arg(value_name = "DATA")]
    pub(crate) source: String,
    /// The column to predict: left out of the kernel. A column `label` is, unless another is named.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// csv, tsv, libsvm or npy; guessed if not given.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Whether the first line holds names; guessed if not given.
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no)]
    pub(crate) header: Option<bool>,
    /// The character between columns; guessed if not given.
    #[arg(long, value_name = "CHAR")]
    pub(crate) delimiter: Option<String>,
    /// Read a column as numbers, categories or texts, e.g. zip=categories; may be given several times.
    #[arg(long, value_name = "COLUMN=KIND")]
    pub(crate) kind: Vec<String>,
    /// What to do with missing values: error, drop (the row) or mean (of the column).
    #[arg(long, value_name = "WHAT", default_value = "error")]
    pub(crate) missing: String,
    /// Use at most N rows, sampled with the seed and evenly over the classes.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) sample: Option<u64>,
    /// Seed of all that is drawn.
    #[arg(long, value_name = "SEED", default_value_t = 0, allow_negative_numbers = true, value_parser = seed)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Where the picture goes.
    #[arg(long, value_name = "FOLDER", default_value = "mercer-demo")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    mercer gram @moons --kernel rbf --sweep 'sigma=0.1,0.2,0.5,1,5' --plot gram.svg\n  \
    mercer gram train.csv --target y --kernel 'rbf@standardize' --out K.npy")]
pub(crate) struct Gram {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The kernel, in the kernel language.
    #[arg(long, short, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) kernel: String,
    /// Save the matrix in f64: .npy or .csv.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Draw it, ordered by label, beside the ideal kernel: .svg or .png.
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Draw in dark colours.
    #[arg(long)]
    pub(crate) dark: bool,
    /// The most that the picture is wide, in pixels of a plain screen, 300 to 2400; as wide as it likes if not given.
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(300..=2400))]
    pub(crate) width: Option<u32>,
    /// Several values of one parameter, e.g. 'sigma=0.1,0.2,0.5,1,5'.
    #[arg(long, value_name = "NAME=V,V,…")]
    pub(crate) sweep: Option<String>,
    /// Memory for matrices, e.g. 500MB or 8GB; 60 % of what is free if not given.
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Answer in JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mercer check @circles --kernel 'sigmoid(gamma=1, offset=-1)'\n  \
    mercer check K.npy --kernel precomputed --repair clip --out K-psd.npy")]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The kernel, in the kernel language.
    #[arg(long, short, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) kernel: String,
    /// Rows to measure at most; more are sampled.
    #[arg(long, value_name = "N", default_value_t = 4_000, allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) rows: u64,
    /// Make a precomputed matrix valid: clip, flip or shift its negative eigenvalues.
    #[arg(long, value_name = "HOW")]
    pub(crate) repair: Option<String>,
    /// Where the repaired matrix goes: .npy or .csv.
    #[arg(long, short, value_name = "FILE", requires = "repair")]
    pub(crate) out: Option<PathBuf>,
    /// Memory for matrices, e.g. 500MB or 8GB; 60 % of what is free if not given.
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Answer in JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mercer features @iris --map quadratic\n  \
    mercer features data.csv --map 'polynomial(degree=8)' --count")]
pub(crate) struct Features {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The feature map (mercer maps).
    #[arg(long, short, value_name = "MAP")]
    pub(crate) map: String,
    /// Only count the features; nothing is built.
    #[arg(long)]
    pub(crate) count: bool,
    /// Where the features go: .npy or .csv; CSV on stdout if not given.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Memory for the features, e.g. 500MB or 8GB; 60 % of what is free if not given.
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub(crate) memory: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only this one, in full.
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Answer in JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=1024) => Ok(count),
        _ => Err("give a whole number from 1 to 1024".to_owned()),
    }
}

fn at_least_one(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|&count| count > 0).ok_or_else(|| "give a whole number, 1 or more".to_owned())
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "give a whole number from 0 to 18446744073709551615".to_owned())
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err("give yes or no".to_owned()),
    }
}

/// Bytes with a unit: 500MB, 8GB, 2GiB, 1000000.
fn memory(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1048576.0,
        "gib" => 1073741824.0,
        _ => return Err("give a size such as 500MB, 8GB or 2GiB".to_owned()),
    };
    match number.parse::<f64>() {
        Ok(value) if value > 0.0 && value * factor < 9e18 => Ok((value * factor) as u64),
        _ => Err("give a size such as 500MB, 8GB or 2GiB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_of_the_command_is_sound() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn sizes() {
        assert_eq!(memory("500MB"), Ok(500_000_000));
        assert_eq!(memory("1.5 GiB"), Ok(1_610_612_736));
        assert!(memory("many").is_err() && memory("-3").is_err() && memory("1e400").is_err());
    }
}
