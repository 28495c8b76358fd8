//! What can be wrong with a kernel expression: one variant for each way, its data in fields.
//!
//! A message is a fact in lower case; what to write instead is the hint, kept apart. Texts in fields are
//! made fit to print (`report::shown`): escaped, and cut when long.

use thiserror::Error;

use super::parser::{MAX_BYTES, MAX_COLUMNS, MAX_COLUMNS_IN_ALL, MAX_DEPTH, MAX_LEAVES};

/// Bytes `start..end` of the text that was parsed; both ends are boundaries of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// From the start of this to the end of the other.
    pub(super) fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.end) }
    }
}

/// One thing wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct ParseError {
    pub(super) span: Span,
    pub(super) kind: ParseErrorKind,
}

impl ParseError {
    /// Where in the text.
    pub fn span(&self) -> Span {
        self.span
    }

    /// What is wrong; prints as the message.
    pub fn kind(&self) -> &ParseErrorKind {
        &self.kind
    }

    /// What to write instead, where that is known.
    pub fn hint(&self) -> Option<String> {
        self.kind.hint()
    }
}

/// All that is wrong with a text, in the order of the text.
///
/// Prints as one block for each error: message, the line with carets under the place, hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseErrors {
    /// `kernel expression` or `feature map`.
    pub(super) subject: &'static str,
    /// The text, up to the length that is allowed.
    pub(super) text: String,
    pub(super) errors: Vec<ParseError>,
    /// How many further errors were found and not kept.
    pub(super) more: usize,
}

impl std::error::Error for ParseErrors {}

impl ParseErrors {
    /// The errors; at least one, at most twenty.
    pub fn errors(&self) -> &[ParseError] {
        &self.errors
    }

    /// How many were found beyond those.
    pub fn more(&self) -> usize {
        self.more
    }
}

/// Errors as they are found. Past the cap they are counted, not made.
#[derive(Debug, Default)]
pub(super) struct ErrorList {
    errors: Vec<ParseError>,
    more: usize,
    closed: bool,
}

impl ErrorList {
    const CAP: usize = 20;

    pub(super) fn add(&mut self, span: Span, kind: impl FnOnce() -> ParseErrorKind) {
        if self.closed {
            return;
        }
        if self.is_full() {
            self.more += 1;
        } else {
            self.errors.push(ParseError { span, kind: kind() });
        }
    }

    /// Adds an error after which nothing that is found would mean anything.
    pub(super) fn add_last(&mut self, span: Span, kind: impl FnOnce() -> ParseErrorKind) {
        self.add(span, kind);
        self.closed = true;
    }

    pub(super) fn len(&self) -> usize {
        self.errors.len() + self.more
    }

    /// Whether further errors will only be counted.
    pub(super) fn is_full(&self) -> bool {
        self.errors.len() >= Self::CAP
    }

    pub(super) fn contains(&self, kind: &ParseErrorKind) -> bool {
        self.errors.iter().any(|error| error.kind == *kind)
    }

    pub(super) fn with_text(mut self, subject: &'static str, text: &str) -> ParseErrors {
        self.errors.sort_by_key(|error| error.span.start);
        let text = text[..cut(text)].to_owned();
        ParseErrors { subject, text, errors: self.errors, more: self.more }
    }
}

