//! `check_kernel` on every leaf and every combinator, on dense, sparse, text and mixed points, over all routes.

#![allow(clippy::unwrap_used)]

use mercer_kernel::testkit::{check_kernel, check_kernel_with};
use mercer_kernel::{Domain, KERNELS, MAPS, Registry};
use mercer_points::{ColumnData, Dense, Indices, Points, Sparse, Table};

/// Values in [0, 1.2) with structure, repeatable.
fn value(i: usize, j: usize) -> f64 {
    ((i * 7919 + j * 104_729 + i * j * 31) % 1201) as f64 / 1000.0
}

fn dense(n: usize, dim: usize) -> Table {
    let values = (0..n * dim).map(|at| value(at / dim, at % dim) - 0.4).collect();
    block(ColumnData::Dense(Dense::new(n, dim, values).unwrap(), (1..=dim).map(|j| j.to_string()).collect()))
}

fn block(data: ColumnData) -> Table {
    let mut table = Table::new();
    table.push("features", data).unwrap();
    table
}

fn non_negative(table: &Table) -> Table {
    let ColumnData::Dense(points, names) = &table.columns()[0].data else { unreachable!() };
    let values = points.values().iter().map(|v| if *v < 0.0 { 0.0 } else { *v }).collect();
    block(ColumnData::Dense(Dense::new(points.len(), points.dim(), values).unwrap(), names.clone()))
}

fn sparse(table: &Table) -> Table {
    let ColumnData::Dense(points, _) = &table.columns()[0].data else { unreachable!() };
    block(ColumnData::Sparse(Sparse::from_dense(points)))
}

fn texts() -> Table {
    let mut table = Table::new();
    let dna = (0..23).map(|i| {
        (0..(i % 9) * 3).map(|j| ['a', 'c', 'g', 't', 'é'][(i * j + j * j + i) % 5]).collect::<String>()
    });
    table.push("sequence", ColumnData::Texts(dna.collect())).unwrap();
    table
}

fn mixed() -> Table {
    let mut table = texts();
    let numbers = |salt: usize| ColumnData::Numbers((0..23).map(|i| value(i, salt)).collect());
    table.push("age", numbers(1)).unwrap();
    table.push("fare paid", numbers(2)).unwrap();
    table
        .push(
            "colour",
            ColumnData::Categories((0..23).map(|i| ["red", "green", "blue"][i * i % 3]).collect()),
        )
        .unwrap();
    table
}

/// Every kernel on vectors, with parameters other than the defaults too.
fn on_vectors(domain: Domain) -> Vec<String> {
    let plain = KERNELS
        .iter()
        .filter(|k| k.domain == domain || (domain == Domain::Vectors && k.domain == Domain::Any));
    let mut all: Vec<String> = plain.map(|k| k.signature.name.to_owned()).collect();
    if domain == Domain::Vectors {
        let more = [
            "poly(degree=1, gamma=0.5, offset=0)",
            "poly(degree=7)",
            "rbf(sigma=0.3)",
            "rbf(width=2)",
            "rbf(gamma=median)",
            "rbf(gamma=40)",
            "matern(nu=0.5)",
            "matern(nu=2.5, scale=0.4)",
            "exponential(distance=manhattan)",
            "exponential(distance=hamming)",
            "rq(alpha=0.3, scale=0.7)",
            "sigmoid(gamma=0.3, offset=-1)",
            "monomials(degree=5)",
            "tuples(degree=2)",
            "periodic(period=0.7, scale=0.9)",
        ];
        all.extend(more.map(str::to_owned));
    }
    all
}

#[test]
fn every_leaf_on_dense_and_sparse_vectors() {
    for (n, dim) in [(1, 1), (2, 3), (37, 5), (19, 17), (150, 20)] {
        let table = dense(n, dim);
        for kernel in on_vectors(Domain::Vectors) {
            if dim >= 17 && kernel.starts_with("monomials") {
                continue; // Values beyond the range in which an absolute tolerance says anything.
            }
            check_kernel(&kernel, &table);
            check_kernel(&kernel, &sparse(&table));
        }
        if n > 1 {
            let table = non_negative(&table);
            for kernel in on_vectors(Domain::NonNegative) {
                check_kernel(&kernel, &table);
                check_kernel(&kernel, &sparse(&table));
            }
        }
    }
}

