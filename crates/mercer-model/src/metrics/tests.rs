//! Every metric against its definition, and the laws that hold for all of them.

use proptest::prelude::*;

use super::*;
use crate::ModelError;

/// Rows with all that any metric needs.
#[derive(Debug, Clone)]
struct Rows {
    count: usize,
    truth: Vec<usize>,
    classes: Vec<usize>,
    scores: Vec<f64>,
    probabilities: Vec<f64>,
    targets: Vec<f64>,
    numbers: Vec<f64>,
    weights: Vec<f64>,
}

impl Rows {
    fn of(&self, metric: Metric) -> Result<f64, ModelError> {
        metric.of(&self.answers(metric.info().subject))
    }

    fn answers(&self, subject: Subject) -> Answers<'_> {
        let truth = match subject {
            Subject::Numbers => Truth::Numbers(&self.targets),
            _ => Truth::Classes { codes: &self.truth, count: self.count },
        };
        Answers {
            truth,
            classes: Some(&self.classes),
            scores: Some(&self.scores),
            probabilities: Some(&self.probabilities),
            numbers: Some(&self.numbers),
            weights: Some(&self.weights),
        }
    }

    /// These rows in this order.
    fn select(&self, rows: &[usize]) -> Self {
        fn pick<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&row| values[row]).collect()
        }
        let shares = self.probabilities.chunks_exact(self.count);
        let shares: Vec<&[f64]> = shares.collect();
        Self {
            count: self.count,
            truth: pick(&self.truth, rows),
            classes: pick(&self.classes, rows),
            scores: pick(&self.scores, rows),
            probabilities: rows.iter().flat_map(|&row| shares[row].iter().copied()).collect(),
            targets: pick(&self.targets, rows),
            numbers: pick(&self.numbers, rows),
            weights: pick(&self.weights, rows),
        }
    }

    /// Each row as often as its weight says, all with weight 1.
    fn repeated(&self) -> Self {
        let often = |row: usize| std::iter::repeat_n(row, self.weights[row] as usize);
        let mut all = self.select(&(0..self.truth.len()).flat_map(often).collect::<Vec<_>>());
        all.weights.fill(1.0);
        all
    }

    /// The metric by its definition, for rows that all have weight 1; none where it has no value.
    fn textbook(&self, metric: Metric) -> Option<f64> {
        let n = self.truth.len();
        let mean = |value: &dyn Fn(usize) -> f64| (0..n).map(value).sum::<f64>() / n as f64;
        let share = |row: usize, class: usize| self.probabilities[row * self.count + class];
        let error = |row: usize| self.numbers[row] - self.targets[row];
        if n == 0 {
            return None;
        }
        match metric {
            Metric::Accuracy => Some(mean(&|row| is(self.truth[row] == self.classes[row]))),
            Metric::BalancedAccuracy => {
                let recalls: Vec<f64> = (0..self.count).filter_map(|class| self.recall(class)).collect();
                Some(recalls.iter().sum::<f64>() / recalls.len() as f64)
            }
            Metric::F1 if self.count == 2 => self.f1_of(1),
            Metric::F1 => {
                let each: Vec<f64> = (0..self.count).filter_map(|class| self.f1_of(class)).collect();
                Some(each.iter().sum::<f64>() / each.len() as f64)
            }
            Metric::Auc => self.auc_of_all_pairs(),
            Metric::LogLoss => Some(mean(&|row| -share(row, self.truth[row]).max(2f64.powi(-52)).ln())),
            Metric::Brier if self.count == 2 => {
                Some(mean(&|row| (share(row, 1) - is(self.truth[row] == 1)).powi(2)))
            }
            Metric::Brier => Some(mean(&|row| {
                (0..self.count).map(|class| (share(row, class) - is(self.truth[row] == class)).powi(2)).sum()
            })),
            Metric::Calibration { bins } => Some((0..bins).map(|bin| self.gap_of(bin, bins)).sum()),
            Metric::Rmse => Some(mean(&|row| error(row).powi(2)).sqrt()),
            Metric::Mae => Some(mean(&|row| error(row).abs())),
            Metric::R2 => {
                let middle = mean(&|row| self.targets[row]);
                let spread = mean(&|row| (self.targets[row] - middle).powi(2));
                let varies = self.targets.iter().any(|&target| target != self.targets[0]);
                varies.then(|| 1.0 - mean(&|row| error(row).powi(2)) / spread)
            }
            Metric::Pinball { tau } => Some(mean(&|row| {
                let missed = self.targets[row] - self.numbers[row];
                if missed > 0.0 { tau * missed } else { (tau - 1.0) * missed }
            })),
        }
    }

    fn recall(&self, class: usize) -> Option<f64> {
        let rows: Vec<usize> = (0..self.truth.len()).filter(|&row| self.truth[row] == class).collect();
        let right = rows.iter().filter(|&&row| self.classes[row] == class).count();
        (!rows.is_empty()).then(|| right as f64 / rows.len() as f64)
    }

    fn f1_of(&self, class: usize) -> Option<f64> {
        let rows = || self.truth.iter().zip(&self.classes);
        let true_positive = rows().filter(|&(&y, &c)| y == class && c == class).count() as f64;
        let false_positive = rows().filter(|&(&y, &c)| y != class && c == class).count() as f64;
        let false_negative = rows().filter(|&(&y, &c)| y == class && c != class).count() as f64;
        let all = true_positive + false_positive + false_negative;
        if all == 0.0 {
            return None;
        }
        let precision = true_positive / (true_positive + false_positive).max(1.0);
        let recall = true_positive / (true_positive + false_negative).max(1.0);
        Some(if true_positive == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) })
    }

    fn auc_of_all_pairs(&self) -> Option<f64> {
        let of = |class: usize| (0..self.truth.len()).filter(move |&row| self.truth[row] == class);
        let (mut won, mut pairs) = (0.0, 0.0);
        for (second, first) in of(1).flat_map(|second| of(0).map(move |first| (second, first))) {
            let (high, low) = (self.scores[second], self.scores[first]);
            won += is(high > low) + 0.5 * is(high == low);
            pairs += 1.0;
        }
        (pairs > 0.0).then(|| won / pairs)
    }

    /// A bin's part of the calibration error.
    fn gap_of(&self, bin: usize, bins: usize) -> f64 {
        let (from, to) = (bin as f64 / bins as f64, (bin + 1) as f64 / bins as f64);
        let (mut gap, mut rows) = (0.0, 0.0);
        for (row, shares) in self.probabilities.chunks_exact(self.count).enumerate() {
            let most = shares.iter().copied().fold(0.0, f64::max);
            let answer = shares.iter().position(|&share| share == most).unwrap();
            if from <= most && (most < to || bin + 1 == bins) {
                gap += is(answer == self.truth[row]) - most;
            }
            rows += 1.0;
        }
        gap.abs() / rows
    }
}

