//! All monomials of a row, degree after degree: what polynomial, homogeneous and plain maps share.
//!
//! The monomials of one degree stand in lexicographic order (a², ab, b²). They are walked, never stored, so
//! that a fitted map costs nothing. The weight √(r!/(j₁!…j_d!)) of a monomial of degree r is collected on
//! the way as a product of binomials, √C(r, j₁)·√C(r−j₁, j₂)·…, which no factorial can overflow.

use std::ops::Range;

use super::map::Fitted;
use crate::PointsError;

/// The highest degree of a polynomial map; the binomials of higher ones leave the range of `f64`.
pub const MAX_DEGREE: usize = 1000;

/// Monomials of degrees `lowest ..= lowest + scales.len() − 1`.
#[derive(Debug)]
pub(super) struct Expansion {
    pub(super) dim_in: usize,
    pub(super) dim_out: usize,
    /// The lowest degree.
    pub(super) lowest: usize,
    /// The factor of each degree from the lowest on.
    pub(super) scales: Vec<f64>,
    /// √C(n, k) at `weights[n][k]`, or nothing for plain monomials.
    pub(super) weights: Option<Vec<Vec<f64>>>,
}

impl Expansion {
    fn degrees(&self) -> impl Iterator<Item = (usize, f64)> {
        self.scales.iter().enumerate().map(|(r, &scale)| (self.lowest + r, scale))
    }
}

impl Fitted for Expansion {
    fn dim_in(&self) -> usize {
        self.dim_in
    }

    fn dim_out(&self) -> usize {
        self.dim_out
    }

    fn apply_row(&self, x: &[f64], out: &mut [f64]) -> Result<(), PointsError> {
        let highest = self.lowest + self.scales.len() - 1;
        let powers: Vec<f64> = x.iter().flat_map(|&v| powers(v, highest)).collect();
        let mut places = out.iter_mut();
        for (degree, scale) in self.degrees() {
            let step = |value: &f64, i: usize, j: usize, left: usize| {
                let weight = self.weights.as_ref().map_or(1.0, |w| w[left][j]);
                value * weight * powers[i * (highest + 1) + j]
            };
            let mut emit = |value| {
                if let Some(place) = places.next() {
                    *place = value;
                }
            };
            walk(0..x.len(), degree, scale, &step, &mut emit);
        }
        Ok(())
    }

    fn names(&self, inputs: &[String]) -> Vec<String> {
        let mut names = Vec::with_capacity(self.dim_out);
        let step = |before: &String, i: usize, j: usize, _| {
            let power = if j == 1 { inputs[i].clone() } else { format!("{}^{j}", inputs[i]) };
            product(before, &power)
        };
        for (degree, _) in self.degrees() {
            walk(0..inputs.len(), degree, String::new(), &step, &mut |name| names.push(or_constant(name)));
        }
        names
    }
}

/// `a` and `b` as `a*b`, where an empty name stands for 1.
pub(super) fn product(a: &str, b: &str) -> String {
    match (a, b) {
        ("", name) | (name, "") => name.to_owned(),
        (a, b) => format!("{a}*{b}"),
    }
}

/// The feature 1 is called `constant`: a column may well be called `1`.
pub(super) fn or_constant(name: String) -> String {
    if name.is_empty() { "constant".into() } else { name }
}

/// The degree as it is, or an error.
pub(super) fn checked_degree(map: &str, degree: usize) -> Result<usize, PointsError> {
    if (1..=MAX_DEGREE).contains(&degree) {
        return Ok(degree);
    }
    let fact = format!("the degree of the map {map} must be between 1 and {MAX_DEGREE}, found {degree}");
    Err(PointsError::Invalid(fact))
}

/// √C(n, k) for all k ≤ n ≤ degree.
pub(super) fn root_binomials(degree: usize) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![1.0]];
    for n in 1..=degree {
        let last: &Vec<f64> = &rows[n - 1];
        let mut row = vec![1.0; n + 1];
        (1..n).for_each(|k| row[k] = last[k - 1] + last[k]);
        rows.push(row);
    }
    rows.iter_mut().flatten().for_each(|c| *c = c.sqrt());
    rows
}

/// 1, v, v², … up to the degree.
fn powers(v: f64, degree: usize) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(1.0), move |power| Some(power * v)).take(degree + 1)
}

/// Calls `emit` for each monomial of exactly `left` degrees in the coordinates of `among`.
/// `step(value, i, j, left)` puts x_i^j, with `left` degrees to give away, to the value so far.
fn walk<T>(
    among: Range<usize>,
    left: usize,
    value: T,
    step: &impl Fn(&T, usize, usize, usize) -> T,
    emit: &mut impl FnMut(T),
) {
    if left == 0 {
        return emit(value);
    }
    for i in among.clone() {
        // The last coordinate takes all that is left.
        let least = if i + 1 == among.end { left } else { 1 };
        for j in (least..=left).rev() {
            walk(i + 1..among.end, left - j, step(&value, i, j, left), step, emit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monomials_stand_in_lexicographic_order() {
        let mut seen = Vec::new();
        let step = |v: &Vec<usize>, i, j, _| [v.clone(), vec![i; j]].concat();
        walk(0..3, 2, Vec::new(), &step, &mut |v| seen.push(v));
        assert_eq!(seen, [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]);
    }

    #[test]
    fn the_binomials_of_the_highest_degree_are_finite() {
        let table = root_binomials(MAX_DEGREE);
        assert!(table.iter().flatten().all(|c| c.is_finite()));
        assert_eq!(table[4][2], 6f64.sqrt());
    }

    #[test]
    fn degrees_out_of_range_are_refused() {
        let error = checked_degree("tuples", 0).unwrap_err().to_string();
        assert_eq!(error, "the degree of the map tuples must be between 1 and 1000, found 0");
        assert!(checked_degree("tuples", 1001).is_err());
    }
}
