//! The plot layer: marks on axes, as data.
//!
//! A [`Figure`] is one or more [`Plot`]s with a legend; a plot is two [`Axis`] and a list of [`Mark`]s in the units of
//! the data. Nothing here knows what is plotted: the views turn themselves into figures, and `svg` draws them.

mod axis;
mod contour;
mod field;
mod figure;
mod look;
mod mark;

pub use axis::{Axis, Spacing};
pub(crate) use axis::{between, hull, share};
pub use contour::contours;
pub use field::Field;
pub use figure::{Figure, Plot};
pub use look::Look;
pub use mark::{Bar, Dash, Dot, Image, Key, Mark, Ring, Shape, Swatch, Tone};
