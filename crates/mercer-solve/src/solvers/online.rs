//! The online kernel perceptron (`docs/maths.md` §4.3; budget: Dekel, Shalev-Shwartz and Singer 2008 without shrinking).
//!
//! ```text
//! for each (x,y) of a stream:   if y(Σ_j α_j k(x_j,x) + b) ≤ 0,  x joins the support with coefficient y, or adds y to its own
//! ```
//!
//! [`OnlineState`] knows coefficients and counts only. Whoever owns the points hands in the kernel values with the current
//! support and follows what is said back: drop this one, append that one. With a budget one support vector is forgotten
//! for each that joins. The average over time is had in O(1) a step; what was forgotten is forgotten in it too.

use serde::{Deserialize, Serialize};

use super::first_order::{RunningSum, separation, starting_point};
use crate::{Problem, Progress, Run, Solution, SolveError, Solver, Status};

/// Which support vector makes room for a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Forget {
    /// The one that joined first.
    #[default]
    Oldest,
    /// The one with the least |α|; of several the oldest.
    Smallest,
}

/// What an observation did to the support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing: there was no mistake.
    None,
    /// The point was appended to the support.
    Joined,
    /// It was there already, at this place, and added to its coefficient.
    Added(usize),
}

/// What came of one observation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observed {
    /// f(x) + b before it.
    pub score: f64,
    /// Whether y·score ≤ 0.
    pub mistake: bool,
    /// What happened to the support.
    pub change: Change,
    /// The place that was removed from the support, before the point was appended.
    pub dropped: Option<usize>,
}

/// Coefficients of a growing support.
///
/// ```
/// use mercer_solve::solvers::{Change, Forget, OnlineState};
/// let (mut state, mut support) = (OnlineState::new(false), Vec::<f64>::new());
/// for (x, y) in [(1.0, 1.0), (-2.0, -1.0), (0.5, -1.0), (0.5, -1.0)] {
///     let kernel: Vec<f64> = support.iter().map(|s| s * x).collect();
///     let observed = state.observe(y, &kernel, support.iter().position(|&s| s == x)).unwrap();
///     if let Some(place) = observed.dropped {
///         support.remove(place);
///     }
///     if observed.change == Change::Joined {
///         support.push(x);
///     }
/// }
/// // 0.5 was a mistake twice, and is one support vector.
/// assert_eq!((support, state.alpha()), (vec![1.0, 0.5], &[1.0, -2.0][..]));
/// assert_eq!((state.seen(), state.mistakes()), (4, 3));
/// ```
#[derive(Debug, Clone, Default)]
pub struct OnlineState {
    alpha: Vec<f64>,
    bias: f64,
    offset: bool,
    budget: Option<(usize, Forget)>,
    seen: u64,
    mistakes: u64,
    alpha_sum: RunningSum,
    bias_sum: f64,
}

/// What an [`OnlineState`] has learned: enough to go on from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OnlineMemory {
    /// Coefficients of the support, oldest first.
    pub alpha: Vec<f64>,
    /// The offset.
    pub bias: f64,
    /// Points observed.
    pub seen: u64,
    /// Mistakes made.
    pub mistakes: u64,
    /// Coefficients, summed over all observations.
    pub alpha_sums: Vec<f64>,
    /// The offset, summed over all observations.
    pub bias_sum: f64,
}

impl OnlineState {
    /// An empty support of any size, with or without an offset.
    pub fn new(offset: bool) -> Self {
        Self { offset, ..Self::default() }
    }

    /// The same with at most so many support vectors; at least one.
    pub fn with_budget(mut self, size: usize, forget: Forget) -> Result<Self, SolveError> {
        if size == 0 {
            let range = "at least 1".to_owned();
            return Err(SolveError::Parameter { name: "budget".to_owned(), value: 0.0, range });
        }
        self.budget = Some((size, forget));
        Ok(self)
    }

    /// What it has learned.
    pub fn memory(&self) -> OnlineMemory {
        OnlineMemory {
            alpha: self.alpha.clone(),
            bias: self.bias,
            seen: self.seen,
            mistakes: self.mistakes,
            alpha_sums: self.alpha_sum.scaled(1.0, &self.alpha),
            bias_sum: self.bias_sum,
        }
    }

