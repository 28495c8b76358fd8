//! The commands and the code that make a model again.

use mercer_model::{Learner, Model, Multiclass, Scaling, Spec};
use mercer_solve::loss::LossSpec;
use mercer_view::Block;

use crate::page::Reported;
use crate::words::has_lambda;

/// What the caller says, or the shell, Rust and Python.
pub(crate) fn blocks(reported: &Reported<'_>) -> Vec<Block> {
    if let Some(code) = reported.code {
        return vec![Block::Code(code.to_owned())];
    }
    let (model, name) = (reported.model, reported.rows.name);
    let file = reported.file.map_or_else(|| "model.mercer".to_owned(), |path| path.display().to_string());
    let mut blocks = vec![Block::Text("In the shell:".to_owned()), Block::Code(shell(model, name, &file))];
    blocks.extend([Block::Text("In Rust:".to_owned()), Block::Code(rust(model, name))]);
    blocks.extend([Block::Text("In Python:".to_owned()), Block::Code(python(model, name, &file))]);
    blocks
}

/// A word of the shell, in quotes where it needs them.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@._-/=:%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn shell(model: &Model, name: &str, file: &str) -> String {
    let spec = model.spec();
    let mut line = format!("mercer fit {}", quoted(name));
    let mut add = |word: &str, value: String| line += &format!(" {word} {}", quoted(&value));
    if let Some(target) = model.schema().target.as_deref().filter(|target| *target != "label") {
        add("--target", target.to_owned());
    }
    add("--kernel", model.kernel().to_string());
    add("--solver", spec.learner.to_string());
    if let Some(loss) = spec.loss.filter(|_| !spec.learner.info().losses.is_empty()) {
        add("--loss", loss.to_string());
    }
    if has_lambda(spec.learner) {
        let (spelled, value) = spec.regularization.spelled();
        add(&format!("--{spelled}"), value.to_string());
    }
    if matches!(spec.learner, Learner::NuSvc | Learner::NuSvr | Learner::OneClass) {
        add("--nu", spec.nu.to_string());
    }
    if spec.scaling != Scaling::None {
        add("--scale", spec.scaling.to_string());
    }
    if spec.multiclass != Multiclass::Refuse {
        add("--multi", spec.multiclass.to_string());
    }
    if let Some(how) = spec.probabilities {
        add("--probabilities", how.to_string());
    }
    let usual = Spec::new(spec.kernel.clone(), spec.learner);
    if spec.offset != usual.offset {
        add("--offset", if spec.offset { "yes" } else { "no" }.to_owned());
    }
    if spec.penalty != usual.penalty {
        add("--penalty", "norm".to_owned());
    }
    if spec.class_weights != usual.class_weights {
        add("--class-weight", spec.class_weights.to_string());
    }
    let tolerances = [("--tolerance", spec.tolerance.gap), ("--violation", spec.tolerance.violation)];
    if spec.tolerance != usual.tolerance {
        tolerances
            .into_iter()
            .for_each(|(word, value)| value.into_iter().for_each(|v| add(word, v.to_string())));
    }
    spec.epochs.into_iter().for_each(|epochs| add("--epochs", epochs.to_string()));
    spec.step.into_iter().for_each(|step| add("--step", step.to_string()));
    spec.keep.into_iter().for_each(|keep| add("--keep", keep.to_string()));
    if spec.seed != 0 {
        add("--seed", spec.seed.to_string());
    }
    add("-o", file.to_owned());
    let average = if spec.average { " --average" } else { "" };
    format!(
        "{line}{average}\nmercer show {0}\nmercer report {0} {1} -o report.html",
        quoted(file),
        quoted(name)
    )
}

fn rust(model: &Model, name: &str) -> String {
    let target = model.schema().target.as_deref();
    let label = target.map_or_else(String::new, |name| format!("let target = table.remove({name:?})?;\n"));
    let training =
        if target.is_some() { "Training::new(&table, &target)" } else { "Training::unlabelled(&table)" };
    format!(
        "use mercer::prelude::*;\n\nlet mut table = read({:?}, &ReadOptions::default())?;\n{label}\
         let spec: Spec = {:?}.parse()?;\nlet model = fit(&spec, &{training}, &Setting::default())?;\n\
         let certified = model.certified();",
        name,
        model.spec().to_string()
    )
}

fn python(model: &Model, name: &str, file: &str) -> String {
    let spec = model.spec();
    let load = format!("import mercer\n\nmodel = mercer.load({file:?})\nprint(model.certificate_)");
    let usual = Spec::new(spec.kernel.clone(), Learner::Smo);
    let is_plain = spec.scaling == Scaling::None
        && spec.multiclass != Multiclass::OneVsRest
        && (&spec.class_weights, spec.penalty, spec.offset)
            == (&usual.class_weights, usual.penalty, usual.offset);
    if spec.learner != Learner::Smo || spec.loss != Some(LossSpec::Hinge) || !is_plain {
        return load;
    }
    let probability = spec.probabilities.map_or_else(String::new, |how| format!(", probability=\"{how}\""));
    let c = 1.0 / (model.lambda() * model.provenance().rows.max(1) as f64);
    // Six digits say what was meant: C is often a round number divided and multiplied again.
    let c: f64 = format!("{c:.6e}").parse().unwrap_or(c);
    format!(
        "{load}\n\n# The same machine from rows X and labels y, such as those of {}:\nfrom mercer import SVC\n\n\
         model = SVC(kernel={:?}, C={c}{probability}).fit(X, y)",
        name.replace(['\n', '\r'], " "),
        model.kernel().to_string()
    )
}
