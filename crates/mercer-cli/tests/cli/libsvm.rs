//! LIBSVM's own commands. That LIBSVM agrees is shown by tests/libsvm/compare.py; here are manners and known answers.

use crate::run::Folder;

/// Two classes of two points on a line: the margin is between 1 and 3.
const LINE: &str = "-1 1:0\n-1 1:1\n+1 1:3\n+1 1:4\n";

/// Three classes at the corners of a triangle, the second first.
const CORNERS: &str = "7 1:5\n7 1:6\n-3 2:5\n-3 2:6\n2 1:-5 2:-5\n2 1:-6 2:-6\n";

const MODEL: &str = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 2\nlabel 1 -1\nnr_sv 1 1\nSV\n\
    0.5 1:3 \n-0.5 1:1 \n";

#[test]
fn a_known_answer_is_trained_written_and_applied() {
    let folder = Folder::with("line", LINE);
    let said = folder.run(&["svm-train", "-t", "0", "-c", "10", "-e", "1e-9", "line"]).answer();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("optimization finished, #iter = "), "{said}");
    assert_eq!(
        lines[1..],
        ["nu = 0.025000", "obj = -0.500000, rho = 2.000000", "nSV = 2, nBSV = 0", "Total nSV = 2"]
    );
    let text = String::from_utf8(folder.bytes("line.model")).unwrap();
    assert!(text.starts_with("svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho "), "{text}");
    assert!(text.contains("\nlabel 1 -1\nnr_sv 1 1\nSV\n"), "{text}");
    let said = folder.run(&["svm-predict", "-d", "scores", "line", "line.model", "out"]).answer();
    assert_eq!(said, "Accuracy = 100% (4/4) (classification)\n");
    assert_eq!(folder.bytes("out"), b"-1\n-1\n1\n1\n");
    let scores = String::from_utf8(folder.bytes("scores")).unwrap();
    let scores: Vec<f64> = scores.lines().map(|line| line.parse().unwrap()).collect();
    for (score, wanted) in scores.iter().zip([-2.0, -1.0, 1.0, 2.0]) {
        assert!((score - wanted).abs() < 1e-6, "{scores:?}");
    }
    assert_eq!(folder.names(), ["line", "line.model", "out", "scores"]);
}

#[test]
fn classes_are_in_the_order_of_their_appearance() {
    let folder = Folder::with("corners", CORNERS);
    for kind in ["0", "1"] {
        let said = folder.run(&["svm-train", "-s", kind, "-n", "0.5", "corners", "m"]).answer();
        assert_eq!(said.matches("optimization finished").count(), 3, "{said}");
        assert!(String::from_utf8(folder.bytes("m")).unwrap().contains("\nlabel 7 -3 2\n"));
        assert_eq!(folder.run(&["svm-predict", "-q", "corners", "m", "out"]).answer(), "");
        assert_eq!(folder.bytes("out"), b"7\n7\n-3\n-3\n2\n2\n");
    }
}

#[test]
fn numbers_and_one_class() {
    let folder = Folder::with(
        "sine",
        (0..40).map(|i| format!("{} 1:{}\n", (f64::from(i) / 6.0).sin(), i)).collect::<String>(),
    );
    for kind in ["3", "4"] {
        folder
            .run(&["svm-train", "-q", "-s", kind, "-g", "0.05", "-c", "50", "-p", "0.01", "sine", "m"])
            .answer();
        let said = folder.run(&["svm-predict", "sine", "m", "/dev/null"]).answer();
        let number = |at: usize| -> f64 { said.split_whitespace().nth(at).unwrap().parse().unwrap() };
        assert!(number(4) < 1e-2 && number(10) > 0.98, "{said}");
    }
    let said = folder.run(&["svm-train", "-s", "2", "-n", "0.25", "sine", "/dev/null"]).answer();
    assert!(!said.contains("Total") && said.contains("nSV = "), "{said}");
    folder.run(&["svm-train", "-s", "2", "-n", "0.25", "-g", "0.1", "-q", "sine", "m"]).answer();
    folder.run(&["svm-predict", "-q", "sine", "m", "out"]).answer();
    let outside = folder.bytes("out").split(|&b| b == b'\n').filter(|line| *line == b"-1").count();
    assert!((5..=15).contains(&outside), "{outside} of 40 are outside");
}

#[test]
fn cross_validation() {
    let folder =
        Folder::with("corners", CORNERS.repeat(3)).and("line", "1 1:1\n2 1:2\n3 1:3\n4 1:4\n5 1:5\n6 1:6\n");
    let said = folder.run(&["svm-train", "-v", "3", "corners"]).answer();
    assert!(said.ends_with("Cross Validation Accuracy = 100%\n"), "{said}");
    let said =
        folder.run(&["svm-train", "-s", "3", "-t", "0", "-c", "9", "-p", "0", "-v", "3", "line"]).answer();
    let tail = said.lines().rev().take(2).collect::<Vec<_>>();
    assert!(tail[1].starts_with("Cross Validation Mean squared error = "), "{said}");
    assert!(
        tail[0].starts_with("Cross Validation Squared correlation coefficient = 0.99")
            || tail[0].ends_with("= 1"),
        "{said}"
    );
    assert_eq!(folder.names(), ["corners", "line"]);
}

#[test]
fn features_that_only_one_side_has_are_zero_on_the_other() {
    let folder =
        Folder::with("few", "1\n-1 1:3\n").and("many", "1 1:1 7:100\n-1 1:3 4000000000:1\n").and("m", MODEL);
    for (data, labels) in [("few", "-1\n1\n"), ("many", "-1\n1\n")] {
        folder.run(&["svm-predict", "-q", data, "m", "out"]).answer();
        assert_eq!(folder.bytes("out"), labels.as_bytes());
    }
}

