//! Perceptrons and gradient methods: bounds they must keep, optima they must approach, and manners.

#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mercer_gram::{Gram, Lazy};
use mercer_points::ColumnData;
use mercer_solve::loss::{Hinge, LOSSES, Logistic, Loss, LossSpec, Squared};
use mercer_solve::solvers::{
    DualPerceptron, Gradient, KernelPegasos, KernelPerceptron, Lms, Online, Pegasos, Perceptron, Subgradient,
};
use mercer_solve::{
    Claim, Features, Limits, Objective, Penalty, Problem, Run, Silent, Solution, SolveError, Solver, Status,
    Tolerance, Watch, certify,
};

fn moons(n: usize, kernel: &str) -> (Lazy, Vec<f64>) {
    let mut table = mercer_points::read(&format!("@moons(n={n}, noise=0.2)"), &Default::default()).unwrap();
    let ColumnData::Numbers(y) = table.remove("label").unwrap().data else { panic!("labels are numbers") };
    (Lazy::new(&kernel.parse().unwrap(), &table).unwrap(), y)
}

/// Points in the plane with y = sign⟨u,x⟩ and a margin of at least 0.1, and the directions that are noise.
fn planted(n: usize) -> (Features, Vec<f64>) {
    let (mut values, mut y, mut k) = (Vec::new(), Vec::new(), 0.0_f64);
    while y.len() < n {
        k += 1.0;
        let x = [2.0 * (k * 0.618_033_988_7).fract() - 1.0, 2.0 * (k * 0.754_877_666_2).fract() - 1.0];
        let side = 0.8 * x[0] + 0.6 * x[1];
        if side.abs() > 0.1 {
            values.extend(x);
            y.push(side.signum());
        }
    }
    (Features::new(n, 2, values).unwrap(), y)
}

fn gap(gap: f64) -> Tolerance {
    Tolerance { gap: Some(gap), violation: None }
}

/// min P of the hinge without offset, by coordinate ascent on the dual until nothing moves: slow and exact.
fn hinge_optimum(gram: &dyn Gram, y: &[f64], lambda: f64) -> f64 {
    let n = y.len();
    let bound = 1.0 / (lambda * n as f64);
    let (mut alpha, mut scores) = (vec![0.0; n], vec![0.0; n]);
    for _ in 0..20_000 {
        let mut moved: f64 = 0.0;
        for i in 0..n {
            let old: f64 = y[i] * alpha[i];
            let new = (old + (1.0 - y[i] * scores[i]) / gram.entry(i, i)).clamp(0.0, bound);
            let change = y[i] * (new - old);
            alpha[i] += change;
            (0..n).for_each(|j| scores[j] += change * gram.entry(i, j));
            moved = moved.max(change.abs());
        }
        if moved < 1e-13 * bound {
            break;
        }
    }
    let norm2: f64 = alpha.iter().zip(&scores).map(|(a, s)| a * s).sum();
    let loss: f64 = scores.iter().zip(y).map(|(s, y)| (1.0 - y * s).max(0.0)).sum();
    loss / n as f64 + 0.5 * lambda * norm2
}

#[test]
fn the_number_of_mistakes_is_within_novikoffs_bound() {
    let (features, y) = planted(200);
    let problem = Problem::new(&features, &y, Objective::Separation, 1.0, false).unwrap();
    let margin =
        (0..200).map(|i| y[i] * (0.8 * features.row(i)[0] + 0.6 * features.row(i)[1])).fold(9.0, f64::min);
    let radius = (0..200).map(|i| features.entry(i, i)).fold(0.0, f64::max).sqrt();
    let mut mistakes = 0;
    let solver = Perceptron { features: &features, epochs: 1000 };
    let solution = solver.learn(&problem, None, &mut Run::quiet(gap(1.0)), &mut |_| mistakes += 1).unwrap();
    assert_eq!(solution.status, Status::Solved);
    assert!(mistakes > 0 && f64::from(mistakes) <= (radius / margin).powi(2), "{mistakes}");
    let Claim::Separates { mistakes: 0, margin } = certify(&problem, &solution).claim else {
        panic!("separates")
    };
    assert!(margin > 0.0);
    // A second run that starts from the answer has nothing to do.
    let again = solver.solve(&problem, Some(&solution), &mut Run::quiet(gap(1.0))).unwrap();
    assert_eq!((again.iterations, &again.alpha), (1, &solution.alpha));
}

