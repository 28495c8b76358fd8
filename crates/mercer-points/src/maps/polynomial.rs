//! Weighted monomials, whose inner product is a power of ⟨x,z⟩.

use std::sync::Arc;

use num_bigint::BigUint;

use super::build::checked_dimension;
use super::count::binomial;
use super::expansion::{Expansion, checked_degree, root_binomials};
use super::map::{FeatureMap, Fitted, State};
use crate::PointsError;

/// All monomials of degree ≤ p with the kernel (c + ⟨x,z⟩)^p (`docs/maths.md` §1.1).
///
/// The monomial x^J of degree r has the weight √(C(p,r)·c^(p−r)·r!/(j₁!…j_d!)). There are C(d+p, p), by
/// ascending degree; with c = 0 all but those of degree p are zero, and [`Homogeneous`] is the smaller map.
///
/// ```
/// use mercer_points::{Dense, FeatureMap, Polynomial};
/// let square = Polynomial::new(2, 1.0)?;
/// let x = Dense::from_rows(&[[3.0]]);
/// assert_eq!(square.fit(&x)?.apply(&x)?.values(), &[1.0, 3.0 * 2f64.sqrt(), 9.0]);
/// assert_eq!(Polynomial::new(8, 1.0)?.dimension(40), 377_348_994u32.into());
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Polynomial {
    degree: usize,
    offset: f64,
}

impl Polynomial {
    /// Degree p between 1 and [`MAX_DEGREE`](super::MAX_DEGREE), offset c ≥ 0 and finite.
    pub fn new(degree: usize, offset: f64) -> Result<Self, PointsError> {
        let degree = checked_degree("polynomial", degree)?;
        if offset.is_finite() && offset >= 0.0 {
            return Ok(Self { degree, offset });
        }
        let fact = format!("the offset of the map polynomial must be 0 or more, found {offset}");
        Err(PointsError::Invalid(fact))
    }

    /// The degree p.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The offset c.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    fn arguments(&self) -> String {
        match self.offset {
            1.0 => format!("(degree={})", self.degree),
            offset => format!("(degree={}, offset={offset})", self.degree),
        }
    }
}

impl FeatureMap for Polynomial {
    fn name(&self) -> String {
        format!("polynomial{}", self.arguments())
    }

    fn dimension(&self, dim_in: usize) -> BigUint {
        binomial(dim_in as u64 + self.degree as u64, self.degree as u64)
    }

    fn restore(&self, dim_in: usize, _: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        let dim_out = checked_dimension(self, dim_in)?;
        let weights = root_binomials(self.degree);
        let scale = |r: usize| weights[self.degree][r] * self.offset.sqrt().powi((self.degree - r) as i32);
        let scales = (0..=self.degree).map(scale).collect();
        Ok(Arc::new(Expansion { dim_in, dim_out, lowest: 0, scales, weights: Some(weights) }))
    }

    fn kernel_hint(&self) -> Option<String> {
        Some(format!("poly{}", self.arguments()))
    }
}

/// All monomials of degree exactly p with the kernel ⟨x,z⟩^p (`docs/maths.md` §1.1).
///
/// The monomial x^J has the weight √(p!/(j₁!…j_d!)). There are C(d+p−1, p).
///
/// ```
/// use mercer_points::{FeatureMap, Homogeneous};
/// assert_eq!(Homogeneous::new(8)?.dimension(40), 314_457_495u32.into());
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Homogeneous {
    degree: usize,
}

impl Homogeneous {
    /// Degree p between 1 and [`MAX_DEGREE`](super::MAX_DEGREE).
    pub fn new(degree: usize) -> Result<Self, PointsError> {
        Ok(Self { degree: checked_degree("homogeneous", degree)? })
    }

    /// The degree p.
    pub fn degree(&self) -> usize {
        self.degree
    }
}

impl FeatureMap for Homogeneous {
    fn name(&self) -> String {
        format!("homogeneous(degree={})", self.degree)
    }

    fn dimension(&self, dim_in: usize) -> BigUint {
        binomial((dim_in as u64 + self.degree as u64).saturating_sub(1), self.degree as u64)
    }

    fn restore(&self, dim_in: usize, _: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        let dim_out = checked_dimension(self, dim_in)?;
        let weights = Some(root_binomials(self.degree));
        Ok(Arc::new(Expansion { dim_in, dim_out, lowest: self.degree, scales: vec![1.0], weights }))
    }

    fn kernel_hint(&self) -> Option<String> {
        Some(format!("poly(degree={}, offset=0)", self.degree))
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
        fn the_kernel_is_a_power(points in some_points(), degree in 1..=6usize, offset in 0.0..3.0f64) {
            let map = Polynomial::new(degree, offset).unwrap();
            check_kernel_of_map(&map, &points, |x, z| (offset + dot(x, z)).powi(degree as i32));
            let map = Polynomial::new(degree, 0.0).unwrap();
            check_kernel_of_map(&map, &points, |x, z| dot(x, z).powi(degree as i32));
        }

        #[test]
        fn the_homogeneous_kernel_is_a_power(points in some_points(), degree in 1..=6usize) {
            let map = Homogeneous::new(degree).unwrap();
            check_kernel_of_map(&map, &points, |x, z| dot(x, z).powi(degree as i32));
        }

        #[test]
        fn high_degrees_keep_their_weights(x in 0.5..1.0f64, z in 0.5..1.0f64) {
            let points = Dense::from_rows(&[[x], [z]]);
            let map = Polynomial::new(300, 0.5).unwrap();
            let features = map.fit(&points).unwrap().apply(&points).unwrap();
            let (found, expected) = (dot(features.point(0), features.point(1)), (0.5 + x * z).powi(300));
            prop_assert!((found / expected - 1.0).abs() < 1e-9, "{} is not {}", found, expected);
        }
    }

    #[test]
    fn names_are_written_as_products_of_powers() {
        let x = Dense::from_rows(&[[1.0, 2.0]]);
        let names = |map: &dyn FeatureMap| map.fit(&x).unwrap().names(&["a".into(), "b".into()]);
        assert_eq!(names(&Polynomial::new(2, 1.0).unwrap()), ["constant", "a", "b", "a^2", "a*b", "b^2"]);
        assert_eq!(names(&Homogeneous::new(3).unwrap()), ["a^3", "a^2*b", "a*b^2", "b^3"]);
    }

    #[test]
    fn recipes_are_written_with_their_kernels() {
        let half = Polynomial::new(3, 0.5).unwrap();
        assert_eq!(half.name(), "polynomial(degree=3, offset=0.5)");
        assert_eq!(half.kernel_hint().unwrap(), "poly(degree=3, offset=0.5)");
        assert_eq!(Homogeneous::new(3).unwrap().kernel_hint().unwrap(), "poly(degree=3, offset=0)");
    }

    #[test]
    fn degrees_and_offsets_out_of_range_are_refused() {
        assert!(Polynomial::new(0, 1.0).is_err() && Homogeneous::new(0).is_err());
        let error = Polynomial::new(2, -1.0).unwrap_err().to_string();
        assert_eq!(error, "the offset of the map polynomial must be 0 or more, found -1");
        assert!(Polynomial::new(2, f64::NAN).is_err() && Polynomial::new(2, f64::INFINITY).is_err());
    }
}
