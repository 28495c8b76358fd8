//! Packed points, and points that are packed only while a block needs them.
//!
//! A packed copy of a collection serves every block of it. Where it would take too much memory there is none: rows and
//! columns of a block are packed from the points as given, in memory of the thread. Both give the same bits.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use mercer_linalg::{Base, Finish, Isa, PANEL, Panels, Real, RowPack, SparseRows, dense_block, longest_part};

use super::Ready;
use super::picked::Picked;
use super::ready::ReadyView;

/// Bytes that a packed copy of points may take.
pub(super) const PACKED: usize = 128 << 20;

/// Bytes that a thread takes for the columns, and for the rows, that it packs itself.
const COLUMNS: usize = 8 << 20;
const ROWS: usize = 32 << 20;

/// Bytes from which on a point is long.
const LONG: usize = 2048;

/// The packed forms in one precision.
#[derive(Debug)]
pub(super) struct Packings<T> {
    pub(super) raw: OnceLock<Panels<T>>,
    pub(super) centered: OnceLock<Panels<T>>,
    pub(super) rows: OnceLock<SparseRows<T>>,
    pub(super) sums: Mutex<HashMap<Base, Arc<Vec<T>>>>,
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

/// Dense points in one form, on both sides, with sums in `T`.
#[derive(Debug)]
pub(super) struct Pack<'a, T> {
    pub(super) view: usize,
    pub(super) centered: bool,
    /// Sums over coordinates are made in parts of at most so many.
    pub(super) longest: usize,
    x: Side<'a>,
    z: Side<'a>,
    precision: PhantomData<T>,
}

/// Points of one side.
#[derive(Debug)]
enum Side<'a> {
    /// Of which there is a packed copy, made when a block first asks for it.
    Packed(&'a ReadyView),
    Loose(Loose<'a>),
}

/// Points as given, shifted by the training mean or not while they are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loose<'a> {
    pub(super) points: &'a Picked,
    pub(super) center: Option<&'a [f64]>,
}

impl Loose<'_> {
    /// Writes the coordinates of a point, from `first` on.
    #[inline]
    pub(super) fn read(&self, i: usize, first: usize, out: &mut [f64]) {
        self.points.read(i, first, out);
        if let Some(center) = self.center {
            out.iter_mut().zip(&center[first..]).for_each(|(out, center)| *out -= center);
        }
    }
}

/// What a thread packs itself, of the columns of a block.
#[derive(Debug)]
pub(super) struct ColumnPack<T> {
    panels: Panels<T>,
    squares: Vec<T>,
}

impl<T: Real> Default for ColumnPack<T> {
    fn default() -> Self {
        Self { panels: Panels::default(), squares: Vec::new() }
    }
}

/// What is computed of a block, and how.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) isa: Isa,
    pub(super) base: Base,
    pub(super) finish: Finish,
    pub(super) columns: Range<usize>,
    pub(super) stride: usize,
}

impl<'a, T: HasPackings> Pack<'a, T> {
    pub(super) fn new(x: &'a Ready, z: &'a Ready, view: usize, centered: bool) -> Self {
        let side = |points: &'a Ready, pays: bool| {
            let (limit, view) = (points.packed(), points.ready_view(view));
            let loose = view.loose(centered);
            let bytes = loose.points.len().saturating_mul(loose.points.dim()).saturating_mul(size_of::<T>());
            if pays && bytes <= limit { Side::Packed(view) } else { Side::Loose(loose) }
        };
        // Rows of another collection are wanted once each, so that a packed copy of them would not pay.
        let (x, z) = (side(x, x.is_same(z)), side(z, true));
        Self { view, centered, longest: longest_part::<T>(), x, z, precision: PhantomData }
    }

    /// Whether the columns are packed block by block.
    pub(super) fn is_loose(&self) -> bool {
        matches!(self.z, Side::Loose(_))
    }

    /// How many coordinates the points have.
    pub(super) fn dim(&self) -> usize {
        match &self.z {
            Side::Packed(view) => view.loose(self.centered).points.dim(),
            Side::Loose(loose) => loose.points.dim(),
        }
    }

    /// Rows of a block: enough to make up for where its columns come from.
    pub(super) fn height(&self) -> usize {
        let bytes = self.dim().max(1).saturating_mul(size_of::<T>());
        if !self.is_loose() {
            // Columns of long points come from far, and are worth more rows.
            return if bytes < LONG { 48 } else { 96 };
        }
        // So are columns that are packed for each block.
        [192, 96].into_iter().find(|&rows| bytes.saturating_mul(rows) <= ROWS).unwrap_or(48)
    }

    pub(super) fn choose_rows(&self, rows: &[usize], out: &mut RowPack<T>) {
        match &self.x {
            Side::Packed(view) => out.pack(view.panels(self.centered), rows),
            Side::Loose(loose) => {
                out.pack_from(rows, loose.points.dim(), |i, first, out| loose.read(i, first, out));
            }
        }
    }

    /// Fills a block with base values between the chosen rows and its columns.
    pub(super) fn block(&self, wanted: Wanted, x: &RowPack<T>, space: &mut ColumnPack<T>, out: &mut [T]) {
        let Wanted { isa, base, finish, columns, stride } = wanted;
        let loose = match &self.z {
            Side::Packed(view) => {
                let z = view.panels(self.centered);
                return dense_block(isa, base, x, z, columns, finish, self.longest, out, stride);
            }
            Side::Loose(loose) => loose,
        };
        let dim = loose.points.dim();
        let some = COLUMNS / dim.max(1).saturating_mul(size_of::<T>());
        let width = (some / PANEL * PANEL).clamp(PANEL, stride);
        space.squares.clear();
        for first in columns.clone().step_by(width) {
            let part = first..(first + width).min(columns.end);
            space.panels.refill(part.clone(), dim, |i, first, out| loose.read(i, first, out));
            space.squares.extend_from_slice(&space.panels.squares()[..part.len()]);
            let out = &mut out[first - columns.start..];
            dense_block(isa, base, x, &space.panels, 0..part.len(), finish, self.longest, out, stride);
        }
    }

    /// ‖z‖² of the columns of a block that was filled last.
    pub(super) fn column_squares<'s>(&'s self, columns: Range<usize>, space: &'s ColumnPack<T>) -> &'s [T] {
        match &self.z {
            Side::Packed(view) => &view.panels(self.centered).squares()[columns],
            Side::Loose(_) => &space.squares,
        }
    }
}
