//! The kernel of a model, ready to run between new points and its support points.

use mercer_gram::{Lazy, Precision, Segment};
use mercer_kernel::{Plan, Ready, Registry, vectors};
use mercer_linalg::Budget;
use mercer_points::{ColumnData, Dense, Points, Table};
use rayon::prelude::*;

use crate::needs::is_matrix;
use crate::{ColumnKind, Machine, ModelError, Parts, Task};

/// The column of support points that are known by their row number alone.
pub(crate) const ROW: &str = "row";

/// Bytes that new rows may take, prepared, and their scores, and how many there are at least and at most.
const SLICE: usize = 16 << 20;
const SCORES: usize = 2 << 20;
const FEWEST: usize = 192;
const MOST: usize = 1 << 16;

/// What evaluates the kernel.
#[derive(Debug)]
pub(crate) enum Engine {
    /// Through the same tiles as in training.
    Kernel(Box<Tiled>),
    /// By looking kernel values up: new points are rows of K(new, training).
    Matrix(Matrix),
}

/// Support points, class after class where machines are for pairs of classes: a point has coefficients in the machines of
/// its class only.
#[derive(Debug)]
pub(crate) struct Tiled {
    gram: Lazy,
    /// The support point that stands at each place.
    order: Vec<usize>,
    segments: Vec<Segment>,
    /// How long the coefficients are, in units of the support points; none if single precision is not enough anyway.
    single: Option<f64>,
    /// What scores of each machine may be wrong by in single precision, for points with k(x,x) = 1; none where the kernel is
    /// not known to be psd, so that k(x,x) says nothing about its other entries.
    doubts: Option<Vec<f64>>,
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
        Ok(Self::Kernel(Box::new(Tiled::new(parts, Lazy::of(plan, points))?)))
    }

    /// Σ_j α_j k(x_j, x_i) for every row and every machine, row after row.
    pub(crate) fn products(&self, parts: &Parts, table: &Table) -> Result<Vec<f64>, ModelError> {
        self.products_by(self.slice(parts), parts, table, None)
    }

    /// The same, of which those are accurate on which an answer hangs.
    pub(crate) fn deciding(
        &self,
        parts: &Parts,
        table: &Table,
        is_settled: &Settled<'_>,
    ) -> Result<Vec<f64>, ModelError> {
        self.products_by(self.slice(parts), parts, table, Some(is_settled))
    }

    /// Rows that are prepared at a time.
    fn slice(&self, parts: &Parts) -> usize {
        let rows = match self {
            Self::Kernel(tiled) => (SLICE / (8 * tiled.gram.plan().coordinates().max(1))).clamp(FEWEST, MOST),
            Self::Matrix(_) => MOST,
        };
        let few = (SCORES / (8 * parts.machines.len().max(1))).max(FEWEST);
        rows.min(few)
    }

    /// Products with so many rows prepared at a time, which decides at most over the last bits.
    fn products_by(
        &self,
        rows: usize,
        parts: &Parts,
        table: &Table,
        is_settled: Option<&Settled<'_>>,
    ) -> Result<Vec<f64>, ModelError> {
        let machines = parts.machines.len();
        let mut out = Vec::with_capacity(table.len() * machines);
        // The same memory for all slices: new memory takes as long as scores of many machines.
        let mut all = vec![0.0; rows.min(table.len()) * machines];
        for first in (0..table.len()).step_by(rows) {
            let slice = if table.len() <= rows { table.clone() } else { table.slice(first..first + rows) };
            // Errors name rows, and a slice does not know which row of the table its first one is.
            let prepared = self.prepare(parts, &slice).map_err(|error| {
                let until = table.slice(0..first + rows);
                if first == 0 { error } else { self.prepare(parts, &until).err().unwrap_or(error) }
            })?;
            let sums = &mut all[..slice.len() * machines];
            sums.fill(0.0);
            let mut rough = None;
            match (self, &prepared) {
                (Self::Kernel(tiled), Prepared::Ready(rows)) => {
                    let mut precision = tiled.precision(rows, is_single(&slice));
                    if precision == Precision::Double {
                        let asked = is_settled.and_then(|is_settled| Some((tiled.doubts(rows)?, is_settled)));
                        rough = asked.map(|asked| (tiled, rows, asked));
                        precision = rough.map_or(precision, |_| Precision::Single);
                    }
                    tiled.gram.cross_segments(rows, &tiled.segments, precision, sums);
                }
                (_, Prepared::Values(values)) => looked_up(parts, values, sums),
                (Self::Matrix(_), Prepared::Ready(_)) => {}
            }
            for i in 0..slice.len() {
                out.extend((0..machines).map(|k| sums[k * slice.len() + i]));
            }
            if let Some((tiled, rows, asked)) = rough {
                tiled.settle(parts, rows, asked, &mut out[first * machines..]);
            }
        }
        Ok(out)
    }

    /// k(x_j, x) of one row with every support point, by the definition. `table` is as the engine wants it:
    /// see [`Engine::prepare`].
    pub(crate) fn values(&self, prepared: &Prepared, row: usize) -> Vec<f64> {
        match (self, prepared) {
            (Self::Kernel(tiled), Prepared::Ready(ready)) => {
                let (plan, support) = (tiled.gram.plan(), tiled.gram.points());
                let mut values = vec![0.0; support.len()];
                for (place, &j) in tiled.order.iter().enumerate() {
                    values[j] = plan.pair(ready, row, support, place);
                }
                values
            }
            (_, Prepared::Values(values)) => values.point(row).to_vec(),
            (Self::Matrix(_), Prepared::Ready(_)) => Vec::new(),
        }
    }

    /// k(x_i, x_j) between the rows of a table, by the definition.
    pub(crate) fn entries(&self, parts: &Parts, table: &Table) -> Result<Vec<f64>, ModelError> {
        let (Self::Kernel(tiled), Prepared::Ready(rows)) = (self, self.prepare(parts, table)?) else {
            return Err(ModelError::Data(
                "the kernel is a precomputed matrix: it says nothing about pairs of new rows".to_owned(),
            ));
        };
        let (plan, n) = (tiled.gram.plan(), table.len());
        let upper: Vec<Vec<f64>> =
            (0..n).into_par_iter().map(|i| (i..n).map(|j| plan.pair(&rows, i, &rows, j)).collect()).collect();
        Ok((0..n * n).map(|at| (at / n, at % n)).map(|(i, j)| upper[i.min(j)][i.abs_diff(j)]).collect())
    }

    /// A table made ready for [`Engine::values`].
    pub(crate) fn prepare(&self, parts: &Parts, table: &Table) -> Result<Prepared, ModelError> {
        Ok(match self {
            Self::Kernel(tiled) => {
                let prepared = parts.preprocessing.apply(&parts.schema, table)?;
                Prepared::Ready(Box::new(tiled.gram.plan().ready(&prepared)?))
            }
            Self::Matrix(matrix) => Prepared::Values(matrix.values(table)?),
        })
    }
}

