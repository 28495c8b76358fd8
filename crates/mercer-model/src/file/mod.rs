//! The model file.

use std::path::Path;

use mercer_kernel::Registry;

use crate::{Model, ModelError};

pub(crate) fn save(_model: &Model, path: &Path) -> Result<(), ModelError> {
    Err(ModelError::File { verb: "write", path: path.to_owned(), reason: String::new() })
}

pub(crate) fn load(path: &Path, _registry: &Registry) -> Result<Model, ModelError> {
    Err(ModelError::File { verb: "read", path: path.to_owned(), reason: String::new() })
}
