//! Pictures of a model, with rows.

use anyhow::{Context, bail};
use mercer::model::Model;
use mercer::picture::{self, Answered, Rows, Slice};

use super::Canvas;
use crate::args::{Boundary, Input, Judged, OfModel};
use crate::input::{Data, load_for};
use crate::model_file;
use crate::output::Answer;

/// The model and the rows that were named; without a name, the rows that it was learned from.
pub(crate) fn data_of(words: &OfModel) -> anyhow::Result<(Model, Data)> {
    let model = model_file::load(&words.model)?;
    let learned = model.provenance().source.clone();
    let source = match &words.source {
        Some(source) => source.clone(),
        None if learned.starts_with('@') || std::path::Path::new(&learned).is_file() => learned,
        None => bail!(
            "{}: name the data to draw it with; it was learned from '{learned}', which is not here",
            words.model.display()
        ),
    };
    let input = Input {
        source,
        target: words.target.clone(),
        format: None,
        header: None,
        delimiter: None,
        kind: Vec::new(),
        missing: words.missing.clone(),
        sample: words.sample,
        seed: 0,
    };
    let data = load_for(&model, &input)?;
    Ok((model, data))
}

fn rows(data: &Data) -> Rows<'_> {
    Rows { table: &data.table, target: data.target.as_ref(), name: &data.name }
}

pub(super) fn boundary(words: &Boundary) -> anyhow::Result<Answer> {
    let canvas = Canvas::new(&words.look, "boundary")?;
    let columns = words.columns.as_deref().map(pair).transpose()?;
    let slice = match (words.slice.as_deref(), columns) {
        (None, None) => Slice::Usual,
        (None | Some("medians"), columns) => Slice::Medians(columns),
        (Some("components"), None) => Slice::Components,
        (Some("components"), Some(_)) => bail!("--columns is for a slice at medians (--slice medians)"),
        (Some(other), _) => bail!("--slice: give components or medians, not '{other}'"),
    };
    let (model, data) = data_of(&words.of)?;
    let answered = Answered::of(&model, &rows(&data), &slice, words.grid as usize)?;
    let json = || match &answered {
        Answered::Plane(view) => serde_json::to_value(view),
        Answered::Line(view) => serde_json::to_value(view),
    };
    canvas.finish(json, |look| answered.figure(look))
}

fn pair(text: &str) -> anyhow::Result<[String; 2]> {
    let (x, y) = text.split_once(',').context("--columns: write X,Y")?;
    Ok([x.trim().to_owned(), y.trim().to_owned()])
}

pub(super) fn roc(words: &Judged) -> anyhow::Result<Answer> {
    let canvas = Canvas::new(&words.look, "roc")?;
    let (model, data) = data_of(&words.of)?;
    let view = picture::roc(&model, &rows(&data))?;
    canvas.finish(|| serde_json::to_value(&view), |look| view.figure(look))
}

pub(super) fn reliability(words: &Judged) -> anyhow::Result<Answer> {
    let canvas = Canvas::new(&words.look, "reliability")?;
    let (model, data) = data_of(&words.of)?;
    let view = picture::reliability(&model, &rows(&data))?;
    canvas.finish(|| serde_json::to_value(&view), |look| view.figure(look))
}

pub(super) fn residuals(words: &Judged) -> anyhow::Result<Answer> {
    let canvas = Canvas::new(&words.look, "residuals")?;
    let (model, data) = data_of(&words.of)?;
    let view = picture::residuals(&model, &rows(&data))?;
    canvas.finish(|| serde_json::to_value(&view), |look| view.figure(look))
}
