//! `exp(-distance(x,z)/scale)`
//!
//! Euclidean and Manhattan distance and the number of differing coordinates are conditionally negative
//! definite, so the exponential of minus any of them is a kernel (Schoenberg; `docs/maths.md` §1.2).

use mercer_linalg::{Base, Op};

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::{Kind, Param, Range, Signature};

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "exponential",
        aliases: &["exp_distance"],
        params: &[
            Param::new("scale", Kind::Real(Range::Positive), 1.0, "distance at which it falls to 1/e")
                .or(&["s"]),
            Param::word("distance", &["euclidean", "manhattan", "hamming"], "euclidean", "which distance")
                .or(&["metric"]),
        ],
        one_of: &[],
    },
    formula: "exp(-distance(x,z)/scale)",
    domain: Domain::Vectors,
    about: "the exponential of minus a distance",
    mercer: |_| Evidence::Psd("the distance is conditionally negative definite (Schoenberg)"),
    build: |call| {
        let base = match call.word("distance") {
            Some("manhattan") => Base::Manhattan,
            Some("hamming") => Base::Hamming,
            _ => Base::SquaredDistance,
        };
        Built::vector(Exponential { scale: call.real("scale"), base })
    },
};

#[derive(Debug)]
struct Exponential {
    scale: f64,
    base: Base,
}

impl VectorKernel for Exponential {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        let base = self.base.pair(x, z);
        let distance = if self.base == Base::SquaredDistance { base.sqrt() } else { base };
        (-distance / self.scale).exp()
    }

    fn lower(&self) -> Lowered {
        let exp = Op::Exp(-1.0 / self.scale);
        match self.base {
            Base::SquaredDistance => {
                Lowered::of(self.base, [Op::Root, exp]).steep(f64::INFINITY).falling(1.0 / self.scale)
            }
            base => Lowered::of(base, [exp]).falling(1.0 / self.scale),
        }
    }
}
