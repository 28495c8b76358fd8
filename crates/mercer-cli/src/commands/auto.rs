//! `mercer auto`: from a table and the name of its target to a certified model, judged on rows that it has not seen.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use mercer::model::auto::{Auto, Report, Stage, auto};
use mercer::model::metrics::{Interval, Metric};
use mercer::model::tune::Trial;
use mercer::model::{ClassWeights, Setting, Task, Training};
use mercer::points::{ColumnData, Points, Table};
use mercer::solve::Limits;
use mercer::view::Theme;
use serde_json::{Value, json};

use crate::args::{Auto as Options, Input};
use crate::input::{Data, budget, load, load_weighted};
use crate::output::{Answer, columns, count, note, number, paragraphs, print, visible};
use crate::specify::class_weights;
use crate::watch::{Onlooker, Telling, listen};
use crate::{model_file, words};

pub(crate) fn run(options: &Options) -> anyhow::Result<Answer> {
    let telling: Telling = options.progress.parse()?;
    if let Some(path) = &options.out {
        model_file::check(path)?;
        super::report::check(&beside(path))?;
    }
    let ask = Auto {
        task: options.task.as_deref().map(task).transpose()?,
        hold_out: options.hold_out,
        time: Duration::from_secs_f64(options.time_limit.min(1e9)),
        metric: options.metric.as_deref().map(str::parse::<Metric>).transpose().context("--metric")?,
        class_weights: options.class_weight.as_deref().map_or(Ok(ClassWeights::Equal), class_weights)?,
        refit: options.refit,
        seed: options.input.seed,
    };
    let data = load_weighted(&options.input, None, options.weights.as_deref())?;
    let Some(target) = data.target.as_ref() else {
        let names: Vec<&str> = data.table.columns().iter().map(|column| column.name.as_str()).collect();
        let more = if names.len() > 8 { ", …" } else { "" };
        bail!(
            "{}: name the column to predict (--target COLUMN); there are {}{more}",
            data.name,
            names[..names.len().min(8)].join(", ")
        );
    };
    let test = options.test.as_ref().map(|path| test(options, path, &target.name)).transpose()?;
    listen();
    let watch = Onlooker::new(Telling::Nothing);
    let setting = Setting { limits: Limits::default(), budget: budget(options.memory), watch: &watch };
    let training = Training {
        weights: data.weights.as_deref(),
        source: &data.name,
        ..Training::new(&data.table, target)
    };
    let line = (telling == Telling::Auto && std::io::stderr().is_terminal()).then(line);
    let tell = |stage: Stage| {
        if let Some(line) = &line {
            line.set_message(said(&stage));
        }
    };
    let test = test
        .as_ref()
        .map(|data| {
            data.target.as_ref().map(|target| (&data.table, target)).context("--test: there is no target")
        })
        .transpose()?;
    let report = auto(&ask, &training, test, &setting, &tell);
    if let Some(line) = &line {
        line.finish_and_clear();
    }
    let report = report?;
    let page = match &options.out {
        Some(path) => {
            model_file::save(&report.model, path)?;
            // The model is saved, and what was found is told, whatever becomes of the page.
            page(&report, &data, path, options)
                .inspect_err(|error| note(&format!("no report: {error:#}")))
                .ok()
        }
        None => None,
    };
    if options.json {
        let mut answer = as_json(&report, &data);
        answer["report"] = json!(page.as_ref().map(|path| path.display().to_string()));
        print(&format!("{answer:#}\n"))?;
    } else {
        print(&in_words(&report, &data, options, page.as_deref()))?;
    }
    Ok(if report.model.certified() { Answer::Yes } else { Answer::No })
}

fn task(word: &str) -> anyhow::Result<Task> {
    match word {
        "classes" | "classification" => Ok(Task::Classes),
        "numbers" | "regression" => Ok(Task::Numbers),
        _ => bail!("--task: give classes or numbers, not '{word}'"),
    }
}

/// The rows of another file, read as the first one was.
fn test(options: &Options, path: &str, target: &str) -> anyhow::Result<Data> {
    let input = Input {
        source: path.to_owned(),
        target: Some(target.to_owned()),
        sample: None,
        ..options.input.clone()
    };
    load(&input, None).context("--test")
}

fn line() -> ProgressBar {
    let style =
        ProgressStyle::with_template("{spinner} {elapsed} {msg}").expect("the template is a constant");
    let line = ProgressBar::new_spinner().with_style(style);
    line.enable_steady_tick(Duration::from_millis(120));
    line
}

