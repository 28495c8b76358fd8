//! What is done to a table before the kernel sees it: columns chosen, scaled, encoded.
//!
//! Numbers are scaled if the specification says so; names become one coordinate a level where the kernel works on
//! vectors alone. All of it is learned on the training rows and applied to others as it was learned.

use mercer_linalg::Budget;
use mercer_points::{
    Categories, Column, ColumnData, Dense, FeatureMap, MinMax, Points, PointsError, Sparse, Standardize,
    State, Table, Texts,
};

use crate::needs::Needs;
use crate::{ColumnKind, ColumnSchema, ModelError, Scaling, Schema};

/// What is done to each used column, learned on the training rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Preprocessing {
    /// How columns of numbers are scaled.
    pub scaling: Scaling,
    /// What is done, by column; nothing to those that are not named.
    pub steps: Vec<(String, Step)>,
}

/// What is done to a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Scaled with these numbers.
    Scale(State),
    /// One coordinate a level: 1 for its own, 0 for others; all 0 for a level that was not there.
    OneHot(Vec<String>),
}

impl Preprocessing {
    /// Learns from training rows what is to be done to the columns that the schema says are used.
    pub(crate) fn learn(
        scaling: Scaling,
        needs: &Needs,
        schema: &Schema,
        table: &Table,
    ) -> Result<Self, ModelError> {
        let mut steps = Vec::new();
        for described in schema.columns.iter().filter(|column| column.used) {
            let column = table.column(&described.name)?;
            let step = match &column.data {
                ColumnData::Categories(names) if needs.only_vectors() => {
                    let mut there: Vec<String> =
                        (0..names.len()).map(|i| names.point(i).to_owned()).collect();
                    there.sort();
                    there.dedup();
                    Some(Step::OneHot(there))
                }
                ColumnData::Sparse(_) if scaling != Scaling::None => {
                    return Err(ModelError::Data(format!(
                        "column '{}' holds sparse vectors, and {scaling} would make every zero of it a number; scale \
                         the data so that zeros stay, or leave scaling out",
                        column.name
                    )));
                }
                data => match scaling.map() {
                    Some(map) => {
                        let points = numbers(&column.name, data)?;
                        points
                            .map(|points| Ok::<_, ModelError>(Step::Scale(map.fit(&points)?.state())))
                            .transpose()?
                    }
                    None => None,
                },
            };
            steps.extend(step.map(|step| (column.name.clone(), step)));
        }
        Ok(Self { scaling, steps })
    }

    /// The used columns of a table as the kernel sees them; an error names the column that is missing or different.
    pub(crate) fn apply(&self, schema: &Schema, table: &Table) -> Result<Table, ModelError> {
        let mut prepared = Table::new();
        for described in schema.columns.iter().filter(|column| column.used) {
            let found = find(described, table)?;
            let step = self.steps.iter().find(|(name, _)| *name == described.name);
            let data = match step {
                None => found,
                Some((_, step)) => self.step(step, &described.name, found)?,
            };
            prepared.push(described.name.clone(), data)?;
        }
        Ok(prepared)
    }

    fn step(&self, step: &Step, name: &str, data: ColumnData) -> Result<ColumnData, ModelError> {
        match (step, data) {
            (Step::OneHot(levels), ColumnData::Categories(names)) => one_hot(name, levels, &names),
            (Step::Scale(state), data) => {
                let (Some(map), Some(points)) = (self.scaling.map(), numbers(name, &data)?) else {
                    return Err(ModelError::Data(format!(
                        "column '{name}' holds {}, not numbers",
                        data.kind()
                    )));
                };
                let scaled = map.restore(points.dim(), state)?.apply(&points)?;
                Ok(match data {
                    ColumnData::Dense(_, names) | ColumnData::Single(_, names) => {
                        ColumnData::Dense(scaled, names)
                    }
                    _ => ColumnData::Numbers(scaled.into_values()),
                })
            }
            (Step::OneHot(_), data) => {
                Err(ModelError::Data(format!("column '{name}' holds {}, not categories", data.kind())))
            }
        }
    }
}

