//! `mercer fit`: a machine from data, certified, reported and saved.

use anyhow::bail;
use mercer::kernel::Registry;
use mercer::model::{Calibration, Curve, Kind, Model, Spec};
use mercer::model::{ModelError, Outcome, Setting, Training, fit, forecast};
use mercer::points::Points;
use mercer::solve::{Claim, CommonPoint, SolveError, Status};
use serde_json::{Value, json};

use super::forecast as foreseen;
use crate::args::Fit;
use crate::input::{Data, budget, kernel, limits, load_weighted};
use crate::labels::{misses, rmse};
use crate::output::{Answer, count, note, number, print, visible};
use crate::specify::specify;
use crate::watch::{Onlooker, listen};
use crate::{model_file, words};

pub(crate) fn run(options: &Fit) -> anyhow::Result<Answer> {
    let expr = kernel(&options.kernel)?;
    let onlooker = Onlooker::new(options.progress.parse()?);
    if let Some(path) = &options.out {
        model_file::check(path)?;
        if options.probabilities.is_some() && model_file::is_libsvm(path) {
            bail!("--probabilities: they are not written to LIBSVM's files; give another ending than .model");
        }
    }
    let data = load_weighted(&options.input, Some(&expr), options.weights.as_deref())?;
    let (spec, chosen) = specify(options, expr, data.target.as_ref(), &data.name)?;
    let registry = Registry::new();
    let training = training(&spec, &data, &registry);
    let limits = limits(options.time_limit, options.max_iter);
    let setting = Setting { limits, budget: budget(options.memory), watch: &onlooker };
    if options.forecast {
        let expected = forecast(&spec, &training, &setting)?;
        chosen.iter().for_each(|chosen| note(chosen));
        return foreseen::answer(&expected, &spec, &data, options.json);
    }
    // From here on a signal ends the work with what there is; a second one ends it at once.
    listen();
    if onlooker.is_seen() && data.table.len() >= foreseen::MANY {
        foreseen::warn(&forecast(&spec, &training, &setting)?, &spec)?;
    }
    let fitted = fit(&spec, &training, &setting);
    onlooker.finish();
    let model = match fitted {
        Ok(model) => model,
        Err(ModelError::Solve(SolveError::OverBudget { .. })) => {
            bail!("{}", foreseen::refusal(&forecast(&spec, &training, &setting)?, &spec));
        }
        Err(ModelError::Solve(SolveError::NotSeparable(evidence))) => {
            return not_separable(&evidence, &data, options.json);
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(path) = &options.out {
        model_file::save(&model, path)?;
    }
    // Said only now: an error is one line.
    chosen.iter().for_each(|chosen| note(chosen));
    if spec.probabilities.is_some() && model.curves().is_empty() {
        note("no probabilities: the fit was stopped before they could be fitted");
    }
    let error = training_error(&model, &data)?;
    let saved = options.out.as_ref().map(|path| visible(&path.display().to_string()));
    if options.json {
        let mut answer = words::as_json(&model);
        answer["training"] = error.json();
        answer["saved"] = json!(saved);
        print(&format!("{answer:#}\n"))?;
    } else {
        print(&in_words(&model, &data, &error, saved.as_deref()))?;
    }
    Ok(match words::shortfall(&model) {
        None => Answer::Yes,
        Some(why) => {
            note(&format!("not certified: {why}"));
            Answer::No
        }
    })
}

fn training<'a>(spec: &Spec, data: &'a Data, registry: &'a Registry) -> Training<'a> {
    let needs_target = spec.learner.info().kind != Kind::Nothing;
    Training {
        table: &data.table,
        target: data.target.as_ref().filter(|_| needs_target),
        others: &[],
        weights: data.weights.as_deref(),
        registry,
        source: &data.name,
    }
}

/// How wrong a model is on its training rows, in the terms of its task.
enum TrainingError {
    /// Several machines were stopped: to apply them all would take longer than the user wants to wait.
    Unknown,
    Misclassified(usize, usize),
    Rmse(f64),
    Outside(usize, usize),
}

impl TrainingError {
    fn in_words(&self) -> String {
        let share =
            |part: usize, all: usize| number((1000.0 * part as f64 / all.max(1) as f64).round() / 10.0);
        match *self {
            Self::Unknown => "not worked out, since the fit was stopped".to_owned(),
            Self::Misclassified(wrong, all) => {
                format!("{wrong} of {} misclassified ({} %)", count(all, "row"), share(wrong, all))
            }
            Self::Rmse(error) => format!("root mean square error {}", number(error)),
            Self::Outside(out, all) => {
                format!("{out} of {} outside ({} %)", count(all, "row"), share(out, all))
            }
        }
    }

    fn json(&self) -> Value {
        match *self {
            Self::Unknown => Value::Null,
            Self::Misclassified(wrong, all) => json!({ "misclassified": wrong, "rows": all }),
            Self::Rmse(error) => json!({ "rmse": error }),
            Self::Outside(out, all) => json!({ "outside": out, "rows": all }),
        }
    }
}

/// By prediction; for a machine that was stopped by the scores of its certificate, which are there already.
fn training_error(model: &Model, data: &Data) -> anyhow::Result<TrainingError> {
    let n = data.table.len();
    let outcome = match stopped_scores(model, n) {
        Some(scores) => outcome_of(model, scores),
        None if model.machines().iter().any(|machine| is_cut_short(machine.status)) => {
            return Ok(TrainingError::Unknown);
        }
        None => model.answers(&data.table)?,
    };
    Ok(match (&outcome, &data.target) {
        (Outcome::Classes(found), Some(target)) => {
            TrainingError::Misclassified(misses(found, model.classes(), target), n)
        }
        (Outcome::Numbers(found), Some(target)) => TrainingError::Rmse(rmse(found, target)),
        (Outcome::Inside(inside), _) => {
            TrainingError::Outside(inside.iter().filter(|inside| !**inside).count(), n)
        }
        (_, None) => bail!("a model of {} without a target", words::task(model)),
    })
}

fn is_cut_short(status: Status) -> bool {
    matches!(status, Status::Stopped | Status::TimeLimit)
}

fn stopped_scores(model: &Model, rows: usize) -> Option<Vec<f64>> {
    let [machine] = model.machines() else { return None };
    let certificate = machine.certificate.as_ref().filter(|_| is_cut_short(machine.status))?;
    (certificate.rows.len() == rows).then(|| certificate.rows.iter().map(|row| row.score).collect())
}

fn outcome_of(model: &Model, scores: Vec<f64>) -> Outcome {
    match model.task() {
        mercer::model::Task::Classes => {
            Outcome::Classes(scores.iter().map(|&score| usize::from(score > 0.0)).collect())
        }
        mercer::model::Task::Numbers => Outcome::Numbers(scores),
        mercer::model::Task::Novelty => Outcome::Inside(scores.iter().map(|&score| score > 0.0).collect()),
    }
}

fn in_words(model: &Model, data: &Data, error: &TrainingError, saved: Option<&str>) -> String {
    let from = model.provenance();
    let mut lines: Vec<(&str, String)> = vec![("problem", words::problem(model))];
    let sampled =
        if from.rows < data.total { format!(" (a sample of {})", data.total) } else { String::new() };
    lines.push(("rows", format!("{}{sampled} of {}", from.rows, data.name)));
    if model.machines().len() > 1 {
        let (classes, machines) = (model.classes().len(), model.machines().len());
        lines.push(if model.is_softmax() {
            (
                "softmax",
                format!("{classes} classes in one problem, with one certificate and with probabilities"),
            )
        } else {
            ("machines", format!("{machines} for {classes} classes; the worst one:"))
        });
    }
    if let Some((machine, found)) = words::worst_first(model).first() {
        // Only where something is minimised do coefficients have bounds.
        let bound = match found.claim {
            Claim::Optimal => format!(": {} free, {} at the bound", found.free(), found.bound),
            Claim::Separates { .. } => String::new(),
        };
        let all = model.support();
        let all = if all == found.support { String::new() } else { format!(" ({all} in all machines)") };
        lines.push(("support", format!("{}{bound}{all}", count(found.support, "row"))));
        match found.claim {
            Claim::Separates { mistakes, margin } => {
                let said = format!("{} on the wrong side; margin {}", count(mistakes, "row"), number(margin));
                lines.push(("separates", said));
            }
            Claim::Optimal => {
                lines.push(("objective", precise(found.primal)));
                lines.push(("dual", precise(found.dual)));
                lines.push((
                    "gap",
                    format!("{}, relative {}", words::small(found.gap), words::small(found.relative_gap)),
                ));
                lines.push(("violation", words::small(found.violation)));
            }
        }
        if model.spec().learner == mercer::model::Learner::HardMargin && found.primal > 0.0 {
            lines.push(("margin", format!("{} (1/|f|)", number(1.0 / (2.0 * found.primal).sqrt()))));
        }
        lines.push(("mercer", words::convexity(&found.convexity)));
        lines.push(("ended", format!("{}; {}", words::ending(machine.status), iterations(model))));
    }
    let fitted = "probabilities, fitted to scores of rows that were left out (5 folds)".to_owned();
    match model.curves().first().map(Curve::kind) {
        Some(Calibration::Platt) => lines.push(("platt", fitted)),
        Some(Calibration::Isotonic) => lines.push(("isotonic", fitted)),
        None => {}
    }
    lines.push(("time", format!("{:.3} s, {} kernel entries", from.seconds, from.entries)));
    lines.push(("training", error.in_words()));
    lines.push(("saved", saved.map_or_else(|| "no (-o MODEL)".to_owned(), str::to_owned)));
    lines.push(("certified", if model.certified() { certified(model) } else { "no".to_owned() }));
    lines.iter().map(|(key, said)| format!("{key:9} {}\n", visible(said))).collect()
}

fn iterations(model: &Model) -> String {
    let some = if model.is_softmax() { 1 } else { model.machines().len() };
    let all: u64 = model.machines().iter().take(some).map(|machine| machine.iterations).sum();
    count(usize::try_from(all).unwrap_or(usize::MAX), "iteration")
}

/// Enough digits to see two objectives differ.
fn precise(value: f64) -> String {
    if value == 0.0 || (1e-3..1e7).contains(&value.abs()) {
        format!("{value:.10}")
    } else {
        format!("{value:.9e}")
    }
}

fn certified(model: &Model) -> String {
    let worst = words::worst_first(model);
    match worst.first().map(|(_, found)| (&found.claim, found.relative_gap)) {
        Some((Claim::Optimal, 0.0)) => "yes: nothing better exists, to the last digit".to_owned(),
        Some((Claim::Optimal, gap)) => {
            format!("yes: above the best possible by at most {}", words::share(gap))
        }
        _ => "yes: every row is on the right side".to_owned(),
    }
}

/// The evidence that no machine exists, heaviest rows first.
fn not_separable(evidence: &CommonPoint, data: &Data, json: bool) -> anyhow::Result<Answer> {
    let name = |row: usize| {
        data.target.as_ref().map_or_else(String::new, |t| mercer::report::text::label(&t.data, row))
    };
    let total = |side: f64| {
        let weights = evidence.rows.iter().filter(|(_, label, _)| label * side > 0.0).map(|(_, _, w)| w);
        weights.sum::<f64>().max(f64::MIN_POSITIVE)
    };
    let totals = (total(1.0), total(-1.0));
    let mut rows: Vec<(usize, f64, f64)> = evidence
        .rows
        .iter()
        .map(|&(row, label, w)| (row, label, w / if label > 0.0 { totals.0 } else { totals.1 }))
        .collect();
    rows.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
    if json {
        let each: Vec<Value> = rows
            .iter()
            .map(|&(row, _, weight)| json!({ "row": data.number(row), "label": name(row), "weight": weight }))
            .collect();
        let answer = json!({
            "separable": false, "certified": false, "squared_distance": evidence.distance, "scale": evidence.scale, "rows": each,
        });
        print(&format!("{answer:#}\n"))?;
    } else {
        let mut text = format!(
            "not separable: the classes share a point of feature space, so no boundary has it on both sides\n\
             evidence  {}; weights sum to 1 in each class, the two mixtures are {:.1e} apart (squared) at a scale of {:.1e}\n",
            count(rows.len(), "row"),
            evidence.distance,
            evidence.scale
        );
        for &(row, _, weight) in rows.iter().take(SHOWN) {
            let line = format!("  row {} ({}) weight {}", data.number(row), name(row), number(weight));
            text.push_str(&format!("{}\n", visible(&line)));
        }
        if rows.len() > SHOWN {
            text.push_str(&format!("  … and {} more (--json lists all)\n", rows.len() - SHOWN));
        }
        text.push_str(
            "next      allow errors (--solver smo --C 1), or take a kernel that can bend further (rbf)\n",
        );
        print(&text)?;
    }
    note("not certified: the classes cannot be separated with this kernel");
    Ok(Answer::No)
}

/// Rows of evidence that are shown.
const SHOWN: usize = 8;
