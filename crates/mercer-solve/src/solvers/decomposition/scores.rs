//! Scores that are not kept for a while, and scores that are computed again: which rows are set aside, how they catch up,
//! and which must be known in double precision before success is claimed (`docs/maths.md` §3.3).

use std::cell::RefCell;

use super::working_set::Survey;
use super::{Engine, LAST_PRODUCTS, rows};
use crate::{Run, SolveError, Status};

/// Violations by which a slope must keep a variable at its bound for it to be set aside, and the part of the rows that
/// must be left for a new matrix of them to be made.
const ROOM: f64 = 1.0;
const WORTH: f64 = 0.9;

/// Scores in single precision that must have been compared with accurate ones, and how many times the largest difference
/// another one may be wrong by.
const COMPARED: usize = 32;
const SURELY: f64 = 10.0;

impl Engine<'_> {
    /// Leaves out of the sums that follow the rows of variables that are thought to stay at their bounds.
    pub(super) fn set_aside(&mut self, survey: &Survey) {
        if !self.sets_aside || self.is_whole || self.whole_from.is_some() {
            return;
        }
        let settled = survey.settled(self.program, &self.state.beta, ROOM);
        let mut wanted = vec![false; self.state.scores.len()];
        for (a, settled) in settled.iter().enumerate() {
            wanted[self.program.rows[a]] |= !settled && !self.aside[a];
        }
        let rows: Vec<usize> = (0..wanted.len()).filter(|&row| wanted[row]).collect();
        let were_all = self.rows.breadth() == wanted.len();
        if rows.len() as f64 <= WORTH * self.rows.breadth() as f64 && self.rows.narrow(rows) {
            if were_all {
                self.before = Some((self.state.beta.clone(), self.state.scores.clone()));
            }
            for (a, &row) in self.program.rows.iter().enumerate() {
                self.aside[a] = !wanted[row];
            }
        }
    }

    /// At an early end, scores of the rows that were set aside are those of an older β. They are brought up to date if there
    /// is the time; else β and all scores are those of when the first rows were set aside.
    pub(super) fn catch_up(&mut self, status: Status, run: &mut Run<'_>) -> Result<Status, SolveError> {
        let Some((beta, mut scores)) = self.before.take() else { return Ok(status) };
        if self.rows.breadth() == scores.len() {
            return Ok(status);
        }
        let moved: Vec<f64> = self.state.beta.iter().zip(&beta).map(|(new, old)| new - old).collect();
        let terms = self.terms(&moved);
        self.rows.spread();
        self.aside.fill(false);
        let late = matches!(status, Status::Stopped | Status::TimeLimit);
        if late && terms.len() * scores.len() > LAST_PRODUCTS {
            (self.state.beta, self.state.scores) = (beta, scores);
        } else if self.rows.accumulate(&terms, &mut scores, run, false).is_ok() {
            self.state.scores = scores;
        }
        self.survey()?;
        Ok(status)
    }

    /// Whether the scores are good enough to believe what they say.
    pub(super) fn is_trusted(&self, survey: &Survey) -> bool {
        let rounding = self.travelled * self.scale * f64::EPSILON;
        let is_kept = self.rows.breadth() == self.state.scores.len();
        let is_exact = is_kept && self.doubt == 0.0 && self.rows.is_double();
        self.travelled == 0.0 || is_exact && rounding <= 1e-3 * survey.violation
    }

    /// Computes the scores from `f64` entries: all that count. A row without coefficients whose slopes keep them at zero by
    /// more than single precision can be wrong has no part in any condition or objective (`docs/maths.md` §3.3).
    pub(super) fn refresh(&mut self, run: &mut Run<'_>) -> Result<(), Status> {
        let n = self.state.scores.len();
        let alpha = self.program.alpha(&self.state.beta, n);
        self.doubt = if self.rows.is_double() {
            self.state.scores = rows::products(self.gram, &alpha, run)?;
            0.0
        } else {
            let aside = self.rows_aside();
            let kept = self.recalled(&alpha, &aside, run)?;
            let asked = RefCell::new(None);
            let wanted = |known: &[f64]| {
                let (rows, doubt) = self.uncertain(&alpha, &kept, &aside, known);
                asked.borrow_mut().insert((rows, doubt)).0.clone()
            };
            let found = rows::products_where(self.gram, &alpha, &wanted, run)?;
            match asked.into_inner() {
                None => {
                    run.count(n * rows::support(&alpha));
                    self.gram.remember(&alpha, &found, Vec::new());
                    self.state.scores = found;
                    0.0
                }
                Some((rows, doubt)) => {
                    let mut is_rough: Vec<bool> = alpha.iter().map(|a| *a == 0.0).collect();
                    rows.iter().for_each(|&row| is_rough[row] = false);
                    let mut scores = kept;
                    (0..n).filter(|&row| !is_rough[row]).for_each(|row| scores[row] = found[row]);
                    self.state.scores = scores;
                    let rough: Vec<usize> = (0..n).filter(|&row| is_rough[row]).collect();
                    run.count((alpha.len() - rough.len()) * rows::support(&alpha));
                    let doubt = if rough.is_empty() { 0.0 } else { doubt };
                    self.gram.remember(&alpha, &self.state.scores, rough);
                    doubt
                }
            }
        };
        self.travelled = 0.0;
        self.refreshes += 1;
        self.aside.fill(false);
        self.rows.spread();
        self.before = None;
        Ok(())
    }

    /// Rows whose scores are not kept; rows without variables are among them.
    fn rows_aside(&self) -> Vec<bool> {
        let mut aside = vec![self.before.is_some(); self.state.scores.len()];
        self.program.rows.iter().zip(&self.aside).for_each(|(&row, &is)| aside[row] = is);
        aside
    }

    /// The scores of all rows without a coefficient, in the precision of rows.
    fn recalled(&self, alpha: &[f64], aside: &[bool], run: &mut Run<'_>) -> Result<Vec<f64>, Status> {
        let mut scores = self.state.scores.clone();
        if let Some((beta, before)) = &self.before {
            let old = self.program.alpha(beta, scores.len());
            let moved: Vec<f64> = alpha.iter().zip(&old).map(|(new, old)| new - old).collect();
            let rows: Vec<usize> = (0..scores.len()).filter(|&row| aside[row] && alpha[row] == 0.0).collect();
            let found = rows::products_at(self.gram, &rows, &moved, run)?;
            rows.iter().zip(found).for_each(|(&row, change)| scores[row] = before[row] + change);
        }
        Ok(scores)
    }

    /// Rows without a coefficient whose scores are not known well enough, judged by what those of the others were wrong by,
    /// for points of length one; and that error.
    fn uncertain(&self, alpha: &[f64], kept: &[f64], aside: &[bool], known: &[f64]) -> (Vec<usize>, f64) {
        let (mut scores, mut count, mut worst) = (kept.to_vec(), 0, 0.0f64);
        for row in (0..kept.len()).filter(|&row| alpha[row] != 0.0) {
            scores[row] = known[row];
            if !aside[row] {
                count += 1;
                worst = worst.max((kept[row] - known[row]).abs() / self.lengths[row]);
            }
        }
        let doubt = if count < COMPARED { f64::INFINITY } else { self.doubt + worst };
        let survey = Survey::new(self.program, &self.state.beta, &scores, &vec![false; self.program.len()]);
        let margin = |row: usize| survey.violation + SURELY * doubt * self.lengths[row];
        let mut idle = vec![true; kept.len()];
        let of_variables = survey.idle(self.program, &self.state.beta, margin);
        self.program.rows.iter().zip(of_variables).for_each(|(&row, is)| idle[row] &= is);
        ((0..kept.len()).filter(|&row| alpha[row] == 0.0 && !idle[row]).collect(), doubt)
    }
}
