//! Every learner of the list: fitted, certified, saved, read back, and asked the same questions again.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Set, set, training};
use mercer_kernel::Registry;
use mercer_model::{LEARNERS, Learner, Model, Outcome, Setting, Spec, Task, fit};
use mercer_points::Points;
use mercer_solve::{Claim, Convexity, Regularization, Status, Tolerance};

/// What a learner is tried on, and how good it must be there.
struct Case {
    data: &'static str,
    kernel: &'static str,
    c: f64,
    gap: f64,
    /// Whether the certificate must hold.
    certified: bool,
}

fn case(learner: Learner) -> Case {
    let moons = |kernel, certified| Case { data: "@moons(n=80)", kernel, c: 1.0, gap: 1e-6, certified };
    let line = |kernel, certified| Case { data: "@separable(n=60)", kernel, c: 1.0, gap: 1e-2, certified };
    let sinc = |certified| Case { data: "@sinc(n=60)", kernel: "rbf(sigma=1)", c: 1.0, gap: 1e-6, certified };
    match learner {
        Learner::Perceptron | Learner::DualPerceptron => line("linear@polynomial(degree=1)", true),
        Learner::KernelPerceptron => moons("rbf(sigma=0.3)", true),
        Learner::OnlinePerceptron => moons("rbf(sigma=0.3)", false),
        Learner::HardMargin => moons("rbf(sigma=0.2)", true),
        Learner::Smo | Learner::Qp | Learner::Primal | Learner::Newton | Learner::NuSvc | Learner::LsSvm => {
            moons("rbf(sigma=0.5)", true)
        }
        Learner::OneClass => moons("rbf(sigma=0.5)", true),
        Learner::Subgradient | Learner::Pegasos => {
            Case { c: 0.1, gap: 3e-2, ..line("linear@standardize", true) }
        }
        Learner::KernelPegasos => Case { c: 0.1, gap: 5e-2, ..moons("rbf(sigma=0.5)", true) },
        Learner::RidgePrimal | Learner::RidgeDual => {
            Case { kernel: "linear@polynomial(degree=3)", ..sinc(true) }
        }
        Learner::Lms => sinc(false),
        Learner::Gradient => Case { gap: 1e-4, ..sinc(true) },
        Learner::Cholesky
        | Learner::Eigen
        | Learner::Cg
        | Learner::Svr
        | Learner::NuSvr
        | Learner::Quantile => sinc(true),
    }
}

fn spec(learner: Learner, case: &Case) -> Spec {
    let mut spec = Spec::new(case.kernel.parse().unwrap(), learner);
    spec.regularization = Regularization::C(case.c);
    spec.tolerance = Tolerance { gap: Some(case.gap), violation: None };
    spec
}

fn fitted(learner: Learner) -> (Model, Set) {
    let case = case(learner);
    let set = set(case.data);
    let registry = Registry::new();
    let model = fit(&spec(learner, &case), &training(&set, &registry), &Setting::default())
        .unwrap_or_else(|error| panic!("{learner}: {error}"));
    (model, set)
}

#[test]
fn every_learner_is_fitted_certified_and_comes_back_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    for (learner, _) in LEARNERS {
        let (model, set) = fitted(*learner);
        let machine = &model.machines()[0];
        let certificate = machine.certificate.as_ref().unwrap();
        let (status, gap) = (machine.status, certificate.relative_gap);
        assert_eq!(model.certified(), case(*learner).certified, "{learner}: {status:?}, relative gap {gap}");
        assert_eq!(certificate.convexity, Convexity::Proved, "{learner}");
        let path = folder.path().join(format!("{learner}.mercer"));
        model.save(&path).unwrap();
        let again = Model::load(&path).unwrap_or_else(|error| panic!("{learner}: {error}"));
        assert_eq!(again, model, "{learner}");
        let (before, after) = (model.predict(&set.table).unwrap(), again.predict(&set.table).unwrap());
        let bits = |scores: &[f64]| scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&before.scores), bits(&after.scores), "{learner}");
        explanations_add_up(&model, &set);
    }
}

