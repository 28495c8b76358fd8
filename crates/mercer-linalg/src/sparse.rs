//! The tile on sparse points.
//!
//! Thirty-two columns are written out side by side in a small table that holds only the coordinates which
//! occur among them; each row's stored values are then scanned once against all thirty-two. A coordinate
//! where one of the two points is zero contributes its known share through per-point sums, so that the scan
//! sees only what both store. The result has the same bits whichever point is the row.

use std::collections::HashMap;
use std::ops::Range;

use crate::arch::{Arch, Isa, dispatch};
use crate::base::{self, Base, MONOMIAL_DEGREE, Step};
use crate::dense::{Finish, falling};
use crate::real::fused;
use crate::{Real, Sides};

/// Columns side by side in a [`SparseTable`].
pub const SPARSE_PANEL: usize = 32;

/// Dimensions up to this are looked up in an array; beyond, in a hash table, so that a large index costs nothing.
const DIRECT: usize = 1 << 22;

/// Sparse points in compressed rows, in the precision of the entries.
#[derive(Debug, Clone)]
pub struct SparseRows<T> {
    dim: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
}

impl<T: Real> SparseRows<T> {
    /// Rounds compressed rows to the precision of the entries.
    pub fn new(dim: usize, starts: &[usize], indices: &[u32], values: &[f64]) -> Self {
        let values = values.iter().map(|&v| T::of(v)).collect();
        Self { dim, starts: starts.to_vec(), indices: indices.to_vec(), values }
    }

    /// How many points.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn row(&self, i: usize) -> impl Iterator<Item = (u32, T)> + '_ {
        let range = self.starts[i]..self.starts[i + 1];
        self.indices[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// ‖x−z‖² coordinate by coordinate, exact for near points.
    fn squared_distance(&self, i: usize, other: &Self, j: usize) -> T {
        let (mut x, mut z) = (self.row(i).peekable(), other.row(j).peekable());
        let mut sum = 0.0;
        loop {
            let d = match (x.peek().copied(), z.peek().copied()) {
                (None, None) => return T::of(sum),
                (Some((a, v)), Some((b, w))) if a == b => {
                    x.next();
                    z.next();
                    v.f64() - w.f64()
                }
                (Some((a, v)), next) if next.is_none_or(|(b, _)| a < b) => {
                    x.next();
                    v.f64()
                }
                (_, Some((_, w))) => {
                    z.next();
                    w.f64()
                }
                (Some(_), None) => unreachable!("taken by the arm above"),
            };
            sum += d * d;
        }
    }

    /// For every point, the base value against the origin: what [`sparse_block`](SparseTable::block) needs of each side.
    ///
    /// For [`Base::Dot`] it is ‖x‖², which is what a finish needs.
    pub fn sums(&self, base: Base) -> Vec<T> {
        let each = |v: f64| match base {
            Base::Manhattan => v.abs(),
            Base::Hamming => f64::from(u8::from(v != 0.0)),
            Base::ChiSquared => v,
            Base::Dot | Base::SquaredDistance => v * v,
            _ => 0.0,
        };
        (0..self.len()).map(|i| T::of(self.row(i).map(|(_, v)| each(v.f64())).sum())).collect()
    }
}

/// Where a coordinate stands in the table; slot 0 is the coordinate that no column has.
#[derive(Debug)]
enum Slots {
    Direct(Vec<u32>),
    Hashed(HashMap<u32, u32>),
}

impl Slots {
    #[inline(always)]
    fn find(&self, index: u32) -> usize {
        match self {
            Self::Direct(slots) => slots.get(index as usize).copied().unwrap_or(0) as usize,
            Self::Hashed(slots) => slots.get(&index).copied().unwrap_or(0) as usize,
        }
    }
}

/// The scratch table of one thread: some columns written out over the coordinates that they have.
#[derive(Debug)]
pub struct SparseTable<T> {
    slots: Slots,
    used: Vec<u32>,
    values: Vec<[T; SPARSE_PANEL]>,
}

impl<T: Real> SparseTable<T> {
    /// An empty table for points of this many coordinates.
    pub fn new(dim: usize) -> Self {
        let slots = if dim <= DIRECT { Slots::Direct(vec![0; dim]) } else { Slots::Hashed(HashMap::new()) };
        Self { slots, used: Vec::new(), values: vec![[T::ZERO; SPARSE_PANEL]] }
    }

