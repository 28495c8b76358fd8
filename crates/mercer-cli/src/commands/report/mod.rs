//! `mercer report`: one self-contained page about a model.
//!
//! The data, what was fitted and why, the certificate in words, pictures, the rows that count most, warnings, and how to
//! make it all again. Large data are sampled for the pictures, and the page says so.

mod again;
mod summary;

use std::path::Path;

use mercer::model::{Model, Task};
use mercer::picture::{self, Rows, Slice};
use mercer::points::{Column, Points};
use mercer::view::{Block, Figure, Look, Page, Section, Theme};

use super::plot::{Drawn, data_of};
use super::show;
use crate::args::Report;
use crate::input::Data;
use crate::output::{Answer, check_file, count, note, to_file};
use crate::words;

/// Rows that pictures are made of, at most.
const MOST: usize = 4000;
/// The width of a picture, so that two stand side by side on a desk and one fits a telephone.
const WIDTH: f64 = 440.0;

pub(crate) fn run(options: &Report) -> anyhow::Result<Answer> {
    check(&options.out)?;
    let (model, data) = data_of(&options.of)?;
    let theme = if options.dark { Theme::Dark } else { Theme::Light };
    write(&options.out, &model, &data, (Some(&options.of.model), theme), &[])?;
    note(&format!("written: {}", options.out.display()));
    Ok(Answer::Yes)
}

/// Refuses a page that cannot be written, before anything is computed for it.
pub(crate) fn check(path: &Path) -> anyhow::Result<()> {
    check_file(path, "a report", ["html", "htm"])
}

/// Writes the page; `why` is what is known of why this was fitted.
pub(crate) fn write(
    path: &Path,
    model: &Model,
    data: &Data,
    (file, theme): (Option<&Path>, Theme),
    why: &[(String, String)],
) -> anyhow::Result<()> {
    let page = page(model, data, (file, theme), why);
    let html = page.html()?;
    to_file(path, |writer| writer.write_all(html.as_bytes()))
}

fn page(model: &Model, data: &Data, (file, theme): (Option<&Path>, Theme), why: &[(String, String)]) -> Page {
    let source = &data.name;
    let what = match model.task() {
        Task::Classes => "tells classes apart",
        Task::Numbers => "predicts a number",
        Task::Novelty => "knows its training rows from others",
    };
    let sections = vec![
        Section::new("Warnings", warnings(model, data)),
        Section::new("Data", summary::blocks(data)),
        Section::new("What was fitted, and why", fitted(model, why)),
        Section::new("What is proved about it", certificate(model)),
        Section::new("Pictures", pictures(model, data, theme)),
        Section::new("The training rows that count most", summary::influential(model, data)),
        Section::new("How to make it again", again::blocks(model, data, file)),
    ];
    Page {
        title: format!("{} on {source}", model.spec().learner),
        lead: format!(
            "A machine that {what}, learned from {} by mercer {}.",
            count(model.provenance().rows, "row"),
            model.provenance().version
        ),
        sections: sections.into_iter().filter(|section| !section.blocks.is_empty()).collect(),
        theme,
    }
}

fn fitted(model: &Model, why: &[(String, String)]) -> Vec<Block> {
    let mut terms = vec![("asked".to_owned(), words::problem(model))];
    terms.extend(why.iter().cloned());
    terms.push(("problem".to_owned(), words::formula(model)));
    terms.extend(show::around(model).into_iter().map(|(word, said)| (word.to_owned(), said)));
    vec![Block::Terms(terms)]
}

fn certificate(model: &Model) -> Vec<Block> {
    let facts = show::facts(model).into_iter().map(|(word, said)| (word.to_owned(), said));
    // The problem is said already.
    let mut blocks =
        vec![Block::Terms(facts.filter(|(word, _)| word != "problem" && word != "asked").collect())];
    let machines = words::worst_first(model);
    if machines.len() > 1 {
        let text = show::table(model, &machines);
        let shown: Vec<&str> = text.lines().take(41).collect();
        blocks.push(Block::Code(shown.join("\n")));
        if text.lines().count() > 41 {
            blocks.push(Block::Text(format!("The worst 40 of {}.", count(machines.len(), "machine"))));
        }
    }
    blocks
}

/// What to look at before the model is trusted.
fn warnings(model: &Model, data: &Data) -> Vec<Block> {
    let mut found = Vec::new();
    found.extend(words::shortfall(model).map(|why| format!("Not certified: {why}.")));
    let rows = model.provenance().rows;
    let is_sparse = model.spec().loss.is_some_and(|loss| matches!(loss.info().name, "hinge" | "epsilon"));
    if is_sparse && rows > 20 && model.support() as f64 > 0.9 * rows as f64 {
        found.push(format!(
            "{} of {} are support vectors: the kernel may be too narrow, or the penalty too strong or too weak.",
            model.support(),
            count(rows, "row")
        ));
    }
    if !model.learned_from(&data.table, data.target.as_ref()) {
        found.push(format!(
            "The rows shown are not exactly those that the model was learned from ({}); what is said of training rows holds \
             for those.",
            model.provenance().source
        ));
    }
    found.extend(summary::oddities(data));
    found.into_iter().map(Block::Warning).collect()
}

fn pictures(model: &Model, data: &Data, theme: Theme) -> Vec<Block> {
    let look = Look::wide(WIDTH).themed(theme);
    let (total, mut notes) = (data.table.len(), Vec::new());
    let chosen: Vec<usize> =
        if total > MOST { (0..MOST).map(|k| k * total / MOST).collect() } else { Vec::new() };
    let sampled = (!chosen.is_empty()).then(|| {
        let target = data.target.as_ref();
        let target = target.map(|own| Column { name: own.name.clone(), data: own.data.select(&chosen) });
        (data.table.select(&chosen), target)
    });
    let rows = match &sampled {
        Some((table, target)) => {
            notes.push(Block::Text(format!(
                "The pictures show a sample: {MOST} of {total} rows, evenly spread."
            )));
            Rows { table, target: target.as_ref(), name: &data.name }
        }
        None => Rows { table: &data.table, target: data.target.as_ref(), name: &data.name },
    };
    let mut figures: Vec<Figure> = Vec::new();
    let mut missing: Vec<String> = Vec::new();
    let mut add = |name: &str, found: Result<Figure, picture::PictureError>| match found {
        Ok(figure) => figures.push(figure),
        Err(error) => missing.push(format!("No picture of the {name}: {error}.")),
    };
    add("answers", Drawn::of(model, &rows, &Slice::Usual).map(|drawn| drawn.figure(look)));
    match model.task() {
        Task::Classes if rows.target.is_some() => {
            add("ranking", picture::roc(model, &rows).map(|view| view.figure(look)));
        }
        Task::Numbers if rows.target.is_some() => {
            add("residuals", picture::residuals(model, &rows).map(|view| view.figure(look)));
        }
        _ => {}
    }
    if model.has_probabilities() && rows.target.is_some() {
        add("probabilities", picture::reliability(model, &rows).map(|view| view.figure(look)));
    }
    add("objective", picture::trace(model, 0).map(|view| view.figure(look)));
    add("spectrum", picture::spectrum(model.kernel(), &rows).map(|view| view.figure(look)));
    notes.push(Block::Pictures(figures));
    notes.extend(missing.into_iter().map(Block::Text));
    notes
}
