//! Kernel machines: exact where exact is possible, with proof of how close to optimal they are.
//!
//! This crate is the front door; each room behind it is a crate of its own.
//!
//! ```
//! use mercer::prelude::*;
//!
//! let mut table = read("@moons(n=200)", &ReadOptions::default())?;
//! let label = table.remove("label")?;
//! let kernel: KernelExpr = "0.5*rbf(sigma=0.3) + poly(degree=3)".parse()?;
//! println!("{}", kernel.mercer());
//!
//! let gram = Lazy::new(&kernel, &table)?;
//! let ideal = Ideal::of("label", &label.data)?;
//! let alignment = alignment(&gram, |i, j| ideal.value(i, j));
//! assert!(alignment.centered > 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use mercer_gram as gram;
pub use mercer_kernel as kernel;
pub use mercer_linalg as linalg;
pub use mercer_model as model;
pub use mercer_points as points;
pub use mercer_solve as solve;
pub use mercer_view as view;

/// What most programs need.
pub mod prelude {
    pub use mercer_gram::{
        CheckOptions, Gram, Ideal, Lazy, Precision, Stored, alignment, check, spectrum, statistics,
    };
    pub use mercer_kernel::{KernelExpr, MapExpr, Plan, Registry, Status};
    pub use mercer_linalg::Budget;
    pub use mercer_points::{ColumnData, Dense, Points, ReadOptions, Sparse, Table, Texts, read};
}

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
