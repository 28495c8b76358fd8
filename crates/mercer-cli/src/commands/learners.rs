//! `mercer learners`: the table of learners, as text or JSON.

use anyhow::bail;
use mercer::model::{Kind, LEARNERS, LearnerInfo};
use mercer::points::nearest;
use serde_json::{Value, json};

use crate::args::List;
use crate::output::{Answer, columns, print};

pub(crate) fn run(list: &List) -> anyhow::Result<Answer> {
    let all = LEARNERS.iter().map(|(_, info)| info);
    let chosen: Vec<&LearnerInfo> = match &list.name {
        None => all.collect(),
        Some(name) => all.filter(|info| info.name == name).collect(),
    };
    if let (true, Some(name)) = (chosen.is_empty(), &list.name) {
        let hint = nearest(name, LEARNERS.iter().map(|(_, info)| info.name));
        let hint = hint.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
        bail!("no learner is called '{name}'{hint} (mercer learners lists them)");
    }
    if list.json {
        let rows: Vec<Value> = chosen.iter().map(|info| as_json(info)).collect();
        print(&format!("{:#}\n", Value::Array(rows)))?;
    } else if list.name.is_some() {
        print(&in_full(chosen[0]))?;
    } else {
        let header = ["learner", "target", "loss", "offset", "time", "maths", "what it does"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        rows.extend(chosen.iter().map(|info| {
            let losses = if info.losses.len() > 2 {
                format!("{}, … ({})", info.losses[0], info.losses.len())
            } else {
                losses(info)
            };
            let cells = [info.name, target(info), &losses, offset(info), info.complexity];
            let mut cells = cells.map(str::to_owned).to_vec();
            cells.extend([format!("§{}", info.section), info.summary.to_owned()]);
            cells
        }));
        print(&columns(&rows))?;
        print("\nmercer learners NAME: one in full. mercer fit DATA --solver NAME: use it.\n")?;
    }
    Ok(Answer::Yes)
}

fn in_full(info: &LearnerInfo) -> String {
    let rows = [
        (info.name, info.summary.to_owned()),
        ("target", target(info).to_owned()),
        ("loss", losses(info)),
        ("offset", offset(info).to_owned()),
        ("kernel", kernel(info).to_owned()),
        ("time", format!("{} (n rows, s support vectors, d features)", info.complexity)),
        ("maths", format!("docs/maths.md §{}", info.section)),
        ("from", info.reference.to_owned()),
    ];
    columns(&rows.map(|(key, value)| vec![key.to_owned(), value]))
}

fn target(info: &LearnerInfo) -> &'static str {
    match info.kind {
        Kind::Classes => "two classes",
        Kind::Numbers => "numbers",
        Kind::ByLoss => "by loss",
        Kind::Nothing => "none",
    }
}

fn losses(info: &LearnerInfo) -> String {
    if info.losses.is_empty() { "-".to_owned() } else { info.losses.join(", ") }
}

fn offset(info: &LearnerInfo) -> &'static str {
    match info.offset {
        Some(true) => "yes",
        Some(false) => "if asked",
        None => "never",
    }
}

fn kernel(info: &LearnerInfo) -> &'static str {
    if info.explicit { "linear, with or without maps: it works on explicit features" } else { "any" }
}

fn as_json(info: &LearnerInfo) -> Value {
    json!({
        "name": info.name,
        "summary": info.summary,
        "target": target(info),
        "losses": info.losses,
        "offset": offset(info),
        "explicit": info.explicit,
        "complexity": info.complexity,
        "section": info.section,
        "reference": info.reference,
    })
}
