//! The sigmoid of least cross-entropy, by Newton's method with a line search (Platt 1999; Lin, Lin & Weng 2007):
//!
//! ```text
//! minimise  Σ_i w_i ( log(1 + e^{f_i}) − t_i f_i ) ,    f_i = slope·s_i + offset ,    slope ≥ 0 .
//! ```
//!
//! The objective is convex, so that where the best slope is negative the best one that is not is 0.

use super::{Aim, Curve};

/// Steps, and how often one is halved, at most; far fewer are needed.
const STEPS: usize = 200;
const HALVINGS: usize = 60;

/// The derivatives at the end, in units of all weight.
const FLAT: f64 = 1e-12;

pub(super) fn sigmoid(rows: &[Aim]) -> Curve {
    let whole: f64 = rows.iter().map(|row| row.weight).sum();
    let mean =
        |value: &dyn Fn(&Aim) -> f64| rows.iter().map(|row| row.weight * value(row)).sum::<f64>() / whole;
    let level = logit(mean(&|row| row.aim));
    let flat = Curve::Sigmoid { slope: 0.0, offset: level };
    // Scores of mean 0 and deviation 1 make of any score a well-posed problem.
    let unit = rows.iter().fold(0.0, |largest: f64, row| largest.max(row.score.abs()));
    if unit == 0.0 {
        return flat;
    }
    let center = mean(&|row| row.score / unit);
    let spread = mean(&|row| (row.score / unit - center).powi(2)).sqrt();
    if spread == 0.0 {
        return flat;
    }
    let scaled: Vec<Aim> =
        rows.iter().map(|row| Aim { score: (row.score / unit - center) / spread, ..*row }).collect();
    let (slope, offset) = newton(&scaled, whole, level);
    if slope <= 0.0 {
        return flat;
    }
    Curve::Sigmoid { slope: (slope / spread / unit).min(f64::MAX), offset: offset - slope * center / spread }
}

/// The slope and the offset of least cross-entropy, whatever their sign.
fn newton(rows: &[Aim], whole: f64, level: f64) -> (f64, f64) {
    let (mut slope, mut offset) = (0.0, level);
    let mut value = cross_entropy(rows, slope, offset);
    for _ in 0..STEPS {
        let (mut g, mut h) = ([0.0; 2], [1e-12 * whole, 0.0, 1e-12 * whole]);
        for row in rows {
            let p = logistic(slope * row.score + offset);
            let (first, second) = (row.weight * (p - row.aim), row.weight * p * (1.0 - p));
            g = [g[0] + first * row.score, g[1] + first];
            h = [h[0] + second * row.score * row.score, h[1] + second * row.score, h[2] + second];
        }
        if g[0].abs().max(g[1].abs()) <= FLAT * whole {
            break;
        }
        let determinant = h[0] * h[2] - h[1] * h[1];
        let step = [(h[1] * g[1] - h[2] * g[0]) / determinant, (h[1] * g[0] - h[0] * g[1]) / determinant];
        let descent = g[0] * step[0] + g[1] * step[1];
        let mut length = 1.0;
        let taken = (0..HALVINGS).find_map(|_| {
            let next = (slope + length * step[0], offset + length * step[1]);
            let found = cross_entropy(rows, next.0, next.1);
            let is_enough = found < value + 1e-4 * length * descent;
            length /= 2.0;
            is_enough.then_some((next, found))
        });
        // Nothing is better in floating point.
        let Some((next, found)) = taken else { break };
        ((slope, offset), value) = (next, found);
    }
    (slope, offset)
}

fn cross_entropy(rows: &[Aim], slope: f64, offset: f64) -> f64 {
    let cost = |row: &Aim| {
        let f = slope * row.score + offset;
        row.weight * ((-f.abs()).exp().ln_1p() + f.max(0.0) - row.aim * f)
    };
    rows.iter().map(cost).sum()
}

/// 1/(1 + e^{−f}), accurate for small chances too, and monotone in floating point as far as the exponential is.
pub(super) fn logistic(f: f64) -> f64 {
    1.0 / (1.0 + (-f).exp())
}

fn logit(chance: f64) -> f64 {
    (chance / (1.0 - chance)).ln().clamp(-700.0, 700.0)
}
