//! From the scores of machines to a score for each class; the class that is answered has the largest, of equal ones the
//! first (`docs/maths.md` §5.1).

use rayon::prelude::*;

use crate::{Between, Machine};

/// What each machine decides between, and how many classes there are.
#[derive(Debug, Clone)]
pub(crate) struct Ballot {
    pub(crate) classes: usize,
    pub(crate) between: Vec<Option<Between>>,
}

impl Ballot {
    pub(crate) fn of(machines: &[Machine], classes: usize) -> Self {
        Self { classes, between: machines.iter().map(|machine| machine.between).collect() }
    }

    /// The class of a row, by the scores of its machines.
    pub(crate) fn winner(&self, scores: &[f64]) -> usize {
        first_largest(&self.class_scores(scores))
    }

    /// Whether the class of a row is the same whatever scores are within these distances of those given. Where equally many
    /// votes are for two classes it is not said to be.
    pub(crate) fn is_settled(&self, scores: &[f64], doubts: &[f64]) -> bool {
        let is_sure = |machine: usize| scores[machine].abs() > doubts[machine];
        if !matches!(self.between.first(), Some(Some(Between::Pair(..)))) {
            // The only machine has two signs; of one for each class the largest counts.
            let Some(best) = Some(first_largest(scores)).filter(|_| scores.len() > 1) else {
                return is_sure(0);
            };
            let apart = |k: usize| scores[best] - scores[k] > doubts[best] + doubts[k];
            return (0..scores.len()).all(|k| k == best || apart(k));
        }
        let mut votes = vec![0; self.classes];
        let pairs = || self.between.iter().enumerate();
        let winner = |machine: usize, (a, b): (usize, usize)| if scores[machine] > 0.0 { a } else { b };
        for (machine, between) in pairs() {
            if let Some(Between::Pair(a, b)) = *between {
                votes[winner(machine, (a, b))] += 1;
            }
        }
        let most = votes.iter().copied().max().unwrap_or(0);
        let first = votes.iter().position(|&count| count == most).unwrap_or(0);
        // Whoever beats all others has one vote more than any of them can have.
        let beats_all = most + 1 == self.classes;
        let counts = |between: &Option<Between>| match *between {
            Some(Between::Pair(a, b)) => !beats_all || a == first || b == first,
            _ => true,
        };
        votes.iter().filter(|&&count| count == most).count() == 1
            && pairs().all(|(machine, between)| !counts(between) || is_sure(machine))
    }

    /// A score for each class, finite if those of the machines are.
    ///
    /// The score of the only machine, and its negative for the first class; those of the machines, where each class has
    /// one; or votes, refined between whole numbers by how clear they are.
    pub(crate) fn class_scores(&self, scores: &[f64]) -> Vec<f64> {
        match (self.between.as_slice(), scores) {
            ([None], &[score]) => vec![-score, score],
            ([Some(Between::Rest(_) | Between::Softmax(_)), ..], _) => scores.to_vec(),
            _ => self.votes(scores),
        }
    }

    fn votes(&self, scores: &[f64]) -> Vec<f64> {
        let mut votes = vec![0.0; self.classes];
        let mut clarity = vec![0.0; self.classes];
        for (between, &score) in self.between.iter().zip(scores) {
            let Some(Between::Pair(first, second)) = *between else { continue };
            votes[if score > 0.0 { first } else { second }] += 1.0;
            let clear = score / (1.0 + score.abs());
            clarity[first] += clear;
            clarity[second] -= clear;
        }
        let others = self.classes.saturating_sub(1).max(1) as f64;
        let winner = first_largest(&votes);
        // From 0 to 1/2, so that no clarity makes up for a vote.
        let refined: Vec<f64> =
            clarity.iter().map(|sum| 0.25 + 0.25 * (sum / others).clamp(-1.0, 1.0)).collect();
        // Of classes with equally many votes the first wins, as in LIBSVM: it is as clear as the clearest of them.
        let most = votes[winner];
        let tied = votes.iter().zip(&refined).filter(|(count, _)| **count == most).map(|(_, part)| *part);
        let clearest = tied.fold(0.0, f64::max);
        let mut found: Vec<f64> = votes.iter().zip(&refined).map(|(count, part)| count + part).collect();
        found[winner] = most + clearest;
        found
    }
}