    /// The same with what another has learned. One that is beyond the budget loses its first support vectors, as it
    /// would have in a stream.
    pub fn resumed(mut self, mut memory: OnlineMemory) -> Result<Self, SolveError> {
        let (expected, found) = (memory.alpha.len(), memory.alpha_sums.len());
        if expected != found {
            return Err(SolveError::Shape { what: "sums of coefficients", expected, found });
        }
        let numbers = memory.alpha.iter().chain(&memory.alpha_sums).chain([&memory.bias, &memory.bias_sum]);
        if let Some(value) = numbers.copied().find(|value| !value.is_finite()) {
            let fact = format!("a coefficient to go on from is {value}");
            return Err(SolveError::Numerical(fact));
        }
        let beyond = expected.saturating_sub(self.budget.map_or(usize::MAX, |(size, _)| size));
        memory.alpha.drain(..beyond);
        memory.alpha_sums.drain(..beyond);
        self.alpha_sum = RunningSum::resumed(memory.seen as f64, &memory.alpha_sums, &memory.alpha);
        (self.alpha, self.bias, self.bias_sum) = (memory.alpha, memory.bias, memory.bias_sum);
        (self.seen, self.mistakes) = (memory.seen, memory.mistakes);
        Ok(self)
    }

    /// Takes in one labelled point: `kernel` holds k(x_j, x) for the support in order, `already` its place if x is there.
    pub fn observe(
        &mut self,
        y: f64,
        kernel: &[f64],
        already: Option<usize>,
    ) -> Result<Observed, SolveError> {
        if y != 1.0 && y != -1.0 {
            let wanted = "a binary learner needs the labels -1 and +1";
            return Err(SolveError::Target { row: self.seen as usize + 1, value: y, wanted });
        }
        let score = self.score(kernel)?;
        self.seen += 1;
        let mut observed = Observed { score, mistake: y * score <= 0.0, change: Change::None, dropped: None };
        if observed.mistake {
            self.mistakes += 1;
            (observed.change, observed.dropped) = self.correct(y, already);
        }
        self.alpha_sum.count(1.0);
        self.bias_sum += self.bias;
        Ok(observed)
    }

    /// f(x) + b of a point with these kernel values.
    pub fn score(&self, kernel: &[f64]) -> Result<f64, SolveError> {
        self.check(kernel)?;
        Ok(self.alpha.iter().zip(kernel).map(|(a, k)| a * k).sum::<f64>() + self.bias)
    }

    /// The same with the averaged coefficients.
    pub fn averaged_score(&self, kernel: &[f64]) -> Result<f64, SolveError> {
        self.check(kernel)?;
        let steps = (self.seen as f64).max(1.0);
        let terms = self.alpha.iter().enumerate().zip(kernel);
        let sum: f64 = terms.map(|((j, &now), k)| self.alpha_sum.sum_at(j, now) * k).sum();
        Ok((sum + self.bias_sum) / steps)
    }

    fn check(&self, kernel: &[f64]) -> Result<(), SolveError> {
        let (expected, found) = (self.alpha.len(), kernel.len());
        if expected != found {
            return Err(SolveError::Shape { what: "kernel values of the support", expected, found });
        }
        match kernel.iter().position(|k| !k.is_finite()) {
            Some(j) => {
                let fact =
                    format!("the kernel of support vector {} with a new point is {}", j + 1, kernel[j]);
                Err(SolveError::Numerical(fact))
            }
            None => Ok(()),
        }
    }

    fn correct(&mut self, y: f64, already: Option<usize>) -> (Change, Option<usize>) {
        if self.offset {
            self.bias += y;
        }
        if let Some(j) = already.filter(|&j| j < self.alpha.len()) {
            self.alpha[j] += y;
            self.alpha_sum.change(j, y);
            return (Change::Added(j), None);
        }
        let dropped =
            self.budget.filter(|&(size, _)| self.alpha.len() >= size).map(|(_, forget)| self.forget(forget));
        self.alpha.push(y);
        self.alpha_sum.push(y);
        (Change::Joined, dropped)
    }

    fn forget(&mut self, forget: Forget) -> usize {
        let place = match forget {
            Forget::Oldest => 0,
            Forget::Smallest => {
                let smaller = |best: usize, j: usize| {
                    if self.alpha[j].abs() < self.alpha[best].abs() { j } else { best }
                };
                (1..self.alpha.len()).fold(0, smaller)
            }
        };
        self.alpha.remove(place);
        self.alpha_sum.remove(place);
        place
    }

    /// Coefficients of the support, oldest first.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// The offset.
    pub fn bias(&self) -> f64 {
        self.bias
    }

    /// Coefficients and offset averaged over all observations.
    pub fn averaged(&self) -> (Vec<f64>, f64) {
        let steps = (self.seen as f64).max(1.0);
        (self.alpha_sum.scaled(1.0 / steps, &self.alpha), self.bias_sum / steps)
    }

    /// Points observed.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Mistakes made.
    pub fn mistakes(&self) -> u64 {
        self.mistakes
    }
}

