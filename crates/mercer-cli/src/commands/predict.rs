//! `mercer predict`: what a model says of rows, and the training rows that make it say so.

use std::io::{self, Write};

use anyhow::bail;
use mercer::model::metrics::{Answers as Judged, Metric};
use mercer::model::{Explanation, Model, Outcome, Prediction, Task};
use mercer::points::{Column, Points};
use serde_json::{Value, json};

use crate::args::Predict;
use crate::input::{Data, load_for};
use crate::labels::{codes, misses, rmse};
use crate::output::{Answer, check_place, count, note, number, quote, to_file, to_stdout};
use crate::{model_file, words};

pub(crate) fn run(options: &Predict) -> anyhow::Result<Answer> {
    if let Some(path) = &options.out {
        check_place(path)?;
    }
    let model = model_file::load(&options.model)?;
    let data = load_for(&model, &options.input)?;
    let answer = if let Some(terms) = options.explain {
        if options.slack || options.scores {
            bail!("--explain has its own columns; leave --scores and --slack out");
        }
        explained(&model, &data, usize::try_from(terms).unwrap_or(usize::MAX))?
    } else {
        predicted(&model, &data, options)?
    };
    let write = |writer: &mut dyn Write| {
        if options.json { answer.write_json(writer) } else { answer.write_csv(writer) }
    };
    match &options.out {
        Some(path) => to_file(path, write)?,
        None => to_stdout(write)?,
    }
    Ok(Answer::Yes)
}

/// A table of answers, whatever they are.
struct Answers {
    header: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Answers {
    fn write_csv(&self, writer: &mut dyn Write) -> io::Result<()> {
        let header: Vec<String> = self.header.iter().map(|name| quote(name)).collect();
        writeln!(writer, "{}", header.join(","))?;
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(cell).collect();
            writeln!(writer, "{}", cells.join(","))?;
        }
        Ok(())
    }

    fn write_json(&self, writer: &mut dyn Write) -> io::Result<()> {
        let object = |row: &Vec<Value>| -> Value {
            self.header.iter().cloned().zip(row.iter().cloned()).collect::<serde_json::Map<_, _>>().into()
        };
        writeln!(writer, "{:#}", Value::Array(self.rows.iter().map(object).collect()))
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => quote(text),
        Value::Number(number) => number.as_f64().filter(|_| number.is_f64()).map_or_else(
            || number.to_string(),
            // In the fewest digits that read back the same.
            |float| float.to_string(),
        ),
        other => other.to_string(),
    }
}

fn predicted(model: &Model, data: &Data, options: &Predict) -> anyhow::Result<Answers> {
    let target = data.target.as_ref();
    if options.slack && target.is_none() {
        let name = model.schema().target.as_deref().unwrap_or("label");
        bail!(
            "--slack: {} has no target column '{name}', and slack is measured against it (--target)",
            data.name
        );
    }
    let prediction = model.predict(&data.table)?;
    let slack = match target.filter(|_| options.slack) {
        Some(target) => Some(prediction.slack(model, target)?),
        None => None,
    };
    let mut header = vec!["row".to_owned()];
    header.extend(answer_names(model));
    if options.scores {
        header.extend(score_names(model));
    }
    let probabilities = if model.has_probabilities() { Some(prediction.probabilities(model)?) } else { None };
    let classes = model.classes();
    if probabilities.is_some() {
        header.extend(classes.iter().map(|class| format!("probability {class}")));
    }
    header.extend(slack.as_ref().map(|_| "slack".to_owned()));
    let rows = (0..data.table.len()).map(|row| {
        let mut cells = vec![json!(data.number(row))];
        cells.extend(answers(model, &prediction, row));
        if options.scores {
            cells.extend((0..prediction.machines).map(|machine| json!(prediction.score(row, machine))));
        }
        if let Some(found) = &probabilities {
            cells.extend(found[row * classes.len()..(row + 1) * classes.len()].iter().map(|p| json!(p)));
        }
        cells.extend(slack.as_ref().map(|slack| json!(slack[row])));
        cells
    });
    let answers = Answers { header, rows: rows.collect() };
    judge(model, data, &prediction);
    if let (Some(found), Some(target)) = (&probabilities, target) {
        judge_probabilities(classes, found, target);
    }
    Ok(answers)
}

