//! Weighted means, and why a metric may have no value.

/// Why a metric has no value for rows that are themselves as they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Undefined(pub(super) &'static str);

/// The value is infinite, or so large on the way that it cannot be worked out.
pub(super) const BEYOND: Undefined = Undefined("the result is beyond the largest number that there is");

/// Σ w_i·v_i / Σ w_i. Rows without weight are not looked at, so that they are the same as no rows.
pub(super) fn mean(weights: &[f64], value: impl Fn(usize) -> f64) -> f64 {
    let counted = weights.iter().enumerate().filter(|&(_, &weight)| weight > 0.0);
    let (sum, whole) =
        counted.fold((0.0, 0.0), |(sum, whole), (row, weight)| (sum + weight * value(row), whole + weight));
    sum / whole
}

/// What to divide by, so that squares and sums of values of this size stay within range. It is 1 for all but extreme
/// sizes, where dividing would only cost digits.
pub(super) fn unit(largest: f64) -> f64 {
    if largest == 0.0 || (1e-60..=1e60).contains(&largest) { 1.0 } else { largest }
}

/// The same weights in units in which their sums stay within range.
pub(super) fn moderate(weights: Vec<f64>) -> Vec<f64> {
    match unit(weights.iter().copied().fold(0.0, f64::max)) {
        1.0 => weights,
        unit => weights.into_iter().map(|weight| weight / unit).collect(),
    }
}
