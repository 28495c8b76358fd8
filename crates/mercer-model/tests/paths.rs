//! Many strengths of one kernel: ridge paths, leave-one-out, alignment and regularisation paths, against machines that
//! are fitted one by one.
#![allow(clippy::unwrap_used)]

use mercer_gram::{Gram, Lazy};
use mercer_linalg::Budget;
use mercer_model::metrics::Metric;
use mercer_model::tune::{Found, Search, Strength, Template, Tuning, Validation, aligned, path, tune};
use mercer_model::{ClassWeights, Learner, Multiclass, Outcome, Scaling, Setting, Spec, Training, fit};
use mercer_points::{Column, ColumnData, Points, Split, Table, read};
use mercer_solve::{Regularization, Tolerance};

fn data(source: &str) -> (Table, Column) {
    let mut table = read(source, &Default::default()).unwrap();
    let last = table.columns().last().unwrap().name.clone();
    let name = if table.column("label").is_ok() { "label".to_owned() } else { last };
    let target = table.remove(&name).unwrap();
    (table, target)
}

fn numbers(target: &Column) -> &[f64] {
    let ColumnData::Numbers(values) = &target.data else { panic!("the target holds numbers") };
    values
}

fn part(target: &Column, rows: &[usize]) -> Column {
    Column { name: target.name.clone(), data: target.data.select(rows) }
}

fn found(tuning: &Tuning, training: &Training<'_>) -> Found {
    tune(tuning, training, &Setting::default(), &|_| {}).unwrap()
}

fn ridge(kernel: &str, lambdas: &str, learner: Learner) -> Tuning {
    Tuning {
        search: Search::Grid { points: 4 },
        validation: Validation::Folds { k: 3, repeats: 1 },
        ..Tuning::new(kernel.parse().unwrap(), Strength::Lambda(lambdas.parse().unwrap()), learner)
    }
}

/// The scores of a model of its own on rows held out.
fn alone(spec: &Spec, training: &Training<'_>, split: &Split) -> Vec<f64> {
    let (table, target) = (training.table.select(&split.train), part(training.target.unwrap(), &split.train));
    let weights: Option<Vec<f64>> = training.weights.map(|w| split.train.iter().map(|&i| w[i]).collect());
    let own = Training { weights: weights.as_deref(), ..Training::new(&table, &target) };
    let model = fit(spec, &own, &Setting::default()).unwrap();
    model.predict(&training.table.select(&split.test)).unwrap().scores
}

/// The root of the weighted mean squared error.
fn rmse(found: &[f64], y: &[f64], rows: &[usize], weights: Option<&[f64]>) -> f64 {
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    let squares: f64 = rows.iter().zip(found).map(|(&row, f)| weight(row) * (f - y[row]).powi(2)).sum();
    (squares / rows.iter().map(|&row| weight(row)).sum::<f64>()).sqrt()
}

#[test]
fn ridge_paths_score_as_models_fitted_one_by_one() {
    let (table, target) = data("@yacht");
    let weights: Vec<f64> = (0..table.len()).map(|i| (i % 4) as f64 * 0.5).collect();
    for (learner, weights, offset) in [
        (Learner::Cholesky, None, false),
        (Learner::Cholesky, None, true),
        (Learner::Cholesky, Some(&weights[..]), true),
        (Learner::Eigen, None, true),
    ] {
        let mut tuning = ridge("rbf(sigma=0.5|2)", "1e-6..1", learner);
        (tuning.spec.scaling, tuning.spec.offset) = (Scaling::Standardize, offset);
        let training = Training { weights, ..Training::new(&table, &target) };
        let splits = tuning.validation.splits(&target.data, tuning.spec.seed).unwrap();
        for trial in &found(&tuning, &training).trials {
            let spec =
                Spec { kernel: trial.kernel.clone(), regularization: trial.strength, ..tuning.spec.clone() };
            for (split, score) in splits.iter().zip(&trial.scores) {
                let said = alone(&spec, &training, split);
                let expected = rmse(&said, numbers(&target), &split.test, weights);
                assert!((score - expected).abs() <= 1e-8 * expected, "{learner} {spec}: {score} {expected}");
            }
        }
    }
}

