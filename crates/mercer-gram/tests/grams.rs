//! `check_gram` on every kind of Gram matrix, and the same bits for every number of threads.

#![allow(clippy::unwrap_used)]

use mercer_gram::testkit::check_gram;
use mercer_gram::{Gram, Lazy, Precision, Stored};
use mercer_linalg::Budget;
use mercer_points::{ColumnData, Dense, ReadOptions, Sparse, Table, read};

fn data(source: &str) -> Table {
    let mut table = read(source, &ReadOptions::default()).unwrap();
    table.remove("label").unwrap();
    table
}

/// Points with so many coordinates that inner products are used, and more rows than one block has.
fn wide(n: usize) -> Table {
    let rows = (0..n).map(|i| {
        (0..30u32)
            .filter(|j| !(i as u32 + j).is_multiple_of(4))
            .map(|j| (j, f64::from((i as u32 * 31 + j * 17) % 23) / 23.0))
            .collect()
    });
    let mut table = Table::new();
    table
        .push("features", ColumnData::Sparse(Sparse::from_rows(30, rows.collect::<Vec<_>>()).unwrap()))
        .unwrap();
    table
}

fn dense(table: &Table) -> Table {
    let ColumnData::Sparse(points) = &table.columns()[0].data else { unreachable!() };
    let mut other = Table::new();
    let names = (1..=points.dim()).map(|j| j.to_string()).collect();
    other.push("features", ColumnData::Dense(points.to_dense(), names)).unwrap();
    other
}

/// Counts in many columns.
fn counts(n: usize) -> Table {
    let values = (0..n * 20).map(|at| ((at * 37 + at / 20 * 11) % 7) as f64 - 2.0).collect();
    let mut table = Table::new();
    let names = (1..=20).map(|j: usize| j.to_string()).collect();
    table.push("features", ColumnData::Dense(Dense::new(n, 20, values).unwrap(), names)).unwrap();
    table
}

#[test]
fn inner_products_of_integers_are_exact() {
    for kernel in ["linear", "rbf(gamma=0.01)", "poly(degree=3) + rbf(gamma=0.02)"] {
        let gram = Lazy::new(&kernel.parse().unwrap(), &counts(300)).unwrap();
        let rows: Vec<usize> = (0..300).collect();
        let mut entries = vec![0.0; 300 * 300];
        gram.rows_double(&rows, &mut entries);
        for (at, entry) in entries.into_iter().enumerate() {
            let want = gram.entry(at / 300, at % 300);
            let off = if kernel == "linear" { 0.0 } else { 4e-15 * want.abs() };
            assert!((entry - want).abs() <= off, "{kernel}: {entry} {want}");
        }
    }
}

#[test]
fn every_gram_obeys_the_laws() {
    for (kernel, table) in [
        ("rbf(gamma=0.01) + 0.1*poly(degree=2)", counts(150)),
        ("rbf(sigma=0.5)", data("@moons(n=203)")),
        ("rbf(gamma=scale) + 0.1*poly(degree=2)", wide(150)),
        ("rbf(gamma=scale) + 0.1*poly(degree=2)", dense(&wide(150))),
        ("laplace", wide(1)),
        ("normalize(spectrum(k=3))", data("@promoter")),
    ] {
        let lazy = Lazy::new(&kernel.parse().unwrap(), &table).unwrap();
        check_gram(&lazy, 2e-6);
        check_gram(&Stored::<f32>::new(&lazy, Budget::default()).unwrap(), 2e-6);
        check_gram(&Stored::<f64>::new(&lazy, Budget::default()).unwrap(), 1e-12);
        check_gram(&lazy.in_precision(Precision::Double), 1e-12);
    }
}

#[test]
fn a_collection_that_is_not_packed_obeys_the_laws_with_the_same_entries() {
    for (kernel, n) in [("rbf(gamma=scale) + 0.1*poly(degree=2)", 450), ("laplace", 70)] {
        let table = dense(&wide(n));
        let packed = Lazy::new(&kernel.parse().unwrap(), &table).unwrap();
        let ready = packed.plan().ready(&table).unwrap().with_packed(0);
        let loose = Lazy::of(packed.plan().clone(), ready);
        let both = |of: fn(&Lazy) -> Vec<u64>| assert!(of(&packed) == of(&loose), "{kernel}");
        both(|gram| {
            let stored = Stored::<f64>::new(gram, Budget::default()).unwrap();
            stored.entries().iter().map(|v| v.to_bits()).collect()
        });
        both(|gram| {
            let stored = Stored::<f32>::new(gram, Budget::default()).unwrap();
            stored.entries().iter().map(|v| u64::from(v.to_bits())).collect()
        });
        both(|gram| {
            let mut rows = vec![0.0; 2 * gram.len()];
            gram.rows_double(&[gram.len() - 1, 3], &mut rows);
            rows.iter().map(|v| v.to_bits()).collect()
        });
        check_gram(&loose, 2e-6);
        check_gram(&loose.in_precision(Precision::Double), 1e-12);
    }
}

