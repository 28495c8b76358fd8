//! `√(2/m)·cos(⟨ω_l,x⟩ + b_l)`: random Fourier features (`docs/maths.md` §1.1).
//!
//! A shift-invariant kernel is the Fourier transform of a density (Bochner); frequencies are drawn from it:
//! Gaussian for the Gaussian kernel, Cauchy for the Laplacian, Student for Matérn, a mixture of Gaussians for
//! the rational quadratic.

use std::sync::Arc;

use mercer_points::{Dense, FeatureMap, Fitted, PointsError, State};
use num_bigint::BigUint;
use rand::{RngExt, SeedableRng};
use rand_distr::{Cauchy, ChiSquared, Distribution, Gamma, StandardNormal};
use rand_pcg::Pcg64;

use super::landmarks::{invalid, table};
use crate::{KernelError, KernelExpr, Plan, Registry};

#[derive(Debug)]
pub(super) struct Fourier {
    kernel: KernelExpr,
    m: usize,
    seed: u64,
}

impl Fourier {
    pub(super) fn new(kernel: KernelExpr, m: usize, seed: u64) -> Result<Self, KernelError> {
        let known = ["rbf", "laplace", "matern", "rq", "exponential"];
        match &kernel {
            KernelExpr::Leaf(leaf)
                if known.contains(&leaf.call().signature().name)
                    && leaf.call().word("distance") != Some("hamming") =>
            {
                Ok(Self { kernel, m, seed })
            }
            _ => Err(KernelError::Unfit(format!(
                "fourier needs a single shift-invariant kernel ({}), not {kernel}; nystrom takes any kernel",
                known.join(", ")
            ))),
        }
    }

    /// One frequency vector of the kernel's spectral density.
    fn frequency(&self, kernel: &KernelExpr, dim: usize, random: &mut Pcg64) -> Vec<f64> {
        let KernelExpr::Leaf(leaf) = kernel else { unreachable!("checked when the map was made") };
        let call = leaf.call();
        let mut normal = |sd: f64| -> Vec<f64> {
            (0..dim).map(|_| sd * Distribution::<f64>::sample(&StandardNormal, random)).collect()
        };
        match call.signature().name {
            "rbf" => {
                let of_sigma = call.number("sigma").map(|s| 0.5 / (s * s));
                let of_width = call.number("width").map(|w| 1.0 / (w * w));
                let gamma = call.number("gamma").or(of_sigma).or(of_width).unwrap_or(1.0);
                normal((2.0 * gamma).sqrt())
            }
            "rq" => {
                let alpha = call.real("alpha");
                let direction = normal(1.0 / call.real("scale"));
                let mixing: f64 = Gamma::new(alpha, 1.0 / alpha).expect("alpha is positive").sample(random);
                direction.iter().map(|v| v * mixing.sqrt()).collect()
            }
            name => {
                let scale = call.real("scale");
                if name == "laplace" || call.word("distance") == Some("manhattan") {
                    let cauchy = Cauchy::new(0.0, 1.0 / scale).expect("scale is positive");
                    return (0..dim).map(|_| cauchy.sample(random)).collect();
                }
                // Multivariate Student with 2·nu degrees of freedom: a normal over √(χ²/2nu).
                let freedom = 2.0 * call.number("nu").unwrap_or(0.5);
                let direction = normal(1.0 / scale);
                let chi: f64 = ChiSquared::new(freedom).expect("nu is positive").sample(random);
                direction.iter().map(|v| v / (chi / freedom).sqrt()).collect()
            }
        }
    }
}

impl FeatureMap for Fourier {
    fn name(&self) -> String {
        format!("fourier(kernel={}, m={})", self.kernel, self.m)
    }

    fn dimension(&self, _dim_in: usize) -> BigUint {
        self.m.into()
    }

    fn learn(&self, points: &Dense<f64>) -> Result<State, PointsError> {
        let plan = Plan::compile(&self.kernel, &table(points)?, &Registry::new()).map_err(invalid)?;
        let mut random = Pcg64::seed_from_u64(self.seed);
        let (mut frequencies, mut phases) = (Vec::new(), Vec::new());
        for _ in 0..self.m {
            frequencies.extend(self.frequency(plan.expr(), points.dim(), &mut random));
            phases.push(random.random_range(0.0..std::f64::consts::TAU));
        }
        Ok(State::from([("frequencies".to_owned(), frequencies), ("phases".to_owned(), phases)]))
    }

    fn restore(&self, dim_in: usize, state: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        let stored = |name: &str| state.get(name).cloned().unwrap_or_default();
        let frequencies = Dense::new(self.m, dim_in, stored("frequencies"))?;
        let phases = Dense::new(self.m, 1, stored("phases"))?.into_values();
        Ok(Arc::new(Waves { frequencies, phases }))
    }
}

#[derive(Debug)]
struct Waves {
    frequencies: Dense<f64>,
    phases: Vec<f64>,
}

impl Fitted for Waves {
    fn dim_in(&self) -> usize {
        self.frequencies.dim()
    }

    fn dim_out(&self) -> usize {
        self.phases.len()
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        let height = (2.0 / self.phases.len() as f64).sqrt();
        for ((slot, frequency), phase) in out.iter_mut().zip(self.frequencies.rows()).zip(&self.phases) {
            *slot = height * (frequency.iter().zip(x).map(|(w, v)| w * v).sum::<f64>() + phase).cos();
        }
        Ok(())
    }

    fn names(&self, _inputs: &[String]) -> Vec<String> {
        (1..=self.phases.len()).map(|l| format!("fourier{l}")).collect()
    }

    fn state(&self) -> State {
        let (frequencies, phases) = (self.frequencies.values().to_vec(), self.phases.clone());
        State::from([("frequencies".to_owned(), frequencies), ("phases".to_owned(), phases)])
    }
}
