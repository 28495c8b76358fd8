//! The dual by blocks: one engine for every loss whose conjugate is quadratic, and for the ν problems.
//!
//! ```text
//! minimise  ½βᵀQβ + pᵀβ     lower ≤ β ≤ upper,   Σ β = constant in each group (or no sum at all)
//! ```
//!
//! Scores F = Kα are kept in `f64`, for all rows but those whose variables are thought to stay at their bounds. A working
//! set W of some thousand variables, or all, is solved on K_WW, then F += K(:,W)·Δβ, in W from the steps and elsewhere from
//! rows that are computed or cached
//! (`docs/maths.md` §3.3, §4.5; Joachims 1999, Fan, Chen, Lin 2005, Wen et al. 2018). Rows may be `f32`: before success is
//! claimed F is computed from `f64` entries for all rows that count, and where that shows twice that the criterion was not
//! met, rows are `f64` from then on. An iteration is a step of one pair, as in LIBSVM.

mod demand;
mod filling;
mod footprint;
mod inner;
mod lines;
mod others;
mod pace;
mod program;
mod rows;
mod scores;
mod spare;
mod square;
mod working_set;

pub(super) use footprint::footprint;
pub(super) use program::{Program, Reading, Start, State, Variable};

use mercer_gram::Gram;
use mercer_linalg::Budget;

use self::filling::Known;
use self::inner::Part;
use self::lines::{Lines, Whole};
use self::pace::{Pace, Patience};
use self::rows::{KEPT, Rows};
use self::scores::Left;
use self::square::Square;
use self::working_set::{Sums, Survey, WorkingSet};
use crate::certify::relative_gap;
use crate::{Progress, Run, SolveError, Status, Tolerance};

/// What the engine hands back.
pub(super) struct Outcome {
    pub(super) state: State,
    pub(super) status: Status,
    pub(super) iterations: u64,
    /// The state shows that there is no solution.
    pub(super) hopeless: bool,
}

/// How the engine works.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    /// Memory for rows.
    pub(super) budget: Budget,
    /// Rows in `f64` from the start, whatever their number.
    pub(super) double: bool,
}

/// Up to so many rows entries are `f64`, which costs little there; up to the second number if the gap is to be small.
const DOUBLE: usize = 1000;
const DOUBLE_FOR_SMALL_GAPS: usize = 4000;
const SMALL_GAP: f64 = 1e-4;

/// Variables worked on at a time: some more than are inside their boxes, within these limits, and whole groups of lines in each
/// half.
const LEAST_SET: usize = 2016;
const LARGEST_SET: usize = 4032;
const SET_STEP: usize = 2 * filling::HALF_STEP;

/// Up to so many variables are worked on all at once: no more than a working set where entries are computed in less time than
/// memory that is new takes to be written.
fn whole(is_fleeting: bool) -> usize {
    if is_fleeting { LEAST_SET } else { WHOLE }
}
const WHOLE: usize = 6144;

/// Where entries are cheap that begins with sets of so many variables: what ends with few support vectors never sees most
/// of the square. It goes on with all once a part of the square's entries was computed.
const SMALL_SET: usize = 288;
const PART_OF_SQUARE: u64 = 2;

/// Steps on a working set, for each of its variables, and such steps with rows as they are asked for.
const STEPS: u64 = 100;
const DEMANDED: u64 = 4;

/// Products that may still be made after the run was told to stop: some hundredths of a second.
const LAST_PRODUCTS: usize = 32_000_000;

/// Minimises from a feasible point near α.
pub(super) fn minimise(
    program: &Program,
    gram: &dyn Gram,
    reading: &dyn Reading,
    start: Option<Start>,
    settings: Settings,
    run: &mut Run<'_>,
) -> Result<Outcome, SolveError> {
    let mut engine = Engine::new(program, gram, reading, settings, run);
    let status = match engine.begin(start, run) {
        Ok(()) => {
            let status = engine.work(run)?;
            engine.catch_up(status, run)?
        }
        Err(status) => status,
    };
    Ok(Outcome { state: engine.state, status, iterations: engine.iterations, hopeless: engine.hopeless })
}

/// The size of a working set while so many variables are inside their boxes.
fn set_size(free: usize, least: usize, largest: usize) -> usize {
    (free + free / 3).next_multiple_of(SET_STEP).clamp(least.min(largest), largest)
}

/// The largest working set that there may be.
fn largest_set(budget: Budget) -> usize {
    LARGEST_SET.min(affordable_set(budget)) / SET_STEP * SET_STEP
}