fn said(stage: &Stage) -> String {
    match stage {
        Stage::Trying { kernels, rows, sofar } => {
            format!("trying {kernels} on {}: {} of {} fits", count(*rows, "row"), sofar.done, sofar.all)
        }
        Stage::Fitting { rows } => format!("fitting {}", count(*rows, "row")),
    }
}

/// What a table holds, in a phrase.
fn holds(table: &Table) -> String {
    let mut parts = Vec::new();
    let of = |is: fn(&ColumnData) -> bool| table.columns().iter().filter(|column| is(&column.data)).count();
    let mut add = |found: usize, what: &str| {
        if found > 0 {
            parts.push(format!("{} of {what}", count(found, "column")));
        }
    };
    add(of(|data| matches!(data, ColumnData::Numbers(_))), "numbers");
    add(of(|data| matches!(data, ColumnData::Categories(_))), "names");
    add(of(|data| matches!(data, ColumnData::Texts(_))), "texts");
    for column in table.columns() {
        match &column.data {
            ColumnData::Dense(points, _) => parts.push(format!("vectors of {} numbers", points.dim())),
            ColumnData::Single(points, _) => parts.push(format!("vectors of {} numbers", points.dim())),
            ColumnData::Sparse(points) => {
                parts.push(format!("sparse vectors of {} coordinates", points.dim()))
            }
            _ => {}
        }
    }
    parts.join(", ")
}

/// Four digits: scores of folds have no more.
fn short(value: f64) -> String {
    number(format!("{value:.3e}").parse().unwrap_or(value))
}

fn spelled(trial: &Trial) -> String {
    let (name, strength) = trial.strength.spelled();
    format!("{} with {name}={}", trial.kernel, short(strength))
}

fn with_interval(found: &Interval) -> String {
    format!("{} ({} to {})", short(found.value), short(found.low), short(found.high))
}

/// Why the kernel is the one that it is.
fn why(report: &Report) -> String {
    let (lead, error) = report.lead;
    if report.chosen == report.usual {
        "the usual kernel: nothing was better by more than chance explains".to_owned()
    } else {
        format!("{} ± {} better than the usual {}", short(lead), short(error), spelled(&report.usual))
    }
}

fn scores(report: &Report) -> String {
    let each = report.scores.iter().map(|(metric, found)| format!("{metric} {}", with_interval(found)));
    format!("{}; in brackets 95 % intervals", each.collect::<Vec<_>>().join(", "))
}

fn naive(report: &Report) -> String {
    format!("the same answer for every row: {} {}", report.metric, short(report.naive))
}

/// Where the page about a model goes.
fn beside(model: &Path) -> PathBuf {
    let page = model.with_extension("html");
    if page == model { model.with_extension("report.html") } else { page }
}

/// Writes the page about the model beside it; where that is.
fn page(report: &Report, data: &Data, model: &Path, options: &Options) -> anyhow::Result<PathBuf> {
    let path = beside(model);
    let mut terms = vec![
        ("chosen", format!("{}; {}", spelled(&report.chosen), why(report))),
        ("tried", format!("{} on folds of the training rows", count(report.tried(), "candidate"))),
        ("score", scores(report)),
        ("naive", naive(report)),
    ];
    if options.test.is_none() {
        let held_out = count(report.held_out.len(), "row");
        terms.push((
            "judged by",
            format!("{held_out} that nothing was learned from; then fitted as told below"),
        ));
    }
    terms.extend(
        report.left_out.iter().map(|left| ("left out", format!("'{}': it {}", left.column, left.why))),
    );
    terms.extend(report.worries.iter().map(|worry| ("look at", worry.to_string())));
    let terms: Vec<(String, String)> =
        terms.into_iter().map(|(word, said)| (word.to_owned(), said)).collect();
    super::report::write(&path, &report.model, data, (Some(model), Theme::Light), &terms)?;
    Ok(path)
}

