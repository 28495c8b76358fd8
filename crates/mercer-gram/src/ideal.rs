//! The Gram matrix that labels would like to see: yyᵀ (`docs/maths.md` §2).

use mercer_points::{ColumnData, PointsError};

/// Labels, as classes or as numbers to be predicted.
#[derive(Debug, Clone, PartialEq)]
pub enum Ideal {
    /// The class of every row, and the names of the classes.
    Classes {
        /// The class of every row.
        of: Vec<usize>,
        /// Their names, in order.
        names: Vec<String>,
    },
    /// Numbers less their mean, scaled so that the largest magnitude is 1.
    Numbers(Vec<f64>),
}

/// Numbers with more distinct values than this are quantities, not classes.
const CLASSES: usize = 20;

impl Ideal {
    /// Reads a target column: categories, texts or few-valued whole numbers are classes, other numbers quantities.
    ///
    /// ```
    /// use mercer_gram::Ideal;
    /// use mercer_points::ColumnData;
    /// let ideal = Ideal::of("label", &ColumnData::Numbers(vec![1.0, -1.0, 1.0])).unwrap();
    /// assert_eq!((ideal.value(0, 1), ideal.value(0, 2)), (-1.0, 1.0));
    /// ```
    pub fn of(name: &str, column: &ColumnData) -> Result<Self, PointsError> {
        match column {
            ColumnData::Numbers(values) => {
                if let Some(row) = values.iter().position(|v| !v.is_finite()) {
                    return Err(PointsError::Missing { row: row + 1, column: name.to_owned() });
                }
                let mut distinct = values.clone();
                distinct.sort_by(f64::total_cmp);
                distinct.dedup();
                if distinct.len() <= CLASSES && distinct.iter().all(|v| v.fract() == 0.0) {
                    let of = values.iter().map(|v| distinct.partition_point(|d| d < v)).collect();
                    return Ok(Self::Classes { of, names: distinct.iter().map(f64::to_string).collect() });
                }
                // Scaled before they are summed: a sum of large numbers may be beyond all bounds.
                let scale = values.iter().fold(f64::MIN_POSITIVE, |s: f64, v| s.max(v.abs()));
                let values: Vec<f64> = values.iter().map(|v| v / scale).collect();
                let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
                let largest =
                    values.iter().fold(0.0, |l: f64, v| l.max((v - mean).abs())).max(f64::MIN_POSITIVE);
                Ok(Self::Numbers(values.iter().map(|v| (v - mean) / largest).collect()))
            }
            ColumnData::Categories(names) => Ok(Self::Classes {
                of: names.codes().iter().map(|&code| code as usize).collect(),
                names: names.levels().to_vec(),
            }),
            ColumnData::Texts(texts) => {
                let names: mercer_points::Categories = texts.iter().collect();
                Self::of(name, &ColumnData::Categories(names))
            }
            other => Err(PointsError::WrongKind {
                name: name.to_owned(),
                found: other.kind(),
                needed: "one label a row",
            }),
        }
    }

    /// How many rows have a label.
    pub fn len(&self) -> usize {
        match self {
            Self::Classes { of, .. } => of.len(),
            Self::Numbers(values) => values.len(),
        }
    }

    /// Whether no row has one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Entry (i,j) of the ideal matrix: +1 within a class and −1 between classes, or the product of two numbers.
    pub fn value(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Classes { of, .. } => {
                if of[i] == of[j] {
                    1.0
                } else {
                    -1.0
                }
            }
            Self::Numbers(values) => values[i] * values[j],
        }
    }

    /// Rows with equal labels side by side, in the order of the classes or of the numbers.
    pub fn order(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.len()).collect();
        match self {
            Self::Classes { of, .. } => rows.sort_by_key(|&i| of[i]),
            Self::Numbers(values) => rows.sort_by(|&a, &b| values[a].total_cmp(&values[b])),
        }
        rows
    }

    /// Classes in order with the number of their rows; empty for numbers.
    pub fn groups(&self) -> Vec<(&str, usize)> {
        match self {
            Self::Classes { of, names } => {
                let count = |class: usize| of.iter().filter(|&&c| c == class).count();
                names.iter().enumerate().map(|(class, name)| (name.as_str(), count(class))).collect()
            }
            Self::Numbers(_) => Vec::new(),
        }
    }
}
