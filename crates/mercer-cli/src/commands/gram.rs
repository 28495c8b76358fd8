//! `mercer gram`: what a Gram matrix looks like, in numbers and as a picture.

use std::path::Path;

use anyhow::{Context, bail};
use mercer::gram::{
    Alignment, Gram as _, Ideal, Lazy, Shape, Spectrum, Statistics, Stored, alignment, concentration,
    spectrum, statistics,
};
use mercer::kernel::{KernelExpr, vectors};
use mercer::picture::{Drawn, matrices, panel, seriate};
use mercer::points::{Points, Table};
use mercer::view::{HeatMap, Theme};
use serde_json::{Value, json};

use crate::args::Gram;
use crate::input::{budget, coordinates, kernel, load};
use crate::output::{Answer, check_file, check_matrix_file, columns, count, matrix, note, number, print};

/// What is found out about one kernel.
struct Row {
    kernel: KernelExpr,
    title: String,
    statistics: Statistics,
    alignment: Option<Alignment>,
    spectrum: Option<Spectrum>,
}

pub(crate) fn run(options: &Gram) -> anyhow::Result<Answer> {
    let kernels = sweep(&kernel(&options.kernel)?, options.sweep.as_deref())?;
    if let (Some(path), true) = (&options.out, kernels.len() > 1) {
        bail!(
            "{}: a sweep makes {} matrices; save one at a time, without --sweep",
            path.display(),
            kernels.len()
        );
    }
    check_matrix_file(options.out.as_deref())?;
    if let Some(path) = &options.plot {
        check_file(path, "a picture", ["svg", "png"])?;
    }
    let data = load(&options.input, Some(&kernels[0].1))?;
    let budget = budget(options.memory);
    Stored::<f32>::fits(data.table.len(), budget)?;
    let ideal = data.ideal()?;
    let order = match &options.plot {
        // One order for all pictures of a sweep, from the kernel in its middle.
        Some(_) => {
            let middle = Lazy::new(&kernels[kernels.len() / 2].1, &data.table)?;
            seriate(&Stored::<f32>::new(&middle, budget)?, ideal.as_ref())
        }
        None => Vec::new(),
    };
    let (mut rows, mut panels) = (Vec::new(), Vec::new());
    for (title, kernel) in kernels {
        let lazy = Lazy::new(&kernel, &data.table)?;
        let gram = Stored::<f32>::new(&lazy, budget)?;
        check_finite(&gram)?;
        if let Some(path) = &options.out {
            // In f64, so that what is saved is as valid as what was computed.
            matrix(path, (gram.len(), gram.len()), None, |i| {
                let mut row = vec![0.0; lazy.len()];
                lazy.rows_double(&[i], &mut row);
                row
            })?;
        }
        let aligned = ideal.as_ref().map(|ideal| alignment(&lazy, |i, j| ideal.value(i, j)));
        let statistics = statistics(&lazy);
        if options.plot.is_some() {
            let drawn =
                Drawn { title: title.clone(), gram: &gram, alignment: aligned, shape: statistics.shape };
            panels.push(panel(&drawn, &order));
        }
        let spectrum = (gram.len() <= mercer::gram::FULL_SPECTRUM).then(|| spectrum(&lazy)).transpose()?;
        rows.push(Row {
            kernel: lazy.plan().expr().clone(),
            title,
            statistics,
            alignment: aligned,
            spectrum,
        });
    }
    if let Some(path) = &options.plot {
        draw(
            path,
            options,
            &data.name,
            &rows,
            panels,
            ideal.as_ref().map(|ideal| (ideal, order.as_slice())),
        )?;
    }
    if options.json {
        print(&format!("{:#}\n", as_json(&rows, data.table.len())))?;
    } else {
        print(&in_words(&rows, data.table.len(), data.total, &data.name))?;
        if ideal.is_some_and(|ideal| ideal.groups().len() == 1) {
            note(
                "warning: every label is the same, so the alignment says nothing; name another column (--target)",
            );
        }
    }
    if let Some(warning) =
        rows.iter().any(|row| is_local(&row.kernel)).then(|| contrast(&data.table)).flatten()
    {
        note(&warning);
    }
    Ok(Answer::Yes)
}

/// An entry may be finite by the definition and still too large for the precision of a stored matrix.
fn check_finite(gram: &Stored<f32>) -> anyhow::Result<()> {
    match gram.entries().iter().position(|entry| !entry.is_finite()) {
        None => Ok(()),
        Some(at) => bail!(
            "entry ({}, {}) is too large for a 32-bit number; scale the columns or choose smaller parameters",
            at / gram.len() + 1,
            at % gram.len() + 1
        ),
    }
}

/// The kernels of a sweep with their titles; without one, the kernel alone.
fn sweep(kernel: &KernelExpr, sweep: Option<&str>) -> anyhow::Result<Vec<(String, KernelExpr)>> {
    let Some(text) = sweep else { return Ok(vec![(kernel.to_string(), kernel.clone())]) };
    let form = "write NAME=VALUE,VALUE,…, e.g. sigma=0.1,1,10";
    let (name, values) = text.split_once('=').with_context(|| format!("--sweep: {form}"))?;
    let mut kernels = Vec::new();
    for value in values.split(',').map(str::trim) {
        let number = value.parse().ok().filter(|number: &f64| number.is_finite());
        let number = number.with_context(|| format!("--sweep: '{value}' is not a finite number; {form}"))?;
        let changed = kernel.with_parameter(name.trim(), number).context("--sweep")?;
        kernels.push((format!("{} = {value}", name.trim()), changed));
    }
    if kernels.len() > 24 {
        bail!("--sweep: at most 24 values, not {}", kernels.len());
    }
    Ok(kernels)
}

