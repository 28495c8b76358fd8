//! `mercer plot`: one picture a word.
//!
//! Words become a view through `mercer::picture`; what it shows is printed as JSON, or drawn into a file.

mod fitted;
mod of_model;
mod searched;

use std::path::{Path, PathBuf};

use mercer::picture::{self, Rows};
use mercer::solve::loss::{LOSSES, LossSpec};
use mercer::view::{Figure, Look, Theme};
use serde_json::Value;

pub(crate) use of_model::data_of;

use crate::args::{Form, Lifted, Look as Words, Losses, Picture, Plot, Spectrum, Trace};
use crate::input::{kernel, load, map};
use crate::model_file;
use crate::output::{Answer, check_file, note, print};

pub(crate) fn run(options: &Plot) -> anyhow::Result<Answer> {
    match &options.what {
        Picture::Boundary(words) => of_model::boundary(words),
        Picture::Roc(words) => of_model::roc(words),
        Picture::Reliability(words) => of_model::reliability(words),
        Picture::Residuals(words) => of_model::residuals(words),
        Picture::Trace(words) => trace(words),
        Picture::Sweep(words) => fitted::sweep(words),
        Picture::Curve(words) => fitted::curve(words),
        Picture::Tuning(words) => searched::tuning(words),
        Picture::Path(words) => searched::path(words),
        Picture::Losses(words) => losses(words),
        Picture::Spectrum(words) => spectrum(words),
        Picture::Features(words) => features(words),
        Picture::Gram(words) => gram(words),
    }
}

/// Where a picture goes and how it looks, checked before anything is computed.
pub(crate) struct Canvas {
    out: Option<PathBuf>,
    json: bool,
    look: Look,
}

impl Canvas {
    /// What the words say; a picture without a name is called after what it shows.
    fn new(words: &Words, name: &str) -> anyhow::Result<Self> {
        let usual = (!words.json).then(|| PathBuf::from(format!("{name}.svg")));
        let canvas =
            Self { out: words.out.clone().or(usual), json: words.json, look: look(words.dark, words.width) };
        canvas.out.iter().try_for_each(|path| check(path))?;
        Ok(canvas)
    }

    fn of_form(form: &Form, path: &Path) -> anyhow::Result<Self> {
        check(path)?;
        Ok(Self { out: Some(path.to_owned()), json: false, look: look(form.dark, form.width) })
    }

    /// Prints what is shown, draws it, or both.
    fn finish(
        &self,
        shown: impl FnOnce() -> serde_json::Result<Value>,
        draw: impl FnOnce(Look) -> Figure,
    ) -> anyhow::Result<Answer> {
        if self.json {
            print(&format!("{:#}\n", shown()?))?;
        }
        if let Some(path) = &self.out {
            mercer::view::write(path, &draw(self.look))?;
            note(&format!("drawn: {}", path.display()));
        }
        Ok(Answer::Yes)
    }
}

fn check(path: &Path) -> anyhow::Result<()> {
    check_file(path, "a picture", ["svg", "png"])
}

pub(crate) fn look(dark: bool, width: u32) -> Look {
    Look::wide(f64::from(width)).themed(if dark { Theme::Dark } else { Theme::Light })
}

fn losses(words: &Losses) -> anyhow::Result<Answer> {
    let canvas = Canvas::new(&words.look, "losses")?;
    let named: Result<Vec<LossSpec>, _> = match words.loss.as_slice() {
        [] => LOSSES.iter().map(|info| info.name.parse()).collect(),
        names => names.iter().map(|name| name.parse()).collect(),
    };
    let view = picture::losses(&named?)?;
    canvas.finish(|| serde_json::to_value(&view), |look| view.figure(look))
}

fn trace(words: &Trace) -> anyhow::Result<Answer> {
    let canvas = Canvas::new(&words.look, "trace")?;
    let model = model_file::load(&words.model)?;
    let machine = usize::try_from(words.machine).unwrap_or(usize::MAX) - 1;
    let view = picture::trace(&model, machine)?;
    canvas.finish(|| serde_json::to_value(&view), |look| view.figure(look))
}

fn spectrum(words: &Spectrum) -> anyhow::Result<Answer> {
    let canvas = Canvas::new(&words.look, "spectrum")?;
    let kernel = kernel(&words.kernel)?;
    let data = load(&words.input, Some(&kernel))?;
    let rows = Rows { table: &data.table, target: data.target.as_ref(), name: &data.name };
    let view = picture::spectrum(&kernel, &rows)?;
    canvas.finish(|| serde_json::to_value(&view), |look| view.figure(look))
}

fn features(words: &Lifted) -> anyhow::Result<Answer> {
    let canvas = Canvas::new(&words.look, "features")?;
    let map = map(&words.map)?;
    let data = load(&words.input, None)?;
    let rows = Rows { table: &data.table, target: data.target.as_ref(), name: &data.name };
    let view = picture::geometry(&map, &rows)?;
    canvas.finish(|| serde_json::to_value(&view), |look| view.figure(look))
}

/// The picture of `mercer gram`, which has a name here.
fn gram(words: &crate::args::Gram) -> anyhow::Result<Answer> {
    let plot = words.plot.clone().or_else(|| Some(PathBuf::from("gram.svg")));
    super::gram::run(&crate::args::Gram { plot, ..words.clone() })
}
