//! Plain monomials, all of weight 1.

use std::sync::Arc;

use num_bigint::BigUint;

use super::build::checked_dimension;
use super::count::binomial;
use super::expansion::{Expansion, checked_degree};
use super::map::{FeatureMap, Fitted, State};
use crate::PointsError;

/// x^J for every multi-index J of degree ≤ p, unweighted (`docs/maths.md` §1.1).
///
/// There are C(d+p, p), by ascending degree. The kernel is Σ_{r≤p} h_r(x₁z₁, …, x_dz_d), where h_r is the
/// complete homogeneous symmetric polynomial.
///
/// ```
/// use mercer_points::{Dense, FeatureMap, Monomials};
/// let x = Dense::from_rows(&[[2.0, 3.0]]);
/// let fitted = Monomials::new(2)?.fit(&x)?;
/// assert_eq!(fitted.names(&["a".into(), "b".into()]), ["constant", "a", "b", "a^2", "a*b", "b^2"]);
/// assert_eq!(fitted.apply(&x)?.values(), &[1.0, 2.0, 3.0, 4.0, 6.0, 9.0]);
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Monomials {
    degree: usize,
}

impl Monomials {
    /// Degree p between 1 and [`MAX_DEGREE`](super::MAX_DEGREE).
    pub fn new(degree: usize) -> Result<Self, PointsError> {
        Ok(Self { degree: checked_degree("monomials", degree)? })
    }

    /// The degree p.
    pub fn degree(&self) -> usize {
        self.degree
    }
}

impl FeatureMap for Monomials {
    fn name(&self) -> String {
        format!("monomials(degree={})", self.degree)
    }

    fn dimension(&self, dim_in: usize) -> BigUint {
        binomial(dim_in as u64 + self.degree as u64, self.degree as u64)
    }

    fn restore(&self, dim_in: usize, _: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        let dim_out = checked_dimension(self, dim_in)?;
        let scales = vec![1.0; self.degree + 1];
        Ok(Arc::new(Expansion { dim_in, dim_out, lowest: 0, scales, weights: None }))
    }

    fn kernel_hint(&self) -> Option<String> {
        Some(format!("monomials(degree={})", self.degree))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dense;
    use crate::maps::laws::{check_kernel_of_map, fixed_seed, some_points};
    use proptest::prelude::*;

    /// h_0 … h_p of the values: the generating function ∏ 1/(1 − v_i·t), a factor at a time.
    fn complete_symmetric(values: impl Iterator<Item = f64>, degree: usize) -> Vec<f64> {
        let mut h = vec![0.0; degree + 1];
        h[0] = 1.0;
        for v in values {
            (1..=degree).for_each(|r| h[r] += v * h[r - 1]);
        }
        h
    }

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn the_kernel_is_the_sum_of_complete_symmetric_polynomials(
            points in some_points(),
            degree in 1..=6usize,
        ) {
            let map = Monomials::new(degree).unwrap();
            check_kernel_of_map(&map, &points, |x, z| {
                complete_symmetric(x.iter().zip(z).map(|(a, b)| a * b), degree).iter().sum()
            });
        }
    }

    #[test]
    fn two_coordinates_have_ten_monomials_up_to_degree_three() {
        let cubic = Monomials::new(3).unwrap();
        assert_eq!(cubic.dimension(2), BigUint::from(10u32));
        let x = Dense::from_rows(&[[2.0, 5.0]]);
        let features = cubic.fit(&x).unwrap().apply(&x).unwrap();
        assert_eq!(features.values(), &[1.0, 2.0, 5.0, 4.0, 10.0, 25.0, 8.0, 20.0, 50.0, 125.0]);
    }
}
