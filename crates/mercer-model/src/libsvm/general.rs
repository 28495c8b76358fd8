//! Numbers as C's `%g` prints them, since the files of LIBSVM are written so.
//!
//! With P significant digits and the decimal exponent X of the rounded number: fixed-point where −4 ≤ X < P, otherwise
//! mantissa and exponent; trailing zeros are dropped. 17 digits read back as the same `f64`.

use std::fmt;

/// A number that displays like `%.{digits}g`.
///
/// ```
/// use mercer_model::libsvm::General;
/// assert_eq!(General::short(1.0 / 3.0).to_string(), "0.333333");
/// assert_eq!(General::exact(0.1).to_string(), "0.10000000000000001");
/// assert_eq!(General::short(1e-7).to_string(), "1e-07");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct General {
    value: f64,
    digits: usize,
}

impl General {
    /// Six digits, `%g`.
    pub fn short(value: f64) -> Self {
        Self { value, digits: 6 }
    }

    /// Seventeen digits, `%.17g`: reads back as the same number.
    pub fn exact(value: f64) -> Self {
        Self { value, digits: 17 }
    }
}

impl fmt::Display for General {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.value.is_finite() {
            return f.write_str(match (self.value.is_nan(), self.value > 0.0) {
                (true, _) => "nan",
                (_, true) => "inf",
                _ => "-inf",
            });
        }
        let scientific = format!("{:.*e}", self.digits - 1, self.value);
        let (mantissa, exponent) = scientific.split_once('e').expect("`{:e}` always writes an exponent");
        let exponent: i32 = exponent.parse().expect("`{:e}` writes the exponent as a whole number");
        if exponent < -4 || exponent >= self.digits as i32 {
            let sign = if exponent < 0 { '-' } else { '+' };
            return write!(f, "{}e{sign}{:02}", trimmed(mantissa), exponent.abs());
        }
        let decimals = (self.digits as i32 - 1 - exponent) as usize;
        f.write_str(trimmed(&format!("{:.decimals$}", self.value)))
    }
}

/// The same without zeros at the end of a fraction.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn as_c_prints_them() {
        // Made with printf of glibc.
        for (value, short, exact) in [
            (0.0, "0", "0"),
            (-0.0, "-0", "-0"),
            (1.0, "1", "1"),
            (-2.5, "-2.5", "-2.5"),
            (0.1, "0.1", "0.10000000000000001"),
            (2.0 / 3.0, "0.666667", "0.66666666666666663"),
            (1e-4, "0.0001", "0.0001"),
            (1e-5, "1e-05", "1.0000000000000001e-05"),
            (123456.0, "123456", "123456"),
            (1234567.0, "1.23457e+06", "1234567"),
            (999999.5, "1e+06", "999999.5"),
            (0.000099999996, "0.0001", "9.9999995999999994e-05"),
            (1000.125, "1000.12", "1000.125"),
            (1e17, "1e+17", "1e+17"),
            (1e16, "1e+16", "10000000000000000"),
            (-1.5e300, "-1.5e+300", "-1.5000000000000001e+300"),
            (5e-324, "4.94066e-324", "4.9406564584124654e-324"),
            (f64::INFINITY, "inf", "inf"),
            (f64::NEG_INFINITY, "-inf", "-inf"),
        ] {
            assert_eq!(General::short(value).to_string(), short);
            assert_eq!(General::exact(value).to_string(), exact);
        }
    }

    proptest! {
        #[test]
        fn seventeen_digits_read_back(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(General::exact(value).to_string().parse::<f64>().unwrap().to_bits(), bits);
        }
    }
}
