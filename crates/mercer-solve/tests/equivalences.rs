//! Learners that are the same recursion in two spaces, step for step (`docs/maths.md` §4.2, §4.7, §4.10, §4.11).

#![allow(clippy::unwrap_used)]

use mercer_gram::{Gram, Lazy, Precision};
use mercer_points::{ColumnData, Dense, Polynomial, Table, build};
use mercer_solve::loss::{Hinge, Logistic, Loss, Squared};
use mercer_solve::solvers::{
    DualPerceptron, Gradient, KernelPegasos, KernelPerceptron, Lms, Online, Pegasos, Perceptron,
};
use mercer_solve::{Features, Objective, Problem, Run, Solution, Solver, Status, Tolerance};

/// A set as a table without its label, as rows of numbers, and the label.
fn data(name: &str) -> (Table, Vec<Vec<f64>>, Vec<f64>) {
    let mut table = mercer_points::read(name, &Default::default()).unwrap();
    let y = match table.remove("label").unwrap().data {
        ColumnData::Numbers(values) => values,
        ColumnData::Categories(names) => {
            names.codes().iter().map(|&c| if c == 0 { -1.0 } else { 1.0 }).collect()
        }
        other => panic!("{} cannot be a label here", other.kind()),
    };
    let mut rows = vec![Vec::new(); y.len()];
    for column in table.columns() {
        match &column.data {
            ColumnData::Numbers(values) => rows.iter_mut().zip(values).for_each(|(row, v)| row.push(*v)),
            other => panic!("{} is no number", other.kind()),
        }
    }
    (table, rows, y)
}