/// The largest set whose square takes no more than a part of the budget.
fn affordable_set(budget: Budget) -> usize {
    const SHARE: u64 = 4;
    let affordable = (budget.bytes() / SHARE / size_of::<f64>() as u64).isqrt();
    usize::try_from(affordable).unwrap_or(usize::MAX).max(LEAST_SET / 2)
}

struct Engine<'a> {
    program: &'a Program,
    gram: &'a dyn Gram,
    reading: &'a dyn Reading,
    tolerance: Tolerance,
    rows: Rows<'a>,
    state: State,
    set: WorkingSet,
    kernel: Square<'a>,
    /// What is there of the square of the last set, where squares are had a part at a time.
    crossed: Known,
    /// k(x,x) of the rows.
    diagonal: Vec<f64>,
    iterations: u64,
    hopeless: bool,
    /// Largest k(x,x).
    scale: f64,
    /// Variables that are thought to stay at their bounds: their scores are not kept until all are computed again.
    aside: Vec<bool>,
    /// β and the scores of all rows when the first were set aside.
    before: Option<(Vec<f64>, Vec<f64>)>,
    /// What was set aside, each time that something was.
    left: Vec<Left>,
    /// Whether variables may be set aside: until that was found to be rash.
    sets_aside: bool,
    /// All variables are worked on at once.
    is_whole: bool,
    /// While they are, rows are computed as they are asked for.
    on_demand: bool,
    /// Steps on such rows have been few so far.
    is_short: bool,
    /// While they are not yet: the run's count of entries from which on they will be.
    whole_from: Option<u64>,
    /// Largest working set.
    largest: usize,
    /// Σ|Δβ| since the scores were last computed as a whole.
    travelled: f64,
    /// What scores that were not computed as well as the others then may be wrong by, for points of length one.
    doubt: f64,
    /// √k(x,x) of the rows, at least one: what single precision makes of a score grows with it.
    lengths: Vec<f64>,
    refreshes: usize,
    pace: Pace,
    patience: Patience,
}

impl<'a> Engine<'a> {
    fn new(
        program: &'a Program,
        gram: &'a dyn Gram,
        reading: &'a dyn Reading,
        settings: Settings,
        run: &Run<'_>,
    ) -> Self {
        let (tolerance, entries) = (run.tolerance(), run.entries());
        let n = gram.len();
        let mut diagonal = vec![0.0; n];
        gram.diagonal(&mut diagonal);
        let asked = tolerance.gap.is_some() || tolerance.violation.is_some();
        let tolerance = if asked { tolerance } else { Tolerance::default() };
        let close = tolerance.gap.is_some_and(|gap| gap < SMALL_GAP);
        let few = if close { DOUBLE_FOR_SMALL_GAPS } else { DOUBLE };
        let affordable = affordable_set(settings.budget);
        let largest = largest_set(settings.budget);
        let is_double = settings.double || n <= few;
        let is_fleeting = gram.is_cheap() && !gram.keeps_square() && !is_double && !close;
        let may_be_whole = program.len() <= whole(is_fleeting).min(affordable) && program.has_every_row(n);
        let may_wait = may_be_whole && !gram.keeps_square();
        // Rows that other problems have asked for are there already, and the others serve those to come.
        let is_shared = may_wait && gram.shares_rows() && !is_double;
        let is_loose = may_wait && gram.is_cheap();
        let fit = if is_shared { SMALL_SET..=WHOLE } else { SMALL_SET..=KEPT };
        let on_demand = (is_loose || is_shared) && fit.contains(&n) && program.rows.iter().copied().eq(0..n);
        let begins_small = is_loose && !on_demand && program.len() >= 2 * SMALL_SET;
        Self {
            program,
            gram,
            reading,
            tolerance,
            // Of small sets the same variables move again and again.
            rows: Rows::new(gram, settings.budget, is_double, may_be_whole && !begins_small),
            state: State {
                beta: vec![0.0; program.len()],
                scores: vec![0.0; n],
                norm2: 0.0,
                objective: 0.0,
                levels: vec![0.0; program.groups.len()],
            },
            set: WorkingSet::default(),
            kernel: Square::none(),
            crossed: Known::nothing(),
            iterations: 0,
            hopeless: false,
            aside: vec![false; program.len()],
            before: None,
            left: Vec::new(),
            sets_aside: true,
            is_whole: may_be_whole && !begins_small,
            on_demand,
            is_short: true,
            whole_from: begins_small.then(|| entries + (n as u64).pow(2) / PART_OF_SQUARE),
            largest,
            scale: diagonal.iter().fold(0.0, |scale: f64, k| scale.max(k.abs())),
            travelled: 0.0,
            doubt: 0.0,
            lengths: diagonal.iter().map(|k| k.abs().sqrt().max(1.0)).collect(),
            diagonal,
            refreshes: 0,
            pace: Pace::default(),
            patience: Patience::new(),
        }
    }

