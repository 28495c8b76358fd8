//! Building features under a memory limit: counted first, allocated after.

use std::sync::Arc;

use num_bigint::BigUint;

use super::count::in_words;
use super::map::{FeatureMap, Fitted};
use crate::{Dense, Points, PointsError};

/// The most features that a fitted map may have, whatever the memory: 50 million, 400 megabytes a row.
pub const MAX_FEATURES: usize = 50_000_000;

/// Fits the map on the rows and applies it to them, if all their features fit in `limit_bytes`.
///
/// The features are counted before anything is allocated; if they do not fit, the error says how many there
/// are and which kernel gives the same inner products without them.
///
/// ```
/// use mercer_points::{Dense, Polynomial, build};
/// let x = Dense::from_rows(&[[0.5; 40]; 150]);
/// let error = build(&Polynomial::new(8, 1.0)?, &x, 1 << 30).unwrap_err().to_string();
/// assert_eq!(
///     error,
///     "the map polynomial(degree=8) of 40 columns has 377348994 features; storing 150 rows of them needs \
///      452818792800 bytes, the limit is 1073741824; use the kernel poly(degree=8), which builds no features"
/// );
/// let (fitted, features) = build(&Polynomial::new(2, 1.0)?, &x, 1 << 30)?;
/// assert_eq!((fitted.dim_out(), features.dim()), (861, 861));
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
pub fn build(
    map: &dyn FeatureMap,
    points: &Dense<f64>,
    limit_bytes: u64,
) -> Result<(Arc<dyn Fitted>, Dense<f64>), PointsError> {
    check_size(map, points.dim(), points.len(), limit_bytes)?;
    let fitted = map.fit(points)?;
    let features = fitted.apply(points)?;
    Ok((fitted, features))
}

/// The number of features of a map as a `usize`; an error beyond [`MAX_FEATURES`].
///
/// ```
/// use mercer_points::{Subsets, checked_dimension};
/// assert_eq!(checked_dimension(&Subsets, 10)?, 1024);
/// assert!(checked_dimension(&Subsets, 100).is_err());
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
pub fn checked_dimension(map: &(impl FeatureMap + ?Sized), dim_in: usize) -> Result<usize, PointsError> {
    check_size(map, dim_in, 1, 8 * MAX_FEATURES as u64)?;
    Ok(usize::try_from(map.dimension(dim_in)).expect("a dimension of at most 50 million fits in a usize"))
}

/// An error that names the dimension, if so many rows of a map's features need more than `limit` bytes.
pub fn check_size(
    map: &(impl FeatureMap + ?Sized),
    dim_in: usize,
    rows: usize,
    limit: u64,
) -> Result<(), PointsError> {
    // Even an exact count has a size: that of the subsets of d columns has d bits.
    if dim_in > MAX_FEATURES {
        let fact = format!("a feature map takes at most {MAX_FEATURES} columns, found {dim_in}");
        return Err(PointsError::Invalid(fact));
    }
    let dimension = map.dimension(dim_in);
    let needed = &dimension * BigUint::from(rows) * 8u32;
    if needed <= BigUint::from(limit) {
        return Ok(());
    }
    let rows = if rows == 1 { "a row".into() } else { format!("{rows} rows") };
    let what = format!(
        "the map {} of {dim_in} columns has {} features; storing {rows} of them",
        map.name(),
        in_words(&dimension)
    );
    let instead = match map.kernel_hint() {
        Some(kernel) => format!("use the kernel {kernel}, which builds no features"),
        None => "take fewer rows or columns".into(),
    };
    Err(PointsError::TooLarge { what, needed: in_words(&needed), limit, instead })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Buckets, Homogeneous, Identity, Monomials, Polynomial, Quadratic, Subsets, Tuples};

    #[test]
    fn forty_columns_in_exactly_degree_eight_are_counted_not_built() {
        let eight = Homogeneous::new(8).unwrap();
        assert_eq!(eight.dimension(40), BigUint::from(314_457_495u64));
        assert_eq!(Polynomial::new(8, 1.0).unwrap().dimension(40), BigUint::from(377_348_994u64));
    }

    #[test]
    fn a_huge_map_is_refused_by_fit_as_well() {
        let x = Dense::from_rows(&[[1.0; 40]]);
        let maps: [&dyn FeatureMap; 6] = [
            &Homogeneous::new(8).unwrap(),
            &Polynomial::new(1000, 0.5).unwrap(),
            &Monomials::new(9).unwrap(),
            &Tuples::new(1000).unwrap(),
            &Subsets,
            &Buckets::count(1 << 40).unwrap(),
        ];
        for map in maps {
            let error = map.fit(&x).unwrap_err();
            assert!(matches!(error, PointsError::TooLarge { .. }), "{error}");
            assert!(map.restore(40, &Default::default()).is_err());
        }
    }

    #[test]
    fn the_limit_is_exact() {
        let x = Dense::from_rows(&[[1.0, 2.0, 3.0]; 4]);
        assert_eq!(build(&Quadratic, &x, 4 * 9 * 8).unwrap().1.dim(), 9);
        let error = build(&Quadratic, &x, 4 * 9 * 8 - 1).unwrap_err().to_string();
        assert!(error.contains("4 rows of them needs 288 bytes, the limit is 287"), "{error}");
        assert!(error.ends_with("use the kernel quadratic, which builds no features"), "{error}");
    }

    #[test]
    fn no_rows_need_no_memory() {
        let none = Dense::new(0, 3, Vec::new()).unwrap();
        assert_eq!(build(&Identity, &none, 0).unwrap().1, none);
    }

    #[test]
    fn columns_beyond_all_measure_are_refused_before_counting() {
        let wide = Dense::new(0, usize::MAX, Vec::new()).unwrap();
        assert!(build(&Subsets, &wide, u64::MAX).is_err());
        assert!(Subsets.restore(usize::MAX, &Default::default()).is_err());
    }

    #[test]
    fn a_dimension_of_thousands_of_digits_stays_readable() {
        let wide = Dense::new(1, 10_000, vec![0.0; 10_000]).unwrap();
        let error = build(&Subsets, &wide, 1 << 30).unwrap_err().to_string();
        assert!(error.contains("has about 10^3010 features; storing a row of them"), "{error}");
    }
}
