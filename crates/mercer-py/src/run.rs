//! Work that Python waits for: on threads of its own, without the interpreter's lock, ended early by Ctrl-C.
//!
//! The calling thread looks at signals and progress a few times in a tenth of a second while the work runs on a pool.
//! Pools are kept by process, since the threads of a forked parent do not exist in its child.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use mercer::linalg::Budget;
use mercer::solve::{Progress, Watch};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::ThreadPool;

use crate::errors::exception;

/// How often signals and progress are looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// What is between the thread that waits and the solver.
#[derive(Default)]
pub(crate) struct Watcher {
    stop: AtomicBool,
    latest: Mutex<Option<Progress>>,
}

impl Watch for Watcher {
    fn report(&self, progress: &Progress) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(*progress);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// What came of some work, and whether Ctrl-C ended it.
pub(crate) struct Ended<R> {
    pub(crate) result: R,
    pub(crate) interrupted: bool,
}

/// Does some work that Ctrl-C may end: the first one stops it and is told, a second one is raised.
///
/// `progress` is called with a dict now and then; where it answers with something true, the work stops too.
pub(crate) fn watched<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watcher) -> R + Send,
) -> PyResult<Ended<R>> {
    let (pool, watcher) = (pool(threads)?, Watcher::default());
    let (sender, mut receiver) = channel();
    let shared = &watcher;
    let mut interrupted = false;
    let mut raised = None;
    let result = pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            // The receiver is there until something has come.
            let _told = sender.send(work(shared));
        });
        loop {
            let waiting = &mut receiver;
            match py.detach(move || waiting.recv_timeout(GLANCE)) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(error) = py.check_signals() {
                let first = error.is_instance_of::<PyKeyboardInterrupt>(py) && !interrupted;
                (interrupted, raised) = (true, if first { raised.take() } else { Some(error) });
                watcher.stop.store(true, Ordering::Relaxed);
            }
            let told = watcher.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let (Some(callback), Some(told)) = (progress, told) {
                match tell(callback, &told) {
                    Ok(false) => {}
                    Ok(true) => watcher.stop.store(true, Ordering::Relaxed),
                    Err(error) => {
                        raised = Some(error);
                        watcher.stop.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
    });
    match (raised, result) {
        (Some(error), _) => Err(error),
        (None, Some(result)) => Ok(Ended { result, interrupted }),
        (None, None) => Err(exception("MercerError", &"the engine failed; please report how")),
    }
}

/// Does some work without the interpreter's lock; Ctrl-C is raised once it is done.
pub(crate) fn detached<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let pool = pool(threads)?;
    let result = py.detach(|| pool.install(work));
    py.check_signals()?;
    Ok(result)
}

/// The memory for whole matrices: as given in bytes, or the usual share of what is free.
pub(crate) fn budget(bytes: Option<u64>) -> Budget {
    bytes.map_or_else(Budget::default, Budget::of_bytes)
}

fn tell(callback: &Bound<'_, PyAny>, told: &Progress) -> PyResult<bool> {
    let event = PyDict::new(callback.py());
    event.set_item("iteration", told.iteration)?;
    event.set_item("limit", told.limit)?;
    event.set_item("primal", told.primal)?;
    event.set_item("dual", told.dual)?;
    event.set_item("violation", told.violation)?;
    event.set_item("support", told.support)?;
    event.set_item("seconds", told.seconds)?;
    event.set_item("eta", told.eta)?;
    callback.call1((event,))?.is_truthy()
}

/// The threads of one process for one number of them.
struct Kept {
    process: u32,
    threads: usize,
    pool: Arc<ThreadPool>,
}

fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    static POOLS: Mutex<Vec<Kept>> = Mutex::new(Vec::new());
    let threads = threads.unwrap_or_else(usual).max(1);
    let process = std::process::id();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kept) = pools.iter().find(|kept| kept.process == process && kept.threads == threads) {
        return Ok(kept.pool.clone());
    }
    // A pool of the parent of a fork has no threads here, and waiting for them would take for ever.
    for kept in pools.extract_if(.., |kept| kept.process != process) {
        std::mem::forget(kept.pool);
    }
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("mercer-{i}")).build();
    let pool = Arc::new(pool.map_err(|error| exception("MercerError", &format!("no threads: {error}")))?);
    pools.push(Kept { process, threads, pool: pool.clone() });
    Ok(pool)
}

/// As many threads as OMP_NUM_THREADS says, which joblib sets for its workers, or as there are cores.
fn usual() -> usize {
    // Asking the system takes a good part of a small fit.
    static CORES: OnceLock<usize> = OnceLock::new();
    let told = std::env::var("OMP_NUM_THREADS").ok().and_then(|text| text.trim().parse().ok());
    let cores = || *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    told.filter(|threads| *threads > 0).unwrap_or_else(cores)
}
