//! Arguments of kernels and maps: read, put to their parameters, checked, completed by defaults.

use mercer_points::nearest;

use super::error::{ParseErrorKind, Span};
use super::expression::Parsed;
use super::names::param_named;
use super::parser::Parser;
use super::report::shown;
use super::token::Token;
use super::values::{Scalar, fit, kind_text};
use crate::signature::{Call, Kind, Literal, Param, Signature, Value};

/// What is known of a parameter while the arguments are read.
enum Slot {
    Absent,
    /// Given, with an error that was reported.
    Broken,
    Given(Value),
}

/// The parameters of a call that is being read.
struct Slots {
    signature: &'static Signature,
    slots: Vec<Slot>,
    /// The height of the highest kernel among the values.
    height: usize,
    /// How many arguments came so far, and whether one of them had a name.
    count: usize,
    named: bool,
    /// Whether an argument belongs to no parameter; then no parameter is missed.
    stray: bool,
}

impl Slots {
    fn new(signature: &'static Signature) -> Self {
        let slots = signature.params.iter().map(|_| Slot::Absent).collect();
        Self { signature, slots, height: 0, count: 0, named: false, stray: false }
    }
}

impl<'a> Parser<'a> {
    /// `args := '(' (name '=')? value, … ')'`, or nothing; gives the height of the kernels inside too.
    pub(super) fn arguments(&mut self, signature: &'static Signature, name: Span) -> Option<(Call, usize)> {
        let mut slots = Slots::new(signature);
        let mut closed = true;
        if *self.peek() == Token::Open {
            let open = self.take();
            while !matches!(self.peek(), Token::Close | Token::End) {
                self.argument(&mut slots);
                if !matches!(self.peek(), Token::Comma | Token::Close | Token::End) {
                    self.expected("',' or ')'");
                    slots.stray = true;
                    self.skip_to(&[&Token::Comma, &Token::Close]);
                }
                self.take_if(&Token::Comma);
            }
            closed = self.close(open, &Token::Close).is_some();
        }
        let span = name.to(self.last_span());
        let call = self.complete(slots, span);
        call.filter(|_| closed)
    }

    /// The call in which one parameter has this number and the others their defaults.
    pub(super) fn call_with(
        &mut self,
        signature: &'static Signature,
        span: Span,
        param: &str,
        number: f64,
    ) -> Option<Call> {
        let mut slots = Slots::new(signature);
        if let Some(at) = param_named(signature, param) {
            slots.slots[at] = Slot::Given(Value::Number(number));
        }
        self.complete(slots, span).map(|(call, _)| call)
    }

    fn argument(&mut self, slots: &mut Slots) {
        let (count, span) = self.longest_name();
        let named = *self.peek() == Token::Name && *self.peek_at(count) == Token::Equals;
        let param = if named {
            self.take_many(count + 1);
            slots.named = true;
            self.named_param(slots, span)
        } else {
            self.next_param(slots)
        };
        slots.count += 1;
        let Some(at) = param else {
            slots.stray = true;
            return self.skip_to(&[&Token::Comma, &Token::Close]);
        };
        let value_start = self.span();
        let value = self.value(&slots.signature.params[at], slots);
        if matches!(slots.slots[at], Slot::Absent) {
            self.check_alternatives(slots, at, if named { span } else { value_start });
            slots.slots[at] = value.map_or(Slot::Broken, Slot::Given);
        } else {
            let name = slots.signature.params[at].name;
            self.fail(span, || ParseErrorKind::Twice { name });
            slots.slots[at] = Slot::Broken;
        }
    }

    fn named_param(&mut self, slots: &Slots, span: Span) -> Option<usize> {
        let name = self.slice(span);
        let at = param_named(slots.signature, name);
        if at.is_none() {
            let signature = slots.signature;
            let known = || signature.params.iter().map(|param| param.name);
            self.fail(span, || ParseErrorKind::UnknownParameter {
                of: signature.name,
                name: shown(name),
                nearest: nearest(&name.replace('-', "_"), known()).map(str::to_owned),
                known: known().collect::<Vec<_>>().join(", "),
            });
        }
        at
    }

