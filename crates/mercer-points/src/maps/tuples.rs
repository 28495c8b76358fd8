//! Products over ordered tuples of coordinates.

use std::sync::Arc;

use num_bigint::BigUint;

use super::build::checked_dimension;
use super::expansion::{checked_degree, or_constant, product};
use super::map::{FeatureMap, Fitted, State};
use crate::PointsError;

/// ∏ x_{J_i} for every ordered tuple J of at most p indices (`docs/maths.md` §1.1).
///
/// There are Σ_{r≤p} d^r, by ascending length and then in lexicographic order; `a*b` and `b*a` are two of
/// them. The kernel is Σ_{r=0..p} ⟨x,z⟩^r.
///
/// ```
/// use mercer_points::{Dense, FeatureMap, Tuples};
/// let x = Dense::from_rows(&[[2.0, 3.0]]);
/// let fitted = Tuples::new(2)?.fit(&x)?;
/// assert_eq!(fitted.names(&["a".into(), "b".into()]), ["constant", "a", "b", "a*a", "a*b", "b*a", "b*b"]);
/// assert_eq!(fitted.apply(&x)?.values(), &[1.0, 2.0, 3.0, 4.0, 6.0, 6.0, 9.0]);
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuples {
    degree: usize,
}

impl Tuples {
    /// Length p of the longest tuples, between 1 and [`MAX_DEGREE`](super::MAX_DEGREE).
    pub fn new(degree: usize) -> Result<Self, PointsError> {
        Ok(Self { degree: checked_degree("tuples", degree)? })
    }

    /// The length p of the longest tuples.
    pub fn degree(&self) -> usize {
        self.degree
    }
}

impl FeatureMap for Tuples {
    fn name(&self) -> String {
        format!("tuples(degree={})", self.degree)
    }

    fn dimension(&self, dim_in: usize) -> BigUint {
        // Horner's rule: 1 + d·(1 + d·(…)).
        (0..self.degree).fold(BigUint::from(1u32), |sum, _| sum * dim_in + 1u32)
    }

    fn restore(&self, dim_in: usize, _: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        let dim_out = checked_dimension(self, dim_in)?;
        Ok(Arc::new(Lengths { dim_in, dim_out, degree: self.degree }))
    }

    fn kernel_hint(&self) -> Option<String> {
        Some(format!("tuples(degree={})", self.degree))
    }
}

#[derive(Debug)]
struct Lengths {
    dim_in: usize,
    dim_out: usize,
    degree: usize,
}

impl Fitted for Lengths {
    fn dim_in(&self) -> usize {
        self.dim_in
    }

    fn dim_out(&self) -> usize {
        self.dim_out
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        out[0] = 1.0;
        let (mut shorter, mut end) = (0..1, 1);
        for _ in 0..self.degree {
            let start = end;
            for v in x {
                for at in shorter.clone() {
                    out[end] = v * out[at];
                    end += 1;
                }
            }
            shorter = start..end;
        }
        Ok(())
    }

    fn names(&self, inputs: &[String]) -> Vec<String> {
        let mut names = vec![String::new()];
        let mut shorter = 0..1;
        for _ in 0..self.degree {
            let start = names.len();
            for input in inputs {
                for at in shorter.clone() {
                    names.push(product(input, &names[at]));
                }
            }
            shorter = start..names.len();
        }
        names.into_iter().map(or_constant).collect()
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
        fn the_kernel_is_a_geometric_sum(points in some_points(), degree in 1..=4usize) {
            let map = Tuples::new(degree).unwrap();
            check_kernel_of_map(&map, &points, |x, z| {
                (0..=degree).map(|r| dot(x, z).powi(r as i32)).sum()
            });
        }
    }

    #[test]
    fn the_dimension_is_a_sum_of_powers() {
        assert_eq!(Tuples::new(3).unwrap().dimension(10), BigUint::from(1111u32));
        assert_eq!(Tuples::new(3).unwrap().dimension(0), BigUint::from(1u32));
    }
}
