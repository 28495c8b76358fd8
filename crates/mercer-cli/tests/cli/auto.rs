//! `mercer auto`: a table in, a certified model and what to think of it out.

use crate::run::Folder;

#[test]
fn a_model_is_found_judged_saved_and_used() {
    let folder = Folder::new();
    let told = folder.run(&["auto", "@iris", "-o", "iris.mercer"]).exit(0);
    for part in [
        "read      150 rows of @iris: 4 columns of numbers",
        "task      classes: 'label' holds 3 names",
        "test      30 rows that nothing was learned from",
        "naive     the same answer for every row: accuracy 0.3333",
        "proof     certified",
        "saved     iris.mercer: fitted again on all 150 rows",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let answers = folder.run(&["predict", "iris.mercer", "@iris"]).exit(0);
    assert_eq!(answers.lines().count(), 151);
}

#[test]
fn the_same_in_json_and_of_numbers() {
    let folder = Folder::new();
    let found = folder.run(&["auto", "@yacht", "--json", "--refit", "no", "--seed", "3"]).json(0);
    assert_eq!((&found["task"], &found["model"]["certified"]), (&"numbers".into(), &true.into()));
    assert_eq!(found["held_out"].as_array().unwrap().len(), 62);
    assert_eq!((found["trained_on"].as_u64(), found["fitted_on"].as_u64()), (Some(246), Some(246)));
    let score = &found["scores"][0];
    assert_eq!(score["metric"], "rmse");
    assert!(score["value"].as_f64().unwrap() < found["naive"].as_f64().unwrap());
}

#[test]
fn what_cannot_be_done_is_one_line() {
    let folder = Folder::with("t.csv", "a,b\n1,2\n2,3\n3,1\n");
    for (words, expected) in [
        (&["auto", "t.csv"][..], "t.csv: name the column to predict (--target COLUMN); there are a, b"),
        (&["auto", "@iris", "--task", "guess"], "--task: give classes or numbers, not 'guess'"),
        (&["auto", "@iris", "--metric", "luck"], "--metric"),
        (&["auto", "@iris", "--hold-out", "2"], "0.2 holds out a fifth"),
        (&["auto", "@iris", "--test", "nowhere.csv"], "--test"),
    ] {
        let told = folder.run(words).refusal();
        assert!(told.contains(expected), "{told}");
    }
}
