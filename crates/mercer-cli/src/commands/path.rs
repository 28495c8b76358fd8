//! `mercer path`: one machine as its penalty grows weaker.

use std::fs::File;
use std::io::{BufWriter, Write};

use anyhow::Context;
use mercer::model::metrics::Metric;
use mercer::model::tune::{RegularizationPath, Validation, Waypoint, path};
use mercer::model::{Setting, Spec, Training};
use serde_json::{Value, json};

use super::tune::{plain, strength};
use crate::args::{Fit, Path};
use crate::input::{budget, kernel, limits, load_weighted};
use crate::output::{Answer, check_file, columns, count, note, number, print, visible};
use crate::specify::specify_several;
use crate::watch::{Counter, Onlooker, Telling, listen};
use crate::words;

pub(crate) fn run(options: &Path) -> anyhow::Result<Answer> {
    run_and(options, |_, _| {})
}

/// The same, and hands over what was found with the name of the data.
pub(super) fn run_and(
    options: &Path,
    mut hand: impl FnMut(&RegularizationPath, &str),
) -> anyhow::Result<Answer> {
    let kernel = kernel(&options.kernel)?;
    let telling: Telling = options.progress.parse()?;
    if let Some(path) = &options.table {
        check_file(path, "a table", ["csv", "csv"])?;
    }
    let data = load_weighted(&options.input, Some(&kernel), options.weights.as_deref())?;
    let (spec, chosen) = specify_several(&as_fit(options), kernel, data.target.as_ref(), &data.name)?;
    let (lambda, mu, c) = (options.lambda.as_deref(), options.mu.as_deref(), options.big_c.as_deref());
    let strengths = strength(lambda, mu, c, "0.01..1000")?.grid(options.points as usize)?;
    let metric = options.metric.as_deref().map(str::parse::<Metric>).transpose().context("--metric")?;
    let validation = match (options.hold_out, options.folds) {
        _ if options.loo => Some(Validation::LeaveOneOut),
        (Some(share), _) => Some(Validation::HoldOut { share }),
        (_, Some(k)) => Some(Validation::Folds { k: k as usize, repeats: 1 }),
        _ => None,
    };
    listen();
    let watch = Onlooker::new(Telling::Nothing);
    let limits = limits(options.time_limit, None);
    let setting = Setting { limits, budget: budget(options.memory), watch: &watch };
    let training = Training {
        weights: data.weights.as_deref(),
        source: &data.name,
        ..Training::new(&data.table, data.target.as_ref().context("there is no target")?)
    };
    let counter = Counter::new(telling);
    let tell = |sofar| counter.tell(sofar);
    let found = path(&spec, &strengths, metric, validation.as_ref(), &training, &setting, &tell)?;
    drop(counter);
    hand(&found, &data.name);
    if let Some(path) = &options.table {
        save(&found, path)?;
    }
    chosen.iter().for_each(|chosen| note(chosen));
    if options.json {
        print(&format!("{:#}\n", as_json(&found)))?;
    } else {
        print(&in_words(&spec, &found, &data.name))?;
    }
    let mut answer = Answer::Yes;
    if found.is_cut_short {
        note("cut short: there was no time for the whole path");
        answer = Answer::No;
    }
    let loose = found.points.iter().filter(|point| !point.is_certified).count();
    if loose > 0 {
        note(&format!("not certified: {} of the path", count(loose, "machine")));
        answer = Answer::No;
    }
    Ok(answer)
}

/// The words that a path and a fit have in common.
fn as_fit(options: &Path) -> Fit {
    Fit {
        loss: options.loss.clone(),
        solver: options.solver.clone(),
        scale: options.scale.clone(),
        class_weight: options.class_weight.clone(),
        tolerance: options.tolerance,
        ..plain(&options.input)
    }
}

fn in_words(spec: &Spec, found: &RegularizationPath, name: &str) -> String {
    let better = if found.metric.info().larger_is_better { "larger" } else { "smaller" };
    let held_out = if found.splits > 0 {
        format!("held out on {}", count(found.splits, "split"))
    } else {
        "nothing held out".to_owned()
    };
    let mut text = format!(
        "path      {} of {} with {} on {}; {held_out}; {better} {} is better\n",
        count(found.points.len(), "machine"),
        spec.learner,
        spec.kernel,
        visible(name),
        found.metric
    );
    let strength = found.points.first().map_or("strength", |point| point.strength.spelled().0);
    let metric = found.metric.to_string();
    let mut rows = vec![vec![
        strength.to_owned(),
        "objective".to_owned(),
        "support".to_owned(),
        "gap".to_owned(),
        metric.clone(),
    ]];
    rows[0].extend((found.splits > 0).then_some("held out".to_owned()));
    rows.extend(found.points.iter().map(cells));
    text.push_str(&columns(&rows));
    if let Some(best) = found.best() {
        let (name, value) = best.strength.spelled();
        let mean = best.held_out_mean().unwrap_or(f64::NAN);
        text.push_str(&format!("best      {name}={}: {metric} {} held out\n", number(value), number(mean)));
    }
    text
}

fn cells(point: &Waypoint) -> Vec<String> {
    let mut row = vec![
        number(point.strength.spelled().1),
        number(point.objective),
        point.support.to_string(),
        words::small(point.gap),
        number(point.training),
    ];
    row.extend(point.held_out_mean().map(number));
    row
}

fn as_json(found: &RegularizationPath) -> Value {
    let point = |point: &Waypoint| {
        let (name, strength) = point.strength.spelled();
        json!({
            name: strength,
            "objective": point.objective,
            "support_vectors": point.support,
            "relative_gap": point.gap,
            "certified": point.is_certified,
            "training": point.training,
            "held_out": point.held_out_mean(),
            "scores": point.held_out,
        })
    };
    json!({
        "metric": found.metric.to_string(),
        "larger_is_better": found.metric.info().larger_is_better,
        "splits": found.splits,
        "cut_short": found.is_cut_short,
        "best": found.best().map(point),
        "points": found.points.iter().map(point).collect::<Vec<_>>(),
    })
}

/// A line for each strength.
fn save(found: &RegularizationPath, path: &std::path::Path) -> anyhow::Result<()> {
    let failed = || format!("cannot write '{}'", path.display());
    let mut file = BufWriter::new(File::create(path).with_context(failed)?);
    let mut text = "strength,value,objective,support_vectors,relative_gap,training,held_out\n".to_owned();
    for point in &found.points {
        let (name, strength) = point.strength.spelled();
        let held_out = point.held_out_mean().map_or_else(String::new, |mean| mean.to_string());
        text.push_str(&format!(
            "{name},{strength},{},{},{},{},{held_out}\n",
            point.objective, point.support, point.gap, point.training
        ));
    }
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).with_context(failed)
}
