//! Several classes by one machine each, and probabilities: what is printed, and what is refused.

use insta::assert_snapshot;

use crate::fit::timeless;
use crate::run::Folder;

const MOONS: &str = "@moons(n=120, noise=0.3)";

/// The cells of each row but the first.
fn cells(text: &str) -> Vec<Vec<String>> {
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn one_machine_for_each_class() {
    let folder = Folder::new();
    let words = ["fit", "@iris", "--multiclass", "one-vs-rest", "--loss", "hinge", "-k", "rbf(sigma=1)"];
    let text = folder.run(&[&words[..], &["-o", "i.mercer"]].concat()).answer();
    assert_snapshot!(timeless(&text));
    let text = folder.run(&["predict", "i.mercer", "@iris", "--scores"]).exit(0);
    assert!(
        text.starts_with("row,label,score setosa/rest,score versicolor/rest,score virginica/rest\n"),
        "{text}"
    );
    for row in cells(&text) {
        let scores: Vec<f64> = row[2..].iter().map(|cell| cell.parse().unwrap()).collect();
        let most = scores.iter().copied().fold(f64::MIN, f64::max);
        let names = ["setosa", "versicolor", "virginica"];
        assert_eq!(row[1], names[scores.iter().position(|&score| score == most).unwrap()]);
    }
    let text = folder.run(&["show", "i.mercer"]).answer();
    assert!(text.contains("tells 3 classes apart, by 3 machines, one for each class"), "{text}");
    assert!(text.contains("setosa/rest"), "{text}");
    let found = folder.run(&["show", "i.mercer", "--json"]).json(0);
    assert_eq!(found["machines"][1]["against_rest"], "versicolor");
    let told = folder.run(&["fit", "@iris", "--multi", "rest"]).refusal();
    assert!(told.contains("there are refuse, one-vs-one, one-vs-rest and softmax"), "{told}");
}

#[test]
fn a_column_for_each_class() {
    for how in ["platt", "isotonic"] {
        let folder = Folder::new();
        let text = folder
            .run(&[
                "fit",
                MOONS,
                "--loss",
                "hinge",
                "-k",
                "rbf(sigma=0.5)",
                "--probabilities",
                how,
                "-o",
                "m.mercer",
            ])
            .answer();
        assert!(
            text.contains(&format!("\n{how:9} probabilities, fitted to scores of rows that were left out")),
            "{text}"
        );
        let ran = folder.run(&["predict", "m.mercer", MOONS]);
        assert!(
            ran.stderr.contains("\nprobabilities: log-loss 0.") && ran.stderr.contains(", calibration 0."),
            "{}",
            ran.stderr
        );
        let text = ran.exit(0);
        assert!(text.starts_with("row,label,probability -1,probability 1\n"), "{text}");
        for row in cells(&text) {
            let [first, second] = [2, 3].map(|at| row[at].parse::<f64>().unwrap());
            assert!((first + second - 1.0).abs() < 1e-12 && (row[1] == "1") == (second > first), "{row:?}");
        }
        let text = folder.run(&["show", "m.mercer"]).answer();
        assert!(text.contains(&format!("calibration   {how}: p ")), "{text}");
        assert_eq!(folder.run(&["show", "m.mercer", "--json"]).json(0)["probabilities"], how);
        let json = folder.run(&["predict", "m.mercer", MOONS, "--json"]).json(0);
        assert!(json[0]["probability 1"].is_f64(), "{json}");
    }
}

#[test]
fn several_classes_have_probabilities_both_ways() {
    for how in ["one-vs-one", "one-vs-rest"] {
        let folder = Folder::new();
        let words =
            ["fit", "@iris", "--loss", "hinge", "--multi", how, "--probabilities", "platt", "-o", "i.mercer"];
        folder.run(&words).answer();
        let text = folder.run(&["predict", "i.mercer", "@iris"]).exit(0);
        assert!(
            text.starts_with("row,label,probability setosa,probability versicolor,probability virginica\n")
        );
        for row in cells(&text) {
            let found: Vec<f64> = row[2..].iter().map(|cell| cell.parse().unwrap()).collect();
            let own = ["setosa", "versicolor", "virginica"].iter().position(|name| *name == row[1]).unwrap();
            assert!(found.iter().enumerate().all(|(class, &p)| class == own || p < found[own]), "{row:?}");
        }
    }
}

#[test]
fn softmax_is_one_problem_with_probabilities() {
    let folder = Folder::new();
    let words = ["fit", "@iris", "--multi", "softmax", "-k", "rbf(sigma=1)", "-o", "i.mercer"];
    let ran = folder.run(&words);
    assert!(ran.stderr.contains("loss: logistic, since softmax is the logistic loss of several classes"));
    assert_snapshot!(timeless(&ran.exit(0)));
    let text = folder.run(&["predict", "i.mercer", "@iris", "--scores"]).exit(0);
    let names = ["setosa", "versicolor", "virginica"];
    let header = names.map(|name| format!("score {name}")).join(",");
    let chances = names.map(|name| format!("probability {name}")).join(",");
    assert!(text.starts_with(&format!("row,label,{header},{chances}\n")), "{text}");
    for row in cells(&text) {
        let found: Vec<f64> = row[2..].iter().map(|cell| cell.parse().unwrap()).collect();
        let own = names.iter().position(|name| *name == row[1]).unwrap();
        let total: f64 = found[..3].iter().map(|score| score.exp()).sum();
        for class in 0..3 {
            assert!(
                class == own || found[class] < found[own] && found[3 + class] < found[3 + own],
                "{row:?}"
            );
            assert!((found[class].exp() / total - found[3 + class]).abs() < 1e-12, "{row:?}");
        }
    }
    let text = folder.run(&["predict", "i.mercer", "@iris", "--explain", "2", "--sample", "1"]);
    assert!(text.stderr.contains("explained: the first of 3 machines, setosa"), "{}", text.stderr);
    let text = folder.run(&["show", "i.mercer"]).answer();
    for said in [
        "tells 3 classes apart by softmax: a function for each, all of one problem",
        "loss = log(sum of exp(F_c))",
        "b_c = setosa ",
        "p_c = exp(score_c)/sum of exp(scores)",
    ] {
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(said), "{said}: {text}");
    }
    let found = folder.run(&["show", "i.mercer", "--json"]).json(0);
    assert_eq!(
        (&found["machines"][1]["class"], &found["probabilities"]),
        (&"versicolor".into(), &"softmax".into())
    );
    let told = folder.run(&["fit", "@iris", "--multi", "softmax", "--loss", "hinge"]).refusal();
    assert!(told.contains("use --loss logistic, or --multi one-vs-one or one-vs-rest"), "{told}");
    let told = folder.run(&["fit", "@iris", "--multi", "softmax", "--probabilities", "platt"]).refusal();
    assert!(told.starts_with("softmax has probabilities of its own"), "{told}");
}

