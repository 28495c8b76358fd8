//! From a specification and a table to a model.

use mercer_kernel::Registry;
use mercer_linalg::Budget;
use mercer_points::{Column, Table};
use mercer_solve::{Limits, Silent, Watch};

use crate::{Model, ModelError, Spec};

/// Rows to learn from.
#[derive(Debug, Clone, Copy)]
pub struct Training<'a> {
    /// The points, without the target.
    pub table: &'a Table,
    /// What is to be predicted; none for learners that need nothing.
    pub target: Option<&'a Column>,
    /// How much each row counts.
    pub weights: Option<&'a [f64]>,
    /// Kernels of the user's.
    pub registry: &'a Registry,
    /// What the rows were read from, for the record.
    pub source: &'a str,
}

/// What surrounds a fit.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// When to end, apart from success.
    pub limits: Limits,
    /// Memory for whole matrices.
    pub budget: Budget,
    /// Who watches and may stop it.
    pub watch: &'a dyn Watch,
}

impl std::fmt::Debug for Setting<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setting").field("limits", &self.limits).field("budget", &self.budget).finish()
    }
}

impl Default for Setting<'_> {
    fn default() -> Self {
        Self { limits: Limits::default(), budget: Budget::default(), watch: &Silent }
    }
}

/// Learns a model.
pub fn fit(_spec: &Spec, _training: &Training<'_>, _setting: &Setting<'_>) -> Result<Model, ModelError> {
    Err(ModelError::Data(String::new()))
}
