//! From the name of a built-in set to its table.

use super::spec::Spec;
use super::{DataError, builtin, generate, shipped};
use crate::{Table, nearest};

/// Makes or unpacks a built-in set: `iris`, `moons` or `moons(n=500, noise=0.2, seed=7)`.
///
/// A generated set has `n` points and the labels −1 and +1 in turn; `noise` is the standard deviation of
/// what is added to each coordinate (to the label, in the case of `sinc`), `seed` picks the points.
///
/// ```
/// use mercer_points::{Points, data};
/// assert_eq!(data::load("moons(n=500, noise=0.2, seed=7)")?.len(), 500);
/// assert!(data::load("moons(n=0)").is_err());
/// # Ok::<(), data::DataError>(())
/// ```
pub fn load(spec: &str) -> Result<Table, DataError> {
    let spec = Spec::parse(spec)?;
    let known = || builtin().iter().map(|set| set.name);
    let set = builtin().iter().find(|set| set.name == spec.name).ok_or_else(|| DataError::UnknownSet {
        name: spec.name.to_owned(),
        nearest: nearest(spec.name, known()).map(str::to_owned),
        known: known().collect(),
    })?;
    if set.generated {
        Ok(generate::table(set, &spec.draw(set)?))
    } else if spec.parameters.is_empty() {
        Ok(shipped::table(set.name))
    } else {
        Err(DataError::NoParameters { set: set.name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Task;
    use crate::{ColumnData, Points, Strata};

    #[test]
    fn every_set_has_the_rows_and_the_label_that_it_says() {
        for set in builtin() {
            let table = load(set.name).unwrap();
            assert_eq!(table.len(), set.rows, "{}", set.name);
            let label = &table.column("label").unwrap().data;
            let classes = Strata::of(label).count();
            match set.task {
                Task::Binary => assert_eq!(classes, 2, "{}", set.name),
                Task::Multiclass => assert!(classes > 2, "{}", set.name),
                Task::Regression => assert!(matches!(label, ColumnData::Numbers(_)), "{}", set.name),
            }
            assert!(!set.about.is_empty() && !set.source.is_empty() && !set.terms.is_empty());
        }
    }

    #[test]
    fn real_sets_have_the_kinds_of_columns_they_should() {
        let kind = |set: &str, name: &str| load(set).unwrap().column(name).unwrap().data.kind();
        assert_eq!(kind("iris", "label"), "categories");
        assert_eq!(kind("iris", "sepal_length"), "numbers");
        assert_eq!(kind("heart", "label"), "numbers");
        assert_eq!(kind("glass", "label"), "numbers");
        assert_eq!(kind("promoter", "sequence"), "texts");
        assert_eq!(kind("promoter", "label"), "categories");
        assert_eq!(kind("splice", "sequence"), "texts");
        assert_eq!(kind("sms", "text"), "texts");
    }

    #[test]
    fn unknown_names_and_parameters_are_met_with_what_there_is() {
        let error = load("mons").unwrap_err().to_string();
        assert!(
            error.starts_with("no built-in set '@mons'; did you mean '@moons'? there are: moons,"),
            "{error}"
        );
        let error = load("zzzzzz").unwrap_err().to_string();
        assert!(error.starts_with("no built-in set '@zzzzzz'; there are: moons,"), "{error}");
        assert_eq!(load("iris(n=3)"), Err(DataError::NoParameters { set: "iris" }));
        let error = load("moons(size=3)").unwrap_err().to_string();
        assert_eq!(error, "'@moons' has no parameter 'size'; there are: n, noise, seed");
    }
}
