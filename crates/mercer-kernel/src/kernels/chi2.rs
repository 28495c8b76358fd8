//! `exp(-gamma*sum (x-z)^2/(x+z))`
//!
//! For histograms; 0/0 counts as 0 (`docs/maths.md` §1.2).

use mercer_linalg::{Base, Op};

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::{Kind, Param, Range, Signature};

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "chi2",
        aliases: &[],
        params: &[Param::new("gamma", Kind::Real(Range::Positive), 1.0, "how fast it falls")],
        one_of: &[],
    },
    formula: "exp(-gamma*sum (x-z)^2/(x+z))",
    domain: Domain::NonNegative,
    about: "histograms and counts",
    mercer: |_| {
        Evidence::When(
            "no coordinate is negative",
            "the chi-squared distance is conditionally negative definite there",
        )
    },
    build: |call| Built::vector(Chi2 { gamma: call.real("gamma") }),
};

#[derive(Debug)]
struct Chi2 {
    gamma: f64,
}

impl VectorKernel for Chi2 {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        (-self.gamma * Base::ChiSquared.pair(x, z)).exp()
    }

    fn lower(&self) -> Lowered {
        Lowered::of(Base::ChiSquared, [Op::Exp(-self.gamma)])
    }
}