fn is(so: bool) -> f64 {
    if so { 1.0 } else { 0.0 }
}

/// Every metric with its defaults, and those with a parameter with another.
fn all() -> impl Iterator<Item = Metric> {
    let others =
        [Metric::Pinball { tau: 0.9 }, Metric::Calibration { bins: 3 }, Metric::Calibration { bins: 1 }];
    METRICS.iter().map(|(metric, _)| *metric).chain(others)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-10 * (1.0 + a.abs().max(b.abs()))
}

/// Random rows of few values, so that there are ties, with whole weights.
fn rows() -> impl Strategy<Value = Rows> {
    let row = (
        (0usize..60, 0usize..60),
        -3i32..4,
        prop::collection::vec(0u32..8, 4),
        (-4i32..5, -4i32..5),
        prop_oneof![Just(0.0), Just(1.0), Just(2.0), Just(5.0)],
    );
    (2usize..5, prop::collection::vec(row, 1..24)).prop_map(|(count, rows)| {
        let shares = |parts: &[u32]| {
            let parts: Vec<f64> = parts[..count].iter().map(|&part| f64::from(part)).collect();
            let sum: f64 = parts.iter().sum();
            parts
                .into_iter()
                .map(move |part| if sum > 0.0 { part / sum } else { 1.0 / count as f64 })
                .collect::<Vec<_>>()
        };
        Rows {
            count,
            truth: rows.iter().map(|row| row.0.0 % count).collect(),
            classes: rows.iter().map(|row| row.0.1 % count).collect(),
            scores: rows.iter().map(|row| f64::from(row.1) / 3.0).collect(),
            probabilities: rows.iter().flat_map(|row| shares(&row.2)).collect(),
            targets: rows.iter().map(|row| f64::from(row.3.0) / 3.0).collect(),
            numbers: rows.iter().map(|row| f64::from(row.3.1) / 3.0).collect(),
            weights: rows.iter().map(|row| row.4).collect(),
        }
    })
}

