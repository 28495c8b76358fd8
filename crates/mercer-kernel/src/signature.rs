//! What may be written between the parentheses of a kernel or a map, and what was written.
//!
//! Every kernel and every feature map has one [`Signature`]; the parser, the printer, `mercer kernels`
//! and the documentation all read it, so that a name, a default or a range is written down once.

use std::fmt;

use crate::KernelExpr;

/// Name and parameters of a kernel or a feature map.
#[derive(Debug)]
pub struct Signature {
    /// The canonical name.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// The parameters, in the order in which they print.
    pub params: &'static [Param],
    /// Spellings of one quantity, of which exactly one is given (`gamma`, `sigma`, `width`).
    pub one_of: &'static [&'static str],
}

/// One parameter.
#[derive(Debug)]
pub struct Param {
    /// The canonical name.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// What it may be.
    pub kind: Kind,
    /// What it is when not given. Without a default it must be given, unless it is in a `one_of`.
    pub default: Option<Literal>,
    /// What it does, in a few words.
    pub about: &'static str,
}

impl Param {
    /// A parameter that is a number when not given.
    pub(crate) const fn new(name: &'static str, kind: Kind, default: f64, about: &'static str) -> Self {
        Self { name, aliases: &[], kind, default: Some(Literal::Number(default)), about }
    }

    /// A parameter that is one of a few words.
    pub(crate) const fn word(
        name: &'static str,
        words: &'static [&'static str],
        default: &'static str,
        about: &'static str,
    ) -> Self {
        Self { name, aliases: &[], kind: Kind::Word(words), default: Some(Literal::Word(default)), about }
    }

    /// A parameter with any default, or none.
    pub(crate) const fn optional(
        name: &'static str,
        kind: Kind,
        default: Option<Literal>,
        about: &'static str,
    ) -> Self {
        Self { name, aliases: &[], kind, default, about }
    }

    /// The same under other names too.
    pub(crate) const fn or(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }
}

/// What values a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A finite number in a range.
    Real(Range),
    /// A finite number in a range, or one of a few words.
    RealOr(Range, &'static [&'static str]),
    /// A whole number between two bounds, both included.
    Integer(u64, u64),
    /// One of a few numbers.
    Among(&'static [f64]),
    /// One of a few words.
    Word(&'static [&'static str]),
    /// A kernel expression (for maps that are made from a kernel).
    Kernel,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real(range) => range.fmt(f),
            Self::RealOr(range, words) => write!(f, "{range}, or {}", words.join(" or ")),
            Self::Integer(low, high) => write!(f, "whole, {low} to {high}"),
            Self::Among(values) => {
                f.write_str(&values.iter().map(f64::to_string).collect::<Vec<_>>().join(", "))
            }
            Self::Word(words) => f.write_str(&words.join(", ")),
            Self::Kernel => f.write_str("a kernel"),
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Any => "any number",
            Self::NonNegative => "0 or more",
            Self::Positive => "more than 0",
        })
    }
}

/// A range of real numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// Any finite number.
    Any,
    /// Zero or more.
    NonNegative,
    /// More than zero.
    Positive,
}

impl Range {
    /// Whether the number is finite and in the range.
    pub fn holds(self, value: f64) -> bool {
        value.is_finite()
            && match self {
                Range::Any => true,
                Range::NonNegative => value >= 0.0,
                Range::Positive => value > 0.0,
            }
    }
}

/// A default value, as it stands in a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Literal {
    /// A number.
    Number(f64),
    /// A word.
    Word(&'static str),
    /// A kernel expression in the language.
    Kernel(&'static str),
}

/// A value that a parameter was given.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number; whole numbers too.
    Number(f64),
    /// A word, such as `scale` or `median`.
    Word(&'static str),
    /// A kernel expression.
    Kernel(Box<KernelExpr>),
}

/// A name with its parameters, each of which has its value; of a `one_of` exactly one has.
#[derive(Debug, Clone)]
pub struct Call {
    signature: &'static Signature,
    values: Vec<Option<Value>>,
}

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        self.signature.name == other.signature.name && self.values == other.values
    }
}

impl Call {
    /// Puts values (in the order of the signature's parameters) to a name. The parser has checked them.
    pub(crate) fn new(signature: &'static Signature, values: Vec<Option<Value>>) -> Self {
        debug_assert_eq!(signature.params.len(), values.len());
        Self { signature, values }
    }

    /// Name and parameters.
    pub fn signature(&self) -> &'static Signature {
        self.signature
    }

    /// Every parameter that has a value, in printing order.
    pub fn given(&self) -> impl Iterator<Item = (&'static Param, &Value)> {
        self.signature.params.iter().zip(&self.values).filter_map(|(p, v)| Some((p, v.as_ref()?)))
    }

    /// The value of a parameter, by its canonical name.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.given().find(|(param, _)| param.name == name).map(|(_, value)| value)
    }

    /// The number that a parameter was given, if it was given one.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.value(name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// The number of a parameter that the signature says is a number.
    pub(crate) fn real(&self, name: &str) -> f64 {
        self.number(name).expect("the parser gives every number of the signature a value")
    }

    /// The whole number of a parameter that the signature says is one.
    pub(crate) fn whole(&self, name: &str) -> u32 {
        self.real(name) as u32
    }

    /// The word that a parameter was given, if it was given one.
    pub fn word(&self, name: &str) -> Option<&'static str> {
        match self.value(name) {
            Some(Value::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// The same call with another value for one parameter; other spellings of the same quantity give way.
    pub(crate) fn with(mut self, name: &str, value: Value) -> Self {
        if self.signature.one_of.contains(&name) {
            for (param, slot) in self.signature.params.iter().zip(&mut self.values) {
                if self.signature.one_of.contains(&param.name) {
                    *slot = None;
                }
            }
        }
        if let Some(at) = self.signature.params.iter().position(|param| param.name == name) {
            self.values[at] = Some(value);
        }
        self
    }
}
