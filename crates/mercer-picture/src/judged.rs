//! What answers are worth on rows whose truth is known.

use mercer_model::metrics::{self, Answers, Metric};
use mercer_model::{Model, Outcome, Task};
use mercer_points::ColumnData;
use mercer_view::{Ranking, Reliability, Residuals, Roc, Share};

use crate::PictureError;
use crate::rows::{MOST, Rows, codes, target, thinned};
use crate::words::{number, subtitle};

/// Bins of a reliability diagram.
const BINS: usize = 10;
/// Points of a curve; more would not be seen.
const POINTS: usize = 500;

/// How scores rank the second of two classes before the first, or each of several before all others.
///
/// ```
/// use mercer_model::{Learner, Setting, Spec, Training, fit};
/// let mut table = mercer_points::read("@moons(n=60)", &Default::default()).unwrap();
/// let label = table.remove("label").unwrap();
/// let spec = Spec::new("rbf(sigma=0.3)".parse().unwrap(), Learner::Smo);
/// let model = fit(&spec, &Training::new(&table, &label), &Setting::default()).unwrap();
/// let rows = mercer_picture::Rows { table: &table, target: Some(&label), name: "@moons" };
/// assert!(mercer_picture::roc(&model, &rows).unwrap().rankings[0].area > 0.9);
/// ```
pub fn roc(model: &Model, rows: &Rows<'_>) -> Result<Roc, PictureError> {
    let classes = model.classes();
    if model.task() != Task::Classes {
        return Err(PictureError::Nothing(
            "only classes are ranked by scores; the model answers otherwise".to_owned(),
        ));
    }
    let codes = codes(model, rows)?;
    let scores = model.predict(rows.table)?.class_scores(model);
    Ok(Roc { subtitle: subtitle(model, rows.name), ..ranked(&scores, &codes, classes) })
}

/// The same from scores, rows × classes, and the class of each row; who found them does not matter.
///
/// ```
/// let classes = ["ham".to_owned(), "spam".to_owned()];
/// let view = mercer_picture::ranked(&[0.9, 0.1, 0.2, 0.8], &[0, 1], &classes);
/// assert_eq!(view.rankings[0].area, 1.0);
/// ```
pub fn ranked(scores: &[f64], codes: &[usize], classes: &[String]) -> Roc {
    let ranked = if classes.len() == 2 { 1..2 } else { 0..classes.len() };
    let mut rankings = Vec::new();
    let mut notes = Vec::new();
    for class in ranked {
        let own: Vec<(f64, bool)> = codes
            .iter()
            .enumerate()
            .map(|(row, &code)| (scores[row * classes.len() + class], code == class))
            .collect();
        match ranking(&classes[class], own) {
            Some(ranking) => rankings.push(ranking),
            None => notes.push(format!("'{}' has no curve: all rows or none are of it", classes[class])),
        }
    }
    // The classes that are hardest to tell come first: only some are drawn where there are many.
    if classes.len() > 2 {
        rankings.sort_by(|a, b| a.area.total_cmp(&b.area));
    }
    notes.truncate(4);
    Roc { title: "How well the scores rank".to_owned(), rankings, notes, ..Roc::default() }
}

/// Both curves of one class; none where there is nothing to rank.
fn ranking(name: &str, mut rows: Vec<(f64, bool)>) -> Option<Ranking> {
    let positives = rows.iter().filter(|(_, is)| *is).count() as f64;
    let negatives = rows.len() as f64 - positives;
    if positives == 0.0 || negatives == 0.0 {
        return None;
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut found, mut wrong, mut area, mut average) = (0.0, 0.0, 0.0, 0.0);
    let (mut roc, mut precision) = (vec![[0.0, 0.0]], Vec::new());
    // Rows of one score come together, so that their order does not count.
    for tied in rows.chunk_by(|a, b| a.0 == b.0) {
        let own = tied.iter().filter(|(_, is)| *is).count() as f64;
        let others = tied.len() as f64 - own;
        area += others * (found + 0.5 * own);
        found += own;
        wrong += others;
        average += own * found / (found + wrong);
        roc.push([wrong / negatives, found / positives]);
        precision.push([found / positives, found / (found + wrong)]);
    }
    Some(Ranking {
        name: name.to_owned(),
        roc: sparse(roc),
        area: area / (positives * negatives),
        precision: sparse(precision),
        average: average / positives,
        share: positives / rows.len() as f64,
    })
}

/// At most so many points of a curve, its ends among them.
fn sparse(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let n = points.len();
    if n <= POINTS {
        return points;
    }
    (0..POINTS).map(|k| points[k * (n - 1) / (POINTS - 1)]).collect()
}