impl Scaling {
    fn map(self) -> Option<Box<dyn FeatureMap>> {
        match self {
            Self::None => None,
            Self::Standardize => Some(Box::new(Standardize)),
            Self::MinMax => Some(Box::new(MinMax::default())),
        }
    }
}

/// The name of the coordinate of a level.
pub(crate) fn coordinate(column: &str, level: &str) -> String {
    format!("{column}={level}")
}

fn one_hot(name: &str, levels: &[String], names: &Categories) -> Result<ColumnData, ModelError> {
    let (rows, width) = (names.len(), levels.len());
    let (needed, budget) = (8 * rows as u128 * width as u128, Budget::default());
    if !budget.allows(needed) {
        return Err(ModelError::Points(PointsError::TooLarge {
            what: format!("one coordinate for each of the {width} levels of column '{name}'"),
            needed: needed.to_string(),
            limit: budget.bytes(),
            instead: "leave the column out, or use the kernel delta on it".to_owned(),
        }));
    }
    let mut values = vec![0.0; rows * width];
    for i in 0..rows {
        if let Ok(at) = levels.binary_search_by(|level| level.as_str().cmp(names.point(i))) {
            values[i * width + at] = 1.0;
        }
    }
    let inside = levels.iter().map(|level| coordinate(name, level)).collect();
    Ok(ColumnData::Dense(Dense::new(rows, width, values)?, inside))
}

/// Numbers as points, all of them finite; none for other kinds.
fn numbers(name: &str, data: &ColumnData) -> Result<Option<Dense<f64>>, ModelError> {
    match data {
        ColumnData::Numbers(values) => {
            if let Some(row) = values.iter().position(|v| !v.is_finite()) {
                let (column, value) = (name.to_owned(), values[row]);
                return Err(ModelError::Points(if value.is_nan() {
                    PointsError::Missing { row: row + 1, column }
                } else {
                    PointsError::NotFinite { place: format!("row {}, column '{column}'", row + 1), value }
                }));
            }
            Ok(Some(Dense::new(values.len(), 1, values.clone())?))
        }
        ColumnData::Dense(points, _) => Ok(Some(points.clone())),
        ColumnData::Single(points, _) => Ok(Some(points.to_f64())),
        _ => Ok(None),
    }
}

/// The column of a new table that stands for one of the training table, in its kind.
fn find(described: &ColumnSchema, table: &Table) -> Result<ColumnData, ModelError> {
    let name = &described.name;
    let Ok(column) = table.column(name) else { return block(described, table) };
    Ok(match (&described.kind, &column.data) {
        (ColumnKind::Numbers, data @ ColumnData::Numbers(_)) => data.clone(),
        (ColumnKind::Categories(_), data @ ColumnData::Categories(_)) => data.clone(),
        (ColumnKind::Categories(_), ColumnData::Numbers(values)) => {
            ColumnData::Categories(values.iter().map(|&v| crate::target::name_of(v)).collect())
        }
        (ColumnKind::Categories(_), ColumnData::Texts(texts)) => {
            ColumnData::Categories(texts.iter().collect::<Categories>())
        }
        (ColumnKind::Texts, data @ ColumnData::Texts(_)) => data.clone(),
        (ColumnKind::Texts, ColumnData::Categories(names)) => {
            ColumnData::Texts((0..names.len()).map(|i| names.point(i)).collect::<Texts>())
        }
        (ColumnKind::Dense(names), ColumnData::Dense(points, _)) if points.dim() == names.len() => {
            ColumnData::Dense(points.clone(), names.clone())
        }
        (ColumnKind::Dense(names), ColumnData::Single(points, _)) if points.dim() == names.len() => {
            ColumnData::Single(points.clone(), names.clone())
        }
        (ColumnKind::Dense(names), ColumnData::Sparse(points)) if points.dim() <= names.len() => {
            written_out(points, names)?
        }
        (ColumnKind::Dense(names), ColumnData::Dense(points, _)) => {
            return Err(other_dimension(name, names.len(), points.dim()));
        }
        (ColumnKind::Dense(names), ColumnData::Single(points, _)) => {
            return Err(other_dimension(name, names.len(), points.dim()));
        }
        (ColumnKind::Sparse(_), data @ ColumnData::Sparse(_)) => data.clone(),
        (ColumnKind::Sparse(_), ColumnData::Dense(points, _)) => {
            ColumnData::Sparse(Sparse::from_dense(points))
        }
        (ColumnKind::Sparse(_), ColumnData::Single(points, _)) => {
            ColumnData::Sparse(Sparse::from_dense(points))
        }
        (ColumnKind::Matrix(_), data @ ColumnData::Indices(_)) => data.clone(),
        (kind, data) => {
            let (found, expected) = (data.kind(), kind.name());
            return Err(ModelError::Data(format!(
                "column '{name}' holds {found}, in training it held {expected}"
            )));
        }
    })
}

