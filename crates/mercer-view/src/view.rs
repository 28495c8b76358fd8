//! What every view can do.

use crate::{Error, raster};

/// A picture as data, which draws itself.
///
/// ```
/// use mercer_view::{Grid, HeatMap, Panel, View};
///
/// let view = HeatMap::new("Identity", vec![Panel::new("", Grid::from_fn(3, |i, j| f64::from(u8::from(i == j))))]);
/// assert!(view.png()?.starts_with(b"\x89PNG"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
pub trait View {
    /// The picture as a self-contained SVG document: nothing is fetched, text stays text.
    fn svg(&self) -> Result<String, Error>;

    /// The same picture as a PNG, at two pixels a unit, with embedded fonts.
    fn png(&self) -> Result<Vec<u8>, Error> {
        raster::png(&self.svg()?)
    }
}
