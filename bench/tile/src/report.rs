//! The results as markdown and as JSON.

use std::fmt::Write;

use mercer_linalg::Isa;
use serde_json::{Value, json};

use crate::contest::KEYS;
use crate::rounds::{Outcome, Score, median};

/// One table for each number of threads, with the ratios at its foot.
pub(crate) fn markdown(outcomes: &[Outcome], rounds: usize) -> String {
    let mut text = format!(
        "G entries/s, share of the FMA peak at 2·d operations an entry, and half the range of {rounds} rounds \
         as ±. Instruction set: {:?}.\n",
        Isa::detect()
    );
    let mut threads: Vec<usize> = outcomes.iter().flat_map(|o| o.scores.iter().map(|s| s.threads)).collect();
    threads.sort_unstable();
    threads.dedup();
    for threads in threads {
        table(&mut text, outcomes, threads);
    }
    text
}

fn table(text: &mut String, outcomes: &[Outcome], threads: usize) {
    text.push('\n');
    let mut line = |first: &str, cell: &dyn Fn(&Outcome) -> String| {
        let cells: Vec<String> = outcomes.iter().map(cell).collect();
        writeln!(text, "| {first} | {} |", cells.join(" | ")).expect("strings take all text");
    };
    let plural = if threads == 1 { "" } else { "s" };
    line(&format!("{threads} thread{plural}"), &|o| format!("d = {}, n = {}", o.d, o.n));
    line("---", &|_| "---:".into());
    for (key, label) in KEYS {
        line(label, &|outcome| {
            outcome.score(key, threads).map_or("–".into(), |score| cell(outcome, score))
        });
    }
    let ratio = |of: &'static str, to: &'static str, scale: f64, unit: &'static str| {
        move |outcome: &Outcome| {
            format!("{:.*} {unit}", usize::from(scale == 1.0) * 2, scale * outcome.ratio(of, to, threads))
        }
    };
    line("**fused plain ÷ tile without exp**", &ratio("plain", "linear", 100.0, "%"));
    line("**fused plain ÷ GEMM + vectorised exp**", &ratio("plain", "gemm-exp", 1.0, "×"));
    line("**fused plain ÷ GEMM + `f32::exp`**", &ratio("plain", "gemm-libm", 1.0, "×"));
    line("**fused plain ÷ GEMM cut for the cache**", &ratio("plain", "gemm-blocked", 1.0, "×"));
    line("**fused symmetric ÷ GEMM cut for the cache**", &ratio("symmetric", "gemm-blocked", 1.0, "×"));
}

fn cell(outcome: &Outcome, score: &Score) -> String {
    let seconds = score.median();
    let spread = 50.0 * (score.longest() - score.shortest()) / seconds;
    if score.key == "peak" {
        return format!("{:.0} GFLOP/s ± {spread:.0} %", score.flop / seconds / 1e9);
    }
    let share = 100.0 * outcome.share(score);
    format!("{:.3} · {share:.0} % ± {spread:.0} %", score.entries / seconds / 1e9)
}

impl Outcome {
    fn score(&self, key: &str, threads: usize) -> Option<&Score> {
        self.scores.iter().find(|score| score.key == key && score.threads == threads)
    }

    /// How many times as fast one contestant is as another: the median over rounds, in which both had a turn.
    fn ratio(&self, of: &str, to: &str, threads: usize) -> f64 {
        let (Some(of), Some(to)) = (self.score(of, threads), self.score(to, threads)) else {
            return f64::NAN;
        };
        by_round(of, to, of.entries / to.entries)
    }

    /// The share of the peak, measured in the same rounds.
    fn share(&self, score: &Score) -> f64 {
        let Some(peak) = self.score("peak", score.threads) else { return f64::NAN };
        by_round(score, peak, score.flop / peak.flop)
    }
}

/// The median over rounds of how many times as fast the first is, given how many times as much work it does.
fn by_round(of: &Score, to: &Score, work: f64) -> f64 {
    median(of.seconds.iter().zip(&to.seconds).map(|(of, to)| work * to / of))
}

impl Score {
    fn median(&self) -> f64 {
        median(self.seconds.iter().copied())
    }

    fn shortest(&self) -> f64 {
        self.seconds.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn longest(&self) -> f64 {
        self.seconds.iter().copied().fold(0.0, f64::max)
    }
}

/// Everything that was measured, seconds a call round by round.
pub(crate) fn json(outcomes: &[Outcome], rounds: usize) -> Value {
    let score = |s: &Score| json!({ "key": s.key, "threads": s.threads, "entries": s.entries, "flop": s.flop, "seconds": s.seconds });
    let case =
        |o: &Outcome| json!({ "n": o.n, "d": o.d, "scores": o.scores.iter().map(score).collect::<Vec<_>>() });
    json!({
        "isa": format!("{:?}", Isa::detect()),
        "rounds": rounds,
        "cases": outcomes.iter().map(case).collect::<Vec<_>>(),
    })
}