proptest! {
    #[test]
    fn every_metric_is_its_definition_and_weights_are_repetitions(rows in rows()) {
        let repeated = rows.repeated();
        for metric in all().filter(|metric| *metric != Metric::Auc || rows.count == 2) {
            let (found, again) = (rows.of(metric).ok(), repeated.of(metric).ok());
            match repeated.textbook(metric) {
                None => prop_assert!(found.is_none() && again.is_none(), "{metric}: {found:?}, {again:?}"),
                Some(value) => {
                    prop_assert!(found.is_some_and(|found| near(found, value)), "{metric}: {found:?}, {value}");
                    prop_assert!(again.is_some_and(|again| near(again, value)), "{metric}: {again:?}, {value}");
                }
            }
        }
        if let Ok(found) = confusion(&rows.answers(Subject::Classes)) {
            prop_assert_eq!(found, confusion(&repeated.answers(Subject::Classes)).unwrap());
        }
    }

    #[test]
    fn neither_the_order_of_rows_nor_the_unit_of_weights_matters(
        (rows, order) in rows().prop_flat_map(|rows| {
            let order: Vec<usize> = (0..rows.truth.len()).collect();
            (Just(rows), Just(order).prop_shuffle())
        }),
        unit in prop_oneof![Just(0.1), Just(7.0), Just(1e-310), Just(1e307)],
    ) {
        let mut other = rows.select(&order);
        other.weights.iter_mut().for_each(|weight| *weight *= unit);
        for metric in all() {
            match (rows.of(metric), other.of(metric)) {
                (Ok(a), Ok(b)) => prop_assert!(near(a, b), "{metric}: {a}, {b}"),
                (a, b) => prop_assert!(a.is_err() && b.is_err(), "{metric}: {a:?}, {b:?}"),
            }
        }
    }

    #[test]
    fn nothing_makes_a_metric_panic_or_return_what_is_no_number(
        (count, bins) in (0usize..4, 0usize..4),
        (truth, classes) in (prop::collection::vec(0usize..4, 0..4), prop::collection::vec(0usize..4, 0..4)),
        (targets, numbers) in (hostile(), hostile()),
        (probabilities, weights) in (hostile(), prop::option::of(hostile())),
        tau in prop::num::f64::ANY,
    ) {
        let answers = |truth| Answers {
            truth,
            classes: Some(&classes),
            scores: Some(&numbers),
            probabilities: Some(&probabilities),
            numbers: Some(&numbers),
            weights: weights.as_deref(),
        };
        let both = [Truth::Classes { codes: &truth, count }, Truth::Numbers(&targets)].map(answers);
        for answers in &both {
            for metric in all().chain([Metric::Pinball { tau }, Metric::Calibration { bins }]) {
                prop_assert!(metric.of(answers).is_err() || metric.of(answers).is_ok_and(f64::is_finite));
                let found = interval(metric, answers, 0.9, 5, 0);
                prop_assert!(found.is_err() || found.is_ok_and(|found| found.low <= found.high));
            }
            let _any = (confusion(answers), reliability(answers, bins));
        }
    }

    #[test]
    fn bins_hold_their_rows_and_make_the_error(rows in rows(), bins in 1usize..12) {
        let Ok(found) = reliability(&rows.answers(Subject::Probabilities), bins) else { return Ok(()) };
        for bin in &found {
            prop_assert!(bin.from <= bin.probability + 1e-12 && bin.probability <= bin.to + 1e-12);
            prop_assert!((0.0..=1.0).contains(&bin.correct) && bin.weight > 0.0);
        }
        prop_assert!(near(found.iter().map(|bin| bin.weight).sum(), 1.0));
        let error = found.iter().map(|bin| bin.weight * (bin.probability - bin.correct).abs()).sum();
        let found = rows.of(Metric::Calibration { bins }).unwrap();
        prop_assert!(near(found, error));
    }
}

