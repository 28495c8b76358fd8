//! The bytes of a fit at its peak, on top of the table.

use mercer_gram::Gram;
use mercer_points::{ColumnData, Points, Table};
use mercer_solve::solvers::Softmax;
use mercer_solve::{Footprint, Holding};

use super::{Expected, Job, Kind};
use crate::Multiclass;
use crate::target::Goal;

/// Vectors of a machine: program, slopes, scores, products and the report of its certificate, for each row.
const VECTORS: usize = 360;
/// What stays of a machine until the model is made, for each row: scores, and the report on its rows. Pairs of classes have
/// neither.
const REPORT: usize = 88;
/// A coefficient that is not 0 with its place, and one among those that predictions are made with.
const USED: u64 = 16;
const WEIGHT: u64 = 8;
/// What threads take for tiles, and the like.
const BASE: usize = 3 << 20;

/// What the bytes are, largest first.
pub(super) fn parts(job: &Job<'_>, footprint: Footprint, expected: Expected) -> Vec<(&'static str, u64)> {
    let (gram, n) = (job.gram(), job.gram().len());
    let bytes = gram.points().bytes(job.training.table);
    let share = |of: u64, rows: usize| (of as u128 * rows as u128 / n.max(1) as u128) as u64;
    let largest = job.largest();
    let support = job.support(expected);
    let copied = copies(&job.ground.table, job.training.table);
    let at_once = job.at_once as u64;
    let own_support = (expected.support * largest as f64) as usize;
    let points = match (job.kind(), footprint.holding) {
        _ if job.features.is_some() => bytes.copy,
        // Of support vectors and of a working set there are parts in order, packed; where no rows are kept of all others too.
        (Kind::Dual, holding) => {
            let set = match holding {
                Holding::WorkingSet(set) => set.min(largest) + largest,
                Holding::Rows(set) => set.min(largest),
                _ => largest,
            };
            let accurate = share(bytes.part + bytes.double, own_support);
            let worked = share(bytes.part + bytes.single, set);
            let by_class = if shared(job) > 0 { bytes.part + bytes.single } else { 0 };
            bytes.single + by_class + at_once * accurate.max(worked)
        }
        // All rows have coefficients, and the certificate a copy of them.
        (Kind::Direct, _) => bytes.double,
        (Kind::Other, _) => bytes.single.max(bytes.double),
    };
    let vectors = match job.classes() {
        Some(classes) => u64::try_from(Softmax::vectors(largest, classes)).unwrap_or(u64::MAX),
        None => (job.variables * VECTORS * largest * job.at_once) as u64,
    };
    let rows = job.shares.iter().sum::<usize>();
    let (reports, coefficients) = match pairs(job) {
        Some(classes) => {
            let used = (expected.support * rows as f64) as u64;
            // Where the signs of coefficients are those of the classes, predictions are made class by class, and a support
            // point counts for the pairs of its class.
            let counts = if job.kind() == Kind::Dual { classes - 1 } else { job.shares.len() };
            (0, USED * used + WEIGHT * (support * counts) as u64)
        }
        None => {
            let functions = job.classes().unwrap_or(job.shares.len());
            (REPORT * rows, (USED + WEIGHT) * (support * functions) as u64)
        }
    };
    let model = share(bytes.copy, support) + coefficients;
    let matrices = u64::try_from(footprint.bytes).unwrap_or(u64::MAX).saturating_mul(at_once) + shared(job);
    let mut parts = vec![
        ("matrices of kernel entries", matrices),
        ("the points, prepared", bytes.points + points + copied),
        ("vectors of the solver", vectors.saturating_add(reports as u64)),
        ("the model", model),
        ("threads", BASE as u64),
    ];
    parts.retain(|part| part.1 > 0);
    parts.sort_by_key(|part| std::cmp::Reverse(part.1));
    parts
}

/// The number of classes where each pair of them has a machine.
fn pairs(job: &Job<'_>) -> Option<usize> {
    match job.posed.goal {
        Goal::Classes(names, _) if job.posed.spec.multiclass == Multiclass::OneVsOne && names.len() > 2 => {
            Some(names.len())
        }
        _ => None,
    }
}

/// Lines within classes that machines of pairs share.
pub(super) fn shared(job: &Job<'_>) -> u64 {
    let posed = job.posed;
    let Goal::Classes(names, codes) = posed.goal else { return 0 };
    if job.kind() != Kind::Dual || job.shares.len() < 2 {
        return 0;
    }
    match posed.spec.multiclass {
        Multiclass::OneVsOne => {
            let mut rows = vec![0; names.len()];
            codes.iter().for_each(|&code| rows[code] += 1);
            mercer_gram::Classes::bytes(posed.gram, &rows, crate::machines::shared_budget(posed))
        }
        Multiclass::OneVsRest | Multiclass::Softmax | Multiclass::Refuse => 0,
    }
}

/// Bytes of columns that are not the training table's own.
fn copies(prepared: &Table, table: &Table) -> u64 {
    let own = |data: &ColumnData| match data {
        ColumnData::Numbers(values) => 8 * values.len(),
        ColumnData::Categories(names) => 4 * names.len(),
        ColumnData::Texts(texts) => texts.iter().map(str::len).sum::<usize>() + 8 * texts.len(),
        ColumnData::Dense(points, _) => 8 * points.len() * points.dim(),
        ColumnData::Single(points, _) => 4 * points.len() * points.dim(),
        ColumnData::Sparse(points) => 12 * points.stored() + 8 * points.len(),
        ColumnData::Indices(rows) => 8 * rows.len(),
    };
    let is_same = |one: &ColumnData, other: &ColumnData| match (one, other) {
        (ColumnData::Dense(one, _), ColumnData::Dense(other, _)) => {
            one.values().as_ptr() == other.values().as_ptr()
        }
        (ColumnData::Single(one, _), ColumnData::Single(other, _)) => {
            one.values().as_ptr() == other.values().as_ptr()
        }
        _ => false,
    };
    let new = prepared.columns().iter().filter(|column| {
        !table.columns().iter().any(|other| other.name == column.name && is_same(&column.data, &other.data))
    });
    new.map(|column| own(&column.data) as u64).sum()
}
