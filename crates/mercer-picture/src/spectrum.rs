//! The eigenvalues of a kernel on some rows.

use mercer_gram::{Lazy, Method};
use mercer_kernel::KernelExpr;
use mercer_points::Points;
use mercer_view::Spectrum;

use crate::PictureError;
use crate::rows::{Rows, thinned};
use crate::words::{count, number};

/// Rows whose eigenvalues are all computed in a moment.
const MOST: usize = 600;

/// The spectrum of a kernel on rows, of which at most 600 are taken.
///
/// ```
/// let mut table = mercer_points::read("@moons(n=50)", &Default::default()).unwrap();
/// table.remove("label").unwrap();
/// let rows = mercer_picture::Rows { table: &table, target: None, name: "@moons" };
/// let view = mercer_picture::spectrum(&"linear".parse().unwrap(), &rows).unwrap();
/// assert_eq!(view.values.len(), 50);
/// ```
pub fn spectrum(kernel: &KernelExpr, rows: &Rows<'_>) -> Result<Spectrum, PictureError> {
    let (chosen, note) = thinned(rows.table.len(), MOST);
    let gram = Lazy::new(kernel, &rows.table.select(&chosen))?;
    let found = mercer_gram::spectrum(&gram)?;
    let mut notes: Vec<String> = note.into_iter().collect();
    let condition = found.condition();
    let said = if condition.is_finite() { number(condition) } else { "infinite".to_owned() };
    notes.push(format!("rank {} of {}, condition {said}", found.rank, count(found.rows, "row")));
    if found.method != Method::Full {
        notes.push("the extreme eigenvalues only".to_owned());
    }
    if found.smallest() < -found.rounding {
        notes.push("not positive semi-definite on these rows".to_owned());
    }
    Ok(Spectrum {
        title: "Eigenvalues of the Gram matrix".to_owned(),
        subtitle: format!("{} on {}", gram.plan().expr(), rows.name),
        error: found.rounding,
        values: found.values,
        notes,
    })
}
