//! Rows of data for a picture, and what they are to a model.

use mercer_model::{Model, Outcome, Prediction, Task};
use mercer_points::{Column, ColumnData, Points, Table};
use mercer_view::{Spot, Support};

use crate::PictureError;

/// Rows, their target where it is known, and what they are called.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The points, without the target.
    pub table: &'a Table,
    /// What is true.
    pub target: Option<&'a Column>,
    /// The name of the data, for titles.
    pub name: &'a str,
}

/// Rows that are drawn at most; more would only cover each other, and make files large.
pub(crate) const MOST: usize = 1500;

/// At most so many rows, evenly spread, and what to say of it.
pub(crate) fn thinned(rows: usize, most: usize) -> (Vec<usize>, Option<String>) {
    if rows <= most {
        return ((0..rows).collect(), None);
    }
    let shown: Vec<usize> = (0..most).map(|k| k * rows / most).collect();
    (shown, Some(format!("{most} of {rows} rows shown, evenly spread")))
}

/// The class of a row among those of a model; none where it is not among them.
pub(crate) fn class_of(classes: &[String], target: &ColumnData, row: usize) -> Option<usize> {
    let place = |name: &str| classes.iter().position(|class| class == name);
    match target {
        // A number may be written in several ways.
        ColumnData::Numbers(values) => {
            classes.iter().position(|class| class.parse::<f64>().is_ok_and(|value| value == values[row]))
        }
        ColumnData::Categories(names) => place(names.point(row)),
        ColumnData::Texts(texts) => place(texts.point(row)),
        _ => None,
    }
}

/// The class of every row; an error where the target is missing or has a class that the model does not know.
pub(crate) fn codes(model: &Model, rows: &Rows<'_>) -> Result<Vec<usize>, PictureError> {
    let target = target(rows)?;
    let code = |row: usize| {
        class_of(model.classes(), &target.data, row).ok_or_else(|| {
            PictureError::Nothing(format!(
                "row {} of '{}' has a class that the model does not know",
                row + 1,
                target.name
            ))
        })
    };
    (0..target.data.len()).map(code).collect()
}

/// The target; an error where there is none.
pub(crate) fn target<'a>(rows: &Rows<'a>) -> Result<&'a Column, PictureError> {
    rows.target.ok_or_else(|| {
        PictureError::Nothing(format!(
            "{} has no target to compare answers with; name its column (--target)",
            rows.name
        ))
    })
}

/// The rows of a prediction as spots at given places: class, slack, and what they are to the model if it learned from
/// them.
pub(crate) fn spots(
    model: &Model,
    rows: &Rows<'_>,
    prediction: &Prediction,
    place: impl Fn(usize) -> [f64; 2],
) -> (Vec<Spot>, Vec<String>) {
    let n = rows.table.len();
    let (shown, note) = thinned(n, MOST);
    let mut notes: Vec<String> = note.into_iter().collect();
    let slack = rows.target.and_then(|target| prediction.slack(model, target).ok());
    // Where the loss is no margin, it is no slack in units of the margin either.
    let slack = slack.filter(|_| model.task() == Task::Classes && has_margin(model));
    let mut support = vec![Support::None; n];
    if model.learned_from(rows.table, rows.target) {
        if model.support() < n {
            for &row in model.rows().iter().filter(|row| **row < n) {
                let is_bound = slack.as_ref().is_some_and(|slack| slack[row] > 1e-3);
                support[row] = if is_bound { Support::Bound } else { Support::Free };
            }
        } else {
            notes.push("every row has a coefficient".to_owned());
        }
    }
    let class = |row: usize| match (&prediction.outcome, rows.target) {
        (Outcome::Inside(inside), _) => Some(usize::from(inside[row])),
        (Outcome::Classes(_), Some(target)) => class_of(model.classes(), &target.data, row),
        _ => None,
    };
    let spot = |&row: &usize| Spot {
        class: class(row),
        support: support[row],
        slack: slack.as_ref().map_or(0.0, |slack| slack[row]),
        ..Spot::new(place(row), None)
    };
    (shown.iter().map(spot).collect(), notes)
}

/// Whether a score of 1 is a margin.
fn has_margin(model: &Model) -> bool {
    use mercer_model::Learner::{HardMargin, NuSvc};
    let hinged = model.spec().loss.is_some_and(|loss| matches!(loss.info().name, "hinge" | "squared-hinge"));
    hinged || matches!(model.spec().learner, NuSvc | HardMargin)
}
