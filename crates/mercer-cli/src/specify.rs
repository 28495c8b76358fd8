//! From the words of `mercer fit` to a specification; a word that would change nothing is refused, not passed over.

use anyhow::{Context, bail};
use mercer::kernel::KernelExpr;
use mercer::model::{ClassWeights, Kind, Learner, LearnerInfo, Multiclass, Spec};
use mercer::points::{Categories, Column, ColumnData};
use mercer::report::words::has_lambda;
use mercer::solve::Tolerance;
use mercer::solve::loss::{LOSSES, LossSpec, Target};

use crate::args::Fit;

/// What is to be fitted, and what was chosen for the user, in words.
pub(crate) fn specify(
    options: &Fit,
    kernel: KernelExpr,
    target: Option<&Column>,
    place: &str,
) -> anyhow::Result<(Spec, Option<String>)> {
    let learner = options.solver.as_deref().map(str::parse::<Learner>).transpose().context("--solver")?;
    let loss = options.loss.as_deref().map(str::parse::<LossSpec>).transpose().context("--loss")?;
    let mut chosen = None;
    let mut spec = match (learner, loss) {
        // The name of the loss that a learner is akin to is understood, and says nothing new.
        (Some(learner), Some(loss)) if learner.info().akin == Some(loss.info().name) => {
            Spec::new(kernel, learner)
        }
        (Some(learner), Some(loss)) => Spec { loss: Some(loss), ..Spec::new(kernel, learner) },
        (None, Some(loss)) => Spec::for_loss(kernel, loss),
        (Some(learner), None) => Spec { loss: usual(learner, options, target), ..Spec::new(kernel, learner) },
        (None, None) => {
            let (loss, why) = by_target(options, target, place)?;
            chosen = Some(why);
            Spec::for_loss(kernel, loss)
        }
    };
    if let (true, None) = (spec.learner.info().kind != Kind::Nothing, target) {
        bail!("{place}: there is no column 'label'; name the column to predict (--target COLUMN)");
    }
    check_words(options, &spec)?;
    spec.regularization = options.strength.regularization().unwrap_or(spec.regularization);
    spec.nu = options.nu.unwrap_or(spec.nu);
    spec.offset = options.offset.unwrap_or(spec.offset);
    spec.penalty = options.penalty.parse().context("--penalty")?;
    spec.scaling = options.scale.parse().context("--scale")?;
    spec.multiclass =
        options.multi.as_deref().map_or(Ok(Multiclass::Refuse), str::parse).context("--multi")?;
    spec.probabilities =
        options.probabilities.as_deref().map(str::parse).transpose().context("--probabilities")?;
    spec.class_weights = options.class_weight.as_deref().map_or(Ok(ClassWeights::Equal), class_weights)?;
    spec.tolerance = tolerance(options);
    spec.seed = options.input.seed;
    (spec.epochs, spec.step, spec.average) = (options.epochs, options.step, options.average);
    spec.keep = options.keep.map(|keep| keep as usize);
    Ok((spec, chosen))
}

/// The same where nobody need say what to do about several classes: they are taken pair by pair.
pub(crate) fn specify_several(
    options: &Fit,
    kernel: KernelExpr,
    target: Option<&Column>,
    place: &str,
) -> anyhow::Result<(Spec, Option<String>)> {
    let (mut spec, chosen) = specify(options, kernel, target, place)?;
    if spec.multiclass == Multiclass::Refuse && spec.learner.info().kind != Kind::Numbers {
        spec.multiclass = Multiclass::OneVsOne;
    }
    Ok((spec, chosen))
}

/// The gap is the criterion, unless only a violation is named.
fn tolerance(options: &Fit) -> Tolerance {
    match (options.tolerance, options.violation) {
        (None, None) => Tolerance::default(),
        (gap, violation) => Tolerance { gap, violation },
    }
}

/// How many classes a column holds, if it holds classes: names, or numbers of which there are just two.
fn classes(column: &Column) -> Option<usize> {
    match &column.data {
        ColumnData::Categories(names) => Some(names.levels().len()),
        ColumnData::Texts(texts) => Some(texts.iter().collect::<Categories>().levels().len()),
        ColumnData::Numbers(values) => {
            let mut distinct = values.clone();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            (distinct.len() == 2).then_some(2)
        }
        _ => None,
    }
}

/// The loss where neither loss nor learner is named, and why.
fn by_target(options: &Fit, target: Option<&Column>, place: &str) -> anyhow::Result<(LossSpec, String)> {
    let Some(column) = target else {
        bail!("{place}: there is no column 'label'; name the column to predict (--target COLUMN)");
    };
    let is_softmax =
        options.multi.as_deref().is_some_and(|how| matches!(how.parse(), Ok(Multiclass::Softmax)));
    if is_softmax {
        let why = "loss: logistic, since softmax is the logistic loss of several classes".to_owned();
        return Ok((LossSpec::Logistic, why));
    }
    let (loss, holds) = match classes(column) {
        Some(2) => (LossSpec::Hinge, "two classes".to_owned()),
        Some(count) => (LossSpec::Hinge, format!("{count} classes")),
        None if options.multi.is_some() => (LossSpec::Hinge, "classes".to_owned()),
        None => (LossSpec::Squared, "numbers".to_owned()),
    };
    let why = format!("loss: {loss}, since '{}' holds {holds} (--loss chooses another)", column.name);
    Ok((loss, why))
}

