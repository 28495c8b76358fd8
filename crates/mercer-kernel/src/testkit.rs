//! The laws that every kernel obeys, as one function. A new kernel ends in one line that calls it.

use mercer_linalg::Isa;
use mercer_points::{Points, Table};

use crate::{Entry, KernelExpr, Plan, Ready, Registry, Status, Tiles};

/// Checks a kernel on a table: printing, symmetry, every tile route against the definition at odd and empty sizes,
/// the diagonal, symmetric bits, and that no random quadratic form is negative where it is said to be psd.
///
/// # Panics
/// With the law that does not hold, and where.
///
/// ```
/// use mercer_kernel::testkit::check_kernel;
/// use mercer_points::{ColumnData, Table};
/// let mut table = Table::new();
/// table.push("x", ColumnData::Numbers(vec![0.1, 0.5, -1.0, 2.0])).unwrap();
/// check_kernel("rbf(sigma=1) + 0.1*linear", &table);
/// ```
pub fn check_kernel(text: &str, table: &Table) {
    check_kernel_with(text, table, &Registry::new());
}

/// [`check_kernel`] for expressions with registered names.
///
/// # Panics
/// With the law that does not hold, and where.
pub fn check_kernel_with(text: &str, table: &Table, registry: &Registry) {
    let expr = registry.parse(text).unwrap_or_else(|error| panic!("{text} does not parse: {error}"));
    assert_eq!(registry.parse(&expr.to_string()).as_ref(), Ok(&expr), "{text}: printing and parsing");
    let plan = Plan::compile(&expr, table, registry).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(
        registry.parse(&plan.expr().to_string()).as_ref(),
        Ok(plan.expr()),
        "{text}: the resolved kernel prints"
    );
    let x = plan.ready(table).unwrap_or_else(|error| panic!("{text}: {error}"));
    symmetric(text, &plan, &x);
    psd(text, &expr, &plan, &x);
    let rows: Vec<usize> = (0..table.len()).step_by(2).collect();
    let half = plan.ready(&table.select(&rows)).unwrap_or_else(|error| panic!("{text}: {error}"));
    let none = plan.ready(&table.select(&[])).unwrap_or_else(|error| panic!("{text}: {error}"));
    for isa in Isa::available() {
        for (x, z) in [(&x, &x), (&half, &x), (&x, &half), (&none, &x), (&x, &none)] {
            tiles::<f32>(text, isa, &plan, x, z, 2e-6);
            tiles::<f64>(text, isa, &plan, x, z, 1e-11);
        }
    }
}

fn symmetric(text: &str, plan: &Plan, x: &Ready) {
    for i in 0..x.len() {
        for j in 0..i {
            let (there, back) = (plan.pair(x, i, x, j), plan.pair(x, j, x, i));
            assert!(
                (there - back).abs() <= 1e-14 * there.abs().max(1.0),
                "{text}: k({i},{j}) = {there}, k({j},{i}) = {back}"
            );
        }
        let (own, diagonal) = (plan.pair(x, i, x, i), x.diagonal()[i]);
        assert_eq!(own, diagonal, "{text}: the diagonal at {i}");
    }
}

/// vᵀKv ≥ 0 for pseudo-random v, up to rounding, where the proof says so.
fn psd(text: &str, expr: &KernelExpr, plan: &Plan, x: &Ready) {
    if !matches!(expr.mercer().status, Status::Psd | Status::Conditional(_)) {
        return;
    }
    let n = x.len();
    let gram: Vec<f64> = (0..n * n).map(|at| plan.pair(x, at / n, x, at % n)).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..40 {
        let v: Vec<f64> = (0..n)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f64 / (1 << 23) as f64 - 1.0
            })
            .collect();
        let (mut form, mut size) = (0.0, 0.0);
        for at in 0..n * n {
            let term = v[at / n] * gram[at] * v[at % n];
            form += term;
            size += f64::abs(term);
        }
        assert!(form >= -1e-12 * size, "{text} is said to be psd, but vᵀKv = {form}");
    }
}

/// Every entry of every block is the definition, whatever the block; (i,j) and (j,i) have the same bits.
fn tiles<T: Entry>(text: &str, isa: Isa, plan: &Plan, x: &Ready, z: &Ready, tolerance: f64) {
    let tiles = Tiles::<T>::on(isa, plan, x, z);
    let (rows, columns) = tiles.shape();
    let mut scratch = tiles.scratch();
    let mut entries = vec![T::ZERO; x.len() * z.len()];
    let order: Vec<usize> = (0..x.len()).rev().collect();
    for chunk in order.chunks(rows.min(7)) {
        tiles.choose_rows(&mut scratch, chunk);
        for first in (0..z.len()).step_by(columns) {
            let last = (first + columns).min(z.len());
            let block = tiles.block(&mut scratch, first..last);
            for (at, &i) in chunk.iter().enumerate() {
                let row = &block[at * columns..at * columns + last - first];
                entries[i * z.len() + first..i * z.len() + last].copy_from_slice(row);
            }
        }
    }
    for i in 0..x.len() {
        for j in 0..z.len() {
            let (entry, want) = (entries[i * z.len() + j], plan.pair(x, i, z, j));
            let size = (x.diagonal()[i].abs() * z.diagonal()[j].abs()).sqrt().max(want.abs()).max(1.0);
            let error = (entry.f64() - want).abs();
            assert!(
                error <= tolerance * size,
                "{text} on {isa:?}: entry ({i},{j}) is {entry:?}, the definition {want}"
            );
            if tiles.is_symmetric() {
                assert_eq!(
                    entry,
                    entries[j * z.len() + i],
                    "{text} on {isa:?}: ({i},{j}) and ({j},{i}) differ in bits"
                );
            }
        }
    }
    if tiles.is_symmetric() {
        for i in 0..x.len() {
            assert_eq!(
                entries[i * x.len() + i],
                T::of(x.diagonal()[i]),
                "{text}: the diagonal of the tile at {i}"
            );
        }
    }
}
