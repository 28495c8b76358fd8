//! Views: what is to be seen of a model, as plain data. Each has a method `figure` that puts it on axes.

mod boundary;
mod curves;
mod geometry;
mod losses;
mod matrices;
mod path;
mod reliability;
mod residuals;
mod roc;
mod spectrum;
mod spot;
mod sweep;
mod trace;
mod tuning;

pub use boundary::{Boundary, Ground};
pub use curves::{Curve, Curves};
pub use geometry::Geometry;
pub use losses::Losses;
pub use path::{Path, Step};
pub use reliability::{Reliability, Share};
pub use residuals::Residuals;
pub use roc::{Ranking, Roc};
pub use spectrum::Spectrum;
pub use spot::{Spot, Support};
pub use sweep::Sweep;
pub use trace::{Trace, Visited};
pub use tuning::{Trial, Tuning};
