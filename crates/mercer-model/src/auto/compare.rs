//! Comparing candidates on folds of the training rows: coarsely on few rows, then finely around the best on more
//! (`docs/maths.md` §6.3).

use std::time::{Duration, Instant};

use mercer_points::Points;
use mercer_solve::Regularization;

use super::candidates::{Family, families};
use super::{Contest, LEAST, SHARES, Stage, Work, at_most};
use crate::rows::Rows;
use crate::tune::{Search, Sofar, Strength, Trial, Tuning, Validation, Values, tune};
use crate::{Learner, ModelError};

/// Rows of the first, coarse search and of the second, finer one.
const COARSE: usize = 2000;
const FINE: usize = 6000;

const FOLDS: usize = 5;

/// Standard errors by which the best must lead.
const CLEARLY: f64 = 2.0;

/// By how much one candidate is better than another on the same splits, and the standard error of that: splits share rows,
/// for which the variance is corrected (Nadeau and Bengio 2003; `docs/maths.md` §6.3).
fn lead(sign: f64, one: &Trial, other: &Trial) -> (f64, f64) {
    let differences: Vec<f64> = one.scores.iter().zip(&other.scores).map(|(a, b)| sign * (a - b)).collect();
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (variance * (1.0 / n + 1.0 / (FOLDS as f64 - 1.0))).sqrt())
}

/// What comparing gave.
pub(super) struct Compared {
    pub(super) contests: Vec<Contest>,
    pub(super) failed: Vec<(String, String)>,
    pub(super) usual: Trial,
    pub(super) chosen: Trial,
    pub(super) lead: (f64, f64),
    pub(super) is_cut_short: bool,
}

