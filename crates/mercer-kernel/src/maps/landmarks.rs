//! What Nyström and the empirical map have in common: features that are linear in k(landmarks, x).

use std::sync::Arc;

use mercer_linalg::Budget;
use mercer_points::{ColumnData, Dense, Fitted, Points, PointsError, State, Table};

use crate::{KernelExpr, Plan, Ready, Registry};

/// ψ(x) = A·(k(x_1,x), …, k(x_m,x)) for landmarks x_1 … x_m.
#[derive(Debug)]
pub(super) struct Landmarks {
    name: &'static str,
    plan: Plan,
    points: Ready,
    landmarks: Dense<f64>,
    /// The numbers that words of the kernel became on the training rows; the landmarks alone would give others.
    resolved: Vec<f64>,
    weights: Vec<f64>,
    dim_out: usize,
}

/// A table of one block of vectors, which is what a plan takes.
pub(super) fn table(points: &Dense<f64>) -> Result<Table, PointsError> {
    let mut table = Table::new();
    let names = (1..=points.dim()).map(|j| j.to_string()).collect();
    table.push("features", ColumnData::Dense(points.clone(), names))?;
    Ok(table)
}

pub(super) fn invalid(error: impl ToString) -> PointsError {
    PointsError::Invalid(error.to_string())
}

/// The Gram matrix of rows among themselves, by the definition; with what is made of it, five such matrices.
fn gram(plan: &Plan, rows: &Ready) -> Result<Vec<f64>, PointsError> {
    let n = rows.len();
    within_budget(&format!("{n} landmarks"), 5 * 8 * n as u128 * n as u128)?;
    Ok((0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| plan.pair(rows, i, rows, j)).collect())
}

/// An error if so many bytes are not to be had.
pub(super) fn within_budget(what: &str, bytes: u128) -> Result<(), PointsError> {
    let budget = Budget::default();
    if budget.allows(bytes) {
        return Ok(());
    }
    let instead = "take fewer (m or rank)".to_owned();
    Err(PointsError::TooLarge {
        what: what.to_owned(),
        needed: bytes.to_string(),
        limit: budget.bytes(),
        instead,
    })
}

impl Landmarks {
    /// What is learned of training rows: the landmarks among them, and the numbers that words of the kernel became.
    pub(super) fn learned(points: &Dense<f64>, rows: &[usize], plan: &Plan) -> State {
        let landmarks = points.select(rows).into_values();
        State::from([("landmarks".to_owned(), landmarks), ("gamma".to_owned(), plan.resolved().to_vec())])
    }

    /// The fitted map. `weights` makes A from the Gram matrix of the landmarks: row-major, of as many values a row as
    /// there are landmarks; of `dim_out` rows those that are missing are zero.
    pub(super) fn restored(
        name: &'static str,
        kernel: &KernelExpr,
        (dim_in, state): (usize, &State),
        dim_out: usize,
        weights: impl FnOnce(usize, &[f64]) -> Result<Vec<f64>, PointsError>,
    ) -> Result<Arc<dyn Fitted>, PointsError> {
        let stored = |name: &str| state.get(name).cloned().unwrap_or_default();
        let values = stored("landmarks");
        let resolved = stored("gamma");
        if let Some(gamma) = resolved.iter().find(|gamma| !(gamma.is_finite() && **gamma > 0.0)) {
            return Err(invalid(format!("the kernel of the map {name} cannot have gamma = {gamma}")));
        }
        let landmarks = Dense::new(values.len() / dim_in.max(1), dim_in, values)?;
        let table = table(&landmarks)?;
        let kernel = kernel.with_resolved(&resolved);
        let plan = Plan::compile(&kernel, &table, &Registry::new()).map_err(invalid)?;
        let points = plan.ready(&table).map_err(invalid)?;
        let weights = weights(landmarks.len(), &gram(&plan, &points)?)?;
        Ok(Arc::new(Self { name, plan, points, landmarks, resolved, weights, dim_out }))
    }
}

impl Fitted for Landmarks {
    fn dim_in(&self) -> usize {
        self.landmarks.dim()
    }

    fn dim_out(&self) -> usize {
        self.dim_out
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        let row = table(&Dense::new(1, x.len(), x.to_vec())?)?;
        let row = self.plan.ready(&row).map_err(invalid)?;
        let values: Vec<f64> =
            (0..self.points.len()).map(|j| self.plan.pair(&row, 0, &self.points, j)).collect();
        out.fill(0.0);
        if !values.is_empty() {
            for (slot, weights) in out.iter_mut().zip(self.weights.chunks_exact(values.len())) {
                *slot = weights.iter().zip(&values).map(|(w, k)| w * k).sum();
            }
        }
        Ok(())
    }

    fn names(&self, _inputs: &[String]) -> Vec<String> {
        (1..=self.dim_out).map(|l| format!("{}{l}", self.name)).collect()
    }

    fn state(&self) -> State {
        let mut state = State::new();
        state.insert("landmarks".into(), self.landmarks.values().to_vec());
        state.insert("gamma".into(), self.resolved.clone());
        state
    }
}