#[test]
fn where_they_cannot_be() {
    let folder = Folder::with("few.csv", "x,label\n1,a\n2,b\n");
    let told = folder.run(&["fit", "few.csv", "--probabilities", "platt"]).refusal();
    assert!(told.contains("no class has two rows with weight"), "{told}");
    let told = folder.run(&["fit", "@sinc", "--solver", "svr", "--probabilities", "platt"]).refusal();
    assert_eq!(told, "--probabilities are of classes, and svr has none");
    let told = folder.run(&["fit", MOONS, "--probabilities", "odds"]).refusal();
    assert_eq!(told, "--probabilities: 'odds' is no way to make probabilities; there are platt and isotonic");
    let told = folder.run(&["fit", MOONS, "--probabilities", "platt", "-o", "m.model"]).refusal();
    assert!(told.contains("not written to LIBSVM's files"), "{told}");
    let told = folder.run(&["tune", MOONS, "--metric", "log-loss", "--points", "2"]).refusal();
    assert_eq!(told, "log-loss judges probabilities, and none are asked for (--probabilities platt)");
}

#[test]
fn a_search_by_log_loss() {
    let folder = Folder::new();
    let words =
        ["tune", "@moons(n=90, noise=0.3)", "-k", "rbf(sigma=0.5|1)", "--C", "1|10", "--metric", "log-loss"];
    let ran = folder.run(&[&words[..], &["--probabilities", "platt", "-o", "m.mercer"]].concat());
    let text = ran.exit(0);
    assert!(text.contains("log-loss") && text.contains("smaller is better"), "{text}");
    assert_eq!(folder.run(&["show", "m.mercer", "--json"]).json(0)["probabilities"], "platt");
}
