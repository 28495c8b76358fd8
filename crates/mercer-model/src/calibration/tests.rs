//! Curves, coupling and agreement against slow definitions.

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::coupling::{Chances, agree, coupled, of_softmax};
use super::{Aim, Calibration, Curve, Held, aims};
use crate::Between;
use crate::ballot::{Ballot, first_largest};

const KINDS: [Calibration; 2] = [Calibration::Platt, Calibration::Isotonic];

/// Scores of all sizes: ordinary ones, ties, zeros, the smallest and the largest.
fn score(random: &mut Pcg64) -> f64 {
    const EDGES: [f64; 8] = [0.0, -0.0, 5e-324, -5e-324, 1e-310, f64::MAX, -f64::MAX, 1.0];
    match random.random_range(0..10) {
        0 => EDGES[random.random_range(0..EDGES.len())],
        1 => f64::from(random.random_range(-2..=2_i32)),
        2 => (random.random::<f64>() - 0.5) * 10_f64.powi(random.random_range(-300..300)),
        _ => 6.0 * (random.random::<f64>() - 0.5),
    }
}

/// Rows of both classes whose score says something about the class, or nothing, or the contrary.
fn rows(random: &mut Pcg64, edges: bool) -> Vec<Held> {
    let count = random.random_range(2..30);
    let truth = random.random_range(-1.0..2.0);
    let one = |k: usize, random: &mut Pcg64| {
        let score = if edges { score(random) } else { f64::from(random.random_range(-20..20_i32)) / 5.0 };
        let is_first =
            if k < 2 { k == 0 } else { random.random::<f64>() < 0.5 + 0.2 * truth * score.clamp(-2.0, 2.0) };
        let weight = if random.random_bool(0.5) { 1.0 } else { random.random_range(0.1..3.0) };
        Held { score, is_first, weight }
    };
    (0..count).map(|k| one(k, random)).collect()
}

fn ballot(kind: usize, classes: usize) -> Ballot {
    let between = match (kind, classes) {
        (_, 2) => vec![None],
        (0, _) => (0..classes).map(|class| Some(Between::Rest(class))).collect(),
        _ => (0..classes).flat_map(|a| (a + 1..classes).map(move |b| Some(Between::Pair(a, b)))).collect(),
    };
    Ballot { classes, between }
}

/// What `predict` says, written anew: the sign, the largest score, or the most votes, always the first of equals.
fn answer(ballot: &Ballot, scores: &[f64]) -> usize {
    let mut votes = vec![0; ballot.classes];
    for (between, &score) in ballot.between.iter().zip(scores) {
        match *between {
            None => return usize::from(score > 0.0),
            Some(Between::Rest(class) | Between::Softmax(class)) => {
                votes[class] = scores.iter().filter(|&&other| score >= other).count();
            }
            Some(Between::Pair(a, b)) => votes[if score > 0.0 { a } else { b }] += 1,
        }
    }
    let most = votes.iter().max().copied().unwrap_or(0);
    votes.iter().position(|&count| count == most).unwrap_or(0)
}

