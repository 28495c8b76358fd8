//! Model files of LIBSVM, read and written (Chang & Lin 2011).
//!
//! [`LibsvmModel`] is the text as a value and knows nothing of a [`Model`]; `convert` goes from one to the other and says
//! what one of them cannot express. Numbers are written with 17 digits, so that scores survive.

mod convert;
mod general;
mod header;
mod order;
mod text;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use mercer_kernel::KernelExpr;

pub use general::General;
pub use text::{LibsvmKernel, LibsvmModel, SvmType, TextError};

use crate::file::store;
use crate::{Model, ModelError};

/// No model file may be longer.
const MAX_BYTES: u64 = 4 << 30;

impl Model {
    /// Reads a model file of LIBSVM. Its decision values are the scores of the model; it has no certificate, and lines
    /// about probabilities are passed over.
    pub fn read_libsvm(path: &Path) -> Result<Self, ModelError> {
        LibsvmModel::read(path)?.to_model(path)
    }

    /// Writes the model as LIBSVM would, or says what LIBSVM has no word for.
    pub fn write_libsvm(&self, path: &Path) -> Result<(), ModelError> {
        LibsvmModel::of(self)?.write(path)
    }
}

impl LibsvmModel {
    /// Whether a text begins as the model files of LIBSVM do.
    pub fn looks_like(start: &[u8]) -> bool {
        start.starts_with(b"svm_type")
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let failed = |error: std::io::Error| ModelError::file("read", path, &error);
        let corrupt = |reason: String| ModelError::Corrupt { path: path.to_owned(), reason };
        let mut bytes = Vec::new();
        File::open(path).map_err(failed)?.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(corrupt(format!("it is longer than {MAX_BYTES} bytes")));
        }
        let text = String::from_utf8(bytes).map_err(|_| corrupt("it is not text".to_owned()))?;
        Self::parse(&text).map_err(|error| corrupt(error.to_string()))
    }

    /// Writes a file, or leaves what is there as it is. What is no file, such as /dev/null, is written as it is.
    pub fn write(&self, path: &Path) -> Result<(), ModelError> {
        store::write_whole(path, |writer| write!(writer, "{self}"))
            .map_err(|error| ModelError::file("write", path, &error))
    }

    /// The text of a model; an error says what LIBSVM has no word for.
    pub fn of(model: &Model) -> Result<Self, ModelError> {
        convert::from_model(model)
    }

    /// The model; `path` is where the text came from.
    pub fn to_model(&self, path: &Path) -> Result<Model, ModelError> {
        let source = path.display().to_string();
        convert::to_model(self, &source)
            .map_err(|reason| ModelError::Corrupt { path: path.to_owned(), reason })
    }
}

impl LibsvmKernel {
    /// The same kernel in Mercer's language.
    ///
    /// ```
    /// use mercer_model::libsvm::LibsvmKernel;
    /// assert_eq!(LibsvmKernel::Rbf { gamma: 0.5 }.expression().unwrap().to_string(), "rbf(gamma=0.5)");
    /// ```
    pub fn expression(self) -> Result<KernelExpr, ModelError> {
        convert::expression(self).map_err(ModelError::Spec)
    }
}
