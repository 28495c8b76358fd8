//! What cannot be fitted: one line, exit 2, and no file.

use crate::hostile::refused;
use crate::run::{Folder, SIX};

fn folder() -> Folder {
    Folder::with("six.csv", SIX)
        .and("one.csv", "a,label\n1,x\n2,x\n")
        .and("plain.csv", "a,b\n1,2\n2,3\n")
        .and("nan.csv", "a,label\n1,2.5\n2,nan\n3,1.5\n")
        .and("weights.csv", "a,w,label\n1,1,-1\n2,-1,1\n3,1,1\n")
}

#[test]
fn targets_that_cannot_be_learned() {
    let folder = folder();
    for (words, expected) in [
        (&["one.csv"][..], "smo decides between two classes, but the target 'label' has only the class x"),
        (
            &["plain.csv"],
            "plain.csv: there is no column 'label'; name the column to predict (--target COLUMN)",
        ),
        (
            &["plain.csv", "--solver", "smo"],
            "plain.csv: there is no column 'label'; name the column to predict (--target COLUMN)",
        ),
        (&["plain.csv", "--target", "bb"], "plain.csv: no column 'bb'; did you mean 'b'?"),
        (&["nan.csv"], "nan.csv, line 3, column 'label': <>"),
        (
            &["@iris", "--loss", "hinge"],
            "smo decides between two classes, but the target 'label' has 3: setosa, versicolor, virginica; <>",
        ),
        (&["@iris", "--solver", "svr"], "svr predicts numbers, but the target 'label' holds categories; <>"),
    ] {
        refused(&folder, &[&["fit", "-k", "linear", "-o", "m.mercer"], words].concat(), expected);
    }
    assert!(!folder.path("m.mercer").exists());
}

#[test]
fn numbers_that_make_no_sense() {
    let folder = folder();
    let range =
        |name: &str, value: &str| format!("{name} = {value} is out of range; it must be above 0 and finite");
    let number = |name: &str, value: &str| {
        format!("invalid value '{value}' for '--{name} <V>': give a number, with a point as decimal mark")
    };
    for (words, expected) in [
        (["--lambda", "0"], range("lambda", "0")),
        (["--lambda", "-1"], range("lambda", "-1")),
        (["--C", "nan"], range("C", "NaN")),
        (["--C", "inf"], range("C", "inf")),
        (["--c", "-3"], range("c", "-3")),
        (["--mu", "0"], range("mu", "0")),
        (["--rho", "-0.5"], range("rho", "-0.5")),
        (
            ["--C", "1e308"],
            "C = 1e308 is out of range; it must be such that lambda = 1/(C n) is above 0 and finite"
                .to_owned(),
        ),
        (["--C", "1,5"], number("C", "1,5")),
        (["--lambda", "small"], number("lambda", "small")),
        (["--tolerance", "0"], "invalid value '0' for '--tolerance <GAP>': give a number above 0".to_owned()),
        (["--violation", "-1"], "invalid value '-1' for '--violation <V>': give a number above 0".to_owned()),
        (
            ["--time-limit", "nan"],
            "invalid value 'nan' for '--time-limit <SECONDS>': give a number above 0".to_owned(),
        ),
        (
            ["--max-iter", "0"],
            "invalid value '0' for '--max-iter <N>': give a whole number, 1 or more".to_owned(),
        ),
    ] {
        refused(&folder, &[&["fit", "six.csv"], &words[..]].concat(), &expected);
    }
    refused(
        &folder,
        &["fit", "six.csv", "--C", "1", "--lambda", "1"],
        "the argument '--C <V>' cannot be used with '--lambda <V>'; see mercer fit --help",
    );
    for nu in ["0", "-1", "1.5", "nan"] {
        let told = folder.run(&["fit", "six.csv", "--solver", "nu-svc", "--nu", nu]).refusal();
        assert!(told.contains("nu"), "{told}");
    }
}

