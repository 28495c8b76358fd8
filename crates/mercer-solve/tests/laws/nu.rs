use mercer_solve::loss::Target;
use mercer_solve::{KktClass, Objective, Problem};

use super::oracle::{box_slopes, directions, minimise};
use super::setting::{Draw, Setting, certificate};

/// Fills groups from their first rows on: a feasible start.
fn fill(
    n: usize,
    groups: &[Vec<usize>],
    mass: f64,
    bound: impl Fn(usize) -> f64,
    side: impl Fn(usize) -> f64,
) -> Vec<f64> {
    let mut alpha = vec![0.0; n];
    for group in groups {
        let mut left = mass;
        for &i in group {
            let part = bound(i).min(left);
            alpha[i] = side(i) * part;
            left -= part;
        }
        assert!(left <= 1e-9, "the problem has a feasible point");
    }
    alpha
}

/// −½αᵀKα at its largest.
fn solve_levels(
    setting: &Setting,
    groups: &[Vec<usize>],
    mass: f64,
    unit: f64,
    side: impl Fn(usize) -> f64,
) -> Vec<f64> {
    let n = setting.y.len();
    let bound = |i: usize| setting.weights.as_ref().map_or(1.0, |w| w[i]) * unit;
    let slopes = |i: usize, a: f64| {
        if side(i) > 0.0 { box_slopes(a, 0.0, bound(i)) } else { box_slopes(a, -bound(i), 0.0) }
    };
    let start = fill(n, groups, mass, bound, &side);
    let mut all = Vec::new();
    for group in groups {
        for (i, j) in directions(group, true) {
            // Along e_i − e_j the sum of α stays; along classes of one sign so does that of α̃.
            if j.is_some_and(|j| side(i) == side(j)) {
                all.push((i, j));
            }
        }
    }
    minimise(&setting.entries(), &slopes, &all, start)
}

fn perturbed(problem: &Problem<'_>, alpha: &[f64], optimum: f64, seed: u64) {
    let mut draw = Draw(seed);
    for size in [1e-6, 1e-3, 0.1, 3.0] {
        let far: Vec<f64> = alpha.iter().map(|a| a + size * draw.next()).collect();
        let found = certificate(problem, &far);
        let room = 1e-9 * (1.0 + found.primal.abs());
        assert!(found.dual <= optimum + room, "{problem:?}: dual {} above {optimum}", found.dual);
        assert!(found.primal >= optimum - room, "{problem:?}: primal {} below {optimum}", found.primal);
        let total: f64 = found.rows.iter().map(|row| row.residual).sum();
        assert!(total <= alpha.len() as f64 * found.gap + room);
    }
}

fn half_norm(setting: &Setting, alpha: &[f64]) -> f64 {
    let f = super::oracle::product(&setting.entries(), alpha);
    0.5 * alpha.iter().zip(&f).map(|(a, f)| a * f).sum::<f64>()
}

#[test]
fn nu_classification() {
    for seed in 0..10 {
        let offset = seed % 3 != 2;
        let n = 12;
        let mut setting = Setting::new(seed, n, Target::Labels, offset, false);
        setting.y = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let weighted = seed % 4 == 1;
        setting.weights = weighted.then(|| (0..n).map(|i| [1.0, 0.5, 2.0][i % 3]).collect());
        let nu = [0.3, 0.5, 0.8][(seed % 3) as usize];
        let problem = setting.problem(Objective::NuClassification { nu });
        let class = |side: f64| (0..n).filter(|&i| setting.y[i] == side).collect::<Vec<usize>>();
        let alpha = if offset {
            solve_levels(&setting, &[class(1.0), class(-1.0)], 0.5 * nu, 1.0 / n as f64, |i| setting.y[i])
        } else {
            solve_one_group(&setting, nu)
        };
        let optimum = -half_norm(&setting, &alpha);
        let best = certificate(&problem, &alpha);
        assert!(best.relative_gap <= 1e-8 || best.gap < 1e-12, "seed {seed}: {best:?}");
        assert!((best.primal - optimum).abs() <= 1e-9, "seed {seed}: {} {optimum}", best.primal);
        assert_eq!(best.projected, None);
        let total: f64 = best.rows.iter().map(|row| row.residual).sum();
        assert!((total / n as f64 - best.gap).abs() < 1e-12);
        let rho = best.level.unwrap();
        assert!(rho >= 0.0);
        if !weighted && best.norm > 1e-6 {
            let errors =
                best.rows.iter().zip(&setting.y).filter(|(row, y)| *y * row.score < rho - 1e-7).count();
            let (errors, support) = (errors as f64 / n as f64, best.support as f64 / n as f64);
            assert!(
                errors <= nu + 1e-9 && support >= nu - 1e-9,
                "ν = {nu}: {errors} errors, {support} support"
            );
        }
        perturbed(&problem, &alpha, optimum, seed);
    }
}

/// Without offset the sum of α̃ is fixed over both classes: a change of variables makes the sides equal.
fn solve_one_group(setting: &Setting, nu: f64) -> Vec<f64> {
    let n = setting.y.len();
    let k = setting.entries();
    let q: Vec<f64> = (0..n * n).map(|at| setting.y[at / n] * setting.y[at % n] * k[at]).collect();
    let rows: Vec<usize> = (0..n).collect();
    let bound = |i: usize| setting.weights.as_ref().map_or(1.0, |w| w[i]) / n as f64;
    let start = fill(n, std::slice::from_ref(&rows), nu, bound, |_| 1.0);
    let multipliers = minimise(&q, &|i, a| box_slopes(a, 0.0, bound(i)), &directions(&rows, true), start);
    multipliers.iter().zip(&setting.y).map(|(a, y)| a * y).collect()
}

