//! Features that grow slower than the coordinates: logarithms and buckets.

use std::sync::Arc;

use num_bigint::BigUint;

use super::build::checked_dimension;
use super::map::{FeatureMap, Fitted, State, in_row, numbers, some_rows};
use crate::{Dense, PointsError};

/// log(1 + x_j) for each coordinate (`docs/maths.md` §1.1); the kernel is ⟨ψ(x),ψ(z)⟩, by recursion.
///
/// A value of −1 or less is an error that names row and column, in fitting and in applying.
///
/// ```
/// use mercer_points::{Dense, FeatureMap, Log};
/// let fares = Dense::from_rows(&[[0.0], [9.0]]);
/// assert_eq!(Log.fit(&fares)?.apply(&fares)?.values(), &[0.0, 9f64.ln_1p()]);
/// let error = Log.fit(&Dense::from_rows(&[[2.0], [-1.0]])).unwrap_err();
/// assert_eq!(error.to_string(), "row 2: column 1 is -1, but log(1+x) needs values above -1");
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Log;

impl FeatureMap for Log {
    fn name(&self) -> String {
        "log".into()
    }

    fn dimension(&self, dim_in: usize) -> BigUint {
        dim_in.into()
    }

    fn learn(&self, points: &Dense<f64>) -> Result<State, PointsError> {
        for (i, x) in points.rows().enumerate() {
            above_minus_one(x).map_err(|error| in_row(i, error))?;
        }
        Ok(State::new())
    }

    fn restore(&self, dim_in: usize, _: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        Ok(Arc::new(Logarithms(checked_dimension(self, dim_in)?)))
    }
}

#[derive(Debug)]
struct Logarithms(usize);

impl Fitted for Logarithms {
    fn dim_in(&self) -> usize {
        self.0
    }

    fn dim_out(&self) -> usize {
        self.0
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        above_minus_one(x)?;
        out.iter_mut().zip(x).for_each(|(place, v)| *place = v.ln_1p());
        Ok(())
    }

    fn names(&self, inputs: &[String]) -> Vec<String> {
        inputs.iter().map(|a| format!("log1p({a})")).collect()
    }

    fn columnwise(&self) -> bool {
        true
    }
}

fn above_minus_one(x: &[f64]) -> Result<(), PointsError> {
    match x.iter().position(|&v| v <= -1.0) {
        None => Ok(()),
        Some(j) => {
            let fact = format!("column {} is {}, but log(1+x) needs values above -1", j + 1, x[j]);
            Err(PointsError::Invalid(fact))
        }
    }
}

/// Indicators of buckets (`docs/maths.md` §1.1): for each coordinate a 1 for the bucket that it falls in.
///
/// k edges make k + 1 buckets; an edge belongs to the bucket above it. The kernel counts the columns in
/// which two points fall in the same bucket. Where training rows have so many equal values that quantiles
/// coincide, the buckets between them stay empty, so that the dimension is known before the data.
///
/// ```
/// use mercer_points::{Buckets, Dense, FeatureMap};
/// let ages = Dense::from_rows(&[[3.0], [18.0], [70.0]]);
/// let fitted = Buckets::edges(vec![18.0, 65.0])?.fit(&ages)?;
/// assert_eq!(fitted.apply(&ages)?.values(), &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
/// assert_eq!(fitted.names(&["age".into()]), ["age<18", "18<=age<65", "age>=65"]);
/// # Ok::<(), mercer_points::PointsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Buckets(Edges);

#[derive(Debug, Clone, PartialEq)]
enum Edges {
    Given(Vec<f64>),
    Quantiles(usize),
}

impl Buckets {
    /// The same edges for every column: at least one, finite and ascending.
    pub fn edges(edges: Vec<f64>) -> Result<Self, PointsError> {
        let ascending = edges.windows(2).all(|pair| pair[0] < pair[1]);
        if edges.is_empty() || !ascending || edges.iter().any(|e| !e.is_finite()) {
            let fact = "the edges of buckets must be finite numbers that ascend, at least one of them";
            return Err(PointsError::Invalid(format!("{fact}, found {edges:?}")));
        }
        Ok(Self(Edges::Given(edges)))
    }

    /// So many buckets a column, at least two, with edges at quantiles of the training rows.
    pub fn count(count: usize) -> Result<Self, PointsError> {
        match count {
            0 | 1 => Err(PointsError::Invalid(format!("at least 2 buckets are needed, found {count}"))),
            count => Ok(Self(Edges::Quantiles(count))),
        }
    }

    fn buckets(&self) -> usize {
        match &self.0 {
            Edges::Given(edges) => edges.len() + 1,
            Edges::Quantiles(count) => *count,
        }
    }
}

impl FeatureMap for Buckets {
    fn name(&self) -> String {
        match &self.0 {
            Edges::Given(edges) => format!("buckets(edges={edges:?})"),
            Edges::Quantiles(count) => format!("buckets(count={count})"),
        }
    }

    fn dimension(&self, dim_in: usize) -> BigUint {
        BigUint::from(dim_in) * self.buckets()
    }

    fn learn(&self, points: &Dense<f64>) -> Result<State, PointsError> {
        let edges = match &self.0 {
            Edges::Given(edges) => edges.repeat(points.dim()),
            Edges::Quantiles(count) => {
                some_rows("buckets", points)?;
                (0..points.dim()).flat_map(|j| quantiles(points, j, *count)).collect()
            }
        };
        Ok(State::from([("edges".into(), edges)]))
    }

