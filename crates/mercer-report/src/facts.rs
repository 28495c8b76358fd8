//! What a model is, and what each number of its certificate bounds.

use mercer_model::{Curve, Learner, Machine, Model, Scaling, Task};
use mercer_solve::{Basis, Certificate, Claim, Convexity};

use crate::text::{columns, count, number, visible};
use crate::words;

/// What the model is and what is proved about it, word by word.
pub fn facts(model: &Model) -> Vec<(&'static str, String)> {
    let mut lines = what(model);
    let machines = words::worst_first(model);
    match (machines.as_slice(), model.machines()) {
        ([], _) if words::is_streamed(model) => {
            lines.push(("certificate", format!("none; {}.", words::NOT_POSED)));
            lines.push(("ended", format!("the stream ended, after {}.", count(model.provenance().rows, "row"))));
        }
        ([], _) => lines.push((
            "certificate",
            "none. Another program made this model, so nothing is known here about how close to optimal it is. \
             Fit the same problem with mercer fit to find out."
                .to_owned(),
        )),
        ([(machine, found)], [_]) => lines.extend(certificate(model, machine, found)),
        // Classes of one problem have one certificate.
        ([(machine, found), ..], _) if model.is_softmax() => lines.extend(certificate(model, machine, found)),
        _ => lines.push(("certificates", several(model, &machines))),
    }
    lines.push(("certified", verdict(model)));
    lines
}

/// The problem in words and as a formula.
fn what(model: &Model) -> Vec<(&'static str, String)> {
    let (spec, rows) = (model.spec(), model.provenance().rows);
    let aim = match model.task() {
        Task::Classes if model.is_softmax() => {
            format!(
                "tells {} classes apart by softmax: a function for each, all of one problem",
                model.classes().len()
            )
        }
        Task::Classes if model.classes().len() == 2 => {
            format!("tells '{}' (score above 0) from '{}'", model.classes()[1], model.classes()[0])
        }
        Task::Classes => {
            let each = if model.machines()[0].pair().is_some() { "pair" } else { "class" };
            let (classes, machines) = (model.classes().len(), model.machines().len());
            format!("tells {classes} classes apart, by {machines} machines, one for each {each}")
        }
        Task::Numbers if model.machines().len() > 1 => {
            format!("predicts {} numbers, by a machine each", model.machines().len())
        }
        Task::Numbers => "predicts a number".to_owned(),
        Task::Novelty => "says whether a row is like the training rows (score above 0)".to_owned(),
    };
    let learned = if rows > 0 {
        format!("{}. It learned from {}.", aim, count(rows, "row"))
    } else {
        format!("{aim}.")
    };
    let mut lines = vec![("model", learned), ("problem", format!("{}.", words::formula(model)))];
    lines.push(("asked", words::problem(model)));
    let size = "|f|^2 = sum of alpha_i*alpha_j*k(x_i,x_j)";
    let sum = format!("f(x) = sum of alpha_j*k(x_j,x) over {}", count(model.support(), "support vector"));
    let score = match (spec.learner, spec.offset) {
        _ if model.is_softmax() => format!(
            "f_c(x){} with f_c(x) = sum of alpha_jc*k(x_j,x) over {}, for each class c; the largest answers",
            if spec.offset { " + b_c" } else { "" },
            count(model.support(), "support vector")
        ),
        (Learner::OneClass, _) => format!("f(x) - rho with {sum}; score above 0: inside"),
        (Learner::NuSvc, true) => format!("(f(x) + b)/rho with {sum}"),
        (Learner::NuSvc, false) => format!("f(x)/rho with {sum}"),
        (_, true) => format!("f(x) + b with {sum}"),
        (_, false) => sum,
    };
    lines.push(("score", format!("{score}; {size}")));
    lines
}

/// What each number of one certificate bounds.
fn certificate(model: &Model, machine: &Machine, found: &Certificate) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    match found.claim {
        Claim::Separates { mistakes: 0, margin } => lines.push((
            "separation",
            format!(
                "every training row is on the right side; the nearest is {} away in feature space. \
                     No objective is minimised, so there is no gap.",
                number(margin)
            ),
        )),
        Claim::Separates { mistakes, .. } => lines.push((
            "separation",
            format!(
                "{} on the wrong side or on the boundary. No objective is minimised, so there is no gap: \
                     whether a separating f exists is not known from this.",
                count(mistakes, "training row")
            ),
        )),
        Claim::Optimal => {
            if model.spec().learner == Learner::Lms {
                let said = format!(
                    "that of kernel ridge with lambda {}, which LMS does not minimise: it minimises the squared loss \
                     without a penalty and is stopped early. A gap is no fault of it.",
                    number(model.lambda())
                );
                lines.push(("certificate", said));
            }
            lines.extend(bounds(model, found));
        }
    }
    lines.push(("kernel", if found.claim == Claim::Optimal { kernel(found) } else { space(found) }));
    lines.push(("support", support(model, found)));
    lines.extend(geometry(model, machine, found));
    lines.push(("ended", format!("{}, after {}.", words::ending(machine.status), steps(machine.iterations))));
    lines
}

