//! `(1 + |x-z|^2/(2*alpha*scale^2))^(-alpha)`
//!
//! A mixture of Gaussians of all widths (`docs/maths.md` §1.2).

use mercer_linalg::{Base, Op};

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::{Kind, Param, Range, Signature};

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "rq",
        aliases: &["rational_quadratic"],
        params: &[
            Param::new("alpha", Kind::Real(Range::Positive), 1.0, "how heavy the tail is not"),
            Param::new("scale", Kind::Real(Range::Positive), 1.0, "length scale").or(&["length_scale", "s"]),
        ],
        one_of: &[],
    },
    formula: "(1 + |x-z|^2/(2*alpha*scale^2))^(-alpha)",
    domain: Domain::Vectors,
    about: "a mixture of Gaussians of many widths",
    mercer: |_| Evidence::Psd("a mixture of Gaussian kernels with gamma-distributed widths"),
    build: |call| Built::vector(RationalQuadratic { alpha: call.real("alpha"), scale: call.real("scale") }),
};

#[derive(Debug)]
struct RationalQuadratic {
    alpha: f64,
    scale: f64,
}

impl VectorKernel for RationalQuadratic {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        (1.0 + Base::SquaredDistance.pair(x, z) / (2.0 * self.alpha * self.scale * self.scale))
            .powf(-self.alpha)
    }

    fn lower(&self) -> Lowered {
        let rate = 1.0 / (2.0 * self.alpha * self.scale * self.scale);
        let ops = [Op::Affine(rate, 1.0), Op::RealPower(-self.alpha)];
        Lowered::of(Base::SquaredDistance, ops).steep(0.5 / (self.scale * self.scale))
    }
}
