//! The kernel of a model, ready to run between new points and its support points.

use mercer_kernel::Registry;

use crate::{ModelError, Parts};

/// What evaluates the kernel.
#[derive(Debug)]
pub(crate) struct Engine;

impl Engine {
    pub(crate) fn new(_parts: &Parts, _registry: &Registry) -> Result<Self, ModelError> {
        Ok(Self)
    }
}
