//! The model file: a valid safetensors file with a checksum, bounded when read, replaced as a whole when written.
//!
//! | metadata | |
//! |---|---|
//! | `format` | `mercer/1` |
//! | `spec`, `kernel`, `lambda` | what was asked, the kernel with its words resolved, λ: as text |
//! | `task`, `classes`, `certificates` | what it answers with; statuses and certificates |
//! | `calibration` | the kinds of the curves that make probabilities; missing where there are none |
//! | `schema`, `preprocessing`, `points`, `plan` | columns, what is done to them, support points, what the kernel learned |
//! | `provenance` | version, source, rows, data hash, seed, seconds |
//! | `checksum` | SHA-256 of all other metadata and of every tensor, in the order of their names |
//!
//! Tensors: `coefficients` [machines, support], `bias`, `level`, `rows`, `points.*`, `plan.*`, `trace.*`, `calibration.*`
//! (slope and offset, or score and chance a row). Numbers in JSON are texts, so that every bit of them (and infinity) survives. Dense support points are `F64`, or `F32` where the
//! training points were. Whatever a file holds, reading it ends in a model
//! or in an error: lengths are checked against the file before anything is allocated.

mod decode;
mod encode;
mod json;
mod points;
pub(crate) mod store;

use std::path::Path;

use mercer_kernel::Registry;

use crate::{Model, ModelError};

/// What this version writes, and the latest that it reads.
pub(crate) const FORMAT: &str = "mercer/1";

/// The bytes of a model file.
pub(crate) fn to_bytes(model: &Model) -> Result<Vec<u8>, ModelError> {
    encode::encode(model.parts()).map_err(ModelError::Data)
}

/// The model that the bytes of a file hold.
pub(crate) fn from_bytes(bytes: &[u8], registry: &Registry) -> Result<Model, ModelError> {
    let path = || std::path::PathBuf::from("bytes of a model");
    decode::decode(bytes, registry).map_err(|fault| match fault {
        decode::Fault::Newer(found) => ModelError::Newer { path: path(), found, known: FORMAT },
        decode::Fault::Corrupt(reason) => ModelError::Corrupt { path: path(), reason },
    })
}

pub(crate) fn save(model: &Model, path: &Path) -> Result<(), ModelError> {
    let bytes = encode::encode(model.parts()).map_err(|reason| ModelError::File {
        verb: "write",
        path: path.to_owned(),
        reason,
    })?;
    store::write_whole(path, |writer| writer.write_all(&bytes))
        .map_err(|error| ModelError::file("write", path, &error))
}

pub(crate) fn load(path: &Path, registry: &Registry) -> Result<Model, ModelError> {
    from_bytes(&store::read(path)?, registry).map_err(|error| match error {
        ModelError::Newer { found, known, .. } => ModelError::Newer { path: path.to_owned(), found, known },
        ModelError::Corrupt { reason, .. } => ModelError::Corrupt { path: path.to_owned(), reason },
        other => other,
    })
}

#[cfg(test)]
mod tests;
