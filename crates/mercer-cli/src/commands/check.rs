//! `mercer check`: the proof, the measurement, and for a refuted kernel the witness.

use std::fmt::Write;

use anyhow::bail;
use mercer::gram::{CheckOptions, Gram, Lazy, MercerCheck, Method, Repair, Stored, Verdict, Witness, check, repair};
use mercer::kernel::{KernelExpr, Registry};
use mercer::points::{ColumnData, Points, Table};
use serde_json::{Value, json};

use crate::args::Check;
use crate::input::{Data, budget, kernel, load};
use crate::output::{Answer, matrix, number, print};

pub(crate) fn run(options: &Check) -> anyhow::Result<Answer> {
    let expr = kernel(&options.kernel)?;
    let how = options.repair.as_deref().map(str::parse::<Repair>).transpose().map_err(|e| anyhow::anyhow!("--repair: {e}"))?;
    if how.is_some() && expr != "precomputed".parse::<KernelExpr>()? {
        bail!("--repair works on a matrix: use --kernel precomputed (save one with mercer gram --out)");
    }
    let data = load(&options.input)?;
    let measured = CheckOptions { rows: options.rows as usize, seed: options.input.seed };
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
    let mut text = String::new();
    let spectrum = &found.spectrum;
    let _infallible = writeln!(text, "kernel    {}", found.kernel);
    let _infallible = writeln!(text, "proof     {}", found.proof.status);
    text.push_str(&found.proof.to_string());
    let sampled = if found.measured < found.rows { format!(" (a sample of {})", found.rows) } else { String::new() };
    let _infallible = writeln!(text, "measured  {} rows{sampled} of {}", found.measured, data.name);
    let _infallible = writeln!(text, "symmetry  largest |K_ij - K_ji| is {}", number(found.asymmetry));
    let method = match spectrum.method {
        Method::Full => "all eigenvalues".to_owned(),
        Method::Lanczos(steps) => format!("{steps} Lanczos steps"),
    };
    let _infallible = writeln!(
        text,
        "smallest  eigenvalue {} ± {} ({method}); largest {}",
        number(spectrum.smallest()),
        number(spectrum.error),
        number(spectrum.largest())
    );
    let least = if spectrum.method == Method::Full { "" } else { "at least " };
    let _infallible = write!(text, "rank      {least}{} of {}", spectrum.rank, found.measured);
    if let Some(cause) = found.deficiency() {
        let _infallible = write!(text, ": {cause}");
        if let Some((row, before)) = found.duplicates.first() {
            let _infallible = write!(text, " (row {row} repeats row {before}; {} in all)", found.duplicates.len());
        }
    }
    let _infallible = writeln!(text, "; condition {}", number(spectrum.condition()));
    match &found.verdict {
        Verdict::Holds => text.push_str("verdict   valid on this data: no eigenvalue is below zero by more than the error\n"),
        Verdict::NotSymmetric(i, j) => {
            let _infallible = writeln!(text, "verdict   refuted: k is not symmetric for rows {i} and {j}");
        }
        Verdict::Refuted(witness) => text.push_str(&witness_in_words(witness, data)),
    }
    text
}

/// The witness with everything that is needed to compute it again.
fn witness_in_words(witness: &Witness, data: &Data) -> String {
    let mut text = format!(
        "verdict   refuted: v^T K v = {:e} < 0 (rounding at most {:.1e}), with\n",
        witness.value, witness.bound
    );
    for (&row, v) in witness.rows.iter().zip(&witness.vector) {
        let _infallible = writeln!(text, "  v = {v:<24} row {}: {}", data.rows[row] + 1, point(&data.table, row));
    }
    text
}

/// A row in full precision.
fn point(table: &Table, row: usize) -> String {
    let cells = table.columns().iter().map(|column| match &column.data {
        ColumnData::Numbers(values) => format!("{}={}", column.name, values[row]),
        ColumnData::Categories(names) => format!("{}={}", column.name, names.point(row)),
        ColumnData::Texts(texts) => format!("{}={}", column.name, texts.point(row)),
        ColumnData::Dense(points, names) => {
            let shown = points.point(row).iter().zip(names).map(|(v, name)| format!("{name}={v}"));
            shown.collect::<Vec<_>>().join(" ")
        }
        ColumnData::Sparse(points) => {
            let row = points.point(row);
            let shown = row.indices.iter().zip(row.values).map(|(j, v)| format!("{}:{v}", u64::from(*j) + 1));
            shown.collect::<Vec<_>>().join(" ")
        }
        ColumnData::Indices(rows) => format!("matrix row {}", rows.point(row) + 1),
    });
    cells.collect::<Vec<_>>().join(" ")
}

fn as_json(found: &MercerCheck, data: &Data) -> Value {
    let steps = found.proof.proof.iter();
    let proof: Vec<Value> = steps.map(|s| json!({ "part": s.part, "rule": s.rule, "uses": s.uses, "status": s.status.to_string() })).collect();
    let (verdict, witness) = match &found.verdict {
        Verdict::Holds => ("valid", Value::Null),
        Verdict::NotSymmetric(i, j) => ("not symmetric", json!({ "rows": [i, j] })),
        Verdict::Refuted(w) => {
            let rows: Vec<usize> = w.rows.iter().map(|&row| data.rows[row] + 1).collect();
            let points: Vec<String> = w.rows.iter().map(|&row| point(&data.table, row)).collect();
            ("refuted", json!({ "rows": rows, "points": points, "vector": w.vector, "value": w.value, "bound": w.bound }))
        }
    };
    json!({
        "kernel": found.kernel.to_string(),
        "status": found.proof.status.to_string(),
        "proof": proof,
        "rows": found.rows,
        "measured": found.measured,
        "asymmetry": found.asymmetry,
        "smallest_eigenvalue": found.spectrum.smallest(),
        "error": found.spectrum.error,
        "largest_eigenvalue": found.spectrum.largest(),
        "rank": found.spectrum.rank,
        "condition": found.spectrum.condition().is_finite().then(|| found.spectrum.condition()),
        "duplicates": found.duplicates,
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
    let saved = options.out.as_ref().map_or_else(
        || "not saved (--out FILE)".to_owned(),
        |path| format!("saved to {}", path.display()),
    );
    let text = format!(
        "repair    {how}: {} negative eigenvalues; moved by {} (Frobenius), {} of the whole; {saved}\n",
        mended.negative,
        number(mended.moved),
        number(mended.relative),
    );
    let value = json!({ "how": how.to_string(), "negative": mended.negative, "moved": mended.moved, "relative": mended.relative });
    Ok((text, value))
}
