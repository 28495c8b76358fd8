//! One measurement at a time, for a driver that takes turns with other programs.
//!
//! A command is a line such as `store d=8 threads=1 reps=3`; the answer is a line with the seconds that
//! all repetitions took together, or `error: …`. The names are those of the contest.

use std::error::Error;
use std::io::{BufRead, Write};

use crate::case::Case;
use crate::contest::{Contestant, contestants};
use crate::rounds::Pools;

/// Answers commands until the input ends.
pub(crate) fn serve(
    cases: &[Case],
    pools: &Pools,
    input: impl BufRead,
    mut output: impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut known: Vec<(usize, Contestant<'_>)> = Vec::new();
    for case in cases {
        for threads in pools.counts() {
            known.extend(contestants(case, threads).into_iter().map(|contestant| (case.d, contestant)));
        }
    }
    for line in input.lines() {
        match answer(&line?, &mut known, pools) {
            Ok(seconds) => writeln!(output, "{seconds:.9}")?,
            Err(problem) => writeln!(output, "error: {problem}")?,
        }
        output.flush()?;
    }
    Ok(())
}

fn answer(line: &str, known: &mut [(usize, Contestant<'_>)], pools: &Pools) -> Result<f64, String> {
    let mut words = line.split_whitespace();
    let key = words.next().ok_or("an empty command")?;
    let (mut d, mut threads, mut reps) = (None, 1, 1);
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("'{word}' is not name=value"))?;
        let value: usize = value.parse().map_err(|_| format!("'{value}' is not a whole number"))?;
        match name {
            "d" => d = Some(value),
            "threads" => threads = value,
            "reps" => reps = value,
            _ => return Err(format!("'{name}' is not d, threads or reps")),
        }
    }
    let d = d.ok_or("which d?")?;
    let asked = |(at, c): &&mut (usize, Contestant<'_>)| *at == d && c.key == key && c.threads == threads;
    let (_, contestant) = known.iter_mut().find(asked).ok_or_else(|| format!("nobody is '{line}'"))?;
    Ok(pools.time(contestant, reps))
}
