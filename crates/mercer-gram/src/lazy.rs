//! A Gram matrix that is computed when asked, and never held.

use mercer_kernel::{Entry, KernelExpr, Plan, Ready, Registry, Tiles};
use mercer_points::Table;

use crate::drive::Segment;
use crate::{Gram, GramError, Stop, Wanted, drive};

/// The precision of computed entries; sums over rows are `f64` in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// `f32`: within 2e-6 of the definition, and fastest.
    #[default]
    Single,
    /// `f64`: for certificates and checks.
    Double,
}

/// Kernel values between points, computed block by block.
///
/// ```
/// use mercer_gram::{Gram, Lazy};
/// use mercer_points::{ReadOptions, read};
/// let mut table = read("@moons(n=100)", &ReadOptions::default()).unwrap();
/// table.remove("label").unwrap();
/// let gram = Lazy::new(&"rbf(sigma=0.5)".parse().unwrap(), &table).unwrap();
/// let mut sums = vec![0.0; 100];
/// gram.apply(&vec![1.0; 100], &mut sums);
/// assert!(sums.iter().all(|&s| s >= 1.0 && s <= 100.0));
/// ```
#[derive(Debug)]
pub struct Lazy {
    plan: Plan,
    points: Ready,
    precision: Precision,
}

impl Lazy {
    /// The Gram matrix of a kernel on the rows of a table (without the target).
    pub fn new(kernel: &KernelExpr, table: &Table) -> Result<Self, GramError> {
        Self::with(kernel, table, &Registry::new())
    }

    /// The same for expressions with registered names.
    pub fn with(kernel: &KernelExpr, table: &Table, registry: &Registry) -> Result<Self, GramError> {
        let plan = Plan::compile(kernel, table, registry)?;
        let points = plan.ready(table)?;
        let gram = Self { plan, points, precision: Precision::default() };
        // A named kernel is symmetric by its formula and a registered one by the user's word; a matrix is neither.
        if kernel.uses("precomputed") {
            gram.check_symmetric()?;
        }
        Ok(gram)
    }

    /// The Gram matrix of a plan that exists already on points that were readied for it.
    pub fn of(plan: Plan, points: Ready) -> Self {
        Self { plan, points, precision: Precision::default() }
    }

    /// An error where an entry and its mirror image differ by more than rounding.
    fn check_symmetric(&self) -> Result<(), GramError> {
        match self.asymmetry(1) {
            (off, Some((i, j))) if self.is_skew(off) => Err(GramError::NotSymmetric {
                row: i + 1,
                column: j + 1,
                there: self.entry(i, j),
                back: self.entry(j, i),
            }),
            _ => Ok(()),
        }
    }

    /// Largest |K_ij − K_ji| by the definition, and where, over every `step`-th row.
    pub(crate) fn asymmetry(&self, step: usize) -> (f64, Option<(usize, usize)>) {
        let mut worst = (0.0, None);
        for i in (0..self.len()).step_by(step) {
            for j in (0..i).step_by(step) {
                let off = (self.entry(i, j) - self.entry(j, i)).abs();
                if off > worst.0 || off.is_nan() {
                    worst = (off, Some((i, j)));
                }
            }
        }
        worst
    }

    /// Whether a difference between mirror images is more than rounding.
    pub(crate) fn is_skew(&self, off: f64) -> bool {
        let scale = self.points.diagonal().iter().fold(0.0, |scale: f64, v| scale.max(v.abs()));
        off > 1e-10 * scale.max(f64::MIN_POSITIVE)
    }

    /// The matrix of some of the rows, in the given order.
    pub fn part(&self, rows: &[usize]) -> Self {
        let points = self.plan.part(&self.points, rows);
        Self { plan: self.plan.clone(), points, precision: self.precision }
    }

    /// Entries in `f32` between these points (rows) and others (columns), row after row; of no use once `stop` has said so.
    pub(crate) fn cross_single(&self, others: &Self, out: &mut [f32], stop: &Stop<'_>) {
        let tiles = Tiles::<f32>::new(&self.plan, &self.points, &others.points);
        let rows: Vec<usize> = (0..self.len()).collect();
        let some = (drive::round(&tiles) / others.len().max(1)).max(tiles.shape().0);
        for (rows, out) in rows.chunks(some).zip(out.chunks_mut((some * others.len()).max(1))) {
            if stop() {
                return;
            }
            drive::rows(&tiles, rows, out);
        }
    }

