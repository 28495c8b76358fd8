//! A block of entries times vectors: products in the entries' precision over a block, sums over blocks in `f64`.

use crate::Real;
use crate::arch::{Arch, dispatch};
use crate::real::fused;

/// Partial sums of one row.
pub const LANES: usize = 16;

dispatch! {
    /// Adds block(r,c)·v(c) to the partial sums of row r, lane c mod 16, for every entry of the block.
    pub fn add_row_sums<T: Real>(isa, block: &[T], stride: usize, v: &[T], sums: &mut [[T; LANES]]) = row_body, wide
}

/// Rows that are summed side by side, so that no sum waits for itself.
const SIDE: usize = 4;

#[inline(always)]
fn row_body<T: Real, A: Arch>(block: &[T], stride: usize, v: &[T], sums: &mut [[T; LANES]]) {
    let (four, rest) = sums.as_chunks_mut::<SIDE>();
    let (first, last) = block.split_at(block.len().min(four.len() * SIDE * stride));
    for (block, sums) in first.chunks(SIDE * stride).zip(four) {
        some_rows::<T, A, SIDE>(block, stride, v, sums);
    }
    for (block, sums) in last.chunks(stride).zip(rest) {
        some_rows::<T, A, 1>(block, stride, v, std::array::from_mut(sums));
    }
}

#[inline(always)]
#[allow(clippy::needless_range_loop)] // Counted loops of known length are unrolled into registers.
fn some_rows<T: Real, A: Arch, const R: usize>(
    block: &[T],
    stride: usize,
    v: &[T],
    sums: &mut [[T; LANES]; R],
) {
    let (weights, odd_weights) = v.as_chunks::<LANES>();
    let rows: [(&[[T; LANES]], &[T]); R] =
        std::array::from_fn(|r| block[r * stride..r * stride + v.len()].as_chunks::<LANES>());
    let mut lanes = *sums;
    for (c, weights) in weights.iter().enumerate() {
        for r in 0..R {
            let entries = &rows[r].0[c];
            for lane in 0..LANES {
                lanes[r][lane] = fused::<T, A>(entries[lane], weights[lane], lanes[r][lane]);
            }
        }
    }
    for r in 0..R {
        for (lane, (entry, weight)) in lanes[r].iter_mut().zip(rows[r].1.iter().zip(odd_weights)) {
            *lane = fused::<T, A>(*entry, *weight, *lane);
        }
    }
    *sums = lanes;
}

/// Moves partial sums over to `f64` and starts them again.
pub fn flush_row_sums<T: Real>(sums: &mut [[T; LANES]], out: &mut [f64]) {
    for (sums, out) in sums.iter_mut().zip(out) {
        *out += sums.iter().map(|lane| lane.f64()).sum::<f64>();
        *sums = [T::ZERO; LANES];
    }
}

/// Outputs that [`add_products`] makes at a time, and columns between two looks at where the rows are.
pub const OUTPUTS: usize = 2 * LANES;
const SOME: usize = 8;

dispatch! {
    /// Adds Σ_c block(r,c)·weights(c,o) to `out(r,o)` for every row of `out` and every output. Sums over the columns of the
    /// block are made in the entries' precision, one after the other.
    ///
    /// ```
    /// use mercer_linalg::{Isa, OUTPUTS, add_products};
    /// let (mut weights, mut out) = ([[0.0f32; OUTPUTS]; 2], [[0.0; OUTPUTS]; 2]);
    /// (weights[0][0], weights[1][0], weights[1][1]) = (1.0, 10.0, 100.0);
    /// add_products(Isa::detect(), &[1.0, 2.0, 3.0, 4.0], 2, &weights, &mut out);
    /// assert_eq!((out[0][..2].to_vec(), out[1][..2].to_vec()), (vec![21.0, 200.0], vec![43.0, 400.0]));
    /// ```
    pub fn add_products<T: Real>(isa, block: &[T], stride: usize, weights: &[[T; OUTPUTS]], out: &mut [[f64; OUTPUTS]]) = products_body, wide
}

#[inline(always)]
fn products_body<T: Real, A: Arch>(
    block: &[T],
    stride: usize,
    weights: &[[T; OUTPUTS]],
    out: &mut [[f64; OUTPUTS]],
) {
    const ROWS: usize = 6;
    let (six, rest) = out.as_chunks_mut::<ROWS>();
    let done = six.len() * ROWS;
    for (number, out) in six.iter_mut().enumerate() {
        some_products::<T, A, ROWS>(&block[number * ROWS * stride..], stride, weights, out);
    }
    for (row, out) in rest.iter_mut().enumerate() {
        let block = &block[(done + row) * stride..];
        some_products::<T, A, 1>(block, stride, weights, std::array::from_mut(out));
    }
}