fn explanations_add_up(model: &Model, set: &Set) {
    let (learner, scores) = (model.spec().learner, model.predict(&set.table).unwrap());
    for (row, why) in model.explain(&set.table, 3).unwrap().iter().enumerate() {
        assert_eq!(why.score, scores.score(row, 0));
        let terms: f64 = why.terms.iter().map(|term| term.contribution).sum();
        let size: f64 = 1.0 + model.machines()[0].coefficients.iter().map(|a| a.abs()).sum::<f64>();
        assert!(
            (terms + why.rest + why.bias - why.score).abs() <= 1e-11 * size,
            "{learner}, row {row}: {why:?}"
        );
        assert!(why.terms.windows(2).all(|pair| pair[0].contribution.abs() >= pair[1].contribution.abs()));
        for term in &why.terms {
            assert_eq!(term.row, Some(model.rows()[term.support]));
            assert_eq!(term.contribution, term.alpha * term.kernel);
        }
    }
}

#[test]
fn answers_are_signs_and_scores() {
    for (learner, _) in LEARNERS {
        let (model, set) = fitted(*learner);
        let prediction = model.predict(&set.table).unwrap();
        let right = match &prediction.outcome {
            Outcome::Classes(classes) => {
                assert_eq!((model.task(), classes.len()), (Task::Classes, set.table.len()));
                for (score, class) in prediction.scores.iter().zip(classes) {
                    assert_eq!(*class, usize::from(*score > 0.0));
                }
                let truth = set.classes(model.classes());
                classes.iter().zip(&truth).filter(|(a, b)| a == b).count() as f64 / truth.len() as f64
            }
            Outcome::Numbers(values) => {
                assert_eq!((model.task(), values), (Task::Numbers, &prediction.scores));
                1.0
            }
            Outcome::Inside(inside) => {
                assert_eq!(model.task(), Task::Novelty);
                // nu is one half, so that about half of the rows are left outside.
                inside.iter().filter(|inside| **inside).count() as f64 / inside.len() as f64 + 0.45
            }
        };
        assert!(right > 0.85, "{learner}: {right}");
        let slack = prediction.slack(&model, &set.target).unwrap();
        assert!(slack.iter().all(|value| *value >= 0.0), "{learner}");
    }
}

#[test]
fn the_loss_of_the_training_rows_is_that_of_the_certificate() {
    for learner in [Learner::Smo, Learner::Newton, Learner::Svr, Learner::Cholesky, Learner::Quantile] {
        let (model, set) = fitted(learner);
        let certificate = model.machines()[0].certificate.clone().unwrap();
        let slack = model.predict(&set.table).unwrap().slack(&model, &set.target).unwrap();
        let loss = slack.iter().sum::<f64>() / slack.len() as f64;
        let primal = loss + 0.5 * model.lambda() * certificate.norm * certificate.norm;
        assert!(
            (primal - certificate.primal).abs() <= 1e-9 * primal,
            "{learner}: {primal} {}",
            certificate.primal
        );
    }
}

#[test]
fn a_perceptron_says_that_it_separates() {
    let (model, _) = fitted(Learner::KernelPerceptron);
    let claim = &model.machines()[0].certificate.as_ref().unwrap().claim;
    assert!(matches!(claim, Claim::Separates { mistakes: 0, margin } if *margin > 0.0), "{claim:?}");
    assert_eq!(model.machines()[0].status, Status::Solved);
}

#[test]
fn a_nu_machine_has_its_margin_as_unit() {
    let (model, set) = fitted(Learner::NuSvc);
    let prediction = model.predict(&set.table).unwrap();
    let truth = set.classes(model.classes());
    // Free support vectors lie on the margin, which is at 1.
    let on_margin = (0..truth.len()).filter(|&i| {
        let y = if truth[i] == 1 { 1.0 } else { -1.0 };
        (y * prediction.scores[i] - 1.0).abs() < 1e-3
    });
    assert!(model.machines()[0].level.unwrap() > 0.0 && on_margin.count() >= 2);
}
