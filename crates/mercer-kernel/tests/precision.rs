//! Points in single precision, and points that are not packed: the same kernel, bit for bit.

#![allow(clippy::unwrap_used)]

use mercer_kernel::{Entry, KernelExpr, Plan, Ready, Registry, Tiles, row_keys, vectors};
use mercer_linalg::{Isa, Real};
use mercer_points::{ColumnData, Dense, Points, Sparse, Table};

/// The same points as a block of either precision; no value is negative, and none is the same in `f32` by chance alone.
fn tables(n: usize, dim: usize) -> [Table; 2] {
    let value = |at: usize| ((at * 7919 + 13) % 1009) as f32 / 1009.0 + 0.1 * (at % 3) as f32;
    let single = Dense::new(n, dim, (0..n * dim).map(value).collect()).unwrap();
    let names: Vec<String> = (1..=dim).map(|j| format!("x{j}")).collect();
    [ColumnData::Dense(single.to_f64(), names.clone()), ColumnData::Single(single, names)].map(|data| {
        let mut table = Table::new();
        table.push("features", data).unwrap();
        table
    })
}

const KERNELS: &[&str] = &[
    "rbf",
    "rbf(gamma=median)",
    "linear",
    "poly(degree=3)",
    "laplace",
    "matern",
    "chi2",
    "intersection",
    "cosine",
    "monomials(degree=2)",
    "periodic",
    "0.5*rbf(gamma=0.2) + linear + poly(degree=2)",
    "normalize(linear + 1) * rbf[x1, x3]",
    "rbf@standardize",
    "(linear@polynomial(degree=2))[x1, x2]",
    "white + sameness * linear",
];

fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.vectors("sameness", |x, z| 1.0 / (1.0 + (x[0] - z[0]).abs())).unwrap();
    registry
}

/// Entries by the tiles, as bits of `f64`, row after row.
fn entries<T: Entry>(plan: &Plan, x: &Ready, z: &Ready) -> Vec<u64> {
    entries_of(&Tiles::<T>::new(plan, x, z))
}

fn entries_of<T: Entry>(tiles: &Tiles<'_, T>) -> Vec<u64> {
    let (height, width) = tiles.shape();
    let mut scratch = tiles.scratch();
    let mut found = vec![0; tiles.rows() * tiles.columns()];
    let all: Vec<usize> = (0..tiles.rows()).collect();
    for rows in all.chunks(height) {
        tiles.choose_rows(&mut scratch, rows);
        for first in (0..tiles.columns()).step_by(width) {
            let columns = first..(first + width).min(tiles.columns());
            let block = tiles.block(&mut scratch, columns.clone());
            for (&i, row) in rows.iter().zip(block.chunks(width)) {
                let out = &mut found[i * tiles.columns()..][columns.clone()];
                out.iter_mut().zip(row).for_each(|(out, entry)| *out = entry.f64().to_bits());
            }
        }
    }
    found
}

fn pairs(plan: &Plan, x: &Ready, z: &Ready) -> Vec<u64> {
    let each = (0..x.len()).flat_map(|i| (0..z.len()).map(move |j| (i, j)));
    each.map(|(i, j)| plan.pair(x, i, z, j).to_bits()).collect()
}

#[test]
fn kernels_on_f32_are_those_on_the_same_points_in_f64() {
    let registry = registry();
    for (n, dim) in [(70, 5), (20, 40)] {
        let [double, single] = tables(n, dim);
        let [others, others_single] =
            tables(n + 9, dim).map(|table| table.select(&(9..n + 9).collect::<Vec<_>>()));
        for text in KERNELS {
            let kernel: KernelExpr = match registry.parse(text) {
                Ok(kernel) => kernel,
                Err(error) => panic!("{text}: {}", error.one_line()),
            };
            let compile = |table| match Plan::compile(&kernel, table, &registry) {
                Ok(plan) => plan,
                Err(error) => panic!("{text}: {error}"),
            };
            let (plan, from_single) = (compile(&double), compile(&single));
            assert_eq!(plan.state(), from_single.state(), "{text}");
            assert_eq!(plan.resolved(), from_single.resolved(), "{text}");
            let ready = |table: &Table| plan.ready(table).unwrap();
            let (x, y) = (ready(&double), ready(&single));
            assert_eq!(x.diagonal(), y.diagonal(), "{text}");
            assert_eq!(pairs(&plan, &x, &x), pairs(&plan, &y, &y), "{text}");
            assert_eq!(entries::<f64>(&plan, &x, &x), entries::<f64>(&plan, &y, &y), "{text}");
            assert_eq!(entries::<f32>(&plan, &x, &x), entries::<f32>(&plan, &y, &y), "{text}");
            // One side in each precision, as when a model fitted on one is asked about the other.
            let (z, w) = (ready(&others), ready(&others_single));
            assert_eq!(entries::<f64>(&plan, &z, &x), entries::<f64>(&plan, &w, &x), "{text}");
            assert_eq!(entries::<f64>(&plan, &z, &x), entries::<f64>(&plan, &z, &y), "{text}");
            assert_eq!(pairs(&plan, &z, &x), pairs(&plan, &w, &x), "{text}");
        }
    }
}