#[test]
fn regressions_by_the_dual_score_as_models_fitted_one_by_one() {
    let (table, target) = data("@yacht");
    let weights: Vec<f64> = (0..table.len()).map(|i| (i % 4) as f64 * 0.5).collect();
    for (learner, weights) in
        [(Learner::Svr, None), (Learner::Svr, Some(&weights[..])), (Learner::Quantile, None)]
    {
        let strength = Strength::C("0.01|1|100".parse().unwrap());
        let mut tuning = ridge("rbf(sigma=0.1|1|5)", "1", learner);
        (tuning.strength, tuning.spec.scaling) = (strength, Scaling::Standardize);
        tuning.spec.tolerance = Tolerance { gap: Some(1e-7), violation: None };
        let training = Training { weights, ..Training::new(&table, &target) };
        let splits = tuning.validation.splits(&target.data, tuning.spec.seed).unwrap();
        tuning.metric = Some(Metric::Rmse);
        for trial in &found(&tuning, &training).trials {
            let spec =
                Spec { kernel: trial.kernel.clone(), regularization: trial.strength, ..tuning.spec.clone() };
            for (split, score) in splits.iter().zip(&trial.scores) {
                let said = alone(&spec, &training, split);
                let expected = rmse(&said, numbers(&target), &split.test, weights);
                assert!((score - expected).abs() <= 1e-3 * expected, "{learner} {spec}: {score} {expected}");
            }
        }
    }
}

#[test]
fn least_squares_machines_of_classes_score_as_models_fitted_one_by_one() {
    let (table, target) = data("@iris");
    let mut tuning = ridge("rbf(sigma=0.5)", "1e-4..1", Learner::LsSvm);
    tuning.spec.multiclass = Multiclass::OneVsOne;
    tuning.spec.class_weights = ClassWeights::Balanced;
    let training = Training::new(&table, &target);
    let splits = tuning.validation.splits(&target.data, tuning.spec.seed).unwrap();
    let ColumnData::Categories(names) = &target.data else { panic!("iris has names") };
    for trial in &found(&tuning, &training).trials {
        let spec =
            Spec { kernel: trial.kernel.clone(), regularization: trial.strength, ..tuning.spec.clone() };
        for (split, score) in splits.iter().zip(&trial.scores) {
            let own = (table.select(&split.train), part(&target, &split.train));
            let model = fit(&spec, &Training::new(&own.0, &own.1), &Setting::default()).unwrap();
            let Outcome::Classes(said) = model.predict(&table.select(&split.test)).unwrap().outcome else {
                panic!("classes")
            };
            let is_right = |(row, code): &(&usize, &usize)| model.classes()[**code] == *names.point(**row);
            let right = split.test.iter().zip(&said).filter(is_right).count();
            assert_eq!(*score, right as f64 / said.len() as f64, "{spec}");
        }
    }
}

#[test]
fn a_ridge_path_without_memory_or_positive_definiteness_is_one_of_fits_alone() {
    let (table, target) = data("@sinc(n=60)");
    let training = Training::new(&table, &target);
    let tuning = ridge("rbf(sigma=1)", "1e-3|1e-1", Learner::Cholesky);
    let rows = 40;
    // Room for one array in each fit, and not for two in each of those side by side.
    let setting = Setting { budget: Budget::of_bytes(rows * rows * 8), ..Setting::default() };
    let small = tune(&tuning, &training, &setting, &|_| {}).unwrap();
    for (a, b) in small.trials.iter().zip(&found(&tuning, &training).trials) {
        assert!(a.scores.iter().zip(&b.scores).all(|(a, b)| (a - b).abs() <= 1e-8 * b));
    }
    let wrong = ridge("sigmoid(gamma=3, offset=-1)", "1e-9", Learner::Cholesky);
    let said = tune(&wrong, &training, &Setting::default(), &|_| {}).unwrap_err().to_string();
    assert!(said.contains("repair the kernel"), "{said}");
}