#[test]
fn xor_is_not_separated_by_a_line_and_nobody_says_so() {
    let features = Features::new(4, 2, vec![1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0]).unwrap();
    let y = [1.0, 1.0, -1.0, -1.0];
    let solvers: [&dyn Solver; 5] = [
        &Perceptron { features: &features, epochs: 50 },
        &DualPerceptron { epochs: 50 },
        &KernelPerceptron { epochs: 50, average: false },
        &KernelPerceptron { epochs: 50, average: true },
        &Online { budget: Some(2), average: false, epochs: 50 },
    ];
    for (solver, offset) in solvers.iter().flat_map(|solver| [(solver, false), (solver, true)]) {
        let problem = Problem::new(&features, &y, Objective::Separation, 1.0, offset).unwrap();
        let solution = solver.solve(&problem, None, &mut Run::quiet(gap(1e-6))).unwrap();
        assert_eq!((solution.status, solution.iterations), (Status::IterationLimit, 50), "{}", solver.name());
        let certificate = certify(&problem, &solution);
        assert!(matches!(certificate.claim, Claim::Separates { mistakes: 1.., .. }), "{}", solver.name());
        assert!(!certificate.holds(&gap(1e-6)));
    }
}

#[test]
fn an_averaged_perceptron_goes_on_until_its_average_separates() {
    let (gram, y) = moons(80, "rbf(sigma=0.3)");
    for offset in [false, true] {
        let problem = Problem::new(&gram, &y, Objective::Separation, 1.0, offset).unwrap();
        let solver = KernelPerceptron { epochs: 100_000, average: true };
        let solution = solver.solve(&problem, None, &mut Run::quiet(gap(1e-6))).unwrap();
        assert_eq!(solution.status, Status::Solved);
        assert!(matches!(certify(&problem, &solution).claim, Claim::Separates { mistakes: 0, .. }));
    }
}

#[test]
fn kernel_rows_are_computed_for_mistakes_only_and_once() {
    let (gram, y) = moons(100, "rbf(sigma=0.3)");
    let problem = Problem::new(&gram, &y, Objective::Separation, 1.0, false).unwrap();
    let mut rows = std::collections::BTreeSet::new();
    let solver = KernelPerceptron { epochs: 1000, average: false };
    let solution =
        solver.learn(&problem, None, &mut Run::quiet(gap(1e-6)), &mut |i| _ = rows.insert(i)).unwrap();
    assert!(rows.len() < 100);
    assert_eq!(solution.entries, 100 * rows.len() as u64);
}

#[test]
fn a_budget_is_kept_through_many_passes() {
    let (gram, y) = moons(100, "rbf(sigma=0.2)");
    let problem = Problem::new(&gram, &y, Objective::Separation, 1.0, true).unwrap();
    for (budget, average) in [(1, false), (7, false), (20, true)] {
        let online = Online { budget: Some(budget), average, epochs: 5 };
        let solution = online.solve(&problem, None, &mut Run::quiet(gap(1e-6))).unwrap();
        assert!(solution.support() <= budget && solution.support() > 0);
    }
    let none = Online { budget: Some(0), average: false, epochs: 1 };
    assert!(none.solve(&problem, None, &mut Run::quiet(gap(1e-6))).is_err());
}

#[test]
fn pegasos_comes_within_its_bound_of_the_optimum() {
    let (gram, y) = moons(80, "rbf(sigma=0.5)");
    let (lambda, n, epochs) = (0.05, 80.0, 100);
    let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), lambda, false).unwrap();
    let optimum = hinge_optimum(&gram, &y, lambda);
    let steps = n * epochs as f64;
    // G = √λ + R bounds every subgradient on the ball; R = 1 for rbf.
    let bound = (lambda.sqrt() + 1.0).powi(2) * (1.0 + steps.ln()) / (2.0 * lambda * steps);
    let mut mean = 0.0;
    for seed in 0..5 {
        let solver = KernelPegasos { epochs, seed, average: true };
        let solution = solver.solve(&problem, None, &mut Run::quiet(gap(1e-9))).unwrap();
        let certificate = certify(&problem, &solution);
        assert!(certificate.primal >= optimum - 1e-9 && certificate.dual <= optimum + 1e-9);
        mean += (certificate.primal - optimum) / 5.0;
    }
    assert!(mean <= bound && bound < 0.2 * optimum, "{mean}, bound {bound}, optimum {optimum}");
}

