//! A Gram matrix that is computed when asked, and never held.

use std::ops::Range;

use mercer_kernel::{Entry, KernelExpr, Plan, Ready, Registry, Tiles};
use mercer_points::Table;

use crate::drive::Segment;
use crate::{Crossings, Gram, GramError, Selection, Stop, drive};

/// The precision of computed entries; sums over rows are `f64` in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// `f32`: as a rule within 2e-6 of the definition (`docs/maths.md` §8), and fastest.
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

    /// Entries in `f32` between some of these points (rows) and others (columns), row after row.
    pub(crate) fn cross_rows(&self, rows: &[usize], others: &Self, out: &mut [f32]) {
        drive::rows(&Tiles::<f32>::new(&self.plan, &self.points, &others.points), rows, out);
    }

    /// Entries in `f32` between these points (rows) and others (columns): those of some rows at a time, row after row.
    pub(crate) fn cross_single(
        &self,
        others: &Self,
        stop: &Stop<'_>,
        mut take: impl FnMut(Range<usize>, &[f32]),
    ) {
        let tiles = Tiles::<f32>::new(&self.plan, &self.points, &others.points);
        let rows: Vec<usize> = (0..self.len()).collect();
        let some = self.rows_at_a_time(others.len());
        let mut out = vec![0.0; some.min(self.len()) * others.len()];
        for rows in rows.chunks(some) {
            if stop() {
                return;
            }
            let out = &mut out[..rows.len() * others.len()];
            drive::rows(&tiles, rows, out);
            take(rows[0]..rows[0] + rows.len(), out);
        }
    }

    /// How many rows of so many entries are made at a time, between two questions whether to stop.
    pub(crate) fn rows_at_a_time(&self, entries: usize) -> usize {
        let tiles = Tiles::<f32>::new(&self.plan, &self.points, &self.points);
        let rows = |most: usize| (most / entries.max(1)).max(1);
        // Texts and what a user wrote may take microseconds for each entry.
        if tiles.coordinates() == 0 {
            return rows(SLOW);
        }
        rows(CROSSED).next_multiple_of(tiles.shape().0 * rayon::current_num_threads())
    }

    /// The same matrix with [`apply`](Gram::apply) in another precision.
    pub fn in_precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// The precision of [`apply`](Gram::apply).
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// The kernel, bound to its columns.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The points, prepared.
    pub fn points(&self) -> &Ready {
        &self.points
    }

    /// Σ_j w_j k(x_i, x_j) for some rows i over other rows j. The fewer ones are packed; the others are read once each.
    fn across<T: Entry>(
        &self,
        rows: &[usize],
        (others, weights): (&[usize], Vec<f64>),
        stop: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Vec<f64>> {
        let mut out = vec![0.0; rows.len()];
        if rows.is_empty() || others.is_empty() {
            return Some(out);
        }
        let is_short = rows.len() < others.len();
        let (packed, read) = if is_short { (rows, others) } else { (others, rows) };
        let part = self.plan.part(&self.points, packed);
        let tiles = Tiles::<T>::new(&self.plan, &self.points, &part);
        let round = drive::round(&tiles) / packed.len();
        if is_short {
            // Where sums are cut must not depend on the number of threads.
            let height = round.max(1).next_multiple_of(drive::SHARES * tiles.shape().0);
            for (round, (some, weights)) in read.chunks(height).zip(weights.chunks(height)).enumerate() {
                if stop(round * height, read.len()) {
                    return None;
                }
                drive::sum_rows(&tiles, some, weights, &mut out);
            }
            return Some(out);
        }
        let height = round.max(tiles.shape().0 * rayon::current_num_threads());
        let segments = [Segment { columns: 0..packed.len(), outputs: vec![0], weights }];
        for (round, (some, out)) in read.chunks(height).zip(out.chunks_mut(height)).enumerate() {
            if stop(round * height, read.len()) {
                return None;
            }
            drive::apply(&tiles, some, &segments, out);
        }
        Some(out)
    }

    /// Σ α_j k(x_j, x_i) at some of the rows, which j and i count.
    pub(crate) fn products_among(
        &self,
        rows: &[usize],
        at: &[usize],
        alpha: &[f64],
        precision: Precision,
        stop: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Vec<f64>> {
        match precision {
            Precision::Single => self.sums::<f32>(rows, at, alpha, stop),
            Precision::Double => self.sums::<f64>(rows, at, alpha, stop),
        }
    }

    /// The same. An entry between two of these rows that have coefficients is computed once for both.
    fn sums<T: Entry>(
        &self,
        rows: &[usize],
        at: &[usize],
        alpha: &[f64],
        stop: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Vec<f64>> {
        let mut is_asked = vec![false; rows.len()];
        at.iter().for_each(|&k| is_asked[k] = true);
        let (asked, rest): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|&k| is_asked[k]);
        let (inner, outer): (Vec<usize>, Vec<usize>) = asked.iter().partition(|&&k| alpha[k] != 0.0);
        let others: Vec<usize> = rest.into_iter().filter(|&k| alpha[k] != 0.0).collect();
        let named = |places: &[usize]| places.iter().map(|&k| rows[k]).collect::<Vec<usize>>();
        let weights = |places: &[usize]| places.iter().map(|&k| alpha[k]).collect::<Vec<f64>>();
        let mut out = vec![0.0; rows.len()];
        let (a, b, c) = (inner.len(), others.len(), outer.len());
        let (square, all) = (a * a / 2, a * a / 2 + a * b + c * (a + b));
        let part = self.plan.part(&self.points, &named(&inner));
        let mut sums = vec![0.0; a];
        let within = Tiles::<T>::new(&self.plan, &part, &part);
        let done = |rows: usize| rows * a - rows * rows / 2;
        if !drive::apply_symmetric(&within, &weights(&inner), &mut sums, &|rows, _| stop(done(rows), all)) {
            return None;
        }
        inner.iter().zip(&sums).for_each(|(&k, sum)| out[k] = *sum);
        let mut add = |to: &[usize], from: &[usize], before: usize| {
            let work = to.len() * from.len();
            let stop = |done: usize, of: usize| stop(before + done * (work / of.max(1)), all);
            let sums = self.across::<T>(&named(to), (&named(from), weights(from)), &stop)?;
            to.iter().zip(sums).for_each(|(&k, sum)| out[k] += sum);
            Some(())
        };
        add(&outer, &inner, square)?;
        add(&asked, &others, square + a * c)?;
        Some(at.iter().map(|&k| out[k]).collect())
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

    /// Whether entries with these other points are computed in `f32` alone where that is asked for.
    pub fn is_single(&self, other: &Ready) -> bool {
        Tiles::<f32>::new(&self.plan, other, &self.points).is_pure()
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

/// Some of the points.
struct Selected<'a> {
    gram: &'a Lazy,
    /// Which row is at each place.
    rows: Vec<usize>,
    /// How many places count; what stands at the others was there before.
    len: usize,
    points: Ready,
}

impl Selected<'_> {
    /// Entries between all rows and these.
    fn tiles<T: Entry>(&self) -> Tiles<'_, T> {
        Tiles::new(&self.gram.plan, &self.gram.points, &self.points)
    }
}

impl Selection for Selected<'_> {
    fn arrange(&mut self, rows: &[usize]) {
        self.len = rows.len();
        if rows.len() <= self.rows.len() {
            let each = rows.iter().enumerate();
            let changes: Vec<(usize, usize)> = each
                .filter(|&(place, &row)| self.rows[place] != row)
                .map(|(place, &row)| (place, row))
                .collect();
            if changes.is_empty() || self.gram.plan.put(&mut self.points, &self.gram.points, &changes) {
                self.rows[..rows.len()].copy_from_slice(rows);
                return;
            }
        }
        let (plan, points) = (&self.gram.plan, &self.gram.points);
        // What was there goes before as much is made anew.
        self.points = plan.part(points, &[]);
        (self.rows, self.points) = (rows.to_vec(), plan.part(points, rows));
    }

    fn is_pliable(&self) -> bool {
        self.gram.plan.can_put(&self.points)
    }

    fn add_rows_single(&self, rows: &[usize], weights: &[f64], out: &mut [f64]) {
        drive::add_rows(&self.tiles::<f32>(), rows, weights, out);
    }

    fn add_rows_double(&self, rows: &[usize], weights: &[f64], out: &mut [f64]) {
        drive::add_rows(&self.tiles::<f64>(), rows, weights, out);
    }

    fn is_soon(&self) -> bool {
        drive::is_soon(&self.tiles::<f32>())
    }
}

