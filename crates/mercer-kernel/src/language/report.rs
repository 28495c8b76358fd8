//! Errors as a person reads them: message, place, hint.
//!
//! ```text
//! unknown kernel 'rfb'
//!   0.5*rfb + linear
//!       ^^^
//!   hint: did you mean 'rbf'?
//! ```
//!
//! The line is escaped, so that no text can play with a terminal, and cut to a window when it is long.

use std::fmt;

use super::error::{ParseError, ParseErrors, Span};

/// How many characters of a line are shown.
const WINDOW: usize = 70;
/// How many characters of a name are shown.
const SHOWN: usize = 40;

impl fmt::Display for ParseErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.errors.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            let (line, carets) = excerpt(&self.text, error.span);
            write!(f, "{error}")?;
            if !line.trim().is_empty() {
                write!(f, "\n  {line}\n  {carets}")?;
            }
            if let Some(hint) = error.hint() {
                write!(f, "\n  hint: {hint}")?;
            }
        }
        if self.more > 0 {
            write!(f, "\nand {} more", self.more)?;
        }
        Ok(())
    }
}

impl ParseErrors {
    /// The first error in one line: `kernel expression, column 7: unknown kernel 'rfb'; did you mean 'rbf'?`
    pub fn one_line(&self) -> String {
        let Some(error) = self.errors.first() else { return self.subject.to_owned() };
        let mut line = format!("{}, {}: {error}", self.subject, self.place(error));
        if let Some(hint) = error.hint() {
            line += &format!("; {hint}");
        }
        match self.errors.len() - 1 + self.more {
            0 => line,
            more => format!("{line} (and {more} more)"),
        }
    }

    /// Line and column, counted from 1 in characters; the line only when there are several.
    fn place(&self, error: &ParseError) -> String {
        let before = &self.text[..error.span.start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before[line_start..].chars().count() + 1;
        if self.text.contains('\n') {
            format!("line {}, column {column}", before.matches('\n').count() + 1)
        } else {
            format!("column {column}")
        }
    }
}

/// A piece of the user's text, fit to stand in a message.
pub(super) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).flat_map(visible).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}

/// A character, escaped when it would not be seen or would change how others are seen.
fn visible(c: char) -> impl Iterator<Item = char> {
    let plain = matches!(c, '\'' | '"' | '\\');
    let escaped = if plain { None } else { Some(c.escape_debug()) };
    escaped.into_iter().flatten().chain(plain.then_some(c))
}

/// The line in which a span begins, and carets under the part of the span that it shows.
fn excerpt(text: &str, span: Span) -> (String, String) {
    let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[span.start..].find('\n').map_or(text.len(), |newline| span.start + newline);
    let before: Vec<char> = text[start..span.start].chars().flat_map(visible).collect();
    let inside: Vec<char> = text[span.start..span.end.min(end)].chars().flat_map(visible).collect();
    let after: Vec<char> = text[span.end.min(end)..end].chars().flat_map(visible).collect();

    let caret_count = inside.len().max(1);
    let whole: Vec<char> = [&before[..], &inside[..], &after[..]].concat();
    if whole.len() <= WINDOW {
        let carets = " ".repeat(before.len()) + &"^".repeat(caret_count);
        return (whole.into_iter().collect(), carets);
    }
    // A third of the window before the span, or more when the text ends sooner than the window.
    let first = before.len().saturating_sub(WINDOW / 3).min(whole.len() - WINDOW);
    let last = first + WINDOW;
    let mut line: String = whole[first..last].iter().collect();
    let mut carets =
        " ".repeat(before.len() - first) + &"^".repeat(caret_count.min(last - before.len()).max(1));
    if first > 0 {
        line.insert(0, '…');
        carets.insert(0, ' ');
    }
    if last < whole.len() {
        line.push('…');
    }
    (line, carets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, start: usize, end: usize) -> (String, String) {
        excerpt(text, Span { start, end })
    }

    #[test]
    fn carets_stand_under_the_span() {
        assert_eq!(at("ab cd", 3, 5), ("ab cd".into(), "   ^^".into()));
        assert_eq!(at("ab", 2, 2), ("ab".into(), "  ^".into()));
        assert_eq!(at("größe!", 7, 8), ("größe!".into(), "     ^".into()), "characters count, not bytes");
        assert_eq!(at("a\tb", 2, 3), (r"a\tb".into(), "   ^".into()), "an escape is as wide as it prints");
        assert_eq!(at("one\ntwo\nsix", 4, 11), ("two".into(), "^^^".into()), "one line only");
        assert_eq!(at("\u{1b}[31m\u{202e}", 0, 1).0, r"\u{1b}[31m\u{202e}");
    }

    #[test]
    fn long_lines_are_cut_around_the_span() {
        let text = format!("{}HERE{}", "a".repeat(1000), "b".repeat(1000));
        let (line, carets) = at(&text, 1000, 1004);
        assert_eq!(line.chars().count(), WINDOW + 2);
        assert_eq!(line.find("HERE").map(|byte| byte - '…'.len_utf8() + 1), carets.find("^^^^"));
        let (line, carets) = at(&text, 2004, 2004);
        assert!(line.starts_with('…') && line.ends_with('b'));
        assert_eq!(carets.len(), WINDOW + 2, "a caret past the end");
        let (line, carets) = at(&text, 0, 2004);
        assert!(line.ends_with('…') && carets == "^".repeat(WINDOW));
    }

    #[test]
    fn names_in_messages_are_short_and_harmless() {
        assert_eq!(shown("a\nb\0"), r"a\nb\0");
        assert_eq!(shown(r#"a"'\"#), r#"a"'\"#);
        assert_eq!(shown(&"x".repeat(100)).chars().count(), SHOWN + 1);
    }
}
