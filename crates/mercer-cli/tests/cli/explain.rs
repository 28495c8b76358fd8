//! `mercer explain` and `mercer learners`: what a beginner reads, and that what it tells to try can be tried.

use insta::assert_snapshot;

use crate::run::{Folder, keys};

#[test]
fn the_list_of_topics() {
    assert_snapshot!("topics", Folder::new().run(&["explain"]).answer());
}

#[test]
fn a_page() {
    assert_snapshot!("explain-duality-gap", Folder::new().run(&["explain", "duality-gap"]).answer());
    let folder = Folder::new();
    assert_eq!(
        folder.run(&["explain", "Support Vector"]).answer(),
        folder.run(&["explain", "support-vector"]).answer()
    );
    assert!(folder.run(&["explain", "C vs λ"]).answer().starts_with("c-vs-lambda: "));
}

#[test]
fn a_topic_that_is_none() {
    let folder = Folder::new();
    for (word, expected) in [
        ("marign", "there is no topic 'marign'; did you mean 'margin'? (mercer explain lists them)"),
        ("gap", "there is no topic 'gap'; did you mean 'duality-gap'? (mercer explain lists them)"),
        ("zzzzzz", "there is no topic 'zzzzzz' (mercer explain lists them)"),
        ("", "there is no topic '' (mercer explain lists them)"),
    ] {
        assert_eq!(folder.run(&["explain", word]).refusal(), expected);
    }
}

#[test]
fn what_is_there_to_try_can_be_tried() {
    let topics = Folder::new().run(&["explain"]).answer();
    for topic in topics.lines().take_while(|line| !line.is_empty()) {
        let topic = topic.split_whitespace().next().unwrap();
        let page = Folder::new().run(&["explain", topic]).answer();
        let folder = Folder::new();
        for line in page.lines().filter_map(|line| line.strip_prefix("  mercer ")) {
            let line = format!("mercer {line}")
                .replace("mercer fit", "$mercer fit")
                .replace("mercer predict", "$mercer predict");
            let line = line.replace("mercer show", "$mercer show").replace("mercer gram", "$mercer gram");
            let ran = folder.shell(&line.replace("mercer check", "$mercer check"));
            assert!(matches!(ran.code, Some(0 | 1)), "{topic}: {line}: {}", ran.stderr);
        }
    }
}

#[test]
fn the_table_of_learners() {
    let folder = Folder::new();
    assert_snapshot!("learners", folder.run(&["learners"]).answer());
    assert_snapshot!("learners-smo", folder.run(&["learners", "smo"]).answer());
    assert_snapshot!(keys(&folder.run(&["learners", "--json"]).json(0)).join(" "));
    let told = folder.run(&["learners", "smoo"]).refusal();
    assert_eq!(told, "no learner is called 'smoo'; did you mean 'smo'? (mercer learners lists them)");
}