    /// Goes to the starting point; an early end leaves β = 0.
    fn begin(&mut self, start: Option<Start>, run: &mut Run<'_>) -> Result<(), Status> {
        let beta = self.program.start(start.as_ref().map(|start| &start.alpha[..]));
        let scores = match start.as_ref().and_then(|start| self.known(&beta, start, run)) {
            Some((scores, doubt)) => {
                self.doubt = doubt;
                scores
            }
            None => {
                let terms = self.terms(&beta);
                let mut scores = vec![0.0; self.state.scores.len()];
                self.rows.accumulate(&terms, &[], &mut scores, run, true)?;
                scores
            }
        };
        self.travelled = beta.iter().map(|b| b.abs()).sum();
        (self.state.beta, self.state.scores) = (beta, scores);
        Ok(())
    }

    /// Rows and weights of what is not zero.
    fn terms(&self, values: &[f64]) -> Vec<(usize, f64)> {
        let each = self.program.rows.iter().zip(values).filter(|(_, v)| **v != 0.0);
        each.map(|(&row, &v)| (row, v)).collect()
    }

    fn work(&mut self, run: &mut Run<'_>) -> Result<Status, SolveError> {
        // LIBSVM's limit: what takes longer does not get there.
        let most = (100 * self.program.len() as u64).max(10_000_000);
        let mut is_fresh = false;
        loop {
            let survey = self.survey()?;
            let met = self.is_met(&survey, run);
            if met || self.hopeless {
                if self.is_trusted(&survey) {
                    return Ok(Status::Solved);
                }
                if let Err(status) = self.refresh(run) {
                    // What the scores seemed to show was not looked at again.
                    self.hopeless = false;
                    return Ok(status);
                }
                is_fresh = true;
                continue;
            }
            if is_fresh && self.refreshes >= 2 && !self.rows.is_double() {
                self.widen();
            }
            if is_fresh {
                self.sets_aside = false;
            } else {
                self.set_aside(&survey);
            }
            is_fresh = false;
            if let Some(status) = run.over(self.iterations) {
                return Ok(status);
            }
            if self.iterations >= most {
                return Ok(Status::IterationLimit);
            }
            let moved = match self.block(&survey, most - self.iterations, run) {
                Ok(moved) => moved,
                Err(status) => return Ok(status),
            };
            let lost = self.patience.is_lost(survey.violation, self.state.objective);
            if (!moved || lost)
                && let Some(status) = self.escalate(run)
            {
                return Ok(status);
            }
        }
    }

    /// Small sets did not get there: all variables at once from now on.
    fn unite(&mut self) {
        (self.whole_from, self.is_whole) = (None, true);
        self.crossed = Known::nothing();
        self.set.variables.clear();
        self.rows.rest();
    }

    /// Stuck: with all variables at once, with better scores, then with better rows, then for good.
    fn escalate(&mut self, run: &mut Run<'_>) -> Option<Status> {
        if self.whole_from.is_some() {
            self.unite();
            self.patience = Patience::new();
            return None;
        }
        if !self.patience.was_lost() && self.travelled > 0.0 {
            return self.refresh(run).err();
        }
        if !self.rows.is_double() {
            self.widen();
            self.patience = Patience::new();
            return None;
        }
        Some(Status::Stalled)
    }

    fn survey(&mut self) -> Result<Survey, SolveError> {
        let (program, state) = (self.program, &mut self.state);
        let survey = Survey::new(program, &state.beta, &state.scores, &self.aside);
        let Sums { norm2, smooth, linear } = survey.sums;
        if self.rows.breadth() == state.scores.len() {
            (state.norm2, state.objective) = (norm2, 0.5 * (norm2 + smooth) + linear);
        } else {
            // Scores are not all known, but by how much each step lowered the objective is.
            state.norm2 = 2.0 * (state.objective - linear) - smooth;
        }
        state.levels = survey.levels();
        if state.objective.is_finite() && survey.is_finite {
            return Ok(survey);
        }
        Err(SolveError::Numerical(
            "the scores left the range of numbers: the kernel has entries that are not finite, or is so far from \
             positive semi-definite that the dual has no minimum"
                .to_owned(),
        ))
    }

