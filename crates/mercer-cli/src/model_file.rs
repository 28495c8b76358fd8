//! Where models go to and come from: Mercer's own format, or LIBSVM's where the name ends in `.model`.

use std::path::Path;

use anyhow::bail;
use mercer::model::Model;

use crate::output::{check_place, ending};

/// Refuses a file that cannot be written, before anything is fitted for it.
pub(crate) fn check(path: &Path) -> anyhow::Result<()> {
    if is_libsvm(path) {
        bail!("{}: {NOT_YET}", path.display());
    }
    check_place(path)
}

/// Writes a model, in the format that the ending asks for.
pub(crate) fn save(model: &Model, path: &Path) -> anyhow::Result<()> {
    check(path)?;
    Ok(model.save(path)?)
}

/// Reads a model, in the format that the ending promises.
pub(crate) fn load(path: &Path) -> anyhow::Result<Model> {
    if is_libsvm(path) {
        bail!("{}: {NOT_YET}", path.display());
    }
    Ok(Model::load(path)?)
}

const NOT_YET: &str =
    "files that end in .model are LIBSVM's, which are not supported; use another ending, such as .mercer";

fn is_libsvm(path: &Path) -> bool {
    ending(path) == "model"
}
