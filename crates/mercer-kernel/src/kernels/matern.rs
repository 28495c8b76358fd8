//! `matern_nu(|x-z|/scale)`
//!
//! Functions that are differentiable nu − ½ times, between the exponential kernel and the Gaussian.
//! With r = ‖x−z‖/scale: e^(−r), (1+√3r)e^(−√3r), (1+√5r+5r²/3)e^(−√5r) (`docs/maths.md` §1.2).

use mercer_linalg::{Base, Op};

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::{Kind, Param, Range, Signature};

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "matern",
        aliases: &[],
        params: &[
            Param::new("nu", Kind::Among(&[0.5, 1.5, 2.5]), 1.5, "smoothness"),
            Param::new("scale", Kind::Real(Range::Positive), 1.0, "length scale").or(&["length_scale", "s"]),
        ],
        one_of: &[],
    },
    formula: "matern_nu(|x-z|/scale)",
    domain: Domain::Vectors,
    about: "smoother than the exponential, rougher than the Gaussian",
    mercer: |_| Evidence::Psd("the Fourier transform of a Student density (Bochner)"),
    build: |call| Built::vector(Matern { nu: call.real("nu"), scale: call.real("scale") }),
};

#[derive(Debug)]
struct Matern {
    nu: f64,
    scale: f64,
}

impl VectorKernel for Matern {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        let r = Base::SquaredDistance.pair(x, z).sqrt() / self.scale;
        match self.nu {
            0.5 => (-r).exp(),
            1.5 => (1.0 + 3f64.sqrt() * r) * (-3f64.sqrt() * r).exp(),
            _ => (1.0 + 5f64.sqrt() * r + 5.0 * r * r / 3.0) * (-5f64.sqrt() * r).exp(),
        }
    }

    fn lower(&self) -> Lowered {
        let stretch = |factor: f64| Op::Affine(factor.sqrt() / self.scale, 0.0);
        let (ops, slope) = match self.nu {
            0.5 => ([Op::Root, stretch(1.0), Op::Exp(-1.0)], f64::INFINITY),
            1.5 => ([Op::Root, stretch(3.0), Op::MaternThree], 1.5),
            _ => ([Op::Root, stretch(5.0), Op::MaternFive], 5.0 / 6.0),
        };
        Lowered::of(Base::SquaredDistance, ops)
            .steep(slope / (self.scale * self.scale))
            .falling(1.0 / self.scale)
    }
}
