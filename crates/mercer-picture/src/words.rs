//! Phrases that titles and notes share.

use mercer_model::{Model, Task};

/// A number in four digits.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let size = value.abs();
    if !(1e-3..1e6).contains(&size) {
        return format!("{value:.2e}");
    }
    let digits = (3 - size.log10().floor() as i32).clamp(0, 7) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The kernel and the learner of a model, and the name of the data.
pub(crate) fn subtitle(model: &Model, name: &str) -> String {
    let (spelled, value) = model.spec().regularization.spelled();
    let spec = model.spec();
    let penalty =
        if spec.loss.is_some() { format!(", {spelled} = {}", number(value)) } else { String::new() };
    format!("{}, {}{penalty}, on {name}", model.kernel(), spec.learner)
}

/// So many of a thing.
pub(crate) fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// What a model does, as the beginning of a title.
pub(crate) fn aim(model: &Model) -> &'static str {
    match model.task() {
        Task::Classes if model.classes().len() == 2 => "Decision boundary and margins",
        Task::Classes => "Regions of the classes",
        Task::Numbers => "Predicted numbers",
        Task::Novelty => "Where the training rows are",
    }
}
