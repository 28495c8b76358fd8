//! `mercer gram`: statistics, alignment, spectrum, sweeps.

use insta::assert_snapshot;

use crate::run::{Folder, Ran, SIX, rounded, steady};

fn gram(words: &[&str]) -> Ran {
    let words: Vec<&str> = ["gram", "six.csv"].iter().chain(words).copied().collect();
    Folder::with("six.csv", SIX).run(&words)
}

#[test]
fn one_kernel() {
    assert_snapshot!(steady(&gram(&["-k", "rbf(sigma=2)"]).answer()), @"");
    assert_snapshot!(steady(&gram(&["-k", "linear", "--target", "b"]).answer()), @"");
    assert_snapshot!(steady(&gram(&["-k", "sigmoid(offset=-1)"]).answer()), @"");
}

#[test]
fn a_sweep() {
    assert_snapshot!(gram(&["-k", "rbf", "--sweep", "sigma=0.1,2,50"]).answer(), @"");
    assert_snapshot!(gram(&["-k", "rbf[a] + linear", "--sweep", "gamma = 0.5, 2"]).answer(), @"");
}

#[test]
fn for_programs() {
    assert_snapshot!(format!("{:#}", rounded(gram(&["-k", "rbf(sigma=2)", "--json"]).json(0))), @"");
    let sweep = gram(&["-k", "rbf", "--sweep", "sigma=1,2", "--json"]).json(0);
    let kernels: Vec<&str> = sweep.as_array().unwrap().iter().map(|row| row["kernel"].as_str().unwrap()).collect();
    assert_eq!(kernels, ["rbf(sigma=1)", "rbf(sigma=2)"]);
}

#[test]
fn one_row_has_nothing_beside_the_diagonal() {
    let folder = Folder::with("one.csv", "a,b\n1,2\n");
    assert_snapshot!(steady(&folder.run(&["gram", "one.csv", "-k", "rbf(sigma=1)"]).answer()), @"");
}

#[test]
fn one_class_says_nothing() {
    let folder = Folder::with("one.csv", "a,b,kind\n1,2,x\n3,4,x\n5,7,x\n");
    let ran = folder.run(&["gram", "one.csv", "-k", "rbf(sigma=1)", "--target", "kind"]);
    assert_snapshot!(ran.stderr, @"");
    assert!(ran.exit(0).contains("alignment "));
}

#[test]
fn texts_and_mixed_tables() {
    let table = "name,size,label\nanna,1,x\nhanna,2,x\notto,7,y\nlotto,9,y\n";
    let folder = Folder::with("people.csv", table);
    let kernel = "normalize(spectrum(k=2)[name]) + rbf(sigma=2)[size]";
    assert_snapshot!(steady(&folder.run(&["gram", "people.csv", "-k", kernel]).answer()), @"");
}

#[test]
fn distances_that_tell_nothing_apart_are_warned_of() {
    // Corners of a cube and its middle: twelve dimensions, and every two corners are equally far apart.
    let rows: Vec<String> = (0..12)
        .map(|i| (0..12).map(|j| if i == j { "1" } else { "0" }).collect::<Vec<_>>().join(","))
        .collect();
    let folder = Folder::with("corners.csv", rows.join("\n"));
    let ran = folder.run(&["gram", "corners.csv", "-k", "rbf(sigma=1)"]);
    assert_snapshot!(ran.stderr, @"");
    assert_eq!(ran.code, Some(0));
    assert_eq!(folder.run(&["gram", "corners.csv", "-k", "linear"]).stderr, "", "no distance, no warning");
}

#[test]
fn a_picture_is_told_of_on_the_side() {
    for ending in ["svg", "png"] {
        let folder = Folder::with("six.csv", SIX);
        let picture = format!("gram.{ending}");
        let ran = folder.run(&["gram", "six.csv", "-k", "rbf(sigma=2)", "--plot", &picture, "--dark"]);
        assert_eq!(ran.stderr, format!("drawn: {picture}\n"));
        assert_eq!(ran.exit(0), gram(&["-k", "rbf(sigma=2)"]).answer(), "the data are those without a picture");
        let start: &[u8] = if ending == "svg" { b"<svg" } else { b"\x89PNG" };
        assert!(folder.bytes(&picture).starts_with(start));
    }
}

#[test]
fn threads_do_not_change_a_digit() {
    let with = |threads: &str| gram(&["-k", "rbf(sigma=2) + linear", "--json", "--threads", threads]).answer();
    assert_eq!(with("1"), with("3"));
}
