//! What a plan needs of a collection, worked out once and shared by all tiles.

use std::any::Any;
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mercer_linalg::{Base, Panels, SparseRows};
use mercer_points::{Dense, Points, SparseRow, Table, Texts};
use rayon::prelude::*;

use super::block::{Block, SOME};
use super::packs::{HasPackings, Loose, PACKED, Packings};
use super::view::View;
use super::{LeafKernel, Plan};
use crate::KernelError;
use crate::info::Domain;
use crate::kernels::{KERNELS, Kernel};

/// A collection of points, prepared for one [`Plan`].
#[derive(Debug)]
pub struct Ready {
    id: u64,
    len: usize,
    views: Vec<ReadyView>,
    foreign: Vec<Option<Box<dyn Any + Send + Sync>>>,
    normalizers: Vec<Vec<f64>>,
    diagonal: Vec<f64>,
    /// Whether kernel values of points with themselves, which bound all others, are beyond the range of `f32`.
    pub(super) is_extreme: bool,
    packed: usize,
}

/// A view with the packed forms that tiles have asked for so far.
#[derive(Debug)]
pub(super) struct ReadyView {
    pub(super) view: View,
    center: Vec<f64>,
    /// Largest ‖x‖² as given and after centring: what rounding errors of distances are proportional to.
    pub(super) largest: f64,
    pub(super) largest_centered: f64,
    /// The most that a sparse point stores.
    pub(super) stored: usize,
    /// Whether inner products of the points as given are exact in `f32`.
    pub(super) exact: bool,
    pub(super) single: Packings<f32>,
    pub(super) double: Packings<f64>,
}

impl ReadyView {
    fn new(view: View, center: Vec<f64>) -> Self {
        let (largest, largest_centered) = match &view {
            View::Dense(points) => points.block().largest(&center),
            View::Sparse(points) => {
                let square = |row: SparseRow<'_>| row.values.iter().map(|v| v * v).sum::<f64>();
                let largest = points.rows().map(square).fold(0.0, f64::max);
                (largest, largest)
            }
            _ => (0.0, 0.0),
        };
        let stored = match &view {
            View::Sparse(points) => points.rows().map(|row| row.values.len()).max().unwrap_or(0),
            _ => 0,
        };
        let exact = match &view {
            View::Dense(points) => largest <= INTEGERS && is_integral(points.block()),
            _ => false,
        };
        Self {
            view,
            center,
            largest,
            largest_centered,
            stored,
            exact,
            single: Packings::default(),
            double: Packings::default(),
        }
    }

    /// Puts points of another dense view, of which this one is a part, at some places.
    fn put(&mut self, whole: &Self, changes: &[(usize, usize)]) {
        let (View::Dense(points), View::Dense(others)) = (&mut self.view, &whole.view) else {
            unreachable!("only dense views are changed in place")
        };
        points.put(others, changes);
        let places: Vec<usize> = changes.iter().map(|change| change.0).collect();
        let read =
            |loose: Loose<'_>, k: usize, first: usize, out: &mut [f64]| loose.read(changes[k].1, first, out);
        for (centered, single, double) in [
            (false, &mut self.single.raw, &mut self.double.raw),
            (true, &mut self.single.centered, &mut self.double.centered),
        ] {
            let loose = whole.loose(centered);
            if let Some(panels) = single.get_mut() {
                panels.put(&places, |k, first, out| read(loose, k, first, out));
            }
            if let Some(panels) = double.get_mut() {
                panels.put(&places, |k, first, out| read(loose, k, first, out));
            }
        }
    }

