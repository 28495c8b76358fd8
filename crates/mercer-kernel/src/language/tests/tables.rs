//! What the language wants of the tables of kernels and maps.

use std::collections::HashSet;

use crate::kernels::KERNELS;
use crate::language::names::{FORMS, all_names};
use crate::language::token::is_name;
use crate::language::{kernel_named, map_named, parse, parse_map, signature_text};
use crate::maps::MAPS;
use crate::signature::{Kind, Literal, Signature};

fn check_names(signatures: Vec<&'static Signature>, taken: &[&'static str]) {
    let mut seen: HashSet<&str> = taken.iter().copied().collect();
    for name in signatures.into_iter().flat_map(all_names) {
        assert!(is_name(name) && name == name.to_ascii_lowercase(), "{name}");
        assert!(seen.insert(name), "{name} is taken");
    }
}

fn check_params(signature: &'static Signature) {
    let mut seen = HashSet::new();
    for param in signature.params {
        for name in std::iter::once(&param.name).chain(param.aliases) {
            assert!(is_name(name) && name == &name.to_ascii_lowercase(), "{}: {name}", signature.name);
            assert!(seen.insert(name), "{}: {name} is taken", signature.name);
        }
        if let Kind::Word(words) | Kind::RealOr(_, words) = param.kind {
            assert!(words.iter().all(|word| is_name(word)), "{}: {words:?}", signature.name);
        }
        let fits = match (param.kind, param.default) {
            (_, None) | (Kind::Kernel, Some(Literal::Kernel(_))) => true,
            (Kind::Real(range) | Kind::RealOr(range, _), Some(Literal::Number(number))) => {
                range.holds(number)
            }
            (Kind::Integer(least, most), Some(Literal::Number(number))) => {
                number.fract() == 0.0 && number >= least as f64 && number <= most as f64
            }
            (Kind::Among(numbers), Some(Literal::Number(number))) => numbers.contains(&number),
            (Kind::Word(words) | Kind::RealOr(_, words), Some(Literal::Word(word))) => words.contains(&word),
            _ => false,
        };
        assert!(fits, "{}: the default of {}", signature.name, param.name);
    }
    let known = |name: &&str| signature.params.iter().any(|param| param.name == *name);
    assert!(signature.one_of.iter().all(known), "{}", signature.name);
    let defaults =
        signature.params.iter().filter(|p| p.default.is_some() && signature.one_of.contains(&p.name));
    assert!(defaults.count() <= 1, "{}: of alternatives one has a default", signature.name);
}

#[test]
fn names_are_words_and_no_two_are_the_same() {
    check_names(KERNELS.iter().map(|info| &info.signature).collect(), &FORMS);
    check_names(MAPS.iter().map(|info| &info.signature).collect(), &[]);
    KERNELS.iter().for_each(|info| check_params(&info.signature));
    MAPS.iter().for_each(|info| check_params(&info.signature));
}

#[test]
fn every_row_is_found_and_prints_as_it_parses() {
    for info in KERNELS {
        for name in all_names(&info.signature) {
            assert_eq!(kernel_named(name).map(|found| found.signature.name), Some(info.signature.name));
            if let Ok(kernel) = parse(name) {
                assert_eq!(parse(&kernel.to_string()), Ok(kernel));
            } else {
                assert!(info.signature.params.iter().any(|param| param.default.is_none()), "{name}");
            }
        }
    }
    for info in MAPS {
        for name in all_names(&info.signature) {
            assert_eq!(map_named(name).map(|found| found.signature.name), Some(info.signature.name));
            if let Ok(map) = parse_map(name) {
                assert_eq!(parse_map(&map.to_string()), Ok(map));
            } else {
                assert!(info.signature.params.iter().any(|param| param.default.is_none()), "{name}");
            }
        }
    }
}

#[test]
fn a_bare_number_has_its_kernel() {
    assert_eq!(parse("2").unwrap().to_string(), "constant(value=2)");
}

#[test]
fn listings_show_signatures() {
    let text = |name| kernel_named(name).map(|info| signature_text(&info.signature));
    assert_eq!(text("linear").as_deref(), Some("linear"));
    assert_eq!(text("poly").as_deref(), Some("poly(degree=3, gamma=1, offset=1)"));
    assert_eq!(text("rbf").as_deref(), Some("rbf(gamma=scale | sigma | width)"));
}
