//! Elements of SVG, written one after another.

use std::fmt::{Display, Write};

use super::text::Font;

/// The fonts asked for, best first.
const FONTS: &str = "'Mercer Sans', 'DejaVu Sans', Verdana, sans-serif";

/// The body of an SVG document in the making.
#[derive(Default)]
pub(super) struct Canvas {
    body: String,
}

/// Which point of a text its x is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text is set.
#[derive(Clone, Copy)]
pub(super) struct Ink {
    pub(super) font: Font,
    pub(super) colour: &'static str,
    pub(super) anchor: Anchor,
}

impl Ink {
    pub(super) fn new(font: Font, colour: &'static str) -> Self {
        Self { font, colour, anchor: Anchor::Start }
    }

    pub(super) fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}

/// A box on the canvas.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Canvas {
    /// Appends one element as it is.
    pub(super) fn element(&mut self, element: impl Display) {
        writeln!(self.body, "{element}").expect("a string takes all that is written to it");
    }

    /// Appends all of another canvas.
    pub(super) fn append(&mut self, other: Self) {
        self.body += &other.body;
    }

    /// A line of text with its baseline at `y`.
    pub(super) fn text(&mut self, x: f64, y: f64, ink: Ink, text: &str) {
        let anchor = match ink.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if ink.font.bold { " font-weight=\"bold\"" } else { "" };
        let (size, colour, text) = (ink.font.size, ink.colour, escape(text));
        let (x, y) = (number(x), number(y));
        self.element(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{weight}{anchor} fill=\"{colour}\">{text}</text>"
        ));
    }

    /// Lines of text under each other from `top`, with the full text as a tooltip; returns where they end.
    pub(super) fn lines(&mut self, x: f64, top: f64, ink: Ink, lines: &[String], full: &str) -> f64 {
        let told = lines.iter().any(|line| line.ends_with('…'));
        if told {
            self.element(format_args!("<g><title>{}</title>", escape(full)));
        }
        let height = ink.font.line();
        for (place, line) in lines.iter().enumerate() {
            self.text(x, top + height * place as f64 + (0.76 * height).round(), ink, line);
        }
        if told {
            self.element("</g>");
        }
        top + height * lines.len() as f64
    }

    /// A line of text from bottom to top with its middle at `y`, with the full text as a tooltip if it was shortened.
    pub(super) fn turned(&mut self, x: f64, y: f64, ink: Ink, text: &str, full: &str) {
        let (x, y) = (number(x), number(y));
        let told =
            if text.ends_with('…') { format!("<title>{}</title>", escape(full)) } else { String::new() };
        self.element(format_args!("<g transform=\"translate({x} {y}) rotate(-90)\">{told}"));
        self.text(0.0, 0.0, ink, text);
        self.element("</g>");
    }

    /// A box: `paint` is its fill and stroke attributes.
    pub(super) fn rect(&mut self, area: Area, paint: &str) {
        let Area { x, y, width, height } = area;
        let [x, y, width, height] = [x, y, width, height].map(number);
        self.element(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {paint}/>"
        ));
    }

    /// One path of many straight lines from point to point.
    pub(super) fn segments(&mut self, segments: &[[f64; 4]], stroke: &str, width: f64) {
        if segments.is_empty() {
            return;
        }
        let path: String = segments
            .iter()
            .map(|ends| ends.map(number))
            .map(|[x, y, to_x, to_y]| format!("M{x} {y}L{to_x} {to_y}"))
            .collect();
        self.element(format_args!("<path d=\"{path}\" fill=\"none\" {stroke} stroke-width=\"{width}\"/>"));
    }

    /// The whole document.
    pub(super) fn document(self, width: f64, height: f64, title: &str, description: &str) -> String {
        let (width, height) = (number(width), number(height));
        let (title, description) = (escape(title), escape(description));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FONTS}\">\n<title>{title}</title>\n\
             <desc>{description}</desc>\n{}</svg>\n",
            self.body
        )
    }
}

/// A coordinate in hundredths, without needless zeros.
pub(super) fn number(value: f64) -> String {
    let hundredths = (value * 100.0).round() / 100.0;
    // Adding 0 turns -0 into 0.
    format!("{}", hundredths + 0.0)
}

/// Text that is safe between and inside tags: markup escaped, line breaks and tabs as spaces, and what XML
/// forbids or what reorders its neighbours as the replacement character.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                escaped.push('\u{fffd}');
            }
            _ if letter.is_control() => escaped.push('\u{fffd}'),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_text_cannot_leave_its_place() {
        assert_eq!(escape("<script>&\"'"), "&lt;script&gt;&amp;&quot;&#39;");
        assert_eq!(
            escape("a\nb\tc\0d\u{1b}\u{85}\u{202e}\u{ffff}"),
            "a b c\u{fffd}d\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
        );
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!([1.0, 2.5, 1.0 / 3.0, -0.001].map(number), ["1", "2.5", "0.33", "0"]);
    }
}
