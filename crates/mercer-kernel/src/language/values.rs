//! Which numbers and words a kind of parameter takes, and how that is said.

use mercer_points::nearest;

use super::names::same;
use super::print::Number;
use crate::signature::{Kind, Range, Value};

/// Whole numbers above this have no exact place among the 64-bit floating-point numbers.
const MAX_WHOLE: u64 = (1 << 53) - 1;

/// A number or a word, before it is known to fit.
pub(super) enum Scalar<'a> {
    Number(f64),
    Word(&'a str),
}

/// The value that a scalar is for a kind of parameter, or what was wanted and the word that is most like it.
pub(super) fn fit(kind: Kind, scalar: Scalar<'_>) -> Result<Value, (String, Option<&'static str>)> {
    let number = match scalar {
        Scalar::Number(number) => number,
        Scalar::Word(word) => {
            let words = match kind {
                Kind::RealOr(_, words) | Kind::Word(words) => words,
                _ => &[],
            };
            let known = words.iter().find(|known| same(known, word));
            let near = || nearest(&word.replace('-', "_"), words.iter().copied());
            return known.map(|known| Value::Word(known)).ok_or_else(|| (kind_text(kind), near()));
        }
    };
    let fits = match kind {
        Kind::Real(range) | Kind::RealOr(range, _) => range.holds(number),
        Kind::Integer(least, most) => {
            let most = most.min(MAX_WHOLE);
            number.fract() == 0.0 && number >= least as f64 && number <= most as f64
        }
        Kind::Among(numbers) => numbers.contains(&number),
        Kind::Word(_) | Kind::Kernel => false,
    };
    let wanted = || match kind {
        Kind::Real(range) | Kind::RealOr(range, _) => range_text(range).to_owned(),
        _ => kind_text(kind),
    };
    if fits { Ok(Value::Number(number)) } else { Err((wanted(), None)) }
}

fn range_text(range: Range) -> &'static str {
    match range {
        Range::Any => "a finite number",
        Range::NonNegative => "0 or more",
        Range::Positive => "more than 0",
    }
}

/// What a parameter may be, as it stands after "must be".
pub(super) fn kind_text(kind: Kind) -> String {
    match kind {
        Kind::Real(_) => "a number".into(),
        Kind::RealOr(_, words) => format!("a number or {}", words.join(" or ")),
        Kind::Integer(least, most) if most >= MAX_WHOLE => format!("a whole number from {least} up"),
        Kind::Integer(least, most) => format!("a whole number from {least} to {most}"),
        Kind::Among(numbers) => {
            let numbers: Vec<_> = numbers.iter().map(|&number| Number(number).to_string()).collect();
            numbers.join(" or ")
        }
        Kind::Word(words) => words.join(" or "),
        Kind::Kernel => "a kernel".into(),
    }
}
