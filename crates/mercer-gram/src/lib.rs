//! Gram matrices: what a kernelized method needs of its points, and all that it needs (`docs/maths.md` §2).
//!
//! [`Lazy`] computes entries when they are asked for and holds nothing of n×n size; [`Stored`] holds them all, after
//! asking the memory budget; [`Shifted`] is K + cI and [`Sub`] a selection of rows. All are [`Gram`]s, which is all
//! that a solver sees. On top: the spectrum, alignment with labels, statistics, and the Mercer check with its witness.

mod alignment;
mod check;
mod classes;
mod drive;
mod entries;
mod error;
mod gram;
mod ideal;
mod kept;
mod lazy;
mod matrix;
mod remembered;
mod repair;
mod shifted;
mod spectrum;
mod statistics;
mod stored;
mod sub;
pub mod testkit;

pub use alignment::{Alignment, alignment};
pub use check::{CheckOptions, MercerCheck, Verdict, Witness, check};
pub use classes::{Classes, Pair};
pub use drive::Segment;
pub use entries::entries;
pub use error::GramError;
pub use gram::{Crossings, Gram, Selection, Stop};
pub use ideal::Ideal;
pub use kept::{Kept, Squares};
pub use lazy::{Lazy, Precision};
pub use matrix::{MatrixCheck, MatrixVerdict, check_matrix};
pub use remembered::Remembered;
pub use repair::{Repair, Repaired, repair};
pub use shifted::Shifted;
pub use spectrum::{FULL_SPECTRUM, Method, Spectrum, spectrum};
pub use statistics::{Concentration, Shape, Statistics, concentration, statistics};
pub use stored::Stored;
pub use sub::Sub;
