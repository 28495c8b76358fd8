//! The linear system of a Newton step,
//!
//! ```text
//! (I + RᵀKR)β = Rᵀ(f − f⁺) ,   RRᵀ = CH ,   H_i = diag q_i − q_i q_iᵀ
//! ```
//!
//! within the β for which the coefficients Rβ of each class add up to 0, where there are offsets (`docs/maths.md` §4.12).
//! Conjugate gradients, one product of K with as many vectors as there are classes in each iteration.

use mercer_linalg::{cholesky, cholesky_solve};

use super::super::portions::dot;
use super::preconditioner::Preconditioner;
use crate::{Run, SoftmaxProblem, Status};

/// Iterations at most; a step that is not exact is still one downhill.
const MOST: usize = 500;

/// A squared residual of this part of the first is rounding.
const ROUNDING: f64 = 1e-28;

/// R, and the curvature of the offsets.
pub(super) struct System {
    pub(super) rows: usize,
    pub(super) classes: usize,
    /// √C_i.
    pub(super) scale: Vec<f64>,
    /// √q, class after class.
    pub(super) roots: Vec<f64>,
    /// The factor of Σ C_i H_i, with something for the offsets that move together; none in a problem without offsets.
    balance: Option<Vec<f64>>,
}

/// β with Rβ and KRβ.
pub(super) struct Solved {
    pub(super) unknown: Vec<f64>,
    pub(super) alpha: Vec<f64>,
    pub(super) scores: Vec<f64>,
}

/// K times vectors.
pub(super) type Product<'a> = dyn Fn(&[f64], &mut Run<'_>) -> Result<Vec<f64>, Status> + 'a;

impl System {
    /// The system at some chances; none where their curvature is nothing in floating point.
    pub(super) fn new(problem: &SoftmaxProblem<'_>, chances: &[f64]) -> Option<Self> {
        let (rows, classes) = (problem.len(), problem.classes());
        let bound =
            |i: usize| Some(problem.bound(i)).filter(|bound| bound.recip().is_finite()).unwrap_or(0.0);
        let scale = (0..rows).map(|i| bound(i).sqrt()).collect();
        let roots = chances.iter().map(|q| q.sqrt()).collect();
        let mut system = Self { rows, classes, scale, roots, balance: None };
        if problem.offset() {
            system.balance = Some(system.curvature()?);
        }
        Some(system)
    }

    /// The factor of Σ C_i H_i.
    fn curvature(&self) -> Option<Vec<f64>> {
        let (k, n) = (self.classes, self.rows);
        let chance = |c: usize, i: usize| self.roots[c * n + i] * self.roots[c * n + i];
        let mut matrix = vec![0.0; k * k];
        for a in 0..k {
            for b in 0..=a {
                let term = |i: usize| {
                    let own = if a == b { chance(a, i) } else { 0.0 };
                    self.scale[i] * self.scale[i] * (own - chance(a, i) * chance(b, i))
                };
                matrix[a * k + b] = (0..n).map(term).sum();
            }
        }
        let trace: f64 = (0..k).map(|a| matrix[a * k + a]).sum();
        for a in 0..k {
            matrix[a * k..=a * k + a].iter_mut().for_each(|value| *value += trace / (k * k) as f64);
            matrix[a * k + a] += 1e-15 * trace;
        }
        cholesky(k, k, &mut matrix, &|| false).ok()?;
        Some(matrix)
    }

    /// Takes √q_i·(√q_i·β_i) from the β of every row.
    fn project(&self, vector: &mut [f64]) {
        let n = self.rows;
        let mut sums = vec![0.0; n];
        for (own, roots) in vector.chunks_exact(n).zip(self.roots.chunks_exact(n)) {
            sums.iter_mut().zip(own).zip(roots).for_each(|((sum, v), s)| *sum += s * v);
        }
        for (own, roots) in vector.chunks_exact_mut(n).zip(self.roots.chunks_exact(n)) {
            own.iter_mut().zip(roots).zip(&sums).for_each(|((v, s), sum)| *v -= s * sum);
        }
    }

