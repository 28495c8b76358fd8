//! Points: what a kernel is evaluated on.
//!
//! A collection of points is anything that implements [`Points`]: dense vectors ([`Dense`]), sparse
//! vectors ([`Sparse`]), texts ([`Texts`]), categories ([`Categories`]), row numbers of a precomputed
//! matrix ([`Indices`]), and a [`Table`] whose named columns mix them. Nothing here knows what a kernel
//! is. The mathematics is in `docs/maths.md` §1 and §1.1.

mod categories;
pub mod data;
mod dense;
mod draw;
mod error;
mod indices;
mod maps;
mod points;
mod read;
mod sparse;
mod split;
mod table;
mod texts;

pub use categories::Categories;
pub use dense::Dense;
pub use error::PointsError;
pub use indices::Indices;
pub use maps::{
    Buckets, Center, Deviation, FeatureMap, Fitted, Function1D, Homogeneous, Identity, Log, MAX_DEGREE,
    MAX_FEATURES, MinMax, Monomials, Polynomial, Quadratic, Standardize, State, Subsets, Tuples, Unit, build,
    check_size, checked_dimension,
};
pub use points::Points;
pub use read::{
    Format, Kind, Missing, NpyFloat, NpyProblem, ReadError, ReadOptions, TokenProblem, are_categories,
    default_target, read, read_from, write_npy,
};
pub use sparse::{Sparse, SparseRow};
pub use split::{Split, SplitError, Strata, folds, holdout};
pub use table::{Column, ColumnData, Table, nearest};
pub use texts::Texts;
