//! Expressions back to text: canonical, with every parameter named and as few parentheses as may be.
//!
//! `parse(print(e)) == e` for every expression that the parser makes.

use std::fmt;

use super::columns::write_columns;
use crate::expr::{KernelExpr, MapExpr};
use crate::signature::{Call, Literal, Param, Signature, Value};

/// How tightly an expression holds together; what is looser than its place wants gets parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Sum,
    Product,
    Power,
    Mapped,
    Atom,
}

impl fmt::Display for KernelExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaf(leaf) => write_call(f, &leaf.call),
            Self::User(name) => f.write_str(name),
            Self::Scale(weight, kernel) => {
                write!(f, "{}*", Number(*weight))?;
                match &**kernel {
                    Self::Product(_) => write!(f, "{kernel}"),
                    single => write_at(f, single, Tightness::Power),
                }
            }
            Self::Sum(terms) => write_joined(f, terms, " + ", Tightness::Product),
            Self::Product(factors) => write_joined(f, factors, "*", Tightness::Power),
            Self::Power(kernel, power) => {
                write_at(f, kernel, Tightness::Mapped)?;
                write!(f, "^{power}")
            }
            Self::Normalize(kernel) => write!(f, "normalize({kernel})"),
            Self::Exp(kernel) => write!(f, "exp({kernel})"),
            Self::Outer(map) => write!(f, "outer({map})"),
            Self::On(kernel, columns) => {
                write_at(f, kernel, Tightness::Mapped)?;
                write_columns(f, columns)
            }
            Self::Mapped(kernel, map) => {
                write_at(f, kernel, Tightness::Mapped)?;
                write!(f, "@{map}")
            }
            Self::Label(label, kernel) => {
                write!(f, "{label}: ")?;
                write_at(f, kernel, Tightness::Atom)
            }
        }
    }
}

impl fmt::Display for MapExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_call(f, &self.call)
    }
}

/// Name, parameters and defaults, as they are listed: `rbf(gamma=scale | sigma | width)`.
pub fn signature_text(signature: &Signature) -> String {
    if signature.params.is_empty() {
        return signature.name.to_owned();
    }
    let alternative = |param: &Param| signature.one_of.contains(&param.name);
    let mut text = format!("{}(", signature.name);
    let mut alternatives =
        signature.params.iter().filter(|param| alternative(param)).map(param_text).peekable();
    let together = alternatives.peek().is_some().then(|| alternatives.collect::<Vec<_>>().join(" | "));
    let mut together = together.into_iter();
    let parts = signature
        .params
        .iter()
        .filter_map(|param| if alternative(param) { together.next() } else { Some(param_text(param)) });
    text += &parts.collect::<Vec<_>>().join(", ");
    text + ")"
}

/// A number in the fewest digits that read back to the same bits.
pub(super) struct Number(pub(super) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size == 0.0 {
            f.write_str("0")
        } else if (1e-5..1e16).contains(&size) {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

fn tightness(kernel: &KernelExpr) -> Tightness {
    match kernel {
        KernelExpr::Sum(_) => Tightness::Sum,
        KernelExpr::Scale(..) | KernelExpr::Product(_) => Tightness::Product,
        KernelExpr::Power(..) => Tightness::Power,
        KernelExpr::On(..) | KernelExpr::Mapped(..) => Tightness::Mapped,
        KernelExpr::Leaf(_)
        | KernelExpr::User(_)
        | KernelExpr::Normalize(_)
        | KernelExpr::Exp(_)
        | KernelExpr::Outer(_)
        | KernelExpr::Label(..) => Tightness::Atom,
    }
}

fn write_at(f: &mut fmt::Formatter<'_>, kernel: &KernelExpr, least: Tightness) -> fmt::Result {
    if tightness(kernel) < least { write!(f, "({kernel})") } else { write!(f, "{kernel}") }
}

fn write_joined(f: &mut fmt::Formatter<'_>, all: &[KernelExpr], with: &str, least: Tightness) -> fmt::Result {
    for (i, kernel) in all.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { with })?;
        write_at(f, kernel, least)?;
    }
    Ok(())
}

fn write_call(f: &mut fmt::Formatter<'_>, call: &Call) -> fmt::Result {
    f.write_str(call.signature().name)?;
    let mut any = false;
    for (param, value) in call.given() {
        write!(f, "{}{}=", if any { ", " } else { "(" }, param.name)?;
        match value {
            Value::Number(number) => write!(f, "{}", Number(*number))?,
            Value::Word(word) => f.write_str(word)?,
            Value::Kernel(kernel) => write!(f, "{kernel}")?,
        }
        any = true;
    }
    if any { f.write_str(")") } else { Ok(()) }
}

fn param_text(param: &Param) -> String {
    match param.default {
        None => param.name.to_owned(),
        Some(Literal::Number(number)) => format!("{}={}", param.name, Number(number)),
        Some(Literal::Word(text) | Literal::Kernel(text)) => format!("{}={text}", param.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::{Kind, Range};

    #[test]
    fn numbers_read_back_and_stay_short() {
        let cases = [
            (0.1, "0.1"),
            (3.0, "3"),
            (-0.0, "0"),
            (-2.5, "-2.5"),
            (1e15, "1000000000000000"),
            (1e16, "1e16"),
            (1e-5, "0.00001"),
            (9e-6, "9e-6"),
            (f64::MAX, "1.7976931348623157e308"),
            (5e-324, "5e-324"),
            (1.0 / 3.0, "0.3333333333333333"),
        ];
        for (number, text) in cases {
            assert_eq!(Number(number).to_string(), text);
            assert_eq!(text.parse::<f64>().unwrap(), number);
        }
    }

    #[test]
    fn signatures_list_alternatives_together() {
        const fn param(name: &'static str, default: Option<Literal>) -> Param {
            Param { name, aliases: &[], kind: Kind::Real(Range::Any), default, about: "" }
        }
        static PARAMS: &[Param] = &[
            param("gamma", Some(Literal::Word("scale"))),
            param("offset", Some(Literal::Number(1.0))),
            param("sigma", None),
            param("k", None),
        ];
        let text = |params, one_of| signature_text(&Signature { name: "x", aliases: &[], params, one_of });
        assert_eq!(text(&[], &[]), "x");
        assert_eq!(text(PARAMS, &["gamma", "sigma"]), "x(gamma=scale | sigma, offset=1, k)");
        assert_eq!(text(PARAMS, &[]), "x(gamma=scale, offset=1, sigma, k)");
    }
}
