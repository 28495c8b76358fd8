//! `mercer tune`: a search for a kernel and λ, judged on rows that candidates have not seen.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, bail};
use mercer::model::metrics::Metric;
use mercer::model::tune::{Found, Search, Strength, Template, Trial, Tuning, Validation, tune};
use mercer::model::{Model, Setting, Spec, Training, fit};
use mercer::points::{Categories, Column, ColumnData};
use mercer::solve::Limits;
use serde_json::{Value, json};

use super::aligned::{self, rank};
use crate::args::{Fit, Input, Strength as Spellings, Tune};
use crate::input::{Data, budget, limits, load_weighted};
use crate::output::{Answer, check_file, columns, count, note, number, print, quote, visible};
use crate::specify::specify_several;
use crate::watch::{Counter, Onlooker, Telling, listen};
use crate::{model_file, words};

/// Candidates that are shown.
pub(super) const SHOWN: usize = 10;

pub(crate) fn run(options: &Tune) -> anyhow::Result<Answer> {
    run_and(options, |_, _| {})
}

/// The same, and hands over what was found with the name of the data.
pub(super) fn run_and(options: &Tune, mut hand: impl FnMut(&Found, &str)) -> anyhow::Result<Answer> {
    let template: Template = options.kernel.parse().context("--kernel")?;
    let telling: Telling = options.progress.parse()?;
    let choose = match options.choose.as_str() {
        "best" => Found::best,
        "simplest" => Found::simplest,
        other => bail!("--choose: give best or simplest, not '{other}'"),
    };
    if let Some(path) = &options.out {
        model_file::check(path)?;
    }
    if let Some(path) = &options.table {
        check_file(path, "a table", ["csv", "csv"])?;
    }
    let first = template.grid(2).into_iter().next().context("--kernel: no value fits")?;
    let mut data = load_weighted(&options.input, Some(&first), options.weights.as_deref())?;
    let validation = validation(options, &mut data)?;
    let (spec, chosen) = specify_several(&as_fit(options), first, data.target.as_ref(), &data.name)?;
    let usual = if options.alignment { "1" } else { "0.1..1000" };
    let strength =
        strength(options.lambda.as_deref(), options.mu.as_deref(), options.big_c.as_deref(), usual)?;
    let metric = options.metric.as_deref().map(str::parse::<Metric>).transpose().context("--metric")?;
    let base = Tuning::new(template, strength, spec.learner);
    let tolerance = base.spec.tolerance;
    let tuning = Tuning {
        spec: Spec { tolerance, ..spec.clone() },
        search: search(options)?,
        validation,
        metric,
        journal: options.journal.clone(),
        ..base
    };
    listen();
    let watch = Onlooker::new(Telling::Nothing);
    let setting =
        Setting { limits: limits(options.time_limit, None), budget: budget(options.memory), watch: &watch };
    let training = Training {
        others: &[],
        weights: data.weights.as_deref(),
        source: &data.name,
        ..Training::new(&data.table, data.target.as_ref().context("there is no target")?)
    };
    let counter = Counter::new(telling);
    if options.alignment {
        let ranked = rank(&tuning, &spec, &training, &setting, &|sofar| counter.tell(sofar))?;
        drop(counter);
        chosen.iter().for_each(|chosen| note(chosen));
        return aligned::answer(options, ranked, &training, &setting);
    }
    let found = tune(&tuning, &training, &setting, &|sofar| counter.tell(sofar))?;
    drop(counter);
    hand(&found, &data.name);
    if let Some(path) = &options.table {
        save(&found, path)?;
    }
    let winner = choose(&found);
    let model = match &options.out {
        None => None,
        Some(path) => {
            let spec = Spec { kernel: winner.kernel.clone(), regularization: winner.strength, ..spec };
            let setting = Setting { limits: Limits::default(), ..setting };
            let model = fit(&spec, &training, &setting)?;
            model_file::save(&model, path)?;
            Some((model, path))
        }
    };
    chosen.iter().for_each(|chosen| note(chosen));
    if options.json {
        print(&format!("{:#}\n", as_json(&found, model.as_ref().map(|(model, _)| model))))?;
    } else {
        print(&in_words(&tuning, &found, &data, winner, model.as_ref().map(|(m, p)| (m, p.as_path()))))?;
    }
    let mut answer = Answer::Yes;
    if found.is_cut_short {
        note("cut short: not all candidates were judged");
        answer = Answer::No;
    }
    if let Some(why) = model.as_ref().and_then(|(model, _)| words::shortfall(model)) {
        note(&format!("not certified: {why}"));
        answer = Answer::No;
    }
    Ok(answer)
}