/// A few numbers, some of them extreme or none.
fn hostile() -> impl Strategy<Value = Vec<f64>> {
    let some = [0.0, -0.0, 0.5, 1.0, -1.0, 1e308, -1e308, 5e-324, f64::NAN, f64::INFINITY, -f64::INFINITY];
    prop::collection::vec(
        prop_oneof![3 => prop::sample::select(some[..5].to_vec()), 1 => prop::sample::select(some.to_vec())],
        0..7,
    )
}

#[test]
fn classes_by_hand() {
    let answers = Answers { classes: Some(&[0, 1, 1, 1, 0]), ..Answers::of_classes(&[0, 0, 1, 1, 1], 2) };
    assert_eq!(Metric::Accuracy.of(&answers).unwrap(), 0.6);
    assert!(near(Metric::BalancedAccuracy.of(&answers).unwrap(), (0.5 + 2.0 / 3.0) / 2.0));
    assert!(near(Metric::F1.of(&answers).unwrap(), 2.0 / 3.0));
    assert_eq!(confusion(&answers).unwrap().weights, [1.0, 1.0, 1.0, 2.0]);
    assert_eq!(confusion(&answers).unwrap().at(2, 0), None);
    // F1 of three classes: 2/3, 0 and 2/3; the fourth neither occurs nor is answered.
    let answers = Answers { classes: Some(&[0, 0, 2, 1]), ..Answers::of_classes(&[0, 1, 2, 2], 4) };
    assert!(near(Metric::F1.of(&answers).unwrap(), 4.0 / 9.0));
    assert!(near(Metric::BalancedAccuracy.of(&answers).unwrap(), 0.5));
}

#[test]
fn scores_by_hand() {
    let auc = |truth: &[usize], scores: &[f64]| {
        Metric::Auc.of(&Answers { scores: Some(scores), ..Answers::of_classes(truth, 2) }).unwrap()
    };
    assert_eq!(auc(&[0, 0, 1, 1], &[0.1, 0.4, 0.35, 0.8]), 0.75);
    assert_eq!(auc(&[0, 1], &[-1.0, 1.0]), 1.0);
    assert_eq!(auc(&[1, 0], &[-1.0, 1.0]), 0.0);
    assert_eq!(auc(&[1, 0, 1, 0], &[3.0; 4]), 0.5);
    assert_eq!(auc(&[0, 1], &[0.0, -0.0]), 0.5);
}

#[test]
fn probabilities_by_hand() {
    let two = [0.75, 0.25, 0.5, 0.5];
    let answers = Answers { probabilities: Some(&two), ..Answers::of_classes(&[0, 1], 2) };
    assert!(near(Metric::LogLoss.of(&answers).unwrap(), (-(0.75_f64.ln()) + 2f64.ln()) / 2.0));
    assert_eq!(Metric::Brier.of(&answers).unwrap(), (0.0625 + 0.25) / 2.0);
    // 0.5 is answered as the first class, wrongly; 0.75 rightly.
    assert_eq!(Metric::Calibration { bins: 10 }.of(&answers).unwrap(), (0.25 + 0.5) / 2.0);
    // In one bin: half are right, with 0.625 on average.
    assert_eq!(Metric::Calibration { bins: 1 }.of(&answers).unwrap(), 0.125);
    let three = [0.5, 0.25, 0.25, 0.0, 1.0, 0.0];
    let answers = Answers { probabilities: Some(&three), ..Answers::of_classes(&[0, 0], 3) };
    assert_eq!(Metric::Brier.of(&answers).unwrap(), (0.375 + 2.0) / 2.0);
    assert!(near(Metric::LogLoss.of(&answers).unwrap(), (2f64.ln() + 52.0 * 2f64.ln()) / 2.0));
}

