//! `mercer plot` and `mercer report`: a picture for every word, whatever the data, and one line where there is none.

use crate::run::Folder;

/// Labels that are markup, a constant column, and a column that only repeats.
const EVIL: &str = "x,<b>y</b>,same,label\n0,1,7,<script>\n1,0,7,\"a & 'b'\"\n0.2,0.9,7,<script>\n0.9,0.2,7,\"a & 'b'\"\n\
                    0.1,0.6,7,<script>\n1.2,0.1,7,\"a & 'b'\"\n";

fn moons() -> Folder {
    let folder = Folder::new();
    let words = [
        "fit",
        "@moons(n=80)",
        "-k",
        "rbf(sigma=0.4)",
        "--C",
        "5",
        "--probabilities",
        "platt",
        "-o",
        "m.mercer",
    ];
    folder.run(&words).exit(0);
    folder
}

/// The picture is there, whole, and nothing in it is markup of the user's.
fn drawn(folder: &Folder, name: &str) -> String {
    let bytes = folder.bytes(name);
    if name.ends_with(".png") {
        assert!(bytes.starts_with(b"\x89PNG"));
        return String::new();
    }
    let svg = String::from_utf8(bytes).unwrap();
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{name}");
    assert!(!svg.contains("<script") && !svg.contains("NaN"), "{name}");
    svg
}

#[test]
fn every_picture_of_a_model() {
    let folder = moons();
    for (what, word) in [
        ("boundary", "margin (score ±1)"),
        ("trace", "the gap between them"),
        ("roc", "area"),
        ("reliability", "off by"),
    ] {
        folder.run(&["plot", what, "m.mercer"]).exit(0);
        assert!(drawn(&folder, &format!("{what}.svg")).contains(word), "{what}");
    }
    folder
        .run(&[
            "plot",
            "boundary",
            "m.mercer",
            "@moons(n=30, seed=5)",
            "--dark",
            "--width",
            "400",
            "-o",
            "b.png",
        ])
        .exit(0);
    drawn(&folder, "b.png");
}

#[test]
fn grids_widths_and_bounds_of_several_classes() {
    let folder = moons();
    let shown = folder.run(&["plot", "boundary", "m.mercer", "--grid", "30", "--json"]).exit(0);
    assert!(shown.contains("\"columns\": 30"));
    folder.run(&["plot", "boundary", "m.mercer", "--grid", "1"]).exit(2);
    folder.run(&["plot", "gram", "@iris", "--kernel", "rbf", "--width", "400", "--plot", "g.svg"]).exit(0);
    let svg = drawn(&folder, "g.svg");
    let width: f64 = svg.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    assert!(width <= 440.0, "{width}");
    for several in ["one-vs-one", "one-vs-rest"] {
        folder.run(&["fit", "@iris", "-k", "rbf", "--multi", several, "-o", "i.mercer"]).exit(0);
        folder.run(&["plot", "boundary", "i.mercer", "-o", "i.svg"]).exit(0);
        assert!(drawn(&folder, "i.svg").contains("support vector at the bound"), "{several}");
    }
}

#[test]
fn every_picture_of_data() {
    let folder = Folder::new();
    let calls: [(&[&str], &str, &str); 8] = [
        (&["sweep", "@moons(n=60)", "--sweep", "sigma=0.1,1", "--C", "10"], "sweep.svg", "sigma = 0.1"),
        (&["sweep", "@moons(n=60)", "--sweep", "lambda=0.1,1", "-o", "l.svg"], "l.svg", "lambda = 0.1"),
        (&["curve", "@sinc(n=40)", "--sweep", "lambda=0.01,1"], "curve.svg", "lambda = 0.01"),
        (&["losses"], "losses.svg", "margin y·f"),
        (&["spectrum", "@moons(n=40)", "--kernel", "rbf(sigma=1)"], "spectrum.svg", "eigenvalue"),
        (&["features", "@circles(n=60)"], "features.svg", "a plane between the classes"),
        (&["tuning", "@moons(n=60)", "--points", "2", "--C", "1|10", "--folds", "2"], "tuning.svg", "best"),
        (&["path", "@moons(n=60)", "--points", "3", "--folds", "2"], "path.svg", "held-out rows"),
    ];
    for (words, file, part) in calls {
        folder.run(&[&["plot"], words].concat()).exit(0);
        assert!(drawn(&folder, file).contains(part), "{words:?}");
    }
    folder.run(&["plot", "gram", "@moons(n=40)", "--kernel", "rbf"]).exit(0);
    drawn(&folder, "gram.svg");
}

