//! `mercer check`: proof, measurement, witness and exit code.

use insta::assert_snapshot;
use serde_json::Value;

use crate::run::{Folder, INDEFINITE, REPEATED, SIX, keys, rounded, steady};

fn check(file: (&str, &str), kernel: &str, code: i32) -> String {
    let folder = Folder::with(file.0, file.1);
    steady(&folder.run(&["check", file.0, "--kernel", kernel]).exit(code))
}

#[test]
fn a_valid_kernel() {
    assert_snapshot!(check(("six.csv", SIX), "0.5*rbf(sigma=1) + poly(degree=2)", 0), @"");
}

#[test]
fn a_kernel_of_low_rank() {
    assert_snapshot!(check(("six.csv", SIX), "linear@standardize", 0), @"");
}

#[test]
fn a_kernel_that_is_valid_on_some_points() {
    assert_snapshot!(check(("six.csv", SIX), "normalize(chi2 + 1) * tanimoto[a]", 0), @"");
}

#[test]
fn a_kernel_that_is_refuted() {
    assert_snapshot!(check(("six.csv", SIX), "sigmoid(gamma=1, offset=-1)", 1), @"");
    assert_snapshot!(check(("six.csv", SIX), "rbf(sigma=1) + 3*tanh(offset=-1)", 1), @"");
}

#[test]
fn a_matrix_of_which_nothing_is_known() {
    assert_snapshot!(check(("K.csv", "2,1\n1,2\n"), "precomputed", 0), @"");
}

#[test]
fn repeated_rows() {
    assert_snapshot!(check(("repeated.csv", REPEATED), "rbf(sigma=1)", 0), @"");
    assert_snapshot!(check(("repeated.csv", REPEATED), "linear", 0), @"");
    let matrix = "2,1,2\n1,2,1\n2,1,2\n";
    let found = check(("K.csv", matrix), "precomputed", 0);
    assert!(found.contains("repeated  1 row: row 3 repeats row 1\n"), "{found}");
}

#[test]
fn one_row_is_enough() {
    assert_snapshot!(check(("one.csv", "a,b\n1,2\n"), "rbf", 0), @"");
}

#[test]
fn a_column_that_never_changes_and_a_row_of_zeros() {
    for kernel in ["rbf", "rbf@standardize", "rbf@minmax", "linear", "chi2", "matern", "normalize(linear + 1)"] {
        check(("constant.csv", "a,b\n1,0\n1,1\n1,2\n"), kernel, 0);
        check(("zeros.csv", "a,b\n0,0\n0,0\n0,0\n"), kernel, 0);
    }
}

#[test]
fn beyond_all_eigenvalues_nothing_is_confirmed() {
    let folder = Folder::new();
    let text = folder.run(&["check", "@circles(n=2100)", "--kernel", "rbf(sigma=0.5)"]).answer();
    let begins = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap();
    assert!(begins("smallest").starts_with("smallest  eigenvalue at most "), "{text}");
    assert!(begins("smallest").contains(" Lanczos steps"), "{text}");
    assert!(begins("rank").starts_with("rank      at least "), "{text}");
    assert_eq!(begins("verdict"), "verdict   not refuted on this data: no eigenvalue below zero was found");
    let refuted = ["check", "@circles(n=2100)", "--kernel", "sigmoid(offset=-1)"];
    assert!(folder.run(&refuted).exit(1).contains("verdict   refuted: v^T K v = -"));
}

#[test]
fn rows_are_sampled_and_numbered_as_in_the_file() {
    let folder = Folder::with("repeated.csv", REPEATED);
    let sampled = folder.run(&["check", "repeated.csv", "-k", "rbf(sigma=1)", "--sample", "4", "--json"]).json(0);
    assert_eq!((&sampled["rows"], &sampled["measured"]), (&Value::from(5), &Value::from(4)));
    for pair in sampled["duplicates"].as_array().unwrap() {
        assert!([1, 3, 5].contains(&pair[0].as_i64().unwrap()) && [1, 3].contains(&pair[1].as_i64().unwrap()));
    }
    let text = folder.run(&["check", "repeated.csv", "-k", "rbf(sigma=1)", "--rows", "3"]).answer();
    assert!(text.contains("measured  3 rows (a sample of 5) of repeated.csv\n"), "{text}");
}

#[test]
fn any_rows_of_a_matrix_are_taken_with_their_columns() {
    let folder = Folder::new();
    folder.run(&["gram", "@moons(n=30)", "-k", "rbf(sigma=0.5)", "--out", "K.npy"]).answer();
    for option in ["--rows", "--sample"] {
        let text = folder.run(&["check", "K.npy", "-k", "precomputed", option, "10"]).answer();
        assert!(text.contains("measured  10 rows (a sample of 30) of K.npy\n"), "{text}");
    }
}

#[test]
fn for_programs() {
    let folder = Folder::with("six.csv", SIX).and("repeated.csv", REPEATED).and("K.csv", INDEFINITE);
    let json = |file: &str, kernel: &str, code: i32| {
        folder.run(&["check", file, "-k", kernel, "--json"]).json(code)
    };
    let valid = json("repeated.csv", "rbf(sigma=1)", 0);
    assert_snapshot!(keys(&valid).join(" "), @"");
    assert_snapshot!(format!("{:#}", rounded(json("six.csv", "sigmoid(offset=-1)", 1))), @"");
    let refuted = json("K.csv", "precomputed", 1);
    assert_eq!(refuted["verdict"], "refuted");
    assert_eq!(refuted["witness"]["points"], serde_json::json!(["K[1,1]=1 K[1,2]=2", "K[2,1]=2 K[2,2]=1"]));
    assert!((refuted["witness"]["value"].as_f64().unwrap() + 1.0).abs() < 1e-12);
}

#[test]
fn a_repair_is_valid_when_it_is_checked_again() {
    for how in ["clip", "flip", "shift"] {
        for ending in ["npy", "csv"] {
            let folder = Folder::with("K.csv", INDEFINITE);
            let out = format!("{how}.{ending}");
            let check = |file: &str, code: i32| folder.run(&["check", file, "-k", "precomputed"]).exit(code);
            check("K.csv", 1);
            let repair = ["check", "K.csv", "-k", "precomputed", "--repair", how, "--out", &out];
            let text = folder.run(&repair).answer();
            assert!(text.contains("verdict   refuted"), "{text}");
            let told = format!("repair    {how}: 1 negative eigenvalue; moved by ");
            assert!(text.lines().last().unwrap().starts_with(&told), "{text}");
            assert!(text.ends_with(&format!("; saved to {out}\n")), "{text}");
            assert!(check(&out, 0).contains("verdict   valid on this data"));
        }
    }
}

#[test]
fn what_a_repair_moves() {
    let folder = Folder::with("K.csv", INDEFINITE);
    let mut lines = String::new();
    for how in ["clip", "flip", "shift"] {
        let ran = folder.run(&["check", "K.csv", "-k", "precomputed", "--repair", how]);
        lines += &format!("{}\n", ran.answer().lines().last().unwrap());
    }
    assert_snapshot!(lines, @"");
    let json = folder.run(&["check", "K.csv", "-k", "precomputed", "--repair", "clip", "--json"]).json(0);
    assert_snapshot!(rounded(json["repair"].clone()).to_string(), @"");
}
