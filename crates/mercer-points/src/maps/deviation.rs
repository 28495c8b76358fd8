//! Squared deviations from a centre.

use std::sync::Arc;

use num_bigint::BigUint;

use super::build::checked_dimension;
use super::map::{FeatureMap, Fitted, State, numbers, some_rows};
use super::scaling::column_means;
use crate::{Dense, PointsError};

/// (x_j − μ_j)² for each coordinate (`docs/maths.md` §1.1); the kernel is ⟨ψ(x),ψ(z)⟩, by recursion.
///
/// ```
/// use mercer_points::{Center, Dense, Deviation, FeatureMap};
/// let train = Dense::from_rows(&[[1.0], [5.0]]);
/// let from_mean = Deviation::new(Center::Mean)?.fit(&train)?;
/// assert_eq!(from_mean.apply(&Dense::from_rows(&[[10.0]]))?.values(), &[49.0]);
/// assert_eq!(from_mean.names(&["a".into()]), ["(a-3)^2"]);
///
/// let from_two = Deviation::new(Center::Given(vec![2.0]))?.fit(&train)?;
/// assert_eq!(from_two.apply(&train)?.values(), &[1.0, 9.0]);
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Deviation {
    center: Center,
}

/// Where [`Deviation`] measures from.
#[derive(Debug, Clone, PartialEq)]
pub enum Center {
    /// The mean of the training rows.
    Mean,
    /// One number a column.
    Given(Vec<f64>),
}

impl Deviation {
    /// From the mean of the training rows, or from finite numbers.
    pub fn new(center: Center) -> Result<Self, PointsError> {
        match &center {
            Center::Given(values) => match values.iter().position(|v| !v.is_finite()) {
                Some(at) => {
                    let place = format!("value {} of the center of the map deviation", at + 1);
                    Err(PointsError::NotFinite { place, value: values[at] })
                }
                None => Ok(Self { center }),
            },
            Center::Mean => Ok(Self { center }),
        }
    }

    /// Where it measures from.
    pub fn center(&self) -> &Center {
        &self.center
    }
}

impl FeatureMap for Deviation {
    fn name(&self) -> String {
        "deviation".into()
    }

    fn dimension(&self, dim_in: usize) -> BigUint {
        dim_in.into()
    }

    fn learn(&self, points: &Dense<f64>) -> Result<State, PointsError> {
        let center = match &self.center {
            Center::Given(values) => values.clone(),
            Center::Mean => {
                some_rows("deviation", points)?;
                column_means(points)
            }
        };
        Ok(State::from([("center".into(), center)]))
    }

    fn restore(&self, dim_in: usize, state: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        let dim = checked_dimension(self, dim_in)?;
        Ok(Arc::new(From { center: numbers(state, "center", dim)? }))
    }
}

#[derive(Debug)]
struct From {
    center: Vec<f64>,
}

impl Fitted for From {
    fn dim_in(&self) -> usize {
        self.center.len()
    }

    fn dim_out(&self) -> usize {
        self.center.len()
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        for ((place, v), mu) in out.iter_mut().zip(x).zip(&self.center) {
            *place = (v - mu) * (v - mu);
        }
        Ok(())
    }

    fn names(&self, inputs: &[String]) -> Vec<String> {
        let named = inputs.iter().zip(&self.center);
        named.map(|(a, mu)| format!("({a}{}{})^2", if *mu < 0.0 { '+' } else { '-' }, mu.abs())).collect()
    }

    fn state(&self) -> State {
        State::from([("center".into(), self.center.clone())])
    }

    fn columnwise(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Points;
    use crate::maps::laws::{check_kernel_of_map, fixed_seed, some_points};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn the_kernel_is_that_of_squared_deviations(points in some_points()) {
            let n = points.len() as f64;
            let mean = |j: usize| points.rows().map(|x| x[j]).sum::<f64>() / n;
            check_kernel_of_map(&Deviation::new(Center::Mean).unwrap(), &points, |x, z| {
                (0..x.len()).map(|j| ((x[j] - mean(j)) * (z[j] - mean(j))).powi(2)).sum()
            });
            let given = Deviation::new(Center::Given(vec![0.5; points.dim()])).unwrap();
            check_kernel_of_map(&given, &points, |x, z| {
                x.iter().zip(z).map(|(a, b)| (a - 0.5).powi(2) * (b - 0.5).powi(2)).sum()
            });
        }
    }

    #[test]
    fn a_negative_center_is_named_with_a_plus() {
        let x = Dense::from_rows(&[[-1.5]]);
        let fitted = Deviation::new(Center::Mean).unwrap().fit(&x).unwrap();
        assert_eq!(fitted.names(&["a".into()]), ["(a+1.5)^2"]);
    }

    #[test]
    fn a_center_of_another_length_or_not_finite_is_refused() {
        let short = Deviation::new(Center::Given(vec![1.0])).unwrap();
        assert!(short.fit(&Dense::from_rows(&[[1.0, 2.0]])).is_err());
        assert!(Deviation::new(Center::Given(vec![f64::NAN])).is_err());
        let none = Dense::new(0, 1, Vec::new()).unwrap();
        let error = Deviation::new(Center::Mean).unwrap().fit(&none).unwrap_err().to_string();
        assert_eq!(error, "the map deviation learns from training rows, there is none");
    }
}