    /// Dense points as given, to be shifted by the training mean or not.
    pub(super) fn loose(&self, centered: bool) -> Loose<'_> {
        let View::Dense(points) = &self.view else { unreachable!("only dense views are packed") };
        Loose { points, center: centered.then_some(self.center.as_slice()) }
    }

    /// Dense points for the tile, shifted by the training mean or not.
    pub(super) fn panels<T: HasPackings>(&self, centered: bool) -> &Panels<T> {
        let (packings, loose) = (T::packings(self), self.loose(centered));
        let kept = if centered { &packings.centered } else { &packings.raw };
        kept.get_or_init(|| {
            Panels::pack(loose.points.len(), loose.points.dim(), |i, first, out| loose.read(i, first, out))
        })
    }

    /// Sparse points for the tile.
    pub(super) fn sparse_rows<T: HasPackings>(&self) -> &SparseRows<T> {
        let View::Sparse(points) = &self.view else { unreachable!("only sparse views have sparse rows") };
        T::packings(self)
            .rows
            .get_or_init(|| SparseRows::new(points.dim(), points.starts(), points.indices(), points.values()))
    }

    /// Base values against the origin.
    pub(super) fn sparse_sums<T: HasPackings>(&self, base: Base) -> Arc<Vec<T>> {
        let mut sums = T::packings(self).sums.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        sums.entry(base).or_insert_with(|| Arc::new(self.sparse_rows::<T>().sums(base))).clone()
    }
}

/// Up to here every integer is a number in `f32`. An inner product of integers is one, and so is every sum on the way to
/// it: none is larger than the product of the lengths.
const INTEGERS: f64 = 16_777_216.0;

/// Whether all coordinates are integers, as categories and counts are.
fn is_integral(points: &Block) -> bool {
    let is_so = |space: &mut Vec<f64>, i: usize| points.row(i, space).iter().all(|v| v.fract() == 0.0);
    (0..points.len()).into_par_iter().with_min_len(SOME).map_init(Vec::new, is_so).all(|is_so| is_so)
}

