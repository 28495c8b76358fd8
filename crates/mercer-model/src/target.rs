//! What a learner is to predict: two classes, numbers, or nothing.

use mercer_points::{Column, ColumnData, Points, nearest};
use mercer_solve::SolveError;
use mercer_solve::loss::{LossSpec, Target};

use crate::{ClassWeights, Kind, Learner, ModelError, Multiclass, Spec};

/// The target as a learner takes it.
#[derive(Debug, PartialEq)]
pub(crate) enum Goal {
    /// Classes by name, and the class of each row.
    Classes(Vec<String>, Vec<usize>),
    /// A number a row, for each of one or more targets.
    Numbers(Vec<Vec<f64>>),
    /// No target.
    Nothing,
}

/// The loss that is meant; an error where the learner does not take it.
pub(crate) fn loss_of(spec: &Spec) -> Result<Option<LossSpec>, ModelError> {
    let info = spec.learner.info();
    let loss = spec.loss.or_else(|| spec.learner.default_loss());
    match loss {
        Some(loss) if info.akin == Some(loss.info().name) => Ok(None),
        Some(loss) if !info.losses.contains(&loss.info().name) => {
            let takes = match info.losses {
                [] => "it has none to choose".to_owned(),
                losses => format!("it takes {}", losses.join(", ")),
            };
            let other = Learner::of_loss(&loss);
            Err(ModelError::Spec(format!(
                "{} does not take the loss {loss}; {takes}; {other} takes it",
                info.name
            )))
        }
        loss => Ok(loss),
    }
}

/// What the target is to a learner; an error where it is not what the learner needs.
pub(crate) fn goal(
    spec: &Spec,
    loss: Option<LossSpec>,
    (target, others): (Option<&Column>, &[Column]),
    rows: usize,
) -> Result<Goal, ModelError> {
    let info = spec.learner.info();
    let classes = match info.kind {
        Kind::Nothing | Kind::Classes => true,
        Kind::Numbers => false,
        Kind::ByLoss => loss.is_some_and(|loss| loss.info().target == Target::Labels),
    };
    if classes && !others.is_empty() {
        return Err(ModelError::Target(format!(
            "{} takes one target, and there are {}; several targets are numbers, for which there are cholesky, eigen and cg",
            info.name,
            others.len() + usize::from(target.is_some())
        )));
    }
    if info.kind == Kind::Nothing {
        return Ok(Goal::Nothing);
    }
    let what = if classes { "classes" } else { "numbers" };
    let target = target.ok_or_else(|| {
        ModelError::Target(format!(
            "{} learns {what} and needs a target; name its column (--target)",
            info.name
        ))
    })?;
    for found in std::iter::once(target).chain(others).map(|column| column.data.len()) {
        if found != rows {
            return Err(SolveError::Shape { what: "targets", expected: rows, found }.into());
        }
    }
    if !classes {
        let each = std::iter::once(target).chain(others).map(|column| numbers(info.name, column));
        return each.collect::<Result<_, _>>().map(Goal::Numbers);
    }
    let (names, codes) = levels(target)?;
    let name = &target.name;
    match names.len() {
        2 => {}
        0 | 1 => {
            let said =
                names.first().map_or_else(|| "no value".to_owned(), |only| format!("only the class {only}"));
            return Err(ModelError::Target(format!(
                "{} decides between two classes, but the target '{name}' has {said}",
                info.name
            )));
        }
        count if spec.multiclass == Multiclass::Refuse => {
            let more = if count > 8 { ", …" } else { "" };
            let shown = names.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
            return Err(ModelError::Target(format!(
                "{} decides between two classes, but the target '{name}' has {count}: {shown}{more}; use --multi one-vs-one \
                 for a machine for each pair{}{}",
                info.name,
                if loss == Some(LossSpec::Logistic) && spec.learner == Learner::Newton {
                    ", or --multi softmax for all at once"
                } else {
                    ""
                },
                if matches!(target.data, ColumnData::Numbers(_)) {
                    ", or a learner of numbers such as svr"
                } else {
                    ""
                }
            )));
        }
        count if count > MOST_CLASSES => {
            let each = if spec.multiclass == Multiclass::OneVsOne { "each pair" } else { "each" };
            return Err(ModelError::Target(format!(
                "the target '{name}' has {count} classes; a machine for {each} of more than {MOST_CLASSES} is refused"
            )));
        }
        _ => {}
    }
    Ok(Goal::Classes(names, codes))
}

/// A machine for each of more classes than this, or for each pair of them, is surely not meant.
const MOST_CLASSES: usize = 500;

fn numbers(learner: &str, target: &Column) -> Result<Vec<f64>, ModelError> {
    let ColumnData::Numbers(values) = &target.data else {
        return Err(ModelError::Target(format!(
            "{learner} predicts numbers, but the target '{}' holds {}; a learner of classes is smo or newton",
            target.name,
            target.data.kind()
        )));
    };
    match values.iter().position(|v| !v.is_finite()) {
        Some(row) => Err(not_finite(target, row, values[row])),
        None => Ok(values.clone()),
    }
}