impl Crossings for Selected<'_> {
    fn fill(&self, lines: Range<usize>, columns: Range<usize>, out: &mut [f32]) {
        let tiles = Tiles::<f32>::new(&self.gram.plan, &self.points, &self.points);
        let (rows, width): (Vec<usize>, _) = (lines.collect(), self.len);
        let (mut scratch, height) = (tiles.scratch(), tiles.shape().0);
        for (rows, out) in rows.chunks(height).zip(out.chunks_mut(height * width)) {
            drive::fill(&tiles, &mut scratch, rows, columns.clone(), &mut out[columns.start..], width);
        }
    }
}

/// Entries between two collections that are made at a time: what a cache holds.
const CROSSED: usize = 1 << 17;
/// The same of entries that may be slow.
const SLOW: usize = 1 << 12;

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

    fn selection<'a>(&'a self) -> Option<Box<dyn Selection + 'a>> {
        let points = self.plan.part(&self.points, &[]);
        Some(Box::new(Selected { gram: self, rows: Vec::new(), len: 0, points }))
    }

    fn is_cheap(&self) -> bool {
        let tiles = Tiles::<f32>::new(&self.plan, &self.points, &self.points);
        tiles.is_sparse() || (1..=CHEAP).contains(&tiles.coordinates())
    }

    fn products(&self, alpha: &[f64], stop: &dyn Fn(usize, usize) -> bool) -> Option<Vec<f64>> {
        let all: Vec<usize> = (0..self.len()).collect();
        self.products_among(&all, &all, alpha, Precision::Double, stop)
    }

    fn products_at(
        &self,
        rows: &[usize],
        alpha: &[f64],
        precision: Precision,
        stop: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Vec<f64>> {
        let all: Vec<usize> = (0..self.len()).collect();
        self.products_among(&all, rows, alpha, precision, stop)
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
