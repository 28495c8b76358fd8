//! Random expressions print to texts that parse to them; random texts do no harm.

use proptest::prelude::*;
use proptest::strategy::Union;

use crate::expr::{KernelExpr, Leaf, MapExpr};
use crate::kernels::KERNELS;
use crate::language::{ParseErrors, parse_map_with, parse_with};
use crate::maps::MAPS;
use crate::signature::{Call, Kind, Range, Signature, Value};

fn users() -> Vec<String> {
    ["mine", "Other_2", "größe"].map(str::to_owned).to_vec()
}

/// Numbers that a person would write, and any others.
fn non_negative() -> BoxedStrategy<f64> {
    use prop::num::f64::{NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![
        (0_u32..1000).prop_map(|tenths| f64::from(tenths) / 10.0),
        (POSITIVE | NORMAL | SUBNORMAL | ZERO).prop_map(f64::abs),
    ]
    .boxed()
}

fn real(range: Range) -> BoxedStrategy<f64> {
    let numbers = (non_negative(), any::<bool>());
    numbers
        .prop_map(move |(size, negative)| match range {
            Range::Any if negative => -size,
            Range::Positive if size == 0.0 => 1.0,
            _ => size,
        })
        .boxed()
}

fn value(kind: Kind, kernel: &Option<BoxedStrategy<KernelExpr>>) -> BoxedStrategy<Value> {
    let word = |words: &'static [&'static str]| prop::sample::select(words).prop_map(Value::Word).boxed();
    match kind {
        Kind::Real(range) => real(range).prop_map(Value::Number).boxed(),
        Kind::RealOr(range, words) => prop_oneof![real(range).prop_map(Value::Number), word(words)].boxed(),
        Kind::Integer(least, most) => {
            let most = most.min((1 << 53) - 1);
            (least..=most).prop_map(|number| Value::Number(number as f64)).boxed()
        }
        Kind::Among(numbers) => prop::sample::select(numbers).prop_map(Value::Number).boxed(),
        Kind::Word(words) => word(words),
        Kind::Kernel => {
            let kernel = kernel.clone().expect("a kernel for a kernel parameter");
            kernel.prop_map(|kernel| Value::Kernel(Box::new(kernel))).boxed()
        }
    }
}

/// Any legal call: every parameter has a value, of alternatives one.
fn call(signature: &'static Signature, kernel: &Option<BoxedStrategy<KernelExpr>>) -> BoxedStrategy<Call> {
    let values: Vec<_> = signature.params.iter().map(|param| value(param.kind, kernel)).collect();
    let chosen = 0..signature.one_of.len().max(1);
    (values, chosen)
        .prop_map(move |(values, chosen)| {
            let chosen = signature.one_of.get(chosen);
            let given = signature.params.iter().zip(values).map(|(param, value)| {
                let left_out = signature.one_of.contains(&param.name) && chosen != Some(&param.name);
                (!left_out).then_some(value)
            });
            Call::new(signature, given.collect())
        })
        .boxed()
}

fn leaf() -> BoxedStrategy<KernelExpr> {
    let rows = KERNELS.iter().filter(|info| info.signature.params.iter().all(|p| p.kind != Kind::Kernel));
    let leaves = rows.map(|info| {
        let info = *info;
        call(&info.signature, &None).prop_map(move |call| KernelExpr::Leaf(Leaf { info, call })).boxed()
    });
    let user = prop::sample::select(users()).prop_map(KernelExpr::User).boxed();
    Union::new(leaves.chain([user])).boxed()
}

fn map(kernel: Option<BoxedStrategy<KernelExpr>>) -> BoxedStrategy<MapExpr> {
    let possible = |signature: &Signature| {
        kernel.is_some() || signature.params.iter().all(|param| param.kind != Kind::Kernel)
    };
    let rows = MAPS.iter().filter(|info| possible(&info.signature));
    let maps = rows.map(|info| {
        let info = *info;
        call(&info.signature, &kernel).prop_map(move |call| MapExpr { info, call }).boxed()
    });
    Union::new(maps).boxed()
}

fn columns() -> BoxedStrategy<Vec<String>> {
    let name = prop_oneof![
        "[a-z_][a-z0-9_]{0,5}",
        "[0-9]{1,3}",
        ".{0,6}",
        prop::collection::vec(any::<char>(), 0..5).prop_map(String::from_iter),
    ];
    let run = (0_u64..200, 1_u64..9).prop_map(|(first, count)| (first..first + count).map(|i| i.to_string()));
    let names = prop_oneof![name.prop_map(|name| vec![name]), run.prop_map(Iterator::collect::<Vec<_>>)];
    prop::collection::vec(names, 1..5)
        .prop_map(|lists| {
            let mut names = lists.concat();
            let mut seen = std::collections::HashSet::new();
            names.retain(|name| seen.insert(name.clone()));
            names
        })
        .boxed()
}

