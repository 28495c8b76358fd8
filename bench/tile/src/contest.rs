//! The contestants: what is timed, and how much work one call of it is.

use std::hint::black_box;

use mercer_gram::{Gram, Lazy, Stored};
use mercer_linalg::Budget;

use crate::case::{Case, Draw};
use crate::gemm::{Exp, Form, Gemm};
use crate::peak;

/// Rows of the row block, as many as a solver asks for at a time.
const ROW_BLOCK: usize = 48;
/// How far two ways to the same product may lie apart, relative to its largest value.
const AGREE: f64 = 1e-4;

/// One thing that is timed.
pub(crate) struct Contestant<'a> {
    /// Its name in commands and in JSON.
    pub(crate) key: &'static str,
    pub(crate) threads: usize,
    /// Kernel entries that one call makes, counting n² also where the symmetry saves half.
    pub(crate) entries: f64,
    /// Multiplications and additions of one call: 2·d an entry.
    pub(crate) flop: f64,
    pub(crate) run: Box<dyn FnMut() + Send + 'a>,
}

/// Keys with what they stand for, in the order of the report.
pub(crate) const KEYS: [(&str, &str); 11] = [
    ("peak", "FMA peak"),
    ("linear", "tile without exp, mat-vec (`linear`, plain)"),
    ("plain", "fused RBF mat-vec, plain"),
    ("symmetric", "fused RBF mat-vec, symmetric (n² counted)"),
    ("store", "stored Gram, fresh memory (n² counted)"),
    ("prepare-store", "the same, with packing from the table"),
    ("rows", "row block, 48 random rows"),
    ("gemm", "GEMM block + mat-vec, no exp"),
    ("gemm-exp", "GEMM block + vectorised exp + mat-vec"),
    ("gemm-libm", "GEMM block + `f32::exp` + mat-vec"),
    ("gemm-blocked", "GEMM cut for the cache + vectorised exp + mat-vec"),
];

/// All contestants on one set of points; they run in a pool of `threads`.
pub(crate) fn contestants(case: &Case, threads: usize) -> Vec<Contestant<'_>> {
    KEYS.into_iter()
        .map(|(key, _)| {
            let entries = match key {
                "peak" => 0.0,
                "rows" => (ROW_BLOCK * case.n) as f64,
                _ => (case.n * case.n) as f64,
            };
            let flop =
                if key == "peak" { peak::flop() * threads as f64 } else { entries * 2.0 * case.d as f64 };
            Contestant { key, threads, entries, flop, run: work(case, key, threads) }
        })
        .collect()
}

fn work<'a>(case: &'a Case, key: &str, threads: usize) -> Box<dyn FnMut() + Send + 'a> {
    let mut out = vec![0.0; case.n];
    let gemm = |form, exp| -> Box<dyn FnMut() + Send + 'a> {
        let (gemm, mut out) = (Gemm::new(case, form, threads), vec![0.0; case.n]);
        Box::new(move || gemm.apply(exp, &mut out))
    };
    match key {
        "peak" => Box::new(|| drop(rayon::broadcast(|_| peak::run()))),
        "linear" => Box::new(move || case.linear.apply_plain(&case.vector, &mut out)),
        "plain" => Box::new(move || case.rbf.apply_plain(&case.vector, &mut out)),
        "symmetric" => Box::new(move || case.rbf.apply(&case.vector, &mut out)),
        "store" => Box::new(|| store(&case.rbf)),
        "prepare-store" => Box::new(|| store(&case.prepare())),
        "rows" => {
            let (mut draw, mut out) = (Draw(13), vec![0.0; ROW_BLOCK * case.n]);
            Box::new(move || {
                let rows: [usize; ROW_BLOCK] = std::array::from_fn(|_| draw.below(case.n));
                case.rbf.rows_single(&rows, &mut out);
            })
        }
        "gemm" => gemm(Form::Wide, Exp::None),
        "gemm-exp" => gemm(Form::Wide, Exp::Vector),
        "gemm-libm" => gemm(Form::Wide, Exp::Scalar),
        "gemm-blocked" => gemm(Form::Blocked, Exp::Vector),
        other => unreachable!("{other} is not in the list of keys"),
    }
}

/// Memory is asked for and given back within the call.
fn store(gram: &Lazy) {
    let stored = Stored::<f32>::new(gram, Budget::default()).expect("the matrix fits the memory");
    black_box(stored.entries());
}

/// An error if two contestants do not compute the same product.
pub(crate) fn check(case: &Case) -> Result<(), String> {
    let mut expected = vec![0.0; case.n];
    case.rbf.apply_plain(&case.vector, &mut expected);
    let largest = expected.iter().fold(0.0, |largest, v| f64::max(largest, v.abs()));
    let agrees = |name: &str, product: &dyn Fn(&mut [f64])| {
        let mut out = vec![0.0; case.n];
        product(&mut out);
        let apart = out.iter().zip(&expected).fold(0.0, |apart, (a, b)| f64::max(apart, (a - b).abs()));
        let wrong = || format!("{name} is {apart:e} off at d={}, where values go up to {largest:e}", case.d);
        (apart <= AGREE * largest).then_some(()).ok_or_else(wrong)
    };
    let gemm = |form| Gemm::new(case, form, rayon::current_num_threads());
    agrees("symmetric", &|out| case.rbf.apply(&case.vector, out))?;
    agrees("gemm-exp", &|out| gemm(Form::Wide).apply(Exp::Vector, out))?;
    agrees("gemm-libm", &|out| gemm(Form::Wide).apply(Exp::Scalar, out))?;
    agrees("gemm-blocked", &|out| gemm(Form::Blocked).apply(Exp::Vector, out))
}
