//! Where models go to and come from: Mercer's own format, or LIBSVM's where the name ends in `.model`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use mercer::model::Model;
use mercer::model::libsvm::LibsvmModel;

use crate::output::{check_place, ending, note};

/// Refuses a file that cannot be written, before anything is fitted for it.
pub(crate) fn check(path: &Path) -> anyhow::Result<()> {
    check_place(path)
}

/// Writes a model, in the format that the ending asks for.
pub(crate) fn save(model: &Model, path: &Path) -> anyhow::Result<()> {
    check(path)?;
    let saved = if is_libsvm(path) { model.write_libsvm(path) } else { model.save(path) };
    Ok(saved?)
}

/// Reads a model: LIBSVM's where the file begins as those do or is called so, otherwise Mercer's.
pub(crate) fn load(path: &Path) -> anyhow::Result<Model> {
    if !is_libsvm(path) && !begins_as_libsvm(path) {
        return Ok(Model::load(path)?);
    }
    let text = LibsvmModel::read(path)?;
    if text.probabilities {
        note("note: the model can estimate probabilities; they are not used here");
    }
    Ok(text.to_model(path)?)
}

/// Whether a model of this name is LIBSVM's.
pub(crate) fn is_libsvm(path: &Path) -> bool {
    ending(path) == "model"
}

fn begins_as_libsvm(path: &Path) -> bool {
    let mut start = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read(&mut start));
    read.is_ok_and(|length| LibsvmModel::looks_like(&start[..length]))
}
