//! Taking turns.

use std::error::Error;
use std::time::Instant;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::case::Case;
use crate::contest::{self, Contestant};

/// A turn repeats its call until this many seconds have passed.
const TURN: f64 = 0.05;

/// One pool of threads for each count.
pub(crate) struct Pools(Vec<ThreadPool>);

impl Pools {
    pub(crate) fn new(counts: &[usize]) -> Result<Self, Box<dyn Error>> {
        let pool = |&threads| ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(Self(counts.iter().map(pool).collect::<Result<_, _>>()?))
    }

    pub(crate) fn counts(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(ThreadPool::current_num_threads)
    }

    /// Seconds that so many calls take on as many threads as the contestant is for.
    pub(crate) fn time(&self, contestant: &mut Contestant<'_>, calls: usize) -> f64 {
        let pool = self.0.iter().find(|pool| pool.current_num_threads() == contestant.threads);
        pool.expect("contestants are made for the pools").install(|| {
            let start = Instant::now();
            (0..calls).for_each(|_| (contestant.run)());
            start.elapsed().as_secs_f64()
        })
    }
}

/// What came of one set of points.
pub(crate) struct Outcome {
    pub(crate) n: usize,
    pub(crate) d: usize,
    pub(crate) scores: Vec<Score>,
}

/// What came of one contestant.
pub(crate) struct Score {
    pub(crate) key: &'static str,
    pub(crate) threads: usize,
    pub(crate) entries: f64,
    pub(crate) flop: f64,
    /// Seconds a call, one for each round.
    pub(crate) seconds: Vec<f64>,
}

/// All contestants on all pools, one turn each a round.
pub(crate) fn play(case: &Case, pools: &Pools, rounds: usize) -> Result<Outcome, Box<dyn Error>> {
    pools.0[0].install(|| contest::check(case))?;
    let mut contestants: Vec<Contestant<'_>> =
        pools.counts().flat_map(|threads| contest::contestants(case, threads)).collect();
    let calls: Vec<usize> = contestants.iter_mut().map(|contestant| calls(pools, contestant)).collect();
    let mut seconds = vec![Vec::new(); contestants.len()];
    for round in 0..rounds {
        // Another one begins each round, so that nobody always follows the same neighbour's heat.
        for turn in 0..contestants.len() {
            let at = (turn + round * 7) % contestants.len();
            let at = if round % 2 == 0 { at } else { contestants.len() - 1 - at };
            seconds[at].push(pools.time(&mut contestants[at], calls[at]) / calls[at] as f64);
        }
    }
    let score = |(contestant, seconds): (Contestant<'_>, Vec<f64>)| {
        let Contestant { key, threads, entries, flop, .. } = contestant;
        Score { key, threads, entries, flop, seconds }
    };
    let scores = contestants.into_iter().zip(seconds).map(score).collect();
    Ok(Outcome { n: case.n, d: case.d, scores })
}

/// How many calls fill a turn.
fn calls(pools: &Pools, contestant: &mut Contestant<'_>) -> usize {
    let mut calls = 1;
    // The first call packs points and touches memory.
    pools.time(contestant, 1);
    loop {
        let seconds = pools.time(contestant, calls);
        if seconds >= TURN {
            return calls;
        }
        calls = (calls * 2).max((calls as f64 * 1.1 * TURN / seconds.max(1e-6)) as usize);
    }
}

/// The median of some numbers.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    match (values.len(), values.len() / 2) {
        (0, _) => f64::NAN,
        (len, half) if len % 2 == 1 => values[half],
        (_, half) => 0.5 * (values[half - 1] + values[half]),
    }
}
