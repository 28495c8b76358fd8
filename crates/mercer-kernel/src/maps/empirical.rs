//! Rows of R with K = R·Rᵀ, by pivoted Cholesky (`docs/maths.md` §1.1).
//!
//! Pivots are taken where the residual diagonal is largest, until it is lost in rounding or the rank asked for is
//! reached. A new point is written in the span of the pivots; features that are not needed are zero.

use std::sync::Arc;

use mercer_points::{Dense, FeatureMap, Fitted, Points, PointsError, State};
use num_bigint::BigUint;

use super::landmarks::{Landmarks, invalid, table, within_budget};
use crate::{KernelExpr, Plan, Registry};

#[derive(Debug)]
pub(super) struct Empirical {
    kernel: KernelExpr,
    rank: usize,
}

impl Empirical {
    pub(super) fn new(kernel: KernelExpr, rank: usize) -> Self {
        Self { kernel, rank }
    }
}

impl FeatureMap for Empirical {
    fn name(&self) -> String {
        format!("empirical(kernel={}, rank={})", self.kernel, self.rank)
    }

    fn dimension(&self, _dim_in: usize) -> BigUint {
        self.rank.into()
    }

    fn learn(&self, points: &Dense<f64>) -> Result<State, PointsError> {
        let table = table(points)?;
        let plan = Plan::compile(&self.kernel, &table, &Registry::new()).map_err(invalid)?;
        let ready = plan.ready(&table).map_err(invalid)?;
        let most = self.rank.min(points.len()) as u128;
        within_budget("the empirical map", 8 * most * (points.len() as u128 + 5 * most))?;
        let mut residual = ready.diagonal().to_vec();
        let floor = points.len() as f64 * f64::EPSILON * residual.iter().fold(0.0, |a: f64, &b| a.max(b));
        let (mut pivots, mut columns): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        while pivots.len() < self.rank.min(points.len()) {
            let (pivot, &largest) = residual
                .iter()
                .enumerate()
                .max_by(|a, b| a.1.total_cmp(b.1))
                .expect("rank is below the number of rows");
            if largest <= floor {
                break;
            }
            let known = |i: usize| columns.iter().map(|c| c[i] * c[pivot]).sum::<f64>();
            let column: Vec<f64> = (0..points.len())
                .map(|i| (plan.pair(&ready, i, &ready, pivot) - known(i)) / largest.sqrt())
                .collect();
            residual.iter_mut().zip(&column).for_each(|(r, c)| *r = (*r - c * c).max(0.0));
            residual[pivot] = 0.0;
            pivots.push(pivot);
            columns.push(column);
        }
        Ok(Landmarks::learned(points, &pivots, &plan))
    }

    fn restore(&self, dim_in: usize, state: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        Landmarks::restored("empirical", &self.kernel, (dim_in, state), self.rank, |m, gram| {
            let name = &self.kernel;
            inverse_lower(m, gram).ok_or_else(|| {
                invalid(format!("{name} is not positive definite on its own pivots; it has no feature map"))
            })
        })
    }
}

/// L⁻¹ for K = L·Lᵀ; `None` if K is not positive definite.
fn inverse_lower(m: usize, gram: &[f64]) -> Option<Vec<f64>> {
    let mut lower = vec![0.0; m * m];
    for i in 0..m {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| lower[i * m + k] * lower[j * m + k]).sum();
            let rest = gram[i * m + j] - known;
            lower[i * m + j] =
                if i == j { (rest > 0.0).then(|| rest.sqrt())? } else { rest / lower[j * m + j] };
        }
    }
    let mut inverse = vec![0.0; m * m];
    for column in 0..m {
        for i in column..m {
            let known: f64 = (column..i).map(|k| lower[i * m + k] * inverse[k * m + column]).sum();
            inverse[i * m + column] = (f64::from(u8::from(i == column)) - known) / lower[i * m + i];
        }
    }
    Some(inverse)
}
