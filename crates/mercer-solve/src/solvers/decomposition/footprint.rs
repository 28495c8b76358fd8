//! What the engine will hold, from the sizes that decide it.

use super::rows::{keeps_nothing, kept_rows};
use super::{
    DOUBLE, DOUBLE_FOR_SMALL_GAPS, LEAST_SET, SMALL_GAP, Settings, affordable_set, largest_set, set_size,
    whole,
};
use crate::{Footprint, Holding, Sizes};

/// Rows that come into working sets, for each one that ends with a coefficient.
const VISITED: f64 = 1.3;

/// Variables that are thought to move, for each one that ends with a coefficient.
const MOVING: f64 = 1.1;

/// The square that is worked on, and the rows that are kept beside it.
pub(in crate::solvers) fn footprint(sizes: &Sizes, settings: Settings) -> Footprint {
    let Settings { budget, double } = settings;
    let (rows, variables) = (sizes.rows, sizes.rows * sizes.variables);
    let close = sizes.tolerance.gap.is_some_and(|gap| gap < SMALL_GAP);
    let is_double = double || rows <= if close { DOUBLE_FOR_SMALL_GAPS } else { DOUBLE };
    let entry = if is_double { size_of::<f64>() } else { size_of::<f32>() };
    let square = |side: usize| (entry as u128) * (side as u128).pow(2);
    let affordable = affordable_set(budget);
    if variables <= whole(sizes.is_cheap && !is_double && !close).min(affordable) {
        // Variables that may move are copied out of the square, where they are few enough.
        let moving = (MOVING * sizes.support as f64) as usize;
        let copied = if 4 * moving <= 3 * variables { square(moving) } else { 0 };
        return Footprint { holding: Holding::Whole, bytes: square(variables) + copied };
    }
    let set = set_size(sizes.free, LEAST_SET, largest_set(budget)).min(variables);
    if keeps_nothing(sizes.is_cheap, rows) {
        return Footprint { holding: Holding::WorkingSet(set), bytes: square(set) };
    }
    let visited = ((VISITED * sizes.support as f64) as usize).max(set).min(rows);
    let kept = kept_rows(rows, entry, budget).min(visited);
    Footprint { holding: Holding::Rows(kept), bytes: square(set) + (kept * rows * entry) as u128 }
}

#[cfg(test)]
mod tests {
    use mercer_linalg::Budget;

    use super::*;
    use crate::Tolerance;

    fn of(rows: usize, is_cheap: bool, bytes: u64) -> Footprint {
        let tolerance = Tolerance { gap: None, violation: Some(1e-3) };
        let sizes = Sizes { rows, variables: 1, support: rows / 2, free: rows / 8, is_cheap, tolerance };
        footprint(&sizes, Settings { budget: Budget::of_bytes(bytes), double: false })
    }

    #[test]
    fn what_is_held_follows_from_rows_kernel_and_budget() {
        const PLENTY: u64 = 64 << 30;
        assert_eq!(of(900, true, PLENTY).bytes, 8 * (900 * 900 + 495 * 495));
        let all = Footprint { holding: Holding::Whole, bytes: 4 * (2000 * 2000 + 1100 * 1100) };
        assert_eq!(of(2000, true, PLENTY), all);
        assert!(matches!(of(6000, true, PLENTY).holding, Holding::WorkingSet(2016)));
        assert_eq!(of(6000, false, PLENTY).holding, Holding::Whole);
        let set = Footprint { holding: Holding::WorkingSet(3360), bytes: 4 * 3360 * 3360 };
        assert_eq!(of(20_000, true, PLENTY), set);
        // A quarter of the budget is for the square.
        assert_eq!(of(20_000, true, 128 << 20).holding, Holding::WorkingSet(2016));
        assert_eq!(of(20_000, false, PLENTY).holding, Holding::Rows(13_000));
        let poor = of(20_000, false, 80_000_000);
        assert_eq!(poor.holding, Holding::Rows(1000));
        assert!(poor.bytes < 2 * 80_000_000);
    }
}
