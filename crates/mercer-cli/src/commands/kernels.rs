//! `mercer kernels`: the table of kernels, as text or JSON.

use anyhow::bail;
use mercer::kernel::{Evidence, KERNELS, KernelInfo, Literal, Param, kernel_named, signature_text};
use mercer::points::nearest;
use serde_json::{Value, json};

use crate::args::List;
use crate::output::{Answer, columns, print};

pub(crate) fn run(list: &List) -> anyhow::Result<Answer> {
    let chosen: Vec<&KernelInfo> = match &list.name {
        None => KERNELS.to_vec(),
        Some(name) => match kernel_named(name) {
            Some(kernel) => vec![kernel],
            None => {
                let hint = nearest(name, KERNELS.iter().map(|k| k.signature.name));
                let hint = hint.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
                bail!("no kernel is called '{name}'{hint} (mercer kernels lists them)");
            }
        },
    };
    if list.json {
        let rows: Vec<Value> = chosen.iter().map(|kernel| as_json(kernel)).collect();
        print(&format!("{:#}\n", Value::Array(rows)))?;
    } else if list.name.is_some() {
        print(&in_full(chosen[0]))?;
    } else {
        let mut rows = vec![["kernel", "formula", "on", "psd", "for"].map(str::to_owned).to_vec()];
        rows.extend(chosen.iter().map(|kernel| {
            let cells = [signature_text(&kernel.signature), kernel.formula.into(), kernel.domain.to_string()];
            let mut cells = cells.to_vec();
            cells.extend([kernel.evidence().word().to_owned(), kernel.about.to_owned()]);
            cells
        }));
        print(&columns(&rows))?;
        print(
            "\nalgebra: 0.5*k  k1 + k2  k1*k2  k^2  exp(k)  normalize(k)  k[column, …]  k@map  outer(map)  name: k\n",
        )?;
    }
    Ok(Answer::Yes)
}

fn in_full(kernel: &KernelInfo) -> String {
    let why = match kernel.evidence() {
        Evidence::Psd(why) => format!("yes: {why}"),
        Evidence::When(condition, why) => format!("where {condition}: {why}"),
        Evidence::Not(why) => format!("no: {why}"),
        Evidence::Unknown(why) => format!("not known: {why}"),
    };
    let mut rows = vec![
        vec![kernel.signature.name.to_owned(), kernel.formula.to_owned()],
        vec!["for".into(), kernel.about.into()],
        vec!["on".into(), kernel.domain.to_string()],
        vec!["psd".into(), why],
    ];
    if !kernel.signature.aliases.is_empty() {
        rows.push(vec!["also".into(), kernel.signature.aliases.join(", ")]);
    }
    rows.extend(parameter_rows(kernel.signature.params));
    columns(&rows)
}

/// A line for each parameter of a kernel or map.
pub(crate) fn parameter_rows(params: &[Param]) -> Vec<Vec<String>> {
    let each = params.iter();
    each.map(|param| vec![format!("  {}", param.name), format!("{} ({})", param.about, range(param))])
        .collect()
}

fn range(param: &Param) -> String {
    match default(param) {
        Value::Null => param.kind.to_string(),
        value => {
            format!(
                "{}; default {}",
                param.kind,
                value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            )
        }
    }
}

fn default(param: &Param) -> Value {
    match param.default {
        None => Value::Null,
        Some(Literal::Number(number)) if number.fract() == 0.0 => json!(number as i64),
        Some(Literal::Number(number)) => json!(number),
        Some(Literal::Word(word) | Literal::Kernel(word)) => json!(word),
    }
}

/// The parameters of a kernel or map.
pub(crate) fn parameters(params: &[Param]) -> Value {
    let each = params.iter().map(|param| {
        json!({ "name": param.name, "aliases": param.aliases, "default": default(param), "range": range(param), "about": param.about })
    });
    each.collect()
}

fn as_json(kernel: &KernelInfo) -> Value {
    let signature = &kernel.signature;
    json!({
        "name": signature.name,
        "aliases": signature.aliases,
        "signature": signature_text(signature),
        "formula": kernel.formula,
        "domain": kernel.domain.to_string(),
        "about": kernel.about,
        "psd": kernel.evidence().word(),
        "parameters": parameters(signature.params),
        "one_of": signature.one_of,
    })
}
