//! Whether the certificate may be believed: it rests on a positive semi-definite kernel (`docs/maths.md` §1.4).

use mercer_gram::{CheckOptions, Verdict, check};
use mercer_kernel::{KernelExpr, Registry, Status};
use mercer_linalg::Budget;
use mercer_points::{Points, Table};
use mercer_solve::Convexity;

/// Up to so many rows all are measured.
const ALL: usize = 2000;
/// Of more rows so many are.
const SAMPLE: usize = 1000;

/// What is known of the kernel, by its form or else by measuring it on training rows.
pub(crate) fn convexity(
    kernel: &KernelExpr,
    table: &Table,
    registry: &Registry,
    budget: Budget,
) -> Convexity {
    if kernel.mercer().status == Status::Psd {
        return Convexity::Proved;
    }
    let rows = if table.len() <= ALL { ALL } else { SAMPLE };
    match check(kernel, table, registry, CheckOptions { rows, seed: 0, budget }) {
        Err(_) => Convexity::Assumed,
        Ok(found) => match found.verdict {
            Verdict::Holds if found.measured == found.rows => Convexity::Measured,
            Verdict::Holds => Convexity::Sampled { rows: found.measured },
            Verdict::Refuted(witness) => Convexity::Refuted {
                evidence: format!(
                    "v^T K v = {:.3e} for a vector on {} row{}",
                    witness.value,
                    witness.rows.len(),
                    if witness.rows.len() == 1 { "" } else { "s" }
                ),
            },
            Verdict::NotSymmetric(i, j) => {
                Convexity::Refuted { evidence: format!("k(x,z) and k(z,x) differ for the rows {i} and {j}") }
            }
        },
    }
}
