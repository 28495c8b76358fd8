//! The certificate of softmax: P − D is a sum of divergences, one for each row (`docs/maths.md` §4.12),
//!
//! ```text
//! P − D = (1/n) Σ w_i Σ_c p_ic log(p_ic/q_ic) + (λ/2) Σ_c ‖f_c − f'_c‖²
//! ```
//!
//! with p the dual point that the coefficients stand for, put into its domain, and q the chances of the scores. The
//! classes have one objective, hence one certificate.

use std::time::Instant;

use super::certificate::{Bounds, convexity, worst};
use super::feasible::Feasible;
use super::offsets::best_offsets;
use super::simplex::{chance, dual_point};
use super::{Basis, Certificate, Convexity, KktClass, RowReport, dot, sample};
use crate::loss::Softmax;
use crate::softmax::products;
use crate::{SoftmaxProblem, SoftmaxSolution};

/// What the solution is worth, and the offsets that suit it best.
///
/// # Panics
/// Where the solution has not a coefficient for each row and class.
///
/// ```
/// use mercer_solve::{Features, Run, SoftmaxProblem, Tolerance, certify_softmax, solvers::Softmax};
/// let gram = Features::new(4, 1, vec![1.0, 2.0, -1.0, 0.0]).unwrap();
/// let problem = SoftmaxProblem::new(&gram, (&[0, 1, 2, 2], 3), None, 0.1, true).unwrap();
/// let solution = Softmax::default().solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert!(certify_softmax(&problem, &solution).0.relative_gap < 1e-6);
/// ```
pub fn certify_softmax(problem: &SoftmaxProblem<'_>, solution: &SoftmaxSolution) -> (Certificate, Vec<f64>) {
    certify_softmax_until(problem, solution, None)
}

/// The same, but no later than a deadline where the solver kept its scores, as in
/// [`certify_until`](crate::certify_until).
///
/// # Panics
/// Where the solution has not a coefficient for each row and class.
pub fn certify_softmax_until(
    problem: &SoftmaxProblem<'_>,
    solution: &SoftmaxSolution,
    deadline: Option<Instant>,
) -> (Certificate, Vec<f64>) {
    let (n, alpha) = (problem.len(), &solution.alpha);
    assert_eq!(alpha.len(), n * problem.classes(), "a solution has a coefficient for each row and class");
    let kept = solution.scores.as_ref().filter(|scores| scores.len() == alpha.len());
    let deadline = deadline.filter(|_| kept.is_some());
    let (scores, basis) = match (all_products(problem, alpha, deadline), kept) {
        (Some(scores), _) => (scores, Basis::Recomputed),
        (None, Some(kept)) => {
            let rows: Vec<usize> = (0..n).collect();
            let each = alpha.chunks_exact(n).zip(kept.chunks_exact(n));
            let found = each.map(|(alpha, kept)| sample(problem.gram(), alpha, kept, &rows));
            let (checked, difference) = found.fold((0, 0.0), |(_, most), (count, d)| (count, d.max(most)));
            (kept.clone(), Basis::Kept { checked, difference })
        }
        (None, None) => (vec![f64::NAN; alpha.len()], Basis::Recomputed),
    };
    let near = Some(&solution.offsets).filter(|offsets| offsets.len() == problem.classes());
    let near = near.cloned().unwrap_or_else(|| vec![0.0; problem.classes()]);
    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let offsets = best_offsets(problem, &scores, &near, &is_late);
    let scored = Scored { problem, alpha, scores: &scores, offsets: &offsets };
    let mut certificate = scored.certificate(deadline);
    certificate.basis = basis;
    (certificate, offsets)
}

/// Kα; none if it would not be done by the deadline, judged by its pace.
fn all_products(problem: &SoftmaxProblem<'_>, alpha: &[f64], deadline: Option<Instant>) -> Option<Vec<f64>> {
    if alpha.iter().all(|a| *a == 0.0) {
        return Some(vec![0.0; alpha.len()]);
    }
    let started = Instant::now();
    products(problem.gram(), alpha, &|done, all| {
        let Some(deadline) = deadline else { return false };
        let now = Instant::now();
        let pace = (now - started).as_secs_f64() / done.max(1) as f64;
        now >= deadline || (done > 0 && pace * (all - done) as f64 > (deadline - now).as_secs_f64())
    })
}

/// Coefficients with their scores and best offsets.
struct Scored<'a> {
    problem: &'a SoftmaxProblem<'a>,
    alpha: &'a [f64],
    scores: &'a [f64],
    offsets: &'a [f64],
}