/// How many machines of pairs vote for each class, and the sum of their scores for it, both rows × classes. The machines
/// are those of (0,1), (0,2), …, (1,2), …; a score above 0 is a vote for the first of a pair.
///
/// # Panics
/// Where there is another number of scores than that of rows times pairs.
///
/// ```
/// // 0 against 1, 0 against 2, 1 against 2.
/// let (votes, sums) = mercer_model::tally(&[0.5, -1.0, 2.0], 3);
/// assert_eq!((votes, sums), (vec![1.0, 1.0, 1.0], vec![-0.5, 1.5, -1.0]));
/// ```
pub fn tally(scores: &[f64], classes: usize) -> (Vec<f64>, Vec<f64>) {
    let pairs = (classes * classes.saturating_sub(1) / 2).max(1);
    assert!(scores.len().is_multiple_of(pairs), "each row has a score of each pair");
    let rows = scores.len() / pairs;
    let (mut votes, mut sums) = (vec![0.0; rows * classes], vec![0.0; rows * classes]);
    let each = votes.par_chunks_exact_mut(classes.max(1)).zip(sums.par_chunks_exact_mut(classes.max(1)));
    each.zip(scores.par_chunks_exact(pairs)).for_each(|((votes, sums), mut scores)| {
        for first in 0..classes {
            let (own, others) = scores.split_at(classes - first - 1);
            for (second, &score) in (first + 1..classes).zip(own) {
                votes[if score > 0.0 { first } else { second }] += 1.0;
                sums[first] += score;
                sums[second] -= score;
            }
            scores = others;
        }
    });
    (votes, sums)
}

/// The place of the largest value, of equal ones the first.
pub(crate) fn first_largest(values: &[f64]) -> usize {
    let larger = |best: usize, next: usize| if values[next] > values[best] { next } else { best };
    (0..values.len()).reduce(larger).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(classes: usize) -> Ballot {
        let pairs = (0..classes).flat_map(|a| (a + 1..classes).map(move |b| Some(Between::Pair(a, b))));
        Ballot { classes, between: pairs.collect() }
    }

    #[test]
    fn a_circle_of_votes_is_won_by_the_first() {
        // 0 beats 1, 1 beats 2, 2 beats 0 by far: LIBSVM says 0.
        let found = pairs(3).class_scores(&[0.1, -50.0, 0.2]);
        assert_eq!(pairs(3).winner(&[0.1, -50.0, 0.2]), 0);
        assert!(found.iter().all(|score| (1.0..=1.5).contains(score)), "{found:?}");
        assert_eq!(found[0], found[2], "the first is as clear as the clearest");
        assert!(found[1] < found[0]);
    }

    #[test]
    fn a_vote_outweighs_any_clarity() {
        let found = pairs(3).class_scores(&[1e-300, 1e-300, -1e300]);
        assert!(found[0] > found[2] && found[2] > found[1], "{found:?}");
        // A score of 0 is a vote for the second.
        assert_eq!(pairs(3).winner(&[0.0, 0.0, 0.0]), 2);
    }

    #[test]
    fn what_is_settled_stays_so() {
        // Scores at random, and all that they could be at the ends of their doubts.
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1_u64 << 23) as f64 - 1.0
        };
        let rest =
            |classes| Ballot { classes, between: (0..classes).map(|k| Some(Between::Rest(k))).collect() };
        let one = Ballot { classes: 2, between: vec![None] };
        for ballot in [one, rest(2), rest(3), pairs(2), pairs(3), pairs(4)] {
            let machines = ballot.between.len();
            let mut settled = 0;
            for _ in 0..300 {
                let scores: Vec<f64> = (0..machines).map(|_| draw()).collect();
                let doubts: Vec<f64> = (0..machines).map(|_| 0.2 * draw().abs()).collect();
                if !ballot.is_settled(&scores, &doubts) {
                    continue;
                }
                settled += 1;
                for signs in 0..1 << machines {
                    let sign = |k: usize| if signs >> k & 1 == 0 { 0.9999 } else { -0.9999 };
                    let moved: Vec<f64> = (0..machines).map(|k| scores[k] + sign(k) * doubts[k]).collect();
                    assert_eq!(ballot.winner(&moved), ballot.winner(&scores), "{scores:?} {doubts:?}");
                }
            }
            assert!((100..300).contains(&settled), "{machines}: {settled}");
        }
        assert!(!pairs(3).is_settled(&[0.5, -0.5, 0.5], &[0.0; 3]), "each has a vote");
        assert!(pairs(3).is_settled(&[0.5, 0.5, 0.0], &[0.1; 3]), "the pair of the others does not count");
        assert!(!pairs(2).is_settled(&[f64::NAN], &[0.1]));
    }

    #[test]
    fn two_classes_and_one_against_the_rest() {
        let one = Ballot { classes: 2, between: vec![None] };
        let tiny = f64::from_bits(1);
        assert_eq!([-tiny, -0.0, 0.0, tiny].map(|score| one.winner(&[score])), [0, 0, 0, 1]);
        let rest = Ballot { classes: 3, between: (0..3).map(|class| Some(Between::Rest(class))).collect() };
        assert_eq!(rest.winner(&[-1.0, -0.5, -0.5]), 1);
        assert_eq!(rest.class_scores(&[-1.0, -0.5, -0.25]), [-1.0, -0.5, -0.25]);
        let together = (0..2).map(|class| Some(Between::Softmax(class))).collect();
        let two = Ballot { classes: 2, between: together };
        assert_eq!((two.winner(&[0.5, 0.5]), two.winner(&[0.5, 0.75])), (0, 1));
    }
}
