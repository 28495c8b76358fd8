//! `<x,z>/(|x|*|z|)`
//!
//! The inner product of directions; not defined for a zero vector (`docs/maths.md` §1.2).

use mercer_linalg::{Base, Op};

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::Signature;

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature { name: "cosine", aliases: &[], params: &[], one_of: &[] },
    formula: "<x,z>/(|x|*|z|)",
    domain: Domain::Vectors,
    about: "the angle alone; lengths do not count",
    mercer: |_| Evidence::Psd("the linear kernel, normalised"),
    build: |_| Built::vector(Cosine),
};

#[derive(Debug)]
struct Cosine;

impl VectorKernel for Cosine {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        Op::Cosine.scalar(Base::Dot.pair(x, z), Base::Dot.pair(x, x), Base::Dot.pair(z, z))
    }

    fn lower(&self) -> Lowered {
        Lowered::of(Base::Dot, [Op::Cosine])
    }
}
