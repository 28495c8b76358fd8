//! Numbers, counts and columns as text.

use mercer_points::{ColumnData, Points};

/// The same in one line, with no character that could play with a terminal.
pub fn visible(text: &str) -> String {
    let shown = text.chars().map(|c| match c {
        '\n' => " ".to_owned(),
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    });
    shown.collect()
}

/// So many of a thing, in words.
pub fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// Columns that line up; the last is as long as it likes.
pub fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count)
        .map(|c| rows.iter().filter_map(|row| row.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:width$}  "));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A number for people: six digits, without trailing noise.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return value.to_string().replace("inf", "infinite");
    }
    let size = value.abs();
    if (1e-4..1e7).contains(&size) {
        let digits = (5 - size.log10().floor() as i32).clamp(0, 9) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{value:.3e}")
    }
}

/// The label of a row as text, by the name that a class has.
pub fn label(data: &ColumnData, row: usize) -> String {
    match data {
        ColumnData::Numbers(values) => values[row].to_string(),
        ColumnData::Categories(names) => names.point(row).to_owned(),
        ColumnData::Texts(texts) => texts.point(row).to_owned(),
        other => format!("{} of row {}", other.kind(), row + 1),
    }
}
