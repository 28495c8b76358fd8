//! All solvers of one problem agree: their objectives differ by no more than their gaps.
//!
//! A new solver is a line in [`solvers_of`]; a new problem a line in [`PROBLEMS`].
#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
mod oracle;

use mercer_gram::Lazy;
use mercer_points::{ColumnData, Points, Table, read};
use mercer_solve::loss::{LossSpec, Target};
use mercer_solve::solvers::{
    Cholesky, ConjugateGradients, Eigen, Gradient, KernelPegasos, Newton, PrimalQp, Qp, Smo,
};
use mercer_solve::{Certificate, Objective, Problem, Run, Solver, Tolerance, certify};

use oracle::Slow;

/// What the rows are made to look like.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Twist {
    Nothing,
    /// Every row twice.
    Twice,
    /// The first column only.
    OneColumn,
    /// One row in eight of the class +1 is kept.
    Unbalanced,
    /// Weights from 0 to 3.
    Weights,
    /// The same target in all rows.
    Constant,
    /// The given number of rows, evenly taken.
    Rows(usize),
}

struct Posed {
    data: &'static str,
    twist: Twist,
    kernel: &'static str,
    loss: &'static str,
    lambda: f64,
    offset: bool,
}

const fn posed(
    data: &'static str,
    twist: Twist,
    kernel: &'static str,
    loss: &'static str,
    lambda: f64,
    offset: bool,
) -> Posed {
    Posed { data, twist, kernel, loss, lambda, offset }
}

const PROBLEMS: [Posed; 22] = [
    posed("@moons(n=120)", Twist::Nothing, "rbf(sigma=0.5)", "hinge", 1e-2, true),
    posed("@moons(n=120)", Twist::Nothing, "rbf(sigma=0.5)", "logistic", 1e-2, false),
    posed("@circles(n=100)", Twist::Twice, "poly(degree=2)", "hinge", 1e-2, true),
    posed("@spirals(n=100)", Twist::Weights, "rbf(sigma=0.3)", "squared-hinge", 1e-2, true),
    posed("@xor(n=100)", Twist::OneColumn, "rbf(sigma=0.3)", "hinge", 1e-2, false),
    posed("@separable(n=80)", Twist::Nothing, "linear", "hinge", 1e-3, true),
    posed("@separable(n=80)", Twist::Constant, "linear", "hinge", 1e-2, true),
    posed("@chessboard(n=400)", Twist::Unbalanced, "rbf(sigma=0.2)", "hinge", 1e-3, true),
    posed("@chessboard(n=5000)", Twist::Nothing, "rbf(sigma=0.1)", "hinge", 1e-4, true),
    posed("@heart", Twist::Nothing, "rbf(sigma=2)", "hinge", 1e-2, true),
    posed("@heart", Twist::Weights, "rbf(sigma=2)", "logistic", 1e-2, true),
    posed("@breast-cancer", Twist::Rows(150), "rbf(sigma=5)", "hinge", 1e-3, true),
    posed("@ionosphere", Twist::Rows(120), "laplace(scale=3)", "squared-hinge", 1e-2, false),
    posed("@sonar", Twist::Rows(100), "linear", "hinge", 1e-2, false),
    posed("@promoter", Twist::Nothing, "spectrum(k=3)", "hinge", 1e-2, true),
    posed("@promoter", Twist::Nothing, "spectrum(k=3)", "logistic", 1e-1, false),
    posed("@sinc(n=100)", Twist::Nothing, "rbf(sigma=0.5)", "epsilon(epsilon=0.1)", 1e-2, true),
    posed("@sinc(n=100)", Twist::Weights, "rbf(sigma=0.5)", "pinball(tau=0.8)", 1e-2, true),
    posed("@sinc(n=100)", Twist::Constant, "rbf(sigma=0.5)", "squared", 1e-2, true),
    posed("@yacht", Twist::Rows(100), "rbf(sigma=0.5)", "squared", 1e-2, true),
    posed("@yacht", Twist::Rows(100), "rbf(sigma=0.5)", "huber(delta=1)", 1e-2, false),
    posed("@concrete", Twist::Rows(100), "rbf(sigma=100)", "epsilon(epsilon=1)", 1e-2, true),
];

