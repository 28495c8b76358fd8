//! What searches and paths found.

use mercer_model::tune::{Found, RegularizationPath, Trial as Tried};
use mercer_view::{Path, Step, Trial, Tuning};

use crate::words::{count, number};

/// A search as a map of its candidates: kernels up, strengths to the right.
///
/// ```
/// use mercer_model::tune::{Search, Strength, Tuning, Validation, tune};
/// use mercer_model::{Learner, Setting, Training};
/// let mut table = mercer_points::read("@moons(n=60)", &Default::default()).unwrap();
/// let label = table.remove("label").unwrap();
/// let search = Search::Grid { points: 3 };
/// let (kernel, strength) = ("rbf(sigma=0.1..10)".parse().unwrap(), Strength::C("0.1..100".parse().unwrap()));
/// let tuning = Tuning { search, ..Tuning::new(kernel, strength, Learner::Smo) };
/// let found = tune(&tuning, &Training::new(&table, &label), &Setting::default(), &|_| {}).unwrap();
/// let view = mercer_picture::tuning(&found, "@moons");
/// assert_eq!((view.kernels.len(), view.strengths.len()), (3, 3));
/// assert_eq!(view.parameter, "sigma");
/// ```
pub fn tuning(found: &Found, name: &str) -> Tuning {
    let mut kernels: Vec<String> = Vec::new();
    let mut strengths: Vec<f64> = Vec::new();
    for trial in &found.trials {
        let (kernel, strength) = (trial.kernel.to_string(), trial.strength.spelled().1);
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
        if !strengths.contains(&strength) {
            strengths.push(strength);
        }
    }
    strengths.sort_by(f64::total_cmp);
    let (parameter, names) = differing(&kernels);
    // Where the kernels differ by a number they stand in its order.
    let numbers: Option<Vec<f64>> = names.iter().map(|name| name.parse().ok()).collect();
    let mut order: Vec<usize> = (0..kernels.len()).collect();
    if let Some(numbers) = numbers {
        order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    }
    let best = found.best();
    let sign = if found.metric.info().larger_is_better { 1.0 } else { -1.0 };
    let enough = sign * best.mean() - best.error().unwrap_or(0.0);
    let trial = |tried: &Tried| {
        let kernel = tried.kernel.to_string();
        let place = kernels.iter().position(|known| *known == kernel).unwrap_or(0);
        Trial {
            kernel: order.iter().position(|&at| at == place).unwrap_or(0),
            strength: strengths.iter().position(|&known| known == tried.strength.spelled().1).unwrap_or(0),
            mean: tried.mean(),
            error: tried.error(),
            near: tried.rows == best.rows && sign * tried.mean() >= enough,
        }
    };
    let place = |of: &Tried| found.trials.iter().position(|tried| std::ptr::eq(tried, of));
    let label = |text: &String| text.parse::<f64>().map_or_else(|_| text.clone(), number);
    let better = if sign > 0.0 { "larger" } else { "smaller" };
    let mut notes = vec![format!(
        "best: {} with {} = {}: {} {}",
        best.kernel,
        best.strength.spelled().0,
        number(best.strength.spelled().1),
        found.metric,
        number(best.mean())
    )];
    if found.is_cut_short {
        notes.push("cut short: not all candidates were judged".to_owned());
    }
    Tuning {
        title: "What the search found".to_owned(),
        subtitle: format!(
            "{} on {name}, on {}",
            count(found.trials.len(), "candidate"),
            count(found.splits, "split")
        ),
        parameter,
        kernels: order.iter().map(|&at| label(&names[at])).collect(),
        strength: best.strength.spelled().0.to_owned(),
        strengths: strengths.iter().map(|&value| number(value)).collect(),
        trials: found.trials.iter().map(trial).collect(),
        metric: format!("{} ({better} is better)", found.metric),
        best: place(best),
        simplest: place(found.simplest()),
        notes,
    }
}

/// What sets texts apart where it is one value of a parameter, and that value in each; otherwise the whole texts.
fn differing(texts: &[String]) -> (String, Vec<String>) {
    let whole = || ("kernel".to_owned(), texts.to_vec());
    let Some(first) = texts.first().filter(|_| texts.len() > 1) else { return whole() };
    let same = |text: &String| first.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
    let shared = texts.iter().map(same).min().unwrap_or(0);
    // Back to the sign before the value, so that 0.1 and 0.5 do not become 1 and 5.
    let Some(from) = first.get(..shared).and_then(|start| start.rfind('=')).map(|at| at + 1) else {
        return whole();
    };
    let name: String = first[..from - 1]
        .chars()
        .rev()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let value = |text: &String| {
        let rest = text.get(from..)?;
        let end = rest.find([',', ')']).unwrap_or(rest.len());
        Some((rest[..end].to_owned(), rest[end..].to_owned()))
    };
    let Some(parts) = texts.iter().map(value).collect::<Option<Vec<_>>>() else { return whole() };
    if parts.iter().any(|(_, rest)| *rest != parts[0].1) {
        return whole();
    }
    (name, parts.into_iter().map(|(value, _)| value).collect())
}

/// A machine along its strengths.
pub fn path(found: &RegularizationPath, kernel: &str, name: &str) -> Path {
    let step = |point: &mercer_model::tune::Waypoint| {
        let n = point.held_out.len() as f64;
        let held_out = point.held_out_mean().map(|mean| {
            let squares: f64 = point.held_out.iter().map(|score| (score - mean).powi(2)).sum();
            (mean, (n > 1.0).then(|| (squares / (n - 1.0) / n).sqrt()))
        });
        Step {
            strength: point.strength.spelled().1,
            training: point.training,
            held_out,
            support: point.support,
        }
    };
    let best = found.best().and_then(|best| found.points.iter().position(|point| std::ptr::eq(point, best)));
    let mut notes = Vec::new();
    if let Some(best) = found.best() {
        let (spelled, value) = best.strength.spelled();
        let mean = best.held_out_mean().unwrap_or(f64::NAN);
        notes.push(format!(
            "best held out: {spelled} = {}: {} {}",
            number(value),
            found.metric,
            number(mean)
        ));
    }
    Path {
        title: "A machine as its penalty grows weaker".to_owned(),
        subtitle: format!("{kernel} on {name}"),
        strength: found.points.first().map_or("strength", |point| point.strength.spelled().0).to_owned(),
        metric: found.metric.to_string(),
        steps: found.points.iter().map(step).collect(),
        best,
        notes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_told_apart_by_their_parameter() {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let (name, values) = differing(&texts(&["rbf(sigma=0.1)", "rbf(sigma=0.5)", "rbf(sigma=10)"]));
        assert_eq!((name.as_str(), values), ("sigma", texts(&["0.1", "0.5", "10"])));
        let kernels = texts(&["rbf(sigma=0.1)", "linear"]);
        assert_eq!(differing(&kernels), ("kernel".to_owned(), kernels.clone()));
        assert_eq!(differing(&[]).1.len(), 0);
        assert_eq!(
            differing(&texts(&["poly(degree=2, offset=1)", "poly(degree=3, offset=1)"])).1,
            ["2", "3"]
        );
        assert_eq!(differing(&texts(&["poly(degree=2, offset=1)", "poly(degree=3, offset=2)"])).0, "kernel");
    }
}
