//! Ctrl-C ends a fit with what there is; a killed one leaves nothing behind.

#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::run::{Folder, binary};

/// A fit that would take minutes.
fn endless(folder: &Folder) -> Child {
    Command::new(binary())
        .args([
            "fit",
            "@moons(n=30000, noise=0.4)",
            "-k",
            "rbf(sigma=0.1)",
            "--C",
            "1e6",
            "--tolerance",
            "1e-12",
        ])
        .args(["--loss", "hinge", "-o"])
        .arg(folder.path("m.mercer"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn the_first_signal_keeps_what_there_is() {
    for name in ["-INT", "-TERM"] {
        let folder = Folder::new();
        let child = endless(&folder);
        sleep(Duration::from_secs(2));
        signal(&child, name);
        let asked = Instant::now();
        let output = child.wait_with_output().unwrap();
        let took = asked.elapsed();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(took < Duration::from_secs(4), "{name}: it took {took:?} to end");
        assert!(told.contains("not certified: stopped by the user; the relative gap is "), "{told}");
        assert!(String::from_utf8(output.stdout).unwrap().contains("certified no\n"));
        let shown = folder.run(&["show", "m.mercer", "--json"]).json(0);
        assert_eq!(shown["certified"], false);
        assert_eq!(shown["machines"][0]["ended"], "stopped by the user");
        let mercer = &shown["machines"][0]["certificate"]["mercer"];
        assert_eq!(mercer, "positive semi-definite by construction", "a proof needs no time");
        assert_eq!(folder.names(), ["m.mercer"]);
    }
}

#[test]
fn the_second_signal_ends_at_once() {
    let folder = Folder::new();
    let mut child = endless(&folder);
    sleep(Duration::from_millis(500));
    // Whichever comes first, the end of the fit or the second signal: it is never more than that.
    for _ in 0..2 {
        let _gone =
            Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
        sleep(Duration::from_millis(1));
    }
    let code = child.wait().unwrap().code();
    assert!(matches!(code, Some(130 | 1)), "{code:?}");
}

#[test]
fn a_kill_leaves_nothing() {
    let folder = Folder::new();
    let mut child = endless(&folder);
    sleep(Duration::from_millis(700));
    signal(&child, "-KILL");
    child.wait().unwrap();
    assert_eq!(folder.names(), Vec::<String>::new());
}
