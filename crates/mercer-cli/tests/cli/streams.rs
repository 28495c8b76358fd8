//! Where data come from and go to: standard input, packed files, pipes that close early, disks that are full.

use std::io::Read;
use std::process::{Command, Stdio};

use crate::run::{Folder, PACKED, SIX, binary};

const PLAIN: &str = "a,b\n1,2\n3,4\n5,7\n";

#[test]
fn packed_and_piped_data_are_the_same_data() {
    let folder = Folder::with("plain.csv", PLAIN).and("packed.csv.gz", PACKED);
    let statistics = |source: &str, input: &[u8]| {
        let text = folder.run_on(&["gram", source, "-k", "rbf(sigma=2)"], input).answer();
        let (first, rest) = text.split_once('\n').unwrap();
        (first.to_owned(), rest.to_owned())
    };
    let (name, plain) = statistics("plain.csv", b"");
    assert_eq!(name, "3 rows of plain.csv");
    assert_eq!(statistics("packed.csv.gz", b""), ("3 rows of packed.csv.gz".to_owned(), plain.clone()));
    assert_eq!(statistics("-", PLAIN.as_bytes()), ("3 rows of standard input".to_owned(), plain.clone()));
    assert_eq!(statistics("-", PACKED), ("3 rows of standard input".to_owned(), plain));
}

#[test]
fn every_format_is_guessed_from_what_it_looks_like() {
    let tabs = SIX.replace(',', "\t");
    let sparse = "-1\n-1 1:1\n-1 2:1\n1 1:3 2:3\n1 1:4 2:3\n1 1:3 2:4\n";
    let rest = |input: &str| {
        let text = Folder::new().run_on(&["gram", "-", "-k", "poly"], input.as_bytes()).answer();
        text.split_once('\n').unwrap().1.to_owned()
    };
    assert_eq!(rest(SIX), rest(&tabs));
    assert_eq!(rest(SIX), rest(sparse));
}

#[test]
fn a_pipe_that_closes_early_is_no_error() {
    let long = ["features", "@moons(n=20000)", "--map", "quadratic"];
    for words in [&long[..], &["kernels"], &["manual"], &["completions", "bash"], &["--help"]] {
        for bytes in [0, 10] {
            let mut command = Command::new(binary());
            let mut child =
                command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut pipe = child.stdout.take().unwrap();
            pipe.read_exact(&mut vec![0; bytes]).unwrap();
            drop(pipe);
            let output = child.wait_with_output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
            assert_eq!(output.status.code(), Some(0), "{words:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::with("six.csv", SIX);
    for line in [
        "$mercer kernels > /dev/full",
        "$mercer features six.csv --map identity > /dev/full",
        "$mercer gram six.csv -k rbf > /dev/full",
        "$mercer manual > /dev/full",
    ] {
        let told = folder.shell(line).refusal();
        assert_eq!(told, "cannot write to standard output: No space left on device", "{line}");
    }
}