/// The loss of a learner where only the learner is named: its own, or the first that suits the target.
fn usual(learner: Learner, options: &Fit, target: Option<&Column>) -> Option<LossSpec> {
    let info = learner.info();
    if info.kind != Kind::ByLoss {
        return learner.default_loss();
    }
    let is_classes = options.multi.is_some() || target.and_then(classes).is_some();
    let wanted = if is_classes { Target::Labels } else { Target::Numbers };
    let suits = |name: &&&str| LOSSES.iter().any(|loss| loss.name == **name && loss.target == wanted);
    let squared = info.losses.iter().find(|name| **name == "squared").filter(|_| !is_classes);
    let name = squared.or_else(|| info.losses.iter().find(suits)).or(info.losses.first())?;
    name.parse().ok()
}

pub(crate) fn class_weights(text: &str) -> anyhow::Result<ClassWeights> {
    if text == "balanced" {
        return Ok(ClassWeights::Balanced);
    }
    let pairs = text.split(',').map(|part| {
        let form = "--class-weight: write balanced, or CLASS=WEIGHT,… as in 'spam=2,ham=1'";
        let (name, weight) = part.rsplit_once('=').context(form)?;
        let weight: f64 =
            weight.trim().parse().ok().with_context(|| format!("{form}; not '{}'", part.trim()))?;
        if !(weight.is_finite() && weight >= 0.0) {
            bail!(
                "--class-weight: {} = {weight} is out of range; weights are finite and not negative",
                name.trim()
            );
        }
        Ok((name.trim().to_owned(), weight))
    });
    Ok(ClassWeights::Given(pairs.collect::<anyhow::Result<_>>()?))
}

/// Refuses words that this learner would not heed, and says who would.
fn check_words(options: &Fit, spec: &Spec) -> anyhow::Result<()> {
    use Learner::{
        DualPerceptron, Gradient, KernelPegasos, KernelPerceptron, Lms, NuSvc, NuSvr, OneClass,
        OnlinePerceptron, Pegasos, Perceptron, Subgradient,
    };
    let learner = spec.learner;
    let online = [Perceptron, DualPerceptron, KernelPerceptron, OnlinePerceptron, Pegasos, KernelPegasos];
    let stepwise = [&online[..], &[Subgradient, Gradient, Lms]].concat();
    let rules: [(&str, bool, &[Learner]); 5] = [
        ("--nu", options.nu.is_some(), &[NuSvc, NuSvr, OneClass]),
        ("--keep", options.keep.is_some(), &[OnlinePerceptron]),
        ("--average", options.average, &online),
        ("--epochs", options.epochs.is_some(), &stepwise),
        ("--step", options.step.is_some(), &[Subgradient, Gradient, Lms]),
    ];
    for (word, given, heeded) in rules {
        if given && !heeded.contains(&learner) {
            let names: Vec<&str> = heeded.iter().map(|learner| learner.info().name).collect();
            bail!("{word} means nothing to {learner}; it is for {}", names.join(", "));
        }
    }
    if options.strength.regularization().is_some() && !has_lambda(learner) {
        bail!("{learner} has no lambda, under any of its names; leave it out{}", instead(learner.info()));
    }
    if options.multi.is_some() && learner.info().kind == Kind::Numbers {
        bail!("--multi is for classes, and {learner} predicts numbers");
    }
    if options.probabilities.is_some() && matches!(learner.info().kind, Kind::Numbers | Kind::Nothing) {
        bail!("--probabilities are of classes, and {learner} has none");
    }
    Ok(())
}

fn instead(info: &LearnerInfo) -> &'static str {
    match info.name {
        "nu-svc" | "one-class" => ", and give --nu",
        "hard-margin" => ", or allow errors (--solver smo)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(data: ColumnData) -> Column {
        Column { name: "y".to_owned(), data }
    }

    #[test]
    fn two_values_are_classes_and_three_numbers_are_numbers() {
        let numbers = |values: &[f64]| classes(&column(ColumnData::Numbers(values.to_vec())));
        assert_eq!(numbers(&[1.0, -1.0, 1.0]), Some(2));
        assert_eq!(numbers(&[1.0, 2.0, 3.0]), None);
        let names = ["a", "b", "c", "a"].into_iter().collect();
        assert_eq!(classes(&column(ColumnData::Categories(names))), Some(3));
    }

    #[test]
    fn weights_of_classes_are_read_by_name() {
        let given = class_weights("a=b=2, c=1").unwrap();
        assert_eq!(given, ClassWeights::Given(vec![("a=b".to_owned(), 2.0), ("c".to_owned(), 1.0)]));
        for wrong in ["", "a", "a=x", "a=-1", "a=inf", "a=1,,"] {
            assert!(class_weights(wrong).is_err(), "{wrong}");
        }
    }
}
