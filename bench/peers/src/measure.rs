//! Clocks and memory around a fit and its predictions, as `svm/worker.py` reads them.

use std::time::Instant;

use cpu_time::ProcessTime;
use serde::Serialize;

use crate::Failure;
use crate::arrays::Solution;

/// What a peer did.
pub(crate) struct Measured {
    pub(crate) fit: Seconds,
    pub(crate) predict: Seconds,
    /// How much the peak of the process grew during the fit, where the system tells.
    pub(crate) peak_mb: Option<f64>,
    /// Classes or numbers of the test rows.
    pub(crate) answers: Vec<f64>,
    /// The coefficients, or why they cannot be had.
    pub(crate) solution: Result<Solution, String>,
}

/// Seconds by the clock and by the processors.
#[derive(Serialize)]
pub(crate) struct Seconds {
    wall: f64,
    cpu: f64,
}

/// Fit once, predict up to three times of which the fastest counts, then ask for the solution.
pub(crate) fn measure<M>(
    fit: impl FnOnce() -> Result<M, Failure>,
    predict: impl Fn(&M) -> Result<Vec<f64>, Failure>,
    solution: impl FnOnce(&M) -> Result<Solution, String>,
) -> Result<Measured, Failure> {
    let before = peak_mb();
    let (model, fitting) = timed(fit)?;
    let peak_mb = peak_mb().zip(before).map(|(after, before)| after - before);
    let (answers, mut fastest) = timed(|| predict(&model))?;
    let mut spent = fastest.wall;
    for _ in 1..3 {
        if spent >= 2.0 {
            break;
        }
        let (_, again) = timed(|| predict(&model))?;
        spent += again.wall;
        if again.wall < fastest.wall {
            fastest = again;
        }
    }
    let solution = solution(&model);
    Ok(Measured { fit: fitting, predict: fastest, peak_mb, answers, solution })
}

fn timed<R>(work: impl FnOnce() -> Result<R, Failure>) -> Result<(R, Seconds), Failure> {
    let (wall, cpu) = (Instant::now(), ProcessTime::try_now()?);
    let result = work()?;
    let seconds = Seconds { wall: wall.elapsed().as_secs_f64(), cpu: cpu.try_elapsed()?.as_secs_f64() };
    Ok((result, seconds))
}

/// The most memory that this process has held, on Linux. `getrusage` would count what the driver held before it
/// started this program.
fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? / 1024.0)
}
