//! One Rust crate, one problem, one process: fit, predict, and store the solution.
//!
//! ```text
//! bench-peers NAME FOLDER OUT SETTINGS
//! ```
//!
//! NAME is `libsvm-rs`, `linfa-svm` or `smartcore`; FOLDER holds `x.npy`, `y.npy`, `x_test.npy` and `y_test.npy`;
//! SETTINGS is JSON with gamma, C, epsilon and tolerance. What comes out is what `svm/worker.py` gives: a line of
//! JSON on standard output and the solution in OUT, or the reason on standard error.

mod arrays;
mod libsvm;
mod linfa;
mod measure;
mod smartcore;

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use serde::Deserialize;
use serde_json::json;

use arrays::Problem;
use measure::Measured;

/// Whatever went wrong, for standard error.
type Failure = Box<dyn Error>;

/// What is asked of a machine.
#[derive(Deserialize)]
struct Settings {
    gamma: f64,
    #[serde(rename = "C")]
    c: f64,
    /// Half the width of the tube; none for classes.
    epsilon: Option<f64>,
    tolerance: f64,
}

fn main() -> ExitCode {
    // The driver shows the last line.
    std::panic::set_hook(Box::new(|panic| {
        say(&mut std::io::stderr(), &panic.to_string().replace('\n', " "))
    }));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(line) => {
            say(&mut std::io::stdout(), &line);
            ExitCode::SUCCESS
        }
        Err(failure) => {
            say(&mut std::io::stderr(), &failure.to_string());
            ExitCode::FAILURE
        }
    }
}

/// A line to whoever still listens.
fn say(to: &mut dyn Write, line: &str) {
    let _ = writeln!(to, "{line}");
}

fn run(arguments: &[String]) -> Result<String, Failure> {
    let [name, folder, out, settings] = arguments else {
        return Err("usage: bench-peers NAME FOLDER OUT SETTINGS".into());
    };
    let settings: Settings = serde_json::from_str(settings)?;
    let problem = Problem::read(Path::new(folder))?;
    let found = match name.as_str() {
        "libsvm-rs" => libsvm::run(&problem, &settings),
        "linfa-svm" => linfa::run(&problem, &settings),
        "smartcore" => smartcore::run(&problem, &settings),
        other => Err(format!("there is no peer {other}").into()),
    }?;
    if let Ok(solution) = &found.solution {
        arrays::write(Path::new(out), solution)?;
    }
    Ok(report(&found, &problem, settings.epsilon.is_some()))
}

/// The line of JSON.
fn report(found: &Measured, problem: &Problem, regression: bool) -> String {
    let rows = problem.y_test.len();
    let pairs = found.answers.iter().zip(&problem.y_test);
    let score = if regression {
        (pairs.map(|(answer, y)| (answer - y).powi(2)).sum::<f64>() / rows as f64).sqrt()
    } else {
        pairs.filter(|(answer, y)| answer == y).count() as f64 / rows as f64
    };
    json!({
        "fit": found.fit,
        "predict": found.predict,
        "rows": rows,
        "peak_mb": found.peak_mb,
        "support": found.solution.as_ref().ok().map(|solution| solution.support.len()),
        "score": score,
        "unjudged": found.solution.as_ref().err(),
    })
    .to_string()
}
