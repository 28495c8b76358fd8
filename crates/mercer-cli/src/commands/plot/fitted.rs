//! Pictures of machines that are fitted for them, one for each value of a parameter.

use anyhow::{Context, bail};
use mercer::kernel::KernelExpr;
use mercer::model::{Kind, Model, Setting, Spec, Training, fit};
use mercer::picture::{self, Rows, Slice};
use mercer::solve::Regularization;
use mercer::view::Sweep as View;

use super::Canvas;
use crate::args::{Fit, Strength, Sweep};
use crate::commands::tune::plain;
use crate::input::{Data, kernel, load};
use crate::output::Answer;
use crate::specify::specify_several;

/// Values of a sweep, at most: more panels cannot be told apart.
const MOST: usize = 12;

pub(super) fn sweep(words: &Sweep) -> anyhow::Result<Answer> {
    let canvas = Canvas::new(&words.look, "sweep")?;
    let (data, models) = fitted(words, "sigma=0.1,0.5,1,10")?;
    let rows = rows(&data);
    let mut panels = Vec::new();
    for (title, model) in &models {
        panels.push((title.clone(), picture::boundary(model, &rows, &Slice::Usual)?));
    }
    let name = models.first().and_then(|(title, _)| title.split_once(" = ")).map_or("", |(name, _)| name);
    let subtitle = panels.first().map(|(_, view)| view.subtitle.clone()).unwrap_or_default();
    let notes = panels.first().map(|(_, view)| view.notes.clone()).unwrap_or_default();
    let learner = models.first().map_or(String::new(), |(_, model)| model.spec().learner.to_string());
    let view = View {
        title: format!("{learner}: boundaries for values of {name}"),
        subtitle: format!("first panel: {subtitle}"),
        panels,
        notes,
    };
    canvas.finish(|| serde_json::to_value(&view), |look| view.figure(look))
}

pub(super) fn curve(words: &Sweep) -> anyhow::Result<Answer> {
    let canvas = Canvas::new(&words.look, "curve")?;
    let (data, models) = fitted(words, "lambda=0.01,0.1,1,10")?;
    let named: Vec<(String, &Model)> = models.iter().map(|(title, model)| (title.clone(), model)).collect();
    let mut view = picture::curves(&named, &rows(&data))?;
    if let Some((first, _)) = named.first().filter(|_| named.len() > 1) {
        let name = first.split_once(" = ").map_or("", |(name, _)| name);
        view.title = format!("Fitted curves for values of {name}");
        view.subtitle = format!("first: {}", view.subtitle);
    }
    canvas.finish(|| serde_json::to_value(&view), |look| view.figure(look))
}

fn rows(data: &Data) -> Rows<'_> {
    Rows { table: &data.table, target: data.target.as_ref(), name: &data.name }
}

/// The data, and a machine for each value of the sweep with what sets it apart.
fn fitted(words: &Sweep, usual: &str) -> anyhow::Result<(Data, Vec<(String, Model)>)> {
    let expr = kernel(&words.kernel)?;
    let data = load(&words.input, Some(&expr))?;
    let as_fit = Fit {
        loss: words.loss.clone(),
        solver: words.solver.clone(),
        strength: Strength { ..words.strength },
        scale: words.scale.clone(),
        ..plain(&words.input)
    };
    let (spec, _) = specify_several(&as_fit, expr, data.target.as_ref(), &data.name)?;
    let target = data.target.as_ref().filter(|_| spec.learner.info().kind != Kind::Nothing);
    let training = Training { target, source: &data.name, ..Training::unlabelled(&data.table) };
    let mut models = Vec::new();
    for (title, kernel, regularization) in values(&spec, words.sweep.as_deref().unwrap_or(usual))? {
        let spec = Spec { kernel, regularization, ..spec.clone() };
        models.push((title, fit(&spec, &training, &Setting::default())?));
    }
    Ok((data, models))
}

/// Title, kernel and strength for each value.
fn values(spec: &Spec, text: &str) -> anyhow::Result<Vec<(String, KernelExpr, Regularization)>> {
    let form = "write NAME=VALUE,VALUE,…, e.g. sigma=0.1,1,10 or lambda=0.01,1";
    let (name, values) = text.split_once('=').with_context(|| format!("--sweep: {form}"))?;
    let name = name.trim();
    let mut found = Vec::new();
    for value in values.split(',').map(str::trim) {
        let number = value.parse().ok().filter(|number: &f64| number.is_finite());
        let number = number.with_context(|| format!("--sweep: '{value}' is not a finite number; {form}"))?;
        let strength = match name {
            "lambda" => Some(Regularization::Lambda(number)),
            "C" => Some(Regularization::C(number)),
            "mu" => Some(Regularization::Mu(number)),
            _ => None,
        };
        let kernel = match strength {
            Some(_) => spec.kernel.clone(),
            None => spec.kernel.with_parameter(name, number).context("--sweep")?,
        };
        found.push((format!("{name} = {value}"), kernel, strength.unwrap_or(spec.regularization)));
    }
    if found.len() > MOST {
        bail!("--sweep: at most {MOST} values, not {}", found.len());
    }
    Ok(found)
}