/// The next number of a prepared collection.
fn next() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Ready {
    /// Some of the points, in the given order: entries between them are those of the whole, to the last bit.
    pub(super) fn part(&self, plan: &Plan, rows: &[usize]) -> Self {
        let some = |values: &Vec<f64>| rows.iter().map(|&row| values[row]).collect::<Vec<f64>>();
        // What decides how entries are computed is that of all points.
        let views = self.views.iter().map(|whole| ReadyView {
            view: whole.view.part(rows),
            center: whole.center.clone(),
            largest: whole.largest,
            largest_centered: whole.largest_centered,
            stored: whole.stored,
            exact: whole.exact,
            single: Packings::default(),
            double: Packings::default(),
        });
        let views: Vec<ReadyView> = views.collect();
        Self {
            id: next(),
            len: rows.len(),
            foreign: foreign(plan, &views),
            views,
            normalizers: self.normalizers.iter().map(some).collect(),
            diagonal: some(&self.diagonal),
            is_extreme: self.is_extreme,
            packed: self.packed,
        }
    }

    /// Whether all leaves see dense vectors.
    pub(super) fn can_put(&self) -> bool {
        let is_dense = |view: &ReadyView| matches!(view.view, View::Dense(_));
        self.foreign_leaves() == 0 && self.views.iter().all(is_dense)
    }

    /// Puts points of the whole that these are a part of at some places, if they [can be](Self::can_put).
    pub(super) fn put(&mut self, whole: &Self, changes: &[(usize, usize)]) -> bool {
        if !self.can_put() {
            return false;
        }
        self.id = next();
        self.views.iter_mut().zip(&whole.views).for_each(|(view, whole)| view.put(whole, changes));
        let numbers = self.normalizers.iter_mut().chain([&mut self.diagonal]);
        for (own, whole) in numbers.zip(whole.normalizers.iter().chain([&whole.diagonal])) {
            changes.iter().for_each(|&(place, row)| own[place] = whole[row]);
        }
        true
    }

    pub(super) fn new(plan: &Plan, table: &Table) -> Result<Self, KernelError> {
        let mut views = Vec::new();
        for spec in &plan.views {
            views.push(ReadyView::new(spec.apply("the kernel", table)?, spec.center.clone()));
        }
        check_domains(plan, &views, table)?;
        let mut ready = Self {
            id: next(),
            len: table.len(),
            foreign: foreign(plan, &views),
            views,
            normalizers: Vec::new(),
            diagonal: Vec::new(),
            is_extreme: false,
            packed: PACKED,
        };
        for (node, name) in &plan.normalized {
            let own: Vec<f64> = (0..ready.len).map(|i| plan.value(node, &ready, i, &ready, i)).collect();
            if let Some(row) = own.iter().position(|v| *v <= 0.0 || v.is_nan()) {
                return Err(KernelError::Vanishes { kernel: name.clone(), row: row + 1, value: own[row] });
            }
            ready.normalizers.push(own);
        }
        let own = |i| plan.pair(&ready, i, &ready, i);
        ready.diagonal = (0..ready.len).into_par_iter().with_min_len(SOME).map(own).collect();
        if let Some(row) = ready.diagonal.iter().position(|v| !v.is_finite()) {
            return Err(KernelError::Overflow { row: row + 1, value: ready.diagonal[row] });
        }
        let is_extreme = |v: &f64| v.abs() > 1e37 || (*v != 0.0 && v.abs() < 1e-30);
        ready.is_extreme = ready.normalizers.iter().chain([&ready.diagonal]).flatten().any(is_extreme);
        Ok(ready)
    }

    /// The same points with packed copies of at most so many bytes each; larger collections are packed block by block, which
    /// takes longer and changes no entry.
    pub fn with_packed(mut self, bytes: usize) -> Self {
        self.packed = bytes;
        self
    }

    pub(super) fn packed(&self) -> usize {
        self.packed
    }

    /// How many points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// k(x,x) of every point, by the definition.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Whether two are the very same prepared collection, so that row i and column i are one point.
    pub fn is_same(&self, other: &Ready) -> bool {
        self.id == other.id
    }

    /// What the leaves see.
    pub(super) fn views(&self) -> impl Iterator<Item = &View> {
        self.views.iter().map(|ready| &ready.view)
    }

    /// Leaves on points that are no vectors.
    pub(super) fn foreign_leaves(&self) -> usize {
        self.foreign.iter().flatten().count()
    }

    pub(super) fn view(&self, view: usize) -> &View {
        &self.views[view].view
    }

    pub(super) fn ready_view(&self, view: usize) -> &ReadyView {
        &self.views[view]
    }

    pub(super) fn foreign(&self, leaf: usize) -> &dyn Any {
        self.foreign[leaf].as_deref().expect("foreign leaves are readied")
    }

    pub(super) fn normalizer(&self, number: usize) -> &[f64] {
        &self.normalizers[number]
    }
}

/// What leaves of other kinds than vectors make of their points.
fn foreign(plan: &Plan, views: &[ReadyView]) -> Vec<Option<Box<dyn Any + Send + Sync>>> {
    let readied = plan.leaves.iter().map(|leaf| match &leaf.kernel {
        LeafKernel::Foreign(kernel) => Some(kernel.ready(&views[leaf.view].view)),
        LeafKernel::Vector { .. } => None,
    });
    readied.collect()
}

thread_local! {
    /// Room for two points, so that none is allocated for each pair.
    static ROOM: Cell<(Vec<f64>, Vec<f64>)> = const { Cell::new((Vec::new(), Vec::new())) };
}