#[test]
fn few_rows_of_wide_points_are_the_same_in_many_segments() {
    let n = 700;
    let rows = (0..n).map(|i| vec![(i % 3000, 1.0), (3000 + i % 7, 0.5)]);
    let points = Sparse::from_rows(4000, rows.collect::<Vec<_>>()).unwrap().to_dense();
    let mut table = Table::new();
    table.push("x", ColumnData::Dense(points, (1..=4000).map(|j| j.to_string()).collect())).unwrap();
    let gram = Lazy::new(&"rbf(gamma=0.3)".parse().unwrap(), &table).unwrap();
    let mut row = vec![0.0; n as usize];
    gram.rows_double(&[5], &mut row);
    for (j, &entry) in row.iter().enumerate() {
        assert!((entry - gram.entry(5, j)).abs() < 1e-12, "{j}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for (kernel, table) in [
        ("rbf(gamma=scale)", dense(&wide(1500))),
        ("rbf(gamma=scale) + linear", wide(2500)),
        ("laplace*matern", data("@spirals(n=700)")),
    ] {
        let lazy = Lazy::new(&kernel.parse().unwrap(), &table).unwrap();
        let n = lazy.len();
        let vectors: Vec<f64> = (0..2 * n).map(|i| ((i * 37 % 101) as f64 - 50.0) / 50.0).collect();
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (mut symmetric, mut plain) = (vec![0.0; 2 * n], vec![0.0; 2 * n]);
                lazy.apply(&vectors, &mut symmetric);
                lazy.apply_plain(&vectors, &mut plain);
                let mut rows = vec![0.0; 70 * n];
                lazy.rows_single(&(0..70).collect::<Vec<_>>(), &mut rows);
                let stored = Stored::<f32>::new(&lazy, Budget::default()).unwrap();
                let chosen: Vec<usize> = (0..n).rev().step_by(3).collect();
                let (mut sums, mut square) = (vec![0.0; 2 * n], vec![0.0; chosen.len().pow(2)]);
                lazy.add_rows_single(&chosen, &vectors[..chosen.len()], &mut sums[..n]);
                lazy.add_rows_double(&chosen, &vectors[..chosen.len()], &mut sums[n..]);
                lazy.square_single(&chosen, &mut square, &|| false);
                // At places that were given to other rows before.
                let mut selection = lazy.selection().unwrap();
                for rows in [(0..n / 2).collect(), (n / 3..n / 2).rev().collect::<Vec<usize>>()] {
                    selection.arrange(&rows);
                    let mut at = vec![0.0; rows.len()];
                    selection.add_rows_single(&chosen, &vectors[..chosen.len()], &mut at);
                    sums.extend(at);
                }
                // At few rows, at most rows, and at rows that are all summed over.
                for at in [(0..n).step_by(40).collect(), (0..n).filter(|i| i % 9 > 0).collect(), chosen] {
                    let at: Vec<usize> = at;
                    for precision in [Precision::Single, Precision::Double] {
                        sums.extend(lazy.products_at(&at, &vectors[..n], precision, &|_, _| false).unwrap());
                    }
                }
                (symmetric, plain, rows, stored.entries().to_vec(), sums, square)
            })
        };
        let one = run(1);
        for threads in [2, 3, 7] {
            assert!(one == run(threads), "{kernel}: {threads} threads give other bits");
        }
        assert_eq!(one.2, one.3[..70 * n], "{kernel}: rows and the stored matrix are the same bits");
        let chosen: Vec<usize> = (0..n).rev().step_by(3).collect();
        for (at, entry) in one.5.iter().enumerate() {
            let whole = one.3[chosen[at / chosen.len()] * n + chosen[at % chosen.len()]];
            assert_eq!(*entry, whole, "{kernel}: entries of a part are those of the whole");
        }
        for at in 0..n * n {
            assert_eq!(
                one.3[at],
                one.3[(at % n) * n + at / n],
                "{kernel}: the stored matrix is symmetric to the bit"
            );
        }
    }
}

#[test]
fn a_part_has_the_entries_of_the_whole() {
    for (kernel, table) in [
        ("rbf(sigma=0.5) + normalize(poly(degree=3))", data("@moons(n=90)")),
        ("rbf(gamma=scale) + 0.1*poly(degree=2)", wide(150)),
        ("rbf@standardize * laplace", dense(&wide(60))),
        ("normalize(spectrum(k=3))", data("@promoter")),
    ] {
        let whole = Lazy::new(&kernel.parse().unwrap(), &table).unwrap().in_precision(Precision::Double);
        let rows: Vec<usize> = (0..whole.len()).rev().step_by(2).collect();
        let part = whole.part(&rows);
        check_gram(&part, 1e-12);
        for (at, &i) in rows.iter().enumerate() {
            for (to, &j) in rows.iter().enumerate() {
                assert_eq!(part.entry(at, to), whole.entry(i, j), "{kernel}: ({i},{j})");
            }
        }
    }
}

#[test]
fn the_budget_is_asked_first() {
    let lazy = Lazy::new(&"rbf".parse().unwrap(), &data("@moons(n=1000)")).unwrap();
    let error = Stored::<f32>::new(&lazy, Budget::of_bytes(1_000_000)).unwrap_err().to_string();
    assert!(error.contains("1000 rows needs 4 MB") && error.contains("--sample 500"), "{error}");
}

#[test]
fn a_check_stays_within_its_budget() {
    let table = data("@circles(n=300)");
    let tight = mercer_gram::CheckOptions { budget: Budget::of_bytes(100_000), ..Default::default() };
    let check = |kernel: &str| {
        mercer_gram::check(&kernel.parse().unwrap(), &table, &mercer_kernel::Registry::new(), tight).unwrap()
    };
    let valid = check("rbf(sigma=0.5)");
    assert!(matches!(valid.spectrum.method, mercer_gram::Method::Lanczos(_)) && valid.holds());
    assert!(!check("sigmoid(gamma=1, offset=-1)").holds());
}