    fn clear(&mut self) {
        match &mut self.slots {
            Slots::Direct(slots) => self.used.iter().for_each(|&j| slots[j as usize] = 0),
            Slots::Hashed(slots) => slots.clear(),
        }
        self.used.clear();
        self.values.truncate(1);
    }

    fn slot(&mut self, index: u32) -> usize {
        let next = self.values.len() as u32;
        let slot = match &mut self.slots {
            Slots::Direct(slots) => {
                if index as usize >= slots.len() {
                    slots.resize(index as usize + 1, 0);
                }
                &mut slots[index as usize]
            }
            Slots::Hashed(slots) => slots.entry(index).or_insert(0),
        };
        if *slot == 0 {
            *slot = next;
            self.used.push(index);
            self.values.push([T::ZERO; SPARSE_PANEL]);
        }
        *slot as usize
    }

    fn load(&mut self, z: &SparseRows<T>, columns: Range<usize>) {
        self.clear();
        if z.dim > DIRECT && matches!(self.slots, Slots::Direct(_)) {
            self.slots = Slots::Hashed(HashMap::new());
        }
        for (lane, column) in columns.enumerate() {
            for (index, value) in z.row(column) {
                let slot = self.slot(index);
                self.values[slot][lane] = value;
            }
        }
    }

