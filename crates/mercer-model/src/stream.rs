//! The online perceptron on a stream of rows (`docs/maths.md` §4.3).

use mercer_kernel::Registry;
use mercer_points::{Column, Table};

use crate::{Model, ModelError, Spec};

/// An online perceptron that sees rows as they come.
#[derive(Debug)]
pub struct Stream {
    spec: Spec,
    registry: Registry,
}

/// What some rows of a stream did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamReport {
    /// Rows seen now.
    pub rows: usize,
    /// Mistakes among them.
    pub mistakes: usize,
    /// Rows seen so far.
    pub seen: u64,
    /// Mistakes so far.
    pub total_mistakes: u64,
    /// Support points now.
    pub support: usize,
}

impl Stream {
    /// A perceptron that has seen nothing.
    pub fn new(spec: &Spec, registry: &Registry) -> Result<Self, ModelError> {
        Ok(Self { spec: spec.clone(), registry: registry.clone() })
    }

    /// Takes rows in order.
    pub fn observe(&mut self, _rows: &Table, _target: &Column) -> Result<StreamReport, ModelError> {
        let _ = (&self.spec, &self.registry);
        Err(ModelError::Data(String::new()))
    }

    /// The model as it is now.
    pub fn model(&self) -> Result<Model, ModelError> {
        Err(ModelError::Data(String::new()))
    }
}
