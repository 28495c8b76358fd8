//! One cell: a number, missing, or something else.

/// What a cell holds when it is read as a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell {
    /// A finite number.
    Number(f64),
    /// Nothing, or one of the signs for it.
    Missing,
    /// `inf` in any spelling, or too large for `f64`.
    Infinite,
    /// A number with a comma in it, such as `1,5` or `1.234,5`.
    Comma,
    /// Anything else.
    Word,
}

/// The signs for a missing value, in any case; the empty cell is one as well.
pub(super) const MISSING: [&str; 9] = ["na", "n/a", "nan", "-nan", "null", "?", "-", ".", "#n/a"];

impl Cell {
    /// Reads a cell; blanks around it do not count.
    pub(super) fn of(cell: &str) -> Self {
        let cell = cell.trim_ascii();
        match cell.parse::<f64>() {
            Ok(value) if value.is_finite() => Self::Number(value),
            Ok(value) if value.is_nan() => Self::Missing,
            Ok(_) => Self::Infinite,
            Err(_) if cell.is_empty() || MISSING.iter().any(|m| cell.eq_ignore_ascii_case(m)) => {
                Self::Missing
            }
            Err(_) if has_decimal_comma(cell) => Self::Comma,
            Err(_) => Self::Word,
        }
    }
}

/// Digits, possibly in groups of three, then a comma, then digits: `1,5`, `-1.234,5`, `1,234,567`.
fn has_decimal_comma(cell: &str) -> bool {
    let unsigned = cell.strip_prefix(['+', '-']).unwrap_or(cell);
    let mantissa = unsigned.split_once(['e', 'E']).map_or(unsigned, |(mantissa, _)| mantissa);
    let Some((whole, fraction)) = mantissa.rsplit_once(',') else { return false };
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let mut groups = whole.split(['.', ',']);
    let first = groups.next().is_some_and(digits);
    // `1,234.5` has its comma between thousands and its point after them.
    let fraction = fraction.split_once('.').map_or(fraction, |(group, _)| group);
    first && groups.all(|g| digits(g) && g.len() == 3) && digits(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (cell, value) in [("1", 1.0), (" -2.5e3 ", -2500.0), (".5", 0.5), ("+4.", 4.0), ("1e-400", 0.0)] {
            assert_eq!(Cell::of(cell), Cell::Number(value), "{cell}");
        }
    }

    #[test]
    fn signs_for_missing() {
        for cell in ["", "  ", "NA", "n/a", "NaN", "nan", "NULL", "?", "-", ".", "#N/A", "+nan"] {
            assert_eq!(Cell::of(cell), Cell::Missing, "{cell}");
        }
    }

    #[test]
    fn infinities_commas_and_words() {
        for cell in ["inf", "-Infinity", "+INF", "1e999"] {
            assert_eq!(Cell::of(cell), Cell::Infinite, "{cell}");
        }
        for cell in ["1,5", "-1.234,5", "1,234,567", "2,5e3", "1,234.5"] {
            assert_eq!(Cell::of(cell), Cell::Comma, "{cell}");
        }
        for cell in ["a", "1,2,3", "1,", ",5", "12o", "0x10", "1 2", "1_000", "1.2.3", "１"] {
            assert_eq!(Cell::of(cell), Cell::Word, "{cell}");
        }
    }
}