/// Whether the probabilities of a model are what they say.
pub fn reliability(model: &Model, rows: &Rows<'_>) -> Result<Reliability, PictureError> {
    if model.task() != Task::Classes {
        return Err(PictureError::Nothing(
            "only classes have probabilities; the model answers otherwise".to_owned(),
        ));
    }
    let codes = codes(model, rows)?;
    let found = calibrated(&model.probabilities(rows.table)?, &codes, model.classes().len())?;
    Ok(Reliability { subtitle: subtitle(model, rows.name), ..found })
}

/// The same from probabilities, rows × classes, and the class of each row; who found them does not matter.
///
/// ```
/// let view = mercer_picture::calibrated(&[0.9, 0.1, 0.2, 0.8], &[0, 1], 2).unwrap();
/// assert!(view.shares.iter().all(|share| share.correct == 1.0));
/// ```
pub fn calibrated(
    probabilities: &[f64],
    codes: &[usize],
    classes: usize,
) -> Result<Reliability, PictureError> {
    let answers = Answers { probabilities: Some(probabilities), ..Answers::of_classes(codes, classes) };
    let shares = metrics::reliability(&answers, BINS)?.into_iter().map(|bin| Share {
        from: bin.from,
        to: bin.to,
        probability: bin.probability,
        correct: bin.correct,
        weight: bin.weight,
    });
    let error = Metric::Calibration { bins: BINS }.of(&answers)?;
    Ok(Reliability {
        title: "Do probabilities come true?".to_owned(),
        shares: shares.collect(),
        notes: vec![format!("expected calibration error {} on {} rows", number(error), codes.len())],
        ..Reliability::default()
    })
}

/// Answered numbers against true ones; of several targets the first.
///
/// ```
/// use mercer_model::{Learner, Setting, Spec, Training, fit};
/// let mut table = mercer_points::read("@sinc(n=40)", &Default::default()).unwrap();
/// let name = table.columns().last().unwrap().name.clone();
/// let target = table.remove(&name).unwrap();
/// let spec = Spec::new("rbf(sigma=1)".parse().unwrap(), Learner::Cholesky);
/// let model = fit(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
/// let rows = mercer_picture::Rows { table: &table, target: Some(&target), name: "@sinc" };
/// assert_eq!(mercer_picture::residuals(&model, &rows).unwrap().truth.len(), 40);
/// ```
pub fn residuals(model: &Model, rows: &Rows<'_>) -> Result<Residuals, PictureError> {
    let target = target(rows)?;
    let prediction = model.predict(rows.table)?;
    let (ColumnData::Numbers(truth), Outcome::Numbers(_)) = (&target.data, &prediction.outcome) else {
        return Err(PictureError::Nothing(
            "residuals are of numbers; the model or the target has none; draw the ranking instead (roc)"
                .to_owned(),
        ));
    };
    let predicted: Vec<f64> = (0..prediction.len()).map(|row| prediction.score(row, 0)).collect();
    Ok(Residuals { subtitle: subtitle(model, rows.name), ..compared(&predicted, truth, &target.name) })
}

/// The same from numbers, however they were found, and what is true; both have as many rows.
///
/// ```
/// let view = mercer_picture::compared(&[1.0, 2.0], &[1.5, 2.0], "height");
/// assert_eq!(view.predicted.len(), 2);
/// ```
pub fn compared(predicted: &[f64], truth: &[f64], target: &str) -> Residuals {
    let answers = Answers { numbers: Some(predicted), ..Answers::of_numbers(truth) };
    let (shown, note) = thinned(truth.len(), MOST);
    let mut notes: Vec<String> = note.into_iter().collect();
    let said = |metric: Metric| metric.of(&answers).ok().map(|value| format!("{metric} {}", number(value)));
    let all: Vec<String> = [Metric::Rmse, Metric::Mae, Metric::R2].into_iter().filter_map(said).collect();
    notes.push(format!("{} on {} rows", all.join(", "), truth.len()));
    Residuals {
        title: "Predicted against true".to_owned(),
        target: target.to_owned(),
        predicted: shown.iter().map(|&row| predicted[row]).collect(),
        truth: shown.iter().map(|&row| truth[row]).collect(),
        notes,
        ..Residuals::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_those_of_pairs() {
        let rows = vec![(3.0, true), (2.0, false), (1.0, true), (0.0, false)];
        let found = ranking("a", rows).unwrap();
        assert_eq!(found.area, 0.75);
        assert_eq!(found.roc, [[0.0, 0.0], [0.0, 0.5], [0.5, 0.5], [0.5, 1.0], [1.0, 1.0]]);
        assert!((found.average - 0.5 * (1.0 + 2.0 / 3.0)).abs() < 1e-12);
        assert_eq!(ranking("a", vec![(1.0, true), (1.0, false)]).unwrap().area, 0.5);
        assert_eq!(ranking("a", vec![(1.0, true)]), None);
    }
}
