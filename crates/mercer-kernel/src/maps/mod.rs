//! The feature maps that have a name (`docs/maths.md` §1.1).
//!
//! Maps of data alone live in `mercer-points`; those made from a kernel (random Fourier features, Nyström,
//! the empirical map) live here. All are rows of one table.

mod empirical;
mod fourier;
mod landmarks;
mod nystrom;

use std::sync::Arc;

use mercer_points::{
    Buckets, Center, Deviation, FeatureMap, Homogeneous, Identity, Log, MinMax, Monomials, Polynomial,
    Quadratic, Standardize, Subsets, Tuples, Unit,
};

use crate::info::MapInfo;
use crate::signature::{Call, Kind, Literal, Param, Range, Signature, Value};
use crate::{KernelExpr, MapExpr};

const DEGREE: Param = Param::new("degree", Kind::Integer(1, 1000), 3.0, "highest degree").or(&["d", "p"]);
const SEED: Param = Param::new("seed", Kind::Integer(0, (1 << 53) - 1), 0.0, "seed of the random choice");
const KERNEL: Param =
    Param::optional("kernel", Kind::Kernel, Some(Literal::Kernel("rbf")), "the kernel to imitate").or(&["k"]);

/// A row without words for the parameters that a map does not have.
const fn signature(
    name: &'static str,
    aliases: &'static [&'static str],
    params: &'static [Param],
) -> Signature {
    Signature { name, aliases, params, one_of: &[] }
}

fn same<M: FeatureMap + 'static>(map: M) -> Result<Arc<dyn FeatureMap>, crate::KernelError> {
    Ok(Arc::new(map))
}

