//! What a Gram matrix looks like in numbers, and whether distances still tell rows apart (`docs/maths.md` §2).

use std::fmt;

use mercer_points::{Dense, Points};
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_pcg::Pcg64;

use crate::Gram;

/// What kind of matrix it is at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Points are like themselves only: too narrow.
    MostlyDiagonal,
    /// Neither: there is something to learn from.
    Structured,
    /// Every point is like every other: too wide.
    AllAlike,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MostlyDiagonal => "mostly diagonal",
            Self::Structured => "structured",
            Self::AllAlike => "all alike",
        })
    }
}

/// Diagonal and off-diagonal statistics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Mean of the diagonal.
    pub diagonal_mean: f64,
    /// Mean of the other entries.
    pub mean: f64,
    /// Mean magnitude of the other entries.
    pub magnitude: f64,
    /// Standard deviation of the other entries.
    pub deviation: f64,
    /// Smallest of the other entries.
    pub smallest: f64,
    /// Largest of the other entries.
    pub largest: f64,
    /// The verdict.
    pub shape: Shape,
    /// How many rows they were taken from.
    pub rows: usize,
}

/// Rows of which statistics are taken at most.
const SAMPLE: usize = 2000;

/// Statistics of a Gram matrix, from at most 2 000 of its rows (seeded).
pub fn statistics(gram: &dyn Gram) -> Statistics {
    let n = gram.len();
    let rows = sampled(n, SAMPLE);
    let mut diagonal = vec![0.0; n];
    gram.diagonal(&mut diagonal);
    let (mut count, mut sum, mut magnitude, mut squares) = (0.0, 0.0, 0.0, 0.0);
    let (mut smallest, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut buffer = vec![0.0; 64 * n];
    for rows in rows.chunks(64) {
        gram.rows_double(rows, &mut buffer[..rows.len() * n]);
        for (&i, row) in rows.iter().zip(buffer.chunks_exact(n.max(1))) {
            for (_, &k) in row.iter().enumerate().filter(|&(j, _)| j != i) {
                count += 1.0;
                sum += k;
                magnitude += k.abs();
                squares += k * k;
                smallest = f64::min(smallest, k);
                largest = f64::max(largest, k);
            }
        }
    }
    let diagonal_mean = diagonal.iter().sum::<f64>() / n.max(1) as f64;
    if count == 0.0 {
        (smallest, largest, count) = (0.0, 0.0, 1.0);
    }
    let (mean, magnitude) = (sum / count, magnitude / count);
    let deviation = (squares / count - mean * mean).max(0.0).sqrt();
    let relative = |v: f64| if diagonal_mean > 0.0 { v / diagonal_mean } else { v };
    let shape = if magnitude == 0.0 && diagonal_mean == 0.0 {
        Shape::AllAlike
    } else if relative(magnitude) < 0.05 {
        Shape::MostlyDiagonal
    } else if relative(magnitude) > 0.95 && relative(deviation) < 0.05 {
        Shape::AllAlike
    } else {
        Shape::Structured
    };
    Statistics { diagonal_mean, mean, magnitude, deviation, smallest, largest, shape, rows: rows.len() }
}

/// How far apart the nearest and the farthest rows are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Concentration {
    /// Smallest distance between two rows that differ.
    pub nearest: f64,
    /// Largest distance.
    pub farthest: f64,
    /// (farthest − nearest)/nearest.
    pub contrast: f64,
}

impl Concentration {
    /// Whether a kernel of the distance cannot tell rows apart on these columns.
    pub fn is_concentrated(&self) -> bool {
        self.contrast < 0.5
    }
}

/// The contrast of distances between rows, from at most 500 of them (seeded); `None` without two rows that differ.
///
/// ```
/// use mercer_gram::concentration;
/// use mercer_points::Dense;
/// let near_and_far = concentration(&Dense::from_rows(&[[0.0], [1.0], [100.0]])).unwrap();
/// assert_eq!(near_and_far.contrast, 99.0);
/// ```
pub fn concentration(points: &Dense<f64>) -> Option<Concentration> {
    let rows = sampled(points.len(), 500);
    let (mut nearest, mut farthest) = (f64::INFINITY, 0.0);
    for (at, &i) in rows.iter().enumerate() {
        for &j in &rows[..at] {
            let square: f64 =
                points.point(i).iter().zip(points.point(j)).map(|(a, b)| (a - b) * (a - b)).sum();
            if square > 0.0 {
                nearest = f64::min(nearest, square.sqrt());
                farthest = f64::max(farthest, square.sqrt());
            }
        }
    }
    (farthest > 0.0).then(|| Concentration { nearest, farthest, contrast: (farthest - nearest) / nearest })
}

fn sampled(n: usize, most: usize) -> Vec<usize> {
    if n <= most {
        return (0..n).collect();
    }
    let mut rows = sample(&mut Pcg64::seed_from_u64(0), n, most).into_vec();
    rows.sort_unstable();
    rows
}