    /// Whether what was asked for seems to hold; tells the run where it is.
    fn is_met(&mut self, survey: &Survey, run: &mut Run<'_>) -> bool {
        let (primal, dual) = self.reading.objectives(&self.state);
        let gap = relative_gap(
            (primal - dual - self.reading.rounding()).max(0.0),
            primal,
            dual,
            self.reading.scale(),
        );
        let violation = survey.violation / self.reading.unit(&self.state);
        let far = |value: f64, wanted: Option<f64>| wanted.map_or(0.0, |wanted| value / wanted);
        let (from_gap, from_violation) =
            (far(gap, self.tolerance.gap), far(violation, self.tolerance.violation));
        let farthest = from_gap.max(from_violation);
        self.hopeless = self.reading.is_hopeless(&self.state);
        run.report(Progress {
            iteration: self.iterations,
            limit: run.limits().iterations,
            primal: Some(primal),
            dual: Some(dual),
            violation: Some(violation),
            support: self.state.beta.iter().filter(|&&b| b != 0.0).count(),
            seconds: 0.0,
            eta: self.pace.expect(run.seconds(), farthest, 1.0),
        });
        farthest <= 1.0
    }

    fn widen(&mut self) {
        self.rows.widen();
        // Lines in single precision are of no use any more.
        self.crossed = Known::nothing();
        self.set.variables.clear();
    }

    /// One working set: chosen, solved, and what moved carried to all scores. Whether anything moved.
    fn block(&mut self, survey: &Survey, most: u64, run: &mut Run<'_>) -> Result<bool, Status> {
        if self.whole_from.is_some_and(|entries| run.entries() > entries) {
            self.unite();
        }
        let least = if self.whole_from.is_some() { SMALL_SET } else { LEAST_SET };
        let size = set_size(survey.free, least, self.largest);
        let is_known = self.is_whole && !self.set.variables.is_empty();
        if self.is_whole {
            self.set.variables = (0..self.program.len()).collect();
        } else {
            if self.set.is_unordered() {
                let nearness = self.nearness(run);
                self.set.prefer(&nearness);
            }
            self.set.choose(self.program, &self.state.beta, &self.aside, survey, size);
        }
        let (chosen, crosses) = self.arranged();
        let rows = self.rows_of(&chosen);
        if !is_known && self.on_demand {
            self.kernel = self.rows.on_demand();
        } else if !is_known && !crosses {
            self.rows.square(&rows, &mut self.kernel, run)?;
        }
        let mut part = self.part(&chosen, survey);
        let limit = run.limits().iterations.map_or(most, |limit| limit.saturating_sub(self.iterations));
        let (target, most) = (self.target(survey), most.min(limit).min(STEPS * chosen.len() as u64));
        let few = most.min(DEMANDED * chosen.len() as u64);
        let ended = match (self.rows.crossings().filter(|_| crosses), &mut self.kernel) {
            (Some(crossings), _) => {
                let diagonal = rows.iter().map(|&row| self.diagonal[row]).collect();
                // How many entries are computed depends on who has time; half of them is what a whole square takes.
                run.count(rows.len() * rows.len() / 2);
                let run = &*run;
                self.crossed.work(crossings, diagonal, |lines| part.solve(lines, target, most, run))
            }
            (_, Square::Single(kernel)) => part.solve(&mut Whole::new(kernel, rows.len()), target, most, run),
            (_, Square::Double(kernel)) => part.solve(&mut Whole::new(kernel, rows.len()), target, most, run),
            (_, Square::Kept(kernel)) => part.solve(&mut Whole::new(kernel, rows.len()), target, most, run),
            (_, Square::Asked(lines)) if self.is_short => part.step(lines, target, few, run),
            (_, Square::AskedDouble(lines)) if self.is_short => part.step(lines, target, few, run),
            (_, Square::Asked(lines)) => part.solve(lines, target, most, run),
            (_, Square::AskedDouble(lines)) => part.solve(lines, target, most, run),
        };
        self.end_demand(ended.steps >= few, run);
        if self.is_whole && !part.carried.iter().all(|change| change.is_finite()) {
            // Beyond the range of single precision.
            return Ok(false);
        }
        let (mut terms, mut lowered) = (Vec::new(), 0.0);
        for (at, (&a, &row)) in chosen.iter().zip(&rows).enumerate() {
            let change = part.beta[at] - self.state.beta[a];
            if change != 0.0 {
                lowered += 0.5 * (survey.gradient[a] + part.slope(at)) * change;
                terms.push((row, change));
            }
        }
        // Points that stand in their order are found sooner.
        terms.sort_unstable_by_key(|term| term.0);
        let work = if self.is_whole { 0 } else { terms.len() * self.rows.breadth() };
        let hurried = ended.stopped.filter(|_| work > LAST_PRODUCTS);
        if let Some(status) = hurried {
            return Err(status);
        }
        if self.is_whole {
            // One sum for each score, which has less rounding than all the steps. Rows with two variables have one score.
            let mut scores = self.state.scores.clone();
            rows.iter()
                .zip(&part.carried)
                .for_each(|(&row, change)| scores[row] = self.state.scores[row] + change);
            self.state.scores = scores;
        } else {
            let mut change = vec![0.0; self.state.scores.len()];
            // An early end here leaves the state as it was before the block.
            self.rows.accumulate(&terms, &rows, &mut change, run, ended.stopped.is_none())?;
            // What the set's own rows get is known from the steps.
            rows.iter().zip(&part.carried).for_each(|(&row, carried)| change[row] = *carried);
            self.state.scores.iter_mut().zip(&change).for_each(|(score, change)| *score += change);
        }
        chosen.iter().zip(&part.beta).for_each(|(&a, b)| self.state.beta[a] = *b);
        self.state.objective += lowered;
        self.travelled += terms.iter().map(|term| term.1.abs()).sum::<f64>();
        self.iterations += ended.steps;
        Ok(!terms.is_empty())
    }