/// Where a text reaches the length that is allowed, or ends.
pub(super) fn cut(text: &str) -> usize {
    let limit = MAX_BYTES.min(text.len());
    (0..=limit).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each variant says what its fields are")]
pub enum ParseErrorKind {
    // Limits.
    #[error("the expression has {bytes} bytes, the limit is {MAX_BYTES}")]
    TooLong { bytes: usize },
    #[error("the expression, written with all its parameters, has {bytes} bytes; the limit is {MAX_BYTES}")]
    TooLongInFull { bytes: usize },
    #[error("the expression is nested more than {MAX_DEPTH} deep")]
    TooDeep,
    #[error("the expression has more than {MAX_LEAVES} kernels")]
    TooManyLeaves,
    #[error("a list has more than {MAX_COLUMNS} columns")]
    TooManyColumns,
    #[error("the lists of the expression have more than {MAX_COLUMNS_IN_ALL} columns together")]
    TooManyColumnsInAll,

    // Tokens.
    #[error("'{found}' has no meaning here")]
    Character { found: String },
    #[error("'{found}' is not a number")]
    NotNumber { found: String },
    #[error("{found} is too large or too small for a 64-bit number")]
    NumberSize { found: String },
    #[error("the quoted name is never closed")]
    OpenText,
    #[error("'{found}' is not an escape")]
    Escape { found: String },

    // Structure.
    #[error("there is nothing to parse")]
    Empty,
    #[error("expected {expected}, found {found}")]
    Expected { expected: &'static str, found: String },
    #[error("this '{bracket}' is never closed")]
    NeverClosed { bracket: char },
    #[error("there is no operator before {found}")]
    MissingOperator { found: String },
    #[error("a label is one word of letters, digits and '_', found '{found}'")]
    Label { found: String },

    // Algebra.
    #[error("a kernel cannot have a negative weight: it is in general not positive semi-definite then")]
    NegativeWeight,
    #[error("a kernel minus a kernel is in general not positive semi-definite")]
    Difference,
    #[error("the weights multiply to a number that is too large or too small")]
    WeightSize,
    #[error("a power is a whole number from 1 to 64, found {found}")]
    Power { found: String },
    #[error("a power of a power needs parentheses")]
    PowerOfPower,
    #[error("columns and maps go before the power")]
    AfterPower,

    // Names.
    #[error("unknown kernel '{name}'")]
    UnknownKernel { name: String, nearest: Option<String>, is_map: bool },
    #[error("unknown feature map '{name}'")]
    UnknownMap { name: String, nearest: Option<String>, is_kernel: bool },
    #[error("'{form}' takes {takes} in parentheses")]
    Form { form: &'static str, takes: &'static str },
    #[error("'{name}' is a kernel of the user's and takes no parameters")]
    UserParameters { name: String },
    #[error("'{name}' cannot be the name of a kernel")]
    UserNameForm { name: String },
    #[error("'{name}' already means something in the language")]
    UserNameTaken { name: String },

    // Arguments.
    #[error("{of} has no parameter '{name}'")]
    UnknownParameter { of: &'static str, name: String, nearest: Option<String>, known: String },
    #[error("{of} takes {}", parameters(*.takes))]
    TooManyArguments { of: &'static str, takes: usize },
    #[error("{name} is given twice")]
    Twice { name: &'static str },
    #[error("give one of {names}, not two")]
    TwoOfOne { names: String },
    #[error("{of} needs {names}")]
    Missing { of: &'static str, names: String },
    #[error("a value without a name goes before those with one")]
    Unnamed { of: &'static str },
    #[error("{name} must be {wanted}, found {found}")]
    Value { name: &'static str, wanted: String, found: String, nearest: Option<&'static str> },
    #[error("the default of {of}'s {name} does not parse: {message}")]
    Default { of: &'static str, name: &'static str, message: String },

    // Columns.
    #[error("the list of columns is empty")]
    NoColumns,
    #[error("column '{name}' is listed twice")]
    ColumnTwice { name: String },
    #[error("'{found}' is not a column")]
    Column { found: String },
    #[error("a range of columns goes from a number up to another, found {found}")]
    ColumnRange { found: String },
}

fn parameters(count: usize) -> String {
    match count {
        0 => "no parameters".into(),
        1 => "one parameter".into(),
        _ => format!("{count} parameters"),
    }
}

impl ParseErrorKind {
    /// What to write instead, where that is known.
    pub fn hint(&self) -> Option<String> {
        let fixed = match self {
            Self::UnknownKernel { name, is_map: true, .. } => {
                return Some(format!("'{name}' is a feature map: write kernel@{name} or outer({name})"));
            }
            Self::UnknownMap { name, is_kernel: true, .. } => {
                return Some(format!("'{name}' is a kernel; a feature map goes here"));
            }
            Self::UnknownKernel { nearest: Some(name), .. }
            | Self::UnknownMap { nearest: Some(name), .. }
            | Self::UnknownParameter { nearest: Some(name), .. } => {
                return Some(format!("did you mean '{name}'?"));
            }
            Self::Value { nearest: Some(word), .. } => return Some(format!("did you mean '{word}'?")),
            Self::UnknownParameter { known, .. } if !known.is_empty() => {
                return Some(format!("it has {known}"));
            }
            Self::UnknownParameter { .. } => "it takes no parameters",
            Self::UnknownKernel { .. } => "`mercer kernels` lists the kernels",
            Self::UnknownMap { .. } => "`mercer maps` lists the feature maps",
            Self::Character { found } => character_hint(found)?,
            Self::NotNumber { .. } => {
                "a product is written 2*rbf; a column that begins with a digit is quoted"
            }
            Self::Escape { .. } => r#"the escapes are \", \\ and \u{…}"#,
            Self::MissingOperator { .. } => "put '+' or '*' between two kernels",
            Self::Difference | Self::NegativeWeight => {
                "see docs/maths.md §1.3; sums take weights of 0 or more"
            }
            Self::Power { found } if found == "0" => "k^0 is 1 everywhere: write constant(value=1)",
            Self::PowerOfPower => "write (k^2)^3",
            Self::AfterPower => "write k[a]^2, or (k^2)[a] if that is meant",
            Self::UserParameters { .. } => "register the function with its parameters set",
            Self::UserNameForm { .. } => "a name is one word of letters, digits and '_'",
            Self::UserNameTaken { .. } => "take another name",
            Self::Column { .. } => r#"put a name that is not one word or number in double quotes: ["a b"]"#,
            Self::ColumnRange { .. } => "write [1..10] for the columns 1 to 10",
            Self::Unnamed { .. } => "give every value its name",
            _ => return None,
        };
        Some(fixed.to_owned())
    }
}

fn character_hint(found: &str) -> Option<&'static str> {
    Some(match found.chars().next()? {
        '/' => "to divide by 2, multiply by 0.5",
        '\'' | '‘' | '“' | '”' | '`' => "column names are quoted with \"",
        '×' | '·' | '⋅' => "a product is written with '*'",
        '−' | '–' | '—' => "only '-' is a minus sign",
        '{' | '}' => "columns go in [ ], parameters in ( )",
        _ => return None,
    })
}