fn not_finite(target: &Column, row: usize, value: f64) -> ModelError {
    ModelError::Target(format!("row {} of the target '{}' is {value}; drop such rows", row + 1, target.name))
}

/// The classes of a target that occur, in order, and the class of each row.
pub(crate) fn levels(target: &Column) -> Result<(Vec<String>, Vec<usize>), ModelError> {
    match &target.data {
        ColumnData::Numbers(values) => {
            if let Some(row) = values.iter().position(|v| !v.is_finite()) {
                return Err(not_finite(target, row, values[row]));
            }
            // Zero has two signs but is one class.
            let mut levels: Vec<f64> = values.iter().map(|v| v + 0.0).collect();
            levels.sort_by(f64::total_cmp);
            levels.dedup();
            let code = |v: &f64| levels.partition_point(|level| level < v);
            Ok((levels.iter().map(|&v| name_of(v)).collect(), values.iter().map(code).collect()))
        }
        ColumnData::Categories(names) => {
            let mut there: Vec<&str> = (0..names.len()).map(|i| names.point(i)).collect();
            there.sort_unstable();
            there.dedup();
            let code = |i: usize| there.binary_search(&names.point(i)).unwrap_or_default();
            let codes = (0..names.len()).map(code).collect();
            Ok((there.iter().map(|&name| name.to_owned()).collect(), codes))
        }
        other => Err(ModelError::Target(format!(
            "the target '{}' holds {}; classes are names or numbers",
            target.name,
            other.kind()
        ))),
    }
}

/// The class of each row among known classes; an error for a class that is not known.
pub(crate) fn codes(classes: &[String], target: &Column) -> Result<Vec<usize>, ModelError> {
    let (names, codes) = levels(target)?;
    let mut places = Vec::new();
    for name in &names {
        places.push(classes.iter().position(|class| class == name).ok_or_else(|| {
            ModelError::Target(format!(
                "the target '{}' has the class '{name}', which the model does not know; it knows {}",
                target.name,
                classes.join(", ")
            ))
        })?);
    }
    Ok(codes.into_iter().map(|code| places[code]).collect())
}

/// A number as the name of a class.
pub(crate) fn name_of(value: f64) -> String {
    crate::text::number(value + 0.0)
}

/// The weight of each row: the user's times that of its class; none where all count alike.
pub(crate) fn row_weights(
    spec: &Spec,
    goal: &Goal,
    given: Option<&[f64]>,
    rows: usize,
) -> Result<Option<Vec<f64>>, ModelError> {
    if let Some(given) = given {
        if given.len() != rows {
            return Err(SolveError::Shape { what: "weights", expected: rows, found: given.len() }.into());
        }
        if let Some(row) = given.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
            return Err(SolveError::Weight { row: row + 1, value: given[row] }.into());
        }
    }
    let (classes, codes) = match (goal, &spec.class_weights) {
        (_, ClassWeights::Equal) => return Ok(given.map(<[f64]>::to_vec)),
        (Goal::Classes(classes, codes), _) => (classes, codes),
        _ => return Err(ModelError::Spec(format!("{} has no classes that could be weighted", spec.learner))),
    };
    let of_class = class_weights(&spec.class_weights, classes, codes)?;
    Ok(Some((0..rows).map(|i| of_class[codes[i]] * given.map_or(1.0, |given| given[i])).collect()))
}

fn class_weights(
    weights: &ClassWeights,
    classes: &[String],
    codes: &[usize],
) -> Result<Vec<f64>, ModelError> {
    let named = match weights {
        ClassWeights::Equal => return Ok(vec![1.0; classes.len()]),
        ClassWeights::Balanced => {
            let count = |class: usize| codes.iter().filter(|&&code| code == class).count().max(1);
            let share = codes.len() as f64 / classes.len() as f64;
            return Ok((0..classes.len()).map(|class| share / count(class) as f64).collect());
        }
        ClassWeights::Given(named) => named,
    };
    let mut found = vec![1.0; classes.len()];
    for (name, weight) in named {
        let place = classes.iter().position(|class| class == name).ok_or_else(|| {
            let hint = nearest(name, classes.iter().map(String::as_str)).map_or_else(
                || format!("there are {}", classes.iter().take(8).cloned().collect::<Vec<_>>().join(", ")),
                |near| format!("did you mean '{near}'?"),
            );
            ModelError::Spec(format!("there is no class '{name}' to be weighted; {hint}"))
        })?;
        if !(weight.is_finite() && *weight >= 0.0) {
            return Err(ModelError::Spec(format!("the class '{name}' cannot have the weight {weight}")));
        }
        found[place] = *weight;
    }
    Ok(found)
}
