#![allow(dead_code)]

use mercer_kernel::Registry;
use mercer_model::Training;
use mercer_points::{Column, ColumnData, Points, ReadOptions, Table, read};

/// Rows and what is to be predicted of them.
pub(crate) struct Set {
    pub(crate) table: Table,
    pub(crate) target: Column,
}

impl Set {
    /// The class of each row, by the model's list.
    pub(crate) fn classes(&self, names: &[String]) -> Vec<usize> {
        let place = |name: &str| names.iter().position(|class| class == name).unwrap();
        match &self.target.data {
            ColumnData::Categories(known) => (0..known.len()).map(|i| place(known.point(i))).collect(),
            ColumnData::Numbers(values) => values.iter().map(|value| place(&value.to_string())).collect(),
            _ => panic!("classes are names or numbers"),
        }
    }
}

/// A built-in set; the target is its column `label`, or the last.
pub(crate) fn set(name: &str) -> Set {
    let mut table = read(name, &ReadOptions::default()).unwrap();
    let last = table.columns().last().unwrap().name.clone();
    let target =
        table.remove("label").or_else(|_| table.remove("y")).or_else(|_| table.remove(&last)).unwrap();
    Set { table, target }
}

pub(crate) fn training<'a>(set: &'a Set, registry: &'a Registry) -> Training<'a> {
    Training { registry, source: "test", ..Training::new(&set.table, &set.target) }
}