/// The words that a search and a fit have in common.
fn as_fit(options: &Tune) -> Fit {
    Fit {
        loss: options.loss.clone(),
        solver: options.solver.clone(),
        scale: options.scale.clone(),
        weights: options.weights.clone(),
        class_weight: options.class_weight.clone(),
        multi: options.multi.clone(),
        probabilities: options.probabilities.clone(),
        memory: options.memory,
        progress: options.progress.clone(),
        json: options.json,
        ..plain(&options.input)
    }
}

/// A fit of which nothing but the data is said.
pub(super) fn plain(input: &Input) -> Fit {
    Fit {
        input: input.clone(),
        kernel: String::new(),
        loss: None,
        solver: None,
        strength: Spellings { lambda: None, big_c: None, small_c: None, mu: None, rho: None },
        nu: None,
        offset: None,
        penalty: "squared".to_owned(),
        scale: "none".to_owned(),
        weights: None,
        class_weight: None,
        multi: None,
        probabilities: None,
        tolerance: None,
        violation: None,
        epochs: None,
        step: None,
        average: false,
        keep: None,
        max_iter: None,
        time_limit: None,
        forecast: false,
        memory: None,
        progress: "auto".to_owned(),
        json: false,
        out: None,
    }
}

/// The strength under the name that is given, or so much of C.
pub(super) fn strength(
    lambda: Option<&str>,
    mu: Option<&str>,
    big_c: Option<&str>,
    usual: &str,
) -> anyhow::Result<Strength> {
    let values = |text: &str, word: &'static str| text.parse().context(word);
    Ok(match (lambda, mu) {
        (Some(text), _) => Strength::Lambda(values(text, "--lambda")?),
        (_, Some(text)) => Strength::Mu(values(text, "--mu")?),
        _ => Strength::C(values(big_c.unwrap_or(usual), "--C")?),
    })
}

fn search(options: &Tune) -> anyhow::Result<Search> {
    let (points, draws, rounds) = (options.points as usize, options.draws as usize, options.rounds as usize);
    Ok(match options.search.as_str() {
        "grid" => Search::Grid { points },
        "random" => Search::Random { draws },
        "halving" => Search::Halving { points },
        "refine" => Search::Refine { points, rounds },
        other => bail!("--search: give grid, random, halving or refine, not '{other}'"),
    })
}

/// How candidates are judged; a column of groups leaves the table.
fn validation(options: &Tune, data: &mut Data) -> anyhow::Result<Validation> {
    let k = options.folds.unwrap_or(5) as usize;
    if let Some(name) = &options.groups {
        if options.hold_out.is_some() || options.ordered.is_some() || options.loo || options.repeats > 1 {
            bail!("--groups goes with --folds, not with --hold-out, --ordered, --loo or --repeats");
        }
        let column = data.table.remove(name).with_context(|| format!("--groups {name}"))?;
        return Ok(Validation::Groups { k, groups: groups(&column)? });
    }
    Ok(match (options.hold_out, options.ordered) {
        _ if options.loo => Validation::LeaveOneOut,
        (Some(share), _) => Validation::HoldOut { share },
        (_, Some(k)) => Validation::Ordered { k: k as usize },
        _ => Validation::Folds { k, repeats: options.repeats as usize },
    })
}

fn groups(column: &Column) -> anyhow::Result<Vec<usize>> {
    let names: Categories = match &column.data {
        ColumnData::Categories(names) => names.clone(),
        ColumnData::Texts(texts) => texts.iter().collect(),
        ColumnData::Numbers(values) => values.iter().map(f64::to_string).collect(),
        other => bail!("--groups {}: it holds {}, not names or numbers", column.name, other.kind()),
    };
    Ok(names.codes().iter().map(|&code| code as usize).collect())
}