#[test]
fn models_of_one_feature_of_many_of_several_classes_and_of_texts() {
    let folder = Folder::new();
    let fits: [(&str, &[&str]); 5] = [
        ("numbers", &["@sinc(n=40)", "--loss", "epsilon(epsilon=0.1)"]),
        ("classes", &["@iris", "--multi", "one-vs-one", "--scale", "standardize"]),
        ("texts", &["@promoter", "-k", "spectrum(k=3)"]),
        ("surface", &["@moons(n=60)", "--target", "label", "--loss", "squared"]),
        ("novelty", &["@moons(n=60)", "--solver", "one-class", "--nu", "0.2"]),
    ];
    for (name, words) in fits {
        let file = format!("{name}.mercer");
        let fitted = folder.run(&[&["fit"], words, &["-o", &file]].concat());
        assert!(folder.path(&file).exists(), "{name}: {}", fitted.stderr);
        folder.run(&["plot", "boundary", &file, "-o", &format!("{name}.svg")]).exit(0);
        drawn(&folder, &format!("{name}.svg"));
        folder.run(&["report", &file, "-o", &format!("{name}.html")]).exit(0);
    }
    assert!(drawn(&folder, "classes.svg").contains("kernel principal components"));
    folder.run(&["plot", "boundary", "classes.mercer", "--slice", "medians", "-o", "s.svg"]).exit(0);
    assert!(drawn(&folder, "s.svg").contains("medians"));
    let told =
        folder.run(&["plot", "boundary", "numbers.mercer", "--columns", "x,x", "-o", "x.svg"]).refusal();
    assert!(told.contains("two different columns"), "{told}");
}

#[test]
fn a_report_is_one_file_that_reaches_nowhere() {
    let folder = moons();
    folder.run(&["report", "m.mercer", "-o", "m.html"]).exit(0);
    let page = String::from_utf8(folder.bytes("m.html")).unwrap();
    for part in [
        "<!DOCTYPE html>",
        "What is proved about it",
        "No machine with",
        "mercer fit &#39;@moons(n=80)&#39;",
        "SVC(kernel=&quot;",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("src=\"http") && !page.contains("<script") && page.len() < 1_000_000);
}

#[test]
fn labels_are_text_and_odd_data_are_told() {
    let folder = Folder::with("evil.csv", EVIL);
    folder.run(&["fit", "evil.csv", "-k", "rbf(sigma=0.5)", "-o", "e.mercer"]).exit(0);
    folder.run(&["plot", "boundary", "e.mercer"]).exit(0);
    assert!(drawn(&folder, "boundary.svg").contains("&lt;script&gt;"));
    folder.run(&["report", "e.mercer", "-o", "e.html"]).exit(0);
    let page = String::from_utf8(folder.bytes("e.html")).unwrap();
    assert!(
        !page.contains("<script") && !page.contains("<b>y") && page.contains("the same in every row: same")
    );
    // Rows of one class alone have no ranking, and that is said.
    let folder = folder.and("one.csv", "x,<b>y</b>,same,label\n0,1,7,<script>\n0.3,1,7,<script>\n");
    folder.run(&["report", "e.mercer", "one.csv", "-o", "one.html"]).exit(0);
    let page = String::from_utf8(folder.bytes("one.html")).unwrap();
    assert!(page.contains("Every row shown is of the class"));
}

#[test]
fn what_is_shown_comes_as_json() {
    let folder = moons();
    let found = folder.run(&["plot", "boundary", "m.mercer", "--json"]).json(0);
    assert_eq!(found["classes"].as_array().unwrap().len(), 2);
    assert_eq!(found["spots"].as_array().unwrap().len(), 80);
    assert!(!folder.path("boundary.svg").exists());
}

#[test]
fn what_cannot_be_drawn_is_one_line() {
    let folder = moons();
    for (words, part) in [
        (&["plot", "residuals", "m.mercer"][..], "residuals are of numbers"),
        (&["plot", "boundary", "m.mercer", "-o", "b.gif"], "a picture is saved as .svg or .png"),
        (&["plot", "boundary", "m.mercer", "--slice", "sideways"], "give components or medians"),
        (&["plot", "boundary", "m.mercer", "--columns", "x,nothing"], "the model looks at no number 'x'"),
        (&["plot", "trace", "m.mercer", "--machine", "2"], "there is no machine 2"),
        (&["plot", "sweep", "@moons(n=20)", "--sweep", "sigma"], "--sweep: write NAME=VALUE"),
        (&["plot", "losses", "--loss", "none"], "none"),
        (&["report", "m.mercer", "-o", "m.pdf"], "a report is saved as .html or .htm"),
    ] {
        let ran = folder.run(words);
        assert!(
            ran.stderr.contains(part) && ran.stderr.trim_end().lines().count() == 1,
            "{words:?}: {}",
            ran.stderr
        );
    }
}
