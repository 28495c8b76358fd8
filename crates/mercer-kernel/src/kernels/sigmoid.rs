//! `tanh(gamma*<x,z> + offset)`
//!
//! Looks like a neural unit; not positive semi-definite in general, so it is allowed and flagged
//! (`docs/maths.md` §1.4).

use mercer_linalg::{Base, Op};

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::{Kind, Param, Range, Signature};

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "sigmoid",
        aliases: &["tanh"],
        params: &[
            Param::new("gamma", Kind::Real(Range::Positive), 1.0, "scale of the inner product"),
            Param::new("offset", Kind::Real(Range::Any), 0.0, "shift").or(&["coef0"]),
        ],
        one_of: &[],
    },
    formula: "tanh(gamma*<x,z> + offset)",
    domain: Domain::Vectors,
    about: "for comparison with older work; not a Mercer kernel",
    mercer: |_| Evidence::Not("the power series of tanh has negative coefficients"),
    build: |call| Built::vector(Sigmoid { gamma: call.real("gamma"), offset: call.real("offset") }),
};

#[derive(Debug)]
struct Sigmoid {
    gamma: f64,
    offset: f64,
}

impl VectorKernel for Sigmoid {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        (self.gamma * Base::Dot.pair(x, z) + self.offset).tanh()
    }

    fn lower(&self) -> Lowered {
        Lowered::of(Base::Dot, [Op::Affine(self.gamma, self.offset), Op::Tanh])
    }
}
