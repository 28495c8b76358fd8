//! Chances of all classes from those of single machines, and their agreement with the answer (`docs/maths.md` §5.2).

use mercer_solve::loss::Softmax;
use rayon::prelude::*;

use super::Curve;
use crate::Between;
use crate::ballot::{Ballot, first_largest};

/// Chances of a machine for a pair are kept away from 0 and 1 by this much, so that one set of chances of all classes
/// explains them best.
const SURE: f64 = 1e-7;

/// What makes probabilities of scores.
pub(crate) struct Chances<'a> {
    pub(crate) ballot: Ballot,
    /// One for each machine.
    pub(crate) curves: &'a [Curve],
}

impl Chances<'_> {
    /// The probability of each class, rows × classes, from scores of rows × machines.
    pub(crate) fn all(&self, scores: &[f64]) -> Vec<f64> {
        scores.par_chunks_exact(self.curves.len().max(1)).flat_map_iter(|row| self.of(row)).collect()
    }

    /// The same for one row.
    pub(crate) fn of(&self, scores: &[f64]) -> Vec<f64> {
        let own: Vec<f64> = self.curves.iter().zip(scores).map(|(curve, &score)| curve.at(score)).collect();
        let mut found = match (self.ballot.between.as_slice(), own.as_slice()) {
            ([None], &[chance]) => vec![1.0 - chance, chance],
            ([Some(Between::Rest(_) | Between::Softmax(_)), ..], _) => normalised(own),
            _ => coupled(&self.ballot, &own),
        };
        agree(&mut found, self.ballot.winner(scores));
        found
    }
}

/// The probability of each class by softmax, rows × classes, from scores of the same form. Of scores that differ by less
/// than their exponentials can tell the largest is still the one with the largest probability.
pub(crate) fn of_softmax(scores: &[f64], classes: usize) -> Vec<f64> {
    let of = |row: &[f64]| {
        let mut chances = vec![0.0; row.len()];
        Softmax.chances(row, &mut chances);
        agree(&mut chances, first_largest(row));
        chances
    };
    scores.par_chunks_exact(classes.max(1)).flat_map_iter(of).collect()
}

/// In the same proportions, adding up to 1.
fn normalised(mut values: Vec<f64>) -> Vec<f64> {
    let sum: f64 = values.iter().sum();
    let equal = 1.0 / values.len() as f64;
    values.iter_mut().for_each(|value| *value = if sum > 0.0 { *value / sum } else { equal });
    values
}

/// The chances of all classes that explain those within pairs best (Wu, Lin & Weng 2004, their second method): with r_ab
/// the chance of a among a and b they minimise Σ_{a≠b} (r_ba p_a − r_ab p_b)² over Σ_a p_a = 1.
pub(super) fn coupled(ballot: &Ballot, own: &[f64]) -> Vec<f64> {
    let count = ballot.classes;
    // The conditions for the minimum, one a row, with the multiplier of the sum in the last column and 1 in the right side.
    let width = count + 2;
    let mut system = vec![0.0; (count + 1) * width];
    for (between, &chance) in ballot.between.iter().zip(own) {
        let Some(Between::Pair(a, b)) = *between else { continue };
        let first = chance.clamp(SURE, 1.0 - SURE);
        let second = 1.0 - first;
        system[a * width + a] += second * second;
        system[b * width + b] += first * first;
        system[a * width + b] -= first * second;
        system[b * width + a] -= first * second;
    }
    for class in 0..count {
        system[class * width + count] = 1.0;
        system[count * width + class] = 1.0;
    }
    system[count * width + count + 1] = 1.0;
    let mut found = solved(&mut system, count + 1);
    found.truncate(count);
    found.iter_mut().for_each(|chance| *chance = chance.max(0.0));
    normalised(found)
}

/// The solution of a square system whose rows end in their right sides, by elimination with pivots.
fn solved(system: &mut [f64], size: usize) -> Vec<f64> {
    let width = size + 1;
    for column in 0..size {
        let size_of = |row: &usize| system[row * width + column].abs();
        let pivot =
            (column..size).reduce(|best, row| if size_of(&row) > size_of(&best) { row } else { best });
        let pivot = pivot.unwrap_or(column);
        if pivot != column {
            (0..width).for_each(|k| system.swap(pivot * width + k, column * width + k));
        }
        let (above, below) = system.split_at_mut((column + 1) * width);
        let own = &above[column * width..];
        for row in below.chunks_exact_mut(width) {
            let factor = row[column] / own[column];
            row[column..].iter_mut().zip(&own[column..]).for_each(|(value, by)| *value -= factor * by);
        }
    }
    let mut found = vec![0.0; size];
    for row in (0..size).rev() {
        let values = &system[row * width..(row + 1) * width];
        let known: f64 = (row + 1..size).map(|k| values[k] * found[k]).sum();
        found[row] = (values[size] - known) / values[row];
    }
    found
}

/// Makes the answered class the most probable one, at the least squared change: it and those above it get their mean.
/// They differ from it by the last bit, so that no rule about equals matters.
pub(super) fn agree(chances: &mut [f64], answer: usize) {
    let mut others: Vec<f64> =
        chances.iter().enumerate().filter(|(class, _)| *class != answer).map(|(_, chance)| *chance).collect();
    others.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut count) = (chances[answer], 1.0);
    for other in others {
        if other <= sum / count {
            break;
        }
        (sum, count) = (sum + other, count + 1.0);
    }
    let most = sum / count;
    let next = most.next_down();
    chances.iter_mut().for_each(|chance| *chance = chance.min(next));
    chances[answer] = most;
}
