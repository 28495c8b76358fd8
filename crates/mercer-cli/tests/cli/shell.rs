//! Help, the manual page, completions and the demo.

use std::process::Command;

use insta::assert_snapshot;

use crate::run::Folder;

const COMMANDS: [&str; 21] = [
    "demo",
    "auto",
    "fit",
    "predict",
    "show",
    "plot",
    "report",
    "stream",
    "gram",
    "check",
    "features",
    "learners",
    "kernels",
    "maps",
    "data",
    "explain",
    "svm-train",
    "svm-predict",
    "svm-scale",
    "completions",
    "manual",
];

/// Pages name the version, which is not theirs to hold.
fn unversioned(text: &str) -> String {
    text.replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[test]
fn help_of_every_command() {
    let folder = Folder::new();
    let mut pages = folder.run(&["--help"]).answer();
    for command in COMMANDS {
        pages += &format!("\n==== {command}\n{}", folder.run(&[command, "--help"]).answer());
    }
    assert_snapshot!("help", pages);
}

#[test]
fn nothing_asked_is_met_with_help() {
    let folder = Folder::new();
    let (help, ran) = (folder.run(&["--help"]).answer(), folder.run::<&str>(&[]));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr), (Some(2), "", help));
}

#[test]
fn the_version() {
    let version = Folder::new().run(&["--version"]).answer();
    assert_eq!(unversioned(&version), "mercer VERSION\n");
}

#[test]
fn the_manual_page() {
    assert_snapshot!("manual", unversioned(&Folder::new().run(&["manual"]).answer()));
}

#[test]
fn completions_know_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&["completions", shell]).answer();
        for word in COMMANDS.iter().chain(&["sweep", "repair", "missing"]) {
            assert!(script.contains(word), "{shell}: no {word}");
        }
        // Where the shell is there, it must find nothing wrong.
        let folder = Folder::with("script", &script);
        let read = Command::new(shell).arg("-n").arg(folder.path("script")).output();
        if let (true, Ok(output)) = (["bash", "zsh", "fish"].contains(&shell), read) {
            assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn the_demo_runs_what_it_shows() {
    let folder = Folder::new();
    let ran = folder.run(&["demo", "--out", "tour"]);
    assert_eq!(ran.stderr, "drawn: tour/gram.svg\nwritten: tour/report.html\n");
    let text = ran.exit(0);
    // Results depend on the machine in their last digits; the first word of a line does not.
    let told = |line: &str| match line.split_once(' ') {
        Some((first, rest)) if !first.is_empty() && rest.starts_with(' ') => format!("{first} …"),
        Some((_, rest))
            if line.starts_with(['$', ' ']) || rest.contains(". ") || line.ends_with([':', '?', '.']) =>
        {
            line.to_owned()
        }
        Some((first, _)) => format!("{first} …"),
        None => line.to_owned(),
    };
    // Where a paragraph is broken depends on the digits in it.
    let structure: Vec<String> = text
        .lines()
        .filter(|line| !line.starts_with("              "))
        .map(|line| match line {
            vector if vector.starts_with("  v = ") => "  v = …".to_owned(),
            score if score.starts_with("  0.") || score.starts_with("  1 ") => "  …".to_owned(),
            line => told(line),
        })
        .collect();
    assert_snapshot!("demo", structure.join("\n"));
    assert!(folder.bytes("tour/gram.svg").starts_with(b"<svg"));
    assert!(folder.bytes("tour/report.html").starts_with(b"<!DOCTYPE html>"));
    folder.run(&["predict", "tour/moons.mercer", "@moons(n=5)"]).exit(0);
    assert_eq!(folder.names(), ["tour"]);
}
