//! Each error, by its message; all errors of a text at once.

use crate::language::parse;

/// The messages of a text that does not parse, each with its hint after `; `.
fn messages(text: &str) -> Vec<String> {
    let errors = parse(text).expect_err(text);
    let with_hint = |error: &crate::language::ParseError| match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    };
    errors.errors().iter().map(with_hint).collect()
}

/// Checks the one error of each text.
fn check(cases: &[(&str, &str)]) {
    for (text, message) in cases {
        assert_eq!(messages(text), [*message], "{text}");
    }
}

#[test]
fn tokens() {
    check(&[
        ("linear / 2", "'/' has no meaning here; to divide by 2, multiply by 0.5"),
        ("linear['a b']", "''a b'' has no meaning here; column names are quoted with \""),
        ("2 × linear", "'×' has no meaning here; a product is written with '*'"),
        ("linear \0", r"'\0' has no meaning here"),
        (
            "2rbf",
            "'2rbf' is not a number; a product is written 2*rbf; a column that begins with a digit is quoted",
        ),
        ("1e999*linear", "1e999 is too large or too small for a 64-bit number"),
        ("1e-999*linear", "1e-999 is too large or too small for a 64-bit number"),
        ("linear[\"a]", "the quoted name is never closed"),
        (r#"linear["\n"]"#, r#"'\n' is not an escape; the escapes are \", \\ and \u{…}"#),
    ]);
}

#[test]
fn structure() {
    check(&[
        ("", "there is nothing to parse"),
        (" \n ", "there is nothing to parse"),
        ("linear +", "expected a kernel, found the end"),
        ("+ linear", "expected a kernel, found '+'"),
        ("linear * * linear", "expected a kernel, found '*'"),
        ("linear)", "expected an operator or the end, found ')'"),
        ("(linear", "this '(' is never closed"),
        ("((linear", "this '(' is never closed"),
        ("rbf(sigma=1", "this '(' is never closed"),
        ("linear[a", "this '[' is never closed"),
        ("(linear]", "expected ')', found ']'"),
        ("linear quadratic", "there is no operator before 'quadratic'; put '+' or '*' between two kernels"),
        ("2 linear", "there is no operator before 'linear'; put '+' or '*' between two kernels"),
        ("(linear)(linear)", "there is no operator before '('; put '+' or '*' between two kernels"),
        ("my-label: linear", "a label is one word of letters, digits and '_', found 'my-label'"),
        ("\"age\"", "expected a kernel, found '\"age\"'"),
        ("linear, linear", "expected an operator or the end, found ','"),
        ("a:", "expected a kernel, found the end"),
        ("linear@", "expected a feature map, found the end"),
        ("linear@(log)", "expected a feature map, found '('"),
    ]);
}

#[test]
fn algebra() {
    let minus = "a kernel minus a kernel is in general not positive semi-definite; \
                 see docs/maths.md §1.3; sums take weights of 0 or more";
    let negative = "a kernel cannot have a negative weight: it is in general not positive semi-definite then; \
                    see docs/maths.md §1.3; sums take weights of 0 or more";
    let whole = "a power is a whole number from 1 to 64, found";
    check(&[
        ("linear - quadratic", minus),
        ("linear-quadratic", minus),
        ("-1*linear", negative),
        ("-linear", negative),
        ("linear*-2", negative),
        ("linear + -linear", negative),
        ("1e200*1e200*linear", "the weights multiply to a number that is too large or too small"),
        ("1e-200*1e-200*linear", "the weights multiply to a number that is too large or too small"),
        ("linear^0", &format!("{whole} 0; k^0 is 1 everywhere: write constant(value=1)")),
        ("linear^65", &format!("{whole} 65")),
        ("linear^1e9", &format!("{whole} 1e9")),
        ("linear^2.5", &format!("{whole} 2.5")),
        ("linear^-1", &format!("{whole} -1")),
        ("linear^k", &format!("{whole} k")),
        ("linear^(2)", &format!("{whole} (2)")),
        ("linear^", "expected a whole number from 1 to 64, found the end"),
        ("linear^2^3", "a power of a power needs parentheses; write (k^2)^3"),
        ("linear^2[a]", "columns and maps go before the power; write k[a]^2, or (k^2)[a] if that is meant"),
    ]);
}

#[test]
fn names() {
    check(&[
        ("rfb", "unknown kernel 'rfb'; did you mean 'rbf'?"),
        ("all-subset", "unknown kernel 'all-subset'; did you mean 'all_subsets'?"),
        ("zzzzzz(sigma=rfb)", "unknown kernel 'zzzzzz'; `mercer kernels` lists the kernels"),
        ("log", "unknown kernel 'log'; 'log' is a feature map: write kernel@log or outer(log)"),
        ("linear@lgo", "unknown feature map 'lgo'; did you mean 'log'?"),
        ("linear@rbf", "unknown feature map 'rbf'; 'rbf' is a kernel; a feature map goes here"),
        ("linear@zzzzzz", "unknown feature map 'zzzzzz'; `mercer maps` lists the feature maps"),
        ("exp", "'exp' takes a kernel in parentheses"),
        ("outer", "'outer' takes a feature map in parentheses"),
        ("normalize()", "expected a kernel, found ')'"),
        ("exp(linear, linear)", "expected ')', found ','"),
    ]);
}

#[test]
fn arguments() {
    check(&[
        ("rbf(sgma=1)", "rbf has no parameter 'sgma'; did you mean 'sigma'?"),
        ("rbf(qqqqq=1)", "rbf has no parameter 'qqqqq'; it has gamma, sigma, width"),
        ("linear(x=1)", "linear has no parameter 'x'; it takes no parameters"),
        ("linear(1)", "linear takes no parameters"),
        ("constant(1, 2, 3)", "constant takes one parameter"),
        ("poly(1, 2, 3, 4)", "poly takes 3 parameters"),
        ("poly(degree=2, d=2)", "degree is given twice"),
        ("poly(2, degree=2)", "degree is given twice"),
        ("poly(degree=2, 1)", "a value without a name goes before those with one; give every value its name"),
        ("rbf(gamma=1, sigma=1)", "give one of gamma, sigma, width, not two"),
        ("rbf(1, sigma=1)", "give one of gamma, sigma, width, not two"),
        ("rbf(sigma=-1)", "sigma must be more than 0, found -1"),
        ("rbf(sigma=0)", "sigma must be more than 0, found 0"),
        ("rbf(gamma=0)", "gamma must be more than 0, found 0"),
        ("rbf(sigma=nan)", "sigma must be a number, found 'nan'"),
        ("rbf(sigma=-inf)", "sigma must be a number, found '-inf'"),
        ("rbf(sigma=1e999)", "1e999 is too large or too small for a 64-bit number"),
        (
            "rbf(gamma=scal)",
            "gamma must be a number or scale or median or q10 or q25 or q75 or q90, found 'scal'; did you mean 'scale'?",
        ),
        ("constant(-1)", "value must be 0 or more, found -1"),
        ("poly(degree=2.5)", "degree must be a whole number from 1 to 64, found 2.5"),
        ("poly(degree=0)", "degree must be a whole number from 1 to 64, found 0"),
        ("poly(degree=1e9)", "degree must be a whole number from 1 to 64, found 1e9"),
        ("poly(degree=two)", "degree must be a whole number from 1 to 64, found 'two'"),
        ("matern(nu=3)", "nu must be 0.5 or 1.5 or 2.5, found 3"),
        ("exponential(distance=3)", "distance must be euclidean or manhattan or hamming, found 3"),
        (
            "exponential(distance=manhatten)",
            "distance must be euclidean or manhattan or hamming, found 'manhatten'; did you mean 'manhattan'?",
        ),
        ("rbf(sigma=)", "sigma must be a number, found ')'"),
        ("rbf(sigma=(1))", "sigma must be a number, found '('"),
        ("rbf(sigma=+1)", "sigma must be a number, found '+'"),
        ("rbf(,)", "gamma must be a number or scale or median or q10 or q25 or q75 or q90, found ','"),
        ("rbf(sigma=1*2)", "expected ',' or ')', found '*'"),
        ("poly(degree=1 gamma=2)", "expected ',' or ')', found 'gamma'"),
    ]);
}

#[test]
fn columns() {
    let quote = r#"put a name that is not one word or number in double quotes: ["a b"]"#;
    let range = "a range of columns goes from a number up to another, found";
    let from_to = "write [1..10] for the columns 1 to 10";
    check(&[
        ("linear[]", "the list of columns is empty"),
        ("linear[,]", "expected a column, found ','"),
        ("linear[a, b, a]", "column 'a' is listed twice"),
        ("linear[\"a\", a]", "column 'a' is listed twice"),
        ("linear[1..5, 3]", "column '3' is listed twice"),
        ("linear[sepal length]", &format!("'sepal length' is not a column; {quote}")),
        ("linear[sepal-length]", &format!("'sepal-length' is not a column; {quote}")),
        ("linear[1.5]", &format!("'1.5' is not a column; {quote}")),
        ("linear[-1]", "expected a column, found '-'"),
        ("linear[5..1]", &format!("{range} 5..1; {from_to}")),
        ("linear[1..]", &format!("{range} 1..; {from_to}")),
        ("linear[1..2.5]", &format!("{range} 1..2.5; {from_to}")),
        ("linear[1..10001]", "a list has more than 10000 columns"),
        ("linear[\"a\" \"b\"]", "expected ',' or ']', found '\"b\"'"),
        ("linear[a=1]", "expected ',' or ']', found '='"),
    ]);
}

#[test]
fn all_errors_of_a_text_come_at_once() {
    let text = "rfb(sigma=2) + poly(degree=0, gama=1)[a, a] - lineer@lgo";
    assert_eq!(
        messages(text),
        [
            "unknown kernel 'rfb'; did you mean 'rbf'?",
            "degree must be a whole number from 1 to 64, found 0",
            "poly has no parameter 'gama'; did you mean 'gamma'?",
            "column 'a' is listed twice",
            "a kernel minus a kernel is in general not positive semi-definite; \
             see docs/maths.md §1.3; sums take weights of 0 or more",
            "unknown kernel 'lineer'; did you mean 'linear'?",
            "unknown feature map 'lgo'; did you mean 'log'?",
        ]
    );
    for (text, count) in [
        ("(rfb] + linear) * foo", 3),
        ("§ + foo", 2),
        ("(§ foo) + bar", 3),
        ("foo) + bar", 3),
        ("rbf(§) + bar", 2),
    ] {
        assert_eq!(messages(text).len(), count, "{text}: {:#?}", messages(text));
    }
}
