//! Small machines, whose kernel rows are computed as steps ask for them, against the same engine on a matrix that it holds.
#![allow(clippy::unwrap_used)]

use mercer_gram::{Classes, Gram, Lazy, Stored};
use mercer_linalg::Budget;
use mercer_points::{ColumnData, Table};
use mercer_solve::loss::{Hinge, Loss, SquaredHinge};
use mercer_solve::solvers::Smo;
use rayon::prelude::*;

use mercer_solve::{
    Limits, Objective, Problem, Run, Silent, Solution, Solver, Status, Tolerance, Watch, certify,
};

/// Points in a square, and on which side of a wave they are; a part of the labels is wrong.
fn waves(n: usize, wrong: f64) -> (Lazy, Vec<f64>) {
    waves_under("rbf(gamma=20)", n, wrong)
}

fn waves_under(kernel: &str, n: usize, wrong: f64) -> (Lazy, Vec<f64>) {
    let mut state = n as u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut x, mut z, mut y) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let (a, b) = (draw(), draw());
        let side = if b > 0.5 + 0.3 * (6.0 * a).sin() { 1.0 } else { -1.0 };
        x.push(a);
        z.push(b);
        y.push(if draw() < wrong { -side } else { side });
    }
    let mut table = Table::new();
    table.push("x", ColumnData::Numbers(x)).unwrap();
    table.push("z", ColumnData::Numbers(z)).unwrap();
    (Lazy::new(&kernel.parse().unwrap(), &table).unwrap(), y)
}

fn solved<'a>(
    gram: &'a dyn Gram,
    y: &'a [f64],
    loss: &'a dyn Loss,
    c: f64,
    offset: bool,
) -> (Problem<'a>, Solution) {
    let problem = Problem::new(gram, y, Objective::Risk(loss), 1.0 / (c * y.len() as f64), offset).unwrap();
    let asked = Tolerance { gap: None, violation: Some(1e-3) };
    let solution = Smo::default().solve(&problem, None, &mut Run::quiet(asked)).unwrap();
    (problem, solution)
}

/// Classes with more coordinates than are cheap: one side of the wave, the left and the right part of the other one.
fn three_classes(wrong: f64) -> (Lazy, Vec<Vec<usize>>) {
    let kernel = "rbf(sigma=1)@fourier(kernel=rbf(gamma=20), m=200, seed=1)";
    let (gram, y) = waves_under(kernel, 1800, wrong);
    let mut rows = vec![Vec::new(); 3];
    y.iter().enumerate().for_each(|(i, &y)| rows[if y > 0.0 { 0 } else { 1 + i % 2 }].push(i));
    (gram, rows)
}

#[test]
fn the_same_optimum_as_with_all_rows_at_hand() {
    // 300 rows are computed in double precision, 1 200 in single; with C = 1 000 steps are so many that some are left out.
    for (n, wrong) in [(300, 0.0), (300, 0.15), (1200, 0.0), (1200, 0.15)] {
        let (gram, y) = waves(n, wrong);
        let stored = Stored::<f64>::new(&gram, Budget::default()).unwrap();
        assert!(gram.is_cheap() && !stored.is_cheap());
        let mut is_long = wrong == 0.0;
        for loss in [&Hinge as &dyn Loss, &SquaredHinge] {
            for (c, offset) in [(0.5, true), (10.0, true), (10.0, false), (1000.0, true)] {
                let (problem, solution) = solved(&gram, &y, loss, c, offset);
                let found = certify(&problem, &solution);
                assert!(found.violation <= 1e-3, "{n} {wrong} {c} {offset}: {}", found.violation);
                let (problem, solution) = solved(&stored, &y, loss, c, offset);
                let want = certify(&problem, &solution);
                let apart = (found.dual - want.dual).abs() / want.dual.abs();
                assert!(apart < 1e-5, "{n} {wrong} {c} {offset}: {} {}", found.dual, want.dual);
                is_long |= c == 1000.0 && solution.iterations > 4 * n as u64;
            }
        }
        assert!(is_long, "{n} {wrong}: there are many steps");
    }
}

