//! `exp(-|x-z|_1/scale)`
//!
//! Heavier tails than the Gaussian, and sharp at zero (`docs/maths.md` §1.2).

use mercer_linalg::{Base, Op};

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::{Kind, Param, Range, Signature};

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "laplace",
        aliases: &["laplacian"],
        params: &[Param::new("scale", Kind::Real(Range::Positive), 1.0, "distance at which it falls to 1/e")
            .or(&["s"])],
        one_of: &[],
    },
    formula: "exp(-|x-z|_1/scale)",
    domain: Domain::Vectors,
    about: "sharp at zero with long tails; robust to single odd coordinates",
    mercer: |_| Evidence::Psd("the Fourier transform of a product of Cauchy densities (Bochner)"),
    build: |call| Built::vector(Laplace { scale: call.real("scale") }),
};

#[derive(Debug)]
struct Laplace {
    scale: f64,
}

impl VectorKernel for Laplace {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        (-Base::Manhattan.pair(x, z) / self.scale).exp()
    }

    fn lower(&self) -> Lowered {
        Lowered::of(Base::Manhattan, [Op::Exp(-1.0 / self.scale)]).falling(1.0 / self.scale)
    }
}
