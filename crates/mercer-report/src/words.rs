//! What a model is and what is proved about it, in words: the phrases that commands and the page share.

use mercer_model::{Between, Learner, Machine, Model, Task};
use mercer_solve::loss::Target;
use mercer_solve::{Certificate, Claim, Convexity, Penalty, Status};
use serde_json::{Value, json};

use crate::text::number;

/// Whether λ means anything to a learner.
pub fn has_lambda(learner: Learner) -> bool {
    learner == Learner::NuSvr || (!learner.info().losses.is_empty() && learner != Learner::Lms)
}

/// The learner, what it was asked, and λ under its two usual names: one line.
pub fn problem(model: &Model) -> String {
    let spec = model.spec();
    let mut parts = Vec::new();
    parts.extend(spec.loss.map(|loss| format!("{loss} loss")));
    parts.push(format!("kernel {}", model.kernel()));
    if has_lambda(spec.learner) {
        parts.push(format!("lambda {} (C {})", number(model.lambda()), number(big_c(model))));
    }
    if uses_nu(spec.learner) {
        parts.push(format!("nu {}", spec.nu));
    }
    if spec.penalty == Penalty::Norm {
        parts.push("penalty norm".to_owned());
    }
    parts.push(if spec.offset { "with offset" } else { "no offset" }.to_owned());
    format!("{}: {}", spec.learner, parts.join(", "))
}

fn uses_nu(learner: Learner) -> bool {
    matches!(learner, Learner::NuSvc | Learner::NuSvr | Learner::OneClass)
}

/// LIBSVM's C = 1/(λn).
fn big_c(model: &Model) -> f64 {
    1.0 / (model.lambda() * model.provenance().rows.max(1) as f64)
}

/// What is minimised, as a formula in ASCII.
pub fn formula(model: &Model) -> String {
    let spec = model.spec();
    let plain = if spec.offset { "f(x_i) + b" } else { "f(x_i)" };
    let score = if spec.offset { "(f(x_i) + b)" } else { plain };
    match (spec.learner, spec.loss) {
        (Learner::HardMargin, _) => format!("minimise 1/2 |f|^2 such that y_i*{score} >= 1 for every row"),
        (Learner::NuSvc, _) => {
            format!("minimise 1/2 |f|^2 - nu*rho + (1/n) sum of max(0, rho - y_i*{score}), rho >= 0")
        }
        (Learner::NuSvr, _) => {
            format!("minimise nu*e + (1/n) sum of max(0, |{plain} - y_i| - e) + (lambda/2) |f|^2, e >= 0")
        }
        (Learner::OneClass, _) => {
            "minimise 1/2 |f|^2 - rho + (1/(nu*n)) sum of max(0, rho - f(x_i))".to_owned()
        }
        (Learner::Lms, Some(loss)) => format!(
            "minimise (1/n) sum of loss, where loss = {} and r = {plain} - y_i, without a penalty: gradient descent from \
             f = 0 that is stopped early",
            loss.info().formula
        ),
        _ if model.is_softmax() => {
            let score = if spec.offset { "F_c = f_c(x_i) + b_c" } else { "F_c = f_c(x_i)" };
            format!(
                "minimise (1/n) sum of loss + (lambda/2) sum of |f_c|^2 over the classes c, where loss = log(sum of \
                 exp(F_c)) - F of the row's own class and {score}"
            )
        }
        (_, Some(loss)) => {
            let penalty = if spec.penalty == Penalty::Norm { "lambda |f|" } else { "(lambda/2) |f|^2" };
            let meaning = match loss.info().target {
                Target::Labels => format!("m = y_i*{score}"),
                Target::Numbers => format!("r = {plain} - y_i"),
            };
            format!(
                "minimise (1/n) sum of loss + {penalty}, where loss = {} and {meaning}",
                loss.info().formula
            )
        }
        (_, None) => format!("find f with y_i*{score} > 0 for every row"),
    }
}

/// Whether the problem is convex, on which every bound rests.
pub fn convexity(found: &Convexity) -> String {
    match found {
        Convexity::Proved => "positive semi-definite by construction".to_owned(),
        Convexity::Measured => "positive semi-definite on all training rows, as measured".to_owned(),
        Convexity::Sampled { rows } => {
            format!("not refuted on a sample of {rows} training rows; not proved")
        }
        Convexity::Assumed => "assumed to be positive semi-definite; nobody has looked".to_owned(),
        Convexity::Refuted { evidence } => format!("not positive semi-definite: {evidence}"),
    }
}

