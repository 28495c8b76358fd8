//! `[x = z]`
//!
//! 1 when the two points are equal in every part, else 0. On a training set without duplicates the Gram matrix
//! is the identity: noise that no other point shares (`docs/maths.md` §1.2).

use super::Built;
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::Signature;

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature { name: "white", aliases: &["noise", "white_noise"], params: &[], one_of: &[] },
    formula: "[x = z]",
    domain: Domain::Any,
    about: "noise that equal points alone share; makes a Gram matrix better conditioned",
    mercer: |_| Evidence::Psd("the feature map has one coordinate for every distinct point"),
    build: |_| Built::Equality,
};
