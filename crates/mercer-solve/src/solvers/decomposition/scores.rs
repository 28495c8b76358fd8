//! Scores that are not kept for a while, and scores that are computed again: which rows are set aside, how they catch up,
//! and which must be known in double precision before success is claimed (`docs/maths.md` §3.3).

use mercer_gram::Precision;

use super::working_set::Survey;
use super::{Engine, LAST_PRODUCTS, Start, rows};
use crate::{Run, SolveError, Status};

/// Violations by which a slope must keep a variable at its bound for it to be set aside, and the part of the rows that
/// must be left for a new matrix of them to be made.
const ROOM: f64 = 0.5;
const WORTH: f64 = 0.9;

/// Rows that are computed accurately whether they count or not, beside those inside their boxes: a part of all, within these
/// limits; and how many times the largest difference found there a score in single precision may be wrong by elsewhere.
const SAMPLED: usize = 32;
const SAMPLE: std::ops::RangeInclusive<usize> = 64..=256;
const SURELY: f64 = 10.0;

/// Rows by which scores of a start are judged, and the part of the largest of them that they may be wrong by.
const BEGUN: usize = 64;
const ROUGHLY: f64 = 1e-4;

/// The distance of rows that are computed accurately whether they count or not.
fn spacing(n: usize) -> usize {
    (n / (n / SAMPLED).clamp(*SAMPLE.start(), *SAMPLE.end())).max(1)
}

/// Rows that were set aside, and the variables that may have moved since then, with what they were.
pub(super) struct Left {
    rows: Vec<usize>,
    moving: Vec<(usize, f64)>,
}