    /// Fills `out` (row-major, `stride` values a row) with base values between `rows` of x and `columns` of z.
    ///
    /// `sums` are [`SparseRows::sums`] of the rows given and of the columns given. Whole panels of
    /// [`SPARSE_PANEL`] are written, so a row of `out` must have room for the last one in full.
    #[allow(clippy::too_many_arguments)]
    pub fn block(
        &mut self,
        isa: Isa,
        base: Base,
        (x, rows): (&SparseRows<T>, &[usize]),
        (z, columns): (&SparseRows<T>, Range<usize>),
        sums: Sides<'_, T>,
        finish: Finish,
        out: &mut [T],
        stride: usize,
    ) {
        for (at, first) in columns.clone().step_by(SPARSE_PANEL).enumerate() {
            let last = (first + SPARSE_PANEL).min(columns.end);
            self.load(z, first..last);
            let mut column_sums = [T::ZERO; SPARSE_PANEL];
            column_sums[..last - first]
                .copy_from_slice(&sums.columns[first - columns.start..last - columns.start]);
            let out = &mut out[at * SPARSE_PANEL..];
            let row_sums = sums.rows;
            let sums = (sums.rows, &column_sums);
            match base {
                Base::Dot => scan::<T, base::Dot>(isa, self, x, rows, sums, finish, out, stride),
                Base::SquaredDistance => {
                    scan::<T, base::Squared>(isa, self, x, rows, sums, finish, out, stride)
                }
                Base::Manhattan => scan::<T, base::Manhattan>(isa, self, x, rows, sums, finish, out, stride),
                Base::Hamming => scan::<T, base::Hamming>(isa, self, x, rows, sums, finish, out, stride),
                Base::Minimum => scan::<T, base::Minimum>(isa, self, x, rows, sums, finish, out, stride),
                Base::ChiSquared => {
                    scan::<T, base::ChiSquared>(isa, self, x, rows, sums, finish, out, stride)
                }
                Base::Harmonic => scan::<T, base::Harmonic>(isa, self, x, rows, sums, finish, out, stride),
                Base::Subsets => scan::<T, base::Subsets>(isa, self, x, rows, sums, finish, out, stride),
                Base::Monomials(degree) => monomials::<T>(isa, self, x, rows, degree.into(), out, stride),
            }
            if finish == Finish::Distance {
                refine((x, rows, row_sums), (z, first..last, &column_sums), out, stride);
            }
        }
    }
}

/// Distances that are small against the points' lengths have cancelled; those few are computed by differences.
fn refine<T: Real>(
    (x, rows, row_sums): (&SparseRows<T>, &[usize], &[T]),
    (z, columns, column_sums): (&SparseRows<T>, Range<usize>, &[T; SPARSE_PANEL]),
    out: &mut [T],
    stride: usize,
) {
    let near = T::of(if size_of::<T>() == 4 { 1e-2 } else { 1e-6 });
    for (at, &row) in rows.iter().enumerate() {
        for (lane, column) in columns.clone().enumerate() {
            let slot = &mut out[at * stride + lane];
            if *slot < near * (row_sums[at] + column_sums[lane]) {
                *slot = x.squared_distance(row, z, column);
            }
        }
    }
}

dispatch! {
    fn scan<T: Real, S: Step<T>>(isa, table: &SparseTable<T>, x: &SparseRows<T>, rows: &[usize], sums: (&[T], &[T; SPARSE_PANEL]), finish: Finish, out: &mut [T], stride: usize) = scan_body
}

/// Loops, not closures: what a closure calls need not be compiled for this function's registers.
#[inline(always)]
#[allow(clippy::too_many_arguments, clippy::needless_range_loop)]
fn scan_body<T: Real, S: Step<T>, A: Arch>(
    table: &SparseTable<T>,
    x: &SparseRows<T>,
    rows: &[usize],
    (row_sums, column_sums): (&[T], &[T; SPARSE_PANEL]),
    finish: Finish,
    out: &mut [T],
    stride: usize,
) {
    for (at, &row) in rows.iter().enumerate() {
        let mut acc = [S::START; SPARSE_PANEL];
        for (index, value) in x.row(row) {
            let z = &table.values[table.slots.find(index)];
            for j in 0..SPARSE_PANEL {
                acc[j] = if S::ZERO_IS_NEUTRAL {
                    S::step::<A>(acc[j], value, z[j])
                } else {
                    let alone = S::against_zero(value) + S::against_zero(z[j]);
                    acc[j] + (S::step::<A>(S::START, value, z[j]) - alone)
                };
            }
        }
        let mut both = *column_sums;
        for j in 0..SPARSE_PANEL {
            both[j] = row_sums[at] + both[j];
            // Exact zero is the floor of every non-neutral base; rounding may have crossed it.
            acc[j] = if S::ZERO_IS_NEUTRAL { acc[j] } else { (both[j] + acc[j]).larger(T::ZERO) };
        }
        if let Finish::Distance | Finish::DistanceExp(_) = finish {
            for j in 0..SPARSE_PANEL {
                acc[j] = fused::<T, A>(T::of(-2.0), acc[j], both[j]).larger(T::ZERO);
            }
        }
        if let Finish::Exp(gamma) | Finish::DistanceExp(gamma) = finish {
            let rate = T::of(-gamma * std::f64::consts::LOG2_E);
            for j in 0..SPARSE_PANEL {
                acc[j] = falling::<T, A>(rate * acc[j]);
            }
        }
        out[at * stride..at * stride + SPARSE_PANEL].copy_from_slice(&acc);
    }
}

dispatch! {
    fn monomials<T: Real>(isa, table: &SparseTable<T>, x: &SparseRows<T>, rows: &[usize], degree: usize, out: &mut [T], stride: usize) = monomials_body
}

#[inline(always)]
fn monomials_body<T: Real, A: Arch>(
    table: &SparseTable<T>,
    x: &SparseRows<T>,
    rows: &[usize],
    degree: usize,
    out: &mut [T],
    stride: usize,
) {
    for (at, &row) in rows.iter().enumerate() {
        let mut h = [[T::ZERO; SPARSE_PANEL]; MONOMIAL_DEGREE + 1];
        h[0] = [T::ONE; SPARSE_PANEL];
        for (index, value) in x.row(row) {
            let z = &table.values[table.slots.find(index)];
            for r in 1..=degree {
                for j in 0..SPARSE_PANEL {
                    h[r][j] = fused::<T, A>(value * z[j], h[r - 1][j], h[r][j]);
                }
            }
        }
        for j in 0..SPARSE_PANEL {
            let mut sum = T::ZERO;
            for h in &h[..=degree] {
                sum += h[j];
            }
            out[at * stride + j] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n: usize, dim: usize) -> (Vec<Vec<f64>>, SparseRows<f64>, SparseRows<f32>) {
        let dense: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                (0..dim)
                    .map(|j| if (i * 7 + j * 5) % 3 == 0 { ((i + 2 * j) % 5) as f64 * 0.25 } else { 0.0 })
                    .collect()
            })
            .collect();
        let (mut starts, mut indices, mut values) = (vec![0], vec![], vec![]);
        for row in &dense {
            for (j, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                indices.push(j as u32);
                values.push(v);
            }
            starts.push(values.len());
        }
        let (double, single) = (
            SparseRows::new(dim, &starts, &indices, &values),
            SparseRows::new(dim, &starts, &indices, &values),
        );
        (dense, double, single)
    }

