//! Running over all blocks of a matrix: in parallel, in an order that does not depend on the number of threads.

use std::ops::Range;

use mercer_kernel::{Entry, Scratch, Tiles};
use mercer_linalg::{
    Isa, LANES, OUTPUTS, add_column_sums, add_products, add_row_sums, flush_row_sums, mirror_lower,
};
use rayon::prelude::*;

/// Whole rows, in any order, one after the other.
pub(crate) fn rows<T: Entry>(tiles: &Tiles<'_, T>, rows: &[usize], out: &mut [T]) {
    let (n, (height, _)) = (tiles.columns(), tiles.shape());
    if n == 0 {
        return;
    }
    if rows.len() > height {
        out.par_chunks_mut(height * n).zip(rows.par_chunks(height)).for_each_init(
            || tiles.scratch(),
            |scratch, (out, rows)| fill(tiles, scratch, rows, 0..n, out, n),
        );
        return;
    }
    // Few rows: the columns are shared out instead, in segments that are copied together.
    let segment = segment(tiles, rows.len());
    if segment >= n {
        return fill(tiles, &mut tiles.scratch(), rows, 0..n, out, n);
    }
    let segments: Vec<Vec<T>> = (0..n.div_ceil(segment))
        .into_par_iter()
        .map_init(
            || tiles.scratch(),
            |scratch, number| {
                let columns = number * segment..((number + 1) * segment).min(n);
                let mut part = vec![T::ZERO; rows.len() * columns.len()];
                fill(tiles, scratch, rows, columns.clone(), &mut part, columns.len());
                part
            },
        )
        .collect();
    for (row, out) in out.chunks_exact_mut(n).enumerate().take(rows.len()) {
        for (part, out) in segments.iter().zip(out.chunks_mut(segment)) {
            out.copy_from_slice(&part[row * out.len()..(row + 1) * out.len()]);
        }
    }
}

/// Columns that are worth a task of their own for so few rows.
fn segment<T: Entry>(tiles: &Tiles<'_, T>, rows: usize) -> usize {
    const WORK: usize = 1 << 20;
    let many = WORK / (tiles.coordinates() * rows).max(1);
    many.clamp(tiles.stride(), 4096).next_multiple_of(tiles.stride())
}

/// Rows and columns into `out`, whose rows are `width` apart.
pub(crate) fn fill<T: Entry>(
    tiles: &Tiles<'_, T>,
    scratch: &mut Scratch<T>,
    rows: &[usize],
    columns: Range<usize>,
    out: &mut [T],
    width: usize,
) {
    tiles.choose_rows(scratch, rows);
    for block in blocks(columns.clone(), tiles.stride()) {
        let entries = tiles.block(scratch, block.clone());
        let at = block.start - columns.start;
        for (from, to) in entries.chunks(tiles.stride()).zip(out.chunks_mut(width)).take(rows.len()) {
            to[at..at + block.len()].copy_from_slice(&from[..block.len()]);
        }
    }
}

/// Blocks whose products are summed in the entries' precision before they go over to `f64`.
const FLUSH: usize = 8;

fn blocks(columns: Range<usize>, width: usize) -> impl Iterator<Item = Range<usize>> {
    let end = columns.end;
    columns.step_by(width).map(move |first| first..(first + width).min(end))
}

/// Up to so many coordinates an entry is computed sooner than it is found on the other side of the diagonal: in the
/// registers that there are, or where there are wide ones. (On Zen 4, which computes 54 coordinates by halves, both take the
/// same time.)
const SOON: usize = 24;
const SOON_IF_WIDE: usize = 64;

/// Whether an entry is computed sooner than it is found on the other side of the diagonal.
pub(crate) fn is_soon<T: Entry>(tiles: &Tiles<'_, T>) -> bool {
    let soon = if tiles.is_wide() { SOON_IF_WIDE } else { SOON };
    !tiles.is_sparse() && (1..=soon).contains(&tiles.coordinates())
}