    /// Squared distances of the variables from the first one, in features and but for a constant. In the beginning many
    /// violate alike; those that are near each other are better worked on together than in turns (`docs/maths.md` §4.5).
    fn nearness(&mut self, run: &mut Run<'_>) -> Vec<f64> {
        let mut row = vec![0.0; self.state.scores.len()];
        if let Some(&first) = self.program.rows.first() {
            // It does not ask whether to stop, and so does not end early.
            let _ = self.rows.accumulate(&[(first, 1.0)], &[first], &mut row, run, false);
            row[first] = f64::INFINITY;
        }
        self.program.rows.iter().map(|&i| self.diagonal[i] - 2.0 * row[i]).collect()
    }

    /// The variables of the set in the order of their square, and whether it can be had a part at a time.
    fn arranged(&mut self) -> (Vec<usize>, bool) {
        // Variables of a group stand together.
        if !self.is_whole && self.program.groups.len() < 2 {
            let chosen = self.crossed.arrange(&self.set.variables).to_vec();
            if self.rows.cross(&self.rows_of(&chosen)) {
                return (chosen, true);
            }
        }
        let mut chosen = self.set.variables.clone();
        chosen.sort_unstable();
        (chosen, false)
    }

    fn rows_of(&self, variables: &[usize]) -> Vec<usize> {
        variables.iter().map(|&a| self.program.rows[a]).collect()
    }

    /// Counts rows that were asked for. Where steps are many, variables that stay at their bounds are left out from then on; where
    /// nearly all rows are wanted, the whole square is made.
    fn end_demand(&mut self, is_long: bool, run: &mut Run<'_>) {
        let (computed, are_all_wanted) = match &mut self.kernel {
            Square::Asked(lines) => (lines.computed(), lines.are_all_wanted()),
            Square::AskedDouble(lines) => (lines.computed(), lines.are_all_wanted()),
            _ => return,
        };
        run.count(computed);
        self.is_short &= !is_long;
        if are_all_wanted {
            self.on_demand = false;
            self.set.variables.clear();
        }
    }

    /// How far a working set is solved: no further than pays before the others are looked at again.
    fn target(&self, survey: &Survey) -> f64 {
        let wanted = match self.tolerance {
            Tolerance { gap: None, violation: Some(violation) } => violation * self.reading.unit(&self.state),
            _ => 0.0,
        };
        // Nobody else is there to be looked at if all are worked on, and the scores are computed again at the end.
        if self.is_whole && wanted > 0.0 && (self.on_demand || !self.rows.is_double()) {
            0.9 * wanted
        } else {
            // What is just enough in single precision may not be so in double precision.
            let part = 0.1 * survey.violation;
            if part <= wanted { 0.5 * wanted } else { part }
        }
    }

    fn part(&self, chosen: &[usize], survey: &Survey) -> Part {
        let pick = |values: &[f64]| chosen.iter().map(|&a| values[a]).collect::<Vec<f64>>();
        let position = |variable: usize| chosen.partition_point(|&a| a < variable);
        let groups = self.program.groups.iter().map(|(range, _)| position(range.start)..position(range.end));
        Part {
            beta: pick(&self.state.beta),
            gradient: pick(&survey.gradient),
            carried: vec![0.0; chosen.len()],
            ridge: pick(&self.program.ridge),
            lower: pick(&self.program.lower),
            upper: pick(&self.program.upper),
            groups: groups.collect(),
        }
    }
}