/// Whether these scores of a row leave no doubt about the answer if each may be wrong by so much.
pub(crate) type Settled<'a> = dyn Fn(&[f64], &[f64]) -> bool + Sync + 'a;

/// Rows of which it pays to ask which are in doubt.
const MANY: usize = 192;

/// What an entry in single precision is thought to be wrong by, for points with k(x,x) = 1, where an answer hangs on it
/// (`docs/maths.md` §5): by itself, or together with all of its row.
const DOUBT: f64 = 3e-5;

/// What errors of entries may have in common with the signs of their coefficients.
const COMMON: f64 = 1e-7;

/// Of scores that may be wrong by more, in units of the margin, many would be looked at again.
const VAGUE: f64 = 0.25;

/// Entries in single precision are off by a millionth of the largest k(x,x). The coefficients' length times that is what
/// scores, in units of the margin, are expected to be off by: up to this many millionths, and as a rule far less.
const SHORT: f64 = 2000.0;

impl Tiled {
    fn new(parts: &Parts, gram: Lazy) -> Result<Self, ModelError> {
        let machines = &parts.machines;
        let length =
            |machine: &Machine| machine.coefficients.values().iter().map(|a| a * a).sum::<f64>().sqrt();
        let length = machines.iter().map(length).fold(0.0, f64::max);
        let diagonal = gram.points().diagonal();
        let doubt = |machine: &Machine| {
            let own = machine.coefficients.used().map(|(j, a)| a.abs() * diagonal[j].abs().sqrt());
            let (squares, sum) = own.fold((0.0, 0.0), |(squares, sum), own| (squares + own * own, sum + own));
            DOUBT * f64::sqrt(squares) + COMMON * sum
        };
        let is_psd = parts.kernel.mercer().status == mercer_kernel::Status::Psd;
        let doubts = is_psd.then(|| machines.iter().map(doubt).collect());
        // Scores that are numbers have a unit of their own.
        let single = (parts.task != Task::Numbers).then_some(length * largest(gram.points()).sqrt());
        let Some(classes) = classes(parts) else {
            let (count, support) = (machines.len(), gram.points().len());
            let bytes = size_of::<f64>() as u128 * count as u128 * support as u128;
            if !Budget::default().allows(bytes) {
                return Err(ModelError::Data(format!(
                    "{count} machines with {support} support points need {bytes} bytes of memory, more than there is"
                )));
            }
            let weights = machines.iter().flat_map(|machine| machine.coefficients.iter()).collect();
            let order: Vec<usize> = (0..gram.points().len()).collect();
            let segment =
                Segment { columns: 0..order.len(), outputs: (0..machines.len()).collect(), weights };
            return Ok(Self { gram, order, segments: vec![segment], single, doubts });
        };
        let mut order: Vec<usize> = (0..classes.len()).collect();
        order.sort_by_key(|&j| classes[j]);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &j)| place[j] = at);
        let mut segments = Vec::new();
        let mut first = 0;
        for points in order.chunk_by(|&i, &j| classes[i] == classes[j]) {
            let class = classes[points[0]];
            let of_class = |k: &usize| machines[*k].pair().is_some_and(|(a, b)| a == class || b == class);
            let outputs: Vec<usize> = (0..machines.len()).filter(of_class).collect();
            let mut weights = vec![0.0; outputs.len() * points.len()];
            for (&k, weights) in outputs.iter().zip(weights.chunks_exact_mut(points.len())) {
                for (j, alpha) in machines[k].coefficients.used().filter(|(j, _)| classes[*j] == class) {
                    weights[place[j] - first] = alpha;
                }
            }
            segments.push(Segment { columns: first..first + points.len(), outputs, weights });
            first += points.len();
        }
        Ok(Self { gram: gram.part(&order), order, segments, single, doubts })
    }

    /// The precision that scores of rows want, which are given in single precision or not.
    fn precision(&self, rows: &Ready, single: bool) -> Precision {
        let length = self.single.filter(|_| single).map(|length| length * largest(rows).sqrt());
        if length.is_some_and(|length| length <= SHORT) { Precision::Single } else { Precision::Double }
    }

    /// What scores of these rows in single precision may be wrong by, if it is likely to pay to have them first and to ask
    /// which rows are in doubt.
    fn doubts(&self, rows: &Ready) -> Option<&[f64]> {
        let doubts = self.doubts.as_deref()?;
        let most = doubts.iter().fold(0.0, |most: f64, &doubt| most.max(doubt)) * largest(rows).sqrt();
        (rows.len() >= MANY && most <= VAGUE && self.gram.is_single(rows)).then_some(doubts)
    }

    /// Makes those products accurate, row after row, on which an answer hangs.
    fn settle(
        &self,
        parts: &Parts,
        rows: &Ready,
        (doubts, is_settled): (&[f64], &Settled<'_>),
        products: &mut [f64],
    ) {
        let machines = &parts.machines;
        let is_open = |(scores, within): &mut (Vec<f64>, Vec<f64>), (row, products): (usize, &[f64])| {
            scores.clear();
            scores.extend(products.iter().zip(machines).map(|(product, machine)| product + machine.bias));
            let own = rows.diagonal()[row].abs().sqrt();
            within.clear();
            within.extend(
                doubts.iter().zip(products).map(|(doubt, product)| own * doubt + DOUBT * product.abs()),
            );
            (!is_settled(scores, within)).then_some(row)
        };
        let each = products.par_chunks_exact(machines.len()).enumerate();
        let open: Vec<usize> =
            each.map_init(<(Vec<f64>, Vec<f64>)>::default, is_open).flatten_iter().collect();
        let few = self.gram.plan().part(rows, &open);
        let mut again = vec![0.0; machines.len() * open.len()];
        self.gram.cross_segments(&few, &self.segments, Precision::Double, &mut again);
        for (at, &row) in open.iter().enumerate() {
            let products = &mut products[row * machines.len()..(row + 1) * machines.len()];
            let again = again[at..].iter().step_by(open.len());
            products.iter_mut().zip(again).for_each(|(product, again)| *product = *again);
        }
    }
}

