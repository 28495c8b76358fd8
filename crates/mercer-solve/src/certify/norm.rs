//! The certificate of a risk with the penalty λ‖f‖ (`docs/maths.md` §3).
//!
//! f ≠ 0 solves the squared problem with λ' = λ/‖f‖ where it solves this one. The dual value is −(1/n) Σ w_i ℓ*(y_i, u_i)
//! over u with βᵀKβ ≤ λ², β_i = −w_i u_i/n; a u that is too long is made shorter. With g the expansion of β, the gap is
//! (1/n) Σ w_i·[Fenchel–Young of row i] + λ‖f‖ − ⟨g,f⟩, and Cauchy and Schwarz keep the rest from being negative.

use std::time::Instant;

use super::certificate::{Bounds, convexity};
use super::feasible::{Feasible, length};
use super::risk::Risk;
use super::{Certificate, dot, products, project::project};
use crate::Problem;
use crate::loss::Loss;

pub(super) fn certify(
    problem: &Problem<'_>,
    loss: &dyn Loss,
    alpha: &[f64],
    scores: &[f64],
    deadline: Option<Instant>,
) -> Certificate {
    let (lambda, norm2) = (problem.lambda(), dot(alpha, scores));
    let norm = norm2.max(0.0).sqrt();
    // As a squared problem: everything but the two objectives is the same.
    let squared = problem.with_lambda(lambda / norm).unwrap_or(*problem);
    // λ' is known as well as ‖f‖ is, and with it the ends of all boxes.
    let risk = Risk { room: 1e-3, ..Risk::new(&squared, loss, scores) };
    let primal = risk.value() + lambda * norm;
    // Of several points that α stands for, the one with the smallest gap is the best proof.
    let points = if norm > 0.0 {
        let near = Point::along(&risk, alpha, 1e-13 * primal.abs() / squared.lambda(), deadline);
        [Some(near), Point::shorter(&risk, alpha, norm)]
    } else {
        [Some(Point::at_zero(&risk, deadline)), None]
    };
    let proofs = points.into_iter().flatten().map(|point| point.proof(&risk, lambda, norm, alpha));
    let (gap, slopes, moved) = proofs.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there is a first point");
    let rows = risk.rows(alpha, &slopes, norm2);
    let bounds = Bounds { primal, gap, dual: -risk.conjugate(&slopes), rounding: risk.rounding() };
    let mut certificate = Certificate::new(bounds, norm2, rows).at(risk.offset, None, moved);
    certificate.violation = risk.violation(alpha);
    certificate.convexity = convexity(problem.gram(), norm2, alpha);
    certificate
}

/// A point u of the dual, of a length that may be too large.
struct Point {
    slopes: Vec<f64>,
    /// ‖g‖, or a bound above it.
    length: f64,
    /// ⟨g, f⟩.
    product: f64,
    moved: Option<f64>,
}

impl Point {
    /// The point that f itself stands for: g = λ'f, or near it.
    fn along(risk: &Risk<'_>, alpha: &[f64], negligible: f64, deadline: Option<Instant>) -> Self {
        let (squared, scores) = (risk.problem, risk.scores);
        let nearest = project(squared, risk.loss, alpha);
        let feasible = Feasible::new(squared.gram(), (alpha, scores), nearest, negligible, deadline);
        Self {
            slopes: risk.slopes(&feasible.alpha),
            length: squared.lambda() * feasible.norm2.max(0.0).sqrt(),
            product: squared.lambda() * dot(&feasible.alpha, scores),
            moved: feasible.moved,
        }
    }

    /// The same point made as much shorter as the domain asks, where α balances and no row without weight has a part in it: where f is next to nothing, its
    /// direction may prove that zero is best.
    fn shorter(risk: &Risk<'_>, alpha: &[f64], norm: f64) -> Option<Self> {
        let squared = risk.problem;
        let size: f64 = alpha.iter().map(|a| a.abs()).sum();
        let balanced = !squared.offset() || alpha.iter().sum::<f64>().abs() <= 1e-12 * size;
        if !balanced || (0..alpha.len()).any(|i| squared.weight(i) == 0.0 && alpha[i] != 0.0) {
            return None;
        }
        let slopes: Vec<f64> = (0..alpha.len()).map(|i| squared.slope_of(i, alpha[i])).collect();
        let room = |i: usize| {
            let (low, high) = risk.loss.domain(squared.y()[i]);
            let end = if slopes[i] > 0.0 { high } else { low };
            if slopes[i] == 0.0 { 1.0 } else { (end / slopes[i]).clamp(0.0, 1.0) }
        };
        let part = (0..alpha.len()).map(room).fold(1.0, f64::min);
        let length = part * squared.lambda() * norm;
        let moved = alpha.iter().map(|a| (1.0 - part) * a.abs()).fold(0.0, f64::max);
        let slopes = slopes.iter().map(|u| part * u).collect();
        Some(Self { slopes, length, product: length * norm, moved: (part < 1.0).then_some(moved) })
    }

    /// Gap, slopes made short enough, and how far α was moved.
    fn proof(self, risk: &Risk<'_>, lambda: f64, norm: f64, alpha: &[f64]) -> (f64, Vec<f64>, Option<f64>) {
        // Zero is in the domain, which is convex: what is shorter than a point of it is in it, too.
        let shrink = if self.length > lambda { lambda / self.length } else { 1.0 };
        let slopes: Vec<f64> = self.slopes.iter().map(|u| shrink * u).collect();
        let rest = (lambda * norm - shrink * self.product).max(0.0);
        (risk.total(&risk.rows(alpha, &slopes, norm * norm)) + rest, slopes, self.moved)
    }

    /// Slopes at f = 0 that balance: the point that shows that zero is best, where it is.
    fn at_zero(risk: &Risk<'_>, deadline: Option<Instant>) -> Self {
        let (problem, n) = (risk.problem, risk.problem.len());
        let ends: Vec<(f64, f64)> =
            (0..n).map(|i| risk.loss.slopes(problem.y()[i], risk.scores[i] + risk.offset)).collect();
        let sum =
            |pick: fn(&(f64, f64)) -> f64| (0..n).map(|i| problem.weight(i) * pick(&ends[i])).sum::<f64>();
        let (low, high) = (sum(|s| s.0), sum(|s| s.1));
        // At kinks all rows go the same part of the way from their least to their largest slope.
        let part = if problem.offset() && high > low { (-low / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
        let slope = |i: usize| ends[i].0 + part * (ends[i].1 - ends[i].0);
        // β is the α of λ = 1; slopes that do not balance, as those of one class alone, are projected.
        let unit = problem.with_lambda(1.0).unwrap_or(*problem);
        let beta: Vec<f64> = (0..n).map(|i| -unit.bound(i) * slope(i)).collect();
        let beta = project(&unit, risk.loss, &beta);
        let exact = products(problem.gram(), &beta, deadline).map(|p| dot(&beta, &p).max(0.0).sqrt());
        let length = exact.unwrap_or_else(|| length(problem.gram(), &beta));
        Self {
            slopes: Risk::at(&unit, risk.loss, risk.scores, 0.0).slopes(&beta),
            length,
            product: 0.0,
            moved: None,
        }
    }
}