/// One answer a row, or one for each target.
fn answer_names(model: &Model) -> Vec<String> {
    let only = match model.task() {
        Task::Classes => "label",
        Task::Novelty => "inside",
        Task::Numbers if model.machines().len() == 1 => "value",
        Task::Numbers => {
            let names = model.machines().iter().map(|machine| words::name(model, machine));
            return names.map(|name| format!("value {name}")).collect();
        }
    };
    vec![only.to_owned()]
}

fn score_names(model: &Model) -> Vec<String> {
    let name = |machine| match words::name(model, machine) {
        pair if pair.is_empty() => "score".to_owned(),
        pair => format!("score {pair}"),
    };
    model.machines().iter().map(name).collect()
}

fn answers(model: &Model, prediction: &Prediction, row: usize) -> Vec<Value> {
    match &prediction.outcome {
        Outcome::Classes(found) => vec![json!(model.classes()[found[row]])],
        Outcome::Numbers(found) => {
            let targets = prediction.machines;
            found[row * targets..(row + 1) * targets].iter().map(|value| json!(value)).collect()
        }
        Outcome::Inside(found) => vec![json!(if found[row] { "yes" } else { "no" })],
    }
}

/// How right it is, on stderr, where the truth is there.
fn judge(model: &Model, data: &Data, prediction: &Prediction) {
    let Some(target) = &data.target else { return };
    match &prediction.outcome {
        Outcome::Classes(found) => {
            let right = found.len() - misses(found, model.classes(), target);
            let share = number(right as f64 / found.len().max(1) as f64);
            note(&format!("accuracy {share}: {right} of {} right", count(found.len(), "row")));
        }
        Outcome::Numbers(_) => {
            // Of several targets the first is the one that was taken out of the table.
            let found: Vec<f64> = (0..prediction.len()).map(|row| prediction.score(row, 0)).collect();
            let error = rmse(&found, target);
            let of = if prediction.machines > 1 { format!(" of {}", target.name) } else { String::new() };
            if error.is_finite() {
                let rows = count(found.len(), "row");
                note(&format!("root mean square error{of} {} on {rows}", number(error)));
            }
        }
        Outcome::Inside(_) => {}
    }
}

/// What the probabilities are worth, on stderr; nothing where the truth has other classes.
fn judge_probabilities(classes: &[String], found: &[f64], target: &Column) {
    let Some(codes) = codes(classes, target) else { return };
    let answers = Judged { probabilities: Some(found), ..Judged::of_classes(&codes, classes.len()) };
    let said = |metric: Metric| Some(format!("{} {}", metric.info().name, number(metric.of(&answers).ok()?)));
    let all = [Metric::LogLoss, Metric::Brier, Metric::Calibration { bins: 10 }].map(said);
    if let Some(all) = all.into_iter().collect::<Option<Vec<_>>>() {
        note(&format!("probabilities: {}", all.join(", ")));
    }
}

/// A line for each term; the lines of a row add up to its score.
fn explained(model: &Model, data: &Data, terms: usize) -> anyhow::Result<Answers> {
    if let [first, _, ..] = model.machines() {
        note(&format!(
            "explained: the first of {} machines, {}",
            model.machines().len(),
            words::name(model, first)
        ));
    }
    let explanations = model.explain(&data.table, terms)?;
    let header =
        ["row", "score", "training row", "alpha", "kernel", "contribution"].map(str::to_owned).to_vec();
    let rows = explanations.iter().enumerate().flat_map(|(row, found)| lines(data.number(row), found));
    Ok(Answers { header, rows: rows.collect() })
}

fn lines(row: usize, found: &Explanation) -> Vec<Vec<Value>> {
    let line = |of: Value, alpha: Value, kernel: Value, contribution: f64| {
        vec![json!(row), json!(found.score), of, alpha, kernel, json!(contribution)]
    };
    let term = |term: &mercer::model::Term| {
        // A model from another program does not know its training rows; its support points are numbered then.
        let of = term.row.map_or_else(|| json!(format!("support {}", term.support + 1)), |at| json!(at + 1));
        line(of, json!(term.alpha), json!(term.kernel), term.contribution)
    };
    let mut lines: Vec<Vec<Value>> = found.terms.iter().map(term).collect();
    lines.push(line(json!("all others"), Value::Null, Value::Null, found.rest));
    lines.push(line(json!("offset"), Value::Null, Value::Null, found.bias));
    lines
}
