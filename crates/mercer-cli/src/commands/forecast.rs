//! What a fit is expected to take, in words: for `mercer fit --forecast`, before a long fit, and where there is no room.

use anyhow::bail;
use mercer::model::forecast::{Forecast, Plan, size};
use mercer::model::{Learner, Multiclass, Spec};
use serde_json::{Value, json};

use crate::input::Data;
use crate::output::{Answer, note, print, visible};

/// Rows from which on a fit may take long enough to say so.
pub(super) const MANY: usize = 3000;

/// Seconds from which on it is said.
const LONG: f64 = 5.0;

/// The forecast as the answer of the command.
pub(super) fn answer(found: &Forecast, spec: &Spec, data: &Data, json: bool) -> anyhow::Result<Answer> {
    if json {
        print(&format!("{:#}\n", as_json(found, spec)))?;
    } else {
        print(&in_words(found, spec, data))?;
    }
    Ok(if found.is_refused() { Answer::No } else { Answer::Yes })
}

/// Says that a fit will take long; an error where there is no room for it.
pub(super) fn warn(found: &Forecast, spec: &Spec) -> anyhow::Result<()> {
    if found.is_refused() {
        bail!("{}", refusal(found, spec));
    }
    if let Some(seconds) = found.seconds.filter(|seconds| *seconds >= LONG) {
        note(&format!("{} and {} expected; {}", time(seconds), size(found.peak_bytes.into()), found.plan));
    }
    Ok(())
}

/// Why there is no room, and what to do.
pub(super) fn refusal(found: &Forecast, spec: &Spec) -> String {
    let Plan::Refused { needed, budget, room, other } = &found.plan else {
        return format!("{} needs more memory than there is; raise --memory", spec.learner);
    };
    let mut ways: Vec<String> = other.iter().map(|learner| format!("choose --solver {learner}")).collect();
    if spec.multiclass == Multiclass::Softmax {
        ways.push("solve one class at a time (--multi one-vs-rest)".to_owned());
    }
    ways.push(format!("take a sample (--sample {room})"));
    if matches!(spec.learner, Learner::Cholesky | Learner::Eigen) {
        let kernel = &spec.kernel;
        ways.push(format!(
            "take Nystroem features (--solver ridge-primal --kernel 'linear@nystrom(kernel={kernel}, m=1000)')"
        ));
    }
    ways.push(format!("raise --memory to {}MB", needed.div_ceil(1_000_000)));
    let (needed, budget) = (size(*needed), size((*budget).into()));
    let last = ways.pop().unwrap_or_default();
    format!(
        "{} needs {needed} for {} rows, but the memory budget is {budget}; {}, or {last}",
        spec.learner,
        found.rows,
        ways.join(", ")
    )
}

fn in_words(found: &Forecast, spec: &Spec, data: &Data) -> String {
    let mut lines: Vec<(&str, String)> = vec![("rows", format!("{} of {}", found.rows, data.name))];
    if found.machines > 1 {
        lines.push(("machines", found.machines.to_string()));
    }
    if found.is_refused() {
        lines.push(("plan", format!("refused: {}", refusal(found, spec))));
    } else {
        lines.push(("plan", found.plan.to_string()));
        lines.push((
            "time",
            found.seconds.map_or_else(
                || "not known: no pilot came to an end".to_owned(),
                |seconds| format!("{}, by pilots of up to {} rows", time(seconds), found.pilot),
            ),
        ));
        let parts: Vec<String> = found
            .parts
            .iter()
            .take(3)
            .map(|(what, bytes)| format!("{what} {}", size((*bytes).into())))
            .collect();
        lines.push((
            "memory",
            format!("about {} on top of the data: {}", size(found.peak_bytes.into()), parts.join(", ")),
        ));
        if let Some(support) = found.support {
            lines.push(("support", format!("about {support} rows")));
        }
    }
    lines.iter().map(|(key, said)| format!("{key:9} {}\n", visible(said))).collect()
}

fn as_json(found: &Forecast, spec: &Spec) -> Value {
    let plan = match &found.plan {
        Plan::Whole => json!({ "kind": "whole" }),
        Plan::WorkingSets(variables) => json!({ "kind": "working sets", "variables": variables }),
        Plan::Rows(rows) => json!({ "kind": "rows", "rows": rows }),
        Plan::Recomputed => json!({ "kind": "recomputed" }),
        Plan::Features(count) => json!({ "kind": "features", "features": count }),
        Plan::Refused { budget, room, other, .. } => json!({
            "kind": "refused", "budget": budget, "room": room, "other": other.map(|learner| learner.to_string()),
            "reason": refusal(found, spec),
        }),
    };
    let parts: Vec<Value> =
        found.parts.iter().map(|(what, bytes)| json!({ "what": what, "bytes": bytes })).collect();
    json!({
        "plan": plan, "in_words": found.plan.to_string(), "seconds": found.seconds, "peak_bytes": found.peak_bytes,
        "parts": parts, "rows": found.rows, "machines": found.machines, "support": found.support,
        "pilot_rows": found.pilot, "spent": found.spent,
    })
}

/// Seconds in the digits that a forecast is good for.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 0.1 => "less than 0.1 s".to_owned(),
        s if s < 10.0 => format!("about {s:.1} s"),
        s if s < 100.0 => format!("about {s:.0} s"),
        s if s < 7200.0 => format!("about {:.0} min", s / 60.0),
        s => format!("about {:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn no_more_digits_than_are_known() {
        let said = [
            (0.01, "less than 0.1 s"),
            (1.234, "about 1.2 s"),
            (41.7, "about 42 s"),
            (600.0, "about 10 min"),
            (9000.0, "about 2.5 h"),
        ];
        for (seconds, words) in said {
            assert_eq!(time(seconds), words);
        }
    }
}
