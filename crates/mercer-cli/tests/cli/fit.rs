//! `mercer fit`: what it reports, what it saves, and when it says that nothing is proved.

use insta::assert_snapshot;
use serde_json::Value;

use crate::run::{Folder, SIX, keys, rounded};

/// The same text without what differs from run to run: seconds and kernel entries, and digits that are rounding.
pub(crate) fn timeless(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let key = line.split_whitespace().next().unwrap_or_default();
        match key {
            "time" => "time      <time>".to_owned(),
            "gap" | "violation" => format!("{key:9} <small>"),
            "ended" => line.split("; ").next().unwrap_or(line).to_owned(),
            "objective" | "dual" => shortened(line),
            "certified" => line.split(':').next().unwrap_or(line).to_owned(),
            _ => line.to_owned(),
        }
    });
    lines.map(|line| line + "\n").collect()
}

/// Five digits after the point are enough to know an objective by.
fn shortened(line: &str) -> String {
    match line.split_once('.') {
        Some((whole, digits)) => format!("{whole}.{}", &digits[..5.min(digits.len())]),
        None => line.to_owned(),
    }
}

#[test]
fn two_classes() {
    let folder = Folder::with("six.csv", SIX);
    let ran = folder.run(&["fit", "six.csv", "-k", "linear", "--C", "1", "-o", "six.mercer"]);
    assert_eq!(ran.stderr, "loss: hinge, since 'label' holds two classes (--loss chooses another)\n");
    assert_snapshot!(timeless(&ran.exit(0)));
    assert_eq!(folder.names(), ["six.csv", "six.mercer"]);
}

#[test]
fn numbers() {
    let words = ["fit", "@sinc(n=60, noise=0.1)", "-k", "rbf(sigma=1)", "--lambda", "0.01"];
    let ran = Folder::new().run(&words);
    assert_eq!(ran.stderr, "loss: squared, since 'label' holds numbers (--loss chooses another)\n");
    assert_snapshot!(timeless(&ran.exit(0)));
}

#[test]
fn several_classes() {
    let words = ["fit", "@iris", "--multi", "one-vs-one", "--loss", "hinge", "-k", "rbf(sigma=1)"];
    assert_snapshot!(timeless(&Folder::new().run(&words).answer()));
}

#[test]
fn no_target_at_all() {
    let words = ["fit", "@moons(n=100)", "--solver", "one-class", "--nu", "0.1", "-k", "rbf(sigma=0.5)"];
    assert_snapshot!(timeless(&Folder::new().run(&words).answer()));
}

#[test]
fn a_hard_margin_and_its_width() {
    let words = ["fit", "six.csv", "--solver", "hard-margin", "-k", "linear"];
    let text = Folder::with("six.csv", SIX).run(&words).answer();
    // Between (1,0)-(0,1) and (3,3) the strip is 5/√2 wide; each class gets half.
    assert!(text.contains(&format!("margin    {:.5}", 2.5 / 2_f64.sqrt())), "{text}");
}

#[test]
fn a_hard_margin_that_cannot_be() {
    // The middle of one class is the middle of the other.
    let folder = Folder::with("cross.csv", "a,b,label\n0,0,no\n2,2,no\n0,2,yes\n2,0,yes\n9,9,yes\n");
    let ran = folder.run(&["fit", "cross.csv", "--solver", "hard-margin", "-k", "linear", "-o", "m.mercer"]);
    assert_eq!(ran.stderr, "not certified: the classes cannot be separated with this kernel\n");
    let text = ran.exit(1);
    for row in
        ["row 1 (no) weight 0.5", "row 2 (no) weight 0.5", "row 3 (yes) weight 0.5", "row 4 (yes) weight 0.5"]
    {
        assert!(text.contains(row), "{text}");
    }
    assert_eq!(folder.names(), ["cross.csv"], "there is no model to save");
}