#[test]
fn subgradient_descent_and_pegasos_approach_the_optimum_on_features() {
    let (features, mut y) = planted(60);
    (0..60).step_by(9).for_each(|i| y[i] = -y[i]);
    let lambda = 0.1;
    let problem = Problem::new(&features, &y, Objective::Risk(&Hinge), lambda, false).unwrap();
    let optimum = hinge_optimum(&features, &y, lambda);
    let solvers: [(&dyn Solver, f64); 4] = [
        (&Subgradient { features: &features, steps: 3000, step: None }, 2e-3),
        (&Subgradient { features: &features, steps: 3000, step: Some(1.0) }, 5e-3),
        (&Pegasos { features: &features, epochs: 500, seed: 4, project: false, average: true }, 5e-3),
        (&Pegasos { features: &features, epochs: 500, seed: 4, project: true, average: true }, 5e-3),
    ];
    for (solver, near) in solvers {
        let solution = solver.solve(&problem, None, &mut Run::quiet(gap(1e-9))).unwrap();
        let certificate = certify(&problem, &solution);
        let excess = certificate.primal / optimum - 1.0;
        assert!((-1e-9..near).contains(&excess), "{}: {excess}", solver.name());
        // w is the expansion in α.
        let weights = features.weights(&solution.alpha);
        let off = weights.iter().zip(solution.weights.as_ref().unwrap()).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-10);
    }
}

#[test]
fn the_best_iterate_of_a_subgradient_method_never_gets_worse() {
    let (features, mut y) = planted(60);
    (0..60).step_by(5).for_each(|i| y[i] = -y[i]);
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i as u32 % 4)).collect();
    let problem = Problem::new(&features, &y, Objective::Risk(&Hinge), 0.02, true).unwrap();
    let problem = problem.weighted(&weights).unwrap();
    let mut last = f64::INFINITY;
    for steps in [1, 10, 100, 1000, 10_000] {
        let solver = Subgradient { features: &features, steps, step: None };
        let solution = solver.solve(&problem, None, &mut Run::quiet(gap(1e-9))).unwrap();
        let certificate = certify(&problem, &solution);
        assert!(certificate.primal <= last + 1e-3, "{steps}: {} after {last}", certificate.primal);
        assert!((0..60).all(|i| weights[i] > 0.0 || solution.alpha[i] == 0.0));
        last = certificate.primal;
    }
    let smooth = Gradient { step: None, iterations: 20_000, accelerated: true };
    let other = certify(&problem, &smooth.solve(&problem, None, &mut Run::quiet(gap(1e-3))).unwrap());
    assert!(last <= other.primal * 1.02 && last >= other.dual, "{last} and {other:?}");
}

#[test]
fn the_gradient_method_reaches_the_gap_that_its_rate_allows_for_every_loss() {
    let (gram, y) = moons(60, "rbf(sigma=0.5)");
    let gram = gram.in_precision(mercer_gram::Precision::Double);
    let weights: Vec<f64> = (0..60).map(|i| [1.0, 0.0, 3.0][i % 3]).collect();
    for info in &LOSSES {
        let loss = info.name.parse::<LossSpec>().unwrap().build().unwrap();
        // With kinks the gap is O(1/(λt)), and no more is asked of it.
        let goal = match info.name {
            "hinge" => 3e-2,
            "epsilon" | "pinball" => 1e-1,
            _ => 1e-6,
        };
        for (offset, accelerated) in [(false, true), (true, true), (true, false)] {
            // Zero is optimal for the perceptron loss.
            if info.name == "perceptron" {
                continue;
            }
            let problem = Problem::new(&gram, &y, Objective::Risk(loss.as_ref()), 0.02, offset).unwrap();
            for problem in [problem, problem.weighted(&weights).unwrap()] {
                let solver = Gradient { step: None, iterations: 20_000, accelerated };
                let solution = solver.solve(&problem, None, &mut Run::quiet(gap(goal))).unwrap();
                let certificate = certify(&problem, &solution);
                let found = certificate.relative_gap;
                assert_eq!(solution.status, Status::Solved, "{} offset {offset}: {found:e}", info.name);
                assert!(found <= 1.01 * goal, "{} offset {offset}: {found:e}", info.name);
                assert!((solution.bias - certificate.offset).abs() < 1e-6);
            }
        }
    }
}

