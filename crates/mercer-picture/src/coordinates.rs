//! The numbers that a model looks at, one by one, and tables in which some of them vary and all else is typical.

use mercer_model::Model;
use mercer_points::{ColumnData, Dense, Table};

use crate::PictureError;

/// One number of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coordinate {
    column: usize,
    place: usize,
    pub(crate) name: String,
}

/// The names of the numbers that a model looks at; none where it looks at anything else too, such as texts.
///
/// ```
/// use mercer_model::{Learner, Setting, Spec, Training, fit};
/// let mut table = mercer_points::read("@moons(n=40)", &Default::default()).unwrap();
/// let label = table.remove("label").unwrap();
/// let spec = Spec::new("rbf".parse().unwrap(), Learner::Smo);
/// let model = fit(&spec, &Training::new(&table, &label), &Setting::default()).unwrap();
/// assert_eq!(mercer_picture::features(&model, &table).unwrap().len(), 2);
/// ```
pub fn features(model: &Model, table: &Table) -> Option<Vec<String>> {
    let (found, rest) = coordinates(model, table);
    (!rest).then(|| found.into_iter().map(|coordinate| coordinate.name).collect())
}

/// The numbers that a model looks at, and whether it looks at anything else.
pub(crate) fn coordinates(model: &Model, table: &Table) -> (Vec<Coordinate>, bool) {
    let mut found = Vec::new();
    let mut rest = false;
    for (column, own) in table.columns().iter().enumerate() {
        let used = |known: &&mercer_model::ColumnSchema| known.used && known.name == own.name;
        if model.schema().columns.iter().find(used).is_none() {
            continue;
        }
        let mut add =
            |place: usize, name: &str| found.push(Coordinate { column, place, name: name.to_owned() });
        match &own.data {
            ColumnData::Numbers(_) => add(0, &own.name),
            ColumnData::Dense(_, names) | ColumnData::Single(_, names) => {
                names.iter().enumerate().for_each(|(place, name)| add(place, name));
            }
            _ => rest = true,
        }
    }
    (found, rest)
}

/// A number of every row.
pub(crate) fn values(table: &Table, of: &Coordinate) -> Vec<f64> {
    match &table.columns()[of.column].data {
        ColumnData::Numbers(values) => values.clone(),
        ColumnData::Dense(points, _) => points.rows().map(|row| row[of.place]).collect(),
        ColumnData::Single(points, _) => points.rows().map(|row| f64::from(row[of.place])).collect(),
        _ => Vec::new(),
    }
}

/// Rows in which the given coordinates have the given values, all other numbers are medians, and all else is as in the
/// most typical row: the first with the most frequent name.
pub(crate) fn varied(table: &Table, varying: &[(&Coordinate, Vec<f64>)]) -> Result<Table, PictureError> {
    let rows = varying.first().map_or(0, |(_, values)| values.len());
    let given = |column: usize, place: usize| {
        varying.iter().find(|(own, _)| own.column == column && own.place == place).map(|(_, values)| values)
    };
    let mut made = Table::new();
    for (number, column) in table.columns().iter().enumerate() {
        let block = |dim: usize, middle: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let middles: Vec<f64> = (0..dim).map(middle).collect();
            let entry =
                |row: usize, place: usize| given(number, place).map_or(middles[place], |own| own[row]);
            (0..rows)
                .flat_map(|row| (0..dim).map(move |place| (row, place)))
                .map(|(r, p)| entry(r, p))
                .collect()
        };
        let data = match &column.data {
            ColumnData::Numbers(values) => ColumnData::Numbers(block(1, &|_| median(values.clone()))),
            ColumnData::Dense(points, names) => {
                let middle = |place: usize| median(points.rows().map(|row| row[place]).collect());
                ColumnData::Dense(
                    Dense::new(rows, points.dim(), block(points.dim(), &middle))?,
                    names.clone(),
                )
            }
            ColumnData::Single(points, names) => {
                let middle = |place: usize| median(points.rows().map(|row| f64::from(row[place])).collect());
                let single = block(points.dim(), &middle).into_iter().map(|value| value as f32).collect();
                ColumnData::Single(Dense::new(rows, points.dim(), single)?, names.clone())
            }
            other => other.select(&vec![typical(other); rows]),
        };
        made.push(column.name.clone(), data)?;
    }
    Ok(made)
}

/// The middle value; 0 of none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The first row with the most frequent name; of other columns the first row.
fn typical(data: &ColumnData) -> usize {
    let ColumnData::Categories(names) = data else { return 0 };
    let mut counts = vec![0_usize; names.levels().len()];
    names.codes().iter().for_each(|&code| counts[code as usize] += 1);
    let most = counts.iter().copied().max().unwrap_or(0);
    names.codes().iter().position(|&code| counts[code as usize] == most).unwrap_or(0)
}
