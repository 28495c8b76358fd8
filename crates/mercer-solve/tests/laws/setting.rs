//! Small random problems.

use mercer_gram::Gram;
use mercer_solve::loss::{Loss, LossSpec, Target};
use mercer_solve::testkit::Matrix;
use mercer_solve::{Certificate, Objective, Problem, Solution, Status, certify};

use super::oracle;

/// Every loss, with parameters of its own.
pub(crate) const SPECS: [LossSpec; 9] = [
    LossSpec::Hinge,
    LossSpec::SquaredHinge,
    LossSpec::Logistic,
    LossSpec::Perceptron,
    LossSpec::Squared,
    LossSpec::EpsilonInsensitive { epsilon: 0.2 },
    LossSpec::EpsilonInsensitive { epsilon: 0.0 },
    LossSpec::Huber { delta: 0.5 },
    LossSpec::Pinball { tau: 0.7 },
];

/// Numbers in [−1, 1), the same each time.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn many(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// A problem as data.
pub(crate) struct Setting {
    pub(crate) gram: Matrix,
    pub(crate) y: Vec<f64>,
    pub(crate) weights: Option<Vec<f64>>,
    pub(crate) lambda: f64,
    pub(crate) offset: bool,
}

impl Setting {
    /// A Gram matrix of random features, of full rank or not, and targets to suit.
    pub(crate) fn new(seed: u64, n: usize, target: Target, offset: bool, weighted: bool) -> Self {
        let mut draw = Draw(seed.wrapping_mul(7919) + 13);
        (0..8).for_each(|_| _ = draw.next());
        let columns = [2, n + 1][(seed % 2) as usize];
        let x = draw.many(n * columns);
        let dot =
            |i: usize, j: usize| (0..columns).map(|c| x[i * columns + c] * x[j * columns + c]).sum::<f64>();
        let number = |v: f64| match target {
            Target::Labels => 1.0_f64.copysign(v + 0.1),
            Target::Numbers => 2.0 * v + 0.5,
        };
        let y = draw.many(n).into_iter().map(number).collect();
        let weight = |v: f64| if v < -0.6 { 0.0 } else { 1.0 + v };
        let mut weights: Vec<f64> = draw.many(n).into_iter().map(weight).collect();
        weights[0] = 0.7;
        let lambda = 10.0_f64.powf(-1.0 + draw.next());
        Self { gram: Matrix::of(n, dot), y, weights: weighted.then_some(weights), lambda, offset }
    }

    pub(crate) fn problem<'a>(&'a self, objective: Objective<'a>) -> Problem<'a> {
        let problem = Problem::new(&self.gram, &self.y, objective, self.lambda, self.offset).unwrap();
        match &self.weights {
            Some(weights) => problem.weighted(weights).unwrap(),
            None => problem,
        }
    }

    pub(crate) fn entries(&self) -> Vec<f64> {
        let n = self.y.len();
        (0..n * n).map(|at| self.gram.entry(at / n, at % n)).collect()
    }

    /// α at the optimum of a risk, and the optimum itself: the value of the dual there.
    pub(crate) fn solve(&self, spec: LossSpec) -> (Vec<f64>, f64) {
        let loss = spec.build().unwrap();
        let problem = self.problem(Objective::Risk(&*loss));
        let slopes = |i: usize, a: f64| oracle::conjugate_slopes(spec, self.y[i], problem.bound(i), a);
        let rows: Vec<usize> = (0..self.y.len()).filter(|&i| problem.bound(i) > 0.0).collect();
        let directions = oracle::directions(&rows, self.offset);
        let start = match spec {
            // Zero is at the end of the domain of the logistic conjugate, where its slope is infinite.
            LossSpec::Logistic => inside(&problem),
            _ => vec![0.0; self.y.len()],
        };
        let alpha = oracle::minimise(&self.entries(), &slopes, &directions, start);
        let optimum = dual(&problem, &*loss, &alpha);
        (alpha, optimum)
    }
}

/// A point inside all boxes of labels, of sum zero where both classes have weight.
fn inside(problem: &Problem<'_>) -> Vec<f64> {
    let n = problem.len();
    let class = |side: f64| (0..n).filter(|&i| problem.y()[i] == side).map(|i| problem.bound(i)).sum::<f64>();
    let least = class(1.0).min(class(-1.0));
    let part = |i: usize| if problem.offset() { least / class(problem.y()[i]) } else { 1.0 };
    (0..n)
        .map(|i| if problem.bound(i) > 0.0 { 0.5 * problem.y()[i] * problem.bound(i) * part(i) } else { 0.0 })
        .collect()
}

/// D, from its definition.
pub(crate) fn dual(problem: &Problem<'_>, loss: &dyn Loss, alpha: &[f64]) -> f64 {
    let n = problem.len();
    let scores = scores(problem, alpha);
    let row = |i: usize| {
        let w = problem.weight(i) / n as f64;
        if w == 0.0 { 0.0 } else { w * loss.conjugate(problem.y()[i], -problem.lambda() * alpha[i] / w) }
    };
    let norm2: f64 = alpha.iter().zip(&scores).map(|(a, f)| a * f).sum();
    -(0..n).map(row).sum::<f64>() - 0.5 * problem.lambda() * norm2
}

/// Kα.
pub(crate) fn scores(problem: &Problem<'_>, alpha: &[f64]) -> Vec<f64> {
    let mut scores = vec![0.0; alpha.len()];
    problem.gram().apply(alpha, &mut scores);
    scores
}

/// A solution of which nothing but its coefficients is known.
pub(crate) fn solution(alpha: &[f64]) -> Solution {
    Solution {
        alpha: alpha.to_vec(),
        bias: 0.0,
        level: None,
        scores: None,
        weights: None,
        status: Status::Solved,
        iterations: 0,
        entries: 0,
        seconds: 0.0,
        trace: Vec::new(),
    }
}

/// The certificate of coefficients, which is sound in itself whatever they are.
pub(crate) fn certificate(problem: &Problem<'_>, alpha: &[f64]) -> Certificate {
    let certificate = certify(problem, &solution(alpha));
    let Certificate { primal, dual, gap, relative_gap, violation, norm, .. } = certificate;
    for number in [primal, dual, gap, relative_gap, violation, norm, certificate.offset] {
        assert!(number.is_finite(), "{problem:?}: {certificate:?}");
    }
    assert!(gap >= 0.0 && relative_gap >= 0.0 && violation >= 0.0 && norm >= 0.0, "{certificate:?}");
    let room = 1e-9 * (1e-280 + primal.abs().max(dual.abs()));
    assert!(
        gap >= f64::MAX || (primal - dual - gap).abs() <= room,
        "{problem:?}: {primal} − {dual} is not {gap}"
    );
    // Rows of scores that are not numbers may say so; what they say is never negative.
    for row in &certificate.rows {
        assert!(!(row.residual < 0.0 || row.violation < 0.0 || row.slack < 0.0), "{problem:?}: {row:?}");
    }
    certificate
}

/// Golden section: where a convex function is least.
pub(crate) fn golden(of: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let part = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..120 {
        let (a, b) = (high - part * (high - low), low + part * (high - low));
        if of(a) <= of(b) { high = b } else { low = a }
    }
    0.5 * (low + high)
}