    /// The parameter of an argument without a name.
    fn next_param(&mut self, slots: &Slots) -> Option<usize> {
        let (of, takes) = (slots.signature.name, slots.signature.params.len());
        if slots.named {
            self.fail(self.span(), || ParseErrorKind::Unnamed { of });
            return None;
        }
        // One error is enough for all that are too many.
        if slots.count == takes {
            self.fail(self.span(), || ParseErrorKind::TooManyArguments { of, takes });
        }
        (slots.count < takes).then_some(slots.count)
    }

    fn check_alternatives(&mut self, slots: &mut Slots, at: usize, span: Span) {
        let Signature { params, one_of, .. } = slots.signature;
        let given = |i: &usize| !matches!(slots.slots[*i], Slot::Absent) && one_of.contains(&params[*i].name);
        if one_of.contains(&params[at].name) && (0..params.len()).any(|i| given(&i)) {
            self.fail(span, || ParseErrorKind::TwoOfOne { names: one_of.join(", ") });
        }
    }

    fn value(&mut self, param: &'static Param, slots: &mut Slots) -> Option<Value> {
        if param.kind == Kind::Kernel {
            let Parsed { kernel, height } = self.deeper(Self::sum)?;
            slots.height = slots.height.max(height);
            return Some(Value::Kernel(Box::new(kernel)));
        }
        let (scalar, span) = self.scalar(param)?;
        let found = match scalar {
            Scalar::Number(_) => shown(self.slice(span)),
            Scalar::Word(_) => format!("'{}'", shown(self.slice(span))),
        };
        match fit(param.kind, scalar) {
            Ok(value) => Some(value),
            Err((wanted, nearest)) => {
                self.fail(span, || ParseErrorKind::Value { name: param.name, wanted, found, nearest });
                None
            }
        }
    }

    fn scalar(&mut self, param: &'static Param) -> Option<(Scalar<'a>, Span)> {
        let start = self.span();
        let negative =
            *self.peek() == Token::Minus && matches!(self.peek_at(1), Token::Number(_) | Token::Name);
        if negative {
            self.take();
        }
        let scalar = match *self.peek() {
            Token::Number(number) => {
                self.take();
                // Zero has one sign, so that equal expressions print alike.
                Scalar::Number(if negative && number != 0.0 { -number } else { number })
            }
            Token::Name => {
                let (count, span) = self.longest_name();
                self.take_many(count);
                Scalar::Word(self.slice(start.to(span)))
            }
            Token::Bad => {
                self.take();
                return None;
            }
            _ => {
                let (name, wanted, found) = (param.name, kind_text(param.kind), self.found());
                self.fail(self.span(), || ParseErrorKind::Value { name, wanted, found, nearest: None });
                self.skip_to(&[&Token::Comma, &Token::Close]);
                return None;
            }
        };
        Some((scalar, start.to(self.last_span())))
    }

    /// Fills in the defaults; every parameter has its value then, of alternatives exactly one.
    fn complete(&mut self, mut slots: Slots, span: Span) -> Option<(Call, usize)> {
        let signature = slots.signature;
        let is_alternative = |param: &Param| signature.one_of.contains(&param.name);
        let absent = |slot: &Slot| matches!(slot, Slot::Absent);
        let pairs = || signature.params.iter().enumerate();
        let chosen = pairs().any(|(i, param)| is_alternative(param) && !absent(&slots.slots[i]));
        let has_default = pairs().any(|(_, param)| is_alternative(param) && param.default.is_some());
        let mut missing = Vec::new();
        if !signature.one_of.is_empty() && !chosen && !has_default {
            missing.push(format!("one of {}", signature.one_of.join(", ")));
        }
        let mut first_default = true;
        for (i, param) in pairs().filter(|&(i, _)| absent(&slots.slots[i])).collect::<Vec<_>>() {
            let alternative = is_alternative(param);
            match param.default {
                _ if alternative && chosen => {}
                None if alternative => {}
                Some(_) if alternative && !std::mem::take(&mut first_default) => {}
                None => missing.push(format!("{} ({})", param.name, param.about)),
                Some(default) => slots.slots[i] = self.default(param, default, &mut slots, span),
            }
        }
        if slots.stray {
            return None;
        }
        if !missing.is_empty() {
            let names = missing.join(" and ");
            self.fail(span, || ParseErrorKind::Missing { of: signature.name, names });
            return None;
        }
        let values = slots.slots.into_iter().map(|slot| match slot {
            Slot::Given(value) => Some(Some(value)),
            Slot::Absent => Some(None),
            Slot::Broken => None,
        });
        Some((Call::new(signature, values.collect::<Option<_>>()?), slots.height))
    }