#[test]
fn a_model_without_support_vectors_is_a_constant() {
    let text = "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 0\nrho -2.5\nSV\n";
    let folder = Folder::with("m", text).and("data", "2.5 1:1\n2 3:1\n");
    folder.run(&["svm-predict", "-q", "data", "m", "out"]).answer();
    assert_eq!(folder.bytes("out"), b"2.5\n2.5\n");
    // So flat that no row is outside the tube.
    folder.run(&["svm-train", "-q", "-s", "3", "-p", "1", "data", "flat"]).answer();
    assert!(String::from_utf8(folder.bytes("flat")).unwrap().contains("\ntotal_sv 0\nrho -2.25\nSV\n"));
    folder.run(&["svm-predict", "-q", "data", "flat", "out"]).answer();
    assert_eq!(folder.bytes("out"), b"2.25\n2.25\n");
}

#[test]
fn scaling_as_svm_scale_does_it() {
    // By hand, after svm-scale's rules: %.17g for labels and ranges, %g for values.
    let folder = Folder::with("data", "1 1:2 3:-4 5:7\n-1 1:4 2:0.1 5:7\n0.1 1:3 3:1e-7 5:7\n");
    let said = folder.run(&["svm-scale", "-l", "0", "-s", "ranges", "data"]).exit(0);
    assert_eq!(said, "1 \n-1 1:1 2:1 3:1 \n0.10000000000000001 1:0.5 3:1 \n");
    let ranges = "x\n0 1\n1 2 4\n2 0 0.10000000000000001\n3 -4 9.9999999999999995e-08\n";
    assert_eq!(String::from_utf8(folder.bytes("ranges")).unwrap(), ranges);
    let folder = folder.and("new", "1 1:6 2:0.05 6:1\n2\n");
    let ran = folder.run(&["svm-scale", "-r", "ranges", "new"]);
    assert_eq!(ran.stderr.lines().next(), Some("note: feature 6 of new is not in ranges; it is left out"));
    assert_eq!(ran.exit(0), "1 1:2 2:0.5 3:1 \n2 1:-1 3:1 \n");
    let said = folder.run(&["svm-scale", "-y", "0", "1", "-u", "3", "data"]).exit(0);
    assert_eq!(said.lines().next(), Some("1 1:-1 2:-1 3:-1 "));
    assert!(said.lines().nth(2).unwrap().starts_with("0.55000000000000004 1:1 2:-1 "), "{said}");
}

#[test]
fn hostile_models_are_met_with_a_line_number() {
    for (from, to, said) in [
        ("total_sv 2", "total_sv 1000000000000", "line 7: nr_sv adds up to 2, total_sv is 1000000000000"),
        ("rho 2", "rho nan", "line 5: 'nan' is no value of 'rho'"),
        ("-0.5 1:1 \n", "", "line 10: the file ends after 1 of 2 support vectors"),
        ("1:3", "3:3 1:3", "line 9: the index 1 comes after 3; they must ascend"),
        (
            "linear",
            "precomputed",
            "line 2: a precomputed kernel: such a model holds row numbers and no points to predict from",
        ),
        (
            "linear",
            "polynomial\ndegree 99\ngamma 1\ncoef0 0",
            "the kernel poly(degree=99, gamma=1e0, offset=0e0): ",
        ),
    ] {
        let folder = Folder::with("m", MODEL.replacen(from, to, 1)).and("line", LINE);
        let told = folder.run(&["svm-predict", "line", "m", "out"]).refusal();
        assert!(told.starts_with(&format!("'m' is not a model that can be used: {said}")), "{told}");
        assert_eq!(folder.names(), ["line", "m"]);
    }
    let folder = Folder::with("m", [0xff_u8; 9]).and("line", LINE);
    folder.run(&["svm-predict", "line", "m", "out"]).refusal();
}

#[test]
fn what_is_typed_wrong_is_named() {
    let folder = Folder::with("line", LINE).and("words", "a 1:1\nb 1:2\n").and("half", "0.5 1:1\n1 1:2\n");
    for (words, said) in [
        (&["svm-train", "-s", "9", "line"][..], "-s: give a whole number from 0 to 4, not '9'"),
        (
            &["svm-train", "-b", "1", "line"],
            "-b 1: probabilities are not estimated here; leave it out to have scores and labels",
        ),
        (
            &["svm-train", "words"],
            "words: the labels are words, and LIBSVM's are numbers; 'mercer fit' takes words",
        ),
        (&["svm-train", "half"], "row 1: the label 0.5 is not a whole number; -s 3 and -s 4 predict numbers"),
        (&["svm-scale", "-l", "2", "line"], "-l and -u: the lower limit 2 is not below the upper limit 1"),
        (
            &["svm-predict", "line", "m"],
            "after the options come test_file model_file output_file; there are 2 words",
        ),
        (&["svm-predict", "line", "m", "out"], "cannot read 'm': "),
    ] {
        let told = folder.run(words).refusal();
        assert!(told.starts_with(said), "{told}");
    }
    // A letter that is help elsewhere.
    folder.run(&["svm-train", "-h", "0", "-q", "line", "m"]).answer();
    for command in ["svm-train", "svm-predict", "svm-scale"] {
        assert!(
            folder
                .run(&[command, "--help"])
                .answer()
                .contains(&format!("Usage: mercer {command} [options] "))
        );
    }
}