fn features(rows: &[Vec<f64>]) -> Features {
    Features::new(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

/// The explicit features of poly(degree=2).
fn quadratic_features(rows: &[Vec<f64>]) -> Features {
    let points = Dense::from_rows(&rows.iter().map(|row| [row[0], row[1]]).collect::<Vec<_>>());
    let (_, mapped) = build(&Polynomial::new(2, 1.0).unwrap(), &points, 1 << 30).unwrap();
    Features::new(rows.len(), mapped.dim(), mapped.values().to_vec()).unwrap()
}

fn gram(kernel: &str, table: &Table) -> Lazy {
    Lazy::new(&kernel.parse().unwrap(), table).unwrap().in_precision(Precision::Double)
}

fn untiring() -> Run<'static> {
    Run::quiet(Tolerance { gap: None, violation: None })
}

fn scores(gram: &dyn Gram, solution: &Solution) -> Vec<f64> {
    let n = gram.len();
    (0..n)
        .map(|i| (0..n).map(|j| solution.alpha[j] * gram.entry(i, j)).sum::<f64>() + solution.bias)
        .collect()
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn dual_perceptrons_make_the_mistakes_of_the_primal_one_in_its_order() {
    let sets =
        ["@separable(n=120)", "@moons(n=80)", "@xor(n=60)", "@chessboard(n=64)", "@spirals(n=50)", "@heart"];
    for (name, offset) in sets.iter().flat_map(|name| [(name, false), (name, true)]) {
        let (table, rows, y) = data(name);
        let (features, gram) = (features(&rows), gram("linear", &table));
        let problem = Problem::new(&gram, &y, Objective::Separation, 1.0, offset).unwrap();
        let (mut primal, mut dual, mut kernel) = (Vec::new(), Vec::new(), Vec::new());
        let first = Perceptron { features: &features, epochs: 15 };
        let first = first.learn(&problem, None, &mut untiring(), &mut |i| primal.push(i)).unwrap();
        let second = DualPerceptron { epochs: 15 };
        let second = second.learn(&problem, None, &mut untiring(), &mut |i| dual.push(i)).unwrap();
        let third = KernelPerceptron { epochs: 15, average: false };
        let third = third.learn(&problem, None, &mut untiring(), &mut |i| kernel.push(i)).unwrap();
        assert!(!primal.is_empty());
        assert_eq!(primal, dual, "{name}, offset {offset}");
        assert_eq!(primal, kernel, "{name}, offset {offset}");
        assert_eq!((&first.alpha, first.status), (&second.alpha, second.status));
        assert_eq!((&first.alpha, first.bias), (&third.alpha, third.bias));
        // α_i is y_i times the number of mistakes on row i.
        for (i, &a) in first.alpha.iter().enumerate() {
            assert_eq!(a, y[i] * primal.iter().filter(|&&row| row == i).count() as f64);
        }
    }
}

#[test]
fn the_online_perceptron_over_the_rows_is_the_kernel_perceptron() {
    for (name, offset, average) in [("@moons(n=60)", false, false), ("@circles(n=60)", true, true)] {
        let (table, _, y) = data(name);
        let gram = gram("rbf(sigma=0.4)", &table);
        let problem = Problem::new(&gram, &y, Objective::Separation, 1.0, offset).unwrap();
        let online =
            Online { budget: None, average, epochs: 4 }.solve(&problem, None, &mut untiring()).unwrap();
        let batch = KernelPerceptron { epochs: online.iterations, average };
        let batch = batch.solve(&problem, None, &mut untiring()).unwrap();
        assert!(largest_difference(&online.alpha, &batch.alpha) < 1e-12, "{name}");
        assert!((online.bias - batch.bias).abs() < 1e-12);
    }
}

#[test]
fn kernel_pegasos_is_pegasos_on_the_explicit_features() {
    for (name, seed, average) in
        [("@moons(n=70)", 1, true), ("@circles(n=50)", 2, true), ("@xor(n=40)", 3, false)]
    {
        let (table, rows, y) = data(name);
        let (features, gram) = (quadratic_features(&rows), gram("poly(degree=2)", &table));
        let weights: Vec<f64> = (0..y.len()).map(|i| [1.0, 0.0, 2.5][i % 3]).collect();
        let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 0.05, false).unwrap();
        for problem in [problem, problem.weighted(&weights).unwrap()] {
            let primal = Pegasos { features: &features, epochs: 30, seed, project: false, average };
            let primal = primal.solve(&problem, None, &mut untiring()).unwrap();
            let dual =
                KernelPegasos { epochs: 30, seed, average }.solve(&problem, None, &mut untiring()).unwrap();
            let explicit: Vec<f64> =
                (0..y.len()).map(|i| features.score(i, primal.weights.as_ref().unwrap())).collect();
            let implicit = scores(&gram, &dual);
            assert!(largest_difference(&explicit, &implicit) < 1e-10, "{name}");
            assert!(
                largest_difference(dual.scores.as_ref().unwrap(), &implicit) < 1e-10,
                "kept scores of {name}"
            );
            assert!(implicit.iter().any(|f| f.abs() > 0.1));
        }
    }
}

/// The average of all iterates α^t = β^t/(λt), summed up at every step.
#[test]
fn the_average_of_kernel_pegasos_is_the_average() {
    let (table, _, y) = data("@moons(n=40)");
    let (gram, n, lambda) = (gram("rbf(sigma=0.5)", &table), 40, 0.02);
    let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), lambda, false).unwrap();
    let averages: Vec<Vec<f64>> = (1..=6)
        .map(|epochs| {
            KernelPegasos { epochs, seed: 9, average: true }
                .solve(&problem, None, &mut untiring())
                .unwrap()
                .alpha
        })
        .collect();
    let last: Vec<Vec<f64>> = (0..=6)
        .map(|epochs| {
            KernelPegasos { epochs, seed: 9, average: false }
                .solve(&problem, None, &mut untiring())
                .unwrap()
                .alpha
        })
        .collect();
    // Every β^t lies between those at the ends of its epoch, coordinate by coordinate, since counts only grow.
    for epoch in 1..=6 {
        let steps = (epoch * n) as f64;
        for i in 0..n {
            let count = |e: usize| y[i] * last[e][i] * lambda * (e * n + 1) as f64;
            let mut bounds = (0.0, 0.0);
            for e in 0..epoch {
                let harmonic: f64 = (e * n + 1..=(e + 1) * n).map(|t| 1.0 / t as f64).sum();
                bounds.0 += harmonic * count(e) / (lambda * steps);
                bounds.1 += harmonic * count(e + 1) / (lambda * steps);
            }
            let found = y[i] * averages[epoch - 1][i];
            assert!(found >= bounds.0 - 1e-12 && found <= bounds.1 + 1e-12, "{found} outside {bounds:?}");
        }
    }
}

/// θ ← θ − (η/n) Σ_i w_i g_i ψ(x_i) − ηλθ and b ← b − (η/n) Σ_i w_i g_i in feature space; all scores.
fn explicit_step(
    features: &Features,
    (theta, bias): &mut (Vec<f64>, f64),
    slopes: &[f64],
    (step, lambda, offset): (f64, f64, bool),
) {
    let n = slopes.len() as f64;
    let mut gradient: Vec<f64> = theta.iter().map(|theta| lambda * theta).collect();
    for (i, slope) in slopes.iter().enumerate() {
        gradient.iter_mut().zip(features.row(i)).for_each(|(g, x)| *g += slope * x / n);
    }
    theta.iter_mut().zip(&gradient).for_each(|(theta, g)| *theta -= step * g);
    if offset {
        *bias -= step * slopes.iter().sum::<f64>() / n;
    }
}