#[test]
fn a_limit_of_steps_and_a_stop_are_kept() {
    let (gram, y) = waves(1200, 0.15);
    let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 1.0 / (10.0 * 1200.0), true).unwrap();
    let asked = Tolerance { gap: None, violation: Some(1e-3) };
    for most in [1, 100, 2000] {
        let limits = Limits { iterations: Some(most), ..Limits::default() };
        let solution = Smo::default().solve(&problem, None, &mut Run::new(&Silent, limits, asked)).unwrap();
        assert!(solution.iterations <= most && solution.status == Status::IterationLimit);
        assert!(certify(&problem, &solution).gap.is_finite());
    }
    struct Now;
    impl Watch for Now {
        fn stopped(&self) -> bool {
            true
        }
    }
    let solution =
        Smo::default().solve(&problem, None, &mut Run::new(&Now, Limits::default(), asked)).unwrap();
    assert!(solution.status == Status::Stopped && solution.entries < 1200 * 1200 / 2);
}

#[test]
fn few_rows_are_computed_for_few_support_vectors() {
    let (gram, y) = waves(1400, 0.0);
    let (_, solution) = solved(&gram, &y, &Hinge, 10.0, true);
    let support = solution.alpha.iter().filter(|alpha| **alpha != 0.0).count();
    assert!(support < 300 && solution.entries < 1400 * 1400 / 2, "{support} {}", solution.entries);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (gram, y) = waves(1200, 0.1);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| solved(&gram, &y, &Hinge, 10.0, true).1)
    };
    let (one, three) = (with(1), with(3));
    assert_eq!((one.alpha, one.bias, one.iterations), (three.alpha, three.bias, three.iterations));
}

#[test]
fn pairs_of_classes_share_rows_and_have_the_optimum_of_their_own_matrix() {
    for (wrong, c) in [(0.0, 10.0), (0.1, 10.0), (0.1, 1000.0)] {
        let (gram, rows) = three_classes(wrong);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let classes = Classes::new(&gram, &rows, Budget::default());
            let pair = |(first, second): (usize, usize)| {
                let pair = classes.pair(first, second);
                assert!(pair.shares_rows() && !pair.is_cheap());
                let y: Vec<f64> =
                    (0..pair.len()).map(|k| if k < rows[first].len() { 1.0 } else { -1.0 }).collect();
                let (problem, solution) = solved(&pair, &y, &Hinge, c, true);
                let certificate = certify(&problem, &solution);
                assert!(certificate.violation <= 1e-3, "{wrong} {c}: {}", certificate.violation);
                (solution, certificate, y)
            };
            // Side by side, so that lines of a class are asked for by two pairs at a time.
            pool.install(|| vec![(0, 1), (0, 2), (1, 2)].into_par_iter().map(pair).collect::<Vec<_>>())
        };
        let (one, three) = (with(1), with(3));
        for (k, (first, second)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            let ((solution, found, y), (again, ..)) = (&one[k], &three[k]);
            assert!(solution.alpha == again.alpha && solution.bias == again.bias);
            let part = gram.part(&[&rows[first][..], &rows[second]].concat());
            let n = part.len() as u64;
            // Two thirds of the pairs have more than a thousand rows, whose entries are in single precision.
            let (problem, own) = solved(&part, y, &Hinge, c, true);
            let want = certify(&problem, &own);
            let apart = (found.dual - want.dual).abs() / want.dual.abs();
            assert!(apart < 1e-5, "{wrong} {c}: {} {}", found.dual, want.dual);
            assert!(wrong > 0.0 || n < 1000 || solution.entries < n * n * 2 / 7, "few rows are computed");
            assert!(c < 1000.0 || n < 1000 || solution.iterations > 4 * n, "there are many steps");
        }
    }
}

#[test]
fn where_all_rows_will_be_asked_for_their_square_is_made_soon() {
    let (gram, rows) = three_classes(0.1);
    let classes = Classes::new(&gram, &rows, Budget::default());
    let pair = classes.pair(0, 1);
    let y: Vec<f64> = (0..pair.len()).map(|k| if k < rows[0].len() { 1.0 } else { -1.0 }).collect();
    // So small a C has every coefficient of the smaller class at its bound, and as many of the other one.
    let (problem, solution) = solved(&pair, &y, &Hinge, 1e-3, true);
    assert!(certify(&problem, &solution).violation <= 1e-3);
    let (n, bounded) = (pair.len() as u64, solution.alpha.iter().filter(|alpha| **alpha != 0.0).count());
    assert!(bounded as u64 > n * 6 / 10, "{bounded} of {n}");
    // Some rows, half a square, and scores that are looked at again: all rows by themselves would be more.
    assert!(solution.entries < n * n, "{} of {}", solution.entries, n * n);
}
