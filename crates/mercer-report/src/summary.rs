//! The data of a report in numbers, and the rows that count most.

use mercer_model::Model;
use mercer_picture::Rows;
use mercer_points::{ColumnData, Points};
use mercer_view::Block;

use crate::page::Reported;
use crate::text::{count, label, number};

/// Columns and classes that are listed, at most.
const SHOWN: usize = 30;
/// Rows that are listed.
const ROWS: usize = 10;
/// Letters of a cell, at most.
const LETTERS: usize = 40;

/// Rows and columns in words and as a table.
pub(crate) fn blocks(reported: &Reported<'_>) -> Vec<Block> {
    let data = &reported.rows;
    let mut said = format!(
        "{} of {}, {}.",
        count(data.table.len(), "row"),
        data.name,
        count(data.table.columns().len(), "column")
    );
    if data.table.len() < reported.total {
        said = format!("{said} A sample: the source has {} rows.", reported.total);
    }
    let columns = data.table.columns();
    let head = ["column", "holds", "least", "median", "largest"].map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = columns
        .iter()
        .chain(data.target)
        .take(SHOWN)
        .map(|column| {
            let mut row = vec![short(&column.name), holds(&column.data)];
            row.extend(spread(&column.data));
            row
        })
        .collect();
    let mut blocks = vec![Block::Text(said), Block::Table { head, rows }];
    if columns.len() + usize::from(data.target.is_some()) > SHOWN {
        blocks.push(Block::Text(format!("The first {SHOWN} of {} columns.", columns.len())));
    }
    if let Some(counts) = data.target.and_then(|target| classes(&target.data)) {
        let total = data.table.len().max(1) as f64;
        let rows = counts.iter().take(SHOWN).map(|(name, found)| {
            vec![short(name), found.to_string(), format!("{:.1} %", 100.0 * *found as f64 / total)]
        });
        let head = ["class", "rows", "share"].map(str::to_owned).to_vec();
        blocks.push(Block::Table { head, rows: rows.collect() });
        if counts.len() > SHOWN {
            blocks.push(Block::Text(format!("The {SHOWN} most frequent of {} classes.", counts.len())));
        }
    }
    blocks
}

/// What is odd about the data.
pub(crate) fn oddities(data: &Rows<'_>) -> Vec<String> {
    let constant: Vec<&str> = data
        .table
        .columns()
        .iter()
        .filter(|column| match &column.data {
            ColumnData::Numbers(values) => {
                values.len() > 1 && values.windows(2).all(|pair| pair[0] == pair[1])
            }
            ColumnData::Categories(names) => {
                names.len() > 1 && names.codes().windows(2).all(|pair| pair[0] == pair[1])
            }
            _ => false,
        })
        .map(|column| column.name.as_str())
        .collect();
    let mut found = Vec::new();
    if !constant.is_empty() {
        let names: Vec<String> = constant.iter().take(6).map(|name| short(name)).collect();
        found.push(format!(
            "{} the same in every row: {}.",
            if constant.len() == 1 { "A column is" } else { "Columns are" },
            names.join(", ")
        ));
    }
    if let Some(counts) = data.target.and_then(|target| classes(&target.data)) {
        if let [(name, _)] = counts.as_slice() {
            found.push(format!("Every row shown is of the class '{}'.", short(name)));
        } else if let (Some((most, large)), Some((least, small))) = (counts.first(), counts.last())
            && *large > 20 * *small
        {
            found.push(format!(
                "The class '{}' has {large} rows and '{}' only {small}.",
                short(most),
                short(least)
            ));
        }
    }
    found
}

/// The training rows with the largest coefficients, over all machines.
pub(crate) fn influential(model: &Model, data: &Rows<'_>) -> Vec<Block> {
    let mut order: Vec<(usize, f64)> = (0..model.support()).map(|k| (k, 0.0)).collect();
    for (k, alpha) in model.machines().iter().flat_map(|machine| machine.coefficients.used()) {
        order[k].1 += alpha.abs();
    }
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let is_training = model.learned_from(data.table, data.target);
    let columns: Vec<&mercer_points::Column> =
        data.table.columns().iter().filter(|_| is_training).take(6).collect();
    let mut head = vec!["training row".to_owned(), "sum of |alpha|".to_owned()];
    if is_training {
        head.extend(data.target.iter().map(|target| short(&target.name)));
    }
    head.extend(columns.iter().map(|column| short(&column.name)));
    let rows = order.iter().take(ROWS).map(|&(k, weight)| {
        let row = model.rows().get(k).copied();
        let mut cells = vec![
            row.map_or_else(|| format!("support {}", k + 1), |row| (row + 1).to_string()),
            number(weight),
        ];
        if let (true, Some(row)) = (is_training, row) {
            cells.extend(
                data.target.into_iter().chain(columns.iter().copied()).map(|column| cell(&column.data, row)),
            );
        }
        cells
    });
    let rows: Vec<Vec<String>> = rows.collect();
    vec![
        Block::Text(format!(
            "A score is a sum over {}; these have the largest coefficients.",
            count(model.support(), "support vector")
        )),
        Block::Table { head, rows },
    ]
}

fn cell(data: &ColumnData, row: usize) -> String {
    match data {
        ColumnData::Numbers(values) => number(values[row]),
        ColumnData::Categories(_) | ColumnData::Texts(_) => short(&label(data, row)),
        other => other.kind().to_owned(),
    }
}

/// As many letters as a cell has room for.
fn short(text: &str) -> String {
    if text.chars().count() <= LETTERS {
        return text.to_owned();
    }
    text.chars().take(LETTERS - 1).chain(['…']).collect()
}

fn holds(data: &ColumnData) -> String {
    match data {
        ColumnData::Categories(names) => format!("{} names", names.levels().len()),
        ColumnData::Dense(points, _) => format!("vectors of {} numbers", points.dim()),
        ColumnData::Single(points, _) => format!("vectors of {} numbers", points.dim()),
        ColumnData::Sparse(points) => format!("sparse vectors of {} coordinates", points.dim()),
        other => other.kind().to_owned(),
    }
}

/// Least, median and largest of a column of numbers.
fn spread(data: &ColumnData) -> Vec<String> {
    let ColumnData::Numbers(values) = data else { return vec![String::new(); 3] };
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let at = |place: usize| sorted.get(place).map_or_else(String::new, |&value| number(value));
    vec![at(0), at(sorted.len() / 2), at(sorted.len().saturating_sub(1))]
}

/// Classes and their rows, the most frequent first; none for numbers of many values.
fn classes(data: &ColumnData) -> Option<Vec<(String, usize)>> {
    let mut counts = std::collections::BTreeMap::new();
    match data {
        ColumnData::Categories(_) | ColumnData::Numbers(_) => {}
        _ => return None,
    }
    for row in 0..data.len() {
        *counts.entry(label(data, row)).or_insert(0_usize) += 1;
        if counts.len() > 50 && matches!(data, ColumnData::Numbers(_)) {
            return None;
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    // Numbers that are hardly ever the same are no classes.
    let is_classes = matches!(data, ColumnData::Categories(_)) || 5 * counts.len() <= data.len();
    is_classes.then_some(counts)
}
