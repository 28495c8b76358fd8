//! `K_mm^(-1/2) k_m(x)` for m landmarks (`docs/maths.md` §1.1).
//!
//! Directions whose eigenvalue is lost in rounding are left out, as in a pseudo-inverse.

use std::sync::Arc;

use mercer_linalg::eigh;
use mercer_points::{Dense, FeatureMap, Fitted, Points, PointsError, State};
use num_bigint::BigUint;
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_pcg::Pcg64;

use super::landmarks::{Landmarks, invalid, table};
use crate::{KernelExpr, Plan, Registry};

#[derive(Debug)]
pub(super) struct Nystrom {
    kernel: KernelExpr,
    m: usize,
    seed: u64,
}

impl Nystrom {
    pub(super) fn new(kernel: KernelExpr, m: usize, seed: u64) -> Self {
        Self { kernel, m, seed }
    }
}

impl FeatureMap for Nystrom {
    fn name(&self) -> String {
        format!("nystrom(kernel={}, m={})", self.kernel, self.m)
    }

    fn dimension(&self, _dim_in: usize) -> BigUint {
        self.m.into()
    }

    fn learn(&self, points: &Dense<f64>) -> Result<State, PointsError> {
        let plan = Plan::compile(&self.kernel, &table(points)?, &Registry::new()).map_err(invalid)?;
        let mut rows =
            sample(&mut Pcg64::seed_from_u64(self.seed), points.len(), self.m.min(points.len())).into_vec();
        rows.sort_unstable();
        Ok(Landmarks::learned(points, &rows, &plan))
    }

    fn restore(&self, dim_in: usize, state: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        Landmarks::restored("nystrom", &self.kernel, (dim_in, state), self.m, inverse_root)
    }
}

/// K^(-1/2), as a pseudo-inverse.
fn inverse_root(m: usize, gram: &[f64]) -> Result<Vec<f64>, PointsError> {
    let (values, vectors) = eigh(m, gram).map_err(invalid)?;
    let floor = m as f64 * f64::EPSILON * values.last().copied().unwrap_or(0.0);
    let mut root = vec![0.0; m * m];
    for (value, vector) in
        values.iter().zip(vectors.chunks_exact(m.max(1))).filter(|(value, _)| **value > floor)
    {
        for (i, row) in root.chunks_exact_mut(m).enumerate() {
            row.iter_mut().zip(vector).for_each(|(slot, v)| *slot += vector[i] * v / value.sqrt());
        }
    }
    Ok(root)
}
