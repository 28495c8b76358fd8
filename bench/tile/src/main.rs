//! How fast the fused tile is, as a share of what the machine can do and against a GEMM followed by exp.
//!
//! All contestants of one dimension take turns, round after round, so that a slow minute of the machine
//! hits all of them; figures are medians over the rounds. `serve` answers one measurement at a time on
//! standard input, for a driver that alternates with programs in other languages.
//!
//! ```text
//! bench-tile [--quick] [--json FILE] [POINTS.npy …]     a markdown table on standard output
//! bench-tile serve [POINTS.npy …]                       lines such as `store d=8 threads=1 reps=3`
//! bench-tile peak THREADS                               operations a second in `f32`, on registers
//! ```
//!
//! Without files the points are drawn here: independent standard normal coordinates from a fixed seed.

mod case;
mod contest;
mod gemm;
mod peak;
mod report;
mod rounds;
mod serve;

use std::error::Error;
use std::io::Write;
use std::iter::Peekable;

use case::Case;
use rayon::ThreadPoolBuilder;
use rounds::Pools;

/// The thread counts that are measured.
const THREADS: [usize; 2] = [1, 2];

#[derive(Default)]
struct Options {
    serve: bool,
    quick: bool,
    json: Option<String>,
    files: Vec<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|first| first == "peak").is_some() {
        let threads = arguments.next().ok_or("peak needs a number of threads")?.parse()?;
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        writeln!(std::io::stdout().lock(), "{:e}", pool.install(|| peak::measured(threads)))?;
        return Ok(());
    }
    let options = options(arguments)?;
    let cases = if options.files.is_empty() {
        Case::drawn(options.quick)?
    } else {
        options.files.iter().map(|file| Case::read(file)).collect::<Result<_, _>>()?
    };
    let pools = Pools::new(&THREADS)?;
    if options.serve {
        return serve::serve(&cases, &pools, std::io::stdin().lock(), std::io::stdout().lock());
    }
    let rounds = if options.quick { 3 } else { 9 };
    let results =
        cases.iter().map(|case| rounds::play(case, &pools, rounds)).collect::<Result<Vec<_>, _>>()?;
    if let Some(file) = &options.json {
        std::fs::write(file, format!("{:#}\n", report::json(&results, rounds)))?;
    }
    write!(std::io::stdout().lock(), "{}", report::markdown(&results, rounds))?;
    Ok(())
}

fn options(mut arguments: Peekable<impl Iterator<Item = String>>) -> Result<Options, String> {
    let serve = arguments.next_if(|first| first == "serve").is_some();
    let mut options = Options { serve, ..Options::default() };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => options.quick = true,
            "--json" => options.json = Some(arguments.next().ok_or("--json needs a file")?),
            flag if flag.starts_with('-') => return Err(format!("there is no option {flag}")),
            file => options.files.push(file.to_owned()),
        }
    }
    Ok(options)
}
