//! One self-contained page about a model: the data, what was fitted and why, the certificate in words, pictures, the rows
//! that count most, warnings, and how to make it all again. Large data are sampled for the pictures, and the page says so.

use std::path::Path;

use mercer_model::{Model, Task};
use mercer_picture::{self as picture, Answered, Rows, SIDE, Slice};
use mercer_points::{Column, Points};
use mercer_view::{Block, Figure, Look, Page, Section, Theme};

use crate::text::count;
use crate::{again, facts, summary, words};

/// Rows that pictures are made of, at most.
const MOST: usize = 4000;
/// The width of a picture, so that two stand side by side on a desk and one fits a telephone.
const WIDTH: f64 = 440.0;

/// What a page is about.
#[derive(Debug, Clone, Copy)]
pub struct Reported<'a> {
    /// The model.
    pub model: &'a Model,
    /// Rows, mostly those that it was learned from.
    pub rows: Rows<'a>,
    /// Rows of the source, of which those may be a sample.
    pub total: usize,
    /// What is known of why this was fitted.
    pub why: &'a [(String, String)],
    /// The file that the model is in.
    pub file: Option<&'a Path>,
    /// The code that makes it again, where that is not a command on named data.
    pub code: Option<&'a str>,
    /// The colours.
    pub theme: Theme,
}

impl<'a> Reported<'a> {
    /// A light page of a model that is in no file, of which nothing more is known.
    pub fn new(model: &'a Model, rows: Rows<'a>) -> Self {
        Self { model, rows, total: rows.table.len(), why: &[], file: None, code: None, theme: Theme::Light }
    }
}

/// The page.
pub fn page(reported: &Reported<'_>) -> Page {
    let Reported { model, rows, why, theme, .. } = reported;
    let what = match model.task() {
        Task::Classes => "tells classes apart",
        Task::Numbers => "predicts a number",
        Task::Novelty => "knows its training rows from others",
    };
    let sections = vec![
        Section::new("Warnings", warnings(model, rows)),
        Section::new("Data", summary::blocks(reported)),
        Section::new("What was fitted, and why", fitted(model, why)),
        Section::new("What is proved about it", certificate(model)),
        Section::new("Pictures", pictures(model, rows, *theme)),
        Section::new("The training rows that count most", summary::influential(model, rows)),
        Section::new("How to make it again", again::blocks(reported)),
    ];
    Page {
        title: format!("{} on {}", model.spec().learner, rows.name),
        lead: format!(
            "A machine that {what}, learned from {} by mercer {}.",
            count(model.provenance().rows, "row"),
            model.provenance().version
        ),
        sections: sections.into_iter().filter(|section| !section.blocks.is_empty()).collect(),
        theme: *theme,
    }
}

fn fitted(model: &Model, why: &[(String, String)]) -> Vec<Block> {
    let mut terms = vec![("asked".to_owned(), words::problem(model))];
    terms.extend(why.iter().cloned());
    terms.push(("problem".to_owned(), words::formula(model)));
    terms.extend(facts::around(model).into_iter().map(|(word, said)| (word.to_owned(), said)));
    vec![Block::Terms(terms)]
}

fn certificate(model: &Model) -> Vec<Block> {
    let facts = facts::facts(model).into_iter().map(|(word, said)| (word.to_owned(), said));
    // The problem is said already.
    let mut blocks =
        vec![Block::Terms(facts.filter(|(word, _)| word != "problem" && word != "asked").collect())];
    let machines = words::worst_first(model);
    if machines.len() > 1 {
        let text = facts::table(model, &machines);
        let shown: Vec<&str> = text.lines().take(41).collect();
        blocks.push(Block::Code(shown.join("\n")));
        if text.lines().count() > 41 {
            blocks.push(Block::Text(format!("The worst 40 of {}.", count(machines.len(), "machine"))));
        }
    }
    blocks
}

/// What to look at before the model is trusted.
fn warnings(model: &Model, data: &Rows<'_>) -> Vec<Block> {
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
    if !model.learned_from(data.table, data.target) {
        found.push(format!(
            "The rows shown are not exactly those that the model was learned from ({}); what is said of training rows holds \
             for those.",
            model.provenance().source
        ));
    }
    found.extend(summary::oddities(data));
    found.into_iter().map(Block::Warning).collect()
}

fn pictures(model: &Model, data: &Rows<'_>, theme: Theme) -> Vec<Block> {
    let look = Look::wide(WIDTH).themed(theme);
    let (total, mut notes) = (data.table.len(), Vec::new());
    let chosen: Vec<usize> =
        if total > MOST { (0..MOST).map(|k| k * total / MOST).collect() } else { Vec::new() };
    let sampled = (!chosen.is_empty()).then(|| {
        let target = data.target.map(|own| Column { name: own.name.clone(), data: own.data.select(&chosen) });
        (data.table.select(&chosen), target)
    });
    let rows = match &sampled {
        Some((table, target)) => {
            notes.push(Block::Text(format!(
                "The pictures show a sample: {MOST} of {total} rows, evenly spread."
            )));
            Rows { table, target: target.as_ref(), name: data.name }
        }
        None => *data,
    };
    let mut figures: Vec<Figure> = Vec::new();
    let mut missing: Vec<String> = Vec::new();
    let mut add = |name: &str, found: Result<Figure, picture::PictureError>| match found {
        Ok(figure) => figures.push(figure),
        Err(error) => missing.push(format!("No picture of the {name}: {error}.")),
    };
    add("answers", Answered::of(model, &rows, &Slice::Usual, SIDE).map(|view| view.figure(look)));
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
