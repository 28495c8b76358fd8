//! The laws of a solver.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::bank::{Case, cases};
use crate::loss::Target;
use crate::{
    Claim, Limits, Objective, Problem, Run, Silent, Solution, Solver, Status, Tolerance, Watch, certify,
};

/// Which cases a solver is for, and how well it is to solve them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Suits {
    /// Problems without an offset.
    pub plain: bool,
    /// Problems with an offset.
    pub offset: bool,
    /// Row weights.
    pub weights: bool,
    /// The relative gap that is asked of it.
    pub gap: f64,
}

impl Default for Suits {
    /// All cases, to a relative gap of 1e-6.
    fn default() -> Self {
        Self { plain: true, offset: true, weights: true, gap: 1e-6 }
    }
}

/// Checks a solver on a bank of small problems, some with known answers: its certificate holds to the gap that was asked
/// for; the same bits come twice and for any number of threads; rows without weight get no coefficient; it can start from
/// a solution; told to stop or out of iterations, it hands back what it has.
///
/// # Panics
/// With the law that does not hold, and the problem.
///
/// ```no_run
/// use mercer_solve::{Objective, loss::Hinge, testkit::{Suits, check_solver}};
/// # fn check(solver: &(dyn mercer_solve::Solver + Sync)) {
/// check_solver(solver, Objective::Risk(&Hinge), Suits { weights: false, ..Suits::default() });
/// # }
/// ```
pub fn check_solver(solver: &(dyn Solver + Sync), objective: Objective<'_>, suits: Suits) {
    let target = match objective {
        Objective::Risk(loss) => loss.target(),
        Objective::HardMargin | Objective::Separation | Objective::NuClassification { .. } => Target::Labels,
        Objective::NuRegression { .. } | Objective::OneClass { .. } => Target::Numbers,
    };
    assert!(suits.plain || suits.offset, "{}: suits nothing", solver.name());
    for offset in [false, true] {
        if (offset && !suits.offset) || (!offset && !suits.plain) {
            continue;
        }
        for case in cases(target, offset, suits.weights) {
            if let Some(problem) = case.problem(objective) {
                let name = format!("{} on '{}' (offset: {offset}, {objective:?})", solver.name(), case.name);
                Laws { solver, problem, name, suits }.check(&case);
            }
        }
    }
}

struct Laws<'a> {
    solver: &'a (dyn Solver + Sync),
    problem: Problem<'a>,
    name: String,
    suits: Suits,
}

impl Laws<'_> {
    fn check(&self, case: &Case) {
        let solution = self.solve(None, &mut self.quiet());
        self.certified(&solution, case.optimum(self.problem.objective()));
        self.same_bits(&solution);
        self.starts(&solution);
        self.stops();
    }

    fn tolerance(&self) -> Tolerance {
        Tolerance { gap: Some(self.suits.gap), violation: None }
    }

    fn quiet(&self) -> Run<'static> {
        Run::quiet(self.tolerance())
    }

    fn solve(&self, start: Option<&Solution>, run: &mut Run<'_>) -> Solution {
        let solution = self.solver.solve(&self.problem, start, run);
        let solution = solution.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let (found, rows) = (solution.alpha.len(), self.problem.len());
        assert_eq!(found, rows, "{}: a coefficient for each row", self.name);
        assert!(solution.alpha.iter().all(|a| a.is_finite()), "{}: coefficients are finite", self.name);
        for i in (0..self.problem.len()).filter(|&i| self.problem.weight(i) == 0.0) {
            assert_eq!(solution.alpha[i], 0.0, "{}: row {i} has no weight", self.name);
        }
        solution
    }

    fn certified(&self, solution: &Solution, optimum: Option<f64>) {
        let certificate = certify(&self.problem, solution);
        let (primal, dual, gap) = (certificate.primal, certificate.dual, certificate.relative_gap);
        assert!(
            certificate.holds(&self.tolerance()),
            "{}: relative gap {gap:.3e}, {:.3e} was asked for; primal {primal}, dual {dual}, claim {:?}, status {:?}",
            self.name,
            self.suits.gap,
            certificate.claim,
            solution.status
        );
        let Some(want) = optimum.filter(|_| certificate.claim == Claim::Optimal) else { return };
        let room = 1e-9 * (1.0 + want.abs());
        assert!(dual <= want + room, "{}: the dual {dual} exceeds the optimum {want}", self.name);
        assert!(
            (primal - want).abs() <= certificate.gap + room,
            "{}: the objective is {primal}, the optimum {want}",
            self.name
        );
        if let Some(scores) = &solution.scores {
            let mut products = vec![0.0; self.problem.len()];
            self.problem.gram().apply(&solution.alpha, &mut products);
            for (i, (kept, want)) in scores.iter().zip(&products).enumerate() {
                let near = (kept - want).abs() <= 1e-5 * (1.0 + want.abs());
                assert!(near, "{}: the score kept of row {i} is {kept}, but (Kα) is {want}", self.name);
            }
        }
    }

    fn same_bits(&self, first: &Solution) {
        let bits = |solution: &Solution| -> Vec<u64> {
            solution.alpha.iter().chain([&solution.bias]).map(|v| v.to_bits()).collect()
        };
        assert_eq!(
            bits(first),
            bits(&self.solve(None, &mut self.quiet())),
            "{}: the same bits twice",
            self.name
        );
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.unwrap_or_else(|error| panic!("{}: {error}", self.name));
            let again = pool.install(|| self.solve(None, &mut self.quiet()));
            assert_eq!(bits(first), bits(&again), "{}: the same bits with {threads} threads", self.name);
        }
    }

    /// A solution is a start, and so is one with another number of rows or of NaN, if only to be refused quietly.
    fn starts(&self, solution: &Solution) {
        let again = self.solve(Some(solution), &mut self.quiet());
        self.certified(&again, None);
        let wrong =
            Solution { alpha: vec![f64::NAN; self.problem.len() + 1], scores: None, ..solution.clone() };
        if let Ok(again) = self.solver.solve(&self.problem, Some(&wrong), &mut self.quiet()) {
            assert_eq!(again.alpha.len(), self.problem.len(), "{}: from a wrong start", self.name);
        }
    }

    fn stops(&self) {
        for calls in [0, 1, 3, 10] {
            let watch = StopAfter { calls: AtomicUsize::new(calls) };
            let started = Instant::now();
            let solution = self.solve(None, &mut Run::new(&watch, Limits::default(), self.tolerance()));
            let seconds = started.elapsed().as_secs_f64();
            let ended = matches!(solution.status, Status::Stopped | Status::Solved | Status::Stalled);
            assert!(ended, "{}: told to stop, it says {:?}", self.name, solution.status);
            assert!(seconds < 2.0, "{}: it took {seconds} s to stop", self.name);
        }
        let limits = Limits { iterations: Some(1), time: None };
        self.solve(None, &mut Run::new(&Silent, limits, self.tolerance()));
    }
}

/// Says stop from the given call on.
struct StopAfter {
    calls: AtomicUsize,
}

impl Watch for StopAfter {
    fn stopped(&self) -> bool {
        let left = |calls: usize| Some(calls.saturating_sub(1));
        self.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left) == Ok(0)
    }
}
