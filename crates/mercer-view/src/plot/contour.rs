//! Lines of equal value through a field, by marching squares (W. Lorensen and H. Cline, *Marching cubes*, 1987, in the
//! plane).
//!
//! A crossing of the level is found on each edge of the grid by linear interpolation, and the crossings of a cell are
//! joined; at a saddle the mean of the corners decides which. Pieces are linked to long lines, so that dashes run
//! through.

use std::collections::HashMap;

use super::{Field, share};

/// The lines along which a field has a value, each a list of points; a closed line ends where it begins.
///
/// ```
/// use mercer_view::{Field, contours};
///
/// let cone = Field::from_fn((-2.0, 2.0), (-2.0, 2.0), 41, 41, |x, y| x.hypot(y));
/// let circle = contours(&cone, 1.0);
/// assert_eq!(circle.len(), 1);
/// assert!(circle[0].iter().all(|[x, y]| (x.hypot(*y) - 1.0).abs() < 0.01));
/// ```
pub fn contours(field: &Field, level: f64) -> Vec<Vec<[f64; 2]>> {
    let mut pieces = Vec::new();
    for row in 0..field.rows.saturating_sub(1) {
        for column in 0..field.columns.saturating_sub(1) {
            cell(field, level, column, row, &mut pieces);
        }
    }
    linked(&pieces)
        .into_iter()
        .map(|line| line.iter().map(|edge| crossing(field, level, *edge)).collect())
        .collect()
}

/// An edge of the grid: the crossing that it starts from, and whether it goes up.
type Edge = (usize, usize, bool);

/// The pieces of one cell.
fn cell(field: &Field, level: f64, column: usize, row: usize, pieces: &mut Vec<(Edge, Edge)>) {
    let corner = |right: usize, up: usize| field.at(column + right, row + up);
    let corners = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
    if corners.iter().any(|value| !value.is_finite()) {
        return;
    }
    let above = corners.map(|value| value >= level);
    let (bottom, right) = ((column, row, false), (column + 1, row, true));
    let (top, left) = ((column, row + 1, false), (column, row, true));
    let sides = [bottom, right, top, left];
    let crossed: Vec<Edge> = (0..4).filter(|&k| above[k] != above[(k + 1) % 4]).map(|k| sides[k]).collect();
    match crossed[..] {
        [one, two] => pieces.push((one, two)),
        [_, _, _, _] => {
            let middle = corners.iter().map(|value| value / 4.0).sum::<f64>() >= level;
            // The corner at the lower left is cut off unless the middle is on its side.
            if above[0] == middle {
                pieces.extend([(bottom, right), (top, left)]);
            } else {
                pieces.extend([(left, bottom), (right, top)]);
            }
        }
        _ => {}
    }
}

/// Where the level crosses an edge.
fn crossing(field: &Field, level: f64, (column, row, up): Edge) -> [f64; 2] {
    let from = field.at(column, row);
    let to = if up { field.at(column, row + 1) } else { field.at(column + 1, row) };
    let part = share(level, from, to).clamp(0.0, 1.0);
    let (column, row) = (column as f64, row as f64);
    if up { field.place(column, row + part) } else { field.place(column + part, row) }
}

/// Pieces joined end to end.
fn linked(pieces: &[(Edge, Edge)]) -> Vec<Vec<Edge>> {
    let mut at: HashMap<Edge, Vec<usize>> = HashMap::new();
    for (number, (one, two)) in pieces.iter().enumerate() {
        at.entry(*one).or_default().push(number);
        at.entry(*two).or_default().push(number);
    }
    let mut used = vec![false; pieces.len()];
    let mut lines = Vec::new();
    // Open lines first, from an end that only one piece has; what is left is closed.
    let is_end = |edge: &Edge| at.get(edge).is_some_and(|own| own.len() == 1);
    let ends =
        (0..pieces.len()).flat_map(|k| [(k, pieces[k].0), (k, pieces[k].1)]).filter(|(_, edge)| is_end(edge));
    let all = (0..pieces.len()).map(|k| (k, pieces[k].0));
    for (number, start) in ends.chain(all).collect::<Vec<_>>() {
        if used[number] {
            continue;
        }
        let (mut line, mut next) = (vec![start], Some(number));
        while let Some(number) = next {
            used[number] = true;
            let (one, two) = pieces[number];
            let last = line[line.len() - 1];
            let end = if one == last { two } else { one };
            line.push(end);
            next = at.get(&end).and_then(|own| own.iter().copied().find(|&k| !used[k]));
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_has_a_straight_line() {
        let plane = Field::from_fn((0.0, 1.0), (0.0, 1.0), 11, 7, |x, y| 2.0 * x + y);
        let lines = contours(&plane, 1.0);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].iter().all(|[x, y]| (2.0 * x + y - 1.0).abs() < 1e-12));
        assert!(contours(&plane, 9.0).is_empty());
    }

    #[test]
    fn saddles_and_closed_lines_end() {
        let saddle = Field::from_fn((-1.0, 1.0), (-1.0, 1.0), 2, 2, |x, y| x * y);
        assert_eq!(contours(&saddle, 0.5).len(), 2);
        let waves = Field::from_fn((0.0, 20.0), (0.0, 20.0), 60, 60, |x, y| x.sin() * y.sin());
        let lines = contours(&waves, 0.5);
        assert!(lines.len() > 10 && lines.iter().any(|line| line.first() == line.last()));
    }

    #[test]
    fn what_is_not_known_has_no_lines() {
        let hole = Field::from_fn((0.0, 1.0), (0.0, 1.0), 5, 5, |x, _| if x < 0.3 { f64::NAN } else { x });
        assert_eq!(contours(&hole, 0.6).len(), 1);
        for (columns, rows) in [(0, 0), (1, 5), (5, 1)] {
            assert!(
                contours(&Field::from_fn((0.0, 1.0), (0.0, 1.0), columns, rows, |_, _| 1.0), 1.0).is_empty()
            );
        }
        let short = Field { x: (0.0, 1.0), y: (0.0, 1.0), columns: 3, rows: 3, values: vec![0.0, 1.0] };
        assert!(contours(&short, 0.5).is_empty());
    }
}