#[inline(always)]
#[allow(clippy::needless_range_loop)] // Counted loops of known length are unrolled into registers.
fn some_products<T: Real, A: Arch, const R: usize>(
    block: &[T],
    stride: usize,
    weights: &[[T; OUTPUTS]],
    out: &mut [[f64; OUTPUTS]; R],
) {
    let mut lines = [(&[] as &[[T; SOME]], block); R];
    for r in 0..R {
        lines[r] = block[r * stride..][..weights.len()].as_chunks::<SOME>();
    }
    let (some, rest) = weights.as_chunks::<SOME>();
    let (nothing, mut sums) = ([T::ZERO; SOME], [[T::ZERO; OUTPUTS]; R]);
    // Entries are always there; a panic would take the sums out of their registers.
    for (number, weights) in some.iter().enumerate() {
        let mut entries = [&nothing; R];
        for r in 0..R {
            entries[r] = lines[r].0.get(number).unwrap_or(&nothing);
        }
        for c in 0..SOME {
            for r in 0..R {
                for o in 0..OUTPUTS {
                    sums[r][o] = fused::<T, A>(entries[r][c], weights[c][o], sums[r][o]);
                }
            }
        }
    }
    for (c, weights) in rest.iter().enumerate() {
        for r in 0..R {
            let entry = lines[r].1.get(c).copied().unwrap_or(T::ZERO);
            for o in 0..OUTPUTS {
                sums[r][o] = fused::<T, A>(entry, weights[o], sums[r][o]);
            }
        }
    }
    for (out, sums) in out.iter_mut().zip(sums) {
        for (out, sum) in out.iter_mut().zip(sums) {
            *out += sum.f64();
        }
    }
}

dispatch! {
    /// Adds Σ_r block(r,c)·w(r) to `out[c]` for every column c of the block; sums are made in the entries' precision.
    pub fn add_column_sums<T: Real>(isa, block: &[T], stride: usize, w: &[T], out: &mut [f64]) = column_body, wide
}

/// Columns whose sums stay in registers while the rows go by.
const STRIP: usize = 8 * LANES;

#[inline(always)]
fn column_body<T: Real, A: Arch>(block: &[T], stride: usize, w: &[T], out: &mut [f64]) {
    let (strips, rest) = out.as_chunks_mut::<STRIP>();
    let done = strips.len() * STRIP;
    for (strip, out) in strips.iter_mut().enumerate() {
        let mut sums = [T::ZERO; STRIP];
        for (row, &w) in block[strip * STRIP..].chunks(stride).zip(w) {
            // Always there; anything else here would take the sums out of their registers.
            let Some(row) = row.first_chunk::<STRIP>() else { break };
            for c in 0..STRIP {
                sums[c] = fused::<T, A>(row[c], w, sums[c]);
            }
        }
        for (out, sum) in out.iter_mut().zip(sums) {
            *out += sum.f64();
        }
    }
    if rest.is_empty() {
        return;
    }
    let mut sums = [T::ZERO; STRIP];
    for (row, &w) in block[done..].chunks(stride).zip(w) {
        for (sum, &entry) in sums.iter_mut().zip(&row[..rest.len()]) {
            *sum = fused::<T, A>(entry, w, *sum);
        }
    }
    for (out, sum) in rest.iter_mut().zip(sums) {
        *out += sum.f64();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;

    #[test]
    fn sums_are_their_definitions() {
        let (rows, columns, stride) = (5, 300, 304);
        let block: Vec<f32> = (0..rows * stride).map(|at| (at % 13) as f32 * 0.25 - 1.0).collect();
        let v: Vec<f32> = (0..columns).map(|c| (c % 7) as f32 - 3.0).collect();
        let w: Vec<f32> = (0..rows).map(|r| r as f32 * 0.5).collect();
        for isa in Isa::available() {
            let (mut by_row, mut by_column) = (vec![1.0; rows], vec![1.0; columns]);
            let mut lanes = vec![[0.0; LANES]; rows];
            add_row_sums(isa, &block, stride, &v, &mut lanes);
            flush_row_sums(&mut lanes, &mut by_row);
            add_column_sums(isa, &block, stride, &w, &mut by_column);
            for rows in [1, 5, 6, 13] {
                let tall: Vec<f32> = (0..rows * stride).map(|at| (at % 17) as f32 * 0.125 - 1.0).collect();
                let weight = |c: usize, o: usize| ((c * 7 + o * 3) % 11) as f32 * 0.5 - 2.0;
                let weights: Vec<[f32; OUTPUTS]> =
                    (0..columns).map(|c| std::array::from_fn(|o| weight(c, o))).collect();
                let mut out = vec![[1.0; OUTPUTS]; rows];
                add_products(isa, &tall, stride, &weights, &mut out);
                for (r, line) in out.iter().enumerate() {
                    for (o, found) in line.iter().enumerate() {
                        let each = (0..columns).map(|c| f64::from(tall[r * stride + c] * weight(c, o)));
                        assert!((found - 1.0 - each.sum::<f64>()).abs() < 1e-4, "{isa:?} {rows} {r} {o}");
                    }
                }
            }
            for r in 0..rows {
                let want: f64 = (0..columns).map(|c| f64::from(block[r * stride + c] * v[c])).sum();
                assert!((by_row[r] - 1.0 - want).abs() < 1e-4);
            }
            for c in 0..columns {
                let want: f64 = (0..rows).map(|r| f64::from(block[r * stride + c] * w[r])).sum();
                assert!((by_column[c] - 1.0 - want).abs() < 1e-5);
            }
        }
    }
}
