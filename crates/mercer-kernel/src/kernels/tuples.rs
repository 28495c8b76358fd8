//! `sum_{r<=degree} <x,z>^r`
//!
//! One feature for every ordered tuple of at most p columns (`docs/maths.md` §1.1).

use mercer_linalg::{Base, Op};

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::{Kind, Param, Signature};

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "tuples",
        aliases: &["ordered"],
        params: &[Param::new("degree", Kind::Integer(1, 64), 3.0, "highest degree").or(&["d"])],
        one_of: &[],
    },
    formula: "sum_{r<=degree} <x,z>^r",
    domain: Domain::Vectors,
    about: "a geometric sum of powers of the inner product",
    mercer: |_| Evidence::Psd("a sum of powers of the inner product, with a constant"),
    build: |call| Built::vector(Tuples { degree: call.whole("degree") }),
};

#[derive(Debug)]
struct Tuples {
    degree: u32,
}

impl VectorKernel for Tuples {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        let dot = Base::Dot.pair(x, z);
        (0..=self.degree as i32).map(|r| dot.powi(r)).sum()
    }

    fn lower(&self) -> Lowered {
        Lowered::of(Base::Dot, [Op::Geometric(self.degree)])
    }
}
