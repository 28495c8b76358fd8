//! The direct solvers and conjugate gradients against textbook versions written here.

#![allow(clippy::unwrap_used)]

mod hostile;
mod newton;
mod quadratic;
mod ridge;

use mercer_gram::{Gram, Lazy};
use mercer_points::{ColumnData, Table, read};
use mercer_solve::{Certificate, Problem, Run, Solution, Solver, Tolerance, certify};

/// A built-in data set and its labels as −1 and +1, or as numbers.
fn data(name: &str) -> (Table, Vec<f64>) {
    let mut table = read(name, &Default::default()).unwrap();
    let y = match table.remove("label").unwrap().data {
        ColumnData::Numbers(values) => values,
        ColumnData::Categories(names) => {
            names.codes().iter().map(|&code| if code == 0 { -1.0 } else { 1.0 }).collect()
        }
        _ => panic!("{name} has no label"),
    };
    (table, y)
}

fn gram(table: &Table, kernel: &str) -> Lazy {
    Lazy::new(&kernel.parse().unwrap(), table).unwrap()
}

/// All entries by the definition.
fn entries(gram: &dyn Gram) -> Vec<Vec<f64>> {
    (0..gram.len()).map(|i| (0..gram.len()).map(|j| gram.entry(i, j)).collect()).collect()
}

/// Gaussian elimination with pivots.
fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            let above = a[k].clone();
            a[i].iter_mut().zip(&above).skip(k).for_each(|(below, above)| *below -= factor * above);
            b[i] -= factor * b[k];
        }
    }
    for i in (0..n).rev() {
        let rest: f64 = (i + 1..n).map(|j| a[i][j] * b[j]).sum();
        b[i] = (b[i] - rest) / a[i][i];
    }
    b
}

/// Kernel ridge regression from its equations, the offset as one unknown more; rows of weight zero are left out.
fn textbook_ridge(problem: &Problem<'_>) -> (Vec<f64>, f64) {
    let rows: Vec<usize> = (0..problem.len()).filter(|&i| problem.weight(i) > 0.0).collect();
    let (m, mu) = (rows.len(), problem.lambda() * problem.len() as f64);
    let size = m + usize::from(problem.offset());
    let mut a = vec![vec![0.0; size]; size];
    for (k, &i) in rows.iter().enumerate() {
        for (l, &j) in rows.iter().enumerate() {
            a[k][l] = problem.gram().entry(i, j);
        }
        a[k][k] += mu / problem.weight(i);
        if problem.offset() {
            a[k][m] = 1.0;
            a[m][k] = 1.0;
        }
    }
    let mut b: Vec<f64> = rows.iter().map(|&i| problem.y()[i]).collect();
    b.resize(size, 0.0);
    let x = eliminate(a, b);
    let mut alpha = vec![0.0; problem.len()];
    rows.iter().zip(&x).for_each(|(&i, &a)| alpha[i] = a);
    (alpha, if problem.offset() { x[m] } else { 0.0 })
}

fn tight(gap: f64) -> Tolerance {
    Tolerance { gap: Some(gap), violation: None }
}

fn solved(solver: &dyn Solver, problem: &Problem<'_>, gap: f64) -> (Solution, Certificate) {
    let solution = solver.solve(problem, None, &mut Run::quiet(tight(gap))).unwrap();
    let certificate = certify(problem, &solution);
    if let Some(scores) = &solution.scores {
        let size = scores.iter().fold(1.0, |a: f64, b| a.max(b.abs()));
        let own: Vec<f64> = certificate.rows.iter().map(|row| row.score - certificate.offset).collect();
        assert!(apart(scores, &own) < 1e-9 * size, "{}: its scores are not K alpha", solver.name());
    }
    (solution, certificate)
}

/// Largest difference.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