#[test]
fn acceleration_pays_where_lambda_is_small() {
    let (gram, y) = moons(60, "rbf(sigma=1)");
    let gram = gram.in_precision(mercer_gram::Precision::Double);
    let problem = Problem::new(&gram, &y, Objective::Risk(&Logistic), 1e-4, false).unwrap();
    let count = |accelerated| {
        let solver = Gradient { step: None, iterations: 50_000, accelerated };
        solver.solve(&problem, None, &mut Run::quiet(gap(1e-6))).unwrap().iterations
    };
    let (with, without) = (count(true), count(false));
    assert!(4 * with < without, "{with} and {without}");
}

#[test]
fn a_tolerance_on_the_violation_is_kept_too() {
    let (gram, y) = moons(50, "rbf(sigma=0.5)");
    let gram = gram.in_precision(mercer_gram::Precision::Double);
    let problem = Problem::new(&gram, &y, Objective::Risk(&Squared), 0.1, false).unwrap();
    let tolerance = Tolerance { gap: None, violation: Some(1e-8) };
    let solution = Gradient::default().solve(&problem, None, &mut Run::quiet(tolerance)).unwrap();
    assert_eq!(solution.status, Status::Solved);
    assert!(certify(&problem, &solution).violation <= 1.1e-8);
    // A start near the answer saves steps.
    let again = Gradient::default().solve(&problem, Some(&solution), &mut Run::quiet(tolerance)).unwrap();
    assert!(again.iterations < solution.iterations);
}

