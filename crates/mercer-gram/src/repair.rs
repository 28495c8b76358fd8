//! Making a symmetric matrix positive semi-definite, and saying how far it was moved (`docs/maths.md` §1.4).

use std::fmt;
use std::str::FromStr;

use mercer_linalg::{Budget, eigh};

use crate::GramError;

/// What is done with negative eigenvalues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// They become zero: the nearest psd matrix in the Frobenius norm.
    Clip,
    /// They change sign.
    Flip,
    /// All eigenvalues are raised by the same amount until the smallest is zero; off-diagonal entries stay.
    Shift,
}

impl FromStr for Repair {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "clip" => Ok(Self::Clip),
            "flip" => Ok(Self::Flip),
            "shift" => Ok(Self::Shift),
            other => Err(format!("'{other}' is not a repair; there are clip, flip and shift")),
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clip => "clip",
            Self::Flip => "flip",
            Self::Shift => "shift",
        })
    }
}

/// A repaired matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The entries, row after row; symmetric to the bit.
    pub entries: Vec<f64>,
    /// How many eigenvalues were negative.
    pub negative: usize,
    /// ‖K' − K‖ in the Frobenius norm.
    pub moved: f64,
    /// The same relative to ‖K‖.
    pub relative: f64,
}

/// Repairs a symmetric n×n matrix, within a memory budget of four such matrices.
///
/// ```
/// use mercer_gram::{Repair, repair};
/// use mercer_linalg::Budget;
/// let fixed = repair(2, &[1.0, 2.0, 2.0, 1.0], Repair::Clip, Budget::default()).unwrap();
/// assert_eq!(fixed.negative, 1);
/// assert!((fixed.moved - 1.0).abs() < 1e-12 && (fixed.entries[0] - 1.5).abs() < 1e-12);
/// ```
pub fn repair(n: usize, entries: &[f64], how: Repair, budget: Budget) -> Result<Repaired, GramError> {
    let needed = 4 * 8 * n as u128 * n as u128;
    if !budget.allows(needed) {
        let instead = "repair a smaller matrix, or raise --memory".to_owned();
        return Err(GramError::OverBudget { rows: n, needed, budget: budget.bytes(), instead });
    }
    let (values, vectors) = eigh(n, entries)?;
    let smallest = values.first().copied().unwrap_or(0.0);
    let negative = values.iter().filter(|v| **v < 0.0).count();
    let mut repaired = entries.to_vec();
    if negative > 0 && how == Repair::Shift {
        (0..n).for_each(|i| repaired[i * n + i] -= smallest);
    } else {
        for (&value, vector) in
            values.iter().zip(vectors.chunks_exact(n.max(1))).filter(|(value, _)| **value < 0.0)
        {
            // K − λvvᵀ removes the eigenvalue; twice that changes its sign.
            let weight = if how == Repair::Flip { -2.0 * value } else { -value };
            for (i, row) in repaired.chunks_exact_mut(n).enumerate() {
                row.iter_mut().zip(vector).for_each(|(entry, v)| *entry += weight * (vector[i] * v));
            }
        }
    }
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let moved = norm(&mut repaired.iter().zip(entries).map(|(a, b)| a - b));
    let whole = norm(&mut entries.iter().copied());
    Ok(Repaired {
        entries: repaired,
        negative,
        moved,
        relative: if whole > 0.0 { moved / whole } else { 0.0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_linalg::eigenvalues;

    #[test]
    fn every_repair_is_psd_and_says_how_far_it_moved() {
        let n = 12;
        let entries: Vec<f64> = (0..n * n)
            .map(|at| ((at / n).max(at % n) * 7 % 5) as f64 - 1.5 + f64::from(u8::from(at % (n + 1) == 0)))
            .collect();
        let before = eigenvalues(n, &entries).unwrap();
        let below: Vec<f64> = before.iter().copied().filter(|v| *v < 0.0).collect();
        assert!(below.len() > 2);
        let length = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
        for (how, moved) in [
            (Repair::Clip, length(&below)),
            (Repair::Flip, 2.0 * length(&below)),
            (Repair::Shift, -before[0] * (n as f64).sqrt()),
        ] {
            let fixed = repair(n, &entries, how, Budget::default()).unwrap();
            assert!(eigenvalues(n, &fixed.entries).unwrap()[0] > -1e-12, "{how}");
            assert!((fixed.moved - moved).abs() < 1e-10, "{how}: {} {moved}", fixed.moved);
            assert_eq!(fixed.negative, below.len());
            (0..n * n).for_each(|at| assert_eq!(fixed.entries[at], fixed.entries[(at % n) * n + at / n]));
        }
    }
}
