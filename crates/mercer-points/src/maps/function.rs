//! A function of the user's as a map to one coordinate.

use std::fmt;
use std::sync::Arc;

use num_bigint::BigUint;

use super::map::{FeatureMap, Fitted, State};
use crate::PointsError;

type Function = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// ψ(x) = f(x) for a function f: R^d → R, with the kernel f(x)·f(z) (`docs/maths.md` §1.1).
///
/// ```
/// use mercer_points::{Dense, FeatureMap, Function1D};
/// let total = Function1D::new("total", |x| x.iter().sum());
/// let x = Dense::from_rows(&[[2.0, 3.0], [4.0, 5.0]]);
/// assert_eq!(total.fit(&x)?.apply(&x)?.values(), &[5.0, 9.0]);
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Clone)]
pub struct Function1D {
    name: String,
    function: Arc<Function>,
}

impl Function1D {
    /// The function, and the name of its feature. A value that is not finite is refused where it is applied.
    pub fn new(name: impl Into<String>, function: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self { name: name.into(), function: Arc::new(function) }
    }
}

impl fmt::Debug for Function1D {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function1D").field("name", &self.name).finish_non_exhaustive()
    }
}

impl FeatureMap for Function1D {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn dimension(&self, _: usize) -> BigUint {
        1u32.into()
    }

    fn restore(&self, dim_in: usize, _: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        Ok(Arc::new(One { dim_in, recipe: self.clone() }))
    }
}

#[derive(Debug)]
struct One {
    dim_in: usize,
    recipe: Function1D,
}

impl Fitted for One {
    fn dim_in(&self) -> usize {
        self.dim_in
    }

    fn dim_out(&self) -> usize {
        1
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        out[0] = (self.recipe.function)(x);
        Ok(())
    }

    fn names(&self, _: &[String]) -> Vec<String> {
        vec![self.recipe.name.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dense;
    use crate::maps::laws::{check_kernel_of_map, fixed_seed, some_points};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn the_kernel_is_the_product_of_values(points in some_points()) {
            let f = |x: &[f64]| x.iter().map(|v| v.cos()).sum::<f64>() - 1.0;
            check_kernel_of_map(&Function1D::new("f", f), &points, |x, z| f(x) * f(z));
        }
    }

    #[test]
    fn a_value_that_is_not_finite_names_its_row() {
        let inverse = Function1D::new("inverse", |x| 1.0 / x[0]);
        assert_eq!(format!("{inverse:?}"), "Function1D { name: \"inverse\", .. }");
        let x = Dense::from_rows(&[[1.0], [0.0]]);
        let error = inverse.fit(&x).unwrap().apply(&x).unwrap_err().to_string();
        assert!(error.starts_with("row 2: feature 1 of the map is inf"), "{error}");
    }
}