/// Every solver here with a problem that it would work on for a very long time.
fn with_everyone(visit: &mut dyn FnMut(&dyn Solver, &Problem<'_>)) {
    let (features, mut y) = planted(60);
    (0..60).step_by(7).for_each(|i| y[i] = -y[i]);
    let long = 1 << 40;
    let problem = |objective| Problem::new(&features, &y, objective, 1e-3, false).unwrap();
    let (apart, hinge) = (problem(Objective::Separation), problem(Objective::Risk(&Hinge)));
    let (squared, logistic) = (problem(Objective::Risk(&Squared)), problem(Objective::Risk(&Logistic)));
    visit(&Perceptron { features: &features, epochs: long }, &apart);
    visit(&DualPerceptron { epochs: long }, &apart);
    visit(&KernelPerceptron { epochs: long, average: true }, &apart);
    visit(&Online { budget: Some(10), average: true, epochs: long }, &apart);
    visit(&Pegasos { features: &features, epochs: long, seed: 1, project: true, average: true }, &hinge);
    visit(&KernelPegasos { epochs: long, seed: 1, average: true }, &hinge);
    visit(&Subgradient { features: &features, steps: long, step: None }, &hinge);
    visit(&Gradient { step: None, iterations: long, accelerated: true }, &hinge);
    visit(&Gradient { step: None, iterations: long, accelerated: true }, &logistic);
    visit(&Lms { step: None, iterations: long }, &squared);
}

/// Stops after so many questions.
struct Impatient {
    left: AtomicUsize,
}

impl Watch for Impatient {
    fn stopped(&self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn a_stop_is_honoured_by_everyone_at_any_moment() {
    let never = Tolerance { gap: None, violation: None };
    with_everyone(&mut |solver, problem| {
        for patience in [0, 1, 2, 5, 80] {
            let watch = Impatient { left: AtomicUsize::new(patience) };
            let mut run = Run::new(&watch, Limits::default(), never);
            let solution = solver.solve(problem, None, &mut run).unwrap();
            assert_eq!(solution.status, Status::Stopped, "{} after {patience}", solver.name());
            assert!(solution.alpha.iter().all(|a| a.is_finite()) && solution.bias.is_finite());
            assert_eq!(solution.alpha.len(), 60);
        }
    });
}

#[test]
fn limits_of_time_and_iterations_are_kept_by_everyone() {
    let never = Tolerance { gap: None, violation: None };
    with_everyone(&mut |solver, problem| {
        let limits = Limits { time: None, iterations: Some(3) };
        let solution = solver.solve(problem, None, &mut Run::new(&Silent, limits, never)).unwrap();
        assert_eq!((solution.status, solution.iterations), (Status::IterationLimit, 3), "{}", solver.name());
        assert!(!solution.trace.is_empty());
        let limits = Limits { time: Some(Duration::from_millis(20)), iterations: None };
        let begun = Instant::now();
        let solution = solver.solve(problem, None, &mut Run::new(&Silent, limits, never)).unwrap();
        // Converged to the last bit counts as an end as well.
        assert!(matches!(solution.status, Status::TimeLimit | Status::Stalled), "{}", solver.name());
        assert!(begun.elapsed() < Duration::from_secs(2), "{}", solver.name());
    });
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let solve = |threads: usize| -> Vec<Solution> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut found = Vec::new();
        pool.install(|| {
            with_everyone(&mut |solver, problem| {
                let limits = Limits { time: None, iterations: Some(12) };
                found.push(solver.solve(problem, None, &mut Run::new(&Silent, limits, gap(1e-12))).unwrap());
            });
        });
        found
    };
    for (one, three) in solve(1).iter().zip(solve(3)) {
        assert_eq!((&one.alpha, one.bias, &one.scores), (&three.alpha, three.bias, &three.scores));
    }
    let (gram, y) = moons(60, "rbf(sigma=0.5)");
    let problem = Problem::new(&gram, &y, Objective::Risk(&Hinge), 0.01, false).unwrap();
    let run = |seed| {
        KernelPegasos { epochs: 3, seed, average: true }
            .solve(&problem, None, &mut Run::quiet(gap(1e-9)))
            .unwrap()
            .alpha
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

#[test]
fn what_does_not_suit_is_refused_with_what_does() {
    let (features, y) = planted(20);
    let squared: &dyn Loss = &Squared;
    with_everyone(&mut |solver, _| {
        let unsuited = |problem: Problem<'_>, word: &str| {
            let error = solver.solve(&problem, None, &mut Run::quiet(gap(1e-6))).unwrap_err();
            let SolveError::Unsuited { reason, .. } = &error else { panic!("{}: {error}", solver.name()) };
            assert!(reason.contains(word), "{}: {reason}", solver.name());
        };
        let problem = |objective, offset| Problem::new(&features, &y, objective, 0.1, offset).unwrap();
        unsuited(problem(Objective::NuClassification { nu: 0.5 }, false), "");
        match solver.name() {
            name if name.contains("perceptron") => {
                unsuited(problem(Objective::Risk(squared), false), "gradient");
                unsuited(problem(Objective::Risk(&Hinge), false), "gradient");
            }
            name => {
                unsuited(problem(Objective::Separation, false), "perceptron");
                unsuited(problem(Objective::Risk(squared), false).penalized(Penalty::Norm), "squared");
                if name.contains("pegasos") {
                    unsuited(problem(Objective::Risk(&Hinge), true), "smo");
                }
                if name != "gradient" {
                    unsuited(problem(Objective::Risk(&Logistic), false), "gradient");
                }
            }
        }
    });
}

#[test]
fn features_and_starts_of_other_lengths_are_refused() {
    let ((features, _), (others, y)) = (planted(21), planted(20));
    let apart = Problem::new(&others, &y, Objective::Separation, 1.0, false).unwrap();
    let hinge = Problem::new(&others, &y, Objective::Risk(&Hinge), 1.0, false).unwrap();
    let wrong: [(&dyn Solver, &Problem<'_>); 3] = [
        (&Perceptron { features: &features, epochs: 1 }, &apart),
        (&Pegasos { features: &features, epochs: 1, seed: 0, project: false, average: false }, &hinge),
        (&Subgradient { features: &features, steps: 1, step: None }, &hinge),
    ];
    for (solver, problem) in wrong {
        let error = solver.solve(problem, None, &mut Run::quiet(gap(1e-6))).unwrap_err();
        assert!(matches!(error, SolveError::Shape { what: "rows of features", .. }), "{error}");
    }
    let start = Run::quiet(gap(1e-6)).solution(vec![1.0; 3], 0.0, Status::Solved, 0);
    let error =
        DualPerceptron { epochs: 1 }.solve(&apart, Some(&start), &mut Run::quiet(gap(1e-6))).unwrap_err();
    assert!(matches!(error, SolveError::Shape { .. }));
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let steps: [(&dyn Solver, &Problem<'_>); 2] = [
            (&Subgradient { features: &others, steps: 1, step: Some(step) }, &hinge),
            (&Gradient { step: Some(step), iterations: 1, accelerated: true }, &hinge),
        ];
        for (solver, problem) in steps {
            let error = solver.solve(problem, None, &mut Run::quiet(gap(1e-6))).unwrap_err();
            assert!(matches!(error, SolveError::Parameter { .. }), "{error}");
        }
    }
}
