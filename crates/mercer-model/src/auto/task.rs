//! What a target asks for, where nobody has said it.

use mercer_points::{Categories, Column, ColumnData};

use crate::{ModelError, Task, target::levels};

/// Whole numbers up to this one can be the numbers of classes.
const MOST: f64 = 30.0;

/// What a target asks for, and why.
///
/// Names are classes, and so are two different numbers. Whole numbers that count from 0 or 1 are the numbers of classes
/// (one may be missing of up to ten); all other numbers are meant as numbers.
pub(super) fn infer(target: &Column) -> Result<(Task, String), ModelError> {
    let (names, _) = levels(target)?;
    let ColumnData::Numbers(values) = &target.data else {
        return Ok((Task::Classes, format!("{} names", names.len())));
    };
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v), high.max(v)));
    let are_whole = values.iter().all(|v| v.fract() == 0.0);
    let found = names.len();
    if found == 2 {
        return Ok((Task::Classes, "two different numbers".to_owned()));
    }
    let holes = high - low + 1.0 - found as f64;
    let allowed = if high <= 10.0 { 1.0 } else { 0.0 };
    let counts = are_whole && (low == 0.0 || low == 1.0) && high <= MOST && holes <= allowed;
    // A count of something also begins at 0 or 1; of classes there are many rows each.
    if counts && found >= 3 && values.len() >= 5 * found {
        return Ok((Task::Classes, format!("{found} whole numbers that count from {low}")));
    }
    Ok((Task::Numbers, format!("numbers from {low} to {high}")))
}

/// A target of classes in a form that learners take: texts become names.
pub(super) fn as_names(target: &Column) -> Column {
    match &target.data {
        ColumnData::Texts(texts) => Column {
            name: target.name.clone(),
            data: ColumnData::Categories(texts.iter().collect::<Categories>()),
        },
        _ => target.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn asks(values: &[f64], expected: Task) {
        let target = Column { name: "y".to_owned(), data: ColumnData::Numbers(values.repeat(6)) };
        assert_eq!(infer(&target).unwrap().0, expected, "{values:?}");
    }

    #[test]
    fn what_counts_from_the_beginning_is_a_class() {
        asks(&[-1.0, 1.0], Task::Classes);
        asks(&[0.0, 1.0, 2.0], Task::Classes);
        asks(&[1.0, 2.0, 3.0, 4.0, 5.0, 7.0], Task::Classes);
        asks(&[3.0, 4.0, 5.0, 6.0], Task::Numbers);
        asks(&[1.0, 2.0, 4.5], Task::Numbers);
        asks(&[1.0, 5.0, 9.0], Task::Numbers);
        asks(&(0..40).map(f64::from).collect::<Vec<_>>(), Task::Numbers);
    }
}
