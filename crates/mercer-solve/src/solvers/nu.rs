//! What the ν problems share: ν must leave room for the sums of the dual.

use crate::SolveError;

pub(super) fn unsuited(solver: &'static str, reason: &str) -> SolveError {
    SolveError::Unsuited { solver, reason: reason.to_owned() }
}

/// An error where ν is larger than the boxes of the dual allow.
pub(super) fn check_nu(nu: f64, most: f64, what: &str) -> Result<(), SolveError> {
    if nu <= most * (1.0 + 1e-12) {
        return Ok(());
    }
    let range = format!("at most {most}, {what}");
    Err(SolveError::Parameter { name: "nu".to_owned(), value: nu, range })
}
