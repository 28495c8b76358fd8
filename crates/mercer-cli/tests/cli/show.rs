//! `mercer show`: the certificate in plain words.

use insta::assert_snapshot;

use crate::run::{Folder, SIX, keys};

/// Words only: every number that is not whole is `#`.
fn wordly(text: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_matches(['.', ',', ':', ';', '(', ')']);
        if bare.parse::<f64>().is_ok() && bare.contains(['.', 'e']) {
            word.replace(bare, "#")
        } else {
            word.to_owned()
        }
    };
    text.lines().map(|line| line.split(' ').map(word).collect::<Vec<_>>().join(" ") + "\n").collect()
}

#[test]
fn a_certificate_in_words() {
    let folder = Folder::with("six.csv", SIX);
    folder.run(&["fit", "six.csv", "-k", "linear", "--C", "1", "-o", "six.mercer"]).exit(0);
    let text = folder.run(&["show", "six.mercer"]).answer();
    assert!(text.lines().all(|line| line.chars().count() <= 96), "{text}");
    for said in [
        "No machine with this kernel, loss and lambda has an objective lower than D.",
        "by construction",
        "certified     yes",
    ] {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(&said.split_whitespace().collect::<Vec<_>>().join(" ")), "{text}");
    }
    assert_snapshot!(keys(&folder.run(&["show", "six.mercer", "--json"]).json(0)).join(" "));
}

#[test]
fn other_certificates() {
    let folder = Folder::with("six.csv", SIX);
    for (words, said) in [
        (vec!["six.csv", "--solver", "hard-margin", "-k", "linear"], "margin"),
        (vec!["six.csv", "--solver", "kernel-perceptron", "-k", "linear + 1"], "separation"),
        (vec!["six.csv", "--solver", "nu-svc", "--nu", "0.3", "-k", "linear"], "level"),
        (vec!["six.csv", "--solver", "one-class", "--nu", "0.5", "-k", "rbf(sigma=1)"], "level"),
    ] {
        folder.run(&[&["fit", "-o", "m.mercer"], &words[..]].concat()).exit(0);
        let text = folder.run(&["show", "m.mercer"]).answer();
        assert!(text.lines().any(|line| line.starts_with(said)), "{words:?}: {text}");
    }
}

#[test]
fn several_targets_are_told_apart() {
    use mercer::model::{Learner, Setting, Spec, Training, fit};
    use mercer::points::{Column, ColumnData, Table};
    let mut table = Table::new();
    table.push("x", ColumnData::Numbers((0..8).map(f64::from).collect())).unwrap();
    let target = |name: &str, slope: f64| Column {
        name: name.to_owned(),
        data: ColumnData::Numbers((0..8).map(|i| slope * f64::from(i)).collect()),
    };
    let (height, others) = (target("height", 1.0), [target("width", -2.0)]);
    let training = Training { others: &others, ..Training::new(&table, &height) };
    let spec = Spec::new("linear".parse().unwrap(), Learner::Cholesky);
    let folder = Folder::with("new.csv", "x,height\n2,2\n3,3\n");
    let model = fit(&spec, &training, &Setting::default()).unwrap();
    model.save(&folder.path("two.mercer")).unwrap();
    let text = folder.run(&["show", "two.mercer"]).answer();
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in ["predicts 2 numbers, by a machine each", "for its target by at most", "target height, width"]
    {
        assert!(flat.contains(said), "{said}: {text}");
    }
    let json = folder.run(&["show", "two.mercer", "--json"]).json(0);
    assert_eq!((&json["target"], &json["other_targets"][0]), (&"height".into(), &"width".into()));
    let ran = folder.run(&["predict", "two.mercer", "new.csv"]);
    assert!(ran.stderr.starts_with("root mean square error of height "), "{}", ran.stderr);
    let rows = ran.stdout;
    let cells: Vec<Vec<&str>> = rows.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(cells[0], ["row", "value height", "value width"]);
    for (line, x) in cells[1..].iter().zip([2.0, 3.0]) {
        let values: Vec<f64> = line[1..].iter().map(|cell| cell.parse().unwrap()).collect();
        assert!((values[0] - x).abs() < 0.05 && (values[1] + 2.0 * x).abs() < 0.1, "{rows}");
    }
}

/// What `show` says of a model, without its line ends.
fn said(fit: &[&str]) -> String {
    let folder = Folder::with("six.csv", SIX);
    folder.run(&[&["fit", "-o", "m.mercer"], fit].concat());
    let text = folder.run(&["show", "m.mercer"]).answer();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn scores_in_units_of_rho_and_below_it() {
    let text = said(&["six.csv", "--solver", "nu-svc", "--nu", "0.3", "-k", "linear"]);
    assert!(
        text.contains("score (f(x) + b)/rho with f(x) =") && text.contains("margin rho/|f| = "),
        "{text}"
    );
    let text = said(&["six.csv", "--solver", "one-class", "--nu", "0.5", "-k", "rbf(sigma=1)"]);
    assert!(
        text.contains("score f(x) - rho with f(x) =") && text.contains("score above 0: inside"),
        "{text}"
    );
}

#[test]
fn lms_is_not_ridge() {
    let text = said(&["@sinc(n=30)", "--solver", "lms", "-k", "rbf(sigma=1)"]);
    for words in ["without a penalty", "stopped early", "that of kernel ridge with lambda "] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn perceptrons_have_no_bounds() {
    for fit in [
        &["six.csv", "--solver", "kernel-perceptron", "-k", "linear + 1"][..],
        &["@iris", "--solver", "kernel-perceptron", "--multi", "one-vs-one", "-k", "rbf(sigma=1)"],
    ] {
        let text = said(fit);
        assert!(text.contains("certified yes: the sign is right on every training row"), "{text}");
        for words in ["at the bound", "at bound", "bounds hold", "relative gap"] {
            assert!(!text.contains(words), "{words}: {text}");
        }
    }
}

#[test]
fn a_void_certificate_is_called_void() {
    let folder = Folder::new();
    folder.run(&["fit", "@circles(n=60)", "-k", "sigmoid(gamma=1, offset=-1)", "-o", "m.mercer"]).exit(1);
    let text = folder.run(&["show", "m.mercer"]).answer();
    assert!(text.contains("NOT a Mercer kernel") && text.contains("void"), "{text}");
}

#[test]
fn several_machines_are_a_table_with_the_worst_first() {
    let folder = Folder::new();
    folder.run(&["fit", "@iris", "--multi", "one-vs-one", "-k", "rbf(sigma=1)", "-o", "i.mercer"]).exit(0);
    let text = folder.run(&["show", "i.mercer"]).answer();
    let table: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("machine "))
        .take_while(|line| !line.is_empty())
        .collect();
    assert_eq!(table.len(), 4, "{text}");
    let at = table[0].find("relative gap").unwrap();
    let gaps: Vec<f64> = table[1..]
        .iter()
        .map(|line| line[at..].split_whitespace().next().unwrap().parse().unwrap())
        .collect();
    assert!(gaps.windows(2).all(|pair| pair[0] >= pair[1]), "{text}");
    assert_snapshot!(wordly(table[0]));
}
