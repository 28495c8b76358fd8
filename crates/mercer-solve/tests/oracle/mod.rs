//! A slow solver that shares nothing with the others: exact minimisation along one direction at a time, by bisection.
//!
//! ```text
//! minimise ½αᵀQα + Σ_i φ_i(α_i)   along e_i, or along e_i − e_j where sums are fixed
//! ```

mod slow;

use mercer_solve::loss::LossSpec;

pub(crate) use slow::Slow;

/// A separable convex function by its slopes: (−∞, −∞) left of its domain, (∞, ∞) right of it.
pub(crate) type Slopes<'a> = &'a dyn Fn(usize, f64) -> (f64, f64);

/// A direction: one row, or one row against another.
pub(crate) type Direction = (usize, Option<usize>);

/// The minimiser near `alpha`, which must be feasible, over all directions in turn.
pub(crate) fn minimise(
    q: &[f64],
    slopes: Slopes<'_>,
    directions: &[Direction],
    mut alpha: Vec<f64>,
) -> Vec<f64> {
    let n = alpha.len();
    for _ in 0..20_000 {
        let mut moved: f64 = 0.0;
        let mut gradient = product(q, &alpha);
        for &direction in directions {
            let t = step(q, slopes, direction, &alpha, &gradient);
            go(q, direction, t, &mut alpha, &mut gradient);
            moved = moved.max(t.abs());
        }
        if moved <= 1e-15 * alpha.iter().map(|a| a.abs()).fold(f64::MIN_POSITIVE, f64::max) {
            break;
        }
    }
    assert_eq!(alpha.len(), n);
    alpha
}

/// Moves α by t along a direction, and Qα with it.
pub(crate) fn go(q: &[f64], (i, j): Direction, t: f64, alpha: &mut [f64], gradient: &mut [f64]) {
    let n = alpha.len();
    for (row, sign) in [(Some(i), 1.0), (j, -1.0)] {
        let Some(row) = row.filter(|_| t != 0.0) else { continue };
        alpha[row] += sign * t;
        gradient.iter_mut().zip(&q[row * n..(row + 1) * n]).for_each(|(g, k)| *g += sign * t * k);
    }
}

/// The best step along a direction: where the slope passes zero.
pub(crate) fn step(q: &[f64], slopes: Slopes<'_>, (i, j): Direction, alpha: &[f64], gradient: &[f64]) -> f64 {
    let n = alpha.len();
    let at = |r: usize, c: usize| q[r * n + c];
    let curvature = at(i, i) + j.map_or(0.0, |j| at(j, j) - 2.0 * at(i, j));
    let slope = gradient[i] - j.map_or(0.0, |j| gradient[j]);
    // The larger end of the slopes at t; each part is infinite outside its domain, and both then agree in sign.
    let after = |t: f64| {
        let own = slopes(i, alpha[i] + t).1;
        let other = j.map_or(0.0, |j| -slopes(j, alpha[j] - t).0);
        slope + curvature.max(0.0) * t + own + other
    };
    if after(0.0) >= 0.0 && {
        let own = slopes(i, alpha[i]).0;
        let other = j.map_or(0.0, |j| -slopes(j, alpha[j]).1);
        slope + own + other <= 0.0
    } {
        return 0.0;
    }
    let (mut low, mut high) = (-1e-9, 1e-9);
    while after(low) >= 0.0 && low > -1e15 {
        (high, low) = (low, 8.0 * low);
    }
    while after(high) < 0.0 && high < 1e15 {
        (low, high) = (high, 8.0 * high);
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if after(middle) >= 0.0 { high = middle } else { low = middle }
    }
    let inside = |t: f64| {
        let within = |(from, to): (f64, f64)| from < f64::INFINITY && to > f64::NEG_INFINITY;
        within(slopes(i, alpha[i] + t)) && j.is_none_or(|j| within(slopes(j, alpha[j] - t)))
    };
    [high, low].into_iter().find(|&t| inside(t)).unwrap_or(0.0)
}

