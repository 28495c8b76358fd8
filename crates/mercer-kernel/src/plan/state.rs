//! What a plan has learned from its training table, as plain data: all that a model file keeps beside the expression.

use mercer_points::{MAX_FEATURES, State, Table, checked_dimension};

use super::Plan;
use super::view::{Change, ViewSpec, Wanted};
use crate::kernels::Features;
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

impl ViewSpec {
    /// What was learned of the training table.
    pub(super) fn state(&self) -> ViewState {
        ViewState {
            columns: self.columns.clone(),
            sparse: self.sparse,
            dim: self.dim,
            center: self.center.clone(),
            maps: self.fitted.iter().map(|map| map.state()).collect(),
        }
    }

    /// The recipe from what it had learned; an error where it cannot have learned that.
    pub(super) fn restore(
        kernel: &str,
        wanted: Wanted,
        changes: &[Change],
        features: Option<Features>,
        state: &ViewState,
    ) -> Result<Self, KernelError> {
        let wrong =
            |what: &str| KernelError::Unfit(format!("what is stored of the points of {kernel} {what}"));
        let vectors = matches!(wanted, Wanted::Vectors | Wanted::DenseVectors);
        let ViewState { columns, sparse, dim, center, maps } = state.clone();
        if !vectors && state != &ViewState::default() {
            return Err(wrong("is of vectors, and they are none"));
        }
        // Sparse coordinates are numbered in 32 bits; dense ones are counted in memory.
        if dim > 1 << 32
            || center.iter().chain(maps.iter().flat_map(|m| m.values().flatten())).any(|v| !v.is_finite())
        {
            return Err(wrong("has a number out of range"));
        }
        let mut spec = Self {
            wanted,
            changes: changes.to_vec(),
            fitted: Vec::new(),
            columns,
            sparse,
            dim,
            features,
            center,
        };
        let after = spec.restore_maps(&maps)?.ok_or_else(|| wrong("has another number of maps"))?;
        let written_out = wanted == Wanted::DenseVectors || spec.features.is_some() || !maps.is_empty();
        let expected = match &spec.features {
            _ if !vectors => 0,
            Some(features) if after <= MAX_FEATURES => features(&vec![0.0; after]).len(),
            _ if sparse && !written_out && !spec.selects() => 0,
            _ => after,
        };
        if spec.center.len() != expected {
            return Err(wrong(&format!("has a mean of {} coordinates, not {expected}", spec.center.len())));
        }
        Ok(spec)
    }

    /// Whether single columns are taken out after the first change, which writes sparse points out.
    fn selects(&self) -> bool {
        self.changes.iter().skip(1).any(|change| matches!(change, Change::Columns(_)))
    }

    /// Puts the maps back; the coordinates after all of them, or none where there are not as many maps as states.
    fn restore_maps(&mut self, states: &[State]) -> Result<Option<usize>, KernelError> {
        let (mut dim, mut left) = (self.dim, states.iter());
        for (at, change) in self.changes.iter().enumerate() {
            match change {
                Change::Columns(names) if at > 0 => dim = names.len(),
                Change::Columns(_) => {}
                Change::Map(map) => {
                    let Some(state) = left.next() else { return Ok(None) };
                    let recipe = map.build()?;
                    checked_dimension(&*recipe, dim)?;
                    let fitted = recipe.restore(dim, state)?;
                    dim = fitted.dim_out();
                    self.fitted.push(fitted);
                }
            }
        }
        Ok(left.next().is_none().then_some(dim))
    }
}
