//! The kernel of a model, ready to run between new points and its support points.

use mercer_gram::{Lazy, Precision};
use mercer_kernel::{Plan, Registry, vectors};
use mercer_points::{ColumnData, Dense, Points, Table};

use crate::needs::is_matrix;
use crate::{ColumnKind, ModelError, Parts};

/// The column of support points that are known by their row number alone.
pub(crate) const ROW: &str = "row";

/// Bytes that new rows may take, prepared, and how many there are at least and at most.
const SLICE: usize = 16 << 20;
const FEWEST: usize = 192;
const MOST: usize = 1 << 16;

/// What evaluates the kernel.
#[derive(Debug)]
pub(crate) enum Engine {
    /// Through the same tiles as in training, in double precision.
    Kernel(Box<Lazy>),
    /// By looking kernel values up: new points are rows of K(new, training).
    Matrix(Matrix),
}

/// Support points of a precomputed matrix.
#[derive(Debug)]
pub(crate) struct Matrix {
    /// Names of the training rows, where the columns of the matrix had names.
    names: Vec<String>,
    /// Columns that the support points stand in.
    columns: Vec<usize>,
}

impl Engine {
    pub(crate) fn new(parts: &Parts, registry: &Registry) -> Result<Self, ModelError> {
        if is_matrix(&parts.kernel) {
            return Matrix::new(parts).map(Self::Matrix);
        }
        let plan = match &parts.plan {
            Some(state) => Plan::restore(&parts.kernel, &parts.points, registry, state)?,
            None => Plan::compile(&parts.kernel, &parts.points, registry)?,
        };
        let points = plan.ready(&parts.points)?;
        Ok(Self::Kernel(Box::new(Lazy::of(plan, points).in_precision(Precision::Double))))
    }

    /// Σ_j α_j k(x_j, x_i) for every row and every machine, row after row.
    pub(crate) fn products(&self, parts: &Parts, table: &Table) -> Result<Vec<f64>, ModelError> {
        let rows = match self {
            Self::Kernel(gram) => (SLICE / (8 * gram.plan().coordinates().max(1))).clamp(FEWEST, MOST),
            Self::Matrix(_) => MOST,
        };
        self.products_by(rows, parts, table)
    }

    /// The same with so many rows prepared at a time, of which no bit depends.
    fn products_by(&self, rows: usize, parts: &Parts, table: &Table) -> Result<Vec<f64>, ModelError> {
        let machines = parts.machines.len();
        let alphas: Vec<f64> =
            parts.machines.iter().flat_map(|machine| machine.coefficients.iter().copied()).collect();
        let mut out = Vec::with_capacity(table.len() * machines);
        for first in (0..table.len()).step_by(rows) {
            let slice = if table.len() <= rows { table.clone() } else { table.slice(first..first + rows) };
            // Errors name rows, and a slice does not know which row of the table its first one is.
            let prepared = self.prepare(parts, &slice).map_err(|error| {
                let until = table.slice(0..first + rows);
                if first == 0 { error } else { self.prepare(parts, &until).err().unwrap_or(error) }
            })?;
            let mut sums = vec![0.0; slice.len() * machines];
            self.multiply(&prepared, &alphas, &mut sums);
            for i in 0..slice.len() {
                out.extend((0..machines).map(|k| sums[k * slice.len() + i]));
            }
        }
        Ok(out)
    }

    /// Products of prepared rows, machine after machine.
    fn multiply(&self, prepared: &Prepared, alphas: &[f64], out: &mut [f64]) {
        match (self, prepared) {
            (Self::Kernel(gram), Prepared::Ready(rows)) => gram.cross_apply(rows, alphas, out),
            (_, Prepared::Values(values)) => {
                let sides = alphas.chunks(values.dim().max(1)).zip(out.chunks_mut(values.len().max(1)));
                for (alpha, out) in sides {
                    for (row, out) in values.rows().zip(out) {
                        *out = alpha.iter().zip(row).map(|(a, k)| a * k).sum();
                    }
                }
            }
            (Self::Matrix(_), Prepared::Ready(_)) => {}
        }
    }

    /// k(x_j, x) of one row with every support point, by the definition. `table` is as the engine wants it:
    /// see [`Engine::prepare`].
    pub(crate) fn values(&self, prepared: &Prepared, row: usize) -> Vec<f64> {
        match (self, prepared) {
            (Self::Kernel(gram), Prepared::Ready(ready)) => {
                let support = gram.points();
                (0..support.len()).map(|j| gram.plan().pair(ready, row, support, j)).collect()
            }
            (_, Prepared::Values(values)) => values.point(row).to_vec(),
            (Self::Matrix(_), Prepared::Ready(_)) => Vec::new(),
        }
    }