impl Work<'_> {
    /// Coarsely on few rows, then finely around the best on more.
    pub(super) fn compare(&self) -> Result<Compared, ModelError> {
        let training = self.part.training(self.training);
        let (families, kernel) = families(&training, &self.spec)?;
        let strength = self.strength();
        let (mut contests, mut failed, mut is_cut_short) = (Vec::new(), Vec::new(), false);
        let begun = Instant::now();
        let (few, first) = self.first(&families[0])?;
        let coarse = few.as_ref().unwrap_or(self.part);
        is_cut_short |= first.found.is_cut_short;
        contests.push((0, first));
        for (number, family) in families.iter().enumerate().skip(1) {
            let time = self.until(SHARES[0]).div_f64((families.len() - number) as f64);
            match self.contest(family, coarse, time) {
                Ok(contest) => {
                    is_cut_short |= contest.found.is_cut_short;
                    contests.push((number, contest));
                }
                Err(error) if self.is_stopped() => return Err(error),
                Err(error) => failed.push((family.template(), error.to_string())),
            }
        }
        let best = |contests: &[(usize, Contest)]| {
            let sign = self.metric().sign();
            let found = contests.iter().map(|(number, contest)| (*number, contest.found.best().clone()));
            found.reduce(|a, b| if sign * b.1.mean() > sign * a.1.mean() { b } else { a })
        };
        let (winner, first) =
            best(&contests).ok_or_else(|| ModelError::Spec("nothing could be tried".to_owned()))?;
        let is_usual = |trial: &Trial| trial.kernel == kernel && trial.strength == strength;
        let mut usual = contests.iter().flat_map(|(_, c)| &c.found.trials).find(|t| is_usual(t)).cloned();
        let mut chosen = first.clone();

        // The finer search costs about as much for each candidate, times the square of the rows.
        let spent = begun.elapsed().as_secs_f64();
        let tried: usize = contests.iter().map(|(_, contest)| contest.found.trials.len()).sum();
        let finer = families[winner].around(&first.kernel, first.strength.spelled().1)?;
        let planned = (finer.values.len().max(1) * finer.strengths.len() + 1) as f64;
        let room = self.until(SHARES[1]).as_secs_f64() / (spent * planned / tried.max(1) as f64);
        let affordable = (coarse.table.len() as f64 * (0.5 * room).sqrt()) as usize;
        let rows = FINE.min(affordable).min(self.part.table.len());
        if rows < coarse.table.len() || self.is_stopped() {
            is_cut_short = true;
        } else {
            let more = at_most(self.part, rows, self.task, self.ask.seed)?;
            let fine = more.as_ref().unwrap_or(self.part);
            let alone = Family {
                shape: kernel.to_string(),
                values: Vec::new(),
                strengths: vec![strength.spelled().1],
            };
            let finer = self.contest(&finer, fine, self.until(SHARES[1]));
            let again = self.contest(&alone, fine, self.until(SHARES[1]));
            is_cut_short |= finer.as_ref().map_or(true, |finer| finer.found.is_cut_short) || again.is_err();
            if let (Ok(finer), Ok(again)) = (finer, again) {
                usual = Some(again.found.best().clone());
                chosen = finer.found.best().clone();
                contests.extend([(winner, finer), (winner, again)]);
            }
        }
        let contests: Vec<Contest> = contests.into_iter().map(|(_, contest)| contest).collect();
        let usual = usual.unwrap_or_else(|| first.clone());
        let lead = lead(self.metric().sign(), &chosen, &usual);
        // Of many candidates the best one is lucky as well as good.
        let chosen = if lead.0 > CLEARLY * lead.1 { chosen } else { usual.clone() };
        Ok(Compared { contests, failed, usual, chosen, lead, is_cut_short })
    }

    /// The family that the usual kernel is of, on as many rows as there is time for; none for all of them.
    fn first(&self, family: &Family) -> Result<(Option<Rows>, Contest), ModelError> {
        let mut rows = COARSE;
        let mut share = SHARES[0];
        loop {
            let few = at_most(self.part, rows, self.task, self.ask.seed)?;
            match self.contest(family, few.as_ref().unwrap_or(self.part), self.until(share)) {
                Ok(contest) => return Ok((few, contest)),
                Err(_) if rows > LEAST && share < SHARES[2] && !self.is_stopped() => {
                    (rows, share) = ((rows / 4).max(LEAST), share + 0.2);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The strength that everyone would begin with.
    fn strength(&self) -> Regularization {
        if self.spec.learner == Learner::Cholesky { Regularization::Mu(1.0) } else { Regularization::C(1.0) }
    }

    fn contest(&self, family: &Family, rows: &Rows, time: Duration) -> Result<Contest, ModelError> {
        let begun = Instant::now();
        let kernels = family.template();
        let count = rows.table.len();
        let values = Values::List(family.strengths.clone());
        let strength =
            if self.spec.learner == Learner::Cholesky { Strength::Mu(values) } else { Strength::C(values) };
        // The fewer rows, the more a single division into folds is a matter of luck.
        let repeats = match count {
            ..=500 => 4,
            501..=1000 => 2,
            _ => 1,
        };
        let tuning = Tuning {
            spec: self.spec.clone(),
            search: Search::Grid { points: 2 },
            validation: Validation::Folds { k: FOLDS.min(count), repeats },
            metric: Some(self.metric()),
            ..Tuning::new(kernels.parse()?, strength, self.spec.learner)
        };
        let setting = self.setting.within(Some(time));
        let tell = |sofar: Sofar| (self.tell)(Stage::Trying { kernels: kernels.clone(), rows: count, sofar });
        let found = tune(&tuning, &rows.training(self.training), &setting, &tell)?;
        Ok(Contest { kernels, rows: count, found, seconds: begun.elapsed().as_secs_f64() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_has_the_error_of_splits_that_share_rows() {
        let trial = |scores: &[f64]| Trial {
            kernel: "linear".parse().unwrap(),
            strength: Regularization::C(1.0),
            rows: 80,
            scores: scores.to_vec(),
            row_error: None,
            is_solved: true,
        };
        let (one, other) = (trial(&[0.9, 0.8, 0.9, 0.8, 0.9]), trial(&[0.8; 5]));
        let (mean, error) = lead(1.0, &one, &other);
        assert!((mean - 0.06).abs() < 1e-12 && (error - (0.003_f64 * (0.2 + 0.25)).sqrt()).abs() < 1e-12);
        assert_eq!(lead(-1.0, &one, &other).0, -mean);
    }
}
