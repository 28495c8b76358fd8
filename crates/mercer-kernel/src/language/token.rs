//! Text to tokens, by hand: no token is longer than the text, no character is looked at twice.
//!
//! Whitespace, newlines too, separates tokens and means nothing else. What is no token becomes one error
//! and one [`Token::Bad`], over which the parser passes without a second word.

use super::error::{ErrorList, ParseErrorKind, Span};
use super::report::shown;

/// What a token is. Names and numbers are read from the text by their span.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Name,
    Number(f64),
    /// A quoted text, its escapes undone.
    Text(String),
    Plus,
    Minus,
    Star,
    Caret,
    At,
    Colon,
    Comma,
    Equals,
    Dots,
    Open,
    Close,
    OpenColumns,
    CloseColumns,
    /// Reported already.
    Bad,
    End,
}

/// A token and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) span: Span,
}

/// Whether a name may begin with this character.
pub(super) fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Whether a name may go on with this character.
pub(super) fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether the whole text is one name.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(starts_name) && text.chars().all(continues_name)
}

/// All tokens of a text; the last is [`Token::End`].
pub(super) fn tokens(text: &str, errors: &mut ErrorList) -> Vec<Placed> {
    let mut lexer = Lexer { text, at: 0, errors };
    let mut tokens = Vec::new();
    loop {
        lexer.take_while(char::is_whitespace);
        let start = lexer.at;
        let token = lexer.token();
        let end = token == Token::End;
        tokens.push(Placed { token, span: Span { start, end: lexer.at } });
        if end {
            return tokens;
        }
    }
}

struct Lexer<'a, 'e> {
    text: &'a str,
    at: usize,
    errors: &'e mut ErrorList,
}

impl Lexer<'_, '_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn peek_second(&self) -> Option<char> {
        self.text[self.at..].chars().nth(1)
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take_while(&mut self, holds: impl Fn(char) -> bool) {
        let rest = &self.text[self.at..];
        self.at += rest.find(|c| !holds(c)).unwrap_or(rest.len());
    }

    fn token(&mut self) -> Token {
        let Some(c) = self.peek() else { return Token::End };
        if starts_name(c) {
            self.take_while(continues_name);
            return Token::Name;
        }
        let after_dot = self.peek_second().filter(|_| c == '.');
        if c.is_ascii_digit() || after_dot.is_some_and(|c| c.is_ascii_digit()) {
            return self.number();
        }
        if c == '"' {
            return self.quoted();
        }
        if after_dot == Some('.') {
            self.at += 2;
            return Token::Dots;
        }
        let Some(sign) = sign(c) else { return self.bad_characters() };
        self.at += 1;
        sign
    }

    /// One error for a whole run of characters that begin no token.
    fn bad_characters(&mut self) -> Token {
        let start = self.at;
        self.take_while(|c| {
            let begins =
                c.is_whitespace() || continues_name(c) || matches!(c, '"' | '.') || sign(c).is_some();
            !begins
        });
        if self.at == start {
            self.take();
        }
        // A text in single quotes is one mistake, not two.
        if &self.text[start..self.at] == "'" {
            let rest = &self.text[self.at..];
            let quote = rest.find(['\'', '\n']).filter(|&end| rest[end..].starts_with('\''));
            self.at += quote.map_or(0, |quote| quote + 1);
        }
        let span = Span { start, end: self.at };
        let found = &self.text[start..self.at];
        self.errors.add(span, || ParseErrorKind::Character { found: shown(found) });
        Token::Bad
    }

    /// `1`, `0.5`, `.5`, `1.`, `1e-3`; not `1..`, which begins a range.
    fn number(&mut self) -> Token {
        let start = self.at;
        self.take_while(|c| c.is_ascii_digit());
        if self.peek() == Some('.') && self.peek_second() != Some('.') {
            self.at += 1;
            self.take_while(|c| c.is_ascii_digit());
        }
        let mantissa = &self.text[start..self.at];
        if matches!(self.peek(), Some('e' | 'E')) {
            let sign = matches!(self.peek_second(), Some('+' | '-'));
            let digits = &self.text[self.at + 1 + usize::from(sign)..];
            if digits.starts_with(|c: char| c.is_ascii_digit()) {
                self.at += 1 + usize::from(sign);
                self.take_while(|c| c.is_ascii_digit());
            }
        }
        self.take_while(continues_name);
        let span = Span { start, end: self.at };
        let found = &self.text[start..self.at];
        let Ok(value) = found.parse::<f64>() else {
            self.errors.add(span, || ParseErrorKind::NotNumber { found: shown(found) });
            return Token::Bad;
        };
        let lost = value == 0.0 && mantissa.contains(|c: char| matches!(c, '1'..='9'));
        if value.is_finite() && !lost {
            return Token::Number(value);
        }
        self.errors.add(span, || ParseErrorKind::NumberSize { found: shown(found) });
        Token::Bad
    }