#[test]
fn numbers_by_hand() {
    let (truth, answered) = ([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]);
    let answers = Answers { numbers: Some(&answered), ..Answers::of_numbers(&truth) };
    let of = |metric: Metric| metric.of(&answers).unwrap();
    assert!(near(of(Metric::Rmse), 0.375_f64.sqrt()));
    assert_eq!(of(Metric::Mae), 0.5);
    assert!(near(of(Metric::R2), 1.0 - 1.5 / 29.1875));
    assert_eq!(of(Metric::Pinball { tau: 0.5 }), 0.25);
    assert_eq!(of(Metric::Pinball { tau: 0.25 }), (0.125 + 0.375 + 0.75) / 4.0);
}

#[test]
fn numbers_of_any_size_have_their_errors() {
    for size in [1e-300, 1e-80, 1.0, 1e80, 1e300] {
        let (truth, answered) = ([1.0, 2.0, 4.0].map(|v| v * size), [2.0, 2.0, 3.0].map(|v| v * size));
        let answers = Answers { numbers: Some(&answered), ..Answers::of_numbers(&truth) };
        let of = |metric: Metric| metric.of(&answers).unwrap();
        assert!(near(of(Metric::Rmse) / size, (2.0_f64 / 3.0).sqrt()));
        assert!(near(of(Metric::Mae) / size, 2.0 / 3.0));
        assert!(near(of(Metric::Pinball { tau: 0.5 }) / size, 1.0 / 3.0));
        assert!(near(of(Metric::R2), 1.0 - 2.0 / (14.0 / 3.0)));
    }
}

fn said(metric: Metric, answers: &Answers<'_>) -> String {
    metric.of(answers).unwrap_err().to_string()
}

#[test]
fn what_is_missing_or_amiss_is_named() {
    let bare = Answers::of_classes(&[0, 1], 2);
    assert_eq!(said(Metric::Auc, &bare), "auc needs scores; give the answers their `scores`");
    assert_eq!(said(Metric::Rmse, &bare), "rmse is of numbers, and the truth is classes");
    assert_eq!(said(Metric::F1, &Answers::of_numbers(&[1.0])), "f1 is of classes, and the truth is numbers");
    let short = Answers { classes: Some(&[0]), ..bare };
    assert_eq!(said(Metric::Accuracy, &short), "there are 2 rows, but 1 answered classes");
    let foreign = Answers { classes: Some(&[0, 2]), ..bare };
    assert_eq!(
        said(Metric::Accuracy, &foreign),
        "row 2 has the answered class 2, but there are 2 classes, counted from 0"
    );
    let scores = Answers { scores: Some(&[f64::NAN, 1.0]), ..bare };
    assert_eq!(said(Metric::Auc, &scores), "row 1 has the score NaN; it must be finite");
    let three = Answers { scores: Some(&[0.0, 1.0]), ..Answers::of_classes(&[0, 1], 3) };
    assert_eq!(said(Metric::Auc, &three), "auc is of two classes, and there are 3");
    let many = Answers { classes: Some(&[0]), ..Answers::of_classes(&[0], usize::MAX) };
    assert!(said(Metric::F1, &many).ends_with("answers of more than 4096 are not judged"));
    let numbers = Answers { numbers: Some(&[f64::INFINITY]), ..Answers::of_numbers(&[0.0]) };
    assert_eq!(said(Metric::Mae, &numbers), "row 1 has the answer inf; it must be finite");
}

