//! `sum_{r<=degree} h_r(x_1*z_1, ..., x_d*z_d)`
//!
//! Every monomial of degree at most p with weight 1, in O(d·p): complete homogeneous symmetric polynomials of
//! the products x_j·z_j (`docs/maths.md` §1.1).

use mercer_linalg::Base;

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::{Kind, Param, Signature};

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "monomials",
        aliases: &[],
        params: &[Param::new("degree", Kind::Integer(1, 32), 3.0, "highest degree").or(&["d"])],
        one_of: &[],
    },
    formula: "sum_{r<=degree} h_r(x_1*z_1, ..., x_d*z_d)",
    domain: Domain::Vectors,
    about: "products of up to `degree` coordinates, all of equal weight",
    mercer: |_| Evidence::Psd("the inner product of the plain monomials"),
    build: |call| Built::vector(Monomials { degree: call.whole("degree") as u8 }),
};

#[derive(Debug)]
struct Monomials {
    degree: u8,
}

impl VectorKernel for Monomials {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        Base::Monomials(self.degree).pair(x, z)
    }

    fn lower(&self) -> Lowered {
        Lowered::of(Base::Monomials(self.degree), [])
    }
}