impl Scored<'_> {
    fn certificate(&self, deadline: Option<Instant>) -> Certificate {
        let (problem, n) = (self.problem, self.problem.len());
        let half = 0.5 * problem.lambda();
        let norm2 = dot(self.alpha, self.scores);
        let primal = half * norm2 + self.mean(|own, i| Softmax.value(own, problem.class(i)));
        let point = dual_point(problem, self.alpha);
        let negligible = 1e-13 * primal.abs() / half / problem.classes() as f64;
        let (mut shift2, mut nearest2, mut moved) = (0.0, 0.0, None::<f64>);
        let each =
            self.alpha.chunks_exact(n).zip(self.scores.chunks_exact(n)).zip(point.alpha.chunks_exact(n));
        for (from, to) in each {
            let feasible = Feasible::new(problem.gram(), from, to.to_vec(), negligible, deadline);
            (shift2, nearest2) = (shift2 + feasible.shift2, nearest2 + feasible.norm2);
            moved = moved.into_iter().chain(feasible.moved).reduce(f64::max);
        }
        let rows: Vec<RowReport> = self.rows(&point.chances, norm2.max(0.0).sqrt());
        let mut p = vec![0.0; problem.classes()];
        let entropy = self.mean(|_, i| {
            p.iter_mut().enumerate().for_each(|(c, p)| *p = point.chances[c * n + i]);
            Softmax.conjugate(&p)
        });
        let bounds = Bounds {
            primal,
            gap: rows.iter().map(|row| row.residual).sum::<f64>() / n as f64 + half * shift2,
            dual: -entropy - half * nearest2,
            rounding: self.rounding(),
        };
        let violation = worst(rows.iter().map(|row| row.violation));
        let mut certificate = Certificate::new(bounds, norm2, rows).at(0.0, None, moved);
        certificate.violation = violation;
        certificate.convexity = self.convexity();
        certificate
    }

    /// (1/n) Σ w_i of something about the scores of row i.
    fn mean(&self, mut of: impl FnMut(&[f64], usize) -> f64) -> f64 {
        let mut own = vec![0.0; self.offsets.len()];
        let mut sum = 0.0;
        for i in (0..self.problem.len()).filter(|&i| self.problem.weight(i) > 0.0) {
            self.problem.row(i, self.scores, self.offsets, &mut own);
            sum += self.problem.weight(i) * of(&own, i);
        }
        sum / self.problem.len() as f64
    }

    /// By how much scores that are off by their rounding change the risk.
    fn rounding(&self) -> f64 {
        let rounding = self.mean(|own, i| {
            let class = self.problem.class(i);
            let off = |(c, f): (usize, &f64)| {
                let delta = 4.0 * f64::EPSILON * (f.abs() + 2.0 * self.offsets[c].abs());
                if c == class { f - delta } else { f + delta }
            };
            let worse: Vec<f64> = own.iter().enumerate().map(off).collect();
            Softmax.value(&worse, class) - Softmax.value(own, class)
        });
        if rounding.is_finite() { rounding } else { 0.0 }
    }

    fn rows(&self, chances: &[f64], norm: f64) -> Vec<RowReport> {
        let (problem, n, classes) = (self.problem, self.problem.len(), self.problem.classes());
        let (mut own, mut p, mut q) = (vec![0.0; classes], vec![0.0; classes], vec![0.0; classes]);
        let mut rows = Vec::with_capacity(n);
        for i in 0..n {
            let (w, class) = (problem.weight(i), problem.class(i));
            problem.row(i, self.scores, self.offsets, &mut own);
            Softmax.chances(&own, &mut q);
            p.iter_mut().enumerate().for_each(|(c, p)| *p = chances[c * n + i]);
            let stated = |c: usize| chance(problem, i, c, self.alpha[c * n + i]);
            let others = own.iter().enumerate().filter(|(c, _)| *c != class).map(|(_, f)| *f);
            let next = others.fold(f64::NEG_INFINITY, f64::max);
            let is_idle = (0..classes).all(|c| self.alpha[c * n + i] == 0.0);
            rows.push(RowReport {
                score: own[class],
                slack: Softmax.value(&own, class),
                residual: if w > 0.0 { w * Softmax.residual(&own, &p) } else { 0.0 },
                violation: if w > 0.0 { worst((0..classes).map(|c| (stated(c) - q[c]).abs())) } else { 0.0 },
                class: match is_idle {
                    true => KktClass::Idle,
                    false if stated(class) <= 1e-12 => KktClass::Bound,
                    false => KktClass::Free,
                },
                margin: if norm > 0.0 { (own[class] - next) / norm } else { 0.0 },
            });
        }
        rows
    }

    /// α_cᵀKα_c < 0 of any class refutes by itself.
    fn convexity(&self) -> Convexity {
        let n = self.problem.len();
        let each = self.alpha.chunks_exact(n).zip(self.scores.chunks_exact(n));
        let found = each.map(|(alpha, scores)| convexity(self.problem.gram(), dot(alpha, scores), alpha));
        found.fold(Convexity::Assumed, |known, next| if known == Convexity::Assumed { next } else { known })
    }
}
