//! `mercer check`: the proof, the measurement, and for a refuted kernel the witness.

use std::fmt::Write;

use anyhow::bail;
use mercer::gram::{
    CheckOptions, Gram, Lazy, MercerCheck, Method, Repair, Stored, Verdict, Witness, check, repair,
};
use mercer::kernel::{KernelExpr, Registry};
use mercer::points::{ColumnData, Points, Table};
use serde_json::{Value, json};

use crate::args::Check;
use crate::input::{Data, budget, kernel, load};
use crate::output::{Answer, check_matrix_file, count, matrix, number, print, visible};

pub(crate) fn run(options: &Check) -> anyhow::Result<Answer> {
    let expr = kernel(&options.kernel)?;
    let how = options
        .repair
        .as_deref()
        .map(str::parse::<Repair>)
        .transpose()
        .map_err(|e| anyhow::anyhow!("--repair: {e}"))?;
    if how.is_some() && expr != "precomputed".parse::<KernelExpr>()? {
        bail!("--repair works on a matrix: use --kernel precomputed (save one with mercer gram --out)");
    }
    check_matrix_file(options.out.as_deref())?;
    let data = load(&options.input, Some(&expr))?;
    let measured = CheckOptions {
        rows: options.rows as usize,
        seed: options.input.seed,
        budget: budget(options.memory),
    };
    let found = check(&expr, &data.table, &Registry::new(), measured)?;
    let mut text = if options.json { String::new() } else { in_words(&found, &data) };
    let mut answer = as_json(&found, &data);
    if let Some(how) = how {
        let mended = mend(&expr, &data.table, how, options)?;
        if !options.json {
            text.push_str(&mended.0);
        }
        answer["repair"] = mended.1;
    }
    print(&if options.json { format!("{answer:#}\n") } else { text })?;
    // A matrix that was repaired is valid now.
    Ok(if found.holds() || how.is_some() { Answer::Yes } else { Answer::No })
}

fn in_words(found: &MercerCheck, data: &Data) -> String {
    let mut text = format!("kernel    {}\nproof     {}\n{}", found.kernel, found.proof.status, found.proof);
    let sampled =
        if found.measured < data.total { format!(" (a sample of {})", data.total) } else { String::new() };
    let _infallible = writeln!(text, "measured  {}{sampled} of {}", count(found.measured, "row"), data.name);
    let _infallible = writeln!(text, "symmetry  largest |K_ij - K_ji| is {}", number(found.asymmetry));
    text.push_str(&spectrum_in_words(found));
    if let (true, Some(&(row, before))) = (found.holds(), found.duplicates.first()) {
        let (row, before) = (data.number(row - 1), data.number(before - 1));
        let all = count(found.duplicates.len(), "row");
        let _infallible = writeln!(
            text,
            "repeated  {all}: row {row} repeats row {before}{}",
            if found.duplicates.len() > 1 { ", …" } else { "" }
        );
    }
    match &found.verdict {
        Verdict::Holds if found.spectrum.method == Method::Full => {
            text.push_str(
                "verdict   valid on this data: no eigenvalue is below zero by more than the error\n",
            );
        }
        // The smallest Ritz value is never below the smallest eigenvalue: enough to refute, not to confirm.
        Verdict::Holds => {
            text.push_str("verdict   not refuted on this data: no eigenvalue below zero was found\n")
        }
        Verdict::NotSymmetric(i, j) => {
            let (i, j) = (data.number(i - 1), data.number(j - 1));
            let _infallible = writeln!(text, "verdict   refuted: k is not symmetric for rows {i} and {j}");
        }
        Verdict::Refuted(witness) => text.push_str(&witness_in_words(witness, data)),
    }
    text
}

/// The ends of the spectrum; of a valid matrix also its rank and condition, and why the rank is not full.
fn spectrum_in_words(found: &MercerCheck) -> String {
    let (spectrum, n) = (&found.spectrum, found.measured);
    let [smallest, error, largest] = [spectrum.smallest(), spectrum.error, spectrum.largest()].map(number);
    let (mut text, least) = match spectrum.method {
        Method::Full => {
            (format!("smallest  eigenvalue {smallest} ± {error} (all eigenvalues); largest {largest}\n"), "")
        }
        Method::Lanczos(steps) => {
            let found = format!("{}, ± {error} of one", count(steps, "Lanczos step"));
            (format!("smallest  eigenvalue at most {smallest} ({found}); largest {largest}\n"), "at least ")
        }
    };
    if !found.holds() {
        let _infallible = writeln!(text, "positive  {least}{} of {}", spectrum.rank, count(n, "eigenvalue"));
        return text;
    }
    let condition = spectrum.condition();
    let bound = if condition.is_finite() { least } else { "" };
    let _infallible =
        writeln!(text, "rank      {least}{} of {n}; condition {bound}{}", spectrum.rank, number(condition));
    if let (Method::Full, Some(cause)) = (spectrum.method, found.deficiency()) {
        let _infallible = writeln!(text, "deficit   {}: {cause}", n - spectrum.rank);
    }
    text
}