/// All entries of a symmetric matrix: the upper triangle is computed, the lower one is its mirror image, or computed too.
pub(crate) fn store<T: Entry>(tiles: &Tiles<'_, T>, out: &mut [T], poll: &(dyn Fn() -> bool + Sync)) {
    let (n, (height, _)) = (tiles.columns(), tiles.shape());
    let is_whole = is_soon(tiles);
    if n == 0 {
        return;
    }
    out.par_chunks_mut(height * n).enumerate().for_each_init(
        || (tiles.scratch(), Vec::new()),
        |(scratch, rows): &mut (_, Vec<usize>), (block, out)| {
            rows.clear();
            rows.extend(block * height..((block + 1) * height).min(n));
            tiles.choose_rows(scratch, rows);
            let first = if is_whole { 0 } else { block * height };
            for columns in blocks(first..n, tiles.stride()) {
                if poll() {
                    return;
                }
                let entries = tiles.block(scratch, columns.clone());
                for (from, to) in entries.chunks(tiles.stride()).zip(out.chunks_exact_mut(n)) {
                    to[columns.clone()].copy_from_slice(&from[..columns.len()]);
                }
            }
        },
    );
    if !is_whole {
        mirror_lower(n, out);
    }
}

/// What columns of a matrix are multiplied with: weights for some of the outputs.
#[derive(Debug, Clone)]
pub struct Segment {
    /// The columns.
    pub columns: Range<usize>,
    /// The outputs that they have weights for.
    pub outputs: Vec<usize>,
    /// One weight for each column, output after output.
    pub weights: Vec<f64>,
}

/// Outputs from which on weights are laid out for a product of matrices.
const MANY: usize = 8;

/// The weights of a segment in the precision of the entries.
enum Weights<T> {
    /// One for each column, output after output.
    Lines(Vec<T>),
    /// Some outputs of all columns, then the next ones.
    Panels(Vec<[T; OUTPUTS]>),
}

impl<T: Entry> Weights<T> {
    fn new(segment: &Segment) -> Self {
        let (columns, outputs) = (segment.columns.len(), segment.outputs.len());
        if outputs < MANY || columns == 0 {
            return Self::Lines(segment.weights.iter().map(|&v| T::of(v)).collect());
        }
        let mut panels = vec![[T::ZERO; OUTPUTS]; columns * outputs.div_ceil(OUTPUTS)];
        for (output, from) in segment.weights.chunks_exact(columns).enumerate() {
            let panel = &mut panels[output / OUTPUTS * columns..];
            panel.iter_mut().zip(from).for_each(|(to, &v)| to[output % OUTPUTS] = T::of(v));
        }
        Self::Panels(panels)
    }
}

/// K·V for some rows of one collection and the columns of another, whose segments follow each other: each row block is one
/// task, its sums are made in one order whatever the number of threads. Output after output; what no segment has weights for is 0.
pub(crate) fn apply<T: Entry>(tiles: &Tiles<'_, T>, rows: &[usize], segments: &[Segment], out: &mut [f64]) {
    let ((height, width), isa) = (tiles.shape(), Isa::detect());
    out.fill(0.0);
    if rows.is_empty() {
        return;
    }
    let count = out.len() / rows.len();
    let weights: Vec<Weights<T>> = segments.iter().map(Weights::new).collect();
    let in_lanes = if weights.iter().any(|weights| matches!(weights, Weights::Lines(_))) { count } else { 0 };
    let sums: Vec<Vec<f64>> = rows
        .par_chunks(height)
        .map_init(
            || tiles.scratch(),
            |scratch, rows| {
                tiles.choose_rows(scratch, rows);
                let mut sums = vec![0.0; rows.len() * count];
                let mut lanes = vec![[T::ZERO; LANES]; rows.len() * in_lanes];
                let mut first = 0;
                for (number, range) in blocks(0..tiles.columns(), width).enumerate() {
                    let entries = tiles.block(scratch, range.clone());
                    first += segments[first..].iter().take_while(|s| s.columns.end <= range.start).count();
                    for (segment, weights) in segments.iter().zip(&weights).skip(first) {
                        if segment.columns.start >= range.end {
                            break;
                        }
                        if segment.columns.is_empty() {
                            continue;
                        }
                        let (from, to) =
                            (range.start.max(segment.columns.start), range.end.min(segment.columns.end));
                        let within = from - segment.columns.start..to - segment.columns.start;
                        let entries = &entries[from - range.start..];
                        match weights {
                            Weights::Lines(weights) => {
                                let each = weights.chunks_exact(segment.columns.len()).zip(&segment.outputs);
                                for (weights, output) in each {
                                    let lanes = &mut lanes[output * rows.len()..(output + 1) * rows.len()];
                                    add_row_sums(isa, entries, width, &weights[within.clone()], lanes);
                                }
                            }
                            Weights::Panels(panels) => {
                                let each = panels.chunks_exact(segment.columns.len());
                                for (panel, outputs) in each.zip(segment.outputs.chunks(OUTPUTS)) {
                                    let products = &mut vec![[0.0; OUTPUTS]; rows.len()];
                                    add_products(isa, entries, width, &panel[within.clone()], products);
                                    for (k, output) in outputs.iter().enumerate() {
                                        let sums = &mut sums[output * rows.len()..(output + 1) * rows.len()];
                                        sums.iter_mut().zip(&*products).for_each(|(sum, row)| *sum += row[k]);
                                    }
                                }
                            }
                        }
                    }
                    if number % FLUSH == FLUSH - 1 {
                        flush_row_sums(&mut lanes, &mut sums);
                    }
                }
                flush_row_sums(&mut lanes, &mut sums);
                sums
            },
        )
        .collect();
    for (block, sums) in sums.iter().enumerate() {
        let height = sums.len() / count.max(1);
        for (output, sums) in sums.chunks_exact(height.max(1)).enumerate() {
            let at = output * rows.len() + block * tiles.shape().0;
            out[at..at + height].copy_from_slice(sums);
        }
    }
}

