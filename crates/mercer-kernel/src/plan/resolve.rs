//! Words that stand for numbers: `gamma=scale`, `gamma=median`, `gamma=q25` (`docs/maths.md` §1.2).

use mercer_linalg::Base;
use mercer_points::{Points, Sparse};
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_pcg::Pcg64;

use super::block::Block;
use super::view::View;

/// Rows of which quantiles of distances are taken at most.
const SAMPLE: usize = 2000;

/// The number that a word means on these training rows.
pub(super) fn gamma(word: &str, view: &View) -> f64 {
    let share = match word {
        "median" => Some(0.5),
        _ => word.strip_prefix('q').and_then(|percent| Some(percent.parse::<f64>().ok()? / 100.0)),
    };
    let found = match (share, view) {
        (Some(share), View::Dense(points)) => quantile(points.block(), share),
        (Some(share), View::Sparse(points)) => {
            let rows = sampled(points.len());
            quantile_of(share, rows.len(), |i, j| sparse_distance(points, rows[i], rows[j]))
        }
        (_, View::Dense(points)) => points.block().scale(),
        (_, View::Sparse(points)) => scale(points.dim(), points.len(), points.values()),
        _ => 1.0,
    };
    // Rows that are all alike give no scale; any value serves, and 1 is the plain one.
    if found.is_finite() && found > 0.0 { found } else { 1.0 }
}

/// 1/(d·var) over all entries, those that are not stored being zero.
pub(super) fn scale<T: Copy + Into<f64>>(dim: usize, rows: usize, stored: &[T]) -> f64 {
    let count = dim as f64 * rows as f64;
    let each = || stored.iter().map(|&v| v.into());
    let mean = each().sum::<f64>() / count;
    let zeros = count - stored.len() as f64;
    let squares = each().map(|v: f64| (v - mean) * (v - mean)).sum::<f64>() + zeros * mean * mean;
    1.0 / (dim as f64 * squares / count)
}

fn quantile(points: &Block, share: f64) -> f64 {
    let chosen = points.select(&sampled(points.len()));
    quantile_of(share, chosen.len(), |i, j| Base::SquaredDistance.pair(chosen.point(i), chosen.point(j)))
}

/// γ = 1/(2σ²) with σ a quantile of the distances of pairs that differ.
fn quantile_of(share: f64, n: usize, squared: impl Fn(usize, usize) -> f64) -> f64 {
    let mut squares: Vec<f64> = (0..n)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| squared(i, j))
        .filter(|&s| s > 0.0)
        .collect();
    if squares.is_empty() {
        return 1.0;
    }
    let at = ((share * squares.len() as f64) as usize).min(squares.len() - 1);
    let (_, square, _) = squares.select_nth_unstable_by(at, f64::total_cmp);
    0.5 / *square
}

fn sampled(n: usize) -> Vec<usize> {
    if n <= SAMPLE {
        return (0..n).collect();
    }
    let mut rows = sample(&mut Pcg64::seed_from_u64(0), n, SAMPLE).into_vec();
    rows.sort_unstable();
    rows
}

fn sparse_distance(points: &Sparse, i: usize, j: usize) -> f64 {
    let (x, z) = (points.point(i), points.point(j));
    let square = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
    let (mut a, mut b, mut dot) = (0, 0, 0.0);
    while a < x.indices.len() && b < z.indices.len() {
        match x.indices[a].cmp(&z.indices[b]) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => {
                dot += x.values[a] * z.values[b];
                (a, b) = (a + 1, b + 1);
            }
        }
    }
    (square(x.values) + square(z.values) - 2.0 * dot).max(0.0)
}
