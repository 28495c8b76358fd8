//! What a feature map is: a recipe, and what the recipe becomes on training rows.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use num_bigint::BigUint;

use super::build::checked_dimension;
use crate::{Dense, Points, PointsError};

/// The numbers that a map has learned, by name: all that a model file has to keep beside the recipe.
pub type State = BTreeMap<String, Vec<f64>>;

/// A recipe for features, not yet fitted (`docs/maths.md` §1.1).
///
/// ```
/// use mercer_points::{Dense, FeatureMap, Standardize};
/// let train = Dense::from_rows(&[[1.0], [3.0]]);
/// let fitted = Standardize.fit(&train)?;
/// assert_eq!(fitted.apply(&Dense::from_rows(&[[5.0]]))?.values(), &[3.0]);
///
/// // A model file keeps the recipe and the state; together they are the fitted map again.
/// let again = Standardize.restore(1, &fitted.state())?;
/// assert_eq!(again.apply(&train)?, fitted.apply(&train)?);
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
pub trait FeatureMap: Debug + Send + Sync {
    /// The recipe as it is written, such as `polynomial(degree=8)`.
    fn name(&self) -> String;

    /// The exact number of features of a point with `dim_in` coordinates, counted without building any.
    fn dimension(&self, dim_in: usize) -> BigUint;

    /// The fitted map from the numbers that it learned. Refuses numbers that it cannot have learned.
    fn restore(&self, dim_in: usize, state: &State) -> Result<Arc<dyn Fitted>, PointsError>;

    /// The kernel that gives the same inner products without building the features, as it is written.
    fn kernel_hint(&self) -> Option<String> {
        None
    }

    /// What the map has to know of the (finite) training rows; most maps learn nothing.
    fn learn(&self, _points: &Dense<f64>) -> Result<State, PointsError> {
        Ok(State::new())
    }

    /// Learns from the training rows. A map of more than [`MAX_FEATURES`](super::MAX_FEATURES) features is
    /// refused before anything is allocated.
    fn fit(&self, points: &Dense<f64>) -> Result<Arc<dyn Fitted>, PointsError> {
        checked_dimension(self, points.dim())?;
        points.check_finite()?;
        self.restore(points.dim(), &self.learn(points)?)
    }
}

/// A map that has learned what it needs, ready for any row.
pub trait Fitted: Debug + Send + Sync {
    /// How many coordinates a point has.
    fn dim_in(&self) -> usize;

    /// How many features it gets.
    fn dim_out(&self) -> usize;

    /// Writes the features of `x` (of [`dim_in`](Fitted::dim_in) values) over all of `out` (of
    /// [`dim_out`](Fitted::dim_out)). The error does not know the row: [`apply`](Fitted::apply) puts it in front.
    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError>;

    /// A name for each feature, such as `a^2*b`; weights are not part of it. Takes one name a coordinate.
    fn names(&self, inputs: &[String]) -> Vec<String>;

    /// What was learned, for [`FeatureMap::restore`].
    fn state(&self) -> State {
        State::new()
    }

    /// Whether feature j stands for coordinate j, so that a table can change its columns in place.
    fn columnwise(&self) -> bool {
        false
    }

    /// The features of every row. Values that are not finite are refused, before and after.
    fn apply(&self, points: &Dense<f64>) -> Result<Dense<f64>, PointsError> {
        let (rows, dim) = (points.len(), self.dim_out());
        if points.dim() != self.dim_in() {
            let what = "a row for a fitted feature map".into();
            return Err(PointsError::Shape { what, expected: self.dim_in(), found: points.dim() });
        }
        points.check_finite()?;
        let mut values = zeros(rows, dim)?;
        for (i, x) in points.rows().enumerate() {
            let out = &mut values[i * dim..(i + 1) * dim];
            self.apply_row(x, out).map_err(|error| in_row(i, error))?;
            if let Some(j) = out.iter().position(|v| !v.is_finite()) {
                let place = format!("row {}: feature {} of the map", i + 1, j + 1);
                return Err(PointsError::NotFinite { place, value: out[j] });
            }
        }
        Dense::new(rows, dim, values)
    }
}

