//! The coordinates themselves.

use std::sync::Arc;

use num_bigint::BigUint;

use super::build::checked_dimension;
use super::map::{FeatureMap, Fitted, State};
use crate::PointsError;

/// ψ(x) = x, with the kernel ⟨x,z⟩ (`docs/maths.md` §1.1).
///
/// ```
/// use mercer_points::{Dense, FeatureMap, Identity};
/// let x = Dense::from_rows(&[[1.0, 2.0]]);
/// assert_eq!(Identity.fit(&x)?.apply(&x)?, x);
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity;

impl FeatureMap for Identity {
    fn name(&self) -> String {
        "identity".into()
    }

    fn dimension(&self, dim_in: usize) -> BigUint {
        dim_in.into()
    }

    fn restore(&self, dim_in: usize, _: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        Ok(Arc::new(Same(checked_dimension(self, dim_in)?)))
    }

    fn kernel_hint(&self) -> Option<String> {
        Some("linear".into())
    }
}

#[derive(Debug)]
struct Same(usize);

impl Fitted for Same {
    fn dim_in(&self) -> usize {
        self.0
    }

    fn dim_out(&self) -> usize {
        self.0
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        out.copy_from_slice(x);
        Ok(())
    }

    fn names(&self, inputs: &[String]) -> Vec<String> {
        inputs.to_vec()
    }

    fn columnwise(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps::laws::{check_kernel_of_map, fixed_seed, some_points};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn the_kernel_is_the_inner_product(points in some_points()) {
            check_kernel_of_map(&Identity, &points, |x, z| (0..x.len()).map(|i| x[i] * z[i]).sum());
        }
    }
}