    fn default(&mut self, param: &'static Param, default: Literal, slots: &mut Slots, span: Span) -> Slot {
        match default {
            Literal::Number(number) => Slot::Given(Value::Number(number)),
            Literal::Word(word) => Slot::Given(Value::Word(word)),
            Literal::Kernel(text) => match self.default_kernel(text) {
                Ok(Parsed { kernel, height }) => {
                    slots.height = slots.height.max(height);
                    Slot::Given(Value::Kernel(Box::new(kernel)))
                }
                Err(message) => {
                    let (of, name) = (slots.signature.name, param.name);
                    self.fail(span, || ParseErrorKind::Default { of, name, message });
                    Slot::Broken
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::error::ErrorList;
    use crate::signature::Range;

    const fn param(name: &'static str, kind: Kind, default: Option<Literal>) -> Param {
        Param { name, aliases: &[], kind, default, about: "what it is" }
    }

    static NEEDY: Signature = Signature {
        name: "needy",
        aliases: &[],
        params: &[
            param("a", Kind::Real(Range::NonNegative), None),
            param("b", Kind::Real(Range::Positive), None),
            param("m", Kind::Integer(1, u64::MAX), None),
            param("k", Kind::Kernel, Some(Literal::Kernel("linear + 1"))),
        ],
        one_of: &["a", "b"],
    };

    static WRONG: Signature = Signature {
        name: "wrong",
        aliases: &[],
        params: &[param("k", Kind::Kernel, Some(Literal::Kernel("no such")))],
        one_of: &[],
    };

    /// The arguments as they were understood, or the messages.
    fn read(signature: &'static Signature, text: &str) -> String {
        let mut parser = Parser::new(text, &[], ErrorList::default());
        let call = parser.arguments(signature, Span { start: 0, end: 0 });
        if parser.errors.len() == 0 {
            let (call, _) = call.expect("a call when there is no error");
            let shown = call.given().map(|(param, value)| match value {
                Value::Number(number) => format!("{} {number}", param.name),
                Value::Word(word) => format!("{} {word}", param.name),
                Value::Kernel(kernel) => format!("{} {kernel}", param.name),
            });
            return shown.collect::<Vec<_>>().join(", ");
        }
        let errors = parser.errors.with_text("test", text);
        errors.errors().iter().map(|error| error.to_string()).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn what_has_no_default_must_be_given() {
        let cases = [
            ("(a=1, m=2)", "a 1, m 2, k linear + constant(value=1)"),
            ("(b=1, m=2, k=x: linear + linear*2)", "b 1, m 2, k x: linear + 2*linear"),
            ("", "needy needs one of a, b and m (what it is)"),
            ("(a=0)", "needy needs m (what it is)"),
            ("(m=1)", "needy needs one of a, b"),
            ("(m=1, c=2)", "needy has no parameter 'c'"),
            ("(a=-1, m=1)", "a must be 0 or more, found -1"),
            ("(a=1, m=9007199254740992)", "m must be a whole number from 1 up, found 9007199254740992"),
            ("(a=1, m=1, k=2 linear)", "there is no operator before 'linear'"),
            ("(a=1, m=1, k=rfb + lineer)", "unknown kernel 'rfb' | unknown kernel 'lineer'"),
            ("(a=1, k=linear m=1)", "expected ',' or ')', found 'm'"),
            ("(a=1, b=1, m=1)", "give one of a, b, not two"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(&NEEDY, text), expected, "{text}");
        }
    }

    #[test]
    fn a_default_that_does_not_parse_is_said_to_be_the_tables_fault() {
        let message = read(&WRONG, "");
        assert!(message.starts_with("the default of wrong's k does not parse: kernel expression, column 1"));
    }
}
