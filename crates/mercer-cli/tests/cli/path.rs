//! `mercer path`, and the searches of `mercer tune` that fit once or never: what they say and what they refuse.

use crate::run::Folder;

const MOONS: [&str; 8] = ["path", "@moons(n=80)", "-k", "rbf(sigma=0.3)", "--C", "0.1..100", "--points", "4"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&MOONS[..], more].concat()
}

#[test]
fn a_path_is_a_table_from_strong_to_weak() {
    let folder = Folder::new();
    let told = folder.run(&with(&["--hold-out", "0.25", "--table", "p.csv"])).exit(0);
    assert!(
        told.starts_with(
            "path      4 machines of smo with rbf(sigma=0.3) on @moons(n=80); held out on 1 split"
        )
    );
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines[1].split_whitespace().collect::<Vec<_>>(),
        ["C", "objective", "support", "gap", "accuracy", "held", "out"]
    );
    assert!(
        lines[2].starts_with("0.1 ") && lines[5].starts_with("100 ") && lines[6].starts_with("best      C=")
    );
    let table = String::from_utf8(folder.bytes("p.csv")).unwrap();
    assert!(
        table.starts_with("strength,value,objective,support_vectors,relative_gap,training,held_out\nC,0.1,")
    );
    assert_eq!(table.lines().count(), 5);
}

#[test]
fn json_has_every_machine_and_nothing_held_out_is_null() {
    let folder = Folder::new();
    let found = folder.run(&with(&["--json"])).json(0);
    let points = found["points"].as_array().unwrap();
    assert_eq!((points.len(), &found["best"], &found["splits"]), (4, &serde_json::Value::Null, &0.into()));
    for point in points {
        assert_eq!((&point["certified"], &point["held_out"]), (&true.into(), &serde_json::Value::Null));
    }
    let objectives: Vec<f64> = points.iter().map(|point| point["objective"].as_f64().unwrap()).collect();
    assert!(objectives.windows(2).all(|pair| pair[1] < pair[0]), "{objectives:?}");
    let folds = folder.run(&with(&["--json", "--folds", "3", "--metric", "auc"])).json(0);
    assert_eq!(
        (folds["metric"].as_str(), folds["best"]["scores"].as_array().unwrap().len()),
        (Some("auc"), 3)
    );
}

#[test]
fn ridge_regression_leaves_one_out() {
    let folder = Folder::new();
    let base =
        ["@sinc(n=60)", "-k", "rbf(sigma=1)", "--loss", "squared", "--lambda", "1e-5..1", "--points", "4"];
    let followed = folder.run(&[&["path"][..], &base, &["--loo", "--json"]].concat()).json(0);
    let searched = folder.run(&[&["tune"][..], &base, &["--loo", "--json"]].concat()).json(0);
    assert_eq!(followed["best"]["held_out"], searched["best"]["mean"]);
    assert_eq!((&searched["splits"], searched["trials"].as_array().unwrap().len()), (&1.into(), 4));
    assert!(searched["best"]["standard_error"].as_f64().unwrap() > 0.0);
    let said = folder.run(&["tune", "@moons(n=40)", "--loo"]).refusal();
    assert!(said.contains("squared loss") && said.contains("--folds"), "{said}");
}

#[test]
fn alignment_ranks_kernels_and_takes_one_strength() {
    let folder = Folder::new();
    let base = ["tune", "@moons(n=60)", "-k", "rbf(sigma=0.01|0.5|100)", "--alignment"];
    let told = folder.run(&base).exit(0);
    assert!(told.starts_with("ranked    3 kernels by centred alignment"), "{told}");
    assert!(told.lines().nth(2).unwrap().ends_with("rbf(sigma=0.5)"), "{told}");
    let found = folder.run(&[&base[..], &["--C", "10", "--json", "-o", "m.mercer"]].concat()).json(0);
    assert_eq!((&found["model"]["certified"], found["kernels"].as_array().unwrap().len()), (&true.into(), 3));
    assert_eq!(folder.run(&["show", "m.mercer", "--json"]).json(0)["kernel"], found["best"]["kernel"]);
    for (more, why) in [
        (&["--C", "1..10"][..], "one value"),
        (&["--search", "refine"], "--search grid"),
        (&["--folds", "3"], "--folds"),
    ] {
        let said = folder.run(&[&base[..], more].concat()).refusal();
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn what_cannot_be_followed_is_an_error_in_one_line() {
    let folder = Folder::new();
    for (more, why) in [
        (&["--solver", "kernel-perceptron"][..], "has no path"),
        (&["--loo"], "squared loss"),
        (&["--folds", "999"], "999 folds"),
        (&["--metric", "rmse"], "numbers"),
        (&["--lambda", "1"], "cannot be used with"),
    ] {
        let said = folder.run(&with(more)).refusal();
        assert!(said.contains(why), "{said}");
    }
    let said = folder.run(&["path", "@moons(n=40)", "--C", "?"]).refusal();
    assert!(said.contains("distances"), "{said}");
}
