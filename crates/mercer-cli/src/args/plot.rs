//! What can be typed about pictures.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::learn::Strength;
use super::{Gram, Input, Path, Tune, at_least_one};

#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Examples:\n  \
        mercer plot boundary moons.mercer -o boundary.svg\n  \
        mercer plot sweep @moons --kernel rbf --sweep sigma=0.1,0.5,1,10 --C 10 -o sweep.png\n  \
        mercer plot curve @sinc --target y --sweep lambda=0.01,0.1,1,10\n\n\
        Pictures are .svg or .png; --json prints what they show."
)]
pub(crate) struct Plot {
    #[command(subcommand)]
    pub(crate) what: Picture,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Picture {
    /// What a model answers everywhere: boundary, margins, support vectors and slack; a curve for one feature.
    Boundary(Boundary),
    /// Boundaries for several values of a kernel parameter, of lambda or of C, side by side.
    Sweep(Sweep),
    /// Fitted curves of one feature, for one or more values of lambda, C or a kernel parameter.
    Curve(Sweep),
    /// Losses against margin and residual.
    Losses(Losses),
    /// Primal and dual objective of a fit against its iterations, the gap shaded.
    Trace(Trace),
    /// Eigenvalues of a Gram matrix.
    Spectrum(Spectrum),
    /// True against false positives, and precision against recall.
    Roc(Judged),
    /// Whether probabilities come true.
    Reliability(Judged),
    /// Predicted against true numbers, and what is left over.
    Residuals(Judged),
    /// A search for kernel and lambda: the metric of every candidate, the chosen one and its equals.
    Tuning(Box<Tuned>),
    /// A machine as its penalty grows weaker.
    Path(Box<Followed>),
    /// What a feature map does to two columns: the plane, and three of its features.
    Features(Lifted),
    /// Gram matrices, ordered by label, beside the ideal one (as mercer gram --plot).
    Gram(Box<Gram>),
}

/// How a picture looks and where it goes.
#[derive(Debug, Args)]
pub(crate) struct Look {
    /// Where the picture goes: .svg or .png; its own name as .svg if not given.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Draw in dark colours.
    #[arg(long)]
    pub(crate) dark: bool,
    /// The width in pixels of a plain screen, 300 to 2400; a PNG has twice as many.
    #[arg(long, value_name = "PIXELS", default_value_t = 640, value_parser = clap::value_parser!(u32).range(300..=2400))]
    pub(crate) width: u32,
    /// Print what the picture shows as JSON, and draw nothing unless a file is named.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A model, and rows that it is drawn with.
#[derive(Debug, Args)]
pub(crate) struct OfModel {
    /// The model file.
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Rows to draw: a file, - or @name; what the model was learned from if not given.
    #[arg(value_name = "DATA")]
    pub(crate) source: Option<String>,
    /// The column with the truth; that of the model if not given.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// What to do with missing values: error, drop (the row) or mean (of the column).
    #[arg(long, value_name = "WHAT", default_value = "error")]
    pub(crate) missing: String,
    /// Use at most N rows.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) sample: Option<u64>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mercer plot boundary moons.mercer\n  \
    mercer plot boundary wine.mercer @wine --slice medians --columns alcohol,color -o wine.png\n\n\
    A model of more than two columns is shown in a slice: of feature space along the first two kernel principal\n\
    components, or through two columns with all others at their medians. The picture says which.")]
pub(crate) struct Boundary {
    #[command(flatten)]
    pub(crate) of: OfModel,
    /// Which plane is shown of more than two columns: components or medians.
    #[arg(long, value_name = "HOW")]
    pub(crate) slice: Option<String>,
    /// The two columns of a slice at medians; the first two if not given.
    #[arg(long, value_name = "X,Y")]
    pub(crate) columns: Option<String>,
    /// Points of the grid along each side, at which the model is asked.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(2..=2000))]
    pub(crate) grid: u32,
    #[command(flatten)]
    pub(crate) look: Look,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mercer plot sweep @moons --sweep sigma=0.1,0.5,1,10 --C 10\n  \
    mercer plot sweep @moons --kernel 'rbf(sigma=0.5)' --sweep lambda=0.001,0.01,0.1,1\n  \
    mercer plot sweep @moons --solver kernel-perceptron --sweep sigma=100,10,1,0.1\n  \
    mercer plot curve @sinc --target y --kernel 'rbf(sigma=1)' --sweep lambda=0.01,0.1,1,10")]
pub(crate) struct Sweep {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The kernel, in the kernel language.
    #[arg(long, short, value_name = "EXPR", default_value = "rbf(sigma=1)", allow_hyphen_values = true)]
    pub(crate) kernel: String,
    /// Values of one parameter of the kernel, of lambda, C or mu; sigma (boundaries) or lambda (curves) if not given.
    #[arg(long, value_name = "NAME=V,V,…")]
    pub(crate) sweep: Option<String>,
    /// The loss; what suits the target if not given.
    #[arg(long, value_name = "LOSS")]
    pub(crate) loss: Option<String>,
    /// The learner; the usual one of the loss if not given.
    #[arg(long, visible_alias = "learner", value_name = "LEARNER")]
    pub(crate) solver: Option<String>,
    #[command(flatten)]
    pub(crate) strength: Strength,
    /// Scale columns of numbers: none, standardize or minmax.
    #[arg(long, value_name = "HOW", default_value = "none")]
    pub(crate) scale: String,
    #[command(flatten)]
    pub(crate) look: Look,
}

#[derive(Debug, Args)]
pub(crate) struct Losses {
    /// Only this loss; may be given several times. All of them if not given.
    #[arg(long, value_name = "LOSS")]
    pub(crate) loss: Vec<String>,
    #[command(flatten)]
    pub(crate) look: Look,
}

#[derive(Debug, Args)]
pub(crate) struct Trace {
    /// The model file.
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Which of several machines, counted from 1.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = at_least_one)]
    pub(crate) machine: u64,
    #[command(flatten)]
    pub(crate) look: Look,
}

#[derive(Debug, Args)]
pub(crate) struct Spectrum {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The kernel, in the kernel language.
    #[arg(long, short, value_name = "EXPR", default_value = "rbf", allow_hyphen_values = true)]
    pub(crate) kernel: String,
    #[command(flatten)]
    pub(crate) look: Look,
}

#[derive(Debug, Args)]
pub(crate) struct Judged {
    #[command(flatten)]
    pub(crate) of: OfModel,
    #[command(flatten)]
    pub(crate) look: Look,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mercer plot tuning @moons --kernel 'rbf(sigma=0.1..10)' --C 0.1..1000 --points 6"
)]
pub(crate) struct Tuned {
    #[command(flatten)]
    pub(crate) tune: Tune,
    /// Where the picture goes: .svg or .png.
    #[arg(long, value_name = "FILE", default_value = "tuning.svg")]
    pub(crate) plot: PathBuf,
    #[command(flatten)]
    pub(crate) form: Form,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mercer plot path @moons --kernel 'rbf(sigma=0.3)' --C 0.01..1000 --folds 5"
)]
pub(crate) struct Followed {
    #[command(flatten)]
    pub(crate) path: Path,
    /// Where the picture goes: .svg or .png.
    #[arg(long, value_name = "FILE", default_value = "path.svg")]
    pub(crate) plot: PathBuf,
    #[command(flatten)]
    pub(crate) form: Form,
}

