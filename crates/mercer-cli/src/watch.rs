//! Somebody at the terminal: progress on stderr, and Ctrl-C, which ends a fit with what there is.
//!
//! The first SIGINT, SIGTERM or SIGHUP asks the solver to stop; the model so far is then certified, saved and reported
//! like any other. A second one ends the process at once, with exit code 130.

use std::fmt::Write;
use std::io::IsTerminal;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use mercer::model::tune::Sofar;
use mercer::solve::{Progress, Watch};
use serde_json::{Value, json};

use crate::output::note;

/// Events in JSON are at least so far apart.
const PAUSE: Duration = Duration::from_millis(50);

static STOPPED: AtomicBool = AtomicBool::new(false);
static LISTENING: Once = Once::new();

/// From now on signals ask for an end; without this they end the process as usual.
pub(crate) fn listen() {
    LISTENING.call_once(|| {
        let asked = || {
            if STOPPED.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        };
        // Where no handler can be had, Ctrl-C does what it does without one.
        let _without = ctrlc::set_handler(asked);
    });
}

/// Whether a signal has asked for an end.
pub(crate) fn stopped() -> bool {
    STOPPED.load(Ordering::SeqCst)
}

/// How progress is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// A bar where stderr is a terminal, nothing elsewhere.
    Auto,
    /// One line of JSON an event.
    Json,
    /// Not at all.
    Nothing,
}

impl FromStr for Telling {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        match text {
            "auto" => Ok(Self::Auto),
            "json" => Ok(Self::Json),
            "none" => Ok(Self::Nothing),
            _ => anyhow::bail!("--progress: give auto, json or none, not '{text}'"),
        }
    }
}

/// Who watches a solver for the user.
pub(crate) struct Onlooker {
    bar: Option<ProgressBar>,
    json: bool,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    /// When an event was last written.
    at: Option<Instant>,
    /// The latest event, while it is not written.
    waiting: Option<Progress>,
}

impl Onlooker {
    pub(crate) fn new(telling: Telling) -> Self {
        let seen = telling == Telling::Auto && std::io::stderr().is_terminal();
        let bar = seen.then(|| ProgressBar::no_length().with_style(style(None)));
        Self { bar, json: telling == Telling::Json, told: Mutex::default() }
    }

    /// Whether somebody is shown a bar.
    pub(crate) fn is_seen(&self) -> bool {
        self.bar.is_some()
    }

    /// Takes the bar away and writes what is still waiting.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if let Some(last) = self.told().waiting.take() {
            note(&event(&last).to_string());
        }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self, bar: &ProgressBar, progress: &Progress) {
        if bar.length() != progress.limit {
            bar.set_style(style(progress.limit));
            match progress.limit {
                Some(limit) => bar.set_length(limit),
                None => bar.unset_length(),
            }
        }
        bar.set_position(progress.iteration);
        bar.set_message(line(progress, stopped()));
    }
}

impl Watch for Onlooker {
    fn report(&self, progress: &Progress) {
        if let Some(bar) = &self.bar {
            self.draw(bar, progress);
        }
        if !self.json {
            return;
        }
        let mut told = self.told();
        if told.at.is_some_and(|at| at.elapsed() < PAUSE) {
            told.waiting = Some(*progress);
            return;
        }
        *told = Told { at: Some(Instant::now()), waiting: None };
        note(&event(progress).to_string());
    }

    fn stopped(&self) -> bool {
        stopped()
    }
}

/// Fits of a search, counted on stderr until it is dropped.
pub(crate) struct Counter {
    bar: Option<ProgressBar>,
}

impl Counter {
    pub(crate) fn new(telling: Telling) -> Self {
        let seen = telling == Telling::Auto && std::io::stderr().is_terminal();
        let form = "{bar:24} {pos} of {len} fits  {eta} left";
        let style = || ProgressStyle::with_template(form).expect("the template is a constant");
        Self { bar: seen.then(|| ProgressBar::new(0).with_style(style())) }
    }

    pub(crate) fn tell(&self, sofar: Sofar) {
        if let Some(bar) = &self.bar {
            bar.set_length(sofar.all as u64);
            bar.set_position(sofar.done as u64);
        }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A bar where the end is known, else something that turns.
fn style(limit: Option<u64>) -> ProgressStyle {
    let form = if limit.is_some() { "{bar:24} {msg}" } else { "{spinner} {msg}" };
    ProgressStyle::with_template(form).expect("the template is a constant")
}

/// The relative gap, where both objectives are known.
fn relative_gap(progress: &Progress) -> Option<f64> {
    let (primal, dual) = (progress.primal?, progress.dual?);
    let size = primal.abs().max(dual.abs());
    (size > 0.0 && size.is_finite()).then(|| (primal - dual) / size)
}

fn line(progress: &Progress, stopping: bool) -> String {
    let mut text = format!("iteration {}", progress.iteration);
    if let Some(gap) = relative_gap(progress) {
        let _infallible = write!(text, "  gap {gap:.1e}");
    }
    if let Some(violation) = progress.violation {
        let _infallible = write!(text, "  violation {violation:.1e}");
    }
    let _infallible = write!(text, "  support {}", progress.support);
    match progress.eta {
        _ if stopping => text.push_str("  stopping (once more ends at once)"),
        Some(eta) => {
            let _infallible = write!(text, "  {eta:.0} s left");
        }
        None => {
            let _infallible = write!(text, "  {:.0} s", progress.seconds);
        }
    }
    text
}

fn event(progress: &Progress) -> Value {
    json!({
        "iteration": progress.iteration,
        "limit": progress.limit,
        "primal": progress.primal,
        "dual": progress.dual,
        "relative_gap": relative_gap(progress),
        "violation": progress.violation,
        "support": progress.support,
        "seconds": progress.seconds,
        "eta": progress.eta,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_known() {
        let mut progress = Progress { iteration: 7, support: 3, seconds: 2.2, ..Progress::default() };
        assert_eq!(line(&progress, false), "iteration 7  support 3  2 s");
        progress.primal = Some(2.0);
        assert_eq!(relative_gap(&progress), None);
        (progress.dual, progress.violation, progress.eta) = (Some(1.5), Some(0.25), Some(9.0));
        let known = "iteration 7  gap 2.5e-1  violation 2.5e-1  support 3";
        assert_eq!(line(&progress, false), format!("{known}  9 s left"));
        assert_eq!(line(&progress, true), format!("{known}  stopping (once more ends at once)"));
    }

    #[test]
    fn events_that_come_too_fast_wait_and_the_last_is_never_lost() {
        let onlooker = Onlooker::new(Telling::Json);
        for iteration in 0..100 {
            onlooker.report(&Progress { iteration, ..Progress::default() });
        }
        let waiting = onlooker.told().waiting;
        assert!(waiting.is_some_and(|progress| progress.iteration == 99));
        onlooker.finish();
        assert_eq!(onlooker.told().waiting, None);
    }
}
