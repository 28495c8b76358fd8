//! The kernel expression language: text to [`KernelExpr`](crate::KernelExpr) and back.
//!
//! The grammar stands at the head of `expr.rs`; this is how a text goes through the rooms:
//!
//! ```text
//! text ─ token ─▶ tokens ─ expression, atom, arguments, columns ─▶ KernelExpr ─ print ─▶ canonical text
//!           └─────────┴─ error ─▶ ParseErrors ─ report ─▶ what a person reads
//! ```
//!
//! What the grammar leaves open is decided so:
//!
//! * A bare number in a product is a weight, wherever it stands, and weights multiply: `2*rbf*3` is
//!   `6*rbf`. A bare number with nothing to weigh (`2`, `2*3`) is the kernel `constant`.
//! * Brackets around a scaled kernel are kept: `(2*rbf)*linear` and `2*rbf*linear` are equal as
//!   functions and different as expressions.
//! * `[1..10]` means the columns `1` to `10`, both ends included.
//! * Names, parameters and words ignore case and take `-` for `_`. Labels and columns are kept as written.
//! * The limits ([`MAX_BYTES`], [`MAX_DEPTH`], [`MAX_LEAVES`], [`MAX_COLUMNS`]) hold for the canonical
//!   text too, so that what was parsed once can be printed and parsed again.
//!
//! It knows the tables of kernels and maps by their signatures only; what a kernel computes is not its matter.

mod arguments;
mod atom;
mod columns;
mod error;
mod expression;
mod names;
mod parser;
mod print;
mod report;
mod token;
mod values;

#[cfg(test)]
mod tests;

pub use error::{ParseError, ParseErrorKind, ParseErrors, Span};
pub use names::{check_user_name, kernel_named, map_named};
pub use parser::{
    MAX_BYTES, MAX_COLUMNS, MAX_DEPTH, MAX_LEAVES, parse, parse_map, parse_map_with, parse_with,
};
pub use print::signature_text;