/// Every feature map that has a name.
pub static MAPS: &[&MapInfo] = &[
    &MapInfo {
        signature: signature("identity", &["linear"], &[]),
        formula: "x",
        dimension: "d",
        kernel: "linear",
        about: "the coordinates as they are",
        build: |_| same(Identity),
    },
    &MapInfo {
        signature: signature("quadratic", &[], &[]),
        formula: "x_i, x_i^2, sqrt(2)*x_i*x_j (i<j)",
        dimension: "2d + d(d-1)/2",
        kernel: "quadratic",
        about: "coordinates and products of two",
        build: |_| same(Quadratic),
    },
    &MapInfo {
        signature: signature(
            "polynomial",
            &["poly"],
            &[
                DEGREE,
                Param::new("offset", Kind::Real(Range::NonNegative), 1.0, "weight of the lower degrees")
                    .or(&["c"]),
            ],
        ),
        formula: "all monomials of degree <= p, multinomial weights",
        dimension: "C(d+p, p)",
        kernel: "poly(degree=p, offset=c)",
        about: "products of up to p coordinates",
        build: |call| same(Polynomial::new(call.whole("degree") as usize, call.real("offset"))?),
    },
    &MapInfo {
        signature: signature("homogeneous", &[], &[DEGREE]),
        formula: "all monomials of degree p, multinomial weights",
        dimension: "C(d+p-1, p)",
        kernel: "poly(degree=p, offset=0)",
        about: "products of exactly p coordinates",
        build: |call| same(Homogeneous::new(call.whole("degree") as usize)?),
    },
    &MapInfo {
        signature: signature("tuples", &["ordered"], &[DEGREE]),
        formula: "prod x_{J_i} for every ordered tuple J of length r <= p",
        dimension: "sum_{r<=p} d^r",
        kernel: "tuples(degree=p)",
        about: "one feature for every ordered tuple of columns",
        build: |call| same(Tuples::new(call.whole("degree") as usize)?),
    },
    &MapInfo {
        signature: signature("monomials", &[], &[DEGREE]),
        formula: "x^J for every multi-index of degree <= p, weight 1",
        dimension: "C(d+p, p)",
        kernel: "monomials(degree=p)",
        about: "products of up to p coordinates, unweighted",
        build: |call| same(Monomials::new(call.whole("degree") as usize)?),
    },
    &MapInfo {
        signature: signature("subsets", &["all_subsets"], &[]),
        formula: "prod_{i in S} x_i for every set S of columns",
        dimension: "2^d",
        kernel: "all_subsets",
        about: "one feature for every set of columns",
        build: |_| same(Subsets),
    },
    &MapInfo {
        signature: signature("deviation", &["squared_deviation"], &[]),
        formula: "(x_j - mean_j)^2",
        dimension: "d",
        kernel: "by recursion",
        about: "squared distance from the mean of the training rows",
        build: |_| same(Deviation::new(Center::Mean)?),
    },
    &MapInfo {
        signature: signature("log", &["log1p", "saturation"], &[]),
        formula: "log(1 + x_j)",
        dimension: "d",
        kernel: "by recursion",
        about: "saturating counts and amounts",
        build: |_| same(Log),
    },
    &MapInfo {
        signature: signature(
            "buckets",
            &[],
            &[Param::new("count", Kind::Integer(2, 1000), 10.0, "buckets a column, between quantiles")
                .or(&["n"])],
        ),
        formula: "[x_j in bucket b]",
        dimension: "d*count",
        kernel: "by recursion",
        about: "indicators of quantile ranges",
        build: |call| same(Buckets::count(call.whole("count") as usize)?),
    },
    &MapInfo {
        signature: signature("standardize", &["standardise", "zscore"], &[]),
        formula: "(x_j - mean_j)/sd_j",
        dimension: "d",
        kernel: "by recursion",
        about: "mean 0 and variance 1 on the training rows",
        build: |_| same(Standardize),
    },
    &MapInfo {
        signature: signature(
            "minmax",
            &["min_max"],
            &[
                Param::new("low", Kind::Real(Range::Any), 0.0, "smallest value on the training rows"),
                Param::new("high", Kind::Real(Range::Any), 1.0, "largest value on the training rows"),
            ],
        ),
        formula: "low + (high-low)*(x_j - min_j)/(max_j - min_j)",
        dimension: "d",
        kernel: "by recursion",
        about: "a fixed range on the training rows",
        build: |call| same(MinMax::new(call.real("low"), call.real("high"))?),
    },
    &MapInfo {
        signature: signature("unit", &["unit_norm", "l2"], &[]),
        formula: "x/|x|",
        dimension: "d",
        kernel: "cosine",
        about: "every row to length 1",
        build: |_| same(Unit),
    },
    &MapInfo {
        signature: signature(
            "fourier",
            &["rff", "random_fourier"],
            &[KERNEL, Param::new("m", Kind::Integer(1, 1_000_000), 100.0, "how many features"), SEED],
        ),
        formula: "sqrt(2/m)*cos(<w_l,x> + b_l)",
        dimension: "m",
        kernel: "the kernel, in expectation",
        about: "random Fourier features of a shift-invariant kernel",
        build: |call| {
            same(fourier::Fourier::new(kernel(call), call.whole("m") as usize, call.real("seed") as u64)?)
        },
    },
    &MapInfo {
        signature: signature(
            "nystrom",
            &["nystroem"],
            &[KERNEL, Param::new("m", Kind::Integer(1, 100_000), 100.0, "how many landmarks"), SEED],
        ),
        formula: "K_mm^(-1/2) k_m(x)",
        dimension: "m",
        kernel: "the kernel, projected on m training rows",
        about: "features from m landmark rows",
        build: |call| {
            same(nystrom::Nystrom::new(kernel(call), call.whole("m") as usize, call.real("seed") as u64))
        },
    },
    &MapInfo {
        signature: signature(
            "empirical",
            &[],
            &[
                KERNEL,
                Param::new("rank", Kind::Integer(1, 100_000), 1000.0, "at most so many features").or(&["m"]),
            ],
        ),
        formula: "rows of R with K = R*R^T (pivoted Cholesky)",
        dimension: "rank",
        kernel: "the kernel itself on the training rows, when their Gram matrix has no higher rank",
        about: "coordinates that reproduce the Gram matrix of the training rows",
        build: |call| same(empirical::Empirical::new(kernel(call), call.whole("rank") as usize)),
    },
];

fn kernel(call: &Call) -> KernelExpr {
    match call.value("kernel") {
        Some(Value::Kernel(kernel)) => (**kernel).clone(),
        _ => unreachable!("the parser gives every kernel of the signature a value"),
    }
}

impl MapExpr {
    /// The map itself, not yet fitted.
    ///
    /// ```
    /// use mercer_kernel::MapExpr;
    /// let map: MapExpr = "homogeneous(degree=8)".parse().unwrap();
    /// assert_eq!(map.build().unwrap().dimension(40).to_string(), "314457495");
    /// ```
    pub fn build(&self) -> Result<Arc<dyn FeatureMap>, crate::KernelError> {
        (self.info.build)(&self.call)
    }
}
