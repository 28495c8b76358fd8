//! `mercer features`: CSV on stdout, files, counts.

use insta::assert_snapshot;

use crate::run::{Folder, SIX};

fn features(words: &[&str]) -> String {
    let words: Vec<&str> = ["features", "six.csv"].iter().chain(words).copied().collect();
    Folder::with("six.csv", SIX).run(&words).answer()
}

#[test]
fn csv_on_stdout() {
    assert_snapshot!(features(&["--map", "monomials(degree=2)"]), @"
    constant,a,b,a^2,a*b,b^2
    1,0,0,0,0,0
    1,1,0,1,0,0
    1,0,1,0,0,1
    1,3,3,9,9,9
    1,4,3,16,12,9
    1,3,4,9,12,16
    ");
    assert_snapshot!(features(&["--map", "minmax", "--target", "b"]), @"
    a,label
    0,0
    0.25,0
    0,0
    0.75,1
    1,1
    0.75,1
    ");
}

#[test]
fn counts_without_building() {
    assert_snapshot!(features(&["--map", "quadratic", "--count"]), @"quadratic: 2 columns to 5 features; kernel: quadratic");
    assert_snapshot!(features(&["--map", "polynomial(degree=1000)", "--count"]), @"polynomial(degree=1000, offset=1): 2 columns to 501501 features; kernel: poly(degree=1000)");
    let folder = Folder::with("wide.svm", "1 1:1 4000000000:2\n-1 2:1\n");
    assert_snapshot!(folder.run(&["features", "wide.svm", "--map", "quadratic", "--count"]).answer(), @"quadratic: 4000000000 columns to 8000000006000000000 features; kernel: quadratic");
}

#[test]
fn what_is_printed_is_read_again() {
    let folder = Folder::with("features.csv", features(&["--map", "quadratic"]));
    assert_eq!(
        folder.run(&["features", "features.csv", "--map", "identity"]).answer(),
        features(&["--map", "quadratic"])
    );
}