fn other_dimension(name: &str, expected: usize, found: usize) -> ModelError {
    ModelError::Data(format!("column '{name}' has {found} coordinates, in training it had {expected}"))
}

fn written_out(points: &Sparse, names: &[String]) -> Result<ColumnData, ModelError> {
    let needed = 8 * points.len() as u128 * names.len() as u128;
    if !Budget::default().allows(needed) {
        return Err(ModelError::Data(format!(
            "writing out sparse rows of {} coordinates needs {needed} bytes",
            names.len()
        )));
    }
    Ok(ColumnData::Dense(points.clone().with_dim(names.len()).to_dense(), names.to_vec()))
}

/// A block of vectors under another name, or its coordinates as single columns.
fn block(described: &ColumnSchema, table: &Table) -> Result<ColumnData, ModelError> {
    let is_block = |data: &ColumnData| {
        matches!(data, ColumnData::Dense(..) | ColumnData::Single(..) | ColumnData::Sparse(_))
    };
    let blocks: Vec<&Column> = table.columns().iter().filter(|column| is_block(&column.data)).collect();
    if described.kind == ColumnKind::Numbers
        && let Some(values) = blocks.iter().find_map(|block| coordinate_of(&block.data, &described.name))
    {
        return Ok(ColumnData::Numbers(values));
    }
    match (&described.kind, blocks.as_slice()) {
        (ColumnKind::Dense(_) | ColumnKind::Sparse(_), [one]) => {
            let mut alone = Table::new();
            alone.push(described.name.clone(), one.data.clone())?;
            find(described, &alone)
        }
        (ColumnKind::Dense(names), []) => {
            let mut columns = Vec::new();
            for name in names {
                let column = table.column(name).map_err(|_| missing(described, table))?;
                let ColumnData::Numbers(values) = &column.data else { return Err(missing(described, table)) };
                columns.push(values);
            }
            let values = (0..table.len()).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
            Ok(ColumnData::Dense(Dense::new(table.len(), names.len(), values)?, names.clone()))
        }
        (ColumnKind::Sparse(dim), []) if table.columns().len() == *dim => numbered(described, table),
        _ => Err(missing(described, table)),
    }
}

/// The coordinate of a block that has a name.
fn coordinate_of(block: &ColumnData, name: &str) -> Option<Vec<f64>> {
    let place = |names: &[String]| names.iter().position(|inside| inside == name);
    match block {
        ColumnData::Dense(points, names) => {
            let at = place(names)?;
            Some(points.rows().map(|row| row[at]).collect())
        }
        ColumnData::Single(points, names) => {
            let at = place(names)?;
            Some(points.rows().map(|row| f64::from(row[at])).collect())
        }
        _ => None,
    }
}

/// Columns of numbers, as many as there were coordinates: the coordinates in order.
fn numbered(described: &ColumnSchema, table: &Table) -> Result<ColumnData, ModelError> {
    let mut rows = vec![Vec::new(); table.len()];
    for (j, column) in table.columns().iter().enumerate() {
        let ColumnData::Numbers(values) = &column.data else { return Err(missing(described, table)) };
        rows.iter_mut().zip(values).for_each(|(row, &value)| row.push((j as u32, value)));
    }
    Ok(ColumnData::Sparse(Sparse::from_rows(table.columns().len(), rows)?))
}