#[test]
fn entries_do_not_depend_on_what_is_packed() {
    let registry = registry();
    for (n, dim) in [(150, 3), (70, 19), (30, 300)] {
        let [double, single] = tables(n, dim);
        for text in KERNELS.iter().filter(|text| dim < 100 || !text.contains("monomials")) {
            let plan = Plan::compile(&registry.parse(text).unwrap(), &double, &registry).unwrap();
            let packed = plan.ready(&double).unwrap();
            for table in [&double, &single] {
                let loose = plan.ready(table).unwrap().with_packed(0);
                let (x, z) = (&packed, &loose);
                assert_eq!(entries::<f64>(&plan, x, x), entries::<f64>(&plan, z, z), "{text} {n}×{dim}");
                assert_eq!(entries::<f32>(&plan, x, x), entries::<f32>(&plan, z, z), "{text} {n}×{dim}");
                let other = plan.ready(&double.slice(3..n)).unwrap();
                assert_eq!(entries::<f64>(&plan, &other, x), entries::<f64>(&plan, &other, z), "{text}");
            }
        }
    }
}

/// Vectors of length 1 and their opposites, in turns, each a little off: two clusters as far apart as can be, and many
/// pairs that are near.
fn clusters(n: usize, dim: usize) -> Vec<f64> {
    let draw = |at: usize| ((at * 7919 + at / 7 * 104_729) % 10_007) as f64 / 10_007.0 - 0.5;
    let length = (0..dim).map(|j| draw(j) * draw(j)).sum::<f64>().sqrt();
    let near = |at: usize| 1e-3 * draw(at + 17) * (1 << (at % 9)) as f64;
    let value = |i: usize, j: usize| {
        let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * draw(j) / length + near(i * dim + j) / (dim as f64).sqrt()
    };
    (0..n).flat_map(|i| (0..dim).map(move |j| (i, j))).map(|(i, j)| value(i, j)).collect()
}

/// A Gaussian kernel on one block of points, and the points.
fn gaussian(gamma: f64, data: ColumnData) -> (Plan, Ready) {
    let mut table = Table::new();
    table.push("features", data).unwrap();
    let kernel: KernelExpr = format!("rbf(gamma={gamma})").parse().unwrap();
    let plan = Plan::compile(&kernel, &table, &Registry::new()).unwrap();
    let ready = plan.ready(&table).unwrap();
    (plan, ready)
}

fn dense(dim: usize, values: Vec<f64>) -> ColumnData {
    let names = (1..=dim).map(|j| format!("x{j}")).collect();
    ColumnData::Dense(Dense::new(values.len() / dim, dim, values).unwrap(), names)
}

/// Entries in `f32` on each instruction set.
fn single(plan: &Plan, x: &Ready) -> Vec<(Isa, Vec<f64>)> {
    let of = |isa| entries_of(&Tiles::<f32>::on(isa, plan, x, x)).into_iter().map(f64::from_bits).collect();
    Isa::available().into_iter().map(|isa| (isa, of(isa))).collect()
}

/// The most that entries are off.
fn furthest(entries: &[f64], pairs: &[u64]) -> f64 {
    let both = entries.iter().zip(pairs);
    both.map(|(entry, &pair)| (entry - f64::from_bits(pair)).abs()).fold(0.0, f64::max)
}

/// How far the worst of many near pairs may be off.
const WORST: f64 = 2.6e-6;

/// Whether distances come from inner products, where the points of the second half are those of the first: of the distance
/// between equal points differences and the wider precision leave nothing.
fn is_by_products(entries: &[f64], n: usize) -> bool {
    (n / 2..n).any(|i| entries[i * n + i - n / 2] != 1.0)
}

/// Inner products in the longest parts would not be accurate enough (`docs/maths.md` §8).
#[test]
fn inner_products_in_short_parts_are_accurate_enough() {
    for (dim, size) in [(54, 3.4), (784, 3.0), (300, 2.9)] {
        let mut values = clusters(120, dim);
        values.extend_from_within(..);
        let (plan, ready) = gaussian(size, dense(dim, values));
        let pairs = pairs(&plan, &ready, &ready);
        for (isa, entries) in single(&plan, &ready) {
            let far = furthest(&entries, &pairs);
            // In the longest parts they are off by 2.7e-6 and more.
            assert!(far <= WORST, "{isa:?} {dim}: {far:e}");
            assert!(is_by_products(&entries, 240), "{isa:?} {dim}");
        }
    }
}

