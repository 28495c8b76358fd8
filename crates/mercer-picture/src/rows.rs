//! Rows of data for a picture, and what they are to a model.

use mercer_model::{Between, Machine, Model, Outcome, Prediction, Task};
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
    let found = roles_of(model, rows, prediction);
    if found.is_everything {
        notes.push("every row has a coefficient".to_owned());
    }
    let class = |row: usize| match (&prediction.outcome, rows.target) {
        (Outcome::Inside(inside), _) => Some(usize::from(inside[row])),
        (Outcome::Classes(_), Some(target)) => class_of(model.classes(), &target.data, row),
        _ => None,
    };
    let spot = |&row: &usize| Spot {
        class: class(row),
        support: found.roles[row].support,
        slack: found.roles[row].slack,
        ..Spot::new(place(row), None)
    };
    (shown.iter().map(spot).collect(), notes)
}

/// What a row is to a model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Role {
    /// Whether it has a coefficient, and one at its bound. Of several machines, one at whose bound it is decides.
    pub support: Support,
    /// How far it is on the wrong side of its margin, in units of the margin; of several machines the most.
    pub slack: f64,
}

/// What rows are to a model: support is known of the rows that it learned from, slack where their classes are.
///
/// ```
/// use mercer_model::{Learner, Multiclass, Setting, Spec, Training, fit};
/// use mercer_view::Support;
/// let mut table = mercer_points::read("@iris", &Default::default()).unwrap();
/// let label = table.remove("label").unwrap();
/// let spec = Spec { multiclass: Multiclass::OneVsOne, ..Spec::new("rbf(sigma=1)".parse().unwrap(), Learner::Smo) };
/// let model = fit(&spec, &Training::new(&table, &label), &Setting::default()).unwrap();
/// let rows = mercer_picture::Rows { table: &table, target: Some(&label), name: "@iris" };
/// let roles = mercer_picture::roles(&model, &rows).unwrap();
/// let count = |support| roles.iter().filter(|role| role.support == support).count();
/// assert_eq!(count(Support::Free) + count(Support::Bound), model.support());
/// assert!(count(Support::Free) > 0 && count(Support::Bound) > 0);
/// ```
pub fn roles(model: &Model, rows: &Rows<'_>) -> Result<Vec<Role>, PictureError> {
    Ok(roles_of(model, rows, &model.predict(rows.table)?).roles)
}

struct Roles {
    roles: Vec<Role>,
    /// Whether every row has a coefficient and none is at a bound, so that support tells nothing apart.
    is_everything: bool,
}

fn roles_of(model: &Model, rows: &Rows<'_>, prediction: &Prediction) -> Roles {
    let n = rows.table.len();
    let mut roles = vec![Role::default(); n];
    let is_learned = model.learned_from(rows.table, rows.target);
    // Of machines with a margin the bounds tell rows apart even then.
    let has_margin = model.task() == Task::Classes && has_margin(model);
    let is_everything = is_learned && model.support() >= n && !has_margin;
    if is_learned && !is_everything {
        model.rows().iter().filter(|row| **row < n).for_each(|&row| roles[row].support = Support::Free);
    }
    let known = rows.target.filter(|target| target.data.len() == n && prediction.len() == n);
    // Where the loss is no margin, what it says is no slack in units of the margin either.
    let Some(target) = known.filter(|_| has_margin) else {
        return Roles { roles, is_everything };
    };
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); model.classes().len()];
    for row in 0..n {
        class_of(model.classes(), &target.data, row).into_iter().for_each(|class| own[class].push(row));
    }
    let mut places = vec![None; n];
    model
        .rows()
        .iter()
        .enumerate()
        .filter(|(_, row)| **row < n)
        .for_each(|(at, &row)| places[row] = Some(at));
    for (number, machine) in model.machines().iter().enumerate() {
        for (y, class) in sides(machine, own.len()) {
            for &row in &own[class] {
                let (role, slack) = (&mut roles[row], (1.0 - y * prediction.score(row, number)).max(0.0));
                role.slack = role.slack.max(slack);
                let has_coefficient = places[row].is_some_and(|at| machine.coefficients[at] != 0.0);
                if role.support != Support::None && has_coefficient && slack > 1e-3 {
                    role.support = Support::Bound;
                }
            }
        }
    }
    Roles { roles, is_everything }
}

/// The classes that a machine knows, each with the side that it is on.
fn sides(machine: &Machine, classes: usize) -> Vec<(f64, usize)> {
    let against =
        |own: usize| (0..classes).map(|class| (if class == own { 1.0 } else { -1.0 }, class)).collect();
    match machine.between {
        None => against(1),
        Some(Between::Rest(own)) => against(own),
        Some(Between::Pair(first, second)) => vec![(1.0, first), (-1.0, second)],
        Some(Between::Softmax(_)) => Vec::new(),
    }
}

/// Whether a score of 1 is a margin.
fn has_margin(model: &Model) -> bool {
    use mercer_model::Learner::{HardMargin, NuSvc};
    let hinged = model.spec().loss.is_some_and(|loss| matches!(loss.info().name, "hinge" | "squared-hinge"));
    hinged || matches!(model.spec().learner, NuSvc | HardMargin)
}
