//! What every feature map has to obey, and the pairs of points that it is tried on. Only for tests.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::map::FeatureMap;
use crate::{Dense, Points};

/// The same cases in every run.
pub(super) fn fixed_seed() -> ProptestConfig {
    ProptestConfig {
        cases: 128,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20),
        ..ProptestConfig::default()
    }
}

/// Rows of one length up to five, at least two of them, with small values.
pub(super) fn some_points() -> impl Strategy<Value = Dense<f64>> {
    (0..=5usize, 2..=6usize).prop_flat_map(|(dim, rows)| {
        prop::collection::vec(-2.0..2.0f64, dim * rows)
            .prop_map(move |values| Dense::new(rows, dim, values).unwrap())
    })
}

/// Checks that ⟨ψ(x),ψ(z)⟩ is the kernel for all pairs of rows, to rounding, and the laws of every map.
pub(super) fn check_kernel_of_map(
    map: &dyn FeatureMap,
    points: &Dense<f64>,
    kernel: impl Fn(&[f64], &[f64]) -> f64,
) {
    let features = check_map(map, points);
    for (x, a) in points.rows().zip(features.rows()) {
        for (z, b) in points.rows().zip(features.rows()) {
            let size: f64 = a.iter().zip(b).map(|(s, t)| (s * t).abs()).sum();
            let (found, expected) = (dot(a, b), kernel(x, z));
            assert!(
                (found - expected).abs() <= 1e-12 * (1.0 + size),
                "{}: {found} is not {expected} at {x:?}, {z:?}",
                map.name()
            );
        }
    }
}

/// Checks that lengths, names, order of rows and the state are as they should be; gives the features.
pub(super) fn check_map(map: &dyn FeatureMap, points: &Dense<f64>) -> Dense<f64> {
    let fitted = map.fit(points).unwrap();
    let features = fitted.apply(points).unwrap();
    assert_eq!(fitted.dim_in(), points.dim());
    assert_eq!(map.dimension(points.dim()), fitted.dim_out().into(), "{}", map.name());
    assert_eq!((features.len(), features.dim()), (points.len(), fitted.dim_out()));
    assert!(!fitted.columnwise() || fitted.dim_in() == fitted.dim_out());

    let inputs: Vec<String> = (0..points.dim()).map(|j| format!("x{j}")).collect();
    let mut names = fitted.names(&inputs);
    assert_eq!(names.len(), fitted.dim_out());
    names.sort();
    names.dedup();
    assert_eq!(names.len(), fitted.dim_out(), "{}: names must differ", map.name());

    let backwards: Vec<usize> = (0..points.len()).rev().collect();
    assert_eq!(fitted.apply(&points.select(&backwards)).unwrap(), features.select(&backwards));
    let again = map.restore(points.dim(), &fitted.state()).unwrap();
    assert_eq!(again.apply(points).unwrap(), features);
    assert_eq!(again.state(), fitted.state());
    features
}

pub(super) fn dot(x: &[f64], z: &[f64]) -> f64 {
    x.iter().zip(z).map(|(a, b)| a * b).sum()
}
