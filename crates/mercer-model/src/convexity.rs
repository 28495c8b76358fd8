//! Whether the certificate may be believed: it rests on a positive semi-definite kernel (`docs/maths.md` §1.4).

use mercer_gram::{Gram, Lazy, MatrixVerdict, Precision, Sub, check_matrix};
use mercer_kernel::{KernelExpr, Status};
use mercer_linalg::Budget;
use mercer_solve::Convexity;

/// Up to so many rows all are measured.
const ALL: usize = 2000;
/// Of more rows so many are.
const SAMPLE: usize = 1000;

/// What is known of the kernel, by its form or else by measuring it on training rows, unless `poll` says to stop.
pub(crate) fn convexity(
    kernel: &KernelExpr,
    gram: &Lazy,
    budget: Budget,
    poll: &(dyn Fn() -> bool + Sync),
) -> Convexity {
    if kernel.mercer().status == Status::Psd {
        return Convexity::Proved;
    }
    let n = gram.len();
    let rows: Vec<usize> =
        if n <= ALL { (0..n).collect() } else { (0..SAMPLE).map(|k| k * n / SAMPLE).collect() };
    let count = rows.len();
    if poll() || !budget.allows(16 * (count as u128).pow(2)) {
        return Convexity::Assumed;
    }
    let (part, mut entries) = (Sub::new(gram, rows), vec![0.0; count * count]);
    part.rows_double(&(0..count).collect::<Vec<usize>>(), &mut entries);
    // What a matrix or a function of the user holds may have been in single precision before.
    let precision = match kernel.mercer().status {
        Status::Unknown(_) => Precision::Single,
        _ => Precision::Double,
    };
    match check_matrix(count, &entries, precision, poll).map(|found| found.verdict) {
        Some(MatrixVerdict::Psd) if count == n => Convexity::Measured,
        Some(MatrixVerdict::Psd | MatrixVerdict::NotRefuted) => Convexity::Sampled { rows: count },
        Some(MatrixVerdict::Refuted { rows, value, .. }) => Convexity::Refuted {
            evidence: format!(
                "v^T K v = {value:.3e} for a vector on {} row{}",
                rows.len(),
                if rows.len() == 1 { "" } else { "s" }
            ),
        },
        Some(MatrixVerdict::NotSymmetric { row, column, .. }) => Convexity::Refuted {
            evidence: format!("k(x,z) and k(z,x) differ for the rows {} and {}", row + 1, column + 1),
        },
        Some(MatrixVerdict::NotFinite { .. }) | None => Convexity::Assumed,
    }
}
