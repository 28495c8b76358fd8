//! `mercer gram`: statistics, alignment, spectrum, sweeps.

use insta::assert_snapshot;

use crate::run::{Folder, Ran, SIX, rounded, steady};

fn gram(words: &[&str]) -> Ran {
    let words: Vec<&str> = ["gram", "six.csv"].iter().chain(words).copied().collect();
    Folder::with("six.csv", SIX).run(&words)
}

#[test]
fn one_kernel() {
    assert_snapshot!(steady(&gram(&["-k", "rbf(sigma=2)"]).answer()), @"
    6 rows of six.csv
    kernel    rbf(sigma=2)
    diagonal  mean 1
    others    mean 0.40331, deviation 0.36666, from 0.0439369 to 0.882497: structured
    alignment 0.615055 with the labels, 0.987857 centred
    spectrum  largest 3.02208, smallest 0.0485757 ± ~0; rank 6 of 6, condition 62.2139
    ");
    assert_snapshot!(steady(&gram(&["-k", "linear", "--target", "b"]).answer()), @"
    6 rows of six.csv
    kernel    linear
    diagonal  mean 6.83333
    others    mean 2.66667, deviation 4.8808, from -1 to 13: structured
    alignment 0.0751096 with the labels, 0.618922 centred
    spectrum  largest 37.566, smallest ~0 ± ~0; rank 2 of 6, condition infinite
    ");
    assert_snapshot!(steady(&gram(&["-k", "sigmoid(offset=-1)"]).answer()), @"
    6 rows of six.csv
    kernel    sigmoid(gamma=1, offset=-1)
    diagonal  mean 0.373068
    others    mean 0.28511, deviation 0.854732, from -0.761594 to 1: structured
    alignment -0.108917 with the labels, -0.248387 centred
    spectrum  largest 4.66597, smallest -2.09298 ± ~0; not positive semi-definite (mercer check)
    ");
}

#[test]
fn a_sweep() {
    assert_snapshot!(gram(&["-k", "rbf", "--sweep", "sigma=0.3,2,50"]).answer(), @"
    6 rows of six.csv
                 alignment   centred   off-diagonal mean  deviation   rank  verdict
    sigma = 0.3  0.410353    0.449984  0.0010329          0.00170838  6     mostly diagonal
    sigma = 2    0.615055    0.987857  0.40331            0.36666     6     structured
    sigma = 50   0.00179983  0.973444  0.997631           0.0018286   6     all alike
    best centred alignment of the structured ones: sigma = 2
    ");
    assert_snapshot!(gram(&["-k", "rbf[a] + linear", "--sweep", "gamma = 0.5, 2"]).answer(), @"
    6 rows of six.csv
                 alignment  centred   off-diagonal mean  deviation  rank  verdict
    gamma = 0.5  0.416223   0.975737  6.0502             8.48093    5     structured
    gamma = 2    0.412667   0.972748  5.9028             8.40481    5     structured
    best centred alignment of the structured ones: gamma = 0.5
    ");
}

#[test]
fn for_programs() {
    assert_snapshot!(format!("{:#}", rounded(gram(&["-k", "rbf(sigma=2)", "--json"]).json(0))), @r#"
    [
      {
        "alignment": {
          "centered": 0.987857,
          "plain": 0.615055
        },
        "diagonal_mean": 1.0,
        "kernel": "rbf(sigma=2)",
        "off_diagonal": {
          "deviation": 0.36666,
          "largest": 0.882497,
          "magnitude": 0.40331,
          "mean": 0.40331,
          "smallest": 0.0439369
        },
        "rows": 6,
        "spectrum": {
          "condition": 62.2139,
          "error": 0.0,
          "largest": 3.02208,
          "rank": 6,
          "smallest": 0.0485757
        },
        "verdict": "structured"
      }
    ]
    "#);
    let sweep = gram(&["-k", "rbf", "--sweep", "sigma=1,2", "--json"]).json(0);
    let kernels: Vec<&str> =
        sweep.as_array().unwrap().iter().map(|row| row["kernel"].as_str().unwrap()).collect();
    assert_eq!(kernels, ["rbf(sigma=1)", "rbf(sigma=2)"]);
}

#[test]
fn one_row_has_nothing_beside_the_diagonal() {
    let folder = Folder::with("one.csv", "a,b\n1,2\n");
    assert_snapshot!(steady(&folder.run(&["gram", "one.csv", "-k", "rbf(sigma=1)"]).answer()), @"
    1 row of one.csv
    kernel    rbf(sigma=1)
    diagonal  mean 1
    spectrum  largest 1, smallest 1 ± ~0; rank 1 of 1, condition 1
    ");
}

#[test]
fn one_class_says_nothing() {
    let folder = Folder::with("one.csv", "a,b,kind\n1,2,x\n3,4,x\n5,7,x\n");
    let ran = folder.run(&["gram", "one.csv", "-k", "rbf(sigma=1)", "--target", "kind"]);
    assert_snapshot!(ran.stderr, @"warning: every label is the same, so the alignment says nothing; name another column (--target)");
    assert!(ran.exit(0).contains("alignment "));
}

#[test]
fn texts_and_mixed_tables() {
    let table = "name,size,label\nanna,1,x\nhanna,2,x\notto,7,y\nlotto,9,y\n";
    let folder = Folder::with("people.csv", table);
    let kernel = "normalize(spectrum(k=2)[name]) + rbf(sigma=2)[size]";
    assert_snapshot!(steady(&folder.run(&["gram", "people.csv", "-k", kernel]).answer()), @"
    4 rows of people.csv
    kernel    normalize(spectrum(k=2)[name]) + rbf(sigma=2)[size]
    diagonal  mean 2
    others    mean 0.546441, deviation 0.756772, from 0.000335463 to 1.74852: structured
    alignment 0.696365 with the labels, 0.986897 centred
    spectrum  largest 3.75171, smallest 0.250517 ± ~0; rank 4 of 4, condition 14.9758
    ");
}

#[test]
fn numbers_that_are_names() {
    let folder = Folder::with("people.csv", "zip,age\n10115,30\n10115,40\n20095,30\n");
    let kernel = "delta[zip] * rbf(sigma=10)[age]";
    let words = ["gram", "people.csv", "-k", kernel, "--kind", "zip=categories"];
    assert_snapshot!(steady(&folder.run(&words).answer()), @"
    3 rows of people.csv
    kernel    delta[zip]*rbf(sigma=10)[age]
    diagonal  mean 1
    others    mean 0.202177, deviation 0.285921, from 0 to 0.606531: structured
    spectrum  largest 1.60653, smallest 0.393469 ± ~0; rank 3 of 3, condition 4.08299
    ");
    assert_eq!(
        folder.run(&["gram", "people.csv", "-k", "spectrum[zip]"]).refusal(),
        "spectrum works on texts, but column 'zip' holds numbers; read it as texts (--kind zip=texts)"
    );
}

#[test]
fn distances_that_tell_nothing_apart_are_warned_of() {
    // Twelve rows that are equally far from one another.
    let rows: Vec<String> = (0..12)
        .map(|i| (0..12).map(|j| if i == j { "1" } else { "0" }).collect::<Vec<_>>().join(","))
        .collect();
    let folder = Folder::with("corners.csv", rows.join("\n"));
    let ran = folder.run(&["gram", "corners.csv", "-k", "rbf(sigma=1)"]);
    assert_snapshot!(ran.stderr, @"warning: distances are concentrated (nearest 1.41421, farthest 1.41421: contrast 0); a kernel of the distance can hardly tell rows apart. Select or transform columns.");
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
        assert_eq!(
            ran.exit(0),
            gram(&["-k", "rbf(sigma=2)"]).answer(),
            "the data are those without a picture"
        );
        let start: &[u8] = if ending == "svg" { b"<svg" } else { b"\x89PNG" };
        assert!(folder.bytes(&picture).starts_with(start));
    }
}

#[test]
fn threads_do_not_change_a_digit() {
    let with =
        |threads: &str| gram(&["-k", "rbf(sigma=2) + linear", "--json", "--threads", threads]).answer();
    assert_eq!(with("1"), with("3"));
}