/// Where all roundings go one way: what holds for any points (`docs/maths.md` §8).
#[test]
fn no_points_are_further_off_than_the_worst_case() {
    // Beside the first square the others are lost; equal squares are rounded alike.
    let rows: [fn(usize, usize, usize) -> f64; 2] = [
        |_, j, _| if j == 0 { 1.0 } else { 1.6e-4 },
        |i, _, dim| (1.0 - (i / 2) as f64 / 200.0) / (dim as f64).sqrt(),
    ];
    for (dim, gamma, parts) in [(54, 2.4, 1), (54, 3.4, 2), (784, 2.0, 4), (784, 3.0, 8)] {
        for row in rows {
            let value =
                |i: usize, j: usize| if i.is_multiple_of(2) { row(i, j, dim) } else { -row(i, j, dim) };
            let points = (0..50).flat_map(|i| (0..dim).map(move |j| (i, j))).map(|(i, j)| value(i, j));
            let mut values: Vec<f64> = points.collect();
            values.extend_from_within(..);
            let (plan, ready) = gaussian(gamma, dense(dim, values));
            let bound = gamma * f32::ROUNDING * 2.0 * (dim.div_ceil(parts) + parts + 3) as f64;
            let pairs = pairs(&plan, &ready, &ready);
            for (isa, entries) in single(&plan, &ready) {
                let far = furthest(&entries, &pairs);
                assert!(far <= bound, "{isa:?} {dim} {gamma}: {far:e} > {bound:e}");
                assert!(is_by_products(&entries, 100), "{isa:?} {dim} {gamma}");
            }
        }
    }
}

/// The sparse tile makes one sum of all that a row stores, and long rows may be few.
#[test]
fn sparse_points_are_accurate_enough_however_much_they_store() {
    let dim = 784;
    for every in [1, 15] {
        let mut values = clusters(240, dim);
        let is_long = |i: &usize| i.is_multiple_of(every);
        values
            .chunks_mut(dim)
            .enumerate()
            .filter(|(i, _)| !is_long(i))
            .for_each(|(_, row)| row[10..].fill(0.0));
        let points = Sparse::from_dense(&Dense::new(240, dim, values).unwrap());
        let (plan, ready) = gaussian(2.2, ColumnData::Sparse(points));
        let pairs = pairs(&plan, &ready, &ready);
        for (isa, entries) in single(&plan, &ready) {
            let far = furthest(&entries, &pairs);
            assert!(far <= WORST, "{isa:?} {every}: {far:e}");
        }
        // A part without the long rows is computed as the whole is.
        let short: Vec<usize> = (0..240).filter(|i| !is_long(i)).collect();
        let row = plan.part(&ready, &[1]);
        let (some, all) =
            (entries::<f32>(&plan, &row, &plan.part(&ready, &short)), entries::<f32>(&plan, &row, &ready));
        assert_eq!(some, short.iter().map(|&i| all[i]).collect::<Vec<_>>());
    }
}

#[test]
fn wide_points_are_packed_a_few_columns_at_a_time() {
    // 16 columns of them fill what a thread takes for columns.
    let [double, _] = tables(40, 70_000);
    let registry = Registry::new();
    let plan = Plan::compile(&"rbf".parse().unwrap(), &double, &registry).unwrap();
    let (packed, loose) = (plan.ready(&double).unwrap(), plan.ready(&double).unwrap().with_packed(0));
    assert_eq!(entries::<f64>(&plan, &packed, &packed), entries::<f64>(&plan, &loose, &loose));
}

#[test]
fn what_is_wrong_with_points_in_f32_is_named_alike() {
    let registry = Registry::new();
    let said = |data: ColumnData, kernel: &str| {
        let mut table = Table::new();
        table.push("features", data).unwrap();
        let kernel: KernelExpr = kernel.parse().unwrap();
        let plan = Plan::compile(&kernel, &table, &registry).map_err(|error| error.to_string());
        plan.and_then(|plan| plan.ready(&table).map_err(|error| error.to_string())).unwrap_err()
    };
    let names = || vec!["a".to_owned(), "b".to_owned()];
    for (values, kernel, words) in [
        ([1.0, 2.0, 3.0, f32::NAN], "rbf", "row 2, column 2 is NaN"),
        ([1.0, 2.0, -3.0, 1.0], "chi2", "'a'"),
        ([1.0, 2.0, 0.0, 0.0], "cosine", "row 2"),
    ] {
        let single = Dense::new(2, 2, values.to_vec()).unwrap();
        let expected = said(ColumnData::Dense(single.to_f64(), names()), kernel);
        let found = said(ColumnData::Single(single, names()), kernel);
        assert!(found == expected && found.contains(words), "{found} / {expected}");
    }
}

#[test]
fn tables_of_both_precisions_have_the_same_keys_and_vectors() {
    let [double, single] = tables(12, 3);
    assert_eq!(row_keys(&double), row_keys(&single));
    assert_eq!(vectors(&double).unwrap(), vectors(&single).unwrap());
}

#[test]
fn a_view_of_one_block_is_the_block() {
    let [double, _] = tables(6, 2);
    let ColumnData::Dense(block, _) = &double.columns()[0].data else { panic!("a dense block") };
    let plan = Plan::compile(&"linear".parse().unwrap(), &double, &Registry::new()).unwrap();
    let ready = plan.ready(&double).unwrap();
    let seen = plan.features(&ready, mercer_linalg::Budget::default()).unwrap().unwrap();
    assert_eq!(seen.values().as_ptr(), block.values().as_ptr());
}
