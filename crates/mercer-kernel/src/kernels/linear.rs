//! `<x,z>`
//!
//! The plain inner product; with it every kernel method is its linear self (`docs/maths.md` §1.2).

use mercer_linalg::Base;

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::Signature;

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature { name: "linear", aliases: &["dot"], params: &[], one_of: &[] },
    formula: "<x,z>",
    domain: Domain::Vectors,
    about: "the inner product: kernel methods become their linear selves",
    mercer: |_| Evidence::Psd("an inner product is its own feature map"),
    build: |_| Built::vector(Linear),
};

#[derive(Debug)]
struct Linear;

impl VectorKernel for Linear {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        Base::Dot.pair(x, z)
    }

    fn lower(&self) -> Lowered {
        Lowered::of(Base::Dot, [])
    }
}
