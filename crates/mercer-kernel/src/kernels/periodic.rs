//! `exp(-2*sum sin^2(pi*(x-z)/period)/scale^2)`
//!
//! Repeats with the period in every coordinate. With φ(x) = (cos 2πx_j/p, sin 2πx_j/p) the sum of squared sines is
//! ¼‖φ(x)−φ(z)‖², so it is a Gaussian on the circle and runs on the same tile (`docs/maths.md` §1.2).

use mercer_linalg::{Base, Op};

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::{Kind, Param, Range, Signature};

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "periodic",
        aliases: &["exp_sine_squared"],
        params: &[
            Param::new("period", Kind::Real(Range::Positive), 1.0, "length of one turn").or(&["p"]),
            Param::new("scale", Kind::Real(Range::Positive), 1.0, "length scale").or(&["length_scale", "s"]),
        ],
        one_of: &[],
    },
    formula: "exp(-2*sum sin^2(pi*(x-z)/period)/scale^2)",
    domain: Domain::Vectors,
    about: "what repeats: hours, seasons, angles",
    mercer: |_| Evidence::Psd("a Gaussian kernel on the points of a circle"),
    build: |call| Built::vector(Periodic { period: call.real("period"), scale: call.real("scale") }),
};

#[derive(Debug)]
struct Periodic {
    period: f64,
    scale: f64,
}

impl VectorKernel for Periodic {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        let turn = |(a, b): (&f64, &f64)| (std::f64::consts::PI * (a - b) / self.period).sin().powi(2);
        let sum: f64 = x.iter().zip(z).map(turn).sum();
        (-2.0 * sum / (self.scale * self.scale)).exp()
    }

    fn lower(&self) -> Lowered {
        let (turn, gamma) = (std::f64::consts::TAU / self.period, 0.5 / (self.scale * self.scale));
        let circle = move |x: &[f64]| x.iter().flat_map(|&v| [(turn * v).cos(), (turn * v).sin()]).collect();
        Lowered::of(Base::SquaredDistance, [Op::Exp(-gamma)]).steep(gamma).after(circle)
    }
}