/// Columns that a task sums, at most and at least: its sums stay near while all rows go by, and threads have as many each,
/// so that none waits for the last.
const SPAN: usize = 4096;
const LEAST_SPAN: usize = 256;
const TASKS: usize = 8;

/// Bytes of rows that are packed at a time.
const PACKED: usize = 1 << 20;

/// out += Σ weight·row over some rows; each column by itself, rows in the given order.
pub(crate) fn add_rows<T: Entry>(tiles: &Tiles<'_, T>, rows: &[usize], weights: &[f64], out: &mut [f64]) {
    let ((height, _), width, isa) = (tiles.shape(), tiles.stride(), Isa::detect());
    let weights: Vec<T> = weights.iter().map(|&weight| T::of(weight)).collect();
    let tasks = (TASKS * rayon::current_num_threads()).max(out.len().div_ceil(SPAN));
    let span = out.len().div_ceil(tasks).max(LEAST_SPAN).next_multiple_of(width);
    // All tasks want the same rows: packed once, as many as stay near.
    let many = (PACKED / (tiles.coordinates() * size_of::<T>()).max(1)).max(height).next_multiple_of(height);
    for (rows, weights) in rows.chunks(many).zip(weights.chunks(many)) {
        let chosen: Vec<_> = rows.par_chunks(height).map(|rows| tiles.packed_rows(rows)).collect();
        out.par_chunks_mut(span).enumerate().for_each_init(
            || tiles.scratch(),
            |scratch, (number, out)| {
                let first = number * span;
                for (chosen, weights) in chosen.iter().zip(weights.chunks(height)) {
                    tiles.choose(scratch, chosen);
                    for columns in blocks(first..first + out.len(), width) {
                        let entries = tiles.block(scratch, columns.clone());
                        let sums = &mut out[columns.start - first..columns.end - first];
                        add_column_sums(isa, entries, width, weights, sums);
                    }
                }
            },
        );
    }
}

/// Tasks that many rows are shared out among where columns are few.
pub(crate) const SHARES: usize = 32;

/// Rows whose products are summed in the entries' precision before they go over to `f64`.
const SUMMED: usize = 64;

/// The same where rows are many and columns few: each task has some of the rows, and sums of its own.
pub(crate) fn sum_rows<T: Entry>(tiles: &Tiles<'_, T>, rows: &[usize], weights: &[f64], out: &mut [f64]) {
    let ((height, _), width, isa) = (tiles.shape(), tiles.stride(), Isa::detect());
    let weights: Vec<T> = weights.iter().map(|&weight| T::of(weight)).collect();
    let share = rows.len().div_ceil(SHARES).next_multiple_of(height);
    let sums: Vec<Vec<f64>> = rows
        .par_chunks(share.max(1))
        .zip(weights.par_chunks(share.max(1)))
        .map_init(
            || tiles.scratch(),
            |scratch, (rows, weights)| {
                let mut sums = vec![0.0; out.len()];
                for (rows, weights) in rows.chunks(height).zip(weights.chunks(height)) {
                    tiles.choose_rows(scratch, rows);
                    for columns in blocks(0..tiles.columns(), width) {
                        let entries = tiles.block(scratch, columns.clone());
                        for (entries, weights) in entries.chunks(SUMMED * width).zip(weights.chunks(SUMMED)) {
                            add_column_sums(isa, entries, width, weights, &mut sums[columns.clone()]);
                        }
                    }
                }
                sums
            },
        )
        .collect();
    for share in &sums {
        out.iter_mut().zip(share).for_each(|(out, sum)| *out += sum);
    }
}

