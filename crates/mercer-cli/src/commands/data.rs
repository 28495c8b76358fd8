//! `mercer data`: the built-in sets.

use anyhow::bail;
use mercer::points::data::{BuiltIn, Task, builtin};
use mercer::points::nearest;
use serde_json::{Value, json};

use crate::args::List;
use crate::output::{Answer, columns, print};

pub(crate) fn run(list: &List) -> anyhow::Result<Answer> {
    let sets = builtin().iter();
    let chosen: Vec<&BuiltIn> = match list.name.as_deref().map(|name| name.trim_start_matches('@')) {
        None => sets.collect(),
        Some(name) => sets.filter(|set| set.name == name).collect(),
    };
    if let (true, Some(name)) = (chosen.is_empty(), &list.name) {
        let hint = nearest(name.trim_start_matches('@'), builtin().iter().map(|set| set.name));
        let hint = hint.map_or_else(String::new, |near| format!("; did you mean '@{near}'?"));
        bail!("no built-in set is called '{name}'{hint} (mercer data lists them)");
    }
    if list.json {
        let rows: Vec<Value> = chosen.iter().map(|set| as_json(set)).collect();
        print(&format!("{:#}\n", Value::Array(rows)))?;
    } else if list.name.is_some() {
        let set = chosen[0];
        let rows = [
            (shown(set), set.about.to_owned()),
            ("rows".to_owned(), set.rows.to_string()),
            ("task".to_owned(), task(set).to_owned()),
            ("source".to_owned(), set.source.to_owned()),
            ("terms".to_owned(), set.terms.to_owned()),
        ];
        let rows: Vec<Vec<String>> = rows.map(|(key, value)| vec![key, value]).to_vec();
        print(&columns(&rows))?;
    } else {
        let mut rows = vec![["set", "rows", "task", "what it is"].map(str::to_owned).to_vec()];
        rows.extend(
            chosen.iter().map(|set| {
                vec![shown(set), set.rows.to_string(), task(set).to_owned(), set.about.to_owned()]
            }),
        );
        print(&columns(&rows))?;
    }
    Ok(Answer::Yes)
}

/// The set as it is written.
fn shown(set: &BuiltIn) -> String {
    if set.generated { format!("@{}(n, noise, seed)", set.name) } else { format!("@{}", set.name) }
}

fn task(set: &BuiltIn) -> &'static str {
    match set.task {
        Task::Binary => "two classes",
        Task::Multiclass => "classes",
        Task::Regression => "regression",
    }
}

fn as_json(set: &BuiltIn) -> Value {
    json!({
        "name": set.name, "about": set.about, "rows": set.rows, "task": task(set),
        "generated": set.generated, "source": set.source, "terms": set.terms,
    })
}
