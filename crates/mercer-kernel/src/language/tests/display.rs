//! Errors as they are read on a terminal.

use crate::language::parse;

fn printed(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

#[test]
fn two_unknown_names() {
    assert_eq!(
        printed("0.5*rfb + lineer[age]"),
        "\
unknown kernel 'rfb'
  0.5*rfb + lineer[age]
      ^^^
  hint: did you mean 'rbf'?
unknown kernel 'lineer'
  0.5*rfb + lineer[age]
            ^^^^^^
  hint: did you mean 'linear'?"
    );
}

#[test]
fn a_value_out_of_range_has_no_hint() {
    assert_eq!(
        printed("rbf(sigma=-1)"),
        "\
sigma must be more than 0, found -1
  rbf(sigma=-1)
            ^^"
    );
}

#[test]
fn a_difference() {
    assert_eq!(
        printed("linear - rbf"),
        "\
a kernel minus a kernel is in general not positive semi-definite
  linear - rbf
         ^
  hint: see docs/maths.md §1.3; sums take weights of 0 or more"
    );
}

#[test]
fn characters_count_and_escapes_show() {
    assert_eq!(
        printed("linear[größe, \"\t\"] + rfb"),
        "\
unknown kernel 'rfb'
  linear[größe, \"\\t\"] + rfb
                        ^^^
  hint: did you mean 'rbf'?"
    );
}

#[test]
fn only_the_line_is_shown() {
    let text = "linear +\n  rfb\n + linear";
    assert_eq!(
        printed(text),
        "\
unknown kernel 'rfb'
    rfb
    ^^^
  hint: did you mean 'rbf'?"
    );
    assert_eq!(
        parse(text).unwrap_err().one_line(),
        "kernel expression, line 2, column 3: unknown kernel 'rfb'; did you mean 'rbf'?"
    );
}

#[test]
fn a_long_line_is_cut() {
    let text = format!("{}rfb{}", "linear + ".repeat(20), " + linear".repeat(20));
    assert_eq!(
        printed(&text),
        "\
unknown kernel 'rfb'
  …ar + linear + linear + rfb + linear + linear + linear + linear + linea…
                          ^^^
  hint: did you mean 'rbf'?"
    );
}

#[test]
fn the_end_and_the_empty_text() {
    assert_eq!(
        printed("linear + "),
        "\
expected a kernel, found the end
  linear + 
           ^"
    );
    assert_eq!(printed(""), "there is nothing to parse");
}

#[test]
fn many_errors_are_counted() {
    let text = vec!["rfb"; 30].join(" + ");
    assert!(printed(&text).ends_with("\nand 10 more"));
    assert_eq!(
        parse(&text).unwrap_err().one_line(),
        "kernel expression, column 1: unknown kernel 'rfb'; did you mean 'rbf'? (and 29 more)"
    );
    assert_eq!(
        parse("0.5 * rfb").unwrap_err().one_line(),
        "kernel expression, column 7: unknown kernel 'rfb'; did you mean 'rbf'?"
    );
}
