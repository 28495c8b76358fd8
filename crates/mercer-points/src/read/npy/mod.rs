//! NumPy arrays (`.npy`, versions 1 to 3), read and written a piece at a time.

mod element;
mod header;
mod load;
mod write;

pub(super) use load::read;
pub use write::{NpyFloat, write_npy};
