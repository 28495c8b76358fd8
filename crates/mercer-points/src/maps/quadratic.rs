//! Coordinates, squares and products of pairs.

use std::f64::consts::SQRT_2;
use std::sync::Arc;

use num_bigint::BigUint;

use super::build::checked_dimension;
use super::map::{FeatureMap, Fitted, State};
use crate::PointsError;

/// ψ(x) = (x_i; x_i²; √2·x_i·x_j for i < j), with the kernel ⟨x,z⟩ + ⟨x,z⟩² (`docs/maths.md` §1.1).
///
/// There are 2d + d(d−1)/2 features: first the coordinates, then the squares, then the pairs.
///
/// ```
/// use mercer_points::{Dense, FeatureMap, Quadratic};
/// let x = Dense::from_rows(&[[3.0]]);
/// assert_eq!(Quadratic.fit(&x)?.apply(&x)?.values(), &[3.0, 9.0]);
/// assert_eq!(Quadratic.dimension(5), 20u32.into());
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quadratic;

impl FeatureMap for Quadratic {
    fn name(&self) -> String {
        "quadratic".into()
    }

    fn dimension(&self, dim_in: usize) -> BigUint {
        // 2d + d(d−1)/2 = d(d+3)/2, of which one factor is even.
        BigUint::from(dim_in) * (BigUint::from(dim_in) + 3u32) / 2u32
    }

    fn restore(&self, dim_in: usize, _: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        let dim_out = checked_dimension(self, dim_in)?;
        Ok(Arc::new(Pairs { dim_in, dim_out }))
    }

    fn kernel_hint(&self) -> Option<String> {
        Some("quadratic".into())
    }
}

#[derive(Debug)]
struct Pairs {
    dim_in: usize,
    dim_out: usize,
}

impl Fitted for Pairs {
    fn dim_in(&self) -> usize {
        self.dim_in
    }

    fn dim_out(&self) -> usize {
        self.dim_out
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        let singles = x.iter().copied().chain(x.iter().map(|v| v * v));
        let pairs = (0..x.len()).flat_map(|i| x[i + 1..].iter().map(move |v| SQRT_2 * x[i] * v));
        out.iter_mut().zip(singles.chain(pairs)).for_each(|(place, value)| *place = value);
        Ok(())
    }

    fn names(&self, inputs: &[String]) -> Vec<String> {
        let singles = inputs.iter().cloned().chain(inputs.iter().map(|a| format!("{a}^2")));
        let pairs =
            (0..inputs.len()).flat_map(|i| inputs[i + 1..].iter().map(move |b| format!("{}*{b}", inputs[i])));
        singles.chain(pairs).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps::laws::{check_kernel_of_map, dot, fixed_seed, some_points};
    use crate::{Dense, Points};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn the_kernel_is_that_of_the_textbook(points in some_points()) {
            check_kernel_of_map(&Quadratic, &points, |x, z| dot(x, z) + dot(x, z) * dot(x, z));
        }

        #[test]
        fn the_dimension_is_that_of_the_table(d in 0..3000usize) {
            prop_assert_eq!(Quadratic.dimension(d), (2 * d + d * d.saturating_sub(1) / 2).into());
        }
    }

    #[test]
    fn features_are_named_in_their_order() {
        let x = Dense::from_rows(&[[2.0, 3.0]]);
        let fitted = Quadratic.fit(&x).unwrap();
        assert_eq!(fitted.names(&["a".into(), "b".into()]), ["a", "b", "a^2", "b^2", "a*b"]);
        assert_eq!(fitted.apply(&x).unwrap().values(), &[2.0, 3.0, 4.0, 9.0, SQRT_2 * 2.0 * 3.0]);
    }

    /// The example of `docs/maths.md` §1.1: far points against near ones, on a line.
    #[test]
    fn a_square_separates_what_a_threshold_cannot() {
        let values: Vec<f64> = (-10..=10).map(f64::from).collect();
        let line = Dense::new(21, 1, values).unwrap();
        let far: Vec<bool> = line.values().iter().map(|x| x.abs() > 2.0).collect();
        let separates = |w: &[f64], b: f64, points: &Dense<f64>| {
            points.rows().zip(&far).all(|(x, &far)| (dot(w, x) > b) == far)
        };
        for half in -22..=22 {
            let b = f64::from(half) / 2.0;
            assert!(!separates(&[1.0], b, &line) && !separates(&[-1.0], b, &line));
        }
        assert!(!separates(&[0.0], 0.0, &line) && !separates(&[0.0], -1.0, &line));
        let lifted = Quadratic.fit(&line).unwrap().apply(&line).unwrap();
        assert_eq!(lifted.point(0), &[-10.0, 100.0]);
        assert!(separates(&[0.0, 1.0], 5.0, &lifted));
    }
}
