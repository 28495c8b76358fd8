//! `sum min(x,z)`
//!
//! What two histograms have in common (`docs/maths.md` §1.2).

use mercer_linalg::Base;

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::Signature;

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "intersection",
        aliases: &["histogram_intersection", "min"],
        params: &[],
        one_of: &[],
    },
    formula: "sum min(x,z)",
    domain: Domain::NonNegative,
    about: "what two histograms have in common",
    mercer: |_| {
        Evidence::When(
            "no coordinate is negative",
            "min(x,z) is the inner product of the indicators of [0,x] and [0,z]",
        )
    },
    build: |_| Built::vector(Intersection),
};

#[derive(Debug)]
struct Intersection;

impl VectorKernel for Intersection {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        Base::Minimum.pair(x, z)
    }

    fn lower(&self) -> Lowered {
        Lowered::of(Base::Minimum, [])
    }
}