#[test]
fn leaving_one_out_is_what_as_many_fits_as_rows_say() {
    let (table, target) = data("@sinc(n=40)");
    let (training, n) = (Training::new(&table, &target), table.len());
    for (learner, offset) in [(Learner::Cholesky, false), (Learner::Cholesky, true), (Learner::Eigen, false)]
    {
        let mut tuning = ridge("rbf(sigma=0.5|2)", "1e-5..1e-1", learner);
        (tuning.validation, tuning.spec.offset) = (Validation::LeaveOneOut, offset);
        let found = found(&tuning, &training);
        assert_eq!((found.splits, found.trials.len()), (1, 8));
        for trial in &found.trials {
            // The same λn with one row less.
            let mu = trial.strength.lambda(n).unwrap() * n as f64;
            let spec = Spec {
                kernel: trial.kernel.clone(),
                regularization: Regularization::Mu(mu),
                ..tuning.spec.clone()
            };
            let left_out = |row: usize| {
                let split = Split { train: (0..n).filter(|&i| i != row).collect(), test: vec![row] };
                alone(&spec, &training, &split)[0]
            };
            let said: Vec<f64> = (0..n).map(left_out).collect();
            let rows: Vec<usize> = (0..n).collect();
            let expected = rmse(&said, numbers(&target), &rows, None);
            assert!(
                (trial.mean() - expected).abs() <= 1e-8 * expected,
                "{spec}: {} {expected}",
                trial.mean()
            );
            // The error of the root of a mean, by hand.
            let squares: Vec<f64> = said.iter().zip(numbers(&target)).map(|(f, y)| (f - y).powi(2)).collect();
            let spread: f64 = squares.iter().map(|s| (s - expected * expected).powi(2)).sum::<f64>();
            let error = (spread / (n * (n - 1)) as f64).sqrt() / (2.0 * expected);
            assert!((trial.error().unwrap() - error).abs() <= 1e-6 * error, "{:?} {error}", trial.error());
        }
        assert!(found.simplest().mean() <= found.best().mean() + found.best().error().unwrap());
    }
}

#[test]
fn leaving_one_out_of_two_classes_and_from_a_journal() {
    let (table, target) = data("@moons(n=30)");
    let (training, n) = (Training::new(&table, &target), table.len());
    let folder = tempfile::tempdir().unwrap();
    let mut tuning = ridge("rbf(sigma=0.5)", "1e-2|1", Learner::LsSvm);
    tuning.validation = Validation::LeaveOneOut;
    tuning.journal = Some(folder.path().join("journal"));
    let first = found(&tuning, &training);
    assert_eq!(found(&tuning, &training), first);
    assert!(first.best().error().is_some());
    for trial in &first.trials {
        let mu = trial.strength.lambda(n).unwrap() * n as f64;
        let spec = Spec {
            kernel: trial.kernel.clone(),
            regularization: Regularization::Mu(mu),
            ..tuning.spec.clone()
        };
        let is_right = |&row: &usize| {
            let split = Split { train: (0..n).filter(|&i| i != row).collect(), test: vec![row] };
            (alone(&spec, &training, &split)[0] > 0.0) == (numbers(&target)[row] > 0.0)
        };
        let right = (0..n).filter(is_right).count();
        assert_eq!(trial.scores, [right as f64 / n as f64]);
    }
    let halved = Tuning { search: Search::Halving { points: 3 }, journal: None, ..tuning };
    assert!(found(&halved, &training).best().mean() > 0.7);
}

#[test]
fn leaving_one_out_says_what_it_cannot_do() {
    let (table, target) = data("@moons(n=30)");
    let said = |tuning: &Tuning, training: &Training<'_>| {
        tune(tuning, training, &Setting::default(), &|_| {}).unwrap_err().to_string()
    };
    let hinge = Tuning { validation: Validation::LeaveOneOut, ..ridge("rbf", "1", Learner::Smo) };
    assert!(said(&hinge, &Training::new(&table, &target)).contains("--folds"));
    let weighted = Training { weights: Some(&[2.0; 30]), ..Training::new(&table, &target) };
    let squared = Tuning { validation: Validation::LeaveOneOut, ..ridge("rbf", "1", Learner::LsSvm) };
    assert!(said(&squared, &weighted).contains("weights"));
    let (iris, species) = data("@iris");
    let mut several = squared;
    several.spec.multiclass = Multiclass::OneVsOne;
    assert!(said(&several, &Training::new(&iris, &species)).contains("two classes"));
}