fn bounds(model: &Model, found: &Certificate) -> Vec<(&'static str, String)> {
    let asked = match model.spec().learner {
        Learner::HardMargin => "this kernel",
        Learner::NuSvc | Learner::OneClass => "this kernel and nu",
        Learner::NuSvr => "this kernel, nu and lambda",
        _ => "this kernel, loss and lambda",
    };
    let void = matches!(found.convexity, Convexity::Refuted { .. });
    let holds = if void { " (void: see kernel)" } else { "" };
    let mut lines = vec![
        (
            "objective",
            format!("P = {}. This is what the machine costs on its training rows.", digits(found.primal)),
        ),
        (
            "dual",
            format!(
                "D = {}. No machine with {asked} has an objective lower than D{holds}.",
                digits(found.dual)
            ),
        ),
        (
            "gap",
            format!(
                "P - D = {}. This machine is at most that far above the best possible one{holds}: by {}.",
                words::small(found.gap),
                words::share(found.relative_gap)
            ),
        ),
        (
            "violation",
            format!(
                "{}. The row that agrees least with its coefficient is off by this much (mercer explain kkt).",
                words::small(found.violation)
            ),
        ),
    ];
    if let Some(moved) = found.projected {
        let said = format!(
            "yes, by at most {moved:.1e} a coefficient. The coefficients were not quite feasible in the dual; D is that of \
             the nearest ones that are. The bound holds all the same."
        );
        lines.push(("projected", said));
    }
    let basis = match found.basis {
        Basis::Recomputed => {
            "all scores were computed from the coefficients and double-precision kernel values, not taken over from the \
             sums of the solver's steps."
                .to_owned()
        }
        Basis::Sufficient { rough, checked, difference } => format!(
            "scores were computed from the coefficients and double-precision kernel values, but for {} whose \
             coefficient is kept at zero or at its limit so firmly that single precision will do; {checked} of them computed \
             again differ by at most {difference:.1e}.",
            count(rough, "row")
        ),
        Basis::Kept { checked, difference } => format!(
            "the scores are the solver's own, since there was no time; {} computed again differ by at most {difference:.1e}.",
            count(checked, "row")
        ),
    };
    lines.push(("basis", basis));
    lines
}

/// Whether weak duality holds.
fn kernel(found: &Certificate) -> String {
    match &found.convexity {
        Convexity::Refuted { evidence } => format!(
            "NOT a Mercer kernel on these rows: {evidence}. The problem is not convex, weak duality fails, and D bounds \
             nothing: this certificate is void. The machine may still predict; nothing is proved about it."
        ),
        Convexity::Proved => {
            "positive semi-definite by construction (mercer check prints the proof), so the bounds hold."
                .to_owned()
        }
        Convexity::Measured => {
            "positive semi-definite on the training rows, as measured, so the bounds hold.".to_owned()
        }
        Convexity::Sampled { rows } => format!(
            "not proved to be positive semi-definite; {rows} training rows were measured and do not refute it. The bounds \
             hold if it is."
        ),
        Convexity::Assumed => "assumed to be positive semi-definite; the bounds hold if it is.".to_owned(),
    }
}

/// Whether there is a feature space, in which a margin is a distance.
fn space(found: &Certificate) -> String {
    match &found.convexity {
        Convexity::Refuted { evidence } => format!(
            "NOT a Mercer kernel on these rows: {evidence}. There is no feature space, so the margin is no distance: \
             this certificate is void. The machine may still predict."
        ),
        Convexity::Proved => {
            "positive semi-definite by construction (mercer check prints the proof), so the margin is a \
             distance in feature space."
                .to_owned()
        }
        Convexity::Measured => {
            "positive semi-definite on the training rows, as measured, so the margin is a distance in \
             feature space."
                .to_owned()
        }
        Convexity::Sampled { rows } => format!(
            "not proved to be positive semi-definite; {rows} training rows were measured and do not refute it. The margin \
             is a distance if it is."
        ),
        Convexity::Assumed => {
            "assumed to be positive semi-definite; the margin is a distance if it is.".to_owned()
        }
    }
}

