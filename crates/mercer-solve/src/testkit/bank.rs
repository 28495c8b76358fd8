//! Small problems, some with answers that are known otherwise.

use super::{Draw, Matrix};
use crate::loss::{Loss, Target};
use crate::{Objective, Problem};

/// A problem of the bank.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) gram: Matrix,
    pub(super) y: Vec<f64>,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) lambda: f64,
    pub(super) offset: bool,
    /// Whether all entries but the diagonal are zero, so that the answer is a sum over rows.
    pub(super) is_diagonal: bool,
    /// Whether all entries are the same, so that the answer is one number.
    pub(super) is_constant: bool,
}

impl Case {
    /// As a problem; none where the objective makes no sense of it.
    pub(super) fn problem<'a>(&'a self, objective: Objective<'a>) -> Option<Problem<'a>> {
        if !self.has_answer(objective) {
            return None;
        }
        let problem = Problem::new(&self.gram, &self.y, objective, self.lambda, self.offset);
        let problem = problem.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        match &self.weights {
            Some(weights) => {
                Some(problem.weighted(weights).unwrap_or_else(|error| panic!("{}: {error}", self.name)))
            }
            None => Some(problem),
        }
    }

    fn has_answer(&self, objective: Objective<'_>) -> bool {
        let n = self.y.len() as f64;
        let weight = |i: usize| self.weights.as_ref().map_or(1.0, |weights| weights[i]);
        let class = |side: f64| (0..self.y.len()).filter(|&i| self.y[i] == side).map(weight).sum::<f64>() / n;
        match objective {
            Objective::Risk(_) | Objective::NuRegression { .. } => true,
            Objective::HardMargin | Objective::Separation => !self.is_constant || self.y.len() == 1,
            Objective::NuClassification { nu } if self.offset => 0.5 * nu <= class(1.0).min(class(-1.0)),
            Objective::NuClassification { nu } => nu <= class(1.0) + class(-1.0),
            Objective::OneClass { nu } => nu <= (0..self.y.len()).map(weight).sum::<f64>() / n,
        }
    }

    /// The optimum, by other means than any solver's.
    pub(super) fn optimum(&self, objective: Objective<'_>) -> Option<f64> {
        let n = self.y.len() as f64;
        let uniform = self.weights.is_none() && self.is_diagonal;
        match objective {
            Objective::Risk(loss) => self.risk(loss),
            Objective::HardMargin if self.is_diagonal && !self.offset => {
                let row = |i: usize| if self.weight(i) > 0.0 { 0.5 / self.diagonal(i) } else { 0.0 };
                Some((0..self.y.len()).map(row).sum())
            }
            // With unit diagonal and no weights all rows are alike.
            Objective::OneClass { .. } if uniform && self.is_unit() => Some(-0.5 / n),
            Objective::NuClassification { nu } if uniform && self.is_unit() && !self.offset => {
                Some(-0.5 * nu * nu / n)
            }
            _ => None,
        }
    }

    fn diagonal(&self, i: usize) -> f64 {
        mercer_gram::Gram::entry(&self.gram, i, i)
    }

    fn is_unit(&self) -> bool {
        (0..self.y.len()).all(|i| self.diagonal(i) == 1.0)
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[i])
    }

    fn risk(&self, loss: &dyn Loss) -> Option<f64> {
        let n = self.y.len();
        let value = |i: usize, f: f64| self.weight(i) / n as f64 * loss.value(self.y[i], f);
        let penalty = |f: f64, k: f64| 0.5 * self.lambda * f * f / k;
        if self.is_constant {
            // With an offset f = 0 is best: it costs, and adds nothing that b does not.
            let k = self.diagonal(0);
            let price = |f: f64| if self.offset { 0.0 } else { penalty(f, k) };
            return Some(least(|f| (0..n).map(|i| value(i, f)).sum::<f64>() + price(f)));
        }
        if !self.is_diagonal {
            return None;
        }
        let row = |i: usize, b: f64| least(|f| value(i, f + b) + penalty(f, self.diagonal(i)));
        let all = |b: f64| (0..n).map(|i| row(i, b)).sum::<f64>();
        Some(if self.offset { least(all) } else { all(0.0) })
    }
}

