//! `mercer maps`: the table of feature maps, as text or JSON.

use anyhow::bail;
use mercer::kernel::{MAPS, MapInfo, map_named, signature_text};
use mercer::points::nearest;
use serde_json::{Value, json};

use super::kernels::{parameter_rows, parameters};
use crate::args::List;
use crate::output::{Answer, columns, print};

pub(crate) fn run(list: &List) -> anyhow::Result<Answer> {
    let chosen: Vec<&MapInfo> = match &list.name {
        None => MAPS.to_vec(),
        Some(name) => match map_named(name) {
            Some(map) => vec![map],
            None => {
                let hint = nearest(name, MAPS.iter().map(|map| map.signature.name));
                let hint = hint.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
                bail!("no feature map is called '{name}'{hint} (mercer maps lists them)");
            }
        },
    };
    if list.json {
        let rows: Vec<Value> = chosen.iter().map(|map| as_json(map)).collect();
        print(&format!("{:#}\n", Value::Array(rows)))?;
    } else if list.name.is_some() {
        print(&in_full(chosen[0]))?;
    } else {
        let mut rows = vec![["map", "features of x", "dimension", "kernel"].map(str::to_owned).to_vec()];
        rows.extend(chosen.iter().map(|map| {
            [signature_text(&map.signature), map.formula.into(), map.dimension.into(), map.kernel.into()]
                .to_vec()
        }));
        print(&columns(&rows))?;
    }
    Ok(Answer::Yes)
}

fn in_full(map: &MapInfo) -> String {
    let rows = [
        (map.signature.name, map.formula),
        ("for", map.about),
        ("dimension", map.dimension),
        ("kernel", map.kernel),
    ];
    let mut rows: Vec<Vec<String>> =
        rows.iter().map(|&(key, value)| vec![key.to_owned(), value.to_owned()]).collect();
    if !map.signature.aliases.is_empty() {
        rows.push(vec!["also".into(), map.signature.aliases.join(", ")]);
    }
    rows.extend(parameter_rows(map.signature.params));
    columns(&rows)
}

fn as_json(map: &MapInfo) -> Value {
    json!({
        "name": map.signature.name,
        "aliases": map.signature.aliases,
        "signature": signature_text(&map.signature),
        "formula": map.formula,
        "dimension": map.dimension,
        "kernel": map.kernel,
        "about": map.about,
        "parameters": parameters(map.signature.params),
    })
}
