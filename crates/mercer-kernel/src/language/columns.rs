//! Lists of columns: `[age, "sepal length", 1..10]`.
//!
//! A column is a name, a number (the columns of a LIBSVM file have no others) or a quoted text. A range of
//! numbers is short for all of them; it is opened when read and closed again when printed.

use std::collections::HashSet;
use std::fmt::{self, Write};

use super::error::{ParseErrorKind, Span};
use super::parser::{MAX_COLUMNS, MAX_COLUMNS_IN_ALL, Parser};
use super::report::shown;
use super::token::{Token, is_name};

/// Numbers of more digits than this are printed in quotes and have no part in ranges.
const MAX_DIGITS: usize = 15;

/// The columns of a list that is being read.
#[derive(Default)]
struct List {
    names: Vec<String>,
    seen: HashSet<String>,
    broken: bool,
}

impl Parser<'_> {
    /// `'[' column, … ']'`, from the bracket on.
    pub(super) fn columns(&mut self) -> Option<Vec<String>> {
        let open = self.take();
        let mut list = List::default();
        while !matches!(self.peek(), Token::CloseColumns | Token::End) {
            if self.column(&mut list).is_none() {
                list.broken = true;
                self.skip_to(&[&Token::Comma, &Token::CloseColumns]);
            }
            if !matches!(self.peek(), Token::Comma) {
                break;
            }
            self.take();
        }
        let close = self.close(open, &Token::CloseColumns)?;
        if list.names.is_empty() && !list.broken {
            self.fail(open.to(close), || ParseErrorKind::NoColumns);
            return None;
        }
        (!list.broken).then_some(list.names)
    }

    /// One column or one range. Nothing, after an error, if what stands here is neither.
    fn column(&mut self, list: &mut List) -> Option<()> {
        let start = self.span();
        match self.peek() {
            Token::Text(name) => {
                let name = name.clone();
                self.take();
                self.add_column(list, start, name)
            }
            Token::Name => {
                let (count, span) = self.longest_name();
                self.take_many(count);
                let name = self.slice(span);
                if count > 1 || matches!(self.peek(), Token::Name | Token::Number(_)) {
                    return self.not_column(span);
                }
                self.add_column(list, span, name.to_owned())
            }
            Token::Number(_) => {
                self.take();
                let name = self.slice(start);
                if *self.peek() == Token::Dots {
                    return self.range(list, start);
                }
                if !is_digits(name) || matches!(self.peek(), Token::Name | Token::Number(_)) {
                    return self.not_column(start);
                }
                self.add_column(list, start, name.to_owned())
            }
            _ => {
                self.expected("a column");
                None
            }
        }
    }

    /// The error for a text that would have to be quoted, up to the next comma.
    fn not_column(&mut self, start: Span) -> Option<()> {
        self.skip_to(&[&Token::Comma, &Token::CloseColumns]);
        let span = start.to(self.last_span());
        let found = shown(self.slice(span));
        self.fail(span, || ParseErrorKind::Column { found });
        None
    }

    /// `first..last`, both included; the cursor is at the dots.
    fn range(&mut self, list: &mut List, first: Span) -> Option<()> {
        self.take();
        let last = matches!(self.peek(), Token::Number(_)).then(|| self.take());
        let span = first.to(self.last_span());
        let number = |span: Span| {
            let digits = self.slice(span);
            let short = is_digits(digits) && digits.len() <= MAX_DIGITS;
            short.then(|| digits.parse::<u64>().ok()).flatten()
        };
        let ends = number(first).zip(last.and_then(number)).filter(|(first, last)| first <= last);
        let Some((first, last)) = ends else {
            let found = shown(self.slice(span));
            self.fail(span, || ParseErrorKind::ColumnRange { found });
            return None;
        };
        if last - first >= MAX_COLUMNS as u64 {
            self.fail(span, || ParseErrorKind::TooManyColumns);
            return None;
        }
        (first..=last).try_for_each(|number| self.add_column(list, span, number.to_string()))
    }

    fn add_column(&mut self, list: &mut List, span: Span, name: String) -> Option<()> {
        if list.names.len() == MAX_COLUMNS {
            self.fail(span, || ParseErrorKind::TooManyColumns);
            return None;
        }
        if self.columns == MAX_COLUMNS_IN_ALL {
            self.give_up(span, ParseErrorKind::TooManyColumnsInAll);
            return None;
        }
        if !list.seen.insert(name.clone()) {
            self.fail(span, || ParseErrorKind::ColumnTwice { name: shown(&name) });
            return None;
        }
        self.columns += 1;
        list.names.push(name);
        Some(())
    }
}

/// Prints a list; three numbers or more that follow one another print as a range.
pub(super) fn write_columns(f: &mut fmt::Formatter<'_>, columns: &[String]) -> fmt::Result {
    f.write_char('[')?;
    let mut at = 0;
    while at < columns.len() {
        f.write_str(if at == 0 { "" } else { ", " })?;
        let run = run_length(&columns[at..]);
        if run >= 3 {
            write!(f, "{}..{}", columns[at], columns[at + run - 1])?;
            at += run;
        } else {
            write_column(f, &columns[at])?;
            at += 1;
        }
    }
    f.write_char(']')
}

/// How many columns, from the first on, are numbers each one more than the last.
fn run_length(columns: &[String]) -> usize {
    let Some(first) = columns.first().and_then(|name| plain_number(name)) else { return 0 };
    let follow = columns.iter().zip(first..).take_while(|(name, number)| plain_number(name) == Some(*number));
    follow.count()
}

/// The number that a name is, if the number prints as the name.
fn plain_number(name: &str) -> Option<u64> {
    let plain = is_digits(name) && name.len() <= MAX_DIGITS && (name == "0" || !name.starts_with('0'));
    plain.then(|| name.parse().ok()).flatten()
}

fn is_digits(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

fn write_column(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if is_name(name) || (is_digits(name) && name.len() <= MAX_DIGITS) {
        return f.write_str(name);
    }
    f.write_char('"')?;
    for c in name.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            c if c.is_control() => write!(f, "{}", c.escape_unicode())?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::parse;

    struct Printed(Vec<String>);

    impl fmt::Display for Printed {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write_columns(f, &self.0)
        }
    }

    #[test]
    fn runs_of_numbers_print_as_ranges() {
        let cases: [(&[&str], &str); 6] = [
            (&["1", "2"], "[1, 2]"),
            (&["1", "2", "3"], "[1..3]"),
            (&["a", "0", "1", "2", "4", "5"], "[a, 0..2, 4, 5]"),
            (&["3", "2", "1"], "[3, 2, 1]"),
            (&["01", "02", "03"], "[01, 02, 03]"),
            (
                &["", "a b", "q\"\\", "\n", "1234567890123456"],
                r#"["", "a b", "q\"\\", "\u{a}", "1234567890123456"]"#,
            ),
        ];
        for (columns, text) in cases {
            let columns: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(Printed(columns.clone()).to_string(), text);
            let kernel = parse(&format!("linear{text}")).unwrap();
            let crate::KernelExpr::On(_, read) = kernel else { panic!("{text}: no columns") };
            assert_eq!(read, columns);
        }
    }
}