#[test]
fn a_price_beyond_measure_is_no_error() {
    let ran = folder().run(&["fit", "six.csv", "-k", "linear", "--C", "1e12", "--loss", "hinge"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    assert!(ran.stdout.contains("training  0 of 6 rows misclassified"), "{ran:?}");
    assert!(ran.stdout.contains("support   3 rows: 3 free, 0 at the bound"), "{ran:?}");
}

#[test]
fn words_that_are_not_understood() {
    let folder = folder();
    for (words, expected) in [
        (&["--loss", "hing"][..], "--loss: there is no loss 'hing'; there are hinge, <>"),
        (&["--loss", "lasso"], "--loss: the lasso cannot be kernelized: <>"),
        (&["--loss", "epsilon(epsilon=-1)"], "--loss: epsilon = -1 is out of range; it must be at least 0"),
        (&["--solver", "smoo"], "--solver: there is no learner 'smoo'; did you mean 'smo'?"),
        (&["--solver", "newton", "--loss", "hinge"], "newton does not take the loss hinge; <>"),
        (&["--penalty", "lasso"], "--penalty: the lasso cannot be kernelized: <>"),
        (&["--penalty", "cubed"], "--penalty: there is no penalty 'cubed'; there are squared and norm"),
        (&["--scale", "max"], "--scale: there is no scaling 'max'; there are none, standardize and minmax"),
        (
            &["--multi", "all"],
            "--multi: 'all' is no way to handle several classes; there are refuse, one-vs-one, one-vs-rest and softmax",
        ),
        (&["--progress", "loud"], "--progress: give auto, json or none, not 'loud'"),
        (
            &["--class-weight", "heavy"],
            "--class-weight: write balanced, or CLASS=WEIGHT,… as in 'spam=2,ham=1'",
        ),
        (
            &["--class-weight", "-1=-2"],
            "--class-weight: -1 = -2 is out of range; weights are finite and not negative",
        ),
        (&["--class-weight", "2=5"], "there is no class '2' to be weighted; <>"),
        (&["--weights", "ww"], "--weights: no column 'ww'; <>"),
        (&["--nu", "0.5"], "--nu means nothing to smo; it is for nu-svc, nu-svr, one-class"),
        (&["--keep", "5"], "--keep means nothing to smo; it is for online-perceptron"),
        (&["--average"], "--average means nothing to smo; it is for perceptron, <>"),
        (&["--epochs", "5"], "--epochs means nothing to smo; it is for perceptron, <>"),
        (
            &["--solver", "hard-margin", "--C", "1"],
            "hard-margin has no lambda, under any of its names; leave it out, or allow errors (--solver smo)",
        ),
        (
            &["--solver", "one-class", "--lambda", "1"],
            "one-class has no lambda, under any of its names; leave it out, and give --nu",
        ),
        (&["--solver", "svr", "--multi", "one-vs-one"], "--multi is for classes, and svr predicts numbers"),
    ] {
        refused(&folder, &[&["fit", "six.csv", "-k", "linear"], words].concat(), expected);
    }
    refused(
        &folder,
        &["fit", "weights.csv", "--weights", "w"],
        "row 2 has the weight -1; weights are finite and not negative",
    );
    refused(
        &folder,
        &["predict", "m.mercer"],
        "the following required arguments were not provided: <DATA>; see mercer predict --help",
    );
}

#[test]
fn places_where_no_model_can_be_put() {
    let folder = folder();
    std::fs::create_dir(folder.path("inner")).unwrap();
    for (file, expected) in [
        ("nowhere/m.mercer", "nowhere/m.mercer: there is no folder 'nowhere'; make it first"),
        ("inner", "inner: this is a folder; name a file in it"),
    ] {
        // Said before anything is fitted: this would take long.
        refused(&folder, &["fit", "@chessboard(n=20000)", "--C", "1e6", "-o", file], expected);
        refused(&folder, &["stream", "-o", file], expected);
    }
    #[cfg(target_os = "linux")]
    refused(
        &folder,
        &["fit", "six.csv", "--loss", "hinge", "-o", "/proc/m.mercer"],
        "cannot write '/proc/m.mercer': <>",
    );
}