#[test]
fn every_combinator() {
    let (table, positive) = (dense(41, 6), non_negative(&dense(41, 6)));
    for kernel in [
        "0.5*rbf(sigma=1) + poly(degree=3)",
        "rbf + laplace + matern + linear + 1",
        "rbf*poly(degree=2)*cosine",
        "0*rbf + linear",
        "(rbf + 0.1*linear)^3",
        "exp(0.1*linear)",
        "exp(poly(degree=2, gamma=0.1))",
        "normalize(poly(degree=4))",
        "normalize(exp(linear) + 2*rbf)*laplace",
        "outer(polynomial(degree=2))",
        "linear@standardize + rbf@minmax",
        "laplace@standardize + (linear + rbf)^2",
        "rbf@unit[1, 2, 5]",
        "rbf[1..3] * laplace[4..6]",
        "linear@polynomial(degree=2)@standardize",
        "rbf@deviation + linear@quadratic",
        "linear@buckets(count=4)",
        "linear@fourier(m=20)",
        "linear@nystrom(m=10, kernel=laplace)",
        "linear@empirical(kernel=rbf(sigma=1), rank=41)",
        "a: rbf(sigma=2) + b: linear",
        "white + rbf",
        "2*constant(value=3)",
    ] {
        check_kernel(kernel, &table);
        check_kernel(kernel, &sparse(&table));
        assert!(!kernel.parse::<mercer_kernel::KernelExpr>().unwrap().mercer().proof.is_empty());
    }
    for kernel in ["chi2*intersection + tanimoto", "rbf@log + normalize(additive_chi2 + 1)"] {
        check_kernel(kernel, &positive);
        check_kernel(kernel, &sparse(&positive));
    }
}

#[test]
fn texts_categories_and_tables_that_mix_them() {
    for kernel in
        ["spectrum(k=1)", "spectrum(k=3)", "spectrum(k=100)", "normalize(spectrum(k=2) + 1)", "white"]
    {
        check_kernel(kernel, &texts());
    }
    for kernel in [
        "spectrum[sequence]*delta[colour] + rbf[age, \"fare paid\"]",
        "delta + 0.3*linear",
        "delta[sequence] + white[age]",
        "white",
        "spectrum(k=2)[colour]",
        "rbf[age]*(laplace[\"fare paid\"] + delta)",
    ] {
        check_kernel(kernel, &mixed());
    }
}

#[test]
fn precomputed_and_registered() {
    let n = 20;
    let matrix =
        Dense::new(n, n, (0..n * n).map(|at| value(at / n, 1) * value(at % n, 1)).collect()).unwrap();
    let mut table = Table::new();
    table.push("k", ColumnData::Indices(Indices::all(matrix).unwrap())).unwrap();
    check_kernel("precomputed", &table);
    check_kernel("0.5*precomputed^2 + white", &table);

    let mut registry = Registry::new();
    registry.vectors("overlap", |x, z| x.iter().zip(z).map(|(a, b)| a.min(*b)).sum()).unwrap();
    registry.texts("lengths", |x, z| (x.len() * z.len()) as f64).unwrap();
    check_kernel_with("overlap + rbf", &dense(20, 4), &registry);
    check_kernel_with("overlap*linear", &sparse(&dense(20, 4)), &registry);
    check_kernel_with("lengths + spectrum", &texts(), &registry);
    assert!(registry.vectors("rbf", |_, _| 0.0).is_err(), "a built-in name cannot be taken");
}

#[test]
fn single_precision_holds_its_tolerance_whatever_the_offset_and_the_width() {
    for dim in [3, 8, 30, 54, 300] {
        for offset in [0.0, 1e4] {
            let n = 60;
            // Sums of uniforms are near enough to standardised data; every fifth row nearly repeats another.
            let normal =
                |i: usize, j: usize| (0..6).map(|k| value(i * 13 + k * 977, j * 7 + k)).sum::<f64>() - 3.6;
            let near = |i: usize, j: usize| {
                if i % 5 == 4 { normal(i - 1, j) + 1e-3 * value(i, j) } else { normal(i, j) }
            };
            let values = (0..n * dim).map(|at| offset + near(at / dim, at % dim)).collect();
            let names = (1..=dim).map(|j| j.to_string()).collect();
            let table = block(ColumnData::Dense(Dense::new(n, dim, values).unwrap(), names));
            for kernel in [
                "rbf(gamma=scale)",
                "rbf(sigma=1)",
                "rbf(sigma=0.2)",
                "laplace(scale=3)",
                "matern(nu=0.5)",
                "rq",
            ] {
                check_kernel(kernel, &table);
            }
            for factor in [0.5, 1.0, 4.0, 20.0] {
                check_kernel(&format!("rbf(gamma={})", factor / dim as f64), &table);
            }
        }
    }
}

