//! Atoms and feature maps: all that begins with a name, a number or a parenthesis.

use super::error::{ParseErrorKind, Span};
use super::expression::Parsed;
use super::names::{form, kernel_named, map_named, nearest_kernel, nearest_map, user_named};
use super::parser::{MAX_LEAVES, Parser};
use super::report::shown;
use super::token::Token;
use crate::expr::{KernelExpr, Leaf, MapExpr};
use crate::info::KernelInfo;
use crate::signature::Call;

impl Parser<'_> {
    /// `map := name args?`, with the height of the highest kernel among the arguments.
    pub(super) fn map(&mut self) -> Option<(MapExpr, usize)> {
        if *self.peek() != Token::Name {
            self.expected("a feature map");
            if matches!(self.peek(), Token::Bad | Token::Text(_) | Token::Number(_)) {
                self.take();
            }
            self.skip_group();
            return None;
        }
        let span = self.take_name(|name| map_named(name).is_some(), nearest_map);
        let name = self.slice(span);
        let Some(info) = map_named(name) else {
            self.fail(span, || ParseErrorKind::UnknownMap {
                name: shown(name),
                nearest: nearest_map(name),
                is_kernel: kernel_named(name).is_some(),
            });
            self.skip_group();
            return None;
        };
        let (call, height) = self.arguments(&info.signature, span)?;
        Some((MapExpr { info, call }, height))
    }

    /// `atom := … | label ':' atom`
    pub(super) fn atom(&mut self) -> Option<Parsed> {
        let start = self.span();
        let mut labels = Vec::new();
        while *self.peek() == Token::Name {
            let (count, span) = self.longest_name();
            if *self.peek_at(count) != Token::Colon {
                break;
            }
            let label = self.slice(span);
            if count > 1 {
                self.fail(span, || ParseErrorKind::Label { found: shown(label) });
            }
            labels.push(label);
            self.take_many(count + 1);
        }
        let mut kernel = self.bare_atom();
        for label in labels.into_iter().rev() {
            kernel = self.wrap(start, kernel, 0, |kernel| KernelExpr::Label(label.to_owned(), kernel));
        }
        kernel
    }

    /// `atom := name args? | number | '(' expr ')' | …`
    fn bare_atom(&mut self) -> Option<Parsed> {
        match *self.peek() {
            Token::Name => self.named(),
            Token::Number(number) => {
                let span = self.take();
                self.constant(span, number)
            }
            Token::Open => {
                let open = self.take();
                let kernel = self.deeper(Self::sum);
                self.close(open, &Token::Close)?;
                kernel
            }
            Token::Bad => {
                while self.take_if(&Token::Bad) {}
                // What follows may be wrong in its own right.
                if matches!(self.peek(), Token::Name | Token::Number(_) | Token::Open) {
                    self.bare_atom();
                }
                None
            }
            _ => {
                self.expected("a kernel");
                if matches!(self.peek(), Token::Text(_)) {
                    self.take();
                }
                None
            }
        }
    }

    /// `normalize(expr)`, `exp(expr)`, `outer(map)`
    fn form(&mut self, name: Span, form: &'static str) -> Option<Parsed> {
        if *self.peek() != Token::Open {
            let takes = if form == "outer" { "a feature map" } else { "a kernel" };
            self.fail(name, || ParseErrorKind::Form { form, takes });
            return None;
        }
        let open = self.take();
        if form == "outer" {
            let map = self.map();
            self.close(open, &Token::Close)?;
            let (map, height) = map?;
            self.count_leaf(name)?;
            return self.grown(name, KernelExpr::Outer(map), height + 1);
        }
        let kernel = self.deeper(Self::sum);
        self.close(open, &Token::Close)?;
        let make = if form == "exp" { KernelExpr::Exp } else { KernelExpr::Normalize };
        self.wrap(name, kernel, 0, make)
    }

    /// A form, or a kernel of the table or of the user's.
    fn named(&mut self) -> Option<Parsed> {
        let users = self.users;
        let known = |name: &str| {
            form(name).is_some() || kernel_named(name).is_some() || user_named(users, name).is_some()
        };
        let span = self.take_name(known, |name| nearest_kernel(name, users));
        let name = self.slice(span);
        if let Some(form) = form(name) {
            return self.form(span, form);
        }
        if let Some(info) = kernel_named(name) {
            let (call, height) = self.arguments(&info.signature, span)?;
            return self.leaf(span, info, call, height);
        }
        if let Some(user) = user_named(users, name) {
            let empty = *self.peek() == Token::Open && *self.peek_at(1) == Token::Close;
            if *self.peek() == Token::Open && !empty {
                self.fail(self.span(), || ParseErrorKind::UserParameters { name: shown(user) });
            }
            self.skip_group();
            self.count_leaf(span)?;
            return Some(Parsed { kernel: KernelExpr::User(user.clone()), height: 1 });
        }
        self.fail(span, || ParseErrorKind::UnknownKernel {
            name: shown(name),
            nearest: nearest_kernel(name, users),
            is_map: map_named(name).is_some(),
        });
        self.skip_group();
        None
    }

    /// Takes a name. Parts joined by `-` belong to it if the whole is known, or if it looks like a known one
    /// and the first part is not known; otherwise the `-` is a minus sign.
    fn take_name(&mut self, known: impl Fn(&str) -> bool, nearest: impl Fn(&str) -> Option<String>) -> Span {
        let (mut count, mut span) = self.longest_name();
        while count > 1 && !known(self.slice(span)) {
            count -= 2;
            span = self.hyphenated(count / 2 + 1).map_or(self.span(), |(_, span)| span);
        }
        if count == 1 && !known(self.slice(span)) {
            let (longest, whole) = self.longest_name();
            if longest > 1 && !self.errors.is_full() && nearest(self.slice(whole)).is_some() {
                (count, span) = (longest, whole);
            }
        }
        self.take_many(count);
        span
    }

    /// Passes over an argument list that belongs to nothing.
    pub(super) fn skip_group(&mut self) {
        if *self.peek() == Token::Open {
            let open = self.take();
            self.skip_to(&[&Token::Close]);
            self.close(open, &Token::Close);
        }
    }

    /// A bare number as a kernel.
    pub(super) fn constant(&mut self, span: Span, number: f64) -> Option<Parsed> {
        let Some(info) = kernel_named("constant") else {
            self.expected("a kernel");
            return None;
        };
        let call = self.call_with(&info.signature, span, "value", number)?;
        self.leaf(span, info, call, 0)
    }

    fn leaf(&mut self, span: Span, info: &'static KernelInfo, call: Call, height: usize) -> Option<Parsed> {
        self.count_leaf(span)?;
        self.grown(span, KernelExpr::Leaf(Leaf { info, call }), height + 1)
    }

    fn count_leaf(&mut self, span: Span) -> Option<()> {
        if self.leaves == MAX_LEAVES {
            self.give_up(span, ParseErrorKind::TooManyLeaves);
            return None;
        }
        self.leaves += 1;
        Some(())
    }
}
