//! A kernel of your own: registered under a name, composed like any other, and measured.
#![allow(clippy::print_stdout)] // An example speaks.

use mercer::gram::Verdict;
use mercer::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut registry = Registry::new();
    // Words that two texts share, over words in either: a kernel, though Mercer cannot know that.
    registry.texts("words", |x, z| {
        let set = |text: &str| {
            text.split_whitespace().map(str::to_lowercase).collect::<std::collections::HashSet<_>>()
        };
        let (x, z) = (set(x), set(z));
        x.intersection(&z).count() as f64 / x.union(&z).count().max(1) as f64
    })?;
    // The length of the longer text: symmetric, and not a kernel.
    registry.texts("longer", |x, z| x.len().max(z.len()) as f64)?;

    let mut table = read("@sms", &ReadOptions::default())?.select(&(0..200).collect::<Vec<_>>());
    table.remove("label")?;
    for text in ["0.5*words + normalize(spectrum(k=3))", "longer"] {
        let kernel = registry.parse(text)?;
        let found = check(&kernel, &table, &registry, CheckOptions::default())?;
        let verdict = match &found.verdict {
            Verdict::Holds => "nothing against it".to_owned(),
            Verdict::Refuted(witness) => format!("refuted by {} rows", witness.rows.len()),
            Verdict::NotSymmetric(i, j) => format!("not symmetric for rows {i} and {j}"),
        };
        println!("{kernel}\n  proof:    {}\n  measured: {verdict}", found.proof.status);
    }
    Ok(())
}