    fn check<T: Real>(isa: Isa, base: Base, dense: &[Vec<f64>], x: &SparseRows<T>, tolerance: f64) {
        let n = dense.len();
        let stride = n.next_multiple_of(SPARSE_PANEL);
        let mut out = vec![T::ZERO; n * stride];
        let (all, sums): (Vec<usize>, _) = ((0..n).collect(), x.sums(base));
        let sides = Sides { rows: &sums, columns: &sums };
        SparseTable::new(x.dim).block(
            isa,
            base,
            (x, &all),
            (x, 0..n),
            sides,
            Finish::Plain,
            &mut out,
            stride,
        );
        for i in 0..n {
            for j in 0..n {
                let want = base.pair(&dense[i], &dense[j]);
                assert!(
                    (out[i * stride + j].f64() - want).abs() <= tolerance * want.abs().max(1.0),
                    "{base:?} {i} {j}"
                );
                assert_eq!(out[i * stride + j], out[j * stride + i], "{base:?} is symmetric to the bit");
            }
        }
    }

    #[test]
    fn every_base_is_its_definition() {
        use Base::*;
        for (n, dim) in [(1, 1), (45, 23), (3, 0)] {
            let (dense, double, single) = rows(n, dim);
            for isa in Isa::available() {
                for base in [
                    Dot,
                    SquaredDistance,
                    Manhattan,
                    Hamming,
                    Minimum,
                    ChiSquared,
                    Harmonic,
                    Subsets,
                    Monomials(3),
                ] {
                    check(isa, base, &dense, &double, 1e-13);
                    check(isa, base, &dense, &single, 2e-6);
                }
            }
        }
    }

    #[test]
    fn a_huge_index_takes_no_memory() {
        let x = SparseRows::<f32>::new(4_000_000_001, &[0, 1], &[4_000_000_000], &[2.0]);
        let (mut out, sums) = (vec![0.0; SPARSE_PANEL], [4.0]);
        let sides = Sides { rows: &sums, columns: &sums };
        SparseTable::new(4_000_000_001).block(
            Isa::detect(),
            Base::Dot,
            (&x, &[0]),
            (&x, 0..1),
            sides,
            Finish::Plain,
            &mut out,
            SPARSE_PANEL,
        );
        assert_eq!(out[0], 4.0);
    }
}
