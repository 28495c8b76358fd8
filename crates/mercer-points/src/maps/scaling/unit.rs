//! Rows of unit norm.

use std::sync::Arc;

use num_bigint::BigUint;

use crate::maps::build::checked_dimension;
use crate::maps::map::{FeatureMap, Fitted, State, in_row};
use crate::{Dense, PointsError};

/// x/‖x‖: each row of Euclidean norm 1. A row of zeros has no direction and is an error that names it.
///
/// ```
/// use mercer_points::{Dense, FeatureMap, Unit};
/// let x = Dense::from_rows(&[[3.0, 4.0]]);
/// assert_eq!(Unit.fit(&x)?.apply(&x)?.values(), &[0.6, 0.8]);
/// let error = Unit.fit(&Dense::from_rows(&[[1.0], [0.0]])).unwrap_err();
/// assert_eq!(error.to_string(), "row 2: every value is 0, so it has no unit norm; remove such rows first");
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit;

impl FeatureMap for Unit {
    fn name(&self) -> String {
        "unit".into()
    }

    fn dimension(&self, dim_in: usize) -> BigUint {
        dim_in.into()
    }

    fn learn(&self, points: &Dense<f64>) -> Result<State, PointsError> {
        for (i, x) in points.rows().enumerate() {
            largest(x).map_err(|error| in_row(i, error))?;
        }
        Ok(State::new())
    }

    fn restore(&self, dim_in: usize, _: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        Ok(Arc::new(Direction(checked_dimension(self, dim_in)?)))
    }

    fn kernel_hint(&self) -> Option<String> {
        Some("cosine".into())
    }
}

#[derive(Debug)]
struct Direction(usize);

impl Fitted for Direction {
    fn dim_in(&self) -> usize {
        self.0
    }

    fn dim_out(&self) -> usize {
        self.0
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        // Shares of the largest value have squares that neither overflow nor all vanish.
        let largest = largest(x)?;
        out.iter_mut().zip(x).for_each(|(place, v)| *place = v / largest);
        let norm = out.iter().map(|v| v * v).sum::<f64>().sqrt();
        out.iter_mut().for_each(|v| *v /= norm);
        Ok(())
    }

    fn names(&self, inputs: &[String]) -> Vec<String> {
        inputs.to_vec()
    }

    fn columnwise(&self) -> bool {
        true
    }
}

fn largest(x: &[f64]) -> Result<f64, PointsError> {
    match x.iter().fold(0.0, |largest: f64, v| largest.max(v.abs())) {
        0.0 => {
            let fact = "every value is 0, so it has no unit norm; remove such rows first";
            Err(PointsError::Invalid(fact.into()))
        }
        largest => Ok(largest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps::laws::{check_kernel_of_map, dot, fixed_seed, some_points};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn the_kernel_of_unit_is_the_cosine(points in some_points()) {
            prop_assume!(points.dim() > 0);
            check_kernel_of_map(&Unit, &points, |x, z| dot(x, z) / (dot(x, x) * dot(z, z)).sqrt());
        }
    }

    #[test]
    fn values_of_any_size_are_scaled() {
        for size in [5e-324, 1e-300, 1e300] {
            let x = Dense::from_rows(&[[size, 0.0], [0.0, size]]);
            assert_eq!(Unit.fit(&x).unwrap().apply(&x).unwrap().values(), &[1.0, 0.0, 0.0, 1.0]);
        }
    }
}
