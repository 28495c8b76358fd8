//! The lower triangle of a symmetric matrix, from the upper one.

use rayon::prelude::*;

use crate::Real;

/// The lower triangle of an n×n matrix becomes the mirror image of the upper one.
///
/// ```
/// use mercer_linalg::mirror_lower;
/// let mut matrix = [1.0, 2.0, 7.0, 3.0];
/// mirror_lower(2, &mut matrix);
/// assert_eq!(matrix, [1.0, 2.0, 2.0, 3.0]);
/// ```
pub fn mirror_lower<T: Real>(n: usize, matrix: &mut [T]) {
    if n > 0 {
        mirror(matrix, 0, n);
    }
}

/// Copies the upper triangle of rows `first…` into the lower one, halving so that what is read and what is written
/// never overlap.
fn mirror<T: Real>(rows: &mut [T], first: usize, n: usize) {
    let count = rows.len() / n;
    const SMALL: usize = 64;
    if count <= SMALL {
        for i in 1..count {
            for j in 0..i {
                rows[i * n + first + j] = rows[j * n + first + i];
            }
        }
        return;
    }
    let half = (count / 2).next_multiple_of(16);
    let (upper, lower) = rows.split_at_mut(half * n);
    lower.par_chunks_mut(SQUARE * n).enumerate().for_each(|(strip, lower)| {
        let column = first + half + strip * SQUARE;
        for (square, source) in upper.chunks(SQUARE * n).enumerate() {
            transpose(source, column, lower, first + square * SQUARE, n);
        }
    });
    rayon::join(|| mirror(upper, first, n), || mirror(lower, first + half, n));
}

/// Side of the squares that are transposed in registers.
const SQUARE: usize = 16;

/// Copies the square of `source`, sixteen rows, that starts at `column`, transposed, into the rows of `target` from `place` on.
fn transpose<T: Real>(source: &[T], column: usize, target: &mut [T], place: usize, n: usize) {
    let width = target.len() / n;
    if width < SQUARE {
        for (i, row) in target.chunks_exact_mut(n).enumerate() {
            (0..SQUARE).for_each(|j| row[place + j] = source[j * n + column + i]);
        }
        return;
    }
    // Lines are read once and written once, whatever the caches make of rows that are a power of two apart.
    let square: [[T; SQUARE]; SQUARE] = std::array::from_fn(|j| line(&source[j * n + column..]));
    for (i, row) in target.chunks_exact_mut(n).enumerate() {
        let turned: [T; SQUARE] = std::array::from_fn(|j| square[j][i]);
        row[place..place + SQUARE].copy_from_slice(&turned);
    }
}

fn line<T: Real>(values: &[T]) -> [T; SQUARE] {
    values[..SQUARE].try_into().expect("a line of a square")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_is_mirrored_whatever_its_size() {
        for n in [0, 1, 2, 63, 64, 65, 200, 391] {
            let a: Vec<f64> = (0..n * n).map(|at| at as f64).collect();
            let mut b = a.clone();
            mirror_lower(n, &mut b);
            let wanted = |at: usize| if at % n < at / n { a[at % n * n + at / n] } else { a[at] };
            assert!((0..n * n).all(|at| b[at] == wanted(at)), "{n}");
        }
    }
}