fn support(model: &Model, found: &Certificate) -> String {
    let rows = model.provenance().rows.max(1);
    let share = number((1000.0 * found.support as f64 / rows as f64).round() / 10.0);
    let idle = found.support < model.provenance().rows && found.claim == Claim::Optimal && model.certified();
    let of = format!("{} of {} ({share} %)", found.support, count(model.provenance().rows, "row"));
    if found.claim != Claim::Optimal {
        return format!("{of}.");
    }
    format!(
        "{of}: {} free, {} at the bound.{}",
        found.free(),
        found.bound,
        if idle { " The other rows could be dropped without a change." } else { "" }
    )
}

fn geometry(model: &Model, machine: &Machine, found: &Certificate) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let learner = model.spec().learner;
    if learner == Learner::HardMargin && found.primal > 0.0 {
        let margin = number(1.0 / (2.0 * found.primal).sqrt());
        lines.push((
            "margin",
            format!("{margin} = 1/|f|. No training row is nearer to the boundary, in feature space."),
        ));
    } else if model.task() == Task::Classes
        && !model.is_softmax()
        && found.norm > 0.0
        && found.claim == Claim::Optimal
        && !matches!(found.convexity, Convexity::Refuted { .. })
    {
        // The scores of nu-svc are in units of rho.
        let (name, unit) = unit(model, machine).map_or(("1", 1.0), |rho| ("rho", rho));
        lines.push((
            "margin",
            format!(
                "{name}/|f| = {}: the score changes from 0 to 1 over this distance in feature space.",
                number(unit / found.norm)
            ),
        ));
    }
    if let Some(level) = machine.level {
        let said = match learner {
            Learner::NuSvr => {
                format!("the tube is {} wide to each side; this was found, not given.", number(level))
            }
            Learner::OneClass => format!("rows with f(x) below rho = {} are outside.", number(level)),
            _ => format!("rho = {}; scores are divided by it, so that the margin is at 1.", number(level)),
        };
        lines.push(("level", said));
    }
    if model.spec().offset && model.is_softmax() {
        let each = model.classes().iter().zip(model.machines());
        let each: Vec<String> = each.map(|(class, own)| format!("{class} {}", number(own.bias))).collect();
        lines.push(("offset", format!("b_c = {}", each.join(", "))));
    } else if model.spec().offset {
        lines.push(("offset", format!("b = {}", number(machine.bias * unit(model, machine).unwrap_or(1.0)))));
    }
    lines
}

/// What the scores of a machine are divided by, where they are.
fn unit(model: &Model, machine: &Machine) -> Option<f64> {
    machine.level.filter(|&rho| model.spec().learner == Learner::NuSvc && rho > 0.0)
}

fn steps(iterations: u64) -> String {
    count(usize::try_from(iterations).unwrap_or(usize::MAX), "iteration")
}

/// Thousandths of a second are enough to know.
fn seconds(value: f64) -> String {
    format!("{value:.3}")
}

fn digits(value: f64) -> String {
    if value == 0.0 || (1e-3..1e7).contains(&value.abs()) {
        format!("{value:.9}")
    } else {
        format!("{value:.8e}")
    }
}

fn several(model: &Model, machines: &[(&Machine, &Certificate)]) -> String {
    if machines.iter().all(|(_, found)| found.claim != Claim::Optimal) {
        return format!(
            "one for each of {} machines, below: rows on the wrong side, and the distance of the nearest row from the \
             boundary in feature space. No objective is minimised, so there is no gap.",
            model.machines().len()
        );
    }
    let worst = words::share(machines[0].1.relative_gap);
    let aim = match (model.task(), model.machines()[0].pair()) {
        (Task::Classes, Some(_)) => "two classes",
        (Task::Classes, None) => "class",
        _ => "target",
    };
    format!(
        "one for each of {} machines, below. The worst is above the best possible machine for its {aim} by at most {worst}.",
        model.machines().len()
    )
}

