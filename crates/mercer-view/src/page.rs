//! A page of words, tables and pictures in one file: nothing is fetched when it is opened, and nothing in it runs.

use serde::Serialize;

use crate::svg::escape;
use crate::{Error, Figure, Theme, View};

/// One thing after another on a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A paragraph that is not to be overlooked.
    Warning(String),
    /// Words and what they mean here.
    Terms(Vec<(String, String)>),
    /// Rows of cells under a head.
    Table {
        /// The head.
        head: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
    /// Pictures side by side, as many as fit.
    Pictures(Vec<Figure>),
    /// Text in which every space counts.
    Code(String),
}

/// A part of a page under a heading.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// What it holds.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section.
    pub fn new(title: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { title: title.into(), blocks }
    }
}

/// A whole page. All text in it is shown as it is: nothing is taken for markup.
///
/// ```
/// use mercer_view::{Block, Page, Section, Theme};
///
/// let page = Page {
///     title: "Labels with <b>".into(),
///     lead: String::new(),
///     sections: vec![Section::new("Data", vec![Block::Text("3 rows".into())])],
///     theme: Theme::Light,
/// };
/// assert!(page.html()?.contains("Labels with &lt;b&gt;"));
/// # Ok::<(), mercer_view::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Page {
    /// The heading.
    pub title: String,
    /// What it is about, in a sentence.
    pub lead: String,
    /// Its parts.
    pub sections: Vec<Section>,
    /// The colours of paper and ink.
    pub theme: Theme,
}

impl Page {
    /// The page as HTML.
    pub fn html(&self) -> Result<String, Error> {
        let mut body = format!("<h1>{}</h1>\n", escape(&self.title));
        if !self.lead.is_empty() {
            body += &format!("<p class=\"lead\">{}</p>\n", escape(&self.lead));
        }
        for section in &self.sections {
            body += &format!("<section>\n<h2>{}</h2>\n", escape(&section.title));
            for block in &section.blocks {
                body += &html(block)?;
            }
            body += "</section>\n";
        }
        let colours = match self.theme {
            Theme::Light => {
                "--paper:#ffffff;--ink:#15181c;--quiet:#4b535c;--line:#d5d9de;--tint:#f4f6f8;--warn:#fdf1dc"
            }
            Theme::Dark => {
                "--paper:#14171c;--ink:#f0f2f4;--quiet:#b4bcc5;--line:#3a414a;--tint:#1d2128;--warn:#3a2e14"
            }
        };
        Ok(format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
             <link rel=\"icon\" href=\"data:,\">\n<style>:root{{{colours}}}{STYLE}</style>\n</head>\n<body>\n<main>\n\
             {body}</main>\n</body>\n</html>\n",
            escape(&self.title)
        ))
    }
}

/// Narrow screens get one column; what is too wide scrolls by itself, and never the page.
const STYLE: &str = "\
*{box-sizing:border-box}\
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,'DejaVu Sans',sans-serif;overflow-wrap:anywhere}\
main{max-width:1180px;margin:0 auto;padding:24px 16px 64px}\
h1{font-size:1.7rem;line-height:1.25;margin:0 0 8px}h2{font-size:1.2rem;margin:36px 0 10px}\
p{max-width:75ch;margin:8px 0}.lead{color:var(--quiet);font-size:1.05rem}\
.warning{background:var(--warn);border-left:4px solid #e69f00;padding:8px 12px;border-radius:4px}\
dl{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:6px 18px;margin:8px 0}\
dt{color:var(--quiet)}dd{margin:0;max-width:80ch}\
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.92rem}\
th,td{text-align:left;padding:4px 14px 4px 0;border-bottom:1px solid var(--line);white-space:nowrap;max-width:28rem;overflow:hidden;text-overflow:ellipsis}\
th{color:var(--quiet);font-weight:600}\
pre{background:var(--tint);padding:12px;border-radius:6px;overflow-x:auto;font:13px/1.5 ui-monospace,'DejaVu Sans Mono',monospace;overflow-wrap:normal}\
.pictures{display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start}\
figure{margin:0;border:1px solid var(--line);border-radius:6px;overflow:hidden;max-width:100%}\
svg{display:block;max-width:100%;height:auto}\
@media(max-width:560px){dl{grid-template-columns:1fr;gap:2px}dd{margin-bottom:8px}}";

fn html(block: &Block) -> Result<String, Error> {
    Ok(match block {
        Block::Text(text) => format!("<p>{}</p>\n", escape(text)),
        Block::Warning(text) => format!("<p class=\"warning\">{}</p>\n", escape(text)),
        Block::Terms(terms) => {
            let each = terms
                .iter()
                .map(|(word, said)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(word), escape(said)));
            format!("<dl>\n{}</dl>\n", each.collect::<String>())
        }
        Block::Table { head, rows } => {
            let cells = |tag: &str, cells: &[String]| -> String {
                cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect()
            };
            let rows: String = rows.iter().map(|row| format!("<tr>{}</tr>\n", cells("td", row))).collect();
            let head = cells("th", head);
            format!(
                "<div class=\"wide\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table></div>\n"
            )
        }
        Block::Pictures(figures) => {
            let drawn: Result<Vec<String>, Error> =
                figures.iter().map(|figure| Ok(format!("<figure>{}</figure>\n", figure.svg()?))).collect();
            format!("<div class=\"pictures\">\n{}</div>\n", drawn?.concat())
        }
        // Line breaks are what code is made of, so they are escaped around.
        Block::Code(text) => {
            let lines: Vec<String> = text.lines().map(escape).collect();
            format!("<pre>{}</pre>\n", lines.join("\n"))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_for_markup() {
        let evil = "</style><script>alert('1')</script>\"&";
        let blocks = vec![
            Block::Text(evil.into()),
            Block::Warning(evil.into()),
            Block::Terms(vec![(evil.into(), evil.into())]),
            Block::Table { head: vec![evil.into()], rows: vec![vec![evil.into()]] },
            Block::Code(format!("{evil}\n{evil}")),
        ];
        let page = Page {
            title: evil.into(),
            lead: evil.into(),
            sections: vec![Section::new(evil, blocks)],
            theme: Theme::Dark,
        };
        let html = page.html().unwrap();
        assert!(!html.contains("<script") && html.matches("</style>").count() == 1);
        assert!(!html.contains("http://") && !html.contains("https://"));
    }
}
