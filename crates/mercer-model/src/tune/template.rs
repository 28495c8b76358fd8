//! Kernel expressions with values left open.
//!
//! ```text
//! rbf(sigma=0.1..10)      from 0.1 to 10, evenly on a logarithmic scale
//! poly(degree=1..4)       whole numbers: each of them
//! rbf(gamma=0.1|1|10)     these
//! rbf(sigma=?)            from the distances of the training rows
//! linear | rbf(sigma=?)   one or the other
//! ```
//!
//! A template is text around values; filled in, it is read as any other expression.

use std::fmt;
use std::str::FromStr;

use mercer_kernel::{KERNELS, KernelExpr, Kind, MAPS};
use rand::RngExt;

use crate::ModelError;

/// A kernel expression with values left open.
///
/// ```
/// use mercer_model::tune::Template;
/// let template: Template = "rbf(sigma=0.1..10) + linear".parse().unwrap();
/// let kernels: Vec<String> = template.grid(3).iter().map(ToString::to_string).collect();
/// assert_eq!(kernels[1], "rbf(sigma=1) + linear");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// One or the other; there is one at least.
    forms: Vec<Form>,
}

/// One expression with values left open.
#[derive(Debug, Clone, PartialEq)]
struct Form {
    /// What is around the open values: one more than there are of those.
    around: Vec<String>,
    open: Vec<Open>,
}

/// A parameter whose value is open.
#[derive(Debug, Clone, PartialEq)]
struct Open {
    name: String,
    values: Values,
}

/// The values that something may take.
///
/// ```
/// use mercer_model::tune::Values;
/// let values: Values = "0.1..10".parse().unwrap();
/// assert_eq!(values.grid(3), [0.1, 1.0, 10.0]);
/// assert_eq!("1|5".parse::<Values>().unwrap().grid(9), [1.0, 5.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// From one to the other on a logarithmic scale.
    Span(f64, f64),
    /// Whole numbers from one to the other.
    Whole(u64, u64),
    /// These.
    List(Vec<f64>),
    /// What the distances of the training rows suggest.
    Distances,
}

/// Widths that are the quantiles of the distances of training rows, as words of the kernel language: worked out anew on the
/// training rows of every fold.
const QUANTILES: [&str; 5] = ["q10", "q25", "median", "q75", "q90"];

impl Values {
    /// So many values evenly spread, or all there are if they are fewer or listed.
    pub fn grid(&self, points: usize) -> Vec<f64> {
        let even = |low: f64, high: f64| -> Vec<f64> {
            let last = points.max(2) - 1;
            (0..=last).map(|k| low + (high - low) * k as f64 / last as f64).collect()
        };
        match self {
            Self::Span(low, high) => {
                let mut values: Vec<f64> =
                    even(low.ln(), high.ln()).into_iter().map(|v| rounded(v.exp())).collect();
                // The ends are what was written.
                (values[0], *values.last_mut().expect("two values at least")) = (*low, *high);
                values
            }
            Self::Whole(low, high) if (high - low) < points.max(2) as u64 => {
                (*low..=*high).map(|v| v as f64).collect()
            }
            Self::Whole(low, high) => {
                let mut values: Vec<f64> =
                    even(*low as f64, *high as f64).into_iter().map(f64::round).collect();
                values.dedup();
                values
            }
            Self::List(values) => values.clone(),
            Self::Distances => (0..QUANTILES.len()).map(|k| k as f64).collect(),
        }
    }

    /// The same for a parameter that takes whole numbers, or for one that does not: `1..4` is each of them, or all between.
    fn for_parameter(self, whole: bool) -> Self {
        match self {
            Self::Whole(low, high) if !whole => Self::Span((low as f64).max(f64::MIN_POSITIVE), high as f64),
            values => values,
        }
    }

    /// Values of something that is no whole number.
    pub(super) fn real(self) -> Self {
        self.for_parameter(false)
    }

