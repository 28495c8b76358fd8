//! From models and data to views (`docs/maths.md` §7).
//!
//! Each function asks a model, a search or a Gram matrix what is to be seen and returns a view of `mercer-view`, which
//! is plain data: whoever likes another drawing library draws it with that. Nothing is fitted here, and nothing is drawn.
//!
//! ```
//! use mercer_model::{Learner, Setting, Spec, Training, fit};
//! use mercer_picture::{Rows, Slice, boundary};
//! use mercer_view::{Look, View};
//! let mut table = mercer_points::read("@moons(n=60)", &Default::default())?;
//! let label = table.remove("label")?;
//! let spec = Spec::new("rbf(sigma=0.3)".parse()?, Learner::Smo);
//! let model = fit(&spec, &Training::new(&table, &label), &Setting::default())?;
//! let rows = Rows { table: &table, target: Some(&label), name: "two moons" };
//! let view = boundary(&model, &rows, &Slice::Usual)?;
//! assert!(view.figure(Look::wide(400.0)).svg()?.contains("boundary"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod boundary;
mod components;
mod coordinates;
mod curves;
mod error;
mod geometry;
mod judged;
mod losses;
mod matrices;
mod rows;
mod searched;
mod spectrum;
mod trace;
mod words;

pub use answers::Answered;
pub use boundary::{SIDE, Slice, boundary, boundary_on};
pub use coordinates::features;
pub use curves::curves;
pub use error::PictureError;
pub use geometry::geometry;
pub use judged::{calibrated, compared, ranked, reliability, residuals, roc};
pub use losses::losses;
pub use matrices::{Drawn, matrices, panel, seriate};
pub use rows::{Role, Rows, roles};
pub use searched::{path, tuning};
pub use spectrum::spectrum;
pub use trace::trace;
