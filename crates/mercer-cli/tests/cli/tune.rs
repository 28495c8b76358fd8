//! `mercer tune`: what it finds, what it refuses, and that a killed search goes on.

use crate::run::Folder;

/// A search of nine candidates in three folds.
const SMALL: [&str; 9] =
    ["tune", "@moons(n=120)", "-k", "rbf(sigma=0.1..3)", "--C", "0.1..100", "--points", "3", "--folds=3"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SMALL[..], more].concat()
}

#[test]
fn the_best_candidate_is_fitted_on_all_rows() {
    let folder = Folder::new();
    let found = folder.run(&with(&["--json", "-o", "m.mercer", "--table", "t.csv"])).json(0);
    assert_eq!(found["trials"].as_array().unwrap().len(), 9);
    assert_eq!((found["metric"].as_str(), found["splits"].as_u64()), (Some("accuracy"), Some(3)));
    assert!(found["best"]["mean"].as_f64().unwrap() > 0.9);
    assert_eq!(found["model"]["certified"], true);
    let shown = folder.run(&["show", "m.mercer", "--json"]).json(0);
    assert_eq!(shown["kernel"], found["best"]["kernel"]);
    let table = String::from_utf8(folder.bytes("t.csv")).unwrap();
    assert_eq!(table.lines().count(), 10);
    assert!(
        table.starts_with("kernel,strength,value,rows,mean,standard_error,split_1,split_2,split_3\n"),
        "{table}"
    );
}

#[test]
fn it_says_what_was_tried_and_what_won() {
    let told = Folder::new().run(&with(&["--choose", "simplest"])).exit(0);
    for part in
        ["searched  9 candidates, grid(3) on 3 splits of @moons", "accuracy", "chosen    C=", "saved     no"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn other_searches_and_other_ways_to_judge() {
    let folder = Folder::with("g.csv", grouped());
    for more in [
        &["--search", "random", "--draws", "3"][..],
        &["--search", "halving"],
        &["--search", "refine", "--rounds", "2"],
        &["--repeats", "2", "--metric", "auc"],
    ] {
        folder.run(&with(more)).exit(0);
    }
    let base = ["tune", "g.csv", "--target", "y", "--points", "2", "-k", "rbf(sigma=0.5|2)"];
    for more in [
        &["--groups", "who", "--folds", "3"][..],
        &["--hold-out", "0.3"],
        &["--ordered", "2", "--scale", "minmax"],
    ] {
        folder.run(&[&base[..], more].concat()).exit(0);
    }
}

fn grouped() -> String {
    let row = |i: usize| {
        format!("{},{},{},{}\n", i % 7, (i * i) % 11, i / 5, if (i * 3) % 7 < 3 { "yes" } else { "no" })
    };
    std::iter::once("a,b,who,y\n".to_owned()).chain((0..60).map(row)).collect()
}

#[test]
fn what_cannot_be_searched_is_one_clear_line() {
    let folder = Folder::with("g.csv", grouped());
    for (words, said) in [
        (&["tune", "@moons", "-k", "rbf(sigma=3..1)"][..], "no range"),
        (&["tune", "@moons", "-k", "rbff(sigma=1..3)"], "rbff"),
        (&["tune", "@moons", "--C", "?"], "distances say nothing"),
        (&["tune", "@moons", "--C", "many"], "no number"),
        (&["tune", "@moons", "--search", "magic"], "grid, random, halving or refine"),
        (&["tune", "@moons", "--metric", "acuracy"], "accuracy"),
        (&["tune", "@moons", "--choose", "worst"], "best or simplest"),
        (&["tune", "@moons(n=20)", "--folds", "50"], "50 folds"),
        (&["tune", "g.csv", "--target", "y", "--groups", "nobody"], "nobody"),
        (
            &["tune", "g.csv", "--target", "y", "--groups", "who", "--ordered", "3"],
            "--groups goes with --folds",
        ),
        (&["tune", "@moons", "--table", "t.txt"], "csv"),
    ] {
        let told = folder.run(words).refusal();
        assert!(told.contains(said), "{words:?}: {told}");
    }
}

#[cfg(unix)]
#[test]
fn a_search_that_was_killed_goes_on_and_ends_with_the_same_table() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let folder = Folder::new();
    let words = [
        "tune",
        "@chessboard(n=1500)",
        "-k",
        "rbf(sigma=0.1..3)",
        "--C",
        "1..1000",
        "--points",
        "6",
        "--folds",
        "3",
    ];
    folder.run(&[&words[..], &["--table", "whole.csv"]].concat()).exit(0);
    let kept = [&words[..], &["--journal", "j", "--table", "resumed.csv"]].concat();
    let mut child = Command::new(crate::run::binary())
        .args(&kept)
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let lines = || std::fs::read_to_string(folder.path("j")).map_or(0, |text| text.lines().count());
    while lines() < 13 && began.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = lines();
    assert!((2..109).contains(&before), "{before} lines");
    folder.run(&kept).exit(0);
    assert_eq!(folder.bytes("resumed.csv"), folder.bytes("whole.csv"));
}
