//! What is true, against what a model says.

use mercer::points::{Column, ColumnData};
use mercer::report::text::label;

/// Rows whose class is not the one that was found.
pub(crate) fn misses(found: &[usize], classes: &[String], target: &Column) -> usize {
    found.iter().enumerate().filter(|&(row, &class)| !is(&target.data, row, &classes[class])).count()
}

/// The class of each row; none if one has a class that is not among them.
pub(crate) fn codes(classes: &[String], target: &Column) -> Option<Vec<usize>> {
    let code = |row: usize| classes.iter().position(|class| is(&target.data, row, class));
    (0..target.data.len()).map(code).collect()
}

/// Whether a row is of a class.
fn is(data: &ColumnData, row: usize, class: &str) -> bool {
    match data {
        // A number may be written in several ways.
        ColumnData::Numbers(values) => class.parse() == Ok(values[row]),
        data => label(data, row) == class,
    }
}

/// The root of the mean squared difference; not a number where the target holds none.
pub(crate) fn rmse(found: &[f64], target: &Column) -> f64 {
    let ColumnData::Numbers(values) = &target.data else { return f64::NAN };
    let squares = found.iter().zip(values).map(|(f, y)| (f - y) * (f - y));
    (squares.sum::<f64>() / found.len().max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_classes_by_their_text() {
        let target = Column { name: "y".to_owned(), data: ColumnData::Numbers(vec![1.0, -1.0, 1.0, 0.5]) };
        let classes = ["-1".to_owned(), "1".to_owned()];
        assert_eq!(misses(&[1, 0, 0, 1], &classes, &target), 2);
        assert_eq!(codes(&classes, &target), None);
        assert_eq!(rmse(&[1.0, -1.0, 1.0, 2.5], &target), 1.0);
    }
}
