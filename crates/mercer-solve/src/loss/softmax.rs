//! Softmax cross-entropy: log Σ_c e^{f_c} − f_y, a loss of one score for each class (`docs/maths.md` §3.1).
//!
//! Its conjugate is the negative entropy of chances p = u + e_y, so that Fenchel–Young is the divergence of p from the
//! chances of the scores.

/// log Σ_c exp(f_c) − f_y.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Softmax;

impl Softmax {
    /// The loss of a row's scores, given its class.
    ///
    /// ```
    /// use mercer_solve::loss::Softmax;
    /// assert!((Softmax.value(&[0.0, 0.0, 0.0], 1) - 3_f64.ln()).abs() < 1e-15);
    /// assert_eq!(Softmax.value(&[1000.0, 0.0], 1), 1000.0);
    /// ```
    pub fn value(self, scores: &[f64], class: usize) -> f64 {
        let (own, most) = (scores[class], largest(scores));
        if own < most {
            let sum: f64 = scores.iter().map(|f| (f - most).exp()).sum();
            return (most - own) + sum.ln();
        }
        // Next to 0 the digits are in what the others add to 1.
        let others = scores.iter().enumerate().filter(|(other, _)| *other != class);
        others.map(|(_, f)| (f - most).exp()).sum::<f64>().ln_1p()
    }

    /// The chance of each class, e^{f_c} / Σ_d e^{f_d}.
    pub fn chances(self, scores: &[f64], out: &mut [f64]) {
        let most = largest(scores);
        out.iter_mut().zip(scores).for_each(|(out, f)| *out = (f - most).exp());
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|out| *out /= sum);
    }

    /// ℓ*: Σ_c p_c log p_c of chances.
    pub fn conjugate(self, chances: &[f64]) -> f64 {
        chances.iter().filter(|p| **p > 0.0).map(|p| p * p.ln()).sum()
    }

    /// ℓ(y,f) + ℓ*(y,u) − ⟨u,f⟩ = Σ_c p_c log(p_c/q_c), q being the chances of the scores and p = u + e_y; y cancels.
    ///
    /// ```
    /// use mercer_solve::loss::Softmax;
    /// let scores = [0.3, -1.0, 2.0];
    /// let mut chances = [0.0; 3];
    /// Softmax.chances(&scores, &mut chances);
    /// assert!(Softmax.residual(&scores, &chances) < 1e-30);
    /// assert!((Softmax.residual(&[0.0, 0.0], &[1.0, 0.0]) - 2_f64.ln()).abs() < 1e-15);
    /// ```
    pub fn residual(self, scores: &[f64], chances: &[f64]) -> f64 {
        let most = largest(scores);
        let logarithm = scores.iter().map(|f| (f - most).exp()).sum::<f64>().ln();
        let term = |(f, &p): (&f64, &f64)| {
            let lower = (f - most) - logarithm;
            let q = lower.exp();
            if p <= 0.0 {
                return q;
            }
            // p log(p/q) − p + q is not negative, and next to p = q the logarithm of 1 + x is known better.
            let x = (q - p) / p;
            let term = if x.abs() < 0.5 { p * (x - x.ln_1p()) } else { p * (p.ln() - lower) - p + q };
            if term.is_nan() { f64::INFINITY } else { term.max(0.0) }
        };
        scores.iter().zip(chances).map(term).sum()
    }
}

fn largest(scores: &[f64]) -> f64 {
    scores.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Draw;

    fn random(draw: &mut Draw, count: usize, size: f64) -> Vec<f64> {
        (0..count).map(|_| size * draw.next()).collect()
    }

    #[test]
    fn fenchel_young_holds_and_is_tight_at_the_slope() {
        let mut draw = Draw::new(3);
        for round in 0..300 {
            let (count, size) = (2 + round % 6, [0.1, 3.0, 200.0][round % 3]);
            let (scores, class) = (random(&mut draw, count, size), round % count);
            let mut q = vec![0.0; count];
            Softmax.chances(&scores, &mut q);
            assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            let mut p = vec![0.0; count];
            Softmax.chances(&random(&mut draw, count, size), &mut p);
            let slope = |p: &[f64], c: usize| p[c] - f64::from(u8::from(c == class));
            let definition = |p: &[f64]| {
                let product: f64 = (0..count).map(|c| slope(p, c) * scores[c]).sum();
                Softmax.value(&scores, class) + Softmax.conjugate(p) - product
            };
            let found = Softmax.residual(&scores, &p);
            assert!(found >= 0.0 && (found - definition(&p)).abs() <= 1e-12 * (1.0 + size), "{found}");
            assert!(Softmax.residual(&scores, &q) < 1e-15, "{scores:?}");
            // A finite difference.
            for c in 0..count {
                let moved = |by: f64| {
                    let mut scores = scores.clone();
                    scores[c] += by;
                    Softmax.value(&scores, class)
                };
                let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((difference - slope(&q, c)).abs() < 1e-6 * (1.0 + size), "{difference}");
            }
        }
    }

    #[test]
    fn small_losses_and_large_scores_keep_their_digits() {
        assert!((Softmax.value(&[40.0, 0.0], 0) - (-40_f64).exp()).abs() < 1e-30);
        assert_eq!(Softmax.value(&[1e150, 0.0, 0.0], 0), 0.0);
        assert_eq!(Softmax.residual(&[1e150, 0.0], &[1.0, 0.0]), 0.0);
        assert!(Softmax.residual(&[1e150, 0.0], &[0.5, 0.5]) > 1e149);
    }
}