#[test]
fn answers_class_scores_and_probabilities_agree_whatever_the_scores() {
    let mut random = Pcg64::seed_from_u64(1);
    let mut curves: Vec<Curve> = Vec::new();
    for k in 0..600 {
        let rows = rows(&mut random, k % 2 == 0);
        curves.extend(KINDS.map(|kind| Curve::fitted(kind, &rows)));
    }
    curves.iter().for_each(|curve| curve.check().unwrap());
    curves.push(Curve::Sigmoid { slope: f64::MAX, offset: -700.0 });
    curves.push(Curve::Sigmoid { slope: 0.0, offset: -1e300 });
    curves.push(Curve::Line { scores: vec![0.0], chances: vec![0.0] });
    curves.push(Curve::Line { scores: vec![-f64::MAX, f64::MAX], chances: vec![0.0, 1.0] });
    let mut moved = 0;
    for case in 0..120_000 {
        let ballot = ballot(case % 2, random.random_range(2..=8));
        let machines = ballot.between.len();
        let pool: Vec<f64> = (0..3).map(|_| score(&mut random)).collect();
        let tied = random.random_bool(0.3);
        let scores: Vec<f64> = (0..machines)
            .map(|_| if tied { pool[random.random_range(0..3)] } else { score(&mut random) })
            .collect();
        let own: Vec<Curve> =
            (0..machines).map(|_| curves[random.random_range(0..curves.len())].clone()).collect();
        let expected = answer(&ballot, &scores);
        assert_eq!(ballot.winner(&scores), expected, "{scores:?}");
        let of_classes = ballot.class_scores(&scores);
        assert!(of_classes.iter().all(|score| score.is_finite()), "{scores:?}");
        assert_eq!(first_largest(&of_classes), expected, "{scores:?}");
        let chances = Chances { ballot, curves: &own };
        let found = chances.of(&scores);
        assert_eq!(first_largest(&found), expected, "{found:?} of {scores:?}");
        assert!(found.iter().all(|chance| (0.0..=1.0).contains(chance)), "{found:?}");
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{found:?}");
        // A unique largest one: whoever takes the last of equals finds the same.
        let most = found[expected];
        assert_eq!(found.iter().filter(|&&chance| chance >= most).count(), 1);
        moved += usize::from(most < 0.5 + 1e-9 && chances.ballot.classes == 2);
    }
    assert!(moved > 1000, "the correction is at work in {moved} cases of two classes");
}

#[test]
fn softmax_agrees_with_the_answer_whatever_the_scores() {
    let mut random = Pcg64::seed_from_u64(8);
    for _ in 0..60_000 {
        let classes = random.random_range(2..=8);
        let between = (0..classes).map(|class| Some(Between::Softmax(class))).collect();
        let ballot = Ballot { classes, between };
        let pool: Vec<f64> = (0..3).map(|_| score(&mut random)).collect();
        let near = random.random_bool(0.4);
        let one = |random: &mut Pcg64| match (near, random.random_range(0..3)) {
            (false, _) => score(random),
            // Equal, or apart by less than exponentials can tell.
            (true, 0) => pool[0].next_up().min(f64::MAX),
            (true, place) => pool[place],
        };
        let scores: Vec<f64> = (0..classes).map(|_| one(&mut random)).collect();
        let expected = answer(&ballot, &scores);
        assert_eq!(first_largest(&ballot.class_scores(&scores)), expected);
        let found = of_softmax(&scores, classes);
        assert_eq!(first_largest(&found), expected, "{found:?} of {scores:?}");
        assert_eq!(found.iter().filter(|&&chance| chance >= found[expected]).count(), 1);
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{found:?}");
        let total: f64 = scores.iter().map(|score| (score - scores[expected]).exp()).sum();
        let plain = scores.iter().map(|score| (score - scores[expected]).exp() / total);
        assert!(plain.zip(&found).all(|(plain, found)| (plain - found).abs() < 1e-14), "{scores:?}");
    }
}

#[test]
fn of_two_classes_no_larger_score_has_a_smaller_probability() {
    let mut random = Pcg64::seed_from_u64(2);
    for case in 0..3000 {
        let curves = [Curve::fitted(KINDS[case % 2], &rows(&mut random, case % 3 == 0))];
        let chances = Chances { ballot: ballot(0, 2), curves: &curves };
        let mut scores: Vec<f64> = (0..40).map(|_| score(&mut random)).collect();
        let near = scores[0];
        scores.extend([near.next_up(), near.next_down()].iter().filter(|score| score.is_finite()));
        scores.sort_by(f64::total_cmp);
        let found: Vec<f64> = scores.iter().map(|&score| chances.of(&[score])[1]).collect();
        assert!(found.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}: {scores:?} {found:?}", curves[0]);
        for (score, chance) in scores.iter().zip(&found) {
            let side = if *score > 0.0 { *chance >= 0.5 } else { *chance < 0.5 };
            assert!(side || *chance == 0.5 && *score <= 0.0, "{score} {chance}");
            // Where the curve is on the side of the answer it is left alone.
            let own = curves[0].at(*score);
            if (own > 0.5) == (*score > 0.0) && own != 0.5 {
                assert_eq!(*chance, own);
            }
        }
    }
}

