//! `<x,z>/(|x|^2 + |z|^2 - <x,z>)`
//!
//! The share of two sets that is common, extended to non-negative vectors; 1 when both are empty
//! (`docs/maths.md` §1.2).

use mercer_linalg::{Base, Op};

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::Signature;

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature { name: "tanimoto", aliases: &["jaccard"], params: &[], one_of: &[] },
    formula: "<x,z>/(|x|^2 + |z|^2 - <x,z>)",
    domain: Domain::NonNegative,
    about: "sets and molecular fingerprints",
    mercer: |_| {
        Evidence::When(
            "no coordinate is negative",
            "a geometric series in kernels (Gower 1971; Ralaivola et al. 2005)",
        )
    },
    build: |_| Built::vector(Tanimoto),
};

#[derive(Debug)]
struct Tanimoto;

impl VectorKernel for Tanimoto {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        let dot = Base::Dot.pair(x, z);
        Op::Tanimoto.scalar(dot, Base::Dot.pair(x, x), Base::Dot.pair(z, z))
    }

    fn lower(&self) -> Lowered {
        Lowered::of(Base::Dot, [Op::Tanimoto])
    }
}