#[test]
fn every_map_of_the_table_is_fitted_and_applied() {
    for map in MAPS {
        check_kernel(&format!("linear@{}", map.signature.name), &non_negative(&dense(12, 3)));
    }
}

#[test]
fn maps_induce_their_kernels() {
    let table = dense(15, 4);
    for (mapped, kernel) in [
        ("linear@identity", "linear"),
        ("linear@quadratic", "quadratic"),
        ("linear@polynomial(degree=3, offset=0.7)", "poly(degree=3, offset=0.7)"),
        ("linear@homogeneous(degree=4)", "poly(degree=4, offset=0)"),
        ("linear@tuples(degree=3)", "tuples(degree=3)"),
        ("linear@monomials(degree=4)", "monomials(degree=4)"),
        ("linear@subsets", "all_subsets"),
        ("linear@unit", "cosine"),
        ("linear@empirical(kernel=laplace, rank=15)", "laplace"),
        ("linear@nystrom(kernel=rbf(sigma=1), m=15)", "rbf(sigma=1)"),
        ("outer(identity)", "linear"),
    ] {
        let plan = |text: &str| {
            mercer_kernel::Plan::compile(&text.parse().unwrap(), &table, &Registry::new()).unwrap()
        };
        let (mapped, kernel) = (plan(mapped), plan(kernel));
        let (x, z) = (mapped.ready(&table).unwrap(), kernel.ready(&table).unwrap());
        for at in 0..15 * 15 {
            let (a, b) = (mapped.pair(&x, at / 15, &x, at % 15), kernel.pair(&z, at / 15, &z, at % 15));
            assert!(
                (a - b).abs() < 1e-8 * b.abs().max(1.0),
                "{} is {a}, {} is {b}",
                mapped.expr(),
                kernel.expr()
            );
        }
    }
}

#[test]
fn random_fourier_features_approach_their_kernel() {
    let table = dense(12, 3);
    for kernel in ["rbf(sigma=0.7)", "laplace(scale=2)", "matern(nu=1.5)", "rq(alpha=2)", "exponential"] {
        let plan = |text: &str| {
            mercer_kernel::Plan::compile(&text.parse().unwrap(), &table, &Registry::new()).unwrap()
        };
        let (exact, approximate) =
            (plan(kernel), plan(&format!("linear@fourier(kernel={kernel}, m=20000, seed=5)")));
        let (x, z) = (exact.ready(&table).unwrap(), approximate.ready(&table).unwrap());
        for at in 0..144 {
            let (a, b) = (exact.pair(&x, at / 12, &x, at % 12), approximate.pair(&z, at / 12, &z, at % 12));
            // Four standard deviations of a mean of 20 000 values of which each is at most 2.
            assert!((a - b).abs() < 0.04, "{kernel}: {a} and {b}");
        }
    }
}

