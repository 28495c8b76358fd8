//! What a model answers in a plane: of two numbers, of a slice through more, or of feature space.

use mercer_model::{Model, Outcome, Prediction, Task};
use mercer_points::Points;
use mercer_view::{Axis, Boundary, Field, Ground};

use crate::PictureError;
use crate::components::{self, Plane};
use crate::coordinates::{Coordinate, coordinates, values, varied};
use crate::rows::{Rows, roles, spots, thinned};
use crate::words::{aim, count, number, subtitle};

/// Which plane is shown of a model of more than two numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Slice {
    /// Both numbers of a model of two; otherwise the components.
    #[default]
    Usual,
    /// The plane of two columns, the first two if none are named; all others are at their medians.
    Medians(Option<[String; 2]>),
    /// The plane of feature space of the first two kernel principal components.
    Components,
}

/// Crossings of the grid along each side. The contours are interpolated between them, which is finer than a screen.
pub const SIDE: usize = 200;

/// What a model answers in a plane, with rows of data; see the example of the crate.
pub fn boundary(model: &Model, rows: &Rows<'_>, slice: &Slice) -> Result<Boundary, PictureError> {
    boundary_on(model, rows, slice, SIDE)
}

/// The same on a grid with so many crossings along each side, at least two; with fewer where thousands of machines would
/// take minutes, and then the notes say so.
pub fn boundary_on(
    model: &Model,
    rows: &Rows<'_>,
    slice: &Slice,
    side: usize,
) -> Result<Boundary, PictureError> {
    let side = side.max(2);
    let (found, rest) = coordinates(model, rows.table);
    let pair = match slice {
        Slice::Medians(None) => found.first_chunk::<2>().map(|[x, y]| [x, y]),
        Slice::Medians(Some(names)) => Some([named(&found, &names[0])?, named(&found, &names[1])?]),
        Slice::Usual if found.len() == 2 && !rest => found.first_chunk::<2>().map(|[x, y]| [x, y]),
        Slice::Usual | Slice::Components => return of_components(model, rows, side),
    };
    let Some([x, y]) = pair else {
        return Err(PictureError::Nothing(format!(
            "a slice at medians needs two columns of numbers, and {} has {}; take the components (--slice components)",
            rows.name,
            found.len()
        )));
    };
    if x.name == y.name {
        return Err(PictureError::Nothing(format!(
            "a plane has two different columns, and '{}' is one",
            x.name
        )));
    }
    let others = found.len().saturating_sub(2);
    let coarse = side.min(affordable(model));
    let mut view = of_columns(model, rows, [x, y], coarse)?;
    if coarse < side {
        let machines = count(model.machines().len(), "machine");
        view.notes.push(format!("asked at {coarse} x {coarse} points only, since there are {machines}"));
    }
    if others > 0 || rest {
        let what = if rest {
            "numbers at their medians, all else as most often"
        } else {
            "columns at their medians"
        };
        view.notes
            .push(format!("a slice: {} other {what}; rows stand where their own two columns are", others));
    }
    Ok(view)
}

fn named<'a>(found: &'a [Coordinate], name: &str) -> Result<&'a Coordinate, PictureError> {
    found.iter().find(|coordinate| coordinate.name == name).ok_or_else(|| {
        let names: Vec<&str> = found.iter().take(8).map(|coordinate| coordinate.name.as_str()).collect();
        PictureError::Nothing(format!(
            "the model looks at no number '{name}'; it looks at {}",
            names.join(", ")
        ))
    })
}