    /// The same matrix with [`apply`](Gram::apply) in another precision.
    pub fn in_precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// The kernel, bound to its columns.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The points, prepared.
    pub fn points(&self) -> &Ready {
        &self.points
    }

    /// Σ α_j k(x_j, x_i) for some of the rows, which j and i count, as [`Gram::products`] has it for all: entries between
    /// support rows are computed once, others for each row with the support rows side by side.
    pub(crate) fn products_among(
        &self,
        rows: &[usize],
        alpha: &[f64],
        wanted: Option<&Wanted<'_>>,
        stop: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Vec<f64>> {
        let (support, others): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|&k| alpha[k] != 0.0);
        let weights: Vec<f64> = support.iter().map(|&k| alpha[k]).collect();
        let part = self.plan.part(&self.points, &support.iter().map(|&k| rows[k]).collect::<Vec<_>>());
        let mut out = vec![0.0; rows.len()];
        let mut sums = vec![0.0; support.len()];
        // Half of the entries between support rows are the other half.
        let all = support.len() / 2 + others.len();
        let within = Tiles::<f64>::new(&self.plan, &part, &part);
        if !drive::apply_symmetric(&within, &weights, &mut sums, &|done, _| stop(done / 2, all)) {
            return None;
        }
        support.iter().zip(&sums).for_each(|(&k, sum)| out[k] = *sum);
        let others = wanted.map_or(others, |wanted| wanted(&out));
        let at: Vec<usize> = others.iter().map(|&k| rows[k]).collect();
        let stop = |done: usize, _: usize| stop(support.len() / 2 + done, support.len() / 2 + at.len());
        let sums = self.across::<f64>(&at, &part, weights, &stop)?;
        others.iter().zip(sums).for_each(|(&k, sum)| out[k] = sum);
        Some(out)
    }

