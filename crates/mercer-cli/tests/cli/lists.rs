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
    assert_snapshot!(answer(&["kernels", "rbf"]), @"
    rbf      exp(-gamma*|x-z|^2)
    for      the usual choice: smooth, local, universal
    on       vectors
    psd      yes: the Fourier transform of a Gaussian density (Bochner)
    also     gaussian, gauss
      gamma  rate; `scale` = 1/(d*var), `median` from the median distance, `q10` from its 10 % quantile (more than 0, or scale or median or q10 or q25 or q75 or q90; default scale)
      sigma  standard deviation: gamma = 1/(2*sigma^2) (more than 0)
      width  gamma = 1/width^2 (more than 0)
    ");
    assert_snapshot!(answer(&["kernels", "sigmoid"]), @"
    sigmoid   tanh(gamma*<x,z> + offset)
    for       for comparison with older work; not a Mercer kernel
    on        vectors
    psd       no: the power series of tanh has negative coefficients
    also      tanh
      gamma   scale of the inner product (more than 0; default 1)
      offset  shift (any number; default 0)
    ");
    assert_snapshot!(answer(&["kernels", "precomputed"]), @"
    precomputed  K[i,j]
    for          a Gram matrix that was computed elsewhere
    on           a precomputed matrix
    psd          not known: a matrix from outside can be anything; it is measured on the data
    also         matrix
    ");
    assert_eq!(answer(&["kernels", "gaussian"]), answer(&["kernels", "rbf"]), "an alias is the same kernel");
}

#[test]
fn a_map_in_full() {
    assert_snapshot!(answer(&["maps", "nystrom"]), @"
    nystrom    K_mm^(-1/2) k_m(x)
    for        features from m landmark rows
    dimension  m
    kernel     the kernel, projected on m training rows
    also       nystroem
      kernel   the kernel to imitate (a kernel; default rbf)
      m        how many landmarks (whole, 1 to 100000; default 100)
      seed     seed of the random choice (whole, 0 to 9007199254740991; default 0)
    ");
}

#[test]
fn a_set_in_full() {
    assert_snapshot!(answer(&["data", "iris"]), @"
    @iris   three species of iris by four lengths
    rows    150
    task    classes
    source  UCI Iris (Fisher 1936)
    terms   CC BY 4.0
    ");
    assert_snapshot!(answer(&["data", "@moons"]), @"
    @moons(n, noise, seed)  two interleaved half circles
    rows                    400
    task                    two classes
    source                  generated here
    terms                   free
    ");
}

#[test]
fn lists_for_programs() {
    let json = |list: &str| Folder::new().run(&[list, "--json"]).json(0);
    let [kernels, maps, data] = ["kernels", "maps", "data"].map(json);
    assert_snapshot!(keys(&kernels[2]).join(" "), @"about aliases domain formula name one_of parameters parameters.about parameters.aliases parameters.default parameters.name parameters.range psd signature");
    assert_snapshot!(keys(&maps[2]).join(" "), @"about aliases dimension formula kernel name parameters parameters.about parameters.aliases parameters.default parameters.name parameters.range signature");
    assert_snapshot!(keys(&data).join(" "), @"about generated name rows source task terms");
    let count = |text: String| text.lines().skip(1).take_while(|line| !line.is_empty()).count();
    assert_eq!(kernels.as_array().unwrap().len(), count(answer(&["kernels"])));
    assert_eq!(maps.as_array().unwrap().len(), count(answer(&["maps"])));
    assert_eq!(data.as_array().unwrap().len(), count(answer(&["data"])));
    assert_eq!(Folder::new().run(&["kernels", "poly", "--json"]).json(0)[0], kernels[2]);
}