fn of_columns(
    model: &Model,
    rows: &Rows<'_>,
    [x, y]: [&Coordinate; 2],
    side: usize,
) -> Result<Boundary, PictureError> {
    let (across, up) = (values(rows.table, x), values(rows.table, y));
    let ends = |values: &[f64]| {
        let axis = Axis::around("", values.iter().copied());
        // Margins often reach beyond the outermost rows.
        let room = 0.06 * (axis.high - axis.low);
        (axis.low - room, axis.high + room)
    };
    let (ends_x, ends_y) = (ends(&across), ends(&up));
    let values = asked(model, &Field::places(ends_x, ends_y, side, side), |places| {
        let along = |k: usize| places.iter().map(|place| place[k]).collect::<Vec<f64>>();
        Ok(model.predict(&varied(rows.table, &[(x, along(0)), (y, along(1))])?)?)
    })?;
    let ground = ground(model, Field { x: ends_x, y: ends_y, columns: side, rows: side, values });
    let prediction = model.predict(rows.table)?;
    let (spots, notes) = spots(model, rows, &prediction, |row| [across[row], up[row]]);
    let view = Boundary::new(aim(model), [&x.name, &y.name], ground);
    Ok(Boundary { spots, notes, ..dressed(view, model, rows, &prediction) })
}

fn of_components(model: &Model, rows: &Rows<'_>, side: usize) -> Result<Boundary, PictureError> {
    let (chosen, note) = thinned(rows.table.len(), components::MOST);
    if chosen.len() < 2 {
        return Err(PictureError::Nothing(format!("{} has no two rows to find components of", rows.name)));
    }
    let table = rows.table.select(&chosen);
    let target = rows
        .target
        .map(|target| mercer_points::Column { name: target.name.clone(), data: target.data.select(&chosen) });
    let few = Rows { table: &table, target: target.as_ref(), name: rows.name };
    let prediction = model.predict(&table)?;
    let gram = model.gram(&table)?;
    let plane = Plane::new(chosen.len(), &gram, &prediction.scores, prediction.machines)?;
    let ends = |k: usize| {
        let axis = Axis::around("", plane.places.iter().map(|place| place[k]));
        (axis.low, axis.high)
    };
    let (x, y) = (ends(0), ends(1));
    let values = asked(model, &Field::places(x, y, side, side), |places| {
        let scores: Vec<f64> = places.iter().flat_map(|&place| plane.at(place)).collect();
        Ok(Prediction { scores, machines: prediction.machines, outcome: Outcome::Numbers(Vec::new()) })
    })?;
    let ground = ground(model, Field { x, y, columns: side, rows: side, values });
    let (mut spots, mut notes) = spots(model, &few, &prediction, |row| plane.places[row]);
    // Of some of its rows alone nobody could tell that the model learned from them.
    if note.is_some() && model.learned_from(rows.table, rows.target) {
        let whole = roles(model, rows)?;
        spots.iter_mut().zip(&chosen).for_each(|(spot, &row)| spot.support = whole[row].support);
    }
    notes.extend(note);
    notes.push(
        "a slice of feature space along the first two kernel principal components, on which the score is affine; rows \
         are projected onto it, so a row may seem to be on the wrong side"
            .to_owned(),
    );
    let label = |k: usize| {
        format!(
            "component {} ({} % of the variance)",
            k + 1,
            number((1000.0 * plane.shares[k]).round() / 10.0)
        )
    };
    let view = Boundary::new(aim(model), [&label(0), &label(1)], ground);
    Ok(Boundary { spots, notes, ..dressed(view, model, rows, &prediction) })
}

/// Terms of scores that a picture may take, and the coarsest grid that is taken all the same.
const WORK: f64 = 1e10;
const COARSE: usize = 40;

/// Crossings along a side at which a model answers in seconds.
fn affordable(model: &Model) -> usize {
    let each = (model.machines().len() * model.support()).max(1) as f64;
    ((WORK / each).sqrt() as usize).max(COARSE)
}

/// Scores that are held at once: of many machines those of a whole grid would not fit.
const HELD: usize = 1 << 22;

/// What is drawn at each place: a score of two classes, the number of a class, or a number.
fn asked(
    model: &Model,
    places: &[[f64; 2]],
    predict: impl Fn(&[[f64; 2]]) -> Result<Prediction, PictureError>,
) -> Result<Vec<f64>, PictureError> {
    let mut values = Vec::with_capacity(places.len());
    for some in places.chunks((HELD / model.machines().len().max(1)).max(1)) {
        values.extend(drawn(model, &predict(some)?));
    }
    Ok(values)
}

