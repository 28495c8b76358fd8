//! What each rule of the grammar reads, as the canonical text of the result.

use crate::language::{parse, parse_map, parse_with};
use crate::{KernelExpr, MapExpr};

/// Reads each text on the left and compares its canonical text, which must read back to the same.
fn check(cases: &[(&str, &str)]) {
    for (text, canonical) in cases {
        let kernel = parse(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
        assert_eq!(kernel.to_string(), *canonical, "{text}");
        assert_eq!(parse(canonical).as_ref(), Ok(&kernel), "{text}");
    }
}

#[test]
fn names_aliases_case_and_hyphens() {
    check(&[
        ("linear", "linear"),
        ("LINEAR()", "linear"),
        ("dot", "linear"),
        ("Gaussian", "rbf(gamma=scale)"),
        ("all-subsets", "all_subsets"),
        ("All_Subsets", "all_subsets"),
        ("exp-sine-squared", "periodic(period=1, scale=1)"),
        ("exp-sine-squared(length-scale=2)", "periodic(period=1, scale=2)"),
        (" \n\tlinear\r\n", "linear"),
    ]);
}

#[test]
fn arguments_by_name_by_place_and_by_default() {
    check(&[
        ("poly", "poly(degree=3, gamma=1, offset=1)"),
        ("poly(2)", "poly(degree=2, gamma=1, offset=1)"),
        ("poly(2, 0.5)", "poly(degree=2, gamma=0.5, offset=1)"),
        ("poly(offset=-1, DEGREE=2,)", "poly(degree=2, gamma=1, offset=-1)"),
        ("poly(d=2, coef0=-0)", "poly(degree=2, gamma=1, offset=0)"),
        ("rbf(sigma=2)", "rbf(sigma=2)"),
        ("rbf(Median)", "rbf(gamma=median)"),
        ("rbf(gamma=1e-7)", "rbf(gamma=1e-7)"),
        ("rbf(gamma=1e300)", "rbf(gamma=1e300)"),
        ("matern(nu=0.5)", "matern(nu=0.5, scale=1)"),
        ("matern(5e-1)", "matern(nu=0.5, scale=1)"),
        ("exponential(distance=Manhattan)", "exponential(scale=1, distance=manhattan)"),
        ("spectrum(k=4.0)", "spectrum(k=4)"),
    ]);
}

#[test]
fn numbers_are_constants_or_weights() {
    check(&[
        ("2", "constant(value=2)"),
        ("(2)*linear", "constant(value=2)*linear"),
        ("2^3", "constant(value=2)^3"),
        ("2*3", "constant(value=6)"),
        ("0.5*rbf", "0.5*rbf(gamma=scale)"),
        (".5*linear", "0.5*linear"),
        ("0*linear", "0*linear"),
        ("linear*2", "2*linear"),
        ("0.5*2*linear*3", "3*linear"),
        ("linear*2*rbf", "2*linear*rbf(gamma=scale)"),
        ("2*(3*linear)", "2*(3*linear)"),
        ("(2*linear)*rbf", "(2*linear)*rbf(gamma=scale)"),
        ("2*(linear + 1)", "2*(linear + constant(value=1))"),
        ("a: 2*linear", "a: constant(value=2)*linear"),
    ]);
}

#[test]
fn sums_and_products_open_what_they_hold() {
    check(&[
        ("linear+quadratic+1", "linear + quadratic + constant(value=1)"),
        ("linear + (quadratic + 1)", "linear + quadratic + constant(value=1)"),
        ("(linear*quadratic)*all_subsets", "linear*quadratic*all_subsets"),
        ("linear*(quadratic*all_subsets)", "linear*quadratic*all_subsets"),
        ("2*(linear*quadratic)", "2*linear*quadratic"),
        ("(linear + quadratic)*all_subsets", "(linear + quadratic)*all_subsets"),
        ("((((linear))))", "linear"),
    ]);
}

#[test]
fn powers_suffixes_and_forms() {
    check(&[
        ("linear^2", "linear^2"),
        ("linear^64", "linear^64"),
        ("(linear^2)^3", "(linear^2)^3"),
        ("(linear + 1)^2", "(linear + constant(value=1))^2"),
        ("linear[age]", "linear[age]"),
        ("linear[Age, \"sepal length\", 7]", "linear[Age, \"sepal length\", 7]"),
        ("linear[1..3, 9]", "linear[1..3, 9]"),
        ("linear[age,]", "linear[age]"),
        ("linear[a][b]", "linear[a][b]"),
        ("linear@log[a]", "linear@log[a]"),
        ("linear[a]@log@standardize^2", "linear[a]@log@standardize^2"),
        ("(linear*quadratic)@log", "(linear*quadratic)@log"),
        ("(linear^2)[a]", "(linear^2)[a]"),
        ("NORMALIZE(linear + 1)", "normalize(linear + constant(value=1))"),
        ("exp(linear)^2", "exp(linear)^2"),
        ("outer(log)", "outer(log)"),
        ("1[a]", "constant(value=1)[a]"),
    ]);
}

#[test]
fn labels_bind_to_the_atom() {
    check(&[
        ("a: linear", "a: linear"),
        ("a:b:linear", "a: b: linear"),
        ("a: linear[x]", "a: linear[x]"),
        ("a: (linear[x])", "a: (linear[x])"),
        ("a: (linear + quadratic)", "a: (linear + quadratic)"),
        ("a: (linear)^2 + b: quadratic", "a: linear^2 + b: quadratic"),
        ("rbf: linear", "rbf: linear"),
        ("exp: exp(linear)", "exp: exp(linear)"),
        ("größe: linear", "größe: linear"),
    ]);
    let on = parse("a: linear[x]").unwrap();
    assert!(matches!(on, KernelExpr::On(kernel, _) if matches!(*kernel, KernelExpr::Label(..))));
}

#[test]
fn users_names_are_kernels_without_parameters() {
    let users = ["mine".to_owned(), "My_Own".to_owned()];
    let kernel = parse_with("mine + my-own() + My_Own*linear", &users).unwrap();
    assert_eq!(kernel.to_string(), "mine + My_Own + My_Own*linear");
    assert_eq!(parse_with(&kernel.to_string(), &users), Ok(kernel));
    let refused = parse_with("mine(2)", &users).unwrap_err();
    assert_eq!(refused.errors()[0].to_string(), "'mine' is a kernel of the user's and takes no parameters");
    let refused = parse_with("linear", &["rbf".into(), "a b".into()]).unwrap_err();
    assert_eq!(refused.errors().len(), 2);
    assert!(parse("mine").is_err());
}

#[test]
fn maps_parse_alone_and_inside() {
    let map: MapExpr = "polynomial(degree=2)".parse().unwrap();
    assert_eq!(map.to_string(), "polynomial(degree=2, offset=1)");
    let kernel = parse("outer(polynomial(2)) + linear@polynomial(degree=3)").unwrap();
    assert_eq!(
        kernel.to_string(),
        "outer(polynomial(degree=2, offset=1)) + linear@polynomial(degree=3, offset=1)"
    );
    assert_eq!(
        parse_map("lgo").unwrap_err().one_line(),
        "feature map, column 1: unknown feature map 'lgo'; did you mean 'log'?"
    );
    assert_eq!(
        parse_map("log + log").unwrap_err().one_line(),
        "feature map, column 5: expected the end, found '+'"
    );
}