fn missing(described: &ColumnSchema, table: &Table) -> ModelError {
    let hint = match table.unknown(&described.name) {
        PointsError::UnknownColumn { nearest: Some(near), .. } => format!("; is it '{near}'?"),
        PointsError::UnknownColumn { known, .. } if !known.is_empty() => {
            format!("; there are: {}", known.join(", "))
        }
        _ => String::new(),
    };
    ModelError::Data(format!(
        "the data lack the column '{}' that the model was trained on{hint}",
        described.name
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(scaling: Scaling, kernel: &str, table: &Table) -> (Preprocessing, Schema) {
        let needs = Needs::of(&kernel.parse().unwrap());
        let schema = Schema::of(table, None, |column| needs.uses(column));
        (Preprocessing::learn(scaling, &needs, &schema, table).unwrap(), schema)
    }

    fn mixed(x: &[f64], colours: &[&str]) -> Table {
        let mut table = Table::new();
        table.push("x", ColumnData::Numbers(x.to_vec())).unwrap();
        table.push("colour", ColumnData::Categories(colours.iter().collect())).unwrap();
        table
    }

    #[test]
    fn names_become_coordinates_and_a_new_one_is_all_zeros() {
        let (preprocessing, schema) = learned(Scaling::None, "rbf", &mixed(&[1.0, 2.0], &["red", "blue"]));
        let seen = preprocessing.apply(&schema, &mixed(&[3.0, 4.0], &["red", "green"])).unwrap();
        let ColumnData::Dense(points, names) = &seen.column("colour").unwrap().data else {
            panic!("encoded")
        };
        assert_eq!((points.values(), names[1].as_str()), (&[0.0, 1.0, 0.0, 0.0][..], "colour=red"));
        let (kept, _) =
            learned(Scaling::None, "rbf[x] * delta[colour]", &mixed(&[1.0, 2.0], &["red", "blue"]));
        assert!(kept.steps.is_empty());
    }

    #[test]
    fn new_rows_are_scaled_as_the_training_rows_were() {
        for (scaling, expected) in [(Scaling::Standardize, 3.0), (Scaling::MinMax, 2.0)] {
            let (preprocessing, schema) = learned(scaling, "rbf", &mixed(&[0.0, 2.0], &["a", "a"]));
            let seen = preprocessing.apply(&schema, &mixed(&[4.0], &["a"])).unwrap();
            assert_eq!(seen.column("x").unwrap().data, ColumnData::Numbers(vec![expected]));
        }
        let (constant, schema) = learned(Scaling::Standardize, "rbf[x]", &mixed(&[7.0, 7.0], &["a", "b"]));
        let seen = constant.apply(&schema, &mixed(&[7.0], &["a"])).unwrap();
        assert_eq!(seen.column("x").unwrap().data, ColumnData::Numbers(vec![0.0]));
    }

    #[test]
    fn what_lacks_is_named() {
        let (preprocessing, schema) = learned(Scaling::None, "rbf", &mixed(&[1.0], &["red"]));
        let mut other = Table::new();
        other.push("x", ColumnData::Numbers(vec![1.0])).unwrap();
        other.push("color", ColumnData::Numbers(vec![1.0])).unwrap();
        let error = preprocessing.apply(&schema, &other).unwrap_err().to_string();
        assert_eq!(error, "the data lack the column 'colour' that the model was trained on; is it 'color'?");
        other.push("colour", ColumnData::Texts(["red"].into_iter().collect())).unwrap();
        assert!(preprocessing.apply(&schema, &other).is_ok());
    }

    #[test]
    fn sparse_columns_stay_sparse() {
        let mut table = Table::new();
        table.push("features", ColumnData::Sparse(Sparse::from_rows(3, [vec![(0, 1.0)]]).unwrap())).unwrap();
        let needs = Needs::of(&"rbf".parse().unwrap());
        let schema = Schema::of(&table, None, |column| needs.uses(column));
        let error = Preprocessing::learn(Scaling::MinMax, &needs, &schema, &table).unwrap_err().to_string();
        assert!(error.contains("sparse"), "{error}");
    }
}
