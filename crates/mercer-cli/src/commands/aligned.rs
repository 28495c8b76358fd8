//! `mercer tune --alignment`: kernels by how well they agree with the target; nothing is fitted but what `-o` asks for.

use anyhow::{Context, bail};
use mercer::kernel::KernelExpr;
use mercer::model::tune::{Aligned, Search, Sofar, Tuning, aligned};
use mercer::model::{Model, Setting, Spec, Training, fit};
use mercer::solve::Limits;
use serde_json::{Value, json};

use super::tune::SHOWN;
use crate::args::Tune;
use crate::output::{Answer, columns, count, note, number, print, visible};
use crate::{model_file, words};

/// What was found, and the machine that the best kernel would have.
pub(super) struct Ranked {
    found: Vec<Aligned>,
    /// Kernels that there were.
    all: usize,
    spec: Spec,
}

/// Ranks the kernels of a search.
pub(super) fn rank(
    tuning: &Tuning,
    spec: &Spec,
    training: &Training<'_>,
    setting: &Setting<'_>,
    tell: &(dyn Fn(Sofar) + Sync),
) -> anyhow::Result<Ranked> {
    let Search::Grid { points } = tuning.search else {
        bail!("--alignment goes with --search grid, not with {}", tuning.search);
    };
    let [strength] = tuning.strength.grid(2)?[..] else {
        bail!(
            "--alignment ranks kernels and says nothing about the strength of the penalty; give one value, not {}",
            tuning.strength
        );
    };
    let kernels: Vec<KernelExpr> = tuning.template.grid(points);
    let found = aligned(&kernels, spec, training, setting, tell)?;
    let best = found.first().context("no kernel could be judged in the time there was; give it more")?;
    let spec = Spec { kernel: best.kernel.clone(), regularization: strength, ..spec.clone() };
    Ok(Ranked { all: kernels.len(), spec, found })
}

/// Says what was found and fits the best kernel where a model is asked for.
pub(super) fn answer(
    options: &Tune,
    ranked: Ranked,
    training: &Training<'_>,
    setting: &Setting<'_>,
) -> anyhow::Result<Answer> {
    let model = match &options.out {
        None => None,
        Some(path) => {
            let model = fit(&ranked.spec, training, &Setting { limits: Limits::default(), ..*setting })?;
            model_file::save(&model, path)?;
            Some(model)
        }
    };
    if options.json {
        print(&format!("{:#}\n", as_json(&ranked, model.as_ref())))?;
    } else {
        print(&in_words(options, &ranked, training.source))?;
    }
    let mut answer = Answer::Yes;
    if ranked.found.len() < ranked.all {
        note("cut short: not all kernels were judged");
        answer = Answer::No;
    }
    if let Some(why) = model.as_ref().and_then(words::shortfall) {
        note(&format!("not certified: {why}"));
        answer = Answer::No;
    }
    Ok(answer)
}

fn in_words(options: &Tune, ranked: &Ranked, source: &str) -> String {
    let Ranked { found, spec, .. } = ranked;
    let mut text = format!(
        "ranked    {} by centred alignment with the target of {}; larger is better\n",
        count(found.len(), "kernel"),
        visible(source)
    );
    let mut rows = vec![vec!["alignment".to_owned(), "kernel".to_owned()]];
    rows.extend(found.iter().take(SHOWN).map(|one| vec![number(one.alignment), one.kernel.to_string()]));
    text.push_str(&columns(&rows));
    if found.len() > SHOWN {
        text.push_str(&format!("… and {} more (--json)\n", found.len() - SHOWN));
    }
    let (name, strength) = spec.regularization.spelled();
    match &options.out {
        Some(path) => text.push_str(&format!(
            "saved     {}: {} with {name}={}, fitted on all rows\n",
            visible(&path.display().to_string()),
            spec.kernel,
            number(strength)
        )),
        None => text.push_str("saved     no (-o MODEL fits the first one on all rows)\n"),
    }
    text
}

fn as_json(ranked: &Ranked, model: Option<&Model>) -> Value {
    let one = |one: &Aligned| json!({ "kernel": one.kernel.to_string(), "alignment": one.alignment });
    json!({
        "best": ranked.found.first().map(one),
        "kernels": ranked.found.iter().map(one).collect::<Vec<_>>(),
        "cut_short": ranked.found.len() < ranked.all,
        "model": model.map(words::as_json),
    })
}