    /// Σ_j w_j k(x_i, z_j) for some rows i and other points z.
    fn across<T: Entry>(
        &self,
        rows: &[usize],
        others: &Ready,
        weights: Vec<f64>,
        stop: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Vec<f64>> {
        let tiles = Tiles::<T>::new(&self.plan, &self.points, others);
        let segments = [Segment { columns: 0..others.len(), outputs: vec![0], weights }];
        let least = tiles.shape().0 * rayon::current_num_threads();
        let height = (drive::round(&tiles) / others.len().max(1)).max(least);
        let mut out = vec![0.0; rows.len()];
        for (round, (some, out)) in rows.chunks(height).zip(out.chunks_mut(height)).enumerate() {
            if stop(round * height, rows.len()) {
                return None;
            }
            drive::apply(&tiles, some, &segments, out);
        }
        Some(out)
    }

    /// Σ α_j k(x_j, x_i) at some of the rows, which j and i count.
    pub(crate) fn products_at_among(
        &self,
        rows: &[usize],
        at: &[usize],
        alpha: &[f64],
        precision: Precision,
        stop: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Vec<f64>> {
        let support: Vec<usize> = (0..rows.len()).filter(|&k| alpha[k] != 0.0).collect();
        let weights: Vec<f64> = support.iter().map(|&k| alpha[k]).collect();
        let part = self.plan.part(&self.points, &support.iter().map(|&k| rows[k]).collect::<Vec<_>>());
        let at: Vec<usize> = at.iter().map(|&k| rows[k]).collect();
        match precision {
            Precision::Single => self.across::<f32>(&at, &part, weights, stop),
            Precision::Double => self.across::<f64>(&at, &part, weights, stop),
        }
    }

    /// Kernel values between other points (rows) and these (columns) times vectors: prediction.
    pub fn cross_apply(&self, other: &Ready, vectors: &[f64], out: &mut [f64]) {
        let columns = 0..self.len();
        let outputs = (0..vectors.len() / self.len().max(1)).collect();
        let segment = Segment { columns, outputs, weights: vectors.to_vec() };
        self.cross_segments(other, &[segment], self.precision, out);
    }

    /// The same where columns have weights for some of the outputs only; segments follow each other.
    pub fn cross_segments(&self, other: &Ready, segments: &[Segment], precision: Precision, out: &mut [f64]) {
        let rows: Vec<usize> = (0..other.len()).collect();
        match precision {
            Precision::Single => {
                drive::apply(&Tiles::<f32>::new(&self.plan, other, &self.points), &rows, segments, out)
            }
            Precision::Double => {
                drive::apply(&Tiles::<f64>::new(&self.plan, other, &self.points), &rows, segments, out)
            }
        }
    }

    /// K·V without using the symmetry: twice the work of [`apply`](Gram::apply), for comparison.
    pub fn apply_plain(&self, vectors: &[f64], out: &mut [f64]) {
        self.cross_apply(&self.points, vectors, out);
    }

    /// Every entry of a symmetric matrix, row after row; of no use once `stop` has said so.
    pub(crate) fn store_single(&self, out: &mut [f32], stop: &Stop<'_>) {
        drive::store(&Tiles::<f32>::new(&self.plan, &self.points, &self.points), out, stop);
    }

    /// Every entry of a symmetric matrix, row after row.
    pub(crate) fn store_double(&self, out: &mut [f64]) {
        drive::store(&Tiles::<f64>::new(&self.plan, &self.points, &self.points), out, &|| false);
    }
}

/// Up to so many coordinates an entry is computed in less time than memory that is new takes to be written.
const CHEAP: usize = 160;

impl Gram for Lazy {
    fn len(&self) -> usize {
        self.points.len()
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.plan.pair(&self.points, i, &self.points, j)
    }

    fn diagonal(&self, out: &mut [f64]) {
        out.copy_from_slice(self.points.diagonal());
    }

    fn rows_single(&self, rows: &[usize], out: &mut [f32]) {
        drive::rows(&Tiles::<f32>::new(&self.plan, &self.points, &self.points), rows, out);
    }

    fn rows_double(&self, rows: &[usize], out: &mut [f64]) {
        drive::rows(&Tiles::<f64>::new(&self.plan, &self.points, &self.points), rows, out);
    }

    fn add_rows_single(&self, rows: &[usize], weights: &[f64], out: &mut [f64]) {
        drive::add_rows(&Tiles::<f32>::new(&self.plan, &self.points, &self.points), rows, weights, out);
    }

    fn add_rows_double(&self, rows: &[usize], weights: &[f64], out: &mut [f64]) {
        drive::add_rows(&Tiles::<f64>::new(&self.plan, &self.points, &self.points), rows, weights, out);
    }

    fn square_single(&self, rows: &[usize], out: &mut [f32], stop: &Stop<'_>) {
        let part = self.plan.part(&self.points, rows);
        drive::store(&Tiles::<f32>::new(&self.plan, &part, &part), out, stop);
    }

    fn square_double(&self, rows: &[usize], out: &mut [f64], stop: &Stop<'_>) {
        let part = self.plan.part(&self.points, rows);
        drive::store(&Tiles::<f64>::new(&self.plan, &part, &part), out, stop);
    }

    fn narrowed<'a>(&'a self, rows: &[usize]) -> Option<Box<dyn Gram + 'a>> {
        Some(Box::new(self.part(rows)))
    }

    fn is_cheap(&self) -> bool {
        let tiles = Tiles::<f32>::new(&self.plan, &self.points, &self.points);
        tiles.is_sparse() || (1..=CHEAP).contains(&tiles.coordinates())
    }

    fn products(&self, alpha: &[f64], stop: &dyn Fn(usize, usize) -> bool) -> Option<Vec<f64>> {
        let rows: Vec<usize> = (0..self.len()).collect();
        self.products_among(&rows, alpha, None, stop)
    }

    fn products_where(
        &self,
        alpha: &[f64],
        wanted: &Wanted<'_>,
        stop: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Vec<f64>> {
        let rows: Vec<usize> = (0..self.len()).collect();
        self.products_among(&rows, alpha, Some(wanted), stop)
    }

    fn products_at(
        &self,
        rows: &[usize],
        alpha: &[f64],
        precision: Precision,
        stop: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Vec<f64>> {
        let all: Vec<usize> = (0..self.len()).collect();
        self.products_at_among(&all, rows, alpha, precision, stop)
    }

    fn apply(&self, vectors: &[f64], out: &mut [f64]) {
        let (plan, points) = (&self.plan, &self.points);
        match self.precision {
            Precision::Single => {
                drive::apply_symmetric(&Tiles::<f32>::new(plan, points, points), vectors, out, &|_, _| false)
            }
            Precision::Double => {
                drive::apply_symmetric(&Tiles::<f64>::new(plan, points, points), vectors, out, &|_, _| false)
            }
        };
    }
}