/// Products from kernel values with all support points, machine after machine.
fn looked_up(parts: &Parts, values: &Dense<f64>, out: &mut [f64]) {
    for (machine, out) in parts.machines.iter().zip(out.chunks_mut(values.len().max(1))) {
        for (row, out) in values.rows().zip(out) {
            *out = machine.coefficients.used().map(|(j, a)| a * row[j]).sum();
        }
    }
}

/// The largest k(x,x), not below 1.
fn largest(points: &Ready) -> f64 {
    points.diagonal().iter().fold(1.0, |largest: f64, k| largest.max(k.abs()))
}

/// The class of each support point, read off the signs of its coefficients; none unless all machines are for pairs and
/// every coefficient fits.
fn classes(parts: &Parts) -> Option<Vec<usize>> {
    let mut classes = vec![None; parts.points.len()];
    for machine in &parts.machines {
        let (positive, negative) = machine.pair()?;
        for (place, alpha) in machine.coefficients.used() {
            let own = if alpha > 0.0 { positive } else { negative };
            if *classes[place].get_or_insert(own) != own {
                return None;
            }
        }
    }
    classes.into_iter().collect()
}

/// Whether all vectors of a table are in single precision.
fn is_single(table: &Table) -> bool {
    let mut vectors = table.columns().iter().filter(|column| column.data.is_numeric()).peekable();
    vectors.peek().is_some() && vectors.all(|column| matches!(column.data, ColumnData::Single(..)))
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
    use mercer_points::{ColumnData, Points, Table};

    use crate::{Learner, Multiclass, Outcome, Setting, Spec, Training, fit};

    /// Points between the rows of two tables, so far from the first.
    fn between(a: &Table, b: &Table, parts: &[f64]) -> Table {
        let mut table = Table::new();
        for (a, b) in a.columns().iter().zip(b.columns()) {
            let (ColumnData::Numbers(from), ColumnData::Numbers(to)) = (&a.data, &b.data) else {
                continue;
            };
            let numbers = from.iter().zip(to).zip(parts).map(|((a, b), part)| a + part * (b - a)).collect();
            table.push(a.name.clone(), ColumnData::Numbers(numbers)).unwrap();
        }
        table
    }

    #[test]
    fn answers_are_those_of_accurate_scores_as_near_to_a_boundary_as_can_be() {
        for (name, kernel) in [
            ("@moons(n=600)", "rbf(sigma=0.3)"),
            ("@moons(n=600)", "poly(degree=3, offset=1)"),
            ("@vowel", "rbf(sigma=1)@standardize"),
            // Distances from inner products, near the limit of what these allow.
            ("@moons(n=600)", "rbf(gamma=3)@fourier(kernel=rbf(sigma=0.3), m=200, seed=1)"),
            // Not psd: k(x,x) says nothing about other entries.
            ("@moons(n=600)", "sigmoid(gamma=1, offset=-1)@unit"),
            ("@moons(n=600)", "poly(degree=3, gamma=100, offset=-100)"),
        ] {
            let mut table = mercer_points::read(name, &Default::default()).unwrap();
            let target = table.remove("label").unwrap();
            let plain = Spec::new(kernel.parse().unwrap(), Learner::Smo);
            let spec = Spec { multiclass: Multiclass::OneVsOne, ..plain };
            let model = fit(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
            let classes = |table: &Table| match model.predict(table).unwrap().outcome {
                Outcome::Classes(classes) => classes,
                outcome => panic!("{outcome:?}"),
            };
            let rows = table.len();
            let other = table.select(&(0..rows).map(|i| (i + rows / 2) % rows).collect::<Vec<_>>());
            let first = classes(&table);
            // From each row towards another one, to where the class changes first or later.
            let (mut low, mut high) = (vec![0.0; rows], vec![1.0; rows]);
            for round in 0..60 {
                let parts: Vec<f64> = low.iter().zip(&high).map(|(low, high)| (low + high) / 2.0).collect();
                let points = between(&table, &other, &parts);
                let found = classes(&points);
                assert_eq!(
                    model.answers(&points).unwrap(),
                    Outcome::Classes(found.clone()),
                    "{kernel}, {round}"
                );
                for i in 0..rows {
                    *(if found[i] == first[i] { &mut low[i] } else { &mut high[i] }) = parts[i];
                }
            }
            let rough = model.deciding_scores(&table).unwrap();
            let apart = rough.iter().zip(model.scores(&table).unwrap()).map(|(a, b)| (a - b).abs());
            let apart = apart.fold(0.0, f64::max);
            let is_psd = model.parts().kernel.mercer().status == mercer_kernel::Status::Psd;
            assert!(if is_psd { (1e-9..1e-3).contains(&apart) } else { apart == 0.0 }, "{kernel}: {apart:e}");
        }
    }

    #[test]
    fn no_bit_depends_on_how_many_rows_are_prepared_at_a_time() {
        let mut table = mercer_points::read("@moons(n=230)", &Default::default()).unwrap();
        let target = table.remove("label").unwrap();
        for kernel in ["rbf(sigma=0.3)", "poly(degree=2) + rbf@standardize", "linear@nystrom(m=5)"] {
            let spec = Spec::new(kernel.parse().unwrap(), Learner::Smo);
            let model = fit(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
            let products = |rows| model.engine().products_by(rows, model.parts(), &table, None).unwrap();
            let whole = products(1000);
            assert_eq!(whole.len(), 230);
            for rows in [1, 7, 48, 229, 230] {
                assert_eq!(products(rows), whole, "{kernel}, {rows} rows");
            }
        }
    }
}
