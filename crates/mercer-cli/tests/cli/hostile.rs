//! Bad and hostile input: each is met with exit 2 and one line that says what is wrong, where, and what to do.
//!
//! [`Ran::refusal`](crate::run::Ran::refusal) holds the manners (one line on stderr by `mercer:`, nothing on stdout, no
//! panic, no more than 20 seconds); the tables below hold the words. `<>` stands for what differs between machines.

use crate::run::{Folder, INDEFINITE, PACKED, SIX};

/// Whether a text is the expected one, up to what stands for `<>`.
fn matches(text: &str, expected: &str) -> bool {
    let pieces: Vec<&str> = expected.split("<>").collect();
    let [first, middle @ .., last] = pieces.as_slice() else { return text == expected };
    let Some(mut rest) = text.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else {
        return false;
    };
    middle.iter().all(|piece| match rest.split_once(piece) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

#[track_caller]
pub(crate) fn refused(folder: &Folder, words: &[&str], expected: &str) {
    let told = folder.run(words).refusal();
    let shown: String = words.join(" ").chars().take(100).collect();
    assert!(matches(&told, expected), "mercer {shown}\n     told: {told}\n expected: {expected}");
}

fn folder() -> Folder {
    Folder::with("six.csv", SIX)
}

#[test]
fn files_that_cannot_be_read() {
    let garbage: Vec<u8> = (0..3000_u32).map(|i| (i * i % 251) as u8 | 0x80).collect();
    let files: [(&str, &[u8], &str); 16] = [
        ("empty.csv", b"", "'empty.csv' is empty; at least one row is needed"),
        ("blank.csv", b"\n \n", "'blank.csv' is empty; at least one row is needed"),
        (
            "header.csv",
            b"a,b,label\n",
            "'header.csv' has a header but no row below it; if line 1 is data, say so (--header no)",
        ),
        (
            "nan.csv",
            b"a,b\n1,2\nnan,3\n4,5\n",
            "nan.csv, line 3, column 'a': the value is missing; drop such rows (--missing drop) or fill them with the \
             mean (--missing mean)",
        ),
        (
            "inf.csv",
            b"a,b\n1,2\n3,-inf\n4,5\n",
            "inf.csv, line 3, column 'b': '-inf' is not a finite number; correct it or leave it empty",
        ),
        (
            "huge.csv",
            b"a,b\n1,2\n3,1e999\n4,5\n",
            "huge.csv, line 3, column 'b': '1e999' is not a finite number; correct it or leave it empty",
        ),
        (
            "comma.csv",
            b"a;b\n1,5;2\n3;4\n",
            "comma.csv, line 2, column 'a': '1,5' has a comma; use a point as decimal mark and nothing between \
             thousands",
        ),
        (
            "ragged.csv",
            b"a,b\n1,2\n3\n4,5\n",
            "ragged.csv, line 3: 1 cell, but the first row has 2; is ',' the delimiter, and is every text with it \
             quoted?",
        ),
        (
            "quote.csv",
            b"a,b\n1,\"2\n3,4\n",
            "quote.csv, line 2: a quote opens in this row and never closes; close it, or double it (\"\") if it is text",
        ),
        (
            "twice.csv",
            b"a,a\n1,2\n3,4\n",
            "twice.csv, line 1: columns 1 and 2 are both called 'a'; rename one of them",
        ),
        ("garbage.bin", &garbage, "garbage.bin, line 1: not UTF-8 text (byte 0x<>); save the file as UTF-8"),
        (
            "nul.csv",
            b"a,b\n1,\x002\n",
            "nul.csv, line 2: a NUL byte; this is binary data, or UTF-16: save it as UTF-8 text",
        ),
        (
            "cut.csv.gz",
            &PACKED[..20],
            "'cut.csv.gz' is damaged or cut short gzip data (<>); copy or download it again",
        ),
        ("short.npy", b"\x93NUMPY\x01\x00", "short.npy: <>; write the array again with numpy.save"),
        ("text.npy", b"1,2\n", "text.npy: not a NumPy array; write it with numpy.save"),
        (
            "zip.csv",
            b"PK\x03\x04....",
            "'zip.csv' is zip (or .npz, .xlsx) data; unpack it first (only gzip is unpacked here)",
        ),
    ];
    for (name, content, expected) in files {
        refused(&Folder::with(name, content), &["check", name, "-k", "rbf"], expected);
    }
}

#[test]
fn sparse_rows_that_cannot_be_read() {
    let place = "bad.svm, line 2, column";
    for (row, expected) in [
        (
            "1 1:1 2:nan",
            format!("{place} 7: '2:nan' is not a finite number; leave the feature out, or correct it"),
        ),
        (
            "1 1:1 2:inf",
            format!("{place} 7: '2:inf' is not a finite number; leave the feature out, or correct it"),
        ),
        (
            "1 0:1 2:3",
            format!("{place} 3: '0:1' has index 0; indices are counted from 1, add 1 to all of them"),
        ),
        (
            "1 2:1 1:3",
            format!("{place} 7: '1:3' has an index below the one before it; sort the indices of each row"),
        ),
        ("1 2:1 2:3", format!("{place} 7: '2:3' repeats the index before it; give each index once a row")),
        (
            "1 4294967296:1",
            format!(
                "{place} 3: '4294967296:1' has an index above 4294967295, the largest there is; renumber the features"
            ),
        ),
        (
            "1 1:x",
            format!(
                "{place} 3: '1:x' has a value that is not a number; write index:value with a decimal point"
            ),
        ),
        (
            "1 x:1",
            format!("{place} 3: 'x:1' has an index that is not a whole number; indices are 1, 2, 3, …"),
        ),
        ("1:1", format!("{place} 1: '1:1' stands where the label should be; begin each row with its label")),
    ] {
        let folder = Folder::with("bad.svm", format!("-1 1:2\n{row}\n"));
        refused(&folder, &["check", "bad.svm", "-k", "linear"], &expected);
    }
}

#[test]
fn a_large_index_costs_nothing() {
    let folder = Folder::with("wide.svm", "1 1:1 4000000000:2\n-1 2:1 3:0.5\n1 1:0.5 4000000000:1\n");
    for kernel in
        ["linear", "rbf", "rbf(gamma=median)", "poly", "laplace", "normalize(chi2)", "all_subsets", "cosine"]
    {
        // A gigabyte is far less than one row written out.
        let line = format!("ulimit -v 1000000; exec $mercer check wide.svm --threads 2 -k '{kernel}'");
        assert!(folder.shell(&line).answer().contains("verdict   valid"), "{kernel}");
    }
    folder.run(&["gram", "wide.svm", "-k", "rbf"]).answer();
    let written = "writing out 3 sparse rows of 4000000000 coordinates needs 96000000000 bytes, the limit is <>; use a \
                   kernel that works on sparse rows (linear, poly, rbf, laplace, cosine, …) without a map";
    refused(&folder, &["check", "wide.svm", "-k", "rbf@standardize"], written);
    refused(&folder, &["features", "wide.svm", "-m", "quadratic"], written);
}

#[test]
fn sources_that_are_not_there() {
    let folder = folder();
    std::fs::create_dir(folder.path("inner")).unwrap();
    let sets = "there are: moons, circles, spirals, xor, chessboard, separable, sinc, iris, <>";
    let sizes = "is not possible; n is a whole number from 2 to 10000000";
    for (source, expected) in [
        ("sixx.csv", "no file 'sixx.csv'; did you mean 'six.csv'?".to_owned()),
        (
            "quite-another",
            "no file 'quite-another'; check the path, or name a built-in set (such as @iris)".to_owned(),
        ),
        ("iris", "no file 'iris'; did you mean '@iris'?".to_owned()),
        ("inner", "'inner' is a folder; name a file in it".to_owned()),
        ("@mooons", format!("no built-in set '@mooons'; did you mean '@moons'? {sets}")),
        ("@zzz", format!("no built-in set '@zzz'; {sets}")),
        ("@moons(n=0)", format!("n=0 {sizes}")),
        ("@moons(n=99999999999)", format!("n=99999999999 {sizes}")),
        (
            "@moons(n=5",
            "'@moons(n=5' cannot be understood; write @name or @name(n=500, noise=0.2, seed=7)".to_owned(),
        ),
        ("@moons(size=5)", "'@moons' has no parameter 'size'; there are: n, noise, seed".to_owned()),
        ("@iris(n=5)", "'@iris' is real data and has no parameters; write @iris".to_owned()),
        ("-", "'standard input' is empty; at least one row is needed".to_owned()),
    ] {
        refused(&folder, &["gram", source, "-k", "rbf"], &expected);
    }
    refused(
        &folder,
        &["gram", "six.csv", "-k", "rbf", "--target", "labl"],
        "six.csv: no column 'labl'; did you mean 'label'?",
    );
    refused(
        &folder,
        &["gram", "six.csv", "-k", "rbf", "--target", "c"],
        "six.csv: no column 'c'; there are: a, b, label",
    );
    let only = Folder::with("only.csv", "label\n1\n2\n");
    refused(&only, &["gram", "only.csv", "-k", "rbf"], "only.csv: there is no column besides the target");
}

#[test]
fn kernels_that_are_not_kernels() {
    let folder = folder();
    let degree = "kernel expression, column 13: degree must be a whole number from 1 to 64, found";
    let negative = "see docs/maths.md §1.3; sums take weights of 0 or more";
    for (kernel, expected) in [
        ("", "kernel expression, column 1: there is nothing to parse".to_owned()),
        ("rfb", "kernel expression, column 1: unknown kernel 'rfb'; did you mean 'rbf'?".to_owned()),
        (
            "qqqqq",
            "kernel expression, column 1: unknown kernel 'qqqqq'; `mercer kernels` lists the kernels"
                .to_owned(),
        ),
        ("rbf@lgo", "kernel expression, column 5: unknown feature map 'lgo'; did you mean 'log'?".to_owned()),
        (
            "rbf@qqqqq",
            "kernel expression, column 5: unknown feature map 'qqqqq'; `mercer maps` lists the feature maps"
                .to_owned(),
        ),
        (
            "rbf(sgma=1)",
            "kernel expression, column 5: rbf has no parameter 'sgma'; did you mean 'sigma'?".to_owned(),
        ),
        ("(rbf", "kernel expression, column 1: this '(' is never closed".to_owned()),
        ("rbf(sigma=1", "kernel expression, column 4: this '(' is never closed".to_owned()),
        ("rbf)", "kernel expression, column 4: expected an operator or the end, found ')'".to_owned()),
        ("poly(degree=0)", format!("{degree} 0")),
        ("poly(degree=1e9)", format!("{degree} 1e9")),
        ("poly(degree=2.5)", format!("{degree} 2.5")),
        ("rbf(sigma=0)", "kernel expression, column 11: sigma must be more than 0, found 0".to_owned()),
        ("rbf(sigma=-1)", "kernel expression, column 11: sigma must be more than 0, found -1".to_owned()),
        ("rbf(sigma=NaN)", "kernel expression, column 11: sigma must be a number, found 'NaN'".to_owned()),
        ("rbf(sigma=inf)", "kernel expression, column 11: sigma must be a number, found 'inf'".to_owned()),
        (
            "rbf(sigma=1e999)",
            "kernel expression, column 11: 1e999 is too large or too small for a 64-bit number".to_owned(),
        ),
        (
            "rbf(gamma=1, sigma=1)",
            "kernel expression, column 14: give one of gamma, sigma, width, not two".to_owned(),
        ),
        (
            "-1*rbf",
            format!(
                "kernel expression, column 1: a kernel cannot have a negative weight: it is in general not positive \
                 semi-definite then; {negative}"
            ),
        ),
        (
            "rbf - linear",
            format!(
                "kernel expression, column 5: a kernel minus a kernel is in general not positive semi-definite; {negative}"
            ),
        ),
        ("rbf[agee]", "no column 'agee'; did you mean 'age'?".to_owned()),
        ("rbf[zzzzzz]", "no column 'zzzzzz'; there are: age, size".to_owned()),
        (
            "spectrum",
            "spectrum works on texts, but the table has 'age' (numbers), 'size' (numbers)".to_owned(),
        ),
        (
            "exp(exp(exp(linear)))",
            "row 1: k(x,x) is inf; scale the columns or choose other parameters".to_owned(),
        ),
    ] {
        let folder = Folder::with("ages.csv", "age,size\n30,2\n40,3\n");
        refused(&folder, &["check", "ages.csv", "-k", kernel], &expected);
    }
    refused(
        &folder,
        &["gram", "six.csv", "-k", "poly(degree=64)"],
        "entry (2, 4) is too large for a 32-bit number; scale the columns or choose smaller parameters",
    );
}

#[test]
fn kernels_that_are_too_much() {
    let folder = folder();
    let nested =
        |count: usize, open: &str, close: &str| format!("{}rbf{}", open.repeat(count), close.repeat(count));
    let long = "linear + ".repeat(11_000) + "linear";
    let deep = "kernel expression, column 129: the expression is nested more than 128 deep";
    let maps = "the kernel of a feature map has a feature map with a kernel, and so on, more than 4 deep; use fewer maps \
                inside maps";
    for (kernel, expected) in [
        (nested(10_000, "(", ")"), deep),
        ("(".repeat(10_000), deep),
        (long, "kernel expression, column 65537: the expression has 99006 bytes, the limit is 65536"),
        (
            "(".repeat(100_000),
            "kernel expression, column 65537: the expression has 100000 bytes, the limit is 65536",
        ),
        (nested(30, "linear@nystrom(kernel=", ")"), maps),
        (nested(30, "rbf@empirical(kernel=", ")"), maps),
        (
            "linear@tuples(degree=1000)".to_owned(),
            "the map tuples(degree=1000) of 2 columns has about 10^301 features; storing 6 rows of them needs about \
             10^303 bytes, the limit is <>; use the kernel tuples(degree=1000), which builds no features",
        ),
        ("rbf[1..999999999]".to_owned(), "kernel expression, column 5: a list has more than 10000 columns"),
    ] {
        refused(&folder, &["check", "six.csv", "-k", &kernel], expected);
    }
    // The largest that are allowed end, too.
    for kernel in [
        vec!["linear"; 4096].join("+"),
        nested(60, "normalize(", ")"),
        nested(40, "(", "^2)"),
        vec!["rbf@standardize"; 1000].join("*"),
        nested(4, "linear@nystrom(kernel=", ")"),
    ] {
        assert!(folder.run(&["check", "six.csv", "-k", &kernel]).answer().contains("verdict   valid"));
    }
}

#[test]
fn points_that_a_kernel_is_not_defined_for() {
    let folder =
        Folder::with("negative.csv", "a,b\n1,2\n3,-0.5\n1,5\n").and("zero.csv", "a,b\n1,2\n0,0\n1,5\n");
    for kernel in ["chi2", "intersection", "additive_chi2", "tanimoto"] {
        let expected = format!(
            "row 2, column 'b' is -0.5, but {kernel} is defined for values that are not negative; shift or scale the \
             columns first, e.g. {kernel}@minmax"
        );
        refused(&folder, &["check", "negative.csv", "-k", kernel], &expected);
        refused(&folder, &["gram", "negative.csv", "-k", &format!("1 + 2*{kernel}[b]")], &expected);
        folder.run(&["check", "negative.csv", "-k", &format!("{kernel}@minmax")]).answer();
    }
    for kernel in ["cosine", "normalize(linear)"] {
        let expected =
            format!("row 2: k(x,x) is 0, so {kernel} is not defined there; drop such rows or add a constant");
        refused(&folder, &["check", "zero.csv", "-k", kernel], &expected);
        refused(&folder, &["gram", "zero.csv", "-k", kernel], &expected);
    }
    let sparse = Folder::with("negative.svm", "1 1:1 3:-2\n-1 2:1 900:0.5\n");
    refused(
        &sparse,
        &["check", "negative.svm", "-k", "chi2"],
        "row 1, column '3' is -2, but chi2 is defined for values that are not negative; shift or scale the columns \
         first, e.g. chi2@minmax",
    );
}

#[test]
fn matrices_that_are_not_gram_matrices() {
    let square = "a precomputed Gram matrix must be square, this one has 2 rows and 3 columns; a label that stands \
                  beside it is named with --target";
    let symmetric = "the matrix is not symmetric: entry (2, 1) is 2.5, entry (1, 2) is 2; use (K + K^T)/2 if the \
                     difference is noise";
    for (content, expected) in [
        ("1,2,3\n4,5,6\n", square),
        ("1,2\n2.5,1\n", symmetric),
        (
            "1,nan\nnan,1\n",
            "K.csv, line 1, column 'c2': the value is missing; drop such rows (--missing drop) or fill them with the \
             mean (--missing mean)",
        ),
    ] {
        let folder = Folder::with("K.csv", content);
        for command in ["check", "gram"] {
            refused(&folder, &[command, "K.csv", "-k", "precomputed"], expected);
        }
    }
    let folder = Folder::with("K.csv", INDEFINITE).and("six.csv", SIX);
    refused(
        &folder,
        &["check", "six.csv", "-k", "rbf", "--repair", "clip"],
        "--repair works on a matrix: use --kernel precomputed (save one with mercer gram --out)",
    );
    refused(
        &folder,
        &["check", "K.csv", "-k", "precomputed", "--repair", "zap"],
        "--repair: 'zap' is not a repair; there are clip, flip and shift",
    );
    refused(
        &folder,
        &["check", "K.csv", "-k", "precomputed", "--out", "K.npy"],
        "the following required arguments were not provided: --repair <HOW>; see mercer check --help",
    );
}

#[test]
fn sweeps_that_cannot_be_made() {
    let folder = folder();
    let form = "write NAME=VALUE,VALUE,…, e.g. sigma=0.1,1,10";
    for (sweep, expected) in [
        ("", format!("--sweep: {form}")),
        ("sigma", format!("--sweep: {form}")),
        ("sigma=", format!("--sweep: '' is not a finite number; {form}")),
        ("sigma=1,,2", format!("--sweep: '' is not a finite number; {form}")),
        ("sigma=1,two", format!("--sweep: 'two' is not a finite number; {form}")),
        ("sigma=nan", format!("--sweep: 'nan' is not a finite number; {form}")),
        ("sigma=1e999", format!("--sweep: '1e999' is not a finite number; {form}")),
        ("sigma=1,-1", "--sweep: sigma must be more than 0, found -1".to_owned()),
        (
            "sgma=1",
            "--sweep: no kernel in rbf(gamma=scale) has a parameter 'sgma'; did you mean 'sigma'?".to_owned(),
        ),
        (
            "degree=1",
            "--sweep: no kernel in rbf(gamma=scale) has a parameter 'degree'; there are: gamma, sigma, width"
                .to_owned(),
        ),
        (
            "sigma=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
            "--sweep: at most 24 values, not 25".to_owned(),
        ),
    ] {
        refused(&folder, &["gram", "six.csv", "-k", "rbf", "--sweep", sweep], &expected);
    }
    refused(
        &folder,
        &["gram", "six.csv", "-k", "poly", "--sweep", "degree=1,2.5"],
        "--sweep: degree must be a whole number from 1 to 64, found 2.5",
    );
    refused(
        &folder,
        &["gram", "six.csv", "-k", "rbf", "--sweep", "sigma=1,2", "--out", "K.npy"],
        "K.npy: a sweep makes 2 matrices; save one at a time, without --sweep",
    );
}

#[test]
fn files_that_cannot_be_written() {
    let folder = folder();
    std::fs::create_dir(folder.path("K.npy")).unwrap();
    for (option, file, expected) in [
        ("--out", "K.txt", "K.txt: a matrix is saved as .npy or .csv"),
        ("--out", "K", "K: a matrix is saved as .npy or .csv"),
        ("--out", "nowhere/K.npy", "nowhere/K.npy: there is no folder 'nowhere'; make it first"),
        ("--out", "six.csv/K.npy", "six.csv/K.npy: there is no folder 'six.csv'; make it first"),
        ("--out", "K.npy", "K.npy: this is a folder; name a file in it"),
        ("--plot", "K.pdf", "K.pdf: a picture is saved as .svg or .png"),
        ("--plot", "nowhere/K.svg", "nowhere/K.svg: there is no folder 'nowhere'; make it first"),
        #[cfg(target_os = "linux")]
        ("--out", "/proc/K.npy", "cannot write '/proc/K.npy': <>"),
    ] {
        // What cannot be written is said before anything is computed: these data would take a while.
        refused(&folder, &["gram", "@moons(n=100)", "-k", "rbf", option, file], expected);
    }
    let map = ["features", "six.csv", "--map", "quadratic", "--out"];
    refused(&folder, &[&map[..], &["F.txt"]].concat(), "F.txt: a matrix is saved as .npy or .csv");
    refused(&folder, &[&map[..], &["no/F.csv"]].concat(), "no/F.csv: there is no folder 'no'; make it first");
    refused(&folder, &["demo", "--out", "six.csv"], "six.csv: <>");
}

#[test]
fn memory_is_asked_for_first() {
    let folder = folder();
    refused(
        &folder,
        &["gram", "@moons(n=5000)", "-k", "rbf", "--memory", "1MB"],
        "a Gram matrix of 5000 rows needs 100 MB, but the memory budget is 1 MB; take at most 500 rows (--sample 500), or \
         raise --memory; products with K and single rows need no stored matrix",
    );
    refused(
        &folder,
        &["features", "@iris", "-m", "polynomial(degree=4)", "--memory", "1kB"],
        "the map polynomial(degree=4) of 4 columns has 70 features; storing 150 rows of them needs 84000 bytes, the \
         limit is 1000; use the kernel poly(degree=4), which builds no features",
    );
    let sampled =
        folder.run(&["gram", "@moons(n=5000)", "-k", "rbf", "--memory", "1MB", "--sample", "500"]).answer();
    assert!(sampled.starts_with("500 rows (a sample of 5000) of @moons(n=5000)\n"), "{sampled}");
}

#[test]
fn words_that_are_not_understood() {
    let folder = folder();
    let sample =
        |option: &str| format!("invalid value '0' for '--{option} <N>': give a whole number, 1 or more");
    let gram = |words: &[&'static str]| [&["gram", "six.csv", "-k", "rbf"], words].concat();
    let seeds = "give a whole number from 0 to 18446744073709551615";
    for (words, expected) in [
        (gram(&["--threads", "0"]), "invalid value '0' for '--threads <N>': give a whole number from 1 to 1024".to_owned()),
        (gram(&["--threads", "-2"]), "invalid value '-2' for '--threads <N>': give a whole number from 1 to 1024".to_owned()),
        (
            gram(&["--memory", "lots"]),
            "invalid value 'lots' for '--memory <SIZE>': give a size such as 500MB, 8GB or 2GiB".to_owned(),
        ),
        (gram(&["--sample", "0"]), sample("sample")),
        (vec!["check", "six.csv", "-k", "rbf", "--rows", "0"], sample("rows")),
        (gram(&["--seed", "-1"]), format!("invalid value '-1' for '--seed <SEED>': {seeds}")),
        (gram(&["--header", "maybe"]), "invalid value 'maybe' for '--header <yes|no>': give yes or no".to_owned()),
        (gram(&["--format", "cvs"]), "--format: no format 'cvs'; did you mean 'csv'?".to_owned()),
        (gram(&["--missing", "meen"]), "--missing: no policy for missing values 'meen'; did you mean 'mean'?".to_owned()),
        (gram(&["--delimiter", "ab"]), "--delimiter: give one character, or tab or space, not 'ab'".to_owned()),
        (
            gram(&["--delimiter", "5"]),
            "'5' cannot be a delimiter; use one ASCII character that is not a quote, a digit, a letter or a line end"
                .to_owned(),
        ),
        (gram(&["--kind", "a"]), "--kind: write COLUMN=KIND, e.g. zip=categories".to_owned()),
        (gram(&["--kind", "a=numbrs"]), "--kind: no kind of column 'numbrs'; did you mean 'numbers'?".to_owned()),
        (gram(&["--kind", "labl=texts"]), "six.csv: no column 'labl'; did you mean 'label'?".to_owned()),
        (
            vec!["gram", "@iris", "-k", "rbf", "--kind", "sepal_width=texts"],
            "--kind: column 'sepal_width' of @iris holds numbers; only columns of CSV and TSV files are read as another \
             kind"
                .to_owned(),
        ),
        (
            vec!["gram", "six.csv"],
            "the following required arguments were not provided: --kernel <EXPR>; see mercer gram --help".to_owned(),
        ),
        (
            vec!["features", "six.csv"],
            "the following required arguments were not provided: --map <MAP>; see mercer features --help".to_owned(),
        ),
        (
            vec!["check", "--kernl", "rbf"],
            "unexpected argument '--kernl' found; a similar argument exists: '--kernel'".to_owned(),
        ),
        (gram(&["more"]), "unexpected argument 'more' found; see mercer gram --help".to_owned()),
        (vec!["chekc"], "unrecognized subcommand 'chekc'; a similar subcommand exists: 'check'".to_owned()),
        (
            vec!["completions", "bsh"],
            "invalid value 'bsh' for '<SHELL>' [possible values: bash, elvish, fish, powershell, zsh]; a similar value \
             exists: 'bash'"
                .to_owned(),
        ),
        (vec!["kernels", "rfb"], "no kernel is called 'rfb'; did you mean 'rbf'? (mercer kernels lists them)".to_owned()),
        (vec!["kernels", "zzzzz"], "no kernel is called 'zzzzz' (mercer kernels lists them)".to_owned()),
        (
            vec!["maps", "fourrier"],
            "no feature map is called 'fourrier'; did you mean 'fourier'? (mercer maps lists them)".to_owned(),
        ),
        (
            vec!["data", "irsi"],
            "no built-in set is called 'irsi'; did you mean '@iris'? (mercer data lists them)".to_owned(),
        ),
        (
            vec!["features", "six.csv", "-m", "quadratc"],
            "feature map, column 1: unknown feature map 'quadratc'; did you mean 'quadratic'?".to_owned(),
        ),
        (
            vec!["features", "@promoter", "-m", "quadratic"],
            "a feature map works on numbers, but the table has 'sequence' (texts)".to_owned(),
        ),
    ] {
        refused(&folder, &words, &expected);
    }
}

#[test]
fn nothing_plays_with_the_terminal() {
    let folder = Folder::with("escape.csv", "a\u{1b}[31m,b\n1,x\u{1b}[2J\n2,y\n3,4\n");
    // The helper that runs commands refuses escape codes in any answer.
    folder.run(&["gram", "escape.csv", "-k", "chi2[c\u{1b}[31m]"]).refusal();
    folder.run(&["gram", "escape.csv", "-k", "rbf", "--target", "\u{1b}[31m"]).refusal();
    folder.run(&["gram", "\u{1b}[31m.csv", "-k", "rbf"]).refusal();
    folder.run(&["check", "escape.csv", "-k", "sigmoid(offset=-9)"]).exit(1);
    folder.run(&["gram", "--\u{1b}[31m", "-k", "rbf"]).refusal();
}