/// What `eval` says of point i of x and point j of z over the same coordinates: all of them, or of sparse points those that
/// either stores. A coordinate where both are zero changes no kernel on vectors, so a large index costs nothing.
pub(super) fn both(
    (x, i): (&View, usize),
    (z, j): (&View, usize),
    eval: impl Fn(&[f64], &[f64]) -> f64,
) -> f64 {
    if let (View::Dense(x), View::Dense(z)) = (x, z)
        && let (Some(x), Some(z)) = (x.point(i), z.point(j))
    {
        return eval(x, z);
    }
    let mut room = ROOM.take();
    let value = match (x, z) {
        (View::Dense(x), View::Dense(z)) => eval(x.row(i, &mut room.0), z.row(j, &mut room.1)),
        (View::Sparse(x), View::Sparse(z)) => {
            spread(x.point(i), z.point(j), &mut room);
            eval(&room.0, &room.1)
        }
        _ => unreachable!("a view has one form, that of the training points"),
    };
    ROOM.set(room);
    value
}

/// Two sparse points, written out over the coordinates that either stores.
fn spread(x: SparseRow<'_>, z: SparseRow<'_>, (x_out, z_out): &mut (Vec<f64>, Vec<f64>)) {
    x_out.clear();
    z_out.clear();
    let (mut a, mut b) = (0, 0);
    while a < x.indices.len() || b < z.indices.len() {
        let (left, right) = (x.indices.get(a), z.indices.get(b));
        let from_x = left.is_some_and(|left| right.is_none_or(|right| left <= right));
        let from_z = right.is_some_and(|right| left.is_none_or(|left| right <= left));
        x_out.push(if from_x { x.values[a] } else { 0.0 });
        z_out.push(if from_z { z.values[b] } else { 0.0 });
        (a, b) = (a + usize::from(from_x), b + usize::from(from_z));
    }
}

/// Values that a kernel is not defined for, found before any tile runs.
fn check_domains(plan: &Plan, views: &[ReadyView], table: &Table) -> Result<(), KernelError> {
    for leaf in &plan.leaves {
        let LeafKernel::Vector { name, .. } = &leaf.kernel else { continue };
        let view = &views[leaf.view].view;
        let domain = KERNELS.iter().find(|info| info.signature.name == name).map(|info| info.domain);
        if domain == Some(Domain::NonNegative)
            && let Some((row, coordinate, value)) = first(view, |v| v < 0.0)
        {
            let column = plan.views[leaf.view].coordinate_name(table, coordinate);
            return Err(KernelError::Negative { kernel: name.clone(), row: row + 1, column, value });
        }
        if name == "cosine"
            && let Some(row) = zero_row(view)
        {
            return Err(KernelError::Vanishes { kernel: name.clone(), row: row + 1, value: 0.0 });
        }
    }
    Ok(())
}

fn first(view: &View, wrong: impl Fn(f64) -> bool) -> Option<(usize, usize, f64)> {
    match view {
        View::Dense(points) => points.block().first(wrong),
        View::Sparse(points) => {
            let at = points.values().iter().position(|&v| wrong(v))?;
            let row = points.starts().partition_point(|&start| start <= at) - 1;
            Some((row, points.indices()[at] as usize, points.values()[at]))
        }
        _ => None,
    }
}

fn zero_row(view: &View) -> Option<usize> {
    let zero = |values: &[f64]| values.iter().all(|v| *v == 0.0);
    match view {
        View::Dense(points) => points.block().zero_row(),
        View::Sparse(points) => points.rows().position(|row| zero(row.values)),
        _ => None,
    }
}

/// The object-safe twin of [`Kernel`]: `dyn` between leaves, static inside.
pub(super) trait Foreign: Send + Sync + std::fmt::Debug {
    fn eval(&self, x: (&View, usize), z: (&View, usize)) -> f64;
    fn ready(&self, view: &View) -> Box<dyn Any + Send + Sync>;
    fn tile(&self, x: (&dyn Any, &[usize]), z: (&dyn Any, Range<usize>), out: &mut [f64], stride: usize);
}

fn known<T: 'static>(ready: &dyn Any) -> &T {
    ready.downcast_ref().expect("a leaf gets back what it readied")
}

/// A kernel on texts.
pub(super) struct OnTexts<K>(pub(super) K);

