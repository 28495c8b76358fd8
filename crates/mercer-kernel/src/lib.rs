//! Kernels: the language they are written in, the kernels themselves, their algebra and their proofs.
//!
//! A kernel is a value: [`KernelExpr`] parses, prints, compares and is stored as text. [`Plan::compile`] binds it to
//! the columns of a table; [`Plan::ready`] prepares a collection; [`Tiles`] fills blocks of entries, and
//! [`Plan::pair`] is the definition that every block is tested against. [`KernelExpr::mercer`] says whether it is
//! positive semi-definite, with the proof. The mathematics is in `docs/maths.md` §1.
//!
//! ```
//! use mercer_kernel::{KernelExpr, Status};
//! let kernel: KernelExpr = "0.5*rbf(sigma=1) + poly(degree=3)".parse().unwrap();
//! assert_eq!(kernel.mercer().status, Status::Psd);
//! ```

mod error;
mod expr;
mod info;
mod kernels;
mod language;
mod maps;
mod mercer;
mod plan;
mod signature;
pub mod testkit;

pub use error::KernelError;
pub use expr::{KernelExpr, Leaf, MapExpr};
pub use info::{Domain, Evidence, KernelInfo, MapInfo};
pub use kernels::{Built, KERNELS, Kernel, Lowered, Registry, Spectrum, VectorKernel};
pub use language::{
    MAX_BYTES, MAX_COLUMNS, MAX_DEPTH, MAX_LEAVES, ParseError, ParseErrorKind, ParseErrors, Span,
    check_user_name, kernel_named, map_named, parse, parse_map, parse_map_with, parse_with, signature_text,
};
pub use maps::MAPS;
pub use mercer::{Mercer, Status, Step};
pub use plan::{Entry, Plan, PlanState, PointBytes, Ready, Scratch, Tiles, ViewState, row_keys, vectors};
pub use signature::{Call, Kind, Literal, Param, Range, Signature, Value};
