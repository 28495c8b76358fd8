//! `mercer features`: CSV on stdout, files, counts.

use insta::assert_snapshot;

use crate::run::{Folder, SIX};

fn features(words: &[&str]) -> String {
    let words: Vec<&str> = ["features", "six.csv"].iter().chain(words).copied().collect();
    Folder::with("six.csv", SIX).run(&words).answer()
}

#[test]
fn csv_on_stdout() {
    assert_snapshot!(features(&["--map", "monomials(degree=2)"]), @"");
    assert_snapshot!(features(&["--map", "minmax", "--target", "b"]), @"");
}

#[test]
fn counts_without_building() {
    assert_snapshot!(features(&["--map", "quadratic", "--count"]), @"");
    assert_snapshot!(features(&["--map", "polynomial(degree=1000)", "--count"]), @"");
    let folder = Folder::with("wide.svm", "1 1:1 4000000000:2\n-1 2:1\n");
    assert_snapshot!(folder.run(&["features", "wide.svm", "--map", "quadratic", "--count"]).answer(), @"");
}

#[test]
fn what_is_printed_is_read_again() {
    let folder = Folder::with("features.csv", features(&["--map", "quadratic"]));
    assert_eq!(
        folder.run(&["features", "features.csv", "--map", "identity"]).answer(),
        features(&["--map", "quadratic"])
    );
}
