//! `mercer explain`: the words of the field, a page each.

use anyhow::bail;
use mercer::points::nearest;

use crate::args::Explain;
use crate::output::{Answer, columns, print};

/// A page; its first line is `name: what it is, in a line`.
macro_rules! topics {
    ($($name:literal),* $(,)?) => {
        /// In the order in which a beginner may read them.
        const TOPICS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../topics/", $name, ".txt")))),*];
    };
}

topics![
    "kernel",
    "gram",
    "mercer",
    "margin",
    "slack",
    "support-vector",
    "loss",
    "c-vs-lambda",
    "sigma-vs-gamma",
    "scaling",
    "offset",
    "weights",
    "multi-class",
    "nu",
    "hard-margin",
    "certificate",
    "duality-gap",
    "kkt",
    "convergence",
];

pub(crate) fn run(options: &Explain) -> anyhow::Result<Answer> {
    let Some(name) = &options.topic else {
        let rows: Vec<Vec<String>> =
            TOPICS.iter().map(|(name, page)| vec![(*name).to_owned(), summary(page).to_owned()]).collect();
        print(&columns(&rows))?;
        print("\nmercer explain TOPIC: a page, with something to try.\n")?;
        return Ok(Answer::Yes);
    };
    let wanted = normal(name);
    let Some((_, page)) = TOPICS.iter().find(|(topic, _)| *topic == wanted) else {
        let hint = near(&wanted).map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
        bail!("there is no topic '{name}'{hint} (mercer explain lists them)");
    };
    print(page)?;
    Ok(Answer::Yes)
}

/// A name as the list has it: `C vs λ` is c-vs-lambda.
fn normal(name: &str) -> String {
    let mut name = name.to_lowercase().replace('_', " ");
    for (letter, word) in [('λ', "lambda"), ('σ', "sigma"), ('ς', "sigma"), ('γ', "gamma"), ('ν', "nu")]
    {
        name = name.replace(letter, word);
    }
    name.split_whitespace().collect::<Vec<_>>().join("-")
}

/// What stands after the name in the first line.
fn summary(page: &str) -> &str {
    let first = page.lines().next().unwrap_or_default();
    first.split_once(": ").map_or(first, |(_, rest)| rest)
}

/// The nearest name, also by a word of it: `gap` is duality-gap, `lambda` is c-vs-lambda.
fn near(wanted: &str) -> Option<&'static str> {
    let names = || TOPICS.iter().map(|(name, _)| *name);
    nearest(wanted, names()).or_else(|| {
        let words = names().flat_map(|name| name.split('-')).filter(|word| word.len() > 2);
        let word = nearest(wanted, words)?;
        names().find(|name| name.split('-').any(|part| part == word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_short_and_has_something_to_try() {
        for (name, page) in TOPICS {
            assert!(page.starts_with(&format!("{name}: ")), "{name}");
            assert!(page.lines().count() <= 25, "{name} has {} lines", page.lines().count());
            assert!(page.lines().all(|line| line.chars().count() <= 92), "{name} is too wide");
            assert!(page.contains("\n  mercer "), "{name} has no example");
        }
    }

    #[test]
    fn no_page_is_forgotten() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/topics");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), TOPICS.len());
    }

    #[test]
    fn spaces_capitals_and_greek_letters_are_all_the_same() {
        for (said, name) in [
            ("C vs λ", "c-vs-lambda"),
            ("C vs lambda", "c-vs-lambda"),
            ("σ vs γ", "sigma-vs-gamma"),
            ("Sigma_vs_Gamma", "sigma-vs-gamma"),
            (" support  vector ", "support-vector"),
            ("Duality-Gap", "duality-gap"),
            ("ν", "nu"),
        ] {
            assert_eq!(normal(said), name);
            assert!(TOPICS.iter().any(|(topic, _)| *topic == name));
        }
    }

    #[test]
    fn a_word_of_a_name_finds_it() {
        assert_eq!(near("gap"), Some("duality-gap"));
        assert_eq!(near("lamda"), Some("c-vs-lambda"));
        assert_eq!(near("kernels"), Some("kernel"));
        assert_eq!(near("zzzzzz"), None);
    }
}
