//! Work that cannot be interrupted, on a thread of its own.
//!
//! An eigendecomposition, or one iteration of an interior-point method, asks nobody whether to go on. It gets its data as
//! its own; who waits for it looks up every 10 ms. On a stop the thread is told, waited for a moment, then left behind:
//! it ends when its work does, and its result goes nowhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::{Progress, Run, SolveError, Status};

/// What the thread sees of those who wait.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    stopped: Arc<AtomicBool>,
    sender: Sender<Message<T>>,
}

#[derive(Debug)]
enum Message<T> {
    Progress(Progress),
    Done(T),
}

// By hand, since a result need not be cloned for the channel to be.
impl<T> Clone for Waiting<T> {
    fn clone(&self) -> Self {
        Self { stopped: Arc::clone(&self.stopped), sender: self.sender.clone() }
    }
}

impl<T> Waiting<T> {
    /// Whether nobody waits any more.
    pub(super) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Tells how far it is.
    pub(super) fn report(&self, progress: Progress) {
        // Nobody listens after a stop, which is no fault.
        let _nobody_listens = self.sender.send(Message::Progress(progress));
    }
}

/// How often the stop is looked at.
const PERIOD: Duration = Duration::from_millis(10);

/// How long a stopped thread is waited for.
const GRACE: Duration = Duration::from_millis(30);

/// Runs `work` on a thread: what it made, if it came to an end, and the status if it was stopped.
pub(super) fn aside<T: Send + 'static>(
    run: &mut Run<'_>,
    work: impl FnOnce(&Waiting<T>) -> T + Send + 'static,
) -> Result<(Option<T>, Option<Status>), SolveError> {
    let (sender, receiver) = channel();
    let waiting = Waiting { stopped: Arc::new(AtomicBool::new(false)), sender };
    let theirs = waiting.clone();
    let thread = std::thread::Builder::new().name("mercer-aside".to_owned()).spawn(move || {
        let result = work(&theirs);
        let _nobody_listens = theirs.sender.send(Message::Done(result));
    });
    let stopped = waiting.stopped;
    // Only the thread may hold a sender: its death must be seen.
    drop(waiting.sender);
    if let Err(error) = thread {
        return Err(SolveError::Numerical(format!("no thread could be started: {error}")));
    }
    loop {
        if let Some(status) = run.stop() {
            stopped.store(true, Ordering::Relaxed);
            return Ok((last(&receiver), Some(status)));
        }
        match receiver.recv_timeout(PERIOD) {
            Ok(Message::Progress(progress)) => run.report(progress),
            Ok(Message::Done(result)) => return Ok((Some(result), None)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(SolveError::Numerical("the numerical routine broke down".to_owned()));
            }
        }
    }
}

fn last<T>(receiver: &Receiver<Message<T>>) -> Option<T> {
    loop {
        match receiver.recv_timeout(GRACE) {
            Ok(Message::Done(result)) => return Some(result),
            Ok(Message::Progress(_)) => {}
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Tolerance, Watch};
    use std::time::Instant;

    #[test]
    fn results_and_reports_come_back() {
        let mut run = Run::quiet(Tolerance::default());
        let (result, status) = aside(&mut run, |waiting| {
            waiting.report(Progress { iteration: 3, ..Progress::default() });
            42
        })
        .unwrap();
        assert_eq!((result, status, run.trace()[0].iteration), (Some(42), None, 3));
    }

    #[test]
    fn what_does_not_end_is_left_behind() {
        #[derive(Debug)]
        struct Impatient;
        impl Watch for Impatient {
            fn stopped(&self) -> bool {
                true
            }
        }
        let mut run = Run::new(&Impatient, Limits::default(), Tolerance::default());
        let (barrier, hold) = channel::<()>();
        let since = Instant::now();
        let (result, status) = aside(&mut run, move |_| hold.recv().is_ok()).unwrap();
        assert_eq!((result, status), (None, Some(Status::Stopped)));
        assert!(since.elapsed() < Duration::from_millis(1000));
        drop(barrier);
    }

    #[test]
    fn a_panic_is_an_error() {
        let mut run = Run::quiet(Tolerance::default());
        // Ends the thread as a panic does, without the message.
        let result = aside(&mut run, |_| -> i32 { std::panic::resume_unwind(Box::new(())) });
        assert!(matches!(result, Err(SolveError::Numerical(_))));
    }
}
