//! What a plan needs of a collection, worked out once and shared by all tiles.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use mercer_linalg::{Base, Panels, Real, SparseRows};
use mercer_points::{Dense, Points, SparseRow, Table, Texts};

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
}

/// A view with the packed forms that tiles have asked for so far.
#[derive(Debug)]
pub(super) struct ReadyView {
    pub(super) view: View,
    center: Vec<f64>,
    /// Largest ‖x‖² as given and after centring: what rounding errors of distances are proportional to.
    pub(super) largest: f64,
    pub(super) largest_centered: f64,
    single: Packings<f32>,
    double: Packings<f64>,
}

/// The packed forms in one precision.
#[derive(Debug)]
pub(super) struct Packings<T> {
    raw: OnceLock<Panels<T>>,
    centered: OnceLock<Panels<T>>,
    rows: OnceLock<SparseRows<T>>,
    sums: Mutex<HashMap<Base, Arc<Vec<T>>>>,
}

impl<T> Default for Packings<T> {
    fn default() -> Self {
        let sums = Mutex::default();
        Self { raw: OnceLock::new(), centered: OnceLock::new(), rows: OnceLock::new(), sums }
    }
}

/// Which precision's packings a view is asked for.
pub trait HasPackings: Real {
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn packings(view: &ReadyView) -> &Packings<Self>;
}

impl HasPackings for f32 {
    #[allow(private_interfaces)]
    fn packings(view: &ReadyView) -> &Packings<f32> {
        &view.single
    }
}

impl HasPackings for f64 {
    #[allow(private_interfaces)]
    fn packings(view: &ReadyView) -> &Packings<f64> {
        &view.double
    }
}

impl ReadyView {
    fn new(view: View, center: Vec<f64>) -> Self {
        let square = |row: &[f64]| row.iter().map(|v| v * v).sum::<f64>();
        let (mut largest, mut largest_centered) = (0.0, 0.0);
        match &view {
            View::Dense(points) => {
                for row in points.rows() {
                    let centered: f64 = row.iter().zip(&center).map(|(v, c)| (v - c) * (v - c)).sum();
                    largest = f64::max(largest, square(row));
                    largest_centered = f64::max(largest_centered, centered);
                }
            }
            View::Sparse(points) => {
                largest = points.rows().fold(0.0, |largest, row| f64::max(largest, square(row.values)));
                largest_centered = largest;
            }
            _ => {}
        }
        Self {
            view,
            center,
            largest,
            largest_centered,
            single: Packings::default(),
            double: Packings::default(),
        }
    }

