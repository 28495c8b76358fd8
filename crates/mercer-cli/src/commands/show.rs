//! `mercer show`: what a model is, and what each number of its certificate bounds.

use mercer::model::Model;
use mercer::report::facts::{around, facts, table};

use crate::args::Show;
use crate::output::{Answer, paragraphs, print, visible};
use crate::{model_file, words};

pub(crate) fn run(options: &Show) -> anyhow::Result<Answer> {
    let model = model_file::load(&options.model)?;
    if options.json {
        print(&format!("{:#}\n", words::as_json(&model)))?;
    } else {
        print(&in_words(&model))?;
    }
    Ok(Answer::Yes)
}

/// The whole text.
pub(crate) fn in_words(model: &Model) -> String {
    let machines = words::worst_first(model);
    let mut text = render(facts(model));
    if machines.len() > 1 && !model.is_softmax() {
        text.push('\n');
        text.push_str(&table(model, &machines));
        text.push('\n');
    }
    text.push_str(&render(around(model)));
    text
}

fn render(lines: Vec<(&'static str, String)>) -> String {
    let lines: Vec<(&str, String)> = lines.into_iter().map(|(key, said)| (key, visible(&said))).collect();
    // One width for all parts of the text.
    let padded: Vec<(String, String)> =
        lines.iter().map(|(key, said)| (format!("{key:12}"), said.clone())).collect();
    let rows: Vec<(&str, String)> = padded.iter().map(|(key, said)| (key.as_str(), said.clone())).collect();
    paragraphs(&rows)
}
