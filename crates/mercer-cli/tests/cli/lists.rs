//! `mercer kernels`, `maps` and `data`: the tables, one entry in full, and JSON for programs.

use insta::assert_snapshot;

use crate::run::{Folder, keys};

fn answer(words: &[&str]) -> String {
    Folder::new().run(words).answer()
}

#[test]
fn the_table_of_kernels() {
    assert_snapshot!("kernels", answer(&["kernels"]));
}

#[test]
fn the_table_of_maps() {
    assert_snapshot!("maps", answer(&["maps"]));
}

#[test]
fn the_table_of_data() {
    assert_snapshot!("data", answer(&["data"]));
}

#[test]
fn a_kernel_in_full() {
    assert_snapshot!(answer(&["kernels", "rbf"]), @"");
    assert_snapshot!(answer(&["kernels", "sigmoid"]), @"");
    assert_snapshot!(answer(&["kernels", "precomputed"]), @"");
    assert_eq!(answer(&["kernels", "gaussian"]), answer(&["kernels", "rbf"]), "an alias is the same kernel");
}

#[test]
fn a_map_in_full() {
    assert_snapshot!(answer(&["maps", "nystrom"]), @"");
}

#[test]
fn a_set_in_full() {
    assert_snapshot!(answer(&["data", "iris"]), @"");
    assert_snapshot!(answer(&["data", "@moons"]), @"");
}

#[test]
fn lists_for_programs() {
    let json = |list: &str| Folder::new().run(&[list, "--json"]).json(0);
    let [kernels, maps, data] = ["kernels", "maps", "data"].map(json);
    assert_snapshot!(keys(&kernels[2]).join(" "), @"");
    assert_snapshot!(keys(&maps[2]).join(" "), @"");
    assert_snapshot!(keys(&data).join(" "), @"");
    let count = |text: String| text.lines().skip(1).take_while(|line| !line.is_empty()).count();
    assert_eq!(kernels.as_array().unwrap().len(), count(answer(&["kernels"])));
    assert_eq!(maps.as_array().unwrap().len(), count(answer(&["maps"])));
    assert_eq!(data.as_array().unwrap().len(), count(answer(&["data"])));
    assert_eq!(Folder::new().run(&["kernels", "poly", "--json"]).json(0)[0], kernels[2]);
}