/// Qα.
pub(crate) fn product(q: &[f64], alpha: &[f64]) -> Vec<f64> {
    q.chunks_exact(alpha.len()).map(|row| row.iter().zip(alpha).map(|(k, a)| k * a).sum()).collect()
}

/// Every row by itself, or every pair of the given rows.
pub(crate) fn directions(rows: &[usize], pairs: bool) -> Vec<Direction> {
    if !pairs {
        return rows.iter().map(|&i| (i, None)).collect();
    }
    rows.iter().flat_map(|&i| rows.iter().filter(move |&&j| j < i).map(move |&j| (i, Some(j)))).collect()
}

/// All scores of which u is a slope, from the table of §3.1; infinite beyond the domain.
pub(crate) fn inverse(loss: LossSpec, y: f64, u: f64) -> (f64, f64) {
    use std::cmp::Ordering::{Equal, Greater, Less};
    const INF: f64 = f64::INFINITY;
    // The end of a box, divided by C again, may miss the end of the domain by its last bit.
    let order = |a: f64, b: f64| match (a - b).abs() <= 4.0 * f64::EPSILON * b.abs().min(1.0) {
        true => Equal,
        false => a.partial_cmp(&b).expect("a number"),
    };
    // In terms of v = y·u and m = y·f for labels, of u and r = f − y for targets.
    let step = |v: f64, from: f64, to: f64, at: (f64, f64)| match (order(v, from), order(v, to)) {
        (Less, _) => (-INF, -INF),
        (_, Greater) => (INF, INF),
        (Equal, _) => (-INF, at.0),
        (_, Equal) => (at.1, INF),
        _ => at,
    };
    let labels = |(low, high): (f64, f64)| if y > 0.0 { (low, high) } else { (-high, -low) };
    let numbers = |(low, high): (f64, f64)| (y + low, y + high);
    match loss {
        LossSpec::Hinge => labels(step(y * u, -1.0, 0.0, (1.0, 1.0))),
        LossSpec::Perceptron => labels(step(y * u, -1.0, 0.0, (0.0, 0.0))),
        LossSpec::SquaredHinge => {
            let at = 1.0 + 0.5 * y * u;
            labels(step(y * u, -INF, 0.0, (at, at)))
        }
        LossSpec::Logistic => {
            let q = -y * u;
            let at = ((1.0 - q) / q).ln();
            labels(match q {
                q if q <= 0.0 => (INF, INF),
                q if q >= 1.0 => (-INF, -INF),
                _ => (at, at),
            })
        }
        LossSpec::Squared => numbers((u, u)),
        LossSpec::Huber { delta } => numbers(step(u, -delta, delta, (u, u))),
        LossSpec::Pinball { tau } => numbers(step(u, -tau, 1.0 - tau, (0.0, 0.0))),
        LossSpec::EpsilonInsensitive { epsilon } => numbers(match order(u, 0.0) {
            Less => step(u, -1.0, 1.0, (-epsilon, -epsilon)),
            Equal => (-epsilon, epsilon),
            Greater => step(u, -1.0, 1.0, (epsilon, epsilon)),
        }),
    }
}

/// Slopes of C·ℓ*(y, −α/C) in α; a row without room stays at zero.
pub(crate) fn conjugate_slopes(loss: LossSpec, y: f64, bound: f64, alpha: f64) -> (f64, f64) {
    if bound == 0.0 {
        return box_slopes(alpha, 0.0, 0.0);
    }
    let (low, high) = inverse(loss, y, -alpha / bound);
    (-high, -low)
}

/// Slopes of the indicator of an interval.
pub(crate) fn box_slopes(alpha: f64, low: f64, high: f64) -> (f64, f64) {
    let from = if alpha > high {
        f64::INFINITY
    } else if alpha <= low {
        f64::NEG_INFINITY
    } else {
        0.0
    };
    let to = if alpha < low {
        f64::NEG_INFINITY
    } else if alpha >= high {
        f64::INFINITY
    } else {
        0.0
    };
    (from, to)
}