#[test]
fn probabilities_that_are_none_are_named() {
    let of = |shares: &[f64]| {
        said(Metric::Brier, &Answers { probabilities: Some(shares), ..Answers::of_classes(&[0, 1], 2) })
    };
    assert!(of(&[0.5, 0.5]).starts_with("there are 2 probabilities for 2 rows of 2 classes"));
    assert_eq!(of(&[0.5, 0.5, 1.5, -0.5]), "row 2 has the probability 1.5; it must be from 0 to 1");
    assert_eq!(of(&[f64::NAN, 0.5, 1.0, 0.0]), "row 1 has the probability NaN; it must be from 0 to 1");
    assert_eq!(
        of(&[0.5, 0.5, 0.5, 0.75]),
        "the probabilities of row 2 add up to 1.25; they must add up to 1"
    );
}

#[test]
fn weights_that_are_none_are_named() {
    let of = |weights: &[f64]| {
        let right = Answers { classes: Some(&[0, 1]), ..Answers::of_classes(&[0, 1], 2) };
        Metric::Accuracy.of(&Answers { weights: Some(weights), ..right }).map_err(|error| error.to_string())
    };
    assert_eq!(of(&[1.0]).unwrap_err(), "there are 2 rows, but 1 weights");
    assert_eq!(of(&[0.0, 0.0]).unwrap_err(), "every weight is zero, so no row counts");
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let said = of(&[1.0, bad]).unwrap_err();
        assert_eq!(said, format!("row 2 has the weight {bad}; weights are finite and not negative"));
    }
    assert_eq!(of(&[1e308, 1e308]).unwrap(), 1.0);
    let huge = Answers {
        classes: Some(&[0, 0]),
        weights: Some(&[f64::MAX, f64::MAX]),
        ..Answers::of_classes(&[0, 0], 1)
    };
    assert!(confusion(&huge).unwrap_err().to_string().starts_with("the weights add up to more"));
}

#[test]
fn no_row_and_one_row() {
    let none: Answers<'_> = Answers {
        classes: Some(&[]),
        scores: Some(&[]),
        probabilities: Some(&[]),
        numbers: Some(&[]),
        ..Answers::of_classes(&[], 2)
    };
    for metric in all() {
        let numbers = metric.info().subject == Subject::Numbers;
        let none = if numbers { Answers { truth: Truth::Numbers(&[]), ..none } } else { none };
        assert_eq!(said(metric, &none), "there is no row to judge");
    }
    let one = Answers {
        classes: Some(&[0]),
        scores: Some(&[1.0]),
        probabilities: Some(&[1.0, 0.0]),
        ..Answers::of_classes(&[0], 2)
    };
    assert_eq!(Metric::Accuracy.of(&one).unwrap(), 1.0);
    assert_eq!(Metric::BalancedAccuracy.of(&one).unwrap(), 1.0);
    assert_eq!((Metric::LogLoss.of(&one).unwrap(), Metric::Brier.of(&one).unwrap()), (0.0, 0.0));
    assert_eq!(Metric::Calibration { bins: 10 }.of(&one).unwrap(), 0.0);
    assert_eq!(said(Metric::Auc, &one), "auc is not defined for these rows: all rows are of one class");
    let never = "f1 is not defined for these rows: the second class neither occurs nor is answered";
    assert_eq!(said(Metric::F1, &one), never);
}

#[test]
fn a_constant_target_explains_nothing() {
    let why = "r2 is not defined for these rows: the target is the same for all rows";
    // The mean of three times 0.1 is not 0.1, which must not make it vary.
    let answers = Answers { numbers: Some(&[0.1, 0.2, 0.3]), ..Answers::of_numbers(&[0.1; 3]) };
    assert_eq!(said(Metric::R2, &answers), why);
    let varies = Answers {
        weights: Some(&[1.0, 0.0]),
        numbers: Some(&[1.0, 1.0]),
        ..Answers::of_numbers(&[1.0, 2.0])
    };
    assert_eq!(said(Metric::R2, &varies), why);
    assert_eq!(Metric::R2.of(&Answers { weights: None, ..varies }).unwrap(), -1.0);
    let far = Answers { numbers: Some(&[-1e308]), ..Answers::of_numbers(&[1e308]) };
    assert!(said(Metric::Mae, &far).ends_with("the result is beyond the largest number that there is"));
}