/// A kernel on vectors that has no tile of its own.
pub(super) struct OnVectors<K>(pub(super) K);

macro_rules! foreign {
    ($holder:ty, $points:ty, $of:path, [$($bound:tt)*]) => {
        impl<$($bound)*> std::fmt::Debug for $holder {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($of))
            }
        }
        impl<$($bound)*> Foreign for $holder {
            fn eval(&self, (x, i): (&View, usize), (z, j): (&View, usize)) -> f64 {
                Kernel::<$points>::eval(&self.0, $of(x).point(i), $of(z).point(j))
            }
            fn ready(&self, view: &View) -> Box<dyn Any + Send + Sync> {
                Box::new(Kernel::<$points>::ready(&self.0, $of(view)))
            }
            fn tile(&self, (x, rows): (&dyn Any, &[usize]), (z, columns): (&dyn Any, Range<usize>), out: &mut [f64], stride: usize) {
                Kernel::<$points>::tile(&self.0, (known(x), rows), (known(z), columns), out, stride);
            }
        }
    };
}
foreign!(OnTexts<K>, Texts, texts, [K: Kernel<Texts>]);
foreign!(OnVectors<K>, Dense<f64>, vectors, [K: Kernel<Dense<f64>>]);

fn texts(view: &View) -> &Texts {
    let View::Texts(texts) = view else { unreachable!("the view has the kernel's kind") };
    texts
}

fn vectors(view: &View) -> &Dense<f64> {
    let View::Dense(points) = view else { unreachable!("functions of the user's see vectors") };
    points.side_by_side()
}

/// Equality of whole rows, by fingerprint.
#[derive(Debug)]
pub(super) struct Equal;

impl Foreign for Equal {
    fn eval(&self, (x, i): (&View, usize), (z, j): (&View, usize)) -> f64 {
        let (View::Keys(x), View::Keys(z)) = (x, z) else { unreachable!("the view has the kernel's kind") };
        f64::from(u8::from(x[i] == z[j]))
    }

    fn ready(&self, view: &View) -> Box<dyn Any + Send + Sync> {
        let View::Keys(keys) = view else { unreachable!("the view has the kernel's kind") };
        Box::new(keys.clone())
    }

    fn tile(
        &self,
        (x, rows): (&dyn Any, &[usize]),
        (z, columns): (&dyn Any, Range<usize>),
        out: &mut [f64],
        stride: usize,
    ) {
        let (x, z): (&Vec<u128>, &Vec<u128>) = (known(x), known(z));
        for (&row, out) in rows.iter().zip(out.chunks_mut(stride)) {
            for (slot, other) in out.iter_mut().zip(&z[columns.clone()]) {
                *slot = f64::from(u8::from(x[row] == *other));
            }
        }
    }
}

/// Entries of a precomputed matrix.
#[derive(Debug)]
pub(super) struct Stored;

impl Foreign for Stored {
    fn eval(&self, (x, i): (&View, usize), (z, j): (&View, usize)) -> f64 {
        let (View::Indices(x), View::Indices(z)) = (x, z) else {
            unreachable!("the view has the kernel's kind")
        };
        x.entry(i, z, j)
    }

    fn ready(&self, view: &View) -> Box<dyn Any + Send + Sync> {
        let View::Indices(rows) = view else { unreachable!("the view has the kernel's kind") };
        Box::new(rows.clone())
    }

    fn tile(
        &self,
        (x, rows): (&dyn Any, &[usize]),
        (z, columns): (&dyn Any, Range<usize>),
        out: &mut [f64],
        stride: usize,
    ) {
        let (x, z): (&mercer_points::Indices, &mercer_points::Indices) = (known(x), known(z));
        for (&row, out) in rows.iter().zip(out.chunks_mut(stride)) {
            for (slot, j) in out.iter_mut().zip(columns.clone()) {
                *slot = x.entry(row, z, j);
            }
        }
    }
}
