//! `mercer demo`: the main job on data that is shipped inside.

use clap::Parser;

use crate::args::{Arguments, Command, Demo};
use crate::output::{Answer, print};

pub(crate) fn run(demo: &Demo) -> anyhow::Result<Answer> {
    std::fs::create_dir_all(&demo.out).map_err(|error| anyhow::anyhow!("{}: {error}", demo.out.display()))?;
    let picture = demo.out.join("gram.svg");
    let picture = picture.to_string_lossy();
    print("Two interleaved half moons, 200 points. Is a sum of two kernels a kernel?\n\n")?;
    step(&["check", "@moons(n=200)", "--kernel", "0.5*rbf(sigma=1) + poly(degree=3)"])?;
    print("\nA kernel that is not one is caught, with rows that prove it:\n\n")?;
    step(&["check", "@circles(n=200)", "--kernel", "sigmoid(gamma=1, offset=-1)"])?;
    print("\nWhich width sees the two moons? Gram matrices for five of them, against the labels:\n\n")?;
    step(&[
        "gram",
        "@moons(n=200)",
        "--kernel",
        "rbf",
        "--sweep",
        "sigma=0.1,0.2,0.5,1,5",
        "--plot",
        &picture,
    ])?;
    print("\nKernels work on texts too, and compose: DNA by shared substrings.\n\n")?;
    step(&["gram", "@promoter", "--kernel", "normalize(spectrum(k=3) + spectrum(k=4))"])?;
    let model = demo.out.join("moons.mercer");
    let model = model.to_string_lossy();
    print("\nA machine that tells the moons apart, with the proof that it is as good as any:\n\n")?;
    let words = ["fit", "@moons(n=200)", "--kernel", "rbf(sigma=0.5)", "--loss", "hinge", "--C", "10"];
    step(&[&words[..], &["--out", &model]].concat())?;
    print("\nWhat each of these numbers bounds, in words:\n\n")?;
    step(&["show", &model])?;
    let iris = demo.out.join("iris.mercer");
    let iris = iris.to_string_lossy();
    print(
        "\nAnd without being told which kernel or C: kernels are compared on folds, and the score is of rows held out.\n\n",
    )?;
    step(&["auto", "@iris", "--out", &iris])?;
    let report = demo.out.join("report.html");
    let report = report.to_string_lossy();
    print("\nEverything about the first machine on one page, with pictures:\n\n")?;
    step(&["report", &model, "--out", &report])?;
    print(&format!(
        "\nThe report is in {report}, the Gram matrices in {picture}, the models in {model} and {iris}.\n\
         Next: mercer plot, mercer explain, mercer kernels, mercer data\n"
    ))?;
    Ok(Answer::Yes)
}

/// Shows a command and runs it, exactly as if it had been typed.
fn step(words: &[&str]) -> anyhow::Result<()> {
    let quoted: Vec<String> = words
        .iter()
        .map(
            |word| if word.contains([' ', '(', '*', '=']) { format!("'{word}'") } else { (*word).to_owned() },
        )
        .collect();
    print(&format!("$ mercer {}\n", quoted.join(" ")))?;
    match Arguments::try_parse_from(std::iter::once("mercer").chain(words.iter().copied()))?.command {
        Command::Auto(auto) => super::auto::run(&auto)?,
        Command::Check(check) => super::check::run(&check)?,
        Command::Fit(fit) => super::fit::run(&fit)?,
        Command::Gram(gram) => super::gram::run(&gram)?,
        Command::Report(report) => super::report::run(&report)?,
        Command::Show(show) => super::show::run(&show)?,
        other => anyhow::bail!("the demo does not use {other:?}"),
    };
    Ok(())
}
