//! The way into the language, and the cursor that all of the parser moves.
//!
//! Every limit is checked before the step that would go past it: no text can make the parser, the printer or
//! the drop of an expression run out of stack.

use std::fmt::{self, Write};
use std::str::FromStr;

use super::error::{ErrorList, ParseErrorKind, ParseErrors, Span, cut};
use super::names::user_name_fault;
use super::report::shown;
use super::token::{Placed, Token, tokens};
use crate::expr::{KernelExpr, MapExpr};

/// How many bytes an expression may have, as written and as printed.
pub const MAX_BYTES: usize = 65_536;
/// How deep an expression may be nested: parentheses, and the tree that they make.
pub const MAX_DEPTH: usize = 128;
/// How many named kernels an expression may have.
pub const MAX_LEAVES: usize = 4_096;
/// How many columns one list may have.
pub const MAX_COLUMNS: usize = 10_000;
/// How many columns all lists of an expression may have together.
pub(super) const MAX_COLUMNS_IN_ALL: usize = 65_536;

/// Parses a kernel expression.
///
/// ```
/// use mercer_kernel::parse;
/// let kernel = parse("rbf(sigma=2) + linear^2").unwrap();
/// assert_eq!(kernel.to_string(), "rbf(sigma=2) + linear^2");
///
/// let errors = parse("rfb + linear").unwrap_err();
/// assert_eq!(errors.one_line(), "kernel expression, column 1: unknown kernel 'rfb'; did you mean 'rbf'?");
/// ```
pub fn parse(text: &str) -> Result<KernelExpr, ParseErrors> {
    parse_with(text, &[])
}

/// Parses a kernel expression in which these names of the user's stand for kernels too.
pub fn parse_with(text: &str, user_names: &[String]) -> Result<KernelExpr, ParseErrors> {
    let kernel = |parser: &mut Parser<'_>| Some(parser.whole("an operator or the end", Parser::sum)?.kernel);
    run("kernel expression", text, user_names, kernel)
}

/// Parses a feature map.
pub fn parse_map(text: &str) -> Result<MapExpr, ParseErrors> {
    parse_map_with(text, &[])
}

/// Parses a feature map, in the kernels of which these names of the user's may stand.
pub fn parse_map_with(text: &str, user_names: &[String]) -> Result<MapExpr, ParseErrors> {
    let map = |parser: &mut Parser<'_>| Some(parser.whole("the end", Parser::map)?.0);
    run("feature map", text, user_names, map)
}

impl FromStr for KernelExpr {
    type Err = ParseErrors;

    fn from_str(text: &str) -> Result<Self, ParseErrors> {
        parse(text)
    }
}

impl FromStr for MapExpr {
    type Err = ParseErrors;

    fn from_str(text: &str) -> Result<Self, ParseErrors> {
        parse_map(text)
    }
}