/// The least value of a convex function of one number, by golden section; some 1e-14 of it.
fn least(of: impl Fn(f64) -> f64) -> f64 {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut low, mut high) = (-40.0, 40.0);
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_a, mut at_b) = (of(a), of(b));
    for _ in 0..70 {
        if at_a <= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - golden * (high - low);
            at_a = of(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + golden * (high - low);
            at_b = of(b);
        }
    }
    at_a.min(at_b)
}

/// All problems of the bank, for labels or numbers.
pub(super) fn cases(target: Target, offset: bool, weighted: bool) -> Vec<Case> {
    let mut draw = Draw::new(3);
    let mut points: Vec<[f64; 2]> = (0..24).map(|_| [2.0 * draw.next(), 2.0 * draw.next()]).collect();
    // Room between the classes, for those who want to separate them.
    points.iter_mut().for_each(|x| x[0] += 0.4_f64.copysign(x[0]));
    let noise: Vec<f64> = (0..24).map(|_| 0.3 * draw.next()).collect();
    let y = |x: [f64; 2], noise: f64| match target {
        Target::Labels => 1.0_f64.copysign(x[0]),
        Target::Numbers => 1.0 + (2.0 * x[0]).sin() + x[1] + noise,
    };
    let rbf = |a: [f64; 2], b: [f64; 2]| (-((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2))).exp();
    let targets = |n: usize| (0..n).map(|i| y(points[i], noise[i])).collect::<Vec<f64>>();
    let constant = |n: usize| vec![if target == Target::Labels { -1.0 } else { 1.5 }; n];
    let case = |name, gram, y, lambda| Case {
        name,
        gram,
        y,
        weights: None,
        lambda,
        offset,
        is_diagonal: false,
        is_constant: false,
    };
    let cloud = |n: usize| Matrix::of(n, |i, j| rbf(points[i], points[j]));
    let flat = |n: usize| Matrix::of(n, |i, j| points[i][0] * points[j][0] + points[i][1] * points[j][1]);
    let unit = |n: usize| Matrix::of(n, |i, j| f64::from(u8::from(i == j)));
    let mut cases = vec![
        case("rbf", cloud(24), targets(24), 0.02),
        case("rbf, strong penalty", cloud(24), targets(24), 3.0),
        case("rank two", flat(20), targets(20), 0.1),
        case(
            "duplicates",
            Matrix::of(24, |i, j| rbf(points[i / 2], points[j / 2])),
            (0..24).map(|i| y(points[i / 2], noise[i / 2])).collect(),
            0.05,
        ),
        case("two rows", cloud(2), vec![1.0, -1.0], 0.25),
        case("constant targets", cloud(8), constant(8), 0.1),
        Case { is_diagonal: true, ..case("identity", unit(10), targets(10), 0.05) },
        Case {
            is_diagonal: true,
            ..case(
                "diagonal",
                Matrix::of(7, |i, j| if i == j { 0.5 + i as f64 } else { 0.0 }),
                targets(7),
                0.1,
            )
        },
        Case {
            is_diagonal: true,
            is_constant: true,
            ..case("one row", Matrix::of(1, |_, _| 2.0), targets(1), 0.5)
        },
        Case { is_constant: true, ..case("one point", Matrix::of(9, |_, _| 1.0), targets(9), 0.1) },
    ];
    if weighted {
        let weights = |n: usize| (0..n).map(|i| [1.0, 0.0, 2.5, 0.3][i % 4]).collect::<Vec<f64>>();
        cases.push(Case { weights: Some(weights(24)), ..case("weighted rbf", cloud(24), targets(24), 0.02) });
        let identity = case("weighted identity", unit(10), targets(10), 0.05);
        cases.push(Case { weights: Some(weights(10)), is_diagonal: true, ..identity });
    }
    cases
}
