//! Columns stretched to a span.

use std::sync::Arc;

use num_bigint::BigUint;

use crate::maps::build::checked_dimension;
use crate::maps::map::{FeatureMap, Fitted, State, numbers, some_rows};
use crate::{Dense, PointsError};

/// Stretches each column so that the training rows span [low, high]; new rows may fall outside.
///
/// A column that is constant on the training rows becomes `low`, in new rows too.
///
/// ```
/// use mercer_points::{Dense, FeatureMap, MinMax};
/// let train = Dense::from_rows(&[[10.0, 5.0], [30.0, 5.0]]);
/// let fitted = MinMax::default().fit(&train)?;
/// assert_eq!(fitted.apply(&train)?.values(), &[0.0, 0.0, 1.0, 0.0]);
/// assert_eq!(fitted.apply(&Dense::from_rows(&[[40.0, 6.0]]))?.values(), &[1.5, 0.0]);
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MinMax {
    low: f64,
    high: f64,
}

impl MinMax {
    /// The span to stretch to: finite, `low < high`.
    pub fn new(low: f64, high: f64) -> Result<Self, PointsError> {
        if low < high && low.is_finite() && high.is_finite() {
            return Ok(Self { low, high });
        }
        let fact = format!("the map minmax needs finite numbers low < high, found {low} and {high}");
        Err(PointsError::Invalid(fact))
    }

    /// The low end of the span.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The high end of the span.
    pub fn high(&self) -> f64 {
        self.high
    }
}

impl Default for MinMax {
    fn default() -> Self {
        Self { low: 0.0, high: 1.0 }
    }
}

impl FeatureMap for MinMax {
    fn name(&self) -> String {
        match *self {
            Self { low: 0.0, high: 1.0 } => "minmax".into(),
            Self { low, high } => format!("minmax(low={low}, high={high})"),
        }
    }

    fn dimension(&self, dim_in: usize) -> BigUint {
        dim_in.into()
    }

    fn learn(&self, points: &Dense<f64>) -> Result<State, PointsError> {
        some_rows("minmax", points)?;
        let extreme = |start: f64, pick: fn(f64, f64) -> f64| -> Vec<f64> {
            (0..points.dim()).map(|j| points.rows().fold(start, |e, x| pick(e, x[j]))).collect()
        };
        let (min, max) = (extreme(f64::INFINITY, f64::min), extreme(f64::NEG_INFINITY, f64::max));
        Ok(State::from([("min".into(), min), ("max".into(), max)]))
    }

    fn restore(&self, dim_in: usize, state: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        let dim = checked_dimension(self, dim_in)?;
        let (min, max) = (numbers(state, "min", dim)?, numbers(state, "max", dim)?);
        if let Some(j) = (0..dim).find(|&j| min[j] > max[j] || !(max[j] - min[j]).is_finite()) {
            let (column, min, max) = (j + 1, min[j], max[j]);
            let fact = format!("column {column} of the map minmax cannot span from {min} to {max}");
            return Err(PointsError::Invalid(fact));
        }
        Ok(Arc::new(Stretched { min, max, span: *self }))
    }
}

#[derive(Debug)]
struct Stretched {
    min: Vec<f64>,
    max: Vec<f64>,
    span: MinMax,
}

impl Fitted for Stretched {
    fn dim_in(&self) -> usize {
        self.min.len()
    }

    fn dim_out(&self) -> usize {
        self.min.len()
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        for (j, place) in out.iter_mut().enumerate() {
            let range = self.max[j] - self.min[j];
            let share = if range == 0.0 { 0.0 } else { (x[j] - self.min[j]) / range };
            // In this form the shares 0 and 1 give both ends exactly.
            *place = self.span.low * (1.0 - share) + self.span.high * share;
        }
        Ok(())
    }

    fn names(&self, inputs: &[String]) -> Vec<String> {
        inputs.to_vec()
    }

    fn state(&self) -> State {
        State::from([("min".into(), self.min.clone()), ("max".into(), self.max.clone())])
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

    fn column(points: &Dense<f64>, j: usize) -> Vec<f64> {
        points.rows().map(|x| x[j]).collect()
    }

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn the_kernel_of_minmax_is_that_of_shares(points in some_points()) {
            let share = |x: &[f64], j: usize| {
                let mut values = column(&points, j);
                values.sort_by(f64::total_cmp);
                (x[j] - values[0]) / (values[values.len() - 1] - values[0])
            };
            check_kernel_of_map(&MinMax::default(), &points, |x, z| {
                (0..x.len()).map(|j| share(x, j) * share(z, j)).sum()
            });
            let wide = MinMax::new(-1.0, 3.0).unwrap();
            check_kernel_of_map(&wide, &points, |x, z| {
                (0..x.len()).map(|j| (4.0 * share(x, j) - 1.0) * (4.0 * share(z, j) - 1.0)).sum()
            });
        }
    }

    #[test]
    fn new_rows_are_scaled_with_the_numbers_of_the_training_rows() {
        let train = Dense::from_rows(&[[0.0], [10.0]]);
        let new = Dense::from_rows(&[[5.0], [20.0], [20.0]]);
        let span = MinMax::new(-1.0, 1.0).unwrap();
        assert_eq!(span.fit(&train).unwrap().apply(&new).unwrap().values(), &[0.0, 3.0, 3.0]);
    }

    #[test]
    fn a_constant_column_becomes_the_low_end() {
        let train = Dense::from_rows(&[[0.1], [0.1], [0.1]]);
        let span = MinMax::new(0.25, 1.0).unwrap();
        assert_eq!(span.fit(&train).unwrap().apply(&train).unwrap().values(), &[0.25; 3]);
    }

    #[test]
    fn spans_and_ranges_that_scale_nothing_are_refused() {
        assert!(MinMax::new(1.0, 1.0).is_err() && MinMax::new(0.0, f64::INFINITY).is_err());
        assert!(MinMax::default().fit(&Dense::new(0, 2, Vec::new()).unwrap()).is_err());
        assert!(MinMax::default().fit(&Dense::from_rows(&[[-1.7e308], [1.7e308]])).is_err());
        let state = State::from([("min".into(), vec![1.0]), ("max".into(), vec![0.0])]);
        assert!(MinMax::default().restore(1, &state).is_err());
    }
}