fn in_words(report: &Report, data: &Data, options: &Options, page: Option<&Path>) -> String {
    let target = data.target.as_ref().map_or("", |column| column.name.as_str());
    let mut rows: Vec<(&str, String)> = Vec::new();
    rows.push((
        "read    ",
        format!("{} of {}: {}", count(data.table.len(), "row"), visible(&data.name), holds(&data.table)),
    ));
    let what = if report.task == Task::Classes { "classes" } else { "numbers" };
    rows.push(match &report.why {
        Some(why) => {
            ("task    ", format!("{what}: '{}' holds {why} (--task says otherwise)", visible(target)))
        }
        None => ("task    ", what.to_owned()),
    });
    for left in &report.left_out {
        rows.push(("left out", format!("'{}': it {}", visible(&left.column), left.why)));
    }
    let judged = match &options.test {
        Some(path) => format!("the rows of {}", visible(path)),
        None => format!("{} that nothing was learned from", count(report.held_out.len(), "row")),
    };
    rows.push(("test    ", judged));
    let mut text = paragraphs(&rows);
    text.push_str(&format!(
        "tried     {} on folds of the training rows; {} is better\n",
        count(report.tried(), "candidate"),
        if report.metric.info().larger_is_better { "larger" } else { "smaller" },
    ));
    let mut table =
        vec![vec![format!("  {}", report.metric), String::new(), "rows".to_owned(), "best".to_owned()]];
    for contest in &report.contests {
        let best = contest.found.best();
        let error = best.error().map_or_else(String::new, |error| format!("± {}", short(error)));
        table.push(vec![format!("  {}", short(best.mean())), error, contest.rows.to_string(), spelled(best)]);
    }
    text.push_str(&columns(&table));
    let mut rows: Vec<(&str, String)> = Vec::new();
    for (kernels, why) in &report.failed {
        rows.push(("skipped ", format!("{kernels}: {why}")));
    }
    rows.push(("chosen  ", format!("{}; {}", spelled(&report.chosen), why(report))));
    rows.push(("score   ", scores(report)));
    rows.push(("naive   ", naive(report)));
    rows.push(("model   ", words::problem(&report.model)));
    let worst = words::worst_first(&report.model);
    let gap = worst.first().map_or(f64::NAN, |(_, found)| found.relative_gap);
    rows.push(match words::shortfall(&report.model) {
        None => ("proof   ", format!("certified: relative gap {}", words::small(gap))),
        Some(why) => ("proof   ", format!("not certified: {why}")),
    });
    rows.extend(report.worries.iter().map(|worry| ("look at ", worry.to_string())));
    let fitted = if report.fitted_on == report.trained_on {
        format!("fitted on {}", count(report.fitted_on, "row"))
    } else {
        format!("fitted again on all {}", count(report.fitted_on, "row"))
    };
    let support = count(report.model.parts().rows.len(), "support point");
    let saved = match &options.out {
        Some(path) => visible(&path.display().to_string()),
        None => "no (-o MODEL)".to_owned(),
    };
    rows.push(("saved   ", format!("{saved}: {fitted}, {support}")));
    rows.extend(page.map(|path| ("report  ", visible(&path.display().to_string()))));
    text.push_str(&paragraphs(&rows));
    text
}

fn as_json(report: &Report, data: &Data) -> Value {
    let trial = |trial: &Trial| {
        let (name, strength) = trial.strength.spelled();
        json!({ "kernel": trial.kernel.to_string(), name: strength, "mean": trial.mean(), "scores": trial.scores })
    };
    let interval = |(metric, found): &(Metric, Interval)| json!({ "metric": metric.to_string(), "value": found.value, "low": found.low, "high": found.high, "level": found.level });
    let contests = report.contests.iter().map(|contest| {
        json!({
            "kernels": contest.kernels,
            "rows": contest.rows,
            "candidates": contest.found.trials.len(),
            "best": trial(contest.found.best()),
            "seconds": contest.seconds,
        })
    });
    json!({
        "task": if report.task == Task::Classes { "classes" } else { "numbers" },
        "why": report.why,
        "left_out": report.left_out.iter().map(|left| json!({ "column": left.column, "why": left.why })).collect::<Vec<_>>(),
        "held_out": report.held_out.iter().map(|&row| data.number(row)).collect::<Vec<_>>(),
        "contests": contests.collect::<Vec<_>>(),
        "failed": report.failed,
        "usual": trial(&report.usual),
        "chosen": trial(&report.chosen),
        "lead": { "mean": report.lead.0, "standard_error": report.lead.1 },
        "scores": report.scores.iter().map(interval).collect::<Vec<_>>(),
        "naive": report.naive,
        "worries": report.worries.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "trained_on": report.trained_on,
        "fitted_on": report.fitted_on,
        "seconds": report.seconds,
        "model": words::as_json(&report.model),
    })
}
