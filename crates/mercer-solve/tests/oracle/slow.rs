//! A solver for every risk, slow and plain.

use mercer_solve::loss::LossSpec;
use mercer_solve::{Problem, Progress, Run, Solution, SolveError, Solver, Status};

use super::{conjugate_slopes, go, inverse, step};

/// The textbook way: the row, or with an offset the pair, that is farthest from optimal takes its best step.
#[derive(Debug)]
pub(crate) struct Slow;

impl Solver for Slow {
    fn name(&self) -> &'static str {
        "the slow solver of this test"
    }

    fn solve(
        &self,
        problem: &Problem<'_>,
        _: Option<&Solution>,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        let loss = spec_of(problem)?;
        let (n, y) = (problem.len(), problem.y());
        let rows: Vec<usize> = (0..n).filter(|&i| problem.bound(i) > 0.0).collect();
        let mut k = vec![0.0; n * n];
        problem.gram().rows_double(&(0..n).collect::<Vec<usize>>(), &mut k);
        let (mut alpha, mut scores) = (start(problem, loss), vec![0.0; n]);
        problem.gram().apply(&alpha, &mut scores);
        let slopes = |i: usize, a: f64| conjugate_slopes(loss, y[i], problem.bound(i), a);
        // The offsets that a row allows, given its coefficient.
        let allowed = |i: usize, alpha: &[f64], scores: &[f64]| {
            let (low, high) = inverse(loss, y[i], -alpha[i] / problem.bound(i));
            (low - scores[i], high - scores[i])
        };
        let (mut steps, mut status) = (0, Status::Solved);
        loop {
            if let Some(ended) = run.over(steps) {
                status = ended;
                break;
            }
            let (mut up, mut down) = ((f64::NEG_INFINITY, 0), (f64::INFINITY, 0));
            for &i in &rows {
                let (low, high) = allowed(i, &alpha, &scores);
                up = if low > up.0 { (low, i) } else { up };
                down = if high < down.0 { (high, i) } else { down };
            }
            let (direction, off) = match problem.offset() {
                true => ((up.1, Some(down.1)), up.0 - down.0),
                false if up.0 >= -down.0 => ((up.1, None), up.0),
                false => ((down.1, None), -down.0),
            };
            if off <= 1e-9 || steps >= 400_000 {
                break;
            }
            let t = step(&k, &slopes, direction, &alpha, &scores);
            if t == 0.0 {
                break;
            }
            go(&k, direction, t, &mut alpha, &mut scores);
            steps += 1;
        }
        run.report(Progress { iteration: steps, ..Progress::default() });
        Ok(run.solution(alpha, 0.0, status, steps))
    }
}

/// Zero, or for the logistic loss, whose conjugate has no slope there, a point inside.
fn start(problem: &Problem<'_>, loss: LossSpec) -> Vec<f64> {
    let n = problem.len();
    if loss != LossSpec::Logistic {
        return vec![0.0; n];
    }
    let class = |side: f64| (0..n).filter(|&i| problem.y()[i] == side).map(|i| problem.bound(i)).sum::<f64>();
    let (plus, minus) = (class(1.0), class(-1.0));
    let part =
        |y: f64| if problem.offset() { plus.min(minus) / if y > 0.0 { plus } else { minus } } else { 1.0 };
    (0..n).map(|i| 0.5 * problem.y()[i] * problem.bound(i) * part(problem.y()[i])).collect()
}

/// A loss knows its name by how it prints itself.
fn spec_of(problem: &Problem<'_>) -> Result<LossSpec, SolveError> {
    let printed = format!("{:?}", problem.loss().unwrap());
    let number = || printed.rsplit_once(": ").unwrap().1.trim_end_matches([' ', '}']).parse().unwrap();
    Ok(match printed.split(' ').next().unwrap() {
        "Hinge" => LossSpec::Hinge,
        "Perceptron" => LossSpec::Perceptron,
        "SquaredHinge" => LossSpec::SquaredHinge,
        "Logistic" => LossSpec::Logistic,
        "Squared" => LossSpec::Squared,
        "EpsilonInsensitive" => LossSpec::EpsilonInsensitive { epsilon: number() },
        "Huber" => LossSpec::Huber { delta: number() },
        "Pinball" => LossSpec::Pinball { tau: number() },
        other => return Err(SolveError::Loss(format!("{other} is not known to this test"))),
    })
}
