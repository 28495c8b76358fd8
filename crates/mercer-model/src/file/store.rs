//! Bytes in and out of the file system: as a whole, or not at all.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::ModelError;

/// A model file of more bytes is not read.
const LARGEST: u64 = 16 << 30;

/// Puts the bytes where the path says. Until all of them are safe on disk, what was there stays there.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // A rename would replace what is no file too: a folder is refused, a device such as /dev/null is written to.
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if path.exists() && !path.is_file() {
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".mercer-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any program would create it, or as the file was that it takes the place of.
        let mode = std::fs::metadata(path).map_or(0o666, |known| known.permissions().mode() & 0o777);
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The name is safe only with its folder; where a folder cannot be opened, the system sees to it.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// The whole file, if it is one and not beyond all measure.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
    let cannot = |error: io::Error| ModelError::file("read", path, &error);
    let corrupt = |reason: String| ModelError::Corrupt { path: path.to_owned(), reason };
    let known = std::fs::metadata(path).map_err(cannot)?;
    if !known.is_file() {
        return Err(corrupt("it is not a regular file".to_owned()));
    }
    if known.len() > LARGEST {
        return Err(corrupt(format!("it has {} bytes, at most {LARGEST} are read", known.len())));
    }
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(known.len() as usize)
        .map_err(|_| corrupt("it does not fit in memory".to_owned()))?;
    // A file that grows while it is read is cut where it was.
    File::open(path).map_err(cannot)?.take(known.len()).read_to_end(&mut bytes).map_err(cannot)?;
    Ok(bytes)
}