/// The witness with everything that is needed to compute it again.
fn witness_in_words(witness: &Witness, data: &Data) -> String {
    let (value, bound) = (witness.value, witness.bound);
    let value =
        if value.abs() < 1e-4 || value.abs() > 1e7 { format!("{value:e}") } else { value.to_string() };
    let mut text = format!("verdict   refuted: v^T K v = {value} < 0 (rounding at most {bound:.1e}), with\n");
    for (&row, v) in witness.rows.iter().zip(&witness.vector) {
        let _infallible =
            writeln!(text, "  v = {v:<24} row {}: {}", data.number(row), point(data, row, &witness.rows));
    }
    text
}

/// A row in full precision; of a matrix, its entries in the columns of these rows.
fn point(data: &Data, row: usize, rows: &[usize]) -> String {
    let cells = data.table.columns().iter().map(|column| match &column.data {
        ColumnData::Numbers(values) => format!("{}={}", column.name, values[row]),
        ColumnData::Categories(names) => format!("{}={}", column.name, names.point(row)),
        ColumnData::Texts(texts) => format!("{}={}", column.name, texts.point(row)),
        ColumnData::Dense(points, names) => {
            let shown = points.point(row).iter().zip(names).map(|(v, name)| format!("{name}={v}"));
            shown.collect::<Vec<_>>().join(" ")
        }
        ColumnData::Single(points, names) => {
            let shown = points.point(row).iter().zip(names).map(|(v, name)| format!("{name}={v}"));
            shown.collect::<Vec<_>>().join(" ")
        }
        ColumnData::Sparse(points) => {
            let row = points.point(row);
            let shown = row.indices.iter().zip(row.values).map(|(j, v)| format!("{}:{v}", u64::from(*j) + 1));
            shown.collect::<Vec<_>>().join(" ")
        }
        ColumnData::Indices(matrix) => {
            let shown = rows.iter().map(|&j| {
                format!("K[{},{}]={}", data.number(row), data.number(j), matrix.entry(row, matrix, j))
            });
            shown.collect::<Vec<_>>().join(" ")
        }
    });
    visible(&cells.collect::<Vec<_>>().join(" "))
}

fn as_json(found: &MercerCheck, data: &Data) -> Value {
    let steps = found.proof.proof.iter();
    let proof: Vec<Value> = steps
        .map(|s| json!({ "part": s.part, "rule": s.rule, "uses": s.uses, "status": s.status.to_string() }))
        .collect();
    let (verdict, witness) = match &found.verdict {
        Verdict::Holds if found.spectrum.method == Method::Full => ("valid", Value::Null),
        Verdict::Holds => ("not refuted", Value::Null),
        Verdict::NotSymmetric(i, j) => {
            ("not symmetric", json!({ "rows": [data.number(i - 1), data.number(j - 1)] }))
        }
        Verdict::Refuted(w) => {
            let rows: Vec<usize> = w.rows.iter().map(|&row| data.number(row)).collect();
            let points: Vec<String> = w.rows.iter().map(|&row| point(data, row, &w.rows)).collect();
            (
                "refuted",
                json!({ "rows": rows, "points": points, "vector": w.vector, "value": w.value, "bound": w.bound }),
            )
        }
    };
    let method = match found.spectrum.method {
        Method::Full => json!("all eigenvalues"),
        Method::Lanczos(steps) => json!(count(steps, "Lanczos step")),
    };
    let repeated =
        found.duplicates.iter().map(|&(row, before)| [data.number(row - 1), data.number(before - 1)]);
    json!({
        "kernel": found.kernel.to_string(),
        "status": found.proof.status.to_string(),
        "proof": proof,
        "rows": data.total,
        "measured": found.measured,
        "asymmetry": found.asymmetry,
        "method": method,
        "smallest_eigenvalue": found.spectrum.smallest(),
        "error": found.spectrum.error,
        "largest_eigenvalue": found.spectrum.largest(),
        "rank": found.spectrum.rank,
        "condition": found.spectrum.condition().is_finite().then(|| found.spectrum.condition()),
        "duplicates": repeated.collect::<Vec<_>>(),
        "verdict": verdict,
        "witness": witness,
    })
}

fn mend(expr: &KernelExpr, table: &Table, how: Repair, options: &Check) -> anyhow::Result<(String, Value)> {
    let budget = budget(options.memory);
    let lazy = Lazy::new(expr, table)?;
    let stored = Stored::<f64>::new(&lazy, budget)?;
    let n = stored.len();
    let mended = repair(n, stored.entries(), how, budget)?;
    if let Some(path) = &options.out {
        matrix(path, (n, n), None, |i| mended.entries[i * n..(i + 1) * n].to_vec())?;
    }
    let saved = options
        .out
        .as_ref()
        .map_or_else(|| "not saved (--out FILE)".to_owned(), |path| format!("saved to {}", path.display()));
    let text = format!(
        "repair    {how}: {}; moved by {} (Frobenius), {} of the whole; {saved}\n",
        count(mended.negative, "negative eigenvalue"),
        number(mended.moved),
        number(mended.relative),
    );
    let value = json!({ "how": how.to_string(), "negative": mended.negative, "moved": mended.moved, "relative": mended.relative });
    Ok((text, value))
}
