//! `exp(-gamma*|x-z|^2)`
//!
//! The Gaussian kernel, with three spellings of its width, of which one is given: γ, or σ with γ = 1/(2σ²), or w
//! with γ = 1/w². The words `scale`, `median` and quantiles such as `q10` are worked out on training rows (`docs/maths.md` §1.2).

use mercer_linalg::{Base, Op};

use super::{Built, Lowered, VectorKernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::{Call, Kind, Literal, Param, Range, Signature};

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "rbf",
        aliases: &["gaussian", "gauss"],
        params: &[
            Param::optional(
                "gamma",
                Kind::RealOr(Range::Positive, &["scale", "median", "q10", "q25", "q75", "q90"]),
                Some(Literal::Word("scale")),
                "rate; `scale` = 1/(d*var), `median` from the median distance, `q10` from its 10 % quantile",
            )
            .or(&["g"]),
            Param::optional(
                "sigma",
                Kind::Real(Range::Positive),
                None,
                "standard deviation: gamma = 1/(2*sigma^2)",
            ),
            Param::optional("width", Kind::Real(Range::Positive), None, "gamma = 1/width^2").or(&["w"]),
        ],
        one_of: &["gamma", "sigma", "width"],
    },
    formula: "exp(-gamma*|x-z|^2)",
    domain: Domain::Vectors,
    about: "the usual choice: smooth, local, universal",
    mercer: |_| Evidence::Psd("the Fourier transform of a Gaussian density (Bochner)"),
    build: |call| Built::vector(Rbf { gamma: gamma(call) }),
};

#[derive(Debug)]
struct Rbf {
    gamma: f64,
}

impl VectorKernel for Rbf {
    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        (-self.gamma * Base::SquaredDistance.pair(x, z)).exp()
    }

    fn lower(&self) -> Lowered {
        Lowered::of(Base::SquaredDistance, [Op::Exp(-self.gamma)]).steep(self.gamma)
    }
}

/// γ from whichever spelling was given.
fn gamma(call: &Call) -> f64 {
    let of_sigma = call.number("sigma").map(|sigma| 0.5 / (sigma * sigma));
    let of_width = call.number("width").map(|width| 1.0 / (width * width));
    call.number("gamma").or(of_sigma).or(of_width).expect("words are resolved before a kernel is built")
}
