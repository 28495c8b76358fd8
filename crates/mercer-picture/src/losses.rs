//! Losses as curves.

use mercer_solve::loss::{LossSpec, Target};
use mercer_view::{Curve, Losses};

use crate::PictureError;

/// Points of a curve.
const POINTS: usize = 601;

/// What a wrong score costs: losses of classes against the margin y·f, losses of numbers against the residual f − y.
///
/// ```
/// use mercer_solve::loss::LossSpec;
/// let view = mercer_picture::losses(&[LossSpec::Hinge, LossSpec::Squared]).unwrap();
/// assert_eq!((view.margins.len(), view.residuals.len()), (1, 1));
/// ```
pub fn losses(specs: &[LossSpec]) -> Result<Losses, PictureError> {
    let mut view = Losses { title: "What a wrong score costs".to_owned(), highest: 3.0, ..Losses::default() };
    for spec in specs {
        let loss = spec.build().map_err(mercer_model::ModelError::from)?;
        // With y = 1 the margin is the score; with y = 0 the residual is.
        let y = if loss.target() == Target::Labels { 1.0 } else { 0.0 };
        let place = |k: usize| -3.0 + 6.0 * k as f64 / (POINTS - 1) as f64;
        let points = (0..POINTS).map(place).map(|f| [f, loss.value(y, f)]).collect();
        let curve = Curve { name: spec.to_string(), points, tube: None };
        if loss.target() == Target::Labels { view.margins.push(curve) } else { view.residuals.push(curve) }
    }
    Ok(view)
}