#[test]
fn alignment_ranks_kernels_by_its_definition() {
    let (table, target) = data("@moons(n=50)");
    let template: Template = "rbf(sigma=0.05|0.5|50)".parse().unwrap();
    let spec = Spec::new("rbf".parse().unwrap(), Learner::Smo);
    let training = Training::new(&table, &target);
    let found = aligned(&template.grid(3), &spec, &training, &Setting::default(), &|_| {}).unwrap();
    assert_eq!(found.len(), 3);
    assert!(found.windows(2).all(|pair| pair[0].alignment >= pair[1].alignment));
    let (n, y) = (50, numbers(&target));
    for one in &found {
        let gram = Lazy::new(&one.kernel, &table).unwrap();
        let center = |m: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            let row: Vec<f64> = (0..n).map(|i| (0..n).map(|j| m(i, j)).sum::<f64>() / n as f64).collect();
            let all = row.iter().sum::<f64>() / n as f64;
            (0..n * n).map(|at| m(at / n, at % n) - row[at / n] - row[at % n] + all).collect()
        };
        let (k, t) = (center(&|i, j| gram.entry(i, j)), center(&|i, j| y[i] * y[j]));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let expected = dot(&k, &t) / (dot(&k, &k) * dot(&t, &t)).sqrt();
        assert!((one.alignment - expected).abs() < 1e-7, "{}: {} {expected}", one.kernel, one.alignment);
    }
    let weighted = Training { weights: Some(&[1.0; 50]), ..training };
    assert!(aligned(&template.grid(3), &spec, &weighted, &Setting::default(), &|_| {}).is_err());
    assert!(
        aligned(&template.grid(3), &spec, &Training::unlabelled(&table), &Setting::default(), &|_| {})
            .is_err()
    );
}

/// To many digits, so that objectives can be compared.
fn exact(kernel: &str, learner: Learner) -> Spec {
    let tolerance = Tolerance { gap: Some(1e-9), violation: None };
    Spec { tolerance, ..Spec::new(kernel.parse().unwrap(), learner) }
}

#[test]
fn a_path_has_the_machines_that_are_fitted_one_by_one() {
    let strengths = Strength::C("0.01..100".parse().unwrap()).grid(5).unwrap();
    for (source, learner) in [("@moons(n=80)", Learner::Smo), ("@sinc(n=60)", Learner::Cholesky)] {
        let (table, target) = data(source);
        let training = Training::new(&table, &target);
        let spec = exact("rbf(sigma=0.5)", learner);
        let validation = Validation::Folds { k: 3, repeats: 1 };
        let setting = Setting::default();
        // In whatever order they are named, from strong to weak.
        let mixed: Vec<Regularization> = [3, 0, 4, 1, 2].map(|k| strengths[k]).to_vec();
        let found = path(&spec, &mixed, None, Some(&validation), &training, &setting, &|_| {}).unwrap();
        assert!(!found.is_cut_short && found.splits == 3);
        for (point, &strength) in found.points.iter().zip(&strengths) {
            assert_eq!(point.strength, strength);
            let spec = Spec { regularization: strength, ..spec.clone() };
            let model = fit(&spec, &training, &setting).unwrap();
            let certificate = model.machines()[0].certificate.as_ref().unwrap();
            let off = (point.objective - certificate.primal).abs();
            assert!(off <= 1e-7 * certificate.primal, "{source} {strength:?}: {off:e}");
            assert!(point.is_certified && point.gap <= 1e-9);
            let used = model.parts().machines[0].coefficients.len();
            assert!(point.support.abs_diff(used) <= 2, "{} {used}", point.support);
            let scores = model.predict(&table).unwrap().scores;
            let expected = if learner == Learner::Smo {
                let right = |(s, y): &(&f64, &f64)| (**s > 0.0) == (**y > 0.0);
                scores.iter().zip(numbers(&target)).filter(right).count() as f64 / 80.0
            } else {
                rmse(&scores, numbers(&target), &(0..60).collect::<Vec<_>>(), None)
            };
            assert!((point.training - expected).abs() <= 1e-6 * expected, "{} {expected}", point.training);
        }
        // The objective falls as the penalty does.
        assert!(found.points.windows(2).all(|pair| pair[1].objective <= pair[0].objective));
        assert!(found.points[0].training != found.points[4].training);
        assert!(found.best().unwrap().held_out_mean().is_some());
    }
}

