//! The kernels, one file each: the formula, its row in the table, its definition, and how it runs on a tile.
//!
//! A kernel on vectors is a [`VectorKernel`]: `eval` is the definition, `lower` says which base and which
//! steps give the same value for thousands of pairs at once. A kernel on anything else implements
//! [`Kernel`] for its points. `check_kernel` (in [`crate::testkit`]) holds every route to the definition.

mod additive_chi2;
mod all_subsets;
mod chi2;
mod constant;
mod cosine;
mod delta;
mod exponential;
mod intersection;
mod laplace;
mod linear;
mod matern;
mod monomials;
mod periodic;
mod poly;
mod precomputed;
mod quadratic;
mod rbf;
mod rq;
mod sigmoid;
mod spectrum;
mod tanimoto;
mod tuples;
mod user;
mod white;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use mercer_linalg::{Base, Op};
use mercer_points::Points;

pub use spectrum::Spectrum;
pub use user::Registry;
pub(crate) use user::{EachPair, UserKernel};

use crate::info::KernelInfo;

/// Every kernel that has a name.
pub static KERNELS: &[&KernelInfo] = &[
    &linear::INFO,
    &quadratic::INFO,
    &poly::INFO,
    &rbf::INFO,
    &laplace::INFO,
    &exponential::INFO,
    &matern::INFO,
    &rq::INFO,
    &periodic::INFO,
    &cosine::INFO,
    &tanimoto::INFO,
    &sigmoid::INFO,
    &chi2::INFO,
    &additive_chi2::INFO,
    &intersection::INFO,
    &all_subsets::INFO,
    &monomials::INFO,
    &tuples::INFO,
    &constant::INFO,
    &white::INFO,
    &delta::INFO,
    &spectrum::INFO,
    &precomputed::INFO,
];

/// A kernel on vectors of numbers.
pub trait VectorKernel: Send + Sync + fmt::Debug {
    /// The definition; every other route is tested against it.
    fn eval(&self, x: &[f64], z: &[f64]) -> f64;
    /// The same kernel as a base and steps for the tile.
    fn lower(&self) -> Lowered;
}

/// A kernel on points of any other kind.
pub trait Kernel<P: Points>: Send + Sync {
    /// What is worked out once for a collection.
    type Ready: Send + Sync + 'static;

    /// The definition; every other route is tested against it.
    fn eval(&self, x: P::Point<'_>, z: P::Point<'_>) -> f64;

    /// Works out what tiles need.
    fn ready(&self, points: &P) -> Self::Ready;

    /// Writes k between rows `x.1` and columns `z.1` into `out`, `stride` values a row.
    fn tile(
        &self,
        x: (&Self::Ready, &[usize]),
        z: (&Self::Ready, Range<usize>),
        out: &mut [f64],
        stride: usize,
    );
}

/// How a kernel on vectors runs on the tile.
#[derive(Clone)]
pub struct Lowered {
    pub(crate) base: Base,
    pub(crate) ops: Vec<Op>,
    pub(crate) steepness: f64,
    pub(crate) rate: f64,
    pub(crate) features: Option<Features>,
}

/// Coordinates that replace those of a point.
pub(crate) type Features = Arc<dyn Fn(&[f64]) -> Vec<f64> + Send + Sync>;

impl fmt::Debug for Lowered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} then {:?}", self.base, self.ops)
    }
}

impl Lowered {
    /// A base, then these steps.
    pub fn of<const N: usize>(base: Base, ops: [Op; N]) -> Self {
        Self { base, ops: ops.to_vec(), steepness: 0.0, rate: 0.0, features: None }
    }

    /// The largest slope |dk/db| in the base b: what an error of a distance is multiplied by. Infinite where the
    /// kernel goes through a square root, which asks for distances that are exact for near points.
    pub fn steep(mut self, steepness: f64) -> Self {
        self.steepness = steepness;
        self
    }

    /// The largest slope |dk/dr| in a distance r that is not squared: what the rounding of coordinates is multiplied by.
    pub fn falling(mut self, rate: f64) -> Self {
        self.rate = rate;
        self
    }

    /// The base is taken between these features of the points.
    pub fn after(mut self, features: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static) -> Self {
        self.features = Some(Arc::new(features));
        self
    }
}

/// A kernel made from its row in the table and its parameters.
#[derive(Debug, Clone)]
pub enum Built {
    /// On vectors.
    Vector(Arc<dyn VectorKernel>),
    /// The same value for every pair.
    Constant(f64),
    /// 1 for equal points, 0 for others.
    Equality,
    /// On texts.
    Spectrum(Spectrum),
    /// An entry of a matrix.
    Precomputed,
}

impl Built {
    pub(crate) fn vector(kernel: impl VectorKernel + 'static) -> Self {
        Self::Vector(Arc::new(kernel))
    }
}
