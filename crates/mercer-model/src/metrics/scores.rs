//! The area under the curve of true against false positives (`docs/maths.md` §6.1).

use super::weights::Undefined;

/// Rows of two classes in the order of their scores, which is worked out once however often weights change.
#[derive(Debug)]
pub(super) struct Ranking<'a> {
    truth: &'a [usize],
    scores: &'a [f64],
    order: Vec<usize>,
}

impl<'a> Ranking<'a> {
    /// Classes 0 and 1, and as many finite scores.
    pub(super) fn new(truth: &'a [usize], scores: &'a [f64]) -> Self {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        Self { truth, scores, order }
    }

    /// The share of pairs, one row of each class, in which the second class has the larger score; ties count half.
    pub(super) fn auc(&self, weights: &[f64]) -> Result<f64, Undefined> {
        let (mut below, mut above, mut won) = (0.0, 0.0, 0.0);
        // The two signs of zero are one score, hence `==` and not the order that sorted them.
        for tied in self.order.chunk_by(|&a, &b| self.scores[a] == self.scores[b]) {
            let (mut first, mut second) = (0.0, 0.0);
            for &row in tied {
                let of_class = if self.truth[row] == 1 { &mut second } else { &mut first };
                *of_class += weights[row];
            }
            won += second * (below + first / 2.0);
            below += first;
            above += second;
        }
        if below > 0.0 && above > 0.0 {
            Ok(won / (below * above))
        } else {
            Err(Undefined("all rows are of one class"))
        }
    }
}
