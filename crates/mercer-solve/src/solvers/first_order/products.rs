//! Products with K that can be interrupted, and the largest eigenvalue that limits step sizes.

use mercer_gram::Gram;
use rayon::prelude::*;

use crate::{Features, Problem, Run, Status};

/// Up to so many rows a whole product is short enough to wait for.
const WHOLE: usize = 8192;

/// Kernel entries computed between two looks at the clock.
const BLOCK: usize = 1 << 20;

/// out = Kv. A status where it was told to stop: `out` is then of no use.
pub(in crate::solvers) fn product(
    gram: &dyn Gram,
    vector: &[f64],
    out: &mut [f64],
    run: &mut Run<'_>,
) -> Option<Status> {
    let n = gram.len();
    if n <= WHOLE {
        gram.apply(vector, out);
        run.count(n * (n + 1) / 2);
        return run.stop();
    }
    let all: Vec<usize> = (0..n).collect();
    let height = (BLOCK / n).max(1);
    let mut entries = vec![0.0; height * n];
    for (block, out) in all.chunks(height).zip(out.chunks_mut(height)) {
        if let Some(status) = run.stop() {
            return Some(status);
        }
        let entries = &mut entries[..block.len() * n];
        gram.rows_double(block, entries);
        run.count(entries.len());
        for (row, out) in entries.chunks_exact(n).zip(out) {
            *out = row.iter().zip(vector).map(|(k, v)| k * v).sum();
        }
    }
    None
}

/// ⟨w,x_i⟩ of all rows.
pub(in crate::solvers) fn feature_scores(features: &Features, weights: &[f64]) -> Vec<f64> {
    (0..features.len()).into_par_iter().with_min_len(256).map(|i| features.score(i, weights)).collect()
}

/// Steps of the power iteration at most: dozens of products, as many as a short run of the solver itself.
const STEPS: usize = 60;

/// The largest eigenvalue of √W·K·√W, W the diagonal of row weights: (a lower bound, one that includes the residual).
///
/// With `constant` a feature 1 is added to the kernel: that of an offset learned by its own gradient.
/// Power iteration; the Rayleigh quotient never exceeds the eigenvalue, and some eigenvalue is within the residual.
pub(in crate::solvers) fn largest_eigenvalue(
    problem: &Problem<'_>,
    constant: bool,
    run: &mut Run<'_>,
) -> Result<(f64, f64), Status> {
    let n = problem.len();
    let roots: Vec<f64> = (0..n).map(|i| problem.weight(i).sqrt()).collect();
    // Uneven, so that it is orthogonal to no eigenvector of a symmetric arrangement of points.
    let mut vector: Vec<f64> =
        (0..n).map(|i| roots[i] * (1.0 + 0.1 * (i as f64 * 0.754_877_666).fract())).collect();
    let (mut scaled, mut image) = (vec![0.0; n], vec![0.0; n]);
    let (mut value, mut rest) = (0.0, 0.0);
    for _ in 0..STEPS {
        let norm = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
        if !(norm > 0.0 && norm.is_finite()) {
            break;
        }
        vector.iter_mut().for_each(|v| *v /= norm);
        scaled.iter_mut().zip(&vector).zip(&roots).for_each(|((s, v), root)| *s = v * root);
        if let Some(status) = product(problem.gram(), &scaled, &mut image, run) {
            return Err(status);
        }
        let shift = if constant { scaled.iter().sum() } else { 0.0 };
        image.iter_mut().zip(&roots).for_each(|(v, root)| *v = (*v + shift) * root);
        value = vector.iter().zip(&image).map(|(v, w)| v * w).sum();
        rest = vector.iter().zip(&image).map(|(v, w)| (w - value * v).powi(2)).sum::<f64>().sqrt();
        std::mem::swap(&mut vector, &mut image);
        if rest <= 1e-4 * value {
            break;
        }
    }
    Ok((value, value + rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Squared;
    use crate::{Objective, Tolerance};

    #[test]
    fn the_largest_eigenvalue_of_a_known_matrix() {
        // That of XXᵀ is that of the 2×2 matrix XᵀX, which is a quadratic equation.
        let features = Features::new(4, 2, vec![3.0, 1.0, -3.0, 1.5, 2.0, -1.5, -2.0, -1.0]).unwrap();
        let y = [0.0; 4];
        let problem = Problem::new(&features, &y, Objective::Risk(&Squared), 1.0, true).unwrap();
        let mut run = Run::quiet(Tolerance::default());
        let gram = |a: usize, b: usize| (0..4).map(|i| features.row(i)[a] * features.row(i)[b]).sum::<f64>();
        let (trace, det) = (gram(0, 0) + gram(1, 1), gram(0, 0) * gram(1, 1) - gram(0, 1) * gram(1, 0));
        let want = 0.5 * (trace + (trace * trace - 4.0 * det).sqrt());
        let (low, high) = largest_eigenvalue(&problem, false, &mut run).unwrap();
        assert!(
            low <= want * (1.0 + 1e-12) && high >= want * (1.0 - 1e-12) && high - low < 1e-3 * want,
            "{low} {high}"
        );
        // With weights (4,0,0,0) only one entry is left, and the constant adds 1 to it.
        let weights = [4.0, 0.0, 0.0, 0.0];
        let problem = problem.weighted(&weights).unwrap();
        let (low, _) = largest_eigenvalue(&problem, true, &mut run).unwrap();
        assert!((low - 4.0 * 11.0).abs() < 1e-9, "{low}");
    }
}
