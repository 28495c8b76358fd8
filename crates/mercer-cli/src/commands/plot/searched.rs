//! Pictures of searches and paths: the answer of the other command is printed, and what it found is drawn.

use mercer::picture;

use super::Canvas;
use crate::args::{Followed, Tuned};
use crate::commands;
use crate::output::Answer;

pub(super) fn tuning(words: &Tuned) -> anyhow::Result<Answer> {
    let canvas = Canvas::of_form(&words.form, &words.plot)?;
    let mut view = None;
    let answer =
        commands::tune::run_and(&words.tune, |found, name| view = Some(picture::tuning(found, name)))?;
    if let Some(view) = view {
        canvas.finish(|| serde_json::to_value(&view), |look| view.figure(look))?;
    }
    Ok(answer)
}

pub(super) fn path(words: &Followed) -> anyhow::Result<Answer> {
    let canvas = Canvas::of_form(&words.form, &words.plot)?;
    let mut view = None;
    let answer = commands::path::run_and(&words.path, |found, name| {
        view = Some(picture::path(found, &words.path.kernel, name));
    })?;
    if let Some(view) = view {
        canvas.finish(|| serde_json::to_value(&view), |look| view.figure(look))?;
    }
    Ok(answer)
}