    fn restore(&self, dim_in: usize, state: &State) -> Result<Arc<dyn Fitted>, PointsError> {
        let buckets = self.buckets();
        let edges = numbers(state, "edges", checked_dimension(self, dim_in)? - dim_in)?;
        if edges.chunks(buckets - 1).any(|column| column.windows(2).any(|pair| pair[0] > pair[1])) {
            return Err(PointsError::Invalid("the edges of buckets must not descend".into()));
        }
        Ok(Arc::new(Indicators { dim_in, buckets, edges }))
    }
}

/// The `count − 1` quantiles that cut a column in parts of equal share, by linear interpolation.
fn quantiles(points: &Dense<f64>, column: usize, count: usize) -> impl Iterator<Item = f64> {
    let mut values: Vec<f64> = points.rows().map(|x| x[column]).collect();
    values.sort_by(f64::total_cmp);
    (1..count).map(move |k| {
        let place = k as f64 / count as f64 * (values.len() - 1) as f64;
        let (low, high) = (values[place.floor() as usize], values[place.ceil() as usize]);
        let share = place.fract();
        // Between equal values no rounding, so that an edge meets its value.
        if low == high { low } else { low * (1.0 - share) + high * share }
    })
}

#[derive(Debug)]
struct Indicators {
    dim_in: usize,
    buckets: usize,
    /// `buckets − 1` for each column, one column after the other.
    edges: Vec<f64>,
}

impl Indicators {
    fn edges_of(&self, column: usize) -> &[f64] {
        &self.edges[column * (self.buckets - 1)..(column + 1) * (self.buckets - 1)]
    }

    fn name_of(&self, input: &str, column: usize, bucket: usize) -> String {
        let edges = self.edges_of(column);
        match (bucket.checked_sub(1).map(|k| edges[k]), edges.get(bucket)) {
            (Some(low), Some(&high)) if low == high => format!("empty{bucket}({input})"),
            (Some(low), Some(high)) => format!("{low}<={input}<{high}"),
            (Some(low), None) => format!("{input}>={low}"),
            (None, high) => format!("{input}<{}", high.copied().unwrap_or(f64::INFINITY)),
        }
    }
}

impl Fitted for Indicators {
    fn dim_in(&self) -> usize {
        self.dim_in
    }

    fn dim_out(&self) -> usize {
        self.dim_in * self.buckets
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        out.fill(0.0);
        for (j, &v) in x.iter().enumerate() {
            let bucket = self.edges_of(j).partition_point(|&edge| edge <= v);
            out[j * self.buckets + bucket] = 1.0;
        }
        Ok(())
    }

    fn names(&self, inputs: &[String]) -> Vec<String> {
        let columns = inputs.iter().enumerate();
        columns.flat_map(|(j, a)| (0..self.buckets).map(move |k| self.name_of(a, j, k))).collect()
    }

    fn state(&self) -> State {
        State::from([("edges".into(), self.edges.clone())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Points;
    use crate::maps::laws::{check_kernel_of_map, check_map, fixed_seed, some_points};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn the_kernel_is_that_of_logarithms(points in some_points()) {
            let positive = points.values().iter().map(|v| v + 2.0 - 0.9).collect();
            let points = Dense::new(points.len(), points.dim(), positive).unwrap();
            check_kernel_of_map(&Log, &points, |x, z| {
                x.iter().zip(z).map(|(a, b)| (1.0 + a).ln() * (1.0 + b).ln()).sum()
            });
        }

        #[test]
        fn the_kernel_counts_shared_buckets(points in some_points()) {
            let bucket = |v: f64| if v < -0.5 { 0 } else if v < 1.0 { 1 } else { 2 };
            check_kernel_of_map(&Buckets::edges(vec![-0.5, 1.0]).unwrap(), &points, |x, z| {
                x.iter().zip(z).filter(|(a, b)| bucket(**a) == bucket(**b)).count() as f64
            });
        }

        #[test]
        fn every_row_falls_in_one_quantile_bucket_a_column(points in some_points(), count in 2..8usize) {
            let features = check_map(&Buckets::count(count).unwrap(), &points);
            for row in features.rows() {
                prop_assert!(row.chunks(count).all(|column| column.iter().sum::<f64>() == 1.0));
            }
        }
    }

    #[test]
    fn quantiles_share_the_training_rows_evenly() {
        let x = Dense::new(100, 1, (0..100).map(f64::from).collect()).unwrap();
        let fitted = Buckets::count(4).unwrap().fit(&x).unwrap();
        assert_eq!(fitted.state()["edges"], [24.75, 49.5, 74.25]);
        let features = fitted.apply(&x).unwrap();
        let sizes: Vec<f64> = (0..4).map(|k| features.rows().map(|row| row[k]).sum()).collect();
        assert_eq!(sizes, [25.0; 4]);
    }

    #[test]
    fn equal_values_leave_buckets_empty_but_named() {
        let x = Dense::from_rows(&[[7.0], [7.0], [7.0]]);
        let features = check_map(&Buckets::count(4).unwrap(), &x);
        assert_eq!(features.point(0), &[0.0, 0.0, 0.0, 1.0]);
        let names = Buckets::count(4).unwrap().fit(&x).unwrap().names(&["a".into()]);
        assert_eq!(names, ["a<7", "empty1(a)", "empty2(a)", "a>=7"]);
    }

    #[test]
    fn edges_that_make_no_buckets_are_refused() {
        for edges in [vec![], vec![2.0, 1.0], vec![1.0, 1.0], vec![f64::NAN], vec![0.0, f64::INFINITY]] {
            assert!(Buckets::edges(edges).is_err());
        }
        assert!(Buckets::count(1).is_err());
        let none = Dense::new(0, 1, Vec::new()).unwrap();
        assert!(Buckets::count(2).unwrap().fit(&none).is_err());
        let state = State::from([("edges".into(), vec![2.0, 1.0])]);
        assert!(Buckets::count(3).unwrap().restore(1, &state).is_err());
    }
}