    /// One value by chance.
    pub fn draw(&self, random: &mut impl RngExt) -> f64 {
        match self {
            Self::Span(low, high) => {
                rounded((low.ln() + (high.ln() - low.ln()) * random.random::<f64>()).exp()).clamp(*low, *high)
            }
            Self::Whole(low, high) => random.random_range(*low..=*high) as f64,
            Self::List(values) => values[random.random_range(0..values.len())],
            Self::Distances => random.random_range(0..QUANTILES.len()) as f64,
        }
    }

    /// A narrower choice around a value: a span shrinks to the values beside it on its grid, other choices stay.
    pub fn around(&self, value: f64, points: usize) -> Self {
        let Self::Span(low, high) = self else { return self.clone() };
        let step = (high / low).powf(1.0 / (points.max(2) - 1) as f64);
        Self::Span(rounded(value / step).max(*low), rounded(value * step).min(*high))
    }
}

/// Whether a parameter of this name takes whole numbers, in any kernel or map that has it.
fn is_whole(name: &str) -> bool {
    let kernels = KERNELS.iter().map(|kernel| &kernel.signature);
    let mut all = kernels.chain(MAPS.iter().map(|map| &map.signature)).flat_map(|signature| signature.params);
    all.any(|param| {
        (param.name == name || param.aliases.contains(&name)) && matches!(param.kind, Kind::Integer(..))
    })
}

/// To four digits: what is shown is what is used.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Span(low, high) => write!(f, "{low}..{high}"),
            Self::Whole(low, high) => write!(f, "{low}..{high}"),
            Self::List(values) => {
                f.write_str(&values.iter().map(f64::to_string).collect::<Vec<_>>().join("|"))
            }
            Self::Distances => f.write_str("?"),
        }
    }
}

impl FromStr for Values {
    type Err = ModelError;

    /// `LOW..HIGH`, values with `|` between them, one value, or `?`.
    fn from_str(text: &str) -> Result<Self, ModelError> {
        let wrong = |why: &str| {
            ModelError::Spec(format!("'{text}' {why}; write LOW..HIGH, values with | between them, or ?"))
        };
        let number = |part: &str| {
            let value = part.trim().parse::<f64>().ok().filter(|v| v.is_finite());
            value.ok_or_else(|| wrong(&format!("has '{}', which is no number", part.trim())))
        };
        if text.trim() == "?" {
            return Ok(Self::Distances);
        }
        let Some((low, high)) = text.split_once("..") else {
            return text.split('|').map(number).collect::<Result<_, _>>().map(Self::List);
        };
        if let (Ok(low), Ok(high)) = (low.trim().parse::<u64>(), high.trim().parse::<u64>())
            && (1..high).contains(&low)
            && high - low <= WHOLE
        {
            return Ok(Self::Whole(low, high));
        }
        let (low, high) = (number(low)?, number(high)?);
        if !(low > 0.0 && low < high) {
            return Err(wrong("is no range: it goes from a number above 0 to a larger one"));
        }
        Ok(Self::Span(low, high))
    }
}

/// The longest range of whole numbers that means each of them.
const WHOLE: u64 = 20;

impl Template {
    /// How many values are open.
    pub fn len(&self) -> usize {
        self.forms.iter().map(|form| form.open.len()).sum()
    }

    /// Whether no value is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every combination of values, so many of each span.
    pub fn grid(&self, points: usize) -> Vec<KernelExpr> {
        self.forms.iter().flat_map(|form| form.grid(points)).collect()
    }

    /// The expression with values drawn by chance.
    pub fn draw(&self, random: &mut impl RngExt) -> Result<KernelExpr, ModelError> {
        // Where there is nothing to choose nothing is drawn.
        let which = if self.forms.len() > 1 { random.random_range(0..self.forms.len()) } else { 0 };
        let form = &self.forms[which];
        let values: Vec<f64> = form.open.iter().map(|open| open.values.draw(random)).collect();
        form.fill(&values)
    }

    /// A template whose spans are narrower, around the values that an expression of this one has.
    pub fn around(&self, chosen: &KernelExpr, points: usize) -> Self {
        let found = self.forms.iter().find_map(|form| form.around(chosen, points));
        found.map_or_else(|| self.clone(), |form| Self { forms: vec![form] })
    }
}