impl Engine<'_> {
    /// Leaves out of the sums that follow the rows of variables that are thought to stay at their bounds.
    pub(super) fn set_aside(&mut self, survey: &Survey) {
        if !self.sets_aside || self.is_whole || self.whole_from.is_some() {
            return;
        }
        let margin = ROOM * survey.violation;
        let settled = survey.settled(self.program, &self.state.beta, |_| margin);
        let mut wanted = vec![false; self.state.scores.len()];
        for ((&row, settled), aside) in self.program.rows.iter().zip(&settled).zip(&self.aside) {
            wanted[row] |= !settled & !aside;
        }
        let count = wanted.iter().filter(|wanted| **wanted).count();
        if count as f64 > WORTH * self.rows.breadth() as f64 {
            return;
        }
        let rows: Vec<usize> = (0..wanted.len()).filter(|&row| wanted[row]).collect();
        let covered = self.rows.covered();
        if self.rows.narrow(rows) {
            if covered.len() == wanted.len() {
                self.before = Some((self.state.beta.clone(), self.state.scores.clone()));
            }
            for (a, &row) in self.program.rows.iter().enumerate() {
                self.aside[a] = !wanted[row];
            }
            // Rows without variables are among the first that are left.
            let rows = covered.into_iter().filter(|&row| !wanted[row]).collect();
            let moving = (0..self.program.len()).filter(|&a| !self.aside[a]);
            self.left.push(Left { rows, moving: moving.map(|a| (a, self.state.beta[a])).collect() });
        }
    }

    /// Scores of a start that knows them, and by how much they may be wrong, judged by a sample; none if β is not α, or
    /// there is no saving in it.
    pub(super) fn known(&self, beta: &[f64], start: &Start, run: &mut Run<'_>) -> Option<(Vec<f64>, f64)> {
        let n = self.state.scores.len();
        let scores = start.scores.as_ref().filter(|scores| scores.len() == n && n > 4 * BEGUN)?;
        if self.rows.is_double() || !scores.iter().all(|score| score.is_finite()) {
            return None;
        }
        let alpha = self.program.alpha(beta, n);
        let most = alpha.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
        let is_same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-13 * most;
        if start.alpha.len() != n || !alpha.iter().zip(&start.alpha).all(is_same) {
            return None;
        }
        // Not those rows that a solver of before has computed to compare with.
        let between = |row: usize| if row.is_multiple_of(spacing(n)) { row + 1 } else { row };
        let rows: Vec<usize> =
            (0..BEGUN).map(|k| between((2 * k + 1) * n / (2 * BEGUN)).min(n - 1)).collect();
        let found = rows::products_at(self.gram, &rows, &alpha, Precision::Double, run).ok()?;
        let each = rows.iter().zip(&found);
        let doubt =
            each.map(|(&row, score)| (scores[row] - score).abs() / self.lengths[row]).fold(0.0, f64::max);
        let size = found.iter().fold(0.0, |size: f64, score| size.max(score.abs()));
        // Most of them may be accurate, but it is not known which.
        (doubt <= ROUGHLY * size).then(|| (scores.clone(), doubt.max(f64::MIN_POSITIVE)))
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
        } else if self.rows.accumulate(&terms, &[], &mut scores, run, false).is_ok() {
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

    /// Computes the scores from `f64` entries: all that count. A row whose slopes keep its coefficient at the end of a box by
    /// more than single precision can be wrong adds nothing to the violation or to the gap, whatever the last digits of its
    /// score (`docs/maths.md` §3.3).
    pub(super) fn refresh(&mut self, run: &mut Run<'_>) -> Result<(), Status> {
        let n = self.state.scores.len();
        let alpha = self.program.alpha(&self.state.beta, n);
        if self.rows.is_double() {
            self.state.scores = rows::products(self.gram, &alpha, run)?;
            self.doubt = 0.0;
        } else {
            let mut scores = self.recalled(run)?;
            let mut is_rough = vec![true; n];
            let mut doubt = self.doubt;
            let may_do = run.is_trial() && self.is_sure(0.0, self.doubt);
            let mut asked = if may_do { self.sampled() } else { self.inside() };
            // What they differ by says how near the ends others must be to be asked for too.
            while !asked.is_empty() {
                let found = rows::products_at(self.gram, &asked, &alpha, Precision::Double, run)?;
                for (&row, score) in asked.iter().zip(found) {
                    doubt = doubt.max(self.doubt + (scores[row] - score).abs() / self.lengths[row]);
                    (scores[row], is_rough[row]) = (score, false);
                }
                let survey = self.seen(&scores);
                let is_enough = may_do && self.is_sure(survey.violation, doubt);
                asked = if is_enough { Vec::new() } else { self.uncertain(&is_rough, &survey, doubt) };
            }
            let rough: Vec<usize> = (0..n).filter(|&row| is_rough[row]).collect();
            self.doubt = if rough.is_empty() { 0.0 } else { doubt };
            if !run.is_trial() {
                // A certificate may then take the others as they are.
                self.gram.remember(&alpha, &scores, rough);
            }
            self.state.scores = scores;
        }
        self.travelled = 0.0;
        self.refreshes += 1;
        self.aside.fill(false);
        self.rows.spread();
        self.before = None;
        self.left.clear();
        Ok(())
    }

    /// The scores of all rows, in the precision of rows.
    fn recalled(&self, run: &mut Run<'_>) -> Result<Vec<f64>, Status> {
        let mut scores = self.state.scores.clone();
        for Left { rows, moving } in &self.left {
            let mut moved = vec![0.0; scores.len()];
            for &(a, before) in moving {
                moved[self.program.rows[a]] += self.state.beta[a] - before;
            }
            let found = rows::products_at(self.gram, rows, &moved, Precision::Single, run)?;
            rows.iter().zip(found).for_each(|(&row, change)| scores[row] += change);
        }
        Ok(scores)
    }

    /// Whether a violation is what was asked for, if nothing else was, even if all scores are wrong by as much as they may be.
    fn is_sure(&self, violation: f64, doubt: f64) -> bool {
        let longest = self.lengths.iter().copied().fold(1.0, f64::max);
        let wanted = self.tolerance.violation.filter(|_| self.tolerance.gap.is_none());
        wanted.is_some_and(|wanted| {
            violation + 2.0 * SURELY * doubt * longest <= wanted * self.reading.unit(&self.state)
        })
    }

    /// How far from optimal the variables are by these scores, none being set aside.
    fn seen(&self, scores: &[f64]) -> Survey {
        Survey::new(self.program, &self.state.beta, scores, &vec![false; self.program.len()])
    }

    /// Rows from which one learns what single precision makes of a score.
    fn sampled(&self) -> Vec<usize> {
        let n = self.state.scores.len();
        (0..n).step_by(spacing(n)).collect()
    }

    /// These, and rows that count in any case, since a coefficient of theirs is inside its box.
    fn inside(&self) -> Vec<usize> {
        let (n, program) = (self.state.scores.len(), self.program);
        let mut wanted = vec![false; n];
        self.sampled().iter().for_each(|&row| wanted[row] = true);
        for (a, &beta) in self.state.beta.iter().enumerate() {
            wanted[program.rows[a]] |= (beta > program.lower[a]) & (beta < program.upper[a]);
        }
        (0..n).filter(|&row| wanted[row]).collect()
    }

    /// Of the rows that are not known yet, those whose scores must be known better: where scores may be wrong by so much, for
    /// points of length one, the others are settled for sure.
    fn uncertain(&self, is_rough: &[bool], survey: &Survey, doubt: f64) -> Vec<usize> {
        let margin = |row: usize| survey.violation + SURELY * doubt * self.lengths[row];
        let mut wanted = vec![false; is_rough.len()];
        let settled = survey.settled(self.program, &self.state.beta, margin);
        self.program.rows.iter().zip(settled).for_each(|(&row, is)| wanted[row] |= !is);
        (0..is_rough.len()).filter(|&row| wanted[row] && is_rough[row]).collect()
    }
}
