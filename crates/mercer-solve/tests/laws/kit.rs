//! The testkit passes a solver that is right, and finds out those that are not.

use std::panic::{AssertUnwindSafe, catch_unwind};

use mercer_solve::testkit::{Suits, check_solver};
use mercer_solve::{Objective, Problem, Run, Solution, SolveError, Solver, Status};

use super::oracle::Slow;
use super::setting::SPECS;

#[test]
fn a_slow_solver_passes_for_every_loss() {
    for spec in SPECS {
        let loss = spec.build().unwrap();
        check_solver(&Slow, Objective::Risk(&*loss), Suits::default());
    }
}

/// Right but for one thing.
#[derive(Debug)]
struct Wrong(&'static str, std::sync::atomic::AtomicU64);

impl Solver for Wrong {
    fn name(&self) -> &'static str {
        self.0
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        start: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let mut solution = Slow.solve(problem, start, run)?;
        let calls = self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        match self.0 {
            "a little off" => solution.alpha.iter_mut().for_each(|a| *a *= 1.01),
            "a length of its own" => _ = solution.alpha.pop(),
            "not twice the same" => solution.bias = calls as f64,
            "the threads show" => solution.bias = rayon_threads(),
            "weight where there is none" => {
                let nothing = (0..problem.len()).find(|&i| problem.weight(i) == 0.0);
                nothing.into_iter().for_each(|i| solution.alpha[i] = 1e-300);
            }
            "stops, but says it ran out of time" if solution.status == Status::Stopped => {
                solution.status = Status::TimeLimit;
            }
            _ => (),
        }
        Ok(solution)
    }
}

fn rayon_threads() -> f64 {
    rayon::current_num_threads() as f64
}

#[test]
fn a_solver_with_one_thing_wrong_is_found_out() {
    let loss = SPECS[0].build().unwrap();
    let objective = Objective::Risk(&*loss);
    let check = |wrong: &'static str| {
        let solver = Wrong(wrong, 0.into());
        catch_unwind(AssertUnwindSafe(|| check_solver(&solver, objective, Suits::default())))
    };
    assert!(check("nothing").is_ok());
    let wrongs = [
        "a little off",
        "a length of its own",
        "not twice the same",
        "the threads show",
        "weight where there is none",
        "stops, but says it ran out of time",
    ];
    for wrong in wrongs {
        assert!(check(wrong).is_err(), "nobody noticed: {wrong}");
    }
}
