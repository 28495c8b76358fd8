//! A plane of feature space: that of the first two kernel principal components of some rows (B. Schölkopf, A. Smola and
//! K.-R. Müller, *Nonlinear component analysis as a kernel eigenvalue problem*, 1998).
//!
//! With the centred Gram matrix K̃ = Σ_k λ_k v_k v_kᵀ the unit vectors e_k = Σ_i v_ki (φ(x_i) − φ̄)/√λ_k span the plane,
//! and row i stands at √λ_k v_ki. A score is affine in feature space, so on the plane it is
//! f̄ + s·Σ_i v_1i (f(x_i) − f̄)/√λ_1 + t·Σ_i v_2i (f(x_i) − f̄)/√λ_2: the slice is exact, and known from the scores of the
//! rows alone.

use mercer_linalg::eigh;

use crate::PictureError;

/// Rows that the components are found from, at most.
pub(crate) const MOST: usize = 400;

/// The plane of two components.
pub(crate) struct Plane {
    /// Where each row stands.
    pub(crate) places: Vec<[f64; 2]>,
    /// The share of the variance that each component has.
    pub(crate) shares: [f64; 2],
    /// For each machine the score at the middle, and its slopes.
    pub(crate) scores: Vec<[f64; 3]>,
}

impl Plane {
    /// The plane of n rows with this Gram matrix, and these scores: rows × machines, row after row.
    pub(crate) fn new(n: usize, gram: &[f64], scores: &[f64], machines: usize) -> Result<Self, PictureError> {
        let means: Vec<f64> =
            (0..n).map(|i| gram[i * n..(i + 1) * n].iter().sum::<f64>() / n as f64).collect();
        let mean = means.iter().sum::<f64>() / n.max(1) as f64;
        let centred: Vec<f64> =
            (0..n * n).map(|at| gram[at] - means[at / n] - means[at % n] + mean).collect();
        let (values, vectors) = eigh(n, &centred)?;
        let total: f64 = values.iter().map(|value| value.max(0.0)).sum();
        // Values ascend.
        let component = |k: usize| -> (f64, &[f64]) {
            match n.checked_sub(k + 1) {
                Some(at) => (values[at].max(0.0), &vectors[at * n..(at + 1) * n]),
                None => (0.0, &[]),
            }
        };
        let (one, two) = (component(0), component(1));
        let place =
            |i: usize, (value, vector): (f64, &[f64])| value.sqrt() * vector.get(i).copied().unwrap_or(0.0);
        let slopes = (0..machines).map(|machine| {
            let score = |i: usize| scores[i * machines + machine];
            let middle = (0..n).map(score).sum::<f64>() / n.max(1) as f64;
            let slope = |(value, vector): (f64, &[f64])| {
                let along: f64 = vector.iter().enumerate().map(|(i, v)| v * (score(i) - middle)).sum();
                if value > 1e-12 * total { along / value.sqrt() } else { 0.0 }
            };
            [middle, slope(one), slope(two)]
        });
        Ok(Self {
            places: (0..n).map(|i| [place(i, one), place(i, two)]).collect(),
            shares: [one.0, two.0].map(|value| if total > 0.0 { value / total } else { 0.0 }),
            scores: slopes.collect(),
        })
    }

    /// The scores of all machines at a place of the plane.
    pub(crate) fn at(&self, [s, t]: [f64; 2]) -> impl Iterator<Item = f64> {
        self.scores.iter().map(move |[middle, along, across]| middle + s * along + t * across)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_score_of_points_in_a_plane_is_itself() {
        let points = [[0.0, 0.0], [2.0, 0.5], [-1.0, 1.0], [0.5, -2.0], [3.0, 1.0]];
        let gram: Vec<f64> =
            points.iter().flat_map(|a| points.iter().map(move |b| a[0] * b[0] + a[1] * b[1])).collect();
        let scores: Vec<f64> = points.iter().map(|p| 3.0 * p[0] - p[1] + 0.25).collect();
        let plane = Plane::new(5, &gram, &scores, 1).unwrap();
        for (place, score) in plane.places.iter().zip(&scores) {
            assert!((plane.at(*place).next().unwrap() - score).abs() < 1e-9);
        }
        assert!((plane.shares[0] + plane.shares[1] - 1.0).abs() < 1e-9);
    }

    #[test]
    fn rows_that_are_all_the_same_have_a_plane_too() {
        let plane = Plane::new(3, &[1.0; 9], &[0.5; 3], 1).unwrap();
        assert!(plane.places.iter().flatten().all(|place| place.abs() < 1e-6));
        assert!(Plane::new(1, &[1.0], &[2.0], 1).unwrap().at([0.0, 0.0]).all(|score| score == 2.0));
    }
}
