//! `prod (1 + x*z)`
//!
//! One feature for every set of columns, in O(d) (`docs/maths.md` §1.1).

use mercer_linalg::Base;

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::Signature;

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature { name: "all_subsets", aliases: &["subsets"], params: &[], one_of: &[] },
    formula: "prod (1 + x*z)",
    domain: Domain::Vectors,
    about: "products over every subset of the columns",
    mercer: |_| Evidence::Psd("a product of kernels 1 + x_j*z_j, one a coordinate"),
    build: |_| Built::vector(AllSubsets),
};

#[derive(Debug)]
struct AllSubsets;

impl VectorKernel for AllSubsets {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        Base::Subsets.pair(x, z)
    }

    fn lower(&self) -> Lowered {
        Lowered::of(Base::Subsets, [])
    }
}
