//! `K[i,j]`
//!
//! An entry of a matrix that was computed elsewhere. Nothing is known of it until it is measured
//! (`docs/maths.md` §1.4).

use super::Built;
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::Signature;

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature { name: "precomputed", aliases: &["matrix"], params: &[], one_of: &[] },
    formula: "K[i,j]",
    domain: Domain::Precomputed,
    about: "a Gram matrix that was computed elsewhere",
    mercer: |_| Evidence::Unknown("a matrix from outside can be anything; it is measured on the data"),
    build: |_| Built::Precomputed,
};
