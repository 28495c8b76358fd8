//! A refutation is not to be trusted but computed again: by a script that shares nothing with this workspace.

use std::process::Command;

use crate::run::binary;

#[test]
fn python_finds_the_same_negative_number() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/witness.py");
    // Where there is no Python there is nobody to ask.
    let Ok(output) = Command::new("python3").args([script, binary()]).output() else { return };
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.ends_with("all witnesses hold\n"), "{told}");
}
