//! `(gamma*<x,z> + offset)^degree`
//!
//! All monomials of degree at most p, weighted (`docs/maths.md` §1.1, the polynomial map).

use mercer_linalg::{Base, Op};

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::{Kind, Param, Range, Signature};

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "poly",
        aliases: &["polynomial"],
        params: &[
            Param::new("degree", Kind::Integer(1, 64), 3.0, "highest degree").or(&["d"]),
            Param::new("gamma", Kind::Real(Range::Positive), 1.0, "scale of the inner product"),
            Param::new("offset", Kind::Real(Range::Any), 1.0, "weight of the lower degrees").or(&["coef0"]),
        ],
        one_of: &[],
    },
    formula: "(gamma*<x,z> + offset)^degree",
    domain: Domain::Vectors,
    about: "products of up to `degree` coordinates",
    mercer: |call| match call.number("offset") {
        Some(offset) if offset < 0.0 => {
            Evidence::Not("with a negative offset the expansion has negative weights")
        }
        _ => Evidence::Psd("a power of a sum of an inner product and a constant that is not negative"),
    },
    build: |call| {
        Built::vector(Poly {
            degree: call.whole("degree"),
            gamma: call.real("gamma"),
            offset: call.real("offset"),
        })
    },
};

#[derive(Debug)]
struct Poly {
    degree: u32,
    gamma: f64,
    offset: f64,
}

impl VectorKernel for Poly {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        (self.gamma * Base::Dot.pair(x, z) + self.offset).powi(self.degree as i32)
    }

    fn lower(&self) -> Lowered {
        Lowered::of(Base::Dot, [Op::Affine(self.gamma, self.offset), Op::Power(self.degree)])
    }
}
