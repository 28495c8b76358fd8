//! `<x,z> + <x,z>^2`
//!
//! All products of at most two coordinates (`docs/maths.md` §1.1, the quadratic map).

use mercer_linalg::{Base, Op};

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::Signature;

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature { name: "quadratic", aliases: &[], params: &[], one_of: &[] },
    formula: "<x,z> + <x,z>^2",
    domain: Domain::Vectors,
    about: "products of up to two coordinates",
    mercer: |_| Evidence::Psd("the sum of <x,z> and its square"),
    build: |_| Built::vector(Quadratic),
};

#[derive(Debug)]
struct Quadratic;

impl VectorKernel for Quadratic {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        let dot = Base::Dot.pair(x, z);
        dot + dot * dot
    }

    fn lower(&self) -> Lowered {
        // v + v² = (v + ½)² − ¼
        Lowered::of(Base::Dot, [Op::Affine(1.0, 0.5), Op::Power(2), Op::Affine(1.0, -0.25)])
    }
}