    /// A table made ready for [`Engine::values`].
    pub(crate) fn prepare(&self, parts: &Parts, table: &Table) -> Result<Prepared, ModelError> {
        Ok(match self {
            Self::Kernel(gram) => {
                let prepared = parts.preprocessing.apply(&parts.schema, table)?;
                Prepared::Ready(Box::new(gram.plan().ready(&prepared)?))
            }
            Self::Matrix(matrix) => Prepared::Values(matrix.values(table)?),
        })
    }
}

/// New points, ready for single kernel values.
pub(crate) enum Prepared {
    Ready(Box<mercer_kernel::Ready>),
    Values(Dense<f64>),
}

impl Matrix {
    fn new(parts: &Parts) -> Result<Self, ModelError> {
        let mut names = Vec::new();
        for column in parts.schema.columns.iter().filter(|column| column.used) {
            match &column.kind {
                ColumnKind::Numbers => names.push(column.name.clone()),
                ColumnKind::Dense(inside) => names.extend(inside.iter().cloned()),
                ColumnKind::Sparse(count) | ColumnKind::Matrix(count) if *count <= MOST_COLUMNS => {
                    names.extend((1..=*count).map(|j| j.to_string()));
                }
                kind => {
                    return Err(ModelError::Data(format!("{} cannot be columns of a matrix", kind.name())));
                }
            }
        }
        let wrong =
            || ModelError::Data("the support points of a precomputed matrix are numbers of its rows".into());
        let ColumnData::Numbers(rows) = &parts.points.column(ROW)?.data else { return Err(wrong()) };
        let column = |row: &f64| {
            let at = *row as usize;
            (at as f64 == *row && at < names.len()).then_some(at)
        };
        let columns = rows.iter().map(column).collect::<Option<Vec<_>>>().ok_or_else(wrong)?;
        Ok(Self { names, columns })
    }

    /// K(new, support): the table has a column for each training row, by name or in order.
    fn values(&self, table: &Table) -> Result<Dense<f64>, ModelError> {
        let taken = |row: &[f64], at: &[usize]| at.iter().map(|&j| row[j]).collect::<Vec<f64>>();
        let indices = table.columns().iter().find_map(|column| match &column.data {
            ColumnData::Indices(rows) => Some(rows),
            _ => None,
        });
        if let Some(rows) = indices.filter(|rows| rows.matrix().dim() == self.names.len()) {
            let row = |i: usize| taken(rows.matrix().point(rows.point(i)), &self.columns);
            let values = (0..rows.len()).flat_map(row).collect();
            return Ok(Dense::new(rows.len(), self.columns.len(), values)?);
        }
        let (points, names) = vectors(table)?;
        let place = |&column: &usize| names.iter().position(|name| *name == self.names[column]);
        let by_name = self.columns.iter().map(place).collect::<Option<Vec<_>>>();
        let at = match by_name {
            Some(at) => at,
            None if names.len() == self.names.len() => self.columns.clone(),
            None => {
                return Err(ModelError::Data(format!(
                    "the kernel is a precomputed matrix: the data need {} columns, the kernel values with every training \
                     row, but there are {}",
                    self.names.len(),
                    names.len()
                )));
            }
        };
        let values = points.rows().flat_map(|row| taken(row, &at)).collect();
        Ok(Dense::new(points.len(), at.len(), values)?)
    }
}

/// A matrix of more rows could not have been stored.
const MOST_COLUMNS: usize = 1 << 24;

#[cfg(test)]
mod tests {
    use crate::{Learner, Setting, Spec, Training, fit};

    #[test]
    fn no_bit_depends_on_how_many_rows_are_prepared_at_a_time() {
        let mut table = mercer_points::read("@moons(n=230)", &Default::default()).unwrap();
        let target = table.remove("label").unwrap();
        for kernel in ["rbf(sigma=0.3)", "poly(degree=2) + rbf@standardize", "linear@nystrom(m=5)"] {
            let spec = Spec::new(kernel.parse().unwrap(), Learner::Smo);
            let model = fit(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
            let products = |rows| model.engine().products_by(rows, model.parts(), &table).unwrap();
            let whole = products(1000);
            assert_eq!(whole.len(), 230);
            for rows in [1, 7, 48, 229, 230] {
                assert_eq!(products(rows), whole, "{kernel}, {rows} rows");
            }
        }
    }
}
