//! `[x = z]` on categories
//!
//! 1 when the two categories are the same, else 0 (`docs/maths.md` §1.2). Equality of points is decided by a 128-bit
//! fingerprint of each, made when the columns are read.

use super::Built;
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::Signature;

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature { name: "delta", aliases: &["kronecker", "equal"], params: &[], one_of: &[] },
    formula: "[x = z]",
    domain: Domain::Categories,
    about: "whether two categories are the same",
    mercer: |_| Evidence::Psd("the feature map is the indicator of the category"),
    build: |_| Built::Equality,
};
