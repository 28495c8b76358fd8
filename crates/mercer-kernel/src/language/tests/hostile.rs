//! Texts that are made to break a parser: long, deep, cut off.

use crate::language::{MAX_BYTES, MAX_COLUMNS, MAX_DEPTH, MAX_LEAVES, parse, parse_map};

/// The one message of a text that must fail.
fn message(text: &str) -> String {
    let errors = parse(text).expect_err("a hostile text");
    assert_eq!((errors.errors().len(), errors.more()), (1, 0), "{errors}");
    assert!(errors.to_string().len() < 1000);
    errors.errors()[0].to_string()
}

#[test]
fn long_texts_are_refused_unread() {
    for text in ["linear + ".repeat(120_000), "+".repeat(1 << 20), "ü".repeat(1 << 20), "(".repeat(1 << 20)]
    {
        let expected = format!("the expression has {} bytes, the limit is {MAX_BYTES}", text.len());
        assert_eq!(message(&text), expected);
    }
    assert!(parse_map(&"log ".repeat(1 << 18)).is_err());
    let spaces = format!("linear{}", " ".repeat(MAX_BYTES - 6));
    assert!(parse(&spaces).is_ok());
    assert!(parse(&(spaces + " ")).is_err());
}

#[test]
fn deep_texts_are_one_error() {
    let deep = format!("the expression is nested more than {MAX_DEPTH} deep");
    let nested = |count: usize, open: &str, close: &str| {
        format!("{}linear{}", open.repeat(count), close.repeat(count))
    };
    for (open, close) in [
        ("(", ")"),
        ("exp(", ")"),
        ("a:", ""),
        ("(2*", ")"),
        ("", "@log"),
        ("", "[a]"),
        ("(", "^2)"),
        ("linear@nystrom(", ")"),
        ("outer(nystrom(", "))"),
    ] {
        assert_eq!(message(&nested(4_000, open, close)), deep, "{open} {close}");
        assert!(parse(&nested(40, open, close)).is_ok(), "{open} {close}");
    }
    assert_eq!(message(&nested(10_000, "(", ")")), deep);
    assert_eq!(message(&nested(10_000, "", "@log")), deep);
    assert_eq!(message(&"(".repeat(10_000)), deep);
    assert_eq!(message(&format!("linear{}", "^2".repeat(10_000))), "a power of a power needs parentheses");
}

#[test]
fn the_deepest_text_that_is_allowed_prints_and_parses() {
    for (open, close) in [("(", ")"), ("exp(", ")"), ("a:", ""), ("(2*", ")"), ("", "@log"), ("(", "^2)")] {
        let nested = |count| format!("{}linear{}", open.repeat(count), close.repeat(count));
        let deepest = (1..=MAX_DEPTH + 1).rev().find_map(|count| parse(&nested(count)).ok());
        let kernel = deepest.expect("one that parses");
        assert_eq!(parse(&kernel.to_string()), Ok(kernel), "{open}");
    }
}

#[test]
fn many_leaves_and_columns_are_refused() {
    let sum = |count: usize| vec!["linear"; count].join("+");
    assert!(parse(&sum(MAX_LEAVES)).is_ok());
    assert_eq!(message(&sum(MAX_LEAVES + 1)), "the expression has more than 4096 kernels");
    let long = vec!["poly"; 4000].join("+");
    assert!(message(&long).starts_with("the expression, written with all its parameters, has"));
    assert!(parse(&format!("linear[1..{MAX_COLUMNS}]")).is_ok());
    assert_eq!(message("linear[0..9999, a]"), "a list has more than 10000 columns");
    assert_eq!(message("linear[1..999999999999999]"), "a list has more than 10000 columns");
    let lists = ["linear[1..10000]"; 7].join("+");
    assert_eq!(message(&lists), "the lists of the expression have more than 65536 columns together");
}

#[test]
fn broken_texts_end_in_errors() {
    for text in [
        "\"",
        "linear[\"",
        "linear[\"a\\",
        "\0",
        "linear\0",
        "\u{feff}linear",
        "\\",
        "..",
        "[",
        "]",
        "@",
        "^",
    ] {
        assert!(parse(text).is_err(), "{text:?}");
        assert!(parse_map(text).is_err(), "{text:?}");
    }
    for piece in [
        "+", "*", "-", "^", "@", "[", "]", ")", "\"", ":", "a:", "§", "§ ", "2", ",", "=", "..", "a-", "rbf(",
    ] {
        let errors = parse(&piece.repeat(MAX_BYTES / piece.len())).expect_err(piece);
        assert!(errors.errors().len() <= 20);
        assert!(errors.to_string().len() < 10_000);
    }
}
