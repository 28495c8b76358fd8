//! The engine room: everything that touches the hardware.
//!
//! A block of kernel entries is made in two steps: a [`Base`] (a sum or product over coordinates, such as
//! ⟨x,z⟩ or ‖x−z‖²) is computed for a whole tile of pairs in registers, then a short list of [`Op`]s turns
//! base values into kernel values. [`Panels`] and [`RowPack`] are the packed forms of dense points,
//! [`SparseRows`] of sparse ones. What a kernel expression means is not known here; nor are points.
//!
//! Every function exists twice from one source: for AVX2 with FMA, chosen at run time, and portable
//! ([`Isa`]); the dense tile, sums over blocks and steps of pairs once more for AVX-512. This is the only
//! crate with `unsafe` code, and each block states why it is sound.
//! The numerics are described in `docs/maths.md` §8.

mod arch;
mod band;
mod band_factor;
mod base;
mod cholesky;
mod dense;
mod eigen;
mod lead;
mod low_rank;
mod matvec;
mod memory;
mod mirror;
mod op;
mod pairs;
mod panels;
mod product;
mod real;
mod sparse;
#[cfg(target_arch = "x86_64")]
mod wide;
#[cfg(target_arch = "x86_64")]
mod wide_pairs;

pub use arch::Isa;
pub use band::Banded;
pub use band_factor::BandFactor;
pub use base::Base;
pub use cholesky::{CholeskyError, Factored, cholesky, cholesky_solve};
pub use dense::{Finish, dense_block, longest_part, part_count};
pub use eigen::{EigenError, eigenvalues, eigh};
pub use low_rank::{Aim, LowRank};
pub use matvec::{LANES, OUTPUTS, add_column_sums, add_products, add_row_sums, flush_row_sums};
pub use memory::{Budget, Buffer};
pub use mirror::mirror_lower;
pub use op::{Op, Sides, add_into, mul_into};
pub use pairs::{Chooser, Ends, LINES, Places, STRIDE, add_lines, best_partner, least_moves, shift_slopes};
pub use panels::{PANEL, Panels, RowPack};
pub use product::{rows_product, symmetric_product};
pub use real::Real;
pub use sparse::{SPARSE_PANEL, SparseRows, SparseTable};