impl Form {
    /// Every combination of values.
    fn values(&self, points: usize) -> Vec<Vec<f64>> {
        self.open.iter().fold(vec![Vec::new()], |all, open| combined(all, &open.values.grid(points)))
    }

    fn grid(&self, points: usize) -> Vec<KernelExpr> {
        self.values(points).iter().filter_map(|values| self.fill(values).ok()).collect()
    }

    /// The same with narrower spans; nothing where the expression is none of this form.
    fn around(&self, chosen: &KernelExpr, points: usize) -> Option<Self> {
        let is_it = |values: &Vec<f64>| self.fill(values).is_ok_and(|kernel| kernel == *chosen);
        let values = self.values(points).into_iter().find(is_it)?;
        let open = self
            .open
            .iter()
            .zip(values)
            .map(|(open, value)| Open { name: open.name.clone(), values: open.values.around(value, points) });
        Some(Self { around: self.around.clone(), open: open.collect() })
    }

    /// The expression with these values.
    fn fill(&self, values: &[f64]) -> Result<KernelExpr, ModelError> {
        let mut text = self.around[0].clone();
        for ((open, value), after) in self.open.iter().zip(values).zip(&self.around[1..]) {
            match open.values {
                Values::Distances => text.push_str(&format!("gamma={}", QUANTILES[*value as usize])),
                _ => text.push_str(&format!("{}={value}", open.name)),
            }
            text.push_str(after);
        }
        Ok(text.parse()?)
    }
}

/// Every choice so far with every value.
fn combined(all: Vec<Vec<f64>>, values: &[f64]) -> Vec<Vec<f64>> {
    all.iter().flat_map(|chosen| values.iter().map(move |&value| [&chosen[..], &[value]].concat())).collect()
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, form) in self.forms.iter().enumerate() {
            write!(f, "{}{form}", if number == 0 { "" } else { " | " })?;
        }
        Ok(())
    }
}

impl FromStr for Template {
    type Err = ModelError;

    /// Expressions with ` | ` between them.
    fn from_str(text: &str) -> Result<Self, ModelError> {
        let forms = alternatives(text).into_iter().map(|part| part.trim().parse());
        Ok(Self { forms: forms.collect::<Result<_, _>>()? })
    }
}

/// The parts of a text with `|` between them, but for those in brackets, which are between values.
fn alternatives(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.around[0])?;
        for (open, after) in self.open.iter().zip(&self.around[1..]) {
            write!(f, "{}={}{after}", open.name, open.values)?;
        }
        Ok(())
    }
}