/// The objective of the sigmoid, in logarithms of probabilities.
fn surprise(aims: &[Aim], slope: f64, offset: f64) -> f64 {
    let log = |f: f64| -((-f).exp().ln_1p());
    aims.iter()
        .map(|row| {
            let f = slope * row.score + offset;
            -row.weight * (row.aim * log(f) + (1.0 - row.aim) * log(-f))
        })
        .sum()
}

/// The least value of a convex function between two ends, by thirds.
fn least(mut low: f64, mut high: f64, value: &dyn Fn(f64) -> f64) -> (f64, f64) {
    for _ in 0..110 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if value(a) < value(b) { high = b } else { low = a }
    }
    (low, value(low))
}

#[test]
fn the_sigmoid_is_the_best_of_all() {
    let mut random = Pcg64::seed_from_u64(3);
    let mut flat = 0;
    for _ in 0..60 {
        let rows = rows(&mut random, false);
        let Curve::Sigmoid { slope, offset } = Curve::fitted(Calibration::Platt, &rows) else {
            panic!("a sigmoid")
        };
        let aims = aims(&rows);
        let best = |slope: f64| least(-60.0, 60.0, &|offset| surprise(&aims, slope, offset));
        let (steepest, value) = least(0.0, 40.0, &|slope| best(slope).1);
        let own = surprise(&aims, slope, offset);
        assert!(own <= value + 1e-9, "{own} {value}: {slope} {offset}, not {steepest} {}", best(steepest).0);
        assert!((slope - steepest).abs() < 1e-3 * (1.0 + steepest), "{slope} {steepest}");
        assert!((offset - best(steepest).0).abs() < 1e-2 * (1.0 + offset.abs()), "{offset}");
        flat += usize::from(slope == 0.0);
    }
    assert!(flat > 3, "rows whose score says the contrary have slope 0: {flat}");
}

#[test]
fn a_sigmoid_does_not_depend_on_the_unit_of_scores_and_weights_are_repetitions() {
    let mut random = Pcg64::seed_from_u64(4);
    for unit in [1e-250, 1e-8, 1e12, 1e250] {
        let rows = rows(&mut random, false);
        let other: Vec<Held> = rows.iter().map(|row| Held { score: row.score * unit, ..*row }).collect();
        for kind in KINDS {
            let (one, scaled) = (Curve::fitted(kind, &rows), Curve::fitted(kind, &other));
            for score in [-3.3, -0.1, 0.0, 0.7, 2.0] {
                assert!((one.at(score) - scaled.at(score * unit)).abs() < 1e-9);
            }
        }
    }
    let single = rows(&mut random, false);
    let twice: Vec<Held> = single.iter().map(|row| Held { weight: 2.0, ..*row }).collect();
    let repeated: Vec<Held> = single.iter().flat_map(|row| [Held { weight: 1.0, ..*row }; 2]).collect();
    for kind in KINDS {
        let (one, other) = (Curve::fitted(kind, &twice), Curve::fitted(kind, &repeated));
        for score in [-3.0, -1.0, 0.3, 2.0] {
            assert!((one.at(score) - other.at(score)).abs() < 1e-12);
        }
    }
}

#[test]
fn the_line_is_the_isotonic_regression() {
    let mut random = Pcg64::seed_from_u64(5);
    for case in 0..400 {
        let rows = rows(&mut random, case % 4 == 0);
        let curve = Curve::fitted(Calibration::Isotonic, &rows);
        let mut aims = aims(&rows);
        aims.sort_by(|a, b| a.score.total_cmp(&b.score));
        let mut scores: Vec<f64> = aims.iter().map(|row| row.score + 0.0).collect();
        scores.dedup();
        let mean = |from: f64, to: f64| {
            let own = aims.iter().filter(|row| from <= row.score && row.score <= to);
            let (sum, weight) =
                own.fold((0.0, 0.0), |(sum, all), row| (sum + row.weight * row.aim, all + row.weight));
            sum / weight
        };
        // The largest, over where to begin, of the smallest, over where to end, of all means around a score.
        for &score in &scores {
            let smallest = |from: f64| {
                scores.iter().filter(|&&to| to >= score).map(|&to| mean(from, to)).fold(2.0, f64::min)
            };
            let largest =
                scores.iter().filter(|&&from| from <= score).map(|&from| smallest(from)).fold(-1.0, f64::max);
            assert!((curve.at(score) - largest).abs() < 1e-12, "{score}: {} {largest}", curve.at(score));
            assert!(0.0 < largest && largest < 1.0);
        }
    }
}

