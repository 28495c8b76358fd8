//! What a problem stands on: the target as a learner takes it, and the table as the kernel sees it.

use mercer_gram::{Lazy, Precision};
use mercer_points::{Points, Table};
use mercer_solve::loss::LossSpec;

use crate::fit::{check, prepare};
use crate::target::{Goal, goal, row_weights};
use crate::{ModelError, Preprocessing, Schema, Spec, Training};

/// Everything about a training set that is worked out before anything is solved.
pub(crate) struct Ground {
    pub(crate) loss: Option<LossSpec>,
    pub(crate) goal: Goal,
    /// How much each row counts; none where all count alike.
    pub(crate) weights: Option<Vec<f64>>,
    pub(crate) schema: Schema,
    pub(crate) preprocessing: Preprocessing,
    /// The table after preprocessing.
    pub(crate) table: Table,
}

/// Up to so many rows products with K are made in double precision: they are cheap there.
pub(crate) const DOUBLE: usize = 5000;

impl Ground {
    pub(crate) fn of(spec: &Spec, training: &Training<'_>) -> Result<Self, ModelError> {
        let rows = training.table.len();
        let loss = check(spec)?;
        let goal = goal(spec, loss, (training.target, training.others), rows)?;
        let weights = row_weights(spec, &goal, training.weights, rows)?;
        let (schema, preprocessing) = prepare(spec, training)?;
        let table = preprocessing.apply(&schema, training.table)?;
        Ok(Self { loss, goal, weights, schema, preprocessing, table })
    }

    /// The Gram matrix of its rows, in the precision that their number allows.
    pub(crate) fn gram(&self, spec: &Spec, training: &Training<'_>) -> Result<Lazy, ModelError> {
        let is_small = self.table.len() <= DOUBLE;
        self.gram_in(if is_small { Precision::Double } else { Precision::Single }, spec, training)
    }

    /// The same in a precision of one's own choice.
    pub(crate) fn gram_in(
        &self,
        precision: Precision,
        spec: &Spec,
        training: &Training<'_>,
    ) -> Result<Lazy, ModelError> {
        Ok(Lazy::with(&spec.kernel, &self.table, training.registry)?.in_precision(precision))
    }
}