/// The online perceptron over the rows of a Gram matrix, in order.
///
/// ```
/// use mercer_solve::{Features, Objective, Problem, Run, Solver, Tolerance, solvers::Online};
/// let features = Features::new(4, 2, vec![2.0, 1.0, -1.0, -2.0, 1.0, -3.0, 3.0, 1.0]).unwrap();
/// let problem = Problem::new(&features, &[1.0, -1.0, -1.0, 1.0], Objective::Separation, 1.0, false).unwrap();
/// let online = Online { budget: Some(2), average: false, epochs: 5 };
/// let solution = online.solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
/// assert!(solution.support() <= 2);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Online {
    /// Support vectors at most; the oldest is forgotten.
    pub budget: Option<usize>,
    /// Whether the coefficients are averaged over all steps.
    pub average: bool,
    /// Passes over the rows at most.
    pub epochs: u64,
}

impl Default for Online {
    fn default() -> Self {
        Self { budget: None, average: false, epochs: 1 }
    }
}

/// The state, and the row that each place of the support is.
struct Stream {
    state: OnlineState,
    support: Vec<usize>,
    kernel: Vec<f64>,
}

/// Kernel entries computed between two looks at the clock.
const PACE: usize = 256;

impl Stream {
    /// One pass; the mistakes, of the averaged coefficients as well where that is wanted.
    fn pass(&mut self, problem: &Problem<'_>, average: bool, run: &mut Run<'_>) -> Result<u64, Ended> {
        let mut wrong = 0;
        for (i, &y) in problem.y().iter().enumerate().filter(|&(i, _)| problem.weight(i) > 0.0) {
            self.values(problem, i, run)?;
            if average && y * self.state.averaged_score(&self.kernel)? <= 0.0 {
                wrong += 1;
            }
            let already = self.support.iter().position(|&row| row == i);
            let observed = self.state.observe(y, &self.kernel, already)?;
            wrong += u64::from(observed.mistake);
            if let Some(place) = observed.dropped {
                self.support.remove(place);
            }
            if observed.change == Change::Joined {
                self.support.push(i);
            }
        }
        Ok(wrong)
    }

    /// k(x_j, x_i) for the support.
    fn values(&mut self, problem: &Problem<'_>, i: usize, run: &mut Run<'_>) -> Result<(), Ended> {
        self.kernel.clear();
        if let Some(status) = run.stop() {
            return Err(Ended::Early(status));
        }
        for part in self.support.chunks(PACE) {
            if let Some(status) = run.stop() {
                return Err(Ended::Early(status));
            }
            self.kernel.extend(part.iter().map(|&j| problem.gram().entry(j, i)));
            run.count(part.len());
        }
        Ok(())
    }
}

/// Why a pass did not come to its end.
enum Ended {
    Early(Status),
    Failed(SolveError),
}

impl From<SolveError> for Ended {
    fn from(error: SolveError) -> Self {
        Self::Failed(error)
    }
}

impl Online {
    /// The state of an earlier solution: its support in the order of rows.
    fn stream(&self, problem: &Problem<'_>, start: Option<&Solution>) -> Result<Stream, SolveError> {
        let (alpha, bias) = starting_point(problem, start)?;
        let mut state = OnlineState::new(problem.offset());
        if let Some(budget) = self.budget {
            state = state.with_budget(budget, Forget::Oldest)?;
        }
        let mut support: Vec<usize> = (0..alpha.len()).filter(|&i| alpha[i] != 0.0).collect();
        let alpha: Vec<f64> = support.iter().map(|&i| alpha[i]).collect();
        let alpha_sums = vec![0.0; alpha.len()];
        let state = state.resumed(OnlineMemory { alpha, bias, alpha_sums, ..Default::default() })?;
        support.drain(..support.len() - state.alpha.len());
        Ok(Stream { state, support, kernel: Vec::new() })
    }
}

