//! Separated values (RFC 4180 and its relatives).
//!
//! The text is walked twice at most: once to read every cell as a number and to note what is not one
//! (`scan.rs`), and a second time only for the columns that turn out to hold names or texts
//! (`columns.rs`). Before that, `dialect.rs` finds the delimiter and `header.rs` the names.

mod cell;
mod columns;
mod dialect;
mod header;
mod records;
mod scan;
#[cfg(test)]
mod tests;

pub use columns::are_categories;

pub(super) use columns::read;