/// Any expression, all variants, down to this depth.
fn kernel(depth: u32) -> BoxedStrategy<KernelExpr> {
    let atoms = prop_oneof![4 => leaf(), 1 => map(None).prop_map(KernelExpr::Outer)];
    atoms
        .prop_recursive(depth, 24, 3, |inner| {
            let boxed = || inner.clone().prop_map(Box::new);
            let several = || prop::collection::vec(inner.clone(), 2..4);
            let label = "[a-zA-Z_é][a-z0-9_]{0,4}";
            let joined = |all: Vec<KernelExpr>, join: fn(KernelExpr, KernelExpr) -> KernelExpr| {
                all.into_iter().reduce(join).expect("two or more")
            };
            prop_oneof![
                (non_negative(), boxed()).prop_map(|(weight, kernel)| KernelExpr::Scale(weight, kernel)),
                several().prop_map(move |all| joined(all, KernelExpr::add)),
                several().prop_map(move |all| joined(all, KernelExpr::mul)),
                (boxed(), 1_u32..=64).prop_map(|(kernel, power)| KernelExpr::Power(kernel, power)),
                boxed().prop_map(KernelExpr::Normalize),
                boxed().prop_map(KernelExpr::Exp),
                map(Some(inner.clone())).prop_map(KernelExpr::Outer),
                (boxed(), columns()).prop_map(|(kernel, columns)| KernelExpr::On(kernel, columns)),
                (boxed(), map(Some(inner.clone()))).prop_map(|(kernel, map)| KernelExpr::Mapped(kernel, map)),
                (label, boxed()).prop_map(|(label, kernel)| KernelExpr::Label(label, kernel)),
            ]
        })
        .boxed()
}

/// Pieces of the language in any order.
fn soup() -> BoxedStrategy<String> {
    let pieces = [
        "linear",
        "rbf",
        "poly",
        "log",
        "nystrom",
        "exp",
        "normalize",
        "outer",
        "mine",
        "all-subsets",
        "gamma",
        "=",
        "sigma=",
        "kernel=",
        "1",
        "0.5",
        "1e999",
        "2rbf",
        "(",
        ")",
        "[",
        "]",
        "+",
        "-",
        "*",
        "^",
        "^2",
        "@",
        "@log",
        ":",
        "a:",
        ",",
        "..",
        "1..3",
        "\"",
        "\"a b\"",
        "\\",
        " ",
        "\n",
        "§",
        "é",
        "\0",
        "foo",
        "scale",
        "-1",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40)
        .prop_map(|pieces| pieces.concat())
        .boxed()
}

fn check_errors(text: &str, errors: &ParseErrors) {
    assert!((1..=20).contains(&errors.errors().len()));
    for error in errors.errors() {
        let span = error.span();
        assert!(text.get(span.start..span.end).is_some(), "{span:?} in {text:?}");
    }
    let printed = errors.to_string();
    assert!(!printed.contains(|c: char| c.is_control() && c != '\n'), "{printed:?}");
    assert!(!errors.one_line().contains('\n'));
}

/// Parses without panic; what parses prints to a text that parses to the same and prints the same.
fn check_text(text: &str) {
    match parse_with(text, &users()) {
        Ok(kernel) => {
            let printed = kernel.to_string();
            let again = parse_with(&printed, &users()).unwrap_or_else(|errors| panic!("{printed}\n{errors}"));
            assert_eq!(again, kernel);
            assert_eq!(again.to_string(), printed);
        }
        Err(errors) => check_errors(text, &errors),
    }
    match parse_map_with(text, &users()) {
        Ok(map) => assert_eq!(parse_map_with(&map.to_string(), &users()), Ok(map)),
        Err(errors) => check_errors(text, &errors),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20_000) })]

    #[test]
    fn what_is_printed_parses_to_the_same(kernel in kernel(6)) {
        let text = kernel.to_string();
        match parse_with(&text, &users()) {
            Ok(again) => {
                prop_assert_eq!(&again, &kernel, "{}", text);
                prop_assert_eq!(again.to_string(), text);
            }
            Err(errors) => prop_assert!(false, "{}\n{}", text, errors),
        }
    }

    #[test]
    fn soup_does_no_harm(text in soup()) {
        check_text(&text);
    }

    #[test]
    fn any_text_does_no_harm(text in any::<String>()) {
        check_text(&text);
    }
}