fn cells(trial: &Trial) -> Vec<String> {
    let (name, strength) = trial.strength.spelled();
    let error = trial.error().map_or_else(String::new, |error| format!("± {}", number(error)));
    vec![number(trial.mean()), error, format!("{name}={}", number(strength)), trial.kernel.to_string()]
}

fn in_words(
    tuning: &Tuning,
    found: &Found,
    data: &Data,
    winner: &Trial,
    model: Option<(&Model, &Path)>,
) -> String {
    let sign = -found.metric.sign();
    let most = found.trials.iter().map(|trial| trial.rows).max().unwrap_or(0);
    let mut ranked: Vec<&Trial> = found.trials.iter().filter(|trial| trial.rows == most).collect();
    ranked.sort_by(|a, b| (sign * a.mean()).total_cmp(&(sign * b.mean())));
    let better = if found.metric.info().larger_is_better { "larger" } else { "smaller" };
    let mut text = format!(
        "searched  {}, {} on {} of {}; {} is better\n",
        count(found.trials.len(), "candidate"),
        tuning.search,
        count(found.splits, "split"),
        visible(&data.name),
        better
    );
    let mut rows =
        vec![vec![found.metric.to_string(), String::new(), "strength".to_owned(), "kernel".to_owned()]];
    rows.extend(ranked.iter().take(SHOWN).map(|trial| cells(trial)));
    text.push_str(&columns(&rows));
    if ranked.len() > SHOWN {
        text.push_str(&format!("… and {} more (--table FILE.csv, --json)\n", ranked.len() - SHOWN));
    }
    let simplest = found.simplest();
    if simplest != found.best() {
        let (name, strength) = simplest.strength.spelled();
        text.push_str(&format!(
            "simplest  {name}={} with {} is within one standard error of the best: {}\n",
            number(strength),
            simplest.kernel,
            number(simplest.mean())
        ));
    }
    let (name, strength) = winner.strength.spelled();
    text.push_str(&format!("chosen    {name}={} with {}\n", number(strength), winner.kernel));
    match model {
        Some((model, path)) => {
            let worst = words::worst_first(model);
            let gap = worst.first().map_or(f64::NAN, |(_, found)| found.relative_gap);
            let proved = if model.certified() { "certified" } else { "not certified" };
            text.push_str(&format!(
                "saved     {}: fitted on all rows, {proved}, relative gap {}\n",
                visible(&path.display().to_string()),
                words::small(gap)
            ));
        }
        None => text.push_str("saved     no (-o MODEL fits the chosen one on all rows)\n"),
    }
    text
}

fn as_json(found: &Found, model: Option<&Model>) -> Value {
    let trial = |trial: &Trial| {
        let (name, strength) = trial.strength.spelled();
        json!({
            "kernel": trial.kernel.to_string(),
            name: strength,
            "rows": trial.rows,
            "scores": trial.scores,
            "mean": trial.mean(),
            "standard_error": trial.error(),
        })
    };
    json!({
        "metric": found.metric.to_string(),
        "larger_is_better": found.metric.info().larger_is_better,
        "splits": found.splits,
        "cut_short": found.is_cut_short,
        "best": trial(found.best()),
        "simplest": trial(found.simplest()),
        "trials": found.trials.iter().map(trial).collect::<Vec<_>>(),
        "model": model.map(words::as_json),
    })
}

/// A line for each candidate.
fn save(found: &Found, path: &Path) -> anyhow::Result<()> {
    let failed = || format!("cannot write '{}'", path.display());
    let mut file = BufWriter::new(File::create(path).with_context(failed)?);
    let splits: Vec<String> = (1..=found.splits).map(|split| format!("split_{split}")).collect();
    let mut text = format!("kernel,strength,value,rows,mean,standard_error,{}\n", splits.join(","));
    for trial in &found.trials {
        let (name, strength) = trial.strength.spelled();
        let scores: Vec<String> = trial.scores.iter().map(f64::to_string).collect();
        let error = trial.error().map_or_else(String::new, |error| error.to_string());
        text.push_str(&format!(
            "{},{name},{strength},{},{},{error},{}\n",
            quote(&trial.kernel.to_string()),
            trial.rows,
            trial.mean(),
            scores.join(",")
        ));
    }
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).with_context(failed)
}