fn run<T: fmt::Display>(
    subject: &'static str,
    text: &str,
    users: &[String],
    read: impl FnOnce(&mut Parser<'_>) -> Option<T>,
) -> Result<T, ParseErrors> {
    let mut errors = ErrorList::default();
    if text.len() > MAX_BYTES {
        let end = cut(text);
        errors.add_last(Span { start: end, end }, || ParseErrorKind::TooLong { bytes: text.len() });
        return Err(errors.with_text(subject, text));
    }
    for kind in users.iter().filter_map(|user| user_name_fault(user)) {
        errors.add(Span { start: 0, end: 0 }, || kind);
    }
    let mut parser = Parser::new(text, users, errors);
    let value = read(&mut parser);
    let mut errors = parser.errors;
    match value {
        Some(value) if errors.len() == 0 => match printed_len(&value) {
            0..=MAX_BYTES => return Ok(value),
            bytes => {
                errors.add(Span { start: 0, end: text.len() }, || ParseErrorKind::TooLongInFull { bytes });
            }
        },
        _ => debug_assert!(errors.len() > 0, "no value and no error: {text:?}"),
    }
    Err(errors.with_text(subject, text))
}

fn printed_len(value: &impl fmt::Display) -> usize {
    struct Count(usize);
    impl Write for Count {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail.
    let _ = write!(count, "{value}");
    count.0
}

/// Tokens, a place among them, and what was found so far.
///
/// A reading function gives `None` after it has added an error, and leaves the cursor where reading can go
/// on, so that one run finds all errors.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) users: &'a [String],
    pub(super) errors: ErrorList,
    pub(super) columns: usize,
    pub(super) leaves: usize,
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
    open_reported: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, users: &'a [String], mut errors: ErrorList) -> Self {
        let tokens = tokens(text, &mut errors);
        // A quoted name that is never closed has swallowed the brackets after it.
        let open_reported = errors.contains(&ParseErrorKind::OpenText);
        Self { text, users, errors, columns: 0, leaves: 0, tokens, at: 0, depth: 0, open_reported }
    }

    /// Reads the whole text; what stands after the end of a value is an error, and is read for more of them.
    fn whole<T>(&mut self, after: &'static str, read: impl Fn(&mut Self) -> Option<T>) -> Option<T> {
        if *self.peek() == Token::End {
            self.fail(self.span(), || ParseErrorKind::Empty);
            return None;
        }
        let value = read(self);
        while *self.peek() != Token::End {
            self.expected(after);
            self.take();
            if matches!(self.peek(), Token::Plus | Token::Star | Token::Comma) {
                self.take();
            }
            if *self.peek() != Token::End {
                read(self);
            }
        }
        value
    }

    /// Reads a text of the tables inside this one, under the same limits.
    pub(super) fn default_kernel(&mut self, text: &str) -> Result<super::expression::Parsed, String> {
        let mut nested = Parser::new(text, &[], ErrorList::default());
        (nested.depth, nested.leaves, nested.columns) = (self.depth, self.leaves, self.columns);
        let value = nested.deeper(|parser| parser.whole("an operator or the end", Parser::sum));
        (self.leaves, self.columns) = (nested.leaves, nested.columns);
        match value {
            Some(value) if nested.errors.len() == 0 => Ok(value),
            _ => Err(nested.errors.with_text("kernel expression", text).one_line()),
        }
    }

    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.at].token
    }

    /// The token that is so many further on.
    pub(super) fn peek_at(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].token
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The span of the token before this one.
    pub(super) fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.start..span.end]
    }

    /// Moves on by one token, never past the end.
    pub(super) fn take(&mut self) -> Span {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        span
    }

    pub(super) fn take_if(&mut self, token: &Token) -> bool {
        let matches = self.peek() == token;
        if matches {
            self.take();
        }
        matches
    }

    /// A name, and the names and numbers that hang on it by `-` without a space: how many tokens, which span.
    pub(super) fn hyphenated(&self, parts: usize) -> Option<(usize, Span)> {
        let mut span = self.span();
        let mut count = 1;
        for _ in 1..parts {
            let (hyphen, part) = (self.tokens.get(self.at + count)?, self.tokens.get(self.at + count + 1)?);
            let is_part = matches!(part.token, Token::Name | Token::Number(_));
            let touching = hyphen.span.start == span.end && part.span.start == hyphen.span.end;
            if hyphen.token != Token::Minus || !is_part || !touching {
                return None;
            }
            span = span.to(part.span);
            count += 2;
        }
        Some((count, span))
    }

    /// The longest name at this place, hyphens included, of at most this many parts.
    pub(super) fn longest_name(&self) -> (usize, Span) {
        let longest = (1..=MAX_NAME_PARTS).rev().find_map(|parts| self.hyphenated(parts));
        longest.unwrap_or((1, self.span()))
    }

    pub(super) fn take_many(&mut self, count: usize) {
        for _ in 0..count {
            self.take();
        }
    }

    pub(super) fn fail(&mut self, span: Span, kind: impl FnOnce() -> ParseErrorKind) {
        self.errors.add(span, kind);
    }

    /// Adds an error after which reading makes no sense, and goes to the end.
    pub(super) fn give_up(&mut self, span: Span, kind: ParseErrorKind) {
        self.errors.add_last(span, || kind);
        self.at = self.tokens.len() - 1;
    }

    /// What stands here, for a message.
    pub(super) fn found(&self) -> String {
        match self.peek() {
            Token::End => "the end".into(),
            _ => format!("'{}'", shown(self.slice(self.span()))),
        }
    }

    /// Adds the error that something else stands here; not for what the lexer reported already.
    pub(super) fn expected(&mut self, expected: &'static str) {
        if *self.peek() != Token::Bad {
            let found = self.found();
            self.fail(self.span(), || ParseErrorKind::Expected { expected, found });
        }
    }

    /// Reads something one level further down.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth == MAX_DEPTH {
            self.give_up(self.last_span(), ParseErrorKind::TooDeep);
            return None;
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// Takes the bracket that closes the one at `open`, after an error if something else stands before it.
    pub(super) fn close(&mut self, open: Span, close: &Token) -> Option<Span> {
        let good = self.peek() == close;
        if !good && *self.peek() != Token::End {
            self.expected(if *close == Token::Close { "')'" } else { "',' or ']'" });
            self.skip_to(&[close]);
            self.open_reported |= *self.peek() == Token::End;
        }
        if self.peek() == close {
            let span = self.take();
            return good.then_some(span);
        }
        // Of several open brackets the innermost is named; the others wait for the same missing one.
        if !std::mem::replace(&mut self.open_reported, true) {
            let bracket = if *close == Token::Close { '(' } else { '[' };
            self.fail(open, || ParseErrorKind::NeverClosed { bracket });
        }
        None
    }

    /// Passes over everything up to one of these tokens, or the end; brackets are passed over as a whole.
    pub(super) fn skip_to(&mut self, stops: &[&Token]) {
        let mut open = 0_usize;
        while *self.peek() != Token::End && !(open == 0 && stops.contains(&self.peek())) {
            match self.peek() {
                Token::Open | Token::OpenColumns => open += 1,
                Token::Close | Token::CloseColumns => open = open.saturating_sub(1),
                _ => {}
            }
            self.take();
        }
    }
}

/// How many parts joined by `-` are tried as one name.
const MAX_NAME_PARTS: usize = 4;
