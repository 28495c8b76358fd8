//! The name of a built-in set with its parameters: `moons(n=500, noise=0.2, seed=7)`.

use super::{BuiltIn, DataError};

/// The most points that are generated.
const MOST: usize = 10_000_000;

/// A name and what stands in parentheses after it, not yet understood.
#[derive(Debug, PartialEq)]
pub(super) struct Spec<'a> {
    pub(super) name: &'a str,
    pub(super) parameters: Vec<(&'a str, &'a str)>,
}

/// The parameters of a generated set.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parameters {
    pub(super) n: usize,
    /// `None` is the default of the set.
    pub(super) noise: Option<f64>,
    pub(super) seed: u64,
}

impl<'a> Spec<'a> {
    pub(super) fn parse(spec: &'a str) -> Result<Self, DataError> {
        let malformed = || {
            let spec = spec.chars().take(60).flat_map(char::escape_default).collect();
            DataError::Malformed { spec }
        };
        let spec = spec.trim();
        let (name, inside) = match spec.split_once('(') {
            None => (spec, ""),
            Some((name, rest)) => (name.trim_end(), rest.strip_suffix(')').ok_or_else(malformed)?.trim()),
        };
        let is_name = |word: &str| {
            !word.is_empty()
                && word.len() <= 60
                && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        };
        if !is_name(name) {
            return Err(malformed());
        }
        let mut parameters: Vec<(&str, &str)> = Vec::new();
        for pair in inside.split(',').filter(|_| !inside.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or_else(malformed)?;
            let (key, value) = (key.trim(), value.trim());
            if !is_name(key) || value.is_empty() || value.len() > 60 || value.chars().any(char::is_control) {
                return Err(malformed());
            }
            if parameters.iter().any(|&(k, _)| k == key) {
                return Err(DataError::Repeated { name: key.to_owned() });
            }
            parameters.push((key, value));
        }
        Ok(Self { name, parameters })
    }

    /// The parameters as those of a generated set.
    pub(super) fn draw(&self, set: &BuiltIn) -> Result<Parameters, DataError> {
        let mut draw = Parameters { n: set.rows, noise: None, seed: 0 };
        for &(key, value) in &self.parameters {
            let refuse = |name, range| DataError::Value { name, value: value.to_owned(), range };
            match key {
                "n" => {
                    let n = value.parse().ok().filter(|n| (2..=MOST).contains(n));
                    draw.n = n.ok_or_else(|| refuse("n", "a whole number from 2 to 10000000"))?;
                }
                "noise" => {
                    let noise = value.parse().ok().filter(|noise| (0.0..=1000.0).contains(noise));
                    draw.noise = Some(noise.ok_or_else(|| refuse("noise", "a number from 0 to 1000"))?);
                }
                "seed" => {
                    let range = "a whole number from 0 to 18446744073709551615";
                    draw.seed = value.parse().map_err(|_| refuse("seed", range))?;
                }
                _ => return Err(DataError::UnknownParameter { set: set.name, name: key.to_owned() }),
            }
        }
        Ok(draw)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{builtin, load};

    fn draw(spec: &str) -> Result<Parameters, DataError> {
        Spec::parse(spec)?.draw(&builtin()[0])
    }

    #[test]
    fn parameters_are_read_in_any_order() {
        let expected = Parameters { n: 500, noise: Some(0.2), seed: 7 };
        assert_eq!(draw("moons(n=500, noise=0.2, seed=7)").unwrap(), expected);
        assert_eq!(draw(" moons ( seed = 7 ,n=500,noise=2e-1 ) ").unwrap(), expected);
        assert_eq!(draw("moons"), draw("moons()"));
    }

    #[test]
    fn malformed_specs_are_refused() {
        for spec in [
            "",
            "(",
            "()",
            "a b",
            "moons(",
            "moons(n=1",
            "moons(n)",
            "moons(n=)",
            "moons(=1)",
            "moons(n=1,)",
            "moons(n=1)x",
            "mööns",
        ] {
            assert!(matches!(draw(spec), Err(DataError::Malformed { .. })), "{spec}");
        }
        assert_eq!(draw("moons(n=5,n=6)"), Err(DataError::Repeated { name: "n".into() }));
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for spec in
            ["n=1", "n=-5", "n=1.5", "n=10000001", "noise=-1", "noise=nan", "noise=inf", "seed=-1", "seed=x"]
        {
            let error = draw(&format!("moons({spec})")).unwrap_err();
            assert!(matches!(error, DataError::Value { .. }), "{spec}");
            assert!(error.to_string().starts_with(spec), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_spec_makes_it_panic(spec in "[a-z(),=0-9. -]{0,40}") {
            prop_assume!(!spec.contains("n="));
            let _ = load(&spec);
        }
    }
}