/// The numbers of that name in a state; an error unless there are exactly `len`, all finite.
pub(super) fn numbers(state: &State, name: &str, len: usize) -> Result<Vec<f64>, PointsError> {
    let found = state.get(name).map_or(&[][..], Vec::as_slice);
    if found.len() != len || !state.contains_key(name) {
        let what = format!("'{name}' of a feature map");
        return Err(PointsError::Shape { what, expected: len, found: found.len() });
    }
    match found.iter().position(|v| !v.is_finite()) {
        None => Ok(found.to_vec()),
        Some(at) => {
            let place = format!("value {} of '{name}' of a feature map", at + 1);
            Err(PointsError::NotFinite { place, value: found[at] })
        }
    }
}

/// An error for maps that learn from rows and are given none.
pub(super) fn some_rows(name: &str, points: &Dense<f64>) -> Result<(), PointsError> {
    match points.is_empty() {
        true => Err(PointsError::Invalid(format!("the map {name} learns from training rows, there is none"))),
        false => Ok(()),
    }
}

/// The fact, with its row in front.
pub(super) fn in_row(row: usize, error: PointsError) -> PointsError {
    match error {
        PointsError::Invalid(fact) => PointsError::Invalid(format!("row {}: {fact}", row + 1)),
        other => other,
    }
}

/// Room for all features; an error where the system has not that much.
fn zeros(rows: usize, dim: usize) -> Result<Vec<f64>, PointsError> {
    let mut values = Vec::new();
    let reserved = rows.checked_mul(dim).map(|len| values.try_reserve_exact(len).map(|()| len));
    let Some(Ok(len)) = reserved else {
        return Err(PointsError::TooLarge {
            what: format!("a matrix of {rows} rows of {dim} features"),
            needed: (8 * rows as u128 * dim as u128).to_string(),
            limit: isize::MAX as u64,
            instead: "map fewer rows at a time".into(),
        });
    };
    values.resize(len, 0.0);
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Identity, Log, Quadratic, Unit};

    #[test]
    fn apply_refuses_rows_of_another_length() {
        let fitted = Identity.fit(&Dense::from_rows(&[[1.0, 2.0]])).unwrap();
        let error = fitted.apply(&Dense::from_rows(&[[1.0]])).unwrap_err();
        assert_eq!(error.to_string(), "a row for a fitted feature map: expected 2 values, found 1");
    }

    #[test]
    fn values_that_are_not_finite_are_refused_before_and_after() {
        let x = Dense::from_rows(&[[1.0, 2.0], [f64::NAN, 1.0]]);
        assert!(Identity.fit(&x).unwrap_err().to_string().starts_with("row 2, column 1 is NaN"));
        let big = Dense::from_rows(&[[1.0], [1e200]]);
        let error = Quadratic.fit(&big).unwrap().apply(&big).unwrap_err();
        assert!(error.to_string().starts_with("row 2: feature 2 of the map is inf"), "{error}");
    }

    #[test]
    fn an_error_of_a_row_names_the_row() {
        let train = Dense::from_rows(&[[0.5, 1.0]]);
        let new = Dense::from_rows(&[[0.0, 1.0], [1.0, -1.0]]);
        let error = Log.fit(&train).unwrap().apply(&new).unwrap_err();
        assert_eq!(error.to_string(), "row 2: column 2 is -1, but log(1+x) needs values above -1");
        let error = Unit.fit(&train).unwrap().apply(&Dense::from_rows(&[[0.0, 0.0]])).unwrap_err();
        assert!(error.to_string().starts_with("row 1: every value is 0"), "{error}");
    }

    #[test]
    fn a_state_that_does_not_fit_is_refused() {
        let state = State::from([("mean".into(), vec![1.0, f64::INFINITY])]);
        assert!(numbers(&state, "mean", 2).unwrap_err().to_string().contains("value 2 of 'mean'"));
        assert!(numbers(&state, "mean", 3).is_err());
        assert!(numbers(&state, "scale", 0).is_err());
    }
}
