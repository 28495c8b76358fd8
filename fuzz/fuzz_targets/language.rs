//! The kernel language under any text: parsing never panics, and what parses prints to a text that parses to
//! an equal value and prints to itself.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mercer_kernel::{ParseErrors, parse_map_with, parse_with};

fuzz_target!(|text: &str| {
    let users = ["mine".to_owned(), "Other_2".to_owned()];
    match parse_with(text, &users) {
        Ok(kernel) => {
            let printed = kernel.to_string();
            let again = parse_with(&printed, &users).expect("a printed kernel parses");
            assert_eq!(again, kernel);
            assert_eq!(again.to_string(), printed);
        }
        Err(errors) => check(text, &errors),
    }
    match parse_map_with(text, &users) {
        Ok(map) => {
            let printed = map.to_string();
            let again = parse_map_with(&printed, &users).expect("a printed map parses");
            assert_eq!(again, map);
            assert_eq!(again.to_string(), printed);
        }
        Err(errors) => check(text, &errors),
    }
});

/// Errors lie inside the text and print without harm.
fn check(text: &str, errors: &ParseErrors) {
    assert!(!errors.errors().is_empty());
    for error in errors.errors() {
        let span = error.span();
        assert!(text.get(span.start..span.end).is_some());
    }
    assert!(!errors.to_string().contains(|c: char| c.is_control() && c != '\n'));
    assert!(!errors.one_line().contains('\n'));
}
