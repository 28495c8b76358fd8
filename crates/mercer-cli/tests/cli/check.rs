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
    assert_snapshot!(check(("six.csv", SIX), "0.5*rbf(sigma=1) + poly(degree=2)", 0), @"
    kernel    0.5*rbf(sigma=1) + poly(degree=2, gamma=1, offset=1)
    proof     positive semi-definite by construction
      1. rbf(sigma=1) is a kernel: the Fourier transform of a Gaussian density (Bochner)
      2. 0.5*rbf(sigma=1) is a kernel: a kernel times 0.5 ≥ 0 (1)
      3. poly(degree=2, gamma=1, offset=1) is a kernel: a power of a sum of an inner product and a constant that is not negative
      4. 0.5*rbf(sigma=1) + poly(degree=2, gamma=1, offset=1) is a kernel: a sum of kernels: their features side by side (2, 3)
    measured  6 rows of six.csv
    symmetry  largest |K_ij - K_ji| is 0
    smallest  eigenvalue 0.467783 ± ~0 (all eigenvalues); largest 1663.63
    rank      6 of 6; condition 3556.42
    verdict   valid on this data: no eigenvalue is below zero by more than the error
    ");
}

#[test]
fn a_kernel_of_low_rank() {
    assert_snapshot!(check(("six.csv", SIX), "linear@standardize", 0), @"
    kernel    linear@standardize
    proof     positive semi-definite by construction
      1. linear is a kernel: an inner product is its own feature map
      2. linear@standardize is a kernel: a kernel after the map standardize (1)
    measured  6 rows of six.csv
    symmetry  largest |K_ij - K_ji| is 0
    smallest  eigenvalue ~0 ± ~0 (all eigenvalues); largest 11.191
    rank      2 of 6; condition infinite
    deficit   4: no row repeats another, so the features span no more or eigenvalues are lost in rounding
    verdict   valid on this data: no eigenvalue is below zero by more than the error
    ");
}

#[test]
fn a_kernel_that_is_valid_on_some_points() {
    assert_snapshot!(check(("six.csv", SIX), "normalize(chi2 + 1) * tanimoto[a]", 0), @"
    kernel    normalize(chi2(gamma=1) + constant(value=1))*tanimoto[a]
    proof     positive semi-definite where no coordinate is negative
      1. chi2(gamma=1) is a kernel: the chi-squared distance is conditionally negative definite there (where no coordinate is negative)
      2. constant(value=1) is a kernel: the feature map is a constant that is not negative
      3. chi2(gamma=1) + constant(value=1) is a kernel: a sum of kernels: their features side by side (1, 2)
      4. normalize(chi2(gamma=1) + constant(value=1)) is a kernel: a kernel times f(x)f(z) with f(x) = 1/√k(x,x) (3)
      5. tanimoto is a kernel: a geometric series in kernels (Gower 1971; Ralaivola et al. 2005) (where no coordinate is negative)
      6. tanimoto[a] is a kernel: a kernel after a selection of columns, which is a map (5)
      7. normalize(chi2(gamma=1) + constant(value=1))*tanimoto[a] is a kernel: a product of kernels (Schur): their features multiplied pairwise (4, 6)
    measured  6 rows of six.csv
    symmetry  largest |K_ij - K_ji| is 0
    smallest  eigenvalue 0.0592569 ± ~0 (all eigenvalues); largest 2.80122
    rank      6 of 6; condition 47.2724
    verdict   valid on this data: no eigenvalue is below zero by more than the error
    ");
}

#[test]
fn a_kernel_that_is_refuted() {
    assert_snapshot!(check(("six.csv", SIX), "sigmoid(gamma=1, offset=-1)", 1), @"
    kernel    sigmoid(gamma=1, offset=-1)
    proof     not positive semi-definite in general: the power series of tanh has negative coefficients
      1. sigmoid(gamma=1, offset=-1) is not a kernel in general: the power series of tanh has negative coefficients
    measured  6 rows of six.csv
    symmetry  largest |K_ij - K_ji| is 0
    smallest  eigenvalue -2.09298 ± ~0 (all eigenvalues); largest 4.66597
    positive  3 of 6 eigenvalues
    verdict   refuted: v^T K v = -0.7615941559557649 < 0 (rounding at most ~0), with
      v = 1                        row 1: a=0 b=0
    ");
    assert_snapshot!(check(("six.csv", SIX), "rbf(sigma=1) + 3*tanh(offset=-1)", 1), @"
    kernel    rbf(sigma=1) + 3*sigmoid(gamma=1, offset=-1)
    proof     not known: a part of it is not positive semi-definite in general: the power series of tanh has negative coefficients
      1. rbf(sigma=1) is a kernel: the Fourier transform of a Gaussian density (Bochner)
      2. sigmoid(gamma=1, offset=-1) is not a kernel in general: the power series of tanh has negative coefficients
      3. 3*sigmoid(gamma=1, offset=-1) is not a kernel in general: a part of it is not (2)
      4. rbf(sigma=1) + 3*sigmoid(gamma=1, offset=-1) is not known to be a kernel: a part of it is not (1, 3)
    measured  6 rows of six.csv
    symmetry  largest |K_ij - K_ji| is 0
    smallest  eigenvalue -4.38049 ± ~0 (all eigenvalues); largest 15.6474
    positive  4 of 6 eigenvalues
    verdict   refuted: v^T K v = -1.2847824678672946 < 0 (rounding at most ~0), with
      v = 1                        row 1: a=0 b=0
    ");
}

#[test]
fn a_matrix_of_which_nothing_is_known() {
    assert_snapshot!(check(("K.csv", "2,1\n1,2\n"), "precomputed", 0), @"
    kernel    precomputed
    proof     not known: a matrix from outside can be anything; it is measured on the data
      1. precomputed is not known to be a kernel: a matrix from outside can be anything; it is measured on the data
    measured  2 rows of K.csv
    symmetry  largest |K_ij - K_ji| is 0
    smallest  eigenvalue 1 ± ~0 (all eigenvalues); largest 3
    rank      2 of 2; condition 3
    verdict   valid on this data: no eigenvalue is below zero by more than the error
    ");
}

#[test]
fn repeated_rows() {
    assert_snapshot!(check(("repeated.csv", REPEATED), "rbf(sigma=1)", 0), @"
    kernel    rbf(sigma=1)
    proof     positive semi-definite by construction
      1. rbf(sigma=1) is a kernel: the Fourier transform of a Gaussian density (Bochner)
    measured  5 rows of repeated.csv
    symmetry  largest |K_ij - K_ji| is 0
    smallest  eigenvalue ~0 ± ~0 (all eigenvalues); largest 3.0005
    rank      3 of 5; condition infinite
    deficit   2: repeated rows
    repeated  2 rows: row 3 repeats row 1, …
    verdict   valid on this data: no eigenvalue is below zero by more than the error
    ");
    assert_snapshot!(check(("repeated.csv", REPEATED), "linear", 0), @"
    kernel    linear
    proof     positive semi-definite by construction
      1. linear is a kernel: an inner product is its own feature map
    measured  5 rows of repeated.csv
    symmetry  largest |K_ij - K_ji| is 0
    smallest  eigenvalue ~0 ± ~0 (all eigenvalues); largest 113.648
    rank      2 of 5; condition infinite
    deficit   3: 2 by repeated rows, the others since the features span no more or eigenvalues are lost in rounding
    repeated  2 rows: row 3 repeats row 1, …
    verdict   valid on this data: no eigenvalue is below zero by more than the error
    ");
    let matrix = "2,1,2\n1,2,1\n2,1,2\n";
    let found = check(("K.csv", matrix), "precomputed", 0);
    assert!(found.contains("repeated  1 row: row 3 repeats row 1\n"), "{found}");
}

#[test]
fn one_row_is_enough() {
    assert_snapshot!(check(("one.csv", "a,b\n1,2\n"), "rbf", 0), @"
    kernel    rbf(gamma=2)
    proof     positive semi-definite by construction
      1. rbf(gamma=2) is a kernel: the Fourier transform of a Gaussian density (Bochner)
    measured  1 row of one.csv
    symmetry  largest |K_ij - K_ji| is 0
    smallest  eigenvalue 1 ± ~0 (all eigenvalues); largest 1
    rank      1 of 1; condition 1
    verdict   valid on this data: no eigenvalue is below zero by more than the error
    ");
}

#[test]
fn a_column_that_never_changes_and_a_row_of_zeros() {
    for kernel in
        ["rbf", "rbf@standardize", "rbf@minmax", "linear", "chi2", "matern", "normalize(linear + 1)"]
    {
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
    let sampled =
        folder.run(&["check", "repeated.csv", "-k", "rbf(sigma=1)", "--sample", "4", "--json"]).json(0);
    assert_eq!((&sampled["rows"], &sampled["measured"]), (&Value::from(5), &Value::from(4)));
    for pair in sampled["duplicates"].as_array().unwrap() {
        assert!(
            [1, 3, 5].contains(&pair[0].as_i64().unwrap()) && [1, 3].contains(&pair[1].as_i64().unwrap())
        );
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
    let json =
        |file: &str, kernel: &str, code: i32| folder.run(&["check", file, "-k", kernel, "--json"]).json(code);
    let valid = json("repeated.csv", "rbf(sigma=1)", 0);
    assert_snapshot!(keys(&valid).join(" "), @"asymmetry condition duplicates error kernel largest_eigenvalue measured method proof proof.part proof.rule proof.status proof.uses rank rows smallest_eigenvalue status verdict witness");
    assert_snapshot!(format!("{:#}", rounded(json("six.csv", "sigmoid(offset=-1)", 1))), @r#"
    {
      "asymmetry": 0.0,
      "condition": null,
      "duplicates": [],
      "error": 0.0,
      "kernel": "sigmoid(gamma=1, offset=-1)",
      "largest_eigenvalue": 4.66597,
      "measured": 6,
      "method": "all eigenvalues",
      "proof": [
        {
          "part": "sigmoid(gamma=1, offset=-1)",
          "rule": "the power series of tanh has negative coefficients",
          "status": "not positive semi-definite in general: the power series of tanh has negative coefficients",
          "uses": []
        }
      ],
      "rank": 3,
      "rows": 6,
      "smallest_eigenvalue": -2.09298,
      "status": "not positive semi-definite in general: the power series of tanh has negative coefficients",
      "verdict": "refuted",
      "witness": {
        "bound": 0.0,
        "points": [
          "a=0 b=0"
        ],
        "rows": [
          1
        ],
        "value": -0.761594,
        "vector": [
          1.0
        ]
      }
    }
    "#);
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
    assert_snapshot!(lines, @"
    repair    clip: 1 negative eigenvalue; moved by 1 (Frobenius), 0.301511 of the whole; not saved (--out FILE)
    repair    flip: 1 negative eigenvalue; moved by 2 (Frobenius), 0.603023 of the whole; not saved (--out FILE)
    repair    shift: 1 negative eigenvalue; moved by 1.73205 (Frobenius), 0.522233 of the whole; not saved (--out FILE)
    ");
    let json = folder.run(&["check", "K.csv", "-k", "precomputed", "--repair", "clip", "--json"]).json(0);
    assert_snapshot!(rounded(json["repair"].clone()).to_string(), @r#"{"how":"clip","moved":1.0,"negative":1,"relative":0.301511}"#);
}