#[test]
fn held_out_errors_of_a_path_are_those_of_a_search() {
    let (table, target) = data("@sinc(n=60)");
    let training = Training::new(&table, &target);
    for validation in [Validation::HoldOut { share: 0.25 }, Validation::LeaveOneOut] {
        let tuning =
            Tuning { validation: validation.clone(), ..ridge("rbf(sigma=1)", "1e-4..1", Learner::Cholesky) };
        let strengths = tuning.strength.grid(4).unwrap();
        let spec = Spec { kernel: "rbf(sigma=1)".parse().unwrap(), ..tuning.spec.clone() };
        let setting = Setting::default();
        for metric in [None, Some(Metric::Mae)] {
            let searched = found(&Tuning { metric, ..tuning.clone() }, &training);
            let followed =
                path(&spec, &strengths, metric, Some(&validation), &training, &setting, &|_| {}).unwrap();
            for trial in &searched.trials {
                let point = followed.points.iter().find(|point| point.strength == trial.strength).unwrap();
                assert_eq!(point.held_out, trial.scores);
            }
        }
    }
}

#[test]
fn weights_are_repetitions_along_a_path() {
    let (table, target) = data("@moons(n=40)");
    let counts: Vec<usize> = (0..40).map(|i| i % 3).collect();
    let weights: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
    let rows: Vec<usize> = (0..40).flat_map(|i| std::iter::repeat_n(i, counts[i])).collect();
    let (repeated, its_target) = (table.select(&rows), part(&target, &rows));
    let strengths = Strength::C("0.1..100".parse().unwrap()).grid(4).unwrap();
    let spec = exact("rbf(sigma=0.5)", Learner::Smo);
    let follow = |training: &Training<'_>| {
        path(&spec, &strengths, None, None, training, &Setting::default(), &|_| {}).unwrap()
    };
    let by_weight = follow(&Training { weights: Some(&weights), ..Training::new(&table, &target) });
    let by_rows = follow(&Training::new(&repeated, &its_target));
    assert!(by_weight.best().is_none() && by_weight.splits == 0);
    for (a, b) in by_weight.points.iter().zip(&by_rows.points) {
        // C is a price per row or weight: n·P is the same sum of losses and norm.
        let (a_sum, b_sum) = (a.objective * 40.0, b.objective * rows.len() as f64);
        assert!((a_sum - b_sum).abs() <= 1e-7 * b_sum, "{:?}: {a_sum} {b_sum}", a.strength);
        assert!((a.training - b.training).abs() < 1e-12);
    }
}

#[test]
fn with_little_memory_a_path_has_the_same_bits_for_any_number_of_threads() {
    let strengths = [Regularization::C(1.0), Regularization::C(10.0)];
    for (source, learner) in [("@sinc(n=480)", Learner::Svr), ("@moons(n=480)", Learner::Smo)] {
        let (table, target) = data(source);
        let spec = Spec::new("rbf(sigma=0.5)".parse().unwrap(), learner);
        let (training, validation) = (Training::new(&table, &target), Validation::Folds { k: 3, repeats: 1 });
        // Enough for a square of all rows, but not for as many as there are threads.
        let setting = Setting { budget: Budget::of_bytes(3_000_000), ..Setting::default() };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let follow = || path(&spec, &strengths, None, Some(&validation), &training, &setting, &|_| {});
            pool.install(follow).unwrap()
        };
        assert!(with(1) == with(4), "{learner}");
    }
}

#[test]
fn what_has_no_path_says_so() {
    let (table, target) = data("@moons(n=30)");
    let strengths = [Regularization::C(1.0)];
    for learner in [Learner::KernelPerceptron, Learner::Pegasos, Learner::NuSvc] {
        let spec = Spec::new("linear".parse().unwrap(), learner);
        let refused = path(
            &spec,
            &strengths,
            None,
            None,
            &Training::new(&table, &target),
            &Setting::default(),
            &|_| {},
        );
        assert!(refused.unwrap_err().to_string().contains("has no path"));
    }
}
