//! `mercer predict`: answers, scores, slack, and explanations that add up.

use insta::assert_snapshot;

use crate::run::{Folder, SIX};

fn fitted(words: &[&str]) -> Folder {
    let folder = Folder::with("six.csv", SIX);
    folder.run(&[&["fit", "six.csv", "-k", "linear", "-o", "six.mercer"], words].concat()).exit(0);
    folder
}

/// Numbers with four digits, so that snapshots hold on any machine.
fn rounded(text: &str) -> String {
    let cell = |cell: &str| match cell.parse::<f64>() {
        Ok(value) if cell.contains(['.', 'e']) => {
            let short = format!("{value:.4}");
            short.trim_end_matches('0').trim_end_matches('.').replace("-0", "0").to_owned()
        }
        _ => cell.to_owned(),
    };
    text.lines().map(|line| line.split(',').map(cell).collect::<Vec<_>>().join(",") + "\n").collect()
}

#[test]
fn classes_scores_and_slack() {
    let folder = fitted(&["--C", "0.1"]);
    let ran = folder.run(&["predict", "six.mercer", "six.csv", "--scores", "--slack"]);
    assert_eq!(ran.stderr, "accuracy 1: 6 of 6 rows right\n");
    let text = ran.exit(0);
    assert!(text.starts_with("row,label,score,slack\n1,-1,"), "{text}");
    for (line, y) in text.lines().skip(1).zip([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert!((cells[3] - (1.0 - y * cells[2]).max(0.0)).abs() < 1e-12, "{line}");
        assert_eq!(cells[1], y, "{line}");
    }
}

#[test]
fn rows_without_a_target() {
    let folder = fitted(&[]).and("new.csv", "b,a\n0,0\n9,9\n");
    assert_snapshot!(folder.run(&["predict", "six.mercer", "new.csv"]).answer(), @r"
    row,label
    1,-1
    2,1
    ");
    let from_pipe = folder.run_on(&["predict", "six.mercer", "-"], b"a,b\n0,0\n9,9\n").answer();
    assert_eq!(from_pipe, folder.run(&["predict", "six.mercer", "new.csv"]).answer());
    let told = folder.run(&["predict", "six.mercer", "new.csv", "--slack"]).refusal();
    assert_eq!(
        told,
        "--slack: new.csv has no target column 'label', and slack is measured against it (--target)"
    );
}

#[test]
fn the_terms_of_an_explanation_add_up() {
    let folder = fitted(&[]);
    let text = folder.run(&["predict", "six.mercer", "six.csv", "--explain", "2"]).exit(0);
    assert!(text.starts_with("row,score,training row,alpha,kernel,contribution\n"), "{text}");
    for row in 1..=6 {
        let start = format!("{row},");
        let lines: Vec<Vec<&str>> = text
            .lines()
            .filter(|line| line.starts_with(&start))
            .map(|line| line.split(',').collect())
            .collect();
        assert_eq!(lines.last().unwrap()[2], "offset");
        let score: f64 = lines[0][1].parse().unwrap();
        let sum: f64 = lines.iter().map(|line| line[5].parse::<f64>().unwrap()).sum();
        assert!((sum - score).abs() < 1e-9, "{text}");
        for line in lines.iter().filter(|line| !line[3].is_empty()) {
            let [alpha, kernel, product] = [3, 4, 5].map(|at| line[at].parse::<f64>().unwrap());
            assert!((alpha * kernel - product).abs() < 1e-12, "{line:?}");
        }
    }
}

#[test]
fn numbers_and_several_classes() {
    let folder = Folder::new();
    folder.run(&["fit", "@sinc(n=50)", "-k", "rbf(sigma=1)", "--lambda", "1e-4", "-o", "s.mercer"]).exit(0);
    let ran = folder.run(&["predict", "s.mercer", "@sinc(n=50)"]);
    assert!(ran.stderr.starts_with("root mean square error "), "{}", ran.stderr);
    assert!(ran.exit(0).starts_with("row,value\n1,"));
    folder.run(&["fit", "@iris", "--multi", "one-vs-one", "-k", "rbf(sigma=1)", "-o", "i.mercer"]).exit(0);
    let text = folder.run(&["predict", "i.mercer", "@iris", "--scores", "--sample", "3"]).exit(0);
    assert_eq!(text.lines().count(), 4);
    assert_eq!(text.lines().next().unwrap().split(',').count(), 5, "{text}");
}

#[test]
fn answers_in_a_file_and_in_json() {
    let folder = fitted(&["--C", "1"]);
    let printed = folder.run(&["predict", "six.mercer", "six.csv", "--scores"]).exit(0);
    folder.run(&["predict", "six.mercer", "six.csv", "--scores", "-o", "out.csv"]).exit(0);
    assert_eq!(String::from_utf8(folder.bytes("out.csv")).unwrap(), printed);
    assert_snapshot!(rounded(&printed));
    let json = folder.run(&["predict", "six.mercer", "six.csv", "--json"]).json(0);
    assert_eq!(json[0], serde_json::json!({ "row": 1, "label": "-1" }));
}

#[test]
fn data_that_do_not_suit_the_model() {
    let folder = fitted(&[]).and("less.csv", "a,c\n1,2\n").and("texts.csv", "a,b\nx,2\n");
    let told = folder.run(&["predict", "six.mercer", "less.csv"]).refusal();
    assert!(told.contains("'b'"), "{told}");
    let told = folder.run(&["predict", "six.mercer", "texts.csv"]).refusal();
    assert!(told.contains("column 'a'") && told.contains("'x'"), "{told}");
    let told = folder.run(&["predict", "six.mercer", "six.csv", "--target", "lbl"]).refusal();
    assert!(told.contains("no column 'lbl'"), "{told}");
}

#[test]
fn models_that_are_none() {
    let folder = fitted(&[]);
    let whole = folder.bytes("six.mercer");
    let folder = folder
        .and("cut.mercer", &whole[..whole.len() / 2])
        .and("empty.mercer", b"")
        .and("text.mercer", "hello");
    for name in ["cut.mercer", "empty.mercer", "text.mercer"] {
        for words in [vec!["show", name], vec!["predict", name, "six.csv"]] {
            let told = folder.run(&words).refusal();
            assert!(told.starts_with(&format!("'{name}' is not a model that can be used: ")), "{told}");
        }
    }
    // A bit that has turned is found wherever it is.
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut turned = whole.clone();
        turned[at] ^= 0x10;
        let folder = Folder::with("six.csv", SIX).and("turned.mercer", turned);
        folder.run(&["show", "turned.mercer"]).refusal();
    }
    let at = whole.windows(8).position(|bytes| bytes == b"mercer/1").unwrap();
    let mut newer = whole.clone();
    newer[at + 7] = b'2';
    let folder = folder.and("newer.mercer", newer);
    let told = folder.run(&["show", "newer.mercer"]).refusal();
    assert_eq!(
        told,
        "'newer.mercer' has the format mercer/2, this version reads mercer/1; use a newer mercer"
    );
    let told = folder.run(&["show", "none.mercer"]).refusal();
    assert!(told.starts_with("cannot read 'none.mercer': "), "{told}");
    folder.run(&["show", "."]).refusal();
}
