//! What can go wrong between a view and its picture.

use std::io;
use std::path::PathBuf;

/// Why a picture could not be made or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The list of cells does not fill a square.
    #[error("a grid of {n} rows needs {n} x {n} cells, found {found}")]
    CellCount {
        /// The rows that were announced.
        n: usize,
        /// The cells that were given.
        found: usize,
    },
    /// The groups do not cover the rows of a panel.
    #[error("the groups hold {counted} rows, panel {panel} (\"{title}\") has {rows}")]
    GroupCount {
        /// The panel's place, from 1.
        panel: usize,
        /// The panel's title.
        title: String,
        /// The sum of the groups' counts.
        counted: usize,
        /// The rows of the panel's matrix.
        rows: usize,
    },
    /// The file name ends in something no renderer writes.
    #[error("no renderer writes \"{}\": the name must end in .svg or .png", path.display())]
    Extension {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The file could not be written.
    #[error("cannot write \"{}\": {source}", path.display())]
    Write {
        /// The path that was asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The picture has more pixels than can be held.
    #[error("a picture of {width} x {height} pixels is too large to draw")]
    TooLarge {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
    },
    /// The rasteriser refused the SVG.
    #[error("cannot rasterise the picture: {0}")]
    Rasterise(#[from] resvg::usvg::Error),
    /// The PNG could not be encoded.
    #[error("cannot encode the picture: {0}")]
    Encode(#[from] png::EncodingError),
}