fn drawn(model: &Model, found: &Prediction) -> Vec<f64> {
    let classes = model.classes().len();
    match model.task() {
        Task::Numbers | Task::Novelty => {
            found.scores.chunks(found.machines.max(1)).map(|row| row[0]).collect()
        }
        Task::Classes if classes == 2 => (0..found.len()).map(|row| of_two(model, found, row)).collect(),
        Task::Classes => {
            let winner = |row: &[f64]| {
                let best = row
                    .iter()
                    .enumerate()
                    .fold(0, |best, (k, score)| if *score > row[best] { k } else { best });
                best as f64
            };
            found.class_scores(model).chunks_exact(classes.max(1)).map(winner).collect()
        }
    }
}

/// What a field of a model is.
fn ground(model: &Model, field: Field) -> Ground {
    match model.task() {
        Task::Numbers => Ground::Numbers(field),
        Task::Novelty => Ground::Scores(field),
        Task::Classes if model.classes().len() == 2 => Ground::Scores(field),
        Task::Classes => Ground::Regions(field),
    }
}

/// The score of a row where there are two classes: above 0 for the second.
pub(crate) fn of_two(model: &Model, found: &Prediction, row: usize) -> f64 {
    if model.is_softmax() {
        return found.score(row, 1) - found.score(row, 0);
    }
    // The only machine of a pair speaks for the first class.
    let sign = if model.machines()[0].pair().is_some() { -1.0 } else { 1.0 };
    sign * found.score(row, 0)
}

/// Title, classes and captions.
fn dressed(view: Boundary, model: &Model, rows: &Rows<'_>, prediction: &Prediction) -> Boundary {
    let classes = match model.task() {
        Task::Novelty => vec!["outside".to_owned(), "inside".to_owned()],
        _ => model.classes().to_vec(),
    };
    let mut captions = vec![count(model.support(), "support vector")];
    if let (Outcome::Classes(found), Some(target)) = (&prediction.outcome, rows.target) {
        let right = (0..found.len().min(target.data.len()))
            .filter(|&row| crate::rows::class_of(model.classes(), &target.data, row) == Some(found[row]))
            .count();
        if prediction.len() == target.data.len() {
            captions.push(format!("accuracy {}", number(right as f64 / found.len().max(1) as f64)));
        }
    }
    Boundary {
        subtitle: subtitle(model, rows.name),
        target: model.schema().target.clone().unwrap_or_default(),
        classes,
        captions,
        ..view
    }
}

#[cfg(test)]
mod tests {
    use mercer_model::{Multiclass, Setting, Spec, Training, fit};

    use super::*;

    #[test]
    fn the_second_class_is_above_zero_however_two_classes_are_told_apart() {
        let mut table = mercer_points::read("@moons(n=60)", &Default::default()).unwrap();
        let target = table.remove("label").unwrap();
        let (smo, logistic) = (mercer_model::Learner::Smo, mercer_model::Learner::Newton);
        for (learner, multiclass) in [
            (smo, Multiclass::Refuse),
            (smo, Multiclass::OneVsOne),
            (logistic, Multiclass::Refuse),
            (logistic, Multiclass::Softmax),
        ] {
            let mut spec = Spec { multiclass, ..Spec::new("rbf(sigma=0.5)".parse().unwrap(), learner) };
            if learner == logistic {
                spec.loss = Some(mercer_solve::loss::LossSpec::Logistic);
            }
            let model = fit(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
            let found = model.predict(&table).unwrap();
            let Outcome::Classes(classes) = &found.outcome else { panic!("classes were asked for") };
            for (row, &class) in classes.iter().enumerate() {
                assert_eq!(of_two(&model, &found, row) > 0.0, class == 1, "{learner} {multiclass}");
            }
        }
    }
}