/// How a picture looks whose words are those of another command.
#[derive(Debug, Args)]
pub(crate) struct Form {
    /// Draw in dark colours.
    #[arg(long)]
    pub(crate) dark: bool,
    /// The width in pixels of a plain screen, 300 to 2400; a PNG has twice as many.
    #[arg(long, value_name = "PIXELS", default_value_t = 640, value_parser = clap::value_parser!(u32).range(300..=2400))]
    pub(crate) width: u32,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mercer plot features @circles --map quadratic")]
pub(crate) struct Lifted {
    #[command(flatten)]
    pub(crate) input: Input,
    /// The feature map (mercer maps).
    #[arg(long, short, value_name = "MAP", default_value = "quadratic")]
    pub(crate) map: String,
    #[command(flatten)]
    pub(crate) look: Look,
}

/// A page about a model.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mercer fit @moons --kernel 'rbf(sigma=0.3)' --C 10 -o moons.mercer\n  \
    mercer report moons.mercer -o moons.html\n\n\
    One self-contained page: the data, what was fitted and why, the certificate in words, pictures, the most influential\n\
    training rows, warnings, and the commands and code that make it again. Nothing is fetched when it is opened.")]
pub(crate) struct Report {
    #[command(flatten)]
    pub(crate) of: OfModel,
    /// Where the page goes.
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    pub(crate) out: PathBuf,
    /// Draw in dark colours.
    #[arg(long)]
    pub(crate) dark: bool,
}