impl Solver for Online {
    fn name(&self) -> &'static str {
        "online-perceptron"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        separation(self.name(), problem)?;
        let mut stream = self.stream(problem, start)?;
        let (mut epoch, mut status) = (0, Status::IterationLimit);
        while epoch < self.epochs {
            let passed = match run.over(epoch) {
                Some(ended) => Err(Ended::Early(ended)),
                None => stream.pass(problem, self.average, run),
            };
            let wrong = match passed {
                Ok(wrong) => wrong,
                Err(Ended::Failed(error)) => return Err(error),
                Err(Ended::Early(ended)) => {
                    status = ended;
                    break;
                }
            };
            epoch += 1;
            let (limit, support) = (Some(self.epochs), stream.support.len());
            run.report(Progress { iteration: epoch, limit, support, ..Default::default() });
            if wrong == 0 {
                status = Status::Solved;
                break;
            }
        }
        let (values, bias) =
            if self.average { stream.state.averaged() } else { (stream.state.alpha, stream.state.bias) };
        let mut alpha = vec![0.0; problem.len()];
        stream.support.iter().zip(values).for_each(|(&i, a)| alpha[i] = a);
        Ok(run.solution(alpha, bias, status, epoch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_observations_are_errors_and_change_nothing() {
        let mut state = OnlineState::new(true);
        assert!(state.observe(0.0, &[], None).is_err());
        assert!(state.observe(f64::NAN, &[], None).is_err());
        assert!(state.observe(1.0, &[1.0], None).is_err());
        state.observe(1.0, &[], Some(7)).unwrap();
        assert!(state.observe(1.0, &[f64::NAN], None).is_err());
        assert_eq!((state.seen(), state.alpha()), (1, &[1.0][..]));
        assert!(OnlineState::new(true).with_budget(0, Forget::Oldest).is_err());
    }

    /// A stream on which every point is a mistake: whom the budget forgets is then known.
    #[test]
    fn the_budget_forgets_the_oldest_or_the_smallest() {
        for (forget, left) in [(Forget::Oldest, [1.0, 1.0]), (Forget::Smallest, [2.0, 1.0])] {
            let mut state = OnlineState::new(false).with_budget(2, forget).unwrap();
            state.observe(1.0, &[], None).unwrap();
            state.observe(1.0, &[-1.0], Some(0)).unwrap();
            state.observe(1.0, &[0.0], None).unwrap();
            let observed = state.observe(1.0, &[0.0, 0.0], None).unwrap();
            assert_eq!(observed.change, Change::Joined);
            assert_eq!(observed.dropped, Some(usize::from(forget == Forget::Smallest)));
            assert_eq!(state.alpha(), left);
        }
    }

    #[test]
    fn a_state_goes_on_from_its_memory_as_if_nothing_had_happened() {
        let points: [(f64, f64); 5] = [(1.0, 1.0), (2.0, -1.0), (-1.0, 1.0), (0.5, -1.0), (-2.0, -1.0)];
        let empty = || OnlineState::new(true).with_budget(3, Forget::Oldest).unwrap();
        let (mut whole, mut parted, mut support) = (empty(), empty(), Vec::<f64>::new());
        for round in 0..40 {
            let (x, y) = points[(round * 3 + round / 4) % 5];
            let kernel: Vec<f64> = support.iter().map(|s| (1.0 + s * x).powi(2)).collect();
            let already = support.iter().position(|&s| s == x);
            let observed = whole.observe(y, &kernel, already).unwrap();
            assert_eq!(parted.observe(y, &kernel, already).unwrap(), observed);
            if let Some(place) = observed.dropped {
                support.remove(place);
            }
            if observed.change == Change::Joined {
                support.push(x);
            }
            parted = empty().resumed(parted.memory()).unwrap();
        }
        assert!(whole.mistakes() > 5);
        assert_eq!((whole.averaged(), whole.memory()), (parted.averaged(), parted.memory()));
        let one =
            OnlineState::new(true).with_budget(1, Forget::Oldest).unwrap().resumed(whole.memory()).unwrap();
        assert_eq!(one.alpha(), &whole.alpha()[2..]);
        for memory in [
            OnlineMemory { alpha: vec![1.0], ..Default::default() },
            OnlineMemory { bias: f64::NAN, ..Default::default() },
        ] {
            assert!(empty().resumed(memory).is_err());
        }
    }

    #[test]
    fn the_average_is_the_average_over_all_observations() {
        let points: [(f64, f64); 6] =
            [(1.0, 1.0), (2.0, -1.0), (-1.0, 1.0), (0.5, 1.0), (-2.0, -1.0), (1.0, 1.0)];
        let (mut state, mut support) = (OnlineState::new(true), Vec::<f64>::new());
        let (mut sum, mut bias_sum) = (vec![0.0; 6], 0.0);
        for round in 0..30 {
            let (x, y) = points[(round * 5 + round / 7) % 6];
            let kernel: Vec<f64> = support.iter().map(|s| (1.0 + s * x).powi(2)).collect();
            let observed = state.observe(y, &kernel, support.iter().position(|&s| s == x)).unwrap();
            if observed.change == Change::Joined {
                support.push(x);
            }
            sum.iter_mut().zip(state.alpha()).for_each(|(sum, a)| *sum += a);
            bias_sum += state.bias();
        }
        let (averaged, bias) = state.averaged();
        assert!(averaged.len() > 2 && (bias - bias_sum / 30.0).abs() < 1e-12);
        assert!(averaged.iter().zip(&sum).all(|(a, sum)| (a - sum / 30.0).abs() < 1e-12));
    }
}