#[test]
fn one_class() {
    for seed in 0..8 {
        let n = 10;
        let mut setting = Setting::new(seed, n, Target::Numbers, false, false);
        let weighted = seed % 4 == 1;
        setting.weights = weighted.then(|| (0..n).map(|i| [1.0, 0.5, 2.0][i % 3]).collect());
        let nu = [0.2, 0.5, 0.75][(seed % 3) as usize];
        let problem = setting.problem(Objective::OneClass { nu });
        let alpha = solve_levels(&setting, &[(0..n).collect()], 1.0, 1.0 / (nu * n as f64), |_| 1.0);
        let optimum = -half_norm(&setting, &alpha);
        let best = certificate(&problem, &alpha);
        assert!(best.relative_gap <= 1e-8 || best.gap < 1e-12, "seed {seed}: {best:?}");
        assert!((best.primal - optimum).abs() <= 1e-9);
        let rho = best.level.unwrap();
        assert_eq!(best.offset, -rho);
        if !weighted && best.norm > 1e-6 {
            let outside = best.rows.iter().filter(|row| row.score < -1e-7).count() as f64 / n as f64;
            assert!(outside <= nu + 1e-9 && best.support as f64 / n as f64 >= nu - 1e-9);
        }
        perturbed(&problem, &alpha, optimum, seed);
    }
}

#[test]
fn nu_regression() {
    let mut tubes = 0;
    for seed in 0..12 {
        let (n, offset) = (9, seed % 2 == 0);
        let mut setting = Setting::new(seed, n, Target::Numbers, offset, false);
        let weighted = seed % 4 == 1;
        setting.weights = weighted.then(|| (0..n).map(|i| [1.0, 0.5, 2.0][i % 3]).collect());
        let nu = [0.3, 0.6, 1.0][(seed % 3) as usize];
        let problem = setting.problem(Objective::NuRegression { nu });
        let alpha = solve_tube(&setting, &problem, nu);
        let y = setting.y.iter().zip(&alpha).map(|(y, a)| y * a).sum::<f64>();
        let optimum = setting.lambda * (y - half_norm(&setting, &alpha));
        let best = certificate(&problem, &alpha);
        assert!(best.relative_gap <= 1e-8, "seed {seed}: {best:?}");
        assert!((best.primal - optimum).abs() <= 1e-9, "seed {seed}: {} {optimum}", best.primal);
        let epsilon = best.level.unwrap();
        assert!(epsilon >= 0.0);
        if epsilon > 1e-6 && !weighted {
            tubes += 1;
            let off = |i: usize| (best.rows[i].score - setting.y[i]).abs() > epsilon + 1e-7;
            let outside = (0..n).filter(|&i| off(i)).count() as f64 / n as f64;
            assert!(outside <= nu + 1e-9 && best.support as f64 / n as f64 >= nu - 1e-9);
        }
        let (total, slack) = (best.rows.iter().map(|row| row.residual).sum::<f64>() / n as f64, best.gap);
        assert!(total <= slack + 1e-12);
        assert!(best.rows.iter().all(|row| row.class != KktClass::Free || row.violation < 1e-6));
        perturbed(&problem, &alpha, optimum, seed);
    }
    assert!(tubes >= 3, "a tube of some width was seen {tubes} times");
}

/// α = a⁺ − a⁻ with 0 ≤ a ≤ C and Σa⁺ = Σa⁻ = ν/(2λ), or Σa⁺ + Σa⁻ = ν/λ without offset: 2n variables.
fn solve_tube(setting: &Setting, problem: &Problem<'_>, nu: f64) -> Vec<f64> {
    let n = setting.y.len();
    let k = setting.entries();
    let sign = |v: usize| if v < n { 1.0 } else { -1.0 };
    let q: Vec<f64> = (0..4 * n * n)
        .map(|at| {
            let (i, j) = (at / (2 * n), at % (2 * n));
            sign(i) * sign(j) * k[(i % n) * n + j % n]
        })
        .collect();
    let bound = |v: usize| problem.bound(v % n);
    let slopes = |v: usize, a: f64| {
        let (low, high) = box_slopes(a, 0.0, bound(v));
        let linear = -sign(v) * setting.y[v % n];
        (low + linear, high + linear)
    };
    let (up, down): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (n..2 * n).collect());
    let groups = if setting.offset { vec![up, down] } else { vec![(0..2 * n).collect()] };
    let mass = nu / setting.lambda / groups.len() as f64;
    let start = fill(2 * n, &groups, mass, bound, |_| 1.0);
    let all: Vec<_> = groups.iter().flat_map(|group| directions(group, true)).collect();
    let a = minimise(&q, &slopes, &all, start);
    (0..n).map(|i| a[i] - a[n + i]).collect()
}

#[test]
fn a_nu_that_no_coefficients_can_reach_is_not_certified() {
    let mut setting = Setting::new(1, 6, Target::Labels, true, false);
    setting.y = vec![1.0, -1.0, -1.0, -1.0, -1.0, -1.0];
    let problem = setting.problem(Objective::NuClassification { nu: 0.9 });
    let found = certificate(&problem, &[0.1, -0.1, 0.0, 0.0, 0.0, 0.0]);
    assert!(found.gap == f64::MAX && !found.holds(&Default::default()));
}
