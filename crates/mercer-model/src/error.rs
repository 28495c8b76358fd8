//! Every way in which a model cannot be made, used, saved or read.

use std::io;
use std::path::{Path, PathBuf};

use mercer_gram::GramError;
use mercer_kernel::{KernelError, ParseErrors};
use mercer_points::PointsError;
use mercer_solve::SolveError;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The problem cannot be posed or solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The kernel does not fit the columns.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The Gram matrix cannot be had.
    #[error(transparent)]
    Gram(#[from] GramError),
    /// The table is not as it should be.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// The kernel expression does not parse.
    #[error("{}", .0.one_line())]
    Parse(#[from] ParseErrors),
    /// A specification with a word that is not known.
    #[error("{0}")]
    Spec(String),
    /// A target that the learner cannot use.
    #[error("{0}")]
    Target(String),
    /// Data that the model cannot be applied to.
    #[error("{0}")]
    Data(String),
    /// A file that cannot be read or written.
    #[error("cannot {verb} '{}': {reason}", path.display())]
    File {
        /// read or write.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says, without paths and numbers.
        reason: String,
    },
    /// A file that is not a model, or a damaged one.
    #[error("'{}' is not a model that can be used: {reason}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of a later version.
    #[error("'{}' has the format {found}, this version reads {known}; use a newer mercer", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: String,
        /// The latest known.
        known: &'static str,
    },
}

impl ModelError {
    /// What the system says of a file. Its words may name a temporary file, which is nobody's business.
    pub(crate) fn file(verb: &'static str, path: &Path, error: &io::Error) -> Self {
        let said = error.to_string();
        let reason = [" (os error ", " at path "]
            .iter()
            .fold(said.as_str(), |said, end| said.split_once(end).map_or(said, |(reason, _)| reason));
        Self::File { verb, path: path.to_owned(), reason: reason.to_owned() }
    }
}
