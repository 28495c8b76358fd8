//! Dense points in the precision in which they came.
//!
//! Points given in `f32` stay so: they are read row by row as `f64`, in which each of their values is exact, so that a
//! kernel has the same value whichever precision its points are kept in.

use mercer_linalg::Budget;
use mercer_points::{Dense, Points, PointsError, Sparse};
use rayon::prelude::*;

/// Points that are worth a task of their own.
pub(super) const SOME: usize = 64;

/// Dense points, as given.
#[derive(Debug, Clone)]
pub(super) enum Block {
    Double(Dense<f64>),
    Single(Dense<f32>),
}

/// The same on points of either precision: `$points` stands for them.
macro_rules! either {
    ($block:expr, $points:ident => $value:expr) => {
        match $block {
            Block::Double($points) => $value,
            Block::Single($points) => $value,
        }
    };
}

impl From<Dense<f64>> for Block {
    fn from(points: Dense<f64>) -> Self {
        Self::Double(points)
    }
}

impl Block {
    pub(super) fn len(&self) -> usize {
        either!(self, points => points.len())
    }

    pub(super) fn dim(&self) -> usize {
        either!(self, points => points.dim())
    }

    /// Writes the coordinates of a point, from `first` on.
    #[inline]
    pub(super) fn read(&self, i: usize, first: usize, out: &mut [f64]) {
        match self {
            Self::Double(points) => out.copy_from_slice(&points.point(i)[first..first + out.len()]),
            Self::Single(points) => {
                let row = &points.point(i)[first..first + out.len()];
                out.iter_mut().zip(row).for_each(|(out, &v)| *out = v.into());
            }
        }
    }

    /// A point, in `f64`: where it is, or else written into `space`.
    pub(super) fn row<'a>(&'a self, i: usize, space: &'a mut Vec<f64>) -> &'a [f64] {
        match self {
            Self::Double(points) => points.point(i),
            Self::Single(points) => {
                space.clear();
                space.extend(points.point(i).iter().map(|&v| f64::from(v)));
                space
            }
        }
    }

    /// All points in `f64`, as they are or, where there is room for it, converted.
    pub(super) fn double(self) -> Result<Dense<f64>, PointsError> {
        match self {
            Self::Double(points) => Ok(points),
            Self::Single(points) => {
                check_room(points.len(), points.dim())?;
                Ok(points.to_f64())
            }
        }
    }

    /// Some points, in `f64`.
    pub(super) fn select(&self, rows: &[usize]) -> Dense<f64> {
        match self {
            Self::Double(points) => points.select(rows),
            Self::Single(points) => points.select(rows).to_f64(),
        }
    }

    /// Every point without its zeros.
    pub(super) fn sparse(&self) -> Sparse {
        either!(self, points => Sparse::from_dense(points))
    }

    /// The mean of each coordinate.
    pub(super) fn means(&self) -> Vec<f64> {
        either!(self, points => means(points))
    }

    /// Largest ‖x‖² and largest ‖x − center‖².
    pub(super) fn largest(&self, center: &[f64]) -> (f64, f64) {
        either!(self, points => largest(points, center))
    }

    /// The first value of which `wrong` says so: its row, its coordinate and itself.
    pub(super) fn first(&self, wrong: impl Fn(f64) -> bool) -> Option<(usize, usize, f64)> {
        either!(self, points => first(points, wrong))
    }

    /// The first point that is the origin.
    pub(super) fn zero_row(&self) -> Option<usize> {
        either!(self, points => points.rows().position(|row| row.iter().all(|v| *v == 0.0)))
    }

    /// 1/(d·var) over all entries.
    pub(super) fn scale(&self) -> f64 {
        either!(self, points => {
            super::resolve::scale(points.dim(), points.len(), points.values())
        })
    }
}

/// An error where points of so many coordinates in `f64` would not fit in memory.
pub(super) fn check_room(rows: usize, dim: usize) -> Result<(), PointsError> {
    const PLENTY: u128 = 64 << 20;
    let needed = 8 * rows as u128 * dim as u128;
    // Reading how much memory there is takes longer than a few rows do.
    if needed <= PLENTY || Budget::default().allows(needed) {
        return Ok(());
    }
    Err(PointsError::TooLarge {
        what: format!("{rows} rows of {dim} features"),
        needed: needed.to_string(),
        limit: Budget::default().bytes(),
        instead: "take fewer rows at a time".to_owned(),
    })
}

fn first<T: Copy + Into<f64>>(points: &Dense<T>, wrong: impl Fn(f64) -> bool) -> Option<(usize, usize, f64)> {
    let at = points.values().iter().position(|&v| wrong(v.into()))?;
    Some((at / points.dim(), at % points.dim(), points.values()[at].into()))
}

fn means<T: Copy + Into<f64> + Send + Sync>(points: &Dense<T>) -> Vec<f64> {
    let mut sums = vec![0.0; points.dim()];
    for row in points.rows() {
        sums.iter_mut().zip(row).for_each(|(sum, &v)| *sum += v.into());
    }
    let n = points.len().max(1) as f64;
    sums.iter_mut().for_each(|sum| *sum /= n);
    sums
}

fn largest<T: Copy + Into<f64> + Send + Sync>(points: &Dense<T>, center: &[f64]) -> (f64, f64) {
    let squares = |i: usize| {
        let (mut square, mut from_center) = (0.0, 0.0);
        for (&v, c) in points.point(i).iter().zip(center) {
            let v: f64 = v.into();
            square += v * v;
            from_center += (v - c) * (v - c);
        }
        (square, from_center)
    };
    let larger = |a: (f64, f64), b: (f64, f64)| (a.0.max(b.0), a.1.max(b.1));
    (0..points.len()).into_par_iter().with_min_len(SOME).map(squares).reduce(|| (0.0, 0.0), larger)
}