    /// A quoted text with the escapes `\"`, `\\` and `\u{…}`.
    fn quoted(&mut self) -> Token {
        let open = self.at;
        self.at += 1;
        let mut content = String::new();
        let mut good = true;
        loop {
            let start = self.at;
            match self.take() {
                Some('"') => return if good { Token::Text(content) } else { Token::Bad },
                Some('\\') => match self.escape() {
                    Some(c) => content.push(c),
                    None => {
                        good = false;
                        let span = Span { start, end: self.at };
                        let found = &self.text[start..self.at];
                        self.errors.add(span, || ParseErrorKind::Escape { found: shown(found) });
                    }
                },
                Some(c) => content.push(c),
                None => {
                    let span = Span { start: open, end: open + 1 };
                    self.errors.add(span, || ParseErrorKind::OpenText);
                    return Token::Bad;
                }
            }
        }
    }

    /// The character that an escape stands for; the backslash is taken already.
    fn escape(&mut self) -> Option<char> {
        match self.take()? {
            c @ ('"' | '\\') => Some(c),
            'u' if self.peek() == Some('{') => {
                let start = self.at + 1;
                self.at = start;
                self.take_while(|c| c.is_ascii_hexdigit());
                let digits = &self.text[start..self.at];
                if self.peek() != Some('}') {
                    return None;
                }
                self.at += 1;
                u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)
            }
            _ => None,
        }
    }
}

fn sign(c: char) -> Option<Token> {
    Some(match c {
        '+' => Token::Plus,
        '-' => Token::Minus,
        '*' => Token::Star,
        '^' => Token::Caret,
        '@' => Token::At,
        ':' => Token::Colon,
        ',' => Token::Comma,
        '=' => Token::Equals,
        '(' => Token::Open,
        ')' => Token::Close,
        '[' => Token::OpenColumns,
        ']' => Token::CloseColumns,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> (Vec<Token>, usize) {
        let mut errors = ErrorList::default();
        let tokens = tokens(text, &mut errors).into_iter().map(|placed| placed.token).collect();
        (tokens, errors.len())
    }

    #[test]
    fn numbers_are_read_in_every_spelling() {
        let spellings = [
            ("1", 1.0),
            ("0.5", 0.5),
            (".5", 0.5),
            ("1.", 1.0),
            ("1e-3", 1e-3),
            ("2E+2", 200.0),
            ("007", 7.0),
        ];
        for (text, value) in spellings {
            assert_eq!(list(text), (vec![Token::Number(value), Token::End], 0), "{text}");
        }
        let range = vec![Token::Number(1.0), Token::Dots, Token::Number(10.0), Token::End];
        assert_eq!(list("1..10"), (range, 0));
    }

    #[test]
    fn what_is_no_number_is_one_error() {
        for text in ["2rbf", "1e", "1e+", "0x10", "1e999", "1e-999", "1_000"] {
            let (tokens, errors) = list(text);
            assert_eq!((&tokens[0], errors), (&Token::Bad, 1), "{text}");
        }
    }

    #[test]
    fn quoted_texts_undo_their_escapes() {
        let text = r#""a \"b\" \\ \u{e9} ü""#;
        assert_eq!(list(text).0[0], Token::Text("a \"b\" \\ é ü".into()));
        for text in [r#""\n""#, r#""\u{d800}""#, r#""\u{110000}""#, r#""\u12""#, "\"", "\"abc", "\"\\"] {
            let (tokens, errors) = list(text);
            assert_eq!(tokens[0], Token::Bad, "{text}");
            assert!((1..=2).contains(&errors), "{text}: {errors}");
        }
    }

    #[test]
    fn a_run_of_strange_characters_is_one_error() {
        assert_eq!(list("§§§$ §"), (vec![Token::Bad, Token::Bad, Token::End], 2));
        assert_eq!(list("."), (vec![Token::Bad, Token::End], 1));
        assert_eq!(list("\0"), (vec![Token::Bad, Token::End], 1));
    }
}
