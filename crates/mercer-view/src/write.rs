//! Pictures into files.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, View};

/// Draws `view` into the file at `path`, as SVG or PNG by the name's ending.
///
/// The file appears whole or not at all: the bytes go to a temporary file in the same folder, which then takes
/// the name. A file of that name is replaced.
///
/// ```
/// use mercer_view::{Error, Grid, HeatMap, Panel, write};
///
/// let view = HeatMap::new("One", vec![Panel::new("", Grid::from_fn(1, |_, _| 1.0))]);
/// let folder = std::env::temp_dir();
/// let path = folder.join(format!("mercer-view-{}.svg", std::process::id()));
/// write(&path, &view)?;
/// # std::fs::remove_file(&path).unwrap();
///
/// let error = write(folder.join("one.gif"), &view).unwrap_err();
/// assert!(error.to_string().ends_with("must end in .svg or .png"));
/// # Ok::<(), Error>(())
/// ```
pub fn write(path: impl AsRef<Path>, view: &dyn View) -> Result<(), Error> {
    let path = path.as_ref();
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let bytes = match ending.as_deref() {
        Some("svg") => view.svg()?.into_bytes(),
        Some("png") => view.png()?,
        _ => return Err(Error::Extension { path: path.to_path_buf() }),
    };
    replace(path, &bytes).map_err(|source| Error::Write { path: path.to_path_buf(), source })
}

/// Puts `bytes` at `path` by way of a temporary file beside it.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = beside(path);
    let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    drop(file);
    let placed = written.and_then(|()| fs::rename(&temporary, path));
    if placed.is_err() {
        // The first failure is the one to tell; the left-over is removed if it can be.
        let _ = fs::remove_file(&temporary);
    }
    placed
}

/// A name in the same folder that no other writer of this machine uses.
fn beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".mercer-view-{}-{count}.tmp", process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeatMap;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("mercer-view-{name}-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn the_ending_chooses_and_nothing_is_left_over() {
        let folder = folder("ending");
        let view = HeatMap::new("empty", Vec::new());
        for name in ["a.svg", "b.png", "c.SVG", "a.svg"] {
            write(folder.join(name), &view).unwrap();
        }
        assert!(fs::read_to_string(folder.join("c.SVG")).unwrap().starts_with("<svg"));
        assert!(fs::read(folder.join("b.png")).unwrap().starts_with(b"\x89PNG"));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn refusals_name_the_path() {
        let folder = folder("refusals");
        let view = HeatMap::new("empty", Vec::new());
        for name in ["a.gif", "svg", "a."] {
            let message = write(folder.join(name), &view).unwrap_err().to_string();
            assert!(message.contains(".svg or .png") && message.contains(name), "{message}");
        }
        fs::create_dir(folder.join("taken.svg")).unwrap();
        for name in ["taken.svg", "nowhere/a.svg"] {
            assert!(matches!(write(folder.join(name), &view), Err(Error::Write { .. })));
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