    fn scaled(&self, vector: &mut [f64]) {
        let n = self.rows;
        for (own, roots) in vector.chunks_exact_mut(n).zip(self.roots.chunks_exact(n)) {
            own.iter_mut().zip(roots).zip(&self.scale).for_each(|((v, s), scale)| *v *= s * scale);
        }
    }

    /// Rβ: coefficients.
    fn up(&self, vector: &[f64]) -> Vec<f64> {
        let mut out = vector.to_vec();
        self.project(&mut out);
        self.scaled(&mut out);
        out
    }

    /// Rᵀv of scores.
    pub(super) fn down(&self, scores: &[f64]) -> Vec<f64> {
        let mut out = scores.to_vec();
        self.scaled(&mut out);
        self.project(&mut out);
        out
    }

    /// The offsets whose scores come nearest to what is left of the system: (Σ CH)⁻¹ of the sums of R·vector.
    fn offsets_of(&self, vector: &[f64]) -> Option<Vec<f64>> {
        let factor = self.balance.as_ref()?;
        let mut sums: Vec<f64> =
            self.up(vector).chunks_exact(self.rows).map(|own| own.iter().sum()).collect();
        cholesky_solve(self.classes, self.classes, factor, &mut sums, &|| false).ok()?;
        let mean = sums.iter().sum::<f64>() / self.classes as f64;
        sums.iter_mut().for_each(|b| *b -= mean);
        Some(sums).filter(|offsets| offsets.iter().all(|b| b.is_finite()))
    }

    /// The nearest β whose coefficients add up to 0 in every class.
    fn balanced(&self, vector: &mut [f64]) {
        let Some(offsets) = self.offsets_of(vector) else { return };
        let level: Vec<f64> = offsets.iter().flat_map(|&b| std::iter::repeat_n(b, self.rows)).collect();
        vector.iter_mut().zip(self.down(&level)).for_each(|(v, d)| *v -= d);
    }

    /// How the offsets change in a step that changes the scores by `along`: the multipliers of the sums.
    pub(super) fn lift(&self, along: &[f64], unknown: &[f64]) -> Vec<f64> {
        let mut rest = self.down(along);
        rest.iter_mut().zip(unknown).for_each(|(rest, beta)| *rest = -*rest - beta);
        self.offsets_of(&rest).unwrap_or_else(|| vec![0.0; self.classes])
    }

    /// β to a squared residual of what is allowed for it, or the best so far.
    pub(super) fn solve(
        &self,
        right: &[f64],
        allowed: &dyn Fn(&Solved) -> f64,
        preconditioner: &Preconditioner<'_>,
        run: &mut Run<'_>,
        product: &Product<'_>,
    ) -> Result<Solved, Status> {
        let size = right.len();
        let mut residual = right.to_vec();
        self.balanced(&mut residual);
        let mut solved = Solved { unknown: vec![0.0; size], alpha: vec![0.0; size], scores: vec![0.0; size] };
        let mut direction = vec![0.0; size];
        let mut before = f64::INFINITY;
        let rounding = ROUNDING * dot(&residual, &residual);
        for _ in 0..MOST {
            let left = dot(&residual, &residual);
            if !(left > allowed(&solved).max(rounding) && left.is_finite()) {
                break;
            }
            let mut steep = preconditioner.apply(&residual);
            self.project(&mut steep);
            self.balanced(&mut steep);
            let now = dot(&residual, &steep);
            let keep = if before.is_finite() { now / before } else { 0.0 };
            direction.iter_mut().zip(&steep).for_each(|(d, s)| *d = s + keep * *d);
            before = now;
            let alpha = self.up(&direction);
            let scores = product(&alpha, run)?;
            let mut image = self.down(&scores);
            image.iter_mut().zip(&direction).for_each(|(image, d)| *image += d);
            self.balanced(&mut image);
            let length = now / dot(&direction, &image);
            if !(length.is_finite() && length > 0.0) {
                break;
            }
            residual.iter_mut().zip(&image).for_each(|(r, i)| *r -= length * i);
            for (sum, part) in [
                (&mut solved.unknown, &direction),
                (&mut solved.alpha, &alpha),
                (&mut solved.scores, &scores),
            ] {
                sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += length * part);
            }
        }
        Ok(solved)
    }
}
