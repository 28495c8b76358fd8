//! All kernel values between two collections, written where the caller wants them.

use mercer_kernel::{Entry, Tiles};

use crate::drive;

/// Blocks of rows between two looks at `poll`.
const BLOCKS: usize = 16;

/// Every entry, row after row; of one collection with itself each pair is computed once, so that the matrix is
/// symmetric to the bit. `poll` is asked many times, from any thread: `true` ends the work, and then the answer is
/// `false` and the entries are of no use.
///
/// # Panics
/// If `out` does not hold rows × columns entries.
///
/// ```
/// use mercer_gram::entries;
/// use mercer_kernel::{Plan, Registry, Tiles};
/// use mercer_points::{ReadOptions, read};
/// let table = read("@xor(n=30)", &ReadOptions::default()).unwrap();
/// let plan = Plan::compile(&"rbf".parse().unwrap(), &table, &Registry::new()).unwrap();
/// let points = plan.ready(&table).unwrap();
/// let mut out = vec![0f32; 900];
/// assert!(entries(&Tiles::new(&plan, &points, &points), &mut out, &|| false));
/// assert_eq!((out[0], out[31], out[1]), (1.0, 1.0, out[30]));
/// ```
pub fn entries<T: Entry>(tiles: &Tiles<'_, T>, out: &mut [T], poll: &(dyn Fn() -> bool + Sync)) -> bool {
    let (rows, columns) = (tiles.rows(), tiles.columns());
    assert_eq!(out.len(), rows * columns, "a matrix of {rows} × {columns} entries");
    if out.is_empty() {
        return true;
    }
    if tiles.is_symmetric() {
        drive::store(tiles, out, poll);
        return !poll();
    }
    let (all, height): (Vec<usize>, usize) = ((0..rows).collect(), tiles.shape().0 * BLOCKS);
    for (rows, out) in all.chunks(height).zip(out.chunks_mut(height * columns)) {
        if poll() {
            return false;
        }
        drive::rows(tiles, rows, out);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_kernel::{Plan, Registry};
    use mercer_points::{Points, ReadOptions, Table, read};
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn moons(n: usize) -> Table {
        let mut table = read(&format!("@moons(n={n})"), &ReadOptions::default()).unwrap();
        table.remove("label").unwrap();
        table
    }

    #[test]
    fn they_are_the_definition_also_between_two_collections() {
        let (x, z) = (moons(70), moons(1000));
        let plan =
            Plan::compile(&"rbf(sigma=0.5)*poly(degree=2)".parse().unwrap(), &x, &Registry::new()).unwrap();
        let (left, right) = (plan.ready(&x).unwrap(), plan.ready(&z).unwrap());
        for (a, b) in [(&left, &right), (&right, &left), (&left, &left)] {
            let mut out = vec![0f64; a.len() * b.len()];
            assert!(entries(&Tiles::new(&plan, a, b), &mut out, &|| false));
            for (at, value) in out.iter().enumerate() {
                let wanted = plan.pair(a, at / b.len(), b, at % b.len());
                assert!((value - wanted).abs() < 1e-11 * (1.0 + wanted.abs()), "{at}: {value} and {wanted}");
            }
        }
        assert_eq!(x.len(), left.len());
    }

    #[test]
    fn it_ends_when_told() {
        let (x, z) = (moons(2000), moons(10));
        let plan = Plan::compile(&"rbf".parse().unwrap(), &x, &Registry::new()).unwrap();
        let (left, right) = (plan.ready(&x).unwrap(), plan.ready(&z).unwrap());
        for other in [&left, &right] {
            let calls = AtomicUsize::new(0);
            let mut out = vec![0f32; left.len() * other.len()];
            let poll = || calls.fetch_add(1, Ordering::Relaxed) >= 1;
            assert!(!entries(&Tiles::new(&plan, &left, other), &mut out, &poll));
            assert_eq!(out[out.len() - 1], 0.0, "the last block is not computed");
        }
    }
}