    /// Dense points for the tile, shifted by the training mean or not.
    pub(super) fn panels<T: HasPackings>(&self, centered: bool) -> &Panels<T> {
        let View::Dense(points) = &self.view else { unreachable!("only dense views have panels") };
        let (packings, dim) = (T::packings(self), points.dim());
        if centered {
            packings.centered.get_or_init(|| {
                Panels::pack(points.len(), dim, |i, out| {
                    let row = points.point(i).iter().zip(&self.center);
                    out.iter_mut().zip(row).for_each(|(out, (v, center))| *out = v - center);
                })
            })
        } else {
            packings.raw.get_or_init(|| {
                Panels::pack(points.len(), dim, |i, out| out.copy_from_slice(points.point(i)))
            })
        }
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

impl Ready {
    pub(super) fn new(plan: &Plan, table: &Table) -> Result<Self, KernelError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut views = Vec::new();
        for spec in &plan.views {
            views.push(ReadyView::new(spec.apply("the kernel", table)?, spec.center.clone()));
        }
        check_domains(plan, &views, table)?;
        let foreign = plan.leaves.iter().map(|leaf| match &leaf.kernel {
            LeafKernel::Foreign(kernel) => Some(kernel.ready(&views[leaf.view].view)),
            LeafKernel::Vector { .. } => None,
        });
        let foreign = foreign.collect();
        let mut ready = Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            len: table.len(),
            views,
            foreign,
            normalizers: Vec::new(),
            diagonal: Vec::new(),
        };
        for (node, name) in &plan.normalized {
            let own: Vec<f64> = (0..ready.len).map(|i| plan.value(node, &ready, i, &ready, i)).collect();
            if let Some(row) = own.iter().position(|v| *v <= 0.0 || v.is_nan()) {
                return Err(KernelError::Vanishes { kernel: name.clone(), row: row + 1, value: own[row] });
            }
            ready.normalizers.push(own);
        }
        ready.diagonal = (0..ready.len).map(|i| plan.pair(&ready, i, &ready, i)).collect();
        if let Some(row) = ready.diagonal.iter().position(|v| !v.is_finite()) {
            return Err(KernelError::Overflow { row: row + 1, value: ready.diagonal[row] });
        }
        Ok(ready)
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

    pub(super) fn view(&self, view: usize) -> &View {
        &self.views[view].view
    }

    pub(super) fn ready_view(&self, view: usize) -> &ReadyView {
        &self.views[view]
    }

    pub(super) fn foreign(&self, leaf: usize) -> &dyn Any {
        self.foreign[leaf].as_deref().expect("foreign leaves are readied")
    }

    /// k(x,x) of the whole and of every normalised part.
    pub(super) fn own_values(&self) -> impl Iterator<Item = &[f64]> {
        self.normalizers.iter().map(Vec::as_slice).chain([self.diagonal.as_slice()])
    }

    pub(super) fn normalizer(&self, number: usize) -> &[f64] {
        &self.normalizers[number]
    }
}

/// Point i of x and point j of z over the same coordinates: all of them, or of sparse points those that either stores.
/// A coordinate where both are zero changes no kernel on vectors, so a large index costs nothing.
pub(super) fn both<'a>(
    (x, i): (&'a View, usize),
    (z, j): (&'a View, usize),
) -> (Cow<'a, [f64]>, Cow<'a, [f64]>) {
    let (x, z) = match (x, z) {
        (View::Dense(x), View::Dense(z)) => return (x.point(i).into(), z.point(j).into()),
        (View::Sparse(x), View::Sparse(z)) => (x.point(i), z.point(j)),
        _ => unreachable!("a view has one form, that of the training points"),
    };
    let mut indices: Vec<u32> = x.indices.iter().chain(z.indices).copied().collect();
    indices.sort_unstable();
    indices.dedup();
    let spread = |row: SparseRow<'_>| -> Vec<f64> {
        let value = |index: &u32| row.indices.binary_search(index).map_or(0.0, |at| row.values[at]);
        indices.iter().map(value).collect()
    };
    (spread(x).into(), spread(z).into())
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
        View::Dense(points) => {
            let at = points.values().iter().position(|&v| wrong(v))?;
            Some((at / points.dim(), at % points.dim(), points.values()[at]))
        }
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
        View::Dense(points) => points.rows().position(zero),
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
    ($holder:ty, $points:ty, $variant:ident, [$($bound:tt)*]) => {
        impl<$($bound)*> std::fmt::Debug for $holder {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($variant))
            }
        }
        impl<$($bound)*> Foreign for $holder {
            fn eval(&self, (x, i): (&View, usize), (z, j): (&View, usize)) -> f64 {
                let (View::$variant(x), View::$variant(z)) = (x, z) else { unreachable!("the view has the kernel's kind") };
                Kernel::<$points>::eval(&self.0, x.point(i), z.point(j))
            }
            fn ready(&self, view: &View) -> Box<dyn Any + Send + Sync> {
                let View::$variant(points) = view else { unreachable!("the view has the kernel's kind") };
                Box::new(Kernel::<$points>::ready(&self.0, points))
            }
            fn tile(&self, (x, rows): (&dyn Any, &[usize]), (z, columns): (&dyn Any, Range<usize>), out: &mut [f64], stride: usize) {
                Kernel::<$points>::tile(&self.0, (known(x), rows), (known(z), columns), out, stride);
            }
        }
    };
}
foreign!(OnTexts<K>, Texts, Texts, [K: Kernel<Texts>]);
foreign!(OnVectors<K>, Dense<f64>, Dense, [K: Kernel<Dense<f64>>]);

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