/// The solvers that are to agree on a problem, each with what its relative gap must be.
fn solvers_of(problem: &Problem<'_>) -> Vec<(Box<dyn Solver>, f64)> {
    let loss = problem.loss().unwrap();
    let (n, unit) = (problem.len(), (0..problem.len()).all(|i| problem.weight(i) == 1.0));
    let quadratic = loss.quadratic(1.0).is_some();
    let smooth = loss.curvature(1.0, 0.0).is_some();
    let squared = smooth && loss.domain(1.0) == (f64::NEG_INFINITY, f64::INFINITY);
    let hinge = quadratic && !smooth && loss.target() == Target::Labels;
    let small = n <= 300;
    let candidates: [(bool, Box<dyn Solver>, f64); 10] = [
        (small, Box::new(Slow), 1e-5),
        (quadratic, Box::new(Smo::default()), 1e-6),
        (quadratic && small, Box::new(Qp::default()), 1e-7),
        (hinge && n <= 150, Box::new(PrimalQp::default()), 1e-5),
        (smooth && small, Box::new(Newton::default()), 1e-8),
        (smooth && small, Box::new(Gradient { iterations: 20_000, ..Gradient::default() }), 1e-4),
        (squared, Box::new(Cholesky::default()), 1e-8),
        (squared, Box::new(ConjugateGradients::default()), 1e-6),
        (squared && unit, Box::new(Eigen::default()), 1e-8),
        (
            hinge && !problem.offset() && small,
            Box::new(KernelPegasos { epochs: 500, ..Default::default() }),
            5e-2,
        ),
    ];
    let suited = candidates.into_iter().filter(|(suits, ..)| *suits);
    suited.map(|(_, solver, gap)| (solver, gap)).collect()
}

#[test]
fn all_solvers_of_a_problem_agree() {
    for posed in &PROBLEMS {
        let (table, y, weights) = rows(posed);
        let gram = Lazy::new(&posed.kernel.parse().unwrap(), &table).unwrap();
        let loss = posed.loss.parse::<LossSpec>().unwrap().build().unwrap();
        let objective = Objective::Risk(&*loss);
        let problem = Problem::new(&gram, &y, objective, posed.lambda, posed.offset).unwrap();
        let problem = weights.as_ref().map_or(problem, |weights| problem.weighted(weights).unwrap());
        let mut found: Vec<(&str, Certificate)> = Vec::new();
        for (solver, gap) in solvers_of(&problem) {
            let tolerance = Tolerance { gap: Some(gap), violation: None };
            let name = format!("{} on {} ({:?}), {}", solver.name(), posed.data, posed.twist, posed.loss);
            let solution = solver.solve(&problem, None, &mut Run::quiet(tolerance));
            let solution = solution.unwrap_or_else(|error| panic!("{name}: {error}"));
            let certificate = certify(&problem, &solution);
            assert!(certificate.holds(&tolerance), "{name}: relative gap {:e}", certificate.relative_gap);
            for (other, before) in &found {
                let (apart, gaps) =
                    ((certificate.primal - before.primal).abs(), certificate.gap + before.gap);
                let room = 1e-12 * certificate.primal.abs();
                assert!(apart <= gaps + room, "{name} and {other} are {apart:e} apart, their gaps {gaps:e}");
            }
            found.push((solver.name(), certificate));
        }
    }
}

/// Table, targets and weights of a problem.
fn rows(posed: &Posed) -> (Table, Vec<f64>, Option<Vec<f64>>) {
    let loss: LossSpec = posed.loss.parse().unwrap();
    let mut table = read(posed.data, &Default::default()).unwrap();
    let mut y = match table.remove("label").unwrap().data {
        ColumnData::Numbers(y) => y,
        ColumnData::Categories(c) => c.codes().iter().map(|&c| if c == 0 { -1.0 } else { 1.0 }).collect(),
        other => panic!("{} is no target", other.kind()),
    };
    let n = y.len();
    let keep: Vec<usize> = match posed.twist {
        Twist::Twice => (0..2 * n).map(|i| i / 2).collect(),
        Twist::Unbalanced => (0..n).filter(|&i| y[i] < 0.0 || i % 16 == 1).collect(),
        Twist::Rows(rows) => (0..rows).map(|k| k * n / rows).collect(),
        _ => (0..n).collect(),
    };
    if posed.twist == Twist::OneColumn {
        let names: Vec<String> = table.columns()[1..].iter().map(|column| column.name.clone()).collect();
        names.iter().for_each(|name| _ = table.remove(name).unwrap());
    }
    if posed.twist == Twist::Constant {
        y = vec![if loss.info().target == Target::Labels { 1.0 } else { 0.1 }; n];
    }
    let y: Vec<f64> = keep.iter().map(|&i| y[i]).collect();
    let weights =
        (posed.twist == Twist::Weights).then(|| (0..y.len()).map(|i| [1.0, 0.0, 3.0, 0.5][i % 4]).collect());
    (table.select(&keep), y, weights)
}
