//! `mercer report`: one self-contained page about a model.

use std::path::Path;

use mercer::model::Model;
use mercer::picture::Rows;
use mercer::report::{Reported, page};
use mercer::view::Theme;

use super::plot::data_of;
use crate::args::Report;
use crate::input::Data;
use crate::output::{Answer, check_file, note, to_file};

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
    let rows = Rows { table: &data.table, target: data.target.as_ref(), name: &data.name };
    let reported = Reported { total: data.total, why, file, theme, ..Reported::new(model, rows) };
    let html = page(&reported).html()?;
    to_file(path, |writer| writer.write_all(html.as_bytes()))
}
