//! Readers: from a file, standard input or a built-in set to a [`Table`](crate::Table).
//!
//! | file | what is in it |
//! |---|---|
//! | `source.rs` | [`read`]: where the bytes come from, gzip, the choice of the format |
//! | `options.rs` | [`ReadOptions`] and what it is made of |
//! | `text.rs` | bytes to text: byte order mark, UTF-8, line numbers |
//! | `sniff.rs` | the format, from the name or the content |
//! | `csv/` | separated values: delimiter, header, cells, kinds of columns |
//! | `libsvm.rs` | `label index:value …` |
//! | `npy/` | NumPy arrays, read and written |
//! | `missing.rs` | the policies for missing numbers |
//! | `error.rs` | [`ReadError`] |
//!
//! A reader checks everything that it can check without knowing what the data are for: after it, every
//! number is finite, every column has a name and every row is complete.

mod csv;
mod error;
mod libsvm;
mod missing;
mod npy;
mod options;
mod sniff;
mod source;
mod text;

pub use csv::are_categories;
pub use error::{NpyProblem, ReadError, TokenProblem};
pub use npy::{NpyFloat, write_npy};
pub use options::{Format, Kind, Missing, ReadOptions};
pub use source::{default_target, read, read_from};