fn draw(
    path: &Path,
    options: &Gram,
    data: &str,
    rows: &[Row],
    panels: Vec<mercer::view::Panel>,
    ideal: Option<(&Ideal, &[usize])>,
) -> anyhow::Result<()> {
    let kernel = match rows {
        [row] => row.kernel.to_string(),
        _ => options.kernel.clone(),
    };
    let order = if ideal.is_some() { ", rows ordered by label" } else { "" };
    let title = format!("Gram matrix of {data}{order}");
    let theme = if options.dark { Theme::Dark } else { Theme::Light };
    let width = options.width.map(f64::from);
    let map = HeatMap { theme, width, ..matrices(title, kernel, panels, ideal) };
    mercer::view::write(path, &map)?;
    note(&format!("drawn: {}", path.display()));
    Ok(())
}

/// Whether the kernel depends on distances, so that their concentration matters.
fn is_local(kernel: &KernelExpr) -> bool {
    ["rbf", "laplace", "exponential", "matern", "rq"].iter().any(|name| kernel.uses(name))
}

/// A warning when distances no longer tell rows apart.
fn contrast(table: &Table) -> Option<String> {
    let step = table.len().div_ceil(500).max(1);
    let few = table.select(&(0..table.len()).step_by(step).collect::<Vec<_>>());
    let width: usize = few.columns().iter().map(|column| coordinates(&column.data)).sum();
    // Sparse rows would be written out for this, which must stay small.
    let (points, _) = if width > 10_000 { return None } else { vectors(&few).ok()? };
    let found = concentration(&points).filter(|found| points.dim() > 10 && found.is_concentrated())?;
    Some(format!(
        "warning: distances are concentrated (nearest {}, farthest {}: contrast {}); a kernel of the distance can hardly \
         tell rows apart. Select or transform columns.",
        number(found.nearest),
        number(found.farthest),
        number(found.contrast)
    ))
}

fn in_words(rows: &[Row], n: usize, total: usize, data: &str) -> String {
    let sampled = if n < total { format!(" (a sample of {total})") } else { String::new() };
    let mut text = format!("{}{sampled} of {data}\n", count(n, "row"));
    if let [row] = rows {
        text.push_str(&format!("kernel    {}\n", row.kernel));
        let s = &row.statistics;
        text.push_str(&format!("diagonal  mean {}\n", number(s.diagonal_mean)));
        if n > 1 {
            text.push_str(&format!(
                "others    mean {}, deviation {}, from {} to {}: {}\n",
                number(s.mean),
                number(s.deviation),
                number(s.smallest),
                number(s.largest),
                advice(s.shape)
            ));
        }
        if let Some(a) = row.alignment {
            text.push_str(&format!(
                "alignment {} with the labels, {} centred\n",
                number(a.plain),
                number(a.centered)
            ));
        }
        if let Some(spectrum) = &row.spectrum {
            let [largest, smallest, error] =
                [spectrum.largest(), spectrum.smallest(), spectrum.error].map(number);
            let rest = if spectrum.smallest() < -spectrum.error {
                "not positive semi-definite (mercer check)".to_owned()
            } else {
                format!("rank {} of {n}, condition {}", spectrum.rank, number(spectrum.condition()))
            };
            text.push_str(&format!("spectrum  largest {largest}, smallest {smallest} ± {error}; {rest}\n"));
        }
        return text;
    }
    let mut lines = vec![
        ["", "alignment", "centred", "off-diagonal mean", "deviation", "rank", "verdict"]
            .map(str::to_owned)
            .to_vec(),
    ];
    lines.extend(rows.iter().map(|row| {
        let aligned = |value: fn(&Alignment) -> f64| {
            row.alignment.as_ref().map_or("-".to_owned(), |a| number(value(a)))
        };
        vec![
            row.title.clone(),
            aligned(|a| a.plain),
            aligned(|a| a.centered),
            number(row.statistics.mean),
            number(row.statistics.deviation),
            row.spectrum.as_ref().map_or("-".to_owned(), |s| s.rank.to_string()),
            row.statistics.shape.to_string(),
        ]
    }));
    text.push_str(&columns(&lines));
    if let Some(best) = best(rows) {
        text.push_str(&format!("best centred alignment of the structured ones: {}\n", best.title));
    }
    text
}

/// The row that agrees best with the labels, of those whose matrix has something to say.
fn best(rows: &[Row]) -> Option<&Row> {
    let rows = rows.iter().filter(|row| row.statistics.shape == Shape::Structured);
    let aligned = rows.filter_map(|row| Some((row, row.alignment?.centered)));
    aligned.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, _)| row)
}

fn advice(shape: Shape) -> &'static str {
    match shape {
        Shape::MostlyDiagonal => "mostly diagonal; rows are like themselves only, so take a wider kernel",
        Shape::Structured => "structured",
        Shape::AllAlike => "all alike; every row is like every other, so take a narrower kernel",
    }
}

fn as_json(rows: &[Row], n: usize) -> Value {
    let each = rows.iter().map(|row| {
        let s = &row.statistics;
        json!({
            "kernel": row.kernel.to_string(),
            "rows": n,
            "diagonal_mean": s.diagonal_mean,
            "off_diagonal": { "mean": s.mean, "magnitude": s.magnitude, "deviation": s.deviation, "smallest": s.smallest, "largest": s.largest },
            "verdict": s.shape.to_string(),
            "alignment": row.alignment.map(|a| json!({ "plain": a.plain, "centered": a.centered })),
            "spectrum": row.spectrum.as_ref().map(|s| json!({
                "largest": s.largest(), "smallest": s.smallest(), "error": s.error, "rank": s.rank,
                "condition": s.condition().is_finite().then(|| s.condition()),
            })),
        })
    });
    Value::Array(each.collect())
}
