//! `value`
//!
//! The same for every pair: a bias when added to another kernel (`docs/maths.md` §1.2).

use super::Built;
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::{Kind, Param, Range, Signature};

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "constant",
        aliases: &["const", "bias"],
        params: &[Param::new("value", Kind::Real(Range::NonNegative), 1.0, "the value").or(&["c"])],
        one_of: &[],
    },
    formula: "value",
    domain: Domain::Any,
    about: "the same for every pair; adds an offset to what a model can say",
    mercer: |_| Evidence::Psd("the feature map is a constant that is not negative"),
    build: |call| Built::Constant(call.real("value")),
};
