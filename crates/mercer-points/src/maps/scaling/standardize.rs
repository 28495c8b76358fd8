//! Mean 0 and variance 1.

use std::sync::Arc;

use num_bigint::BigUint;

use crate::maps::build::checked_dimension;
use crate::maps::map::{FeatureMap, Fitted, State, numbers, some_rows};
use crate::{Dense, Points, PointsError};

/// (x_j − mean_j)/scale_j: mean 0 and variance 1 (over n, not n − 1) on the training rows.
///
/// A column that is constant there has the scale 1: its training rows become 0, new rows their deviation.
///
/// ```
/// use mercer_points::{Dense, FeatureMap, Standardize};
/// let train = Dense::from_rows(&[[1.0, 7.0], [3.0, 7.0]]);
/// let fitted = Standardize.fit(&train)?;
/// assert_eq!(fitted.apply(&train)?.values(), &[-1.0, 0.0, 1.0, 0.0]);
/// assert_eq!(fitted.apply(&Dense::from_rows(&[[5.0, 8.0]]))?.values(), &[3.0, 1.0]);
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standardize;

impl FeatureMap for Standardize {
    fn name(&self) -> String {
        "standardize".into()
    }

    fn dimension(&self, dim_in: usize) -> BigUint {
        dim_in.into()
    }

    fn learn(&self, points: &Dense<f64>) -> Result<State, PointsError> {
        some_rows("standardize", points)?;
        let mean = column_means(points);
        let scale = (0..points.dim()).map(|j| deviation(points, j, mean[j])).collect();
        Ok(State::from([("mean".into(), mean), ("scale".into(), scale)]))
    }

    fn restore(&self, dim_in: usize, state: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        let dim = checked_dimension(self, dim_in)?;
        let (mean, scale) = (numbers(state, "mean", dim)?, numbers(state, "scale", dim)?);
        if scale.iter().any(|&s| s <= 0.0) {
            return Err(PointsError::Invalid("the scales of the map standardize must be above 0".into()));
        }
        Ok(Arc::new(Standardized { mean, scale }))
    }
}

/// The mean of each column; exactly the value where all are equal.
pub(in crate::maps) fn column_means(points: &Dense<f64>) -> Vec<f64> {
    // A running mean cannot overflow as a sum can, and where no value differs it stays put.
    let mut mean = vec![0.0; points.dim()];
    for (i, x) in points.rows().enumerate() {
        mean.iter_mut().zip(x).for_each(|(m, v)| *m += (v - *m) / (i + 1) as f64);
    }
    // Its rounding, which matters for narrow columns far from zero, is seen by a second pass.
    let mut left = vec![0.0; points.dim()];
    for x in points.rows() {
        left.iter_mut().zip(x).zip(&mean).for_each(|((l, v), m)| *l += (v - m) / points.len() as f64);
    }
    mean.iter().zip(&left).map(|(m, l)| m + l).collect()
}

/// The standard deviation of a column, or 1 where it is constant. Squares of shares of the largest deviation
/// neither overflow nor vanish.
fn deviation(points: &Dense<f64>, column: usize, mean: f64) -> f64 {
    let largest = points.rows().fold(0.0, |largest: f64, x| largest.max((x[column] - mean).abs()));
    if largest == 0.0 {
        return 1.0;
    }
    let squares: f64 = points.rows().map(|x| ((x[column] - mean) / largest).powi(2)).sum();
    largest * (squares / points.len() as f64).sqrt()
}

#[derive(Debug)]
struct Standardized {
    mean: Vec<f64>,
    scale: Vec<f64>,
}

impl Fitted for Standardized {
    fn dim_in(&self) -> usize {
        self.mean.len()
    }

    fn dim_out(&self) -> usize {
        self.mean.len()
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        for (j, place) in out.iter_mut().enumerate() {
            *place = (x[j] - self.mean[j]) / self.scale[j];
        }
        Ok(())
    }

    fn names(&self, inputs: &[String]) -> Vec<String> {
        inputs.to_vec()
    }

    fn state(&self) -> State {
        State::from([("mean".into(), self.mean.clone()), ("scale".into(), self.scale.clone())])
    }

    fn columnwise(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps::laws::{check_kernel_of_map, check_map, fixed_seed, some_points};
    use proptest::prelude::*;

    fn column(points: &Dense<f64>, j: usize) -> Vec<f64> {
        points.rows().map(|x| x[j]).collect()
    }

    fn mean_and_variance(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        (mean, values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n)
    }

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn standardized_training_rows_have_mean_0_and_variance_1(points in some_points()) {
            let features = check_map(&Standardize, &points);
            for j in 0..features.dim() {
                let (mean, variance) = mean_and_variance(&column(&features, j));
                prop_assert!(mean.abs() < 1e-9 && (variance - 1.0).abs() < 1e-9, "{} {}", mean, variance);
            }
        }

        #[test]
        fn the_kernel_of_standardize_divides_by_variances(points in some_points()) {
            check_kernel_of_map(&Standardize, &points, |x, z| {
                let term = |j: usize| {
                    let (mean, variance) = mean_and_variance(&column(&points, j));
                    (x[j] - mean) * (z[j] - mean) / variance
                };
                (0..x.len()).map(term).sum()
            });
        }
    }

    #[test]
    fn new_rows_are_scaled_with_the_numbers_of_the_training_rows() {
        let train = Dense::from_rows(&[[0.0], [10.0]]);
        let new = Dense::from_rows(&[[5.0], [20.0], [20.0]]);
        assert_eq!(Standardize.fit(&train).unwrap().apply(&new).unwrap().values(), &[0.0, 3.0, 3.0]);
    }

    #[test]
    fn a_constant_column_has_scale_one() {
        let train = Dense::from_rows(&[[0.1], [0.1], [0.1]]);
        let fitted = Standardize.fit(&train).unwrap();
        assert_eq!(fitted.state()["scale"], [1.0]);
        assert_eq!(fitted.apply(&train).unwrap().values(), &[0.0; 3]);
    }

    #[test]
    fn a_narrow_column_far_from_zero_is_standardized_too() {
        let seconds = (0..1000).map(|i| 1.7e12 + f64::from(i % 7)).collect();
        let x = Dense::new(1000, 1, seconds).unwrap();
        let (mean, variance) = mean_and_variance(Standardize.fit(&x).unwrap().apply(&x).unwrap().values());
        assert!(mean.abs() < 1e-3 && (variance - 1.0).abs() < 1e-6, "{mean} {variance}");
    }

    #[test]
    fn values_of_any_size_are_scaled() {
        for size in [1e-300, 1e300] {
            let x = Dense::from_rows(&[[size, 0.0], [0.0, size]]);
            assert_eq!(Standardize.fit(&x).unwrap().apply(&x).unwrap().values(), &[1.0, -1.0, -1.0, 1.0]);
        }
        assert!(Standardize.fit(&Dense::from_rows(&[[-1.7e308], [1.7e308]])).is_err());
    }

    #[test]
    fn no_rows_and_a_scale_of_zero_are_refused() {
        assert!(Standardize.fit(&Dense::new(0, 2, Vec::new()).unwrap()).is_err());
        let state = State::from([("mean".into(), vec![0.0]), ("scale".into(), vec![0.0])]);
        assert!(Standardize.restore(1, &state).is_err());
    }
}
