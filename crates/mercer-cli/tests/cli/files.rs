//! What is left on the disk: matrices that can be read again, and nothing after a failure.

use crate::run::{Folder, SIX};

#[test]
fn a_saved_matrix_is_read_again() {
    for name in ["K.npy", "K.csv", "K.NPY"] {
        let folder = Folder::with("six.csv", SIX);
        let made = folder.run(&["gram", "six.csv", "-k", "rbf(sigma=2)", "--out", name]).answer();
        let check = folder.run(&["check", name, "--kernel", "precomputed"]).answer();
        assert!(check.contains("verdict   valid on this data"), "{check}");
        let again = folder.run(&["gram", name, "--kernel", "precomputed"]).answer();
        let statistics = |text: &str| {
            text.lines().filter(|line| ["diagonal", "others"].iter().any(|w| line.starts_with(w))).count()
        };
        assert_eq!(statistics(&again), 2);
        assert!(again.lines().skip(2).take(2).eq(made.lines().skip(2).take(2)), "{made}{again}");
        assert_eq!(folder.names().len(), 2, "{:?}", folder.names());
    }
}

#[test]
fn both_endings_hold_the_same_numbers() {
    let folder = Folder::with("six.csv", SIX);
    for name in ["F.npy", "F.csv"] {
        assert_eq!(folder.run(&["features", "six.csv", "--map", "quadratic", "--out", name]).answer(), "");
    }
    let values = |name: &str| {
        let text = folder.run(&["features", name, "--map", "identity"]).answer();
        text.split_once('\n').unwrap().1.to_owned()
    };
    assert_eq!(values("F.npy"), values("F.csv"));
    let header = folder.bytes("F.csv");
    assert!(header.starts_with(b"a,b,a^2,b^2,a*b\n"));
}

#[test]
fn a_file_is_replaced_whole() {
    let folder = Folder::with("six.csv", SIX).and("K.csv", "something longer than the matrix\n".repeat(100));
    folder.run(&["gram", "six.csv", "-k", "linear", "--out", "K.csv"]).answer();
    let text = String::from_utf8(folder.bytes("K.csv")).unwrap();
    assert_eq!(text.lines().next(), Some("0,0,0,0,0,0"));
    assert_eq!(text.lines().last(), Some("0,3,4,21,24,25"));
}

#[cfg(unix)]
#[test]
fn a_file_has_the_rights_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with("six.csv", SIX);
    folder.shell("umask 022; $mercer gram six.csv -k rbf --out K.npy");
    let rights = std::fs::metadata(folder.path("K.npy")).unwrap().permissions().mode();
    assert_eq!(rights & 0o777, 0o644);
}

#[test]
fn a_failure_leaves_what_was_there() {
    let folder = Folder::with("negative.csv", "a,b\n1,-2\n3,4\n").and("K.npy", "old").and("K.svg", "old");
    folder.run(&["gram", "negative.csv", "-k", "chi2", "--out", "K.npy", "--plot", "K.svg"]).refusal();
    folder
        .run(&["features", "negative.csv", "-m", "polynomial(degree=9)", "-o", "K.npy", "--memory", "99B"])
        .refusal();
    assert_eq!((folder.bytes("K.npy"), folder.bytes("K.svg")), (b"old".to_vec(), b"old".to_vec()));
    assert_eq!(folder.names(), ["K.npy", "K.svg", "negative.csv"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_write_that_fails_half_way_leaves_what_was_there() {
    for (words, name) in [
        ("gram '@moons(n=200)' -k rbf --out K.npy", "K.npy"),
        ("gram '@moons(n=200)' -k rbf --out K.csv", "K.csv"),
        ("gram '@moons(n=200)' -k rbf --plot K.png", "K.png"),
        ("features '@moons(n=2000)' --map quadratic --out K.csv", "K.csv"),
    ] {
        let folder = Folder::with(name, "old");
        // Files may have eight blocks; a write beyond is an error and not a signal.
        let told = folder.shell(&format!("trap '' XFSZ; ulimit -f 8; exec $mercer {words}")).refusal();
        assert!(told.contains(name) && told.contains("File too large"), "{told}");
        assert_eq!(folder.bytes(name), b"old", "{words}");
        assert_eq!(folder.names(), [name], "{words}: something is left over");
    }
}
