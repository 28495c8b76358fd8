//! What a plan has learned from its training table, as plain data: all that a model file keeps beside the expression.

use mercer_points::{State, Table};

use super::Plan;
use crate::{KernelError, KernelExpr, Registry};

/// What every view of a [`Plan`] has learned, in the order in which the expression asks for them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlanState {
    /// One entry a view.
    pub views: Vec<ViewState>,
}

/// What one view has learned: the columns it takes, their form, and the numbers of its maps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ViewState {
    /// The numeric columns of the training table; none for points that are not vectors.
    pub columns: Vec<String>,
    /// Whether the points are sparse.
    pub sparse: bool,
    /// Coordinates before any map.
    pub dim: usize,
    /// The mean of the training rows after all maps; none for points that are not dense vectors.
    pub center: Vec<f64>,
    /// What each map has learned, from the outside in.
    pub maps: Vec<State>,
}

impl Plan {
    /// What the plan has learned; with the resolved expression it is the plan again.
    pub fn state(&self) -> PlanState {
        PlanState { views: self.views.iter().map(|view| view.state()).collect() }
    }

    /// The plan of an expression without words, from what it had learned. `table` has the columns of the training
    /// table, after what came before the kernel; its rows teach nothing.
    ///
    /// ```
    /// use mercer_kernel::{Plan, Registry};
    /// use mercer_points::{ColumnData, Points, Table};
    /// let mut table = Table::new();
    /// table.push("x", ColumnData::Numbers(vec![0.0, 1.0, 5.0])).unwrap();
    /// let registry = Registry::new();
    /// let plan = Plan::compile(&"rbf@standardize".parse().unwrap(), &table, &registry).unwrap();
    /// let few = table.select(&[2]);
    /// let again = Plan::restore(plan.expr(), &few, &registry, &plan.state()).unwrap();
    /// let (x, z) = (plan.ready(&table).unwrap(), again.ready(&table).unwrap());
    /// assert_eq!(plan.pair(&x, 0, &x, 1), again.pair(&z, 0, &z, 1));
    /// ```
    pub fn restore(
        expr: &KernelExpr,
        table: &Table,
        registry: &Registry,
        state: &PlanState,
    ) -> Result<Self, KernelError> {
        super::compile::restore(expr, table, registry, state)
    }
}
