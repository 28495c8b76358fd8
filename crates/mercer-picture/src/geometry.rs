//! What a feature map does to points of a plane.

use mercer_kernel::{MapExpr, vectors};
use mercer_linalg::Budget;
use mercer_model::{Learner, Setting, Spec, Training, fit};
use mercer_points::{Column, ColumnData, Dense, Points, Table, build};
use mercer_solve::Regularization;
use mercer_view::{Axis, Field, Geometry};

use crate::PictureError;
use crate::rows::{MOST, Rows, thinned};

/// Two columns lifted to the first three features of a map that is not one of the columns again, with a plane between two
/// classes if there is one.
///
/// ```
/// let mut table = mercer_points::read("@circles(n=60)", &Default::default()).unwrap();
/// let label = table.remove("label").unwrap();
/// let rows = mercer_picture::Rows { table: &table, target: Some(&label), name: "@circles" };
/// let view = mercer_picture::geometry(&"quadratic".parse().unwrap(), &rows).unwrap();
/// assert_eq!(view.lifted.len(), 60);
/// assert!(view.plane.is_some());
/// ```
pub fn geometry(map: &MapExpr, rows: &Rows<'_>) -> Result<Geometry, PictureError> {
    let (shown, note) = thinned(rows.table.len(), MOST);
    let (points, names) = vectors(&rows.table.select(&shown))?;
    let [first, second, ..] = names.as_slice() else {
        return Err(PictureError::Nothing(format!(
            "a map of a plane needs two columns of numbers, {} has {}",
            rows.name,
            names.len()
        )));
    };
    let mut notes: Vec<String> = note.into_iter().collect();
    if names.len() > 2 {
        notes.push(format!("the first two of {} columns", names.len()));
    }
    let plane: Vec<[f64; 2]> = points.rows().map(|row| [row[0], row[1]]).collect();
    let flat = Dense::from_rows(&plane);
    let recipe = map.build()?;
    let (fitted, lifted) = build(&*recipe, &flat, Budget::default().bytes())?;
    let all = fitted.names(&[first.clone(), second.clone()]);
    let chosen = three(&lifted, &plane)?;
    if all.len() > 3 {
        notes.push(format!("three of {} features", all.len()));
    }
    let lift = |row: &[f64]| chosen.map(|k| row[k]);
    let lifted: Vec<[f64; 3]> = lifted.rows().map(lift).collect();
    let (classes, codes) = labels(rows, &shown);
    let mut view = Geometry {
        title: "A feature map lifts the plane".to_owned(),
        subtitle: format!("{map} on {}", rows.name),
        names: [first.clone(), second.clone()],
        features: chosen.map(|k| all.get(k).cloned().unwrap_or_default()),
        points: plane,
        lifted,
        codes,
        classes,
        plane: None,
        score: None,
        notes,
    };
    if view.classes.len() == 2 {
        view.plane = separating(&view)?;
    }
    if let Some([a, b, c, d]) = view.plane {
        const SIDE: usize = 120;
        let ends = |k: usize| {
            let axis = Axis::around("", view.points.iter().map(|at| at[k]));
            (axis.low, axis.high)
        };
        let places = Field::places(ends(0), ends(1), SIDE, SIDE);
        // Where the map is not defined everywhere, the rows alone are drawn.
        if let Ok(features) = fitted.apply(&Dense::from_rows(&places)) {
            let score = |row: &[f64]| a * row[chosen[0]] + b * row[chosen[1]] + c * row[chosen[2]] + d;
            let values = features.rows().map(score).collect();
            view.score = Some(Field { x: ends(0), y: ends(1), columns: SIDE, rows: SIDE, values });
        }
    }
    Ok(view)
}

/// Three features that differ from row to row, those that are not a column again first.
fn three(lifted: &Dense<f64>, plane: &[[f64; 2]]) -> Result<[usize; 3], PictureError> {
    let column = |k: usize| lifted.rows().map(|row| row[k]).collect::<Vec<f64>>();
    let varies = |k: &usize| column(*k).windows(2).any(|pair| pair[0] != pair[1]);
    let is_again = |k: usize| (0..2).any(|c| column(k).iter().zip(plane).all(|(value, at)| *value == at[c]));
    let (again, new): (Vec<usize>, Vec<usize>) =
        (0..lifted.dim().min(64)).filter(varies).partition(|&k| is_again(k));
    let mut chosen: Vec<usize> = Vec::new();
    for k in new.into_iter().chain(again) {
        // The same feature twice, such as x·z and z·x, shows nothing new.
        if chosen.iter().all(|&known| column(known) != column(k)) {
            chosen.push(k);
        }
    }
    chosen.first_chunk::<3>().copied().ok_or_else(|| {
        PictureError::Nothing(format!(
            "the map has {} features that differ, and three are drawn",
            chosen.len()
        ))
    })
}

/// The classes and the class of each row, where the target holds a few of them.
fn labels(rows: &Rows<'_>, shown: &[usize]) -> (Vec<String>, Vec<usize>) {
    let text = |data: &ColumnData, row: usize| match data {
        ColumnData::Numbers(values) => values[row].to_string(),
        ColumnData::Categories(names) => names.point(row).to_owned(),
        _ => String::new(),
    };
    let Some(target) = rows.target else { return (Vec::new(), Vec::new()) };
    let texts: Vec<String> = shown.iter().map(|&row| text(&target.data, row)).collect();
    let mut classes = texts.clone();
    classes.sort_unstable();
    classes.dedup();
    if classes.len() > 10 {
        return (Vec::new(), Vec::new());
    }
    let codes = texts.iter().map(|text| classes.binary_search(text).unwrap_or(0)).collect();
    (classes, codes)
}

/// The plane of a linear support vector machine in the three features; none where it cannot be fitted.
fn separating(view: &Geometry) -> Result<Option<[f64; 4]>, PictureError> {
    let mut table = Table::new();
    for k in 0..3 {
        table.push(
            format!("feature {}", k + 1),
            ColumnData::Numbers(view.lifted.iter().map(|at| at[k]).collect()),
        )?;
    }
    let codes = view.codes.iter().map(|&code| code as f64).collect();
    let target = Column { name: "class".to_owned(), data: ColumnData::Numbers(codes) };
    let Ok(kernel) = "linear".parse() else { return Ok(None) };
    let spec = Spec { regularization: Regularization::C(100.0), ..Spec::new(kernel, Learner::Smo) };
    let Ok(model) = fit(&spec, &Training::new(&table, &target), &Setting::default()) else { return Ok(None) };
    let mut probe = Table::new();
    for k in 0..3 {
        let values = (0..4).map(|row| f64::from(u8::from(row == k + 1))).collect();
        probe.push(format!("feature {}", k + 1), ColumnData::Numbers(values))?;
    }
    let found = model.predict(&probe)?;
    let at = |row: usize| found.score(row, 0);
    Ok(Some([at(1) - at(0), at(2) - at(0), at(3) - at(0), at(0)]))
}