impl FromStr for Form {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        let (mut around, mut open, mut rest) = (vec![String::new()], Vec::new(), text);
        while let Some(at) = rest.find('=') {
            let (before, after) = (&rest[..at], &rest[at + 1..]);
            let end = after.find([',', ')', ']']).unwrap_or(after.len());
            let value = &after[..end];
            let name_at = before.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
            let last = around.last_mut().expect("there is one at least");
            if value.contains("..") || value.contains('|') || value.trim() == "?" {
                last.push_str(&before[..name_at]);
                let name = before[name_at..].to_owned();
                let values = value.parse::<Values>()?.for_parameter(is_whole(&name));
                if values == Values::Distances
                    && !["sigma", "gamma", "g", "width", "w"].contains(&name.as_str())
                {
                    return Err(ModelError::Spec(format!(
                        "distances say nothing about {name}; write {name}=LOW..HIGH (? is for sigma and gamma)"
                    )));
                }
                open.push(Open { name, values });
                around.push(String::new());
            } else {
                last.push_str(&rest[..at + 1 + end]);
            }
            rest = &after[end..];
        }
        around.last_mut().expect("there is one at least").push_str(rest);
        let form = Self { around, open };
        // Whatever is wrong with the expression is wrong with its first filling too.
        let first: Vec<f64> = form.open.iter().map(|open| open.values.grid(2)[0]).collect();
        form.fill(&first)?;
        Ok(form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    fn template(text: &str) -> Template {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_printed_is_read_again() {
        for text in [
            "rbf",
            "rbf(sigma=0.1..10)",
            "0.5*rbf(gamma=?) + poly(degree=1..3, offset=0.1|1)",
            "rbf(gamma=1)[a, b]",
            "linear | rbf(sigma=0.1|1) | rbf(gamma=1)[a, b]",
        ] {
            let read = template(text);
            assert_eq!(read.to_string(), text);
            assert_eq!(template(&read.to_string()), read);
        }
    }

    #[test]
    fn grids_have_every_combination() {
        assert_eq!(template("rbf(sigma=0.1..10) + poly(degree=1..3)").grid(5).len(), 15);
        assert_eq!(template("linear").grid(5).len(), 1);
        let kernels = template("rbf(sigma=?)").grid(3);
        assert_eq!(kernels.len(), QUANTILES.len());
        assert_eq!(kernels[0], "rbf(gamma=q10)".parse().unwrap());
    }

    #[test]
    fn one_or_the_other_is_tried_drawn_and_narrowed() {
        let either = template("linear | rbf(sigma=0.1..10) | poly(degree=1|2)");
        let kernels = either.grid(3);
        let text: Vec<String> = kernels.iter().map(ToString::to_string).collect();
        assert_eq!((text.len(), text[0].as_str(), text[2].as_str()), (6, "linear", "rbf(sigma=1)"));
        assert_eq!((either.len(), template("linear | rbf").is_empty()), (2, true));
        assert_eq!(either.around(&kernels[2], 3), template("rbf(sigma=0.1..10)"));
        assert_eq!(either.around(&kernels[1], 3), template("rbf(sigma=0.1..1)"));
        assert_eq!(either.around(&kernels[0], 3), template("linear"));
        let mut random = Pcg64::seed_from_u64(1);
        let drawn: Vec<String> = (0..40).map(|_| either.draw(&mut random).unwrap().to_string()).collect();
        for name in ["linear", "rbf", "poly"] {
            assert!(drawn.iter().any(|text| text.starts_with(name)), "{name}: {drawn:?}");
        }
    }

    #[test]
    fn spans_are_even_on_a_logarithmic_scale_and_keep_their_ends() {
        assert_eq!(Values::Span(0.1, 1000.0).grid(5), [0.1, 1.0, 10.0, 100.0, 1000.0]);
        let narrow = Values::Span(0.1, 1000.0).around(10.0, 5);
        assert_eq!(narrow, Values::Span(1.0, 100.0));
        assert_eq!(Values::Span(0.1, 1000.0).around(1000.0, 5), Values::Span(100.0, 1000.0));
    }

    #[test]
    fn draws_are_within_their_values() {
        let mut random = Pcg64::seed_from_u64(1);
        for text in ["0.01..100", "1..4", "2|3|5", "?"] {
            let values: Values = text.parse().unwrap();
            for _ in 0..50 {
                let drawn = values.draw(&mut random);
                let fits = match &values {
                    Values::Span(low, high) => (*low..=*high).contains(&drawn),
                    Values::Whole(low, high) => {
                        drawn.fract() == 0.0 && (*low..=*high).contains(&(drawn as u64))
                    }
                    Values::List(values) => values.contains(&drawn),
                    Values::Distances => (drawn as usize) < QUANTILES.len(),
                };
                assert!(fits, "{text}: {drawn}");
            }
        }
    }

    #[test]
    fn what_is_no_template_is_an_error_that_says_why() {
        for (text, why) in [
            ("rbf(sigma=10..0.1)", "no range"),
            ("rbf(sigma=a..b)", "no number"),
            ("rbf(sigma=0..1.5)", "no range"),
            ("poly(degree=?)", "distances say nothing"),
            ("rbff(sigma=0.1..1)", "rbff"),
            ("rbf(sigma=0.1..1", "never closed"),
            ("rbf | ", "nothing to parse"),
        ] {
            let said = text.parse::<Template>().unwrap_err().to_string();
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}