#[test]
fn other_tables_are_read_in_the_form_of_the_training_table() {
    let columns = |order: [&str; 3]| {
        let mut table = Table::new();
        for name in order {
            table.push(name, ColumnData::Numbers((0..6).map(|i| value(i, name.len())).collect())).unwrap();
        }
        table
    };
    let (train, other) = (columns(["a", "bb", "ccc"]), columns(["ccc", "a", "bb"]));
    let plan =
        mercer_kernel::Plan::compile(&"rbf(sigma=1)".parse().unwrap(), &train, &Registry::new()).unwrap();
    let (x, z) = (plan.ready(&train).unwrap(), plan.ready(&other).unwrap());
    assert_eq!(plan.pair(&x, 1, &z, 1), 1.0, "columns are found by name, whatever their order");
    let mut short = other.clone();
    short.remove("bb").unwrap();
    assert!(plan.ready(&short).unwrap_err().to_string().contains("no column 'bb'"));

    // A file of numbered coordinates may leave out trailing zeros, and be dense where the other was sparse.
    let wide = sparse(&non_negative(&dense(20, 6)));
    let narrow = dense(5, 4);
    for kernel in ["rbf(sigma=1)", "laplace", "poly"] {
        let plan = mercer_kernel::Plan::compile(&kernel.parse().unwrap(), &wide, &Registry::new()).unwrap();
        let (x, z) = (plan.ready(&wide).unwrap(), plan.ready(&narrow).unwrap());
        let tiles = mercer_kernel::Tiles::<f64>::new(&plan, &x, &z);
        let mut scratch = tiles.scratch();
        tiles.choose_rows(&mut scratch, &[3]);
        let entry = tiles.block(&mut scratch, 0..5)[2];
        assert!((entry - plan.pair(&x, 3, &z, 2)).abs() < 1e-12);
        let plan =
            mercer_kernel::Plan::compile(&kernel.parse().unwrap(), &dense(20, 6), &Registry::new()).unwrap();
        let (x, z) = (plan.ready(&dense(20, 6)).unwrap(), plan.ready(&sparse(&narrow)).unwrap());
        let tiles = mercer_kernel::Tiles::<f64>::new(&plan, &x, &z);
        let mut scratch = tiles.scratch();
        tiles.choose_rows(&mut scratch, &[3]);
        let entry = tiles.block(&mut scratch, 0..5)[2];
        assert!((entry - plan.pair(&x, 3, &z, 2)).abs() < 1e-12);
    }
    let plan =
        mercer_kernel::Plan::compile(&"rbf(sigma=1)".parse().unwrap(), &narrow, &Registry::new()).unwrap();
    assert!(plan.ready(&dense(5, 6)).unwrap_err().to_string().contains("6 coordinates"));
}

#[test]
fn a_coordinate_of_four_thousand_million_costs_nothing() {
    let rows = vec![vec![(7, 1.0), (3_999_999_999, 2.0)], vec![(3_999_999_999, 1.0)], vec![]];
    let table = block(ColumnData::Sparse(Sparse::from_rows(4_000_000_000, rows).unwrap()));
    for kernel in ["rbf(gamma=scale)", "linear", "laplace", "normalize(poly)", "rbf(gamma=median)"] {
        check_kernel(kernel, &table);
    }
}

#[test]
fn nesting_costs_no_more_than_its_length() {
    let nested =
        |count: usize, open: &str, close: &str| format!("{}rbf{}", open.repeat(count), close.repeat(count));
    check_kernel(&nested(60, "normalize(", ")"), &dense(5, 2));
    check_kernel(&nested(4, "linear@nystrom(kernel=", ")"), &dense(5, 2));
    let deep = nested(5, "linear@nystrom(kernel=", ")").parse().unwrap();
    let error = mercer_kernel::Plan::compile(&deep, &dense(5, 2), &Registry::new()).unwrap_err();
    assert!(error.to_string().contains("more than 4 deep"), "{error}");
}

#[test]
fn extreme_values_do_not_silently_vanish_in_single_precision() {
    let rows = |values: &[[f64; 2]]| {
        let names = vec!["1".to_owned(), "2".to_owned()];
        block(ColumnData::Dense(Dense::from_rows(values), names))
    };
    for size in [1e10, 1e20, 1e-25] {
        let table = rows(&[[size, 2.0 * size], [2.0 * size, size], [1.5 * size, 0.5 * size]]);
        for kernel in
            ["cosine", "normalize(linear)", "normalize(poly(degree=2, offset=0))", "rbf", "tanimoto"]
        {
            check_kernel(kernel, &table);
        }
        check_kernel(&format!("rq(scale={size})"), &table);
    }
    let ids = rows(&[[16_777_216.0, 1.0], [16_777_217.0, 1.0]]);
    check_kernel("exponential(distance=hamming)", &ids);
    let spread = rows(&[[0.123456, 0.0], [0.124456, 0.0], [100.3, 0.0]]);
    for kernel in ["laplace(scale=1e-3)", "matern(nu=0.5, scale=1e-3)", "exponential(scale=1e-3)"] {
        check_kernel(kernel, &spread);
    }
}
