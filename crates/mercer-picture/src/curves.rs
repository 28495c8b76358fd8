//! Models of one number as curves over it.

use mercer_model::{Learner, Model, Outcome, Task};
use mercer_points::ColumnData;
use mercer_solve::loss::LossSpec;
use mercer_view::{Axis, Curve, Curves, Spot};

use crate::PictureError;
use crate::boundary::of_two;
use crate::coordinates::{coordinates, values, varied};
use crate::rows::{MOST, Rows, class_of, thinned};
use crate::words::subtitle;

/// Points of a curve.
const POINTS: usize = 400;
/// Classes that get a curve each, at most.
const CLASSES: usize = 8;

/// What models answer along the only number that they look at: numbers, or the scores of classes. Each model has a name,
/// such as the λ that sets it apart.
///
/// ```
/// use mercer_model::{Learner, Setting, Spec, Training, fit};
/// let mut table = mercer_points::read("@sinc(n=40)", &Default::default()).unwrap();
/// let name = table.columns().last().unwrap().name.clone();
/// let target = table.remove(&name).unwrap();
/// let spec = Spec::new("rbf(sigma=1)".parse().unwrap(), Learner::Cholesky);
/// let model = fit(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
/// let rows = mercer_picture::Rows { table: &table, target: Some(&target), name: "@sinc" };
/// let view = mercer_picture::curves(&[("ridge".to_owned(), &model)], &rows).unwrap();
/// assert_eq!(view.curves.len(), 1);
/// ```
pub fn curves(models: &[(String, &Model)], rows: &Rows<'_>) -> Result<Curves, PictureError> {
    let Some((_, first)) = models.first() else {
        return Err(PictureError::Nothing("there is no model to draw".to_owned()));
    };
    let (found, rest) = coordinates(first, rows.table);
    let [only] = found.as_slice() else {
        return Err(PictureError::Nothing(format!(
            "a curve is of one column of numbers, and the model looks at {}{}; draw a boundary instead",
            found.len(),
            if rest { " and at more" } else { "" }
        )));
    };
    let along = values(rows.table, only);
    let axis = Axis::around("", along.iter().copied());
    let step = (axis.high - axis.low) / (POINTS - 1) as f64;
    let places: Vec<f64> = (0..POINTS).map(|k| axis.low + step * k as f64).collect();
    let grid = varied(rows.table, &[(only, places.clone())])?;
    let mut curves = Vec::new();
    for (name, model) in models {
        curves.extend(of_model(model, name, &places, &model.predict(&grid)?));
    }
    let (shown, note) = thinned(along.len(), MOST);
    let spot = |&row: &usize| match rows.target.map(|target| &target.data) {
        Some(ColumnData::Numbers(values)) if first.task() == Task::Numbers => {
            Some(Spot::new([along[row], values[row]], None))
        }
        Some(target) if first.task() == Task::Classes => {
            let class = class_of(first.classes(), target, row)?;
            let height = if first.classes().len() == 2 { 2.0 * class as f64 - 1.0 } else { 0.0 };
            Some(Spot::new([along[row], height], Some(class)))
        }
        _ => None,
    };
    let is_number = first.task() == Task::Numbers;
    let several = if models.len() > 1 { "s" } else { "" };
    Ok(Curves {
        title: if is_number {
            format!("Fitted curve{several}")
        } else {
            "Scores along the only feature".to_owned()
        },
        subtitle: subtitle(first, rows.name),
        x: only.name.clone(),
        y: if is_number { first.schema().target.clone().unwrap_or_default() } else { "score".to_owned() },
        curves,
        spots: shown.iter().filter_map(spot).collect(),
        classes: first.classes().to_vec(),
        levels: if is_number { Vec::new() } else { vec![-1.0, 0.0, 1.0] },
        notes: note.into_iter().collect(),
    })
}

fn of_model(model: &Model, name: &str, places: &[f64], found: &mercer_model::Prediction) -> Vec<Curve> {
    let curve = |name: String, value: &dyn Fn(usize) -> f64| Curve {
        name,
        points: places.iter().enumerate().map(|(k, &x)| [x, value(k)]).collect(),
        tube: None,
    };
    let tube = match (model.spec().learner, model.spec().loss) {
        (Learner::NuSvr, _) => model.machines()[0].level,
        (_, Some(LossSpec::EpsilonInsensitive { epsilon })) => Some(epsilon),
        _ => None,
    };
    match &found.outcome {
        Outcome::Classes(_) if model.classes().len() > 2 => {
            let classes = model.classes().len();
            let scores = found.class_scores(model);
            let each = model.classes().iter().take(CLASSES).enumerate();
            each.map(|(k, class)| curve(format!("score of {class}"), &|row| scores[row * classes + k]))
                .collect()
        }
        Outcome::Classes(_) => {
            let label = format!("{name} (above 0: {})", model.classes()[1]);
            vec![curve(label, &|row| of_two(model, found, row))]
        }
        _ => vec![Curve { tube, ..curve(name.to_owned(), &|row| found.score(row, 0)) }],
    }
}
