//! Bytes in and out of the file system: as a whole, or not at all.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::ModelError;

/// A model file of more bytes is not read.
const LARGEST: u64 = 16 << 30;

/// Lets a writer loose on a temporary file that takes the name of `path` when it is whole and safe on disk; until then, and
/// if anything fails, what was there stays there. A link is followed; a device or a pipe is written to as it is.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("answer.txt");
/// mercer_model::write_whole(&path, |writer| writer.write_all(b"42")).unwrap();
/// let failed = mercer_model::write_whole(&path, |_| Err(std::io::Error::other("the disk is full")));
/// assert!(failed.is_err() && std::fs::read(&path).unwrap() == b"42");
/// ```
pub fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A rename would replace what is no file too.
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    let of_the_system = path.starts_with("/dev") || path.starts_with("/proc");
    if of_the_system || (path.exists() && !path.is_file()) {
        return write(&mut File::options().write(true).open(path)?);
    }
    let path = &followed(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
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
    let mut writer = io::BufWriter::new(file.as_file_mut());
    write(&mut writer)?;
    writer.flush()?;
    drop(writer);
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The name is safe only with its folder; where a folder cannot be opened, the system sees to it.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Where a link leads, also if there is nothing yet; other paths as they are.
fn followed(path: &Path) -> PathBuf {
    let Ok(target) = std::fs::read_link(path) else { return path.to_owned() };
    let beside = path.parent().unwrap_or(Path::new("")).join(target);
    std::fs::canonicalize(path).unwrap_or(beside)
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_also_where_they_lead_to_nothing_yet() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("kept"), folder.path().join("link"));
        std::os::unix::fs::symlink("kept", &link).unwrap();
        for text in ["first", "second"] {
            write_whole(&link, |writer| writer.write_all(text.as_bytes())).unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
            assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left over");
    }
}