/// Entries between two questions whether to stop: some hundredths of a second, where one knows.
pub(crate) fn round<T: Entry>(tiles: &Tiles<'_, T>) -> usize {
    match tiles.coordinates() {
        0 => 1 << 16,
        coordinates => (1 << 30) / coordinates.max(32),
    }
}

/// K·V for a symmetric matrix with every entry computed once: an entry serves its row and its column. False, and nothing
/// of use, if `stop`, which is told how many rows are done of how many, says so.
pub(crate) fn apply_symmetric<T: Entry>(
    tiles: &Tiles<'_, T>,
    vectors: &[f64],
    out: &mut [f64],
    stop: &dyn Fn(usize, usize) -> bool,
) -> bool {
    let (n, (height, _)) = (tiles.columns(), tiles.shape());
    out.fill(0.0);
    if n == 0 {
        return true;
    }
    let weights: Vec<T> = vectors.iter().map(|&v| T::of(v)).collect();
    // Each task has sums of its own for all rows; how many there are depends on the sizes only.
    const SUMS: usize = 64 << 20;
    let blocks_of_rows = n.div_ceil(height);
    let tasks = (SUMS / (8 * vectors.len().max(1))).clamp(2, 32).min(blocks_of_rows);
    let mut sums = vec![vec![0.0; vectors.len()]; tasks];
    let round = (round(tiles) / (n * height)).max(rayon::current_num_threads());
    for first in (0..blocks_of_rows).step_by(round) {
        if stop(first * height, n) {
            return false;
        }
        sums.par_iter_mut().enumerate().for_each_init(
            || tiles.scratch(),
            |scratch, (task, sums)| {
                let last = (first + round).min(blocks_of_rows);
                for block in (first..last).filter(|block| block % tasks == task) {
                    let rows = block * height..((block + 1) * height).min(n);
                    triangle(tiles, scratch, rows, &weights, sums);
                }
            },
        );
    }
    const CHUNK: usize = 4096;
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
        for task in &sums {
            out.iter_mut().zip(&task[chunk * CHUNK..]).for_each(|(out, sum)| *out += sum);
        }
    });
    true
}

/// One row block of a symmetric product: the square on the diagonal as it is, what lies right of it both ways.
fn triangle<T: Entry>(
    tiles: &Tiles<'_, T>,
    scratch: &mut Scratch<T>,
    rows: Range<usize>,
    weights: &[T],
    sums: &mut [f64],
) {
    let (n, width, isa) = (tiles.columns(), tiles.stride(), Isa::detect());
    let chosen: Vec<usize> = rows.clone().collect();
    tiles.choose_rows(scratch, &chosen);
    let square = blocks(rows.clone(), width).map(|columns| (columns, false));
    let beyond = blocks(rows.end..n, width).map(|columns| (columns, true));
    let mut lanes = vec![[T::ZERO; LANES]; chosen.len() * (weights.len() / n)];
    let flush = |lanes: &mut [[T; LANES]], sums: &mut [f64]| {
        for (lanes, sums) in lanes.chunks_exact_mut(rows.len()).zip(sums.chunks_exact_mut(n)) {
            flush_row_sums(lanes, &mut sums[rows.clone()]);
        }
    };
    for (number, (columns, both)) in square.chain(beyond).enumerate() {
        let entries = tiles.block(scratch, columns.clone());
        let each =
            sums.chunks_exact_mut(n).zip(weights.chunks_exact(n)).zip(lanes.chunks_exact_mut(rows.len()));
        for ((sums, weights), lanes) in each {
            add_row_sums(isa, entries, width, &weights[columns.clone()], lanes);
            if both {
                add_column_sums(isa, entries, width, &weights[rows.clone()], &mut sums[columns.clone()]);
            }
        }
        if number % FLUSH == FLUSH - 1 {
            flush(&mut lanes, sums);
        }
    }
    flush(&mut lanes, sums);
}
