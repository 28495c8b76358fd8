//! `mercer stream`: each row is predicted, then learned.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::run::{Folder, SIX, binary};

#[test]
fn rows_are_predicted_before_they_are_learned() {
    let folder = Folder::new();
    let ran = folder.run_on(&["stream", "-k", "linear + 1", "-o", "s.mercer"], SIX.as_bytes());
    assert!(
        ran.stderr.starts_with("6 rows, ") && ran.stderr.ends_with("saved: s.mercer\n"),
        "{}",
        ran.stderr
    );
    let text = ran.exit(0);
    assert!(text.starts_with("row,predicted,label,mistake\n1,,-1,1\n"), "{text}");
    assert_eq!(text.lines().count(), 7);
    for line in text.lines().skip(2) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[1] == cells[2], cells[3] == "0", "{line}");
    }
    let shown = folder.run(&["predict", "s.mercer", "-"]);
    shown.refusal();
    folder.run_on(&["predict", "s.mercer", "-"], SIX.as_bytes()).exit(0);
}

#[test]
fn answers_come_while_rows_come() {
    let folder = Folder::new();
    let mut child = Command::new(binary())
        .args(["stream", "-k", "linear", "-o"])
        .arg(folder.path("s.mercer"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    input.write_all(b"a,label\n1,x\n").unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "row,predicted,label,mistake");
    // No more input is needed for the answer to what was given.
    assert_eq!(lines.next().unwrap().unwrap(), "1,,x,1");
    input.write_all(b"-1,y\n").unwrap();
    assert!(lines.next().unwrap().unwrap().starts_with("2,"));
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_stream_and_saves() {
    let folder = Folder::new();
    let mut child = Command::new(binary())
        .args(["stream", "-k", "linear", "-o"])
        .arg(folder.path("s.mercer"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    input.write_all(b"a,label\n1,x\n-1,y\n").unwrap();
    for _ in 0..3 {
        lines.next().unwrap().unwrap();
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    drop(input);
    folder.run(&["show", "s.mercer"]).exit(0);
}

#[test]
fn a_bad_row_does_not_lose_what_was_learned() {
    let folder = Folder::new();
    let input = "a,label\n1,x\n-1,y\nword,y\n";
    let ran = folder.run_on(&["stream", "-k", "linear", "-o", "s.mercer"], input.as_bytes());
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("row 3, column 'a'"), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("; the model of the 2 rows before is saved: s.mercer\n"), "{}", ran.stderr);
    let shown = folder.run(&["show", "s.mercer"]).answer();
    assert!(
        shown.contains("it was learned from a stream") && shown.contains("mistakes on the way"),
        "{shown}"
    );
    assert!(!shown.contains("nother program") && !shown.contains("solved:"), "{shown}");
    let machine = &folder.run(&["show", "s.mercer", "--json"]).json(0)["machines"][0];
    assert_eq!((&machine["solved"], &machine["ended"]), (&false.into(), &"the stream ended".into()));
}

#[test]
fn rows_that_cannot_be_learned() {
    let folder = Folder::new();
    for (input, expected) in [
        ("", "'standard input' is empty; a header and at least one row are needed"),
        ("a,label\n", "'standard input' has a header but no row below it"),
        ("a,b\n1,2\n", "no column 'label'"),
        ("label\nx\n", "there is no column besides the target"),
        ("a,label\n1,x\nnan,y\n", "row 2, column 'a': the value is missing"),
        ("a,label\n1,x\nword,y\n", "row 2, column 'a'"),
        ("a,label\n1,x\n2\n", "row 2: 1 cell"),
        ("a,label\n1,x\n2,y\n3,z\n", "row 3"),
    ] {
        let ran = folder.run_on(&["stream", "-k", "linear", "-o", "s.mercer"], input.as_bytes());
        assert_eq!(ran.code, Some(2), "{input:?}: {ran:?}");
        assert!(
            ran.stderr.starts_with("mercer: ") && ran.stderr.contains(expected),
            "{input:?}: {}",
            ran.stderr
        );
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
}

#[test]
fn names_are_not_known_beforehand() {
    let folder = Folder::new();
    let input = "a,c,label\n1,red,x\n-1,blue,y\n";
    let with = |kernel: &str| {
        let words = ["stream", "-k", kernel, "--kind", "c=categories", "-o", "s.mercer"];
        folder.run_on(&words, input.as_bytes())
    };
    let refused = with("rbf(sigma=1)");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let said = "row 1: column 'c' holds names, and a kernel on vectors needs all of them beforehand";
    assert!(refused.stderr.contains(said) && refused.stderr.contains("use delta[c]"), "{}", refused.stderr);
    with("rbf(sigma=1)[a] * delta[c]").exit(0);
    with("rbf(sigma=1)[a]").exit(0);
}