/// The same chances by the iteration of Wu, Lin & Weng, which moves one after the other and keeps the sum at 1.
fn by_iteration(classes: usize, r: &dyn Fn(usize, usize) -> f64) -> Vec<f64> {
    let q = |a: usize, b: usize| {
        if a == b {
            (0..classes).filter(|&c| c != a).map(|c| r(c, a) * r(c, a)).sum()
        } else {
            -r(a, b) * r(b, a)
        }
    };
    let mut p = vec![1.0 / classes as f64; classes];
    for _ in 0..20_000 {
        for t in 0..classes {
            let product = |a: usize, p: &[f64]| (0..classes).map(|b| q(a, b) * p[b]).sum::<f64>();
            let all: f64 = (0..classes).map(|a| p[a] * product(a, &p)).sum();
            p[t] += (all - product(t, &p)) / q(t, t);
            let sum: f64 = p.iter().sum();
            p.iter_mut().for_each(|chance| *chance /= sum);
        }
    }
    p
}

#[test]
fn coupled_chances_are_the_fixed_point_of_the_iteration() {
    let mut random = Pcg64::seed_from_u64(6);
    for case in 0..12 {
        let classes = 2 + case % 5;
        let ballot = Ballot { classes, ..ballot(1, classes.max(3)) };
        let between: Vec<_> =
            (0..classes).flat_map(|a| (a + 1..classes).map(move |b| Some(Between::Pair(a, b)))).collect();
        let ballot = Ballot { between, ..ballot };
        let own: Vec<f64> = ballot.between.iter().map(|_| random.random_range(0.02..0.98)).collect();
        let r = |a: usize, b: usize| {
            let at = ballot
                .between
                .iter()
                .position(|pair| *pair == Some(Between::Pair(a.min(b), a.max(b))))
                .unwrap();
            if a < b { own[at] } else { 1.0 - own[at] }
        };
        let (found, slow) = (coupled(&ballot, &own), by_iteration(classes, &r));
        for (one, other) in found.iter().zip(&slow) {
            assert!((one - other).abs() < 1e-9, "{found:?} {slow:?}");
        }
    }
    // Chances that belong together are found again.
    let truth = [0.5, 0.3, 0.15, 0.05];
    let ballot = ballot(1, 4);
    let own: Vec<f64> = ballot
        .between
        .iter()
        .map(|pair| match *pair {
            Some(Between::Pair(a, b)) => truth[a] / (truth[a] + truth[b]),
            _ => panic!("pairs"),
        })
        .collect();
    for (one, other) in coupled(&ballot, &own).iter().zip(truth) {
        assert!((one - other).abs() < 1e-12);
    }
}

fn shares(random: &mut impl Rng, classes: usize) -> Vec<f64> {
    let parts: Vec<f64> = (0..classes).map(|_| random.random::<f64>().powi(3)).collect();
    let sum: f64 = parts.iter().sum();
    parts.iter().map(|part| part / sum).collect()
}

#[test]
fn no_nearer_probabilities_agree_with_the_answer() {
    let mut random = Pcg64::seed_from_u64(7);
    let distance = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    for _ in 0..500 {
        let classes = random.random_range(2..6);
        let given = shares(&mut random, classes);
        let answer = random.random_range(0..classes);
        let mut found = given.clone();
        agree(&mut found, answer);
        let own = distance(&given, &found);
        for k in 0..300 {
            let mut other = shares(&mut random, classes);
            // Near the one that was found, so that a better one would be met with.
            let near = 0.3_f64.powi(k % 8);
            other.iter_mut().zip(&found).for_each(|(value, own)| *value = own + near * (*value - own));
            if first_largest(&other) == answer {
                assert!(distance(&given, &other) >= own - 1e-14, "{given:?} {found:?} {other:?}");
            }
        }
        if first_largest(&given) == answer {
            assert_eq!(found, given);
        }
    }
}