#[test]
fn least_mean_squares_is_gradient_descent_in_feature_space_at_every_step() {
    let (table, rows, _) = data("@moons(n=30)");
    let (features, gram) = (quadratic_features(&rows), gram("poly(degree=2)", &table));
    let y: Vec<f64> = rows.iter().map(|row| row[0] * row[1] - row[1] + 0.3).collect();
    for offset in [false, true] {
        let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), 1e-3, offset).unwrap();
        let mut point = (vec![0.0; features.dimension()], 0.0);
        for iterations in 1..=25 {
            let found = Lms { step: Some(0.15), iterations }.solve(&problem, None, &mut untiring()).unwrap();
            let slopes: Vec<f64> = (0..30).map(|i| features.score(i, &point.0) + point.1 - y[i]).collect();
            explicit_step(&features, &mut point, &slopes, (0.15, 0.0, offset));
            let want: Vec<f64> = (0..30).map(|i| features.score(i, &point.0) + point.1).collect();
            let off = largest_difference(&scores(&gram, &found), &want);
            assert!(off < 1e-12, "step {iterations}, offset {offset}: {off}");
        }
        assert!(point.0.iter().any(|theta| theta.abs() > 0.05));
    }
}

#[test]
fn a_step_of_least_mean_squares_beyond_the_limit_is_refused_and_one_below_converges() {
    let (table, _, y) = data("@moons(n=30)");
    let gram = gram("rbf(sigma=0.5)", &table);
    let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), 1e-3, false).unwrap();
    // 2n/λ_max by brute force.
    let mut v = vec![1.0; 30];
    let mut value = 0.0;
    for _ in 0..2000 {
        let image: Vec<f64> = (0..30).map(|i| (0..30).map(|j| gram.entry(i, j) * v[j]).sum()).collect();
        value = image.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
        v = image.iter().map(|x| x / value).collect();
    }
    let limit = 60.0 / value;
    let error =
        Lms { step: Some(1.001 * limit), iterations: 10 }.solve(&problem, None, &mut untiring()).unwrap_err();
    assert!(error.to_string().contains("below 2n/(the largest eigenvalue of K)"), "{error}");
    let error = |solution: &Solution| -> f64 {
        scores(&gram, solution).iter().zip(&y).map(|(f, y)| (f - y).powi(2)).sum()
    };
    let run =
        |step, iterations| error(&Lms { step, iterations }.solve(&problem, None, &mut untiring()).unwrap());
    assert!(run(Some(0.99 * limit), 2000) < run(Some(0.99 * limit), 20));
    assert!(run(None, 2000) < 0.5 * run(None, 20));
}

#[test]
fn the_gradient_method_is_gradient_descent_in_feature_space_at_every_step() {
    let (table, rows, y) = data("@moons(n=30)");
    let (features, gram) = (quadratic_features(&rows), gram("poly(degree=2)", &table));
    let weights: Vec<f64> = (0..30).map(|i| [1.0, 2.0, 0.5][i % 3]).collect();
    let losses: [(&dyn Loss, f64); 2] = [(&Squared, 0.05), (&Logistic, 0.3)];
    for (loss, step) in losses {
        let problem = Problem::new(&gram, &y, Objective::Risk(loss), 0.01, false).unwrap();
        let problem = problem.weighted(&weights).unwrap();
        let mut point = (vec![0.0; features.dimension()], 0.0);
        for iterations in 1..=20 {
            let solver = Gradient { step: Some(step), iterations, accelerated: false };
            let found = solver.solve(&problem, None, &mut untiring()).unwrap();
            assert_eq!(found.status, Status::IterationLimit);
            let slopes: Vec<f64> =
                (0..30).map(|i| weights[i] * loss.slope(y[i], features.score(i, &point.0))).collect();
            explicit_step(&features, &mut point, &slopes, (step, 0.01, false));
            let want: Vec<f64> = (0..30).map(|i| features.score(i, &point.0)).collect();
            let off = largest_difference(&scores(&gram, &found), &want);
            assert!(off < 1e-12, "{loss:?}, step {iterations}: {off}");
        }
    }
}
