//! `mercer fit --forecast`: what is said, in words and in JSON, and what is refused.

use crate::run::Folder;

#[test]
fn a_fit_is_forecast_and_not_made() {
    let folder = Folder::new();
    let ran = folder.run(&["fit", "@moons(n=400)", "--loss", "hinge", "--forecast", "-o", "m.mercer"]);
    let text = ran.exit(0);
    let keys: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(keys, ["rows", "plan", "time", "memory", "support"], "{text}");
    assert!(text.contains("\nplan      all kernel entries in memory\n"), "{text}");
    assert!(text.contains(" on top of the data: "), "{text}");
    assert!(folder.names().is_empty(), "nothing is saved");
}

#[test]
fn in_json() {
    let words = ["fit", "@iris", "--loss", "hinge", "--multi", "one-vs-one", "--forecast", "--json"];
    let found = Folder::new().run(&words).json(0);
    assert_eq!(found["plan"]["kind"], "whole");
    assert_eq!((found["rows"].as_u64(), found["machines"].as_u64()), (Some(150), Some(3)));
    assert!(found["seconds"].as_f64().unwrap() > 0.0 && found["peak_bytes"].as_u64().unwrap() > 0);
}

#[test]
fn what_has_no_room_is_refused_with_what_to_do() {
    let words = ["fit", "@sinc(n=2000)", "-k", "rbf(sigma=1)", "--loss", "squared", "--memory", "8MB"];
    let folder = Folder::new();
    let told = folder.run(&words).refusal();
    assert_eq!(
        told,
        "cholesky needs 32 MB for 2000 rows, but the memory budget is 8.0 MB; choose --solver cg, take a sample \
         (--sample 1000), take Nystroem features (--solver ridge-primal --kernel 'linear@nystrom(kernel=rbf(sigma=1), \
         m=1000)'), or raise --memory to 32MB"
    );
    let ran = folder.run(&[&words[..], &["--forecast"]].concat());
    let text = ran.exit(1);
    assert!(text.contains("plan      refused: cholesky needs 32 MB"), "{text}");
    let found = folder.run(&[&words[..], &["--forecast", "--json"]].concat()).json(1);
    assert_eq!((found["plan"]["room"].as_u64(), found["plan"]["other"].as_str()), (Some(1000), Some("cg")));
    let plain = &words[..6];
    for way in [
        ["--solver", "cg", "--memory", "8MB"],
        ["--sample", "1000", "--memory", "8MB"],
        ["--memory", "32MB", "--seed", "0"],
    ] {
        folder.run(&[plain, &way[..], &["--forecast"]].concat()).exit(0);
    }
}
