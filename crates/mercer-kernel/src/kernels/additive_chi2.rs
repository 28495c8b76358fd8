//! `sum 2xz/(x+z)`
//!
//! The additive member of the chi-squared family; 0/0 counts as 0 (`docs/maths.md` §1.2).

use mercer_linalg::Base;

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::Signature;

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature { name: "additive_chi2", aliases: &[], params: &[], one_of: &[] },
    formula: "sum 2xz/(x+z)",
    domain: Domain::NonNegative,
    about: "histograms, without a width to choose",
    mercer: |_| {
        Evidence::When(
            "no coordinate is negative",
            "2xz times the integral over t of exp(-t*x)*exp(-t*z), products f(x)f(z)",
        )
    },
    build: |_| Built::vector(AdditiveChi2),
};

#[derive(Debug)]
struct AdditiveChi2;

impl VectorKernel for AdditiveChi2 {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        Base::Harmonic.pair(x, z)
    }

    fn lower(&self) -> Lowered {
        Lowered::of(Base::Harmonic, [])
    }
}
