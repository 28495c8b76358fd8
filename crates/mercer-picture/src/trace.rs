//! How a machine was solved.

use mercer_model::Model;
use mercer_solve::Claim;
use mercer_view::{Trace, Visited};

use crate::PictureError;
use crate::words::{number, subtitle};

/// Primal and dual objective of one machine against its iterations; an error where its solver takes no steps, or tells
/// no objective.
///
/// ```
/// use mercer_model::{Learner, Setting, Spec, Training, fit};
/// let mut table = mercer_points::read("@moons(n=40)", &Default::default()).unwrap();
/// let label = table.remove("label").unwrap();
/// let spec = Spec::new("rbf".parse().unwrap(), Learner::Smo);
/// let model = fit(&spec, &Training::new(&table, &label), &Setting::default()).unwrap();
/// assert!(mercer_picture::trace(&model, 0).unwrap().points.len() > 1);
/// ```
pub fn trace(model: &Model, machine: usize) -> Result<Trace, PictureError> {
    let Some(found) = model.machines().get(machine) else {
        let count = model.machines().len();
        return Err(PictureError::Nothing(format!("there is no machine {}; there are {count}", machine + 1)));
    };
    let mut points: Vec<Visited> = found
        .trace
        .iter()
        .map(|step| Visited { iteration: step.iteration as f64, primal: step.primal, dual: step.dual })
        .filter(|point| point.primal.or(point.dual).is_some_and(f64::is_finite))
        .collect();
    let mut notes = Vec::new();
    if let Some(end) =
        found.certificate.as_ref().filter(|end| end.claim == Claim::Optimal && end.gap.is_finite())
    {
        notes.push(format!(
            "certified in the end: primal {}, dual {}, relative gap {:.1e}",
            number(end.primal),
            number(end.dual),
            end.relative_gap
        ));
        if !points.is_empty() {
            let iteration = found.iterations as f64;
            points.push(Visited { iteration, primal: Some(end.primal), dual: Some(end.dual) });
        }
    }
    if points.len() < 2 {
        return Err(PictureError::Nothing(format!(
            "{} tells no objective while it works: there is nothing to draw; fit with smo, newton or kernel-pegasos",
            model.spec().learner
        )));
    }
    if model.machines().len() > 1 {
        notes.push(format!("machine {} of {}", machine + 1, model.machines().len()));
    }
    Ok(Trace {
        title: "Primal and dual objective".to_owned(),
        subtitle: subtitle(model, &model.provenance().source),
        points,
        notes,
    })
}
