//! Pictures of Mercer: views as plain data, and the renderers that draw them.
//!
//! A *view* says what is to be seen and nothing about how it is computed: [`HeatMap`] is one or more Gram
//! matrices side by side, with their titles, captions, groups and colour scale. Every view draws itself as a
//! self-contained SVG; the PNG is that same SVG, rasterised with an embedded font, so a picture looks the same on
//! a machine without fonts.
//!
//! This crate knows no kernels, points or models: whoever has a matrix hands over a closure.
//!
//! ```
//! use mercer_view::{Grid, HeatMap, Panel, View};
//!
//! let points = [0.0_f64, 0.1, 0.9, 1.0];
//! let panels = [0.2, 1.0].map(|sigma| {
//!     let gram = Grid::symmetric(points.len(), |i, j| {
//!         let distance: f64 = points[i] - points[j];
//!         (-distance.powi(2) / (2.0 * sigma * sigma)).exp()
//!     });
//!     Panel::new(format!("sigma = {sigma}"), gram)
//! });
//! let view = HeatMap::new("Four points on a line", panels.to_vec());
//! assert!(view.svg()?.starts_with("<svg"));
//! # Ok::<(), mercer_view::Error>(())
//! ```

mod colour;
mod error;
mod grid;
mod heat_map;
mod page;
mod plot;
mod raster;
mod scale;
mod svg;
mod view;
mod views;
mod write;

pub use colour::{ColourMap, Rgb};
pub use error::Error;
pub use grid::{Grid, MOST_CELLS};
pub use heat_map::{Group, HeatMap, MOST_COLUMNS, Panel, Theme};
pub use page::{Block, Page, Section};
pub use plot::{
    Axis, Bar, Dash, Dot, Field, Figure, Image, Key, Look, Mark, Plot, Ring, Shape, Spacing, Swatch, Tone,
    contours,
};
pub use scale::{Range, Scale};
pub use view::View;
pub use views::{
    Boundary, Curve, Curves, Geometry, Ground, Losses, Path, Ranking, Reliability, Residuals, Roc, Share,
    Spectrum, Spot, Step, Support, Sweep, Trace, Trial, Tuning, Visited,
};
pub use write::write;
