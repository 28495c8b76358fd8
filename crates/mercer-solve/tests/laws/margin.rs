use mercer_solve::loss::Target;
use mercer_solve::testkit::Matrix;
use mercer_solve::{Claim, Objective, Problem, certify};

use super::oracle::{box_slopes, directions, minimise};
use super::setting::{Draw, Setting, certificate, solution};

/// Maximises Σα̃ − ½‖f‖² over α̃ ≥ 0, Σα = 0 with an offset.
fn solve(setting: &Setting, problem: &Problem<'_>) -> Vec<f64> {
    let n = setting.y.len();
    let slopes = |i: usize, a: f64| {
        let y = setting.y[i];
        let (low, high) = match (problem.weight(i) > 0.0, y > 0.0) {
            (false, _) => box_slopes(a, 0.0, 0.0),
            (_, true) => box_slopes(a, 0.0, f64::INFINITY),
            (_, false) => box_slopes(a, f64::NEG_INFINITY, 0.0),
        };
        (low - y, high - y)
    };
    let rows: Vec<usize> = (0..n).collect();
    minimise(&setting.entries(), &slopes, &directions(&rows, setting.offset), vec![0.0; n])
}

/// Full rank, so that any labels can be separated.
fn separable(seed: u64, offset: bool, weighted: bool) -> Setting {
    Setting::new(2 * seed + 1, 7, Target::Labels, offset, weighted)
}

#[test]
fn the_hard_margin_has_no_gap_at_its_optimum_and_none_below_zero() {
    for seed in 0..6 {
        for (offset, weighted) in [(false, false), (true, false), (false, true), (true, true)] {
            let setting = separable(seed, offset, weighted);
            let problem = setting.problem(Objective::HardMargin);
            let alpha = solve(&setting, &problem);
            let f = super::oracle::product(&setting.entries(), &alpha);
            let norm2: f64 = alpha.iter().zip(&f).map(|(a, f)| a * f).sum();
            let optimum = alpha.iter().map(|a| a.abs()).sum::<f64>() - 0.5 * norm2;
            let best = certificate(&problem, &alpha);
            assert!(best.relative_gap <= 1e-8, "seed {seed}, offset {offset}: {best:?}");
            assert!((best.primal - optimum).abs() <= 1e-8 * optimum.max(1e-3), "{} {optimum}", best.primal);
            assert!(best.violation <= 1e-6, "{}", best.violation);
            // Its size does not matter: the certificate is that of the surface.
            let twice: Vec<f64> = alpha.iter().map(|a| 2.0 * a).collect();
            assert!((certificate(&problem, &twice).primal - best.primal).abs() <= 1e-9 * best.primal);
            let mut draw = Draw(seed);
            for size in [1e-6, 1e-2, 1.0] {
                let far: Vec<f64> = alpha.iter().map(|a| a + size * draw.next()).collect();
                let found = certificate(&problem, &far);
                assert!(found.dual <= optimum * (1.0 + 1e-9) + 1e-12, "{} {optimum}", found.dual);
                assert!(found.primal >= optimum * (1.0 - 1e-9) - 1e-12, "{} {optimum}", found.primal);
            }
        }
    }
}

#[test]
fn what_does_not_separate_is_no_solution() {
    let gram = Matrix::of(2, |_, _| 1.0);
    let problem = Problem::new(&gram, &[1.0, -1.0], Objective::HardMargin, 1.0, true).unwrap();
    let found = certificate(&problem, &[1.0, -1.0]);
    assert!(!found.holds(&Default::default()), "{found:?}");
}

#[test]
fn separation_counts_mistakes_and_takes_nan_for_one() {
    let gram = Matrix::of(3, |i, j| f64::from(u8::from(i == j)));
    let y = [1.0, -1.0, 1.0];
    let problem = Problem::new(&gram, &y, Objective::Separation, 1.0, false).unwrap();
    let claim = |alpha: &[f64]| certify(&problem, &solution(alpha)).claim;
    assert_eq!(claim(&[3.0, -4.0, 12.0]), Claim::Separates { mistakes: 0, margin: 3.0 / 13.0 });
    let Claim::Separates { mistakes, margin } = claim(&[3.0, 4.0, 0.0]) else {
        panic!("a claim of separation")
    };
    assert_eq!(mistakes, 2);
    assert!((margin + 0.8).abs() < 1e-12);
    let found = certificate(&problem, &[f64::NAN, -1.0, 1.0]);
    assert!(!found.holds(&Default::default()), "{found:?}");
    let mut draw = Draw(4);
    for _ in 0..20 {
        assert!(certificate(&problem, &draw.many(3)).gap >= 0.0);
    }
}
