//! Where the numbers of a pair of classes stand, and the same model with its classes in another order.
//!
//! LIBSVM orders classes by first appearance in the training file; a model of Mercer sorts them. Turning a pair round
//! changes the sign of its score, hence of its coefficients and its ρ.

use mercer_points::{Points, Sparse};

use super::LibsvmModel;

/// Where the pair (i,j), i < j, of k classes stands among all pairs.
pub(super) fn pair(i: usize, j: usize, k: usize) -> usize {
    i * (2 * k - i - 1) / 2 + j - i - 1
}

/// The column in which a support vector of class `own` has its coefficient against class `other`.
pub(super) fn column(own: usize, other: usize) -> usize {
    if own < other { other - 1 } else { other }
}

impl LibsvmModel {
    /// The first support vector of each class, and the end of the last.
    pub(super) fn starts(&self) -> Vec<usize> {
        let mut starts = vec![0];
        for count in &self.counts {
            starts.push(starts[starts.len() - 1] + count);
        }
        starts
    }

    /// The same model with its classes in this order; none if these are not its classes.
    pub fn ordered(&self, labels: &[i32]) -> Option<Self> {
        let k = self.labels.len();
        let old: Vec<usize> = labels.iter().filter_map(|l| self.labels.iter().position(|m| m == l)).collect();
        let mut seen = vec![false; k];
        old.iter().for_each(|&class| seen[class] = true);
        if k == 0 || labels.len() != k || old.len() != k || seen.contains(&false) {
            return None;
        }
        let turned = |value: f64, same: bool| if same { value } else { 0.0 - value };
        let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
        let rho = pairs.map(|(i, j)| {
            let (a, b) = (old[i], old[j]);
            turned(self.rho[pair(a.min(b), a.max(b), k)], a < b)
        });
        let rho = rho.collect();
        let starts = self.starts();
        let mut rows = Vec::with_capacity(self.vectors.len());
        let mut coefficients = vec![Vec::with_capacity(self.vectors.len()); self.coefficients.len()];
        for (own, &a) in old.iter().enumerate() {
            for row in starts[a]..starts[a + 1] {
                rows.push(row);
                for (other, &b) in old.iter().enumerate().filter(|(other, _)| *other != own) {
                    let value = self.coefficients[column(a, b)][row];
                    coefficients[column(own, other)].push(turned(value, (own < other) == (a < b)));
                }
            }
        }
        let vectors: Sparse = self.vectors.select(&rows);
        let counts = old.iter().map(|&class| self.counts[class]).collect();
        Some(Self { rho, labels: labels.to_vec(), counts, coefficients, vectors, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::libsvm::{LibsvmKernel, SvmType};

    fn three() -> LibsvmModel {
        LibsvmModel {
            svm_type: SvmType::CSvc,
            kernel: LibsvmKernel::Linear,
            rho: vec![0.1, 0.2, 0.3],
            labels: vec![5, 6, 7],
            counts: vec![1, 2, 1],
            coefficients: vec![vec![1.0, -2.0, -3.0, -4.0], vec![5.0, 6.0, 7.0, -8.0]],
            vectors: Sparse::from_rows(1, (1..5).map(|v| vec![(0, f64::from(v))])).unwrap(),
            probabilities: false,
        }
    }

    /// The decision values of all pairs of labels at a point, straight from LIBSVM's description of its layout.
    fn decisions(model: &LibsvmModel, x: f64) -> Vec<(i32, i32, f64)> {
        let (k, starts) = (model.labels.len(), model.starts());
        let mut found = Vec::new();
        for i in 0..k {
            for j in i + 1..k {
                let mut sum = -model.rho[found.len()];
                for row in starts[i]..starts[i + 1] {
                    sum += model.coefficients[j - 1][row] * model.vectors.point(row).values[0] * x;
                }
                for row in starts[j]..starts[j + 1] {
                    sum += model.coefficients[i][row] * model.vectors.point(row).values[0] * x;
                }
                found.push((model.labels[i], model.labels[j], sum));
            }
        }
        found
    }

    #[test]
    fn every_order_decides_alike() {
        let model = three();
        let before = decisions(&model, 0.7);
        for order in [[5, 6, 7], [5, 7, 6], [6, 5, 7], [6, 7, 5], [7, 5, 6], [7, 6, 5]] {
            let ordered = model.ordered(&order).unwrap();
            for (a, b, value) in decisions(&ordered, 0.7) {
                let (same, other) = (
                    before.iter().find(|d| (d.0, d.1) == (a, b)),
                    before.iter().find(|d| (d.1, d.0) == (a, b)),
                );
                let wanted = same.map(|d| d.2).or(other.map(|d| -d.2)).unwrap();
                assert!((value - wanted).abs() < 1e-12, "{order:?}: ({a}, {b})");
            }
            assert_eq!(ordered.ordered(&[5, 6, 7]).unwrap(), model);
        }
        for wrong in [&[5, 6][..], &[5, 6, 6], &[5, 6, 8], &[5, 6, 7, 7]] {
            assert_eq!(model.ordered(wrong), None);
        }
        assert_eq!(LibsvmModel { svm_type: SvmType::NuSvr, labels: Vec::new(), ..model }.ordered(&[]), None);
    }

    #[test]
    fn pairs_are_counted_in_order() {
        let mut at = 0;
        for i in 0..5 {
            for j in i + 1..5 {
                assert_eq!(pair(i, j, 5), at);
                at += 1;
            }
        }
    }
}