/// How a solver ended.
pub fn ending(status: Status) -> &'static str {
    match status {
        Status::Solved => "solved: its own criterion was met",
        Status::IterationLimit => "stopped at the limit of iterations",
        Status::TimeLimit => "stopped at the limit of time",
        Status::Stopped => "stopped by the user",
        Status::Stalled => "stalled: no step helped any more in floating point",
    }
}

/// The same for a machine of a model.
pub fn ended(model: &Model, machine: &Machine) -> &'static str {
    if is_streamed(model) { "the stream ended" } else { ending(machine.status) }
}

/// Whether a model was learned from a stream: a fit has a certificate, and other programs have no such learner.
pub fn is_streamed(model: &Model) -> bool {
    model.spec().learner == Learner::OnlinePerceptron
        && model.machines().iter().all(|machine| machine.certificate.is_none())
}

/// A relative gap as a share that can be imagined.
pub fn share(relative: f64) -> String {
    if !(relative.is_finite() && relative >= 0.0) {
        return "not known".to_owned();
    }
    if relative == 0.0 {
        return "nothing that floating point can hold".to_owned();
    }
    if relative >= 0.001 {
        return format!("{} % of the objective", number((relative * 1e4).ceil() / 1e2));
    }
    // Rounded down to one digit: a bound may be said weaker than it is, never stronger.
    let parts = 1.0 / relative;
    let unit = 10_f64.powf(parts.log10().floor());
    let digit = (parts / unit).floor().clamp(1.0, 9.0);
    let (size, name) = match unit {
        u if u >= 1e15 => return "less than one part in 10^15 of the objective".to_owned(),
        u if u >= 1e12 => (u / 1e12, " million million"),
        u if u >= 1e6 => (u / 1e6, " million"),
        u => (u, ""),
    };
    format!("one part in {}{name} of the objective", digit * size)
}

/// A number that should be small, in as many digits as it deserves.
pub fn small(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.2e}") }
}

/// Why a model of a stream has no certificate.
pub const NOT_POSED: &str = "it was learned from a stream: no problem was solved, so nothing is certified";

/// Why a model is not certified; nothing if it is.
pub fn shortfall(model: &Model) -> Option<String> {
    if model.certified() {
        return None;
    }
    if is_streamed(model) {
        return Some(NOT_POSED.to_owned());
    }
    let tolerance = model.spec().tolerance;
    // Machines of softmax have one certificate.
    let several = model.machines().len() > 1 && !model.is_softmax();
    let found = model.machines().iter().find_map(|machine| {
        let why = machine_shortfall(machine, tolerance.gap, tolerance.violation)?;
        Some(if several { format!("machine {}: {why}", name(model, machine)) } else { why })
    });
    Some(found.unwrap_or_else(|| "its certificate does not hold".to_owned()))
}

fn machine_shortfall(machine: &Machine, gap: Option<f64>, violation: Option<f64>) -> Option<String> {
    let Some(certificate) = &machine.certificate else {
        return Some("there is no certificate: another program made this model".to_owned());
    };
    if let Convexity::Refuted { evidence } = &certificate.convexity {
        return Some(format!(
            "the certificate is void, since the kernel is not positive semi-definite ({evidence})"
        ));
    }
    let reached = match certificate.claim {
        Claim::Separates { mistakes, .. } => format!("{mistakes} rows are on the wrong side"),
        Claim::Optimal => format!("the relative gap is {:.1e}", certificate.relative_gap),
    };
    if machine.status != Status::Solved {
        return Some(format!("{}; {reached}", ending(machine.status)));
    }
    match certificate.claim {
        Claim::Separates { mistakes: 0, .. } => None,
        Claim::Separates { .. } => Some(reached),
        Claim::Optimal
            if gap.is_some_and(|gap| certificate.relative_gap > gap) || !certificate.gap.is_finite() =>
        {
            Some(format!("{reached}, above the tolerance of {:.0e}", gap.unwrap_or(0.0)))
        }
        Claim::Optimal => violation.filter(|&violation| certificate.violation > violation).map(|v| {
            format!("the violation is {:.1e}, above the tolerance of {v:.0e}", certificate.violation)
        }),
    }
}

/// The classes of a machine, or its target where there are several.
pub fn name(model: &Model, machine: &Machine) -> String {
    match machine.between {
        Some(Between::Pair(a, b)) => return format!("{}/{}", model.classes()[a], model.classes()[b]),
        Some(Between::Rest(class)) => return format!("{}/rest", model.classes()[class]),
        Some(Between::Softmax(class)) => return model.classes()[class].clone(),
        None => {}
    }
    if model.machines().len() == 1 {
        return String::new();
    }
    let place = model.machines().iter().position(|other| std::ptr::eq(other, machine)).unwrap_or_default();
    model.targets().get(place).map_or_else(|| format!("target {}", place + 1), |name| (*name).to_owned())
}

