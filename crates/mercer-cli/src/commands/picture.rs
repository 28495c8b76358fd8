//! Gram matrices as a picture: ordered by label, beside the ideal one, with the alignment under each.

use mercer::gram::{Alignment, Gram, Ideal, Shape, Stored};
use mercer::linalg::eigh;
use mercer::view::{Grid, Group, HeatMap, Panel, Range, Scale, Theme};

/// One matrix to draw.
pub(crate) struct Drawn<'a> {
    pub(crate) title: String,
    pub(crate) gram: &'a Stored<f32>,
    pub(crate) alignment: Option<Alignment>,
    pub(crate) shape: Shape,
}

/// Rows of equal label side by side, and within a label in spectral order, so that structure can be seen.
pub(crate) fn seriate(gram: &Stored<f32>, ideal: Option<&Ideal>) -> Vec<usize> {
    let mut rows = ideal.map_or_else(|| (0..gram.len()).collect(), Ideal::order);
    let whole = [("", gram.len())];
    let groups = ideal.map_or_else(Vec::new, Ideal::groups);
    let groups = if ideal.is_none() { whole.as_slice() } else { groups.as_slice() };
    let mut first = 0;
    for &(_, count) in groups {
        spectral_order(gram, &mut rows[first..first + count]);
        first += count;
    }
    rows
}

/// By the second eigenvector of the normalised likeness D^(-1/2) K D^(-1/2): neighbours come to stand side by side.
/// Groups that are too large for it stay as they are.
fn spectral_order(gram: &Stored<f32>, rows: &mut [usize]) {
    let n = rows.len();
    if !(3..=1000).contains(&n) {
        return;
    }
    let like = |i: usize, j: usize| f64::from(gram.row(i)[j]).max(0.0);
    let degree: Vec<f64> = rows
        .iter()
        .map(|&i| rows.iter().map(|&j| like(i, j)).sum::<f64>().max(f64::MIN_POSITIVE).sqrt())
        .collect();
    let entry = |at: usize| like(rows[at / n], rows[at % n]) / (degree[at / n] * degree[at % n]);
    let Ok((_, vectors)) = eigh(n, &(0..n * n).map(entry).collect::<Vec<_>>()) else { return };
    let second = &vectors[(n - 2) * n..(n - 1) * n];
    let place: Vec<f64> = second.iter().zip(&degree).map(|(v, d)| v / d).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| place[a].total_cmp(&place[b]));
    let sorted: Vec<usize> = order.iter().map(|&at| rows[at]).collect();
    rows.copy_from_slice(&sorted);
}

/// A panel of a matrix: rows with equal labels side by side.
pub(crate) fn panel(drawn: &Drawn<'_>, order: &[usize]) -> Panel {
    let grid = Grid::symmetric(order.len(), |i, j| f64::from(drawn.gram.row(order[i])[order[j]]));
    let mut panel = Panel::new(drawn.title.clone(), grid);
    if let Some(alignment) = drawn.alignment {
        panel.captions.push(format!("alignment {:.3}", alignment.plain));
        panel.captions.push(format!("centred {:.3}", alignment.centered));
    }
    panel.captions.push(drawn.shape.to_string());
    panel
}

/// The whole picture; the ideal matrix comes last.
pub(crate) fn heat_map(
    title: String,
    subtitle: String,
    mut panels: Vec<Panel>,
    ideal: Option<(&Ideal, &[usize])>,
    dark: bool,
) -> HeatMap {
    let groups: Vec<Group> = ideal.map_or_else(Vec::new, |(ideal, _)| {
        ideal.groups().into_iter().map(|(name, count)| Group::new(name, count)).collect()
    });
    if let Some((ideal, order)) = ideal {
        let mut panel =
            Panel::new("ideal", Grid::symmetric(order.len(), |i, j| ideal.value(order[i], order[j])));
        panel.captions.push("y y^T".to_owned());
        // Its own scale: the kernels keep theirs, which has no other side where no entry is negative.
        panel.scale = Scale::Own(Range::new(-1.0, 1.0));
        panels.push(panel);
    }
    let mut map = HeatMap::new(title, panels);
    map.subtitle = subtitle;
    map.groups = groups;
    map.theme = if dark { Theme::Dark } else { Theme::Light };
    map
}
