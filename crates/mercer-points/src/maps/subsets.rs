//! Products over all subsets of the coordinates.

use std::sync::Arc;

use num_bigint::BigUint;

use super::build::checked_dimension;
use super::expansion::{or_constant, product};
use super::map::{FeatureMap, Fitted, State};
use crate::PointsError;

/// ∏_{i∈S} x_i for every subset S of the coordinates, with the kernel ∏_i (1 + x_i·z_i) (`docs/maths.md` §1.1).
///
/// There are 2^d. Feature number S, written in binary, has coordinate i where bit i is set.
///
/// ```
/// use mercer_points::{Dense, FeatureMap, Subsets};
/// let x = Dense::from_rows(&[[2.0, 3.0]]);
/// let fitted = Subsets.fit(&x)?;
/// assert_eq!(fitted.names(&["a".into(), "b".into()]), ["constant", "a", "b", "a*b"]);
/// assert_eq!(fitted.apply(&x)?.values(), &[1.0, 2.0, 3.0, 6.0]);
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subsets;

impl FeatureMap for Subsets {
    fn name(&self) -> String {
        "subsets".into()
    }

    fn dimension(&self, dim_in: usize) -> BigUint {
        BigUint::from(1u32) << dim_in
    }

    fn restore(&self, dim_in: usize, _: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        let dim_out = checked_dimension(self, dim_in)?;
        Ok(Arc::new(Doubling { dim_in, dim_out }))
    }

    fn kernel_hint(&self) -> Option<String> {
        Some("all_subsets".into())
    }
}

/// Each coordinate doubles the features: those without it, then the same with it.
#[derive(Debug)]
struct Doubling {
    dim_in: usize,
    dim_out: usize,
}

impl Fitted for Doubling {
    fn dim_in(&self) -> usize {
        self.dim_in
    }

    fn dim_out(&self) -> usize {
        self.dim_out
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        out[0] = 1.0;
        for (i, v) in x.iter().enumerate() {
            let (without, with) = out.split_at_mut(1 << i);
            with.iter_mut().zip(without).for_each(|(place, product)| *place = *product * v);
        }
        Ok(())
    }

    fn names(&self, inputs: &[String]) -> Vec<String> {
        let mut names = vec![String::new()];
        for input in inputs {
            let with: Vec<String> = names.iter().map(|name| product(name, input)).collect();
            names.extend(with);
        }
        names.into_iter().map(or_constant).collect()
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
        fn the_kernel_is_a_product(points in some_points()) {
            check_kernel_of_map(&Subsets, &points, |x, z| {
                x.iter().zip(z).map(|(a, b)| 1.0 + a * b).product()
            });
        }
    }

    #[test]
    fn a_hundred_coordinates_are_counted_exactly() {
        assert_eq!(Subsets.dimension(100).to_string(), "1267650600228229401496703205376");
    }
}