/// The machines with certificates, the worst first.
pub fn worst_first(model: &Model) -> Vec<(&Machine, &Certificate)> {
    let mut machines: Vec<_> = model
        .machines()
        .iter()
        .filter_map(|machine| Some((machine, machine.certificate.as_ref()?)))
        .collect();
    let margin = |found: &Certificate| match found.claim {
        Claim::Separates { margin, .. } => margin,
        Claim::Optimal => 0.0,
    };
    machines.sort_by(|(_, a), (_, b)| {
        b.relative_gap.total_cmp(&a.relative_gap).then(margin(a).total_cmp(&margin(b)))
    });
    machines
}

/// What a model answers with, in a word.
pub fn task(model: &Model) -> &'static str {
    match model.task() {
        Task::Classes => "classes",
        Task::Numbers => "numbers",
        Task::Novelty => "novelty",
    }
}

/// All of it for programs.
pub fn as_json(model: &Model) -> Value {
    let (spec, from) = (model.spec(), model.provenance());
    let machines: Vec<Value> = model.machines().iter().map(|machine| machine_json(model, machine)).collect();
    let has_lambda = has_lambda(spec.learner);
    json!({
        "learner": spec.learner.to_string(),
        "loss": spec.loss.map(|loss| loss.to_string()),
        "kernel": model.kernel().to_string(),
        "lambda": has_lambda.then(|| model.lambda()),
        "C": has_lambda.then(|| big_c(model)),
        "nu": uses_nu(spec.learner).then_some(spec.nu),
        "offset": spec.offset,
        "penalty": spec.penalty.to_string(),
        "scale": spec.scaling.to_string(),
        "tolerance": { "gap": spec.tolerance.gap, "violation": spec.tolerance.violation },
        "task": task(model),
        "target": model.schema().target,
        "other_targets": model.schema().others,
        "classes": model.classes(),
        "multi": spec.multiclass.to_string(),
        "probabilities": match model.curves().first() {
            None if model.is_softmax() => Some("softmax".to_owned()),
            first => first.map(|curve| curve.kind().to_string()),
        },
        "columns": model.schema().columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(),
        "support": model.support(),
        "certified": model.certified(),
        "not_certified_since": shortfall(model),
        "machines": machines,
        "provenance": {
            "version": from.version, "source": from.source, "rows": from.rows, "columns": from.columns,
            "hash": from.hash, "seed": from.seed, "seconds": from.seconds, "kernel_entries": from.entries,
        },
    })
}

fn machine_json(model: &Model, machine: &Machine) -> Value {
    let certificate = machine.certificate.as_ref().map(|found| {
        let separates = match found.claim {
            Claim::Separates { mistakes, margin } => json!({ "mistakes": mistakes, "margin": margin }),
            Claim::Optimal => Value::Null,
        };
        let is_optimum = found.claim == Claim::Optimal;
        json!({
            "primal": found.primal, "dual": found.dual, "gap": found.gap, "relative_gap": found.relative_gap,
            "violation": found.violation, "norm": found.norm, "support": found.support,
            "free": is_optimum.then(|| found.free()), "at_bound": is_optimum.then_some(found.bound), "projected": found.projected, "separates": separates,
            "mercer": convexity(&found.convexity), "void": matches!(found.convexity, Convexity::Refuted { .. }),
        })
    });
    json!({
        "pair": machine.pair().map(|(a, b)| [&model.classes()[a], &model.classes()[b]]),
        "against_rest": match machine.between {
            Some(Between::Rest(class)) => Some(&model.classes()[class]),
            _ => None,
        },
        "class": match machine.between {
            Some(Between::Softmax(class)) => Some(&model.classes()[class]),
            _ => None,
        },
        "bias": machine.bias,
        "level": machine.level,
        "ended": ended(model, machine),
        "solved": machine.status == Status::Solved && !is_streamed(model),
        "iterations": machine.iterations,
        "certificate": certificate,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_said_stronger_than_they_are() {
        assert_eq!(share(0.25), "25 % of the objective");
        assert_eq!(share(0.0012345), "0.13 % of the objective");
        assert_eq!(share(1e-4), "one part in 10000 of the objective");
        assert_eq!(share(3.0e-7), "one part in 3 million of the objective");
        assert_eq!(share(2.6e-7), "one part in 3 million of the objective");
        assert_eq!(share(0.0), "nothing that floating point can hold");
        assert_eq!(share(f64::NAN), "not known");
        assert_eq!(share(1e-20), "less than one part in 10^15 of the objective");
    }
}