/// A row for each machine, with what is proved about it.
pub fn table(model: &Model, machines: &[(&Machine, &Certificate)]) -> String {
    if machines.iter().all(|(_, found)| found.claim != Claim::Optimal) {
        return separations(model, machines);
    }
    let header =
        ["machine", "objective", "dual", "relative gap", "violation", "support", "at bound", "ended"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(machines.iter().map(|(machine, found)| {
        vec![
            visible(&words::name(model, machine)),
            number(found.primal),
            number(found.dual),
            format!("{:.1e}", found.relative_gap),
            format!("{:.1e}", found.violation),
            found.support.to_string(),
            found.bound.to_string(),
            short_ending(machine, found).to_owned(),
        ]
    }));
    columns(&rows)
}

/// The same where nothing is minimised.
fn separations(model: &Model, machines: &[(&Machine, &Certificate)]) -> String {
    let mut rows = vec![["machine", "mistakes", "margin", "support", "ended"].map(str::to_owned).to_vec()];
    rows.extend(machines.iter().map(|(machine, found)| {
        let (mistakes, margin) = match found.claim {
            Claim::Separates { mistakes, margin } => (mistakes.to_string(), number(margin)),
            Claim::Optimal => (String::new(), String::new()),
        };
        vec![
            visible(&words::name(model, machine)),
            mistakes,
            margin,
            found.support.to_string(),
            short_ending(machine, found).to_owned(),
        ]
    }));
    columns(&rows)
}

/// How a machine ended, in a word or a few.
fn short_ending(machine: &Machine, found: &Certificate) -> &'static str {
    let ended = words::ending(machine.status);
    if matches!(found.convexity, Convexity::Refuted { .. }) {
        "void"
    } else {
        ended.split(':').next().unwrap_or(ended)
    }
}

fn verdict(model: &Model) -> String {
    match words::shortfall(model) {
        None => {
            let tolerance = model.spec().tolerance;
            let separates = |machine: &Machine| {
                machine.certificate.as_ref().is_some_and(|found| found.claim != Claim::Optimal)
            };
            if model.machines().iter().all(separates) {
                return "yes: the sign is right on every training row, and the margin is as said.".to_owned();
            }
            match (tolerance.gap, tolerance.violation) {
                (Some(gap), _) => format!("yes, to the tolerance that was asked for (relative gap {gap:e})."),
                (None, Some(violation)) => {
                    format!("yes, to the tolerance that was asked for (violation {violation:e}).")
                }
                (None, None) => "yes.".to_owned(),
            }
        }
        Some(why) => format!("no: {why}."),
    }
}

/// Where probabilities come from.
fn calibration(model: &Model) -> Option<String> {
    let form = match model.curves() {
        [] if model.is_softmax() => {
            let said = "p_c = exp(score_c)/sum of exp(scores), as the problem has it. The most probable class is always the \
                        one that is answered.";
            return Some(said.to_owned());
        }
        [] => return None,
        [Curve::Sigmoid { slope, offset }] => {
            format!("platt: p = 1/(1 + exp(-({}*score + {})))", number(*slope), number(*offset))
        }
        [Curve::Line { scores, .. }] => format!("isotonic: p is a line of {}", count(scores.len(), "point")),
        several => format!("{}: a curve for each machine", several[0].kind()),
    };
    Some(format!(
        "{form}, fitted to scores of rows that were left out. The most probable class is always the one that is answered."
    ))
}

/// Preprocessing, classes and provenance.
pub fn around(model: &Model) -> Vec<(&'static str, String)> {
    let (spec, from, schema) = (model.spec(), model.provenance(), model.schema());
    let mut lines = Vec::new();
    let scaled = match spec.scaling {
        Scaling::None => "none: columns are used as they are.",
        Scaling::Standardize => {
            "columns of numbers are standardised with the means and deviations of the training rows."
        }
        Scaling::MinMax => "columns of numbers are brought to 0…1 with the ends of the training rows.",
    };
    lines.push(("scaling", scaled.to_owned()));
    let names: Vec<&str> =
        schema.columns.iter().filter(|c| c.used).map(|column| column.name.as_str()).collect();
    let shown = names.iter().take(12).copied().collect::<Vec<_>>().join(", ");
    let more = if names.len() > 12 { format!(", … ({} in all)", names.len()) } else { String::new() };
    if !names.is_empty() {
        lines.push(("columns", format!("{shown}{more}")));
    }
    if let Some(target) = &schema.target {
        let others = schema.others.iter().map(|other| format!(", {other}")).collect::<String>();
        lines.push(("target", format!("{target}{others}")));
    }
    if !model.classes().is_empty() {
        lines.push(("classes", model.classes().join(", ")));
    }
    lines.extend(calibration(model).map(|said| ("calibration", said)));
    if !from.version.is_empty() {
        let hash: String = from.hash.chars().take(12).collect();
        let hash = if hash.is_empty() { hash } else { format!(" (sha256 {hash}…)") };
        lines.push((
            "made",
            format!(
                "by mercer {} from {} of {}{hash} with seed {}, in {} s and {} kernel entries",
                from.version,
                count(from.rows, "row"),
                from.source,
                from.seed,
                seconds(from.seconds),
                from.entries
            ),
        ));
    }
    lines
}
