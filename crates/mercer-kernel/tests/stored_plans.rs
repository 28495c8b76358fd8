//! A plan that was stored and restored is the same kernel, to the last bit; a state that lies is refused.
#![allow(clippy::unwrap_used)]

use mercer_kernel::{KernelError, Plan, PlanState, Registry, Tiles};
use mercer_points::{ColumnData, Dense, Points, Sparse, Table};
use proptest::prelude::*;

fn number(i: usize, j: usize) -> f64 {
    (((i * 31 + j * 17) % 23) as f64).sin().abs() + 0.1
}

fn table(rows: std::ops::Range<usize>) -> Table {
    let mut table = Table::new();
    for (j, name) in ["a", "b", "c"].into_iter().enumerate() {
        table.push(name, ColumnData::Numbers(rows.clone().map(|i| number(i, j)).collect())).unwrap();
    }
    let words = ["gattaca", "tag", "cat", "acgt"];
    table.push("text", ColumnData::Texts(rows.clone().map(|i| words[i % 4]).collect())).unwrap();
    table.push("name", ColumnData::Categories(rows.map(|i| words[i % 3]).collect())).unwrap();
    table
}

const KERNELS: [&str; 20] = [
    "rbf",
    "rbf(gamma=median) + 0.5*poly(degree=2)",
    "rbf@standardize",
    "rbf[a, b]",
    "(rbf@minmax)[a, b]",
    "linear@standardize[a]",
    "linear@polynomial(degree=2)",
    "rbf@standardize@log",
    "linear@buckets(count=3)",
    "linear@nystrom(m=6)",
    "linear@empirical(rank=5)",
    "linear@fourier(m=7)",
    "linear@nystrom(kernel=rbf(gamma=scale)@standardize, m=5)",
    "normalize(poly(degree=2, offset=1))",
    "exp(linear@unit)",
    "chi2 + laplace",
    "outer(deviation)",
    "spectrum(k=2)[text] * delta[name]",
    "rbf[a] * spectrum(k=2)[text] + white",
    "cosine + matern + 1",
];

/// All entries between new points and themselves, through tiles and by the definition.
fn entries(plan: &Plan, points: &Table) -> Vec<u64> {
    let ready = plan.ready(points).unwrap();
    let n = points.len();
    let tiles = Tiles::<f64>::new(plan, &ready, &ready);
    let mut scratch = tiles.scratch();
    let mut bits = Vec::new();
    for i in 0..n {
        tiles.choose_rows(&mut scratch, &[i]);
        bits.extend(tiles.block(&mut scratch, 0..n)[..n].iter().map(|v| v.to_bits()));
        bits.extend((0..n).map(|j| plan.pair(&ready, i, &ready, j).to_bits()));
    }
    bits
}

#[test]
fn a_restored_plan_gives_the_same_bits_on_new_points() {
    let (train, new, registry) = (table(0..20), table(20..29), Registry::new());
    for kernel in KERNELS {
        let plan = Plan::compile(&kernel.parse().unwrap(), &train, &registry)
            .unwrap_or_else(|e| panic!("{kernel}: {e}"));
        for few in [train.select(&[3, 7]), train.select(&[])] {
            let again = Plan::restore(plan.expr(), &few, &registry, &plan.state());
            let again = again.unwrap_or_else(|error| panic!("{kernel}: {error}"));
            assert_eq!(again.state(), plan.state(), "{kernel}");
            assert_eq!(entries(&again, &new), entries(&plan, &new), "{kernel}");
        }
    }
}

#[test]
fn sparse_points_and_blocks_are_restored_too() {
    let rows =
        |from: usize| (from..from + 8).map(|i| vec![(0, number(i, 0)), (i as u32 % 5 + 1, number(i, 1))]);
    let mut sparse = Table::new();
    sparse.push("features", ColumnData::Sparse(Sparse::from_rows(9, rows(0)).unwrap())).unwrap();
    let mut dense = Table::new();
    let names = (1..=9).map(|j| j.to_string()).collect();
    let points: Dense<f64> = Sparse::from_rows(9, rows(0)).unwrap().to_dense();
    dense.push("features", ColumnData::Dense(points, names)).unwrap();
    let registry = Registry::new();
    for train in [&sparse, &dense] {
        for kernel in
            ["rbf", "linear", "rbf[\"1\", \"2\"]", "linear@standardize", "poly(degree=2) + tanimoto"]
        {
            let plan = Plan::compile(&kernel.parse().unwrap(), train, &registry).unwrap();
            let again = Plan::restore(plan.expr(), &train.select(&[0]), &registry, &plan.state()).unwrap();
            assert_eq!(entries(&again, train), entries(&plan, train), "{kernel}");
        }
    }
}

#[test]
fn words_cannot_be_restored() {
    let (train, registry) = (table(0..9), Registry::new());
    let kernel = "rbf".parse().unwrap();
    let plan = Plan::compile(&kernel, &train, &registry).unwrap();
    let error = Plan::restore(&kernel, &train, &registry, &plan.state()).unwrap_err();
    assert!(matches!(&error, KernelError::Unfit(said) if said.contains("training rows")), "{error}");
}

/// A state with one thing changed.
fn broken(mut state: PlanState, view: usize, how: usize, value: f64) -> PlanState {
    let count = state.views.len().max(1);
    let Some(view) = state.views.get_mut(view % count) else { return state };
    match how {
        0 => view.center.push(value),
        1 => _ = view.center.pop(),
        2 => view.dim = value.abs() as usize,
        3 => view.sparse = !view.sparse,
        4 => view.columns = vec!["nobody".to_owned()],
        5 => _ = view.maps.pop(),
        6 => view.maps.push(Default::default()),
        7 => view.maps.iter_mut().flat_map(|map| map.values_mut()).for_each(|v| v.push(value)),
        8 => view.maps.iter_mut().flat_map(|map| map.values_mut()).flatten().for_each(|v| *v = value),
        9 => view.maps.iter_mut().for_each(|map| map.clear()),
        10 => view.center.iter_mut().for_each(|v| *v = value),
        11 => state.views.clear(),
        _ => state.views.push(Default::default()),
    }
    state
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_state_that_lies_is_an_error_or_a_plan(
        kernel in 0..KERNELS.len(),
        view in 0..3usize,
        how in 0..13usize,
        value in prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(-1.0), Just(0.0), Just(1e300), Just(1e12), Just(7.0)],
    ) {
        let (train, registry) = (table(0..12), Registry::new());
        let plan = Plan::compile(&KERNELS[kernel].parse().unwrap(), &train, &registry).unwrap();
        let state = broken(plan.state(), view, how, value);
        if let Ok(again) = Plan::restore(plan.expr(), &train, &registry, &state) {
            // What passes as a plan must be usable, or say why it is not.
            if let Ok(ready) = again.ready(&train) {
                again.pair(&ready, 0, &ready, 1);
                let tiles = Tiles::<f64>::new(&again, &ready, &ready);
                let mut scratch = tiles.scratch();
                tiles.choose_rows(&mut scratch, &[0, 1]);
                tiles.block(&mut scratch, 0..3);
            }
        }
    }
}