#[test]
fn one_machine_under_five_names() {
    let folder = Folder::new();
    let objective = |words: &[&str]| {
        let fixed = ["fit", "@moons(n=50)", "-k", "rbf(sigma=0.5)", "--loss", "hinge", "--json"];
        let found = folder.run(&[&fixed[..], words].concat()).json(0);
        assert_eq!(found["lambda"].as_f64().unwrap() * 50.0 * found["C"].as_f64().unwrap(), 1.0);
        found["machines"][0]["certificate"]["primal"].as_f64().unwrap()
    };
    let first = objective(&["--C", "4"]);
    for words in [["--lambda", "0.005"], ["--c", "200"], ["--mu", "0.25"], ["--rho", "8"]] {
        let other = objective(&words);
        assert!((other - first).abs() < 1e-5 * first, "{words:?}: {other} is not {first}");
    }
}

#[test]
fn json_for_programs() {
    let folder = Folder::with("six.csv", SIX);
    let found = folder.run(&["fit", "six.csv", "-k", "linear", "--loss", "hinge", "--json"]).json(0);
    assert_snapshot!(keys(&found).join(" "));
    assert_eq!(found["certified"], Value::Bool(true));
    assert_eq!(rounded(found["training"].clone()), serde_json::json!({ "misclassified": 0, "rows": 6 }));
}

#[test]
fn a_kernel_that_is_none_voids_the_certificate() {
    let words = ["fit", "@circles(n=60)", "-k", "sigmoid(gamma=1, offset=-1)", "--loss", "hinge"];
    let ran = Folder::new().run(&words);
    assert!(
        ran.stderr.starts_with("not certified: the certificate is void, since the kernel is not positive"),
        "{}",
        ran.stderr
    );
    assert!(ran.exit(1).contains("certified no\n"));
}

#[test]
fn limits_are_said_and_the_model_is_kept() {
    let folder = Folder::new();
    let hard = [
        "fit",
        "@chessboard(n=500)",
        "-k",
        "rbf(sigma=0.2)",
        "--C",
        "1e6",
        "--loss",
        "hinge",
        "-o",
        "m.mercer",
    ];
    let ran = folder.run(&[&hard[..], &["--max-iter", "2"]].concat());
    assert!(
        ran.stderr.starts_with("not certified: stopped at the limit of iterations; the relative gap is "),
        "{}",
        ran.stderr
    );
    ran.exit(1);
    let shown = folder.run(&["show", "m.mercer", "--json"]).json(0);
    assert_eq!(
        (&shown["certified"], &shown["machines"][0]["solved"]),
        (&Value::Bool(false), &Value::Bool(false))
    );
}

#[test]
fn weights_count() {
    let twice = "a,b,label,w\n0,0,-1,2\n1,0,-1,1\n0,1,-1,1\n3,3,1,1\n1,1,1,0\n";
    let repeated = "a,b,label\n0,0,-1\n0,0,-1\n1,0,-1\n0,1,-1\n3,3,1\n";
    let folder = Folder::with("weighted.csv", twice).and("repeated.csv", repeated);
    let bias = |words: &[&str]| {
        let fixed = ["--loss", "hinge", "-k", "linear", "--tolerance", "1e-9", "--json", "--C", "0.1"];
        let found = folder.run(&[words, &fixed].concat()).json(0);
        found["machines"][0]["certificate"]["norm"].as_f64().unwrap()
    };
    let (one, other) = (bias(&["fit", "weighted.csv", "--weights", "w"]), bias(&["fit", "repeated.csv"]));
    assert!((one - other).abs() < 1e-6, "{one} is not {other}");
}

#[test]
fn events_for_programs() {
    let words = ["fit", "@moons(n=200)", "--loss", "hinge", "--progress", "json"];
    let ran = Folder::new().run(&words);
    assert!(!ran.stderr.is_empty());
    for line in ran.stderr.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        assert!(event["iteration"].is_u64() && event["support"].is_u64(), "{line}");
    }
    ran.exit(0);
}
